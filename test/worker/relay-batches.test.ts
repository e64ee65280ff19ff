import { setTimeout as delay } from 'node:timers/promises';
import type { WorkflowStarter } from '@clinic/temporal/starter';
import { createLog } from '@clinic/shared/log';
import type { Stores } from '@clinic/prisma/stores';
import type { OnPass } from '@clinic/worker/duty';
import { startRelay } from '@clinic/worker/relay';
import { eventually } from '../support/eventually';
import { openRecords, type Records } from '../support/records';

let records: Records;
beforeEach(async () => {
  records = await openRecords();
});
afterEach(() => records.close());

/** Old enough that nobody else is about to start them; the first is the oldest. */
async function runsThatWait(count: number): Promise<string[]> {
  const runs = await records.manyRuns(count);
  const ids = runs.map(({ workflowId }) => workflowId);
  for (const [index, id] of ids.entries()) {
    const startedAt = new Date(Date.now() - 60_000 + index);
    await records.database.prisma.workflowRun.update({ where: { id }, data: { startedAt } });
  }
  return ids;
}

async function relaying({
  everyMs,
  until,
  ...ours
}: Partial<WorkflowStarter> & { everyMs: number; until: () => boolean }): Promise<void> {
  const starter = ours as WorkflowStarter;
  const log = createLog({ process: 'test', level: 'silent' });
  const relay = startRelay({ stores: records.stores, starter, log, everyMs });
  try {
    await eventually(until, { within: 20_000 });
  } finally {
    await relay.stop();
  }
}

test('a run that can never be started holds up none of the later ones, not even until the next look', async () => {
  const [bad, ...good] = await runsThatWait(60);
  const begun = new Set<string>();

  await relaying({
    everyMs: 600_000,
    startRun: async ({ workflowId }) => {
      if (workflowId === bad) throw new Error('14 UNAVAILABLE');
      begun.add(workflowId);
    },
    until: () => begun.size === good.length,
  });

  expect([...begun].toSorted()).toEqual(good.toSorted());
});

test('after a full batch the next one is looked for at once', async () => {
  const runs = await runsThatWait(230);
  const begun = new Set<string>();

  await relaying({
    everyMs: 600_000,
    startRun: async ({ workflowId }) => void begun.add(workflowId),
    until: () => begun.size === runs.length,
  });

  expect(begun.size).toBe(runs.length);
});

test('after a full batch of messages too', async () => {
  const { workflowId, clinicId } = await records.aRun();
  await records.stores.runs.markDispatched([workflowId]);
  await records.database.sql`
    insert into workflow_messages (id, clinic_id, workflow_id, signal, payload, created_at)
    select 'message-' || n, ${clinicId}, ${workflowId}, 'rulesChanged', '{}'::jsonb, now() - interval '1 minute'
    from generate_series(1, 230) n`;
  let told = 0;

  await relaying({
    everyMs: 600_000,
    tell: async () => void (told += 1),
    until: () => told >= 230,
  });

  expect(told).toBe(230);
});

describe('a thousand of one clinic that came first', () => {
  const aThousandAndOne = async (dispatchedAt: Date | null) => {
    const { database, clinicId, otherClinicId } = records;
    for (const [clinic, count, seconds] of [
      [clinicId, 1_000, 60],
      [otherClinicId, 1, 30],
    ] as const) {
      await database.sql`
        insert into workflow_runs (id, clinic_id, workflow_type, session_id, started_at, dispatched_at)
        select ${clinic}::text || '-' || n, ${clinic}, 'care-gap-follow-up', 'session-' || n,
          now() - make_interval(secs => ${seconds}) + n * interval '1 millisecond', ${dispatchedAt}::timestamptz
        from generate_series(1, ${count}::int) n`;
    }
    return `${otherClinicId}-1`;
  };
  /** Sixteen go at once, in any order: among the first are the single one and the oldest of the thousand. */
  const expectFirst = (done: string[], single: string) => {
    const oldest = Array.from({ length: 15 }, (_, index) => `${records.clinicId}-${index + 1}`);
    expect(done.slice(0, 16).toSorted()).toEqual([single, ...oldest].toSorted());
  };

  test('runs do not hold up the single run of another, and are started in their order', async () => {
    const single = await aThousandAndOne(null);
    const begun: string[] = [];

    await relaying({
      everyMs: 600_000,
      startRun: async ({ workflowId }) => void begun.push(workflowId),
      until: () => begun.length >= 16,
    });

    expectFirst(begun, single);
  });

  test('messages do not hold up the single message of another, and are told in their order', async () => {
    const single = await aThousandAndOne(new Date());
    await records.database.sql`
      insert into workflow_messages (id, clinic_id, workflow_id, signal, payload, created_at)
      select 'message-' || id, clinic_id, id, 'lineFreed', '{}'::jsonb, started_at from workflow_runs`;
    const told: string[] = [];

    await relaying({
      everyMs: 600_000,
      tell: async ({ workflowId }) => void told.push(workflowId),
      until: () => told.length >= 16,
    });

    expectFirst(told, single);
  });
});

/** Counts what is asked of the stores in each pass, by names of our own. */
function watched(changed: { [Area in keyof Stores]?: Partial<Stores[Area]> } = {}) {
  const passes: string[][] = [];
  const noting =
    <Args extends unknown[], Result>(name: string, work: (...args: Args) => Promise<Result>) =>
    (...args: Args): Promise<Result> => {
      if (name === 'lines') passes.push([]);
      passes.at(-1)?.push(name);
      return work(...args);
    };
  const { stores } = records;
  const [lines, runs] = [
    { ...stores.lines, ...changed.lines },
    { ...stores.runs, ...changed.runs },
  ];
  const messages = { ...stores.messages, ...changed.messages };
  return {
    passes,
    stores: {
      ...stores,
      lines: { ...lines, sweep: noting('lines', lines.sweep) },
      runs: { ...runs, undispatched: noting('runs', runs.undispatched) },
      messages: { ...messages, unsent: noting('messages', messages.unsent) },
      deliveryLeases: { ...stores.deliveryLeases, ...changed.deliveryLeases },
    },
  };
}

describe('when the next pass is', () => {
  const startRelayOver = (stores: Stores, everyMs: number, ours: Partial<WorkflowStarter> = {}) => {
    const results: string[] = [];
    const onPass: OnPass = ({ result }) => void results.push(result);
    const log = createLog({ process: 'test', level: 'silent' });
    const relay = startRelay({ stores, starter: ours as WorkflowStarter, log, onPass, everyMs });
    return { relay, results };
  };
  /** How many passes there were when nothing more comes for a while, though the next one is due in ten minutes. */
  const passesAtOnce = async (stores: Stores, ours?: Partial<WorkflowStarter>) => {
    const { relay, results } = startRelayOver(stores, 600_000, ours);
    await eventually(() => results.length > 0);
    await delay(150);
    await relay.stop();
    return results;
  };

  test('after one that found nothing it is when its time has come', async () => {
    expect(await passesAtOnce(records.stores)).toEqual(['done']);
  });

  test('after a full batch of which nothing could be done too', async () => {
    await runsThatWait(200);
    const startRun = () => Promise.reject(new Error('14 UNAVAILABLE'));

    expect(await passesAtOnce(records.stores, { startRun })).toEqual(['failed']);
  });

  test('after workflows of a clinic were told of new rules it is at once, until all were', async () => {
    const told = [1, 1, 0];
    const tellOfRules = () => Promise.resolve(told.shift() ?? 0);
    const { messages } = records.stores;

    expect(await passesAtOnce({ ...records.stores, messages: { ...messages, tellOfRules } })).toHaveLength(3);
  });

  test('while there is nothing to do, lines are looked after in each, and all else in one of three', async () => {
    // What the clinics began with is sealed by the first of them.
    const { passes, stores } = watched();
    const { relay } = startRelayOver(stores, 5);
    await eventually(() => passes.length >= 12);
    await relay.stop();

    const all = ['lines', 'runs', 'messages'];
    const begun = passes.findIndex((names, index) => index > 0 && names.length > 1);
    expect(passes.slice(begun, begun + 7)).toEqual([all, ['lines'], ['lines'], all, ['lines'], ['lines'], all]);
  });

  test('as long as there is something to do, or something fails, nothing rests', async () => {
    const sweep = () => Promise.reject(new Error('canceling statement due to statement timeout'));
    const { passes, stores } = watched({ lines: { sweep } });
    const { relay } = startRelayOver(stores, 5);
    await eventually(() => passes.length > 4);
    await relay.stop();

    expect(passes.slice(0, 4).map(({ length }) => length)).toEqual([3, 3, 3, 3]);
  });
});

test('of many receivers two hundred senders are woken at once, twenty of each, those that are untried first', async () => {
  const owners = (first: number, count: number, each: number) =>
    Array.from({ length: count * each }, (_, index) => ({
      clinicId: records.clinicId,
      subject: `subject-${first}-${index}`,
      receiverId: `receiver-${first + Math.floor(index / each)}`,
      newest: `delivery-${first}-${index}`,
    }));
  const [untried, overdue] = [owners(0, 1, 25), owners(1, 10, 20)];
  const deliveryLeases = { untried: async () => untried, overdue: async () => overdue };
  const { passes, stores } = watched({ deliveryLeases });
  const woken = new Map<number, string[]>();
  const log = createLog({ process: 'test', level: 'silent' });
  const wakeDeliveries = async ({ receiverId }: { receiverId: string }) =>
    void woken.set(passes.length, [...(woken.get(passes.length) ?? []), receiverId]);
  const relay = startRelay({ stores, starter: { wakeDeliveries } as unknown as WorkflowStarter, log, everyMs: 5 });
  await eventually(() => passes.length > 3);
  await relay.stop();

  const [first = [], second = [], third = []] = [1, 2, 3].map((pass) => woken.get(pass));
  const ofFirstReceiver = (receivers: string[]) => receivers.filter((each) => each === 'receiver-0').length;
  expect([first.length, second.length, third.length]).toEqual([200, 25, 0]);
  expect([ofFirstReceiver(first), ofFirstReceiver(second)]).toEqual([20, 5]);
});

import type { WorkflowStarter } from '@clinic/temporal/starter';
import { createLog } from '@clinic/shared/log';
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

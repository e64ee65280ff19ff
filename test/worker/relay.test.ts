import { setTimeout as delay } from 'node:timers/promises';
import { Client, WorkflowNotFoundError } from '@temporalio/client';
import { NativeConnection } from '@temporalio/worker';
import type { Stores } from '@clinic/prisma/stores';
import { newId } from '@clinic/shared/crypto';
import { createLog } from '@clinic/shared/log';
import { createDataConverter } from '@clinic/temporal/payload-codec';
import { createWorkflowStarter, type WorkflowStarter } from '@clinic/temporal/starter';
import type { OnPass } from '@clinic/worker/duty';
import { startRelay } from '@clinic/worker/relay';
import { deliveryWorkflowId } from '@clinic/workflows/ids';
import { eventually } from '../support/eventually';
import { testPayloadKeys } from '../support/histories';
import { openRecords, type OpenedRun, type Records } from '../support/records';
import { freshNamespace, temporalAddress } from '../support/temporal';

let records: Records;
let connection: NativeConnection;
let client: Client;
let starter: WorkflowStarter;

beforeAll(async () => {
  connection = await NativeConnection.connect({ address: temporalAddress() });
  const namespace = await freshNamespace();
  client = new Client({ connection, namespace, dataConverter: createDataConverter(testPayloadKeys) });
  starter = createWorkflowStarter(client, testPayloadKeys);
});
beforeEach(async () => {
  records = await openRecords();
});
afterEach(() => records.close());
afterAll(() => connection.close());

const log = createLog({ process: 'test', level: 'silent' });
const ago = (seconds: number) => new Date(Date.now() - seconds * 1_000);

/** Runs the relay, with a starter or stores of its own where given, while `work` goes on. */
async function relaying(
  work: () => Promise<void>,
  ours: Partial<WorkflowStarter> = {},
  stores: Stores = records.stores,
): Promise<void> {
  const relay = startRelay({ stores, starter: { ...starter, ...ours }, log, everyMs: 20 });
  try {
    await work();
  } finally {
    await relay.stop();
  }
}

const isDispatched = async (run: OpenedRun) =>
  (await records.stores.runs.find(run.clinicId, run.workflowId))?.dispatchedAt !== null;
const anOldRun = async (seconds = 10) => {
  const run = await records.aRun();
  await records.database.prisma.workflowRun.updateMany({
    where: { id: run.workflowId },
    data: { startedAt: ago(seconds) },
  });
  return run;
};
const aMessage = async (run: OpenedRun, seconds = 10) => {
  const id = newId();
  const { clinicId, workflowId } = run;
  const payload = { callId: 'call-1', reason: 'voicemail', isTest: false };
  await records.database.prisma.workflowMessage.create({
    data: { id, clinicId, workflowId, signal: 'callEnded', payload, createdAt: ago(seconds) },
  });
  return id;
};
const isSent = async (id: string) =>
  (await records.database.prisma.workflowMessage.findUniqueOrThrow({ where: { id } })).sentAt !== null;
const signalsOf = async ({ workflowId }: OpenedRun) => {
  const { events } = await client.workflow.getHandle(workflowId).fetchHistory();
  return (events ?? []).flatMap(({ workflowExecutionSignaledEventAttributes: signal }) => signal?.signalName ?? []);
};

describe('a run that was stored and not started', () => {
  test('is started after a moment, as the workflow that its type names', async () => {
    const run = await anOldRun();

    await relaying(() => eventually(() => isDispatched(run)).then(() => undefined));

    const { type, status } = await client.workflow.getHandle(run.workflowId).describe();
    expect({ type, status: status.name }).toEqual({ type: 'careGapFollowUp', status: 'RUNNING' });
  });

  test('is left for some seconds to the process that stored it', async () => {
    const [young, old] = [await anOldRun(0), await anOldRun()];

    await relaying(() => eventually(() => isDispatched(old)).then(() => undefined));

    expect(await isDispatched(young)).toBe(false);
  });

  test('that Temporal has already is started: that is no failure', async () => {
    const run = await anOldRun();
    await starter.startRun(run);

    await relaying(() => eventually(() => isDispatched(run)).then(() => undefined));

    expect(await isDispatched(run)).toBe(true);
  });

  test('that cannot be started holds up no other, and is tried again', async () => {
    const [bad, good] = [await anOldRun(20), await anOldRun()];
    let failures = 0;
    const startRun: WorkflowStarter['startRun'] = async (run) => {
      if (run.workflowId === bad.workflowId && failures < 2) {
        failures += 1;
        throw new Error('14 UNAVAILABLE');
      }
      await starter.startRun(run);
    };

    await relaying(
      () => eventually(async () => (await isDispatched(bad)) && isDispatched(good)).then(() => undefined),
      {
        startRun,
      },
    );

    expect(failures).toBe(2);
  });

  test('and is over when its turn comes has no workflow: it may have been erased since', async () => {
    const [over, good] = [await anOldRun(20), await anOldRun()];
    const { runs } = records.stores;
    const undispatched: typeof runs.undispatched = async (...asked) => {
      const found = await runs.undispatched(...asked);
      const ended = { status: 'completed', outcome: 'PATIENT_NOT_REACHED', completedAt: new Date() };
      await records.database.prisma.workflowRun.update({ where: { id: over.workflowId }, data: ended });
      return found;
    };

    await relaying(
      () => eventually(() => isDispatched(good)).then(() => undefined),
      {},
      { ...records.stores, runs: { ...runs, undispatched } },
    );

    await expect(client.workflow.getHandle(over.workflowId).describe()).rejects.toThrow(WorkflowNotFoundError);
  });

  test('more than one batch of them is started', async () => {
    const runs: unknown[] = [];
    // No more at once than there are connections to wait for.
    while (runs.length < 230) runs.push(...(await Promise.all(Array.from({ length: 10 }, () => anOldRun()))));
    const begun: string[] = [];

    await relaying(() => eventually(() => begun.length >= runs.length, { within: 20_000 }).then(() => undefined), {
      startRun: async ({ workflowId }) => void begun.push(workflowId),
    });

    expect(new Set(begun).size).toBe(runs.length);
  });
});

describe('a message that was stored and not sent', () => {
  const aStartedRun = async () => {
    const run = await records.aRun();
    await starter.startRun(run);
    await records.stores.runs.markDispatched([run.workflowId]);
    return run;
  };

  test('reaches its workflow once', async () => {
    const run = await aStartedRun();
    const id = await aMessage(run);

    await relaying(async () => {
      await eventually(() => isSent(id));
      await delay(100);
    });

    expect(await signalsOf(run)).toEqual(['callEnded']);
  });

  test('is left for some seconds to the process that stored it', async () => {
    const run = await aStartedRun();
    const [young, old] = [await aMessage(run, 0), await aMessage(run)];

    await relaying(() => eventually(() => isSent(old)).then(() => undefined));

    expect(await isSent(young)).toBe(false);
  });

  test('waits for a workflow that is not started yet', async () => {
    const run = await records.aRun();
    const [early, other] = [await aMessage(run), await aMessage(await aStartedRun())];

    await relaying(() => eventually(() => isSent(other)).then(() => undefined));

    expect(await isSent(early)).toBe(false);
  });

  test('reaches a workflow whose run ended before anybody noted that it was started', async () => {
    const run = await records.aRun();
    await starter.startRun(run);
    const ending = { status: 'completed', outcome: 'FOLLOW_UP_REQUIRED', taskReason: null, resolution: null } as const;
    await records.stores.runs.end({ ...run, ...ending });
    const id = await aMessage(run);

    await relaying(() => eventually(() => isSent(id)).then(() => undefined));

    expect(await signalsOf(run)).toEqual(['callEnded']);
  });

  test('for a workflow that is over counts as sent', async () => {
    const run = await aStartedRun();
    await client.workflow.getHandle(run.workflowId).terminate();
    const id = await aMessage(run);

    await relaying(() => eventually(() => isSent(id)).then(() => undefined));

    expect(await isSent(id)).toBe(true);
  });

  test('is sent although runs cannot be started', async () => {
    await anOldRun();
    const id = await aMessage(await aStartedRun());

    await relaying(() => eventually(() => isSent(id)).then(() => undefined), {
      startRun: () => Promise.reject(new Error('14 UNAVAILABLE')),
    });

    expect(await isSent(id)).toBe(true);
  });

  test('is sent although runs cannot be read', async () => {
    const id = await aMessage(await aStartedRun());
    const { stores } = records;
    const undispatched = () => Promise.reject(new Error('canceling statement due to statement timeout'));

    await relaying(
      () => eventually(() => isSent(id)).then(() => undefined),
      {},
      {
        ...stores,
        runs: { ...stores.runs, undispatched },
      },
    );

    expect(await isSent(id)).toBe(true);
  });
});

describe('a delivery that nobody sends', () => {
  const firstOf = async (clinicId: string) => (await records.stores.clinics.outboundEndpoint(clinicId)).id ?? '';
  const anOverdueDelivery = async (seconds = 60, subject = newId()) => {
    const { clinicId } = records;
    const id = await records.stores.deliveries.emit({ clinicId, event: 'test', subject, data: { message: 'hello' } });
    await records.database.prisma.delivery.update({ where: { id }, data: { nextAttemptAt: ago(seconds) } });
    return subject;
  };

  test('has its sender started', async () => {
    const subject = await anOverdueDelivery();
    const sender = client.workflow.getHandle(deliveryWorkflowId(subject, await firstOf(records.clinicId)));
    const isRunning = () =>
      sender.describe().then(
        ({ status }) => status.name === 'RUNNING',
        () => false,
      );

    await relaying(() => eventually(isRunning).then(() => undefined));

    expect(await isRunning()).toBe(true);
  });

  test('has its sender woken once in five minutes, not at every look', async () => {
    const subject = await anOverdueDelivery();
    const woken: string[] = [];

    await relaying(
      async () => {
        await eventually(() => woken.length > 0);
        await delay(200);
      },
      { wakeDeliveries: async (owner) => void woken.push(owner.subject) },
    );

    expect(woken).toEqual([subject]);
  });

  test('has its sender woken again after five minutes in which it was not sent', async () => {
    await anOverdueDelivery();
    const woken: string[] = [];
    const { now } = Date;
    let passedMs = 0;
    const clock = jest.spyOn(Date, 'now').mockImplementation(() => now() + passedMs);

    try {
      await relaying(
        async () => {
          await eventually(() => woken.length > 0);
          passedMs = 295_000;
          await delay(200);
          woken.push('five minutes later');
          passedMs = 301_000;
          await eventually(() => woken.length > 2, { within: 10_000 });
        },
        { wakeDeliveries: async () => void woken.push('woken') },
      );
    } finally {
      clock.mockRestore();
    }

    expect(woken.slice(0, 3)).toEqual(['woken', 'five minutes later', 'woken']);
  });

  test('has its sender woken although that was woken for an earlier one: it may have ended since', async () => {
    const subject = await anOverdueDelivery();
    const woken: string[] = [];

    await relaying(
      async () => {
        await eventually(() => woken.length > 0);
        await anOverdueDelivery(50, subject);
        await eventually(() => woken.length > 1);
      },
      { wakeDeliveries: async (owner) => void woken.push(owner.subject) },
    );

    expect(woken).toEqual([subject, subject]);
  });

  test('has its sender woken with twenty others of the clinic at most, then the next', async () => {
    const subjects = await Promise.all(Array.from({ length: 23 }, () => anOverdueDelivery()));
    const woken: string[] = [];
    const atEachLook: number[] = [];
    const { stores } = records;
    const overdueSubjects: Stores['deliveryLeases']['overdue'] = (...given) => {
      atEachLook.push(woken.length);
      return stores.deliveryLeases.overdue(...given);
    };

    await relaying(
      () => eventually(() => subjects.every((subject) => woken.includes(subject))).then(() => undefined),
      { wakeDeliveries: async (owner) => void woken.push(owner.subject) },
      { ...stores, deliveryLeases: { ...stores.deliveryLeases, overdue: overdueSubjects } },
    );

    expect(atEachLook.slice(0, 2)).toEqual([0, 20]);
    expect(woken).toHaveLength(23);
  });

  test('has its sender woken again when waking it failed', async () => {
    await anOverdueDelivery();
    let tries = 0;

    await relaying(() => eventually(() => tries >= 2).then(() => undefined), {
      wakeDeliveries: () => {
        tries += 1;
        return Promise.reject(new Error('14 UNAVAILABLE'));
      },
    });

    expect(tries).toBeGreaterThanOrEqual(2);
  });

  test('to a further endpoint has its sender woken at once, and once; the first one is left to its case', async () => {
    const { stores, clinicId } = records;
    const settings = {
      name: 'Warehouse',
      url: 'https://warehouse.example',
      isEnabled: true,
      events: ['recovery_case.created'],
    };
    const endpointId = (await stores.endpoints.add(clinicId, settings))?.endpoint.id;
    const cases = await Promise.all(Array.from({ length: 23 }, () => records.aCase()));
    const woken: string[] = [];

    await relaying(
      async () => {
        await eventually(() => woken.length >= 23);
        await delay(100);
      },
      { wakeDeliveries: async (owner) => void woken.push(`${owner.subject} ${owner.receiverId}`) },
    );

    expect(woken.toSorted()).toEqual(cases.map(({ caseId }) => `${caseId} ${endpointId}`).toSorted());
  });

  test('is left alone while it is only a little late', async () => {
    const { caseId } = await records.aCase();
    const data = { nextAttemptAt: ago(10) };
    await records.database.prisma.delivery.updateMany({ where: { subject: caseId ?? '' }, data });
    const woken: string[] = [];

    await relaying(() => delay(200), { wakeDeliveries: async ({ subject }) => void woken.push(subject) });

    expect(woken).toEqual([]);
  });
});

test('a pass that could do nothing for want of one kind of work has failed, whichever kind that is', async () => {
  const { stores } = records;
  const run = await records.aRun();
  await stores.runs.markDispatched([run.workflowId]);
  const ours = { ...starter, tell: async () => undefined };
  const firstPass = async (changed: Partial<Stores>): Promise<string> => {
    const results: string[] = [];
    const onPass: OnPass = ({ result }) => void results.push(result);
    const why: unknown[] = [];
    const saying = { ...log, child: () => saying, warn: ({ name }: { name?: unknown }) => void why.push(name) };
    const relay = startRelay({ stores: { ...stores, ...changed }, starter: ours, log: saying, onPass, everyMs: 20 });
    await eventually(() => results[0] === 'done' || why.length > 0, { every: 5 });
    await relay.stop();
    return [results[0], ...why.slice(0, 1)].join(', of ');
  };
  const fails = () => Promise.reject(new Error('canceling statement due to statement timeout'));
  const without: Record<string, Partial<Stores>> = {
    lines: { lines: { ...stores.lines, sweep: fails } },
    runs: { runs: { ...stores.runs, undispatched: fails } },
    'long work': { longWork: { ...stores.longWork, undispatched: fails } },
    'freed times': { waitlistOffers: { ...stores.waitlistOffers, due: fails } },
    rules: { messages: { ...stores.messages, tellOfRules: fails } },
    messages: { messages: { ...stores.messages, unsent: fails } },
    notifications: { fhirSubscriptions: { ...stores.fhirSubscriptions, prepare: fails } },
    'untried deliveries': { deliveryLeases: { ...stores.deliveryLeases, untried: fails } },
    'overdue deliveries': { deliveryLeases: { ...stores.deliveryLeases, overdue: fails } },
    audit: { auditChain: { ...stores.auditChain, seal: fails } },
  };
  // What the two clinics began with is sealed by then.
  const results: Record<string, string> = { nothing: await firstPass({}) };
  for (const [kind, changed] of Object.entries(without)) results[kind] = await firstPass(changed);
  // One that was told and not noted as told is told again: that is no success.
  await aMessage(run);
  results['a note'] = await firstPass({ messages: { ...stores.messages, markSent: fails } });
  results['nothing again'] = await firstPass({});

  expect(results).toEqual({
    nothing: 'done',
    ...Object.fromEntries(Object.keys(without).map((kind) => [kind, 'failed, of Error'])),
    'a note': 'failed, of Error',
    'nothing again': 'done',
  });
});

test('a relay that is stopped does nothing more', async () => {
  await relaying(() => delay(50));
  const run = await anOldRun();
  await delay(100);

  expect(await isDispatched(run)).toBe(false);
});

test('heads of the audit are kept elsewhere; a receiver that fails holds nothing up', async () => {
  const { clinicId } = await records.aRun();
  const kept: unknown[] = [];
  const keepHeads = async (heads: readonly { clinicId: string; position: number }[]) => {
    kept.push(...heads.map((head) => [head.clinicId, head.position]));
    throw new Error('the receiver is down');
  };
  const change = (action: string) => records.stores.audit.write({ clinicId, actor: 'operator', action });
  await change('one');
  const relay = startRelay({ stores: records.stores, keepHeads, starter, log, everyMs: 20 });
  try {
    await eventually(async () => kept.length === 1);
    await change('two');
    await eventually(async () => {
      const [last] = await records.database.sql<{ position: number }>`
        select coalesce(max(position), 0)::int4 as position from audit_links where clinic_id = ${clinicId}`;
      return last?.position === 2;
    });
  } finally {
    await relay.stop();
  }

  expect(kept).toEqual([[clinicId, 1]]);
});

test('each minute a receiver gets the heads that are new, and those that it has not taken', async () => {
  const [one, other] = [await records.aClinic(), await records.aClinic()];
  const kept: string[][] = [];
  const names = new Map([
    [one, 'one'],
    [other, 'other'],
  ]);
  const keepHeads = async (heads: readonly { clinicId: string; position: number }[]) => {
    const ours = heads.flatMap(({ clinicId, position }) => {
      const name = names.get(clinicId);
      return name === undefined ? [] : [`${name} ${position}`];
    });
    if (ours.length > 0) kept.push(ours.toSorted());
    if (kept.length === 1) throw new Error('the receiver is down');
  };
  const change = (clinicId: string) => records.stores.audit.write({ clinicId, actor: 'operator', action: 'changed' });
  const sealed = (clinicId: string, position: number) =>
    eventually(async () => {
      const [last] = await records.database.sql<{ position: number }>`
        select coalesce(max(position), 0)::int4 as position from audit_links where clinic_id = ${clinicId}`;
      return last?.position === position;
    });
  const { now } = Date;
  let passedMs = 0;
  const clock = jest.spyOn(Date, 'now').mockImplementation(() => now() + passedMs);
  await change(one);
  await change(other);
  const relay = startRelay({ stores: records.stores, keepHeads, starter, log, everyMs: 20 });
  try {
    await eventually(async () => kept.length === 1);
    passedMs += 60_000;
    await eventually(async () => kept.length === 2);
    await change(one);
    await sealed(one, 2);
    passedMs += 60_000;
    await eventually(async () => kept.length === 3);
  } finally {
    await relay.stop();
    clock.mockRestore();
  }

  expect(kept).toEqual([['one 1', 'other 1'], ['one 1', 'other 1'], ['one 2']]);
});

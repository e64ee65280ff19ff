import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Client } from '@temporalio/client';
import { ApplicationFailure, TypedSearchAttributes } from '@temporalio/common';
import { NativeConnection } from '@temporalio/worker';
import type { Activities } from '@clinic/activities/index';
import { createLeftCalls, type LeftCalls } from '@clinic/activities/left-calls';
import type { PlatformCall, VoiceGateway } from '@clinic/gateways/voice/port';
import { createRunActivities } from '@clinic/activities/runs';
import { newId } from '@clinic/shared/crypto';
import { createLog } from '@clinic/shared/log';
import { createDataConverter } from '@clinic/temporal/payload-codec';
import { createSchedules } from '@clinic/temporal/schedules';
import { ensureSearchAttributes } from '@clinic/temporal/search-attributes';
import { createWorkflowStarter, type WorkflowStarter } from '@clinic/temporal/starter';
import { createWorker, type ServiceWorker } from '@clinic/worker/create-worker';
import type { OnPass } from '@clinic/worker/duty';
import { createReconciler, startReconciler } from '@clinic/worker/reconcile';
import { RETENTION_SCHEDULE_ID, searchAttributes } from '@clinic/workflows/ids';
import { cancelRun, rulesChanged } from '@clinic/workflows/messages';
import { eventually } from '../support/eventually';
import { testPayloadKeys } from '../support/histories';
import { openRecords, type OpenedRun, type Records } from '../support/records';
import { testServers } from '../support/servers';
import { slowly } from '../support/slowly';
import { freshNamespace, temporalAddress } from '../support/temporal';
import { quietenTemporal, untilWaiting } from '../support/workflow-bench';

let records: Records;
let connection: NativeConnection;
let client: Client;
let starter: WorkflowStarter;

beforeAll(async () => {
  quietenTemporal();
  records = await openRecords();
  connection = await NativeConnection.connect({ address: temporalAddress() });
  const namespace = await freshNamespace();
  client = new Client({ connection, namespace, dataConverter: createDataConverter(testPayloadKeys) });
  // Nobody works on this queue: a workflow that was started stays as it is.
  starter = createWorkflowStarter(client, testPayloadKeys);
});
afterAll(async () => {
  await connection.close();
  await records.close();
});

let leftCalls: LeftCalls = { close: async () => 0 };
const woken: string[] = [];
const wakeDeliveries = async ({ subject }: { subject: string }) => void woken.push(subject);

const log = createLog({ process: 'test', level: 'silent' });

/** As it would be in an hour: every run of this test is old enough to be looked at. */
const inAnHour = { settledMs: -3_600_000 };

/** Passes of one process. One is over when all of it is written. */
function passes({
  of = client,
  settledMs,
  stuckAfter,
  prepareTemporal = async () => undefined,
  signal = new AbortController().signal,
  stores = records.stores,
}: {
  of?: Client;
  stores?: Records['stores'];
  settledMs?: number;
  stuckAfter?: number;
  prepareTemporal?: () => Promise<void>;
  signal?: AbortSignal;
} = inAnHour): () => Promise<number> {
  const { runs, clinicNotices } = stores;
  const written = {
    ...stores,
    runs: { ...runs, markLost: slowly(runs.markLost) },
    clinicNotices: { ...clinicNotices, giveUp: slowly(clinicNotices.giveUp) },
  };
  const deps = { stores: written, leftCalls, client: of, prepareTemporal, wakeDeliveries, log, settledMs, stuckAfter };
  const reconcile = createReconciler(deps);
  return async () => {
    const held = await stores.duties.take('reconcile', 'this test', 60_000);
    if (!held) throw new Error('another pass goes on');
    try {
      return await reconcile({ held, signal });
    } finally {
      await stores.duties.release(held);
    }
  };
}
const pass = (about?: Parameters<typeof passes>[0]) => passes(about)();

/** Signals that a workflow has before its first task. */
const EARLY = 30;

/** Passes until one has mended something: Temporal lists what has changed a little later. Returns how much. */
const mended = () => eventually(async () => (await pass()) || null);

const dispatched = async (run: OpenedRun) => {
  await records.stores.runs.markDispatched([run.workflowId]);
  return run;
};
const started = async (run: OpenedRun) => {
  await starter.startRun(run);
  return dispatched(run);
};
const stored = (run: OpenedRun) => records.stores.runs.find(run.clinicId, run.workflowId);
const tasksOf = (run: OpenedRun) =>
  records.database.prisma.staffTask.findMany({ where: { workflowId: run.workflowId } });
const eventsOf = (subject: string) => records.database.prisma.outboundEvent.findMany({ where: { subject } });

test('after a pass the next one waits for its turn, also where something was mended', async () => {
  await dispatched(await records.aRun());
  const results: string[] = [];
  const onPass: OnPass = ({ result }) => void results.push(result);
  const deps = { stores: records.stores, leftCalls, client, prepareTemporal: async () => undefined, wakeDeliveries };
  const reconciler = startReconciler({ ...deps, log, onPass, ...inAnHour });
  await eventually(() => results.length > 0);
  await delay(150);
  await reconciler.stop();

  expect(results).toEqual(['done']);
});

test('a run whose workflow goes on is left alone', async () => {
  const run = await started(await records.aRun());

  await pass();

  expect(await stored(run)).toMatchObject({ status: 'started', outcome: null });
  expect((await stored(run))?.dispatchedAt).not.toBeNull();
});

test('a run whose workflow goes on and is not listed yet is left alone', async () => {
  const run = await started(await records.aRun());
  const list = async function* () {};
  const of = { workflow: { list, getHandle: (id: string) => client.workflow.getHandle(id) } } as unknown as Client;

  await pass({ of, ...inAnHour });

  expect(await stored(run)).toMatchObject({ status: 'started', dispatchedAt: expect.any(Date) as Date });
  expect(await tasksOf(run)).toEqual([]);
});

test('a workflow whose history cannot be replayed begins anew, once, with the signals that it had, and comes to its end', async () => {
  const namespace = await freshNamespace();
  const of = new Client({ connection, namespace, dataConverter: createDataConverter(testPayloadKeys) });
  const work = async (workflowBundle: string) => {
    const activities = {
      ...createRunActivities({ stores: records.stores }),
      sendAtOnce: async () => undefined,
      attemptDelivery: async () => ({ kind: 'none' }),
    };
    const setup = { connection, namespace, payloadKeys: testPayloadKeys, workflowBundle };
    const worker = await createWorker({ ...setup, activities: activities as unknown as Activities });
    const running = worker.run();
    return async () => {
      worker.shutdown();
      await running;
    };
  };
  const run = await dispatched(await records.aCase());
  await records.stores.optOuts.add(run.clinicId, run.phone);
  const workflow = of.workflow.getHandle(run.workflowId);
  // Its first task writes a timer that no version of the workflow has.
  const { workflowBundle } = testServers();
  const other = join(dirname(workflowBundle), `${newId()}.js`);
  const begins = 'async function abandonmentRecovery(input) {';
  const sleeps = `${begins} await new Promise((resolve) => setTimeout(resolve, 3_600_000));`;
  writeFileSync(other, readFileSync(workflowBundle, 'utf8').replace(begins, sleeps));
  await createWorkflowStarter(of, testPayloadKeys).startRun(run);
  // Before its first task stand more events than anybody would look through by guess.
  await Promise.all(Array.from({ length: EARLY }, () => workflow.signal(rulesChanged, {})));
  const stopOther = await work(other);
  await eventually(async () => (await workflow.describe()).historyLength > EARLY + 4);
  await stopOther();

  const stop = await work(workflowBundle);
  await workflow.signal(rulesChanged, {});
  const { runId } = await eventually(
    async () => {
      await pass({ of, ...inAnHour, stuckAfter: 2 });
      const now = await workflow.describe();
      return now.raw.workflowExecutionInfo?.firstRunId !== now.runId && now;
    },
    { within: 120_000, every: 2_000 },
  );

  expect(await workflow.result()).toBe('PATIENT_NOT_INTERESTED');
  await pass({ of, ...inAnHour, stuckAfter: 0 });
  expect((await workflow.describe()).runId).toBe(runId);
  const { events } = await workflow.fetchHistory();
  expect(events?.filter((event) => event.workflowExecutionSignaledEventAttributes)).toHaveLength(EARLY + 1);
  expect(await stored(run)).toMatchObject({ status: 'completed', outcome: 'PATIENT_NOT_INTERESTED' });
  await stop();
});

test('a stuck workflow that cannot be reset keeps no other from beginning anew', async () => {
  const reset: unknown[] = [];
  const failing = { pendingWorkflowTask: { attempt: 9 }, workflowExecutionInfo: { firstRunId: 'run' } };
  const describe = (workflowId: string) =>
    workflowId === 'refused'
      ? Promise.reject(new Error('13 INTERNAL'))
      : Promise.resolve({ raw: failing, runId: 'run', startTime: new Date(0) });
  const events = [{ eventId: 3, workflowTaskCompletedEventAttributes: {} }];
  const of = {
    options: { namespace: 'of-this-test' },
    workflow: {
      async *list({ query }: { query: string }) {
        if (!query.includes('TemporalReportedProblems')) return;
        for (const workflowId of ['refused', 'other'])
          yield { workflowId, typedSearchAttributes: new TypedSearchAttributes() };
      },
      getHandle: (workflowId: string) => ({ describe: () => describe(workflowId) }),
    },
    workflowService: {
      getWorkflowExecutionHistory: () => Promise.resolve({ history: { events } }),
      resetWorkflowExecution: ({ workflowExecution }: { workflowExecution: { workflowId: string } }) =>
        Promise.resolve(reset.push(workflowExecution.workflowId)),
    },
  } as unknown as Client;

  await pass({ of });

  expect(reset).toEqual(['other']);
});

test('a run whose workflow was terminated is ended as failed, once, and staff follow up', async () => {
  const run = await started(await records.aRun());
  await client.workflow.getHandle(run.workflowId).terminate();

  expect(await mended()).toBe(1);
  expect(await pass()).toBe(0);

  expect(await stored(run)).toMatchObject({ status: 'failed', outcome: 'FOLLOW_UP_REQUIRED' });
  expect((await tasksOf(run)).map(({ reason }) => reason)).toEqual(['workflow_failed']);
  expect((await eventsOf(run.workflowId)).map(({ event }) => event)).toEqual(['workflow.completed']);
  expect(woken).toContain(run.workflowId);
});

test('a case whose workflow was terminated ends with its run, and the clinic is told its outcome', async () => {
  const run = await started(await records.aCase());
  const caseId = run.caseId ?? '';
  await client.workflow.getHandle(run.workflowId).terminate();

  expect(await mended()).toBe(1);
  expect(await pass()).toBe(0);

  expect(await stored(run)).toMatchObject({ status: 'failed', outcome: 'FOLLOW_UP_REQUIRED' });
  expect(await records.stores.cases.find(run.clinicId, caseId)).toMatchObject({ status: 'FOLLOW_UP_REQUIRED' });
  expect((await tasksOf(run)).map(({ reason }) => reason)).toEqual(['workflow_failed']);
  const told = (await eventsOf(caseId)).filter(({ event }) => event === 'recovery_case.outcome');
  expect(told).toHaveLength(1);
});

test('a run that Temporal does not know is started again by the relay', async () => {
  const run = await dispatched(await records.aRun());

  expect(await pass()).toBe(1);

  expect(await stored(run)).toMatchObject({ status: 'started', dispatchedAt: null });
  expect((await records.stores.runs.undispatched(0, 1_000)).map(({ workflowId }) => workflowId)).toContain(
    run.workflowId,
  );
});

test('a run that has just begun is given two minutes', async () => {
  const [young, old] = [await dispatched(await records.aRun()), await dispatched(await records.aRun())];
  const at = new Date(Date.now() - 130_000);
  await records.database.prisma.workflowRun.updateMany({ where: { id: old.workflowId }, data: { startedAt: at } });

  await pass({});

  expect((await stored(young))?.dispatchedAt).not.toBeNull();
  expect((await stored(old))?.dispatchedAt).toBeNull();
});

test('a run that has ended stays as it is, and so does one that was never started', async () => {
  const [ended, waiting] = [await dispatched(await records.aRun()), await records.aRun()];
  await records.database.prisma.workflowRun.updateMany({
    where: { id: ended.workflowId },
    data: { status: 'completed', outcome: 'PATIENT_NOT_REACHED', completedAt: new Date() },
  });

  await pass();

  expect(await stored(ended)).toMatchObject({ status: 'completed', outcome: 'PATIENT_NOT_REACHED' });
  expect(await stored(waiting)).toMatchObject({ status: 'started', dispatchedAt: null });
});

test('one pass looks at every open run, however many there are', async () => {
  await pass();
  const runs = await records.manyRuns(130);
  await records.stores.runs.markDispatched(runs.map(({ workflowId }) => workflowId));

  expect(await pass()).toBe(130);
});

describe('what a pass asks of Temporal', () => {
  /** The same Temporal, and what it is asked. */
  const watched = () => {
    const asked = { lists: [] as string[], pageSizes: [] as number[], about: [] as string[] };
    const workflow = {
      list(options: { query: string; pageSize?: number }) {
        asked.lists.push(options.query);
        if (options.pageSize !== undefined) asked.pageSizes.push(options.pageSize);
        return client.workflow.list(options);
      },
      getHandle(workflowId: string) {
        asked.about.push(workflowId);
        return client.workflow.getHandle(workflowId);
      },
    };
    return { asked, of: { workflow } as unknown as Client };
  };

  test('is nothing of the runs that it lists as going on', async () => {
    const runs = [await started(await records.aRun()), await started(await records.aRun())];
    const ids = runs.map(({ workflowId }) => workflowId);
    const query = ids.map((id) => `WorkflowId = '${id}'`).join(' OR ');
    await eventually(async () => (await client.workflow.count(query)).count === ids.length);
    const { asked, of } = watched();

    await pass({ of, ...inAnHour });

    expect(asked.lists).toHaveLength(3);
    // What closed, and what goes on: a hundred thousand open runs are a hundred requests.
    expect(asked.pageSizes).toEqual([1_000, 1_000]);
    expect(asked.about.filter((id) => ids.includes(id))).toEqual([]);
  });

  test('is only what has closed since the pass before, and a little earlier', async () => {
    const { asked, of } = watched();
    const before = Date.now();

    await pass({ of, ...inAnHour });
    const doneUntil = await records.stores.duties.doneUntil('reconcile');
    await pass({ of, ...inAnHour });

    const fiveMinutesBefore = before - 5 * 60_000;
    expect(doneUntil?.getTime()).toBeGreaterThanOrEqual(fiveMinutesBefore);
    expect(doneUntil?.getTime()).toBeLessThan(fiveMinutesBefore + 30_000);
    expect(asked.lists[4]).toContain(`CloseTime >= '${doneUntil?.toISOString()}'`);
  });
});

test('a workflow that the records know nothing of is a task for its clinic, once, while it goes on and when it is over', async () => {
  const unknown = async () => {
    const run = await records.aRun();
    await starter.startRun(run);
    await records.database.sql`delete from workflow_runs where id = ${run.workflowId}`;
    return run;
  };
  const [running, over, ofNobody] = [await unknown(), await unknown(), await records.aRun()];
  await client.workflow.getHandle(over.workflowId).terminate();
  await starter.startRun({ ...ofNobody, clinicId: 'nobody', workflowId: `${ofNobody.workflowId}-2` });

  const tasks = await eventually(async () => {
    await pass();
    const found = [...(await tasksOf(running)), ...(await tasksOf(over))];
    return found.length >= 2 && found;
  });
  await pass();

  expect(tasks).toMatchObject([running, over].map(({ clinicId }) => ({ clinicId, reason: 'records_incomplete' })));
  expect(tasks[1]?.detail).toMatchObject({ shown: 'PENDING', closedAt: expect.any(String) as string });
  expect([...(await tasksOf(running)), ...(await tasksOf(over))]).toHaveLength(2);
  expect(await stored(ofNobody)).toMatchObject({ status: 'started' });
});

describe("what a run that has ended had to tell the clinic's own system", () => {
  const notices = ({ workflowId }: OpenedRun) => records.database.prisma.clinicNotice.count({ where: { workflowId } });
  const endedOwing = async (run: OpenedRun) => {
    const { clinicId, workflowId } = run;
    await records.stores.runs.end({
      clinicId,
      workflowId,
      status: 'completed',
      outcome: 'DECLINED',
      taskReason: null,
      resolution: null,
      notices: [{ clinicId, workflowId, callId: 'call-1', action: 'patient.upsert' }],
    });
    return run;
  };

  test('is left to its workflow while that goes on', async () => {
    const run = await endedOwing(await started(await records.aRun()));

    await pass();

    expect(await notices(run)).toBe(1);
    expect(await tasksOf(run)).toEqual([]);
  });

  test('is a task for staff, once, when Temporal has lost the workflow', async () => {
    const run = await endedOwing(await dispatched(await records.aRun()));

    await pass();
    await pass();

    expect(await notices(run)).toBe(0);
    expect((await tasksOf(run)).map(({ reason }) => reason)).toEqual(['clinic_system_not_told']);
  });

  test('is a task for staff when its workflow was cut short', async () => {
    const run = await endedOwing(await started(await records.aRun()));
    await client.workflow.getHandle(run.workflowId).terminate();

    await eventually(async () => {
      await pass();
      return (await notices(run)) === 0;
    });

    expect((await tasksOf(run)).map(({ reason }) => reason)).toEqual(['clinic_system_not_told']);
  });
});

test('a Temporal whose store began anew gets its search attributes and its schedule in the next pass', async () => {
  const namespace = await freshNamespace();
  const of = new Client({ connection, namespace });
  const prepareTemporal = async () => {
    await ensureSearchAttributes(connection, namespace);
    await createSchedules(of);
  };
  const names = Object.values(searchAttributes).map(({ name }) => name);
  await connection.operatorService.removeSearchAttributes({ namespace, searchAttributes: ['CaseStatus'] });

  const reconcile = passes({ of, settledMs: 24 * 3_600_000, prepareTemporal });
  await reconcile();
  await reconcile();

  const { customAttributes } = await connection.operatorService.listSearchAttributes({ namespace });
  expect(Object.keys(customAttributes ?? {})).toEqual(expect.arrayContaining(names));
  expect(await of.schedule.getHandle(RETENTION_SCHEDULE_ID).describe()).toMatchObject({
    action: { workflowType: 'purgeOldContents' },
  });
});

test('what Temporal lacks and cannot be given holds up nothing else', async () => {
  const run = await dispatched(await records.aRun());

  const count = await pass({ ...inAnHour, prepareTemporal: () => Promise.reject(new Error('7 PERMISSION_DENIED')) });

  expect(count).toBe(1);
  expect(await stored(run)).toMatchObject({ dispatchedAt: null });
});

test('a Temporal that cannot be reached changes nothing', async () => {
  const run = await dispatched(await records.aRun());
  const broken = {
    workflow: {
      list: () => client.workflow.list(),
      getHandle: () => ({ describe: () => Promise.reject(new Error('14 UNAVAILABLE')) }),
    },
  } as unknown as Client;

  await expect(pass({ of: broken, ...inAnHour })).rejects.toThrow('UNAVAILABLE');

  expect(await stored(run)).toMatchObject({ status: 'started' });
  expect((await stored(run))?.dispatchedAt).not.toBeNull();
});

test.each([
  ['before it', 'before', 1, 0],
  ['while it looks up calls that are left', 'calls', 1, 0],
  ['while Temporal is given what it lacks', 'prepare', 1, 1],
])('a pass of a process that stops %s begins nothing else', async (_when, at, calls, prepared) => {
  const stopping = new AbortController();
  const asked = { calls: 0, prepare: 0 };
  const step = (name: keyof typeof asked) => {
    asked[name] += 1;
    if (at === name) stopping.abort();
  };
  if (at === 'before') stopping.abort();
  const doneUntil = () => records.stores.duties.doneUntil('reconcile');
  const before = await doneUntil();
  leftCalls = {
    async close() {
      step('calls');
      return 0;
    },
  };
  try {
    const over = { ...inAnHour, signal: stopping.signal, prepareTemporal: async () => step('prepare') };
    expect(await pass(over)).toBe(0);
  } finally {
    leftCalls = { close: async () => 0 };
  }

  expect(asked).toEqual({ calls, prepare: prepared });
  expect(await doneUntil()).toEqual(before);
});

test('a test call that was left open for an hour is ended on the way', async () => {
  const { clinicId, patientId, workflowId, workflowType, caseId } = await records.aCase();
  const callId = await records.stores.calls.openTestCall({ clinicId, patientId, workflowId, workflowType, caseId });
  const createdAt = new Date(Date.now() - 3_700_000);
  await records.database.prisma.call.update({ where: { id: callId }, data: { createdAt } });

  await pass();

  expect(await records.stores.calls.find(clinicId, callId)).toMatchObject({ state: 'ENDED' });
});

describe('a call that nobody ends', () => {
  let found: PlatformCall | null;
  let shown: string | null;
  let gateway: VoiceGateway;
  beforeEach(() => {
    [found, shown] = [null, null];
    gateway = {
      settleMs: 180_000,
      place: async () => ({ kind: 'refused', reason: 'nobody is dialled here', isBadNumber: false }),
      account: 'the account',
      findByIntent: async () => shown,
      lookUp: async () => found,
    };
    leftCalls = createLeftCalls({ stores: records.stores, voice: () => gateway, publicUrl: 'https://service.example' });
  });

  const storedCall = (id: string) => records.database.prisma.call.findUniqueOrThrow({ where: { id } });
  const age = (callId: string, minutes: number) => records.database.sql`
    update calls set created_at = created_at - make_interval(mins => ${minutes}),
      requested_at = requested_at - make_interval(mins => ${minutes}),
      next_look_at = next_look_at - make_interval(mins => ${minutes}) where id = ${callId}`;
  const over = async (run: OpenedRun) => {
    const { clinicId, workflowId } = run;
    const ending = { status: 'cancelled', outcome: 'FOLLOW_UP_REQUIRED', taskReason: null, resolution: null } as const;
    await records.stores.runs.end({ clinicId, workflowId, ...ending });
    await records.database.sql`
      update workflow_runs set completed_at = completed_at - interval '61 seconds' where id = ${workflowId}`;
  };

  test('is closed once its run is over and the platform says that it has ended', async () => {
    const run = await records.aRun();
    const { callId } = await records.aPlacedCall(run);
    await over(run);
    found = { state: 'ENDED', endedReason: 'voicemail' };
    const told = jest.spyOn(log, 'info');

    await pass();
    await pass();

    expect(await storedCall(callId)).toMatchObject({ state: 'ENDED', endedReason: 'voicemail' });
    expect(told.mock.calls).toEqual([[{ closed: 1 }, 'calls that nobody waited for were closed']]);
    told.mockRestore();
  });

  test('goes on while the platform says so, whatever became of its run', async () => {
    const run = await records.aRun();
    const { callId } = await records.aPlacedCall(run);
    await over(run);
    found = { state: 'IN_PROGRESS', endedReason: null };

    await pass();

    expect((await storedCall(callId)).state).not.toBe('ENDED');
  });

  test('is left to its workflow while its run goes on', async () => {
    const { callId } = await records.aPlacedCall(await records.aRun());
    await age(callId, 60);
    found = { state: 'ENDED', endedReason: 'voicemail' };

    await pass();

    expect((await storedCall(callId)).state).not.toBe('ENDED');
  });

  test('is looked up while its own run is in line for the next one, as after a restore: the patient can be called again', async () => {
    const run = await records.aRun();
    const { callId } = await records.aPlacedCall(run);
    const next = records.anIntent(run, { dial: 2, attempt: 2 });
    found = { state: 'ENDED', endedReason: 'voicemail' };

    expect(await records.stores.calls.reserve(next)).toEqual({ kind: 'queued' });
    await pass();

    expect(await storedCall(callId)).toMatchObject({ state: 'ENDED', endedReason: 'voicemail' });
    expect(await records.stores.calls.reserve(next)).toMatchObject({ kind: 'reserved' });
  });

  test('whose request got no answer is closed when its run is over and the platform shows no such call', async () => {
    const run = await records.aRun();
    const callId = await records.aReservedCall(run);
    await records.stores.calls.beginRequest({ clinicId: run.clinicId, callId, requests: 0 });
    await over(run);

    await pass();
    const within = await storedCall(callId);
    await age(callId, 4);
    await pass();

    expect(within.state).not.toBe('ENDED');
    expect(await storedCall(callId)).toMatchObject({ state: 'ENDED', endedReason: 'withdrawn' });
  });

  test('and whose request got no answer is followed where the platform shows it', async () => {
    const run = await records.aRun();
    const callId = await records.aReservedCall(run);
    await records.stores.calls.beginRequest({ clinicId: run.clinicId, callId, requests: 0 });
    await over(run);
    [shown, found] = [`shown-${callId}`, { state: 'ENDED', endedReason: 'customer-ended-call' }];

    await pass();

    expect(await storedCall(callId)).toMatchObject({ platformCallId: shown, endedReason: 'customer-ended-call' });
  });

  test('is closed when it was reserved and never dialled, so that no line leaks', async () => {
    const [late, young] = [
      await records.aReservedCall(await records.aRun()),
      await records.aReservedCall(await records.aRun()),
    ];
    await age(late, 11);
    await age(young, 9);

    await pass();

    expect(await storedCall(late)).toMatchObject({ state: 'ENDED', withdrawnBecause: 'never_dialled' });
    expect((await storedCall(young)).state).toBe('QUEUED');
  });

  test('keeps no run from being mended when the platform does not answer', async () => {
    const run = await records.aRun();
    await records.aPlacedCall(run);
    await over(run);
    gateway.lookUp = () => Promise.reject(new Error('no answer'));
    const terminated = await started(await records.aRun());
    await client.workflow.getHandle(terminated.workflowId).terminate();

    expect(await mended()).toBe(1);
  });
});

describe('records that were restored from a backup', () => {
  let worker: ServiceWorker;
  let running: Promise<void>;
  let queue: Client;
  /** Whose workflow cannot come to its end. */
  const stuck = new Set<string>();
  /** Of whose beginning the clinic was told. */
  const announced = new Set<string>();

  beforeAll(async () => {
    const namespace = await freshNamespace();
    queue = client;
    client = new Client({ connection, namespace, dataConverter: createDataConverter(testPayloadKeys) });
    starter = createWorkflowStarter(client, testPayloadKeys);
    const activities = {
      ...createRunActivities({ stores: records.stores }),
      attemptDelivery: async () => ({ kind: 'none' }),
      async sendAtOnce({ subject }) {
        if (stuck.has(subject) && announced.has(subject))
          throw ApplicationFailure.create({ message: 'not now', nextRetryDelay: '1 hour' });
        announced.add(subject);
      },
    } satisfies Partial<Activities>;
    const { workflowBundle } = testServers();
    const setup = { connection, namespace, payloadKeys: testPayloadKeys, workflowBundle };
    worker = await createWorker({ ...setup, activities: activities as unknown as Activities });
    running = worker.run();
    // What other tests have left open is not known here.
    await pass();
  }, 240_000);
  afterAll(async () => {
    worker.shutdown();
    await running;
    client = queue;
    starter = createWorkflowStarter(client, testPayloadKeys);
  });

  const toldOf = async ({ workflowId, caseId }: OpenedRun) => {
    const events = await eventsOf(caseId ?? workflowId);
    const endings = events.filter(({ event }) => event !== 'recovery_case.created');
    return endings.map(({ id, event, data, createdAt }) => ({ id, event, data, createdAt }));
  };
  const reasonsOf = async (run: OpenedRun) => (await tasksOf(run)).map(({ reason }) => reason);
  const workflow = ({ workflowId }: OpenedRun) => client.workflow.getHandle(workflowId);
  /** Its patient wants no calls, so it ends at once. */
  const aShortRun = async (opening: Promise<OpenedRun>) => {
    const run = await opening;
    await records.stores.optOuts.add(run.clinicId, run.phone);
    return started(run);
  };
  const over = async (run: OpenedRun) => {
    await workflow(run).result();
    return run;
  };
  /** Who cancelled it and what the agent said too. */
  const endOf = async ({ clinicId, workflowId }: OpenedRun) =>
    (await records.stores.runs.facts(clinicId, workflowId))?.end;

  test.each([
    ['a case', 'PATIENT_NOT_INTERESTED', 'completed', async () => over(await aShortRun(records.aCase()))],
    ['a run of another type', 'DECLINED', 'completed', async () => over(await aShortRun(records.aRun()))],
    [
      'a case that its agent resolved',
      'RECOVERED',
      'completed',
      async () => {
        const run = await started(await records.aCase());
        const { clinicId, workflowId, caseId } = run;
        await records.stores.cases.setOpenStatus({ clinicId, caseId: caseId ?? '', status: 'CALLING' });
        const messageId = await records.stores.cases.storeDecision({
          id: 'resolved-1',
          clinicId,
          workflowId,
          caseId: caseId ?? '',
          callId: 'call-1',
          resolution: { recoveryStatus: 'RECOVERED', resumeLinkSent: true },
        });
        const message = await records.stores.messages.find(messageId ?? '');
        if (message) await starter.tell(message);
        return over(run);
      },
    ],
    [
      'a run that staff cancelled',
      'FOLLOW_UP_REQUIRED',
      'cancelled',
      async () => {
        const run = await started(await records.aRun());
        await workflow(run).executeUpdate(cancelRun, { args: [{ by: 'account:a' }] });
        return over(run);
      },
    ],
    [
      'a case that was over in the records before its workflow began anew',
      'FOLLOW_UP_REQUIRED',
      'cancelled',
      async () => {
        const run = await records.aCase();
        const { clinicId, workflowId } = run;
        const end = { outcome: 'FOLLOW_UP_REQUIRED', status: 'cancelled', cancelledBy: 'account:a' } as const;
        await records.stores.runs.end({
          clinicId,
          workflowId,
          ...end,
          taskReason: 'follow_up_required',
          resolution: null,
        });
        return over(await started(run));
      },
    ],
    [
      'a case whose workflow was terminated when it had told its outcome',
      'PATIENT_NOT_INTERESTED',
      'completed',
      async () => {
        const opened = await records.aCase();
        stuck.add(opened.caseId ?? '');
        const run = await aShortRun(Promise.resolve(opened));
        // Its history has the end too, not the records alone.
        await untilWaiting(workflow(run));
        await workflow(run).terminate();
        return run;
      },
    ],
  ])('%s is told the same outcome again: %s', async (_whose, outcome, status, ended) => {
    const run = await ended();
    const [first, reasons, before] = [await toldOf(run), await reasonsOf(run), await stored(run)];
    const end = await endOf(run);
    await records.takeBackEnd(run);

    expect(await mended()).toBe(1);
    expect(await pass()).toBe(0);

    expect(before).toMatchObject({ status, outcome });
    expect(await endOf(run)).toEqual(end);
    expect(await stored(run)).toEqual(before);
    expect(first).toHaveLength(1);
    expect(await toldOf(run)).toEqual(first);
    expect(await reasonsOf(run)).toEqual(reasons);
    expect(woken).toContain(run.caseId ?? run.workflowId);
  });

  test('a run whose workflow no worker can replay gets its outcome all the same, some passes later', async () => {
    const run = await over(await aShortRun(records.aRun()));
    const [{ id, data } = {}] = await toldOf(run);
    await records.takeBackEnd(run);
    let asked = 0;
    const getHandle = (workflowId: string) => {
      const handle = client.workflow.getHandle(workflowId);
      const query = () => {
        asked += 1;
        return Promise.reject(new Error('4 DEADLINE_EXCEEDED'));
      };
      return { describe: () => handle.describe(), result: () => handle.result(), query };
    };
    const workflows = { getHandle, list: (options: object) => client.workflow.list(options) };
    const withDeadline = (_deadline: number, ask: () => unknown) => ask();
    const once = passes({ of: { workflow: workflows, withDeadline } as unknown as Client, ...inAnHour });

    const askedAfter: number[] = [];
    await eventually(async () => {
      const count = await once();
      askedAfter.push(asked);
      return count > 0;
    });

    // Once in each pass, in three of them.
    expect(askedAfter.filter((count) => count > 0)).toEqual([1, 2, 3]);
    expect(await toldOf(run)).toMatchObject([{ id, data }]);
    expect(await stored(run)).toMatchObject({ status: 'completed', outcome: 'DECLINED' });
  });

  test('a case that an agent resolves otherwise meanwhile keeps the outcome that was told, and staff find out', async () => {
    const run = await over(await aShortRun(records.aCase()));
    const first = await toldOf(run);
    await records.takeBackEnd(run);
    const decision = { id: 'decision-1', resolution: { recoveryStatus: 'RECOVERED', resumeLinkSent: true } };
    await records.database.prisma.recoveryCase.update({ where: { id: run.caseId ?? '' }, data: { decision } });

    await pass();

    expect(await toldOf(run)).toEqual(first);
    expect(await stored(run)).toMatchObject({ outcome: 'PATIENT_NOT_INTERESTED' });
    expect(await reasonsOf(run)).toEqual(['records_incomplete']);
  });

  test('a run that cannot have ended as its workflow did is told nothing, and staff find out', async () => {
    const run = await over(await aShortRun(records.aRun()));
    await records.takeBackEnd(run);
    const { workflowId } = run;
    await records.database.sql`
      update workflow_runs set workflow_type = 'prescription-follow-up' where id = ${workflowId}`;
    const { stores } = records;
    let asked = 0;
    const open: Records['stores']['tasks']['open'] = async (task) => {
      asked += 1;
      if (asked === 1) throw new Error('the task could not be written');
      await stores.tasks.open(task);
    };
    const failsOnce = { ...inAnHour, stores: { ...stores, tasks: { ...stores.tasks, open } } };

    await expect(pass(failsOnce)).rejects.toThrow('the task could not be written');
    expect(await pass()).toBe(0);
    await pass();

    expect(await toldOf(run)).toEqual([]);
    expect(await stored(run)).toMatchObject({ status: 'started', outcome: null });
    expect(await reasonsOf(run)).toEqual(['records_incomplete']);
    await records.stores.runs.end({
      clinicId: run.clinicId,
      workflowId,
      status: 'failed',
      outcome: 'FOLLOW_UP_REQUIRED',
      taskReason: null,
      resolution: null,
    });
  });
});

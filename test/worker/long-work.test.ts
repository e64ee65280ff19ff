import { Client, WorkflowNotFoundError } from '@temporalio/client';
import { NativeConnection } from '@temporalio/worker';
import { createBulkJobActivities } from '@clinic/activities/bulk-jobs';
import { createErasureActivities } from '@clinic/activities/erasures';
import type { Activities } from '@clinic/activities/index';
import type { Stores } from '@clinic/prisma/stores';
import { createLog } from '@clinic/shared/log';
import { createAsk } from '@clinic/temporal/ask';
import { deleteHistories, workflowIdsOf } from '@clinic/temporal/histories';
import { createDataConverter } from '@clinic/temporal/payload-codec';
import { ensureSearchAttributes } from '@clinic/temporal/search-attributes';
import { createWorkflowStarter, type WorkflowStarter } from '@clinic/temporal/starter';
import { createCancelRun } from '@clinic/worker/cancel-run';
import { createWorker } from '@clinic/worker/create-worker';
import { createReconciler } from '@clinic/worker/reconcile';
import { startRelay } from '@clinic/worker/relay';
import { longWorkflowId } from '@clinic/workflows/ids';
import { eventually } from '../support/eventually';
import { testPayloadKeys } from '../support/histories';
import { openRecords, type Records } from '../support/records';
import { testServers } from '../support/servers';
import { freshNamespace, temporalAddress } from '../support/temporal';
import { quietenTemporal } from '../support/workflow-bench';

let records: Records;
let connection: NativeConnection;
let namespace: string;
let client: Client;
let starter: WorkflowStarter;

beforeAll(async () => {
  quietenTemporal();
  records = await openRecords();
  connection = await NativeConnection.connect({ address: temporalAddress() });
  namespace = await freshNamespace();
  await ensureSearchAttributes(connection, namespace);
  client = new Client({ connection, namespace, dataConverter: createDataConverter(testPayloadKeys) });
  starter = createWorkflowStarter(client, testPayloadKeys);
});
afterAll(async () => {
  await connection.close();
  await records.close();
});

const log = createLog({ process: 'test', level: 'silent' });
const by = { actor: 'account:admin' };

/** Runs a worker that does long work, with stores of its own where given, and the relay, while `work` goes on. */
async function working(work: () => Promise<unknown>, stores: Stores = records.stores): Promise<void> {
  const cancelRun = createCancelRun({ client, stores, starter, ask: createAsk({ client, log }) });
  const worker = await createWorker({
    connection,
    namespace,
    payloadKeys: testPayloadKeys,
    workflowBundle: testServers().workflowBundle,
    activities: {
      ...createBulkJobActivities({ stores, cancelRun, wakeSender: async () => undefined }),
      ...createErasureActivities({
        stores,
        deleteHistoriesOf: (erased) => deleteHistories(client, workflowIdsOf(erased)),
        log,
      }),
      attemptDelivery: async () => ({ kind: 'none' as const }),
    } as unknown as Activities,
  });
  const running = worker.run();
  const relay = startRelay({ stores: records.stores, starter, log, everyMs: 20 });
  try {
    await work();
  } finally {
    await relay.stop();
    worker.shutdown();
    await running;
  }
}

async function anErasure(patientId: string, clinicId = records.clinicId) {
  const asked = { clinicId, patientId, reason: 'patient_request' as const };
  const requested = await records.stores.erasures.request(asked, by);
  if (requested.kind !== 'requested') throw new Error(requested.kind);
  const { id } = requested.erasure;
  await records.database.sql`update erasures set requested_at = requested_at - interval '10 seconds' where id = ${id}`;
  const stateOf = async () => (await records.stores.erasures.find(clinicId, id))?.state;
  return { id, stateOf, isDone: async () => (await stateOf()) === 'DONE' };
}

/** A run whose workflow was terminated, so that nobody can end it by that. */
async function aRunWithoutWorkflow() {
  const { stores, clinicId } = records;
  const run = await records.aCase();
  await starter.startRun((await stores.runs.find(clinicId, run.workflowId))!);
  await stores.runs.markDispatched([run.workflowId]);
  await client.workflow.getHandle(run.workflowId).terminate();
  return run;
}

async function anEndedRun(clinicId: string) {
  const run = await records.aRun({ clinicId });
  const { workflowId } = run;
  const end = { status: 'completed', outcome: 'REBOOKED', taskReason: null, resolution: null } as const;
  await records.stores.runs.end({ clinicId, workflowId, ...end });
  return run;
}

/** Fails at the first call before anything is done, and at the second after all was: the reply is lost. */
function unreliable<Args extends unknown[], Result>(work: (...args: Args) => Promise<Result>) {
  let calls = 0;
  return async (...args: Args): Promise<Result> => {
    calls += 1;
    if (calls === 1) throw new Error('the process ended');
    const result = await work(...args);
    if (calls === 2) throw new Error('the process ended');
    return result;
  };
}

test('an erasure whose every step breaks off in the middle comes to its end, and leaves nothing', async () => {
  const { stores, clinicId } = records;
  const run = await aRunWithoutWorkflow();
  await stores.calls.openTestCall({ ...run, workflowId: null, caseId: null, workflowType: null });
  await records.database.sql`update receivers set url = null where clinic_id = ${clinicId}`;
  await records.database.sql`update deliveries set state = 'DEAD' where clinic_id = ${clinicId}`;
  const { standing, erase, erasedIds, forgetReplies, markDone } = stores.erasures;
  const breaking = {
    ...stores.erasures,
    standing: unreliable(standing),
    erase: unreliable(erase),
    erasedIds: unreliable(erasedIds),
    forgetReplies: unreliable(forgetReplies),
    markDone: unreliable(markDone),
  };
  const erasure = await anErasure(run.patientId);

  // Each failure waits longer than the one before, and Temporal deletes later than it is told to.
  await working(() => eventually(erasure.isDone, { within: 150_000 }), { ...stores, erasures: breaking });

  expect(await stores.patients.exists(clinicId, run.patientId)).toBe(false);
  await expect(client.workflow.getHandle(run.workflowId).describe()).rejects.toThrow(WorkflowNotFoundError);
  // What Temporal still listed of it is no surprise to anybody.
  const listed = { workflowId: run.workflowId, clinicId, shown: null, closedAt: null };
  expect(await stores.tasks.openForUnknownRuns([listed])).toBe(0);
  const { items } = await stores.audit.list(clinicId, { subject: run.patientId, limit: 10 });
  expect(items.filter(({ action }) => action === 'patient.erased')).toHaveLength(1);
}, 200_000);

test('a bulk job whose every step breaks off in the middle cancels each run once and counts it once', async () => {
  const { stores, clinicId } = records;
  for (let n = 0; n < 20; n += 1) await aRunWithoutWorkflow();
  const filter = { until: new Date(Date.now() + 1_000).toISOString() };
  const started = await stores.bulkJobs.start(clinicId, { kind: 'cancel_runs', filter }, by);
  if (started.kind !== 'started') throw new Error(started.kind);
  const { id, total } = started.job;
  await records.database.sql`update bulk_jobs set created_at = created_at - interval '10 seconds' where id = ${id}`;
  const { nextRuns, noteRuns } = stores.bulkSteps;
  const bulkSteps = { ...stores.bulkSteps, nextRuns: unreliable(nextRuns), noteRuns: unreliable(noteRuns) };
  const bulkJobs = { ...stores.bulkJobs, end: unreliable(stores.bulkJobs.end) };
  const runs = { ...stores.runs, end: unreliable(stores.runs.end) };
  const jobOf = () => stores.bulkJobs.find(clinicId, id);

  await working(() => eventually(async () => (await jobOf())?.state === 'DONE'), {
    ...stores,
    bulkSteps,
    bulkJobs,
    runs,
  });

  expect(await jobOf()).toMatchObject({ done: total, skipped: 0, failed: 0, waitsFor: null });
  const outcomes = await records.database.sql<{ subject: string }>`
    select subject from outbound_events where clinic_id = ${clinicId} and event = 'recovery_case.outcome'`;
  expect(new Set(outcomes.map(({ subject }) => subject)).size).toBe(outcomes.length);
  expect(outcomes.length).toBeGreaterThanOrEqual(total);
}, 120_000);

test('work whose workflow was terminated or lost is started again, and one that goes on is left alone', async () => {
  const { stores } = records;
  const [lost, terminated, other] = [await records.aPatient(), await records.aPatient(), await records.aPatient()];
  const erasures = [await anErasure(lost), await anErasure(terminated), await anErasure(other)];
  const [never, ended, goesOn] = erasures.map(({ id }) => ({
    kind: 'erase_patient' as const,
    clinicId: records.clinicId,
    id,
  }));
  for (const work of [never!, ended!, goesOn!]) await stores.longWork.markDispatched(work);
  // Nobody works on them yet.
  await starter.startWork(ended!);
  await starter.startWork(goesOn!);
  await client.workflow.getHandle(longWorkflowId(ended!)).terminate();
  const reconcile = createReconciler({
    stores,
    leftCalls: { close: async () => 0 },
    client,
    prepareTemporal: async () => undefined,
    wakeDeliveries: async () => undefined,
    log,
    settledMs: -3_600_000,
  });
  const held = await stores.duties.take('reconcile', 'this test', 60_000);

  await reconcile({ held: held!, signal: new AbortController().signal });
  const lostAgain = await stores.longWork.undispatched(0, 100);
  await working(() =>
    eventually(async () => (await Promise.all(erasures.map((each) => each.isDone()))).every(Boolean)),
  );

  expect(lostAgain.map(({ id }) => id).toSorted()).toEqual([never!.id, ended!.id].toSorted());
}, 120_000);

test("while two hundred erasures of a clinic wait, another clinic's is done promptly", async () => {
  const { stores, database, clinicId } = records;
  const other = await records.aClinic();
  const waiting: Awaited<ReturnType<typeof anErasure>>[] = [];
  for (let count = 0; count < 200; count += 1) {
    const { workflowId, patientId } = await anEndedRun(clinicId);
    await database.prisma.clinicNotice.create({
      data: { clinicId, workflowId, action: 'patient.upsert', subject: workflowId },
    });
    waiting.push(await anErasure(patientId));
  }
  const states = async () => {
    const found = new Set<string | undefined>();
    for (const { stateOf } of waiting) found.add(await stateOf());
    return [...found];
  };
  const run = await anEndedRun(other);
  await database.sql`update deliveries set state = 'DELIVERED' where clinic_id = ${other}`;
  const isGiven = async () => (await stores.longWork.undispatched(0, 1)).length === 0;

  await working(async () => {
    await eventually(isGiven, { within: 90_000 });
    const erasure = await anErasure(run.patientId, other);
    await eventually(erasure.isDone, { within: 90_000 });
  });

  // What they wait for is given up after ten minutes: the other clinic's did not wait for that.
  expect(await states()).toEqual(['REQUESTED']);
}, 240_000);

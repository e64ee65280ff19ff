import { Client, type Connection } from '@temporalio/client';
import { NativeConnection } from '@temporalio/worker';
import { createLog } from '@clinic/shared/log';
import { createDataConverter } from '@clinic/temporal/payload-codec';
import { createWorkflowStarter, type WorkflowStarter } from '@clinic/temporal/starter';
import { startReconciler } from '@clinic/worker/reconcile';
import { testPayloadKeys } from '../support/histories';
import { openRecords, type OpenedRun, type Records } from '../support/records';
import { freshNamespace, freshTaskQueue, temporalAddress } from '../support/temporal';

let records: Records;
let connection: NativeConnection;
let client: Client;
let starter: WorkflowStarter;

beforeAll(async () => {
  records = await openRecords();
  connection = await NativeConnection.connect({ address: temporalAddress() });
  const namespace = await freshNamespace();
  client = new Client({ connection, namespace, dataConverter: createDataConverter(testPayloadKeys) });
  // Nobody works on this queue: a workflow that was started stays as it is.
  starter = createWorkflowStarter(client, freshTaskQueue());
});
afterAll(async () => {
  await connection.close();
  await records.close();
});

const log = createLog({ process: 'test', level: 'silent' });

/** One pass, as it would be in an hour: every run of this test is old enough to be looked at. */
async function pass(settledMs = -3_600_000): Promise<number> {
  const { stores } = records;
  const reconciler = startReconciler({ stores, client, log, everyMs: 3_600_000, settledMs });
  try {
    return await reconciler.pass();
  } finally {
    await reconciler.stop();
  }
}

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

test('a run whose workflow goes on is left alone', async () => {
  const run = await started(await records.aRun());

  await pass();

  expect(await stored(run)).toMatchObject({ status: 'started', outcome: null });
  expect((await stored(run))?.dispatchedAt).not.toBeNull();
});

test('a run whose workflow was terminated is ended as failed, once, and staff follow up', async () => {
  const run = await started(await records.aRun());
  await client.workflow.getHandle(run.workflowId).terminate();

  expect(await pass()).toBe(1);
  expect(await pass()).toBe(0);

  expect(await stored(run)).toMatchObject({ status: 'failed', outcome: 'FOLLOW_UP_REQUIRED' });
  expect((await tasksOf(run)).map(({ reason }) => reason)).toEqual(['workflow_failed']);
  expect((await eventsOf(run.workflowId)).map(({ event }) => event)).toEqual(['workflow.completed']);
});

test('a case whose workflow was terminated ends with its run, and the clinic is told its outcome', async () => {
  const run = await started(await records.aCase());
  const caseId = run.caseId ?? '';
  await client.workflow.getHandle(run.workflowId).terminate();

  expect(await pass()).toBe(1);
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
  const { stores } = records;
  const reconciler = startReconciler({ stores, client, log, everyMs: 3_600_000 });

  await reconciler.pass();
  await reconciler.stop();

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
  const runs = await Promise.all(Array.from({ length: 130 }, () => records.aRun()));
  await records.stores.runs.markDispatched(runs.map(({ workflowId }) => workflowId));

  expect(await pass()).toBe(130);
});

test('a Temporal that cannot be reached changes nothing', async () => {
  const run = await dispatched(await records.aRun());
  const broken = {
    workflow: { getHandle: () => ({ describe: () => Promise.reject(new Error('14 UNAVAILABLE')) }) },
    connection: {} as Connection,
  } as unknown as Client;
  const { stores } = records;
  const reconciler = startReconciler({ stores, client: broken, log, everyMs: 3_600_000, settledMs: -3_600_000 });

  await expect(reconciler.pass()).rejects.toThrow('UNAVAILABLE');
  await reconciler.stop();

  expect(await stored(run)).toMatchObject({ status: 'started' });
  expect((await stored(run))?.dispatchedAt).not.toBeNull();
});

test('a test call that was left open for an hour is ended on the way', async () => {
  const { clinicId, patientId, workflowId, workflowType, caseId } = await records.aCase();
  const callId = await records.stores.calls.openTestCall({ clinicId, patientId, workflowId, workflowType, caseId });
  const createdAt = new Date(Date.now() - 3_700_000);
  await records.database.prisma.call.update({ where: { id: callId }, data: { createdAt } });

  await pass();

  expect(await records.stores.calls.find(clinicId, callId)).toMatchObject({ state: 'ENDED' });
});

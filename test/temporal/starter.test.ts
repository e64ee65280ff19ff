import { Client, NamespaceNotFoundError, WorkflowNotFoundError } from '@temporalio/client';
import { NativeConnection } from '@temporalio/worker';
import { newId } from '@clinic/shared/crypto';
import { createDataConverter } from '@clinic/temporal/payload-codec';
import { type RunToStart, searchableSession } from '@clinic/temporal/start-options';
import { createWorkflowStarter, type WorkflowStarter } from '@clinic/temporal/starter';
import { deleteHistories, workflowIdsOf } from '@clinic/temporal/histories';
import {
  deliveryWorkflowId,
  longWorkflowId,
  searchAttributes,
  simulatedCallWorkflowId,
  TASK_QUEUE,
} from '@clinic/workflows/ids';
import { eventually } from '../support/eventually';
import { testPayloadKeys } from '../support/histories';
import { freshNamespace, temporalAddress } from '../support/temporal';

let connection: NativeConnection;
let client: Client;
let starter: WorkflowStarter;
beforeAll(async () => {
  connection = await NativeConnection.connect({ address: temporalAddress() });
  const namespace = await freshNamespace();
  client = new Client({ connection, namespace, dataConverter: createDataConverter(testPayloadKeys) });
  starter = createWorkflowStarter(client, testPayloadKeys);
});
afterAll(() => connection.close());

const aRun = (about: Partial<RunToStart> = {}): RunToStart => ({
  workflowId: newId('care-gap-follow-up'),
  clinicId: 'clinic-1',
  workflowType: 'care-gap-follow-up',
  patientId: 'patient-1',
  caseId: null,
  sessionId: 'session-1',
  ...about,
});
const runIdOf = async (workflowId: string) => (await client.workflow.getHandle(workflowId).describe()).runId;

test('a run is one workflow for ever: it is not started twice, nor again once it is over', async () => {
  const run = aRun();
  await starter.startRun(run);
  const first = await runIdOf(run.workflowId);
  await starter.startRun(run);
  await client.workflow.getHandle(run.workflowId).terminate();

  await starter.startRun(run);

  expect(await runIdOf(run.workflowId)).toBe(first);
});

test.each([
  ['cancel_runs', 'cancelRuns', 'cancel runs'],
  ['resend_deliveries', 'resendDeliveries', 'resend deliveries'],
  ['erase_patient', 'erasePatient', 'erase patient'],
] as const)(
  'work of the kind %s is the workflow %s, found by its clinic, one at a time, and begun again once that has ended',
  async (kind, type, summary) => {
    const work = { kind, clinicId: 'clinic-1', id: newId() };
    const workflow = client.workflow.getHandle(longWorkflowId(work));
    await starter.startWork(work);
    const { runId, typedSearchAttributes, ...first } = await workflow.describe();
    await starter.startWork(work);
    const again = await workflow.describe();
    await workflow.terminate();

    await starter.startWork(work);

    expect(first).toMatchObject({ type, priority: { priorityKey: 5, fairnessKey: 'clinic-1' } });
    expect(await first.staticSummary()).toBe(summary);
    expect(typedSearchAttributes.get(searchAttributes.clinic)).toBe('clinic-1');
    expect(again.runId).toBe(runId);
    expect(await runIdOf(workflow.workflowId)).not.toBe(runId);
  },
);

test('a simulated call is started once, and is known until it is over and after', async () => {
  const callId = newId();
  const call = {
    callId,
    clinicId: 'clinic-1',
    platformCallId: newId(),
    phone: '+15005550001',
    attempt: 1,
    workflowType: 'care-gap-follow-up',
    serverUrl: 'http://127.0.0.1:1',
  };
  const { start, describe: stateOf } = starter.simulatedCalls;
  const before = await stateOf(callId);
  await start(call);
  const going = await stateOf(callId);
  await client.workflow.getHandle(simulatedCallWorkflowId(callId)).terminate();
  await start(call);

  expect([before, going, await stateOf(callId)]).toEqual([null, 'running', 'over']);
});

test('a message for a workflow that is over, or that nobody knows, is no failure', async () => {
  const message = {
    workflowId: newId(),
    signal: 'toolUsed' as const,
    payload: { callId: 'call-1', tool: 'a_tool', fact: 'booked' as const },
  };

  await expect(starter.tell(message)).resolves.toBeUndefined();
});

test('a subject is sent for as often as it has something to send, by one sender at a time', async () => {
  const owner = { clinicId: 'clinic-1', subject: newId(), receiverId: 'endpoint-1' };
  const id = deliveryWorkflowId(owner.subject, 'endpoint-1');
  await starter.wakeDeliveries(owner);
  const first = await runIdOf(id);
  await starter.wakeDeliveries(owner);
  const second = await runIdOf(id);
  await client.workflow.getHandle(id).terminate();

  await starter.wakeDeliveries(owner);

  expect(second).toBe(first);
  expect(await runIdOf(id)).not.toBe(first);
  const toAnother = await sentTo({ ...owner, receiverId: 'endpoint-2' });
  expect(toAnother).toBe(deliveryWorkflowId(owner.subject, 'endpoint-2'));
  expect(toAnother).not.toBe(id);
  // So that the operator's page leads to those of a clinic.
  const { typedSearchAttributes } = await client.workflow.getHandle(id).describe();
  expect(typedSearchAttributes.get(searchAttributes.clinic)).toBe(owner.clinicId);
});

test('what has ended well is begun again too where it has more to do, and no run is', async () => {
  const [work, owner, run] = [
    { kind: 'cancel_runs' as const, clinicId: 'clinic-1', id: newId() },
    { clinicId: 'clinic-1', subject: newId(), receiverId: 'endpoint-1' },
    aRun(),
  ];
  const startAll = async () => {
    await starter.startWork(work);
    await starter.wakeDeliveries(owner);
    await starter.startRun(run);
  };
  const ids = [longWorkflowId(work), deliveryWorkflowId(owner.subject, owner.receiverId), run.workflowId];
  await startAll();
  const first = await Promise.all(ids.map(runIdOf));
  await complete(ids);

  await startAll();

  const second = await Promise.all(ids.map(runIdOf));
  expect(second.map((runId, index) => runId === first[index])).toEqual([false, false, true]);
});

/** Ends workflows as a worker does once they have returned. */
async function complete(workflowIds: string[]): Promise<void> {
  const { namespace } = client.options;
  const left = new Set(workflowIds);
  while (left.size > 0) {
    const polled = { namespace, taskQueue: { name: TASK_QUEUE }, identity: 'test' };
    const { taskToken, workflowExecution } = await client.workflowService.pollWorkflowTaskQueue(polled);
    if (!left.delete(workflowExecution?.workflowId ?? '')) continue;
    const commands = [{ commandType: COMPLETE, completeWorkflowExecutionCommandAttributes: {} }];
    await client.workflowService.respondWorkflowTaskCompleted({ namespace, taskToken, commands, identity: 'test' });
  }
}
/** `COMMAND_TYPE_COMPLETE_WORKFLOW_EXECUTION` of Temporal's API. */
const COMPLETE = 4;

/** The id of the sender that is woken. */
async function sentTo(owner: { clinicId: string; subject: string; receiverId: string }): Promise<string> {
  await starter.wakeDeliveries(owner);
  const { workflowId } = await client.workflow
    .getHandle(deliveryWorkflowId(owner.subject, owner.receiverId))
    .describe();
  return workflowId;
}

test.each(['session-1f9c', 'ann@example.com', '14155550100', 'Ann-Lee-1980-03-05', 'MRN0012345'])(
  'the session %s is found by anyone who knows it and the key, and by nobody else',
  async (sessionId) => {
    const run = aRun({ sessionId });
    const [older, other] = [
      { id: 'older', key: Buffer.alloc(32, 1) },
      { id: 'test', key: Buffer.alloc(32, 2) },
    ];

    await starter.startRun(run);
    const { typedSearchAttributes, memo, raw } = await client.workflow.getHandle(run.workflowId).describe();

    const shown = typedSearchAttributes.get(searchAttributes.session) ?? '';
    expect(searchableSession([older, ...testPayloadKeys], run.clinicId, sessionId)).toContain(shown);
    expect(searchableSession([other], run.clinicId, sessionId)).not.toContain(shown);
    expect(searchableSession(testPayloadKeys, 'clinic-2', sessionId)).not.toContain(shown);
    expect(shown).not.toContain(sessionId);
    expect(memo).toEqual({ sessionId });
    expect(Buffer.from(raw.workflowExecutionInfo?.memo?.fields?.sessionId?.data ?? '').includes(sessionId)).toBe(false);
  },
);

test('what was erased is deleted in Temporal, with every earlier run, whether it is over or goes on', async () => {
  const [open, over] = [aRun(), aRun()];
  await starter.startRun(open);
  await starter.startRun(over);
  const owner = { clinicId: 'clinic-1', subject: over.workflowId, receiverId: 'endpoint-1' };
  const sender = client.workflow.getHandle(deliveryWorkflowId(owner.subject, 'endpoint-1'));
  // Two runs of one id.
  await starter.wakeDeliveries(owner);
  await sender.terminate();
  await starter.wakeDeliveries(owner);
  await starter.wakeDeliveries({ ...owner, receiverId: 'endpoint-2' });
  await client.workflow.getHandle(over.workflowId).terminate();
  const ids = workflowIdsOf({
    runs: [open.workflowId, over.workflowId],
    cases: [],
    calls: ['no-call'],
    receivers: ['endpoint-1', 'endpoint-2'],
  });
  expect(ids).toContain(deliveryWorkflowId(over.workflowId, 'endpoint-2'));

  const first = await deleteHistories(client, ids);
  await eventually(() => deleteHistories(client, ids));

  expect(first).toBe(false);
  for (const id of ids) await expect(client.workflow.getHandle(id).describe()).rejects.toThrow(WorkflowNotFoundError);
  const query = `WorkflowId IN (${ids.map((id) => `'${id}'`).join(', ')})`;
  expect((await client.workflow.count(query)).count).toBe(0);
});

test('what no list of Temporal shows yet is deleted by its id', async () => {
  const run = aRun();
  await starter.startRun(run);
  const unlisted: Client = Object.create(client, { workflow: { value: { list: () => [] } } });

  expect(await deleteHistories(unlisted, [run.workflowId])).toBe(false);

  await eventually(() => deleteHistories(unlisted, [run.workflowId]));
  await expect(client.workflow.getHandle(run.workflowId).describe()).rejects.toThrow(WorkflowNotFoundError);
});

test('histories are deleted some at once, and each is asked for', async () => {
  const ids = Array.from({ length: 40 }, (_, index) => `unknown-${index}`);
  const asked: (string | undefined)[] = [];
  let [underWay, mostUnderWay] = [0, 0];
  const counting: Client = Object.create(client, {
    workflow: { value: { list: () => [] } },
    workflowService: {
      value: {
        async deleteWorkflowExecution({ workflowExecution }: { workflowExecution: { workflowId?: string } }) {
          asked.push(workflowExecution.workflowId);
          mostUnderWay = Math.max(mostUnderWay, (underWay += 1));
          await new Promise((resolve) => setImmediate(resolve));
          underWay -= 1;
        },
      },
    },
  });

  expect(await deleteHistories(counting, ids)).toBe(false);

  expect(asked).toEqual(ids);
  expect(mostUnderWay).toBe(16);
});

test('a message that Temporal does not take for another reason than that its workflow is over has not been told', async () => {
  const elsewhere = createWorkflowStarter(new Client({ connection, namespace: 'unknown' }), testPayloadKeys);

  const told = elsewhere.tell({ workflowId: newId(), signal: 'lineFreed', payload: {} });

  await expect(told).rejects.toThrow(NamespaceNotFoundError);
});

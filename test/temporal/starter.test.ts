import { Client } from '@temporalio/client';
import { NativeConnection } from '@temporalio/worker';
import { newId } from '@clinic/shared/crypto';
import { createDataConverter } from '@clinic/temporal/payload-codec';
import { type RunToStart, searchableSession } from '@clinic/temporal/start-options';
import { createWorkflowStarter, type WorkflowStarter } from '@clinic/temporal/starter';
import { deliveryWorkflowId } from '@clinic/workflows/ids';
import { testPayloadKeys } from '../support/histories';
import { freshNamespace, temporalAddress } from '../support/temporal';

let connection: NativeConnection;
let client: Client;
let starter: WorkflowStarter;
beforeAll(async () => {
  connection = await NativeConnection.connect({ address: temporalAddress() });
  const namespace = await freshNamespace();
  client = new Client({ connection, namespace, dataConverter: createDataConverter(testPayloadKeys) });
  starter = createWorkflowStarter(client);
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

test('a message for a workflow that is over, or that nobody knows, is no failure', async () => {
  const message = {
    workflowId: newId(),
    signal: 'toolUsed' as const,
    payload: { callId: 'call-1', tool: 'a_tool', fact: 'booked' as const },
  };

  await expect(starter.tell(message)).resolves.toBeUndefined();
});

test('a subject is sent for as often as it has something to send, by one sender at a time', async () => {
  const owner = { clinicId: 'clinic-1', subject: newId() };
  const id = deliveryWorkflowId(owner.subject);
  await starter.wakeDeliveries(owner);
  const first = await runIdOf(id);
  await starter.wakeDeliveries(owner);
  const second = await runIdOf(id);
  await client.workflow.getHandle(id).terminate();

  await starter.wakeDeliveries(owner);

  expect(second).toBe(first);
  expect(await runIdOf(id)).not.toBe(first);
});

test.each([
  ['session-1f9c', 'session-1f9c'],
  ['ann@example.com', 'not-shown'],
  ['+14155550100', 'not-shown'],
  ['14155550100', 'not-shown'],
  ['Ann Lee', 'not-shown'],
  ['x'.repeat(101), 'not-shown'],
])('of the session %s operators see %s', (sessionId, shown) => {
  expect(searchableSession(sessionId)).toBe(shown);
});

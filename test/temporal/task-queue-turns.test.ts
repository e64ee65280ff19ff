import { Client } from '@temporalio/client';
import { NativeConnection } from '@temporalio/worker';
import { newId } from '@clinic/shared/crypto';
import { createDataConverter } from '@clinic/temporal/payload-codec';
import { priorityOf } from '@clinic/temporal/start-options';
import { createWorkflowStarter } from '@clinic/temporal/starter';
import { TASK_QUEUE } from '@clinic/workflows/ids';
import { eventually } from '../support/eventually';
import { testPayloadKeys } from '../support/histories';
import { freshNamespace, temporalAddress } from '../support/temporal';

const MANY = 40;
const OTHERS = 5;

let connection: NativeConnection;
beforeAll(async () => {
  connection = await NativeConnection.connect({ address: temporalAddress() });
});
afterAll(() => connection.close());

test('the server hands out a live call and the single runs of other clinics before the rest of a burst', async () => {
  const namespace = await freshNamespace();
  const client = new Client({ connection, namespace, dataConverter: createDataConverter(testPayloadKeys) });
  const starter = createWorkflowStarter(client, testPayloadKeys);
  const start = async (clinicId: string) => {
    const workflowId = newId('care-gap-follow-up');
    const about = { workflowType: 'care-gap-follow-up', patientId: 'patient-1', caseId: null } as const;
    await starter.startRun({ workflowId, clinicId, sessionId: workflowId, ...about });
    return workflowId;
  };
  // Nobody works on this queue yet.
  for (let n = 0; n < MANY; n += 1) await start('clinic-1');
  const others: string[] = [];
  for (let n = 0; n < OTHERS; n += 1) others.push(await start(`other-${n}`));
  const live = newId('live');
  const startLive = { workflowId: live, taskQueue: TASK_QUEUE, priority: priorityOf('live') };
  await client.workflow.start('simulatedCall', startLive);

  const taskQueue = { name: TASK_QUEUE, kind: 1 };
  // A start is answered before its task is in the queue.
  await eventually(async () => {
    const asked = { namespace, taskQueue, taskQueueType: 1, reportStats: true };
    const { stats } = await connection.workflowService.describeTaskQueue(asked);
    return Number(stats?.approximateBacklogCount) === MANY + OTHERS + 1;
  });

  const handedOut: string[] = [];
  while (handedOut.length < MANY + OTHERS + 1) {
    const task = await connection.workflowService.pollWorkflowTaskQueue({
      namespace,
      taskQueue,
      identity: 'test',
    });
    handedOut.push(task.workflowExecution?.workflowId ?? '');
  }

  // The queue has one partition here, as local/temporal.ts starts the server: its order is the whole queue's.
  expect(handedOut[0]).toBe(live);
  const turns = others.map((workflowId) => handedOut.indexOf(workflowId));
  expect(Math.max(...turns)).toBeLessThan(MANY / 2);
}, 240_000);

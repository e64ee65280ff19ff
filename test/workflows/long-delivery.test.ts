import { createWorkflowStarter } from '@clinic/temporal/starter';
import { fulfilAppointments } from '@clinic/workflows/fulfil-appointments';
import { deliveryWorkflowId, TASK_QUEUE } from '@clinic/workflows/ids';
import { openBench, type WorkflowBench } from '../support/workflow-bench';
import { testPayloadKeys } from '../support/histories';

/** Temporal suggests a new run after some thousand events; here, already after forty. */
let bench: WorkflowBench;
beforeAll(async () => {
  bench = await openBench({ longHistory: 40 });
});
afterAll(() => bench.close());

test('the sender of many events goes on in a new run, and sends each once', async () => {
  const owner = { clinicId: 'clinic-1', subject: 'many-events' };
  const workflowId = deliveryWorkflowId(owner.subject);
  const sent: number[] = [];
  bench.fake(workflowId, {
    async attemptDelivery() {
      if (sent.length === 30) return { kind: 'none' };
      sent.push(sent.length);
      return { kind: 'attempted' };
    },
  });

  await createWorkflowStarter(bench.client, testPayloadKeys).wakeDeliveries(owner);
  const workflow = bench.client.workflow.getHandle(workflowId);
  await workflow.result();

  const { raw } = await workflow.describe();
  expect(raw.workflowExecutionInfo?.firstRunId).not.toBe(raw.workflowExecutionInfo?.execution?.runId);
  expect(sent).toHaveLength(30);
});

test('past appointments are fulfilled batch after batch, until one is not full', async () => {
  const limits: number[] = [];
  const workflowId = 'fulfil-appointments';
  bench.fake(workflowId, {
    async fulfilPastAppointments({ limit }) {
      limits.push(limit);
      return limits.length < 3 ? limit : limit - 1;
    },
  });

  await bench.client.workflow.execute(fulfilAppointments, { workflowId, taskQueue: TASK_QUEUE });

  expect(limits).toEqual([500, 500, 500]);
});

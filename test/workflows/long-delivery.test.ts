import type { Activities } from '@clinic/activities/index';
import { createWorkflowStarter } from '@clinic/temporal/starter';
import { purgeOldContents } from '@clinic/workflows/purge-old-contents';
import { deliveryWorkflowId, TASK_QUEUE } from '@clinic/workflows/ids';
import { openBench, type WorkflowBench } from '../support/workflow-bench';
import { recordHistory, testPayloadKeys } from '../support/histories';

/** Temporal suggests a new run after some thousand events; here, already after forty. */
let bench: WorkflowBench;
beforeAll(async () => {
  bench = await openBench({ longHistory: 40 });
});
afterAll(() => bench.close());

test('the sender of many events goes on in a new run, and sends each once', async () => {
  const owner = { clinicId: 'clinic-1', subject: 'many-events', receiverId: 'endpoint-1' };
  const workflowId = deliveryWorkflowId(owner.subject, owner.receiverId);
  const sent: number[] = [];
  bench.fake(workflowId, {
    async attemptDelivery() {
      if (sent.length === 30) return { kind: 'none' };
      sent.push(sent.length);
      return { kind: 'attempted', hasMore: true };
    },
  });

  await createWorkflowStarter(bench.client, testPayloadKeys).wakeDeliveries(owner);
  const workflow = bench.client.workflow.getHandle(workflowId);
  await workflow.result();

  const { raw } = await workflow.describe();
  expect(raw.workflowExecutionInfo?.firstRunId).not.toBe(raw.workflowExecutionInfo?.execution?.runId);
  expect(sent).toHaveLength(30);
  await recordHistory(workflow, 'deliver-events/went-on-in-a-new-run');
});

test('old contents are purged turn after turn, each after the place of the one before, until nothing is due, and counted by kind', async () => {
  const place = { clinicId: 'clinic-1', kind: 'call_evidence', until: '2026-03-01T09:00:00.000Z' } as const;
  const turns: Awaited<ReturnType<Activities['purgeSomeContents']>>[] = [
    { counts: { call: 2 }, isDone: false, place },
    { counts: { call: 1, event: 3 }, isDone: true },
  ];
  const begun: unknown[] = [];
  const workflowId = 'purge-old-contents';
  bench.fake(workflowId, {
    async purgeSomeContents(begin) {
      begun.push(begin);
      const turn = turns.shift();
      if (!turn) throw new Error('nothing was due any more');
      return turn;
    },
  });

  const workflow = await bench.client.workflow.start(purgeOldContents, { workflowId, taskQueue: TASK_QUEUE });

  expect(await workflow.result()).toEqual({ call: 3, event: 3 });
  expect(begun.map((begin) => begin ?? null)).toEqual([null, place]);
  await recordHistory(workflow, 'purge-old-contents/two-turns');
});

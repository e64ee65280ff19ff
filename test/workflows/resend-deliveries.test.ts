import type { WorkflowHandle } from '@temporalio/client';
import type { BulkJobWait } from '@clinic/shared/domain/operations/bulk-job';
import { createWorkflowStarter } from '@clinic/temporal/starter';
import { longWorkflowId } from '@clinic/workflows/ids';
import { recordHistory, testPayloadKeys } from '../support/histories';
import { activityTime, currentDetails, openBench, untilWaiting, type WorkflowBench } from '../support/workflow-bench';

let bench: WorkflowBench;
beforeAll(async () => {
  bench = await openBench();
});
afterAll(() => bench.close());

interface Step {
  waitMs: number;
  waitsFor?: BulkJobWait;
  /** Nothing is queued: the receiver fails, or there is none. */
  isIdle?: boolean;
}

interface Job {
  /** After which record each step began. */
  after: (string | null)[];
  at: number[];
  isEnded: boolean;
  workflow: WorkflowHandle;
}

let opened = 0;

/** A job whose steps go as told, until none is left; a step that `fails` is tried again by Temporal. */
async function openJob(steps: Step[], fails: (tries: number) => boolean = () => false): Promise<Job> {
  const work = { kind: 'resend_deliveries' as const, clinicId: 'clinic-1', id: `bulk-${(opened += 1)}` };
  const workflowId = longWorkflowId(work);
  const job: Job = { after: [], at: [], isEnded: false, workflow: bench.client.workflow.getHandle(workflowId) };
  let tries = 0;
  let made = 0;
  bench.fake(workflowId, {
    placeOfBulkJob: async () => null,
    async resendSome({ after }) {
      tries += 1;
      if (fails(tries)) throw new Error('the records cannot be reached');
      job.after.push(after?.id ?? null);
      job.at.push(Date.parse(activityTime()));
      const step = steps[made];
      made += 1;
      if (!step) return null;
      const { waitMs, waitsFor = null, isIdle } = step;
      const place = isIdle ? after : { at: '2026-01-01T00:00:00.000Z', id: `delivery-${made}` };
      return { place, waitMs, waitsFor };
    },
    endBulkJob: async () => void (job.isEnded = true),
  });
  await createWorkflowStarter(bench.client, testPayloadKeys).startWork(work);
  return job;
}

test('a step follows the other at the pace that it names, each after the place of the one before', async () => {
  const job = await openJob([{ waitMs: 1_000 }, { waitMs: 1_000 }, { waitMs: 5_000, waitsFor: 'receiver' }]);

  await bench.result(job.workflow);
  const waits = job.at.slice(1).map((at, index) => at - job.at[index]!);
  expect(job.after).toEqual([null, 'delivery-1', 'delivery-2', 'delivery-3']);
  expect(waits.map((ms) => Math.floor(ms / 1_000))).toEqual([1, 1, 5]);
  expect(job.isEnded).toBe(true);
  await recordHistory(job.workflow, 'resend-deliveries/all');
});

test('a receiver that is not there is waited for, as Temporal shows too', async () => {
  const job = await openJob([{ waitMs: 10_000, waitsFor: 'endpoint', isIdle: true }, { waitMs: 1_000 }]);
  await untilWaiting(job.workflow);
  const shown = await currentDetails(job.workflow);

  await bench.result(job.workflow);
  expect(shown).toBe('Waits for the endpoint');
  expect(job.after).toEqual([null, null, 'delivery-2']);
  await recordHistory(job.workflow, 'resend-deliveries/endpoint-off-for-a-while');
});

test('a step that fails is tried again with the same place', async () => {
  const job = await openJob([{ waitMs: 1_000 }, { waitMs: 1_000 }], (tries) => tries === 2 || tries === 3);

  await bench.result(job.workflow);
  expect(job.after).toEqual([null, 'delivery-1', 'delivery-2']);
});

test('a job that is stopped, or that nothing is left for, ends at its next step', async () => {
  const job = await openJob([]);

  await bench.result(job.workflow);
  expect([job.after, job.isEnded]).toEqual([[null], true]);
  await recordHistory(job.workflow, 'resend-deliveries/stopped');
});

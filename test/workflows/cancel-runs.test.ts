import type { WorkflowHandle } from '@temporalio/client';
import type { RunToCancel } from '@clinic/activities/bulk-jobs';
import { createWorkflowStarter } from '@clinic/temporal/starter';
import { longWorkflowId } from '@clinic/workflows/ids';
import { recordHistory, testPayloadKeys } from '../support/histories';
import { openBench, type WorkflowBench } from '../support/workflow-bench';

let bench: WorkflowBench;
beforeAll(async () => {
  bench = await openBench();
});
afterAll(() => bench.close());

interface Job {
  /** Every request to cancel a run, in order. */
  asked: RunToCancel[];
  /** Steps that were counted. */
  noted: string[][];
  waits: string[];
  isEnded: boolean;
  isStopped: boolean;
  workflow: WorkflowHandle;
  start(): Promise<void>;
}

let opened = 0;

/** A job over some runs, whose workflows answer as told. */
async function openJob(runs: string[], answers: (run: string, tries: number) => boolean = () => true): Promise<Job> {
  const work = { kind: 'cancel_runs' as const, clinicId: 'clinic-1', id: `bulk-${(opened += 1)}` };
  const ref = { clinicId: work.clinicId, id: work.id };
  const workflowId = longWorkflowId(work);
  const starter = createWorkflowStarter(bench.client, testPayloadKeys);
  const job: Job = {
    asked: [],
    noted: [],
    waits: [],
    isEnded: false,
    isStopped: false,
    workflow: bench.client.workflow.getHandle(workflowId),
    start: () => starter.startWork(work),
  };
  const triesOf = (run: string) => job.asked.filter((each) => each.workflowId === run).length;
  bench.fake(workflowId, {
    async nextRunsToCancel({ limit, ...given }) {
      expect(given).toEqual(ref);
      const from = job.noted.flat().length;
      const next = runs.slice(from, from + limit);
      const last = next.at(-1);
      if (job.isStopped || last === undefined) return null;
      return { runs: next, by: 'account:ann', from: null, to: { at: '2026-01-01T00:00:00.000Z', id: last } };
    },
    async cancelOpenRun(run) {
      job.asked.push(run);
      return answers(run.workflowId, triesOf(run.workflowId)) ? 'over' : 'no_answer';
    },
    noteBulkWait: async ({ waitsFor }) => void job.waits.push(waitsFor),
    noteCancelledRuns: async ({ step }) => void job.noted.push(step.runs),
    async endBulkJob(given) {
      expect(given).toEqual(ref);
      job.isEnded = true;
    },
  });
  await job.start();
  return job;
}

const runsOf = (count: number) => Array.from({ length: count }, (_each, index) => `run-${index + 1}`);

test('every run is cancelled once, a few at a time, and each step is counted', async () => {
  const job = await openJob(runsOf(40));
  await job.start();

  await bench.result(job.workflow);
  expect(job.asked.map(({ workflowId }) => workflowId).toSorted()).toEqual(runsOf(40).toSorted());
  expect(job.asked.find(({ workflowId }) => workflowId === 'run-1')).toEqual({
    clinicId: 'clinic-1',
    workflowId: 'run-1',
    by: 'account:ann',
    id: `${job.workflow.workflowId.replace('cancel-runs-', '')}-run-1`,
    taskReason: 'follow_up_required',
  });
  expect(job.noted.map(({ length }) => length)).toEqual([16, 16, 8]);
  expect([job.waits, job.isEnded]).toEqual([[], true]);
  await recordHistory(job.workflow, 'cancel-runs/all');
});

test('a run that does not answer is asked again under the same id, and the others are not', async () => {
  const job = await openJob(runsOf(3), (run, tries) => run !== 'run-2' || tries === 3);

  await bench.result(job.workflow);
  const again = job.asked.filter(({ workflowId }) => workflowId === 'run-2');
  expect(job.asked).toHaveLength(5);
  expect(new Set(again.map(({ id }) => id)).size).toBe(1);
  expect([job.waits, job.noted]).toEqual([['workflows', 'workflows'], [runsOf(3)]]);
});

test('one that never answers is given up after some tries, and holds up nothing for ever', async () => {
  const job = await openJob(runsOf(20), (run) => run !== 'run-2');

  await bench.result(job.workflow);
  expect(job.asked.filter(({ workflowId }) => workflowId === 'run-2')).toHaveLength(5);
  expect(job.noted.flat()).toEqual(runsOf(20));
  await recordHistory(job.workflow, 'cancel-runs/one-never-answers');
});

test('a job that is stopped comes to the end of its step and begins no other', async () => {
  const job: Job = await openJob(runsOf(40), () => {
    job.isStopped = true;
    return true;
  });

  await bench.result(job.workflow);
  expect(job.noted.map(({ length }) => length)).toEqual([16]);
  await recordHistory(job.workflow, 'cancel-runs/stopped');
});

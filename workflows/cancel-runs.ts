import { continueAsNew, proxyActivities, setCurrentDetails, sleep, workflowInfo } from '@temporalio/workflow';
import type { Activities } from '@clinic/activities/index';
import { workRecords, workStep } from './timeouts';

const { nextRunsToCancel, noteBulkWait, noteCancelledRuns, endBulkJob } = proxyActivities<Activities>(workRecords);
const { cancelOpenRun } = proxyActivities<Activities>(workStep);

/** Few at once: each is work for Temporal, and one in a call for the voice platform too. */
const RUNS_AT_ONCE = 16;
/** A run whose workflow does not answer is asked so often before it counts as failed. */
const MAX_TRIES = 5;
const TRY_AGAIN_AFTER = '5 seconds';

interface BulkJob {
  clinicId: string;
  /** Of the job, whose row holds which runs it is about and how far it is. */
  id: string;
}

/** Cancels many runs, a few at once, each as a person would cancel it, until none is left or somebody stops the job. */
export async function cancelRuns(job: BulkJob): Promise<void> {
  for (;;) {
    const step = await nextRunsToCancel({ ...job, limit: RUNS_AT_ONCE });
    if (step === null) break;
    await cancelAll(job, step);
    await noteCancelledRuns({ ...job, step });
    if (workflowInfo().continueAsNewSuggested) await continueAsNew<typeof cancelRuns>(job);
  }
  await endBulkJob(job);
}

/** Those that do not answer are asked again, some seconds apart, and then left open. */
async function cancelAll(job: BulkJob, { runs, by }: { runs: string[]; by: string }): Promise<void> {
  const { clinicId, id } = job;
  const cancel = async (workflowId: string) => {
    const taskReason = 'follow_up_required' as const;
    const result = await cancelOpenRun({ clinicId, workflowId, by, id: `${id}-${workflowId}`, taskReason });
    return result === 'no_answer' ? [workflowId] : [];
  };
  let open = runs;
  for (let tries = 1; ; tries += 1) {
    open = (await Promise.all(open.map(cancel))).flat();
    if (open.length === 0 || tries === MAX_TRIES) return;
    await noteBulkWait({ ...job, waitsFor: 'workflows' });
    setCurrentDetails(`${open.length} workflows did not answer`);
    await sleep(TRY_AGAIN_AFTER, { summary: 'wait before they are asked again' });
  }
}

import { continueAsNew, proxyActivities, setCurrentDetails, sleep, workflowInfo } from '@temporalio/workflow';
import type { Activities } from '@clinic/activities/index';
import { workRecords, workStep } from './timeouts';

const { placeOfBulkJob, endBulkJob } = proxyActivities<Activities>(workRecords);
const { resendSome } = proxyActivities<Activities>(workStep);

interface BulkJob {
  clinicId: string;
  /** Of the job, whose row holds which deliveries it is about and how far it is. */
  id: string;
}

/** Sends failed events again, at the pace that their receiver takes them, until none is left or somebody stops the job. */
export async function resendDeliveries(job: BulkJob): Promise<void> {
  let after = await placeOfBulkJob(job);
  for (;;) {
    const step = await resendSome({ ...job, after });
    if (step === null) break;
    after = step.place;
    setCurrentDetails(step.waitsFor === null ? '' : `Waits for the ${step.waitsFor}`);
    await sleep(step.waitMs, { summary: 'pace' });
    if (workflowInfo().continueAsNewSuggested) await continueAsNew<typeof resendDeliveries>(job);
  }
  await endBulkJob(job);
}

import type { Client } from '@temporalio/client';
import { describeError, type Logger } from '@clinic/shared/log';
import type { Stores } from '@clinic/prisma/stores';
import type { BulkJobRecord } from '@clinic/prisma/stores/bulk-jobs';
import { createAsk } from '@clinic/temporal/ask';
import { isReachable } from '@clinic/temporal/client';
import type { WorkflowStarter } from '@clinic/temporal/starter';
import { createCancelRun } from './cancel-run';
import { type Duty, type OnPass, startDuty, type Turn } from './duty';
import { inBatches } from './in-batches';

/** Jobs whose step one pass makes: clinics take turns. */
const JOBS_AT_ONCE = 50;
/** Runs that a step cancels. */
const RUNS_AT_ONCE = 32;

interface BulkDeps {
  stores: Stores;
  client: Client;
  starter: Pick<WorkflowStarter, 'startRun' | 'wakeDeliveries'>;
  log: Logger;
}

/** Goes on with the work on many records that people have asked for, in one process at a time. */
export function startBulkJobs({
  onPass,
  everyMs = 1_000,
  ...deps
}: BulkDeps & { onPass?: OnPass; everyMs?: number }): Duty {
  const { stores, log } = deps;
  return startDuty({ name: 'bulk', duties: stores.duties, everyMs, log, onPass, pass: createBulkPass(deps) });
}

/**
 * One step of each job that is due. What was begun stands in the job's row: a process that ends in the middle is followed by
 * one that does the same again, and what both have done counts once.
 */
function createBulkPass({ stores, client, starter, log }: BulkDeps): (turn: Turn) => Promise<boolean> {
  const cancel = createCancelRun({ stores, starter, ask: createAsk({ client, log }) });

  const cancelSome = async (job: BulkJobRecord, signal: AbortSignal): Promise<void> => {
    const { id, clinicId, requestedBy: by } = job;
    const runs = await stores.bulkJobs.takeRuns(job, RUNS_AT_ONCE);
    if (runs.length === 0) return;
    const { failures } = await inBatches(runs, signal, (workflowId) =>
      cancel({ clinicId, workflowId, by, id: `${id}-${workflowId}`, taskReason: 'follow_up_required' }),
    );
    if (signal.aborted) return;
    if (failures.length > 0) log.warn({ ...describeError(failures[0]), job: id }, 'runs could not be cancelled yet');
    await stores.bulkJobs.noteRuns(job, runs, failures.length === 0 || (await isReachable(client)));
  };

  const resendSome = async (job: BulkJobRecord, signal: AbortSignal): Promise<void> => {
    const { clinicId } = job;
    const endpointId = job.filter.endpointId ?? undefined;
    const subjects = await stores.bulkJobs.resendSome(job);
    // Those that are not woken now, the relay wakes.
    await inBatches(subjects, signal, (subject) => starter.wakeDeliveries({ clinicId, subject, endpointId }));
  };

  return async ({ signal }) => {
    const jobs = await stores.bulkJobs.due(JOBS_AT_ONCE);
    const { done, failures } = await inBatches(jobs, signal, (job) =>
      job.kind === 'cancel_runs' ? cancelSome(job, signal) : resendSome(job, signal),
    );
    if (failures.length > 0 && done === 0) throw failures[0];
    if (failures.length > 0) log.warn(describeError(failures[0]), 'a bulk job could not go on; trying again');
    return jobs.some(({ kind }) => kind === 'cancel_runs') && failures.length === 0;
  };
}

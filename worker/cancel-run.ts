import type { Client } from '@temporalio/client';
import type { BulkJobActivityDeps } from '@clinic/activities/bulk-jobs';
import { AppError } from '@clinic/shared/errors';
import type { Stores } from '@clinic/prisma/stores';
import { cancelRun } from '@clinic/workflows/messages';
import type { Ask } from '@clinic/temporal/ask';
import { isReachable } from '@clinic/temporal/client';
import type { WorkflowStarter } from '@clinic/temporal/starter';

/**
 * Cancels an open run as a person would, and leaves one that has ended as it is. `no_answer`: its workflow did not reply in
 * time. Throws `unavailable` while Temporal cannot be reached.
 */
export function createCancelRun({
  client,
  stores,
  starter,
  ask,
}: {
  client: Client;
  stores: Pick<Stores, 'runs'>;
  starter: Pick<WorkflowStarter, 'startRun'>;
  ask: Ask;
}): BulkJobActivityDeps['cancelRun'] {
  return async ({ clinicId, workflowId, by, id, taskReason }) => {
    const run = await stores.runs.find(clinicId, workflowId);
    if (run?.status !== 'started') return 'over';
    // Only its workflow may end a run: one that Temporal has not taken yet is started first.
    if (!run.dispatchedAt) {
      await starter.startRun(run);
      await stores.runs.markDispatched([workflowId]);
    }
    const asked = await ask(workflowId, cancelRun, { id, args: [{ by }] }).catch(async (error: unknown) => {
      const isUnanswered = error instanceof AppError && error.code === 'unavailable' && (await isReachable(client));
      if (!isUnanswered) throw error;
      return null;
    });
    if (asked === null) return 'no_answer';
    if (asked.kind !== 'not_running') return 'over';
    // Its workflow was terminated or lost: nobody else ends it.
    await stores.runs.end({
      clinicId,
      workflowId,
      status: 'cancelled',
      outcome: 'FOLLOW_UP_REQUIRED',
      taskReason,
      resolution: null,
      cancelledBy: by,
    });
    return 'over';
  };
}

import type { TaskReason } from '@clinic/shared/domain/task';
import type { Stores } from '@clinic/prisma/stores';
import type { Ask } from '@clinic/temporal/ask';
import type { WorkflowStarter } from '@clinic/temporal/starter';
import { cancelRun } from '@clinic/workflows/messages';

interface Cancellation {
  clinicId: string;
  workflowId: string;
  /** Who cancels it, as the audit names them. */
  by: string;
  /** The same whenever it is asked again. */
  id: string;
  /** Why staff get a task where no workflow is left to open one; null for none. */
  taskReason: TaskReason | null;
}

/** Cancels an open run as a person would, and leaves one that has ended as it is. Throws `unavailable` when its workflow does not answer. */
export function createCancelRun({
  stores,
  starter,
  ask,
}: {
  stores: Pick<Stores, 'runs'>;
  starter: Pick<WorkflowStarter, 'startRun'>;
  ask: Ask;
}): (cancellation: Cancellation) => Promise<void> {
  return async ({ clinicId, workflowId, by, id, taskReason }) => {
    const run = await stores.runs.find(clinicId, workflowId);
    if (run?.status !== 'started') return;
    // Only its workflow may end a run: one that Temporal has not taken yet is started first.
    if (!run.dispatchedAt) {
      await starter.startRun(run);
      await stores.runs.markDispatched([workflowId]);
    }
    const asked = await ask(workflowId, cancelRun, { id, args: [{ by }] });
    if (asked.kind !== 'not_running') return;
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
  };
}

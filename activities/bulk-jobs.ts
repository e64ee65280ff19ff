import type { ToReceiver } from '@clinic/shared/domain/events/delivery-owner';
import type { BulkJobWait } from '@clinic/shared/domain/operations/bulk-job';
import type { TaskReason } from '@clinic/shared/domain/tasks/task';
import type { Stores } from '@clinic/prisma/stores';
import type { CancelStep, Place, ResendStep } from '@clinic/prisma/stores/operations/bulk-steps';
import { withHeartbeat } from './heartbeat';

interface BulkJob {
  clinicId: string;
  id: string;
}

export interface RunToCancel {
  clinicId: string;
  workflowId: string;
  /** Who cancels it, as the audit names them. */
  by: string;
  /** The same whenever it is asked again. */
  id: string;
  /** Why staff get a task where no workflow is left to open one; null for none. */
  taskReason: TaskReason | null;
}

export interface BulkJobActivityDeps {
  stores: Stores;
  /** Cancels an open run as a person would. `no_answer`: its workflow did not reply in time. */
  cancelRun: (run: RunToCancel) => Promise<'over' | 'no_answer'>;
  wakeSender: (owner: ToReceiver) => Promise<void>;
}

/** What is done to many records at once, a step at a time. */
export function createBulkJobActivities({ stores, cancelRun, wakeSender }: BulkJobActivityDeps) {
  return {
    nextRunsToCancel: ({ clinicId, id, limit }: BulkJob & { limit: number }): Promise<CancelStep | null> =>
      stores.bulkSteps.nextRuns(clinicId, id, limit),

    cancelOpenRun: (run: RunToCancel): Promise<'over' | 'no_answer'> => withHeartbeat(() => cancelRun(run)),

    noteBulkWait: ({ clinicId, id, waitsFor }: BulkJob & { waitsFor: BulkJobWait }): Promise<void> =>
      stores.bulkSteps.noteWait(clinicId, id, waitsFor),

    noteCancelledRuns: ({ clinicId, id, step }: BulkJob & { step: CancelStep }): Promise<void> =>
      stores.bulkSteps.noteRuns(clinicId, id, step),

    placeOfBulkJob: ({ clinicId, id }: BulkJob): Promise<Place | null> => stores.bulkSteps.placeOf(clinicId, id),

    /** Queues some failed events again and wakes their senders. Null where nothing is left to send again. */
    resendSome: ({ clinicId, id, after }: BulkJob & { after: Place | null }): Promise<Resent | null> =>
      withHeartbeat(async () => {
        const step = await stores.bulkSteps.resendSome(clinicId, id, after);
        if (step === null) return null;
        const { owners, ...resent } = step;
        await Promise.all(owners.map(wakeSender));
        return resent;
      }),

    endBulkJob: ({ clinicId, id }: BulkJob): Promise<void> => stores.bulkJobs.end(clinicId, id),
  };
}

type Resent = Omit<ResendStep, 'owners'>;

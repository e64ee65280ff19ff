import { ApplicationFailure } from '@temporalio/activity';
import type { ClinicAction } from '@clinic/shared/contracts/approved-api';
import type { Said } from '@clinic/shared/domain/conversation';
import type { Stores } from '@clinic/prisma/stores';
import type { CallFact } from '@clinic/prisma/stores/calls';
import type { RunFacts } from '@clinic/prisma/stores/runs';

export type { RunFacts } from '@clinic/prisma/stores/runs';

export interface CallReview {
  facts: CallFact[];
  said: Said | null;
  /** What the clinic permits at its own API. */
  permitted: ClinicAction[];
}

/** What the workflows without a recovery case have done to their run. Each is safe to run twice. */
export function createRunActivities({ stores }: { stores: Stores }) {
  return {
    async loadRun({ clinicId, workflowId }: { clinicId: string; workflowId: string }): Promise<RunFacts> {
      const facts = await stores.runs.facts(clinicId, workflowId);
      if (!facts) throw ApplicationFailure.nonRetryable(`run ${workflowId} is unknown`, 'not_found');
      return facts;
    },

    endRun: (ending: {
      clinicId: string;
      workflowId: string;
      status: 'completed' | 'cancelled' | 'failed';
      outcome: string;
      taskReason: string | null;
    }): Promise<void> => stores.runs.finish(ending),

    async reviewCall({ clinicId, callId }: { clinicId: string; callId: string }): Promise<CallReview> {
      const review = await stores.calls.review(clinicId, callId);
      if (!review) throw ApplicationFailure.nonRetryable(`call ${callId} is unknown`, 'not_found');
      return { ...review, permitted: await stores.settings.permittedActions(clinicId) };
    },
  };
}

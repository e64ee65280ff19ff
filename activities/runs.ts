import { ApplicationFailure } from '@temporalio/activity';
import type { ClinicAction } from '@clinic/shared/contracts/approved-api';
import type { Said } from '@clinic/shared/domain/conversation';
import type { Outcome } from '@clinic/shared/domain/workflow-types';
import type { Stores } from '@clinic/prisma/stores';
import type { DecisionToRecord } from '@clinic/prisma/stores/call-decisions';
import type { RunEnding, RunFacts } from '@clinic/prisma/stores/runs';
import type { TaskToOpen } from '@clinic/prisma/stores/tasks';
import type { ToolChange } from '@clinic/prisma/stores/tool-calls';

export type { RunFacts } from '@clinic/prisma/stores/runs';

export interface CallReview {
  /** What the call's tools changed, in order. */
  changes: ToolChange[];
  /** What the platform's analysis heard; null where it heard nothing, or has not come. */
  said: Said | null;
  /** What the clinic permits at its own API. */
  permitted: ClinicAction[];
}

/** What the workflows have done to their runs, whatever type they are of. Each is safe to run twice. */
export function createRunActivities({ stores }: { stores: Stores }) {
  return {
    async loadRun({ clinicId, workflowId }: { clinicId: string; workflowId: string }): Promise<RunFacts> {
      const facts = await stores.runs.facts(clinicId, workflowId);
      if (!facts) throw ApplicationFailure.nonRetryable(`run ${workflowId} is unknown`, 'not_found');
      return facts;
    },

    /** Nobody may call the patient of an offer before `until`: the time goes to the next on the waitlist. */
    postponeOffer: (offer: { clinicId: string; workflowId: string; until: string }): Promise<void> =>
      stores.waitlistOffers.postpone(offer),

    /** Returns the outcome that stands: what the agent has resolved, where that was stored first. */
    endRun: (ending: RunEnding): Promise<Outcome> => stores.runs.end(ending),

    async reviewCall({ clinicId, callId }: { clinicId: string; callId: string }): Promise<CallReview> {
      const review = await stores.calls.review(clinicId, callId);
      if (!review) throw ApplicationFailure.nonRetryable(`call ${callId} is unknown`, 'not_found');
      return { ...review, permitted: await stores.settings.permittedActions(clinicId) };
    },

    /**
     * Why a patient is not called now, or no more. What leads to a call is stored with the call. Returns how many others wait
     * for the same instant; undefined in histories from before.
     */
    recordDecision: (decision: Omit<DecisionToRecord, 'callId'>): Promise<number | undefined> =>
      stores.callDecisions.record({ ...decision, callId: null }),

    openTask: (task: TaskToOpen): Promise<void> => stores.tasks.open(task),
  };
}

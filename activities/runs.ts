import { ApplicationFailure } from '@temporalio/activity';
import type { ClinicAction } from '@clinic/shared/contracts/events/approved-api';
import type { Said } from '@clinic/shared/domain/outreach/conversation';
import type { Outcome } from '@clinic/shared/domain/outreach/workflow-types';
import type { Stores } from '@clinic/prisma/stores';
import type { DecisionToRecord } from '@clinic/prisma/stores/outreach/call-decisions';
import type { RecordedEnd, RunFacts } from '@clinic/prisma/stores/outreach/run-facts';
import type { RunEnding } from '@clinic/prisma/stores/outreach/runs';
import type { TaskToOpen } from '@clinic/prisma/stores/tasks/tasks';
import type { ToolChange } from '@clinic/prisma/stores/voice/tool-calls';

export type { MadeCall, RecordedEnd, RunFacts } from '@clinic/prisma/stores/outreach/run-facts';

export interface CallReview {
  /** What the call's tools changed, in order. */
  changes: ToolChange[];
  /** What the platform's analysis heard; null where it heard nothing, or has not come. */
  said: Said | null;
  /** What the clinic permits at its own API. */
  permitted: ClinicAction[];
}

interface RunToLoad {
  clinicId: string;
  workflowId: string;
  callsAfter?: number;
}

/** What the workflows have done to their runs, whatever type they are of. Each is safe to run twice. */
export function createRunActivities({ stores }: { stores: Stores }) {
  return {
    /** `callsAfter`: the calls that the run made after this dial are among the facts. */
    async loadRun({ clinicId, workflowId, callsAfter }: RunToLoad): Promise<RunFacts> {
      const facts = await stores.runs.facts(clinicId, workflowId, callsAfter);
      if (!facts) throw ApplicationFailure.nonRetryable(`run ${workflowId} is unknown`, 'not_found');
      return facts;
    },

    /** Nobody may call the patient of an offer before `until`: the time goes to the next on the waitlist. */
    postponeOffer: (offer: { clinicId: string; workflowId: string; until: string }): Promise<void> =>
      stores.waitlistOffers.postpone(offer),

    /**
     * Returns the outcome that stands, such as what the agent has resolved, where that was stored first; the whole end where the
     * run had ended at another time.
     */
    async endRun(ending: RunEnding): Promise<Outcome | RecordedEnd> {
      const end = await stores.runs.end(ending);
      if (!end) return ending.outcome;
      return end.endedAt === ending.endedAt ? end.outcome : end;
    },

    async reviewCall({ clinicId, callId }: { clinicId: string; callId: string }): Promise<CallReview> {
      const review = await stores.calls.review(clinicId, callId);
      if (!review) throw ApplicationFailure.nonRetryable(`call ${callId} is unknown`, 'not_found');
      return { ...review, permitted: await stores.settings.permittedActions(clinicId) };
    },

    /**
     * Why a patient is not called now, or no more. What leads to a call is stored with the call. Returns how many others wait
     * for the same instant.
     */
    recordDecision: (decision: Omit<DecisionToRecord, 'callId'>): Promise<number> =>
      stores.callDecisions.record({ ...decision, callId: null }),

    openTask: (task: TaskToOpen): Promise<void> => stores.tasks.open(task),
  };
}

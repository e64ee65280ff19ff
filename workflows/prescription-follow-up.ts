import { agreed, type Conversation, did } from '@clinic/shared/domain/conversation';
import type { OutcomeOf } from '@clinic/shared/domain/workflow-types';
import { openRun, type RunInput } from './patient-run';
import { reachPatient } from './reach-patient';

type Informed = OutcomeOf<'prescription-follow-up'>;

/** A prescription has changed. Call the patient within the clinic's policy and tell them; questions go to the care team. */
export async function prescriptionFollowUp(input: RunInput): Promise<Informed> {
  const run = openRun('prescription-follow-up', input);
  return reachPatient(run, {
    decide: () => run.decide(),
    conclude: async (call) => informed(await run.review(call)),
    afterwards: () => run.tellClinicSystems(),
  });
}

function informed(talk: Conversation): Informed | null {
  if (did(talk, 'escalated') || talk.said === 'escalated') return 'ESCALATED';
  if (talk.said === 'declined' || talk.said === 'callback') return null;
  return did(talk, 'documented') || agreed(talk) ? 'INFORMED' : null;
}

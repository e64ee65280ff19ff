import { agreed, type Conversation, did } from '@clinic/shared/domain/outreach/conversation';
import type { OutcomeOf } from '@clinic/shared/domain/outreach/workflow-types';
import { openOutreach } from './outreach/outreach';
import type { RunInput } from './outreach/outreach-state';

type Informed = OutcomeOf<'prescription-follow-up'>;

/** A prescription has changed. Call the patient within the clinic's policy and tell them; questions go to the care team. */
export async function prescriptionFollowUp(input: RunInput): Promise<Informed> {
  const outreach = openOutreach('prescription-follow-up', input);
  return outreach.reach({
    decide: (facts) => outreach.nextCall(facts),
    uncalled: () => 'PATIENT_NOT_REACHED',
    conclude: async (call) => informed(await outreach.review(call)),
  });
}

function informed(talk: Conversation): Informed | null {
  if (did(talk, 'escalated') || talk.said === 'escalated') return 'ESCALATED';
  if (talk.said === 'declined' || talk.said === 'callback') return null;
  return did(talk, 'documented') || agreed(talk) ? 'INFORMED' : null;
}

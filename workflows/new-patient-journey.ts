import { type Conversation, did } from '@clinic/shared/domain/outreach/conversation';
import type { OutcomeOf } from '@clinic/shared/domain/outreach/workflow-types';
import { openOutreach } from './outreach/outreach';
import type { RunInput } from './outreach/outreach-state';

type Registration = OutcomeOf<'new-patient-journey'>;

/** Somebody wants to become a patient. Hold the call they placed, or call them, until their registration is complete. */
export async function newPatientJourney(input: RunInput): Promise<Registration> {
  const outreach = openOutreach('new-patient-journey', input);
  return outreach.reach({
    decide: (facts) => outreach.nextCall(facts),
    uncalled: () => 'PATIENT_NOT_REACHED',
    conclude: async (call) => registration(await outreach.review(call)),
  });
}

/** A conversation that came to its end without a complete registration leaves the rest to staff. */
function registration(talk: Conversation): Registration | null {
  if (did(talk, 'registered')) return 'REGISTERED';
  const isHeardThrough = talk.said === 'confirmed' || (talk.said === null && talk.isFinished);
  return isHeardThrough ? 'ACTION_REQUIRED' : null;
}

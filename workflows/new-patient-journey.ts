import { agreed, type Conversation, did } from '@clinic/shared/domain/conversation';
import type { OutcomeOf } from '@clinic/shared/domain/workflow-types';
import { openRun, type RunInput } from './patient-run';
import { reachPatient } from './reach-patient';

type Registration = OutcomeOf<'new-patient-journey'>;

/** Somebody wants to become a patient. Hold the call they placed, or call them, until their registration is complete. */
export async function newPatientJourney(input: RunInput): Promise<Registration> {
  const run = openRun('new-patient-journey', input);
  return reachPatient(run, {
    decide: () => run.decide({ isUrgent: true }),
    conclude: async (call) => registration(await run.review(call)),
    afterwards: () => run.tellClinicSystems(),
  });
}

/** A conversation that came to its end without a complete registration leaves the rest to staff. */
function registration(talk: Conversation): Registration | null {
  if (did(talk, 'registered')) return 'REGISTERED';
  return agreed(talk) ? 'ACTION_REQUIRED' : null;
}

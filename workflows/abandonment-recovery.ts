import type { RecoveryStatus } from '@clinic/shared/domain/calling-policy';
import { reachPatient } from './reach-patient';
import { openRecovery, type RecoveryInput } from './recovery-case';

/**
 * A patient left a form or checkout unfinished. Tell the clinic, then call the patient within its policy until the
 * form is finished, the call brings an outcome, or the attempts are used up. Every case ends in exactly one outcome.
 */
export async function abandonmentRecovery(input: RecoveryInput): Promise<RecoveryStatus> {
  const recovery = openRecovery(input);
  return reachPatient(recovery, {
    begin: () => recovery.announce(),
    decide: () => recovery.decide(),
    // What the agent resolved with its tool has ended the case already.
    conclude: async () => (recovery.wasCompletedInCall() ? 'RECOVERED' : null),
  });
}

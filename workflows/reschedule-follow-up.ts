import type { OutcomeOf } from '@clinic/shared/domain/workflow-types';
import type { RunInput } from './patient-run';
import { rebookPatient } from './rebooking';

/** A patient's appointment has to move. Call within the clinic's policy and agree on a new time. */
export async function rescheduleFollowUp(input: RunInput): Promise<OutcomeOf<'reschedule-follow-up'>> {
  return rebookPatient('reschedule-follow-up', input);
}

import type { OutcomeOf } from '@clinic/shared/domain/workflow-types';
import type { RunInput } from './patient-run';
import { rebookPatient } from './rebooking';

/** A patient cancelled an appointment and has no other. Call within the clinic's policy and offer a new time. */
export async function cancellationFollowUp(input: RunInput): Promise<OutcomeOf<'cancellation-follow-up'>> {
  return rebookPatient('cancellation-follow-up', input);
}

import type { OutcomeOf } from '@clinic/shared/domain/workflow-types';
import type { RunInput } from './patient-run';
import { rebookPatient } from './rebooking';

/** A patient is due for care that nobody has booked. Call within the clinic's policy and offer a time. */
export async function careGapFollowUp(input: RunInput): Promise<OutcomeOf<'care-gap-follow-up'>> {
  return rebookPatient('care-gap-follow-up', input);
}

import type * as Api from '../http/client/types.gen';
import { sentence } from './status';

/** What a call is about, in the words of its workflow type; a test call may be about nothing. */
export const workflowName = (type: string | null): string => (type === null ? 'Any workflow' : sentence(type));

const types: Record<Api.WorkflowType, true> = {
  'abandonment-recovery': true,
  'new-patient-journey': true,
  'cancellation-follow-up': true,
  'reschedule-follow-up': true,
  'care-gap-follow-up': true,
  'appointment-confirmation': true,
  'appointment-reminder': true,
  'payment-recovery': true,
  'prescription-follow-up': true,
};

/** In the order in which a filter lists them. */
export const workflowTypes = Object.keys(types).map((value) => ({
  value: value as Api.WorkflowType,
  label: workflowName(value),
}));

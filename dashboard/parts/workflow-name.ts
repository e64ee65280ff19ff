import type * as Api from '../http/client/types.gen';

const names: Record<Api.WorkflowType, string> = {
  'abandonment-recovery': 'Abandonment recovery',
  'new-patient-journey': 'New patient journey',
  'cancellation-follow-up': 'Cancellation follow-up',
  'reschedule-follow-up': 'Reschedule follow-up',
  'care-gap-follow-up': 'Care gap follow-up',
  'appointment-confirmation': 'Appointment confirmation',
  'appointment-reminder': 'Appointment reminder',
  'payment-recovery': 'Payment recovery',
  'prescription-follow-up': 'Prescription follow-up',
};

/** What a call is about; a test call may be about nothing. */
export const workflowName = (type: Api.WorkflowType | null): string => (type === null ? 'Any workflow' : names[type]);

export const isWorkflowType = (text: unknown): text is Api.WorkflowType =>
  typeof text === 'string' && Object.hasOwn(names, text);

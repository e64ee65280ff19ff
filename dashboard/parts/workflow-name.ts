import type * as api from '#api';
import { t } from '#texts';
import { sentence } from './code-words';

/** What a call is about: the form that was left, where it is known, or else its workflow type in words; a test call may be about nothing. */
export const callSubject = (type: string | null, formName: string | null | undefined): string =>
  formName ? t`Form “${formName}”` : workflowName(type);

export const workflowName = (type: string | null): string =>
  type === null ? t`No workflow` : ((names as Partial<Record<string, string>>)[type] ?? sentence(type));

const names: Record<api.WorkflowType, string> = {
  'abandonment-recovery': t`Abandonment recovery`,
  'new-patient-journey': t`New patient journey`,
  'cancellation-follow-up': t`Cancellation follow-up`,
  'reschedule-follow-up': t`Reschedule follow-up`,
  'care-gap-follow-up': t`Care gap follow-up`,
  'appointment-confirmation': t`Appointment confirmation`,
  'appointment-reminder': t`Appointment reminder`,
  'payment-recovery': t`Payment recovery`,
  'prescription-follow-up': t`Prescription follow-up`,
  'waitlist-offer': t`Waitlist offer`,
};

/** In the order in which a filter lists them. */
export const workflowTypeNames = Object.keys(names) as api.WorkflowType[];
export const workflowTypes = workflowTypeNames.map((value) => ({ value, label: workflowName(value) }));

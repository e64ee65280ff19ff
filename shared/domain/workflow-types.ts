/** Every workflow type with the outcomes it can end in, the happy one first (decisions, section 6). */
export const workflowTypes = {
  'abandonment-recovery': [
    'RECOVERED',
    'FOLLOW_UP_REQUIRED',
    'PRICING_ESCALATION',
    'CLINICAL_ESCALATION',
    'PATIENT_NOT_INTERESTED',
    'PATIENT_NOT_REACHED',
    'ALREADY_COMPLETED',
  ],
  'new-patient-journey': ['REGISTERED', 'ACTION_REQUIRED', 'PATIENT_NOT_REACHED', 'FOLLOW_UP_REQUIRED'],
  'cancellation-follow-up': ['REBOOKED', 'ESCALATED', 'DECLINED', 'PATIENT_NOT_REACHED', 'FOLLOW_UP_REQUIRED'],
  'reschedule-follow-up': ['REBOOKED', 'ESCALATED', 'DECLINED', 'PATIENT_NOT_REACHED', 'FOLLOW_UP_REQUIRED'],
  'care-gap-follow-up': ['REBOOKED', 'ESCALATED', 'DECLINED', 'PATIENT_NOT_REACHED', 'FOLLOW_UP_REQUIRED'],
  'appointment-confirmation': ['CONFIRMED', 'RESCHEDULED', 'CANCELLED', 'PATIENT_NOT_REACHED', 'FOLLOW_UP_REQUIRED'],
  'appointment-reminder': ['CONFIRMED', 'RESCHEDULED', 'CANCELLED', 'PATIENT_NOT_REACHED', 'FOLLOW_UP_REQUIRED'],
  'payment-recovery': [
    'SELF_PAY',
    'BILLING_ESCALATION',
    'INSURANCE_UPDATED',
    'PATIENT_NOT_REACHED',
    'FOLLOW_UP_REQUIRED',
  ],
  'prescription-follow-up': ['INFORMED', 'ESCALATED', 'PATIENT_NOT_REACHED', 'FOLLOW_UP_REQUIRED'],
} as const satisfies Record<string, readonly [string, ...string[]]>;

export type WorkflowType = keyof typeof workflowTypes;

export const workflowTypeNames = Object.keys(workflowTypes) as [WorkflowType, ...WorkflowType[]];

export const isWorkflowType = (text: string): text is WorkflowType => Object.hasOwn(workflowTypes, text);

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

export type OutcomeOf<Type extends WorkflowType> = (typeof workflowTypes)[Type][number];

/**
 * Why staff get a task when a workflow ends so; null when nothing is left for them to do. What the calls' tools changed
 * is told too: a tool that escalates opens a task of its own.
 */
export function taskForRun(outcome: string, changes: readonly string[]): string | null {
  switch (outcome) {
    case 'FOLLOW_UP_REQUIRED':
      return 'follow_up_required';
    case 'ACTION_REQUIRED':
      return 'registration_incomplete';
    case 'ESCALATED':
      return changes.includes('escalated') ? null : 'clinical_escalation';
    case 'BILLING_ESCALATION':
      return changes.includes('billing_escalated') ? null : 'billing_escalation';
    default:
      return null;
  }
}

export const workflowTypeNames = Object.keys(workflowTypes) as [WorkflowType, ...WorkflowType[]];

export const isWorkflowType = (text: string): text is WorkflowType => Object.hasOwn(workflowTypes, text);

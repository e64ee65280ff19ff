import type { ToolFact } from './conversation';
import type { TaskReason } from './task';

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

export type Outcome = OutcomeOf<WorkflowType>;

/** Why staff get a task when a workflow ends so; null where nothing is left for them to do. */
const tasks: Record<Outcome, TaskReason | null> = {
  RECOVERED: null,
  FOLLOW_UP_REQUIRED: 'follow_up_required',
  PRICING_ESCALATION: 'billing_escalation',
  CLINICAL_ESCALATION: 'clinical_escalation',
  PATIENT_NOT_INTERESTED: null,
  PATIENT_NOT_REACHED: null,
  ALREADY_COMPLETED: null,
  REGISTERED: null,
  ACTION_REQUIRED: 'registration_incomplete',
  REBOOKED: null,
  ESCALATED: 'clinical_escalation',
  DECLINED: null,
  CONFIRMED: null,
  RESCHEDULED: null,
  CANCELLED: null,
  SELF_PAY: null,
  BILLING_ESCALATION: 'billing_escalation',
  INSURANCE_UPDATED: null,
  INFORMED: null,
};

/** The task that an outcome leaves to staff. A tool that escalated during a call has opened the task itself. */
export function taskFor(outcome: Outcome, changes: readonly ToolFact[]): TaskReason | null {
  const isTaskOpen =
    (outcome === 'ESCALATED' && changes.includes('escalated')) ||
    (outcome === 'BILLING_ESCALATION' && changes.includes('billing_escalated'));
  return isTaskOpen ? null : tasks[outcome];
}

export const workflowTypeNames = Object.keys(workflowTypes) as [WorkflowType, ...WorkflowType[]];

/** Whether a patient waits for us: then the delay that a clinic gives before the first call does not apply. */
export const isUrgentType = (type: WorkflowType): boolean =>
  type === 'new-patient-journey' || type === 'appointment-reminder';

import type { ToolFact } from './conversation';
import type { TaskReason } from '../tasks/task';

interface Definition {
  /** How it can end, the happy outcome first (docs/contract.md, 6). */
  outcomes: readonly [string, ...string[]];
  /** Whether it calls to get a patient back, or to remind of a visit: there is an opt-out of such calls alone. */
  isRecoveryOrReminder: boolean;
  /** Whether its patient waits for us: the delay that a clinic gives before the first call does not apply. */
  isUrgent: boolean;
}

/** Every workflow type: what is asked of each one is asked here, so that a new one is answered in one place. */
export const workflowTypes = {
  'abandonment-recovery': {
    outcomes: [
      'RECOVERED',
      'FOLLOW_UP_REQUIRED',
      'PRICING_ESCALATION',
      'CLINICAL_ESCALATION',
      'PATIENT_NOT_INTERESTED',
      'PATIENT_NOT_REACHED',
      'ALREADY_COMPLETED',
    ],
    isRecoveryOrReminder: true,
    isUrgent: false,
  },
  'new-patient-journey': {
    outcomes: ['REGISTERED', 'ACTION_REQUIRED', 'PATIENT_NOT_REACHED', 'FOLLOW_UP_REQUIRED'],
    isRecoveryOrReminder: false,
    isUrgent: true,
  },
  'cancellation-follow-up': {
    outcomes: ['REBOOKED', 'ESCALATED', 'DECLINED', 'PATIENT_NOT_REACHED', 'FOLLOW_UP_REQUIRED'],
    isRecoveryOrReminder: true,
    isUrgent: false,
  },
  'reschedule-follow-up': {
    outcomes: ['REBOOKED', 'ESCALATED', 'DECLINED', 'PATIENT_NOT_REACHED', 'FOLLOW_UP_REQUIRED'],
    isRecoveryOrReminder: true,
    isUrgent: false,
  },
  'care-gap-follow-up': {
    outcomes: ['REBOOKED', 'ESCALATED', 'DECLINED', 'PATIENT_NOT_REACHED', 'FOLLOW_UP_REQUIRED'],
    isRecoveryOrReminder: true,
    isUrgent: false,
  },
  'appointment-confirmation': {
    outcomes: ['CONFIRMED', 'RESCHEDULED', 'CANCELLED', 'PATIENT_NOT_REACHED', 'FOLLOW_UP_REQUIRED'],
    isRecoveryOrReminder: true,
    isUrgent: false,
  },
  'appointment-reminder': {
    outcomes: ['CONFIRMED', 'RESCHEDULED', 'CANCELLED', 'PATIENT_NOT_REACHED', 'FOLLOW_UP_REQUIRED'],
    isRecoveryOrReminder: true,
    isUrgent: true,
  },
  'payment-recovery': {
    outcomes: ['SELF_PAY', 'BILLING_ESCALATION', 'INSURANCE_UPDATED', 'PATIENT_NOT_REACHED', 'FOLLOW_UP_REQUIRED'],
    isRecoveryOrReminder: false,
    isUrgent: false,
  },
  'prescription-follow-up': {
    outcomes: ['INFORMED', 'ESCALATED', 'PATIENT_NOT_REACHED', 'FOLLOW_UP_REQUIRED'],
    isRecoveryOrReminder: false,
    isUrgent: false,
  },
  'waitlist-offer': {
    outcomes: ['REBOOKED', 'ESCALATED', 'DECLINED', 'PATIENT_NOT_REACHED', 'FOLLOW_UP_REQUIRED'],
    isRecoveryOrReminder: true,
    isUrgent: true,
  },
} as const satisfies Record<string, Definition>;

export type WorkflowType = keyof typeof workflowTypes;

export type OutcomeOf<Type extends WorkflowType> = (typeof workflowTypes)[Type]['outcomes'][number];

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

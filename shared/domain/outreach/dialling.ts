import type { CallState } from './call-state';
import { type CallingWindows, isCallable } from './calling-windows';
import type { CaseState } from './case-state';
import { isOptedOut, type OptOutScope } from './opt-out';
import type { RunStatus } from './run-status';
import type { WorkflowType } from './workflow-types';

/** Why a call that was decided a moment ago must not ring any more. */
export const withdrawalReasons = [
  'call_over',
  'never_dialled',
  'run_over',
  'case_over',
  'form_completed',
  'window_over',
  'outside_hours',
  'paused',
  'opted_out',
  'number_changed',
  'appointment_changed',
  'superseded',
  'patient_limits',
  'clinic_limit',
  'patient_called',
  'phone_in_call',
] as const;
export type WithdrawalReason = (typeof withdrawalReasons)[number];

const HOUR = 3_600;

/**
 * How long to wait before the next decision, in seconds, after the n-th call in a row that was decided and withdrawn. One
 * is a change at the last moment; several mean that the decision and the check do not agree.
 */
export function withdrawalWaitSeconds(withdrawnInARow: number): number {
  return withdrawnInARow <= 1 ? 0 : Math.min(2 ** (withdrawnInARow - 2), HOUR);
}

/** All that is looked at in the moment before a phone rings. Null where there is no such thing. */
export interface DialFacts {
  state: CallState;
  runStatus: RunStatus | null;
  caseStatus: CaseState | null;
  workflowType: WorkflowType | null;
  optOutScope: OptOutScope | null;
  isFormCompleted: boolean;
  /** The patient has another number by now, or none. */
  isNumberChanged: boolean;
  isPaused: boolean;
  isWindowOver: boolean;
  isAppointmentChanged: boolean;
  /** A later event of the same appointment, prescription or payment has come, or it is settled. */
  isSuperseded: boolean;
  hadItsCalls: boolean;
  /** The clinic has called as many numbers today as its operator allows, and not this one. */
  isClinicAtLimit: boolean;
  /** The patient has called us since the call was decided, and was answered. */
  hasCalledMeanwhile: boolean;
  /** The phone is in another call of the clinic, no matter who placed it. */
  isTalking: boolean;
  /** The hours in which the phone may ring, and the moment at which it would. */
  windows: (CallingWindows & { at: string }) | null;
}

/** Which rule forbids the call now; null where all permit it. */
export function whyNotDial(facts: DialFacts): WithdrawalReason | null {
  if (facts.state === 'ENDED') return 'call_over';
  if (facts.runStatus !== null && facts.runStatus !== 'started') return 'run_over';
  if (facts.isFormCompleted) return 'form_completed';
  if (facts.caseStatus !== null && facts.caseStatus !== 'CALLING') return 'case_over';
  if (facts.isPaused) return 'paused';
  if (facts.workflowType !== null && isOptedOut(facts.optOutScope, facts.workflowType)) return 'opted_out';
  if (facts.isNumberChanged) return 'number_changed';
  if (facts.windows === null || !isCallable(facts.windows)) return 'outside_hours';
  if (facts.isWindowOver) return 'window_over';
  if (facts.isAppointmentChanged) return 'appointment_changed';
  if (facts.isSuperseded) return 'superseded';
  if (facts.hadItsCalls) return 'patient_limits';
  if (facts.isClinicAtLimit) return 'clinic_limit';
  if (facts.hasCalledMeanwhile) return 'patient_called';
  return facts.isTalking ? 'phone_in_call' : null;
}

/** What is looked at when a call that was decided asks for a line. */
export interface LineFacts {
  /** Calls that this phone had from the clinic in 24 hours, and in seven days. */
  callsInDay: number;
  callsInWeek: number;
  /** Null for no limit. */
  callsPerPatientPerDay: number | null;
  callsPerPatientPerWeek: number | null;
  /** As of `DialFacts`. */
  isClinicAtLimit: boolean;
  /** The case that the call is about has ended. */
  isCaseOver: boolean;
}

/** Which rule forbids that the call gets a line, now or later; null where it gets one or waits for one. */
export function whyNoLine(facts: LineFacts): WithdrawalReason | null {
  const { callsInDay, callsInWeek, callsPerPatientPerDay, callsPerPatientPerWeek } = facts;
  if (callsInDay >= (callsPerPatientPerDay ?? Infinity)) return 'patient_limits';
  if (callsInWeek >= (callsPerPatientPerWeek ?? Infinity)) return 'patient_limits';
  if (facts.isClinicAtLimit) return 'clinic_limit';
  return facts.isCaseOver ? 'case_over' : null;
}

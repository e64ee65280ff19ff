import { nextCallingTime, type CallingHours } from './calling-hours';
import { plusSeconds, toInstant } from './clinic-time';
import { workflowTypes } from './workflow-types';
import { hourMs } from './zone-offsets';

/** How a clinic wants patients who left a form unfinished to be called. */
export interface CallingPolicy {
  firstCallDelaySeconds: number;
  maxAttempts: number;
  /** From the end of one attempt to the next. */
  secondsBetweenAttempts: number;
  callingHours: CallingHours;
  maxConcurrentCalls: number;
  /** At most this many calls to one patient in any 24 hours, whatever they are about; null for no limit. */
  callsPerPatientPerDay: number | null;
  /** At most this many calls to one patient in any 7 days, whatever they are about; null for no limit. */
  callsPerPatientPerWeek: number | null;
}

const officeDay = [{ opens: '09:00', closes: '18:00' }];

/** The policy of a clinic that has not set one. */
export const defaultCallingPolicy: CallingPolicy = {
  firstCallDelaySeconds: 300,
  maxAttempts: 3,
  secondsBetweenAttempts: 20 * 3600,
  callingHours: {
    monday: officeDay,
    tuesday: officeDay,
    wednesday: officeDay,
    thursday: officeDay,
    friday: officeDay,
    saturday: officeDay,
  },
  maxConcurrentCalls: 10,
  callsPerPatientPerDay: 1,
  callsPerPatientPerWeek: 3,
};

/** How a recovery case can end. */
export const recoveryStatuses = workflowTypes['abandonment-recovery'];
export type RecoveryStatus = (typeof recoveryStatuses)[number];

/** The states of a recovery case: open ones first, then the ways it ends. */
export const caseStates = ['PENDING', 'CALLING', ...recoveryStatuses] as const;
export type CaseState = (typeof caseStates)[number];

/** Whether a state is an ending, which never changes again. */
export function isTerminal(state: CaseState): state is RecoveryStatus {
  return state !== 'PENDING' && state !== 'CALLING';
}

/** Why staff get a task when a case ends so; null when nothing is left for them to do. */
export function taskForOutcome(status: RecoveryStatus): string | null {
  if (status === 'PRICING_ESCALATION') return 'billing_escalation';
  if (status === 'CLINICAL_ESCALATION') return 'clinical_escalation';
  if (status === 'FOLLOW_UP_REQUIRED') return 'follow_up_required';
  return null;
}

/** What is known when the next step of a recovery case is decided. */
export interface CallingFacts {
  /** Whether there is a phone that can be dialled. */
  phone: boolean;
  isOptedOut: boolean;
  isFormCompleted: boolean;
  attemptsMade: number;
  policy: CallingPolicy;
  clinicZone: string;
  now: string;
  caseOpenedAt: string;
  lastAttemptEndedAt: string | null;
  /** When the patient was called before, for any reason; left out where the limits per patient are not to be applied. */
  previousCallsAt?: readonly string[];
}

/** Why the next call is not made at once. */
export const waitReasons = ['first_call_delay', 'between_attempts', 'patient_limits', 'calling_hours'] as const;
export type WaitReason = (typeof waitReasons)[number];
export type EndReason = 'form_completed' | 'no_phone' | 'opted_out' | 'attempts_exhausted' | 'no_calling_hours';
export type UncalledOutcome = 'ALREADY_COMPLETED' | 'PATIENT_NOT_INTERESTED' | 'PATIENT_NOT_REACHED';

export type NextStep =
  | { kind: 'end'; outcome: UncalledOutcome; reason: EndReason }
  | { kind: 'wait'; until: string; reason: WaitReason }
  | { kind: 'call'; attempt: number };

/** What a recovery case does next: end without a call, wait until a time inside calling hours, or call now. */
export function nextStep(facts: CallingFacts): NextStep {
  if (facts.isFormCompleted) return { kind: 'end', outcome: 'ALREADY_COMPLETED', reason: 'form_completed' };
  if (!facts.phone) return { kind: 'end', outcome: 'PATIENT_NOT_REACHED', reason: 'no_phone' };
  if (facts.isOptedOut) return { kind: 'end', outcome: 'PATIENT_NOT_INTERESTED', reason: 'opted_out' };
  if (facts.attemptsMade >= facts.policy.maxAttempts) {
    return { kind: 'end', outcome: 'PATIENT_NOT_REACHED', reason: 'attempts_exhausted' };
  }

  const due = dueTime(facts);
  const until = nextCallingTime({ hours: facts.policy.callingHours, zone: facts.clinicZone, from: due.at });
  if (until === null) return { kind: 'end', outcome: 'PATIENT_NOT_REACHED', reason: 'no_calling_hours' };
  if (Date.parse(until) > Date.parse(facts.now)) return { kind: 'wait', until, reason: due.reason };
  return { kind: 'call', attempt: facts.attemptsMade + 1 };
}

/** The earliest instant, `now` or later, at which the limits per patient permit a call; the windows roll. */
export function allowedCallTime({ previousCallsAt, policy, now }: PatientCalls): string {
  const latestFirst = previousCallsAt.map((at) => Date.parse(at)).toSorted((one, other) => other - one);
  return toInstant(
    Math.max(
      Date.parse(now),
      roomInWindow(latestFirst, policy.callsPerPatientPerDay, 24 * hourMs),
      roomInWindow(latestFirst, policy.callsPerPatientPerWeek, 7 * 24 * hourMs),
    ),
  );
}

export interface PatientCalls {
  previousCallsAt: readonly string[];
  policy: Pick<CallingPolicy, 'callsPerPatientPerDay' | 'callsPerPatientPerWeek'>;
  now: string;
}

/** When the case may call again, calling hours apart, and which rule says so. */
function dueTime({ policy, now, ...facts }: CallingFacts): { at: string; reason: WaitReason } {
  const paced = facts.attemptsMade === 0 ? firstCall(facts, policy) : laterCall(facts, policy);
  const permitted = allowedCallTime({ previousCallsAt: facts.previousCallsAt ?? [], policy, now });
  const soonest = Date.parse(paced.at);
  if (Date.parse(permitted) > Math.max(soonest, Date.parse(now))) return { at: permitted, reason: 'patient_limits' };
  return soonest > Date.parse(now) ? paced : { at: now, reason: 'calling_hours' };
}

type Pace = { at: string; reason: WaitReason };

function firstCall({ caseOpenedAt }: Pick<CallingFacts, 'caseOpenedAt'>, policy: CallingPolicy): Pace {
  return { at: plusSeconds(caseOpenedAt, policy.firstCallDelaySeconds), reason: 'first_call_delay' };
}

function laterCall(facts: Pick<CallingFacts, 'caseOpenedAt' | 'lastAttemptEndedAt'>, policy: CallingPolicy): Pace {
  const last = facts.lastAttemptEndedAt ?? facts.caseOpenedAt;
  return { at: plusSeconds(last, policy.secondsBetweenAttempts), reason: 'between_attempts' };
}

/** When fewer than `limit` calls lie in the window that ends then. */
function roomInWindow(latestFirst: readonly number[], limit: number | null, windowMs: number): number {
  const oldestCounted = limit === null ? undefined : latestFirst[Math.max(1, limit) - 1];
  return oldestCounted === undefined ? -Infinity : oldestCounted + windowMs;
}

import { isWithinCallingHours, type CallingHours } from './calling-hours';
import { type CallingWindows, nextCallableTime } from './calling-windows';
import { plusSeconds, toInstant } from '../calendar/clinic-time';
import type { UnknownZone } from './patient-zones';
import type { PreferredCallHours } from './preferred-hours';
import { hourMs } from '../calendar/zone-offsets';

/** How a clinic wants its patients to be called, whatever it is about. */
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
  /** Where a number that tells no time zone is taken to be. */
  unknownZone: UnknownZone;
  /** The simulator rings nobody, so its calls keep the patients' hours only where a clinic wants to try it. */
  simulatorKeepsPatientHours: boolean;
  /** Calls open with a sentence that says who calls, for which clinic, and that it is an automated assistant. */
  disclosesAutomation: boolean;
  /** Calls act on the calendar kept here where the clinic has no sandbox. */
  booksInOwnCalendar: boolean;
  /** Calls about a cancelled or a missing visit may book one for a patient who has none. */
  booksFollowUps: boolean;
  /** A booking of a caller whom nobody has verified is a request that staff confirm. */
  confirmsBookings: boolean;
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
  unknownZone: 'country',
  simulatorKeepsPatientHours: false,
  disclosesAutomation: true,
  booksInOwnCalendar: false,
  booksFollowUps: false,
  confirmsBookings: false,
};

/** What is known of a patient when the next call is decided. */
export interface CallingFacts {
  /** A later event of the same appointment, prescription or payment has come, or it is settled; left out of facts of an earlier version. */
  isSuperseded?: boolean;
  /** There is one that can be dialled. */
  hasPhone: boolean;
  isOptedOut: boolean;
  attemptsMade: number;
  /** The patient waits for the first call: nothing puts it off. Left out where they do not. */
  isUrgent?: boolean;
  policy: CallingPolicy;
  clinicZone: string;
  /** Every time zone that the patient may live in; none where nobody's phone rings. */
  patientZones: readonly string[];
  /** When the patient asked to be called; left out or null where they asked for nothing. */
  preferredHours?: PreferredCallHours | null;
  /** Outreach is paused, `until` null where nobody has said how long. */
  pause: { until: string | null } | null;
  now: string;
  /** When it was decided that the patient should be called: the delay before the first call counts from here. */
  openedAt: string;
  lastAttemptEndedAt: string | null;
  /** When a call of the patient's own ended that was answered since then; left out or null where there was none. */
  patientCalledAt?: string | null;
  /** When the patient was called before, for any reason; left out where the limits per patient are not to be applied. */
  previousCallsAt?: readonly string[];
  /**
   * The clinic has called as many different numbers today as its operator allows, and not this one: from when on it may. Null
   * where it may now.
   */
  clinicLimitUntil: string | null;
  /** From here on a call is of no use; left out or null where it always is. */
  uselessFrom?: string | null;
}

/** Why the next call is not made at once. */
export const waitReasons = [
  'first_call_delay',
  'between_attempts',
  'patient_called',
  'patient_limits',
  'clinic_limit',
  'calling_hours',
  'patient_hours',
  'preferred_hours',
  'paused',
] as const;
export type WaitReason = (typeof waitReasons)[number];

/** Why no call is made any more. */
export const noCallReasons = [
  'superseded',
  'no_phone',
  'opted_out',
  'attempts_exhausted',
  'no_calling_hours',
  'no_preferred_hours',
  'too_late',
] as const;
export type NoCallReason = (typeof noCallReasons)[number];

export type NextStep =
  | { kind: 'wait'; until: string; reason: WaitReason }
  | { kind: 'call'; attempt: number }
  | { kind: 'no_call'; reason: NoCallReason };

/** Whether a patient is called now, at a later time inside calling hours, or no more. What that means is for each workflow to say. */
export function nextStep(facts: CallingFacts): NextStep {
  const { policy, now, attemptsMade, uselessFrom = null } = facts;
  // The later event has a run of its own, or the patient knows.
  if (facts.isSuperseded) return { kind: 'no_call', reason: 'superseded' };
  if (!facts.hasPhone) return { kind: 'no_call', reason: 'no_phone' };
  if (facts.isOptedOut) return { kind: 'no_call', reason: 'opted_out' };
  if (attemptsMade >= policy.maxAttempts) return { kind: 'no_call', reason: 'attempts_exhausted' };

  const due = withinClinicLimit(dueTime(facts), facts);
  const windows = windowsOf(facts);
  const until = nextCallableTime({ ...windows, from: due.at });
  const untilUnasked = facts.preferredHours
    ? nextCallableTime({ ...windows, preferredHours: null, from: due.at })
    : until;
  if (until === null) {
    return { kind: 'no_call', reason: untilUnasked === null ? 'no_calling_hours' : 'no_preferred_hours' };
  }
  if (Date.parse(until) <= Date.parse(now)) {
    return facts.pause === null
      ? { kind: 'call', attempt: attemptsMade + 1 }
      : { kind: 'wait', until: lookAgainAt(facts.pause, facts), reason: 'paused' };
  }
  if (uselessFrom !== null && Date.parse(until) >= Date.parse(uselessFrom)) {
    return { kind: 'no_call', reason: 'too_late' };
  }
  // What the patient asked for explains the wait, where it alone makes it longer.
  if (until !== untilUnasked) return { kind: 'wait', until, reason: 'preferred_hours' };
  if (due.reason !== 'calling_hours') return { kind: 'wait', until, reason: due.reason };
  const { hours, clinicZone } = windows;
  const inClinicHours = isWithinCallingHours({ hours, zone: clinicZone, at: now });
  return { kind: 'wait', until, reason: inClinicHours ? 'patient_hours' : 'calling_hours' };
}

/** The hours in which a patient may be called. */
export const windowsOf = (
  facts: Pick<CallingFacts, 'policy' | 'clinicZone' | 'patientZones' | 'preferredHours'>,
): CallingWindows => ({
  hours: facts.policy.callingHours,
  clinicZone: facts.clinicZone,
  patientZones: facts.patientZones,
  preferredHours: facts.preferredHours ?? null,
});

/** Who waits out a pause stands in line, and gets a line when it is over; one that nobody ended is looked at once a day. */
function lookAgainAt(pause: { until: string | null }, { now, uselessFrom = null }: CallingFacts): string {
  const resumesAt = pause.until === null ? Infinity : Date.parse(pause.until);
  const uselessAt = uselessFrom === null ? Infinity : Date.parse(uselessFrom);
  const inADay = Date.parse(now) + 24 * hourMs;
  return toInstant(Math.min(inADay, resumesAt, uselessAt > Date.parse(now) ? uselessAt : Infinity));
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

function withinClinicLimit(due: Pace, { clinicLimitUntil }: Pick<CallingFacts, 'clinicLimitUntil'>): Pace {
  if (clinicLimitUntil === null || Date.parse(clinicLimitUntil) <= Date.parse(due.at)) return due;
  return { at: clinicLimitUntil, reason: 'clinic_limit' };
}

/** When the patient may be called again, calling hours apart, and which rule says so. */
function dueTime({ policy, now, ...facts }: CallingFacts): { at: string; reason: WaitReason } {
  const paced = afterOwnCall(
    facts.attemptsMade === 0 ? firstCall(facts, policy) : laterCall(facts, policy),
    facts,
    policy,
  );
  const permitted = allowedCallTime({ previousCallsAt: facts.previousCallsAt ?? [], policy, now });
  const soonest = Date.parse(paced.at);
  if (Date.parse(permitted) > Math.max(soonest, Date.parse(now))) return { at: permitted, reason: 'patient_limits' };
  return soonest > Date.parse(now) ? paced : { at: now, reason: 'calling_hours' };
}

type Pace = { at: string; reason: WaitReason };

function firstCall({ openedAt, isUrgent }: Pick<CallingFacts, 'openedAt' | 'isUrgent'>, policy: CallingPolicy): Pace {
  return { at: plusSeconds(openedAt, isUrgent ? 0 : policy.firstCallDelaySeconds), reason: 'first_call_delay' };
}

/** A patient who has called us themselves is called as late as after an attempt of ours that ended then. */
function afterOwnCall(
  paced: Pace,
  {
    patientCalledAt = null,
    attemptsMade,
    isUrgent,
  }: Pick<CallingFacts, 'patientCalledAt' | 'attemptsMade' | 'isUrgent'>,
  policy: CallingPolicy,
): Pace {
  if (patientCalledAt === null || (isUrgent && attemptsMade === 0)) return paced;
  const at = plusSeconds(patientCalledAt, policy.secondsBetweenAttempts);
  return Date.parse(at) > Date.parse(paced.at) ? { at, reason: 'patient_called' } : paced;
}

function laterCall(facts: Pick<CallingFacts, 'openedAt' | 'lastAttemptEndedAt'>, policy: CallingPolicy): Pace {
  const last = facts.lastAttemptEndedAt ?? facts.openedAt;
  return { at: plusSeconds(last, policy.secondsBetweenAttempts), reason: 'between_attempts' };
}

/** When fewer than `limit` calls lie in the window that ends then. */
function roomInWindow(latestFirst: readonly number[], limit: number | null, windowMs: number): number {
  const oldestCounted = limit === null ? undefined : latestFirst[Math.max(1, limit) - 1];
  return oldestCounted === undefined ? -Infinity : oldestCounted + windowMs;
}

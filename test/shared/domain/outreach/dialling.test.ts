import {
  callRules,
  checked,
  checkedForLine,
  type Decision,
  decidedAgain,
  ruleOf,
} from '@clinic/shared/domain/outreach/call-decisions';
import { type CallingFacts, defaultCallingPolicy } from '@clinic/shared/domain/outreach/calling-policy';
import {
  type DialFacts,
  type LineFacts,
  whyNoLine,
  whyNotDial,
  type WithdrawalReason,
  withdrawalReasons,
  withdrawalWaitSeconds,
} from '@clinic/shared/domain/outreach/dialling';

const windows = {
  hours: { monday: [{ opens: '09:00', closes: '18:00' }] },
  clinicZone: 'America/Denver',
  patientZones: [],
  preferredHours: null,
  at: '2026-11-23T17:00:00.000Z',
};
const permitted: DialFacts = {
  state: 'QUEUED',
  runStatus: 'started',
  caseStatus: 'CALLING',
  workflowType: 'abandonment-recovery',
  optOutScope: null,
  isFormCompleted: false,
  isNumberChanged: false,
  isPaused: false,
  isWindowOver: false,
  isAppointmentChanged: false,
  isSuperseded: false,
  hadItsCalls: false,
  isClinicAtLimit: false,
  hasCalledMeanwhile: false,
  isTalking: false,
  windows,
};

/** Each rule with what breaks it, in the order in which they are told. */
const broken: [WithdrawalReason, Partial<DialFacts>][] = [
  ['call_over', { state: 'ENDED' }],
  ['run_over', { runStatus: 'completed' }],
  ['form_completed', { isFormCompleted: true }],
  ['case_over', { caseStatus: 'RECOVERED' }],
  ['paused', { isPaused: true }],
  ['opted_out', { optOutScope: 'all' }],
  ['number_changed', { isNumberChanged: true }],
  ['outside_hours', { windows: { ...windows, at: '2026-11-23T15:59:00.000Z' } }],
  ['window_over', { isWindowOver: true }],
  ['appointment_changed', { isAppointmentChanged: true }],
  ['superseded', { isSuperseded: true }],
  ['patient_limits', { hadItsCalls: true }],
  ['clinic_limit', { isClinicAtLimit: true }],
  ['patient_called', { hasCalledMeanwhile: true }],
  ['phone_in_call', { isTalking: true }],
];

test.each(broken)('a phone does not ring: %s', (reason, change) => {
  expect(whyNotDial({ ...permitted, ...change })).toBe(reason);
  expect(checked({ ...permitted, ...change }).decided).toEqual({ kind: 'withdrawn', because: reason });
});

test('of several rules that forbid a call the first is told', () => {
  const told = broken.map((_, index) =>
    whyNotDial(Object.assign({}, permitted, ...broken.slice(index).map(([, change]) => change))),
  );

  expect(told).toEqual(broken.map(([reason]) => reason));
});

test.each<[string, Partial<DialFacts>]>([
  ['all rules hold', {}],
  ['a call of no run', { runStatus: null }],
  ['a call of no case', { caseStatus: null }],
  ['a test call to somebody who opted out', { workflowType: null, optOutScope: 'all' }],
  ['an opt-out of other calls', { workflowType: 'payment-recovery', optOutScope: 'recovery_and_reminders' }],
])('a phone rings: %s', (_situation, change) => {
  expect(whyNotDial({ ...permitted, ...change })).toBeNull();
  expect(checked({ ...permitted, ...change })).toMatchObject({ stage: 'dial', decided: { kind: 'begun' } });
});

test('no phone rings where no hours are known', () => {
  expect(whyNotDial({ ...permitted, windows: null })).toBe('outside_hours');
});

const free: LineFacts = {
  callsInDay: 0,
  callsInWeek: 2,
  callsPerPatientPerDay: 1,
  callsPerPatientPerWeek: 3,
  isClinicAtLimit: false,
  isCaseOver: false,
};

test.each<[string, Partial<LineFacts>, WithdrawalReason | null]>([
  ['fewer calls than the limits', {}, null],
  ['as many calls in a day as the limit', { callsInDay: 1 }, 'patient_limits'],
  ['as many calls in a week as the limit', { callsInWeek: 3 }, 'patient_limits'],
  ['no limit of a day', { callsInDay: 9, callsPerPatientPerDay: null }, null],
  ['no limit of a week', { callsInWeek: 9, callsPerPatientPerWeek: null }, null],
  ['the clinic at its limit', { isClinicAtLimit: true, isCaseOver: true }, 'clinic_limit'],
  ['a case that is over', { isCaseOver: true }, 'case_over'],
  ['a patient at the limit, of a clinic at its own', { callsInDay: 1, isClinicAtLimit: true }, 'patient_limits'],
])('a line for a call: %s', (_situation, change, reason) => {
  expect(whyNoLine({ ...free, ...change })).toBe(reason);
  expect(checkedForLine({ ...free, ...change }).decided).toEqual(
    reason === null ? { kind: 'begun' } : { kind: 'withdrawn', because: reason },
  );
});

test('calls that are withdrawn again and again wait longer each time, an hour at most', () => {
  expect([0, 1, 2, 3, 4, 5, 13, 14, 40].map(withdrawalWaitSeconds)).toEqual([0, 0, 1, 2, 4, 8, 2_048, 3_600, 3_600]);
});

const planned: CallingFacts = {
  hasPhone: true,
  isOptedOut: false,
  attemptsMade: 0,
  policy: defaultCallingPolicy,
  clinicZone: 'America/Denver',
  patientZones: [],
  pause: null,
  now: '2026-11-23T17:00:00.000Z',
  openedAt: '2026-11-23T16:00:00.000Z',
  lastAttemptEndedAt: null,
  clinicLimitUntil: null,
};

test.each<[string, Decision, string]>([
  ['a call', { stage: 'plan', inputs: planned, decided: { kind: 'call', attempt: 1 } }, 'due'],
  [
    'a wait',
    {
      stage: 'plan',
      inputs: { ...planned, openedAt: planned.now },
      decided: { kind: 'wait', until: '2026-11-23T17:05:00.000Z', reason: 'first_call_delay' },
    },
    'first_call_delay',
  ],
  [
    'no call',
    { stage: 'plan', inputs: { ...planned, hasPhone: false }, decided: { kind: 'no_call', reason: 'no_phone' } },
    'no_phone',
  ],
  ['a line', checkedForLine(free), 'all_rules_hold'],
  ['no line', checkedForLine({ ...free, isCaseOver: true }), 'case_over'],
  ['a phone that rings', checked(permitted), 'all_rules_hold'],
  ['one that does not', checked({ ...permitted, isPaused: true }), 'paused'],
])('a decision names the rule that made it, and is made again of the same: %s', (_what, decision, rule) => {
  expect(ruleOf(decision)).toBe(rule);
  expect(decidedAgain(decision)).toEqual(decision.decided);
});

test('each rule that decides about calls is named once', () => {
  expect(callRules).toEqual([
    'due',
    'all_rules_hold',
    'first_call_delay',
    'between_attempts',
    'patient_called',
    'patient_limits',
    'clinic_limit',
    'calling_hours',
    'patient_hours',
    'preferred_hours',
    'paused',
    'superseded',
    'no_phone',
    'opted_out',
    'attempts_exhausted',
    'no_calling_hours',
    'no_preferred_hours',
    'too_late',
    ...withdrawalReasons.filter(
      (reason) =>
        !['paused', 'superseded', 'opted_out', 'patient_limits', 'clinic_limit', 'patient_called'].includes(reason),
    ),
  ]);
});

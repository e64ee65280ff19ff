import { proposedTimeId, readProposedTimeId } from '@clinic/shared/domain/calendar/proposed-time';
import {
  isConflictReason,
  isRefusalReason,
  refusals,
  type RefusalReason,
} from '@clinic/shared/domain/calendar/refusals';
import { explainTime, type TimeReason } from '@clinic/shared/domain/calendar/time-explained';
import {
  intervalsOfDay,
  intervalsWith,
  isDayOff,
  specialDaysProblem,
  weekdays,
  weeklyHoursProblem,
  withClosedDays,
} from '@clinic/shared/domain/calendar/weekly-hours';

const morning = { opens: '09:00', closes: '12:30' };
const afternoon = { opens: '13:05', closes: '24:00' };

test('each day since 1970 has the hours of its weekday, and those before too', () => {
  const hours = Object.fromEntries(weekdays.map((day, index) => [day, [{ opens: `0${index}:00`, closes: '12:00' }]]));
  const opensOn = (day: number) => (intervalsOfDay(hours, day)[0]?.opens ?? 0) / 60;

  expect([-11, -5, -4, -1, 0, 1, 2, 3, 4, 20_781].map((day) => weekdays[opensOn(day)])).toEqual([
    'sunday',
    'saturday',
    'sunday',
    'wednesday',
    'thursday',
    'friday',
    'saturday',
    'sunday',
    'monday',
    'tuesday',
  ]);
  expect(intervalsOfDay({ thursday: [morning, afternoon] }, 0)).toEqual([
    { opens: 540, closes: 750 },
    { opens: 785, closes: 1_440 },
  ]);
  expect(intervalsOfDay({}, 0)).toEqual([]);
});

test('a special day goes before its weekday, and a closed day before both', () => {
  const hours = { thursday: [morning] };
  const special = { '1970-01-01': [afternoon], '1970-01-08': [] };
  const closed = withClosedDays(special, { '1970-01-01': 'New Year', '1970-01-15': 'Stocktaking' });

  expect([0, 7, 14].map((day) => intervalsWith(special, hours, day).length)).toEqual([1, 0, 1]);
  expect(intervalsWith(special, hours, 0)).toEqual([{ opens: 785, closes: 1_440 }]);
  expect([0, 7, 14].map((day) => isDayOff(special, day))).toEqual([false, true, false]);
  expect(closed).toEqual({ '1970-01-01': [], '1970-01-08': [], '1970-01-15': [] });
});

test.each<[string, unknown, string | null]>([
  ['two stretches that touch', [{ opens: '00:00', closes: '13:05' }, afternoon], null],
  ['a closed day', [], null],
  ['no list', morning, 'monday must be a list of intervals'],
  ['an empty stretch', [{ opens: '09:00', closes: '09:00' }], 'monday closes before it opens'],
  ['a stretch over midnight', [{ opens: '18:00', closes: '02:00' }], 'monday closes before it opens'],
  [
    'a stretch that begins in another',
    [morning, { opens: '12:29', closes: '18:00' }],
    'monday has intervals that overlap or are out of order',
  ],
  ['stretches out of order', [afternoon, morning], 'monday has intervals that overlap or are out of order'],
  ['nothing', [null], 'monday needs opens and closes as HH:MM'],
  ['a text', ['09:00'], 'monday needs opens and closes as HH:MM'],
  ['no end', [{ opens: '09:00' }], 'monday needs opens and closes as HH:MM'],
  ['no beginning', [{ closes: '09:00' }], 'monday needs opens and closes as HH:MM'],
  ['a beginning at 24:00', [{ opens: '24:00', closes: '24:00' }], 'monday needs opens and closes as HH:MM'],
  ['an end of no clock', [{ opens: '09:00', closes: '24:01' }], 'monday needs opens and closes as HH:MM'],
  ['a beginning of no clock', [{ opens: '9:00', closes: '12:00' }], 'monday needs opens and closes as HH:MM'],
  ['minutes of no clock', [{ opens: '09:60', closes: '12:00' }], 'monday needs opens and closes as HH:MM'],
  ['a number', [{ opens: 9, closes: '12:00' }], 'monday needs opens and closes as HH:MM'],
])('hours of a week with %s', (_what, monday, problem) => {
  expect(weeklyHoursProblem({ sunday: [morning], monday })).toBe(problem);
});

test('hours are given by weekday', () => {
  for (const hours of [null, 'always', 1, [morning], undefined])
    expect(weeklyHoursProblem(hours)).toBe('hours must be given by weekday');
  expect(weeklyHoursProblem({ holiday: [] })).toBe('hours hold something that is not a weekday');
  expect(weeklyHoursProblem({})).toBeNull();
});

test('the first special day that is wrong is named', () => {
  const late = { opens: '18:00', closes: '09:00' };

  expect(specialDaysProblem({ '2026-12-24': [morning], '2026-12-25': [late], '2026-12-26': [late] })).toBe(
    '2026-12-25 closes before it opens',
  );
  expect(specialDaysProblem({ '2026-12-24': [morning] })).toBeNull();
});

const agenda = {
  providerName: 'Dr.Chen',
  zone: 'America/Denver',
  hours: { sunday: [morning], tuesday: [morning], wednesday: [morning] },
  specialDays: { '2026-11-25': [] },
  booked: [{ startsAt: '2026-11-24T17:00:00.000Z', endsAt: '2026-11-24T17:30:00.000Z' }],
  noticeMinutes: 45,
  bookableDays: 30,
  now: '2026-11-24T16:01:00.000Z',
};

test.each<[string, string, TimeReason]>([
  ['a time that began', '2026-11-24T16:00:00.000Z', 'in_the_past'],
  ['a time within the notice', '2026-11-24T16:30:00.000Z', 'notice'],
  ['a time that is taken', '2026-11-24T17:00:00.000Z', 'booking'],
  ['an open time', '2026-11-24T17:30:00.000Z', 'free'],
  ['the last of the morning', '2026-11-24T19:00:00.000Z', 'free'],
  ['a time that ends too late', '2026-11-24T19:15:00.000Z', 'hours'],
  ['a time between two slots', '2026-11-24T18:10:00.000Z', 'grid'],
  ['the afternoon', '2026-11-24T21:00:00.000Z', 'hours'],
  ['before the morning', '2026-12-01T15:30:00.000Z', 'hours'],
  ['a day off', '2026-11-25T17:00:00.000Z', 'day_off'],
  ['a weekday without hours', '2026-11-26T17:00:00.000Z', 'hours'],
  ['a day that is too far ahead', '2027-01-05T16:00:00.000Z', 'too_far_ahead'],
])('%s is told as what it is', (_what, startsAt, reason) => {
  expect(explainTime({ ...agenda, startsAt })).toBe(reason);
});

test('the clock is told where it takes slots away', () => {
  const early = {
    ...agenda,
    hours: { sunday: [{ opens: '01:15', closes: '03:00' }] },
    now: '2027-03-01T00:00:00.000Z',
  };
  const reasonAt = (startsAt: string, over = {}) => explainTime({ ...early, startsAt, ...over });

  // A quarter to two would run past the hour that is skipped.
  expect(reasonAt('2027-03-14T08:45:00.000Z')).toBe('clock_change');
  expect(reasonAt('2027-03-14T08:50:00.000Z')).toBe('grid');
  expect(reasonAt('2027-03-21T07:45:00.000Z')).toBe('free');
  expect(reasonAt('2027-03-14T08:45:00.000Z', { specialDays: { '2027-03-14': [] } })).toBe('day_off');
});

test('a time at the end of the notice is too far ahead, where it is', () => {
  const far = { ...agenda, now: '2026-11-24T16:00:00.000Z', noticeMinutes: 7 * 24 * 60, bookableDays: 1 };

  expect(explainTime({ ...far, startsAt: '2026-12-01T16:00:00.000Z' })).toBe('too_far_ahead');
});

test('where no notice is wanted no time is within one, however soon it begins', () => {
  const soon = { ...agenda, noticeMinutes: undefined, bookableDays: 0, now: '2026-11-24T17:29:30.000Z' };

  expect(explainTime({ ...soon, startsAt: '2026-11-24T17:30:00.000Z' })).toBe('too_far_ahead');
});

test.each<[string, now: string, noticeMinutes: number, TimeReason]>([
  ['a second before, with a notice', '2026-11-24T17:29:59.000Z', 1, 'notice'],
  ['a minute before, with a notice of it', '2026-11-24T17:29:00.000Z', 1, 'free'],
  ['a second before, without a notice', '2026-11-24T17:29:59.000Z', 0, 'free'],
  ['as it begins', '2026-11-24T17:30:00.000Z', 1, 'in_the_past'],
])('a time that is asked about %s', (_what, now, noticeMinutes, reason) => {
  expect(explainTime({ ...agenda, now, noticeMinutes, startsAt: '2026-11-24T17:30:00.000Z' })).toBe(reason);
});

const proposed = {
  patientId: '01890a5d-ac96-774b-bcce-b302099a8057',
  providerId: 'ffffffff-ffff-ffff-ffff-ffffffffffff',
  startsAt: '2026-11-24T17:30:00.000Z',
};

test('a proposed time is read from its id', () => {
  const id = proposedTimeId(proposed);

  expect(id).toHaveLength(58);
  expect(readProposedTimeId(id ?? '')).toEqual(proposed);
  const first = {
    ...proposed,
    patientId: '00000000-0000-0000-0000-000000000000',
    startsAt: '1970-01-01T00:00:00.000Z',
  };
  expect(readProposedTimeId(proposedTimeId(first) ?? '')).toEqual(first);
});

test.each([
  ['a patient without a UUID', { patientId: 'patient-1' }],
  ['a provider without a UUID', { providerId: 'Dr.Chen' }],
  ['a part of a minute', { startsAt: '2026-11-24T17:30:30.000Z' }],
  ['no time', { startsAt: 'soon' }],
  ['a time before 1970', { startsAt: '1969-12-31T23:59:00.000Z' }],
])('%s has no such id', (_what, over) => {
  expect(proposedTimeId({ ...proposed, ...over })).toBeNull();
});

test('no other text is read as a proposed time', () => {
  const id = proposedTimeId(proposed) ?? '';
  const tooMuch = 'z'.repeat(25);
  const others = ['', 'p', id.slice(1), `${id}0`, id.toUpperCase(), `p${tooMuch}${id.slice(26)}`];

  expect(others.map(readProposedTimeId)).toEqual(others.map(() => null));
  expect(readProposedTimeId(`${id.slice(0, 26)}${tooMuch}${id.slice(51)}`)).toBeNull();
  expect(readProposedTimeId(`${id.slice(0, 51)}zzzzzzz`)).toBeNull();
});

test('a reason of a refusal is a word of the list, and six of them are conflicts', () => {
  const reasons = Object.keys(refusals) as RefusalReason[];

  expect(reasons.filter(isConflictReason)).toEqual([
    'slot_taken',
    'slot_held',
    'slot_unavailable',
    'hold_expired',
    'appointment_cancelled',
    'appointment_fulfilled',
  ]);
  expect(isConflictReason(undefined)).toBe(false);
  expect([...reasons, null, 'toString', ''].filter(isRefusalReason)).toEqual(reasons);
});

test('each refusal has the status and the issue of FHIR that clients go by', () => {
  expect(Object.entries(refusals).map(([reason, { status, issue }]) => `${status} ${issue}: ${reason}`)).toEqual([
    '401 login: unauthenticated',
    '403 forbidden: sandbox_off',
    '403 forbidden: not_allowed',
    '403 forbidden: insufficient_scope',
    '403 forbidden: admin_required',
    '406 invalid: format_not_offered',
    '415 invalid: body_type',
    '413 too-long: body_too_large',
    '400 invalid: invalid_request',
    '400 business-rule: in_the_past',
    '404 not-found: unknown_patient',
    '404 not-found: unknown_practitioner',
    '404 not-found: unknown_appointment',
    '404 not-found: unknown_subscription',
    '404 not-supported: not_offered',
    '400 invalid: unknown_parameter',
    '422 not-supported: operation_not_supported',
    '422 business-rule: visit_type_not_offered',
    '422 required: not_enough_to_match',
    '422 required: cancel_reason_required',
    '422 extension: extension_unknown',
    '422 business-rule: status_not_possible',
    '422 not-supported: subscription_not_offered',
    '428 required: version_required',
    '412 conflict: version_changed',
    '409 duplicate: identifier_in_use',
    '409 conflict: slot_taken',
    '409 conflict: slot_held',
    '409 conflict: slot_unavailable',
    '409 conflict: hold_expired',
    '409 conflict: appointment_cancelled',
    '409 conflict: appointment_fulfilled',
    '422 invalid: key_reused',
    '429 throttled: too_many_requests',
  ]);
});

import { attendanceWithoutCall } from '@clinic/shared/domain/calendar/attendance';
import { appointmentStatuses, mayNote, visitNotes } from '@clinic/shared/domain/calendar/appointment-status';
import { isCancellationReason } from '@clinic/shared/domain/calendar/cancellation-reasons';
import { nextClockChange } from '@clinic/shared/domain/calendar/clock-change';
import { holdEnd, isHeldAt, latestHoldEnd } from '@clinic/shared/domain/calendar/holds';
import {
  endOfOffer,
  isWished,
  nextTurn,
  offerAfter,
  type OfferedTime,
  type Waiting,
  type Wish,
} from '@clinic/shared/domain/calendar/waitlist';

const zone = 'America/Denver';
const wish: Wish = {
  providerId: 'chen',
  earliestOn: '2026-11-24',
  latestOn: '2026-11-25',
  fromTime: '09:00',
  untilTime: '12:00',
};
/** Half past ten in Denver. */
const time = { providerId: 'chen', startsAt: '2026-11-24T17:30:00.000Z' };

test.each<[string, Partial<Wish>, Partial<typeof time>, boolean]>([
  ['within all of it', {}, {}, true],
  ['of another provider', {}, { providerId: 'okafor' }, false],
  ['of any provider', { providerId: null }, { providerId: 'okafor' }, true],
  ['the day before', {}, { startsAt: '2026-11-23T17:30:00.000Z' }, false],
  ['the last day', {}, { startsAt: '2026-11-25T17:30:00.000Z' }, true],
  ['the day after', {}, { startsAt: '2026-11-26T17:30:00.000Z' }, false],
  ['late in the evening of the last day', { untilTime: null }, { startsAt: '2026-11-26T06:59:00.000Z' }, true],
  ['at midnight after it', { fromTime: null }, { startsAt: '2026-11-26T07:00:00.000Z' }, false],
  ['at the first minute', {}, { startsAt: '2026-11-24T16:00:00.000Z' }, true],
  ['a minute too early', {}, { startsAt: '2026-11-24T15:59:00.000Z' }, false],
  ['early, where nobody minds', { fromTime: null }, { startsAt: '2026-11-24T15:59:00.000Z' }, true],
  ['at the last minute', {}, { startsAt: '2026-11-24T18:59:00.000Z' }, true],
  ['at the end', {}, { startsAt: '2026-11-24T19:00:00.000Z' }, false],
  ['late, where nobody minds', { untilTime: null }, { startsAt: '2026-11-24T19:00:00.000Z' }, true],
])('a time is what somebody waits for: %s', (_what, wished, free, expected) => {
  expect(isWished({ ...wish, ...wished }, { ...time, ...free }, zone)).toBe(expected);
});

const realNow = new Date('2026-11-23T17:00:00.000Z');
const at = (minutes: number) => new Date(realNow.getTime() + minutes * 60_000);
const waits = (id: string, over: Partial<Waiting> = {}): Waiting => ({
  ...wish,
  id,
  addedAt: at(-10),
  notBefore: null,
  isBusy: false,
  ...over,
});

test.each<[string, Waiting[], object]>([
  ['who was first', [waits('b'), waits('a', { addedAt: at(-11) })], { kind: 'offer', entryId: 'a' }],
  [
    'of two of one moment always the same',
    [waits('b'), waits('a', { addedAt: at(-10) }), waits('c')],
    { kind: 'offer', entryId: 'a' },
  ],
  [
    'nobody who wants another time',
    [waits('a', { providerId: 'okafor' }), waits('b', { addedAt: at(0) })],
    { kind: 'offer', entryId: 'b' },
  ],
  [
    'nobody who is busy',
    [waits('a', { isBusy: true }), waits('b', { addedAt: at(0) })],
    { kind: 'offer', entryId: 'b' },
  ],
  [
    'nobody who may not be called yet',
    [waits('a', { notBefore: at(1) }), waits('b', { addedAt: at(0) })],
    { kind: 'offer', entryId: 'b' },
  ],
  ['who may be called from now on', [waits('a', { notBefore: at(0) })], { kind: 'offer', entryId: 'a' }],
  ['later, where all are busy', [waits('a', { isBusy: true })], { kind: 'later', at: at(1) }],
  [
    'later, at the first moment for anybody',
    [waits('a', { notBefore: at(30) }), waits('b', { notBefore: at(20), isBusy: true })],
    { kind: 'later', at: at(20) },
  ],
  ['nobody', [], { kind: 'nobody' }],
])('a time is offered to %s', (_whom, waiting, expected) => {
  expect(nextTurn(waiting, { ...time, zone, realNow })).toEqual(expected);
});

test.each<[OfferedTime['status'], early: string | null, late: string]>([
  ['accepted', 'REBOOKED', 'REBOOKED'],
  ['declined', 'DECLINED', 'DECLINED'],
  ['open', null, 'PATIENT_NOT_REACHED'],
  ['lapsed', 'PATIENT_NOT_REACHED', 'PATIENT_NOT_REACHED'],
  ['withdrawn', 'PATIENT_NOT_REACHED', 'PATIENT_NOT_REACHED'],
])('the run of an offer that is %s ends', (status, early, late) => {
  const endsAt = '2026-11-23T17:00:00.000Z';

  expect(endOfOffer({ status, endsAt }, '2026-11-23T16:59:59.999Z')).toBe(early);
  expect(endOfOffer({ status, endsAt }, endsAt)).toBe(late);
});

test('only an offer that was declined stays declined', () => {
  expect(['DECLINED', 'REBOOKED', 'PATIENT_NOT_REACHED'].map(offerAfter)).toEqual(['declined', 'lapsed', 'lapsed']);
});

test.each([
  ['booked', null, 'PATIENT_NOT_REACHED'],
  ['arrived', 'CONFIRMED', 'CONFIRMED'],
  ['fulfilled', 'PATIENT_NOT_REACHED', 'PATIENT_NOT_REACHED'],
  ['noshow', 'PATIENT_NOT_REACHED', 'PATIENT_NOT_REACHED'],
  ['cancelled', 'CANCELLED', 'CANCELLED'],
] as const)('a reminder of a visit that is %s', (status, before, begun) => {
  const startsAt = '2026-11-24T17:30:00.000Z';

  expect(attendanceWithoutCall({ status, startsAt }, '2026-11-24T17:29:59.999Z')).toBe(before);
  expect(attendanceWithoutCall({ status, startsAt }, startsAt)).toBe(begun);
  expect(attendanceWithoutCall({ status, startsAt: null }, startsAt)).toBe(before);
  expect(attendanceWithoutCall(null, startsAt)).toBeNull();
});

test('what may be noted of a visit, before it begins on another day, on its day, and once it has begun', () => {
  const now = new Date('2026-11-24T17:30:00.000Z');
  const later = new Date(now.getTime() + 1);
  const notes = (status: (typeof appointmentStatuses)[number], startsAt: Date, isItsDay: boolean) =>
    visitNotes.filter((note) => mayNote(note, { status, startsAt, now, isItsDay })).join(' ');

  expect(
    appointmentStatuses.map((status) => [
      status,
      notes(status, later, false),
      notes(status, later, true),
      notes(status, now, false),
    ]),
  ).toEqual([
    ['booked', 'booked', 'arrived booked', 'arrived noshow fulfilled booked'],
    ['arrived', 'arrived booked', 'arrived fulfilled booked', 'arrived noshow fulfilled booked'],
    ['fulfilled', 'fulfilled booked', 'arrived fulfilled booked', 'arrived noshow fulfilled booked'],
    ['noshow', 'noshow booked', 'arrived noshow booked', 'arrived noshow fulfilled booked'],
    ['cancelled', '', '', ''],
  ]);
});

test('a hold ends after its minutes, or as the time begins', () => {
  expect(holdEnd({ now: realNow, minutes: 5, startsAt: at(6) })).toEqual(at(5));
  expect(holdEnd({ now: realNow, minutes: 5, startsAt: at(4) })).toEqual(at(4));
  expect(latestHoldEnd(realNow)).toEqual(at(16));
});

test.each([
  ['a millisecond longer', 1, true],
  ['until now', 0, false],
  ['as long as anything is held', 16 * 60_000, true],
  ['longer than anything is held, since the clock was set back', 16 * 60_000 + 1, false],
])('a time that is held %s is held: %s', (_until, ms, isHeld) => {
  expect(isHeldAt(new Date(realNow.getTime() + ms), realNow)).toBe(isHeld);
});

test('a reason for a cancellation is a code of the code system', () => {
  expect(['pat', 'oth-weath', 'Patient', '', 'toString', null, 1].map(isCancellationReason)).toEqual([
    true,
    true,
    false,
    false,
    false,
    false,
    false,
  ]);
});

test.each([
  ['America/Denver', '2026-10-31', '2026-11-01'],
  ['America/Denver', '2026-11-01', '2026-11-01'],
  ['America/Denver', '2026-11-02', '2027-03-14'],
  ['America/Phoenix', '2026-11-02', null],
])('the next change of the clock in %s from %s on is %s', (of, from, date) => {
  expect(nextClockChange(from, of)).toBe(date);
});

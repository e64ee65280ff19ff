import { isTooMany, verificationOutcome } from '@clinic/shared/domain/voice/caller-trust';
import { isVoicePlatform } from '@clinic/shared/domain/voice/platforms';
import { placeVariables } from '@clinic/shared/domain/voice/variables';

const given = { stated: '1980-03-05', onFile: '1980-03-05', wrongInCall: 2, wrongInHour: 4, wrongInDay: 9 };

test.each([
  ['the one on file', {}, 'matched'],
  ['another', { stated: '1980-05-03' }, 'mismatched'],
  ['none', { stated: null }, 'unreadable'],
  ['three wrong ones in the call before', { wrongInCall: 3 }, 'locked'],
  ['five wrong ones in the hour before', { wrongInHour: 5 }, 'locked'],
  ['ten wrong ones in the day before', { wrongInDay: 10 }, 'locked'],
  ['none, after too many', { stated: null, wrongInCall: 3 }, 'locked'],
])('a date of birth that is %s', (_what, over, outcome) => {
  expect(verificationOutcome({ ...given, ...over })).toBe(outcome);
});

test.each(['booking', 'hold', 'waitlist'] as const)('one %s in a call, and two of a patient', (kind) => {
  expect(isTooMany(kind, { inCall: 0, ofPatient: 1, ofNumber: 99 })).toBe(false);
  expect(isTooMany(kind, { inCall: 1, ofPatient: 0, ofNumber: 0 })).toBe(true);
  expect(isTooMany(kind, { inCall: 0, ofPatient: 2, ofNumber: 0 })).toBe(true);
});

test('five tries to be recognised in a call, and twenty of a number', () => {
  expect(isTooMany('identity', { inCall: 4, ofPatient: 99, ofNumber: 19 })).toBe(false);
  expect(isTooMany('identity', { inCall: 5, ofPatient: 0, ofNumber: 0 })).toBe(true);
  expect(isTooMany('identity', { inCall: 0, ofPatient: 0, ofNumber: 20 })).toBe(true);
});

test('a platform is known by its name', () => {
  expect(['vapi', 'simulator', 'retell', ''].map(isVoicePlatform)).toEqual([true, true, false, false]);
});

test('every call knows its clinic, and what day and time it is there', () => {
  const place = {
    clinicName: 'Alder',
    clinicZone: 'America/Denver',
    clinicPhone: '+15005550100',
    now: '2027-01-01T06:30:00.000Z',
  };
  const said = {
    clinicName: 'Alder',
    clinicZone: 'America/Denver',
    today: 'Thursday, December 31, 2026',
    todayDate: '2026-12-31',
    timeNow: '11:30 PM',
  };

  expect(placeVariables(place)).toEqual({ ...said, clinicPhone: '5 0 0, 5 5 5, 0 1 0 0' });
  expect(placeVariables({ ...place, clinicPhone: null })).toEqual(said);
});

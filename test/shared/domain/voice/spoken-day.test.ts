import { readSpokenDay } from '@clinic/shared/domain/voice/spoken-day';

const denver = { zone: 'America/Denver', country: 'US' };
/** A Tuesday evening in Denver, a Wednesday in UTC. */
const now = '2026-11-25T03:00:00.000Z';
const midnight = (date: string, offset = '07') => `${date}T${offset}:00:00.000Z`;

test.each([
  ['today', '2026-11-24'],
  ['Tomorrow', '2026-11-25'],
  ['the day after tomorrow', '2026-11-26'],
  ['Tuesday', '2026-11-24'],
  ['this tuesday', '2026-11-24'],
  ['next Tuesday', '2026-12-01'],
  ['next wednesday', '2026-11-25'],
  ['on Friday.', '2026-11-27'],
  ['monday', '2026-11-30'],
  ['next week', '2026-11-30'],
  ['November 24', '2026-11-24'],
  ['november 23rd', '2027-11-23'],
  ['3 December', '2026-12-03'],
  ['December 3, 2027', '2027-12-03'],
  ['Tuesday, November 24', '2026-11-24'],
  ['12/3/2026', '2026-12-03'],
  ['2026-12-03', '2026-12-03'],
])('%s is %s', (text, date) => {
  expect(readSpokenDay(text, { ...denver, now })).toBe(midnight(date));
});

test('a date in digits is read as the country of the clinic writes it', () => {
  const london = { zone: 'Europe/London', country: 'GB', now };
  expect(readSpokenDay('3/12/2026', london)).toBe('2026-12-03T00:00:00.000Z');
});

test('a day begins at its own midnight, on days when the clock changes too', () => {
  expect(readSpokenDay('tomorrow', { ...denver, now: '2027-03-13T20:00:00.000Z' })).toBe('2027-03-14T07:00:00.000Z');
  expect(readSpokenDay('tomorrow', { ...denver, now: '2027-03-14T20:00:00.000Z' })).toBe('2027-03-15T06:00:00.000Z');
});

test('a time is taken as it is', () => {
  expect(readSpokenDay('2026-11-24T14:30', { ...denver, now })).toBe('2026-11-24T21:30:00.000Z');
  expect(readSpokenDay('2026-11-24T14:30:00Z', { ...denver, now })).toBe('2026-11-24T14:30:00.000Z');
});

test.each(['', 'soon', 'whenever', 'Smarch 3', 'February 30', '2026-02-30', 'someday', 'next', '7'])(
  '%j is no day',
  (text) => {
    expect(readSpokenDay(text, { ...denver, now })).toBeNull();
  },
);

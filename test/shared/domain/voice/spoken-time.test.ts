import { spokenDay, spokenTime, spokenZone } from '@clinic/shared/domain/voice/spoken-time';

const denver = 'America/Denver';

test.each([
  ['2026-11-24T19:30:00.000Z', 'Tuesday, November 24 at 12:30 PM'],
  ['2026-11-24T19:00:00.000Z', 'Tuesday, November 24 at noon'],
  ['2026-11-24T07:00:00.000Z', 'Tuesday, November 24 at midnight'],
  ['2026-11-24T07:30:00.000Z', 'Tuesday, November 24 at 12:30 AM'],
  ['2026-07-01T15:05:00.000Z', 'Wednesday, July 1 at 9:05 AM'],
  ['2026-07-02T05:59:00.000Z', 'Wednesday, July 1 at 11:59 PM'],
])('%s in Denver is %s', (instant, spoken) => {
  expect(spokenTime(instant, denver)).toBe(spoken);
});

test('a time is spoken in the clinic’s zone, on the clinic’s day', () => {
  const instant = '2026-03-08T10:30:00.000Z';

  expect(spokenTime(instant, 'Pacific/Kiritimati')).toBe('Monday, March 9 at 12:30 AM');
  expect(spokenTime(instant, 'Asia/Kathmandu')).toBe('Sunday, March 8 at 4:15 PM');
});

test('both sides of a clock change are spoken as the clock shows them', () => {
  expect(spokenTime('2026-03-08T08:30:00.000Z', denver)).toBe('Sunday, March 8 at 1:30 AM');
  expect(spokenTime('2026-03-08T09:00:00.000Z', denver)).toBe('Sunday, March 8 at 3:00 AM');
  expect(spokenTime('2026-11-01T08:30:00.000Z', denver)).toBe('Sunday, November 1 at 1:30 AM');
});

test('the year is said when it is not the clinic’s current one', () => {
  const newYear = '2027-01-01T06:59:00.000Z';

  expect(spokenTime('2027-01-04T16:00:00.000Z', denver, newYear)).toBe('Monday, January 4, 2027 at 9:00 AM');
  expect(spokenTime('2027-01-04T16:00:00.000Z', denver, '2027-01-01T07:00:00.000Z')).toBe(
    'Monday, January 4 at 9:00 AM',
  );
});

test('a day and a zone can be spoken alone', () => {
  expect(spokenDay('2026-11-24T05:00:00.000Z', denver)).toBe('Monday, November 23');
  expect(spokenZone('2026-11-24T05:00:00.000Z', denver)).toBe('Mountain Time');
  expect(spokenZone('2026-07-24T05:00:00.000Z', denver)).toBe('Mountain Time');
});

test('what is spoken holds no ISO, slash, abbreviation or unusual space', () => {
  for (let hour = 0; hour < 24 * 14; hour += 1) {
    const spoken = spokenTime(new Date(Date.UTC(2026, 10, 1, hour, 30)).toISOString(), 'Asia/Kathmandu');

    expect(spoken).toMatch(/^[A-Z][a-z]+day, November \d{1,2} at (noon|midnight|\d{1,2}:\d{2} [AP]M)$/);
  }
});

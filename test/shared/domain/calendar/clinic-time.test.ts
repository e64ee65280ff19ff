import {
  isDate,
  isTimeZone,
  localDate,
  parseDateOrInstant,
  parseInstant,
  parseSpokenDate,
  parseSpokenTime,
  plusDays,
  plusLocalDays,
  plusSeconds,
  startOfDate,
  startOfDay,
  toInstant,
} from '@clinic/shared/domain/calendar/clinic-time';

const denver = 'America/Denver';

describe('a time zone', () => {
  test.each(['America/Denver', 'UTC', 'Etc/GMT+5', 'America/Argentina/Buenos_Aires', 'Asia/Kathmandu'])(
    '%s is one',
    (zone) => {
      expect(isTimeZone(zone)).toBe(true);
    },
  );

  test.each([
    '',
    'Mars/Olympus',
    'America/',
    '+05:00',
    '-0700',
    ' UTC',
    'Denver',
    'BST',
    'PST',
    'CET',
    '__proto__',
    'UTC\u0000',
  ])('%j is none', (zone) => {
    expect(isTimeZone(zone)).toBe(false);
  });
});

describe('an instant', () => {
  test.each([
    ['2026-03-08T10:00:00.000Z', '2026-03-08T10:00:00.000Z'],
    ['2026-03-08T10:00:00Z', '2026-03-08T10:00:00.000Z'],
    ['2026-03-08T10:00Z', '2026-03-08T10:00:00.000Z'],
    ['2026-03-08T10:00:00.1Z', '2026-03-08T10:00:00.100Z'],
    ['2026-03-08T10:00:00.058Z', '2026-03-08T10:00:00.058Z'],
    ['2026-03-08T10:00:00.999999999Z', '2026-03-08T10:00:00.999Z'],
    ['2026-03-08T10:00:00-07:00', '2026-03-08T17:00:00.000Z'],
    ['2026-03-08T10:00:00+05:45', '2026-03-08T04:15:00.000Z'],
    ['2026-03-08T10:00:00+14:00', '2026-03-07T20:00:00.000Z'],
    ['2026-03-08T10:00:00+00:59', '2026-03-08T09:01:00.000Z'],
    ['2026-03-08T10:00:00-00:00', '2026-03-08T10:00:00.000Z'],
    ['2024-02-29T23:59:59Z', '2024-02-29T23:59:59.000Z'],
    ['0001-01-01T00:00:00Z', '0001-01-01T00:00:00.000Z'],
    ['9999-12-31T23:59:59.999Z', '9999-12-31T23:59:59.999Z'],
    ['0050-06-01T00:00:00Z', '0050-06-01T00:00:00.000Z'],
  ])('%s is %s', (text, instant) => {
    expect(parseInstant(text)).toBe(instant);
  });

  test.each([
    '',
    'now',
    '2026-03-08',
    '2026-03-08T10:00:00',
    '2026-03-08 10:00:00Z',
    '2026-03-08t10:00:00z',
    '2026-03-08T10Z',
    '2026-3-8T10:00:00Z',
    '2026-02-29T10:00:00Z',
    '2026-02-30T10:00:00Z',
    '2026-04-31T10:00:00Z',
    '2026-13-01T10:00:00Z',
    '2026-00-01T10:00:00Z',
    '2026-01-00T10:00:00Z',
    '2026-03-08T24:00:00Z',
    '2026-03-08T10:60:00Z',
    '2026-03-08T10:00:60Z',
    '2026-03-08T10:00:00.Z',
    '2026-03-08T10:00:00+0700',
    '2026-03-08T10:00:00+07',
    '2026-03-08T10:00:00+14:01',
    '2026-03-08T10:00:00+15:00',
    '2026-03-08T10:00:00+07:60',
    '2026-03-08T10:00:00 07:00',
    '2026-03-08T10:00:00Z\n',
    ' 2026-03-08T10:00:00Z',
    '0000-01-01T00:00:00Z',
    '0001-01-01T00:00:00+01:00',
    '9999-12-31T23:59:59-01:00',
    '10000-01-01T00:00:00Z',
    '+010000-01-01T00:00:00Z',
    '-000001-01-01T00:00:00Z',
    '1767225600000',
    '２０２６-03-08T10:00:00Z',
    'Sun, 08 Mar 2026 10:00:00 GMT',
  ])('%j is none', (text) => {
    expect(parseInstant(text)).toBeNull();
  });

  test('in any other form is refused quickly, however long it is', () => {
    expect(parseInstant(`2026-03-08T10:00:00.${'0'.repeat(1_000_000)}Z`)).toBeNull();
    expect(parseSpokenTime(' '.repeat(1_000_000), denver)).toBeNull();
  });
});

describe('a search value', () => {
  test.each([
    ['2026-03-08', denver, '2026-03-08T07:00:00.000Z'],
    ['2026-03-09', denver, '2026-03-09T06:00:00.000Z'],
    ['2026-03-08', 'Asia/Kathmandu', '2026-03-07T18:15:00.000Z'],
    ['2026-03-08', 'Pacific/Kiritimati', '2026-03-07T10:00:00.000Z'],
    ['2026-04-24', 'Africa/Cairo', '2026-04-23T22:00:00.000Z'],
    ['2026-03-08', 'America/Havana', '2026-03-08T05:00:00.000Z'],
    ['2026-11-01', 'America/Havana', '2026-11-01T04:00:00.000Z'],
    ['2026-10-30', 'Africa/Cairo', '2026-10-29T22:00:00.000Z'],
    ['0001-01-01', 'Asia/Tokyo', '0001-01-01T00:00:00.000Z'],
    ['9999-12-31', denver, '9999-12-31T07:00:00.000Z'],
    ['2026-03-08T10:00:00-07:00', 'Asia/Tokyo', '2026-03-08T17:00:00.000Z'],
    ['2026-03-08T10:00:00Z', 'Asia/Tokyo', '2026-03-08T10:00:00.000Z'],
  ])('%s in %s is %s', (text, zone, instant) => {
    expect(parseDateOrInstant(text, zone)).toBe(instant);
  });

  test('may have lost its plus sign to URL decoding', () => {
    expect(parseDateOrInstant('2026-03-08T10:00:00 02:00', denver)).toBe('2026-03-08T08:00:00.000Z');
  });

  test.each([
    '2026',
    '2026-03',
    '2026-02-30',
    '2026-03-08T10:00:00',
    'ge2026-03-08',
    '',
    '0000-01-01',
    '2026-03-08 02:00',
  ])('%j is neither date nor instant', (text) => {
    expect(parseDateOrInstant(text, denver)).toBeNull();
  });
});

describe('a spoken time', () => {
  test.each([
    ['2026-03-10T09:30', '2026-03-10T15:30:00.000Z'],
    ['2026-03-10 09:30', '2026-03-10T15:30:00.000Z'],
    [' 2026-03-10T09:30:00 ', '2026-03-10T15:30:00.000Z'],
    ['2026-03-10t09:30:00.000', '2026-03-10T15:30:00.000Z'],
    ['2026-03-10 9:30 AM', '2026-03-10T15:30:00.000Z'],
    ['2026-03-10 at 9:30 p.m.', '2026-03-11T03:30:00.000Z'],
    ['2026-03-10 12:00 pm', '2026-03-10T18:00:00.000Z'],
    ['2026-03-10 12am', '2026-03-10T06:00:00.000Z'],
    ['2026-03-10T09:30:00Z', '2026-03-10T09:30:00.000Z'],
    ['2026-03-10 09:30:00-05:00', '2026-03-10T14:30:00.000Z'],
    ['2026-01-10T09:30', '2026-01-10T16:30:00.000Z'],
  ])('%s is the clinic’s %s', (text, instant) => {
    expect(parseSpokenTime(text, denver)).toBe(instant);
  });

  test.each([
    'tomorrow',
    '9:30',
    '2026-03-10',
    '2026-02-30 09:30',
    '2026-03-10 24:00',
    '2026-03-10 13:00 PM',
    '2026-03-10 0 AM',
    '',
  ])('%j is not understood', (text) => {
    expect(parseSpokenTime(text, denver)).toBeNull();
  });

  test('that the clock skips is no time', () => {
    expect(parseSpokenTime('2026-03-08T02:30', denver)).toBeNull();
    expect(parseSpokenTime('2026-03-08T03:00', denver)).toBe('2026-03-08T09:00:00.000Z');
  });

  test('that the clock shows twice is the first', () => {
    expect(parseSpokenTime('2026-11-01T01:30', denver)).toBe('2026-11-01T07:30:00.000Z');
    expect(parseSpokenTime('2026-11-01T01:30:00-07:00', denver)).toBe('2026-11-01T08:30:00.000Z');
  });

  test('or a whole day may be asked about', () => {
    expect(parseSpokenDate(' 2026-03-10 ', denver)).toBe('2026-03-10T06:00:00.000Z');
    expect(parseSpokenDate('2026-03-10T09:30', denver)).toBe('2026-03-10T15:30:00.000Z');
    expect(parseSpokenDate('next week', denver)).toBeNull();
  });
});

describe('the clinic’s calendar', () => {
  test('has its own date at an instant', () => {
    expect(localDate('2026-03-08T06:59:59.999Z', denver)).toBe('2026-03-07');
    expect(localDate('2026-03-08T07:00:00.000Z', denver)).toBe('2026-03-08');
    expect(localDate('2026-03-08T10:00:00.000Z', 'Pacific/Kiritimati')).toBe('2026-03-09');
  });

  test('starts its days where the clock first shows them', () => {
    expect(startOfDay('2026-03-08T23:00:00.000Z', denver)).toBe('2026-03-08T07:00:00.000Z');
    expect(startOfDay('2026-03-09T05:30:00.000Z', denver)).toBe('2026-03-08T07:00:00.000Z');
    expect(startOfDay('2026-03-29T12:00:00.000Z', 'Asia/Beirut')).toBe('2026-03-28T22:00:00.000Z');
  });

  test('goes on with the next day where a zone left one out', () => {
    expect(startOfDate('2011-12-30', 'Pacific/Apia')).toBe('2011-12-30T10:00:00.000Z');
    expect(startOfDate('2011-12-31', 'Pacific/Apia')).toBe('2011-12-30T10:00:00.000Z');
    expect(startOfDate('2011-12-29', 'Pacific/Apia')).toBe('2011-12-29T10:00:00.000Z');
  });

  test('knows local mean times, seconds included', () => {
    expect(startOfDate('1850-01-01', 'America/New_York')).toBe('1850-01-01T04:56:02.000Z');
    expect(startOfDate('0900-01-01', 'America/New_York')).toBe('0900-01-01T04:56:02.000Z');
    expect(() => startOfDate('2026-02-30', 'America/New_York')).toThrow(new RangeError('not a date'));
  });

  test('counts days and dates', () => {
    expect(plusDays('2026-02-28', 1)).toBe('2026-03-01');
    expect(plusDays('2024-02-28', 1)).toBe('2024-02-29');
    expect(plusDays('2026-01-01', -1)).toBe('2025-12-31');
    expect(() => plusDays('2026-02-30', 1)).toThrow(new RangeError('not a date'));
    expect(isDate('2026-02-29')).toBe(false);
    expect(isDate('2026-2-09')).toBe(false);
    expect(isDate('1900-02-29')).toBe(false);
    expect(isDate('2000-02-29')).toBe(true);
  });

  test('keeps the wall time over a change of the clocks', () => {
    expect(plusLocalDays('2026-03-01T16:00:00.000Z', 14, denver)).toBe('2026-03-15T15:00:00.000Z');
    expect(plusLocalDays('2026-10-25T15:00:00.000Z', 14, denver)).toBe('2026-11-08T16:00:00.000Z');
    expect(plusLocalDays('2026-03-07T09:30:00.000Z', 1, denver)).toBe('2026-03-08T09:00:00.000Z');
    expect(plusLocalDays('9999-12-31T09:30:00.000Z', 14, denver)).toBe('9999-12-31T23:59:59.999Z');
  });

  test('stays inside the years that can be written', () => {
    expect(plusSeconds('2026-03-08T10:00:00.000Z', 90)).toBe('2026-03-08T10:01:30.000Z');
    expect(toInstant(8.64e15)).toBe('9999-12-31T23:59:59.999Z');
    expect(toInstant(-8.64e15)).toBe('0001-01-01T00:00:00.000Z');
  });
});

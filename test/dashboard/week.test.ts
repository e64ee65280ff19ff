/** dashboard/words/week.ts, whose own imports are for a bundler. */
interface Week {
  plusDays(date: string, days: number): string;
  weekdayOf(date: string): string;
  mondayOf(date: string): string;
  isLocalDate(text: string | undefined): boolean;
  wallClock(at: string, timeZone: string): { date: string; minute: number };
  instantAt(wallTime: string, timeZone: string): string;
  minuteOf(wallTime: string): number;
  wallTimeOf(minute: number): string;
  formatHour(minute: number): string;
  formatWallTime(wallTime: string): string;
  formatDate(date: string, options: Intl.DateTimeFormatOptions): string;
  weekdayName(weekday: number): string;
}

/** dashboard/words/typed-times.ts */
interface TypedTimes {
  readTime(typed: string): string | null;
  readTimeOfVisit(typed: string): string | null;
  readDate(typed: string, isMonthFirst: boolean): string | null;
  readBirthDate(typed: string, isMonthFirst: boolean): string | null;
  writtenBirthDate(date: string, isMonthFirst: boolean): string;
  wrongIn(stretches: { opens: string; closes: string }[]): { index: number; what: string } | null;
}

let week: Week;
let typedTimes: TypedTimes;

/** What a browser has: the module reads once in which language it writes. */
const ofBrowser = {
  navigator: { language: 'en-US', languages: ['en-US'] },
  localStorage: { getItem: () => null },
};
const ofNode = Object.keys(ofBrowser).map((name) => [name, Object.getOwnPropertyDescriptor(globalThis, name)] as const);

beforeAll(() => {
  for (const [name, value] of Object.entries(ofBrowser))
    Object.defineProperty(globalThis, name, { value, configurable: true });
  week = require('../../dashboard/words/week') as Week;
  typedTimes = require('../../dashboard/words/typed-times') as TypedTimes;
});

afterAll(() => {
  for (const [name, descriptor] of ofNode)
    if (descriptor) Object.defineProperty(globalThis, name, descriptor);
    else Reflect.deleteProperty(globalThis, name);
});

test.each([
  ['2026-11-23', 0, '2026-11-23', 'monday', '2026-11-23'],
  ['2026-11-28', 1, '2026-11-29', 'sunday', '2026-11-23'],
  ['2026-11-29', 1, '2026-11-30', 'monday', '2026-11-30'],
  ['2026-03-01', -1, '2026-02-28', 'saturday', '2026-02-23'],
  ['2026-12-31', 1, '2027-01-01', 'friday', '2026-12-28'],
])('%s and %i days is %s, a %s, in the week of %s', (date, days, moved, weekday, monday) => {
  expect(week.plusDays(date, days)).toBe(moved);
  expect([week.weekdayOf(moved), week.mondayOf(moved)]).toEqual([weekday, monday]);
});

test.each([
  ['2026-11-23', true],
  ['2026-02-30x', false],
  ['2026-13-01', false],
  ['23-11-2026', false],
  ['2026-11', false],
  ['2026', false],
  ['2026-11-23T10:00', false],
  [undefined, false],
])('%s is a day: %s', (text, isDay) => {
  expect(week.isLocalDate(text)).toBe(isDay);
});

test.each([
  ['2026-11-23T09:30', 'America/New_York', '2026-11-23T14:30:00.000Z'],
  ['2026-11-23T00:00:00', 'America/New_York', '2026-11-23T05:00:00.000Z'],
  ['2026-07-01T00:05', 'Asia/Kathmandu', '2026-06-30T18:20:00.000Z'],
  ['2026-03-08T03:30', 'America/New_York', '2026-03-08T07:30:00.000Z'],
  ['2026-11-01T12:00', 'America/New_York', '2026-11-01T17:00:00.000Z'],
])('a clock shows %s in %s at %s', (wallTime, zone, instant) => {
  expect(week.instantAt(wallTime, zone)).toBe(instant);
  const { date, minute } = week.wallClock(instant, zone);
  expect(`${date}T${week.wallTimeOf(minute)}`).toBe(wallTime.slice(0, 16));
});

test('times of the day are read and written', () => {
  expect(['00:00', '09:05', '23:59'].map(week.minuteOf)).toEqual([0, 545, 1439]);
  expect([0, 545, 1439].map(week.wallTimeOf)).toEqual(['00:00', '09:05', '23:59']);
  expect(week.formatHour(13 * 60)).toMatch(/^1\sPM$/);
  expect(week.formatWallTime('09:30')).toMatch(/^9:30\sAM$/);
  expect([1, 7].map((day) => week.weekdayName(day))).toEqual(['Monday', 'Sunday']);
  expect(week.formatDate('2026-11-23', { day: 'numeric', month: 'short' })).toBe('Nov 23');
});

test.each([
  ['9', '09:00'],
  [' 9:30 ', '09:30'],
  ['9.30', '09:30'],
  ['1730', '17:30'],
  ['5 pm', '17:00'],
  ['5p', '17:00'],
  ['12am', '00:00'],
  ['12 p.m.', '12:00'],
  ['24:00', '24:00'],
  ['24:30', null],
  ['9:75', null],
  ['13 pm', null],
  ['half past nine', null],
  ['', null],
])('“%s” is the time %s', (typed, time) => {
  expect(typedTimes.readTime(typed)).toBe(time);
});

test.each([
  ['1', '13:00'],
  ['5', '17:00'],
  ['5:30', '17:30'],
  ['530', '17:30'],
  ['7', '19:00'],
  ['8', '08:00'],
  ['05:00', '05:00'],
  ['10', '10:00'],
  ['5 am', '05:00'],
  ['5 pm', '17:00'],
  ['soon', null],
])('“%s” is the time %s at which somebody comes or is called', (typed, time) => {
  expect(typedTimes.readTimeOfVisit(typed)).toBe(time);
});

test.each([
  [['09:00-12:00', '12:00-24:00'], null],
  [['09:00-12:00', 'soon-17:00'], { index: 1, what: 'time' }],
  [['9-12:00'], { index: 0, what: 'time' }],
  [['12:00-12:00'], { index: 0, what: 'end' }],
  [['09:00-12:00', '11:00-13:00'], { index: 1, what: 'order' }],
])('hours of a day %j: %j is wrong', (hours, wrong) => {
  const stretches = hours.map((each) => ({ opens: each.split('-')[0] ?? '', closes: each.split('-')[1] ?? '' }));
  expect(typedTimes.wrongIn(stretches)).toEqual(wrong);
});

test.each([
  ['24/12/2026', false, '2026-12-24'],
  ['12/24/2026', true, '2026-12-24'],
  ['3/2/26', false, '2026-02-03'],
  ['3/2/26', true, '2026-03-02'],
  ['3.2.2026', true, '2026-02-03'],
  // Only one way round is a date.
  ['24/12/2026', true, '2026-12-24'],
  ['2026-12-24', true, '2026-12-24'],
  ['24/13/2026', false, null],
  ['Christmas', false, null],
])('“%s” where the month is first (%s) is %s', (typed, isMonthFirst, date) => {
  expect(typedTimes.readDate(typed, isMonthFirst)).toBe(date);
});

test.each([
  ['2/26/1990', true, '1990-02-26'],
  ['26/2/1990', false, '1990-02-26'],
  ['26.2.90', true, '1990-02-26'],
  ['03 05 1980', true, '1980-03-05'],
  ['03051980', true, '1980-03-05'],
  ['03051980', false, '1980-05-03'],
  ['2/26/16', true, '2016-02-26'],
  ['2/26/78', true, '1978-02-26'],
  ['1990-02-26', true, '1990-02-26'],
  ['2/30/1990', true, null],
  ['2/26/190', true, null],
  ['2/26', true, null],
])('“%s” where the month is first (%s) is a birth on %s', (typed, isMonthFirst, date) => {
  expect(typedTimes.readBirthDate(typed, isMonthFirst)).toBe(date);
});

test('a date of birth is written as it is typed', () => {
  const both = [true, false].map((isMonthFirst) => typedTimes.writtenBirthDate('1990-02-06', isMonthFirst));
  expect(both).toEqual(['02/06/1990', '06/02/1990']);
});

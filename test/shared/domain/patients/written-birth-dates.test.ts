import { withIsoBirthDates, withUnmarkedBirthDates } from '@clinic/shared/domain/patients/written-birth-dates';

const inCountry = (country: string) => (search: string) => withIsoBirthDates(search, { country, year: 2026 });

test.each([
  ['02/26/2016', '2016-02-26'],
  ['2/26/16', '2016-02-26'],
  ['2-26-16', '2016-02-26'],
  ['26/2/2016', '2016-02-26'],
  ['26.2.2016', '2016-02-26'],
  ['02/03/1960', '1960-02-03'],
  ['2/3/60', '1960-02-03'],
  ['2/3/26', '2026-02-03'],
  ['Feb 26 2016', '2016-02-26'],
  ['February 26th, 2016', '2016-02-26'],
  ['13th of July 1990', '1990-07-13'],
  ['26 feb. 2016', '2016-02-26'],
  ['26 de febrero de 2016', '2016-02-26'],
  ['Apr 5 52', '1952-04-05'],
  ['5 abr. 52', '1952-04-05'],
  ['walker May 5 16', 'walker 2016-05-05'],
  ['born April 5th 1952', '1952-04-05'],
  ['Born on 4/5/52', '1952-04-05'],
  ['walker, DOB: 4/5/52', 'walker, 1952-04-05'],
  ['walker born 1952-04-05', 'walker 1952-04-05'],
  ['ana nacida el 5 de abril de 1952', 'ana 1952-04-05'],
  ['Max Born 4/5/1952', 'Max Born 1952-04-05'],
  ['vale 2/29/2016', 'vale 2016-02-29'],
  ['2/29/2016 vale', '2016-02-29 vale'],
  ['vale Feb 26 2016', 'vale 2016-02-26'],
])('%s is found as %s', (written, found) => {
  expect(inCountry('US')(written)).toBe(found);
});

test('the day comes first where the country says so', () => {
  expect(['2/3/2016', '12/31/2016'].map(inCountry('GB'))).toEqual(['2016-03-02', '2016-12-31']);
});

test.each([
  '2016-02-26',
  '2/30/2016',
  '2/29/2015',
  '303-555-0142',
  '(303) 555-0142',
  'March',
  'Mara 26 2016',
  'born',
  'max born',
  'May 303 555 0142',
  'ana may 30 35-55',
  'Apr 31 52',
  'Ana May',
  '1/2/3/2016',
  '02262016',
])('%s stays as it is', (search) => {
  expect(inCountry('US')(search)).toBe(search);
});

test.each([
  ['US', '10022000', '2000-10-02'],
  ['GB', '10022000', '2000-02-10'],
  ['US', '25101990', '1990-10-25'],
  ['US', 'walker 10022000', 'walker 2000-10-02'],
  ['US', '10/2/2000', '2000-10-02'],
  ['US', 'born 10022000', '2000-10-02'],
])('in %s, %s may be meant as %s', (country, search, meant) => {
  expect(withUnmarkedBirthDates(search, { country, year: 2026 })).toBe(meant);
});

test.each(['55501990', '02302016', '10021890', '+10022000', '310022000', 'x10022000', '10022000-1', '20001002'])(
  '%s is no date of eight digits',
  (search) => {
    expect(withUnmarkedBirthDates(search, { country: 'US', year: 2026 })).toBe(search);
  },
);

test.each(['en', 'es'])('every month of %s is known by its name and by three letters of it', (language) => {
  const format = new Intl.DateTimeFormat(language, { month: 'long', timeZone: 'UTC' });
  const months = Array.from({ length: 12 }, (_, month) => format.format(Date.UTC(2016, month)));

  const found = (name: string) => inCountry('US')(`21 ${name} 2016`);
  const days = months.map((_, month) => `2016-${String(month + 1).padStart(2, '0')}-21`);
  expect(months.map(found)).toEqual(days);
  expect(months.map((name) => found(name.slice(0, 3)))).toEqual(days);
  expect(found('setiembre')).toBe('2016-09-21');
});

test('a month has its days, and no other', () => {
  const names = 'January February March April May June July August September October November December'.split(' ');
  const found = names.map((name) =>
    Array.from({ length: 33 }, (_, day) => day).filter((day) => {
      const written = `${name} ${day} 2015`;
      return inCountry('US')(written) !== written;
    }),
  );

  expect(found.map(([first]) => first)).toEqual(names.map(() => 1));
  expect(found.map(({ length }) => length)).toEqual([31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]);
});

test.each([
  [1900, false],
  [1904, true],
  [1999, false],
  [2000, true],
  [2015, false],
  [2016, true],
])('29 February %i is a day: %s', (year, isDay) => {
  const written = [`2/29/${year}`, `29/2/${year}`, `Feb 29 ${year}`, `29 feb ${year}`, `0229${year}`];

  const read = written.map((each) => withUnmarkedBirthDates(each, { country: 'US', year: 2026 }));
  expect(read).toEqual(isDay ? written.map(() => `${year}-02-29`) : written);
});

test.each([
  ...['US', 'AS', 'FM', 'GU', 'MH', 'MP', 'PR', 'PW', 'VI'].map((country) => [country, '2016-02-03']),
  ...['GB', 'CA', 'MX', 'DE', 'AU', ''].map((country) => [country, '2016-03-02']),
])('in %s 02/03/2016 is %s, and 02.03.2016 the second of March wherever it is', (country, date) => {
  const written = ['02/03/2016', '2-3-2016', '2/3/16', '02.03.2016'];

  expect(written.map(inCountry(country))).toEqual([date, date, date, '2016-03-02']);
});

test.each([
  [2026, '00', 2000],
  [2026, '26', 2026],
  [2026, '27', 1927],
  [2026, '99', 1999],
  [2100, '00', 2100],
  [2100, '01', 2001],
])('in %i the year %s is %i', (year, written, meant) => {
  expect(withIsoBirthDates(`5/6/${written}`, { country: 'US', year })).toBe(`${meant}-05-06`);
  expect(withIsoBirthDates(`May 6 ${written}`, { country: 'US', year })).toBe(`${meant}-05-06`);
});

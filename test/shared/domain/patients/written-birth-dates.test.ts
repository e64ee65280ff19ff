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

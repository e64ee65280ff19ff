import { withIsoBirthDates } from '@clinic/shared/domain/patients/written-birth-dates';

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
  ['26 feb. 2016', '2016-02-26'],
  ['26 de febrero de 2016', '2016-02-26'],
  ['vale 2/29/2016', 'vale 2016-02-29'],
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
  'Ana May',
  '1/2/3/2016',
])('%s stays as it is', (search) => {
  expect(inCountry('US')(search)).toBe(search);
});

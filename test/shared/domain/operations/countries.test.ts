import { countryOfZone, isCountry } from '@clinic/shared/domain/operations/countries';

test.each([
  ['Europe/London', 'GB'],
  ['America/Denver', 'US'],
  ['America/Toronto', 'CA'],
  ['Asia/Kolkata', 'IN'],
  ['UTC', null],
])('the clock of %s is that of %s', (zone, country) => {
  expect(countryOfZone(zone)).toBe(country);
});

test('a country is known by its code of ISO 3166 alone', () => {
  expect(['GB', 'UK', 'gb', 'Britain'].map(isCountry)).toEqual([true, false, false, false]);
});

import { readBirthDate, validateIntakeField } from '@clinic/shared/domain/patients/intake';

const clinic = { today: '2026-03-08', country: 'US' };
const isValid = (fieldName: string, value: string) => validateIntakeField(fieldName, value, clinic).valid;

test.each([
  'ada@example.org',
  ' ada.byron+clinic@mail.example.co.uk ',
  'o’neil@example.ie',
  'ada@bücher.example',
  'a@b.co',
])('email %s passes', (value) => {
  expect(isValid('email', value)).toBe(true);
});

test.each([
  '',
  'ada',
  'ada@',
  '@example.org',
  'ada@example',
  'ada@.org',
  'ada@example.',
  'ada@example..org',
  'ada@-example.org',
  'a b@example.org',
  'ada@exa mple.org',
  'ada@@example.org',
  'ada@b@example.org',
  '.ada@example.org',
  'ada.@example.org',
  'ada@example.org, bob@example.org',
  `${'a'.repeat(65)}@example.org`,
  `ada@${'a.'.repeat(130)}org`,
])('email %j fails', (value) => {
  expect(validateIntakeField('email', value, clinic)).toEqual({
    valid: false,
    error: 'That does not look like an email address.',
  });
});

test.each([
  '5550001',
  '+1 (500) 555-0001',
  '500.555.0001',
  '123456789012345',
  '500/555-0001',
  '500\u2011555\u20110001',
  '500 \u2013 555 \u2212 0001',
  '\u202a+1 500 555 0001\u202c',
  '[500] 555 0001',
])('phone %j passes', (value) => {
  expect(isValid('phone', value)).toBe(true);
});

test.each(['', '555001', '1234567890123456', 'five five five', '500555000x', '+1 (5'])('phone %j fails', (value) => {
  expect(validateIntakeField('phone', value, clinic)).toEqual({
    valid: false,
    error: 'A phone number has 7 to 15 digits.',
  });
});

test.each([
  ['1980-03-05', '1980-03-05'],
  ['1980-03-05T00:00:00.000Z', '1980-03-05'],
  ['1980\u201103\u201105', '1980-03-05'],
  ['1980/03/05', '1980-03-05'],
  ['1980-3-5', '1980-03-05'],
  ['March\u00a05,\u202f1980', '1980-03-05'],
  ['3/5/1980', '1980-03-05'],
  ['03-05-1980', '1980-03-05'],
  ['March 5, 1980', '1980-03-05'],
  ['march 5th 1980', '1980-03-05'],
  ['Sept. 5, 1980', '1980-09-05'],
  ['5 March 1980', '1980-03-05'],
  ['5th of March 1980', '1980-03-05'],
  ['2000-02-29', '2000-02-29'],
])('date of birth %s is %s', (text, date) => {
  expect(readBirthDate(text, 'US')).toBe(date);
  expect(isValid('dateOfBirth', text)).toBe(true);
});

test.each([
  '',
  'yesterday',
  '1980',
  '1980-02-30',
  '1980/2/30',
  '1980-03/05',
  '1900-02-29',
  '13/5/1980',
  '3/5/80',
  'Marchember 5, 1980',
  '0000-01-01',
  '5 Mars 1980',
])('date of birth %j is no date', (value) => {
  expect(readBirthDate(value, 'US')).toBeNull();
  expect(validateIntakeField('dateOfBirth', value, clinic)).toEqual({
    valid: false,
    error: 'That is not a date. Please give the year, the month and the day.',
  });
});

test.each([
  ['GB', '05/03/1980', '1980-03-05'],
  ['DE', '25.12.1980', '1980-12-25'],
  ['AU', '25-12-1980', '1980-12-25'],
  ['US', '12/25/1980', '1980-12-25'],
  ['GB', 'March 5, 1980', '1980-03-05'],
  ['GB', '1980-03-05', '1980-03-05'],
])('in %s %s is %s', (country, text, date) => {
  expect(readBirthDate(text, country)).toBe(date);
  expect(validateIntakeField('dateOfBirth', text, { ...clinic, country })).toEqual({ valid: true });
});

test.each([
  ['GB', '12/25/1980'],
  ['US', '25/12/1980'],
])('in %s %s is no date', (country, text) => {
  expect(readBirthDate(text, country)).toBeNull();
});

test('a date of birth is in the past', () => {
  expect(isValid('dateOfBirth', '2026-03-07')).toBe(true);
  expect(validateIntakeField('dateOfBirth', '2026-03-08', clinic)).toEqual({
    valid: false,
    error: 'A date of birth must be in the past.',
  });
  expect(isValid('dateOfBirth', '2030-01-01')).toBe(false);
});

test.each(['address', 'reasonForVisit', 'firstName', '', '__proto__', 'constructor'])(
  'any other field passes: %j',
  (fieldName) => {
    expect(validateIntakeField(fieldName, '', clinic)).toEqual({ valid: true });
  },
);

test('a hostile value is judged at once', () => {
  const started = performance.now();
  for (const value of ['a'.repeat(200_000), `${'a.'.repeat(100_000)}@`, '@'.repeat(200_000), '1'.repeat(200_000)]) {
    for (const fieldName of ['email', 'phone', 'dateOfBirth']) expect(isValid(fieldName, value)).toBe(false);
  }
  expect(performance.now() - started).toBeLessThan(5_000);
});

import { comparedWith, datesOf, daysIn } from '@clinic/shared/domain/operations/periods';

test.each([
  ['a month with the month before', '2026-10-01', '2026-10-31', '2026-09-01', '2026-09-30'],
  ['January with December', '2027-01-01', '2027-01-31', '2026-12-01', '2026-12-31'],
  ['March with the February of a leap year', '2028-03-01', '2028-03-31', '2028-02-01', '2028-02-29'],
  ['a quarter with the quarter before', '2026-07-01', '2026-09-30', '2026-04-01', '2026-06-30'],
  ['a month that is not over with the same days', '2026-11-01', '2026-11-25', '2026-10-01', '2026-10-25'],
  ['the thirtieth of March with all of February', '2026-03-01', '2026-03-30', '2026-02-01', '2026-02-28'],
  ['any days with as many before', '2026-11-19', '2026-11-25', '2026-11-12', '2026-11-18'],
  ['one day with the day before', '2026-03-09', '2026-03-09', '2026-03-08', '2026-03-08'],
])('compares %s', (_, from, until, beforeFrom, beforeUntil) => {
  expect(comparedWith({ from, until }, 'before')).toEqual({ from: beforeFrom, until: beforeUntil });
});

test.each([
  ['a month with that month', '2026-10-01', '2026-10-31', '2025-10-01', '2025-10-31'],
  ['the whole February after a leap year with all of it', '2025-02-01', '2025-02-28', '2024-02-01', '2024-02-29'],
  ['whole weeks with the same weekdays', '2026-11-23', '2026-11-29', '2025-11-24', '2025-11-30'],
  ['a leap day with the last of February', '2028-02-29', '2028-03-02', '2027-02-28', '2027-03-02'],
])('a year before, compares %s', (_, from, until, beforeFrom, beforeUntil) => {
  expect(comparedWith({ from, until }, 'year_before')).toEqual({ from: beforeFrom, until: beforeUntil });
});

test('a period has each of its dates once', () => {
  expect(datesOf({ from: '2026-02-27', until: '2026-03-02' })).toEqual([
    '2026-02-27',
    '2026-02-28',
    '2026-03-01',
    '2026-03-02',
  ]);
  expect(daysIn({ from: '2024-01-01', until: '2024-12-31' })).toBe(366);
});

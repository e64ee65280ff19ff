import { plusDays, startOfDate } from '../calendar/clinic-time';

/** Days of a clinic's calendar (`2026-10-01`), the last one included. */
export interface Period {
  from: string;
  until: string;
}

/** With what a period is compared. */
export const comparisons = ['before', 'year_before'] as const;
export type Comparison = (typeof comparisons)[number];

const WEEKS_OF_YEAR = 52;

/**
 * What a period is compared with. Whole months are compared with as many months before them, a month that is not over with the
 * same days of the month before; anything else with as many days before. A year before, it is the same dates, of whole weeks
 * the same weekdays.
 */
export function comparedWith({ from, until }: Period, comparison: Comparison): Period {
  const isWholeMonths = from.endsWith('-01') && isMonthsEnd(until);
  if (comparison === 'year_before') {
    if (!isWholeMonths && daysIn({ from, until }) % 7 === 0) {
      return { from: plusDays(from, -WEEKS_OF_YEAR * 7), until: plusDays(until, -WEEKS_OF_YEAR * 7) };
    }
    return {
      from: monthsBefore(from, 12),
      until: isMonthsEnd(until) ? endOfMonth(until, 12) : monthsBefore(until, 12),
    };
  }
  if (isWholeMonths) {
    const months = monthOf(until) - monthOf(from) + 1;
    return { from: monthsBefore(from, months), until: plusDays(from, -1) };
  }
  if (from.endsWith('-01') && monthOf(from) === monthOf(until)) {
    return { from: monthsBefore(from, 1), until: monthsBefore(until, 1) };
  }
  return { from: plusDays(from, -daysIn({ from, until })), until: plusDays(from, -1) };
}

/** From the first instant of a period until it is over, by the clock of the zone. */
export const spanOf = ({ from, until }: Period, zone: string) => ({
  from: startOfDate(from, zone),
  until: startOfDate(plusDays(until, 1), zone),
  zone,
});

/** The whole month that begins on a day. */
export const monthFrom = (first: string): Period => ({ from: first, until: endOfMonth(first, 0) });

export const daysIn = ({ from, until }: Period): number =>
  Math.round((Date.parse(until) - Date.parse(from)) / 86_400_000) + 1;

export const datesOf = (period: Period): string[] =>
  Array.from({ length: daysIn(period) }, (_, index) => plusDays(period.from, index));

const isMonthsEnd = (date: string): boolean => plusDays(date, 1).endsWith('-01');

/** Months since the year 0. */
const monthOf = (date: string): number => Number(date.slice(0, 4)) * 12 + Number(date.slice(5, 7)) - 1;

const firstOf = (month: number): string =>
  `${String(Math.floor(month / 12)).padStart(4, '0')}-${String((month % 12) + 1).padStart(2, '0')}-01`;

const endOfMonth = (date: string, monthsEarlier: number): string =>
  plusDays(firstOf(monthOf(date) - monthsEarlier + 1), -1);

/** The same day of an earlier month, or the last day of a month that is shorter. */
function monthsBefore(date: string, months: number): string {
  const same = plusDays(firstOf(monthOf(date) - months), Number(date.slice(8)) - 1);
  const last = endOfMonth(date, months);
  return same < last ? same : last;
}

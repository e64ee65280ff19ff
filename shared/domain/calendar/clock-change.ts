import { plusDays, startOfDate } from './clinic-time';
import { dayMs } from './zone-offsets';

/** The clock of no zone that changes at all waits for longer. */
const DAYS_AHEAD = 400;

/** The first date from `date` on that is longer or shorter than 24 hours on a zone's clock; null where none is within a year. */
export function nextClockChange(date: string, zone: string): string | null {
  const startOf = (days: number) => Date.parse(startOfDate(plusDays(date, days), zone));
  for (let days = 0; days < DAYS_AHEAD; days += 1) {
    if (startOf(days + 1) - startOf(days) !== dayMs) return plusDays(date, days);
  }
  return null;
}

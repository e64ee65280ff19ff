import { localDate, parseSpokenDate, plusDays, startOfDate } from '../calendar/clinic-time';
import { readBirthDate } from '../patients/intake';

const weekdays = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'];

/**
 * Reads the day that a caller asks about, as its first instant on the clinic's clock: a date or time as `parseSpokenDate`
 * reads it, a date in words or as its country writes it, or `today`, `tomorrow`, `Tuesday`, `next Tuesday`, `next week`. A weekday
 * is the next one, a date without a year the next such day. Null for anything else.
 */
export function readSpokenDay(
  text: string,
  { zone, country, now }: { zone: string; country: string; now: string },
): string | null {
  const exact = parseSpokenDate(text, zone);
  if (exact !== null) return exact;
  const words = text.trim().toLowerCase().replaceAll(/[.,]+/g, ' ').replaceAll(/\s+/g, ' ').trim();
  const date = dateOf(words, localDate(now, zone), country);
  return date === null ? null : startOfDate(date, zone);
}

function dateOf(words: string, today: string, country: string): string | null {
  if (words === 'today') return today;
  if (words === 'tomorrow') return plusDays(today, 1);
  if (words === 'day after tomorrow' || words === 'the day after tomorrow') return plusDays(today, 2);
  if (words === 'next week') return comingWeekday('monday', today, 1);

  const [, qualifier, weekday, rest] =
    /^(?:on )?(?:(this|next) )?(sun|mon|tues|wednes|thurs|fri|satur)day(?: (.+))?$/.exec(words) ?? [];
  if (weekday !== undefined && rest === undefined) {
    return comingWeekday(`${weekday}day`, today, qualifier === 'next' ? 1 : 0);
  }
  // A weekday beside a date adds nothing to it.
  return namedDate(rest ?? words, today, country);
}

/** The first such weekday that is at least `atLeast` days away. */
function comingWeekday(weekday: string, today: string, atLeast: number): string {
  const wanted = weekdays.indexOf(weekday);
  const first = plusDays(today, atLeast);
  const ahead = (wanted - new Date(`${first}T00:00:00Z`).getUTCDay() + 7) % 7;
  return plusDays(first, ahead);
}

/** `november 24`, `24 november`, with or without a year. */
function namedDate(words: string, today: string, country: string): string | null {
  const withYear = readBirthDate(words, country);
  if (withYear !== null) return withYear;
  const year = Number(today.slice(0, 4));
  const candidates = [year, year + 1].map((each) => readBirthDate(`${words} ${each}`, country));
  return candidates.find((date) => date !== null && date >= today) ?? null;
}

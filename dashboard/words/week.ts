import { dateFormat } from './formats';

/** Days of the clinic's calendar, as `2026-11-23`. */
export type LocalDate = string;

export const weekdays = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'] as const;
export type Weekday = (typeof weekdays)[number];

export const plusDays = (date: LocalDate, days: number): LocalDate => {
  const moved = new Date(`${date}T00:00:00Z`);
  moved.setUTCDate(moved.getUTCDate() + days);
  return moved.toISOString().slice(0, 10);
};

export const weekdayOf = (date: LocalDate): Weekday =>
  weekdays[(new Date(`${date}T00:00:00Z`).getUTCDay() + 6) % 7] ?? 'monday';

/** The Monday of the week that holds a day. */
export const mondayOf = (date: LocalDate): LocalDate => {
  const weekday = new Date(`${date}T00:00:00Z`).getUTCDay();
  return plusDays(date, weekday === 0 ? -6 : 1 - weekday);
};

export const isLocalDate = (text: string | undefined): text is LocalDate =>
  text !== undefined && /^\d{4}-\d{2}-\d{2}$/.test(text) && isDay(text);

/** JavaScript reads the 30th of February as one of March. */
function isDay(text: string): boolean {
  const read = Date.parse(text);
  return !Number.isNaN(read) && new Date(read).toISOString().startsWith(text);
}

const wallClockParts = (timeZone: string) =>
  ({
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
  }) as const;

/** The clinic's day and minute of the day of an instant. */
export function wallClock(at: string, timeZone: string): { date: LocalDate; minute: number } {
  const parts = Object.fromEntries(
    dateFormat(wallClockParts(timeZone), 'en-CA')
      .formatToParts(new Date(at))
      .map(({ type, value }) => [type, value]),
  );
  return {
    date: `${parts['year']}-${parts['month']}-${parts['day']}`,
    minute: Number(parts['hour']) * 60 + Number(parts['minute']),
  };
}

/** `2026-11-23 09:30` on a clock of the zone, as a spreadsheet reads and sorts it. */
export function sortableTime(at: string, timeZone: string): string {
  const { date, minute } = wallClock(at, timeZone);
  return `${date} ${wallTimeOf(minute)}`;
}

/** The instant at which a clock of the zone shows `2026-11-23T09:30`. */
export function instantAt(wallTime: string, timeZone: string): string {
  const asUtc = Date.parse(`${wallTime.slice(0, 16)}:00Z`);
  const aheadAt = (instant: number) => {
    const { date, minute } = wallClock(new Date(instant).toISOString(), timeZone);
    return Date.parse(`${date}T00:00:00Z`) + minute * 60_000 - instant;
  };
  // The clock may change between the first guess and the instant itself.
  const guess = asUtc - aheadAt(asUtc);
  return new Date(asUtc - aheadAt(guess)).toISOString();
}

/** `09:30` → 570. */
export const minuteOf = (wallTime: string): number => Number(wallTime.slice(0, 2)) * 60 + Number(wallTime.slice(3, 5));

/** 570 → `09:30`. */
export const wallTimeOf = (minute: number): string =>
  `${String(Math.floor(minute / 60)).padStart(2, '0')}:${String(minute % 60).padStart(2, '0')}`;

/** A whole hour of the day as it is written here, `9 AM` or `09`. */
export const formatHour = (minute: number): string =>
  dateFormat({ hour: 'numeric', timeZone: 'UTC' }).format(new Date(minute * 60_000));

/** `09:30` as it is written here, `9:30 AM`. */
export const formatWallTime = (wallTime: string): string =>
  dateFormat({ hour: 'numeric', minute: '2-digit', timeZone: 'UTC' }).format(new Date(minuteOf(wallTime) * 60_000));

/** A day of the calendar in words, in nobody's zone. */
export const formatDate = (date: LocalDate, options: Intl.DateTimeFormatOptions): string =>
  dateFormat({ ...options, timeZone: 'UTC' }).format(new Date(`${date}T00:00:00Z`));

/** `Monday` for 1, to `Sunday` for 7. */
export const weekdayName = (weekday: number, style: 'long' | 'short' = 'long'): string =>
  // The first of January 2024 was a Monday.
  formatDate(plusDays('2024-01-01', weekday - 1), { weekday: style });

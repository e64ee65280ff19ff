export const weekdays = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'] as const;
export type Weekday = (typeof weekdays)[number];

/** One stretch of a day on the wall clock, `HH:MM`; `closes` may be `24:00`. */
export interface OpenInterval {
  opens: string;
  closes: string;
}

/** Hours of a week on the clinic's wall clock. A weekday that is absent is closed; the intervals of a day are in order. */
export type WeeklyHours = Partial<Record<Weekday, OpenInterval[]>>;

/** An interval in minutes since midnight on the wall clock. */
export interface WallInterval {
  opens: number;
  closes: number;
}

/** The open intervals of a local day, given as days since 1970-01-01. */
export function intervalsOfDay(hours: WeeklyHours, day: number): WallInterval[] {
  // 1970-01-01 was a Thursday.
  const weekday = weekdays[(((day + 4) % 7) + 7) % 7] ?? 'sunday';
  return (hours[weekday] ?? []).map(toWall);
}

const toWall = ({ opens, closes }: OpenInterval): WallInterval => ({
  opens: minutesOf(opens),
  closes: minutesOf(closes),
});

/** Days on which other hours hold than in a usual week, by date on the clinic's calendar: none on a day off, more on another. */
export type SpecialDays = Record<string, OpenInterval[]>;

/** The same as `intervalsOfDay`, where a special day goes before its weekday. */
export function intervalsWith(special: SpecialDays, hours: WeeklyHours, day: number): WallInterval[] {
  const own = specialOn(special, day);
  return own === undefined ? intervalsOfDay(hours, day) : own.map(toWall);
}

/** Whether a special day says that nobody works on it. */
export const isDayOff = (special: SpecialDays, day: number): boolean => specialOn(special, day)?.length === 0;

function specialOn(special: SpecialDays, day: number): OpenInterval[] | undefined {
  const date = new Date(day * 86_400_000).toISOString().slice(0, 10);
  return Object.hasOwn(special, date) ? special[date] : undefined;
}

/** Days on which a whole clinic is closed, by date on its calendar, with what they are called. */
export type ClosedDays = Record<string, string>;

/** The special days of somebody who works at a clinic with closed days: those are off, whatever else was planned. */
export function withClosedDays(special: SpecialDays, closed: ClosedDays): SpecialDays {
  return { ...special, ...Object.fromEntries(Object.keys(closed).map((date) => [date, []])) };
}

/** What is wrong with special days, as one sentence; null when nothing is. */
export function specialDaysProblem(special: SpecialDays): string | null {
  const problems = Object.entries(special).map(([date, intervals]) => dayProblem(date, intervals));
  return problems.find((problem) => problem !== null) ?? null;
}

/** What is wrong with weekly hours, as one sentence; null when nothing is. */
export function weeklyHoursProblem(hours: unknown): string | null {
  if (typeof hours !== 'object' || hours === null || Array.isArray(hours)) return 'hours must be given by weekday';
  for (const [weekday, intervals] of Object.entries(hours)) {
    const problem = weekdays.some((name) => name === weekday)
      ? dayProblem(weekday, intervals)
      : 'hours hold something that is not a weekday';
    if (problem !== null) return problem;
  }
  return null;
}

function dayProblem(weekday: string, intervals: unknown): string | null {
  if (!Array.isArray(intervals)) return `${weekday} must be a list of intervals`;
  let lastClosing = 0;
  for (const interval of intervals as unknown[]) {
    if (!isOpenInterval(interval)) return `${weekday} needs opens and closes as HH:MM`;
    if (minutesOf(interval.opens) >= minutesOf(interval.closes)) return `${weekday} closes before it opens`;
    if (minutesOf(interval.opens) < lastClosing) return `${weekday} has intervals that overlap or are out of order`;
    lastClosing = minutesOf(interval.closes);
  }
  return null;
}

function isOpenInterval(value: unknown): value is OpenInterval {
  if (typeof value !== 'object' || value === null || !('opens' in value) || !('closes' in value)) return false;
  return isWallTime(value.opens) && (isWallTime(value.closes) || value.closes === '24:00');
}

function isWallTime(value: unknown): value is string {
  return typeof value === 'string' && /^([01]\d|2[0-3]):[0-5]\d$/.test(value);
}

function minutesOf(wallTime: string): number {
  return Number(wallTime.slice(0, 2)) * 60 + Number(wallTime.slice(3));
}

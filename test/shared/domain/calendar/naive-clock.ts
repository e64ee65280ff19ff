import { weekdays, type Weekday, type WeeklyHours } from '@clinic/shared/domain/calendar/weekly-hours';

/**
 * The same rules said a second time, as plainly as possible: walk through time in small steps and read a wall clock.
 * Slow, and with nothing in common with the code under test.
 */

export interface WallReading {
  date: string;
  weekday: Weekday;
  minutes: number;
}

const clocks = new Map<string, Intl.DateTimeFormat>();
const readings = new Map<string, Map<number, WallReading>>();

/** Remembers what it has read: the tests walk over the same hours again and again. */
export function readClock(instant: number, zone: string): WallReading {
  let known = readings.get(zone);
  if (known === undefined) {
    known = new Map();
    readings.set(zone, known);
  }
  let reading = known.get(instant);
  if (reading === undefined) {
    reading = readAnew(instant, zone);
    known.set(instant, reading);
  }
  return reading;
}

function readAnew(instant: number, zone: string): WallReading {
  let clock = clocks.get(zone);
  if (clock === undefined) {
    clock = new Intl.DateTimeFormat('en-CA', {
      timeZone: zone,
      weekday: 'long',
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
      hour: '2-digit',
      minute: '2-digit',
      hourCycle: 'h23',
    });
    clocks.set(zone, clock);
  }
  const parts: Record<string, string> = {};
  for (const { type, value } of clock.formatToParts(instant)) parts[type] = value;
  return {
    date: `${parts.year}-${parts.month}-${parts.day}`,
    weekday: weekdays.find((weekday) => weekday === parts.weekday!.toLowerCase())!,
    minutes: Number(parts.hour) * 60 + Number(parts.minute),
  };
}

export interface NaiveSearch {
  hours: WeeklyHours;
  zone: string;
  now: number;
  from: number;
  until: number;
  booked: readonly { startsAt: string; endsAt: string }[];
  stepMinutes: 5 | 15;
}

export function naiveSlots({ hours, zone, now, from, until, booked, stepMinutes }: NaiveSearch): string[] {
  const step = stepMinutes * 60_000;
  const half = 30 * 60_000;
  const found: string[] = [];
  let lastEnd = 0;
  // Starts a day early, so that the grid of the first day is walked from its beginning.
  for (let start = Math.floor(from / 86_400_000 - 1) * 86_400_000; start < until; start += step) {
    const clock = readClock(start, zone);
    const last = readClock(start + half - step, zone);
    const fits = (hours[clock.weekday] ?? []).some(({ opens, closes }) => {
      const sinceOpening = clock.minutes - toMinutes(opens);
      const endsByClosing = last.date === clock.date && last.minutes + stepMinutes <= toMinutes(closes);
      return sinceOpening >= 0 && sinceOpening % 30 === 0 && clock.minutes + 30 <= toMinutes(closes) && endsByClosing;
    });
    if (!fits || start < lastEnd) continue;
    lastEnd = start + half;
    const isTaken = booked.some((time) => Date.parse(time.startsAt) < lastEnd && Date.parse(time.endsAt) > start);
    if (start > now && start >= from && !isTaken) found.push(new Date(start).toISOString());
  }
  return found;
}

function toMinutes(wallTime: string): number {
  const [hours, minutes] = wallTime.split(':').map(Number);
  return hours! * 60 + minutes!;
}

import { toInstant } from '../calendar/clinic-time';
import { dayMs, dayOf, minuteMs, stretchesOfDay } from '../calendar/zone-offsets';
import { intervalsOfDay, type WeeklyHours } from '../calendar/weekly-hours';

/** The hours of a week in which patients may be called, on the clinic's wall clock. */
export type CallingHours = WeeklyHours;

export interface CallingSearch {
  hours: CallingHours;
  zone: string;
  from: string;
}

/** A clock change can swallow a whole interval, so the search goes past one week. */
const daysSearched = 15;

/** The earliest instant at or after `from` that lies inside calling hours; null when no hour of the week does. */
export function nextCallingTime({ hours, zone, from }: CallingSearch): string | null {
  const start = Date.parse(from);
  const today = dayOf(start, zone);
  for (let day = today; day < today + daysSearched; day += 1) {
    const open = openTimes(hours, day, zone).find(({ endsAt }) => start < endsAt);
    if (open !== undefined) return toInstant(Math.max(start, open.startsAt));
  }
  return null;
}

/** The end of the calling hours that an instant lies in; intervals that meet are one. Null outside calling hours. */
export function callingTimeEnd({ hours, zone, at }: { hours: CallingHours; zone: string; at: string }): string | null {
  const instant = Date.parse(at);
  const today = dayOf(instant, zone);
  let end: number | null = null;
  for (let day = today; day < today + daysSearched; day += 1) {
    for (const { startsAt, endsAt } of openTimes(hours, day, zone).toSorted((a, b) => a.startsAt - b.startsAt)) {
      if (startsAt <= (end ?? instant) && endsAt > (end ?? instant)) end = endsAt;
      else if (end !== null && startsAt > end) return toInstant(end);
    }
  }
  return end === null ? null : toInstant(end);
}

/** Whether calls may be placed at an instant: the wall clock shows a time from opening up to, not including, closing. */
export function isWithinCallingHours(given: { hours: CallingHours; zone: string; at: string }): boolean {
  const instant = Date.parse(given.at);
  return openTimes(given.hours, dayOf(instant, given.zone), given.zone).some(
    ({ startsAt, endsAt }) => startsAt <= instant && instant < endsAt,
  );
}

function openTimes(hours: CallingHours, day: number, zone: string): { startsAt: number; endsAt: number }[] {
  return stretchesOfDay(day, zone).flatMap((stretch) =>
    intervalsOfDay(hours, day).flatMap(({ opens, closes }) => {
      const midnight = day * dayMs - stretch.offset;
      const startsAt = Math.max(stretch.startsAt, midnight + opens * minuteMs);
      const endsAt = Math.min(stretch.endsAt, midnight + closes * minuteMs);
      return startsAt < endsAt ? [{ startsAt, endsAt }] : [];
    }),
  );
}

import { dayMs, minuteMs, offsetAt } from './zone-offsets';

/** Times of day on a clinic's clock, as `09:00`; null for no bound. */
export interface TimesOfDay {
  /** Begins then or later. */
  fromTime: string | null;
  /** Begins before. */
  untilTime: string | null;
}

/** Whether something that begins at an instant begins within these times of day. */
export function isWithin({ fromTime, untilTime }: TimesOfDay, startsAt: string, zone: string): boolean {
  const time = timeOfDay(startsAt, zone);
  if (fromTime !== null && time < fromTime) return false;
  return untilTime === null || time < untilTime;
}

/** `14:30` on the clinic's clock. */
function timeOfDay(instant: string, zone: string): string {
  const at = Date.parse(instant);
  const minutes = Math.floor(((((at + offsetAt(at, zone)) % dayMs) + dayMs) % dayMs) / minuteMs);
  return `${String(Math.floor(minutes / 60)).padStart(2, '0')}:${String(minutes % 60).padStart(2, '0')}`;
}

import { plusLocalDays, toInstant } from './clinic-time';
import { type ProviderAgenda, slotMs, slotStatus } from './slots';
import { intervalsWith, isDayOff } from './weekly-hours';
import { dayMs, dayOf, minuteMs, offsetAt, stretchesOfDay } from './zone-offsets';

/** Why a time of a provider is to be had or not: a closed list, each with what it means. */
export const timeReasons = {
  free: 'The time can be booked.',
  in_the_past: 'The time has begun.',
  notice: 'The time is too near: the provider, or the sandbox, wants a longer notice.',
  too_far_ahead: 'The time lies further ahead than bookings are taken.',
  day_off: 'Nobody works on that day: the provider is off, or the clinic is closed.',
  hours: 'The time lies outside of the working hours, or a visit would run past their end.',
  grid: 'The time lies within the working hours, but no slot begins at it.',
  clock_change: "The clinic's clock changes on that day: it skips this time, or the slots of that hour are others.",
  booking: 'Somebody has booked the time.',
  hold: 'Somebody holds the time while they think it over.',
} as const;

export type TimeReason = keyof typeof timeReasons;

/** Why a time is to be had or not; `free` exactly where `slotStatus` says `offered`. */
export function explainTime(request: ProviderAgenda & { startsAt: string }): TimeReason {
  const status = slotStatus(request);
  switch (status) {
    case 'offered':
      return 'free';
    case 'in_the_past':
      return 'in_the_past';
    case 'taken':
      return 'booking';
    case 'not_on_offer':
      return whyNotOffered(request);
  }
}

function whyNotOffered(request: ProviderAgenda & { startsAt: string }): TimeReason {
  const { startsAt, now, zone, hours, specialDays = {}, noticeMinutes = 0 } = request;
  const start = Date.parse(startsAt);
  const plainly = { ...request, noticeMinutes: 0, bookableDays: null, booked: [] };
  if (slotStatus(plainly) === 'offered') {
    return start < Date.parse(now) + noticeMinutes * minuteMs ? 'notice' : 'too_far_ahead';
  }
  const day = dayOf(start, zone);
  if (isDayOff(specialDays, day)) return 'day_off';
  if (isMovedByClock(plainly)) return 'clock_change';
  const wall = (start + offsetAt(start, zone) - day * dayMs) / minuteMs;
  const isWithin = intervalsWith(specialDays, hours, day).some(
    ({ opens, closes }) => wall >= opens && wall + slotMs / minuteMs <= closes,
  );
  return isWithin ? 'grid' : 'hours';
}

/** Whether the time would be a slot if the clock did not change on that day: a week earlier or later it is one. */
function isMovedByClock(request: ProviderAgenda & { startsAt: string }): boolean {
  const { startsAt, zone } = request;
  if (stretchesOfDay(dayOf(Date.parse(startsAt), zone), zone).length < 2) return false;
  return [-7, 7].some((days) => {
    const other = plusLocalDays(startsAt, days, zone);
    const before = toInstant(Date.parse(other) - dayMs);
    return slotStatus({ ...request, specialDays: {}, startsAt: other, now: before }) === 'offered';
  });
}

import { cached } from '../cached';
import { dayMs, offsetAt } from '../calendar/zone-offsets';

const weekdayNames = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];
const monthNames = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
];

/**
 * A time to be read aloud in the clinic's zone: "Tuesday, November 24 at 12:30 PM".
 * With `now` given, the year is said when it is not the current one.
 */
export function spokenTime(instant: string, zone: string, now?: string): string {
  const wall = wallDate(instant, zone);
  return `${dayText(wall, zone, now)} at ${clockText(wall)}`;
}

/** A day to be read aloud in the clinic's zone: "Tuesday, November 24". */
export function spokenDay(instant: string, zone: string, now?: string): string {
  return dayText(wallDate(instant, zone), zone, now);
}

/** The zone as people call it, "Mountain Time": for callers who may be in another one. */
export function spokenZone(instant: string, zone: string): string {
  const name = zoneNames(zone)
    .formatToParts(Date.parse(instant))
    .find(({ type }) => type === 'timeZoneName');
  return name?.value ?? zone;
}

/** A Date whose UTC fields are the wall clock's. */
function wallDate(instant: string, zone: string): Date {
  const epochMs = Date.parse(instant);
  return new Date(epochMs + offsetAt(epochMs, zone));
}

function dayText(wall: Date, zone: string, now: string | undefined): string {
  const day = `${weekdayNames[wall.getUTCDay()]}, ${monthNames[wall.getUTCMonth()]} ${wall.getUTCDate()}`;
  const isThisYear = now === undefined || wallDate(now, zone).getUTCFullYear() === wall.getUTCFullYear();
  return isThisYear ? day : `${day}, ${wall.getUTCFullYear()}`;
}

function clockText(wall: Date): string {
  const minutes = Math.floor((wall.getTime() - Math.floor(wall.getTime() / dayMs) * dayMs) / 60_000);
  if (minutes === 0) return 'midnight';
  if (minutes === 720) return 'noon';
  const hour = Math.floor(minutes / 60);
  const past = String(minutes % 60).padStart(2, '0');
  return `${hour % 12 === 0 ? 12 : hour % 12}:${past} ${hour < 12 ? 'AM' : 'PM'}`;
}

const zoneFormats = new Map<string, Intl.DateTimeFormat>();

function zoneNames(zone: string): Intl.DateTimeFormat {
  return cached(
    zoneFormats,
    128,
    zone,
    () => new Intl.DateTimeFormat('en-US', { timeZone: zone, timeZoneName: 'longGeneric' }),
  );
}

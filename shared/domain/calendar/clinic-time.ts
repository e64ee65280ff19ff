import { dayMs, dayOf, firstInstantFrom, instantsShowing, minuteMs, offsetAt } from './zone-offsets';

/**
 * Instants are ISO 8601 strings in UTC with milliseconds, dates are YYYY-MM-DD, zones are IANA names.
 * Everything lies in the years 1 to 9999, the range that ISO 8601 writes with four digits.
 */

const earliestInstant = Date.parse('0001-01-01T00:00:00.000Z');
/** The last millisecond that can be written. */
export const latestInstant = Date.parse('9999-12-31T23:59:59.999Z');

const clockText = String.raw`(\d{2}):(\d{2})(?::(\d{2})(?:\.(\d{1,9}))?)?`;
const instantText = new RegExp(String.raw`^(\d{4}-\d{2}-\d{2})T${clockText}(Z|[+-]\d{2}:\d{2})$`);
const wallText = new RegExp(String.raw`^(\d{4}-\d{2}-\d{2})T${clockText}$`);
const twelveHourText = /^(\d{4}-\d{2}-\d{2})T(\d{1,2})(?::(\d{2}))?(?::00)? ?([AP])\.?M\.?$/;

/** Whether a name is an IANA time zone that this runtime knows. */
export function isTimeZone(zone: string): boolean {
  // Newer runtimes take bare offsets too; a clinic's zone has to know daylight saving.
  if (!/^[A-Za-z]/.test(zone)) return false;
  // Of three letters the runtime and PostgreSQL make different zones: BST is Dhaka's clock or Britain's, PST has summer time or none.
  if (/^[A-Za-z]{3}$/.test(zone) && zone !== 'UTC') return false;
  try {
    return new Intl.DateTimeFormat('en-US', { timeZone: zone }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
}

/** Whether a text is a date that the calendar has, as YYYY-MM-DD. */
export function isDate(text: string): boolean {
  return dayOfDate(text) !== null;
}

/** Reads ISO 8601 with `Z` or an offset; null for anything else, impossible dates and times included. */
export function parseInstant(text: string): string | null {
  const [, date, hour, minute, second, fraction, zone] = instantText.exec(text) ?? [];
  const wall = wallTime({ date, hour, minute, second, fraction });
  const offset = offsetOf(zone);
  return wall === null || offset === null ? null : isoOrNull(wall - offset);
}

/** Reads a FHIR search value: a date is the clinic's local midnight, an instant with an offset is taken as it is. */
export function parseDateOrInstant(text: string, zone: string): string | null {
  if (isDate(text)) return startOfDate(text, zone);
  // A plus sign that a client did not percent-encode arrives as a space.
  return parseInstant(text.replace(/ (?=\d{2}:\d{2}$)/, '+'));
}

/**
 * Reads a time as a voice agent gives it: with an offset, or as the clinic's wall time. A time that the clock skips is
 * null, of a repeated one the first is meant.
 */
export function parseSpokenTime(text: string, zone: string): string | null {
  const iso = text
    .trim()
    .toUpperCase()
    .replace(/^(\d{4}-\d{2}-\d{2})(?: AT)? /, '$1T');
  const wall = wallOf(iso);
  if (wall === null) return parseInstant(iso);
  const shown = instantsShowing(wall, zone)[0];
  return shown === undefined ? null : isoOrNull(shown);
}

/** Reads the day around which a caller asks for times: a date is its start, anything else as `parseSpokenTime`. */
export function parseSpokenDate(text: string, zone: string): string | null {
  const trimmed = text.trim();
  return isDate(trimmed) ? startOfDate(trimmed, zone) : parseSpokenTime(trimmed, zone);
}

/** The date on the clinic's calendar at an instant. */
export function localDate(instant: string, zone: string): string {
  return dateOfDay(dayOf(Date.parse(instant), zone));
}

/** The first instant of the local day that an instant falls on. */
export function startOfDay(instant: string, zone: string): string {
  return startOfDate(localDate(instant, zone), zone);
}

/** The first instant of a local date, which is not midnight where the clock skips midnight. */
export function startOfDate(date: string, zone: string): string {
  const day = dayOfDate(date);
  if (day === null) throw new RangeError('not a date');
  return toInstant(firstInstantFrom(day * dayMs, zone));
}

/** The date a number of days later. */
export function plusDays(date: string, days: number): string {
  const day = dayOfDate(date);
  if (day === null) throw new RangeError('not a date');
  return dateOfDay(day + days);
}

/** The instant with the same wall time a number of local days later; past a skipped hour where the clock skips it. */
export function plusLocalDays(instant: string, days: number, zone: string): string {
  const start = Date.parse(instant);
  return toInstant(firstInstantFrom(start + offsetAt(start, zone) + days * dayMs, zone));
}

/** The instant a number of seconds later. */
export function plusSeconds(instant: string, seconds: number): string {
  return toInstant(Date.parse(instant) + seconds * 1000);
}

/** The instant of an epoch time in milliseconds; the nearest one where that lies outside the years 1 to 9999. */
export function toInstant(epochMs: number): string {
  return new Date(Math.min(Math.max(epochMs, earliestInstant), latestInstant)).toISOString();
}

function isoOrNull(epochMs: number): string | null {
  return epochMs >= earliestInstant && epochMs <= latestInstant ? toInstant(epochMs) : null;
}

/** The day number of a date; null when the calendar has no such date. */
function dayOfDate(date: string): number | null {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(date) || date.startsWith('0000')) return null;
  const midnight = Date.parse(`${date}T00:00:00.000Z`);
  // Date.parse may roll February 30 over into March.
  if (Number.isNaN(midnight) || new Date(midnight).toISOString().slice(0, 10) !== date) return null;
  return midnight / dayMs;
}

function dateOfDay(day: number): string {
  return toInstant(day * dayMs).slice(0, 10);
}

interface WallFields {
  date: string | undefined;
  hour: string | undefined;
  minute: string | undefined;
  second?: string | undefined;
  fraction?: string | undefined;
}

/** A wall time as the instant it would be in UTC; null when no clock shows it. */
function wallTime({ date = '', hour, minute, second = '0', fraction = '0' }: WallFields): number | null {
  const day = dayOfDate(date);
  if (day === null || Number(hour) > 23 || Number(minute) > 59 || Number(second) > 59) return null;
  const milliseconds = Number(fraction.slice(0, 3).padEnd(3, '0'));
  return day * dayMs + (Number(hour) * 60 + Number(minute)) * minuteMs + Number(second) * 1000 + milliseconds;
}

function wallOf(text: string): number | null {
  const [, date, hour, minute, second, fraction] = wallText.exec(text) ?? [];
  if (date !== undefined) return wallTime({ date, hour, minute, second, fraction });
  const [, day, twelve, past = '00', half = ''] = twelveHourText.exec(text) ?? [];
  if (day === undefined || Number(twelve) < 1 || Number(twelve) > 12) return null;
  const hours = (Number(twelve) % 12) + (half.toLowerCase() === 'p' ? 12 : 0);
  return wallTime({ date: day, hour: String(hours), minute: past });
}

/** Offsets reach from -14:00 to +14:00, as in FHIR. */
function offsetOf(text: string | undefined): number | null {
  if (text === undefined) return null;
  if (text === 'Z') return 0;
  const [hours = 0, minutes = 0] = text.slice(1).split(':').map(Number);
  if (minutes > 59 || hours * 60 + minutes > 14 * 60) return null;
  return (text.startsWith('-') ? -1 : 1) * (hours * 60 + minutes) * minuteMs;
}

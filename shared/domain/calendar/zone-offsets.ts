import { cached } from '../cached';

/**
 * The arithmetic under clinic time, in epoch milliseconds. A wall time is written as the instant it would be in UTC; a
 * local day is the number of days between 1970-01-01 and its date.
 */

/** A part of one local day in which the offset from UTC stays the same. Most days have one, a day of change has two. */
export interface Stretch {
  readonly startsAt: number;
  readonly endsAt: number;
  /** Wall time minus UTC. */
  readonly offset: number;
}

export const minuteMs = 60_000;
export const hourMs = 60 * minuteMs;
export const dayMs = 24 * hourMs;

/** Local mean times of the 19th century reach 15:56, so a local day lies within 16 hours of the same day in UTC. */
const furthestOffset = 16 * hourMs;

/** Every zone is still on its constant local mean time then, and Intl counts earlier years by era. */
const earliestKnown = Date.UTC(1800, 0, 1);

/** No clock has changed twice within eight hours: where both ends of such a block agree, so does all between. */
const blockMs = 8 * hourMs;
/** Offsets by zone and block; NaN for a block in which the clock changes. */
const blocks = new Map<string, number>();
const clocks = new Map<string, Intl.DateTimeFormat>();
const stretches = new Map<string, readonly Stretch[]>();
/** By zone and year. */
const changes = new Map<string, readonly number[]>();

/** Wall time minus UTC at an instant. */
export function offsetAt(instant: number, zone: string): number {
  const block = Math.floor(instant / blockMs);
  const offset = cached(blocks, 8192, `${zone} ${block}`, () => {
    const first = findOffset(block * blockMs, zone);
    return first === findOffset((block + 1) * blockMs - 1, zone) ? first : NaN;
  });
  return Number.isNaN(offset) ? findOffset(instant, zone) : offset;
}

/** The local day that an instant falls on. */
export function dayOf(instant: number, zone: string): number {
  return Math.floor((instant + offsetAt(instant, zone)) / dayMs);
}

/** The stretches of a local day in order; none for a day that the zone left out when it crossed the date line. */
export function stretchesOfDay(day: number, zone: string): readonly Stretch[] {
  return cached(stretches, 8192, `${zone} ${day}`, () => findStretches(day, zone));
}

/**
 * The offsets of a zone in years of UTC, the last one included: since when each holds, in order. The first holds as they begin. No
 * clock has changed twice in a day in this century.
 */
export function offsetsOfYears({ from, until }: { from: number; until: number }, zone: string) {
  const years = Array.from({ length: until - from + 1 }, (_, index) => from + index);
  const since = [Date.UTC(from), ...years.flatMap((year) => changesOfYear(year, zone))];
  return since.map((instant) => ({ since: instant, offset: findOffset(instant, zone) }));
}

function changesOfYear(year: number, zone: string): readonly number[] {
  return cached(changes, 2048, `${zone} ${year}`, () =>
    changesBetween(Date.UTC(year), Date.UTC(year + 1), zone, dayMs),
  );
}

/** The instants at which the clock shows a wall time: none when it is skipped, two when it is repeated. */
export function instantsShowing(wall: number, zone: string): number[] {
  return stretchesOfDay(Math.floor(wall / dayMs), zone)
    .filter(({ startsAt, endsAt, offset }) => wall - offset >= startsAt && wall - offset < endsAt)
    .map(({ offset }) => wall - offset);
}

/** The first instant at which the clock shows a wall time or, where that is skipped, a later one. */
export function firstInstantFrom(wall: number, zone: string): number {
  const day = Math.floor(wall / dayMs);
  // A zone that crosses the date line leaves out one day, never two.
  for (const { startsAt, endsAt, offset } of [...stretchesOfDay(day, zone), ...stretchesOfDay(day + 1, zone)]) {
    if (wall - offset < endsAt) return Math.max(startsAt, wall - offset);
  }
  return wall - offsetAt(wall, zone);
}

function findOffset(instant: number, zone: string): number {
  const second = Math.floor(Math.max(instant, earliestKnown) / 1000) * 1000;
  const [month = 0, day = 0, year = 0, hour = 0, minute = 0, seconds = 0] = clockOf(zone)
    .format(second)
    .split(/\D+/)
    .map(Number);
  return Date.UTC(year, month - 1, day, hour, minute, seconds) - second;
}

function findStretches(day: number, zone: string): Stretch[] {
  const midnight = day * dayMs;
  const from = midnight - furthestOffset;
  const until = midnight + dayMs + furthestOffset;
  const bounds = [from, ...changesBetween(from, until, zone), until];

  return bounds.slice(0, -1).flatMap((boundary, index) => {
    const offset = findOffset(boundary, zone);
    const startsAt = Math.max(boundary, midnight - offset);
    const endsAt = Math.min(bounds[index + 1] ?? until, midnight + dayMs - offset);
    return startsAt < endsAt ? [{ startsAt, endsAt, offset }] : [];
  });
}

function changesBetween(from: number, until: number, zone: string, stepMs = blockMs): number[] {
  const found: number[] = [];
  for (let start = from; start < until; start += stepMs) {
    const end = Math.min(start + stepMs, until);
    if (findOffset(start, zone) !== findOffset(end, zone)) found.push(changeBetween(start, end, zone));
  }
  return found;
}

function changeBetween(from: number, until: number, zone: string): number {
  const before = findOffset(from, zone);
  let last = from;
  let first = until;
  while (first - last > 1000) {
    const middle = last + Math.floor((first - last) / 2000) * 1000;
    if (findOffset(middle, zone) === before) last = middle;
    else first = middle;
  }
  return first;
}

function clockOf(zone: string): Intl.DateTimeFormat {
  return cached(
    clocks,
    512,
    zone,
    () =>
      new Intl.DateTimeFormat('en-US', {
        timeZone: zone,
        calendar: 'gregory',
        numberingSystem: 'latn',
        hourCycle: 'h23',
        year: 'numeric',
        month: 'numeric',
        day: 'numeric',
        hour: 'numeric',
        minute: 'numeric',
        second: 'numeric',
      }),
  );
}

import { cached } from '../cached';
import { latestInstant, toInstant } from './clinic-time';
import { dayMs, dayOf, minuteMs, stretchesOfDay, type Stretch } from './zone-offsets';
import {
  intervalsWith,
  isDayOff,
  type SpecialDays,
  weeklyHoursProblem,
  type WallInterval,
  type WeeklyHours,
} from './weekly-hours';

/** A provider's weekly hours on the clinic's wall clock. */
export type WorkingHours = WeeklyHours;

export interface Slot {
  readonly slotId: string;
  readonly startsAt: string;
  readonly endsAt: string;
}

/** The time that an appointment occupies. */
export interface BookedTime {
  startsAt: string;
  endsAt: string;
}

/** The same in epoch milliseconds, for who has many of them at hand. */
export interface BookedSpan {
  start: number;
  end: number;
}

/** All that decides what a provider offers. */
export interface ProviderAgenda {
  providerName: string;
  hours: WorkingHours;
  /** Time off, holidays and extra hours; none unless given. */
  specialDays?: SpecialDays;
  /** How long before it begins a time can still be booked; until it begins unless given. */
  noticeMinutes?: number;
  /** How many days ahead a time can be booked at most; any unless given. */
  bookableDays?: number | null;
  zone: string;
  now: string;
  /** At least every booked appointment that overlaps the time asked about. */
  booked: readonly (BookedTime | BookedSpan)[];
}

export type SlotStatus = 'offered' | 'taken' | 'not_on_offer' | 'in_the_past';

export const slotMinutes = 30;
export const slotMs = slotMinutes * minuteMs;

/** What is wrong with working hours, as one sentence; null when nothing is. */
export const workingHoursProblem: (hours: unknown) => string | null = weeklyHoursProblem;

/** The slots that a provider offers, starting at `from` or later and before `until`, in order. */
export function offeredSlots(search: ProviderAgenda & { from: string; until: string }): Slot[] {
  const from = Math.max(Date.parse(search.from), Date.parse(search.now) + 1, earliestOf(search));
  const until = Math.min(Date.parse(search.until), latestOf(search) + 1);
  const gridOfDay = gridOf(search);
  const isTaken = takenInOrder(search.booked);
  const offered: Slot[] = [];
  const lastDay = dayOf(until - 1, search.zone);
  for (let day = dayOf(from, search.zone); day <= lastDay; day += 1) {
    for (const { start, slot } of gridOfDay(day)) {
      if (start >= from && start < until && !isTaken(start)) offered.push(slot);
    }
  }
  return offered;
}

/** Whether a booking may start at an instant: `offered` exactly when `offeredSlots` lists it. */
export function slotStatus(request: ProviderAgenda & { startsAt: string }): SlotStatus {
  const start = Date.parse(request.startsAt);
  if (start <= Date.parse(request.now)) return 'in_the_past';
  if (start < earliestOf(request) || start > latestOf(request)) return 'not_on_offer';
  const grid = gridOf(request)(dayOf(start, request.zone));
  if (!grid.some((entry) => entry.start === start)) return 'not_on_offer';
  return takenInOrder(request.booked)(start) ? 'taken' : 'offered';
}

/**
 * Whether a time of another system's calendar may be offered here too: it lies ahead by the notice that the provider wants, and
 * not on a day off. Which hours there are is for that calendar.
 */
export function mayOffer({
  startsAt,
  zone,
  now,
  specialDays = {},
  noticeMinutes,
}: Pick<ProviderAgenda, 'zone' | 'now' | 'specialDays' | 'noticeMinutes'> & { startsAt: string }): boolean {
  const start = Date.parse(startsAt);
  if (start <= Date.parse(now) || start < earliestOf({ now, noticeMinutes })) return false;
  return !isDayOff(specialDays, dayOf(start, zone));
}

/** The first moment that is not too short a notice, in epoch milliseconds. */
const earliestOf = ({ now, noticeMinutes = 0 }: Pick<ProviderAgenda, 'now' | 'noticeMinutes'>): number =>
  Date.parse(now) + noticeMinutes * minuteMs;

/** The last moment that is not too far ahead, in epoch milliseconds. */
const latestOf = ({ now, bookableDays }: Pick<ProviderAgenda, 'now' | 'bookableDays'>): number =>
  bookableDays === null || bookableDays === undefined ? Infinity : Date.parse(now) + bookableDays * dayMs;

/** The starts of so many of the slots as lie nearest to an instant, in order of time. */
export function nearestStarts(slots: readonly Pick<Slot, 'startsAt'>[], instant: string, count: number): string[] {
  const at = Date.parse(instant);
  const distance = (startsAt: string) => Math.abs(Date.parse(startsAt) - at);
  return slots
    .map(({ startsAt }) => startsAt)
    .toSorted((one, other) => distance(one) - distance(other))
    .slice(0, count)
    .toSorted();
}

/** The end of the slot that starts at an instant. */
export function slotEnd(startsAt: string): string {
  return toInstant(Date.parse(startsAt) + slotMs);
}

/** A FHIR id that is always the same for one provider and instant. It says nothing and is not to be read back. */
export function slotId(providerName: string, startsAt: string): string {
  return idOf(hashOf(providerName), Date.parse(startsAt));
}

interface GridEntry {
  readonly start: number;
  readonly slot: Slot;
}

/** Grids by provider, zone and hours, then by day: a search is mostly a filter over what an earlier one computed. */
const grids = new Map<string, Map<number, readonly GridEntry[]>>();
const maxAgendas = 256;
const maxDaysOfAgenda = 64;

type GridOfDay = (day: number) => readonly GridEntry[];

/** The provider's grid by local day, whatever is booked and whatever the time is now. */
function gridOf({
  providerName,
  zone,
  hours,
  specialDays = {},
}: Pick<ProviderAgenda, 'providerName' | 'zone' | 'hours' | 'specialDays'>): GridOfDay {
  const key = `${providerName} ${zone} ${JSON.stringify([hours, specialDays])}`;
  const days = cached(grids, maxAgendas, key, () => new Map<number, readonly GridEntry[]>());
  return (day) =>
    cached(days, maxDaysOfAgenda, day, () => {
      const provider = hashOf(providerName);
      return slotStarts(day, intervalsWith(specialDays, hours, day), zone).map((start) => ({
        start,
        slot: Object.freeze({
          slotId: idOf(provider, start),
          startsAt: toInstant(start),
          endsAt: toInstant(start + slotMs),
        }),
      }));
    });
}

/**
 * The instants of a local day at which the wall clock shows an opening time plus whole slots, and the slot ends by
 * closing. In a repeated hour an instant that would cut into the slot before it is left out.
 */
function slotStarts(day: number, intervals: readonly WallInterval[], zone: string): number[] {
  const stretches = stretchesOfDay(day, zone);
  const starts = intervals
    .flatMap((interval) => stretches.flatMap((stretch) => startsWithin({ day, interval, stretch, stretches })))
    .toSorted((one, other) => one - other);

  let lastEnd = -Infinity;
  return starts.filter((start) => {
    if (start < lastEnd || start + slotMs > latestInstant) return false;
    lastEnd = start + slotMs;
    return true;
  });
}

interface Crossing {
  day: number;
  interval: WallInterval;
  stretch: Stretch;
  stretches: readonly Stretch[];
}

function startsWithin({ day, interval, stretch, stretches }: Crossing): number[] {
  // The instant at which the clock would show midnight if the whole day had this stretch's offset.
  const midnight = day * dayMs - stretch.offset;
  const opening = midnight + interval.opens * minuteMs;
  const closing = midnight + interval.closes * minuteMs;
  const skipped = Math.max(0, Math.ceil((stretch.startsAt - opening) / slotMs));

  const starts: number[] = [];
  for (let start = opening + skipped * slotMs; start < stretch.endsAt && start + slotMs <= closing; start += slotMs) {
    const endWall = wallMinutesBefore(start + slotMs, day, stretches);
    if (endWall !== null && endWall <= interval.closes) starts.push(start);
  }
  return starts;
}

/** What the clock shows as an instant is reached, in minutes of the day; null when that moment is on another day. */
function wallMinutesBefore(instant: number, day: number, stretches: readonly Stretch[]): number | null {
  const stretch = stretches.find(({ startsAt, endsAt }) => startsAt < instant && instant <= endsAt);
  return stretch === undefined ? null : (instant + stretch.offset - day * dayMs) / minuteMs;
}

/** Tells of slots, asked in order of time, whether a booked time overlaps them. */
function takenInOrder(booked: readonly (BookedTime | BookedSpan)[]): (start: number) => boolean {
  const times = booked
    .map((time) => ('start' in time ? time : { start: Date.parse(time.startsAt), end: Date.parse(time.endsAt) }))
    .toSorted((one, other) => one.start - other.start);
  let first = 0;

  return (start) => {
    while ((times[first]?.end ?? Infinity) <= start) first += 1;
    return (times[first]?.start ?? Infinity) < start + slotMs;
  };
}

const secondsFromYearOne = 62_135_596_800;

function idOf(provider: string, start: number): string {
  return `${provider}-${(Math.floor(start / 1000) + secondsFromYearOne).toString(36).padStart(8, '0')}`;
}

/** 106 bits in base 36: two different names of a clinic do not meet by chance. */
function hashOf(text: string): string {
  return [0x9e3779b9, 0x85ebca6b].map((seed) => hash53(text, seed).toString(36).padStart(11, '0')).join('');
}

/** The public-domain cyrb53: two 32-bit multiplicative hashes, mixed, of which 53 bits stay. */
function hash53(text: string, seed: number): number {
  let high = 0xdeadbeef ^ seed;
  let low = 0x41c6ce57 ^ seed;
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index);
    high = Math.imul(high ^ unit, 2654435761);
    low = Math.imul(low ^ unit, 1597334677);
  }
  high = Math.imul(high ^ (high >>> 16), 2246822507) ^ Math.imul(low ^ (low >>> 13), 3266489909);
  low = Math.imul(low ^ (low >>> 16), 2246822507) ^ Math.imul(high ^ (high >>> 13), 3266489909);
  return 4294967296 * (2097151 & low) + (high >>> 0);
}

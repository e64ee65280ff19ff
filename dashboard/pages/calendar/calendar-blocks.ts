import type { ReactNode } from 'react';
import type * as api from '#api';
import { type LocalDate, minuteOf, wallClock, weekdayOf, weekdays } from '#words';

/** A day of a provider, drawn from top to bottom. */
export interface DayColumn {
  key: string;
  date: LocalDate;
  provider: api.Provider;
  /** What stands above it, and what it is called. */
  head: ReactNode;
  name: string;
  isToday: boolean;
  /** What a day is called on which the whole clinic is closed. */
  closed?: string;
  appointments: api.CalendarEntry[];
  slots: api.OpenSlot[];
  /** Times that are kept for somebody, and neither free nor booked. */
  held: api.HeldTime[];
  /** The colour of the provider, where days of several stand side by side. */
  color?: string;
}

/** When its provider works; never while the clinic is closed. */
export const hoursOf = ({ provider, date, closed }: DayColumn) =>
  closed === undefined ? (provider.workingHours[weekdayOf(date)] ?? []) : [];

/** A stretch of half an hour that can be chosen: free, or with the appointment that it holds. */
export interface Block {
  key: string;
  providerName: string;
  startsAt: string;
  minute: number;
  appointment: api.CalendarEntry | null;
}

export const slotMinutes = 30;
export const keyOf = ({ providerName, startsAt }: { providerName: string; startsAt: string }) =>
  `${providerName} ${new Date(startsAt).toISOString()}`;

/** Hues of the theme that are told from each other on a booked time, and between providers. */
const hues = ['yellow', 'blue', 'pink', 'orange', 'lime', 'grape'];
export const hueOf = (index: number, shade: number): string =>
  `var(--mantine-color-${hues[index % hues.length]}-${shade})`;

/** In order of time. */
export function blocksOf({ appointments, slots }: DayColumn, zone: string): Block[] {
  const blocks = [
    ...appointments.map((appointment) => ({ ...appointment, appointment })),
    ...slots.map((slot) => ({ ...slot, appointment: null })),
  ];
  return blocks
    .map(({ providerName, startsAt, appointment }) => ({
      key: keyOf({ providerName, startsAt }),
      providerName,
      startsAt,
      minute: wallClock(startsAt, zone).minute,
      appointment,
    }))
    .toSorted((one, other) => Date.parse(one.startsAt) - Date.parse(other.startsAt));
}

/** What is next to come, or the first. */
export function firstOf(blocks: Block[]): string | null {
  const now = Date.now();
  const next = blocks.find(({ startsAt }) => Date.parse(startsAt) >= now);
  return (next ?? blocks[0])?.key ?? null;
}

/** Where a key leads from a block: within its day, or to the time nearest to its own in another one. */
export function neighbour(blocks: Block[][], from: string | null, key: string): string | null {
  const column = blocks.findIndex((ofDay) => ofDay.some((block) => block.key === from));
  const ofDay = blocks[column] ?? [];
  const index = ofDay.findIndex((block) => block.key === from);
  const block = ofDay[index];
  if (!block) return null;
  const within: Record<string, number> = { ArrowDown: index + 1, ArrowUp: index - 1, Home: 0, End: ofDay.length - 1 };
  const to = within[key];
  if (to !== undefined) return ofDay[to]?.key ?? null;
  const distance = ({ minute }: Block) => Math.abs(minute - block.minute);
  const beside =
    key === 'ArrowRight'
      ? blocks.slice(column + 1).find((each) => each.length > 0)
      : key === 'ArrowLeft'
        ? blocks.slice(0, column).findLast((each) => each.length > 0)
        : undefined;
  return beside?.toSorted((one, other) => distance(one) - distance(other))[0]?.key ?? null;
}

export interface Range {
  from: number;
  until: number;
}

/** Whole hours that hold every working hour and every appointment that is shown. */
export function rangeOf(columns: DayColumn[], zone: string): Range {
  const hours = columns.flatMap(({ provider: { workingHours } }) =>
    weekdays.flatMap((weekday) => workingHours[weekday] ?? []),
  );
  const starts = columns
    .flatMap(({ appointments }) => appointments)
    .map(({ startsAt }) => wallClock(startsAt, zone).minute);
  const from = Math.min(9 * 60, ...hours.map(({ opens }) => minuteOf(opens)), ...starts);
  const until = Math.max(
    17 * 60,
    ...hours.map(({ closes }) => minuteOf(closes)),
    ...starts.map((start) => start + slotMinutes),
  );
  return { from: Math.floor(from / 60) * 60, until: Math.ceil(until / 60) * 60 };
}

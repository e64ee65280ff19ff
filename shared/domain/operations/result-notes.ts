import { localDate } from '../calendar/clinic-time';
import type { ClosedDays } from '../calendar/weekly-hours';
import { classifyEndedReason } from '../voice/ended-reason';
import { datesOf, type Period } from './periods';

/** Why fewer patients were called on a day: the clinic was closed, outreach was paused, calls failed at the platform or waited in line. */
export const noteKinds = ['closed', 'paused', 'faults', 'queue'] as const;

export interface ResultNote {
  date: string;
  kind: (typeof noteKinds)[number];
  /** What the day is called, or why outreach was paused. */
  text: string | null;
  /** Calls that failed, or waited. */
  count: number | null;
}

/** So many calls of a day, and so large a share of them, are worth a word. */
const MIN_CALLS = 3;
const MIN_SHARE = 0.1;

export interface NotedRecords {
  closedDays: ClosedDays;
  /** Instants; without an end it goes on. */
  pauses: readonly { reason: string; from: string; until: string | null }[];
  /** Calls of each day by the reason of their end, and those of them that waited long in line. */
  endings: readonly CallsOfDay[];
}

interface CallsOfDay {
  date: string;
  reason: string;
  calls: number;
  waited: number;
}

/** What the records say of the days of a period, in the order of the days. */
export function notesOf(period: Period, zone: string, { closedDays, pauses, endings }: NotedRecords): ResultNote[] {
  const paused = pauses.map(({ reason, from, until }) => ({
    reason,
    from: localDate(from, zone),
    until: until === null ? period.until : localDate(until, zone),
  }));
  return datesOf(period).flatMap((date) => {
    const closed = closedDays[date];
    const ofDay = endings.filter((each) => each.date === date);
    const failed = manyOf(ofDay, ({ reason, calls }) => (classifyEndedReason(reason) === 'platform_fault' ? calls : 0));
    const waited = manyOf(ofDay, (each) => each.waited);
    return [
      ...(closed === undefined ? [] : [{ date, kind: 'closed' as const, text: closed, count: null }]),
      ...paused
        .filter(({ from, until }) => from <= date && date <= until)
        .map(({ reason }) => ({ date, kind: 'paused' as const, text: reason, count: null })),
      ...(failed === 0 ? [] : [{ date, kind: 'faults' as const, text: null, count: failed }]),
      ...(waited === 0 ? [] : [{ date, kind: 'queue' as const, text: null, count: waited }]),
    ];
  });
}

/** How many calls of a day those are; 0 where they are too few for a word. */
function manyOf(ofDay: readonly CallsOfDay[], countOf: (each: CallsOfDay) => number): number {
  const sum = (count: typeof countOf) => ofDay.reduce((total, each) => total + count(each), 0);
  const found = sum(countOf);
  return found >= MIN_CALLS && found >= MIN_SHARE * sum(({ calls }) => calls) ? found : 0;
}

import { localDate } from '../calendar/clinic-time';
import type { ClosedDays } from '../calendar/weekly-hours';
import { classifyEndedReason } from '../voice/ended-reason';
import { datesOf, type Period } from './periods';

/** Why fewer patients were called on a day: the clinic was closed, outreach was paused, calls failed at the platform. */
export const noteKinds = ['closed', 'paused', 'faults'] as const;

export interface ResultNote {
  date: string;
  kind: (typeof noteKinds)[number];
  /** What the day is called, or why outreach was paused. */
  text: string | null;
  /** Calls that failed. */
  count: number | null;
}

/** So many failed calls of a day, and so large a share of its calls, are worth a word. */
const MIN_FAULTS = 3;
const MIN_SHARE = 0.1;

export interface NotedRecords {
  closedDays: ClosedDays;
  /** Instants; without an end it goes on. */
  pauses: readonly { reason: string; from: string; until: string | null }[];
  /** Calls of each day by the reason of their end. */
  endings: readonly { date: string; reason: string; calls: number }[];
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
    const failed = faultsOf(endings.filter((each) => each.date === date));
    return [
      ...(closed === undefined ? [] : [{ date, kind: 'closed' as const, text: closed, count: null }]),
      ...paused
        .filter(({ from, until }) => from <= date && date <= until)
        .map(({ reason }) => ({ date, kind: 'paused' as const, text: reason, count: null })),
      ...(failed === 0 ? [] : [{ date, kind: 'faults' as const, text: null, count: failed }]),
    ];
  });
}

function faultsOf(endings: readonly { reason: string; calls: number }[]): number {
  const sum = (those: typeof endings) => those.reduce((total, { calls }) => total + calls, 0);
  const failed = sum(endings.filter(({ reason }) => classifyEndedReason(reason) === 'platform_fault'));
  return failed >= MIN_FAULTS && failed >= MIN_SHARE * sum(endings) ? failed : 0;
}

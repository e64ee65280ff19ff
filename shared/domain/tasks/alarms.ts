import type { TaskReason } from './task';

/** What administrators are told of at once: tasks of their own, which nobody else sees. */
export const alarmKinds = [
  'bulk_reads',
  'emergency_access',
  'records_exported',
  'refused_sign_ins',
] as const satisfies readonly TaskReason[];
export type AlarmKind = (typeof alarmKinds)[number];

export const isAlarm = (reason: string): boolean => (alarmKinds as readonly string[]).includes(reason);

/** Actions of the audit by which records of patients, or of what was done with them, leave as a whole. */
export const exportActions = ['audit.export', 'opt-out.export', 'patient.export'] as const;

/** How many patients a person or a key saw on a day, and on those of the days before on which they saw any. */
export interface DayOfReads {
  patients: number;
  before: readonly number[];
}

/** Fewer patients than this in a day are no alarm, whoever reads them. */
export const FEWEST_BULK_READS = 200;
const TIMES_THE_USUAL = 5;
/** As usual counts what was so in these many days. */
export const USUAL_DAYS = 28;

/** The median, so that one day of many, or a slow rise over some days, makes nothing usual. Nobody who is new has read any. */
export function usualReads(before: readonly number[]): number {
  const sorted = before.toSorted((one, other) => one - other);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? 0;
  return sorted.length % 2 === 1 ? upper : Math.floor((upper + (sorted[middle - 1] ?? 0)) / 2);
}

export const isBulkRead = ({ patients, before }: DayOfReads): boolean =>
  patients >= Math.max(FEWEST_BULK_READS, TIMES_THE_USUAL * usualReads(before));

/** So many refused sign-ins in a day are more than somebody who has forgotten a password. */
export const MANY_REFUSALS = { ofAccount: 10, ofClinic: 30 };

import { sha256Hex } from '@clinic/shared/crypto';
import { localDate, plusDays, startOfDate, toInstant } from '@clinic/shared/domain/calendar/clinic-time';
import { dayMs, hourMs, minuteMs, offsetAt } from '@clinic/shared/domain/calendar/zone-offsets';
import type { WorkingHours } from '@clinic/shared/domain/calendar/slots';
import type { Random } from '../random';

/** A clinic whose past is made up. */
export interface ClinicToFill {
  clinicId: string;
  zone: string;
  country: 'US' | 'GB';
  /** That of its events without a choice of one. */
  receiverId: string;
  providers: { id: string; name: string; workingHours: WorkingHours; visitTypes: string[] }[];
  /** Of its people, who work on tasks. */
  userIds: string[];
  closedDays: readonly string[];
  cases: number;
  /** In epoch milliseconds. */
  now: number;
  random: Random;
  /** An id as of a record that was made then: the same seed gives the same. */
  newId: (at: number, prefix?: string) => string;
}

/** Ids of one clinic and seed. */
export function idsOf(seed: string): ClinicToFill['newId'] {
  let made = 0;
  return (at, prefix) => {
    made += 1;
    const time = Math.floor(at).toString(16).padStart(12, '0');
    const digits = sha256Hex(`${seed}/${made}`);
    const id = `${time.slice(0, 8)}-${time.slice(8)}-7${digits.slice(0, 3)}-8${digits.slice(3, 6)}-${digits.slice(6, 18)}`;
    return prefix === undefined ? id : `${prefix}-${id}`;
  };
}

const HISTORY_DAYS = 365;

/** Outreach stood still once, for three days. */
export const pauseOf = ({ now }: Pick<ClinicToFill, 'now'>) => ({
  from: now - 97 * dayMs,
  until: now - 94 * dayMs,
  reason: 'New phone system: no calls until it is tested',
});

/** A clinic that grows, with a summer in which people are away. The first is the month that is the longest ago. */
const months = [0.5, 0.55, 0.6, 0.75, 0.8, 0.7, 0.95, 0.8, 0.65, 1.05, 1.15, 1.2];
/** From Sunday on. */
const weekdays = [0.6, 1.3, 1.15, 1.1, 1, 0.9, 0.55];
/** Forms are left over lunch and in the evening. */
const hours = [
  0.2, 0.1, 0.1, 0.1, 0.1, 0.2, 0.5, 1, 1.6, 2.1, 2.4, 2.3, 2.7, 2.2, 1.9, 1.8, 1.7, 2, 2.5, 3.1, 3.3, 2.6, 1.4, 0.6,
];

/** When somebody leaves a form: by month, weekday and hour of the clinic's clock. Before now. */
export function momentsOf({ random, now, zone }: ClinicToFill): () => number {
  const today = localDate(toInstant(now), zone);
  const weights = Array.from({ length: HISTORY_DAYS }, (_, back) => {
    const weekday = new Date(`${plusDays(today, -back)}T12:00:00Z`).getUTCDay();
    const month = months[11 - Math.min(11, Math.floor(back / 30.5))] ?? 1;
    return month * (weekdays[weekday] ?? 1);
  });
  return () => {
    const date = plusDays(today, -random.weighed(weights));
    const at = Date.parse(startOfDate(date, zone)) + random.weighed(hours) * hourMs + random.between(0, 60) * minuteMs;
    return Math.floor(at < now - 10 * minuteMs ? at : at - dayMs);
  };
}

/** The hour of the clinic's clock. */
export const hourAt = (at: number, zone: string): number => new Date(at + offsetAt(at, zone)).getUTCHours();

import type { CallingHours } from './calling-hours';
import { weekdays } from '../calendar/weekly-hours';

/** When a patient asked to be called, every day, as `HH:MM` of their own clock; null where they named no such time. */
export interface PreferredCallHours {
  from: string | null;
  until: string | null;
}

/** What is wrong with such hours, as one sentence; null when nothing is. */
export function preferredHoursProblem({ from, until }: PreferredCallHours): string | null {
  if (from === null && until === null) return 'must say from when, until when, or both';
  const { opens, closes } = dayOf({ from, until });
  return opens < closes ? null : 'must end later on the same day than they begin: hours over midnight are not possible';
}

/** The same as the hours of a week. */
export function weekOf(preferred: PreferredCallHours): CallingHours {
  return Object.fromEntries(weekdays.map((weekday) => [weekday, [dayOf(preferred)]]));
}

const dayOf = ({ from, until }: PreferredCallHours) => ({ opens: from ?? '00:00', closes: until ?? '24:00' });

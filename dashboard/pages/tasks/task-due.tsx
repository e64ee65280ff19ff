import { Badge } from '@mantine/core';
import type * as api from '#api';
import { t } from '#texts';
import { formatDate, formatWallTime, type LocalDate, plusDays, wallClock, wallTimeOf } from '#words';

/** When a task is due: a day of the clinic's calendar, and a time of its clock. */
export interface Due {
  on: LocalDate;
  time: string | null;
}

/** What a call about a task came to. */
export const outcomes: Record<api.TaskOutcome, string> = {
  spoke: t`Spoke with them`,
  voicemail: t`Left a voicemail`,
  no_answer: t`No answer`,
  try_later: t`Try again later`,
};

export const dueOf = ({ dueOn, dueTime }: Pick<api.Task, 'dueOn' | 'dueTime'>): Due | null =>
  dueOn === null ? null : { on: dueOn, time: dueTime };

/** `10:30 AM`, `Tomorrow, 9:00 AM`, `Mon, Nov 30`. */
export function dueWords({ on, time }: Due, today: LocalDate): string {
  const clock = time && formatWallTime(time);
  if (on === today) return clock ? t`Today, ${clock}` : t`Today`;
  const day = dayWords(on, today);
  return clock ? `${day}, ${clock}` : day;
}

function dayWords(on: LocalDate, today: LocalDate): string {
  if (on === plusDays(today, 1)) return t`Tomorrow`;
  if (on === plusDays(today, -1)) return t`Yesterday`;
  const year = on.slice(0, 4) === today.slice(0, 4) ? undefined : ('numeric' as const);
  return formatDate(on, { weekday: 'short', day: 'numeric', month: 'short', year });
}

/** Whether it should be done by now, by the clock of the zone. */
export function isOverdue({ on, time }: Due, zone: string): boolean {
  const { date, minute } = wallClock(new Date().toISOString(), zone);
  return on < date || (on === date && time !== null && time < wallTimeOf(minute));
}

/** When it is due; in red once that is over. */
export const DueBadge = ({ due, today, isLate }: { due: Due; today: LocalDate; isLate: boolean }) => (
  <Badge color={isLate ? 'red' : 'gray'} flex="none" miw="max-content">
    {isLate ? t`${dueWords(due, today)} · overdue` : dueWords(due, today)}
  </Badge>
);

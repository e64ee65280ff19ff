import {
  parseDateOrInstant,
  plusDays,
  plusLocalDays,
  isDate,
  toInstant,
} from '@clinic/shared/domain/calendar/clinic-time';
import { invalid } from '@clinic/shared/errors';

/** How far a search looks. */
const DAYS = 14;

/** From this instant on, and before the other. */
export interface Window {
  from: string;
  until: string;
}

/**
 * The time that a Slot search covers: 14 days from `start`, narrowed by every further `start`. A date is the clinic's
 * whole day, an instant is a moment; without a lower bound the search begins now.
 */
export function slotWindow({ starts, zone, now }: { starts: string[]; zone: string; now: string }): Window {
  const bounds = starts.map((start) => boundsOf('start', start, zone));
  const from = latest(bounds.flatMap((bound) => bound.from ?? [])) ?? now;
  const until = earliest([...bounds.flatMap((bound) => bound.until ?? []), plusLocalDays(from, DAYS, zone)]) ?? from;
  return { from, until };
}

/** What one value of a date parameter asks for, by its FHIR prefix. Throws `bad_request` for what is none. */
export function boundsOf(parameter: string, value: string, zone: string): Partial<Window> {
  const [, prefix = 'eq', text = ''] = /^([a-z]{2})?(.*)$/s.exec(value) ?? [];
  const first = parseDateOrInstant(text, zone);
  if (first === null) throw invalid(parameter, 'is not a date or an ISO 8601 timestamp');
  const after = isDate(text)
    ? (parseDateOrInstant(plusDays(text, 1), zone) ?? first)
    : toInstant(Date.parse(first) + 1);
  switch (prefix) {
    case 'eq':
      return { from: first, until: after };
    case 'ge':
      return { from: first };
    case 'gt':
    case 'sa':
      return { from: after };
    case 'lt':
    case 'eb':
      return { until: first };
    case 'le':
      return { until: after };
    default:
      throw invalid(parameter, 'has a prefix that is not supported; those that are: ge, gt, le, lt, eq, sa, eb');
  }
}

// Instants in UTC with four-digit years sort as text.
export const latest = (instants: string[]) => instants.toSorted().at(-1);
export const earliest = (instants: string[]) => instants.toSorted().at(0);

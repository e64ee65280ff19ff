import { offsetsOfYears } from '@clinic/shared/domain/calendar/zone-offsets';
import { condition } from '../../sql';

/**
 * What is said of a recovery case `c` by its calls `k` and by the calendar, for the list of cases and for the results alike: a
 * number of the results is the length of its list.
 */

/** A call that made the patient's phone ring. */
export const rang = condition`(k.rang_at is not null or k.started_at is not null)`;

/** A call that a person answered. A machine picks up too: the platform hangs up on it, or what was heard tells of it afterwards. */
export const answered = condition`(k.started_at is not null and k.said is distinct from 'voicemail'
  and k.ended_reason is distinct from 'voicemail')`;

/** Ended without a recovery; what the patient finished before a call is neither won nor lost. */
export const isLost = condition`(c.ended_at is not null and c.status not in ('RECOVERED', 'ALREADY_COMPLETED'))`;

/** What the visit of a recovered patient came from is not recorded: it is the first one that was booked in the month after. */
export const isVisitAfter = condition`c.status = 'RECOVERED' and a.clinic_id = c.clinic_id and a.patient_id = c.patient_id
  and a.held_until is null and a.status <> 'cancelled' and a.created_at >= c.created_at
  and a.created_at < c.created_at + interval '30 days'`;

/** In place of a provider and a visit type, where a recovered patient has no visit. */
export const NO_VISIT = 'none';

/** No case is older; none is of years to come. */
const FIRST_YEAR = 2000;

/**
 * What `on_clock` says the time of an instant by: the offsets that this process knows of a zone, for instants of a span, or of a year
 * later. So an instant falls on the day whose first instant it knows too: PostgreSQL may know another release of the zones. Whatever span is
 * asked for, years without cases are not looked through.
 */
export function clockOf({ zone, from, until }: { zone: string; from?: string; until?: string }) {
  const thisYear = new Date().getUTCFullYear();
  const yearOf = (instant: string) => Math.min(Math.max(new Date(instant).getUTCFullYear(), FIRST_YEAR), thisYear);
  const years = {
    from: from === undefined ? FIRST_YEAR : yearOf(from),
    until: (until === undefined ? thisYear : yearOf(until)) + 1,
  };
  const offsets = offsetsOfYears(years, zone);
  return {
    since: offsets.map((each) => new Date(each.since)),
    seconds: offsets.map(({ offset }) => Math.round(offset / 1_000)),
  };
}

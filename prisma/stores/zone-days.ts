import { localDate, plusDays, startOfDate } from '@clinic/shared/domain/calendar/clinic-time';
import type { Sql } from '../sql';

/** The time zones of all clinics, each once. */
export async function zonesOfClinics(sql: Sql): Promise<string[]> {
  const rows = await sql<{ zone: string }>`select distinct timezone as zone from clinics`;
  return rows.map(({ zone }) => zone);
}

/**
 * The days of each clinic's calendar that an instant from `since` until now may fall on, as columns: the zone, the date, and the instants at
 * which it begins and ends. They are those of the clock that this process knows: PostgreSQL may know another release of the zones.
 */
export async function daysSince(
  sql: Sql,
  since: Date,
): Promise<{ zones: string[]; dates: string[]; begin: Date[]; end: Date[] }> {
  // The clock of the database may be ahead.
  const until = new Date(Date.now() + 86_400_000).toISOString();
  const days = (await zonesOfClinics(sql)).flatMap((zone) => {
    const dates = [];
    for (let date = localDate(since.toISOString(), zone); date <= localDate(until, zone); date = plusDays(date, 1))
      dates.push({ zone, date, begins: startOfDate(date, zone), ends: startOfDate(plusDays(date, 1), zone) });
    return dates;
  });
  return {
    zones: days.map(({ zone }) => zone),
    dates: days.map(({ date }) => date),
    begin: days.map(({ begins }) => new Date(begins)),
    end: days.map(({ ends }) => new Date(ends)),
  };
}

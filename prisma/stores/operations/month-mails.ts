import { rolesWith } from '@clinic/shared/domain/accounts/rights';
import { hourMs, offsetAt } from '@clinic/shared/domain/calendar/zone-offsets';
import { bound } from '../../bound';
import type { Database } from '../../client';
import { condition } from '../../sql';
import { zonesOfClinics } from '../zone-days';

/** Somebody who is to hear of a month. */
export interface DueMonth {
  clinicId: string;
  clinicName: string;
  email: string;
  zone: string;
  /** Its first day, as `2026-10-01`. */
  month: string;
  /** The month that they heard of last. */
  toldMonth: string;
}

/** Who had another role when they asked for it is told nothing. */
const readers = rolesWith('results');
/** A month is told from six in the morning of the day after it on. */
const TOLD_FROM_HOUR = 6;
/** What a mail server has refused is tried again after so long. */
const HOURS_APART = 1;

/** Mail of the results of each month, for those of a clinic's staff who want it. */
export const createMonthMailStores = (database: Database) =>
  bound(database, { isWanted, want, due, dueMonth, claim, giveBack });

const isDue = (now: string) => condition`
  u.role = any(${readers}) and u.disabled_at is null and u.ends_at is null and m.told_month < t.month
    and (m.refused_at is null or m.refused_at < ${now}::timestamptz - make_interval(hours => ${HOURS_APART}))`;

/** The first day of the last month that is over by the clock of a zone. */
function monthToTell(now: string, zone: string): string {
  const at = Date.parse(now);
  const wall = new Date(at + offsetAt(at, zone) - TOLD_FROM_HOUR * hourMs);
  return new Date(Date.UTC(wall.getUTCFullYear(), wall.getUTCMonth() - 1)).toISOString().slice(0, 10);
}

/** The month to tell in each zone, as columns. */
async function monthsToTell(sql: Database['sql'], now: string): Promise<{ zones: string[]; months: string[] }> {
  const zones = await zonesOfClinics(sql);
  return { zones, months: zones.map((zone) => monthToTell(now, zone)) };
}

async function isWanted({ sql }: Database, clinicId: string, accountId: string): Promise<boolean> {
  const [row] = await sql`select user_id from month_mails where clinic_id = ${clinicId} and user_id = ${accountId}`;
  return row !== undefined;
}

/** The first is of the month that goes on: what could have been told already is not. */
async function want(
  { sql }: Database,
  clinicId: string,
  accountId: string,
  wantsIt: boolean,
  now = new Date().toISOString(),
): Promise<void> {
  if (wantsIt) {
    const { zones, months } = await monthsToTell(sql, now);
    await sql`
      insert into month_mails (user_id, clinic_id, told_month)
      select u.id, c.id, t.month from users u join clinics c on c.id = u.clinic_id
        join unnest(${zones}::text[], ${months}::date[]) t(zone, month) on t.zone = c.timezone
      where u.clinic_id = ${clinicId} and u.id = ${accountId}
      on conflict (user_id) do nothing`;
  } else await sql`delete from month_mails where clinic_id = ${clinicId} and user_id = ${accountId}`;
}

/** Accounts of all clinics that are to hear of a month, in the order of their ids, beginning after one. */
async function due({ sql }: Database, after: string, limit: number, now = new Date().toISOString()): Promise<string[]> {
  const { zones, months } = await monthsToTell(sql, now);
  const people = await sql<{ id: string }>`
    select m.user_id as id
    from month_mails m join users u on u.id = m.user_id and u.clinic_id = m.clinic_id join clinics c on c.id = m.clinic_id
      join unnest(${zones}::text[], ${months}::date[]) t(zone, month) on t.zone = c.timezone
    where m.user_id > ${after} and ${isDue(now)} order by m.user_id limit ${limit}`;
  return people.map(({ id }) => id);
}

/** Null where there is nothing to tell. Of several months that nobody was told of it is the last. */
async function dueMonth(
  { sql }: Database,
  accountId: string,
  now = new Date().toISOString(),
): Promise<DueMonth | null> {
  const { zones, months } = await monthsToTell(sql, now);
  const [found] = await sql<DueMonth>`
    select c.id as "clinicId", c.name as "clinicName", u.email, c.timezone as zone,
      coalesce(t.month::text, '') as month, m.told_month::text as "toldMonth"
    from month_mails m join users u on u.id = m.user_id and u.clinic_id = m.clinic_id join clinics c on c.id = m.clinic_id
      join unnest(${zones}::text[], ${months}::date[]) t(zone, month) on t.zone = c.timezone
    where m.user_id = ${accountId} and ${isDue(now)}`;
  return found ?? null;
}

/** Notes a month as told. False where it is already, or nobody wants to hear of it any more: it is for one sender alone. */
async function claim({ sql }: Database, accountId: string, month: string): Promise<boolean> {
  const claimed = await sql<{ id: string }>`
    update month_mails set told_month = ${month}::date, refused_at = null
    where user_id = ${accountId} and told_month < ${month}::date returning user_id as id`;
  return claimed.length > 0;
}

/** It was not sent, and is tried again later. Only the sender that has claimed the month frees it again. */
async function giveBack(
  { sql }: Database,
  accountId: string,
  { month, toldMonth, isClaimed }: Pick<DueMonth, 'month' | 'toldMonth'> & { isClaimed: boolean },
): Promise<void> {
  await sql`
    update month_mails set told_month = ${toldMonth}::date, refused_at = now()
    where user_id = ${accountId} and told_month = ${isClaimed ? month : toldMonth}::date`;
}

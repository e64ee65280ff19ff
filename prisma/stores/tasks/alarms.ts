import {
  alarmKinds,
  type DayOfReads,
  exportActions,
  FEWEST_BULK_READS,
  MANY_REFUSALS,
  USUAL_DAYS,
} from '@clinic/shared/domain/tasks/alarms';
import { rolesWith } from '@clinic/shared/domain/accounts/rights';
import { bound } from '../../bound';
import type { Database } from '../../client';
import { daysSince } from '../zone-days';

/** What a person or a key did on a day of the clinic's calendar. */
interface OnDay {
  clinicId: string;
  /** As the audit names them: `account:…`, `api-key:…`. */
  actor: string;
  /** As `2026-12-24`. */
  day: string;
}

export type ReadsOfDay = OnDay & DayOfReads;
export type ExportsOfDay = OnDay & { exports: number };
/** Of one account, or with null of all accounts of a clinic together. */
export type RefusalsOfDay = Omit<OnDay, 'actor'> & { actor: string | null; refusals: number };

/** What an administrator is to hear of. */
export interface NewAlarms {
  email: string;
  clinicName: string;
  alarms: { taskId: string; kind: string }[];
}

/** An alarm that is older is told nobody any more: who becomes an administrator today is told of today's. */
const TOLD_FOR = '24 hours';
const readers = rolesWith('audit').filter((role) => rolesWith('tasks').includes(role));

/** What alarms are decided by, from the audit, and who was told of them. Times are those of the database. */
export const createAlarmStores = (database: Database) =>
  bound(database, { countReads, exports: exportsSince, refusals, tellOperator, due, newAlarms, told });

/**
 * Counts anew what those who read since then have read on that day, and keeps it. Returns those who have read so much that it may
 * be an alarm, with their days before. Entries count once they are sealed.
 */
async function countReads({ sql }: Database, since: Date): Promise<ReadsOfDay[]> {
  const { zones, dates, begin, end } = await daysSince(sql, since);
  const read = await sql<ReadsOfDay>`
    with active as materialized (
      select c.id as clinic_id, e.actor, d.day, d.begins, d.ends
      from clinics c join audit_entries e on e.clinic_id = c.id
        join unnest(${zones}::text[], ${dates}::date[], ${begin}::timestamptz[], ${end}::timestamptz[]) d(zone, day, begins, ends) on d.zone = c.timezone
      where e.at >= ${since} and e.at >= d.begins and e.at < d.ends and e.is_read
        and (e.actor like 'account:%' or e.actor like 'api-key:%')
      group by c.id, e.actor, d.day, d.begins, d.ends
    ), counted as (
      insert into reads_by_day (clinic_id, actor, day, patients)
      select a.clinic_id, a.actor, a.day, shown.patients
      from active a cross join lateral (
        select count(*)::int as patients from (
          select distinct unnest(e.subjects) as id from audit_entries e
          where e.clinic_id = a.clinic_id and e.actor = a.actor and e.is_read
            and e.at >= a.begins and e.at < a.ends
        ) s where exists (select from patients p where p.clinic_id = a.clinic_id and p.id = s.id)
      ) shown
      on conflict (clinic_id, actor, day)
        do update set patients = greatest(reads_by_day.patients, excluded.patients)
      returning clinic_id, actor, day, patients
    )
    select n.clinic_id as "clinicId", n.actor, n.day::text as day, n.patients,
      array(select b.patients from reads_by_day b
        where b.clinic_id = n.clinic_id and b.actor = n.actor and b.patients > 0
          and b.day < n.day and b.day >= n.day - ${USUAL_DAYS}::int) as before
    from counted n where n.patients >= ${FEWEST_BULK_READS}`;
  await sql`delete from reads_by_day where day < ${since}::date - ${USUAL_DAYS + 2}::int`;
  return read;
}

/** On the days of which something lies since then. */
async function exportsSince({ sql }: Database, since: Date): Promise<ExportsOfDay[]> {
  const { zones, dates, begin, end } = await daysSince(sql, since);
  return sql<ExportsOfDay>`
    select c.id as "clinicId", e.actor, coalesce(d.day::text, '') as day, count(*)::int as exports
    from clinics c join audit_entries e on e.clinic_id = c.id
      join unnest(${zones}::text[], ${dates}::date[], ${begin}::timestamptz[], ${end}::timestamptz[]) d(zone, day, begins, ends) on d.zone = c.timezone
    where e.action = any(${[...exportActions]}) and e.at >= d.begins and e.at < d.ends
      and (e.actor like 'account:%' or e.actor like 'api-key:%')
    group by c.id, e.actor, d.day`;
}

/** Those that are many, on the days of which something lies since then. */
async function refusals({ sql }: Database, since: Date): Promise<RefusalsOfDay[]> {
  const { zones, dates, begin, end } = await daysSince(sql, since);
  return sql<RefusalsOfDay>`
    select c.id as "clinicId", e.actor, coalesce(d.day::text, '') as day, count(*)::int as refusals
    from clinics c join audit_entries e on e.clinic_id = c.id
      join unnest(${zones}::text[], ${dates}::date[], ${begin}::timestamptz[], ${end}::timestamptz[]) d(zone, day, begins, ends) on d.zone = c.timezone
    where e.action = 'sign-in.refused' and e.at >= d.begins and e.at < d.ends
    group by grouping sets ((c.id, e.actor, d.day), (c.id, d.day))
    having count(*) >= case when grouping(e.actor) = 0 then ${MANY_REFUSALS.ofAccount}::int else ${MANY_REFUSALS.ofClinic}::int end`;
}

/** Each alarm once, whoever opened it: what the log and the metrics are to say. */
const tellOperator = ({ sql }: Database): Promise<{ clinicId: string; kind: string }[]> =>
  sql<{ clinicId: string; kind: string }>`
    with told as (
      insert into alarm_notices (task_id, clinic_id, told)
      select t.id, t.clinic_id, 'operator' from staff_tasks t
      where t.reason = any(${[...alarmKinds]}) and t.created_at > now() - ${TOLD_FOR}::interval
        and not exists (select from alarm_notices n where n.task_id = t.id and n.told = 'operator')
      on conflict do nothing returning task_id
    )
    select t.clinic_id as "clinicId", t.reason as kind from told join staff_tasks t on t.id = told.task_id`;

/** Administrators of all clinics who were not told of every alarm by mail, in the order of their ids, beginning after one. */
async function due({ sql }: Database, after: string, limit: number): Promise<string[]> {
  const people = await sql<{ id: string }>`
    select distinct u.id from staff_tasks t join users u on u.clinic_id = t.clinic_id
    where t.reason = any(${[...alarmKinds]}) and t.created_at > now() - ${TOLD_FOR}::interval
      and u.id > ${after} and u.role = any(${readers}) and u.disabled_at is null and u.ends_at is null
      and not exists (select from alarm_notices n where n.task_id = t.id and n.told = u.id)
    order by u.id limit ${limit}`;
  return people.map(({ id }) => id);
}

/** Of which they were not told, resolved ones too: somebody else may have resolved them who should not have. Null for none. */
async function newAlarms({ sql }: Database, accountId: string): Promise<NewAlarms | null> {
  const rows = await sql<{ email: string; clinicName: string; taskId: string; kind: string }>`
    select u.email, c.name as "clinicName", t.id as "taskId", t.reason as kind
    from users u join clinics c on c.id = u.clinic_id join staff_tasks t on t.clinic_id = u.clinic_id
    where u.id = ${accountId} and u.role = any(${readers}) and u.disabled_at is null and u.ends_at is null
      and t.reason = any(${[...alarmKinds]}) and t.created_at > now() - ${TOLD_FOR}::interval
      and not exists (select from alarm_notices n where n.task_id = t.id and n.told = u.id)
    order by t.created_at, t.id`;
  const [first] = rows;
  if (!first) return null;
  const { email, clinicName } = first;
  return { email, clinicName, alarms: rows.map(({ taskId, kind }) => ({ taskId, kind })) };
}

async function told({ sql }: Database, accountId: string, taskIds: readonly string[]): Promise<void> {
  await sql`
    insert into alarm_notices (task_id, clinic_id, told)
    select t.id, t.clinic_id, ${accountId} from staff_tasks t join users u on u.clinic_id = t.clinic_id
    where u.id = ${accountId} and t.id = any(${taskIds}) on conflict do nothing`;
}

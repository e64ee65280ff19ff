import { alarmKinds } from '@clinic/shared/domain/tasks/alarms';
import { rolesWith } from '@clinic/shared/domain/accounts/rights';
import type { Database } from '../../client';

/** What somebody is to hear of new tasks. */
export interface NewTasks {
  email: string;
  clinicName: string;
  /** By reason, the most first. */
  tasks: { reason: string; count: number }[];
  /** Up to when they will have been told. */
  until: Date;
}

/** Who had another role when they asked for mail is told nothing. */
const readers = rolesWith('tasks');
/** Every administrator is told of these, each by itself. */
const alarms = [...alarmKinds];
const MINUTES_APART = 5;
/** A task is stored with when its transaction began, which no other transaction outlasts for so long. */
const SETTLED_SECONDS = 15;

/** Mail about new tasks, for those of a clinic's staff who want it. */
export function createTaskMailStores({ sql }: Database) {
  return {
    async isWanted(clinicId: string, accountId: string): Promise<boolean> {
      const [row] = await sql`select user_id from task_mails where clinic_id = ${clinicId} and user_id = ${accountId}`;
      return row !== undefined;
    },

    /** What is there already is not told. */
    async want(clinicId: string, accountId: string, isWanted: boolean): Promise<void> {
      if (isWanted) {
        await sql`
          insert into task_mails (user_id, clinic_id)
          select id, clinic_id from users where clinic_id = ${clinicId} and id = ${accountId}
          on conflict (user_id) do nothing`;
      } else await sql`delete from task_mails where clinic_id = ${clinicId} and user_id = ${accountId}`;
    },

    /** Accounts of all clinics that were not mailed for some minutes, in the order of their ids, beginning after one. */
    async due(after: string, limit: number): Promise<string[]> {
      const people = await sql<{ id: string }>`
        select m.user_id as id from task_mails m join users u on u.id = m.user_id and u.clinic_id = m.clinic_id
        where m.user_id > ${after} and u.role = any(${readers}) and u.disabled_at is null and u.ends_at is null
          and m.told_until < now() - make_interval(mins => ${MINUTES_APART})
          and exists (
            select 1 from staff_tasks t
            where t.clinic_id = m.clinic_id and t.state = 'OPEN' and t.created_at > m.told_until
              and t.reason <> all(${alarms})
              and t.created_at <= now() - make_interval(secs => ${SETTLED_SECONDS})
              and (t.assignee_id is null or t.assignee_id = m.user_id))
        order by m.user_id limit ${limit}`;
      return people.map(({ id }) => id);
    },

    /**
     * Open tasks that nobody else has and that the person was not told of: the first at once, later ones together, some minutes after
     * the last mail. Null where there is nothing to tell.
     */
    async newTasks(accountId: string): Promise<NewTasks | null> {
      const rows = await sql<Omit<NewTasks, 'tasks'> & { reason: string; count: number }>`
        with span as (select now() - make_interval(secs => ${SETTLED_SECONDS}) as until)
        select u.email, c.name as "clinicName", coalesce(span.until, now()) as until, t.reason, count(*)::int as count
        from span, task_mails m join users u on u.id = m.user_id and u.clinic_id = m.clinic_id
          join clinics c on c.id = m.clinic_id join staff_tasks t on t.clinic_id = m.clinic_id
        where m.user_id = ${accountId} and u.role = any(${readers}) and u.disabled_at is null and u.ends_at is null
          and m.told_until < now() - make_interval(mins => ${MINUTES_APART})
          and t.state = 'OPEN' and t.created_at > m.told_until and t.created_at <= span.until and t.reason <> all(${alarms})
          and (t.assignee_id is null or t.assignee_id = m.user_id)
        group by u.email, c.name, span.until, t.reason order by count(*) desc, t.reason`;
      const [first] = rows;
      if (!first) return null;
      const { email, clinicName, until } = first;
      return { email, clinicName, until, tasks: rows.map(({ reason, count }) => ({ reason, count })) };
    },

    async told(accountId: string, until: Date): Promise<void> {
      await sql`update task_mails set told_until = ${until} where user_id = ${accountId} and told_until < ${until}`;
    },
  };
}

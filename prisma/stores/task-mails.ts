import type { Database } from '../client';

/** Somebody who is to hear of new tasks. */
export interface TaskMailDue {
  accountId: string;
  email: string;
  clinicName: string;
  /** By reason, the most first. */
  tasks: { reason: string; count: number }[];
  /** Up to when they will have been told. */
  until: Date;
}

/** Mail about new tasks, for those of a clinic's staff who want it. */
export interface TaskMailStores {
  isWanted(clinicId: string, accountId: string): Promise<boolean>;
  /** What is there already is not told. */
  want(clinicId: string, accountId: string, isWanted: boolean): Promise<void>;
  /**
   * Whom to tell of open tasks that nobody else has and that they were not told of: the first at once, later ones together, some
   * minutes after the last mail. Accounts of all clinics, who wait longest first.
   */
  due(limit: number): Promise<TaskMailDue[]>;
  told(accountId: string, until: Date): Promise<void>;
}

const MINUTES_APART = 5;
/** A task is stored with when its transaction began, which no other transaction outlasts for so long. */
const SETTLED_SECONDS = 15;

export function createTaskMailStores({ sql }: Database): TaskMailStores {
  return {
    async isWanted(clinicId, accountId) {
      const [row] = await sql`select user_id from task_mails where clinic_id = ${clinicId} and user_id = ${accountId}`;
      return row !== undefined;
    },

    async want(clinicId, accountId, isWanted) {
      if (isWanted) {
        await sql`
          insert into task_mails (user_id, clinic_id)
          select id, clinic_id from users where clinic_id = ${clinicId} and id = ${accountId}
          on conflict (user_id) do nothing`;
      } else await sql`delete from task_mails where clinic_id = ${clinicId} and user_id = ${accountId}`;
    },

    async due(limit) {
      const rows = await sql<Omit<TaskMailDue, 'tasks'> & { reason: string; count: number }>`
        with span as (select now() - make_interval(secs => ${SETTLED_SECONDS}) as until), people as (
          select m.user_id, m.clinic_id, m.told_until, u.email, c.name
          from task_mails m join users u on u.id = m.user_id and u.clinic_id = m.clinic_id join clinics c on c.id = m.clinic_id
          where u.disabled_at is null and u.ends_at is null and m.told_until < now() - make_interval(mins => ${MINUTES_APART})
            and exists (
              select 1 from staff_tasks t, span where t.clinic_id = m.clinic_id and t.state = 'OPEN' and t.created_at > m.told_until
                and t.created_at <= span.until and (t.assignee_id is null or t.assignee_id = m.user_id))
          order by m.told_until limit ${limit}
        )
        select p.user_id as "accountId", p.email, p.name as "clinicName", coalesce(span.until, now()) as until, t.reason,
          count(*)::int as count
        from people p, span, staff_tasks t
        where t.clinic_id = p.clinic_id and t.state = 'OPEN' and t.created_at > p.told_until and t.created_at <= span.until
          and (t.assignee_id is null or t.assignee_id = p.user_id)
        group by p.user_id, p.email, p.name, span.until, t.reason order by count(*) desc, t.reason`;
      const people = new Map<string, TaskMailDue>();
      for (const { reason, count, ...person } of rows) {
        const known = people.get(person.accountId) ?? { ...person, tasks: [] };
        known.tasks.push({ reason, count });
        people.set(person.accountId, known);
      }
      return [...people.values()];
    },

    async told(accountId, until) {
      await sql`update task_mails set told_until = ${until} where user_id = ${accountId} and told_until < ${until}`;
    },
  };
}

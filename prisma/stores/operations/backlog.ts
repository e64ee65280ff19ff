import { bound } from '../../bound';
import type { Database } from '../../client';

/** What waits, in all clinics together. Ages in seconds; 0 where nothing waits. */
export interface Backlog {
  undispatchedRunSeconds: number;
  unsentMessageSeconds: number;
  /** Without calls that a pause holds back. */
  dueCallSeconds: number;
  linesWaiting: number;
  linesUsed: number;
  deliveriesDue: number;
  dueDeliverySeconds: number;
  deadDeliveries: number;
  openTaskSeconds: number;
}

export const createBacklogStores = (database: Database) => bound(database, { read });

/** Each figure comes from a partial index of what waits: reading it costs as much as there is of it. */
async function read({ sql }: Database): Promise<Backlog> {
  const [backlog] = await sql<Backlog>`
    with paused as materialized (
      select clinic_id, workflow_type from outreach_pauses where resumed_at is null and coalesce(ends_at > now(), true)
    )
    select
      coalesce(extract(epoch from now() - (
        select min(started_at) from workflow_runs where dispatched_at is null and status = 'started')), 0)::float8
        as "undispatchedRunSeconds",
      coalesce(extract(epoch from now() - (
        select min(created_at) from workflow_messages where sent_at is null)), 0)::float8 as "unsentMessageSeconds",
      coalesce(greatest(extract(epoch from now() - (
        select min(due_at) from line_tickets t where granted_at is null and (not_after is null or not_after > now())
          and not exists (select from paused p where coalesce(p.clinic_id = t.clinic_id, true)
            and (p.workflow_type is null or exists (select from workflow_runs r
              where r.clinic_id = t.clinic_id and r.id = t.workflow_id and r.workflow_type = p.workflow_type))))), 0), 0)::float8
        as "dueCallSeconds",
      (select count(*) from line_tickets where granted_at is null and (not_after is null or not_after > now()))::int
        as "linesWaiting",
      ((select count(*) from calls where state <> 'ENDED' and not is_test)
        + (select count(*) from line_tickets where granted_at is not null))::int as "linesUsed",
      (select count(*) from deliveries where state = 'PENDING' and next_attempt_at <= now())::int as "deliveriesDue",
      coalesce(extract(epoch from now() - (
        select min(next_attempt_at) from deliveries where state = 'PENDING' and next_attempt_at <= now())), 0)::float8
        as "dueDeliverySeconds",
      (select count(*) from deliveries where state = 'DEAD')::int as "deadDeliveries",
      coalesce(extract(epoch from now() - (select min(created_at) from staff_tasks where state = 'OPEN')), 0)::float8
        as "openTaskSeconds"`;
  if (!backlog) throw new Error('a selection without a table has a row');
  return backlog;
}

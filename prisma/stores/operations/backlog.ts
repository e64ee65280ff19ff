import { bound } from '../../bound';
import type { Database } from '../../client';

/** What waits, in all clinics together. Ages in seconds; 0 where nothing waits. */
export interface Backlog {
  undispatchedRunSeconds: number;
  unsentMessageSeconds: number;
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
    select
      coalesce(extract(epoch from now() - (
        select min(started_at) from workflow_runs where dispatched_at is null and status = 'started')), 0)::float8
        as "undispatchedRunSeconds",
      coalesce(extract(epoch from now() - (
        select min(created_at) from workflow_messages where sent_at is null)), 0)::float8 as "unsentMessageSeconds",
      coalesce(greatest(extract(epoch from now() - (
        select min(due_at) from line_tickets where granted_at is null and (not_after is null or not_after > now()))), 0), 0)::float8
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

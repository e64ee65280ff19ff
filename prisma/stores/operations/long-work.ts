import { type LongWork, longWorkKinds } from '@clinic/shared/domain/operations/long-work';
import type { Database } from '../../client';

/** Which bulk jobs and erasures Temporal has, and which it is still to be given. A kind that only a newer release knows is left to it. */
export function createLongWorkStores({ sql }: Database) {
  const setDispatched = async ({ clinicId, id }: LongWork, isDispatched: boolean): Promise<void> => {
    await sql`
      with erasing as (
        update erasures set dispatched_at = case when ${isDispatched} then now() end
        where clinic_id = ${clinicId} and id = ${id} and state <> 'DONE'
      )
      update bulk_jobs set dispatched_at = case when ${isDispatched} then now() end
        where clinic_id = ${clinicId} and id = ${id} and state = 'RUNNING'`;
  };

  return {
    /** What was stored but never reached Temporal, oldest first; the clinics take turns. */
    undispatched: (olderThanMs: number, limit: number): Promise<LongWork[]> =>
      sql<LongWork>`
        select kind, clinic_id as "clinicId", id from (
          select *, row_number() over (partition by clinic_id order by at) as turn from (
            select 'erase_patient' as kind, clinic_id, id, requested_at as at, dispatched_at
            from erasures where state in ('REQUESTED', 'ERASED')
            union all
            select kind, clinic_id, id, created_at, dispatched_at from bulk_jobs where state = 'RUNNING'
          ) work
          where kind = any(${longWorkKinds}) and dispatched_at is null and at <= now() - make_interval(secs => ${olderThanMs / 1_000})
        ) waiting
        order by turn, at limit ${limit}`,

    markDispatched: (work: LongWork) => setDispatched(work, true),

    /** Has the relay start again what Temporal no longer does. */
    markLost: (work: LongWork) => setDispatched(work, false),

    /** What Temporal has been given before an instant and has not done, in the order of ids, beginning after one. */
    underWay: (before: Date, limit: number, afterId: string): Promise<LongWork[]> =>
      sql<LongWork>`
        select kind, clinic_id as "clinicId", id from (
          select 'erase_patient' as kind, clinic_id, id, dispatched_at from erasures where state in ('REQUESTED', 'ERASED')
          union all
          select kind, clinic_id, id, dispatched_at from bulk_jobs where state = 'RUNNING'
        ) work
        where kind = any(${longWorkKinds}) and dispatched_at < ${before} and id > ${afterId} order by id limit ${limit}`,
  };
}

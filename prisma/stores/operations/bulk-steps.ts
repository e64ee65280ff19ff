import type { ToReceiver } from '@clinic/shared/domain/events/delivery-owner';
import { type BulkJobWait, type ReceiverNow, resendStep, STEP_MS } from '@clinic/shared/domain/operations/bulk-job';
import type { Database } from '../../client';
import type { Sql } from '../../sql';
import { receiverIdOf } from '../events/receivers';
import { type BulkFilter, meantBy } from './bulk-jobs';

/** The record that a job has taken last; `at` is an instant (ISO, UTC). */
export interface Place {
  at: string;
  id: string;
}

/** The runs of one step of a cancellation. */
export interface CancelStep {
  runs: string[];
  /** Who asked for the job, as the audit names them. */
  by: string;
  from: Place | null;
  to: Place;
}

/** What a step of sending again has done, and how long to wait before the next one. */
export interface ResendStep {
  place: Place | null;
  /** Whose senders are to be woken. */
  owners: ToReceiver[];
  waitMs: number;
  waitsFor: BulkJobWait | null;
}

/** The steps of bulk jobs. A step is made once: the place that its job has come to is its key. */
export function createBulkStepStores({ sql, transaction }: Database) {
  return {
    /** Null before the first step. */
    async placeOf(clinicId: string, id: string): Promise<Place | null> {
      const [job] = await sql<PlaceRow>`
        select place_at as "placeAt", place_id as "placeId" from bulk_jobs where clinic_id = ${clinicId} and id = ${id}`;
      return job ? placeIn(job) : null;
    },

    /** The runs that a cancellation takes next. Null where none is left, or it has ended. */
    async nextRuns(clinicId: string, id: string, limit: number): Promise<CancelStep | null> {
      const [job] = await sql<PlaceRow & { filter: BulkFilter; by: string }>`
        select filter, requested_by as by, place_at as "placeAt", place_id as "placeId" from bulk_jobs
        where clinic_id = ${clinicId} and id = ${id} and state = 'RUNNING'`;
      if (!job) return null;
      const { workflowType = null, from = null, until } = job.filter;
      const runs = await sql<{ id: string; at: Date }>`
        select id, started_at as at from workflow_runs
        where clinic_id = ${clinicId} and status = 'started' and (workflow_type = ${workflowType} or ${workflowType}::text is null)
          and started_at >= coalesce(${from}::timestamptz, '-infinity') and started_at < ${until}::timestamptz
          and (started_at, id) > (coalesce(${job.placeAt}::timestamptz, '-infinity'), coalesce(${job.placeId}::text, ''))
        order by started_at, id limit ${limit}`;
      const last = runs.at(-1);
      if (!last) return null;
      return { runs: runs.map((run) => run.id), by: job.by, from: placeIn(job), to: placeOf(last) };
    },

    async noteWait(clinicId: string, id: string, waitsFor: BulkJobWait): Promise<void> {
      await sql`
        update bulk_jobs set waits_for = ${waitsFor} where clinic_id = ${clinicId} and id = ${id} and state = 'RUNNING'`;
    },

    /** Counts what the records say of the runs of a step: cancelled by its job, ended otherwise, or open still, which is a failure. */
    async noteRuns(clinicId: string, id: string, { runs, by, from, to }: CancelStep): Promise<void> {
      await sql`
        update bulk_jobs j set done = j.done + cancelled, failed = j.failed + open,
          skipped = j.skipped + ${runs.length} - cancelled - open, waits_for = null, place_at = ${to.at}, place_id = ${to.id}
        from (
          select count(*) filter (where r.status = 'started') as open,
            count(*) filter (where r.status = 'cancelled' and r.cancelled_by = ${by} and r.completed_at >= b.created_at) as cancelled
          from bulk_jobs b left join workflow_runs r on r.clinic_id = b.clinic_id and r.id = any(${runs})
          where b.clinic_id = ${clinicId} and b.id = ${id}
        ) stands
        where j.clinic_id = ${clinicId} and j.id = ${id} and j.place_id is not distinct from ${from?.id ?? null}::text`;
    },

    /**
     * Queues as many of the failed deliveries after a place as their endpoint may get now. Null where nothing is left, the endpoint
     * was removed, or the job has ended.
     */
    resendSome: (clinicId: string, id: string, after: Place | null): Promise<ResendStep | null> =>
      transaction((tx) => resendIn(tx, { clinicId, id, after })),
  };
}

interface PlaceRow {
  placeAt: Date | null;
  placeId: string | null;
}

const placeIn = ({ placeAt, placeId }: PlaceRow): Place | null =>
  placeAt && placeId ? { at: placeAt.toISOString(), id: placeId } : null;

const placeOf = ({ at, id }: { at: Date; id: string }): Place => ({ at: at.toISOString(), id });

async function resendIn(
  tx: Sql,
  { clinicId, id, after }: { clinicId: string; id: string; after: Place | null },
): Promise<ResendStep | null> {
  const [job] = await tx<PlaceRow & { filter: BulkFilter; pace: number }>`
    select pace, filter, place_at as "placeAt", place_id as "placeId" from bulk_jobs
    where clinic_id = ${clinicId} and id = ${id} and state = 'RUNNING' for update`;
  if (!job) return null;
  const { filter } = job;
  const receiverId = await receiverIdOf(tx, clinicId, filter.endpointId ?? undefined);
  const receiver = await receiverNow(tx, clinicId, receiverId);
  if (receiver.isRemoved) return null;
  const place = placeIn(job);
  const ownersOf = (subjects: string[]): ToReceiver[] =>
    receiverId === null ? [] : [...new Set(subjects)].map((subject) => ({ clinicId, subject, receiverId }));
  if (place && place.id !== after?.id) {
    // It was made, and its reply lost.
    const subjects = await subjectsBetween(tx, { clinicId, receiverId, after, until: place });
    return { place, owners: ownersOf(subjects), waitMs: STEP_MS, waitsFor: null };
  }
  const { count, pace, waitMs, waitsFor } = receiver.isRegistered ? resendStep(job.pace, receiver) : noEndpoint;
  await tx`update bulk_jobs set pace = ${pace}, waits_for = ${waitsFor} where clinic_id = ${clinicId} and id = ${id}`;
  if (count === 0) return { place, owners: [], waitMs, waitsFor };
  const { taken, sent } = await queueAgain(tx, { clinicId, receiverId, filter, job, count });
  const last = taken.at(-1);
  if (!last) return null;
  await tx`
    update bulk_jobs set done = done + ${sent.length}, skipped = skipped + ${taken.length - sent.length},
      place_at = ${last.at}, place_id = ${last.id}
    where clinic_id = ${clinicId} and id = ${id}`;
  return { place: placeOf(last), owners: ownersOf(sent.map(({ subject }) => subject)), waitMs, waitsFor };
}

const noEndpoint = { count: 0, pace: 1, waitMs: 10_000, waitsFor: 'endpoint' } as const;

/** Bodies that are no longer kept are passed over. */
async function queueAgain(
  tx: Sql,
  {
    clinicId,
    receiverId,
    filter,
    job: { placeAt, placeId },
    count,
  }: { clinicId: string; receiverId: string | null; filter: BulkFilter; job: PlaceRow; count: number },
) {
  const { event = null, from = null, until } = filter;
  const taken = await tx<{ id: string; subject: string; at: Date; isPurged: boolean }>`
    select d.id, e.subject, d.created_at as at, e.data = '{}'::jsonb as "isPurged"
    from deliveries d join outbound_events e on e.clinic_id = d.clinic_id and e.id = d.event_id
    where d.clinic_id = ${clinicId} and d.receiver_id = ${receiverId} and ${meantBy(filter)}
      and (d.event = ${event} or ${event}::text is null)
      and d.created_at >= coalesce(${from}::timestamptz, '-infinity') and d.created_at < ${until}::timestamptz
      and (d.created_at, d.id) > (coalesce(${placeAt}::timestamptz, '-infinity'), coalesce(${placeId}::text, ''))
    order by d.created_at, d.id limit ${count} for update of d for share of e`;
  const sent = taken.filter(({ isPurged }) => !isPurged);
  await tx`
    update deliveries set state = 'PENDING', tries = 0, next_attempt_at = now(), delivered_at = null, lease_token = null
    where clinic_id = ${clinicId} and id = any(${sent.map((each) => each.id)})`;
  return { taken, sent };
}

/** Whose deliveries a step has queued, as far as they wait still. */
async function subjectsBetween(
  tx: Sql,
  {
    clinicId,
    receiverId,
    after,
    until,
  }: { clinicId: string; receiverId: string | null; after: Place | null; until: Place },
): Promise<string[]> {
  const rows = await tx<{ subject: string }>`
    select distinct e.subject from deliveries d join outbound_events e on e.clinic_id = d.clinic_id and e.id = d.event_id
    where d.clinic_id = ${clinicId} and d.receiver_id = ${receiverId} and d.state = 'PENDING'
      and (d.created_at, d.id) > (coalesce(${after?.at ?? null}::timestamptz, '-infinity'), coalesce(${after?.id ?? null}::text, ''))
      and (d.created_at, d.id) <= (${until.at}::timestamptz, ${until.id}::text)`;
  return rows.map(({ subject }) => subject);
}

/** More that waits makes no difference. */
const MANY_WAITING = 500;

interface Receiver extends ReceiverNow {
  /** It has a URL, and is switched on. */
  isRegistered: boolean;
  isRemoved: boolean;
}

async function receiverNow(tx: Sql, clinicId: string, receiverId: string | null): Promise<Receiver> {
  const [receiver] = await tx<Receiver>`
    select r.failures as "failuresInARow", coalesce(r.paused_until > now(), false) as "isPaused",
      r.is_enabled and r.url is not null as "isRegistered", r.removed_at is not null as "isRemoved",
      (select count(*)::int from (
        select 1 from deliveries d
        where d.clinic_id = r.clinic_id and d.receiver_id = r.id and d.state = 'PENDING' and d.next_attempt_at <= now()
        limit ${MANY_WAITING}) due) as waiting
    from receivers r where r.clinic_id = ${clinicId} and r.id = ${receiverId}`;
  return receiver ?? { failuresInARow: 0, isPaused: false, waiting: 0, isRegistered: false, isRemoved: false };
}

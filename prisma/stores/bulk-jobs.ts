import { newId } from '@clinic/shared/crypto';
import {
  type BulkJobKind,
  type BulkJobState,
  type BulkJobWait,
  MAX_STEP_TRIES,
  resendStep,
  type ReceiverNow,
} from '@clinic/shared/domain/bulk-job';
import { FIRST_ENDPOINT } from '@clinic/shared/domain/outbound-endpoint';
import type { Database } from '../client';
import type { BulkJob } from '../generated/client';
import type { Sql } from '../sql';
import { type Actor, audit } from './audit';
import { type Cursors, olderThan, type PageOf } from './cursor';

/** Which records a job is about; `from` and `until` are instants (ISO, UTC), of which the second is not part. */
export interface BulkFilter {
  /** Open runs of a type, or of every type. */
  workflowType?: string | null;
  /** Failed deliveries of an event, or of every event. */
  event?: string | null;
  /** Failed deliveries to this endpoint; to the first one where it is left out. */
  endpointId?: string | null;
  from?: string | null;
  until: string;
}

export type BulkJobRecord = Omit<BulkJob, 'kind' | 'state' | 'filter' | 'waitsFor'> & {
  kind: BulkJobKind;
  state: BulkJobState;
  filter: BulkFilter;
  waitsFor: BulkJobWait | null;
};

/** How many records a job would be about if it began now, by type or event. */
export interface BulkPreview {
  total: number;
  parts: { name: string; count: number }[];
  /** The instants of the first and the last; null where there is none. */
  oldest: Date | null;
  newest: Date | null;
}

export interface BulkJobStores {
  preview(clinicId: string, kind: BulkJobKind, filter: BulkFilter): Promise<BulkPreview>;
  /** `running`: one of the kind is under way in the clinic. */
  start(
    clinicId: string,
    job: { kind: BulkJobKind; filter: BulkFilter },
    by: Actor,
  ): Promise<{ kind: 'started'; job: BulkJobRecord } | { kind: 'running' }>;
  find(clinicId: string, id: string): Promise<BulkJobRecord | null>;
  /** Newest first. */
  list(clinicId: string, page: { limit: number; cursor?: string }): Promise<PageOf<BulkJobRecord>>;
  /** Begins nothing more; what was begun comes to its end. False where it has ended already; null for an unknown one. */
  stop(clinicId: string, id: string, by: Actor): Promise<boolean | null>;
  /** Jobs of all clinics whose next step is due, the one that has waited longest first. */
  due(limit: number): Promise<BulkJobRecord[]>;
  /** The runs of the next step of a cancellation: those that were begun and not noted, else the next ones. None once it has ended. */
  takeRuns(job: BulkJobRecord, limit: number): Promise<string[]>;
  /**
   * Notes what the records say of the runs of a step: cancelled by this job, ended otherwise, or open still. Those that are open
   * are tried again later; with `isReachable` only so often.
   */
  noteRuns(job: BulkJobRecord, workflowIds: string[], isReachable: boolean): Promise<void>;
  /** One step of sending again: queues as many as the endpoint may get now, and returns their subjects. */
  resendSome(job: BulkJobRecord): Promise<string[]>;
}

export function createBulkJobStores({ sql, transaction, prisma }: Database, cursors: Cursors): BulkJobStores {
  return {
    preview: (clinicId, kind, filter) => countParts(sql, clinicId, kind, filter),

    async start(clinicId, { kind, filter }, by) {
      const id = newId('bulk');
      const isStarted = await transaction(async (tx) => {
        const { total } = await countParts(tx, clinicId, kind, filter);
        const [made] = await tx`
          insert into bulk_jobs (id, clinic_id, kind, filter, requested_by, total)
          values (${id}, ${clinicId}, ${kind}, ${JSON.stringify(filter)}::jsonb, ${by.actor}, ${total})
          on conflict (clinic_id, kind) where state = 'RUNNING' do nothing returning id`;
        if (!made) return false;
        await audit(tx, by, { clinicId, action: `bulk.${kind}`, subject: id, detail: { ...filter, total } });
        return true;
      });
      if (!isStarted) return { kind: 'running' };
      return { kind: 'started', job: toRecord(await prisma.bulkJob.findUniqueOrThrow({ where: { id } })) };
    },

    async find(clinicId, id) {
      const job = await prisma.bulkJob.findFirst({ where: { clinicId, id } });
      return job && toRecord(job);
    },

    async list(clinicId, { limit, cursor }) {
      const rows = await prisma.bulkJob.findMany({
        where: { clinicId, ...olderThan('createdAt', cursors.decode(cursor, clinicId)) },
        orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
        take: limit + 1,
      });
      return cursors.page(clinicId, rows.map(toRecord), limit, ({ createdAt, id }) => ({ at: createdAt, id }));
    },

    stop: (clinicId, id, by) =>
      transaction(async (tx) => {
        const [found] = await tx<{ state: string }>`
          select state from bulk_jobs where clinic_id = ${clinicId} and id = ${id} for update`;
        if (!found) return null;
        if (found.state !== 'RUNNING') return false;
        await tx`
          update bulk_jobs set state = 'STOPPED', ended_at = now(), waits_for = null where clinic_id = ${clinicId} and id = ${id}`;
        await audit(tx, by, { clinicId, action: 'bulk.stop', subject: id });
        return true;
      }),

    async due(limit) {
      const due = await sql<{ id: string }>`
        select id from bulk_jobs where state = 'RUNNING' and next_step_at <= now() order by next_step_at limit ${limit}`;
      if (due.length === 0) return [];
      const ids = due.map(({ id }) => id);
      const rows = await prisma.bulkJob.findMany({ where: { id: { in: ids } }, orderBy: { nextStepAt: 'asc' } });
      return rows.map(toRecord);
    },

    takeRuns: ({ id, clinicId, filter }, limit) =>
      transaction(async (tx) => {
        const job = await lockJob(tx, id);
        if (!job) return [];
        if (job.underWay.length > 0) return job.underWay;
        const { workflowType = null, from = null, until } = filter;
        const runs = await tx<{ id: string; at: Date }>`
          select id, started_at as at from workflow_runs
          where clinic_id = ${clinicId} and status = 'started' and (workflow_type = ${workflowType} or ${workflowType}::text is null)
            and started_at >= coalesce(${from}::timestamptz, '-infinity') and started_at < ${until}::timestamptz
            and (started_at, id) > (coalesce(${job.placeAt}::timestamptz, '-infinity'), coalesce(${job.placeId}::text, ''))
          order by started_at, id limit ${limit}`;
        const last = runs.at(-1);
        if (!last) {
          await end(tx, id);
          return [];
        }
        const ids = runs.map((run) => run.id);
        await tx`
          update bulk_jobs set under_way = ${ids}, tries = 0, place_at = ${last.at}, place_id = ${last.id} where id = ${id}`;
        return ids;
      }),

    async noteRuns({ id, clinicId, requestedBy, createdAt }, workflowIds, isReachable) {
      // What two processes note of one step counts once: the second finds another step under way.
      await sql`
        with stands as (
          select coalesce(array_agg(id order by started_at, id) filter (where status = 'started'), '{}') as open,
            count(*) filter (where status = 'cancelled' and cancelled_by = ${requestedBy} and completed_at >= ${createdAt}) as cancelled
          from workflow_runs where clinic_id = ${clinicId} and id = any(${workflowIds})
        ), counted as (
          select *, ${isReachable} and tries + 1 >= ${MAX_STEP_TRIES} as gives_up, cardinality(${workflowIds}::text[]) as taken
          from stands, bulk_jobs where id = ${id}
        )
        update bulk_jobs j set done = j.done + cancelled, skipped = j.skipped + taken - cancelled - cardinality(open),
          failed = j.failed + case when gives_up then cardinality(open) else 0 end,
          under_way = case when gives_up then '{}' else open end,
          tries = case when gives_up or open = '{}' then 0 when ${isReachable} then j.tries + 1 else j.tries end,
          waits_for = case when open <> '{}' and not gives_up then 'workflows' end,
          next_step_at = now() + case when open = '{}' or gives_up then interval '0' else interval '5 seconds' end
        from counted c where j.id = c.id and j.under_way = ${workflowIds}::text[]`;
    },

    resendSome: ({ id, clinicId, filter }) =>
      transaction(async (tx) => {
        const job = await lockJob(tx, id);
        if (!job) return [];
        const endpointId = filter.endpointId ?? FIRST_ENDPOINT;
        const receiver = await receiverNow(tx, clinicId, endpointId);
        if (receiver.isRemoved) {
          await end(tx, id);
          return [];
        }
        if (!receiver.isRegistered) {
          await wait(tx, id, { pace: 1, waitMs: 10_000, waitsFor: 'endpoint' });
          return [];
        }
        const { count, ...next } = resendStep(job.pace, receiver);
        await wait(tx, id, next);
        if (count === 0) return [];
        const { event = null, from = null, until } = filter;
        const taken = await tx<{ id: string; subject: string; at: Date; isPurged: boolean }>`
          select d.id, e.subject, d.created_at as at, e.data = '{}'::jsonb as "isPurged"
          from deliveries d join outbound_events e on e.clinic_id = d.clinic_id and e.id = d.event_id
          where d.clinic_id = ${clinicId} and d.endpoint_id = ${endpointId} and d.state = 'DEAD'
            and (d.event = ${event} or ${event}::text is null)
            and d.created_at >= coalesce(${from}::timestamptz, '-infinity') and d.created_at < ${until}::timestamptz
            and (d.created_at, d.id) > (coalesce(${job.placeAt}::timestamptz, '-infinity'), coalesce(${job.placeId}::text, ''))
          order by d.created_at, d.id limit ${count} for update of d`;
        const last = taken.at(-1);
        if (!last) {
          await end(tx, id);
          return [];
        }
        const sent = taken.filter(({ isPurged }) => !isPurged);
        await tx`
          update deliveries set state = 'PENDING', tries = 0, next_attempt_at = now(), delivered_at = null, lease_token = null
          where clinic_id = ${clinicId} and id = any(${sent.map((each) => each.id)})`;
        await tx`
          update bulk_jobs set done = done + ${sent.length}, skipped = skipped + ${taken.length - sent.length},
            place_at = ${last.at}, place_id = ${last.id}
          where id = ${id}`;
        return [...new Set(sent.map(({ subject }) => subject))];
      }),
  };
}

interface Step {
  underWay: string[];
  pace: number;
  placeAt: Date | null;
  placeId: string | null;
}

/** Null once it has ended, or while its next step is not due: another process has just made one. */
async function lockJob(tx: Sql, id: string): Promise<Step | null> {
  const [job] = await tx<Step>`
    select under_way as "underWay", pace, place_at as "placeAt", place_id as "placeId" from bulk_jobs
    where id = ${id} and state = 'RUNNING' and next_step_at <= now() for update`;
  return job ?? null;
}

const end = (tx: Sql, id: string) =>
  tx`update bulk_jobs set state = 'DONE', ended_at = now(), waits_for = null where id = ${id}`;

const wait = (
  tx: Sql,
  id: string,
  { pace, waitMs, waitsFor }: { pace: number; waitMs: number; waitsFor: BulkJobWait | null },
) =>
  tx`
    update bulk_jobs set pace = ${pace}, waits_for = ${waitsFor}, next_step_at = now() + make_interval(secs => ${waitMs / 1_000}::float8)
    where id = ${id}`;

/** More that waits makes no difference. */
const MANY_WAITING = 500;

interface Receiver extends ReceiverNow {
  /** It has a URL, and is switched on. */
  isRegistered: boolean;
  isRemoved: boolean;
}

async function receiverNow(tx: Sql, clinicId: string, endpointId: string): Promise<Receiver> {
  const [receiver] = await tx<Receiver>`
    select coalesce(o.failures, 0) as "failuresInARow", coalesce(o.paused_until > now(), false) as "isPaused",
      coalesce(o.is_enabled and o.url is not null, false) as "isRegistered", coalesce(o.is_removed, false) as "isRemoved",
      (select count(*)::int from (
        select 1 from deliveries d
        where d.clinic_id = o.clinic_id and d.endpoint_id = o.id and d.state = 'PENDING' and d.next_attempt_at <= now()
        limit ${MANY_WAITING}) due) as waiting
    from endpoints o where o.clinic_id = ${clinicId} and o.id = ${endpointId}`;
  return receiver ?? { failuresInARow: 0, isPaused: false, waiting: 0, isRegistered: false, isRemoved: false };
}

interface Part {
  name: string;
  count: number;
  oldest: Date | null;
  newest: Date | null;
}

/** Open runs by type, or failed deliveries by event. */
async function countParts(
  tx: Sql,
  clinicId: string,
  kind: BulkJobKind,
  { workflowType = null, event = null, endpointId = FIRST_ENDPOINT, from = null, until }: BulkFilter,
): Promise<BulkPreview> {
  const name = kind === 'cancel_runs' ? workflowType : event;
  return added(
    await tx<Part>`
      select name, count(*)::int as count, min(at) as oldest, max(at) as newest from (
        select workflow_type as name, started_at as at from workflow_runs
        where ${kind} = 'cancel_runs' and clinic_id = ${clinicId} and status = 'started'
        union all
        select event, created_at from deliveries
        where ${kind} = 'resend_deliveries' and clinic_id = ${clinicId} and endpoint_id = ${endpointId} and state = 'DEAD'
      ) records
      where (name = ${name} or ${name}::text is null)
        and at >= coalesce(${from}::timestamptz, '-infinity') and at < ${until}::timestamptz
      group by name order by name`,
  );
}

function added(parts: Part[]): BulkPreview {
  const times = parts.flatMap(({ oldest, newest }) => (oldest && newest ? [oldest.getTime(), newest.getTime()] : []));
  return {
    total: parts.reduce((sum, { count }) => sum + count, 0),
    parts: parts.map(({ name, count }) => ({ name, count })),
    oldest: times.length === 0 ? null : new Date(Math.min(...times)),
    newest: times.length === 0 ? null : new Date(Math.max(...times)),
  };
}

const toRecord = ({ kind, state, filter, waitsFor, ...job }: BulkJob): BulkJobRecord => ({
  ...job,
  kind: kind as BulkJobKind,
  state: state as BulkJobState,
  filter: filter as unknown as BulkFilter,
  waitsFor: waitsFor as BulkJobWait | null,
});

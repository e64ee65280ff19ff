import { newId } from '@clinic/shared/crypto';
import type { BulkJobKind, BulkJobState, BulkJobWait } from '@clinic/shared/domain/operations/bulk-job';
import type { Database } from '../../client';
import type { BulkJob } from '../../generated/client';
import { allOf, type Condition, condition, type Sql } from '../../sql';
import { SAMPLE } from '../events/deliveries';
import { receiverIdOf } from '../events/receivers';
import { type Actor, audit } from './audit';
import { type Cursors, olderThan, type PageOf } from '../cursor';

/** Which records a job is about; `from` and `until` are instants (ISO, UTC), of which the second is not part. */
export interface BulkFilter {
  /** Open runs of a type, or of every type. */
  workflowType?: string | null;
  /** Failed deliveries of an event, or of every event. */
  event?: string | null;
  /** Failed deliveries to this endpoint; to the first one where it is left out. */
  endpointId?: string | null;
  /** Failed deliveries that were given up later than this instant. */
  givenUpSince?: string | null;
  /** Of deliveries: whatever became of them, in place of those that failed. */
  isReplay?: boolean;
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

type Started = { kind: 'started'; job: BulkJobRecord } | { kind: 'running' };

/** Work on many records, as those see it who asked for it; `bulk-steps.ts` does it. */
export function createBulkJobStores({ sql, transaction, prisma }: Database, cursors: Cursors) {
  return {
    preview: (clinicId: string, kind: BulkJobKind, filter: BulkFilter) => countParts(sql, clinicId, kind, filter),

    /** `running`: another of the kind is under way in the clinic. The same again under its `id` begins nothing. */
    async start(
      clinicId: string,
      { id = newId('bulk'), kind, filter }: { id?: string; kind: BulkJobKind; filter: BulkFilter },
      by: Actor,
    ): Promise<Started> {
      await transaction(async (tx) => {
        const { total } = await countParts(tx, clinicId, kind, filter);
        const [made] = await tx`
          insert into bulk_jobs (id, clinic_id, kind, filter, requested_by, total)
          values (${id}, ${clinicId}, ${kind}, ${JSON.stringify(filter)}::jsonb, ${by.actor}, ${total})
          on conflict do nothing returning id`;
        if (made) await audit(tx, by, { clinicId, action: `bulk.${kind}`, subject: id, detail: { ...filter, total } });
      });
      const job = await prisma.bulkJob.findFirst({ where: { clinicId, id } });
      return job ? { kind: 'started', job: toRecord(job) } : { kind: 'running' };
    },

    async find(clinicId: string, id: string): Promise<BulkJobRecord | null> {
      const job = await prisma.bulkJob.findFirst({ where: { clinicId, id } });
      return job && toRecord(job);
    },

    /** Newest first. */
    async list(
      clinicId: string,
      { limit, cursor }: { limit: number; cursor?: string },
    ): Promise<PageOf<BulkJobRecord>> {
      const rows = await prisma.bulkJob.findMany({
        where: { clinicId, ...olderThan('createdAt', cursors.decode(cursor, clinicId)) },
        orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
        take: limit + 1,
      });
      return cursors.page(clinicId, rows.map(toRecord), limit, ({ createdAt, id }) => ({ at: createdAt, id }));
    },

    /** Begins nothing more; what was begun comes to its end. False where it has ended already; null for an unknown one. */
    stop: (clinicId: string, id: string, by: Actor): Promise<boolean | null> =>
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

    /** Nothing is left to do. One that was stopped stays so. */
    async end(clinicId: string, id: string): Promise<void> {
      await sql`
        update bulk_jobs set state = 'DONE', ended_at = now(), waits_for = null
        where clinic_id = ${clinicId} and id = ${id} and state = 'RUNNING'`;
    },
  };
}

interface Part {
  name: string;
  count: number;
  oldest: Date | null;
  newest: Date | null;
}

/** Open runs by type, or deliveries by event. */
async function countParts(tx: Sql, clinicId: string, kind: BulkJobKind, filter: BulkFilter): Promise<BulkPreview> {
  const { workflowType = null, event = null, endpointId, from = null, until } = filter;
  const receiverId = await receiverIdOf(tx, clinicId, endpointId ?? undefined);
  const name = kind === 'cancel_runs' ? workflowType : event;
  return added(
    await tx<Part>`
      select name, count(*)::int as count, min(at) as oldest, max(at) as newest from (
        select workflow_type as name, started_at as at from workflow_runs
        where ${kind} = 'cancel_runs' and clinic_id = ${clinicId} and status = 'started'
        union all
        select d.event, d.created_at from deliveries d
        where ${kind} = 'resend_deliveries' and d.clinic_id = ${clinicId} and d.receiver_id = ${receiverId} and ${meantBy(filter)}
      ) records
      where (name = ${name} or ${name}::text is null)
        and at >= coalesce(${from}::timestamptz, '-infinity') and at < ${until}::timestamptz
      group by name order by name`,
  );
}

/** Of deliveries `d`: those that failed or were missed; of a replay every one, but for tests. */
export function meantBy({ isReplay = false, givenUpSince = null }: BulkFilter): Condition {
  if (isReplay) {
    return condition`d.event <> 'test' and not starts_with(d.subject, ${SAMPLE}) and coalesce(d.leased_until <= now(), true)`;
  }
  // What passed by an endpoint that was off was never tried.
  const isRecent = condition`coalesce(
    (select max(a.at) from delivery_attempts a where a.clinic_id = d.clinic_id and a.delivery_id = d.id), d.created_at)
    > ${givenUpSince}::timestamptz`;
  return allOf(condition`d.state = 'DEAD'`, givenUpSince !== null && isRecent);
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

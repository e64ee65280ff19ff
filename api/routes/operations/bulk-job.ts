import type { BulkJobView, BulkStarted } from '@clinic/shared/contracts/operations/bulk-jobs';
import { SentEventName } from '@clinic/shared/contracts/events/outbound-events';
import { WorkflowTypeName } from '@clinic/shared/contracts/outreach/workflows';
import type { BulkJobKind } from '@clinic/shared/domain/operations/bulk-job';
import { AppError } from '@clinic/shared/errors';
import type { Deps, RouteDeps } from '../../http/route';
import type { Actor } from '@clinic/prisma/stores/operations/audit';
import type { BulkFilter, BulkJobRecord } from '@clinic/prisma/stores/operations/bulk-jobs';
import { namesOf } from '../accounts/staff-names';
import { momentOf, zoneOf } from '../../clinic-span';
import { whoIs } from '../tasks/tasks';

interface Asked {
  /** What the job will have: asked for again under it, it is found. */
  id: string;
  kind: BulkJobKind;
  workflowType?: string;
  event?: string;
  /** Null for the first endpoint. */
  endpointId?: string | null;
  /** Of deliveries: whatever became of them. */
  isReplay?: boolean;
  from?: string;
  until?: string;
  dryRun: boolean;
}

/** Counts what a job would be about, and begins it unless it is only tried. Throws `conflict` while one of its kind goes on. */
export async function beginBulkJob(
  { stores, temporal }: Deps<'stores' | 'temporal'>,
  clinicId: string,
  { id, kind, workflowType, event, endpointId, isReplay, dryRun, ...asked }: Asked,
  by: Actor,
): Promise<BulkStarted> {
  const now = new Date().toISOString();
  const zone = await zoneOf(stores, clinicId);
  const until = momentOf('until', asked.until, zone) ?? now;
  const filter: BulkFilter = {
    workflowType: workflowType ?? null,
    event: event ?? null,
    ...(endpointId && { endpointId }),
    ...(isReplay && { isReplay }),
    from: momentOf('from', asked.from, zone) ?? null,
    // What starts while it goes on is not part of it.
    until: until < now ? until : now,
  };
  const { total, parts, oldest, newest } = await stores.bulkJobs.preview(clinicId, kind, filter);
  const preview = {
    total,
    parts,
    oldest: oldest?.toISOString() ?? null,
    newest: newest?.toISOString() ?? null,
    from: filter.from ?? null,
    until: filter.until,
  };
  if (dryRun) return { ...preview, job: null };
  const started = await stores.bulkJobs.start(clinicId, { id: `bulk-${id}`, kind, filter }, by);
  if (started.kind === 'running') throw new AppError('conflict', `${underWay[kind]}: wait for its end, or stop it`);
  if (started.job.state === 'RUNNING') temporal.begin({ kind, clinicId, id: started.job.id });
  return { ...preview, job: await shownJob(stores, clinicId, started.job) };
}

const underWay: Record<BulkJobKind, string> = {
  cancel_runs: 'Workflows are being cancelled already',
  resend_deliveries: 'Deliveries are being sent again already',
};

/** A job as staff read it, with the name of who asked for it. */
export async function shownJob(
  stores: RouteDeps['stores'],
  clinicId: string,
  job: BulkJobRecord,
): Promise<BulkJobView> {
  return toJob(job, await namesOf(stores, clinicId));
}

export function toJob(job: BulkJobRecord, names: ReadonlyMap<string, string>): BulkJobView {
  const { id, kind, state, filter, total, done, skipped, failed, pace, waitsFor } = job;
  return {
    id,
    kind,
    state,
    workflowType: WorkflowTypeName.nullable().parse(filter.workflowType ?? null),
    event: SentEventName.nullable().parse(filter.event ?? null),
    endpointId: filter.endpointId ?? null,
    isReplay: filter.isReplay ?? false,
    from: filter.from ?? null,
    until: filter.until,
    total,
    done,
    skipped,
    failed,
    pace,
    waitsFor,
    requestedBy: whoIs(job.requestedBy, names),
    createdAt: job.createdAt.toISOString(),
    endedAt: job.endedAt?.toISOString() ?? null,
  };
}

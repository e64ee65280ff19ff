import { runStatuses, type RunStatus } from '@clinic/shared/domain/outreach/run-status';
import type { WorkflowType } from '@clinic/shared/domain/outreach/workflow-types';
import { bound } from '../../bound';
import type { Database } from '../../client';
import type { Call, CallDecision, WorkflowRun } from '../../generated/client';
import { type PersonRecord, personOnly, withEarlierReasons } from './call-records';
import { type Cursors, olderThan, type PageOf } from '../cursor';
import { boundedTotal, newestRows, type Total } from '../total';
import { stillInLine } from './lines';

export interface RunFilter {
  status?: RunStatus;
  workflowType?: WorkflowType;
  outcome?: string;
  patientId?: string;
  /** Started at this instant (ISO, UTC) or later, and before `until`. */
  from?: string;
  until?: string;
}

/** A run with what its next step is decided by, or was. */
export type RunRecord = WorkflowRun & {
  patient: PersonRecord | null;
  caseId: string | null;
  /** Since when its call waits for a free line; null where none does. */
  queuedAt: Date | null;
  /** With how the run's calls before it ended, where that matters to what its own end means. */
  lastCall: (Call & { earlierReasons: string[] }) | null;
  lastDecision: CallDecision | null;
};

export interface RunCount {
  workflowType: string;
  status: RunStatus;
  count: number;
}

export interface RunCounts {
  counts: RunCount[];
  /** Of these there are more than were counted. */
  cut: RunStatus[];
}

const MAX_OF_STATUS = 10_000;

interface Context {
  database: Database;
  cursors: Cursors;
}

/** Runs of every type as staff read them. */
export const createRunRecordStores = (database: Database, cursors: Cursors) =>
  bound({ database, cursors }, { list, count, counts: countByStatus });

async function list(
  { database, database: { prisma }, cursors }: Context,
  clinicId: string,
  { limit, cursor, ...filter }: RunFilter & { limit: number; cursor?: string },
): Promise<PageOf<RunRecord>> {
  const after = cursors.decode(cursor, clinicId);
  const rows = await prisma.workflowRun.findMany({
    where: { AND: [whereOf(clinicId, filter), olderThan('startedAt', after)] },
    orderBy: [{ startedAt: 'desc' }, { id: 'desc' }],
    take: limit + 1,
    include: { patient: personOnly, case: { select: { id: true } } },
  });
  const ids = rows.map(({ id }) => id);
  const [calls, decisions, tickets] = await Promise.all([
    lastCalls(database, clinicId, ids),
    lastDecisions(database, clinicId, ids),
    prisma.lineTicket.findMany({ where: { clinicId, workflowId: { in: ids }, grantedAt: null, ...stillInLine() } }),
  ]);
  const records = rows.map(({ case: recoveryCase, ...run }) => ({
    ...run,
    caseId: recoveryCase?.id ?? null,
    queuedAt: tickets.find(({ workflowId }) => workflowId === run.id)?.createdAt ?? null,
    lastCall: calls.find(({ workflowId }) => workflowId === run.id) ?? null,
    lastDecision: decisions.find(({ workflowId }) => workflowId === run.id) ?? null,
  }));
  return cursors.page(clinicId, records, limit, ({ startedAt, id }) => ({ at: startedAt, id }));
}

function count({ database: { prisma } }: Context, clinicId: string, filter: RunFilter): Promise<Total> {
  const { newest, countUpTo } = newestRows(prisma.workflowRun, clinicId, 'startedAt');
  return boundedTotal(filter, { newest, count: (asked) => countUpTo(whereOf(clinicId, asked)) });
}

/** How many there are of each type and status, of each status up to some thousand, the newest. */
async function countByStatus(
  { database: { sql } }: Context,
  clinicId: string,
  filter: Pick<RunFilter, 'from' | 'until'>,
): Promise<RunCounts> {
  const { from = null, until = null } = filter;
  const counts = await sql<RunCount>`
    select counted.status, workflow_type as "workflowType", count(*)::int as count
    from unnest(${runStatuses}::text[]) one(status) cross join lateral (
      select r.status, r.workflow_type from workflow_runs r
      where r.clinic_id = ${clinicId} and r.status = one.status and r.started_at >= coalesce(${from}::timestamptz, '-infinity')
        and r.started_at < coalesce(${until}::timestamptz, 'infinity')
      order by r.started_at desc limit ${MAX_OF_STATUS}
    ) counted
    group by counted.status, workflow_type`;
  const totalOf = (status: RunStatus) =>
    counts.reduce((sum, each) => (each.status === status ? sum + each.count : sum), 0);
  return { counts, cut: runStatuses.filter((status) => totalOf(status) >= MAX_OF_STATUS) };
}

const whereOf = (clinicId: string, { from, until, ...conditions }: RunFilter) => ({
  clinicId,
  ...conditions,
  startedAt: { gte: from, lt: until },
});

async function lastCalls({ sql, prisma }: Database, clinicId: string, workflowIds: string[]) {
  const last = await sql<{ id: string }>`
    select k.id from unnest(${workflowIds}::text[]) run(id) cross join lateral (
      select id from calls where clinic_id = ${clinicId} and workflow_id = run.id and not is_test
      order by created_at desc, id desc limit 1
    ) k`;
  const calls: Call[] = await prisma.call.findMany({ where: { clinicId, id: { in: last.map(({ id }) => id) } } });
  return withEarlierReasons(prisma, clinicId, calls);
}

async function lastDecisions({ sql, prisma }: Database, clinicId: string, workflowIds: string[]) {
  const last = await sql<{ id: string }>`
    select d.id from unnest(${workflowIds}::text[]) run(id) cross join lateral (
      select id from call_decisions where clinic_id = ${clinicId} and workflow_id = run.id order by decided_at desc limit 1
    ) d`;
  return prisma.callDecision.findMany({ where: { clinicId, id: { in: last.map(({ id }) => id) } } });
}

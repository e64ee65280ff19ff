import type { TimeOrder } from '@clinic/shared/domain/list-order';
import type { CallState } from '@clinic/shared/domain/outreach/call-state';
import type { CallEnding } from '@clinic/shared/domain/outreach/call-ending';
import { dependsOnEarlierCalls, endingOfCall, unconnectedAgain } from '@clinic/shared/domain/voice/ended-reason';
import { bound } from '../../bound';
import type { Database } from '../../client';
import type {
  Call,
  CallDecision,
  CallEvidence,
  Patient,
  Prisma,
  RecoveryCase,
  ToolCall,
  WorkflowRun,
} from '../../generated/client';
import { allOf, type Condition, condition } from '../../sql';
import { between, byTime, type Cursors, cursorsIn, inOrderOf, olderThan, type PageOf } from '../cursor';
import { type Found, nothingFound, type Page, searchedIn } from '../search';
import { boundedTotal, countUpTo, MAX_COUNTED, newestRows, type Total } from '../total';

export type PersonRecord = Pick<Patient, 'id' | 'firstName' | 'lastName'>;
export type CallWithPatient = Call & {
  patient: PersonRecord;
  /** Of a call that belongs to a workflow. */
  run: Pick<WorkflowRun, 'isSimulated'> | null;
  /** Of a recovery. */
  case: Pick<RecoveryCase, 'formName'> | null;
  /** How the workflow's calls before this one ended, where that matters to what its own end means. */
  earlierReasons: string[];
};
export type CallWithTools = CallWithPatient & { toolCalls: ToolCall[]; decisions: CallDecision[] };
export type CallWithEvidence = CallWithTools & { evidence: CallEvidence | null };

/** A decision about a patient, and what it was about. */
export type PatientDecision = CallDecision & { run: Pick<WorkflowRun, 'workflowType'> };

export interface CallFilter {
  state?: CallState;
  /** Calls that have not ended, or those that have. */
  live?: boolean;
  caseId?: string;
  patientId?: string;
  workflowId?: string;
  /** What the patient of a call is found by. */
  search?: string;
  workflowType?: string;
  direction?: 'inbound' | 'outbound';
  /** Of calls that have ended. */
  ending?: CallEnding;
  /** Made at this instant or later, and before `until`. */
  from?: string;
  until?: string;
}

export const personOnly = { select: { id: true, firstName: true, lastName: true } } as const;
export const shownOfAny = {
  patient: personOnly,
  run: { select: { isSimulated: true } },
  case: { select: { formName: true } },
} as const satisfies Prisma.CallInclude;
export const withTools = {
  ...shownOfAny,
  toolCalls: { orderBy: { startedAt: 'asc' } },
  decisions: { orderBy: [{ decidedAt: 'asc' }, { stage: 'desc' }] },
} as const satisfies Prisma.CallInclude;

/** Calls as staff read them. */
export const createCallRecordStores = (database: Database, cursors: Cursors) =>
  bound(contextOf(database, cursors), { list, count: countCalls, find, decisions });

function contextOf(database: Database, cursors: Cursors) {
  const { prisma } = database;
  const ofDecisions = cursors.of('decisions');
  return { database, cursors, prisma, ofDecisions };
}

type Context = ReturnType<typeof contextOf>;

async function list(
  { cursors, database, prisma }: Context,
  clinicId: string,
  { limit, cursor, order = 'newest', ...filter }: CallFilter & { limit: number; cursor?: string; order?: TimeOrder },
): Promise<PageOf<CallWithPatient>> {
  const ofOrder = cursorsIn(order, cursors);
  const position = ofOrder.decode(cursor, clinicId);
  const { ids } = await chosen(database, clinicId, filter, { limit, position, order });
  const rows = await prisma.call.findMany({
    where: { clinicId, id: { in: ids } },
    include: shownOfAny,
  });
  const calls = await withEarlierReasons(prisma, clinicId, inOrderOf(ids, rows));
  return ofOrder.page(clinicId, calls, limit, ({ createdAt, id }) => ({ at: createdAt, id }));
}

async function countCalls({ prisma, database }: Context, clinicId: string, filter: CallFilter): Promise<Total> {
  const { newest } = newestRows(prisma.call, clinicId, 'createdAt');
  return boundedTotal(filter, {
    slow: ['ending'],
    newest,
    count: (asked) => countUpTo(chosen(database, clinicId, asked, { limit: MAX_COUNTED, isCounted: true })),
  });
}

async function find({ prisma }: Context, clinicId: string, id: string): Promise<CallWithEvidence | null> {
  const found = await prisma.call.findFirst({ where: { clinicId, id }, include: { ...withTools, evidence: true } });
  const [call] = await withEarlierReasons(prisma, clinicId, found ? [found] : []);
  return call ?? null;
}

/** What was decided about calls to a patient, newest first: with `called`, what led to a call, or what led to none. */
async function decisions(
  { prisma, ofDecisions }: Context,
  clinicId: string,
  { patientId, called, limit, cursor }: { patientId: string; called?: boolean; limit: number; cursor?: string },
): Promise<PageOf<PatientDecision>> {
  const rows = await prisma.callDecision.findMany({
    where: {
      clinicId,
      run: { clinicId, patientId },
      ...(called !== undefined && { callId: called ? { not: null } : null }),
      ...olderThan('decidedAt', ofDecisions.decode(cursor, clinicId)),
    },
    orderBy: [{ decidedAt: 'desc' }, { id: 'desc' }],
    take: limit + 1,
    include: { run: { select: { workflowType: true } } },
  });
  return ofDecisions.page(clinicId, rows, limit, ({ decidedAt, id }) => ({ at: decidedAt, id }));
}

/** Asked of the database, what contradicts itself is looked for in every call. */
const isContradiction = ({ live, state, ending }: CallFilter): boolean =>
  (live !== undefined && state !== undefined && live === (state === 'ENDED')) ||
  (ending !== undefined && (live === true || (state !== undefined && state !== 'ENDED')));

/** The ids of a page of calls, in an order, and of one more. */
async function chosen(
  database: Database,
  clinicId: string,
  filter: CallFilter,
  { limit, position = null, order = 'newest', isCounted }: Page & { order?: TimeOrder },
): Promise<Found> {
  if (isContradiction(filter)) return nothingFound;
  const { search, ending } = filter;
  const { by, after } = byTime[order];
  const own = allOf(ownColumns(filter), position !== null && after(position));
  const ended = ending === undefined ? allOf() : endedBy(ending, await endingsOf(database.sql, clinicId));
  if (search === undefined) {
    const rows = await database.sql<{ id: string }>`
      select c.id from calls c where c.clinic_id = ${clinicId} and ${own} and ${ended}
      order by ${by} limit ${limit + 1}`;
    return { ids: rows.map(({ id }) => id), isCut: false };
  }
  return searchedIn(
    database,
    { search, limit, isCounted },
    {
      byWords: (tx, { patterns, atMost }) => tx<{ matches: number; id: string | null }>`
        with people as materialized (select id from patients_matching(${clinicId}, ${patterns}, ${atMost}) id)
        select (select count(*)::int from people) as matches, page.id
        from (select 1) one left join lateral (
          select c.id from people cross join lateral (
            select * from calls where clinic_id = ${clinicId} and patient_id = people.id offset 0) c
          where (select count(*) from people) < ${atMost} and ${own} and ${ended}
          order by ${by} limit ${limit + 1}
        ) page on true`,
      amongFirst: (tx, { patterns, atMost }) => tx<{ id: string }>`
        select c.id from (
          select * from calls c where c.clinic_id = ${clinicId} and ${own}
          order by ${by} limit ${atMost}
        ) c
        cross join lateral (
          select search_text from patients where clinic_id = ${clinicId} and id = c.patient_id offset 0
        ) p
        where p.search_text like all (${patterns}::text[]) and ${patterns}::text[] <> '{}' and ${ended}
        order by ${by} limit ${limit + 1}`,
    },
  );
}

/** By the columns of a call `c`. */
const ownColumns = ({ state, live, caseId, patientId, workflowId, workflowType, direction, ...span }: CallFilter) =>
  allOf(
    between(span),
    state !== undefined && condition`c.state = ${state}`,
    live !== undefined && (live ? condition`c.state <> 'ENDED'` : condition`c.state = 'ENDED'`),
    caseId !== undefined && condition`c.case_id = ${caseId}`,
    patientId !== undefined && condition`c.patient_id = ${patientId}`,
    workflowId !== undefined && condition`c.workflow_id = ${workflowId}`,
    workflowType !== undefined && condition`c.workflow_type = ${workflowType}`,
    direction !== undefined && condition`c.direction = ${direction}`,
  );

/** By how a call `c` ended. */
const endedBy = (ending: CallEnding, { endings, unconnected }: Awaited<ReturnType<typeof endingsOf>>): Condition =>
  condition`c.state = 'ENDED' and ${ending} = case
    when c.said = 'voicemail' then ${endingOfCall({ said: 'voicemail', endedReason: null, earlierReasons: [] })}
    when c.ended_reason = any(${unconnected}) and exists (
      select from calls e
      where e.clinic_id = c.clinic_id and e.workflow_id = c.workflow_id and not e.is_test and e.created_at < c.created_at
        and e.ended_reason = any(${unconnected})) then ${unconnectedAgain}
    else ${JSON.stringify(endings)}::jsonb ->> coalesce(c.ended_reason, '') end`;

/** What every reason means that a call of the clinic has ended for, and which of them mean more after an earlier one of their kind. */
async function endingsOf(
  sql: Database['sql'],
  clinicId: string,
): Promise<{ endings: Record<string, CallEnding>; unconnected: string[] }> {
  // One look into the index for each, however many calls there are.
  const rows = await sql<{ reason: string }>`
    with recursive reasons(reason) as (
      (select ended_reason from calls where clinic_id = ${clinicId} and ended_reason is not null order by ended_reason limit 1)
      union all
      select (select ended_reason from calls where clinic_id = ${clinicId} and ended_reason > reasons.reason order by ended_reason limit 1)
      from reasons where reasons.reason is not null
    )
    select coalesce(reason, '') as reason from reasons where reason is not null`;
  const reasons = rows.map(({ reason }) => reason);
  const alone = { said: null, earlierReasons: [] };
  return {
    endings: {
      ...Object.fromEntries(reasons.map((reason) => [reason, endingOfCall({ ...alone, endedReason: reason })])),
      '': endingOfCall({ ...alone, endedReason: null }),
    },
    unconnected: reasons.filter(dependsOnEarlierCalls),
  };
}

/** The calls of a clinic, each with the reasons that its workflow's calls before it ended for. */
export async function withEarlierReasons<Row extends Call>(
  prisma: Database['prisma'],
  clinicId: string,
  calls: Row[],
): Promise<(Row & { earlierReasons: string[] })[]> {
  const asked = calls.filter(({ endedReason }) => endedReason !== null && dependsOnEarlierCalls(endedReason));
  const workflowIds = [...new Set(asked.flatMap(({ workflowId }) => workflowId ?? []))];
  const ended =
    workflowIds.length === 0
      ? []
      : await prisma.call.findMany({
          where: { clinicId, workflowId: { in: workflowIds }, isTest: false, endedReason: { not: null } },
          select: { workflowId: true, endedReason: true, createdAt: true },
          orderBy: { createdAt: 'asc' },
        });
  return calls.map((call) => ({
    ...call,
    earlierReasons: ended
      .filter(({ workflowId, createdAt }) => workflowId === call.workflowId && createdAt < call.createdAt)
      .flatMap(({ endedReason }) => endedReason ?? []),
  }));
}

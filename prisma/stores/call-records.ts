import type { CallState } from '@clinic/shared/domain/call-state';
import type { CallEnding } from '@clinic/shared/domain/call-ending';
import { dependsOnEarlierCalls, endingOfCall, unconnectedAgain } from '@clinic/shared/voice/ended-reason';
import type { Database } from '../client';
import type { Call, CallDecision, CallEvidence, Patient, Prisma, ToolCall, WorkflowRun } from '../generated/client';
import { type Cursors, emptyPage, olderThan, type PageOf, type Position } from './cursor';
import { afterOf, type Found, type Search, searchedIn } from './search';
import { boundedTotal, MAX_COUNTED, newestRows, noTotal, type Total } from './total';

export type PersonRecord = Pick<Patient, 'id' | 'firstName' | 'lastName'>;
export type CallWithPatient = Call & {
  patient: PersonRecord;
  /** Of a call that belongs to a workflow. */
  run: Pick<WorkflowRun, 'isSimulated'> | null;
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

/** Calls as staff read them. */
export interface CallRecordStores {
  list(clinicId: string, filter: CallFilter & { limit: number; cursor?: string }): Promise<PageOf<CallWithPatient>>;
  count(clinicId: string, filter: CallFilter): Promise<Total>;
  find(clinicId: string, callId: string): Promise<CallWithEvidence | null>;
  /** What was decided about calls to a patient, newest first: with `called`, what led to a call, or what led to none. */
  decisions(
    clinicId: string,
    filter: { patientId: string; called?: boolean; limit: number; cursor?: string },
  ): Promise<PageOf<PatientDecision>>;
}

export const personOnly = { select: { id: true, firstName: true, lastName: true } } as const;
const runOnly = { select: { isSimulated: true } } as const;
export const withTools = {
  patient: personOnly,
  run: runOnly,
  toolCalls: { orderBy: { startedAt: 'asc' } },
  decisions: { orderBy: [{ decidedAt: 'asc' }, { stage: 'desc' }] },
} as const satisfies Prisma.CallInclude;

export function createCallRecordStores(database: Database, cursors: Cursors): CallRecordStores {
  const { prisma } = database;
  const ofDecisions = cursors.of('decisions');
  return {
    async list(clinicId, { search, limit, cursor, ...filter }) {
      const after = cursors.decode(cursor, clinicId);
      if (isContradiction(filter)) return emptyPage;
      const rows: (Call & { patient: PersonRecord; run: Pick<WorkflowRun, 'isSimulated'> | null })[] = [];
      for (let from = after; ;) {
        const searched = search
          ? await callsFound(database, clinicId, { ...filter, search, limit, after: from })
          : null;
        const found = searched?.ids ?? null;
        const chosen = await callsChosen(database, clinicId, { ...filter, found, limit, after: from });
        const page = await prisma.call.findMany({
          where: { ...whereOf(clinicId, filter), ...(chosen ? { id: { in: chosen } } : olderThan('createdAt', from)) },
          orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
          take: limit + 1,
          include: { patient: personOnly, run: runOnly },
        });
        rows.push(...page);
        const last = found?.at(-1);
        if (last === undefined || (found?.length ?? 0) <= limit || rows.length > limit) break;
        // What is found was looked for by words alone; the rest of the filter left too little of it.
        const { createdAt } = await prisma.call.findFirstOrThrow({
          where: { clinicId, id: last },
          select: { createdAt: true },
        });
        from = { at: createdAt, id: last };
      }
      const calls = await withEarlierReasons(prisma, clinicId, rows.slice(0, limit + 1));
      return cursors.page(clinicId, calls, limit, ({ createdAt, id }) => ({ at: createdAt, id }));
    },

    async count(clinicId, filter) {
      if (isContradiction(filter)) return noTotal;
      const { newest, countUpTo } = newestRows(prisma.call, clinicId, 'createdAt');
      return boundedTotal(filter, {
        slow: ['ending'],
        newest,
        async count({ search, ...rest }) {
          const asked = { ...rest, limit: MAX_COUNTED, after: null };
          const found = search ? await callsFound(database, clinicId, { ...asked, search, isCounted: true }) : null;
          const chosen = await callsChosen(database, clinicId, { ...asked, found: found?.ids ?? null });
          const count = chosen?.length ?? (await countUpTo(whereOf(clinicId, rest)));
          return { count, isCut: found?.isCut ?? false };
        },
      });
    },

    async find(clinicId, id) {
      const found = await prisma.call.findFirst({ where: { clinicId, id }, include: { ...withTools, evidence: true } });
      const [call] = await withEarlierReasons(prisma, clinicId, found ? [found] : []);
      return call ?? null;
    },

    async decisions(clinicId, { patientId, called, limit, cursor }) {
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
    },
  };
}

/** Asked of the database, what contradicts itself is looked for in every call. */
const isContradiction = ({ live, state, ending }: CallFilter): boolean =>
  (live !== undefined && state !== undefined && live === (state === 'ENDED')) ||
  (ending !== undefined && (live === true || (state !== undefined && state !== 'ENDED')));

const whereOf = (clinicId: string, { state, live, caseId, patientId, workflowId }: CallFilter) => ({
  clinicId,
  state,
  caseId,
  patientId,
  workflowId,
  ...(live !== undefined && { NOT: { state: live ? 'ENDED' : { not: 'ENDED' } } }),
});

/**
 * What remains of a page of calls by what they were about and how they ended: of those that a search has found, or of all. Where nothing
 * of it is asked it is `found` itself.
 */
async function callsChosen(
  { sql }: Database,
  clinicId: string,
  { found, limit, after, ...filter }: CallFilter & { found: string[] | null; limit: number; after: Position | null },
): Promise<string[] | null> {
  const { workflowType = null, direction = null, ending = null, from = null, until = null } = filter;
  const asked = [workflowType, direction, ending, from, until];
  if (asked.every((each) => each === null) || found?.length === 0) return found;
  const { state = null, live = null, caseId = null, patientId = null, workflowId = null } = filter;
  const { at, id: lastId } = afterOf(after);
  const { endings, unconnected } = ending === null ? nothingEnded : await endingsOf(sql, clinicId);
  const chosen = await sql<{ id: string }>`
    select k.id from calls k
    where k.clinic_id = ${clinicId} and (${found}::text[] is null or k.id = any(${found}))
      and k.created_at >= coalesce(${from}::timestamptz, '-infinity') and k.created_at < coalesce(${until}::timestamptz, 'infinity')
      and (k.created_at, k.id) < (coalesce(${at}::timestamptz, 'infinity'), coalesce(${lastId}::text, ''))
      and (k.state = ${state} or ${state}::text is null) and ((k.state <> 'ENDED') = ${live} or ${live}::boolean is null)
      and (k.case_id = ${caseId} or ${caseId}::text is null) and (k.patient_id = ${patientId} or ${patientId}::text is null)
      and (k.workflow_id = ${workflowId} or ${workflowId}::text is null)
      and (k.workflow_type = ${workflowType} or ${workflowType}::text is null)
      and (k.direction = ${direction} or ${direction}::text is null)
      and (${ending}::text is null or (k.state = 'ENDED' and ${ending} = case
        when k.said = 'voicemail' then ${endingOfCall({ said: 'voicemail', endedReason: null, earlierReasons: [] })}
        when k.ended_reason = any(${unconnected}) and exists (
          select from calls e
          where e.clinic_id = k.clinic_id and e.workflow_id = k.workflow_id and not e.is_test and e.created_at < k.created_at
            and e.ended_reason = any(${unconnected})) then ${unconnectedAgain}
        else ${JSON.stringify(endings)}::jsonb ->> coalesce(k.ended_reason, '') end))
    order by k.created_at desc, k.id desc limit ${limit + 1}`;
  return chosen.map(({ id }) => id);
}

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

const nothingEnded = { endings: {}, unconnected: [] };

/** The ids of a page of calls, newest first, and of one more. */
function callsFound(
  database: Database,
  clinicId: string,
  { search, limit, isCounted, after, ...filter }: CallFilter & Search & { after: Position | null },
): Promise<Found> {
  const { state = null, live = null, caseId = null, patientId = null, workflowId = null } = filter;
  const { at, id } = afterOf(after);
  return searchedIn(
    database,
    { search, limit, isCounted },
    {
      byWords: (tx, { patterns, atMost }) => tx<{ matches: number; id: string | null }>`
        with people as materialized (select id from patients_matching(${clinicId}, ${patterns}, ${atMost}) id)
        select (select count(*)::int from people) as matches, page.id
        from (select 1) one left join lateral (
          select k.id from people cross join lateral (
            select * from calls where clinic_id = ${clinicId} and patient_id = people.id offset 0) k
          where (select count(*) from people) < ${atMost}
            and (k.state = ${state} or ${state}::text is null) and ((k.state <> 'ENDED') = ${live} or ${live}::boolean is null)
            and (k.case_id = ${caseId} or ${caseId}::text is null) and (k.patient_id = ${patientId} or ${patientId}::text is null)
            and (k.workflow_id = ${workflowId} or ${workflowId}::text is null)
            and (k.created_at, k.id) < (coalesce(${at}::timestamptz, 'infinity'), coalesce(${id}::text, ''))
          order by k.created_at desc, k.id desc limit ${limit + 1}
        ) page on true`,
      amongNewest: (tx, { patterns, atMost }) => tx<{ id: string }>`
        select k.id from (
          select id, created_at, patient_id from calls
          where clinic_id = ${clinicId} and (state = ${state} or ${state}::text is null)
            and ((state <> 'ENDED') = ${live} or ${live}::boolean is null)
            and (case_id = ${caseId} or ${caseId}::text is null) and (patient_id = ${patientId} or ${patientId}::text is null)
            and (workflow_id = ${workflowId} or ${workflowId}::text is null)
            and (created_at, id) < (coalesce(${at}::timestamptz, 'infinity'), coalesce(${id}::text, ''))
          order by created_at desc, id desc limit ${atMost}
        ) k
        cross join lateral (
          select search_text from patients where clinic_id = ${clinicId} and id = k.patient_id offset 0
        ) p
        where p.search_text like all (${patterns}::text[]) and ${patterns}::text[] <> '{}'
        order by k.created_at desc, k.id desc limit ${limit + 1}`,
    },
  );
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

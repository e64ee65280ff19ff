import { type CaseState, isTerminal } from '@clinic/shared/domain/case-state';
import type { Database } from '../client';
import type { CallDecision, RecoveryCase, WorkflowRun } from '../generated/client';
import { type CallWithTools, type PersonRecord, personOnly, withEarlierReasons, withTools } from './call-records';
import { type Cursors, emptyPage, olderThan, type PageOf, type Position } from './cursor';
import { type DeliveryRecord, type NamedEndpoint, withEndpoints } from './deliveries';
import { afterOf, type Found, type Search, searchedIn } from './search';
import { countNotes, type TaskRecord, withPhone } from './tasks';
import { boundedTotal, MAX_COUNTED, newestRows, noTotal, type Total } from './total';

export type CaseWithPatient = RecoveryCase & {
  patient: PersonRecord;
  run: Pick<WorkflowRun, 'attempts' | 'workflowType' | 'status' | 'isSimulated' | 'cancelledBy'>;
};

/** A case with everything that happened to it, each in order of time. */
export interface CaseHistory {
  recoveryCase: CaseWithPatient & { patient: PersonRecord & { phone: string | null } };
  events: { id: string; event: string; receivedAt: Date }[];
  calls: CallWithTools[];
  /** Those that led to no call. */
  decisions: CallDecision[];
  /** Since when its call waits for a free line; null where none does. */
  queuedAt: Date | null;
  deliveries: (DeliveryRecord & { endpoint: NamedEndpoint })[];
  tasks: TaskRecord[];
}

export interface CaseFilter {
  recoveryStatus?: CaseState;
  /** Cases that are still worked on, or those that have ended. */
  open?: boolean;
  patientId?: string;
  /** What a patient is found by, or a part of a session id. */
  search?: string;
  /** Opened at this instant or later, and before `until`. */
  from?: string;
  until?: string;
  /** Whether the patient's phone rang in it, and whether a person answered. */
  called?: boolean;
  reached?: boolean;
  /** Why the patient stopped; case makes no difference. */
  barrier?: string;
  formName?: string;
  /** Opened on this weekday (1, Monday, to 7), and at this hour (0 to 23), by the clock of `zone`. */
  weekday?: number;
  hour?: number;
  zone?: string;
}

/** Recovery cases as staff read them. */
export interface CaseRecordStores {
  list(clinicId: string, filter: CaseFilter & { limit: number; cursor?: string }): Promise<PageOf<CaseWithPatient>>;
  count(clinicId: string, filter: CaseFilter): Promise<Total>;
  history(clinicId: string, caseId: string): Promise<CaseHistory | null>;
}

const run = {
  select: { attempts: true, workflowType: true, status: true, isSimulated: true, cancelledBy: true },
} as const;

export function createCaseRecordStores(database: Database, cursors: Cursors): CaseRecordStores {
  const { prisma } = database;
  return {
    async list(clinicId, { search, limit, cursor, ...filter }) {
      const after = cursors.decode(cursor, clinicId);
      if (isContradiction(filter)) return emptyPage;
      const rows: CaseWithPatient[] = [];
      for (let from = after; ;) {
        const searched = search
          ? await casesFound(database, clinicId, { ...filter, search, limit, after: from })
          : null;
        const found = searched?.ids ?? null;
        const chosen = await casesChosen(database, clinicId, { ...filter, found, limit, after: from });
        const page = await prisma.recoveryCase.findMany({
          where: { ...whereOf(clinicId, filter), ...(chosen ? { id: { in: chosen } } : olderThan('createdAt', from)) },
          orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
          take: limit + 1,
          include: { patient: personOnly, run },
        });
        rows.push(...page);
        const last = found?.at(-1);
        if (last === undefined || (found?.length ?? 0) <= limit || rows.length > limit) break;
        // What is found was looked for by words alone; the rest of the filter left too little of it.
        const { createdAt } = await prisma.recoveryCase.findFirstOrThrow({
          where: { clinicId, id: last },
          select: { createdAt: true },
        });
        from = { at: createdAt, id: last };
      }
      return cursors.page(clinicId, rows.slice(0, limit + 1), limit, ({ createdAt, id }) => ({ at: createdAt, id }));
    },

    async count(clinicId, { zone, ...filter }) {
      if (isContradiction(filter)) return noTotal;
      const { newest, countUpTo } = newestRows(prisma.recoveryCase, clinicId, 'createdAt');
      return boundedTotal(filter, {
        slow: ['called', 'reached', 'barrier', 'formName', 'weekday', 'hour'],
        newest,
        async count({ search, ...rest }) {
          const asked = { ...rest, zone, limit: MAX_COUNTED, after: null };
          const found = search ? await casesFound(database, clinicId, { ...asked, search, isCounted: true }) : null;
          const chosen = await casesChosen(database, clinicId, { ...asked, found: found?.ids ?? null });
          const count = chosen?.length ?? (await countUpTo(whereOf(clinicId, rest)));
          return { count, isCut: found?.isCut ?? false };
        },
      });
    },

    async history(clinicId, caseId) {
      const found = await prisma.recoveryCase.findFirst({
        where: { clinicId, id: caseId },
        include: {
          run,
          patient: { select: { ...personOnly.select, phone: true } },
          calls: { include: withTools, orderBy: { createdAt: 'asc' } },
        },
      });
      if (!found) return null;
      const { calls: rows, ...recoveryCase } = found;
      const [calls, events, sent, listed, decisions, ticket] = await Promise.all([
        withEarlierReasons(prisma, clinicId, rows),
        prisma.inboundEvent.findMany({
          where: { clinicId, event: { in: ['forms.abandoned', 'forms.completed'] }, dedupeKey: found.sessionId },
          orderBy: { receivedAt: 'asc' },
          select: { id: true, event: true, receivedAt: true },
        }),
        prisma.delivery.findMany({
          where: { clinicId, event: { subject: caseId } },
          orderBy: [{ event: { sequence: 'asc' } }, { endpointId: 'asc' }],
          include: { event: true, attempts: { orderBy: { at: 'asc' } } },
        }),
        prisma.staffTask.findMany({
          where: { clinicId, caseId },
          orderBy: { createdAt: 'asc' },
          include: { patient: withPhone },
        }),
        prisma.callDecision.findMany({
          where: { clinicId, workflowId: found.workflowId, callId: null },
          orderBy: { decidedAt: 'asc' },
        }),
        prisma.lineTicket.findFirst({ where: { clinicId, workflowId: found.workflowId, grantedAt: null } }),
      ]);
      const { barrier } = recoveryCase;
      const deliveries = await withEndpoints(database.sql, clinicId, sent);
      const noteCounts = await countNotes(database.sql, clinicId, listed);
      const tasks = listed.map((task) => ({ ...task, barrier, noteCount: noteCounts.get(task.id) ?? 0 }));
      return { recoveryCase, events, calls, deliveries, tasks, decisions, queuedAt: ticket?.createdAt ?? null };
    },
  };
}

/** Asked of the database, what contradicts itself is looked for in every case. */
const isContradiction = ({ open, recoveryStatus }: CaseFilter): boolean =>
  open !== undefined && recoveryStatus !== undefined && open === isTerminal(recoveryStatus);

const whereOf = (clinicId: string, { recoveryStatus, open, patientId }: CaseFilter) => ({
  clinicId,
  patientId,
  status: recoveryStatus,
  ...(open !== undefined && { endedAt: open ? null : { not: null } }),
});

/**
 * What remains of a page of cases by when they were opened and what their calls came to: of those that a search has found, or
 * of all. Where nothing of it is asked it is `found` itself.
 */
async function casesChosen(
  { sql }: Database,
  clinicId: string,
  { found, limit, after, ...filter }: CaseFilter & { found: string[] | null; limit: number; after: Position | null },
): Promise<string[] | null> {
  const { from = null, until = null, called = null, reached = null, barrier = null, formName = null } = filter;
  const { weekday = null, hour = null, zone = 'UTC' } = filter;
  const asked = [from, until, called, reached, barrier, formName, weekday, hour];
  if (asked.every((each) => each === null) || found?.length === 0) return found;
  const { recoveryStatus = null, open = null, patientId = null } = filter;
  const { at, id: lastId } = afterOf(after);
  const chosen = await sql<{ id: string }>`
    select c.id from recovery_cases c
    where c.clinic_id = ${clinicId} and (${found}::text[] is null or c.id = any(${found}))
      and c.created_at >= coalesce(${from}::timestamptz, '-infinity') and c.created_at < coalesce(${until}::timestamptz, 'infinity')
      and (c.created_at, c.id) < (coalesce(${at}::timestamptz, 'infinity'), coalesce(${lastId}::text, ''))
      and (c.status = ${recoveryStatus} or ${recoveryStatus}::text is null)
      and ((c.ended_at is null) = ${open} or ${open}::boolean is null)
      and (c.patient_id = ${patientId} or ${patientId}::text is null)
      and (c.form_name = ${formName} or ${formName}::text is null)
      and (extract(isodow from c.created_at at time zone ${zone}) = ${weekday} or ${weekday}::int is null)
      and (extract(hour from c.created_at at time zone ${zone}) = ${hour} or ${hour}::int is null)
      and (lower(c.barrier ->> 'primaryBarrier') = lower(${barrier}) or ${barrier}::text is null)
      and (${called}::boolean is null or ${called} = exists (
        select from calls k where k.workflow_id = c.workflow_id and not k.is_test
          and (k.rang_at is not null or k.started_at is not null)))
      and (${reached}::boolean is null or ${reached} = exists (
        select from calls k where k.workflow_id = c.workflow_id and not k.is_test
          and k.started_at is not null and k.said is distinct from 'voicemail'))
    order by c.created_at desc, c.id desc limit ${limit + 1}`;
  return chosen.map(({ id }) => id);
}

/** The ids of a page of cases, newest first, and of one more. */
function casesFound(
  database: Database,
  clinicId: string,
  { search, limit, isCounted, after, ...filter }: CaseFilter & Search & { after: Position | null },
): Promise<Found> {
  const { recoveryStatus = null, open = null, patientId = null } = filter;
  const { at, id } = afterOf(after);
  return searchedIn(
    database,
    { search, limit, isCounted },
    {
      byWords: (tx, { patterns, atMost }) => tx<{ matches: number; id: string | null }>`
        with people as materialized (select id from patients_matching(${clinicId}, ${patterns}, ${atMost}) id),
        sessions as materialized (select id from cases_of_session(${clinicId}, ${search}, ${atMost}) id)
        select (select count(*)::int from people) + (select count(*)::int from sessions) as matches, page.id
        from (select 1) one left join lateral (
          select c.id from (
            select c.* from people cross join lateral (
              select id, created_at, patient_id, status, ended_at from recovery_cases
              where clinic_id = ${clinicId} and patient_id = people.id offset 0) c
            union
            select c.* from sessions cross join lateral (
              select id, created_at, patient_id, status, ended_at from recovery_cases
              where clinic_id = ${clinicId} and id = sessions.id offset 0) c
          ) c
          where (select count(*) from people) + (select count(*) from sessions) < ${atMost}
            and (c.status = ${recoveryStatus} or ${recoveryStatus}::text is null)
            and ((c.ended_at is null) = ${open} or ${open}::boolean is null)
            and (c.patient_id = ${patientId} or ${patientId}::text is null)
            and (c.created_at, c.id) < (coalesce(${at}::timestamptz, 'infinity'), coalesce(${id}::text, ''))
          order by c.created_at desc, c.id desc limit ${limit + 1}
        ) page on true`,
      amongNewest: (tx, { patterns, atMost }) => tx<{ id: string }>`
        select c.id from (
          select id, created_at, patient_id, session_id from recovery_cases
          where clinic_id = ${clinicId} and (status = ${recoveryStatus} or ${recoveryStatus}::text is null)
            and ((ended_at is null) = ${open} or ${open}::boolean is null)
            and (patient_id = ${patientId} or ${patientId}::text is null)
            and (created_at, id) < (coalesce(${at}::timestamptz, 'infinity'), coalesce(${id}::text, ''))
          order by created_at desc, id desc limit ${atMost}
        ) c
        cross join lateral (
          select search_text from patients where clinic_id = ${clinicId} and id = c.patient_id offset 0
        ) p
        where (p.search_text like all (${patterns}::text[]) and ${patterns}::text[] <> '{}')
          or position(lower(${search}) in lower(c.session_id)) > 0
        order by c.created_at desc, c.id desc limit ${limit + 1}`,
    },
  );
}

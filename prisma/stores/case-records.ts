import type { CaseState } from '@clinic/shared/domain/case-state';
import type { Database } from '../client';
import type { CallDecision, Prisma, RecoveryCase, WorkflowRun } from '../generated/client';
import { type CallWithTools, type PersonRecord, personOnly, withEarlierReasons, withTools } from './call-records';
import { type Cursors, olderThan, type PageOf, type Position } from './cursor';
import type { DeliveryRecord } from './deliveries';
import { afterOf, searched } from './search';
import { type TaskRecord, withPhone } from './tasks';

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
  deliveries: DeliveryRecord[];
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
}

/** Recovery cases as staff read them. */
export interface CaseRecordStores {
  list(clinicId: string, filter: CaseFilter & { limit: number; cursor?: string }): Promise<PageOf<CaseWithPatient>>;
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
      const where = await chosenBy(database, clinicId, filter);
      const rows: CaseWithPatient[] = [];
      for (let from = after; ;) {
        const found = search ? await casesFound(database, clinicId, { ...filter, search, limit, after: from }) : null;
        const page = await prisma.recoveryCase.findMany({
          where: { AND: [where, found ? { id: { in: found } } : olderThan('createdAt', from)] },
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
      const [calls, events, deliveries, listed, decisions, ticket] = await Promise.all([
        withEarlierReasons(prisma, clinicId, rows),
        prisma.inboundEvent.findMany({
          where: { clinicId, event: { in: ['forms.abandoned', 'forms.completed'] }, dedupeKey: found.sessionId },
          orderBy: { receivedAt: 'asc' },
          select: { id: true, event: true, receivedAt: true },
        }),
        prisma.delivery.findMany({
          where: { clinicId, event: { subject: caseId } },
          orderBy: { event: { sequence: 'asc' } },
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
      const tasks = listed.map((task) => ({ ...task, barrier }));
      return { recoveryCase, events, calls, deliveries, tasks, decisions, queuedAt: ticket?.createdAt ?? null };
    },
  };
}

/** All of a filter but its search. */
async function chosenBy(
  { sql }: Database,
  clinicId: string,
  { recoveryStatus, open, patientId, from, until, called, reached, barrier, formName }: CaseFilter,
): Promise<Prisma.RecoveryCaseWhereInput> {
  // A barrier is in the words of its call: one is the same as another that differs in case alone.
  const spellings =
    barrier === undefined
      ? []
      : await sql<{ spelling: string | null }>`
          select distinct barrier ->> 'primaryBarrier' as spelling from recovery_cases
          where clinic_id = ${clinicId} and created_at >= coalesce(${from ?? null}::timestamptz, '-infinity')
            and created_at < coalesce(${until ?? null}::timestamptz, 'infinity')
            and lower(barrier ->> 'primaryBarrier') = lower(${barrier}) limit 100`;
  const some = (is: boolean, calls: Prisma.CallWhereInput): Prisma.RecoveryCaseWhereInput => {
    const each = { isTest: false, ...calls };
    return { run: { calls: is ? { some: each } : { none: each } } };
  };
  return {
    clinicId,
    patientId,
    status: recoveryStatus,
    formName,
    createdAt: { gte: from, lt: until },
    ...(open !== undefined && { endedAt: open ? null : { not: null } }),
    ...(barrier !== undefined && {
      OR: spellings.map(({ spelling }) => ({ barrier: { path: ['primaryBarrier'], equals: spelling ?? '' } })),
    }),
    AND: [
      called === undefined ? {} : some(called, { OR: [{ rangAt: { not: null } }, { startedAt: { not: null } }] }),
      reached === undefined
        ? {}
        : some(reached, { startedAt: { not: null }, OR: [{ said: null }, { said: { not: 'voicemail' } }] }),
    ],
  };
}

/** The ids of a page of cases, newest first, and of one more. */
function casesFound(
  database: Database,
  clinicId: string,
  { search, limit, after, ...filter }: CaseFilter & { search: string; limit: number; after: Position | null },
): Promise<string[]> {
  const { recoveryStatus = null, open = null, patientId = null } = filter;
  const { at, id } = afterOf(after);
  return searched(
    database,
    { search, limit },
    {
      byWords: (tx, { patterns, atMost }) => tx<{ matches: number; id: string | null }>`
        with people as materialized (select id from patients_matching(${clinicId}, ${patterns}, ${atMost}) id),
        sessions as materialized (select id from cases_of_session(${clinicId}, ${search}, ${atMost}) id)
        select (select count(*)::int from people) + (select count(*)::int from sessions) as matches, page.id
        from (select 1) one left join lateral (
          select c.id from (
            select c.id, c.created_at, c.patient_id, c.status, c.ended_at
            from people join recovery_cases c on c.clinic_id = ${clinicId} and c.patient_id = people.id
            union
            select c.id, c.created_at, c.patient_id, c.status, c.ended_at
            from sessions join recovery_cases c on c.clinic_id = ${clinicId} and c.id = sessions.id
          ) c
          where (c.status = ${recoveryStatus} or ${recoveryStatus}::text is null)
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
        join patients p on p.clinic_id = ${clinicId} and p.id = c.patient_id
        where (p.search_text like all (${patterns}::text[]) and ${patterns}::text[] <> '{}')
          or position(lower(${search}) in lower(c.session_id)) > 0
        order by c.created_at desc, c.id desc limit ${limit + 1}`,
    },
  );
}

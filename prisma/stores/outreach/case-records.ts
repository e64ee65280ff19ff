import type { TimeOrder } from '@clinic/shared/domain/list-order';
import { type CaseState, isTerminal } from '@clinic/shared/domain/outreach/case-state';
import { bound } from '../../bound';
import type { Database } from '../../client';
import type { CallDecision, RecoveryCase, WorkflowRun } from '../../generated/client';
import { type CallWithTools, type PersonRecord, personOnly, withEarlierReasons, withTools } from './call-records';
import { allOf, type Condition, condition } from '../../sql';
import { between, byTime, type Cursors, cursorsIn, inOrderOf, type PageOf } from '../cursor';
import { type DeliveryRecord, type NamedEndpoint, withEndpoints } from '../events/deliveries';
import { type Found, nothingFound, type Page, searchedIn } from '../search';
import { taskPerson, type TaskRecord, withCounts } from '../tasks/tasks';
import { boundedTotal, countUpTo, MAX_COUNTED, newestRows, type Total } from '../total';
import { answered, clockOf, isLost, isVisitAfter, NO_VISIT, rang } from './case-facts';
import { stillInLine } from './lines';

export type CaseWithPatient = RecoveryCase & {
  patient: PersonRecord & { phone: string | null };
  run: Pick<WorkflowRun, 'attempts' | 'workflowType' | 'status' | 'isSimulated' | 'cancelledBy'>;
};

/** A case with everything that happened to it, each in order of time. */
export interface CaseHistory {
  recoveryCase: CaseWithPatient;
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
  /** Ended without a recovery, and not finished by the patient alone. */
  lost?: boolean;
  /** Played by the simulator. */
  simulated?: boolean;
  /** Of the visit that a recovered patient booked; `none` where there is none. */
  providerName?: string;
  visitType?: string;
  /** A person first answered at this hour. */
  hourReached?: number;
}

const run = {
  select: { attempts: true, workflowType: true, status: true, isSimulated: true, cancelledBy: true },
} as const;

const personWithPhone = { select: { ...personOnly.select, phone: true } } as const;

interface Context {
  database: Database;
  cursors: Cursors;
}

/** Recovery cases as staff read them. */
export const createCaseRecordStores = (database: Database, cursors: Cursors) =>
  bound({ database, cursors }, { list, count: countCases, history });

async function list(
  { database, cursors }: Context,
  clinicId: string,
  { limit, cursor, order = 'newest', ...filter }: CaseFilter & { limit: number; cursor?: string; order?: TimeOrder },
): Promise<PageOf<CaseWithPatient>> {
  const ofOrder = cursorsIn(order, cursors);
  const position = ofOrder.decode(cursor, clinicId);
  const { ids } = await chosen(database, clinicId, filter, { limit, position, order });
  const rows = await database.prisma.recoveryCase.findMany({
    where: { clinicId, id: { in: ids } },
    include: { patient: personWithPhone, run },
  });
  return ofOrder.page(clinicId, inOrderOf(ids, rows), limit, ({ createdAt, id }) => ({ at: createdAt, id }));
}

async function countCases({ database }: Context, clinicId: string, { zone, ...filter }: CaseFilter): Promise<Total> {
  const { newest } = newestRows(database.prisma.recoveryCase, clinicId, 'createdAt');
  return boundedTotal(filter, {
    slow: [...slowFilters],
    newest,
    count: (asked) =>
      countUpTo(chosen(database, clinicId, { ...asked, zone }, { limit: MAX_COUNTED, isCounted: true })),
  });
}

async function history(
  { database, database: { prisma } }: Context,
  clinicId: string,
  caseId: string,
): Promise<CaseHistory | null> {
  const found = await prisma.recoveryCase.findFirst({
    where: { clinicId, id: caseId },
    include: {
      run,
      patient: personWithPhone,
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
      orderBy: [{ event: { sequence: 'asc' } }, { receiver: { isFirst: 'desc' } }, { receiverId: 'asc' }],
      include: { event: true, attempts: { orderBy: { at: 'asc' } } },
    }),
    prisma.staffTask.findMany({
      where: { clinicId, caseId },
      orderBy: { createdAt: 'asc' },
      include: { patient: taskPerson },
    }),
    prisma.callDecision.findMany({
      where: { clinicId, workflowId: found.workflowId, callId: null },
      orderBy: { decidedAt: 'asc' },
    }),
    prisma.lineTicket.findFirst({
      where: { clinicId, workflowId: found.workflowId, grantedAt: null, ...stillInLine() },
    }),
  ]);
  const { barrier } = recoveryCase;
  const deliveries = await withEndpoints(database.sql, clinicId, sent);
  const tasks = (await withCounts(database.sql, clinicId, listed)).map((task) => ({ ...task, barrier }));
  return { recoveryCase, events, calls, deliveries, tasks, decisions, queuedAt: ticket?.createdAt ?? null };
}

/** The ids of a page of cases, in an order, and of one more. */
async function chosen(
  database: Database,
  clinicId: string,
  filter: CaseFilter,
  { limit, position = null, order = 'newest', isCounted }: Page & { order?: TimeOrder },
): Promise<Found> {
  const { search } = filter;
  // Asked of the database, what contradicts itself is looked for in every case.
  if (filter.open !== undefined && filter.recoveryStatus && filter.open === isTerminal(filter.recoveryStatus)) {
    return nothingFound;
  }
  const { by, after } = byTime[order];
  const own = allOf(ownColumns(filter), position !== null && after(position));
  const came = whatItCameTo(filter);
  if (search === undefined) {
    const rows = await database.sql<{ id: string }>`
      select c.id from recovery_cases c where c.clinic_id = ${clinicId} and ${own} and ${came}
      order by ${by} limit ${limit + 1}`;
    return { ids: rows.map(({ id }) => id), isCut: false };
  }
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
              select * from recovery_cases where clinic_id = ${clinicId} and patient_id = people.id offset 0) c
            union
            select c.* from sessions cross join lateral (
              select * from recovery_cases where clinic_id = ${clinicId} and id = sessions.id offset 0) c
          ) c
          where (select count(*) from people) + (select count(*) from sessions) < ${atMost} and ${own} and ${came}
          order by ${by} limit ${limit + 1}
        ) page on true`,
      amongFirst: (tx, { patterns, atMost }) => tx<{ id: string }>`
        select c.id from (
          select * from recovery_cases c where c.clinic_id = ${clinicId} and ${own}
          order by ${by} limit ${atMost}
        ) c
        cross join lateral (
          select search_text from patients where clinic_id = ${clinicId} and id = c.patient_id offset 0
        ) p
        where ((p.search_text like all (${patterns}::text[]) and ${patterns}::text[] <> '{}')
          or position(lower(${search}) in lower(c.session_id)) > 0) and ${came}
        order by ${by} limit ${limit + 1}`,
    },
  );
}

/** By what an index begins with, of a case `c`. */
const ownColumns = ({ recoveryStatus, open, patientId, ...span }: CaseFilter): Condition =>
  allOf(
    between(span),
    recoveryStatus !== undefined && condition`c.status = ${recoveryStatus}`,
    open !== undefined && (open ? condition`c.ended_at is null` : condition`c.ended_at is not null`),
    patientId !== undefined && condition`c.patient_id = ${patientId}`,
  );

/** What no index begins with. */
const slowFilters = [
  'called',
  'reached',
  'barrier',
  'formName',
  'weekday',
  'hour',
  'lost',
  'simulated',
  'providerName',
  'visitType',
  'hourReached',
] as const;

/** By when a case `c` was opened on the clock, why the patient stopped, and what its calls came to. */
const whatItCameTo = ({ zone = 'UTC', ...asked }: CaseFilter): Condition => {
  // Asked for by few lists: what a zone has known for years takes a while to find.
  const onClock = (instant: Condition): Condition => {
    const { since, seconds } = clockOf({ ...asked, zone });
    return condition`on_clock(${instant}, ${since}, ${seconds})`;
  };
  const { formName, weekday, hour, barrier, called, reached, lost, simulated, hourReached } = asked;
  return allOf(
    formName !== undefined && condition`c.form_name = ${formName}`,
    weekday !== undefined && condition`extract(isodow from ${onClock(OPENED_AT)}) = ${weekday}`,
    hour !== undefined && condition`extract(hour from ${onClock(OPENED_AT)}) = ${hour}`,
    barrier !== undefined && condition`lower(c.barrier ->> 'primaryBarrier') = lower(${barrier})`,
    called !== undefined && condition`${called} = exists (${callsOf} and ${rang})`,
    reached !== undefined && condition`${reached} = exists (${callsOf} and ${answered})`,
    hourReached !== undefined &&
      condition`${hourReached} = (
        select extract(hour from ${onClock(FIRST_ANSWER)}) from (${callsOf} and ${answered}) k)`,
    lost !== undefined && condition`${lost} = ${isLost}`,
    simulated !== undefined &&
      condition`${simulated} = (select r.is_simulated from workflow_runs r where r.clinic_id = c.clinic_id and r.id = c.workflow_id)`,
    ...visitConditions(asked),
  );
};

const OPENED_AT = condition`c.created_at`;
const FIRST_ANSWER = condition`min(k.started_at)`;
const callsOf = condition`
  select k.started_at from calls k where k.clinic_id = c.clinic_id and k.workflow_id = c.workflow_id and not k.is_test`;

const visitConditions = ({ providerName, visitType }: CaseFilter) => [
  providerName !== undefined &&
    condition`c.status = 'RECOVERED' and ${providerName} = coalesce((
      select p.name from (select a.provider_id, a.visit_type from appointments a where ${isVisitAfter} order by a.created_at, a.id limit 1) visit join providers p on p.clinic_id = c.clinic_id and p.id = visit.provider_id), ${NO_VISIT})`,
  visitType !== undefined &&
    condition`c.status = 'RECOVERED' and ${visitType} = coalesce((select visit.visit_type from (select a.provider_id, a.visit_type from appointments a where ${isVisitAfter} order by a.created_at, a.id limit 1) visit), ${NO_VISIT})`,
];

import type { CallingPolicy } from '@clinic/shared/domain/calling-policy';
import type { WorkflowType } from '@clinic/shared/domain/workflow-types';
import type { WorkflowStatus } from '@clinic/shared/contracts/workflows';
import { newId } from '@clinic/shared/crypto';
import type { Database } from '../client';
import type { RecoveryCase, WorkflowRun } from '../generated/client';
import { type Cursors, olderThan, type PageOf } from './cursor';
import { createRunOpeners, type RunOpeners } from './run-openers';

/** What a workflow REST client sees of a run, and what the relay needs to start it. */
export interface Run {
  workflowId: string;
  clinicId: string;
  workflowType: WorkflowType;
  sessionId: string;
  patientId: string | null;
  status: WorkflowStatus;
  outcome: string | null;
  attempts: number;
  startedAt: Date;
  dispatchedAt: Date | null;
  completedAt: Date | null;
  recoveryCaseId: string | null;
}

/** What decides whether and when the patient of a run may be called. */
export interface RunFacts {
  phone: string | null;
  clinicZone: string;
  isOptedOut: boolean;
  policy: CallingPolicy;
  openedAt: string;
  /** Every call placed to this phone by this clinic within seven days, whatever it was about. */
  previousCallsAt: string[];
  /** The appointment the run is about: as it stands in our records, else as its event told. */
  appointment: { status: string; startsAt: string | null } | null;
  /** The patient has booked or moved an upcoming appointment since the run was opened. */
  hasBookedSince: boolean;
  /** The patient's own call, when it is what the run came from. */
  inboundCallId: string | null;
}

export interface RunStores extends RunOpeners {
  find(clinicId: string, workflowId: string): Promise<Run | null>;
  list(
    clinicId: string,
    filter: { status?: WorkflowStatus; workflowType?: WorkflowType; limit: number; cursor?: string },
  ): Promise<PageOf<Run>>;
  /** Runs that were stored but never reached Temporal, oldest first. */
  undispatched(olderThanMs: number, limit: number): Promise<Run[]>;
  markDispatched(workflowIds: string[]): Promise<void>;
  /** Has the relay start a run again that Temporal no longer knows. */
  markLost(workflowId: string): Promise<void>;
  /** Started runs that Temporal should know: what the reconciler compares. */
  openSince(before: Date, limit: number, afterId: string): Promise<Run[]>;
  /** Null for an unknown run. */
  facts(clinicId: string, workflowId: string): Promise<RunFacts | null>;
  /**
   * Ends a run: its result, the completed event (a recovery case has its own) and the staff task, in one statement.
   * Safe to run twice; a run that has ended stays as it is.
   */
  finish(input: {
    clinicId: string;
    workflowId: string;
    status: Exclude<WorkflowStatus, 'started'>;
    outcome: string;
    taskReason: string | null;
  }): Promise<void>;
}

export function createRunStores(database: Database, cursors: Cursors): RunStores {
  const { sql, prisma } = database;
  return {
    ...createRunOpeners(database),

    async find(clinicId, workflowId) {
      const [run] = await sql<Run>`
        select r.id as "workflowId", r.clinic_id as "clinicId", r.workflow_type as "workflowType", r.session_id as "sessionId",
          r.patient_id as "patientId", r.status, r.outcome, r.attempts, r.started_at as "startedAt",
          r.dispatched_at as "dispatchedAt", r.completed_at as "completedAt", c.id as "recoveryCaseId"
        from workflow_runs r left join recovery_cases c on c.clinic_id = r.clinic_id and c.workflow_id = r.id
        where r.clinic_id = ${clinicId} and r.id = ${workflowId}`;
      return run ?? null;
    },

    async list(clinicId, { status, workflowType, limit, cursor }) {
      const rows = await prisma.workflowRun.findMany({
        where: { clinicId, status, workflowType, ...olderThan('startedAt', cursors.decode(cursor, clinicId)) },
        orderBy: [{ startedAt: 'desc' }, { id: 'desc' }],
        take: limit + 1,
        include: withCase,
      });
      const page = cursors.page(clinicId, rows, limit, ({ startedAt, id }) => ({ at: startedAt, id }));
      return { ...page, items: page.items.map(toRun) };
    },

    async undispatched(olderThanMs, limit) {
      const rows = await prisma.workflowRun.findMany({
        where: { dispatchedAt: null, status: 'started', startedAt: { lte: new Date(Date.now() - olderThanMs) } },
        orderBy: { startedAt: 'asc' },
        take: limit,
        include: withCase,
      });
      return rows.map(toRun);
    },

    async markDispatched(workflowIds) {
      await sql`update workflow_runs set dispatched_at = now() where id = any(${workflowIds}) and dispatched_at is null`;
    },

    async markLost(workflowId) {
      await sql`update workflow_runs set dispatched_at = null where id = ${workflowId} and status = 'started'`;
    },

    async openSince(before, limit, afterId) {
      const rows = await prisma.workflowRun.findMany({
        where: { status: 'started', dispatchedAt: { not: null }, startedAt: { lt: before }, id: { gt: afterId } },
        orderBy: { id: 'asc' },
        take: limit,
        include: withCase,
      });
      return rows.map(toRun);
    },

    async facts(clinicId, workflowId) {
      const [facts] = await sql<Omit<RunFacts, 'openedAt' | 'appointment'> & Row>`
        select f.phone, f.clinic_zone as "clinicZone", f.is_opted_out as "isOptedOut", f.policy,
          f.previous_calls_at as "previousCallsAt", r.started_at as "openedAt", r.context -> 'appointment' as told,
          a.status as "appointmentStatus", a.starts_at as "appointmentStartsAt",
          exists (select 1 from appointments b where b.clinic_id = r.clinic_id and b.patient_id = r.patient_id
            and b.status = 'booked' and b.starts_at > now() and b.updated_at > r.started_at) as "hasBookedSince",
          (select k.id from calls k where k.clinic_id = r.clinic_id and k.workflow_id = r.id
            and k.direction = 'inbound' and not k.is_test limit 1) as "inboundCallId"
        from workflow_runs r
        join calling_facts f on f.clinic_id = r.clinic_id and f.patient_id = r.patient_id
        left join lateral (
          select status, starts_at from appointments
          where clinic_id = r.clinic_id and (id = r.context #>> '{appointment,appointmentId}'
            or external_id = r.context #>> '{appointment,appointmentId}')
          limit 1
        ) a on true
        where r.clinic_id = ${clinicId} and r.id = ${workflowId}`;
      if (!facts) return null;
      const { told, appointmentStatus, appointmentStartsAt, openedAt, ...rest } = facts;
      const appointment = appointmentStatus
        ? { status: appointmentStatus, startsAt: appointmentStartsAt?.toISOString() ?? null }
        : told && { status: 'booked', startsAt: told.startsAt ?? null };
      return { ...rest, openedAt: openedAt.toISOString(), appointment };
    },

    async finish({ clinicId, workflowId, status, outcome, taskReason }) {
      await sql`
        with ended as (
          update workflow_runs set status = ${status}, outcome = ${outcome}, completed_at = now()
          where clinic_id = ${clinicId} and id = ${workflowId} and status = 'started'
          returning id, workflow_type, session_id, patient_id
        ), told as (
          insert into outbound_events (id, clinic_id, event, subject, data)
          select ${newId()}, ${clinicId}, 'workflow.completed', id, jsonb_build_object(
            'workflowId', id, 'workflowType', workflow_type, 'sessionId', session_id, 'outcome', ${outcome}::text)
          from ended where workflow_type <> 'abandonment-recovery'
        )
        insert into staff_tasks (id, clinic_id, reason, cause, patient_id, workflow_id)
        select ${newId()}, ${clinicId}, ${taskReason}, ${taskReason}::text || ':' || id, patient_id, id
        from ended where ${taskReason}::text is not null
        on conflict (clinic_id, cause) do nothing`;
    },
  };
}

interface Row {
  openedAt: Date;
  told: { startsAt?: string } | null;
  appointmentStatus: string | null;
  appointmentStartsAt: Date | null;
}

const withCase = { case: { select: { id: true } } } as const;

const toRun = ({ id, case: recoveryCase, ...row }: WorkflowRun & { case: Pick<RecoveryCase, 'id'> | null }): Run => ({
  ...row,
  workflowId: id,
  workflowType: row.workflowType as WorkflowType,
  status: row.status as WorkflowStatus,
  recoveryCaseId: recoveryCase?.id ?? null,
});

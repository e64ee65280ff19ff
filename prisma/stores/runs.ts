import type { WorkflowType } from '@clinic/shared/domain/workflow-types';
import type { WorkflowStatus } from '@clinic/shared/contracts/workflows';
import { newId } from '@clinic/shared/crypto';
import type { Database } from '../client';
import type { RecoveryCase, WorkflowRun } from '../generated/client';
import { type Cursors, olderThan, type PageOf } from './cursor';

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

export interface NewPatient {
  firstName: string;
  lastName: string;
  /** E.164, or null when none was given or it could not be read. */
  phone: string | null;
  email?: string | null;
}

export interface FormProgress {
  formId?: string;
  formName?: string;
  lastPageReached?: number;
  totalPages?: number;
  completionPercentage?: number;
  abandonedAt?: string;
  abandonedAtCheckout?: boolean;
  resumeUrl?: string;
  selectedProducts?: unknown[];
}

export interface OpenedRun {
  workflowId: string;
  recoveryCaseId: string | null;
  patientId: string | null;
  /** True when this very call made the run. */
  isNew: boolean;
}

export interface RunStores {
  /**
   * Opens the recovery of a form or checkout session, once for ever: the inbound event (where there is one), the
   * patient, the run, the case and the created event appear together, in one statement, or not at all.
   */
  openRecovery(input: {
    clinicId: string;
    sessionId: string;
    patient: NewPatient;
    form: FormProgress;
    /** The event as received; absent for a REST start. */
    inbound?: { payload: unknown };
    /** Opens a staff task beside the case: a phone was given but could not be read. */
    hasUnreadablePhone?: boolean;
  }): Promise<OpenedRun & { isDuplicateEvent: boolean }>;
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
  finish(input: {
    clinicId: string;
    workflowId: string;
    status: Exclude<WorkflowStatus, 'started'>;
    outcome: string | null;
  }): Promise<void>;
}

export function createRunStores({ sql, prisma }: Database, cursors: Cursors): RunStores {
  const openRecovery: RunStores['openRecovery'] = async (input) => {
    const { clinicId, sessionId, patient, form } = input;
    const ids = {
      event: newId(),
      patient: newId(),
      run: newId('abandonment-recovery'),
      case: newId(),
      outbound: newId(),
    };
    const created = {
      recoveryCaseId: ids.case,
      sessionId,
      patientFirstName: patient.firstName,
      patientLastName: patient.lastName,
    };
    const [row] = await sql<{ isNewEvent: boolean; patientId: string | null }>`
      with event as (
        insert into inbound_events (id, clinic_id, event, dedupe_key, payload, workflow_id)
        select ${ids.event}, ${clinicId}, 'forms.abandoned', ${sessionId}, ${JSON.stringify(input.inbound?.payload ?? {})}::jsonb, ${ids.run}
        where ${input.inbound !== undefined}::boolean
        on conflict (clinic_id, event, dedupe_key) do nothing
        returning id
      ), known as (
        select id from patients
        where clinic_id = ${clinicId} and phone = ${patient.phone}
          and lower(first_name) = lower(${patient.firstName}) and lower(last_name) = lower(${patient.lastName})
        order by is_placeholder, created_at limit 1
      ), run as (
        insert into workflow_runs (id, clinic_id, workflow_type, session_id, patient_id)
        select ${ids.run}, ${clinicId}, 'abandonment-recovery', ${sessionId}, coalesce((select id from known), ${ids.patient})
        where ${input.inbound === undefined}::boolean or exists (select 1 from event)
        on conflict (clinic_id, workflow_type, session_id) do nothing
        returning id, patient_id
      ), patient as (
        insert into patients (id, clinic_id, first_name, last_name, phone, email, is_placeholder)
        select ${ids.patient}, ${clinicId}, ${patient.firstName}, ${patient.lastName}, ${patient.phone}, ${patient.email ?? null}, true
        from run where not exists (select 1 from known)
      ), opened as (
        insert into recovery_cases (id, clinic_id, session_id, workflow_id, patient_id, form_id, form_name, last_page_reached,
          total_pages, completion_percentage, abandoned_at, abandoned_at_checkout, resume_url, selected_products)
        select ${ids.case}, ${clinicId}, ${sessionId}, run.id, run.patient_id, ${form.formId ?? null}, ${form.formName ?? null},
          ${form.lastPageReached ?? null}, ${form.totalPages ?? null}, ${form.completionPercentage ?? null},
          ${form.abandonedAt ?? null}, ${form.abandonedAtCheckout ?? null}, ${form.resumeUrl ?? null},
          ${form.selectedProducts ? JSON.stringify(form.selectedProducts) : null}::jsonb
        from run
        returning patient_id
      ), task as (
        insert into staff_tasks (id, clinic_id, reason, cause, patient_id, case_id, workflow_id)
        select ${newId()}, ${clinicId}, 'unreadable_phone', ${`unreadable_phone:${ids.case}`}, opened.patient_id, ${ids.case}, ${ids.run}
        from opened where ${input.hasUnreadablePhone ?? false}::boolean
      ), told as (
        insert into outbound_events (id, clinic_id, event, subject, data)
        select ${ids.outbound}, ${clinicId}, 'recovery_case.created', ${ids.case}, ${JSON.stringify(created)}::jsonb
        from run
      )
      select exists (select 1 from event) as "isNewEvent", (select patient_id from run) as "patientId"`;
    const isDuplicateEvent = input.inbound !== undefined && !row?.isNewEvent;
    if (row?.patientId) {
      const { patientId } = row;
      return { workflowId: ids.run, recoveryCaseId: ids.case, patientId, isNew: true, isDuplicateEvent };
    }
    const existing = await findBySession(clinicId, 'abandonment-recovery', sessionId);
    return { ...existing, isNew: false, isDuplicateEvent };
  };

  const findBySession = async (clinicId: string, workflowType: WorkflowType, sessionId: string) => {
    const [run] = await sql<Omit<OpenedRun, 'isNew'>>`
      select r.id as "workflowId", c.id as "recoveryCaseId", r.patient_id as "patientId"
      from workflow_runs r left join recovery_cases c on c.clinic_id = r.clinic_id and c.workflow_id = r.id
      where r.clinic_id = ${clinicId} and r.workflow_type = ${workflowType} and r.session_id = ${sessionId}`;
    if (!run) throw new Error('a run that conflicts must exist');
    return run;
  };

  return {
    openRecovery,

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

    async finish({ clinicId, workflowId, status, outcome }) {
      await sql`
        update workflow_runs set status = ${status}, outcome = ${outcome}, completed_at = now()
        where clinic_id = ${clinicId} and id = ${workflowId} and status = 'started'`;
    },
  };
}

const withCase = { case: { select: { id: true } } } as const;

const toRun = ({ id, case: recoveryCase, ...row }: WorkflowRun & { case: Pick<RecoveryCase, 'id'> | null }): Run => ({
  ...row,
  workflowId: id,
  workflowType: row.workflowType as WorkflowType,
  status: row.status as WorkflowStatus,
  recoveryCaseId: recoveryCase?.id ?? null,
});

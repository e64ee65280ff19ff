import type { RunContext } from '@clinic/shared/contracts/run-context';
import type { WorkflowType } from '@clinic/shared/domain/workflow-types';
import { newId } from '@clinic/shared/crypto';
import type { Database } from '../client';

export interface NewPatient {
  firstName: string;
  lastName: string;
  /** E.164, or null when none was given or it could not be read. */
  phone: string | null;
  email?: string | null;
  /** The clinic's word for a patient we may know, by our id or the platform's own. */
  patientId?: string | null;
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
  isDuplicateEvent: boolean;
}

interface Opening {
  clinicId: string;
  /** What the run is unique by: the session of a form, the id of an event. */
  sessionId: string;
  patient: NewPatient;
  /** Opens a staff task beside the run: a phone was given but could not be read. */
  hasUnreadablePhone?: boolean;
}

export interface RunOpeners {
  /**
   * Opens the recovery of a form or checkout session, once for ever: the inbound event (where there is one), the
   * patient, the run, the case and the created event appear together, in one statement, or not at all.
   */
  openRecovery(
    input: Opening & {
      form: FormProgress;
      /** The event as received; absent for a REST start. */
      inbound?: { payload: unknown };
    },
  ): Promise<OpenedRun>;
  /** Opens a run of any other type, likewise: the event, the patient and the run together or not at all. */
  openRun(
    input: Opening & {
      workflowType: Exclude<WorkflowType, 'abandonment-recovery'>;
      context?: RunContext;
      inbound?: { event: string; payload: unknown };
    },
  ): Promise<OpenedRun>;
}

/** How a run comes to be: each in one statement, because a platform waits for the answer. */
export function createRunOpeners({ sql }: Database): RunOpeners {
  /** The run an event led to when it came first, else the one of its session. */
  const findOpened = async ({ clinicId, workflowType, sessionId, event }: Opened) => {
    const [run] = await sql<Pick<OpenedRun, 'workflowId' | 'recoveryCaseId' | 'patientId'>>`
      select r.id as "workflowId", c.id as "recoveryCaseId", r.patient_id as "patientId"
      from (
        select workflow_id as id, 1 as rank from inbound_events
        where clinic_id = ${clinicId} and event = ${event} and dedupe_key = ${sessionId}
        union all
        select id, 2 from workflow_runs
        where clinic_id = ${clinicId} and workflow_type = ${workflowType} and session_id = ${sessionId}
      ) found
      join workflow_runs r on r.clinic_id = ${clinicId} and r.id = found.id
      left join recovery_cases c on c.clinic_id = r.clinic_id and c.workflow_id = r.id
      order by found.rank limit 1`;
    if (!run) throw new Error('a run that conflicts must exist');
    return run;
  };

  return {
    async openRecovery(input) {
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
      const workflowType = 'abandonment-recovery';
      const existing = await findOpened({ clinicId, sessionId, workflowType, event: 'forms.abandoned' });
      return { ...existing, isNew: false, isDuplicateEvent };
    },

    async openRun({ clinicId, sessionId, patient, workflowType, inbound, ...input }) {
      const ids = { event: newId(), patient: newId(), run: newId(workflowType) };
      const event = inbound?.event ?? '';
      const [row] = await sql<{ isNewEvent: boolean; patientId: string | null }>`
        with event as (
          insert into inbound_events (id, clinic_id, event, dedupe_key, payload, workflow_id)
          select ${ids.event}, ${clinicId}, ${event}, ${sessionId}, ${JSON.stringify(inbound?.payload ?? {})}::jsonb,
            coalesce((select id from workflow_runs where clinic_id = ${clinicId} and workflow_type = ${workflowType}
              and session_id = ${sessionId}), ${ids.run})
          where ${inbound !== undefined}::boolean
          on conflict (clinic_id, event, dedupe_key) do nothing
          returning id
        ), known as (
          select id, phone from (
            select id, phone, 1 as rank, is_placeholder, created_at from patients
            where clinic_id = ${clinicId} and id = ${patient.patientId ?? null}
            union all
            select id, phone, 2, is_placeholder, created_at from patients
            where clinic_id = ${clinicId} and external_id = ${patient.patientId ?? null}
            union all
            select id, phone, 3, is_placeholder, created_at from patients
            where clinic_id = ${clinicId} and phone = ${patient.phone}
              and lower(first_name) = lower(${patient.firstName}) and lower(last_name) = lower(${patient.lastName})
          ) candidates
          order by rank, is_placeholder, created_at limit 1
        ), run as (
          insert into workflow_runs (id, clinic_id, workflow_type, session_id, patient_id, context)
          select ${ids.run}, ${clinicId}, ${workflowType}, ${sessionId}, coalesce((select id from known), ${ids.patient}),
            ${JSON.stringify(input.context ?? {})}::jsonb
          where ${inbound === undefined}::boolean or exists (select 1 from event)
          on conflict (clinic_id, workflow_type, session_id) do nothing
          returning id, patient_id
        ), patient as (
          insert into patients (id, clinic_id, first_name, last_name, phone, email, external_id, is_placeholder)
          select ${ids.patient}, ${clinicId}, ${patient.firstName}, ${patient.lastName}, ${patient.phone}, ${patient.email ?? null},
            ${patient.patientId ?? null}, true
          from run where not exists (select 1 from known)
        ), reachable as (
          update patients p set phone = ${patient.phone} from run, known
          where p.clinic_id = ${clinicId} and p.id = known.id and known.phone is null and ${patient.phone}::text is not null
        ), task as (
          insert into staff_tasks (id, clinic_id, reason, cause, patient_id, workflow_id)
          select ${newId()}, ${clinicId}, 'unreadable_phone', ${`unreadable_phone:${ids.run}`}, run.patient_id, run.id
          from run where ${input.hasUnreadablePhone ?? false}::boolean
        )
        select exists (select 1 from event) as "isNewEvent", (select patient_id from run) as "patientId"`;
      const isDuplicateEvent = inbound !== undefined && !row?.isNewEvent;
      if (row?.patientId) {
        const { patientId } = row;
        return { workflowId: ids.run, recoveryCaseId: null, patientId, isNew: true, isDuplicateEvent };
      }
      const existing = await findOpened({ clinicId, sessionId, workflowType, event });
      return { ...existing, isNew: false, isDuplicateEvent };
    },
  };
}

interface Opened {
  clinicId: string;
  sessionId: string;
  workflowType: WorkflowType;
  event: string;
}

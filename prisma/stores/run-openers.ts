import type { OutboundEvent } from '@clinic/shared/contracts/outbound-events';
import type { RunContext } from '@clinic/shared/contracts/run-context';
import type { Consent } from '@clinic/shared/domain/consent';
import type { TaskReason } from '@clinic/shared/domain/task';
import type { WorkflowType } from '@clinic/shared/domain/workflow-types';
import { derivedId, newId } from '@clinic/shared/crypto';
import type { Database } from '../client';
import type { ErasedKeys } from '../erased-keys';
import { sqlState } from '../sql';
import { eventIdOf } from './deliveries';

export interface NewPatient {
  firstName: string;
  lastName: string;
  /** E.164, or null when none was given or it could not be read. */
  phone: string | null;
  email?: string | null;
  /** The clinic's word for a patient we may know, by our id or the platform's own. */
  patientId?: string | null;
  consent?: Consent | null;
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
  /** Of a recovery; null for every other type. */
  caseId: string | null;
  patientId: string | null;
  /** True when this very call made the run. */
  isNew: boolean;
  isDuplicateEvent: boolean;
  /** What the session had opened was erased, and nothing is opened again. */
  isErased?: boolean;
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
   * patient, the run, the case and the created event appear together or not at all.
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

/** SQLSTATE of a row that refers to one that is not there. */
const FOREIGN_KEY = '23503';

export function createRunOpeners({ sql }: Database, erasedKeys: ErasedKeys): RunOpeners {
  const salts = new Map<string, string>();
  /** The salt of a clinic, which never changes; null for a clinic that does not exist. */
  const saltOf = async (clinicId: string): Promise<string | null> => {
    const known = salts.get(clinicId);
    if (known !== undefined) return known;
    const [clinic] = await sql<{ salt: string }>`select id_salt as salt from clinics where id = ${clinicId}`;
    if (clinic) salts.set(clinicId, clinic.salt);
    return clinic?.salt ?? null;
  };

  /**
   * The ids of what a session opens are derived from it: an event that is sent again after a restore of the records leads to
   * the workflow, the case and the outcome that it led to before.
   */
  const idsOf = async ({
    clinicId,
    sessionId,
    workflowType,
  }: Pick<Opening, 'clinicId' | 'sessionId'> & { workflowType: WorkflowType }) => {
    const salt = await saltOf(clinicId);
    const idOf = (what: string) => (salt === null ? newId() : derivedId(what, salt, clinicId, workflowType, sessionId));
    return { event: newId(), patient: idOf('patient'), run: `${workflowType}-${idOf('run')}`, case: idOf('case') };
  };

  /**
   * Opens a run of any type in one statement, because a platform waits for the answer: `openTask` and `emit` would take
   * five round trips. Each part takes its rows from `run`, which is empty for a run that exists.
   */
  const open = async (
    input: Opening & {
      workflowType: WorkflowType;
      /** Of a recovery alone, which has a case and tells the clinic of it. */
      form: FormProgress | null;
      context: RunContext;
      inbound: { event: string; payload: unknown } | null;
    },
  ): Promise<OpenedRun> => {
    const { clinicId, sessionId, workflowType, patient, form, context, inbound } = input;
    const ids = await idsOf(input);
    const isRecovery = form !== null;
    const consent = patient.consent ? JSON.stringify(patient.consent) : null;
    const subject = isRecovery ? ids.case : ids.run;
    const unreadable: TaskReason = 'unreadable_phone';
    const created: OutboundEvent = {
      event: 'recovery_case.created',
      data: {
        recoveryCaseId: ids.case,
        sessionId,
        patientFirstName: patient.firstName,
        patientLastName: patient.lastName,
      },
    };
    // `run` refers to a patient, and `opened` to a run and a patient, that are inserted by other parts of the same
    // statement, in no certain order. Foreign keys are checked at its end, when all the rows are there.
    const [row] = await sql<{ isNewEvent: boolean; patientId: string | null }>`
      with erased as (
        select key from tombstones
        where clinic_id = ${clinicId} and (
          (kind = 'session' and key = any(${erasedKeys.ofSession(clinicId, workflowType, sessionId)}))
          or (kind = 'event' and key = any(${erasedKeys.ofEvent(clinicId, inbound?.event ?? '', sessionId)})))
      ), event as (
        insert into inbound_events (id, clinic_id, event, dedupe_key, payload, workflow_id)
        select ${ids.event}, ${clinicId}, ${inbound?.event ?? ''}, ${sessionId}, ${JSON.stringify(inbound?.payload ?? {})}::jsonb,
          coalesce((select id from workflow_runs where clinic_id = ${clinicId} and workflow_type = ${workflowType}
            and session_id = ${sessionId}), ${ids.run})
        where ${inbound !== null}::boolean and not exists (select 1 from erased)
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
        insert into workflow_runs (id, clinic_id, workflow_type, session_id, patient_id, context, is_simulated)
        select ${ids.run}, ${clinicId}, ${workflowType}, ${sessionId}, coalesce((select id from known), ${ids.patient}),
          ${JSON.stringify(context)}::jsonb,
          exists (select 1 from clinics where id = ${clinicId} and voice_provider = 'simulator')
        where (${inbound === null}::boolean or exists (select 1 from event)) and not exists (select 1 from erased)
        on conflict (clinic_id, workflow_type, session_id) do nothing
        returning id, patient_id
      ), patient as (
        insert into patients (id, clinic_id, first_name, last_name, phone, email, external_id, consent, is_placeholder)
        select ${ids.patient}, ${clinicId}, ${patient.firstName}, ${patient.lastName}, ${patient.phone}, ${patient.email ?? null},
          ${patient.patientId ?? null}, ${consent}::jsonb, true
        from run where not exists (select 1 from known)
      ), told_anew as (
        update patients p set phone = coalesce(p.phone, ${patient.phone}), consent = coalesce(${consent}::jsonb, p.consent)
        from run, known
        where p.clinic_id = ${clinicId} and p.id = known.id
          and ((known.phone is null and ${patient.phone}::text is not null) or ${consent}::jsonb is not null)
      ), opened as (
        insert into recovery_cases (id, clinic_id, session_id, workflow_id, patient_id, form_id, form_name, last_page_reached,
          total_pages, completion_percentage, abandoned_at, abandoned_at_checkout, resume_url, selected_products,
          form_completed_at)
        select ${ids.case}, ${clinicId}, ${sessionId}, run.id, run.patient_id, ${form?.formId ?? null}, ${form?.formName ?? null},
          ${form?.lastPageReached ?? null}, ${form?.totalPages ?? null}, ${form?.completionPercentage ?? null},
          ${form?.abandonedAt ?? null}, ${form?.abandonedAtCheckout ?? null}, ${form?.resumeUrl ?? null},
          ${form?.selectedProducts ? JSON.stringify(form.selectedProducts) : null}::jsonb,
          form_completed_at(${clinicId}, ${sessionId})
        from run where ${isRecovery}::boolean
      ), told as (
        insert into outbound_events (id, clinic_id, event, subject, data)
        select ${eventIdOf({ clinicId, event: created.event, subject })}, ${clinicId}, ${created.event}, ${subject}, ${JSON.stringify(created.data)}::jsonb
        from run where ${isRecovery}::boolean
      ), task as (
        insert into staff_tasks (id, clinic_id, reason, cause, patient_id, case_id, workflow_id)
        select ${newId()}, ${clinicId}, ${unreadable}, ${`${unreadable}:${subject}`}, run.patient_id,
          ${isRecovery ? ids.case : null}, run.id
        from run where ${input.hasUnreadablePhone ?? false}::boolean
      )
      select exists (select 1 from event) as "isNewEvent", (select patient_id from run) as "patientId"`;

    const isDuplicateEvent = inbound !== null && !row?.isNewEvent;
    if (!row?.patientId) return { ...(await findOpened(input)), isNew: false, isDuplicateEvent };
    return {
      workflowId: ids.run,
      caseId: isRecovery ? ids.case : null,
      patientId: row.patientId,
      isNew: true,
      isDuplicateEvent,
    };
  };

  /** The run that the event led to when it came first, else the one of its session. */
  const findOpened = async ({
    clinicId,
    workflowType,
    sessionId,
    inbound,
  }: Pick<Opening, 'clinicId' | 'sessionId'> & {
    workflowType: WorkflowType;
    inbound: { event: string } | null;
  }): Promise<Omit<OpenedRun, 'isNew' | 'isDuplicateEvent'>> => {
    const [run] = await sql<Pick<OpenedRun, 'workflowId' | 'caseId' | 'patientId'>>`
      select r.id as "workflowId", c.id as "caseId", r.patient_id as "patientId"
      from (
        select workflow_id as id, 1 as rank from inbound_events
        where clinic_id = ${clinicId} and event = ${inbound?.event ?? ''} and dedupe_key = ${sessionId}
        union all
        select id, 2 from workflow_runs
        where clinic_id = ${clinicId} and workflow_type = ${workflowType} and session_id = ${sessionId}
      ) found
      join workflow_runs r on r.clinic_id = ${clinicId} and r.id = found.id
      left join recovery_cases c on c.clinic_id = r.clinic_id and c.workflow_id = r.id
      order by found.rank limit 1`;
    if (run) return run;
    const [erased] = await sql<{ workflowId: string | null }>`
      select workflow_id as "workflowId" from tombstones
      where clinic_id = ${clinicId} and (
        (kind = 'event' and key = any(${erasedKeys.ofEvent(clinicId, inbound?.event ?? '', sessionId)}))
        or (kind = 'session' and key = any(${erasedKeys.ofSession(clinicId, workflowType, sessionId)})))
      order by kind limit 1`;
    if (!erased?.workflowId) throw new Error('a run that conflicts must exist');
    return { workflowId: erased.workflowId, caseId: null, patientId: null, isErased: true };
  };

  /** A patient who was erased in this very moment is not found when it is looked for again. */
  const openAgain: typeof open = (input) =>
    open(input).catch((error: unknown) => {
      if (sqlState(error) !== FOREIGN_KEY) throw error;
      return open(input);
    });

  return {
    openRecovery: ({ inbound, ...input }) =>
      openAgain({
        ...input,
        workflowType: 'abandonment-recovery',
        context: {},
        inbound: inbound ? { event: 'forms.abandoned', payload: inbound.payload } : null,
      }),

    openRun: ({ context = {}, inbound = null, ...input }) => openAgain({ ...input, context, inbound, form: null }),
  };
}

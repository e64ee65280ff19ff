import type { OutboundEvent } from '@clinic/shared/contracts/events/outbound-events';
import type { RunContext } from '@clinic/shared/contracts/outreach/run-context';
import type { Consent } from '@clinic/shared/domain/patients/consent';
import type { TaskReason } from '@clinic/shared/domain/tasks/task';
import type { WorkflowType } from '@clinic/shared/domain/outreach/workflow-types';
import { derivedId, newId } from '@clinic/shared/crypto';
import { bound } from '../../bound';
import type { Database } from '../../client';
import type { ErasedKeys } from '../patients/erased-keys';
import { FOREIGN_KEY, sqlState } from '../../sql';
import { eventIdOf } from '../events/deliveries';
import type { Arrival, Intake } from '../events/intake';

export interface NewPatient {
  firstName: string;
  lastName: string;
  /** E.164, or null when none was given or it could not be read. */
  phone: string | null;
  email?: string | null;
  /** YYYY-MM-DD. It goes on file where none is, and of a form only with a patient who is new. */
  dateOfBirth?: string | null;
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

export const createRunOpeners = (database: Database, erasedKeys: ErasedKeys, intake: Intake) =>
  bound(contextOf(database, erasedKeys, intake), { openRecovery, openRun });

export type RunOpeners = ReturnType<typeof createRunOpeners>;

function contextOf({ sql }: Database, erasedKeys: ErasedKeys, intake: Intake) {
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
   * Opens a run of any type in one statement, together with what else arrives, because a platform waits for the answer: `openTask`
   * and `emit` would take five round trips.
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
    const subject = isRecovery ? ids.case : ids.run;
    const reason: TaskReason = 'unreadable_phone';
    const created: OutboundEvent = {
      event: 'recovery_case.created',
      data: {
        recoveryCaseId: ids.case,
        sessionId,
        patientFirstName: patient.firstName,
        patientLastName: patient.lastName,
      },
    };
    const arrival: Arrival = {
      kind: 'opening',
      clinicId,
      sessionId,
      erasedKeys: [
        ...erasedKeys.ofSession(clinicId, workflowType, sessionId),
        ...erasedKeys.ofEvent(clinicId, inbound?.event ?? '', sessionId),
      ],
      workflowType,
      workflowId: ids.run,
      context,
      patient: { ...patient, id: ids.patient },
      event: inbound ? { id: ids.event, name: inbound.event, payload: inbound.payload } : undefined,
      form: form
        ? {
            ...form,
            ...created,
            caseId: ids.case,
            eventId: eventIdOf({ clinicId, event: created.event, subject }),
          }
        : undefined,
      unreadable: input.hasUnreadablePhone ? { id: newId(), reason, cause: `${reason}:${subject}` } : undefined,
    };
    const { isNewEvent, patientId } = await intake(arrival).catch((error: unknown) => {
      // A patient who was erased in this very moment is not found when it is looked for again.
      if (sqlState(error) !== FOREIGN_KEY) throw error;
      return intake(arrival);
    });

    const isDuplicateEvent = inbound !== null && !isNewEvent;
    if (!patientId) {
      const { eventId, ...found } = await findOpened(input);
      // It is ours where it was stored before the answer was lost, and then again.
      return { ...found, isNew: false, isDuplicateEvent: isDuplicateEvent && eventId !== ids.event };
    }
    return { workflowId: ids.run, caseId: isRecovery ? ids.case : null, patientId, isNew: true, isDuplicateEvent };
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
  }): Promise<Omit<OpenedRun, 'isNew' | 'isDuplicateEvent'> & { eventId: string | null }> => {
    const [run] = await sql<Pick<OpenedRun, 'workflowId' | 'caseId' | 'patientId'> & { eventId: string | null }>`
      select r.id as "workflowId", c.id as "caseId", r.patient_id as "patientId", found.event_id as "eventId"
      from (
        select workflow_id as id, 1 as rank, id as event_id from inbound_events
        where clinic_id = ${clinicId} and event = ${inbound?.event ?? ''} and dedupe_key = ${sessionId}
        union all
        select id, 2, null from workflow_runs
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
    return { workflowId: erased.workflowId, caseId: null, patientId: null, eventId: null, isErased: true };
  };

  return { open };
}

type Context = ReturnType<typeof contextOf>;

/**
 * Opens the recovery of a form or checkout session, once for ever: the inbound event (where there is one), the
 * patient, the run, the case and the created event appear together or not at all.
 */
const openRecovery = (
  { open }: Context,
  {
    inbound,
    ...input
  }: Opening & {
    form: FormProgress;
    /** The event as received; absent for a REST start. */
    inbound?: { payload: unknown };
  },
): Promise<OpenedRun> =>
  open({
    ...input,
    workflowType: 'abandonment-recovery',
    context: {},
    inbound: inbound ? { event: 'forms.abandoned', payload: inbound.payload } : null,
  });

/** Opens a run of any other type, likewise: the event, the patient and the run together or not at all. */
const openRun = (
  { open }: Context,
  {
    context = {},
    inbound,
    ...input
  }: Opening & {
    workflowType: Exclude<WorkflowType, 'abandonment-recovery'>;
    context?: RunContext;
    inbound?: { event: string; payload: unknown };
  },
): Promise<OpenedRun> => open({ ...input, context, inbound: inbound ?? null, form: null });

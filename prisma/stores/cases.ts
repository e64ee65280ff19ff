import type { Barrier, Resolution } from '@clinic/shared/contracts/recovery';
import type { RecoveryStatus, CallingPolicy } from '@clinic/shared/domain/calling-policy';
import { newId } from '@clinic/shared/crypto';
import type { Database } from '../client';
import type { RecoveryCase } from '../generated/client';
import { type Cursors, olderThan, type PageOf } from './cursor';

/** What decides whether and when a case's patient may be called. */
export interface CaseFacts {
  sessionId: string;
  status: string;
  phone: string | null;
  clinicZone: string;
  isFormCompleted: boolean;
  isOptedOut: boolean;
  policy: CallingPolicy;
  openedAt: string;
  patientId: string;
  /** Every call placed to this phone by this clinic within seven days, whatever it was about. */
  previousCallsAt: string[];
  /** The clinic permits its own API to be asked how far the form has come. */
  hasProgressApi: boolean;
}

export type CaseRecord = RecoveryCase;

export interface CaseEnding {
  clinicId: string;
  caseId: string;
  workflowId: string;
  status: RecoveryStatus;
  runStatus: 'completed' | 'cancelled' | 'failed';
  /** What the agent said of it, where it was the agent's word. */
  resolution: Resolution | null;
  /** Why staff get a task; null for none. */
  taskReason: string | null;
}

export interface CaseStores {
  facts(clinicId: string, caseId: string): Promise<CaseFacts | null>;
  find(clinicId: string, caseId: string): Promise<CaseRecord | null>;
  list(
    clinicId: string,
    filter: { status?: string; search?: string; limit: number; cursor?: string },
  ): Promise<PageOf<CaseRecord>>;
  /** How far the form or checkout has come, by what webhooks reported. Null for an unknown case. */
  progress(
    clinicId: string,
    caseId: string,
  ): Promise<{
    sessionId: string;
    formId: string | null;
    completionPercentage: number;
    isFormCompleted: boolean;
    isCheckoutCompleted: boolean;
  } | null>;
  /** The case that is CALLING for a patient right now, with its workflow; null when there is none. */
  calling(clinicId: string, patientId: string): Promise<{ caseId: string; workflowId: string } | null>;
  /** Moves between the two open states. Does nothing to a case that has ended. */
  setOpenStatus(input: { clinicId: string; caseId: string; status: 'PENDING' | 'CALLING' }): Promise<void>;
  saveBarrier(input: { clinicId: string; caseId: string; barrier: Barrier }): Promise<void>;
  /**
   * Ends a case: its terminal status, the run's result, the outcome event and the staff task of an escalation, in one
   * transaction. Safe to run twice; a case that has ended stays as it is.
   */
  end(ending: CaseEnding): Promise<void>;
}

export function createCaseStores({ sql, transaction, prisma }: Database, cursors: Cursors): CaseStores {
  return {
    async facts(clinicId, caseId) {
      const [facts] = await sql<Omit<CaseFacts, 'openedAt'> & { openedAt: Date }>`
        select rc.session_id as "sessionId", rc.status, rc.patient_id as "patientId", rc.created_at as "openedAt",
          f.phone, f.clinic_zone as "clinicZone", f.is_opted_out as "isOptedOut", f.policy,
          f.previous_calls_at as "previousCallsAt",
          exists (select 1 from inbound_events e where e.clinic_id = rc.clinic_id
            and e.event = 'forms.completed' and e.dedupe_key = rc.session_id) as "isFormCompleted",
          exists (select 1 from approved_apis a where a.clinic_id = rc.clinic_id
            and a.actions ? 'form.progress') as "hasProgressApi"
        from recovery_cases rc
        join calling_facts f on f.clinic_id = rc.clinic_id and f.patient_id = rc.patient_id
        where rc.clinic_id = ${clinicId} and rc.id = ${caseId}`;
      return facts ? { ...facts, openedAt: facts.openedAt.toISOString() } : null;
    },

    find: (clinicId, caseId) => prisma.recoveryCase.findFirst({ where: { clinicId, id: caseId } }),

    async list(clinicId, { status, search, limit, cursor }) {
      const rows = await prisma.recoveryCase.findMany({
        where: {
          clinicId,
          status,
          ...(search && { sessionId: { contains: search, mode: 'insensitive' } }),
          ...olderThan('createdAt', cursors.decode(cursor, clinicId)),
        },
        orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
        take: limit + 1,
      });
      return cursors.page(clinicId, rows, limit, ({ createdAt, id }) => ({ at: createdAt, id }));
    },

    async progress(clinicId, caseId) {
      const [found] = await sql<{
        sessionId: string;
        formId: string | null;
        percentage: number | null;
        isCompleted: boolean;
        atCheckout: boolean | null;
      }>`
        select session_id as "sessionId", form_id as "formId", completion_percentage as percentage,
          form_completed_at is not null as "isCompleted", abandoned_at_checkout as "atCheckout"
        from recovery_cases where clinic_id = ${clinicId} and id = ${caseId}`;
      if (!found) return null;
      return {
        sessionId: found.sessionId,
        formId: found.formId,
        completionPercentage: found.isCompleted ? 100 : (found.percentage ?? 0),
        // Leaving at the checkout means that the form itself was done.
        isFormCompleted: found.isCompleted || found.atCheckout === true,
        isCheckoutCompleted: found.isCompleted,
      };
    },

    async calling(clinicId, patientId) {
      const [found] = await sql<{ caseId: string; workflowId: string }>`
        select id as "caseId", workflow_id as "workflowId" from recovery_cases
        where clinic_id = ${clinicId} and patient_id = ${patientId} and status = 'CALLING'
        order by created_at desc limit 1`;
      return found ?? null;
    },

    async setOpenStatus({ clinicId, caseId, status }) {
      await sql`
        update recovery_cases set status = ${status}
        where clinic_id = ${clinicId} and id = ${caseId} and status in ('PENDING', 'CALLING') and status <> ${status}`;
    },

    async saveBarrier({ clinicId, caseId, barrier }) {
      await sql`
        update recovery_cases set barrier = ${JSON.stringify(barrier)}::jsonb
        where clinic_id = ${clinicId} and id = ${caseId}`;
    },

    async end({ clinicId, caseId, workflowId, status, runStatus, resolution, taskReason }) {
      await transaction(async (tx) => {
        const [ended] = await tx<{ sessionId: string; patientId: string }>`
          update recovery_cases
          set status = ${status}, ended_at = now(), resolution = ${resolution ? JSON.stringify(resolution) : null}::jsonb
          where clinic_id = ${clinicId} and id = ${caseId} and status in ('PENDING', 'CALLING')
          returning session_id as "sessionId", patient_id as "patientId"`;
        if (!ended) return;
        await tx`
          update workflow_runs set status = ${runStatus}, outcome = ${status}, completed_at = now()
          where clinic_id = ${clinicId} and id = ${workflowId} and status = 'started'`;
        const data = { recoveryCaseId: caseId, sessionId: ended.sessionId, recoveryStatus: status };
        await tx`
          insert into outbound_events (id, clinic_id, event, subject, data)
          values (${newId()}, ${clinicId}, 'recovery_case.outcome', ${caseId}, ${JSON.stringify(data)}::jsonb)`;
        if (taskReason) {
          await tx`
            insert into staff_tasks (id, clinic_id, reason, cause, patient_id, case_id, workflow_id)
            values (${newId()}, ${clinicId}, ${taskReason}, ${`${taskReason}:${caseId}`}, ${ended.patientId}, ${caseId}, ${workflowId})
            on conflict (clinic_id, cause) do nothing`;
        }
      });
    },
  };
}

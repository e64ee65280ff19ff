import type { Barrier, Resolution } from '@clinic/shared/contracts/outreach/recovery';
import type { OpenCaseState } from '@clinic/shared/domain/outreach/case-state';
import { taskFor } from '@clinic/shared/domain/outreach/workflow-types';
import { bound } from '../../bound';
import type { Database } from '../../client';
import type { RecoveryCase } from '../../generated/client';
import { tell } from './messages';
import { endRun } from './runs';

export type CaseRecord = RecoveryCase;

/** How the agent has resolved a case in a call. */
export interface CaseDecision {
  /** The same whenever the request is repeated. */
  id: string;
  clinicId: string;
  caseId: string;
  workflowId: string;
  callId: string;
  resolution: Resolution;
}

export const createCaseStores = (database: Database) =>
  bound(database, { find, progress, calling, setOpenStatus, saveBarrier, storeDecision });

const find = ({ prisma }: Database, clinicId: string, caseId: string): Promise<CaseRecord | null> =>
  prisma.recoveryCase.findFirst({ where: { clinicId, id: caseId } });

/**
 * How far the form or checkout has come, by what webhooks reported, also of a case that was opened over REST before its event came.
 * Null for an unknown case.
 */
async function progress(
  { sql }: Database,
  clinicId: string,
  caseId: string,
): Promise<{
  sessionId: string;
  formId: string | null;
  completionPercentage: number;
  isFormCompleted: boolean;
  isCheckoutCompleted: boolean;
} | null> {
  const [found] = await sql<{
    sessionId: string;
    formId: string | null;
    percentage: number | null;
    isCompleted: boolean;
    atCheckout: boolean | null;
  }>`
    select c.session_id as "sessionId", c.form_completed_at is not null as "isCompleted",
      coalesce(c.form_id, e.payload #>> '{data,form_id}') as "formId",
      coalesce(c.completion_percentage, (e.payload #>> '{data,completion_percentage}')::double precision) as percentage,
      coalesce(c.abandoned_at_checkout, (e.payload #>> '{data,abandoned_at_checkout}')::boolean) as "atCheckout"
    from recovery_cases c
    left join inbound_events e on e.clinic_id = c.clinic_id and e.event = 'forms.abandoned' and e.dedupe_key = c.session_id
    where c.clinic_id = ${clinicId} and c.id = ${caseId}`;
  if (!found) return null;
  return {
    sessionId: found.sessionId,
    formId: found.formId,
    completionPercentage: found.isCompleted ? 100 : (found.percentage ?? 0),
    // Leaving at the checkout means that the form itself was done.
    isFormCompleted: found.isCompleted || found.atCheckout === true,
    isCheckoutCompleted: found.isCompleted,
  };
}

/** The case that is CALLING for a patient right now, with its workflow; null when there is none. */
async function calling(
  { sql }: Database,
  clinicId: string,
  patientId: string,
): Promise<{ caseId: string; workflowId: string } | null> {
  const [found] = await sql<{ caseId: string; workflowId: string }>`
    select id as "caseId", workflow_id as "workflowId" from recovery_cases
    where clinic_id = ${clinicId} and patient_id = ${patientId} and status = 'CALLING'
    order by created_at desc limit 1`;
  return found ?? null;
}

/** Moves between the two open states. Does nothing to a case that has ended. */
async function setOpenStatus(
  { sql }: Database,
  { clinicId, caseId, status }: { clinicId: string; caseId: string; status: OpenCaseState },
): Promise<void> {
  await sql`
    update recovery_cases set status = ${status}
    where clinic_id = ${clinicId} and id = ${caseId} and status in ('PENDING', 'CALLING') and status <> ${status}`;
}

/**
 * Stores how the agent has resolved a case and ends its run with it, with the message for its workflow, which then sends what
 * the clinic is told. Returns the id of the message; null where the case is not CALLING, or was resolved by another request.
 * Safe to repeat by its id.
 */
const storeDecision = (
  { transaction }: Database,
  { id, clinicId, caseId, workflowId, callId, resolution }: CaseDecision,
): Promise<string | null> =>
  transaction(async (tx) => {
    const [decided] = await tx<{ id: string }>`
      update recovery_cases set decision = coalesce(decision, ${JSON.stringify({ id, resolution })}::jsonb)
      where clinic_id = ${clinicId} and id = ${caseId} and (decision ->> 'id' = ${id} or (decision is null and status = 'CALLING'))
      returning id`;
    if (!decided) return null;
    const outcome = resolution.recoveryStatus;
    const taskReason = taskFor(outcome, []);
    // The workflow's own end has the same time: what the clinic was told can be told again, word for word, from either.
    const endedAt = new Date().toISOString();
    await endRun(tx, { clinicId, workflowId, status: 'completed', outcome, taskReason, resolution, endedAt });
    const messageId = `decision-${caseId}`;
    const payload = { callId, resolution, endedAt };
    await tell(tx, { id: messageId, clinicId, workflowId, signal: 'outcomeResolved', payload });
    return messageId;
  });

/**
 * Why the patient stopped, which may be said again and again. False where the case is not CALLING, unless the same was on
 * record by then.
 */
async function saveBarrier(
  { sql }: Database,
  { clinicId, caseId, barrier }: { clinicId: string; caseId: string; barrier: Barrier },
): Promise<boolean> {
  const [saved] = await sql<{ id: string }>`
    update recovery_cases set barrier = ${JSON.stringify(barrier)}::jsonb
    where clinic_id = ${clinicId} and id = ${caseId} and (status = 'CALLING' or barrier = ${JSON.stringify(barrier)}::jsonb)
    returning id`;
  return saved !== undefined;
}

import { newId } from '@clinic/shared/crypto';
import type { WorkflowType } from '@clinic/shared/domain/outreach/workflow-types';
import type { Database } from '../../client';
import { endOfCall, tell } from './messages';

const TRIALS_IN_TEN_MINUTES = 3;

/** Ends test calls on cases that were left open for an hour, and has their workflows told. */
export async function expireTestCalls({ transaction }: Database): Promise<void> {
  await transaction(async (tx) => {
    const reason = 'expired';
    const expired = await tx<{ callId: string; clinicId: string; workflowId: string | null }>`
      update calls set state = 'ENDED', ended_at = now(), ended_reason = ${reason}
      where is_test and (workflow_id is not null or direction = 'outbound') and state <> 'ENDED'
        and created_at < now() - interval '1 hour'
      returning id as "callId", clinic_id as "clinicId", workflow_id as "workflowId"`;
    for (const { workflowId, ...call } of expired) {
      if (workflowId !== null)
        await tell(tx, endOfCall({ ...call, workflowId, reason, wasAnswered: true, isTest: true }));
    }
  });
}

/** Ends an open test call without a phone, and has its workflow told. False when the clinic has no such call. */
export const closeTestCall = ({ transaction }: Database, clinicId: string, callId: string): Promise<boolean> =>
  transaction(async (tx) => {
    const reason = 'closed';
    const [closed] = await tx<{ workflowId: string | null }>`
      update calls set state = 'ENDED', ended_at = now(), ended_reason = ${reason}
      where clinic_id = ${clinicId} and id = ${callId} and is_test and direction = 'inbound' and state <> 'ENDED'
      returning workflow_id as "workflowId"`;
    const { workflowId = null } = closed ?? {};
    if (workflowId !== null)
      await tell(tx, endOfCall({ callId, clinicId, workflowId, reason, wasAnswered: true, isTest: true }));
    return closed !== undefined;
  });

export async function openTestCall(
  { sql }: Database,
  {
    clinicId,
    workflowType,
    patientId,
    workflowId,
    caseId,
  }: {
    clinicId: string;
    workflowType: WorkflowType | null;
    patientId: string;
    workflowId: string | null;
    caseId: string | null;
  },
): Promise<string> {
  const callId = newId();
  await sql`
    insert into calls (id, clinic_id, patient_id, workflow_type, workflow_id, case_id, direction, is_test, state, platform_call_id, started_at)
    values (${callId}, ${clinicId}, ${patientId}, ${workflowType}, ${workflowId}, ${caseId}, 'inbound', true, 'IN_PROGRESS', ${callId}, now())`;
  return callId;
}

/**
 * Writes the intent to ring a number of the clinic's own people, as a test call. Returns its id; null where the clinic
 * has had its three of ten minutes.
 */
export const openTrialCall = (
  { transaction }: Database,
  {
    callId = newId(),
    clinicId,
    workflowType,
    patientId,
    phone,
    account,
  }: {
    callId?: string;
    clinicId: string;
    workflowType: WorkflowType;
    patientId: string;
    phone: string;
    /** At which it is about to be placed. */
    account: string;
  },
): Promise<string | null> =>
  transaction(async (tx) => {
    await tx`select pg_advisory_xact_lock(hashtextextended(${`trials:${clinicId}`}, 0))`;
    const [trials] = await tx<{ count: number }>`
      select count(*)::int as count from calls
      where clinic_id = ${clinicId} and is_test and direction = 'outbound' and created_at > now() - interval '10 minutes'`;
    if ((trials?.count ?? 0) >= TRIALS_IN_TEN_MINUTES) return null;
    await tx`
      insert into calls (id, clinic_id, patient_id, workflow_type, direction, is_test, state, phone, requested_at, requests, requested_account)
      values (${callId}, ${clinicId}, ${patientId}, ${workflowType}, 'outbound', true, 'QUEUED', ${phone}, now(), 1, ${account})`;
    return callId;
  });

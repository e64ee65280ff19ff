import { newId } from '@clinic/shared/crypto';
import { bound } from '../../bound';
import type { Database } from '../../client';
import type { ErasedKeys } from '../patients/erased-keys';
import { tell } from '../outreach/messages';

interface Context {
  database: Database;
  erasedKeys: ErasedKeys;
}

export const createInboundEventStores = (database: Database, erasedKeys: ErasedKeys) =>
  bound({ database, erasedKeys }, { formCompleted });

/**
 * Remembers that a session's form was completed, once for ever. When a case was opened for it, the case and the message
 * for its workflow are written in the same transaction; a case that opens later finds the event by itself. Nothing is stored of a session that was
 * erased.
 */
const formCompleted = (
  { database: { transaction }, erasedKeys }: Context,
  {
    clinicId,
    sessionId,
    payload,
  }: {
    clinicId: string;
    sessionId: string;
    payload: unknown;
  },
): Promise<{ isDuplicate: boolean; workflowId: string | null; caseId: string | null; messageId: string | null }> =>
  transaction(async (tx) => {
    // The statements after it see the case that was opened, and the erasure that was committed, while it waited.
    await tx`select lock_session(${clinicId}, ${sessionId})::text`;
    const [erased] = await tx`
      select key from tombstones
      where clinic_id = ${clinicId} and (
        (kind = 'session' and key = any(${erasedKeys.ofSession(clinicId, 'abandonment-recovery', sessionId)}))
        or (kind = 'event' and key = any(${erasedKeys.ofEvent(clinicId, 'forms.completed', sessionId)})))
      limit 1`;
    if (erased) return { isDuplicate: true, workflowId: null, caseId: null, messageId: null };

    const [event] = await tx`
      insert into inbound_events (id, clinic_id, event, dedupe_key, payload)
      values (${newId()}, ${clinicId}, 'forms.completed', ${sessionId}, ${JSON.stringify(payload)}::jsonb)
      on conflict (clinic_id, event, dedupe_key) do nothing
      returning id`;
    const [found] = await tx<{ workflowId: string; caseId: string }>`
      update recovery_cases set form_completed_at = coalesce(form_completed_at, now())
      where clinic_id = ${clinicId} and session_id = ${sessionId}
      returning workflow_id as "workflowId", id as "caseId"`;
    const isDuplicate = event === undefined;
    if (!found) return { isDuplicate, workflowId: null, caseId: null, messageId: null };

    const { workflowId, caseId } = found;
    const messageId = `form-completed-${caseId}`;
    await tell(tx, { id: messageId, clinicId, workflowId, signal: 'formCompleted', payload: {} });
    return { isDuplicate, workflowId, caseId, messageId };
  });

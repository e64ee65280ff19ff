import { newId } from '@clinic/shared/crypto';
import type { Database } from '../client';

export interface InboundEventStores {
  /**
   * Remembers that a session's form was completed, once for ever. When a case is open for it, the message its workflow
   * must hear is stored in the same transaction. A case that opens later finds the event by itself.
   */
  formCompleted(input: {
    clinicId: string;
    sessionId: string;
    payload: unknown;
  }): Promise<{ isDuplicate: boolean; workflowId: string | null; recoveryCaseId: string | null }>;
}

export function createInboundEventStores({ sql, transaction }: Database): InboundEventStores {
  return {
    async formCompleted({ clinicId, sessionId, payload }) {
      const [event] = await sql`
        insert into inbound_events (id, clinic_id, event, dedupe_key, payload)
        values (${newId()}, ${clinicId}, 'forms.completed', ${sessionId}, ${JSON.stringify(payload)}::jsonb)
        on conflict (clinic_id, event, dedupe_key) do nothing
        returning id`;
      // Looked up after the event is committed: a case opened meanwhile either shows here or has seen the event.
      // Done for a duplicate too, so that a first answer cut short is made good by the sender's retry.
      return transaction(async (tx) => {
        const [found] = await tx<{ workflowId: string; recoveryCaseId: string }>`
          update recovery_cases set form_completed_at = coalesce(form_completed_at, now())
          where clinic_id = ${clinicId} and session_id = ${sessionId}
          returning workflow_id as "workflowId", id as "recoveryCaseId"`;
        if (found) {
          await tx`
            insert into workflow_messages (id, clinic_id, workflow_id, signal, payload)
            values (${`form-completed-${found.recoveryCaseId}`}, ${clinicId}, ${found.workflowId}, 'formCompleted', '{}'::jsonb)
            on conflict (id) do nothing`;
        }
        return {
          isDuplicate: event === undefined,
          workflowId: found?.workflowId ?? null,
          recoveryCaseId: found?.recoveryCaseId ?? null,
        };
      });
    },
  };
}

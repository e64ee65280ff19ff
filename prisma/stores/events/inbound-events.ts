import { newId } from '@clinic/shared/crypto';
import { bound } from '../../bound';
import type { ErasedKeys } from '../patients/erased-keys';
import type { Intake } from './intake';

interface Context {
  intake: Intake;
  erasedKeys: ErasedKeys;
}

export const createInboundEventStores = (intake: Intake, erasedKeys: ErasedKeys) =>
  bound({ intake, erasedKeys }, { formCompleted });

/**
 * Remembers that a session's form was completed, once for ever. When a case was opened for it, the case and the message
 * for its workflow are written with it; a case that opens later finds the event by itself. Nothing is stored of a session that was
 * erased.
 */
async function formCompleted(
  { intake, erasedKeys }: Context,
  {
    clinicId,
    sessionId,
    payload,
  }: {
    clinicId: string;
    sessionId: string;
    payload: unknown;
  },
): Promise<{ isDuplicate: boolean; workflowId: string | null; caseId: string | null; messageId: string | null }> {
  const name = 'forms.completed';
  const { isNewEvent, workflowId, caseId } = await intake({
    kind: 'completion',
    clinicId,
    sessionId,
    erasedKeys: [
      ...erasedKeys.ofSession(clinicId, 'abandonment-recovery', sessionId),
      ...erasedKeys.ofEvent(clinicId, name, sessionId),
    ],
    event: { id: newId(), name, payload },
  });
  return { isDuplicate: !isNewEvent, workflowId, caseId, messageId: caseId && `form-completed-${caseId}` };
}

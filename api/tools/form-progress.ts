import { FormProgressAnswer } from '@clinic/shared/contracts/events/approved-api';
import type { z } from 'zod';
import { askClinic } from './ask-clinic';
import type { ToolContext } from './tool';

/** Half of a pause that still sounds natural; then what webhooks reported is said instead. */
const TIMEOUT_MS = 1_500;

/** How far a form or checkout is by the clinic's own account; null where its API is not approved or says nothing. */
export async function progressAtClinic(
  context: ToolContext,
  { sessionId, formId }: { sessionId: string; formId: string | null },
): Promise<z.infer<typeof FormProgressAnswer> | null> {
  const params = { sessionId, ...(formId && { formId }) };
  const answer = await askClinic(context, { action: 'form.progress', params, withinMs: TIMEOUT_MS });
  return answer.kind === 'answered' ? (FormProgressAnswer.safeParse(answer.body).data ?? null) : null;
}

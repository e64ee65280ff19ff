import { FormProgressAnswer } from '@clinic/shared/contracts/approved-api';
import type { z } from 'zod';
import type { ToolContext } from './tool';

/** Half of a pause that still sounds natural; then what webhooks reported is said instead. */
const TIMEOUT_MS = 1_500;

/** How far a form or checkout is by the clinic's own account; null where its API is not approved or says nothing. */
export async function progressAtClinic(
  { call, systems }: Pick<ToolContext, 'call' | 'systems'>,
  { sessionId, formId }: { sessionId: string; formId: string | null },
): Promise<z.infer<typeof FormProgressAnswer> | null> {
  const api = await systems.approvedApi(call.clinicId);
  if (!api) return null;
  const params = { sessionId, ...(formId && { formId }) };
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  try {
    const answer = await api.call('form.progress', { params, timeoutMs: TIMEOUT_MS, signal });
    return answer.kind === 'answered' ? (FormProgressAnswer.safeParse(answer.body).data ?? null) : null;
  } catch (error) {
    if (signal.aborted) return null;
    throw error;
  }
}

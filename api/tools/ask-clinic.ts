import type { ClinicAction } from '@clinic/shared/contracts/approved-api';
import type { ClinicApiInput, ClinicApiResult } from '@clinic/shared/outbound/clinic-api';
import type { ToolContext } from './tool';

/** Asks a clinic's own API while a caller waits: retries and all, it takes no longer than `withinMs`. */
export async function askClinic(
  { call, systems }: Pick<ToolContext, 'call' | 'systems'>,
  { action, withinMs, ...input }: { action: ClinicAction; withinMs: number } & ClinicApiInput,
): Promise<ClinicApiResult> {
  const api = await systems.approvedApi(call.clinicId);
  if (!api) return { kind: 'not_permitted' };
  const signal = AbortSignal.timeout(withinMs);
  try {
    return await api.call(action, { ...input, timeoutMs: withinMs, signal });
  } catch (error) {
    if (signal.aborted) return { kind: 'unavailable', error: 'timeout' };
    throw error;
  }
}

import type { ClinicAction } from '@clinic/shared/contracts/approved-api';
import type { PatientNotice } from '@clinic/shared/contracts/clinic-notice';
import type { ClinicApiInput, ClinicApiResult } from '@clinic/shared/outbound/clinic-api-port';
import type { ToolContext } from './tool';

/** Asks a clinic's own API while a caller waits: retries and all, it takes no longer than `withinMs`. */
export async function askClinic(
  { call, systems }: Pick<ToolContext, 'call' | 'systems'>,
  {
    action,
    withinMs,
    patientOf,
    ...input
  }: {
    action: ClinicAction;
    withinMs: number;
    /** Looked up only for an API that must know whom it is asked about. */
    patientOf?: () => Promise<PatientNotice | null>;
  } & ClinicApiInput,
): Promise<ClinicApiResult> {
  const api = await systems.approvedApi(call.clinicId);
  if (!api) return { kind: 'not_permitted' };
  const signal = AbortSignal.timeout(withinMs);
  try {
    const patient = api.kind === 'json' ? null : await patientOf?.();
    return await api.call(action, { ...input, patient, timeoutMs: withinMs, signal });
  } catch (error) {
    if (signal.aborted) return { kind: 'unavailable', error: 'timeout' };
    throw error;
  }
}

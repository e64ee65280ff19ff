import type { ClinicAction } from '@clinic/shared/contracts/events/approved-api';
import type { PatientNotice } from '@clinic/shared/contracts/events/clinic-notice';
import type { ClinicApiInput, ClinicApiResult } from '@clinic/gateways/clinic-api/result';
import { whileCallerWaits } from '@clinic/gateways/clinic-api/while-caller-waits';
import type { ToolContext } from './tool';

/** Asks a clinic's own API while a caller waits. */
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
  return whileCallerWaits(withinMs, async (within) => {
    const patient = api.kind === 'json' ? null : await patientOf?.();
    return api.call(action, { ...input, patient, ...within });
  });
}

import { readPhone } from '@clinic/shared/domain/patients/phone';
import type { ToolContext } from './tool';

/** A stated number as it can be dialled; as it was said, with a task for staff, where it cannot. */
export async function keptPhone(stated: string, { call, stores }: ToolContext): Promise<string> {
  const phone = readPhone(stated, call.clinicCountry);
  if (phone) return phone;
  const { clinicId, patientId, callId } = call;
  const cause = `unreadable_phone:${callId}`;
  await stores.tasks.open({ clinicId, reason: 'unreadable_phone', cause, patientId, callId });
  return stated;
}

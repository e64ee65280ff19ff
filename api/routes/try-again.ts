import { CrmError } from '@clinic/shared/outbound/crm/port';
import { tellClinic } from '@clinic/shared/outbound/tell-clinic';
import type { TaskRecord } from '@clinic/prisma/stores/tasks';
import { z } from 'zod';
import type { RouteDeps } from '../route-deps';

const TIMEOUT_MS = 10_000;
/** A note, its patient and what a FHIR server is asked before: no more than a person waits for. */
const MAX_MS = 25_000;

const NotTold = z.object({
  action: z.enum(['patient.upsert', 'appointment.book', 'appointment.cancel', 'document.write']),
  appointmentId: z.string().optional(),
});

/** What a task says has failed, as far as it can be tried again. */
type Failure =
  | ({ system: 'clinic_api'; callId: string; workflowId: string } & z.infer<typeof NotTold>)
  | { system: 'crm'; callId: string };

/** Null for a task that is resolved, and for one that nothing but a person can do. */
export function failureOf({ state, reason, callId, workflowId, detail }: TaskRecord): Failure | null {
  if (state !== 'OPEN' || callId === null) return null;
  if (reason === 'crm_sync_failed') return { system: 'crm', callId };
  const notTold = reason === 'clinic_system_not_told' ? NotTold.safeParse(detail).data : undefined;
  return notTold ? { system: 'clinic_api', callId, workflowId: workflowId ?? '', ...notTold } : null;
}

/** Tries again what failed. Returns why it failed again, in words of our own; null when it was taken. */
export async function tryAgain(
  { stores, systems }: Pick<RouteDeps, 'stores' | 'systems'>,
  clinicId: string,
  failure: Failure,
  closed: AbortSignal,
): Promise<string | null> {
  const signal = AbortSignal.any([closed, AbortSignal.timeout(MAX_MS)]);
  try {
    return await (failure.system === 'crm' ? syncCrm() : tell(failure));
  } catch (error) {
    if (signal.aborted) return 'it took too long';
    throw error;
  }

  async function tell({
    system: _system,
    ...notice
  }: Extract<Failure, { system: 'clinic_api' }>): Promise<string | null> {
    const api = await systems.approvedApi(clinicId);
    if (!api) return 'no API is approved any more';
    const timing = { timeoutMs: TIMEOUT_MS, signal };
    const telling = await tellClinic({ api, records: stores.callSubjects }, { clinicId, ...notice }, timing);
    switch (telling.kind) {
      case 'told':
        return null;
      case 'unknown':
        return 'the call is not on record any more';
      case 'failed':
        return telling.why;
    }
  }

  async function syncCrm(): Promise<string | null> {
    const crm = await systems.crm(clinicId);
    if (!crm) return 'no CRM is switched on any more';
    const patient = await stores.callSubjects.patient(clinicId, failure.callId);
    if (!patient) return 'the call is not on record any more';
    const { patientId, firstName, lastName, email, phone, address, reasonForVisit } = patient;
    try {
      const contact = { externalKey: patientId, firstName, lastName, email, phone, address, reasonForVisit };
      await crm.upsertContact(contact, signal);
    } catch (error) {
      if (error instanceof CrmError) return error.message;
      throw error;
    }
    await stores.registration.markSynced({ clinicId, patientId });
    return null;
  }
}

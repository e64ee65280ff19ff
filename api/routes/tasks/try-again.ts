import { CrmError } from '@clinic/gateways/crm/port';
import { tellClinic } from '@clinic/gateways/clinic-api/tell-clinic';
import type { TaskRecord } from '@clinic/prisma/stores/tasks/tasks';
import { deadline } from '@clinic/shared/deadline';
import type { RetryFailure, TaskRetry } from '@clinic/shared/contracts/tasks/tasks';
import { z } from 'zod';
import type { Deps } from '../../http/route';

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

/** Why something failed again, and what the other system said to it. */
type FailedAgain = Pick<z.infer<typeof TaskRetry>, 'said'> & { reason: z.infer<typeof RetryFailure> };

const because = (reason: FailedAgain['reason'], said: string | null = null): FailedAgain => ({ reason, said });

/** Tries again what failed. Returns why it failed again; null when it was taken. */
export async function tryAgain(
  { stores, systems }: Deps<'stores' | 'systems'>,
  clinicId: string,
  failure: Failure,
  closed: AbortSignal,
): Promise<FailedAgain | null> {
  const signal = deadline(MAX_MS, closed);
  try {
    return await (failure.system === 'crm' ? syncCrm() : tell(failure));
  } catch (error) {
    if (signal.aborted) return because('too_slow');
    throw error;
  }

  async function tell({
    system: _system,
    ...notice
  }: Extract<Failure, { system: 'clinic_api' }>): Promise<FailedAgain | null> {
    const api = await systems.approvedApi(clinicId);
    if (!api) return because('not_connected');
    const timing = { timeoutMs: TIMEOUT_MS, signal };
    const telling = await tellClinic({ api, records: stores.callSubjects }, { clinicId, ...notice }, timing);
    switch (telling.kind) {
      case 'told':
        await stores.clinicNotices.settle({ clinicId, ...notice });
        return null;
      case 'unknown':
        return because('call_unknown');
      case 'failed':
        return because('refused', telling.why);
    }
  }

  async function syncCrm(): Promise<FailedAgain | null> {
    const crm = await systems.crm(clinicId);
    if (!crm) return because('not_connected');
    const patient = await stores.callSubjects.patient(clinicId, failure.callId);
    if (!patient) return because('call_unknown');
    const { patientId, firstName, lastName, email, phone, address, reasonForVisit } = patient;
    try {
      const contact = { externalKey: patientId, firstName, lastName, email, phone, address, reasonForVisit };
      await crm.upsertContact(contact, signal);
    } catch (error) {
      if (error instanceof CrmError) return because('refused', error.message);
      throw error;
    }
    await stores.registration.markSynced({ clinicId, patientId });
    return null;
  }
}

import {
  type AppointmentOnRecord,
  type ClinicNotice,
  NoticeAnswer,
  type PatientNotice,
} from '@clinic/shared/contracts/events/clinic-notice';
import type { ClinicApi } from './port';
import type { ClinicApiInput, ClinicApiResult } from './result';

interface Document {
  documentId: string;
  text: string;
  createdAt: string;
}

/** What stands in our records, and where the clinic's own ids of it are kept. */
export interface NoticeRecords {
  patient(clinicId: string, callId: string): Promise<PatientNotice | null>;
  documents(clinicId: string, callId: string): Promise<Document[]>;
  appointment(clinicId: string, appointmentId: string): Promise<AppointmentOnRecord | null>;
  keepExternalId(record: { clinicId: string; of: RecordKind; id: string; externalId: string }): Promise<void>;
}

type RecordKind = 'patient' | 'appointment' | 'document';

export type Telling =
  | { kind: 'told'; told: number }
  /** No such call of the clinic. */
  | { kind: 'unknown' }
  /** `why` is in words of our own: what the other side said may quote a patient. */
  | { kind: 'failed'; result: 'unavailable' | 'refused' | 'unusable'; why: string };

interface Request extends ClinicApiInput {
  of: RecordKind;
  id: string;
}

/** Tells a clinic's own system of what a call changed, as it stands now, and keeps the ids that come back. Safe to run twice. */
export async function tellClinic(
  { api, records }: { api: ClinicApi; records: NoticeRecords },
  notice: Omit<ClinicNotice, 'workflowId'>,
  { timeoutMs, signal }: Pick<ClinicApiInput, 'timeoutMs' | 'signal'> = {},
): Promise<Telling> {
  const { clinicId, callId, action } = notice;
  const patient = await records.patient(clinicId, callId);
  if (!patient) return { kind: 'unknown' };
  const requests = await requestsFor(records, notice, patient);
  for (const { of, id, ...request } of requests) {
    const answer = await api.call(action, { ...request, patient, timeoutMs, signal, callId });
    if (answer.kind === 'not_permitted') return { kind: 'told', told: 0 };
    if (answer.kind !== 'answered') return { kind: 'failed', result: answer.kind, why: `${action}: ${whyNot(answer)}` };
    const { externalId, externalPatientId } = NoticeAnswer.safeParse(answer.body).data ?? {};
    if (externalPatientId) {
      await records.keepExternalId({ clinicId, of: 'patient', id: patient.patientId, externalId: externalPatientId });
    }
    if (externalId) await records.keepExternalId({ clinicId, of, id, externalId });
  }
  return { kind: 'told', told: requests.length };
}

async function requestsFor(
  records: NoticeRecords,
  { clinicId, callId, action, appointmentId }: Omit<ClinicNotice, 'workflowId'>,
  patient: PatientNotice,
): Promise<Request[]> {
  const { patientId } = patient;
  switch (action) {
    case 'patient.upsert': {
      const idempotencyKey = `${callId}-patient`;
      return [{ of: 'patient', id: patientId, params: { patientId }, body: patient, idempotencyKey }];
    }
    case 'document.write': {
      const documents = await records.documents(clinicId, callId);
      return documents.map((document) => ({
        of: 'document',
        id: document.documentId,
        params: { patientId, documentId: document.documentId },
        body: { patientId, externalPatientId: patient.externalId, ...document },
        idempotencyKey: document.documentId,
      }));
    }
    case 'appointment.book':
    case 'appointment.cancel': {
      const found = appointmentId ? await records.appointment(clinicId, appointmentId) : null;
      // What was booked and then cancelled again, or the other way round, is told as it stands.
      const status = action === 'appointment.book' ? 'booked' : 'cancelled';
      if (found?.status !== status) return [];
      const { id, externalId, providerName, visitType } = found;
      const [startsAt, endsAt] = [found.startsAt.toISOString(), found.endsAt.toISOString()];
      return [
        {
          of: 'appointment',
          id,
          params: { appointmentId: id, patientId },
          body: { appointmentId: id, externalId, status, providerName, visitType, startsAt, endsAt, patient },
          idempotencyKey: `${id}-${status}-${startsAt}`,
        },
      ];
    }
  }
}

function whyNot(answer: Exclude<ClinicApiResult, { kind: 'answered' | 'not_permitted' }>): string {
  switch (answer.kind) {
    case 'unavailable':
      return `the clinic's API is not to be had: ${answer.error}${answer.said ? ` (${answer.said})` : ''}`;
    case 'refused':
      return `the clinic's API answered ${answer.fault}`;
    case 'unusable':
      return answer.reason;
  }
}

import type { AppointmentOnRecord } from '@clinic/shared/contracts/events/clinic-notice';
import { bound } from '../../bound';
import type { Database } from '../../client';

/** A patient in the words of the patients API. */
export interface PatientSubject {
  patientId: string;
  externalId: string | null;
  firstName: string;
  lastName: string;
  phone: string | null;
  email: string | null;
  dateOfBirth: string | null;
  address: string | null;
  reasonForVisit: string | null;
  preferredLocation: string | null;
  healthPlanName: string | null;
  insurance: unknown;
}

export interface DocumentSubject {
  documentId: string;
  /** The notes of all its attachments. */
  text: string;
  escalateToClinicalTeam: boolean;
  requestExternalRecords: boolean;
  createdAt: string;
}

/** What a call was about, as the clinic's own systems are told of it. */
export const createCallSubjectStores = (database: Database) =>
  bound(database, { patient: patientSubject, documents, appointment, keepExternalId });

async function patientSubject({ sql }: Database, clinicId: string, callId: string): Promise<PatientSubject | null> {
  const [patient] = await sql<PatientSubject>`
    select p.id as "patientId", p.external_id as "externalId", p.first_name as "firstName", p.last_name as "lastName",
      p.phone, p.email, p.birth_date as "dateOfBirth", p.address, p.reason_for_visit as "reasonForVisit", p.preferred_location as "preferredLocation",
      p.health_plan_name as "healthPlanName", p.insurance
    from calls k join patients p on p.clinic_id = k.clinic_id and p.id = k.patient_id
    where k.clinic_id = ${clinicId} and k.id = ${callId}`;
  return patient ?? null;
}

/** The notes taken during a call, oldest first. */
async function documents({ sql }: Database, clinicId: string, callId: string): Promise<DocumentSubject[]> {
  const rows = await sql<Omit<DocumentSubject, 'text' | 'createdAt'> & { content: Content; createdAt: Date }>`
    select id as "documentId", content, coalesce(escalate_to_clinical_team, false) as "escalateToClinicalTeam",
      coalesce(request_external_records, false) as "requestExternalRecords", created_at as "createdAt"
    from documents where clinic_id = ${clinicId} and call_id = ${callId} order by created_at, id`;
  return rows.map(({ content, createdAt, ...rest }) => ({
    ...rest,
    text: content.map(({ data }) => Buffer.from(data, 'base64').toString('utf8')).join('\n'),
    createdAt: createdAt.toISOString(),
  }));
}

async function appointment(
  { sql }: Database,
  clinicId: string,
  appointmentId: string,
): Promise<AppointmentOnRecord | null> {
  const [found] = await sql<AppointmentOnRecord>`
    select a.id, a.external_id as "externalId", a.status, p.name as "providerName", a.visit_type as "visitType",
      a.starts_at as "startsAt", a.ends_at as "endsAt"
    from appointments a join providers p on p.id = a.provider_id
    where a.clinic_id = ${clinicId} and a.id = ${appointmentId}`;
  return found ?? null;
}

/**
 * Keeps the clinic's own id of a record. A patient's stays as it is where there is one: it may be the id that another of the
 * clinic's platforms tells of. An id that another appointment has is not kept; the visit itself has not changed by it, and nobody has
 * booked or moved it.
 */
async function keepExternalId(
  { sql }: Database,
  {
    clinicId,
    of,
    id,
    externalId,
  }: {
    clinicId: string;
    of: 'patient' | 'appointment' | 'document';
    id: string;
    externalId: string;
  },
): Promise<void> {
  switch (of) {
    case 'patient':
      await sql`
        update patients set external_id = ${externalId}, updated_at = now()
        where clinic_id = ${clinicId} and id = ${id} and external_id is null`;
      return;
    case 'appointment':
      await sql`
        update appointments set external_id = ${externalId}
        where clinic_id = ${clinicId} and id = ${id} and external_id is distinct from ${externalId}
          and not exists (
            select from appointments where clinic_id = ${clinicId} and external_id = ${externalId} and id <> ${id})`;
      return;
    case 'document':
      await sql`
        update documents set external_id = ${externalId}
        where clinic_id = ${clinicId} and id = ${id} and external_id is distinct from ${externalId}`;
  }
}

type Content = { data: string }[];

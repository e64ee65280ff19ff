import type { Database } from '../client';

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
export interface CallSubjectStores {
  patient(clinicId: string, callId: string): Promise<PatientSubject | null>;
  /** The notes taken during a call, oldest first. */
  documents(clinicId: string, callId: string): Promise<DocumentSubject[]>;
}

export function createCallSubjectStores({ sql }: Database): CallSubjectStores {
  return {
    async patient(clinicId, callId) {
      const [patient] = await sql<PatientSubject>`
        select p.id as "patientId", p.external_id as "externalId", p.first_name as "firstName", p.last_name as "lastName",
          p.phone, p.email, p.birth_date as "dateOfBirth", p.address, p.preferred_location as "preferredLocation",
          p.health_plan_name as "healthPlanName", p.insurance
        from calls k join patients p on p.clinic_id = k.clinic_id and p.id = k.patient_id
        where k.clinic_id = ${clinicId} and k.id = ${callId}`;
      return patient ?? null;
    },

    async documents(clinicId, callId) {
      const rows = await sql<Omit<DocumentSubject, 'text' | 'createdAt'> & { content: Content; createdAt: Date }>`
        select id as "documentId", content, coalesce(escalate_to_clinical_team, false) as "escalateToClinicalTeam",
          coalesce(request_external_records, false) as "requestExternalRecords", created_at as "createdAt"
        from documents where clinic_id = ${clinicId} and call_id = ${callId} order by created_at, id`;
      return rows.map(({ content, createdAt, ...rest }) => ({
        ...rest,
        text: content.map(({ data }) => Buffer.from(data, 'base64').toString('utf8')).join('\n'),
        createdAt: createdAt.toISOString(),
      }));
    },
  };
}

type Content = { data: string }[];

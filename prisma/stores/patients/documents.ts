import type { TaskReason } from '@clinic/shared/domain/tasks/task';
import { newId } from '@clinic/shared/crypto';
import { bound } from '../../bound';
import type { Database } from '../../client';

/** A note as it was written back: text in base64. */
export interface Attachment {
  contentType: string;
  data: string;
}

export interface DocumentRecord {
  id: string;
  callId: string | null;
  content: Attachment[];
  escalateToClinicalTeam: boolean | null;
  requestExternalRecords: boolean | null;
  createdAt: Date;
}

export const createDocumentStores = (database: Database) => bound(database, { write, ofPatient });

/** Keeps a note, and opens the tasks for staff that it asks for. The same `id` again changes nothing. */
async function write(
  { sql }: Database,
  {
    id,
    clinicId,
    patientId,
    callId,
    content,
    escalateToClinicalTeam,
    requestExternalRecords,
  }: {
    id: string;
    clinicId: string;
    patientId: string;
    callId?: string;
    content: Attachment[];
    escalateToClinicalTeam?: boolean;
    requestExternalRecords?: boolean;
  },
): Promise<{ kind: 'written' } | { kind: 'unknown_patient' }> {
  const escalation: TaskReason[] = escalateToClinicalTeam === true ? ['clinical_escalation'] : [];
  const records: TaskReason[] = requestExternalRecords === true ? ['external_records_request'] : [];
  const reasons = JSON.stringify([...escalation, ...records].map((reason) => ({ id: newId(), reason })));
  // One statement, tasks included, because a caller waits for the answer.
  const [result] = await sql<{ isKnownPatient: boolean }>`
    with patient as (select id from patients where clinic_id = ${clinicId} and id = ${patientId}),
    written as (
      insert into documents (id, clinic_id, patient_id, call_id, content, escalate_to_clinical_team, request_external_records)
      select ${id}, ${clinicId}, patient.id, ${callId ?? null}, ${JSON.stringify(content)}::jsonb,
        ${escalateToClinicalTeam ?? null}::boolean, ${requestExternalRecords ?? null}::boolean
      from patient on conflict (id) do nothing returning id, patient_id),
    tasks as (
      insert into staff_tasks (id, clinic_id, reason, cause, patient_id, call_id, detail)
      select task.id, ${clinicId}, task.reason, 'document-' || written.id || '-' || task.reason, written.patient_id,
        ${callId ?? null}, jsonb_build_object('documentId', written.id)
      from written, json_to_recordset(${reasons}::json) as task(id text, reason text)
      on conflict (clinic_id, cause) do nothing)
    select exists (select from patient) as "isKnownPatient"`;
  return { kind: result?.isKnownPatient ? 'written' : 'unknown_patient' };
}

/** The latest first. */
const ofPatient = (
  { sql }: Database,
  clinicId: string,
  patientId: string,
  limit: number,
): Promise<DocumentRecord[]> => sql<DocumentRecord>`
  select id, call_id as "callId", content, escalate_to_clinical_team as "escalateToClinicalTeam",
    request_external_records as "requestExternalRecords", created_at as "createdAt"
  from documents where clinic_id = ${clinicId} and patient_id = ${patientId}
  order by created_at desc, id desc limit ${limit}`;

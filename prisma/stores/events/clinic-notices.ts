import type { ClinicNotice } from '@clinic/shared/contracts/events/clinic-notice';
import { bound } from '../../bound';
import type { Database } from '../../client';
import type { Sql } from '../../sql';
import { openTask } from '../tasks/tasks';

/** A run that has ended and has still something to tell. */
export interface OwingRun {
  clinicId: string;
  workflowId: string;
  patientId: string | null;
  caseId: string | null;
}

export const createClinicNoticeStores = (database: Database) => bound(database, { settle, owing, giveUp });

/** The clinic's system has taken it. */
async function settle({ sql }: Database, notice: ClinicNotice): Promise<void> {
  const { clinicId, workflowId, action } = notice;
  await sql`
    delete from clinic_notices
    where clinic_id = ${clinicId} and workflow_id = ${workflowId} and action = ${action} and subject = ${subjectOf(notice)}`;
}

/** Runs that ended before this and have not told everything, in the order of their ids. */
const owing = ({ sql }: Database, before: Date, limit: number, afterId: string): Promise<OwingRun[]> => sql<OwingRun>`
  select r.clinic_id as "clinicId", r.id as "workflowId", r.patient_id as "patientId", c.id as "caseId"
  from (
    select distinct clinic_id, workflow_id from clinic_notices
    where created_at < ${before} and workflow_id > ${afterId} order by workflow_id limit ${limit}
  ) n
  join workflow_runs r on r.clinic_id = n.clinic_id and r.id = n.workflow_id
  left join recovery_cases c on c.clinic_id = r.clinic_id and c.workflow_id = r.id
  order by r.id`;

/** Nobody will tell what a run has not told: staff get a task, unless `isKnown` says that they have what they need. */
const giveUp = (
  { transaction }: Database,
  { clinicId, workflowId, patientId, caseId }: OwingRun,
  { isKnown }: { isKnown: boolean },
): Promise<void> =>
  transaction(async (tx) => {
    await tx`delete from clinic_notices where clinic_id = ${clinicId} and workflow_id = ${workflowId}`;
    if (isKnown) return;
    const reason = 'clinic_system_not_told';
    const cause = `${reason}:${caseId ?? workflowId}`;
    await openTask(tx, { clinicId, reason, cause, patientId, caseId, workflowId });
  });

/** Notes what a run has still to tell, in the transaction that ends it. */
export async function owe(tx: Sql, notices: ClinicNotice[]): Promise<void> {
  if (notices.length === 0) return;
  const rows = notices.map((notice) => ({ ...notice, subject: subjectOf(notice) }));
  await tx`
    insert into clinic_notices (clinic_id, workflow_id, action, subject)
    select n."clinicId", n."workflowId", n.action, n.subject
    from json_to_recordset(${JSON.stringify(rows)}::json)
      as n("clinicId" text, "workflowId" text, action text, subject text)
    on conflict do nothing`;
}

const subjectOf = ({ appointmentId, callId }: ClinicNotice): string => appointmentId ?? callId;

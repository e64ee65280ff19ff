import type { TaskReason } from '@clinic/shared/domain/tasks/task';
import { newId } from '@clinic/shared/crypto';
import type { Database } from '../../client';
import type { Call } from '../../generated/client';
import { type Actor, audit } from '../operations/audit';

const reason: TaskReason = 'follow_up_required';

/** What the follow-up of a call is one task for: the same that the end of its workflow leaves to staff. */
export const followUpCause = ({ caseId, workflowId, id }: Pick<Call, 'caseId' | 'workflowId' | 'id'>): string =>
  `${reason}:${caseId ?? workflowId ?? id}`;

/** Gives the follow-up of a call to an account, as a task of theirs, and returns its id; null where somebody else has it. */
export const takeOver = (
  { database: { transaction } }: { database: Database },
  call: Pick<Call, 'id' | 'clinicId' | 'patientId' | 'caseId' | 'workflowId'>,
  accountId: string,
  by: Actor,
): Promise<string | null> =>
  transaction(async (tx) => {
    const { id: callId, clinicId, patientId, caseId, workflowId } = call;
    const [task] = await tx<{ id: string }>`
      insert into staff_tasks (id, clinic_id, reason, cause, patient_id, call_id, case_id, workflow_id, assignee_id, assigned_by, assigned_at)
      values (${newId()}, ${clinicId}, ${reason}, ${followUpCause(call)}, ${patientId}, ${callId}, ${caseId}, ${workflowId},
        ${accountId}, ${by.actor}, now())
      on conflict (clinic_id, cause) do update
        set assignee_id = excluded.assignee_id, assigned_by = excluded.assigned_by, assigned_at = excluded.assigned_at,
          call_id = excluded.call_id, state = 'OPEN', resolved_at = null
        where staff_tasks.state = 'RESOLVED' or staff_tasks.assignee_id is null
      returning id`;
    if (!task) {
      const [mine] = await tx<{ id: string }>`
        select id from staff_tasks
        where clinic_id = ${clinicId} and cause = ${followUpCause(call)} and assignee_id = ${accountId}`;
      return mine?.id ?? null;
    }
    await audit(tx, by, { clinicId, action: 'call.take-over', subject: callId, detail: { taskId: task.id } });
    return task.id;
  });

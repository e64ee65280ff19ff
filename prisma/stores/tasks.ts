import type { TaskReason, TaskState } from '@clinic/shared/domain/task';
import { newId } from '@clinic/shared/crypto';
import type { Database } from '../client';
import type { Sql } from '../sql';
import type { StaffTask } from '../generated/client';
import { type Actor, audit } from './audit';
import { type PersonRecord, personOnly } from './call-records';
import { type Cursors, olderThan, type PageOf } from './cursor';

export type TaskPerson = PersonRecord & { phone: string | null };

/** `barrier`: of its case, as the call recorded it. */
export type TaskRecord = StaffTask & { patient: TaskPerson | null; barrier: unknown };

export interface TaskToOpen {
  clinicId: string;
  reason: TaskReason;
  /** One task for one cause, however often it is reported. */
  cause: string;
  patientId?: string | null;
  callId?: string | null;
  caseId?: string | null;
  workflowId?: string | null;
  /** Never leaves the database but to signed-in staff. */
  detail?: Record<string, unknown>;
}

export interface TaskStores {
  /** Opens a task for staff, once per `cause` for ever. */
  open(task: TaskToOpen): Promise<void>;
  /**
   * A task for each workflow that the records know nothing of: they are from a backup of before it. What was erased is
   * known. A clinic that does not
   * exist has none. Returns how many are new.
   */
  openForUnknownRuns(
    workflows: { workflowId: string; clinicId: string | null; shown: string | null; closedAt: string | null }[],
  ): Promise<number>;
  /**
   * Opens the task of a cause, again too, and says what is known of it now: for a change that is about to be asked of another
   * system. False, and nothing is changed, while the task stands for another change whose end is open
   * (`detail.intent`: `key`, `isOpen`).
   */
  intend(task: TaskToOpen & { detail: { intent: { key: string; isOpen: boolean } } }): Promise<boolean>;
  /** What the open task of a cause says; null where none is open. */
  pending(clinicId: string, cause: string): Promise<Record<string, unknown> | null>;
  /** Takes back the task of a cause: what it was opened for is known to be in order. */
  withdraw(clinicId: string, cause: string): Promise<void>;
  find(clinicId: string, id: string): Promise<TaskRecord | null>;
  list(
    clinicId: string,
    filter: {
      state?: TaskState;
      reason?: string;
      /** null for tasks that nobody has. */
      assigneeId?: string | null;
      patientId?: string;
      caseId?: string;
      /** Opened at this instant or later, and before `until`. */
      from?: string;
      until?: string;
      limit: number;
      cursor?: string;
    },
  ): Promise<PageOf<TaskRecord>>;
  /** Null when the clinic has no such task. */
  update(
    clinicId: string,
    id: string,
    change: { state?: TaskState; assigneeId?: string | null },
    by?: Actor,
  ): Promise<TaskRecord | null>;
}

/** Whom a task is about, and where they are called. */
export const withPhone = { select: { ...personOnly.select, phone: true } } as const;

export function createTaskStores({ sql, transaction, prisma }: Database, cursors: Cursors): TaskStores {
  /** With what a call has found out about the cases that they are about. */
  const withBarriers = async (
    clinicId: string,
    tasks: (StaffTask & { patient: TaskPerson | null })[],
  ): Promise<TaskRecord[]> => {
    const caseIds = tasks.flatMap(({ caseId }) => caseId ?? []);
    const cases =
      caseIds.length === 0
        ? []
        : await prisma.recoveryCase.findMany({
            where: { clinicId, id: { in: caseIds } },
            select: { id: true, barrier: true },
          });
    const barriers = new Map(cases.map(({ id, barrier }) => [id, barrier]));
    return tasks.map((task) => ({
      ...task,
      barrier: task.caseId === null ? null : (barriers.get(task.caseId) ?? null),
    }));
  };

  const find: TaskStores['find'] = async (clinicId, id) => {
    const found = await prisma.staffTask.findFirst({ where: { clinicId, id }, include: { patient: withPhone } });
    const [task = null] = found ? await withBarriers(clinicId, [found]) : [];
    return task;
  };
  return {
    open: (task) => openTask(sql, task),

    async openForUnknownRuns(workflows) {
      const reason: TaskReason = 'records_incomplete';
      const listed = workflows.map((workflow) => ({ id: newId(), ...workflow }));
      const opened = await sql<{ id: string }>`
        insert into staff_tasks (id, clinic_id, reason, cause, workflow_id, detail)
        select w.id, c.id, ${reason}, ${`${reason}:`} || w."workflowId", w."workflowId",
          jsonb_build_object('shown', w.shown, 'closedAt', w."closedAt")
        from json_to_recordset(${JSON.stringify(listed)}::json)
          as w(id text, "workflowId" text, "clinicId" text, shown text, "closedAt" text)
        join clinics c on c.id = w."clinicId"
        where not exists (select 1 from workflow_runs r where r.id = w."workflowId")
          and not exists (select 1 from tombstones s where s.key = w."workflowId")
        on conflict (clinic_id, cause) do nothing returning id`;
      return opened.length;
    },

    async intend({ clinicId, reason, cause, patientId, callId, caseId, workflowId, detail }) {
      const [intended] = await sql`
        insert into staff_tasks (id, clinic_id, reason, cause, patient_id, call_id, case_id, workflow_id, detail)
        values (${newId()}, ${clinicId}, ${reason}, ${cause}, ${patientId ?? null}, ${callId ?? null}, ${caseId ?? null},
          ${workflowId ?? null}, ${JSON.stringify(detail)}::jsonb)
        on conflict (clinic_id, cause) do update set detail = excluded.detail, state = 'OPEN', resolved_at = null
          where staff_tasks.state <> 'OPEN' or not staff_tasks.detail -> 'intent' @> '{"isOpen": true}'
            or staff_tasks.detail -> 'intent' -> 'key' = excluded.detail -> 'intent' -> 'key'
        returning id`;
      return intended !== undefined;
    },

    async pending(clinicId, cause) {
      const [task] = await sql<{ detail: Record<string, unknown> }>`
        select detail from staff_tasks where clinic_id = ${clinicId} and cause = ${cause} and state = 'OPEN'`;
      return task?.detail ?? null;
    },

    async withdraw(clinicId, cause) {
      await sql`delete from staff_tasks where clinic_id = ${clinicId} and cause = ${cause} and state = 'OPEN'`;
    },

    find,
    async list(clinicId, { state, reason, assigneeId, patientId, caseId, from, until, limit, cursor }) {
      const rows = await prisma.staffTask.findMany({
        where: {
          clinicId,
          state,
          reason,
          assigneeId,
          patientId,
          caseId,
          AND: [{ createdAt: { gte: from, lt: until } }, olderThan('createdAt', cursors.decode(cursor, clinicId))],
        },
        orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
        take: limit + 1,
        include: { patient: withPhone },
      });
      return cursors.page(clinicId, await withBarriers(clinicId, rows), limit, ({ createdAt, id }) => ({
        at: createdAt,
        id,
      }));
    },
    async update(clinicId, id, { state, assigneeId }, by) {
      await transaction(async (tx) => {
        const [changed] = await tx`
          update staff_tasks set
            state = coalesce(${state ?? null}, state),
            resolved_at = case coalesce(${state ?? null}, state) when 'OPEN' then null else coalesce(resolved_at, now()) end,
            assignee_id = case when ${assigneeId !== undefined}::boolean then ${assigneeId ?? null} else assignee_id end
          where clinic_id = ${clinicId} and id = ${id} returning id`;
        if (changed)
          await audit(tx, by, { clinicId, action: 'task.change', subject: id, detail: { state, assigneeId } });
      });
      return find(clinicId, id);
    },
  };
}

/** Opens a task in the transaction that makes it necessary; a cause that has had its task leaves that as it is. */
export async function openTask(
  tx: Sql,
  { clinicId, reason, cause, patientId, callId, caseId, workflowId, detail }: TaskToOpen,
): Promise<void> {
  await tx`
    insert into staff_tasks (id, clinic_id, reason, cause, patient_id, call_id, case_id, workflow_id, detail)
    values (${newId()}, ${clinicId}, ${reason}, ${cause}, ${patientId ?? null}, ${callId ?? null}, ${caseId ?? null},
      ${workflowId ?? null}, ${JSON.stringify(detail ?? {})}::jsonb)
    on conflict (clinic_id, cause) do nothing`;
}

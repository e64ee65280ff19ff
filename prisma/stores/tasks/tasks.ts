import { alarmKinds } from '@clinic/shared/domain/tasks/alarms';
import type { TaskOrder } from '@clinic/shared/domain/list-order';
import type { TaskOutcome, TaskPriority, TaskReason, TaskState } from '@clinic/shared/domain/tasks/task';
import { newId } from '@clinic/shared/crypto';
import { bound } from '../../bound';
import type { Database } from '../../client';
import type { Sql } from '../../sql';
import type { StaffTask } from '../../generated/client';
import { type Actor, audit } from '../operations/audit';
import { type PersonRecord, personOnly } from '../outreach/call-records';
import { type Cursors, cursorsIn, inDirection, type PageOf } from '../cursor';
import { boundedTotal, newestRows, type Total } from '../total';
import { takeOver } from './taken-over';

export type TaskPerson = PersonRecord & {
  phone: string | null;
  birthDate: string | null;
  preferredCallHours: unknown;
  preferredLanguage: string | null;
};

/** `barrier`: of its case, as the call recorded it. `dueOn`: a day, as midnight UTC. */
export type TaskRecord = StaffTask & {
  patient: TaskPerson | null;
  barrier: unknown;
  noteCount: number;
  /** What the patient's phone is not called about; null where nobody has said so. */
  optOutScope: string | null;
};

export interface TaskNoteRecord {
  id: string;
  note: string;
  /** As the audit names them: `account:…`. */
  writtenBy: string;
  createdAt: Date;
}

/** What people change of a task; what is left out stays. */
export interface TaskChange {
  state?: TaskState;
  assigneeId?: string | null;
  priority?: TaskPriority;
  /** A day as `2026-12-24`; null for none. */
  dueOn?: string | null;
  /** `14:30` on that day; a day that is set without it has none. */
  dueTime?: string | null;
  outcome?: TaskOutcome;
  /** For those who are no administrators: alarms are unknown. */
  withoutAlarms?: boolean;
}

/** What became of a change: `changed_meanwhile` where the task is no longer of the version that was to be changed. */
export type TaskChanged = 'changed' | 'changed_meanwhile' | 'unknown';

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

export interface TaskFilter {
  state?: TaskState;
  reason?: string;
  /** Whose: null for tasks that nobody has. */
  assigneeIds?: (string | null)[];
  patientId?: string;
  caseId?: string;
  /** Opened at this instant or later, and before `until`. */
  from?: string;
  until?: string;
  priority?: TaskPriority;
  /** Due on this day or before. */
  dueUntil?: string;
  isDue?: boolean;
  /** For those who are no administrators. */
  withoutAlarms?: boolean;
}

/** A task that was given to somebody. */
export interface AssignedTask {
  id: string;
  reason: string;
  assignedBy: string;
  assignedAt: Date;
}

/** Whom a task is about, where, when and in which language they are called, and by what they are told from others. */
export const taskPerson = {
  select: { ...personOnly.select, phone: true, birthDate: true, preferredCallHours: true, preferredLanguage: true },
} as const;

interface Context {
  database: Database;
  cursors: Cursors;
}

export const createTaskStores = (database: Database, cursors: Cursors) =>
  bound(
    { database, cursors },
    {
      open,
      openForUnknownRuns,
      intend,
      pending,
      withdraw,
      find,
      list,
      count: countTasks,
      findAll,
      latestAssigned,
      change,
      addNote,
      takeOver,
      notes,
    },
  );

/** With what a call has found out about the cases that they are about, and how many notes they have. */
async function withMore(
  { database: { prisma, sql } }: Context,
  clinicId: string,
  tasks: (StaffTask & { patient: TaskPerson | null })[],
): Promise<TaskRecord[]> {
  const caseIds = tasks.flatMap(({ caseId }) => caseId ?? []);
  const cases =
    caseIds.length === 0
      ? []
      : await prisma.recoveryCase.findMany({
          where: { clinicId, id: { in: caseIds } },
          select: { id: true, barrier: true },
        });
  const barriers = new Map(cases.map(({ id, barrier }) => [id, barrier]));
  const counted = await withCounts(sql, clinicId, tasks);
  return counted.map((task) => ({
    ...task,
    barrier: task.caseId === null ? null : (barriers.get(task.caseId) ?? null),
  }));
}

/** With how many notes they have, and whether their patient's phone is on the list of opt-outs. */
export async function withCounts<Task extends { id: string; patient: TaskPerson | null }>(
  sql: Sql,
  clinicId: string,
  tasks: readonly Task[],
): Promise<(Task & Pick<TaskRecord, 'noteCount' | 'optOutScope'>)[]> {
  const phones = tasks.flatMap(({ patient }) => patient?.phone ?? []);
  const [noteCounts, optOuts] = await Promise.all([
    countNotes(sql, clinicId, tasks),
    phones.length === 0
      ? []
      : sql<{ phone: string; scope: string }>`
          select phone, scope from opt_outs where clinic_id = ${clinicId} and phone = any(${phones})`,
  ]);
  const scopes = new Map(optOuts.map(({ phone, scope }) => [phone, scope]));
  return tasks.map((task) => ({
    ...task,
    noteCount: noteCounts.get(task.id) ?? 0,
    optOutScope: scopes.get(task.patient?.phone ?? '') ?? null,
  }));
}

async function find(context: Context, clinicId: string, id: string): Promise<TaskRecord | null> {
  const { prisma } = context.database;
  const found = await prisma.staffTask.findFirst({ where: { clinicId, id }, include: { patient: taskPerson } });
  const [task = null] = found ? await withMore(context, clinicId, [found]) : [];
  return task;
}

/** Opens a task for staff, once per `cause` for ever. */
const open = ({ database: { sql } }: Context, task: TaskToOpen): Promise<void> => openTask(sql, task);

/**
 * A task for each workflow that the records know nothing of: they are from a backup of before it. What was erased is
 * known. A clinic that does not
 * exist has none. Returns how many are new.
 */
async function openForUnknownRuns(
  { database: { sql } }: Context,
  workflows: { workflowId: string; clinicId: string | null; shown: string | null; closedAt: string | null }[],
): Promise<number> {
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
}

/**
 * Opens the task of a cause and says what is known of it now: for a change that is about to be asked of another system. False,
 * and nothing is changed, while the task stands for another change whose end is open (`detail.intent`: `key`, `isOpen`), whatever
 * staff have made of the task meanwhile. One that staff have closed stays closed otherwise, and has a new one beside it.
 */
const intend = (
  { database: { transaction } }: Context,
  {
    clinicId,
    reason,
    cause,
    patientId,
    callId,
    caseId,
    workflowId,
    detail,
  }: TaskToOpen & { detail: { intent: { key: string; isOpen: boolean } } },
): Promise<boolean> =>
  transaction(async (tx) => {
    await tx`
      update staff_tasks set cause = cause || ':' || id, detail = detail - 'intent'
      where clinic_id = ${clinicId} and cause = ${cause} and state <> 'OPEN'
        and (coalesce(detail -> 'intent' ->> 'isOpen', 'false') <> 'true'
          or detail -> 'intent' ->> 'key' = ${detail.intent.key})`;
    const [intended] = await tx`
      insert into staff_tasks (id, clinic_id, reason, cause, patient_id, call_id, case_id, workflow_id, detail)
      values (${newId()}, ${clinicId}, ${reason}, ${cause}, ${patientId ?? null}, ${callId ?? null}, ${caseId ?? null},
        ${workflowId ?? null}, ${JSON.stringify(detail)}::jsonb)
      on conflict (clinic_id, cause) do update set detail = excluded.detail, state = 'OPEN', resolved_at = null
        where coalesce(staff_tasks.detail -> 'intent' ->> 'isOpen', 'false') <> 'true'
          or staff_tasks.detail -> 'intent' -> 'key' = excluded.detail -> 'intent' -> 'key'
      returning id`;
    return intended !== undefined;
  });

/** What the task of a cause says, also once staff have closed it; null where there is none. */
async function pending(
  { database: { sql } }: Context,
  clinicId: string,
  cause: string,
): Promise<{ detail: Record<string, unknown>; isClosed: boolean } | null> {
  const [task] = await sql<{ detail: Record<string, unknown>; isClosed: boolean }>`
    select detail, state <> 'OPEN' as "isClosed" from staff_tasks where clinic_id = ${clinicId} and cause = ${cause}`;
  return task ?? null;
}

/** Takes back the task of a cause: what it was opened for is known to be in order. One that staff have closed stays, for nothing. */
const withdraw = ({ database: { transaction } }: Context, clinicId: string, cause: string): Promise<void> =>
  transaction(async (tx) => {
    await tx`delete from staff_tasks where clinic_id = ${clinicId} and cause = ${cause} and state = 'OPEN'`;
    await tx`update staff_tasks set detail = detail - 'intent' where clinic_id = ${clinicId} and cause = ${cause}`;
  });

async function list(
  context: Context,
  clinicId: string,
  { limit, cursor, order = 'newest', ...filter }: TaskFilter & { limit: number; cursor?: string; order?: TaskOrder },
): Promise<PageOf<TaskRecord>> {
  const { prisma } = context.database;
  const cursors = cursorsIn(order, context.cursors);
  const { field, direction } = columnOf[order];
  const { after, by } = inDirection(field, direction, cursors.decode(cursor, clinicId));
  const rows = await prisma.staffTask.findMany({
    where: { AND: [whereOf(clinicId, filter), after] },
    orderBy: by,
    take: limit + 1,
    include: { patient: taskPerson },
  });
  return cursors.page(clinicId, await withMore(context, clinicId, rows), limit, (task) => ({
    at: task[field],
    id: task.id,
  }));
}

/** `turn`: by when a task is due and how urgent it is. */
const columnOf = {
  newest: { field: 'createdAt', direction: 'desc' },
  oldest: { field: 'createdAt', direction: 'asc' },
  due: { field: 'turn', direction: 'asc' },
  '-due': { field: 'turn', direction: 'desc' },
} as const satisfies Record<TaskOrder, { field: string; direction: 'asc' | 'desc' }>;

function countTasks({ database: { prisma } }: Context, clinicId: string, filter: TaskFilter): Promise<Total> {
  const { newest, countUpTo } = newestRows(prisma.staffTask, clinicId, 'createdAt');
  const { withoutAlarms, ...asked } = filter;
  const count = (conditions: TaskFilter) => countUpTo(whereOf(clinicId, { ...conditions, withoutAlarms }));
  return boundedTotal(asked, { newest, count });
}

/** The open tasks that were last given to somebody, the latest first. */
const latestAssigned = (
  { database: { sql } }: Context,
  clinicId: string,
  assigneeId: string,
  limit: number,
): Promise<AssignedTask[]> => sql<AssignedTask>`
  select id, reason, assigned_by as "assignedBy", assigned_at as "assignedAt" from staff_tasks
  where clinic_id = ${clinicId} and assignee_id = ${assigneeId} and state = 'OPEN' and assigned_by is not null and assigned_at is not null
  order by assigned_at desc limit ${limit}`;

/** Those of the clinic, in no order. */
async function findAll(context: Context, clinicId: string, ids: string[]): Promise<TaskRecord[]> {
  const { prisma } = context.database;
  const rows = await prisma.staffTask.findMany({
    where: { clinicId, id: { in: ids } },
    include: { patient: taskPerson },
  });
  return withMore(context, clinicId, rows);
}

/**
 * Makes one change to several tasks in one transaction, each only while it is of the `version` that is named with it, if one is.
 * By their ids.
 */
async function change(
  { database: { transaction } }: Context,
  clinicId: string,
  tasks: readonly { id: string; version?: number }[],
  { state, assigneeId, priority, dueOn, dueTime, outcome, withoutAlarms = false }: TaskChange,
  by?: Actor,
): Promise<Map<string, TaskChanged>> {
  const ids = tasks.map(({ id }) => id);
  return transaction(async (tx) => {
    // In one order, so that two changes to the same tasks wait for each other and not in a circle.
    const known = await tx<{ id: string }>`
      select id from staff_tasks where clinic_id = ${clinicId} and id = any(${ids})
        and not (${withoutAlarms} and reason = any(${[...alarmKinds]}))
      order by id for update`;
    const changed = await tx<{ id: string; reason: string; patientId: string | null }>`
      update staff_tasks t set
        state = coalesce(${state ?? null}, t.state),
        resolved_at = case coalesce(${state ?? null}, t.state) when 'OPEN' then null else coalesce(t.resolved_at, now()) end,
        assignee_id = case when ${assigneeId !== undefined}::boolean then ${assigneeId ?? null} else t.assignee_id end,
        assigned_by = case when ${assigneeId !== undefined}::boolean then ${(assigneeId && by?.actor) || null} else t.assigned_by end,
        assigned_at = case when ${assigneeId !== undefined}::boolean then case when ${Boolean(assigneeId)}::boolean then now() end else t.assigned_at end,
        priority = coalesce(${priority ?? null}, t.priority),
        due_on = case when ${dueOn !== undefined}::boolean then ${dueOn ?? null}::date else t.due_on end,
        due_time = case when ${dueOn !== undefined}::boolean then ${dueTime ?? null} else t.due_time end,
        outcome = coalesce(${outcome ?? null}, case when ${state ?? null}::text = 'OPEN' then null else t.outcome end)
      from json_to_recordset(${JSON.stringify(tasks)}::json) as asked(id text, version int)
      where t.clinic_id = ${clinicId} and t.id = asked.id and t.id = any(${known.map(({ id }) => id)})
        and (asked.version is null or asked.version = t.version)
      returning t.id, t.reason, t.patient_id as "patientId"`;
    const results = new Map<string, TaskChanged>(ids.map((id) => [id, 'unknown']));
    for (const { id } of known) results.set(id, 'changed_meanwhile');
    for (const { id, reason, patientId } of changed) {
      results.set(id, 'changed');
      const detail = { reason, state, assigneeId, priority, dueOn, dueTime, outcome };
      await audit(tx, by, { clinicId, action: 'task.change', subject: id, subjects: ofPatient(patientId), detail });
    }
    return results;
  });
}

const ofPatient = (patientId: string | null) => (patientId === null ? [] : [patientId]);

/** Keeps a note; the same `id` again changes nothing. False when the clinic has no such task. */
const addNote = (
  { database: { transaction } }: Context,
  { id, clinicId, taskId, note }: { id: string; clinicId: string; taskId: string; note: string },
  by: Actor,
): Promise<boolean> =>
  transaction(async (tx) => {
    const [task] = await tx<{ patientId: string | null }>`
      select patient_id as "patientId" from staff_tasks where clinic_id = ${clinicId} and id = ${taskId} for key share`;
    if (!task) return false;
    const [added] = await tx`
      insert into task_notes (id, clinic_id, task_id, written_by, note)
      values (${id}, ${clinicId}, ${taskId}, ${by.actor}, ${note})
      on conflict (id) do nothing returning id`;
    const subjects = ofPatient(task.patientId);
    if (added) await audit(tx, by, { clinicId, action: 'task.note', subject: taskId, subjects });
    return true;
  });

/** The latest first. */
const notes = (
  { database: { sql } }: Context,
  clinicId: string,
  taskId: string,
  limit: number,
): Promise<TaskNoteRecord[]> => sql<TaskNoteRecord>`
  select id, note, written_by as "writtenBy", created_at as "createdAt" from task_notes
  where clinic_id = ${clinicId} and task_id = ${taskId} order by created_at desc, id desc limit ${limit}`;

function whereOf(
  clinicId: string,
  { from, until, dueUntil, isDue, assigneeIds, withoutAlarms, ...conditions }: TaskFilter,
) {
  const [assigneeId, ...others] = assigneeIds ?? [];
  const isOneOf = others.length > 0 && [assigneeId, ...others].map((id) => ({ assigneeId: id }));
  return {
    clinicId,
    ...(withoutAlarms && { NOT: { reason: { in: [...alarmKinds] } } }),
    ...conditions,
    createdAt: { gte: from, lt: until },
    ...(dueUntil !== undefined && { dueOn: { lte: new Date(dueUntil) } }),
    ...(isDue !== undefined && { AND: [{ dueOn: isDue ? { not: null } : null }] }),
    ...(isOneOf ? { OR: isOneOf } : { assigneeId }),
  };
}

/** How many notes each of these tasks has; one without any is left out. */
async function countNotes(sql: Sql, clinicId: string, tasks: readonly { id: string }[]): Promise<Map<string, number>> {
  if (tasks.length === 0) return new Map();
  const counted = await sql<{ taskId: string; count: number }>`
    select task_id as "taskId", count(*)::int as count from task_notes
    where clinic_id = ${clinicId} and task_id = any(${tasks.map(({ id }) => id)}) group by task_id`;
  return new Map(counted.map(({ taskId, count }) => [taskId, count]));
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

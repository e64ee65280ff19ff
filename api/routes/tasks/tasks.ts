import {
  AssignedTasks,
  ListTasks,
  NewTaskNote,
  StaffAccounts,
  type StaffView,
  TaskChange,
  TaskConfirmation,
  TaskOutcome,
  TaskPriority,
  TaskReason,
  TaskRetry,
  TasksChange,
  TasksChanged,
  TaskState,
  TaskView,
  TaskWithNotes,
} from '@clinic/shared/contracts/tasks/tasks';
import { OptOutScope } from '@clinic/shared/contracts/outreach/calling-policy';
import { PreferredCallHoursView, PreferredLanguage } from '@clinic/shared/contracts/patients/patients';
import { toRole } from '@clinic/shared/domain/accounts/accounts';
import { fieldsOf } from '@clinic/shared/domain/json';
import { isTimeOrder } from '@clinic/shared/domain/list-order';
import { isAlarm } from '@clinic/shared/domain/tasks/alarms';
import { AppError } from '@clinic/shared/errors';
import type { StaffRecord } from '@clinic/prisma/stores/accounts/staff';
import type { TaskPerson, TaskRecord } from '@clinic/prisma/stores/tasks/tasks';
import { spanOf } from '../../clinic-span';
import { namesOf } from '../accounts/staff-names';
import { factsOf } from '../../http/facts';
import { countedPage, mapPage } from '../../http/list-route';
import type { CallerOf, Deps, Reply } from '../../http/route';
import { seesAlarms } from '../../http/sees-alarms';
import { confirmBooking, requestOf } from './confirm-booking';
import { failureOf, tryAgain } from './try-again';
import { routesOf } from '../../http/routes-of';

const routes = routesOf({ tag: 'Tasks', access: 'clinic', right: 'tasks' });

const MAX_NOTES = 100;
const MAX_ASSIGNED = 20;
const unknown = { description: 'No such task or account of this clinic' };

/** What the service leaves to people (docs/contract.md, 11). */
export const taskRoutes = [
  routes.list('/tasks', {
    patientData: { action: 'task.list' },
    summary: 'List tasks, newest first or as they are due',
    description:
      'Filters by state, reason, assignee and time; `assigneeId=none` finds what nobody has. `order=due` is the order in which open tasks are done. `total=true` counts on the first page.',
    query: ListTasks,
    item: TaskView,
    items: 'tasks',
    isCounted: true,
    subjectOf: ({ patient }) => patient?.id ?? null,
    async read(
      { caller, query: { limit, cursor, total, order, recoveryCaseId: caseId, from, until, ...query } },
      { stores },
    ) {
      const { clinicId } = caller;
      const { assigneeId, hasDueDate: isDue, state = isTimeOrder(order) ? undefined : 'OPEN', ...others } = query;
      const assigneeIds = assigneeId?.split(',').map((id) => (id === 'none' ? null : id));
      const span = await spanOf(stores, clinicId, { from, until });
      const filter = { ...others, ...span, state, caseId, assigneeIds, isDue, withoutAlarms: !seesAlarms(caller) };
      const [page, names] = await Promise.all([
        countedPage(stores.tasks, { clinicId, filter, page: { order, limit, cursor }, total }),
        namesOf(stores, clinicId),
      ]);
      return mapPage(page, (task) => toTask(task, names));
    },
  }),
  routes.get('/tasks/assigned', {
    patientData: 'none',
    summary: 'The open tasks that were last given to you, and by whom',
    description: 'Twenty at most, the latest first. They name no patient: `GET /tasks/{id}` does.',
    responses: { 200: { description: 'The tasks', schema: AssignedTasks } },
    async handle({ caller: { clinicId, accountId }, by }, { stores }) {
      const [tasks, names] = await Promise.all([
        stores.tasks.latestAssigned(clinicId, accountId, MAX_ASSIGNED),
        namesOf(stores, clinicId),
      ]);
      const items = tasks.map(({ id, reason, assignedBy, assignedAt }) => ({
        id,
        reason: TaskReason.parse(reason),
        assignedBy: whoIs(assignedBy, names),
        isByOneself: assignedBy === by.actor,
        assignedAt: assignedAt.toISOString(),
      }));
      return { body: { items } };
    },
  }),
  routes.get('/tasks/:taskId', {
    patientData: { action: 'task.read' },
    summary: 'One task with its notes',
    description:
      '`reason` is a word of a set that may grow: treat an unknown one as "other". `version` is what a change names.',
    responses: { 200: { description: 'The task', schema: TaskWithNotes }, 404: unknown },
    handle: ({ caller, params: { taskId } }, { stores }) => detailOf({ stores }, caller, taskId),
  }),
  routes.patch('/tasks/:taskId', {
    summary: 'Assign, resolve or reopen a task, or say how urgent it is and until when',
    description:
      'Name the `version` that was read: where somebody else has changed it since, it is 409 and nothing is changed. Without `version` the last one wins.',
    body: TaskChange,
    responses: {
      200: { description: 'The task', schema: TaskView },
      404: unknown,
      409: { description: 'It is no longer of the `version` that was to be changed' },
    },
    async handle({ caller, params: { taskId }, body: { version, ...change }, by }, { stores }) {
      const { clinicId } = caller;
      await taskOf({ stores }, caller, taskId);
      await mayHave({ stores }, clinicId, change.assigneeId);
      const results = await stores.tasks.change(clinicId, [{ id: taskId, version }], change, by);
      const result = results.get(taskId);
      if (result === 'changed_meanwhile') {
        throw new AppError('conflict', 'Somebody else has changed this task meanwhile');
      }
      const task = result === 'changed' && (await stores.tasks.find(clinicId, taskId));
      if (!task) throw missing(taskId);
      return { body: toTask(task, await namesOf(stores, clinicId)) };
    },
  }),
  routes.post('/tasks/changes', {
    summary: 'Make the same change to up to a hundred tasks',
    description:
      'All of them in one transaction. A task that is not there, or that somebody else has changed since the `version` that is named, ' +
      'is left as it is, and the others are changed: `items` says which.',
    body: TasksChange,
    responses: {
      200: { description: 'What became of each', schema: TasksChanged },
      404: { description: 'No such account of this clinic' },
    },
    async handle({ caller, body: { tasks, change }, by }, { stores }) {
      const { clinicId } = caller;
      await mayHave({ stores }, clinicId, change.assigneeId);
      const withoutAlarms = !seesAlarms(caller);
      const results = await stores.tasks.change(clinicId, tasks, { ...change, withoutAlarms }, by);
      const [found, names] = await Promise.all([
        stores.tasks.findAll(
          clinicId,
          [...results.keys()].filter((id) => results.get(id) !== 'unknown'),
        ),
        namesOf(stores, clinicId),
      ]);
      const byId = new Map(found.map((task) => [task.id, toTask(task, names)]));
      const items = [...results].map(([id, result]) => ({ id, result, task: byId.get(id) ?? null }));
      return { body: { items } };
    },
  }),
  routes.post('/tasks/:taskId/notes', {
    patientData: { action: 'task.read' },
    summary: 'Write a note to a task',
    description: 'Without an `Idempotency-Key` a repetition is another note.',
    body: NewTaskNote,
    isIdempotent: true,
    responses: { 200: { description: 'The task with its notes', schema: TaskWithNotes }, 404: unknown },
    async handle({ caller, params: { taskId }, body: { note }, idOfNew: id, by }, { stores }) {
      const { clinicId } = caller;
      await taskOf({ stores }, caller, taskId);
      const isAdded = await stores.tasks.addNote({ id, clinicId, taskId, note }, by);
      if (!isAdded) throw missing(taskId);
      return detailOf({ stores }, caller, taskId);
    },
  }),
  routes.post('/tasks/:taskId/retry', {
    summary: 'Try again what failed: telling the clinic’s own system, or the CRM',
    description:
      'What is told is how it stands now. It is told under the same key as before, so that nothing is made twice.',
    responses: {
      200: { description: 'What came of it', schema: TaskRetry },
      404: unknown,
      409: { description: 'The task is resolved, or of a kind that cannot be tried again' },
    },
    async handle({ caller, params: { taskId }, by, signal }, { stores, systems }) {
      const { clinicId } = caller;
      const found = await taskOf({ stores }, caller, taskId);
      const failure = failureOf(found);
      if (!failure) throw new AppError('conflict', 'This task is resolved, or there is nothing to be tried again');
      const failed = await tryAgain({ stores, systems }, clinicId, failure, signal);
      const isDone = failed === null;
      await stores.audit.write({
        clinicId,
        ...by,
        action: 'task.retry',
        subject: taskId,
        detail: { isDone },
      });
      if (isDone) await stores.tasks.change(clinicId, [{ id: taskId }], { state: 'RESOLVED' }, by);
      const task = await stores.tasks.find(clinicId, taskId);
      const { reason, said } = failed ?? { reason: null, said: null };
      return { body: { isDone, reason, said, task: toTask(task ?? found, await namesOf(stores, clinicId)) } };
    },
  }),
  routes.post('/tasks/:taskId/confirm', {
    patientData: { action: 'task.read' },
    summary: 'Book the time that a caller asked for',
    description:
      'Where the calling policy has `confirmsBookings`, an unverified caller only asks for a time; this books it on the calendar that the call acted on. Asked again, it books once.',
    responses: {
      200: { description: 'What came of it', schema: TaskConfirmation },
      404: unknown,
      409: { description: 'The task is resolved, or nobody asked for a time in it' },
    },
    async handle({ caller, params: { taskId }, by }, { stores, systems }) {
      const { clinicId } = caller;
      const found = await taskOf({ stores }, caller, taskId);
      const request = requestOf(found);
      if (!request) throw new AppError('conflict', 'This task is resolved, or nobody asked for a time in it');
      const confirmed = await confirmBooking({ stores, systems }, clinicId, request);
      if (confirmed.isDone) {
        const { patientId: subject } = found;
        const detail = { taskId, appointmentId: confirmed.appointmentId };
        // First: nobody confirms a task again that is resolved.
        await stores.audit.write({
          clinicId,
          ...by,
          action: 'appointment.book',
          subject: subject ?? undefined,
          detail,
        });
        await stores.tasks.change(clinicId, [{ id: taskId }], { state: 'RESOLVED' }, by);
      }
      const task = (await stores.tasks.find(clinicId, taskId)) ?? found;
      const body: TaskConfirmation = { ...confirmed, task: toTask(task, await namesOf(stores, clinicId)) };
      return { body, subjects: [task.patientId] };
    },
  }),
  routes.get('/staff', {
    right: 'dashboard',
    patientData: 'none',
    summary: 'The accounts of this clinic, to whom tasks can be assigned',
    description: 'Those who may sign in now: a disabled account is left out.',
    responses: { 200: { description: 'The accounts', schema: StaffAccounts } },
    async handle({ caller: { clinicId } }, { stores }) {
      const accounts = await stores.staff.list(clinicId);
      return { body: { items: accounts.filter(({ isOpen }) => isOpen).map(toStaff) } };
    },
  }),
];

/** Throws `not_found` also where it is an alarm that the caller is not shown. */
async function taskOf({ stores }: Deps<'stores'>, caller: CallerOf<'clinic'>, taskId: string): Promise<TaskRecord> {
  const found = await stores.tasks.find(caller.clinicId, taskId);
  if (!found || (isAlarm(found.reason) && !seesAlarms(caller))) throw missing(taskId);
  return found;
}

const missing = (taskId: string) => new AppError('not_found', `Task ${taskId} not found`);

/** Throws where a task is to be given to somebody who is no open account of the clinic. */
const mayHave = async ({ stores }: Deps<'stores'>, clinicId: string, assigneeId: string | null | undefined) => {
  if (assigneeId && !(await stores.staff.find(clinicId, assigneeId))?.isOpen) {
    throw new AppError('not_found', `Account ${assigneeId} not found`);
  }
};

const detailOf = async ({ stores }: Deps<'stores'>, caller: CallerOf<'clinic'>, taskId: string): Promise<Reply> => {
  const { clinicId } = caller;
  const [task, notes, names] = await Promise.all([
    taskOf({ stores }, caller, taskId),
    stores.tasks.notes(clinicId, taskId, MAX_NOTES),
    namesOf(stores, clinicId),
  ]);
  const body: TaskWithNotes = {
    ...toTask(task, names),
    notes: notes.map(({ writtenBy, createdAt, ...note }) => ({
      ...note,
      writtenBy: whoIs(writtenBy, names),
      createdAt: createdAt.toISOString(),
    })),
  };
  return { body, subjects: [task.patientId] };
};

export function toTask(task: TaskRecord, names: ReadonlyMap<string, string>): TaskView {
  const { id, reason, assigneeId, patient, callId, caseId, workflowId, detail, createdAt, resolvedAt } = task;
  return {
    id,
    reason: TaskReason.parse(reason),
    patient: patient && toPerson(patient, task.optOutScope),
    callId,
    recoveryCaseId: caseId,
    workflowId,
    state: TaskState.parse(task.state),
    assignee: assigneeId === null ? null : { id: assigneeId, name: names.get(assigneeId) ?? 'Former account' },
    barrier: factsOf(task.barrier),
    priority: TaskPriority.parse(task.priority),
    dueOn: task.dueOn?.toISOString().slice(0, 10) ?? null,
    dueTime: task.dueTime,
    outcome: task.outcome === null ? null : TaskOutcome.parse(task.outcome),
    noteCount: task.noteCount,
    version: task.version,
    detail: withNames(fieldsOf(detail), names),
    canConfirm: requestOf(task) !== null,
    canRetry: failureOf(task) !== null,
    createdAt: createdAt.toISOString(),
    resolvedAt: resolvedAt?.toISOString() ?? null,
  };
}

const toPerson = (
  { birthDate, preferredCallHours, preferredLanguage, ...person }: TaskPerson,
  optOutScope: string | null,
): NonNullable<TaskView['patient']> => ({
  ...person,
  dateOfBirth: birthDate,
  preferredCallHours: PreferredCallHoursView.nullable().parse(preferredCallHours),
  preferredLanguage: PreferredLanguage.nullable().parse(preferredLanguage),
  optOut: OptOutScope.nullable().parse(optOutScope),
});

/** Who did something, as staff know them: by name where it was one of them. */
export function whoIs(actor: string, names: ReadonlyMap<string, string>): string {
  const [kind, id = ''] = actor.split(':');
  if (kind === 'account') return names.get(id) ?? 'Former account';
  return kind === 'api-key' ? 'Your system, over the API' : 'An operator of the service';
}

/** Who did it, by name: in place of who cancelled, and beside `actor`, by which the audit is searched. */
const withNames = (detail: Record<string, unknown>, names: ReadonlyMap<string, string>): Record<string, unknown> => ({
  ...detail,
  ...(typeof detail.cancelledBy === 'string' && { cancelledBy: whoIs(detail.cancelledBy, names) }),
  ...(typeof detail.actor === 'string' && { who: whoIs(detail.actor, names) }),
});

const toStaff = ({ id, name, email, role }: StaffRecord): StaffView => ({
  id,
  name,
  email,
  role: toRole(role),
});

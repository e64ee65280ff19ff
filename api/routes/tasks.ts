import {
  ListTasks,
  NewTaskNote,
  StaffAccounts,
  type StaffView,
  TaskChange,
  TaskPriority,
  TaskReason,
  TaskRetry,
  TasksChange,
  TasksChanged,
  TaskState,
  TaskView,
  TaskWithNotes,
} from '@clinic/shared/contracts/tasks';
import { AppError } from '@clinic/shared/errors';
import type { StaffRecord } from '@clinic/prisma/stores/staff';
import type { TaskRecord } from '@clinic/prisma/stores/tasks';
import { z } from 'zod';
import { factsOf } from '../http/facts';
import { countedPage, listRoute, mapPage } from '../http/list-route';
import { actorOf, type Reply, route, type Route } from '../http/route';
import type { RouteDeps } from '../route-deps';
import { momentOf } from './appointments';
import { failureOf, tryAgain } from './try-again';

const tag = 'Tasks';
const TaskPath = z.object({ taskId: z.string() });
const MAX_NOTES = 100;
const unknown = { description: 'No such task or account of this clinic' };

/** What the service leaves to people (decisions, section 11). */
export function taskRoutes(deps: RouteDeps): Route[] {
  const { stores } = deps;
  const namesOf = async (clinicId: string) => {
    const staff = await stores.staff.list(clinicId);
    return new Map(staff.map(({ id, name }) => [id, name]));
  };
  const missing = (taskId: string) => new AppError('not_found', `Task ${taskId} not found`);
  /** Throws where a task is to be given to somebody who is no open account of the clinic. */
  const mayHave = async (clinicId: string, assigneeId: string | null | undefined) => {
    if (assigneeId && !(await stores.staff.find(clinicId, assigneeId))?.isOpen) {
      throw new AppError('not_found', `Account ${assigneeId} not found`);
    }
  };
  const detail = async (clinicId: string, taskId: string): Promise<Reply> => {
    const [task, notes, names] = await Promise.all([
      stores.tasks.find(clinicId, taskId),
      stores.tasks.notes(clinicId, taskId, MAX_NOTES),
      namesOf(clinicId),
    ]);
    if (!task) throw missing(taskId);
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

  return [
    listRoute({
      path: '/tasks',
      access: 'clinic',
      patientData: { action: 'task.list' },
      tag,
      summary: 'List tasks, newest first',
      query: ListTasks,
      item: TaskView,
      items: 'tasks',
      isCounted: true,
      subjectOf: ({ patient }) => patient?.id ?? null,
      async read({
        caller: { clinicId },
        query: { limit, cursor, total, recoveryCaseId: caseId, from, until, ...query },
      }) {
        const zone = (await stores.agendas.of(clinicId))?.zone ?? 'UTC';
        const assigneeId = query.assigneeId === 'none' ? null : query.assigneeId;
        const span = { from: momentOf('from', from, zone), until: momentOf('until', until, zone) };
        const filter = { ...query, ...span, caseId, assigneeId };
        const [page, names] = await Promise.all([
          countedPage(
            { cursor, total },
            {
              list: () => stores.tasks.list(clinicId, { ...filter, limit, cursor }),
              count: () => stores.tasks.count(clinicId, filter),
            },
          ),
          namesOf(clinicId),
        ]);
        return mapPage(page, (task) => toTask(task, names));
      },
    }),
    route({
      method: 'get',
      path: '/tasks/:taskId',
      access: 'clinic',
      patientData: { action: 'task.read' },
      tag,
      summary: 'One task with its notes',
      params: TaskPath,
      responses: { 200: { description: 'The task', schema: TaskWithNotes }, 404: unknown },
      handle: ({ caller: { clinicId }, params: { taskId } }) => detail(clinicId, taskId),
    }),
    route({
      method: 'patch',
      path: '/tasks/:taskId',
      access: 'clinic',
      tag,
      summary: 'Assign, resolve or reopen a task, or say how urgent it is and until when',
      params: TaskPath,
      body: TaskChange,
      responses: {
        200: { description: 'The task', schema: TaskView },
        404: unknown,
        409: { description: 'It is no longer of the `version` that was to be changed' },
      },
      async handle({ caller, params: { taskId }, body: { version, ...change }, requestId }) {
        const { clinicId } = caller;
        if (!(await stores.tasks.find(clinicId, taskId))) throw missing(taskId);
        await mayHave(clinicId, change.assigneeId);
        const by = actorOf(caller, requestId);
        const results = await stores.tasks.change(clinicId, [{ id: taskId, version }], change, by);
        const result = results.get(taskId);
        if (result === 'changed_meanwhile') {
          throw new AppError('conflict', 'Somebody else has changed this task meanwhile');
        }
        const task = result === 'changed' && (await stores.tasks.find(clinicId, taskId));
        if (!task) throw missing(taskId);
        return { body: toTask(task, await namesOf(clinicId)) };
      },
    }),
    route({
      method: 'post',
      path: '/tasks/changes',
      access: 'clinic',
      tag,
      summary: 'Make the same change to up to a hundred tasks',
      description:
        'All of them in one transaction. A task that is not there, or that somebody else has changed since the `version` that is named, ' +
        'is left as it is, and the others are changed: `items` says which.',
      body: TasksChange,
      responses: {
        200: { description: 'What became of each', schema: TasksChanged },
        404: { description: 'No such account of this clinic' },
      },
      async handle({ caller, body: { tasks, change }, requestId }) {
        const { clinicId } = caller;
        await mayHave(clinicId, change.assigneeId);
        const results = await stores.tasks.change(clinicId, tasks, change, actorOf(caller, requestId));
        const [found, names] = await Promise.all([
          stores.tasks.findAll(clinicId, [...results.keys()]),
          namesOf(clinicId),
        ]);
        const byId = new Map(found.map((task) => [task.id, toTask(task, names)]));
        const items = [...results].map(([id, result]) => ({ id, result, task: byId.get(id) ?? null }));
        return { body: { items } };
      },
    }),
    route({
      method: 'post',
      path: '/tasks/:taskId/notes',
      access: 'clinic',
      patientData: { action: 'task.read' },
      tag,
      summary: 'Write a note to a task',
      params: TaskPath,
      body: NewTaskNote,
      isIdempotent: true,
      responses: { 200: { description: 'The task with its notes', schema: TaskWithNotes }, 404: unknown },
      async handle({ caller, params: { taskId }, body: { note }, idOfNew: id, requestId }) {
        const { clinicId } = caller;
        const isAdded = await stores.tasks.addNote({ id, clinicId, taskId, note }, actorOf(caller, requestId));
        if (!isAdded) throw missing(taskId);
        return detail(clinicId, taskId);
      },
    }),
    route({
      method: 'post',
      path: '/tasks/:taskId/retry',
      access: 'clinic',
      tag,
      summary: 'Try again what failed: telling the clinic’s own system, or the CRM',
      description:
        'What is told is how it stands now. It is told under the same key as before, so that nothing is made twice.',
      params: TaskPath,
      responses: {
        200: { description: 'What came of it', schema: TaskRetry },
        404: unknown,
        409: { description: 'The task is resolved, or of a kind that cannot be tried again' },
      },
      async handle({ caller, params: { taskId }, requestId, signal }) {
        const { clinicId } = caller;
        const found = await stores.tasks.find(clinicId, taskId);
        if (!found) throw missing(taskId);
        const failure = failureOf(found);
        if (!failure) throw new AppError('conflict', 'This task is resolved, or there is nothing to be tried again');
        const why = await tryAgain(deps, clinicId, failure, signal);
        const by = actorOf(caller, requestId);
        await stores.audit.write({
          clinicId,
          ...by,
          action: 'task.retry',
          subject: taskId,
          detail: { isDone: why === null },
        });
        if (why === null) await stores.tasks.change(clinicId, [{ id: taskId }], { state: 'RESOLVED' }, by);
        const task = await stores.tasks.find(clinicId, taskId);
        const message = why === null ? 'It was taken.' : `It failed again: ${why}`;
        return { body: { isDone: why === null, message, task: toTask(task ?? found, await namesOf(clinicId)) } };
      },
    }),
    route({
      method: 'get',
      path: '/staff',
      access: 'clinic',
      patientData: 'none',
      tag,
      summary: 'The accounts of this clinic, to whom tasks can be assigned',
      responses: { 200: { description: 'The accounts', schema: StaffAccounts } },
      async handle({ caller }) {
        const accounts = await stores.staff.list(caller.clinicId);
        return { body: { items: accounts.filter(({ isOpen }) => isOpen).map(toStaff) } };
      },
    }),
  ];
}

export function toTask(task: TaskRecord, names: ReadonlyMap<string, string>): TaskView {
  const { id, reason, assigneeId, patient, callId, caseId, workflowId, detail, createdAt, resolvedAt } = task;
  return {
    id,
    reason: TaskReason.parse(reason),
    patient,
    callId,
    recoveryCaseId: caseId,
    workflowId,
    state: TaskState.parse(task.state),
    assignee: assigneeId === null ? null : { id: assigneeId, name: names.get(assigneeId) ?? 'Former account' },
    barrier: factsOf(task.barrier),
    priority: TaskPriority.parse(task.priority),
    dueOn: task.dueOn?.toISOString().slice(0, 10) ?? null,
    noteCount: task.noteCount,
    version: task.version,
    detail: withNames(factsOf(detail) ?? {}, names),
    canRetry: failureOf(task) !== null,
    createdAt: createdAt.toISOString(),
    resolvedAt: resolvedAt?.toISOString() ?? null,
  };
}

/** Who did something, as staff know them: by name where it was one of them. */
export function whoIs(actor: string, names: ReadonlyMap<string, string>): string {
  const [kind, id = ''] = actor.split(':');
  if (kind === 'account') return names.get(id) ?? 'Former account';
  return kind === 'api-key' ? 'Your system, over the API' : 'An operator of the service';
}

const withNames = (detail: Record<string, unknown>, names: ReadonlyMap<string, string>): Record<string, unknown> =>
  typeof detail.cancelledBy === 'string' ? { ...detail, cancelledBy: whoIs(detail.cancelledBy, names) } : detail;

const toStaff = ({ id, name, email, role }: StaffRecord): StaffView => ({
  id,
  name,
  email,
  role: role === 'admin' ? 'admin' : 'staff',
});

import {
  ListTasks,
  StaffAccounts,
  type StaffView,
  TaskChange,
  TaskReason,
  TaskRetry,
  TaskState,
  TaskView,
} from '@clinic/shared/contracts/tasks';
import { AppError } from '@clinic/shared/errors';
import type { StaffRecord } from '@clinic/prisma/stores/staff';
import type { TaskRecord } from '@clinic/prisma/stores/tasks';
import { z } from 'zod';
import { factsOf } from '../http/facts';
import { listRoute, mapPage } from '../http/list-route';
import { actorOf, route, type Route } from '../http/route';
import type { RouteDeps } from '../route-deps';
import { momentOf } from './appointments';
import { failureOf, tryAgain } from './try-again';

const tag = 'Tasks';
const unknown = { description: 'No such task or account of this clinic' };

/** What the service leaves to people (decisions, section 11). */
export function taskRoutes(deps: RouteDeps): Route[] {
  const { stores } = deps;
  const namesOf = async (clinicId: string) => {
    const staff = await stores.staff.list(clinicId);
    return new Map(staff.map(({ id, name }) => [id, name]));
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
      subjectOf: ({ patient }) => patient?.id ?? null,
      async read({ caller: { clinicId }, query: { recoveryCaseId: caseId, from, until, ...query } }) {
        const zone = (await stores.agendas.of(clinicId))?.zone ?? 'UTC';
        const assigneeId = query.assigneeId === 'none' ? null : query.assigneeId;
        const [page, names] = await Promise.all([
          stores.tasks.list(clinicId, {
            ...query,
            caseId,
            assigneeId,
            from: momentOf('from', from, zone),
            until: momentOf('until', until, zone),
          }),
          namesOf(clinicId),
        ]);
        return mapPage(page, (task) => toTask(task, names));
      },
    }),
    route({
      method: 'patch',
      path: '/tasks/:taskId',
      access: 'clinic',
      tag,
      summary: 'Assign, resolve or reopen a task',
      params: z.object({ taskId: z.string() }),
      body: TaskChange,
      responses: { 200: { description: 'The task', schema: TaskView }, 404: unknown },
      async handle({ caller, params: { taskId }, body, requestId }) {
        const { clinicId } = caller;
        const missing = new AppError('not_found', `Task ${taskId} not found`);
        if (!(await stores.tasks.find(clinicId, taskId))) throw missing;
        if (body.assigneeId && !(await stores.staff.find(clinicId, body.assigneeId))?.isOpen) {
          throw new AppError('not_found', `Account ${body.assigneeId} not found`);
        }
        const task = await stores.tasks.update(clinicId, taskId, body, actorOf(caller, requestId));
        if (!task) throw missing;
        return { body: toTask(task, await namesOf(clinicId)) };
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
      params: z.object({ taskId: z.string() }),
      responses: {
        200: { description: 'What came of it', schema: TaskRetry },
        404: unknown,
        409: { description: 'The task is resolved, or of a kind that cannot be tried again' },
      },
      async handle({ caller, params: { taskId }, requestId, signal }) {
        const { clinicId } = caller;
        const found = await stores.tasks.find(clinicId, taskId);
        if (!found) throw new AppError('not_found', `Task ${taskId} not found`);
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
        const task = why === null ? await stores.tasks.update(clinicId, taskId, { state: 'RESOLVED' }, by) : found;
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

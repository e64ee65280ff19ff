import { Instant, Page } from '@clinic/shared/contracts/primitives';
import { AppError } from '@clinic/shared/errors';
import type { Stores } from '@clinic/prisma/stores';
import type { StaffRecord } from '@clinic/prisma/stores/staff';
import type { TaskRecord } from '@clinic/prisma/stores/tasks';
import { z } from 'zod';
import { Id, objectOf, pageOf, Person } from '../http/listing';
import { actorOf, route, type Route } from '../http/route';

const tag = 'Tasks';
const TaskState = z.enum(['OPEN', 'RESOLVED']);
const unknown = { description: 'No such task or account of this clinic' };

const Staff = z
  .object({ id: z.string(), name: z.string(), email: z.string(), role: z.enum(['admin', 'staff']) })
  .meta({ id: 'StaffAccount' });

export const TaskView = z
  .object({
    id: z.string(),
    reason: z.string().describe('As billing_escalation, clinical_escalation, unreadable_phone, crm_sync_failed'),
    state: TaskState,
    assignee: z.object({ id: z.string(), name: z.string() }).nullable(),
    patient: Person.nullable(),
    callId: z.string().nullable(),
    recoveryCaseId: z.string().nullable(),
    workflowId: z.string().nullable(),
    detail: z.record(z.string(), z.unknown()),
    createdAt: Instant,
    resolvedAt: Instant.nullable(),
  })
  .meta({ id: 'Task' });

const ChangeTask = z
  .strictObject({
    state: TaskState.optional().describe('RESOLVED resolves, OPEN reopens'),
    assigneeId: Id.nullable().optional().describe('An account of this clinic; null takes the task from whoever has it'),
  })
  .refine((change) => Object.keys(change).length > 0, 'must change something: state or assigneeId');

/** What the service leaves to people (decisions, section 11). */
export function taskRoutes({ stores }: { stores: Stores }): Route[] {
  const namesOf = async (clinicId: string) => {
    const staff = await stores.staff.list(clinicId);
    return new Map(staff.map(({ id, name }) => [id, name]));
  };

  return [
    route({
      method: 'get',
      path: '/tasks',
      access: 'clinic',
      tag,
      summary: 'List tasks, newest first',
      query: Page.extend({
        state: TaskState.optional(),
        reason: z.string().max(100).optional(),
        assigneeId: Id.optional().describe('An account, or `none` for tasks that nobody has'),
        patientId: Id.optional(),
        recoveryCaseId: Id.optional(),
      }),
      responses: { 200: { description: 'A page of tasks', schema: pageOf(TaskView) } },
      async handle({ caller: { clinicId }, query: { recoveryCaseId: caseId, ...query } }) {
        const assigneeId = query.assigneeId === 'none' ? null : query.assigneeId;
        const [{ items, nextCursor }, names] = await Promise.all([
          stores.tasks.list(clinicId, { ...query, caseId, assigneeId }),
          namesOf(clinicId),
        ]);
        return { body: { items: items.map((task) => toTask(task, names)), nextCursor } };
      },
    }),
    route({
      method: 'patch',
      path: '/tasks/:taskId',
      access: 'clinic',
      tag,
      summary: 'Assign, resolve or reopen a task',
      params: z.object({ taskId: z.string() }),
      body: ChangeTask,
      responses: { 200: { description: 'The task', schema: TaskView }, 404: unknown },
      async handle({ caller, params: { taskId }, body, requestId }) {
        const { clinicId } = caller;
        const missing = new AppError('not_found', `Task ${taskId} not found`);
        if (!(await stores.tasks.find(clinicId, taskId))) throw missing;
        if (body.assigneeId && !(await stores.staff.find(clinicId, body.assigneeId))) {
          throw new AppError('not_found', `Account ${body.assigneeId} not found`);
        }
        const task = await stores.tasks.update(clinicId, taskId, body, actorOf(caller, requestId));
        if (!task) throw missing;
        return { body: toTask(task, await namesOf(clinicId)) };
      },
    }),
    route({
      method: 'get',
      path: '/staff',
      access: 'clinic',
      tag,
      summary: 'The accounts of this clinic, to whom tasks can be assigned',
      responses: { 200: { description: 'The accounts', schema: z.object({ items: z.array(Staff) }) } },
      handle: async ({ caller }) => ({ body: { items: (await stores.staff.list(caller.clinicId)).map(toStaff) } }),
    }),
  ];
}

export function toTask(task: TaskRecord, names: ReadonlyMap<string, string>): z.input<typeof TaskView> {
  const { id, reason, assigneeId, patient, callId, caseId, workflowId, detail, createdAt, resolvedAt } = task;
  return {
    id,
    reason,
    patient,
    callId,
    recoveryCaseId: caseId,
    workflowId,
    state: TaskState.parse(task.state),
    assignee: assigneeId === null ? null : { id: assigneeId, name: names.get(assigneeId) ?? 'Former account' },
    detail: objectOf(detail) ?? {},
    createdAt: createdAt.toISOString(),
    resolvedAt: resolvedAt?.toISOString() ?? null,
  };
}

const toStaff = ({ id, name, email, role }: StaffRecord): z.input<typeof Staff> => ({
  id,
  name,
  email,
  role: role === 'admin' ? 'admin' : 'staff',
});

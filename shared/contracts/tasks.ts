import { z } from 'zod';
import { taskReasons, taskStates } from '../domain/task';
import { PatientName } from './patients';
import { Facts, Id, Instant, Moment, Page } from './primitives';
import { Role } from './accounts';

export const TaskReason = z.enum(taskReasons).meta({ id: 'TaskReason' });
export const TaskState = z.enum(taskStates).meta({ id: 'TaskState' });

/** `GET /api/tasks`. */
export const ListTasks = Page.extend({
  state: TaskState.optional(),
  reason: TaskReason.optional(),
  assigneeId: Id.optional().describe('An account, or `none` for tasks that nobody has'),
  patientId: Id.optional(),
  recoveryCaseId: Id.optional(),
  from: Moment.optional().describe('Opened on this day of the clinic, at this instant, or later'),
  until: Moment.optional().describe('Opened before'),
});

/** `PATCH /api/tasks/{id}`. */
export const TaskChange = z
  .strictObject({
    state: TaskState.optional().describe('RESOLVED resolves, OPEN reopens'),
    assigneeId: Id.nullable().optional().describe('An account of this clinic; null takes the task from whoever has it'),
  })
  .refine((change) => Object.keys(change).length > 0, 'must change something: state or assigneeId');

export const TaskView = z
  .object({
    id: z.string(),
    reason: TaskReason,
    state: TaskState,
    assignee: z.object({ id: z.string(), name: z.string() }).nullable(),
    patient: PatientName.extend({ phone: z.string().nullable() }).meta({ id: 'TaskPatient' }).nullable(),
    callId: z.string().nullable(),
    recoveryCaseId: z.string().nullable(),
    workflowId: z.string().nullable(),
    barrier: Facts.nullable().describe('Why the patient of its case stopped, in the words of the call'),
    detail: Facts,
    canRetry: z.boolean().describe('What failed can be tried again with `POST …/retry`'),
    createdAt: Instant,
    resolvedAt: Instant.nullable(),
  })
  .meta({ id: 'Task' });
export type TaskView = z.infer<typeof TaskView>;

/** `POST /api/tasks/{id}/retry`. */
export const TaskRetry = z
  .object({
    isDone: z.boolean().describe('The task is then resolved'),
    message: z.string().describe('What came of it, as a sentence'),
    task: TaskView,
  })
  .meta({ id: 'TaskRetry' });

const StaffView = z
  .object({ id: z.string(), name: z.string(), email: z.string(), role: Role })
  .meta({ id: 'StaffAccount' });
export type StaffView = z.infer<typeof StaffView>;

/** `GET /api/staff`. */
export const StaffAccounts = z.object({ items: z.array(StaffView) });

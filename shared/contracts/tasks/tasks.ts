import { z } from 'zod';
import { taskOrders } from '../../domain/list-order';
import { taskOutcomes, taskPriorities, taskReasons, taskStates } from '../../domain/tasks/task';
import { OptOutScope } from '../outreach/calling-policy';
import { PatientName, PreferredCallHoursView, PreferredLanguage } from '../patients/patients';
import {
  CountedPage,
  DateText,
  Facts,
  Flag,
  Id,
  Instant,
  isUnique,
  Moment,
  orderOf,
  Prose,
  TimeText,
} from '../primitives';
import { Role } from '../accounts/accounts';

export const TaskReason = z.enum(taskReasons).meta({ id: 'TaskReason' });
export const TaskState = z.enum(taskStates).meta({ id: 'TaskState' });
export const TaskPriority = z.enum(taskPriorities).meta({ id: 'TaskPriority' });
export const TaskOutcome = z
  .enum(taskOutcomes)
  .describe('What a call about the task came to. After try_later the task stays open, due at another time')
  .meta({ id: 'TaskOutcome' });

/** `GET /api/tasks`. */
export const ListTasks = CountedPage.extend({
  state: TaskState.optional(),
  reason: TaskReason.optional(),
  assigneeId: z
    .string()
    .max(401)
    .regex(/^[^,]{1,200}(,[^,]{1,200})?$/, 'must be one id or two, with a comma between')
    .optional()
    .describe('An account, `none` for tasks that nobody has, or both with a comma between'),
  patientId: Id.optional(),
  recoveryCaseId: Id.optional(),
  priority: TaskPriority.optional(),
  order: orderOf(taskOrders).describe(
    'due: open tasks (unless `state` says otherwise), the first that is due first, of those the most urgent; those without a due date come last. -due: the other way round',
  ),
  hasDueDate: Flag.optional(),
  dueUntil: DateText.optional().describe("Due on this day of the clinic's calendar, or before"),
  from: Moment.optional().describe('Opened on this day of the clinic, at this instant, or later'),
  until: Moment.optional().describe('Opened before'),
});

const changes = {
  state: TaskState.optional().describe('RESOLVED resolves, OPEN reopens'),
  assigneeId: Id.nullable()
    .optional()
    .describe('An account of this clinic; null takes the task from the person who has it'),
  priority: TaskPriority.optional(),
  dueOn: DateText.nullable().optional().describe("A day of the clinic's calendar; null for none"),
  dueTime: TimeText.nullable().optional().describe('At that time of the day; a day that is set without it has none'),
  outcome: TaskOutcome.optional().describe(
    'What a call came to. `spoke`, `voicemail` and `no_answer` come with the state RESOLVED, `try_later` with `dueOn`',
  ),
};
const Changes = z.strictObject(changes);
type Changes = z.infer<typeof Changes>;

/** What a change lacks, or says twice in different ways. */
function checkChange(change: Changes, { addIssue }: z.RefinementCtx): void {
  const { state, dueOn, dueTime, outcome } = change;
  const refuse = (name: string, message: string) => addIssue({ code: 'custom', path: [name], message });
  const isChange = Object.keys(changes).some((name) => name in change);
  if (!isChange) addIssue({ code: 'custom', message: `must change something: ${Object.keys(changes).join(', ')}` });
  if (dueTime && !dueOn) refuse('dueTime', 'must come with dueOn');
  if (outcome === undefined) return;
  if (outcome === 'try_later') {
    if (!dueOn) refuse('dueOn', 'must say when it is tried again');
    if (state === 'RESOLVED') refuse('state', 'must not be RESOLVED where it is tried again');
  } else if (state !== 'RESOLVED') refuse('state', `must be RESOLVED with the outcome ${outcome}`);
}
const Version = z.int().min(1).max(2_147_483_647);

/** `PATCH /api/tasks/{id}`. */
export const TaskChange = Changes.extend({
  version: Version.optional().describe(
    'The version of the task that is changed; 409 where another change was made to it meanwhile. Without it the last change counts',
  ),
}).superRefine(checkChange);

/** `POST /api/tasks/changes`: the same change to several tasks. */
export const TasksChange = z.strictObject({
  tasks: z
    .array(z.strictObject({ id: Id, version: Version.optional() }))
    .min(1)
    .max(100)
    .refine((tasks) => isUnique(tasks.map(({ id }) => id)), 'must not name a task twice'),
  change: Changes.superRefine(checkChange),
});

/** `POST /api/tasks/{id}/notes`. */
export const NewTaskNote = z.strictObject({ note: Prose.min(1, 'must not be empty') });

export const TaskView = z
  .object({
    id: z.string(),
    reason: TaskReason,
    state: TaskState,
    assignee: z.object({ id: z.string(), name: z.string() }).nullable(),
    patient: PatientName.extend({
      phone: z.string().nullable(),
      dateOfBirth: z.string().nullable(),
      preferredCallHours: PreferredCallHoursView.nullable(),
      preferredLanguage: PreferredLanguage.nullable(),
      optOut: OptOutScope.nullable().describe('What the phone is not called about'),
    })
      .meta({ id: 'TaskPatient' })
      .nullable(),
    callId: z.string().nullable(),
    recoveryCaseId: z.string().nullable(),
    workflowId: z.string().nullable(),
    barrier: Facts.nullable().describe('Why the patient of its case stopped, in the words of the call'),
    detail: Facts,
    priority: TaskPriority,
    dueOn: z.iso.date().nullable().describe("A day of the clinic's calendar"),
    dueTime: z.string().nullable().describe('HH:MM of that day; null for a day without a time'),
    outcome: TaskOutcome.nullable().describe('What the last call about it came to; null where nobody has said'),
    noteCount: z.int().describe('`GET /tasks/{id}` has the notes'),
    version: z.int().describe('Rises with every change'),
    canConfirm: z.boolean().describe('A caller asked for a time that can be booked with `POST …/confirm`'),
    canRetry: z.boolean().describe('What failed can be tried again with `POST …/retry`'),
    createdAt: Instant,
    resolvedAt: Instant.nullable(),
  })
  .meta({ id: 'Task' });
export type TaskView = z.infer<typeof TaskView>;

const TaskNoteView = z
  .object({
    id: z.string(),
    note: z.string(),
    writtenBy: z.string().describe('By name'),
    createdAt: Instant,
  })
  .meta({ id: 'TaskNote' });
export type TaskNoteView = z.infer<typeof TaskNoteView>;

/** `GET /api/tasks/{id}`, and what a new note leads to. */
export const TaskWithNotes = TaskView.extend({
  notes: z.array(TaskNoteView).describe('The latest first, a hundred at most'),
}).meta({ id: 'TaskWithNotes' });
export type TaskWithNotes = z.infer<typeof TaskWithNotes>;

/** `GET /api/tasks/assigned`. */
export const AssignedTasks = z
  .object({
    items: z.array(
      z.object({
        id: z.string(),
        reason: TaskReason,
        assignedBy: z.string().describe('By name'),
        isByOneself: z.boolean(),
        assignedAt: Instant,
      }),
    ),
  })
  .meta({ id: 'AssignedTasks' });

/** What became of each task of `POST /api/tasks/changes`, in the order in which they were named. */
export const TasksChanged = z
  .object({
    items: z.array(
      z.object({
        id: z.string(),
        result: z
          .enum(['changed', 'changed_meanwhile', 'unknown'])
          .describe('Only the first was changed; the second stands as somebody else has left it'),
        task: TaskView.nullable().describe('As it stands now'),
      }),
    ),
  })
  .meta({ id: 'TasksChanged' });

/** Why what was tried again failed again. */
export const RetryFailure = z
  .enum(['not_connected', 'call_unknown', 'too_slow', 'refused'])
  .describe(
    'not_connected: nothing is connected any more; call_unknown: the call is not on record any more; too_slow: the other system did not answer in time; refused: the other system did not take it',
  )
  .meta({ id: 'RetryFailure' });

/** `POST /api/tasks/{id}/retry`. */
export const TaskRetry = z
  .object({
    isDone: z.boolean().describe('The task is then resolved'),
    reason: RetryFailure.nullable().describe('null where it is done'),
    said: z.string().nullable().describe('refused: what came back, in English'),
    task: TaskView,
  })
  .meta({ id: 'TaskRetry' });

/** Why the time that a caller asked for was not booked. */
const ConfirmationFailure = z
  .enum([
    'slot_taken',
    'slot_unavailable',
    'in_the_past',
    'unknown_provider',
    'unknown_patient',
    'patient_not_identified',
    'booked_before',
    'left_to_staff',
    'call_unknown',
  ])
  .describe(
    'slot_unavailable: not on offer any more; patient_not_identified: the EHR cannot tell who it is; booked_before: another time of that call is booked; left_to_staff: the EHR did not answer, or nobody knows what came of it; call_unknown: the call is not on record any more',
  )
  .meta({ id: 'ConfirmationFailure' });

/** `POST /api/tasks/{id}/confirm`. */
export const TaskConfirmation = z
  .object({
    isDone: z.boolean().describe('The time is booked, and the task resolved'),
    reason: ConfirmationFailure.nullable().describe('null where it is done'),
    appointmentId: z.string().nullable(),
    alternatives: z
      .array(z.object({ providerName: z.string(), startsAt: Instant }))
      .describe('Open times of that provider, where the time is gone'),
    task: TaskView,
  })
  .meta({ id: 'TaskConfirmation' });
export type TaskConfirmation = z.infer<typeof TaskConfirmation>;

const StaffView = z
  .object({ id: z.string(), name: z.string(), email: z.string(), role: Role })
  .meta({ id: 'StaffAccount' });
export type StaffView = z.infer<typeof StaffView>;

/** `GET /api/staff`. */
export const StaffAccounts = z.object({ items: z.array(StaffView) });

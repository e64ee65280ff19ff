import * as api from '#api';
import { useAction } from '#forms';
import type { Area } from '#http';
import { sayDone, sayDoneOrUndo, sayFailed, useZone } from '#parts';
import { plural, t } from '#texts';
import { nameOf, optionsOf, wallClock } from '#words';
import { dueOf, dueWords, outcomes } from './task-due';
import { taskTitle } from './task-reasons';

type Task = api.Task;
export type TaskChange = Omit<api.PatchTasksByTaskIdData['body'], 'version'>;
type Known = Pick<Task, 'id' | 'version'>;

export const priorities: Record<api.TaskPriority, string> = { HIGH: t`High`, NORMAL: t`Normal`, LOW: t`Low` };
export const priorityOptions = optionsOf(priorities);

/**
 * Versions that changes of this page have led to, by task: somebody who does one thing after the other is refused for what others have
 * changed, and not for what they have changed themselves before the list was read again.
 */
const ownVersions = new Map<string, number>();

const versionOf = ({ id, version }: Known): number => Math.max(version, ownVersions.get(id) ?? 0);

const remember = ({ id, version }: Known) => ownVersions.set(id, version);

const taskAreas: Area[] = ['tasks', 'overview', 'cases'];

/** Changes a task, unless somebody else has changed it meanwhile. Told and undone where the row of the task is gone, too. */
export function useChangeTask(task: Task) {
  const zone = useZone();
  const title = taskTitle(task.reason);
  const what = task.patient ? t`${title}, ${nameOf(task.patient)}` : title;
  const change = useAction(
    {
      // One after the other, each with the version that the one before has led to.
      scope: { id: `task-${task.id}` },
      mutationFn: async (body: TaskChange) => {
        const request = { path: { taskId: task.id }, body: { ...body, version: versionOf(task) } };
        return (await api.patchTasksByTaskId({ ...request, throwOnError: true })).data;
      },
    },
    {
      onDone(changed, body) {
        remember(changed);
        const undo = (back: TaskChange) => () => change.mutate(back);
        if (body.state === 'OPEN') return sayDone(t`Open again: ${what}`);
        if (body.outcome === 'try_later') {
          const due = dueOf(changed);
          const today = wallClock(new Date().toISOString(), zone).date;
          const before = { dueOn: task.dueOn, dueTime: task.dueTime };
          return sayDoneOrUndo(t`To be tried again ${due ? dueWords(due, today) : ''}: ${what}`, task.id, undo(before));
        }
        if (body.state === undefined) return sayDone(doneWords(body, changed));
        const done = body.outcome ? `${what} (${outcomes[body.outcome]})` : what;
        return sayDoneOrUndo(t`Resolved: ${done}`, task.id, undo({ state: 'OPEN' }));
      },
      refresh: taskAreas,
    },
  );
  const apply = (body: TaskChange, onRefused?: () => void) => change.mutate(body, { onError: onRefused });
  return { apply, isPending: change.isPending };
}

function doneWords({ assigneeId, priority, dueOn }: TaskChange, { assignee }: Pick<Task, 'assignee'>): string {
  if (assigneeId !== undefined) return assignee ? t`Assigned to ${assignee.name}.` : t`The task is unassigned.`;
  if (priority !== undefined) return t`The priority is ${priorities[priority].toLowerCase()}.`;
  return dueOn === null ? t`The task has no due date.` : t`The due date is set.`;
}

/** Makes the same change to several tasks, and says which of them somebody else has changed meanwhile. */
export function useChangeTasks() {
  const change = useAction(api.postTasksChangesMutation(), {
    onDone({ items }, { body }) {
      const changed = items.filter(({ result }) => result === 'changed').flatMap(({ task }) => task ?? []);
      for (const task of changed) remember(task);
      const words = plural(changed.length, { one: '# task is changed.', other: '# tasks are changed.' });
      if (body.change.state !== 'RESOLVED' || changed.length === 0) sayDone(words);
      else {
        const resolved = plural(changed.length, { one: '# task is resolved.', other: '# tasks are resolved.' });
        sayDoneOrUndo(resolved, 'tasks', () => apply(changed, { state: 'OPEN' }));
      }
      const left = items.length - changed.length;
      if (left > 0) {
        const message = plural(left, {
          one: '# task is left as it is: somebody else has changed it meanwhile',
          other: '# tasks are left as they are: somebody else has changed them meanwhile',
        });
        sayFailed({ message });
      }
    },
    refresh: taskAreas,
  });
  const apply = (tasks: Known[], asked: TaskChange) =>
    change.mutate({
      body: { tasks: tasks.map((task) => ({ id: task.id, version: versionOf(task) })), change: asked },
    });
  return { apply, isPending: change.isPending };
}

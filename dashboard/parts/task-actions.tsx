import { Button, Group, Select } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { patchTasksByTaskIdMutation } from '../http/client/@tanstack/react-query.gen';
import type * as Api from '../http/client/types.gen';
import { IconCheck, IconRotate, IconUser } from '../icons';
import { useAccount } from '../shell/account';
import { useRefresh } from './refresh';
import { sayDone, sayDoneOr, sayFailed } from './say';
import { Status } from './status';
import { taskTitle } from './task-reasons';

type Task = Api.Task;
type Change = Api.PatchTasksByTaskIdData['body'];

/** Somebody whom a task can be assigned to. */
export interface Assignable {
  value: string;
  label: string;
}

/** Changes a task. Told and undone where the row of the task is gone meanwhile, too. */
function useChangeTask(task: Task) {
  const refresh = useRefresh('tasks', 'overview', 'cases');
  const change = useMutation({
    ...patchTasksByTaskIdMutation(),
    onSuccess(_changed, { body }) {
      if (body.state === undefined) return sayDone('The task is assigned.');
      if (body.state === 'OPEN') return sayDone('The task is open again.');
      return sayDoneOr('The task is resolved.', { label: 'Undo', onUndo: () => apply({ state: 'OPEN' }) });
    },
    onError: sayFailed,
    onSettled: refresh,
  });
  const apply = (body: Change) => change.mutate({ path: { taskId: task.id }, body });
  return { apply, isPending: change.isPending };
}

export function AssignTask({ task, people }: { task: Task; people: Assignable[] }) {
  const { accountId } = useAccount();
  const { apply, isPending } = useChangeTask(task);
  const assign = (assigneeId: string | null) => apply({ assigneeId });
  const isMine = task.assignee?.id === accountId;
  return (
    <Group gap={6} display="inline-flex">
      <Select
        aria-label={`Assign ${taskTitle(task.reason)}`}
        size="xs"
        w={150}
        placeholder="Nobody yet"
        data={people}
        value={task.assignee?.id ?? null}
        clearable
        clearButtonProps={{ 'aria-label': 'Take it from them' }}
        disabled={isPending || task.state === 'RESOLVED'}
        onChange={assign}
      />
      {task.state === 'OPEN' && !isMine && (
        <Button
          size="xs"
          variant="default"
          loading={isPending}
          leftSection={<IconUser size={14} aria-hidden />}
          onClick={() => assign(accountId)}
        >
          Assign to me
        </Button>
      )}
    </Group>
  );
}

/** Resolves a task, or opens it again. Both can be undone at once. */
export function ResolveTask({ task }: { task: Task }) {
  const isOpen = task.state === 'OPEN';
  const { apply, isPending } = useChangeTask(task);
  return (
    <Group gap="xs" wrap="nowrap" display="inline-flex">
      {!isOpen && <Status state={task.state} />}
      <Button
        size="xs"
        variant="default"
        loading={isPending}
        leftSection={isOpen ? <IconCheck size={14} aria-hidden /> : <IconRotate size={14} aria-hidden />}
        onClick={() => apply({ state: isOpen ? 'RESOLVED' : 'OPEN' })}
      >
        {isOpen ? 'Resolve' : 'Reopen'}
      </Button>
    </Group>
  );
}

import { ActionIcon, Group, Select, TextInput } from '@mantine/core';
import { type ChangeEvent, type KeyboardEvent, useEffect, useRef, useState } from 'react';
import type * as api from '#api';
import { IconUser } from '#icons';
import { PlainButton, useAccount } from '#parts';
import { t } from '#texts';
import { priorityOptions, useChangeTask } from './task-changes';
import { taskTitle } from './task-reasons';

type Task = api.Task;

/** Somebody whom a task can be assigned to. */
export interface Assignable {
  value: string;
  label: string;
}

/** Who has a task, and a way to take it oneself; in a row of a list as small as it gets. */
export function AssignTask({ task, people, isInRow = false }: { task: Task; people: Assignable[]; isInRow?: boolean }) {
  const { accountId } = useAccount();
  const { apply, isPending } = useChangeTask(task);
  const assign = (assigneeId: string | null) => apply({ assigneeId });
  const isMine = task.assignee?.id === accountId;
  return (
    <Group gap={6} display="inline-flex" wrap="nowrap" align="flex-end">
      <Select
        aria-label={isInRow ? t`Assign ${taskTitle(task.reason)}` : undefined}
        label={isInRow ? undefined : t`Assigned to`}
        size="xs"
        // On a phone it shares its row with two buttons.
        w={{ base: 104, md: isInRow ? 118 : 150 }}
        placeholder={t`Unassigned`}
        data={people}
        searchable
        // The focus comes back once the choice is saved: it would open again.
        openOnFocus={false}
        value={task.assignee?.id ?? null}
        clearable
        clearButtonProps={{ 'aria-label': t`Unassign` }}
        disabled={isPending || task.state === 'RESOLVED'}
        onChange={assign}
      />
      {task.state === 'OPEN' && !isMine && isInRow && (
        <ActionIcon
          variant="default"
          size={30}
          aria-label={t`Assign to me`}
          title={t`Assign to me`}
          loading={isPending}
          onClick={() => assign(accountId)}
        >
          <IconUser size={14} aria-hidden />
        </ActionIcon>
      )}
      {task.state === 'OPEN' && !isMine && !isInRow && (
        <PlainButton
          label={t`Assign to me`}
          size="xs"
          loading={isPending}
          icon={IconUser}
          onClick={() => assign(accountId)}
        />
      )}
    </Group>
  );
}

export function TaskPriority({ task }: { task: Task }) {
  const { apply } = useChangeTask(task);
  return (
    <Select
      label={t`Priority`}
      size="sm"
      data={priorityOptions}
      value={task.priority}
      onChange={(value) => apply({ priority: value as api.TaskPriority })}
    />
  );
}

/**
 * The day, and the time of it, until which it is to be done. Saved when a field is left: a date is complete for a moment while its
 * year is typed.
 */
export function TaskDue({ task }: { task: Task }) {
  const { apply } = useChangeTask(task);
  const { dueOn, dueTime } = task;
  const [due, setDue] = useState({ on: dueOn ?? '', time: dueTime ?? '' });
  const asked = useRef(due);
  useEffect(() => {
    const stored = { on: dueOn ?? '', time: dueTime ?? '' };
    setDue(stored);
    asked.current = stored;
  }, [dueOn, dueTime]);
  const save = () => {
    const before = asked.current;
    if (due.on === before.on && due.time === before.time) return;
    asked.current = due;
    apply({ dueOn: due.on || null, dueTime: (due.on && due.time) || null }, () => {
      asked.current = before;
      setDue(before);
    });
  };
  const field = (name: 'on' | 'time') => ({
    size: 'sm',
    value: due[name],
    onChange: ({ currentTarget }: ChangeEvent<HTMLInputElement>) => setDue({ ...due, [name]: currentTarget.value }),
    onBlur: save,
    onKeyDown: ({ key }: KeyboardEvent) => {
      if (key === 'Enter') save();
    },
  });
  return (
    <>
      <TextInput label={t`Due`} type="date" {...field('on')} />
      <TextInput label={t`Time`} type="time" disabled={due.on === ''} {...field('time')} />
    </>
  );
}

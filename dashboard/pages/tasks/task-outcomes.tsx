import { Button, Group, Menu, Stack, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import type * as api from '#api';
import { Dialog, DialogEnd } from '#forms';
import { IconCheck, IconChevronDown, IconRotate } from '#icons';
import { Status, useZone } from '#parts';
import { t } from '#texts';
import { nameOf, plusDays, useToday, wallClock, wallTimeOf } from '#words';
import { laterToday } from './later-today';
import { type Due, dueWords, outcomes } from './task-due';
import { type TaskChange, useChangeTask } from './task-changes';
import { taskTitle } from './task-reasons';

/** What a call came to that did not reach anybody, and ends the task where it is not to be tried again. */
const unreached = ['voicemail', 'no_answer'] as const satisfies api.TaskOutcome[];

/** Resolves a task, or opens it again. Where somebody is to be called, it asks what the call came to. All of it can be undone at once. */
export function ResolveTask({ task }: { task: api.Task }) {
  const { apply, isPending } = useChangeTask(task);
  const title = task.patient ? `${taskTitle(task.reason)}, ${nameOf(task.patient)}` : taskTitle(task.reason);
  const button = { size: 'xs', variant: 'default', loading: isPending } as const;
  if (task.state === 'RESOLVED') {
    return (
      <Group gap="xs" wrap="nowrap" display="inline-flex">
        <Status state={task.state} />
        <Button {...button} leftSection={<IconRotate size={14} aria-hidden />} onClick={() => apply({ state: 'OPEN' })}>
          {t`Reopen`}
        </Button>
      </Group>
    );
  }
  if (task.patient?.phone) return <CallOutcome task={task} title={title} apply={apply} isPending={isPending} />;
  return (
    <Button
      {...button}
      data-key="e"
      leftSection={<IconCheck size={14} aria-hidden />}
      onClick={() => apply({ state: 'RESOLVED' })}
    >
      {t`Resolve`}
    </Button>
  );
}

interface CallOutcomeProps {
  task: api.Task;
  title: string;
  apply: (change: TaskChange) => void;
  isPending: boolean;
}

function CallOutcome({ task, title, apply, isPending }: CallOutcomeProps) {
  const [isChoosing, setIsChoosing] = useState(false);
  const today = useToday();
  const tryLater = ({ on, time }: Due) => apply({ outcome: 'try_later', dueOn: on, dueTime: time });
  return (
    <>
      <Menu position="bottom-end" width={250}>
        <Menu.Target>
          <Button
            size="xs"
            variant="default"
            data-key="e"
            loading={isPending}
            aria-label={t`Resolve: ${title}`}
            rightSection={<IconChevronDown size={14} aria-hidden />}
          >
            {t`Resolve`}
          </Button>
        </Menu.Target>
        <Menu.Dropdown aria-label={t`Outcome`}>
          <Menu.Label>{t`Done, and off the list`}</Menu.Label>
          <Menu.Item onClick={() => apply({ outcome: 'spoke', state: 'RESOLVED' })}>{outcomes.spoke}</Menu.Item>
          <Menu.Item onClick={() => apply({ state: 'RESOLVED' })}>{t`Done without a call`}</Menu.Item>
          <Menu.Divider />
          <Menu.Label>{t`Not reached: try again`}</Menu.Label>
          <Soon onChosen={tryLater} />
          <Menu.Item onClick={() => setIsChoosing(true)}>{t`Another time …`}</Menu.Item>
          <Menu.Divider />
          <Menu.Label>{t`Not reached, and off the list`}</Menu.Label>
          {unreached.map((outcome) => (
            <Menu.Item key={outcome} onClick={() => apply({ outcome, state: 'RESOLVED' })}>
              {outcomes[outcome]}
            </Menu.Item>
          ))}
        </Menu.Dropdown>
      </Menu>
      {isChoosing && (
        <TryLater
          title={title}
          first={{
            on: task.dueOn && task.dueOn > today ? task.dueOn : plusDays(today, 1),
            time: task.dueTime ?? '09:00',
          }}
          today={today}
          onChosen={tryLater}
          onClose={() => setIsChoosing(false)}
        />
      )}
    </>
  );
}

/** When it can be tried again, by the time at which the menu is opened: its row may have been there for hours. */
function Soon({ onChosen }: { onChosen: (due: Due) => void }) {
  const { date, minute } = wallClock(new Date().toISOString(), useZone());
  return soon(date, minute).map((due) => (
    <Menu.Item key={`${due.on} ${due.time}`} onClick={() => onChosen(due)}>
      {dueWords(due, date)}
    </Menu.Item>
  ));
}

/** Later today, where the day is long enough, and tomorrow morning. */
const soon = (today: string, minute: number): Due[] => [
  ...laterToday(minute).map((at) => ({ on: today, time: wallTimeOf(at) })),
  { on: plusDays(today, 1), time: '09:00' },
];

interface TryLaterProps {
  title: string;
  first: { on: string; time: string };
  today: string;
  onChosen: (due: Due) => void;
  onClose: () => void;
}

/** Any day and time on which it is tried again. */
function TryLater({ title, first, today, onChosen, onClose }: TryLaterProps) {
  const [on, setOn] = useState(first.on);
  const [time, setTime] = useState(first.time);
  const send = (event: FormEvent) => {
    event.preventDefault();
    onClose();
    onChosen({ on, time: time || null });
  };
  const isDirty = () => on !== first.on || time !== first.time;
  return (
    <Dialog opened onClose={onClose} title={title} isDirty={isDirty}>
      <form onSubmit={send}>
        <Stack>
          <Group grow>
            <TextInput
              label={t`Day`}
              type="date"
              required
              withAsterisk={false}
              min={today}
              value={on}
              onChange={({ currentTarget }) => setOn(currentTarget.value)}
            />
            <TextInput
              label={t`Time`}
              type="time"
              data-autofocus
              value={time}
              onChange={({ currentTarget }) => setTime(currentTarget.value)}
            />
          </Group>
          <DialogEnd close={t`Not now`} onClose={onClose}>
            <Button type="submit">{t`Try again then`}</Button>
          </DialogEnd>
        </Stack>
      </form>
    </Dialog>
  );
}

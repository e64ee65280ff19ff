import { useLocalStorage } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { useNavigate } from 'react-router';
import * as api from '#api';
import { sayDoneOr, useAccount } from '#parts';
import { t } from '#texts';
import { taskTitle } from '../pages/tasks/task-reasons';

const isPossible = typeof Notification !== 'undefined' && isSecureContext;

/** Whether this browser tells of new tasks, and how to change it: the browser asks for permission first. */
export function useTaskNotices() {
  const { accountId } = useAccount();
  const [wanted, setWanted] = useLocalStorage({
    key: `task-notices-${accountId}`,
    defaultValue: false,
    getInitialValueInEffect: false,
  });
  const [isRefused, setIsRefused] = useState(false);
  const turn = async (isOn: boolean): Promise<void> => {
    const isPermitted = !isOn || (await Notification.requestPermission()) === 'granted';
    setIsRefused(!isPermitted);
    setWanted(isOn && isPermitted);
  };
  const isOn = wanted && isPossible && Notification.permission === 'granted';
  return { isOn, isPossible, isRefused, turn };
}

/** A task that was told and is done leaves the list, and comes back where that is undone: it is not told again. */
const later = (known: string | null, first = ''): string => (known !== null && known > first ? known : first);

/** More at once are told as one. */
const MAX_TOLD = 3;

/** Tells of tasks that are given to somebody while they have the dashboard open, and of new ones where they want it. What is there already is not told. */
export function TaskNotices() {
  const { isOn } = useTaskNotices();
  useAssignedNotices();
  return isOn ? <Telling /> : null;
}

/** Says by whom a task was given to the person who is signed in, and leads to it. */
function useAssignedNotices(): void {
  const navigate = useNavigate();
  // The stream of changes has it read again.
  const { data } = useQuery(api.getTasksAssignedOptions());
  const latest = useRef<string | null>(null);
  useEffect(() => {
    if (!data) return;
    const known = latest.current;
    latest.current = later(known, data.items[0]?.assignedAt);
    if (known === null) return;
    const fresh = data.items.filter(({ assignedAt, isByOneself }) => assignedAt > known && !isByOneself);
    if (fresh.length === 0) return;
    const open = (to: string) => ({ label: t`Open`, onClick: () => void navigate(to) });
    if (fresh.length > MAX_TOLD) sayDoneOr(t`${fresh.length} tasks were assigned to you.`, open('/tasks?who=me'));
    else
      for (const { id, reason, assignedBy } of fresh)
        sayDoneOr(t`Assigned by ${assignedBy}: ${taskTitle(reason)}`, open(`/tasks?task=${id}`));
  }, [data, navigate]);
}

function Telling() {
  const { accountId } = useAccount();
  const navigate = useNavigate();
  // The stream of changes has it read again.
  const { data } = useQuery(api.getTasksOptions({ query: { state: 'OPEN', limit: 20 } }));
  const newest = useRef<string | null>(null);
  useEffect(() => {
    if (!data) return;
    const known = newest.current;
    newest.current = later(known, data.items[0]?.createdAt);
    if (known === null) return;
    const fresh = data.items.filter(
      ({ createdAt, assignee }) => createdAt > known && (!assignee || assignee.id === accountId),
    );
    const tell = (title: string, to: string, tag: string) => {
      // A tag is shown once, however many windows of the dashboard are open. It names no patient: others see the screen.
      const notice = new Notification(title, { tag, body: 'Clinic workflows' });
      notice.addEventListener('click', () => {
        window.focus();
        void navigate(to);
        notice.close();
      });
    };
    if (fresh.length > MAX_TOLD) tell(t`${fresh.length} new tasks`, '/tasks', `tasks-${fresh[0]?.id}`);
    else for (const { id, reason } of fresh) tell(t`New task: ${taskTitle(reason)}`, `/tasks?task=${id}`, id);
  }, [data, accountId, navigate]);
  return null;
}

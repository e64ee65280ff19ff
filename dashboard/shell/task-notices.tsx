import { useLocalStorage } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { useNavigate } from 'react-router';
import * as api from '#api';
import { useAccount } from '#parts';
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

/** More at once are told as one. */
const MAX_TOLD = 3;

/** Tells of tasks that are opened while the dashboard is open, where somebody wants it. What is there already is not told. */
export function TaskNotices() {
  const { isOn } = useTaskNotices();
  return isOn ? <Telling /> : null;
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
    newest.current = data.items[0]?.createdAt ?? known ?? '';
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

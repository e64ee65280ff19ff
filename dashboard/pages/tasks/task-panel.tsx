import { Drawer, ModalStackContext } from '@mantine/core';
import { Suspense, use } from 'react';
import { onDemand } from '#parts';
import { t } from '#texts';
import type { Assignable } from './task-actions';

const WholeTask = onDemand(async () => (await import('./whole-task')).WholeTask);

interface TaskPanelProps {
  /** Null while no task is chosen. */
  taskId: string | null;
  people: Assignable[];
  onClose: () => void;
}

/** All of a task beside the list, where another can be chosen meanwhile. */
export function TaskPanel({ taskId, people, onClose }: TaskPanelProps) {
  const dialogs = use(ModalStackContext)?.stack ?? [];
  return (
    <Suspense fallback={null}>
      <Drawer
        opened={taskId !== null}
        onClose={onClose}
        title={t`Task`}
        size="md"
        withOverlay={false}
        lockScroll={false}
        closeOnClickOutside={false}
        // Escape is for the dialog that is open over it.
        closeOnEscape={dialogs.length === 0}
        shadow="xl"
        closeButtonProps={{ 'aria-label': t`Close` }}
      >
        {taskId !== null && <WholeTask key={taskId} taskId={taskId} people={people} />}
      </Drawer>
    </Suspense>
  );
}

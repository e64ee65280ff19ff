import { Drawer } from '@mantine/core';
import { Suspense } from 'react';
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
export const TaskPanel = ({ taskId, people, onClose }: TaskPanelProps) => (
  <Suspense fallback={null}>
    <Drawer
      opened={taskId !== null}
      onClose={onClose}
      title={t`Task`}
      size="md"
      withOverlay={false}
      lockScroll={false}
      closeOnClickOutside={false}
      shadow="xl"
      closeButtonProps={{ 'aria-label': t`Close` }}
    >
      {taskId !== null && <WholeTask key={taskId} taskId={taskId} people={people} />}
    </Drawer>
  </Suspense>
);

import { Anchor } from '@mantine/core';

interface TaskLinkProps {
  taskId: string;
  does: { isPending: boolean; mutate: (asked: { path: { taskId: string } }) => void };
  label: string;
}

/** What can be done about a task itself, as a link among the facts of it. */
export const TaskLink = ({ taskId, does, label }: TaskLinkProps) => (
  <Anchor
    component="button"
    type="button"
    size="sm"
    fw={400}
    py={2}
    disabled={does.isPending}
    onClick={() => does.mutate({ path: { taskId } })}
  >
    {label}
  </Anchor>
);

import * as api from '#api';
import { useAction } from '#forms';
import { sayDone, sayFailed } from '#parts';
import { t } from '#texts';
import { TaskLink } from './task-link';

/** Tells the other system again what it did not take. */
export function TryAgain({ task }: { task: api.Task }) {
  const retry = useAction(api.postTasksByTaskIdRetryMutation(), {
    onDone: ({ isDone, reason, said }) =>
      isDone ? sayDone(t`It was taken.`) : sayFailed({ message: failedAgain(reason ?? 'refused', said) }),
    refresh: ['tasks', 'overview'],
  });
  return <TaskLink taskId={task.id} does={retry} label={t`Try again`} />;
}

function failedAgain(reason: api.RetryFailure, said: string | null): string {
  const words: Record<api.RetryFailure, string> = {
    not_connected: t`It failed again: nothing is connected any more`,
    call_unknown: t`It failed again: the call is not on record any more`,
    too_slow: t`It failed again: it took too long`,
    refused: t`It failed again: ${said ?? t`it was not taken`}`,
  };
  return words[reason];
}

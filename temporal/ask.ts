import { type Client, WorkflowNotFoundError, WorkflowUpdateFailedError } from '@temporalio/client';
import { ApplicationFailure, type UpdateDefinition } from '@temporalio/common';
import { AppError } from '@clinic/shared/errors';
import { describeError, type Logger } from '@clinic/shared/log';

/** How long a request may wait for a workflow: less than the voice platform waits for a tool. */
export const ASK_DEADLINE_MS = 7_000;

export type Asked<Result> =
  | { kind: 'done'; result: Result }
  /** The workflow refused, by the type its validator gave. */
  | { kind: 'refused'; type: string }
  /** The workflow is over, or Temporal has never heard of it. */
  | { kind: 'not_running' };

/**
 * Sends an update and waits for its result. `id` makes it happen once, however often it is sent. Throws `unavailable`
 * when there is no reply in time; the update may still happen.
 */
export type Ask = <Result, Args extends unknown[]>(
  workflowId: string,
  update: UpdateDefinition<Result, Args>,
  options: { id: string; args: Args; deadlineMs?: number },
) => Promise<Asked<Result>>;

export function createAsk({ client, log }: { client: Client; log: Logger }): Ask {
  return async (workflowId, update, { id, args, deadlineMs = ASK_DEADLINE_MS }) => {
    try {
      const handle = client.workflow.getHandle(workflowId);
      const result = await client.withDeadline(Date.now() + deadlineMs, () =>
        handle.executeUpdate(update as never, { updateId: id, args } as never),
      );
      return { kind: 'done', result } as never;
    } catch (error) {
      if (error instanceof WorkflowNotFoundError) return { kind: 'not_running' };
      if (error instanceof WorkflowUpdateFailedError && error.cause instanceof ApplicationFailure) {
        return { kind: 'refused', type: error.cause.type ?? 'refused' };
      }
      log.warn({ ...describeError(error), workflowId }, 'a workflow did not reply');
      throw new AppError('unavailable', 'The workflow did not answer in time; please try again shortly');
    }
  };
}

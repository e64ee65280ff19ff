import { type Client, WorkflowNotFoundError, WorkflowUpdateFailedError } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import type { UpdateDefinition } from '@temporalio/common';
import { AppError } from '@clinic/shared/errors';
import { describeError, type Logger } from '@clinic/shared/log';
import type { Stores } from '@clinic/prisma/stores';
import type { Load } from './http/request-log';
import type { WorkflowStarter } from '@clinic/temporal/starter';
import type { RunToStart } from '@clinic/temporal/start-options';

export type Asked<Result> =
  | { kind: 'done'; result: Result }
  /** The workflow refused, by the type its validator gave. */
  | { kind: 'refused'; type: string }
  /** The workflow is over, or Temporal has never heard of it. */
  | { kind: 'not_running' };

/** The one place of the API that talks to Temporal. What is started or told here was stored first: failing is no loss. */
export interface Temporal {
  /** Starts a stored run soon, without anybody waiting; the relay makes good what fails. */
  dispatch(run: RunToStart): void;
  /** Starts a stored run and waits for it. Throws `unavailable` when Temporal does not answer. */
  startNow(run: RunToStart): Promise<void>;
  /** Tells a workflow a stored message, soon. */
  tell(messageId: string): void;
  wakeDeliveries(owner: { clinicId: string; subject: string }): void;
  /**
   * An update with an answer. `id` makes it happen once, however often it is asked. Throws `unavailable` when nobody
   * answers in time; the update may still happen.
   */
  ask<Result, Args extends unknown[]>(
    workflowId: string,
    update: UpdateDefinition<Result, Args>,
    options: { id: string; args: Args; deadlineMs?: number },
  ): Promise<Asked<Result>>;
  isReachable(): Promise<boolean>;
  /** Waits for what was dispatched and has not yet gone out. */
  drain(): Promise<void>;
}

const AT_ONCE = 32;
/** While many requests wait for an answer, starting workflows can wait a little: what they start is stored. */
const AT_ONCE_IN_A_BURST = 1;
const BURST = 6;
/** Beyond this it is left to the relay: nothing is lost. */
const MAX_WAITING = 20_000;
const ASK_DEADLINE_MS = 7_000;

export function createTemporal({
  client,
  starter,
  stores,
  log,
  load,
}: {
  client: Client;
  starter: WorkflowStarter;
  stores: Stores;
  log: Logger;
  load: Load;
}): Temporal {
  const waiting: (() => Promise<void>)[] = [];
  const running = new Set<Promise<void>>();

  const pump = () => {
    while (running.size < (load.inFlight > BURST ? AT_ONCE_IN_A_BURST : AT_ONCE)) {
      const work = waiting.shift();
      if (!work) return;
      const task = work()
        .catch((error: unknown) => log.warn(describeError(error), 'left to the relay'))
        .finally(() => {
          running.delete(task);
          pump();
        });
      running.add(task);
    }
  };
  const soon = (work: () => Promise<void>) => {
    if (waiting.length < MAX_WAITING) waiting.push(work);
    pump();
  };

  const start = async (run: RunToStart) => {
    await starter.startRun(run);
    await stores.runs.markDispatched([run.workflowId]);
  };

  return {
    dispatch: (run) => soon(() => start(run)),

    async startNow(run) {
      try {
        await client.withDeadline(Date.now() + ASK_DEADLINE_MS, () => start(run));
      } catch (error) {
        log.warn({ ...describeError(error), workflowId: run.workflowId }, 'a workflow could not be started yet');
        throw new AppError('unavailable', 'The workflow cannot be reached; please try again shortly');
      }
    },

    tell: (messageId) =>
      soon(async () => {
        const message = await stores.messages.find(messageId);
        if (!message) return;
        await starter.tell(message);
        await stores.messages.markSent(messageId);
      }),

    wakeDeliveries: (owner) => soon(() => starter.wakeDeliveries(owner)),

    async ask(workflowId, update, { id, args, deadlineMs = ASK_DEADLINE_MS }) {
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
        log.warn({ ...describeError(error), workflowId }, 'a workflow did not answer');
        throw new AppError('unavailable', 'The workflow did not answer in time; please try again shortly');
      }
    },

    async isReachable() {
      try {
        await client.withDeadline(Date.now() + 2_000, () => client.connection.workflowService.getSystemInfo({}));
        return true;
      } catch {
        return false;
      }
    },

    async drain() {
      waiting.length = 0;
      await Promise.allSettled(running);
    },
  };
}

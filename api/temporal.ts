import { type Client, WorkflowNotFoundError, WorkflowUpdateFailedError } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import type { UpdateDefinition } from '@temporalio/common';
import { AppError } from '@clinic/shared/errors';
import { describeError, type Logger } from '@clinic/shared/log';
import type { Stores } from '@clinic/prisma/stores';
import type { Load } from './http/request-log';
import type { WorkflowStarter } from '@clinic/workflows/starter';
import type { RunToStart } from '@clinic/workflows/start-options';

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
/** While so many requests wait for an answer, starting workflows can wait a little: what they start is stored. */
const BURST = 6;
/** Sooner than the relay would look for it. */
const MOST_HELD_MS = 2_000;
const LOOK_AGAIN_MS = 20;
/** Beyond this it is left to the relay: nothing is lost. */
const MOST_WAITING = 20_000;
const ASK_DEADLINE_MS = 7_000;

interface Task {
  work: () => Promise<void>;
  since: number;
}

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
  /** News for workflows that run; somebody may be on the phone. */
  const news: Task[] = [];
  const starts: Task[] = [];
  const running = new Set<Promise<void>>();
  let lookAgain: NodeJS.Timeout | undefined;

  /** In a burst answers come first, then starts: one at a time, and only those that have waited long enough. */
  const roomForStarts = ({ since }: Task) => {
    if (load.inFlight <= BURST) return AT_ONCE;
    return Date.now() - since < MOST_HELD_MS ? 0 : 1;
  };
  const nextTask = (): Task | undefined => {
    if (running.size >= AT_ONCE) return undefined;
    if (news.length > 0) return news.shift();
    return starts[0] && running.size < roomForStarts(starts[0]) ? starts.shift() : undefined;
  };
  const pump = () => {
    for (let task = nextTask(); task; task = nextTask()) {
      const done = task
        .work()
        .catch((error: unknown) => log.warn(describeError(error), 'left to the relay'))
        .finally(() => {
          running.delete(done);
          pump();
        });
      running.add(done);
    }
    if (starts.length > 0) lookAgain ??= setTimeout(tick, LOOK_AGAIN_MS).unref();
  };
  const tick = () => {
    lookAgain = undefined;
    pump();
  };
  const soon = (tasks: Task[], work: Task['work']) => {
    if (tasks.length < MOST_WAITING) tasks.push({ work, since: Date.now() });
    pump();
  };

  const markDispatched = together((workflowIds: string[]) => stores.runs.markDispatched(workflowIds));
  const start = async (run: RunToStart) => {
    await starter.startRun(run);
    await markDispatched(run.workflowId);
  };

  return {
    dispatch: (run) => soon(starts, () => start(run)),

    async startNow(run) {
      try {
        await client.withDeadline(Date.now() + ASK_DEADLINE_MS, () => start(run));
      } catch (error) {
        log.warn({ ...describeError(error), workflowId: run.workflowId }, 'a workflow could not be started yet');
        throw new AppError('unavailable', 'The workflow cannot be reached; please try again shortly');
      }
    },

    tell: (messageId) =>
      soon(news, async () => {
        const message = await stores.messages.find(messageId);
        if (!message) return;
        await starter.tell(message);
        await stores.messages.markSent(messageId);
      }),

    wakeDeliveries: (owner) => soon(news, () => starter.wakeDeliveries(owner)),

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
      clearTimeout(lookAgain);
      news.length = 0;
      starts.length = 0;
      await Promise.allSettled(running);
    },
  };
}

/** One batch at a time: what comes up meanwhile shares the next. */
function together<Item>(work: (items: Item[]) => Promise<void>): (item: Item) => Promise<void> {
  let gathering: { items: Item[]; done: Promise<void> } | null = null;
  let last: Promise<unknown> = Promise.resolve();
  return (item) => {
    if (gathering === null) {
      const items: Item[] = [];
      const before = last.catch(() => undefined);
      const done = before.then(() => {
        gathering = null;
        return work(items);
      });
      gathering = { items, done };
      last = done;
    }
    gathering.items.push(item);
    return gathering.done;
  };
}

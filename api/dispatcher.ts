import type { Client } from '@temporalio/client';
import type { ToReceiver } from '@clinic/shared/domain/events/delivery-owner';
import type { LongWork } from '@clinic/shared/domain/operations/long-work';
import { AppError } from '@clinic/shared/errors';
import { describeError, type Logger } from '@clinic/shared/log';
import type { Stores } from '@clinic/prisma/stores';
import { forAll } from '@clinic/prisma/while-held';
import { type Ask, ASK_DEADLINE_MS, createAsk } from '@clinic/temporal/ask';
import { isReachable } from '@clinic/temporal/client';
import { stuckByClinic } from '@clinic/temporal/stuck-workflows';
import type { RunToStart } from '@clinic/temporal/start-options';
import type { WorkflowStarter } from '@clinic/temporal/starter';

/** What of the API reaches Temporal. What is started or told here was stored first: a failure loses nothing. */
export interface Dispatcher {
  /** Starts a stored run soon, without anybody waiting; the relay starts it where this fails. */
  dispatch(run: RunToStart): void;
  /** Starts a stored bulk job or erasure soon, likewise. */
  begin(work: LongWork): void;
  /** Starts a stored run and waits for it. Throws `unavailable` when Temporal cannot be reached. */
  startNow(run: RunToStart): Promise<void>;
  /** Tells a workflow a stored message, soon. */
  tell(message: { clinicId: string; messageId: string }): void;
  wakeDeliveries(owner: ToReceiver): void;
  ask: Ask;
  isReachable(): Promise<boolean>;
  /** How many runs fail again and again, by clinic; null where Temporal does not reply in time. */
  stuckByClinic(): Promise<ReadonlyMap<string, number> | null>;
  /** Drops what has not begun, which the relay sends, and waits for what has. */
  drain(): Promise<void>;
}

const MAX_AT_ONCE = 32;
/** What has waited for so long is the relay's, which starts what is older, in a process that answers nobody. */
const STARTS_HELD_MS = 3_000;
/** A burst: this many pieces of work within the interval. One client after the other answer never comes to it. */
const BURST = 24;
const BURST_INTERVAL_MS = 100;
/** More than this is left to the relay: nothing is lost. */
const MAX_QUEUED = 20_000;

export function createDispatcher({
  client,
  starter,
  stores,
  log,
}: {
  client: Client;
  starter: WorkflowStarter;
  stores: Pick<Stores, 'runs' | 'messages' | 'longWork'>;
  log: Logger;
}): Dispatcher {
  const onFailure = (error: unknown) => log.warn(describeError(error), 'left to the relay');
  const starts = createQueue({ isHeld: () => stores.runs.areOpeningsWaiting(), onFailure });
  // Beside the starts, not behind them: somebody may be on the phone, or at the dashboard.
  const prompt = createQueue({ onFailure });

  const start = async (run: RunToStart) => {
    await starter.startRun(run);
    await stores.runs.markDispatched([run.workflowId]);
  };

  return {
    dispatch(run) {
      const addedAt = performance.now();
      let hasWaited = false;
      starts.add(run.clinicId, async () => {
        if (performance.now() - addedAt >= STARTS_HELD_MS) return;
        // What has waited may be over by now, and erased: its workflow would know nothing, and stay.
        if (!hasWaited || (await stores.runs.isOpen(run.clinicId, run.workflowId))) await start(run);
      });
      hasWaited = true;
    },

    begin: (work) =>
      prompt.add(work.clinicId, async () => {
        await starter.startWork(work);
        await stores.longWork.markDispatched(work);
      }),

    async startNow(run) {
      try {
        await client.withDeadline(Date.now() + ASK_DEADLINE_MS, () => start(run));
      } catch (error) {
        log.warn({ ...describeError(error), workflowId: run.workflowId }, 'a workflow could not be started yet');
        throw new AppError('unavailable', 'The workflow cannot be reached; please try again shortly');
      }
    },

    tell: ({ clinicId, messageId }) =>
      prompt.add(clinicId, async () => {
        const message = await stores.messages.find(messageId);
        if (!message) return;
        await starter.tell(message);
        await stores.messages.markSent(messageId);
      }),

    wakeDeliveries: (owner) => prompt.add(owner.clinicId, () => starter.wakeDeliveries(owner)),
    ask: createAsk({ client, log }),
    isReachable: () => isReachable(client),
    stuckByClinic: () => stuckByClinic(client),
    drain: async () => void (await Promise.all([starts.drain(), prompt.drain()])),
  };
}

type Work = () => Promise<void>;

interface Queue {
  /** `owner` is whose work it is: a clinic's. */
  add(owner: string, work: Work): void;
  drain(): Promise<void>;
}

/**
 * Runs the work of each owner in order, and the owners take turns: a thousand pieces of one hold up nobody else's. Many at
 * once. Where it may be held (`isHeld` says when), nothing of it begins while much arrives either: many requests wait for an answer
 * then, and accepting them comes first.
 */
function createQueue({ isHeld, onFailure }: { isHeld?: () => boolean; onFailure: (error: unknown) => void }): Queue {
  /** By owner; the first is next. */
  const queued = new Map<string, Work[]>();
  let waiting = 0;
  const running = new Set<Promise<void>>();
  const pressure = createPressure();
  let looksAgain: NodeJS.Timeout | null = null;

  const lookAgain = () => {
    looksAgain ??= setTimeout(() => {
      looksAgain = null;
      pump();
    }, BURST_INTERVAL_MS);
  };

  const takeNext = (): Work | undefined => {
    const [next] = queued;
    if (!next) return undefined;
    const [owner, works] = next;
    const work = works.shift();
    queued.delete(owner);
    if (works.length > 0) queued.set(owner, works);
    waiting -= 1;
    return work;
  };

  const pump = () => {
    if (isHeld && (pressure.isHigh() || isHeld())) return waiting > 0 ? lookAgain() : undefined;
    while (running.size < MAX_AT_ONCE) {
      const work = takeNext();
      if (!work) return;
      const task = work()
        .catch(onFailure)
        .finally(() => {
          running.delete(task);
          pump();
        });
      running.add(task);
    }
  };

  return {
    add(owner, work) {
      pressure.count();
      if (waiting < MAX_QUEUED) {
        const works = queued.get(owner) ?? [];
        works.push(work);
        queued.set(owner, works);
        waiting += 1;
      }
      // What ends makes room for the work of others: none of it has the time that one request may take.
      forAll(pump);
    },
    async drain() {
      if (looksAgain) clearTimeout(looksAgain);
      queued.clear();
      waiting = 0;
      await Promise.allSettled(running);
    },
  };
}

/** Counts what arrives. It is high while the last `BURST` arrivals all lie within the interval. */
function createPressure(): { count(): void; isHigh(): boolean } {
  const arrivals = Array.from({ length: BURST }, () => Number.NEGATIVE_INFINITY);
  let oldest = 0;
  return {
    count() {
      arrivals[oldest] = performance.now();
      oldest = (oldest + 1) % BURST;
    },
    isHigh: () => performance.now() - (arrivals[oldest] ?? 0) < BURST_INTERVAL_MS,
  };
}

import { describeError, type Logger } from '@clinic/shared/log';
import type { Stores } from '@clinic/prisma/stores';
import type { WorkflowStarter } from '@clinic/workflows/starter';

/** What is younger than this, whoever stored it is still about to start itself. */
const GRACE_MS = 3_000;
const OVERDUE_DELIVERY_MS = 45_000;
const BATCH = 200;
const AT_ONCE = 16;

export interface Relay {
  stop(): Promise<void>;
}

/**
 * Makes good what was stored but not yet started, told or sent: the service accepts while Temporal is down, and this
 * catches up. Every step may be repeated; two relays at once do no harm.
 */
export function startRelay({
  stores,
  starter,
  log,
  everyMs = 1_000,
}: {
  stores: Stores;
  starter: WorkflowStarter;
  log: Logger;
  everyMs?: number;
}): Relay {
  let isStopped = false;
  let wake: () => void = () => undefined;

  const sweep = async () => {
    const runs = await stores.runs.undispatched(GRACE_MS, BATCH);
    await inBatches(runs, async (run) => {
      await starter.startRun(run);
      await stores.runs.markDispatched([run.workflowId]);
    });
    const messages = await stores.messages.unsent(GRACE_MS, BATCH);
    await inBatches(messages, async (message) => {
      await starter.tell(message);
      await stores.messages.markSent(message.id);
    });
    const overdue = await stores.deliveries.overdueSubjects(OVERDUE_DELIVERY_MS, BATCH);
    await inBatches(overdue, starter.wakeDeliveries);
    if (runs.length + messages.length + overdue.length > 0) {
      log.info({ runs: runs.length, messages: messages.length, deliveries: overdue.length }, 'relay caught up');
    }
    return runs.length === BATCH || messages.length === BATCH;
  };

  const loop = async () => {
    while (!isStopped) {
      const hasMore = await sweep().catch((error: unknown) => {
        log.warn(describeError(error), 'relay could not reach the database or Temporal; trying again');
        return false;
      });
      if (isStopped || hasMore) continue;
      await new Promise<void>((resolve) => {
        wake = resolve;
        setTimeout(resolve, everyMs).unref();
      });
    }
  };
  const running = loop();

  return {
    async stop() {
      isStopped = true;
      wake();
      await running;
    },
  };
}

/** One failure ends the sweep but not its neighbours; the next sweep tries again. */
async function inBatches<Item>(items: Item[], work: (item: Item) => Promise<void>): Promise<void> {
  for (let from = 0; from < items.length; from += AT_ONCE) {
    const results = await Promise.allSettled(items.slice(from, from + AT_ONCE).map(work));
    const failed = results.find((result) => result.status === 'rejected');
    if (failed) throw failed.reason;
  }
}

import { describeError, type Logger } from '@clinic/shared/log';
import type { Stores } from '@clinic/prisma/stores';
import type { WorkflowStarter } from '@clinic/temporal/starter';

/** What is younger than this, whoever stored it is still about to start itself. */
const GRACE_MS = 3_000;
const OVERDUE_DELIVERY_MS = 45_000;
/** A sender that was woken and is only slow is left alone: signals that pile up would make it slower still. */
const WAKE_AGAIN_MS = 5 * 60_000;
const BATCH = 200;
const MAX_REMEMBERED = 50_000;
const MAX_OVERDUE = 2_000;
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

  const wokenAt = new Map<string, number>();
  const isAsleep = ({ subject }: { subject: string }) => (wokenAt.get(subject) ?? 0) < Date.now() - WAKE_AGAIN_MS;

  const startRuns = async () => {
    const runs = await stores.runs.undispatched(GRACE_MS, BATCH);
    await inBatches(runs, async (run) => {
      await starter.startRun(run);
      await stores.runs.markDispatched([run.workflowId]);
    });
    return runs.length;
  };
  /** Those whose turn has come are told at once, not after the grace of other messages. */
  const grantLines = async () => {
    const messages = await stores.lines.sweep();
    await inBatches(messages, async (message) => {
      await starter.tell(message);
      await stores.messages.markSent(message.id);
    });
    return messages.length;
  };
  const sendMessages = async () => {
    const messages = await stores.messages.unsent(GRACE_MS, BATCH);
    await inBatches(messages, async (message) => {
      await starter.tell(message);
      await stores.messages.markSent(message.id);
    });
    return messages.length;
  };
  const wakeSenders = async () => {
    if (wokenAt.size > MAX_REMEMBERED) wokenAt.clear();
    const overdue = (await stores.deliveries.overdueSubjects(OVERDUE_DELIVERY_MS, MAX_OVERDUE)).filter(isAsleep);
    await inBatches(overdue, async (owner) => {
      await starter.wakeDeliveries(owner);
      wokenAt.set(owner.subject, Date.now());
    });
    return overdue.length;
  };

  /** Each kind by itself, so that one that cannot go on holds up none of the others. Returns whether there may be more. */
  const sweep = async (): Promise<boolean> => {
    await counted(grantLines);
    const [runs, messages, deliveries] = [
      await counted(startRuns),
      await counted(sendMessages),
      await counted(wakeSenders),
    ];
    if (runs + messages + deliveries > 0) log.info({ runs, messages, deliveries }, 'relay caught up');
    return runs === BATCH || messages === BATCH;
  };
  const counted = (work: () => Promise<number>): Promise<number> =>
    work().catch((error: unknown) => {
      log.warn(describeError(error), 'relay could not start or send everything; trying again');
      return 0;
    });

  const loop = async () => {
    while (!isStopped) {
      const hasMore = await sweep();
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

/** One failure stops none of the others; it is thrown when all have been tried, and the next sweep tries it again. */
async function inBatches<Item>(items: Item[], work: (item: Item) => Promise<void>): Promise<void> {
  const failures: unknown[] = [];
  for (let from = 0; from < items.length; from += AT_ONCE) {
    const results = await Promise.allSettled(items.slice(from, from + AT_ONCE).map(work));
    failures.push(...results.filter((result) => result.status === 'rejected').map(({ reason }) => reason as unknown));
  }
  if (failures.length > 0) throw failures[0];
}

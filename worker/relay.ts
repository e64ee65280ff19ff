import { describeError, type Logger } from '@clinic/shared/log';
import type { KeepHeads } from '@clinic/gateways/audit-heads';
import type { Stores } from '@clinic/prisma/stores';
import type { AuditHead } from '@clinic/prisma/stores/operations/audit-chain';
import type { WaitingOwner } from '@clinic/prisma/stores/events/delivery-leases';
import type { Message } from '@clinic/prisma/stores/outreach/messages';
import type { Run } from '@clinic/prisma/stores/outreach/runs';
import type { WorkflowStarter } from '@clinic/temporal/starter';
import { type Duty, type OnPass, startDuty, type Turn } from './duty';
import { inBatches } from './in-batches';

/** What is younger than this is still about to be started by the process that stored it. */
const GRACE_MS = 3_000;
const OVERDUE_DELIVERY_MS = 20_000;
/** A sender that was woken for a delivery and is only slow is left alone: signals that pile up would make it slower still. */
const WAKE_AGAIN_MS = 5 * 60_000;
const BATCH = 200;
const SEALED_AT_ONCE = 1_000;
/** Every reading of a patient is sealed: a line for each batch would be most of the log. */
const HEADS_EVERY_MS = 60_000;
/** Whose last day on the waitlist is over is looked at no oftener. */
const EXPIRED_EVERY_MS = 60_000;
/** While there is nothing to make good, what waits for seconds anyway is looked for in one pass of so many. */
const QUIET_PASSES = 3;
const MAX_REMEMBERED = 50_000;
const MAX_OVERDUE = 2_000;
/** So many senders are woken at once, in all and of one receiver: each is work for Temporal, and the receiver takes them one after the other. */
const WOKEN_AT_ONCE = { inAll: 200, ofReceiver: 20 };

/** What came of one kind of work. */
interface Done {
  done: number;
  failures: unknown[];
  /** There may be more of it. */
  isFull?: boolean;
}

/**
 * Makes good what was stored but not yet started, told or sent: the service accepts while Temporal is down, and this
 * catches up. Every step may be repeated.
 */
export function startRelay({
  stores,
  auditChain = stores.auditChain,
  keepHeads = null,
  starter,
  log,
  onPass,
  everyMs = 1_000,
}: {
  stores: Stores;
  /** Over the role that seals, where there is one. */
  auditChain?: Pick<Stores['auditChain'], 'seal'>;
  /** Takes heads of the audit out of this machine's reach, where the operator has a place for them. */
  keepHeads?: KeepHeads | null;
  starter: WorkflowStarter;
  log: Logger;
  onPass?: OnPass;
  everyMs?: number;
}): Duty {
  // A sender that was woken for an earlier delivery may have ended since: what was added later wakes it again.
  const woken = createWoken(WAKE_AGAIN_MS);
  let expiredAt = 0;
  const tell = async (message: Message) => {
    await starter.tell(message);
    await stores.messages.markSent(message.id);
  };

  const startRun = async (run: Run) => {
    // While Temporal was slow it may have ended, and been erased.
    if (!(await stores.runs.isOpen(run.clinicId, run.workflowId))) return;
    await starter.startRun(run);
    await stores.runs.markDispatched([run.workflowId]);
  };

  const startRuns = async (signal: AbortSignal): Promise<Done> => {
    const runs = await stores.runs.undispatched(GRACE_MS, BATCH);
    const { done, failures } = await inBatches(runs, signal, startRun);
    return { done, failures, isFull: runs.length === BATCH };
  };
  const startWork = async (signal: AbortSignal): Promise<Done> => {
    const works = await stores.longWork.undispatched(GRACE_MS, BATCH);
    const { done, failures } = await inBatches(works, signal, async (work) => {
      await starter.startWork(work);
      await stores.longWork.markDispatched(work);
    });
    return { done, failures, isFull: works.length === BATCH };
  };
  /** Those whose turn has come are told at once, not after the grace of other messages. */
  const grantLines = async (signal: AbortSignal): Promise<Done> => inBatches(await stores.lines.sweep(), signal, tell);
  /** Each freed time leads to one run, which is started at once; if that fails, it is among those that were stored. */
  const offerFreedTimes = async (signal: AbortSignal): Promise<Done> => {
    await stores.waitlistOffers.endOverdue();
    if (Date.now() - expiredAt > EXPIRED_EVERY_MS) {
      await stores.waitlistOffers.endExpired();
      expiredAt = Date.now();
    }
    const due = await stores.waitlistOffers.due(BATCH);
    const clinicIds = [...new Set(due.map(({ clinicId }) => clinicId))];
    const { done, failures } = await inBatches(clinicIds, signal, async (clinicId) => {
      for (const freed of due) {
        if (signal.aborted) return;
        if (freed.clinicId !== clinicId) continue;
        const opened = await stores.waitlistOffers.offer(freed);
        const run = opened && (await stores.runs.find(opened.clinicId, opened.workflowId));
        if (run) await startRun(run);
      }
    });
    return { done, failures, isFull: due.length === BATCH };
  };
  const tellOfRules = async (): Promise<Done> => {
    const done = await stores.messages.tellOfRules(BATCH);
    return { done, failures: [], isFull: done > 0 };
  };
  const sendMessages = async (signal: AbortSignal): Promise<Done> => {
    const messages = await stores.messages.unsent(GRACE_MS, BATCH);
    const { done, failures } = await inBatches(messages, signal, tell);
    return { done, failures, isFull: messages.length === BATCH };
  };
  const wakeSenders = async (signal: AbortSignal): Promise<Done> => {
    const ofReceiver = new Map<string, number>();
    const isInTurn = ({ receiverId }: WaitingOwner) => {
      const turn = (ofReceiver.get(receiverId) ?? 0) + 1;
      ofReceiver.set(receiverId, turn);
      return turn <= WOKEN_AT_ONCE.ofReceiver;
    };
    const [untried, overdue] = await Promise.all([
      stores.deliveryLeases.untried(OVERDUE_DELIVERY_MS, MAX_OVERDUE),
      stores.deliveryLeases.overdue(OVERDUE_DELIVERY_MS, MAX_OVERDUE),
    ]);
    const asleep = [...untried.filter(woken.isAsleep), ...overdue.filter(woken.isAsleep)];
    const inTurn = asleep.filter(isInTurn).slice(0, WOKEN_AT_ONCE.inAll);
    const { done, failures } = await inBatches(inTurn, signal, async ({ newest, ...owner }) => {
      await starter.wakeDeliveries(owner);
      woken.note(newest);
    });
    // What is new goes out as fast as it comes; what is overdue, at the pace of the passes.
    return { done, failures, isFull: untried.some(woken.isAsleep) };
  };

  /** What subscriptions have heard of gets its numbers, and is then owed as every event is. */
  const prepareNotifications = async (): Promise<Done> => {
    const done = await stores.fhirSubscriptions.prepare(BATCH);
    return { done, failures: [], isFull: done === BATCH };
  };

  const headsToLog = new Map<string, AuditHead>();
  /** The newest of each clinic that has not arrived yet. */
  const headsToKeep = new Map<string, AuditHead>();
  let headsLoggedAt = 0;
  let keeping: Promise<void> = Promise.resolve();
  /** Nobody waits for a receiver: it may be slow, and what it does not take goes with the heads of the next minute. */
  const keep = async (): Promise<void> => {
    const heads = [...headsToKeep.values()];
    if (keepHeads === null || heads.length === 0) return;
    try {
      await keepHeads(heads);
      for (const head of heads) if (headsToKeep.get(head.clinicId) === head) headsToKeep.delete(head.clinicId);
    } catch (error) {
      log.error(describeError(error), 'heads of the audit could not be kept elsewhere; trying again');
    }
  };
  const sealAudit = async (): Promise<Done> => {
    const { sealed, heads, isFull } = await auditChain.seal(SEALED_AT_ONCE);
    for (const head of heads) headsToLog.set(head.clinicId, head);
    if (Date.now() - headsLoggedAt < HEADS_EVERY_MS) return { done: sealed, failures: [], isFull };
    headsLoggedAt = Date.now();
    // Kept with the logs, a head shows later that the end of a chain was cut off.
    for (const head of headsToLog.values()) {
      const { clinicId, position, hash } = head;
      log.info({ clinicId, count: position, code: hash }, 'audit sealed');
      headsToKeep.set(clinicId, head);
    }
    headsToLog.clear();
    keeping = keeping.then(keep);
    return { done: sealed, failures: [], isFull };
  };

  let passesToRest = 0;
  /** Each kind by itself, so that one that cannot go on holds up none of the others. */
  const pass = async ({ signal }: Turn): Promise<boolean> => {
    const attempt = async (work: (signal: AbortSignal) => Promise<Done>): Promise<Done> => {
      if (signal.aborted) return { done: 0, failures: [] };
      return work(signal).catch((error: unknown) => ({ done: 0, failures: [error] }));
    };
    const mayWait = async (work: (signal: AbortSignal) => Promise<Done>): Promise<Done> =>
      passesToRest > 0 ? { done: 0, failures: [] } : attempt(work);
    const lines = await attempt(grantLines);
    const runs = await mayWait(startRuns);
    const works = await mayWait(startWork);
    const offers = await mayWait(offerFreedTimes);
    const rules = await mayWait(tellOfRules);
    const messages = await mayWait(sendMessages);
    const notifications = await mayWait(prepareNotifications);
    const deliveries = await mayWait(wakeSenders);
    const audit = await mayWait(sealAudit);

    const kinds = [lines, runs, works, offers, rules, messages, deliveries, notifications, audit];
    const isQuiet = kinds.every(({ done, failures: failed }) => done === 0 && failed.length === 0);
    passesToRest = isQuiet ? (passesToRest + QUIET_PASSES - 1) % QUIET_PASSES : 0;
    const failures = kinds.flatMap((kind) => kind.failures);
    const isAllInVain = failures.length > 0 && kinds.every(({ done }) => done === 0);
    if (isAllInVain) throw failures[0];
    if (failures.length > 0) {
      log.warn(describeError(failures[0]), 'relay could not start or send everything; trying again');
    }
    if (runs.done + works.done + messages.done + deliveries.done > 0) {
      log.info(
        { runs: runs.done, works: works.done, messages: messages.done, deliveries: deliveries.done },
        'relay caught up',
      );
    }
    return kinds.some(({ isFull, failures: failed }) => isFull === true && failed.length === 0);
  };

  return startDuty({ name: 'relay', duties: stores.duties, everyMs, log, onPass, pass });
}

/** Which senders were woken within `againMs`, by the newest of what they were woken for: those are left alone. */
function createWoken(againMs: number) {
  const wokenAt = new Map<string, number>();
  return {
    isAsleep: ({ newest }: { newest: string }) => (wokenAt.get(newest) ?? 0) < Date.now() - againMs,
    note(newest: string) {
      if (wokenAt.size > MAX_REMEMBERED) wokenAt.clear();
      wokenAt.set(newest, Date.now());
    },
  };
}

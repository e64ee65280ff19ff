import { setTimeout as delay } from 'node:timers/promises';
import { newId } from '@clinic/shared/crypto';
import { describeError, type Logger } from '@clinic/shared/log';
import type { DutyName, DutyStores, HeldDuty } from '@clinic/prisma/stores/operations/duties';

/** A process that ends without a word is followed by another after this. */
const LEASE_MS = 6_000;
/** What is under way when the duty is stopped gets this long; then nobody waits for it any more. */
const STOP_MS = 800;

export interface Duty {
  /** Ends within a second. What had begun may still come to its end, and begins nothing more. */
  stop(): Promise<void>;
  /** Settles once it was stopped and nothing of it is under way any more. */
  ended: Promise<void>;
}

/** One pass of a duty. It looks at `signal`, which is aborted when the process stops or has lost the duty, before each step. */
export interface Turn {
  held: HeldDuty;
  signal: AbortSignal;
}

/** Hears of every pass how long it took and what became of it. */
export type OnPass = (pass: { duty: DutyName; result: 'done' | 'failed'; seconds: number }) => void;

/**
 * Makes passes of a duty in one process at a time, one after the other, `everyMs` apart; another one at once where a pass
 * returns true, for there is more. A process whose pass fails gives the duty up, so that one that can do it may.
 */
export function startDuty({
  name,
  duties,
  everyMs,
  leaseMs = LEASE_MS,
  log,
  onPass = () => undefined,
  pass,
}: {
  name: DutyName;
  duties: DutyStores;
  everyMs: number;
  leaseMs?: number;
  log: Logger;
  onPass?: OnPass;
  pass: (turn: Turn) => Promise<boolean>;
}): Duty {
  const holder = newId(name);
  const stopping = new AbortController();
  const isStopped = () => stopping.signal.aborted;
  const lookEveryMs = Math.min(everyMs, leaseMs / 2);

  let passedAt: number | null = null;
  const timed = async (passing: Promise<boolean>): Promise<boolean> => {
    const from = performance.now();
    const told = (result: 'done' | 'failed') =>
      onPass({ duty: name, result, seconds: (performance.now() - from) / 1_000 });
    try {
      const hasMore = await passing;
      passedAt = performance.now();
      told('done');
      return hasMore;
    } catch (error) {
      told('failed');
      throw error;
    }
  };

  /** Passes for as long as the duty is held. */
  const hold = async (held: HeldDuty): Promise<void> => {
    const lost = new AbortController();
    const signal = AbortSignal.any([stopping.signal, lost.signal]);
    const prolonging = prolong({ held, duties, leaseMs, lost, passedAt: () => passedAt });
    try {
      while (!signal.aborted) {
        const hasMore = await timed(pass({ held, signal }));
        if (!hasMore) await rest(everyMs, signal);
      }
    } finally {
      lost.abort();
      await prolonging;
      await duties.release(held);
    }
  };

  const loop = async (): Promise<void> => {
    while (!isStopped()) {
      let held: HeldDuty | null = null;
      try {
        held = await duties.take(name, holder, leaseMs);
        if (held) await hold(held);
      } catch (error) {
        if (isStopped()) return;
        log.warn({ ...describeError(error), duty: name }, 'a pass did not come to its end; trying again');
      }
      // Who has just lost or given up the duty lets others look for it first: they may be better off.
      await rest(held ? everyMs + lookEveryMs : lookEveryMs, stopping.signal);
    }
  };
  const running = loop();

  return {
    ended: running,
    async stop() {
      stopping.abort();
      const waiting = new AbortController();
      const late = delay(STOP_MS, undefined, { signal: waiting.signal }).catch(() => undefined);
      await Promise.race([running, late]).finally(() => waiting.abort());
    },
  };
}

/** Prolongs the lease until `lost` is aborted, and aborts it when the lease is over, as far as this process can know. */
async function prolong({
  held,
  duties,
  leaseMs,
  lost,
  passedAt,
}: {
  held: HeldDuty;
  duties: DutyStores;
  leaseMs: number;
  lost: AbortController;
  /** When a pass last came to its end. */
  passedAt: () => number | null;
}): Promise<void> {
  let prolongedAt = performance.now();
  while (!lost.signal.aborted) {
    await rest(leaseMs / 3, lost.signal);
    if (lost.signal.aborted) return;
    const askedAt = performance.now();
    try {
      const passed = passedAt();
      if (await duties.prolong(held, leaseMs, passed === null ? null : askedAt - passed)) prolongedAt = askedAt;
      else lost.abort();
    } catch {
      if (performance.now() - prolongedAt > leaseMs) lost.abort();
    }
  }
}

const rest = (ms: number, signal: AbortSignal): Promise<void> =>
  delay(ms, undefined, { signal, ref: false }).catch(() => undefined);

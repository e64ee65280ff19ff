import { setTimeout as delay } from 'node:timers/promises';
import { describeError, type Logger } from '@clinic/shared/log';

const FIRST_WAIT_MS = 500;
const MAX_WAIT_MS = 10_000;

/**
 * Does a step of the start until it succeeds, later and later: Temporal or PostgreSQL may start after us, or fail in the
 * middle. `why` is what the log says of each failure.
 */
export async function patiently<T>(
  why: string,
  step: () => Promise<T>,
  { log, firstWaitMs = FIRST_WAIT_MS }: { log: Logger; firstWaitMs?: number },
): Promise<T> {
  for (let waitMs = firstWaitMs; ; waitMs = Math.min(waitMs * 2, MAX_WAIT_MS)) {
    try {
      return await step();
    } catch (error) {
      log.warn(describeError(error), why);
      await delay(waitMs);
    }
  }
}

import { AsyncLocalStorage } from 'node:async_hooks';
import { AppError } from '@clinic/shared/errors';

/** Until when (ms since 1970) what is under way is surely nobody else's. */
const held = new AsyncLocalStorage<{ until: number }>();

/**
 * Runs work that another process may take over from then on: later than that, no statement of it is sent, and nothing is committed. What
 * it has begun and nobody waits for, as a queue or a timer that others use as well, goes on after its end.
 */
export async function whileHeld<T>(until: number, work: () => Promise<T>): Promise<T> {
  const hold = { until };
  try {
    return await held.run(hold, work);
  } finally {
    hold.until = Number.POSITIVE_INFINITY;
  }
}

/** Runs what is done for many at once, whoever of them has begun it. */
export const forAll = <T>(work: () => T): T => held.exit(work);

/** Throws `unavailable` in work that may be another's by now, as after this process was frozen. Statements of `sql` ask it by themselves. */
export function assertHeld(): void {
  const hold = held.getStore();
  if (hold && Date.now() > hold.until) {
    throw new AppError('unavailable', 'This took so long that it may have been asked for anew; please try again');
  }
}

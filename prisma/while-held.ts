import { AsyncLocalStorage } from 'node:async_hooks';
import { AppError } from '@clinic/shared/errors';

/** Until when (ms since 1970) what is under way is surely nobody else's. */
const heldUntil = new AsyncLocalStorage<number>();

/** Runs work that another process may take over from then on: later than that, no statement of it is sent, and nothing is committed. */
export const whileHeld = <T>(until: number, work: () => Promise<T>): Promise<T> => heldUntil.run(until, work);

/** Runs what is done for many at once, whoever of them has begun it. */
export const forAll = <T>(work: () => T): T => heldUntil.exit(work);

/** Throws `unavailable` in work that may be another's by now, as after this process was frozen. */
export function assertHeld(): void {
  const until = heldUntil.getStore();
  if (until !== undefined && Date.now() > until) {
    throw new AppError('unavailable', 'This took so long that it may have been asked for anew; please try again');
  }
}

import { AppError } from '@clinic/shared/errors';

/** What has not been answered by then is answered 503, without its reading of the body: clients wait for half a minute. */
export const DEADLINE_MS = 25_000;

/** The work goes on: under an `Idempotency-Key` a later request finds what it did. */
export async function inTime<T>(work: T | Promise<T>, withinMs: number, late = tooLate): Promise<T> {
  if (!(work instanceof Promise)) return work;
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(late()), withinMs);
  });
  return Promise.race([work, timeout]).finally(() => clearTimeout(timer));
}

const tooLate = () => new AppError('unavailable', 'This takes too long; please try again');

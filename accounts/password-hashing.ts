import { AsyncLocalStorage } from 'node:async_hooks';
import { AppError } from '@clinic/shared/errors';
import { hashPassword, verifyPassword } from 'better-auth/crypto';

/** A hash keeps one of the four threads busy that files and DNS need too. */
const MAX_AT_ONCE = 2;
/** More than these would wait for longer than people do. */
const MAX_WAITING = 8;

/** The library calls the hashing itself, and hands nothing on: who goes first is told past it. */
const goesFirst = new AsyncLocalStorage<boolean>();

/** Passwords that are hashed meanwhile go before others: of people who are known, whom a flood of strangers must not keep out. */
export const hashedFirst = <T>(work: () => Promise<T>): Promise<T> => goesFirst.run(true, work);

/** The library's hashing, two at once: however many sign in, files and DNS have threads left. */
export function createPasswordHashing() {
  const queue = createQueue({ maxAtOnce: MAX_AT_ONCE, maxWaiting: MAX_WAITING });
  const isFirst = () => goesFirst.getStore() ?? false;
  return {
    hash: (password: string) => queue(() => hashPassword(password), { isFirst: isFirst() }),
    verify: (given: { hash: string; password: string }) => queue(() => verifyPassword(given), { isFirst: isFirst() }),
  };
}

/** Runs so many pieces of work at once, has so many wait of those that go first and of the others, and refuses the rest with `too_many_requests`. */
export function createQueue({ maxAtOnce, maxWaiting }: { maxAtOnce: number; maxWaiting: number }) {
  let running = 0;
  const [first, others]: [(() => void)[], (() => void)[]] = [[], []];
  const turn = async (waiting: (() => void)[]) => {
    if (running < maxAtOnce) {
      running += 1;
      return;
    }
    if (waiting.length >= maxWaiting) {
      throw new AppError('too_many_requests', 'Too many people are signing in; please try again shortly');
    }
    // A request that ends hands its place over, so that no later one takes it.
    await new Promise<void>((resolve) => waiting.push(resolve));
  };
  return async <T>(work: () => Promise<T>, { isFirst = false } = {}): Promise<T> => {
    await turn(isFirst ? first : others);
    try {
      return await work();
    } finally {
      const next = first.shift() ?? others.shift();
      if (next) next();
      else running -= 1;
    }
  };
}

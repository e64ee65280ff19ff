import { LRUCache } from 'lru-cache';

export interface GrowingDelays {
  /** Milliseconds until a next try is admitted; 0 for at once. */
  waitMs(key: string): number;
  /** A try begins: beyond the free failures no other is admitted before it has ended, or some seconds are over. */
  began(key: string): void;
  /** A try has ended, and was none of those that failed. */
  ended(key: string): void;
  failed(key: string): void;
  succeeded(key: string): void;
}

const FIRST_DELAY_MS = 1_000;
const MAX_DELAY_MS = 15 * 60_000;
/** Anyone who has not failed for so long begins again. */
const MEMORY_MS = 60 * 60_000;
const MAX_KEYS = 50_000;
/** Of a try whose end nobody tells. */
const TURN_MS = 5_000;

/**
 * After so many failures without a success each further one doubles the wait before the next try, from a second to a
 * quarter of an hour, and tries are admitted one at a time: however many come at once, one is checked. Per process.
 */
export function createGrowingDelays({
  free,
  clock = Date.now,
}: {
  /** Failures that cost nothing. */
  free: number;
  clock?: () => number;
}): GrowingDelays {
  const failures = new LRUCache<string, { count: number; at: number; takenUntil: number }>({ max: MAX_KEYS });

  const recent = (key: string) => {
    const found = failures.get(key);
    return found && clock() - found.at < MEMORY_MS ? found : null;
  };

  return {
    waitMs(key) {
      const found = recent(key);
      if (!found || found.count < free) return 0;
      const delay = Math.min(MAX_DELAY_MS, FIRST_DELAY_MS * 2 ** (found.count - free));
      return Math.max(0, found.at + delay - clock(), found.takenUntil - clock());
    },
    began(key) {
      const found = recent(key);
      if (found && found.count >= free) found.takenUntil = clock() + TURN_MS;
    },
    ended(key) {
      const found = failures.get(key);
      if (found) found.takenUntil = 0;
    },
    failed(key) {
      failures.set(key, { count: (recent(key)?.count ?? 0) + 1, at: clock(), takenUntil: 0 });
    },
    succeeded: (key) => void failures.delete(key),
  };
}

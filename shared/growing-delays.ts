import { LRUCache } from 'lru-cache';

export interface GrowingDelays {
  /** Milliseconds until a next try is admitted; 0 for at once. */
  waitMs(key: string): number;
  failed(key: string): void;
  succeeded(key: string): void;
}

const FIRST_DELAY_MS = 1_000;
const MAX_DELAY_MS = 15 * 60_000;
/** Whoever has not failed for so long begins anew. */
const MEMORY_MS = 60 * 60_000;
const MAX_KEYS = 50_000;

/**
 * After so many failures without a success each further one doubles the wait before the next try, from a second to a
 * quarter of an hour. Per process.
 */
export function createGrowingDelays({
  free,
  clock = Date.now,
}: {
  /** Failures that cost nothing. */
  free: number;
  clock?: () => number;
}): GrowingDelays {
  const failures = new LRUCache<string, { count: number; at: number }>({ max: MAX_KEYS });

  const recent = (key: string) => {
    const found = failures.get(key);
    return found && clock() - found.at < MEMORY_MS ? found : null;
  };

  return {
    waitMs(key) {
      const found = recent(key);
      if (!found || found.count < free) return 0;
      const delay = Math.min(MAX_DELAY_MS, FIRST_DELAY_MS * 2 ** (found.count - free));
      return Math.max(0, found.at + delay - clock());
    },
    failed(key) {
      failures.set(key, { count: (recent(key)?.count ?? 0) + 1, at: clock() });
    },
    succeeded: (key) => void failures.delete(key),
  };
}

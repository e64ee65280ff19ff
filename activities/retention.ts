import type { RetentionDays } from '@clinic/shared/domain/operations/retention';
import type { Stores } from '@clinic/prisma/stores';

/** Few enough to hold no lock for long. */
const BATCH = 500;
/** Well within an activity's time. */
const TURN_MS = 4_000;
const DUE_AT_ONCE = 200;

export interface RetentionActivityDeps {
  stores: Stores;
  /** For clinics that have chosen none. */
  retentionDays: RetentionDays;
}

/** What becomes of contents that are old. */
export function createRetentionActivities({ stores, retentionDays }: RetentionActivityDeps) {
  return {
    /** Purges for some seconds, what waits longest first. Returns how much by kind; `isDone` once nothing is due. Safe to repeat. */
    async purgeSomeContents(): Promise<{ counts: Record<string, number>; isDone: boolean }> {
      await stores.viewers.forgetLeft();
      const until = Date.now() + TURN_MS;
      const counts: Record<string, number> = {};
      for (;;) {
        const all = await stores.retention.due(retentionDays, DUE_AT_ONCE);
        if (all.length === 0) return { counts, isDone: true };
        for (const due of all) {
          for (;;) {
            if (Date.now() > until) return { counts, isDone: false };
            const purged = await stores.retention.purge(due, BATCH);
            if (purged > 0) counts[due.kind] = (counts[due.kind] ?? 0) + purged;
            if (purged < BATCH) break;
          }
          await stores.retention.done(due);
        }
      }
    },
  };
}

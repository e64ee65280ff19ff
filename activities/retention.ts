import type { RetentionDays } from '@clinic/shared/domain/operations/retention';
import type { Stores } from '@clinic/prisma/stores';
import type { PurgePlace } from '@clinic/prisma/stores/operations/retention';

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
    /**
     * Purges for some seconds, what waits longest first, after the `place` that the turn before has come to. Returns how much by kind;
     * `isDone` once nothing is due. Safe to repeat.
     */
    async purgeSomeContents(
      begin: PurgePlace | null = null,
    ): Promise<{ counts: Record<string, number>; isDone: boolean; place?: PurgePlace | null }> {
      await stores.viewers.forgetLeft();
      const until = Date.now() + TURN_MS;
      const counts: Record<string, number> = {};
      for (let place = begin; ;) {
        const following = place && (await stores.retention.after(place, retentionDays));
        if (!following) place = null;
        const all = following ? [following] : await stores.retention.due(retentionDays, DUE_AT_ONCE);
        if (all.length === 0) return { counts, isDone: true };
        for (const due of all) {
          for (;;) {
            if (Date.now() > until) return { counts, isDone: false, place };
            const purged = await stores.retention.purge(due, BATCH);
            if (purged > 0) counts[due.kind] = (counts[due.kind] ?? 0) + purged;
            if (purged < BATCH) break;
          }
          // What stays for now, as of a run that is open, keeps nothing that is newer.
          if (place === null && !(await stores.retention.done(due))) continue;
          place = { clinicId: due.clinicId, kind: due.kind, until: due.until.toISOString() };
          break;
        }
      }
    },
  };
}

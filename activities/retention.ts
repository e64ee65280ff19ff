import type { RetentionDays } from '@clinic/shared/domain/operations/retention';
import type { Stores } from '@clinic/prisma/stores';
import type { DuePurge, PurgePlace } from '@clinic/prisma/stores/operations/retention';

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
      for await (const { due, place } of spansFrom({ stores, retentionDays }, begin)) {
        for (let purged = BATCH; purged === BATCH;) {
          if (Date.now() > until) return { counts, isDone: false, place };
          purged = await stores.retention.purge(due, BATCH);
          if (purged > 0) counts[due.kind] = (counts[due.kind] ?? 0) + purged;
        }
      }
      return { counts, isDone: true };
    },
  };
}

/** Some months of a kind of a clinic. `place`: where a turn begins that is to go on with it; null where it is due by itself. */
interface Span {
  due: DuePurge;
  place: PurgePlace | null;
}

/** All that is due, what waits longest first. Whoever asks for the next span has purged the one before. */
async function* spansFrom(deps: RetentionActivityDeps, begin: PurgePlace | null): AsyncGenerator<Span> {
  const { retention } = deps.stores;
  if (begin) yield* spansAfter(deps, begin);
  for (;;) {
    const all = await retention.due(deps.retentionDays, DUE_AT_ONCE);
    if (all.length === 0) return;
    for (const due of all) {
      yield { due, place: null };
      // What stays for now, as of a run that is open, keeps nothing that is newer.
      if (await retention.done(due)) yield* spansAfter(deps, endOf(due));
    }
  }
}

async function* spansAfter({ stores, retentionDays }: RetentionActivityDeps, begin: PurgePlace): AsyncGenerator<Span> {
  for (let place = begin; ;) {
    const due = await stores.retention.after(place, retentionDays);
    if (!due) return;
    yield { due, place };
    place = endOf(due);
  }
}

const endOf = ({ clinicId, kind, until }: DuePurge): PurgePlace => ({ clinicId, kind, until: until.toISOString() });

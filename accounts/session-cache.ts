import { LRUCache } from 'lru-cache';

interface Named {
  sessionId: string;
  accountId: string;
  clinicId: string | null;
}

export interface SessionCache<Session extends Named> {
  /** The session remembered under this key, else what `load` returns; that there is none is never remembered. */
  through(key: string, load: () => Promise<Session | null>): Promise<Session | null>;
  /** Drops what is remembered under this key, or of the session, account or clinic of this id; `*` drops everything. */
  drop(keyOrId: string): void;
}

/** Spares the database a look-up per request. Bounded, and short-lived for the case that a change went unheard. */
export function createSessionCache<Session extends Named>({
  clock,
  keepMs = 10_000,
  capacity = 10_000,
}: {
  clock: () => number;
  keepMs?: number;
  capacity?: number;
}): SessionCache<Session> {
  // An entry of lru-cache outlives its time by a millisecond. A resolution of 0 asks the clock at every look-up.
  const held = new LRUCache<string, Session>({
    max: capacity,
    ttl: keepMs - 1,
    ttlResolution: 0,
    perf: { now: clock },
  });
  let drops = 0;

  return {
    async through(key, load) {
      const known = held.get(key);
      if (known) return known;
      const dropsBefore = drops;
      const session = await load();
      // What was read before a drop may be what the drop was about.
      if (session && drops === dropsBefore) held.set(key, session);
      return session;
    },
    drop(keyOrId) {
      drops += 1;
      if (keyOrId === '*') return held.clear();
      const dropped = [...held.entries()].filter(([key, { sessionId, accountId, clinicId }]) =>
        [key, sessionId, accountId, clinicId].includes(keyOrId),
      );
      for (const [key] of dropped) held.delete(key);
    },
  };
}

interface Named {
  sessionId: string;
  accountId: string;
}

export interface SessionCache<Session extends Named> {
  /** The session remembered under this key, else what `load` answers; that there is none is never remembered. */
  through(key: string, load: () => Promise<Session | null>): Promise<Session | null>;
  /** Drops what is remembered under this key, or of the session or account of this id; `*` drops everything. */
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
  const held = new Map<string, { session: Session; until: number }>();
  let drops = 0;

  const keep = (key: string, session: Session) => {
    held.delete(key);
    const [oldest] = held.keys();
    if (oldest !== undefined && held.size >= capacity) held.delete(oldest);
    held.set(key, { session, until: clock() + keepMs });
  };

  return {
    async through(key, load) {
      const known = held.get(key);
      if (known && known.until > clock()) return known.session;
      const dropsBefore = drops;
      const session = await load();
      // What was read before a drop may be what the drop was about.
      if (session && drops === dropsBefore) keep(key, session);
      else held.delete(key);
      return session;
    },
    drop(keyOrId) {
      drops += 1;
      if (keyOrId === '*') return held.clear();
      for (const [key, { session }] of held) {
        if ([key, session.sessionId, session.accountId].includes(keyOrId)) held.delete(key);
      }
    },
  };
}

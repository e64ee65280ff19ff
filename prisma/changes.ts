import { setTimeout as delay } from 'node:timers/promises';
import { randomUUID } from 'node:crypto';
import { Client } from 'pg';
import { connecting } from './client';

const RETRY_MS = 500;
/** Between two looks while there are changes. It doubles with each look that finds none. */
const LOOK_SOON_MS = 20;
/** While there are none: a change that nobody rang for is heard this late. */
const LOOK_EVERY_MS = 200;
/** Likewise, where a ring has been heard on the connection. */
const LOOK_SELDOM_MS = 900;
/** More than this at once is told as "anything may have changed". */
const MAX_TOLD = 2_000;
/** What has changed is kept for this long. Anyone who has not looked for half of it may have missed something. */
const KEPT_MS = 60_000;
const DELETED_AT_ONCE = 5_000;

/** What changed, ids only. */
export interface Change {
  table: string;
  clinicId: string | null;
  id: string;
}

export interface Changes {
  /** Calls back on every change until the returned function is called. */
  subscribe(listener: (change: Change) => void): () => void;
  /** Tells this process at once what the database is about to tell every process. */
  announce(change: Change): void;
  /** How long a change took to be heard of at most, in seconds; null while there is no connection. */
  lagSeconds(): number | null;
  close(): void;
}

/** What `changes_since` returns: `snapshot` is what the next call begins at, `filling` names the filling of the table. */
interface Look {
  snapshot: string;
  at: Date;
  filling: string | null;
  changed: Change[];
}

/**
 * Reads what was committed to the table `changes`, on a connection of its own, which it opens again when it breaks or no
 * longer replies. While there are changes it looks often; after a quiet moment the first writer rings by a notification.
 * Behind a pooler that hands out connections by transaction no ring is heard: there it looks five times a second.
 *
 * After a reconnect, and when changes may have been missed, every listener hears `{ table: '*', clinicId: null, id: '*' }`:
 * anything may have changed.
 */
export function listenToChanges(
  url: string,
  { silenceMs = 5_000, keptMs = KEPT_MS }: { silenceMs?: number; keptMs?: number } = {},
): Changes {
  const listeners = new Set<(change: Change) => void>();
  const tell = (change: Change) => [...listeners].forEach((listener) => listener(change));
  const tellAll = () => tell({ table: '*', clinicId: null, id: '*' });
  const closing = new AbortController();
  let lag: { seconds: number; at: number } | null = null;

  /** Tells what was found until the connection breaks or the feed is closed. */
  const follow = async (client: Client, bell: Bell): Promise<void> => {
    const purge = createPurge(client, keptMs);
    let last = await firstLook(client);
    let askedAt = performance.now();
    tellAll();
    while (!closing.signal.aborted) {
      const beganAt = performance.now();
      const look = await lookSince(client, last.snapshot);
      const { changed } = look;
      if (isGap(last, look, keptMs)) {
        // After a crash the table is empty, and has no name yet.
        last = look.filling === null ? await firstLook(client) : look;
        tellAll();
      } else {
        last = look;
        if (changed.length > MAX_TOLD) tellAll();
        else distinct(changed).forEach(tell);
      }
      lag = { seconds: (performance.now() - askedAt) / 1_000, at: performance.now() };
      askedAt = beganAt;
      await purge(last);
      const isRungFor = await bell.rest(changed.length > 0, closing.signal);
      if (isRungFor) askedAt = performance.now();
    }
  };

  const run = async (): Promise<void> => {
    while (!closing.signal.aborted) {
      const client = new Client({ ...connecting, connectionString: url, query_timeout: silenceMs });
      const end = () => client.connection.stream.destroy();
      client.on('error', end);
      closing.signal.addEventListener('abort', end);
      try {
        await client.connect();
        // The server ends the session of a process that is gone without a word, and with it what keeps writers from ringing.
        const bell = createBell(client);
        // Rung once by itself, for it to know whether it would hear.
        await client.query(`SET idle_session_timeout = ${silenceMs * 2}; LISTEN changes; NOTIFY changes`);
        await follow(client, bell);
      } catch {
        lag = null;
      } finally {
        closing.signal.removeEventListener('abort', end);
        end();
      }
      await delay(RETRY_MS, undefined, { signal: closing.signal }).catch(() => undefined);
    }
  };
  void run();

  return {
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    announce: tell,
    lagSeconds: () => lag && Math.max(lag.seconds, (performance.now() - lag.at) / 1_000),
    close: () => closing.abort(),
  };
}

async function lookSince(client: Client, snapshot: string): Promise<Look> {
  const { rows } = await client.query<Look>(
    'select snapshot, at, filling, changed from changes_since($1::pg_snapshot)',
    [snapshot],
  );
  const [look] = rows;
  if (!look) throw new Error('changes_since returns one row');
  return look;
}

/** Names the filling of the table where it has no name, and deletes rows that were copied from another server: their transactions are still to come here. */
async function firstLook(client: Client): Promise<Look> {
  await client.query('delete from changes where xid >= pg_snapshot_xmax(pg_current_snapshot())');
  await client.query(
    `insert into changes (xid, table_name, record_id)
     select '0', 'changes', $1::text where not exists (select from changes where xid = '0')`,
    [randomUUID()],
  );
  const { rows } = await client.query<{ snapshot: string }>('select pg_current_snapshot()::text as snapshot');
  return lookSince(client, rows[0]?.snapshot ?? '');
}

/** Whether changes between two looks may have gone unseen: the table was emptied, or they are deleted by now. By the clock of the database. */
const isGap = (last: Look, look: Look, keptMs: number): boolean =>
  look.filling !== last.filling || look.at.getTime() - last.at.getTime() > keptMs / 2;

const distinct = (changed: Change[]): Change[] => [
  ...new Map(changed.map((change) => [`${change.table} ${change.clinicId} ${change.id}`, change])).values(),
];

type Bell = ReturnType<typeof createBell>;

/**
 * Rests between looks. A reader that looks often needs no bell: the lock that is held meanwhile keeps writers from ringing, which
 * costs them more than all else of the feed. After a quiet moment the first writer rings.
 */
function createBell(client: Client) {
  let restMs = LOOK_SOON_MS;
  let isLocked = false;
  let isHeard = false;
  let isRung = false;
  let wake = () => {};
  client.on('notification', () => {
    isHeard = true;
    isRung = true;
    wake();
  });

  /** While a writer rings the lock is not free; it is tried again at the next look. */
  const lock = async () => {
    const { rows } = await client.query<{ got: boolean }>(
      `select pg_try_advisory_lock_shared(hashtextextended('changes', 0)) as got`,
    );
    isLocked = rows[0]?.got === true;
  };
  const unlock = async () => {
    await client.query(`select pg_advisory_unlock_shared(hashtextextended('changes', 0))`);
    isLocked = false;
  };

  return {
    /** Whether a writer would have rung the bell in the meantime, so that a change is no older than the end of the rest. */
    async rest(hasFound: boolean, signal: AbortSignal): Promise<boolean> {
      // What was written before the lock was given back is found by the first of the looks that follow: it comes soon.
      const seldomMs = isHeard && restMs >= LOOK_EVERY_MS ? LOOK_SELDOM_MS : LOOK_EVERY_MS;
      restMs = hasFound ? LOOK_SOON_MS : Math.min(restMs * 2, seldomMs);
      const isQuiet = restMs >= LOOK_EVERY_MS;
      const wouldRing = isQuiet && isHeard && !isLocked;
      if (!isQuiet && !isLocked) await lock();
      if (isQuiet && isLocked) await unlock();
      if (isRung && isQuiet) restMs = LOOK_SOON_MS;
      isRung = false;
      await new Promise<void>((resolve) => {
        const done = () => {
          clearTimeout(timer);
          signal.removeEventListener('abort', done);
          wake = () => {};
          resolve();
        };
        const timer = setTimeout(done, restMs);
        signal.addEventListener('abort', done);
        if (isQuiet) wake = done;
      });
      return wouldRing;
    },
  };
}

/** Deletes what every reader has seen, a part at each look: rows of transactions that had ended `keptMs` ago. */
function createPurge(client: Client, keptMs: number) {
  let mark: Look | null = null;
  let until: string | null = null;
  return async (look: Look): Promise<void> => {
    mark ??= look;
    if (until === null && look.at.getTime() - mark.at.getTime() > keptMs) {
      until = mark.snapshot;
      mark = look;
    }
    if (until === null) return;
    const { rowCount } = await client.query(
      `delete from changes where ctid = any(array(select ctid from changes
        where xid > '0' and xid < pg_snapshot_xmin($1::pg_snapshot) limit ${DELETED_AT_ONCE} for update skip locked))`,
      [until],
    );
    if ((rowCount ?? 0) < DELETED_AT_ONCE) until = null;
  };
}

import { Client } from 'pg';

/** What changed, ids only. */
export interface Change {
  table: string;
  clinicId: string | null;
  id: string;
}

export interface Changes {
  /** Calls back on every change until the returned function is called. */
  subscribe(listener: (change: Change) => void): () => void;
  /** Resolves at the next change that matches, or after `timeoutMs`. */
  next(matches: (change: Change) => boolean, timeoutMs: number): Promise<void>;
  /** Tells this process at once what the database is about to tell every process. */
  announce(change: Change): void;
  close(): Promise<void>;
}

/**
 * Listens to the database's change notifications on a connection of its own and reconnects when it breaks.
 * After a reconnect every listener hears `{ table: '*', clinicId: null, id: '*' }`: anything may have changed.
 */
export function listenToChanges(url: string): Changes {
  const listeners = new Set<(change: Change) => void>();
  let client: Client | null = null;
  let isClosed = false;
  let retry: NodeJS.Timeout | undefined;

  const tell = (change: Change) => [...listeners].forEach((listener) => listener(change));

  const connect = async () => {
    const fresh = new Client({ connectionString: url, keepAlive: true });
    const lost = () => {
      if (client === fresh) client = null;
      fresh.removeAllListeners('notification');
      fresh.end().catch(() => undefined);
      if (!isClosed && !retry) retry = setTimeout(() => ((retry = undefined), void connect()), 500);
    };
    fresh.on('error', lost);
    fresh.on('end', lost);
    fresh.on('notification', ({ payload }) => payload && tell(JSON.parse(payload) as Change));
    try {
      await fresh.connect();
      await fresh.query('LISTEN changes');
      client = fresh;
      if (isClosed) return await fresh.end();
      tell({ table: '*', clinicId: null, id: '*' });
    } catch {
      lost();
    }
  };
  void connect();

  const subscribe: Changes['subscribe'] = (listener) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  };
  return {
    subscribe,
    announce: tell,
    next: (matches, timeoutMs) =>
      new Promise((resolve) => {
        const done = () => {
          clearTimeout(timer);
          unsubscribe();
          resolve();
        };
        const timer = setTimeout(done, timeoutMs);
        const unsubscribe = subscribe((change) => (change.table === '*' || matches(change)) && done());
      }),
    async close() {
      isClosed = true;
      clearTimeout(retry);
      await client?.end().catch(() => undefined);
    },
  };
}

import { randomUUID } from 'node:crypto';
import { Client } from 'pg';
import { connecting } from './client';

const RETRY_MS = 500;

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
  /** How long a notification took to come back last, in seconds; null while there is no connection. */
  lagSeconds(): number | null;
  close(): void;
}

/**
 * Listens to the database's change notifications on a connection of its own and reconnects when it breaks or no longer
 * replies. After a reconnect every listener hears `{ table: '*', clinicId: null, id: '*' }`: anything may have changed.
 */
export function listenToChanges(url: string, { heartbeatMs = 5_000 }: { heartbeatMs?: number } = {}): Changes {
  const listeners = new Set<(change: Change) => void>();
  let lose: () => void = () => undefined;
  let isClosed = false;
  let lag: number | null = null;
  let retry: NodeJS.Timeout | undefined;

  const tell = (change: Change) => [...listeners].forEach((listener) => listener(change));

  const connect = async () => {
    const fresh = new Client({ ...connecting, connectionString: url, query_timeout: heartbeatMs });
    let heartbeat: NodeJS.Timeout | undefined;
    // A channel of its own: nobody else hears how long its notifications take.
    const own = `changes_${randomUUID().replaceAll('-', '')}`;
    const lost = () => {
      lag = null;
      clearInterval(heartbeat);
      fresh.removeAllListeners('notification');
      fresh.connection.stream.destroy();
      if (!isClosed && !retry) retry = setTimeout(() => ((retry = undefined), void connect()), RETRY_MS);
    };
    lose = lost;
    fresh.on('error', lost);
    fresh.on('end', lost);
    fresh.on('notification', ({ channel, payload }) => {
      if (!payload) return;
      if (channel === own) lag = (performance.now() - Number(payload)) / 1_000;
      else tell(JSON.parse(payload) as Change);
    });
    const beat = () => void fresh.query('select pg_notify($1, $2)', [own, String(performance.now())]).catch(lost);
    try {
      await fresh.connect();
      await fresh.query(`LISTEN changes; LISTEN ${own}`);
      if (isClosed) return lost();
      // Nothing may be heard for hours: only a question shows that the connection still works.
      heartbeat = setInterval(beat, heartbeatMs);
      beat();
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
    lagSeconds: () => lag,
    close() {
      isClosed = true;
      clearTimeout(retry);
      lose();
    },
  };
}

import { Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { PrismaPg } from '@prisma/adapter-pg';
import { type Client, Pool } from 'pg';
import type { PoolState } from '@clinic/shared/process-metrics';
import { PrismaClient } from './generated/client';
import { createSql, type SqlDatabase } from './sql';

/** Both ways to the records, over one pool: Prisma for settings and lists, SQL where somebody waits. */
export interface Database extends SqlDatabase {
  prisma: PrismaClient;
  /** For connections of its own: the listener on changes. */
  url: string;
  /** Whether it replies within two seconds. */
  isReachable(): Promise<boolean>;
  poolState(): PoolState;
  close(): Promise<void>;
}

export interface DatabaseOptions {
  poolSize?: number;
  /** The server ends a statement, and a transaction in which nothing happens, after this. */
  statementTimeoutMs?: number;
  /** A connection on which nothing has come or gone for so long is dead: the server would have replied. */
  silenceMs?: number;
}

/** How every connection of the service is opened: in five seconds or not at all, and watched by the kernel. */
export const connecting = {
  connectionTimeoutMillis: 5_000,
  keepAlive: true,
  keepAliveInitialDelayMillis: 5_000,
};

const REACHABLE_MS = 2_000;

/** Opens the pool without connecting yet. */
export function openDatabase(
  url: string,
  { poolSize = 16, statementTimeoutMs = 10_000, silenceMs = 12_000 }: DatabaseOptions = {},
): Database {
  const pool = new Pool({
    ...connecting,
    connectionString: url,
    max: poolSize,
    statement_timeout: statementTimeoutMs,
    idle_in_transaction_session_timeout: statementTimeoutMs,
  });
  // An idle connection that breaks (server restarted) is only dropped; the next query opens a new one.
  pool.on('error', () => undefined);
  pool.on('connect', (client) => {
    // One that breaks while it is in use fails the statement on it, or the next one; without a listener it would end the process.
    client.on('error', () => undefined);
    endWhenSilent(client, silenceMs);
  });
  const prisma = new PrismaClient({ adapter: new PrismaPg(pool) });
  return {
    ...createSql(pool),
    prisma,
    url,
    async isReachable() {
      const waiting = new AbortController();
      const reply = pool.query('select 1').then(
        () => true,
        () => false,
      );
      const late = delay(REACHABLE_MS, false, { signal: waiting.signal }).catch(() => false);
      return Promise.race([reply, late]).finally(() => waiting.abort());
    },
    poolState: () => ({ total: pool.totalCount, idle: pool.idleCount, waiting: pool.waitingCount }),
    async close() {
      await prisma.$disconnect();
      await pool.end();
    },
  };
}

/**
 * Destroys the connection when it has been silent for too long, which fails the statement on it: packets may vanish
 * without a reset. The pool closes an idle connection before that.
 */
function endWhenSilent({ connection }: Pick<Client, 'connection'>, silenceMs: number): void {
  const { stream } = connection;
  if (!(stream instanceof Socket)) return;
  stream.setTimeout(silenceMs, () => {
    const received = stream.bytesRead;
    // After a process was frozen the reply may lie there unread; it is read before the check.
    setImmediate(() => {
      if (stream.bytesRead === received) stream.destroy(silent());
    });
  });
}

const silent = () => Object.assign(new Error('The database did not reply'), { code: 'ETIMEDOUT' });

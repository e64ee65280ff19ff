import { PrismaPg } from '@prisma/adapter-pg';
import { Pool } from 'pg';
import { PrismaClient } from './generated/client';
import { createSql, type SqlDatabase } from './sql';

/** Both ways to the records, over one pool: Prisma for settings and lists, SQL where somebody waits. */
export interface Database extends SqlDatabase {
  prisma: PrismaClient;
  /** For connections of its own: the listener on changes. */
  url: string;
  close(): Promise<void>;
}

/** Opens the pool without connecting yet. A statement that takes over 10 s is ended by the server. */
export function openDatabase(url: string, { poolSize = 16 }: { poolSize?: number } = {}): Database {
  const pool = new Pool({
    connectionString: url,
    max: poolSize,
    connectionTimeoutMillis: 5_000,
    statement_timeout: 10_000,
    idle_in_transaction_session_timeout: 15_000,
    keepAlive: true,
  });
  // An idle connection that breaks (server restarted) is only dropped; the next query opens a new one.
  pool.on('error', () => undefined);
  const prisma = new PrismaClient({ adapter: new PrismaPg(pool) });
  return {
    ...createSql(pool),
    prisma,
    url,
    async close() {
      await prisma.$disconnect();
      await pool.end();
    },
  };
}

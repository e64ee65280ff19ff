import type { Database } from '@clinic/prisma/client';

/** How many statements on this database wait for the lock of another transaction. */
export async function waitingForLocks({ sql }: Pick<Database, 'sql'>): Promise<number> {
  const waiting = await sql`
    select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
  return waiting.length;
}

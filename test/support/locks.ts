import type { Database } from '@clinic/prisma/client';

/** Until a transaction of this database waits for the lock of another. */
export async function untilSomebodyWaits({ sql }: Database): Promise<void> {
  for (let tries = 0; tries < 200; tries += 1) {
    const [waiting] = await sql<{ count: number }>`
      select count(*)::int as count from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
    if ((waiting?.count ?? 0) > 0) return;
  }
  throw new Error('nobody waits');
}

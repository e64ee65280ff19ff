import type { Database } from '@clinic/prisma/client';
import type { Sql } from '@clinic/prisma/sql';

/**
 * Runs work in one transaction without triggers and checks of relations. For a large load the indexes that no constraint
 * needs are made again afterwards, which takes a fraction of adding to them row by row.
 */
export async function inBackground(
  database: Database,
  isLarge: boolean,
  work: (tx: Sql) => Promise<void>,
): Promise<void> {
  await database.transaction(async (tx) => {
    await tx`select set_config('session_replication_role', 'replica', true), set_config('maintenance_work_mem', '512MB', true)`;
    const indexes = isLarge ? await plainIndexes(tx) : [];
    for (const { name } of indexes) await run(tx, `drop index ${name}`);
    await work(tx);
    for (const { definition } of indexes) await run(tx, definition);
  });
}

const plainIndexes = (tx: Sql) => tx<{ name: string; definition: string }>`
  select i.indexrelid::regclass::text as name, coalesce(pg_get_indexdef(i.indexrelid), '') as definition
  from pg_index i join pg_class c on c.oid = i.indexrelid
  where c.relnamespace = 'public'::regnamespace and not i.indisunique and not i.indisexclusion`;

/** A statement that takes no parameters, by PostgreSQL itself. */
async function run(tx: Sql, statement: string): Promise<void> {
  await tx`select set_config('clinic.statement', ${statement}, true)`;
  await tx`do $$ begin execute current_setting('clinic.statement'); end $$`;
}

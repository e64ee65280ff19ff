import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Database } from '@clinic/prisma/client';
import { freshDatabase } from '../support/database';

let database: Database;
let page: string;

beforeAll(async () => {
  database = await freshDatabase();
  page = await readFile(join(__dirname, '../../docs/database.md'), 'utf8');
});

afterAll(() => database.close());

test('the page on the database names all that the database does by itself', async () => {
  const names = await catalogNames();

  expect(names.length).toBeGreaterThan(30);
  expect(names.filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
});

test('every rule, index, function, trigger and view that the page names exists', async () => {
  const names = await catalogNames();

  const tables = page.split('\n').filter((line) => line.startsWith('|'));
  const sections = page.slice(page.indexOf('\n## Rules'), page.indexOf('\n## Locks')).split('\n');
  const named = tables
    .filter((line) => sections.includes(line))
    .flatMap((line) => [...(line.split('|')[1] ?? '').matchAll(/`(\w+)`/g)].map(([, name = '']) => name));

  expect(named.length).toBeGreaterThan(30);
  expect(named.filter((name) => !names.includes(name))).toEqual([]);
});

/** All but primary keys, foreign keys, plain indexes and the keys that foreign keys need. */
async function catalogNames(): Promise<string[]> {
  const rows = await database.sql<{ name: string }>`
    select conname::text as name from pg_constraint
    where connamespace = 'public'::regnamespace and contype in ('c', 'x')
    union select tgname::text from pg_trigger where not tgisinternal
    union select p.proname::text from pg_proc p
    where p.pronamespace = 'public'::regnamespace
      and not exists (select 1 from pg_depend d where d.objid = p.oid and d.deptype = 'e')
    union select relname::text from pg_class where relkind = 'v' and relnamespace = 'public'::regnamespace
    union select i.indexrelid::regclass::text from pg_index i join pg_class c on c.oid = i.indexrelid
    where c.relnamespace = 'public'::regnamespace and i.indisunique and not i.indisprimary
      and pg_get_indexdef(i.indexrelid) not like '%(clinic_id, id)' and c.relname not like '\\_prisma%'
    order by name`;
  return rows.map(({ name }) => name);
}

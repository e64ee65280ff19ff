import { createHash } from 'node:crypto';
import { cp, mkdtemp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { migrate, writeMigration } from '@clinic/prisma/migrate';
import { Client } from 'pg';
import { emptyDatabase } from '../support/database';

const migrations = join(__dirname, '../../prisma/migrations');

let url: string;
let folder: string;

beforeEach(async () => {
  url = await emptyDatabase();
  folder = await mkdtemp(join(tmpdir(), 'clinic-migrations-'));
  await cp(migrations, folder, { recursive: true });
});

afterEach(async () => {
  await rm(folder, { recursive: true });
});

test('an empty database gets every migration once, in order', async () => {
  const names = (await readdir(migrations)).filter((name) => /^\d/.test(name)).toSorted();

  const first = await migrate(url);
  const second = await migrate(url);

  expect(first.applied).toEqual(names);
  expect(second.applied).toEqual([]);
});

test('two processes that migrate at the same time do not disturb each other', async () => {
  const [one, other] = await Promise.all([migrate(url), migrate(url)]);

  expect([one, other].filter(({ applied }) => applied.length > 0)).toHaveLength(1);
});

test("what is applied stands in Prisma's own table, with the checksum that `prisma migrate deploy` compares", async () => {
  await migrate(url);

  const rows = await query('SELECT migration_name, checksum, finished_at FROM _prisma_migrations ORDER BY started_at');

  for (const { migration_name, checksum, finished_at } of rows) {
    const sql = await readFile(join(migrations, String(migration_name), 'migration.sql'));
    expect(checksum).toBe(createHash('sha256').update(sql).digest('hex'));
    expect(finished_at).not.toBeNull();
  }
  expect(rows.length).toBeGreaterThan(0);
});

test('a migration that fails half-way leaves nothing behind and is named', async () => {
  await aMigration('29990101000000_breaks', 'CREATE TABLE half (id int); SELECT 1 / 0;');

  await expect(migrate(url, { folder })).rejects.toThrow(
    /^Migration 29990101000000_breaks failed: (?!.*\n\s+0: ).*division by zero/s,
  );

  expect(await query(`SELECT to_regclass('half') AS half`)).toEqual([{ half: null }]);
});

test('a migration that was edited after it was applied is refused, and nothing else is applied', async () => {
  const [first = ''] = (await readdir(migrations)).filter((name) => /^\d/.test(name)).toSorted();
  await migrate(url, { folder });
  await writeFile(join(folder, first, 'migration.sql'), 'CREATE TABLE edited (id int);');
  await aMigration('29990101000000_later', 'CREATE TABLE later (id int);');

  await expect(migrate(url, { folder })).rejects.toThrow(
    `The migration ${first} was edited after this database had it`,
  );

  expect(await query(`SELECT to_regclass('later') AS later`)).toEqual([{ later: null }]);
});

test('a function body with semicolons is one statement', async () => {
  await aMigration(
    '29990101000000_function',
    `CREATE FUNCTION answer() RETURNS int LANGUAGE plpgsql AS $$ DECLARE n int := 42; BEGIN RETURN n; END $$;`,
  );

  await migrate(url, { folder });

  expect(await query('SELECT answer()')).toEqual([{ answer: 42 }]);
});

test('schema.prisma and the migrations say the same: there is nothing to write', async () => {
  expect(await writeMigration(url, { name: 'nothing', folder })).toBeNull();
});

test('what schema.prisma has and the migrations lack becomes a migration', async () => {
  await aMigration('29990101000000_lacking', 'DROP TABLE idempotency_records;');

  const file = await writeMigration(url, { name: 'again', folder, at: new Date('2999-02-01T03:04:05Z') });

  expect(file).toBe(join(folder, '29990201030405_again', 'migration.sql'));
  expect(await readFile(String(file), 'utf8')).toContain('CREATE TABLE "idempotency_records"');
  const { applied } = await migrate(url, { folder });
  expect(applied).toContain('29990201030405_again');
});

async function aMigration(name: string, sql: string): Promise<void> {
  await mkdir(join(folder, name));
  await writeFile(join(folder, name, 'migration.sql'), sql);
}

async function query(sql: string): Promise<Record<string, unknown>[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(sql)).rows;
  } finally {
    await client.end();
  }
}

import { randomUUID } from 'node:crypto';
import { mkdir, readFile, readdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { MigrationList } from '@prisma/schema-engine-wasm/schema_engine_bg';
import { Client } from 'pg';
import { sha256Hex } from '@clinic/shared/crypto';
import { schemaFile, withEngine } from './schema-engine';

/**
 * Applies every migration that the database does not have yet, through Prisma's own schema engine as WebAssembly.
 * It keeps Prisma's `_prisma_migrations` table, so `prisma migrate deploy` may be used on the same database.
 */
export async function migrate(
  databaseUrl: string,
  { log = () => {}, folder = migrationsFolder }: { log?: (line: string) => void; folder?: string } = {},
): Promise<{ applied: string[] }> {
  return oneAtATime(databaseUrl, (client) =>
    withEngine(databaseUrl, async (engine) => {
      const migrationsList = await readMigrations(folder);
      await refuseEdited(client, migrationsList);
      const { appliedMigrationNames: applied } = await engine.applyMigrations({ migrationsList, filters: noFilters });
      for (const name of applied) log(`applied ${name}`);
      return { applied };
    }),
  );
}

/**
 * Writes the SQL that leads from the migrations to schema.prisma as a new migration and returns its path;
 * null when there is nothing to write. It works the difference out in a scratch database of the same server.
 */
export async function writeMigration(
  databaseUrl: string,
  { name, folder = migrationsFolder, at = new Date() }: { name: string; folder?: string; at?: Date },
): Promise<string | null> {
  const script = await withScratchDatabase(databaseUrl, (scratchUrl) => difference(scratchUrl, folder));
  if (!script) return null;
  const file = join(folder, `${at.toISOString().replace(/\D/g, '').slice(0, 14)}_${name}`, 'migration.sql');
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, script);
  return file;
}

const migrationsFolder = join(__dirname, '..', 'prisma', 'migrations');
const noFilters = { externalTables: [], externalEnums: [] };

/** Two processes that start together must not both apply a migration; the second finds nothing left to do. */
async function oneAtATime<T>(databaseUrl: string, work: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    await client.query(`SELECT pg_advisory_lock(hashtext('clinic-workflows migrate'))`);
    return await work(client);
  } finally {
    await client.end();
  }
}

/** The engine never applies again what was edited after it was applied: the database would lack the edit, and nobody would be told. */
async function refuseEdited(client: Client, { migrationDirectories }: MigrationList): Promise<void> {
  const { rows: found } = await client.query(`SELECT 1 WHERE to_regclass('_prisma_migrations') IS NOT NULL`);
  if (found.length === 0) return;
  const { rows: applied } = await client.query<{ name: string; checksum: string }>(
    'SELECT migration_name AS name, checksum FROM _prisma_migrations WHERE finished_at IS NOT NULL AND rolled_back_at IS NULL',
  );
  const checksums = new Map(applied.map(({ name, checksum }) => [name, checksum]));
  for (const { path, migrationFile } of migrationDirectories) {
    const checksum = checksums.get(path);
    const { content } = migrationFile;
    if (checksum === undefined || content.tag !== 'ok' || checksum === sha256Hex(content.value)) continue;
    throw new Error(
      `The migration ${path} was edited after this database had it, and is not applied again: the database goes with the commits that have the same. On the local stack, npm run reset begins afresh.`,
    );
  }
}

async function difference(scratchUrl: string, folder: string): Promise<string | null> {
  return withEngine(scratchUrl, async (engine) => {
    const { stdout, exitCode } = await engine.diff({
      from: { tag: 'migrations', ...(await readMigrations(folder)) },
      to: { tag: 'schemaDatamodel', files: [{ path: schemaFile, content: await readFile(schemaFile, 'utf8') }] },
      script: true,
      exitCode: true,
      filters: noFilters,
    });
    return exitCode === 2 ? stdout : null;
  });
}

async function withScratchDatabase<T>(databaseUrl: string, work: (scratchUrl: string) => Promise<T>): Promise<T> {
  const scratch = `scratch_${randomUUID().replaceAll('-', '')}`;
  const scratchUrl = new URL(databaseUrl);
  scratchUrl.pathname = scratch;
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    await client.query(`CREATE DATABASE ${scratch}`);
    return await work(scratchUrl.href);
  } finally {
    await client.query(`DROP DATABASE IF EXISTS ${scratch} WITH (FORCE)`);
    await client.end();
  }
}

/** The migrations folder as the engine wants it: every file read, oldest first. */
async function readMigrations(folder: string): Promise<MigrationList> {
  const entries = await readdir(folder, { withFileTypes: true });
  const names = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
  const sql = (name: string) => readFile(join(folder, name, 'migration.sql'), 'utf8');
  return {
    baseDir: folder,
    lockfile: {
      path: 'migration_lock.toml',
      content: await readFile(join(folder, 'migration_lock.toml'), 'utf8'),
    },
    shadowDbInitScript: '',
    migrationDirectories: await Promise.all(
      names.toSorted().map(async (path) => ({
        path,
        migrationFile: { path: 'migration.sql', content: { tag: 'ok' as const, value: await sql(path) } },
      })),
    ),
  };
}

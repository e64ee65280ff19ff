import { mkdir, readFile, readdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { PrismaPg } from '@prisma/adapter-pg';
import { bindMigrationAwareSqlAdapterFactory } from '@prisma/driver-adapter-utils';
import * as engineBindings from '@prisma/schema-engine-wasm/schema_engine_bg';
import type { MigrationList, SchemaEngine } from '@prisma/schema-engine-wasm/schema_engine_bg';
import { Client } from 'pg';

/**
 * Applies every migration that the database does not have yet, through Prisma's own schema engine as WebAssembly.
 * It keeps Prisma's `_prisma_migrations` table, so `prisma migrate deploy` may be used on the same database.
 */
export async function migrate(
  databaseUrl: string,
  { log = () => {}, folder = migrationsFolder }: { log?: (line: string) => void; folder?: string } = {},
): Promise<{ applied: string[] }> {
  return oneAtATime(databaseUrl, () =>
    withEngine(databaseUrl, async (engine) => {
      const migrationsList = await readMigrations(folder);
      const { appliedMigrationNames: applied } = await engine.applyMigrations({ migrationsList, filters: noFilters });
      for (const name of applied) log(`applied ${name}`);
      return { applied };
    }),
  );
}

/**
 * Writes the SQL that leads from the migrations to schema.prisma as a new migration and answers its path;
 * null when there is nothing to write. The database is only where the engine works the difference out.
 */
export async function writeMigration(
  databaseUrl: string,
  { name, folder = migrationsFolder }: { name: string; folder?: string },
): Promise<string | null> {
  return withEngine(databaseUrl, async (engine) => {
    const { migrationScript, generatedMigrationName } = await engine.createMigration({
      draft: false,
      migrationName: name,
      migrationsList: await readMigrations(folder),
      schema: { files: [{ path: schemaFile, content: await readFile(schemaFile, 'utf8') }] },
      filters: noFilters,
    });
    if (!migrationScript) return null;
    const file = join(folder, generatedMigrationName, 'migration.sql');
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, migrationScript);
    return file;
  });
}

const schemaFile = join(__dirname, 'schema.prisma');
const migrationsFolder = join(__dirname, 'migrations');
const noFilters = { externalTables: [], externalEnums: [] };

/** Two processes that start together must not both apply a migration; the second finds nothing left to do. */
async function oneAtATime<T>(databaseUrl: string, work: () => Promise<T>): Promise<T> {
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    await client.query(`SELECT pg_advisory_lock(hashtext('clinic-workflows migrate'))`);
    return await work();
  } finally {
    await client.end();
  }
}

async function withEngine<T>(databaseUrl: string, work: (engine: SchemaEngine) => Promise<T>): Promise<T> {
  const datamodel: [string, string] = [schemaFile, await readFile(schemaFile, 'utf8')];
  const adapter = bindMigrationAwareSqlAdapterFactory(new PrismaPg({ connectionString: databaseUrl }));
  const SchemaEngineClass = await loadEngine();
  const engine = await SchemaEngineClass.new({ datamodels: [datamodel] }, () => {}, adapter);
  try {
    return await work(engine);
  } catch (error) {
    throw readable(error);
  } finally {
    engine.free();
  }
}

/** The part of the runtime's WebAssembly that is used here; the compiler knows it only together with a browser. */
declare const WebAssembly: {
  compile(bytes: Buffer): Promise<object>;
  instantiate(module: object, imports: object): Promise<{ exports: { __wbindgen_start(): void } }>;
};

let engineClass: Promise<typeof SchemaEngine> | undefined;

function loadEngine(): Promise<typeof SchemaEngine> {
  engineClass ??= (async () => {
    const bindings = require.resolve('@prisma/schema-engine-wasm/schema_engine_bg');
    const wasm = await WebAssembly.compile(await readFile(join(dirname(bindings), 'schema_engine_bg.wasm')));
    const { exports } = await WebAssembly.instantiate(wasm, { './schema_engine_bg.js': { ...engineBindings } });
    engineBindings.__wbg_set_wasm(exports);
    exports.__wbindgen_start();
    return engineBindings.SchemaEngine;
  })();
  return engineClass;
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

/** The engine's errors hold their sentence in a JSON field of the message. */
function readable(error: unknown): Error {
  const message = error instanceof Error ? error.message : String(error);
  return new Error(`The migrations could not be applied: ${message}`, { cause: error });
}

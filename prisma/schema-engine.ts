import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { PrismaPg } from '@prisma/adapter-pg';
import { bindMigrationAwareSqlAdapterFactory, ColumnTypeEnum } from '@prisma/driver-adapter-utils';
import * as engineBindings from '@prisma/schema-engine-wasm/schema_engine_bg';
import { __wbg_set_wasm as attachWasm, type SchemaEngine } from '@prisma/schema-engine-wasm/schema_engine_bg';
import { types, type QueryResult } from 'pg';

export const schemaFile = join(__dirname, '..', 'prisma', 'schema.prisma');

/** Prisma's schema engine as WebAssembly on one database, closed again when the work is done. */
export async function withEngine<T>(databaseUrl: string, work: (engine: SchemaEngine) => Promise<T>): Promise<T> {
  const datamodel: [string, string] = [schemaFile, await readFile(schemaFile, 'utf8')];
  const connections = new WholeScripts({ connectionString: databaseUrl });
  const EngineClass = await loadEngine();
  const engine = await EngineClass.new(
    { datamodels: [datamodel] },
    () => {},
    bindMigrationAwareSqlAdapterFactory(connections),
  );
  try {
    return await work(engine);
  } catch (error) {
    throw readable(error);
  } finally {
    engine.free();
    await connections.close();
  }
}

/** The engine follows its sentence with a trace of its own functions, which helps nobody here. */
function readable(error: unknown): Error {
  const message = error instanceof Error ? error.message : String(error);
  const migration = /migration_name="([^"]+)"/.exec(message)?.[1];
  const [sentence = message] = message.split(/\n\s+0: /);
  return new Error(migration ? `Migration ${migration} failed: ${sentence}` : sentence, { cause: error });
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
    const { exports } = await WebAssembly.instantiate(wasm, {
      './schema_engine_bg.js': Object.fromEntries(Object.entries(engineBindings).map(withoutHoldingOn)),
    });
    attachWasm(exports);
    exports['__wbindgen_start']();
    return engineBindings.SchemaEngine;
  })();
  return engineClass;
}

/** The engine never clears the timer of its lock, which would keep the process alive for 10 s after the work. */
function withoutHoldingOn([name, binding]: [string, unknown]): [string, unknown] {
  if (!name.startsWith('__wbg_setTimeout_')) return [name, binding];
  return [name, (work: () => void, delayMs: number) => setTimeout(work, delayMs).unref()];
}

type Adapter = Awaited<ReturnType<PrismaPg['connect']>>;

/**
 * Prisma's adapter cuts a script at every semicolon, those inside a function's body too, and runs the pieces one by one.
 * Sent whole, as the native engine does, a migration is also all or nothing.
 */
class WholeScripts extends PrismaPg {
  private readonly opened: Adapter[] = [];

  override async connect(): Promise<Adapter> {
    const adapter = await super.connect();
    adapter.executeScript = async (script) => {
      const result = adapter.underlyingDriver().query(script);
      await result.catch((error: unknown) => adapter['onError'](error));
    };
    readSingleCharacters(adapter);
    this.opened.push(adapter);
    return adapter;
  }

  /** Migrations are replayed only where the whole database is a scratch one. */
  override connectToShadowDb(): Promise<Adapter> {
    return this.connect();
  }

  /** The engine leaves its connections open, and with them the lock that keeps other migrations waiting. */
  async close(): Promise<void> {
    for (const adapter of this.opened) {
      const pool = adapter.underlyingDriver();
      if (!pool.ended) await pool.end();
    }
  }
}

const singleCharacter: number = types.builtins.CHAR;

/** Some columns of the catalogue that the engine reads are of the one-byte type "char", which the adapter does not know. */
function readSingleCharacters(adapter: Adapter): void {
  const pool = adapter.underlyingDriver();
  const send = pool.query.bind(pool) as (query: unknown) => Promise<QueryResult>;
  const queryRaw = adapter.queryRaw.bind(adapter);
  let characters: string[] = [];

  const sendAsVarchar = async (query: unknown): Promise<QueryResult> => {
    const result = await send(query);
    const fields = result.fields?.filter(({ dataTypeID }) => dataTypeID === singleCharacter) ?? [];
    characters = fields.map(({ name }) => name);
    for (const field of fields) field.dataTypeID = types.builtins.VARCHAR;
    return result;
  };
  Object.assign(pool, { query: sendAsVarchar });
  adapter.queryRaw = async (query) => {
    const result = await queryRaw(query);
    const columnTypes = result.columnTypes.map((type, index) =>
      characters.includes(result.columnNames[index] ?? '') ? ColumnTypeEnum.Character : type,
    );
    return { ...result, columnTypes };
  };
}

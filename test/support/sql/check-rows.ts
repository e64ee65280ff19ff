import { loadModule, parseSync } from 'libpg-query';
import { Client, type Connection, type FieldDef, type Submittable, types } from 'pg';
import { type Catalog, type Column, resultColumns } from './nullability';
import type { RowProperty, Statement, ValueKind } from './statements';

/**
 * Compares what statements say of their rows with what PostgreSQL says of them, and returns the faults by place.
 * Checked: that PostgreSQL takes the statement; that every column is in the row type and every required property is a
 * column; kinds of values; that null is in the type of whatever can be null; that a union of words is the column's CHECK.
 * Not checked: what is inside JSON, the types of the parameters, and that a `string` is not narrower than its column.
 */
export async function checkRows(
  databaseUrl: string,
  statements: Statement[],
  knownColumns: KnownColumns = {},
): Promise<string[]> {
  await loadModule();
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const catalog = await readCatalog(client, knownColumns);
    const faults: string[] = [];
    for (const statement of statements) {
      for (const fault of await faultsOf(statement, client, catalog)) faults.push(`${statement.place}: ${fault}`);
    }
    return faults;
  } finally {
    await client.end();
  }
}

/** What the catalog does not say of a column of a table or of a function's result, by `relation.column`. */
export type KnownColumns = Record<string, { isNullable?: false; words?: readonly string[] }>;

async function faultsOf(statement: Statement, client: Client, catalog: Catalog): Promise<string[]> {
  if (statement.fault) return [statement.fault];
  const described = await describe(client, statement.text);
  if (described instanceof Error) return [`PostgreSQL refuses the statement: ${described.message}`];
  if (!statement.row) return [];
  const columns = returnedColumns(statement, catalog);
  if (columns.length !== described.length) {
    return [`the nullability of ${described.length} columns is not understood (${columns.length} were found)`];
  }
  const missing = statement.row
    .filter(({ name, isOptional }) => !isOptional && !described.some((field) => field.name === name))
    .map(({ name }) => `${name} is in the row type and no column`);
  const wrong = described.flatMap(({ name, dataTypeID }, index) => {
    const property = statement.row?.find((one) => one.name === name);
    const column = columns[index];
    if (!property || !column) return [`column ${name} is not in the row type`];
    return [...kindFaults(property, dataTypeID), ...nullFaults(property, column), ...wordFaults(property, column)];
  });
  return [...missing, ...wrong];
}

function returnedColumns({ text, parameters }: Statement, catalog: Catalog): Column[] {
  const [parsed] = parseSync(text).stmts ?? [];
  return parsed?.stmt ? resultColumns(parsed.stmt, catalog, parameters) : [];
}

function kindFaults({ name, kinds }: RowProperty, dataTypeID: number): string[] {
  const kind = kindsByType.get(dataTypeID);
  if (!kind) return [`${name} is of PostgreSQL's type ${dataTypeID}, for which there is no rule`];
  if (kind === 'json') {
    const isPossible = kinds.every((one) => one === 'json' || one.endsWith('[]'));
    return isPossible ? [] : [`${name} is JSON and said to be ${kinds.join(' or ')}`];
  }
  return kinds.length === 1 && kinds[0] === kind ? [] : [`${name} is a ${kind} and said to be ${kinds.join(' or ')}`];
}

const nullFaults = ({ name, isNullable }: RowProperty, column: Column): string[] =>
  column.isNullable && !isNullable ? [`${name} can be null, which its type does not say`] : [];

function wordFaults({ name, words }: RowProperty, column: Column): string[] {
  if (!words) return [];
  if (!column.words) return [`${name} is said to be one of ${words.length} words, which no constraint lists`];
  const [said, known] = [words.toSorted().join(), column.words.toSorted().join()];
  return said === known ? [] : [`${name} is one of ${known} and said to be one of ${said}`];
}

/** What node-postgres makes of a column: the types that are used here, by their ids. */
const kindsByType = new Map<number, ValueKind>([
  [types.builtins.TEXT, 'string'],
  [types.builtins.VARCHAR, 'string'],
  [types.builtins.UUID, 'string'],
  // Both may be greater than a number can be, so they come as text.
  [types.builtins.INT8, 'string'],
  [types.builtins.NUMERIC, 'string'],
  [types.builtins.INT2, 'number'],
  [types.builtins.INT4, 'number'],
  [types.builtins.FLOAT4, 'number'],
  [types.builtins.FLOAT8, 'number'],
  [types.builtins.BOOL, 'boolean'],
  [types.builtins.DATE, 'Date'],
  [types.builtins.TIMESTAMP, 'Date'],
  [types.builtins.TIMESTAMPTZ, 'Date'],
  [types.builtins.JSON, 'json'],
  [types.builtins.JSONB, 'json'],
  // Arrays of text, of integers and of booleans.
  [1009, 'string[]'],
  [1007, 'number[]'],
  [1000, 'boolean[]'],
]);

/** Prepares a statement without running it: its result's columns, or what is wrong with it. */
function describe(client: Client, text: string): Promise<FieldDef[] | Error> {
  return new Promise((resolve) => {
    let fields: FieldDef[] = [];
    const preparation: Submittable & Record<string, unknown> = {
      submit(connection: Connection) {
        connection.parse({ text, name: '', types: [] }, true);
        connection.describe({ type: 'S', name: '' }, true);
        connection.sync();
      },
      handleRowDescription: (message: { fields: FieldDef[] }) => (fields = message.fields),
      handleError: resolve,
      handleReadyForQuery: () => resolve(fields),
    };
    client.query(preparation);
  });
}

interface CatalogColumn {
  relation: string;
  name: string;
  isNotNull: boolean;
}

async function readCatalog(client: Client, knownColumns: KnownColumns): Promise<Catalog> {
  const read = async (text: string): Promise<unknown[]> => (await client.query(text)).rows;
  const columns = (await read(`
    select c.relname as relation, a.attname as name, a.attnotnull as "isNotNull"
    from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    where c.relnamespace in ('public'::regnamespace, 'pg_catalog'::regnamespace) and c.relkind in ('r', 'v') order by c.oid, a.attnum`)) as CatalogColumn[];
  const checks = (await read(`
    select conrelid::regclass::text as relation, pg_get_constraintdef(oid) as definition
    from pg_constraint where contype = 'c' and connamespace = 'public'::regnamespace`)) as {
    relation: string;
    definition: string;
  }[];
  const views = (await read(`
    select viewname as name, definition from pg_views where schemaname = 'public'`)) as {
    name: string;
    definition: string;
  }[];
  const functions = (await read(`
    select proname as name, proargnames[pronargs + 1 :] as columns
    from pg_proc where pronamespace = 'public'::regnamespace and proretset`)) as { name: string; columns: string[] }[];

  const words = new Map(checks.flatMap(({ relation, definition }) => wordsOfCheck(relation, definition)));
  const catalog: Catalog = {
    columnsOf(relation) {
      const view = views.find(({ name }) => name === relation);
      const [parsed] = view ? (parseSync(view.definition).stmts ?? []) : [];
      if (parsed?.stmt) return resultColumns(parsed.stmt, catalog, []);
      return columns
        .filter((column) => column.relation === relation)
        .map(({ name, isNotNull }) => ({
          name,
          isNullable: !isNotNull,
          words: words.get(`${relation}.${name}`) ?? knownColumns[`${relation}.${name}`]?.words ?? null,
        }));
    },
    tableFunction(name) {
      const known = functions.find((one) => one.name === name);
      if (!known) return null;
      return known.columns.map((column) => {
        const { isNullable = true, words: listed = null } = knownColumns[`${name}.${column}`] ?? {};
        return { name: column, isNullable, words: listed };
      });
    },
  };
  return catalog;
}

/** `CHECK ((state = ANY (ARRAY['OPEN'::text, 'RESOLVED'::text])))` as its column and its words. */
function wordsOfCheck(relation: string, definition: string): [string, string[]][] {
  const [, column, list = ''] = /^CHECK \(\((\w+) = ANY \(ARRAY\[(.*)\]\)\)\)$/.exec(definition) ?? [];
  const words = [...list.matchAll(/'((?:[^']|'')*)'::text/g)].map(([, word = '']) => word.replaceAll("''", "'"));
  return column ? [[`${relation}.${column}`, words]] : [];
}

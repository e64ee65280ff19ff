import { createHash } from 'node:crypto';
import type { Pool, PoolClient } from 'pg';
import { assertHeld } from './while-held';

/**
 * A tagged template for SQL: values become parameters, each text is prepared once per connection.
 * `await sql<{ id: string }>\`select id from patients where clinic_id = ${clinicId}\`` returns the rows. Without a row
 * type nobody can read a column; test/prisma/sql-rows.test.ts compares every row type with what PostgreSQL returns.
 */
export type Sql = <Row extends object = object>(text: TemplateStringsArray, ...values: unknown[]) => Promise<Row[]>;

/** What rows are chosen or sorted by, for every statement that does so: it becomes part of a statement's text, its values parameters. */
export class Condition {
  constructor(
    readonly strings: readonly string[],
    readonly values: readonly unknown[],
  ) {}
}

/** `condition\`c.status = ${status}\``, for \`where ${…}\` in a statement. */
export const condition = (strings: TemplateStringsArray, ...values: unknown[]): Condition =>
  new Condition(strings, values);

/** All that are asked for; with none of them, every row. */
export const allOf = (...conditions: (Condition | false)[]): Condition =>
  conditions.reduce<Condition>((all, each) => (each ? condition`${all} and (${each})` : all), condition`true`);

export interface SqlDatabase {
  sql: Sql;
  /** Runs `work` in one transaction. A deadlock or a serialisation failure is tried again, at most three times. */
  transaction<T>(work: (sql: Sql) => Promise<T>): Promise<T>;
}

const prepared = new WeakMap<TemplateStringsArray, Prepared>();

interface Prepared {
  name: string;
  text: string;
}

export function createSql(pool: Pool): SqlDatabase {
  return {
    sql: tagOf(pool),
    async transaction(work) {
      for (let attempt = 1; ; attempt += 1) {
        const client = await pool.connect();
        let broken: Error | undefined;
        try {
          await client.query('BEGIN');
          const result = await work(tagOf(client));
          assertHeld();
          await client.query('COMMIT');
          return result;
        } catch (error) {
          await client.query('ROLLBACK').catch((failure: Error) => (broken = failure));
          if (!isTransient(error) || attempt === 3) throw error;
        } finally {
          client.release(broken);
        }
      }
    },
  };
}

/** The SQLSTATE of a database error, or null: `23505` unique, `23P01` exclusion, `23503` foreign key. */
export function sqlState(error: unknown): string | null {
  if (typeof error !== 'object' || error === null) return null;
  const { code } = error as { code?: unknown };
  return typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code) ? code : null;
}

/** SQLSTATE of a row that refers to one that is not there. */
export const FOREIGN_KEY = '23503';

const isTransient = (error: unknown) => ['40001', '40P01'].includes(sqlState(error) ?? '');

function tagOf(target: Pool | PoolClient): Sql {
  return async <Row extends object>(strings: TemplateStringsArray, ...values: unknown[]) => {
    assertHeld();
    const { rows } = await target.query(
      values.some((value) => value instanceof Condition)
        ? withConditions(strings, values)
        : { ...preparedStatement(strings), values },
    );
    return rows as Row[];
  };
}

/** Not prepared: there are as many of them as ways to choose rows, and each is planned for its values. */
function withConditions(strings: readonly string[], values: readonly unknown[]): { text: string; values: unknown[] } {
  const parameters: unknown[] = [];
  const textOf = (parts: readonly string[], held: readonly unknown[]): string =>
    parts.reduce((sum, part, index) => {
      const value = held[index - 1];
      return `${sum}${value instanceof Condition ? textOf(value.strings, value.values) : `$${parameters.push(value)}`}${part}`;
    });
  return { text: textOf(strings, values), values: parameters };
}

function preparedStatement(strings: TemplateStringsArray): Prepared {
  const known = prepared.get(strings);
  if (known) return known;
  const text = strings.reduce((sum, part, index) => `${sum}$${index}${part}`);
  const made = { name: createHash('sha1').update(text).digest('base64'), text };
  prepared.set(strings, made);
  return made;
}

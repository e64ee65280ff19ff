import type { Database } from '@clinic/prisma/client';
import { Client } from 'pg';

/** A statement as it was sent, and whether its transaction has told the planner to read by indexes. */
export interface Sent {
  text: string;
  values: unknown[];
  isByIndex: boolean;
}

/** What one statement reads too much of. */
export interface TooMuch {
  table: string;
  how: string;
  rows: number;
  text: string;
}

/** Notes every statement that this process sends to PostgreSQL until it is taken. */
export function recordStatements(): { take(): Sent[]; stop(): void } {
  const original = Client.prototype.query as (...args: unknown[]) => unknown;
  let sent: Sent[] = [];
  const byIndex = new WeakSet<Client>();
  Client.prototype.query = function record(this: Client, ...args: unknown[]) {
    const [query, second] = args;
    const text = typeof query === 'string' ? query : (query as { text?: string } | null)?.text;
    if (text !== undefined) {
      const given = typeof query === 'string' ? second : (query as { values?: unknown }).values;
      sent.push({ text, values: Array.isArray(given) ? given : [], isByIndex: byIndex.has(this) });
      if (text.includes("set_config('enable_seqscan'")) byIndex.add(this);
      if (/^(COMMIT|ROLLBACK)$/i.test(text)) byIndex.delete(this);
    }
    return original.apply(this, args);
  } as typeof Client.prototype.query;
  return {
    take() {
      const taken = sent;
      sent = [];
      return taken;
    },
    stop: () => void (Client.prototype.query = original as typeof Client.prototype.query),
  };
}

interface PlanNode {
  'Node Type': string;
  'Relation Name'?: string;
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  'Rows Removed by Index Recheck'?: number;
  Plans?: PlanNode[];
}

/**
 * Runs a reading statement again and says which of the tables it read row by row, or more than `atMost` rows of. The planner
 * is told that reading row by row is dear, as it is where there are millions.
 */
export async function readsTooMuch(
  { url }: Pick<Database, 'url'>,
  { text, values, isByIndex }: Sent,
  { tables, atMost }: { tables: string[]; atMost: number },
): Promise<TooMuch[]> {
  if (!/^\s*(with|select)\b/i.test(text) || /\b(insert|update|delete)\b|advisory/i.test(text)) return [];
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    await client.query('BEGIN');
    await client.query('SET LOCAL enable_seqscan = off');
    if (isByIndex) await client.query('SET LOCAL enable_hashjoin = off; SET LOCAL enable_mergejoin = off');
    const { rows } = await client.query<{ 'QUERY PLAN': { Plan: PlanNode }[] }>(
      `EXPLAIN (ANALYZE, FORMAT JSON) ${text}`,
      values,
    );
    return nodesOf(rows[0]?.['QUERY PLAN'][0]?.Plan).flatMap((node) => {
      const table = node['Relation Name'];
      if (table === undefined || !tables.includes(table)) return [];
      const read =
        node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0) + (node['Rows Removed by Index Recheck'] ?? 0);
      const looked = Math.round(read * node['Actual Loops']);
      const how = node['Node Type'];
      return how.includes('Seq Scan') || looked > atMost ? [{ table, how, rows: looked, text }] : [];
    });
  } finally {
    await client.end();
  }
}

function nodesOf(plan: PlanNode | undefined): PlanNode[] {
  return plan ? [plan, ...(plan.Plans ?? []).flatMap((child) => nodesOf(child))] : [];
}

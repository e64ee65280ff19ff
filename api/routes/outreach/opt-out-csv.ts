import { CsvError, parse } from 'csv-parse/sync';
import { stringify } from 'csv-stringify/sync';
import { Timestamp } from '@clinic/shared/contracts/primitives';
import { optOutScopes, type OptOutScope } from '@clinic/shared/domain/outreach/opt-out';
import { readPhone } from '@clinic/shared/domain/patients/phone';
import { exampleOfPhone } from '@clinic/shared/domain/patients/phone-example';
import { AppError } from '@clinic/shared/errors';
import type { ImportedOptOut, OptOutRecord } from '@clinic/prisma/stores/outreach/opt-outs';

const MAX_ROWS = 20_000;
const columns = ['phone', 'scope', 'source', 'addedBy', 'createdAt'] as const;

/** A row that cannot be taken, by its line in the file. The phone is not repeated. */
export interface RefusedRow {
  line: number;
  message: string;
}

export interface ReadOptOuts {
  rows: number;
  /** Each phone once. */
  entries: ImportedOptOut[];
  refused: RefusedRow[];
}

/** The header, and then rows in the same form as an import takes. */
export const optOutHeader = (): string => stringify([columns]);

export const optOutRows = (records: OptOutRecord[]): string =>
  stringify(
    records.map(({ phone, scope, source, addedBy, createdAt }) => [
      phone,
      scope,
      source,
      addedBy,
      createdAt.toISOString(),
    ]),
  );

/**
 * Reads a list of phones: a header with `phone`, and `scope` and `createdAt` where they are known; other columns are
 * ignored. A row that cannot be read is refused by its line, and the rest are taken. What is no CSV at all is an error.
 */
export function readOptOuts(text: string, country: string): ReadOptOuts {
  const rows = rowsOf(text);
  const entries = new Map<string, ImportedOptOut>();
  const refused: RefusedRow[] = [];
  for (const { line, record } of rows) {
    const read = readRow(record, country);
    if (typeof read === 'string') refused.push({ line, message: read });
    else entries.set(read.phone, wider(entries.get(read.phone), read));
  }
  return { rows: rows.length, entries: [...entries.values()], refused };
}

function rowsOf(text: string): { line: number; record: Record<string, string> }[] {
  const rows = recordsOf(text);
  if (rows.length > MAX_ROWS) throw badFile(`The file has more than ${MAX_ROWS} rows; send it in parts`);
  return rows;
}

function recordsOf(text: string) {
  try {
    const found = parse(text, { bom: true, trim: true, skip_empty_lines: true, relax_column_count: true, info: true });
    const [header, ...rest] = found as unknown as { info: { lines: number }; record: string[] }[];
    const names = header?.record ?? [];
    if (!names.includes('phone')) throw badFile('The first line must name the columns, and one of them must be phone');
    return rest.map(({ info, record }) => ({
      line: info.lines,
      record: Object.fromEntries(names.map((name, index) => [name, record[index] ?? ''])),
    }));
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    const line = typeof error.lines === 'number' ? ` at line ${error.lines}` : '';
    throw badFile(`The file is not CSV${line}: ${error.code.toLowerCase().replaceAll('_', ' ')}`);
  }
}

/** The entry, or what is wrong with the row. */
function readRow({ phone: written, scope, createdAt }: Record<string, string>, country: string) {
  const phone = written ? readPhone(written, country) : null;
  if (phone === null)
    return written ? `phone cannot be read as a phone number, as ${exampleOfPhone(country)}` : 'phone is missing';
  if (scope && !isScope(scope)) return `scope must be ${optOutScopes.join(' or ')}`;
  const at = createdAt ? Timestamp.safeParse(createdAt) : null;
  if (at && !at.success) return 'createdAt is not an ISO 8601 timestamp';
  if (at && Date.parse(at.data) > Date.now()) return 'createdAt is in the future';
  return { phone, scope: scope && isScope(scope) ? scope : ('all' as const), createdAt: at?.data ?? null };
}

const isScope = (text: string): text is OptOutScope => optOutScopes.some((scope) => scope === text);

const wider = (known: ImportedOptOut | undefined, read: ImportedOptOut): ImportedOptOut =>
  known?.scope === 'all' ? known : read;

const badFile = (message: string) => new AppError('bad_request', message, [{ path: '', message }]);

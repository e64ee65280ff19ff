import type { Value } from './csv-cell';

/** A file for a spreadsheet, by a script that comes when it is asked for. */
export const spreadsheet = async <Row>(columns: Record<string, (row: Row) => Value>, rows: Row[]): Promise<string> =>
  (await import('./csv-cell')).spreadsheetOf(columns, rows);

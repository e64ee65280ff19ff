import { appendFileSync } from 'node:fs';

/** Names the file into which tests write what they have measured; `npm run prove -- calling` sets it. */
export const FIGURES_FILE = 'FIGURES_FILE';

/** Tells what a test has measured, where somebody wants to know. */
export function noteFigure(text: string): void {
  const file = process.env[FIGURES_FILE];
  if (file) appendFileSync(file, `${text}\n`);
}

/** A table in plain text, a row for each, with the columns of the first. */
export function textTable(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

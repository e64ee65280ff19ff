/** A value of a row as a file says it: times as instants, so that whatever reads it can sort them. */
export type Value = string | number | boolean | null | undefined;

/** A file for a spreadsheet: a line of heads, and one for each row. */
export async function spreadsheetOf<Row>(columns: Record<string, (row: Row) => Value>, rows: Row[]): Promise<string> {
  const written = await phoneWriter();
  const lines = [Object.keys(columns), ...rows.map((row) => Object.values(columns).map((cell) => written(cell(row))))];
  // Without the mark at its beginning Excel takes UTF-8 for something else.
  return `\uFEFF${lines.map((line) => line.map(cellOf).join(',')).join('\r\n')}\r\n`;
}

/** What may stand before a formula within a cell: a program that splits at another character, or at a line, begins a cell there. */
const formula = /(^|[;\t\r\n])([\s"]*)(?=[=+\-@＝＋－＠])/g;

/** A number or a phone number: what a spreadsheet makes of it is no formula. */
const isNumber = (text: string): boolean => /^[+-]?[\d .()-]*$/.test(text);

/** Writes a phone with spaces, `+1 303 555 0142`: of one without them a spreadsheet makes a number. */
export async function phoneWriter(): Promise<(value: Value) => Value> {
  const { parsePhoneNumberFromString } = await import('libphonenumber-js/min');
  const isPhone = /^\+\d{7,15}$/;
  return (value) =>
    typeof value === 'string' && isPhone.test(value)
      ? (parsePhoneNumberFromString(value)?.formatInternational() ?? value)
      : value;
}

/** RFC 4180; and nothing that a spreadsheet would take for a formula, as `shared/csv.ts` has it. */
export function cellOf(value: Value): string {
  const text = value === null || value === undefined ? '' : String(value);
  const plain = isNumber(text) ? text : text.replace(formula, `$1$2'`);
  return /[",;\r\n]/.test(plain) ? `"${plain.replaceAll('"', '""')}"` : plain;
}

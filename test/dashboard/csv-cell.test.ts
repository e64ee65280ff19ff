import { textCell } from '@clinic/shared/csv';
import { cellOf, phoneWriter } from '../../dashboard/lists/csv-cell';

/** A cell as a parser of RFC 4180 reads it. */
const read = (cell: string) => (cell.startsWith('"') ? cell.slice(1, -1).replaceAll('""', '"') : cell);

test.each([
  ['=1+1', "'=1+1"],
  ['a;=1+1', "a;'=1+1"],
  ['a;"=1+1"', `a;"'=1+1"`],
  ['\uFF1D1+1', "'\uFF1D1+1"],
  ['\n=1+1', "\n'=1+1"],
  ['call back\r\n@SUM(1)', "call back\r\n'@SUM(1)"],
  [' \t+cmd', " \t'+cmd"],
  ['-1+1|cmd', "'-1+1|cmd"],
])('a spreadsheet finds no formula in %j, in a list or in the audit', (text, safe) => {
  expect(textCell(text)).toBe(safe);
  expect(read(cellOf(text))).toBe(safe);
});

test.each([
  '+14155550100',
  '-5',
  '(415) 555-0100',
  'Ann Lee',
  '2026-11-22T09:00:00.000Z',
  'a = b',
  'x@example.com',
  '',
])('%j stays as it is', (text) => {
  expect([textCell(text), read(cellOf(text))]).toEqual([text, text]);
});

test.each([
  ['+13035550142', '+1 303 555 0142'],
  ['+447911123456', '+44 7911 123456'],
  ['303-555-0142', '303-555-0142'],
  ['+1', '+1'],
  ['session-13035550142', 'session-13035550142'],
  [120.5, '120.5'],
  [null, ''],
])('a phone is no number for a spreadsheet: %j', async (value, cell) => {
  const written = await phoneWriter();

  expect(cellOf(written(value))).toBe(cell);
});

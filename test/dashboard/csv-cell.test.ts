import { textCell } from '@clinic/shared/csv';
import { cellOf } from '../../dashboard/lists/csv-cell';

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

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { findStale, planted } from './planted';

const root = join(__dirname, '../..');

test('every planted fault finds its line, once: a changed line changes its fault', async () => {
  expect(await findStale((file) => readFile(join(root, file), 'utf8'), planted)).toEqual([]);
});

import { readFileSync } from 'node:fs';
import { join } from 'node:path';

interface Package {
  workspaces: string[];
  dependencies?: Record<string, string>;
  devDependencies?: Record<string, string>;
}

const root = join(__dirname, '../..');
const readme = readFileSync(join(root, 'README.md'), 'utf8');
const packageOf = (room: string) => JSON.parse(readFileSync(join(root, room, 'package.json'), 'utf8')) as Package;
const rooms = packageOf('.').workspaces;

/** The rows of the table under a heading. */
const tableUnder = (heading: string) =>
  (readme.split(`## ${heading}\n`)[1]?.split('\n## ')[0] ?? '').split('\n').filter((line) => line.startsWith('|'));

test('every direct dependency of every room stands in the table of dependencies', () => {
  const table = tableUnder('Why these dependencies').join('\n').toLowerCase();
  const names = ['.', ...rooms].flatMap((room) => {
    const { dependencies, devDependencies } = packageOf(room);
    return Object.keys({ ...dependencies, ...devDependencies });
  });

  const missing = [...new Set(names)].filter((name) => {
    const scope = /^@[^/]+\//.exec(name)?.[0];
    return !hasWord(table, name) && !(scope && table.includes(`${scope}*`));
  });

  expect(missing).toEqual([]);
});

test('every room stands in the table of rooms', () => {
  const table = tableUnder('Where things are').join('\n');

  expect(rooms.filter((room) => !table.includes(`\`${room}/\``))).toEqual([]);
});

function hasWord(text: string, word: string): boolean {
  const literal = word.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
  return new RegExp(`(?<![\\w@/-])${literal}(?![\\w/-])`).test(text);
}

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openTypes } from './types';

const words = `export const words = ['one', 'two'] as const;\nexport const count = (): number => words.length;\n`;
const files = {
  'tsconfig.json': '{ "compilerOptions": { "strict": true, "types": [] }, "include": ["*.ts"] }',
  'words.ts': words,
  'chosen.ts': `import { words } from './words';\nexport const chosen: (typeof words)[number] = 'two';\n`,
};

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'clinic-types-'));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
});
afterAll(() => rmSync(folder, { recursive: true }));

test.each<[what: string, text: string, faults: RegExp[]]>([
  ['in the file itself', words.replace('words.length', "'none'"), [/'string' is not assignable to type 'number'/]],
  ['in one that imports it', words.replace(", 'two'", ''), [/Type '"two"' is not assignable to type '"one"'/]],
  ['nowhere', words.replace('words.length', 'words.length + 1'), []],
])('a change that the compiler refuses %s', (_where, text, faults) => {
  const types = openTypes(folder, 'tsconfig.json', () => true);

  expect(types.faultsOf('words.ts', text)).toEqual(faults.map((fault) => expect.stringMatching(fault)));
  expect(types.faultsOf('words.ts', words)).toEqual([]);
});

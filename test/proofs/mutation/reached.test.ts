import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runInNewContext } from 'node:vm';
import * as ts from '@typescript/typescript6';
import { sha256Hex } from '@clinic/shared/crypto';
import { PAGES, readReached } from './reached';

const file = 'dashboard/pages/any.tsx';
const text = `
const one = 1;
const all = [one];
export function Page() {
  const rows = () => all.map((row) => row + 2);
  return <a onClick={() => leave(3)}>{rows()} 4</a>;
}
export const other = { named: () => 5 };
function unseen() { return 6; }
`;

const placeOf = (what: string) => ({ file, text, at: text.indexOf(what) });

const plays: [test: string, name: string, play: (page: Run) => unknown][] = [
  [PAGES, 'first', ({ Page }) => Page().onClick()],
  [PAGES, 'second', ({ Page }) => Page()],
  [PAGES, 'third', ({ Page, other }) => [Page(), other.named()]],
  [PAGES, 'fourth', () => null],
  ['test/any.test.ts', 'any', ({ other }) => other.named()],
  ['test/any.test.ts', 'none', () => null],
];

test('tests are found that run the innermost function that any runs, of those of pages as many as there is time for', async () => {
  const folder = join(await mkdtemp(join(tmpdir(), 'clinic-reached-')), 'reached');
  const written: string[] = [];
  const scratch = { read: async () => text, write: async (_file: string, given: string) => void written.push(given) };
  let times = 0;
  const read = () =>
    readReached(folder, scratch, [file], async ({ REACHED }) => {
      times += 1;
      await mkdir(REACHED);
      for (const test of new Set(plays.map(([each]) => each))) {
        const played = plays
          .filter(([each]) => each === test)
          .map(([, name, play]) => ({ name, said: ran(written[0] ?? '', play) }));
        const functions = [...new Set(played.flatMap(({ said }) => said))];
        const placesOf = (said: string[]) => said.map((each) => functions.indexOf(each));
        const tests = played.map(({ name, said }) => ({ name, seconds: 2, functions: placesOf(said) }));
        await writeFile(
          join(REACHED, `${tests.length}.json`),
          JSON.stringify({ test, digest: sha256Hex(text), functions, tests }),
        );
      }
    });
  const [, reached] = [await read(), await read()];
  await rm(folder, { recursive: true });
  const at = (what: string, seconds = Infinity) => reached.testsOfPages(placeOf(what), seconds);

  expect([times, written.length, written.at(-1)]).toEqual([1, 2, text]);
  expect([reached.isKnown(PAGES), reached.isKnown('test/other.test.ts')]).toEqual([true, false]);
  expect(at('3')).toEqual(['first']);
  expect(at('rows()')).toEqual(['first', 'second', 'third']);
  expect(at('all.map')).toEqual(['first', 'second', 'third']);
  expect([at('1'), at('[one]')]).toEqual([at('all.map'), at('all.map')]);
  expect(at('5')).toEqual(['third']);
  expect(at('6')).toEqual(['first', 'second', 'third', 'fourth']);
  expect(at('6', 4)).toEqual(['first', 'third']);
  expect(at('6', 1)).toEqual(['first']);
  const other = { file: 'dashboard/pages/other.tsx', text, at: 9 };
  expect([reached.testsOfPages(other, Infinity), reached.filesOf([other])]).toEqual([[], null]);
  expect(reached.filesOf([placeOf('3')])).toEqual(new Set([PAGES]));
  expect(reached.filesOf([placeOf('5')])).toEqual(new Set([PAGES, 'test/any.test.ts']));
  const partOf = (test: string, what: string) => reached.partsOf([placeOf(what)])(test);
  expect(partOf('test/any.test.ts', '5')).toEqual({ names: ['any'], seconds: 2 });
  expect(partOf('test/any.test.ts', '3')).toEqual({ names: null, seconds: 4 });
  expect([partOf('test/any.test.ts', '6'), partOf('test/other.test.ts', '5')]).toEqual([
    { names: null, seconds: 4 },
    null,
  ]);
});

interface Run {
  Page(): { onClick(): unknown };
  other: { named(): unknown };
}

/** What a module says of itself while something is done with it. */
function ran(noted: string, play: (page: Run) => unknown): string[] {
  const said = new Set<string>();
  const { outputText } = ts.transpileModule(noted, {
    fileName: file,
    compilerOptions: { jsx: ts.JsxEmit.React, module: ts.ModuleKind.CommonJS },
  });
  const page = {};
  const context = {
    exports: page,
    leave: () => 0,
    noteReached: (name: string) => said.add(name),
    React: { createElement: (_: string, given: object) => given },
  };
  runInNewContext(outputText, context);
  play(page as Run);
  return [...said];
}

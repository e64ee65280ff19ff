import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runInNewContext } from 'node:vm';
import * as ts from '@typescript/typescript6';
import { readReached } from './reached';

const file = 'dashboard/pages/any.tsx';
const text = `
const all = [1];
export function Page() {
  const rows = () => all.map((row) => row + 2);
  return <a onClick={() => leave(3)}>{rows()} 4</a>;
}
export const other = { named: () => 5 };
function unseen() { return 6; }
`;

const placeOf = (what: string) => ({ file, text, at: text.indexOf(what) });

test('of the tests of pages those are chosen that run the innermost function that any runs, as many as there is time for', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'clinic-reached-'));
  const written: string[] = [];
  const scratch = {
    folder,
    read: async () => text,
    write: async (_file: string, given: string) => void written.push(given),
  };
  const jest = {
    stop: async () => undefined,
    async run({ environment }: { environment: NodeJS.ProcessEnv }) {
      const plays: Record<string, (page: Run) => unknown> = {
        first: ({ Page }) => Page().onClick(),
        second: ({ Page }) => Page(),
        third: ({ Page, other }) => [Page(), other.named()],
        fourth: () => null,
      };
      const tests = Object.entries(plays).map(([name, play]) => ({
        name,
        seconds: 2,
        functions: ran(written[0] ?? '', play),
      }));
      await writeFile(environment.REACHED ?? '', JSON.stringify(tests));
      return { kind: 'passed' as const };
    },
  };
  const testsOfPages = await readReached(jest, scratch, [file], {});
  await rm(folder, { recursive: true });
  const at = (what: string, seconds = Infinity) => testsOfPages(placeOf(what), seconds);

  expect(written.at(-1)).toBe(text);
  expect(at('3')).toEqual(['first']);
  expect(at('rows()')).toEqual(['first', 'second', 'third']);
  expect(at('all.map')).toEqual(['first', 'second', 'third']);
  expect(at('5')).toEqual(['third']);
  expect(at('6')).toEqual(['first', 'second', 'third', 'fourth']);
  expect(at('6', 4)).toEqual(['first', 'third']);
  expect(at('6', 1)).toEqual(['first']);
  expect(testsOfPages({ file: 'dashboard/pages/other.tsx', text, at: 9 }, Infinity)).toEqual([]);
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

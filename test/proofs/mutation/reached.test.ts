import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readReached } from './reached';

const file = 'dashboard/pages/any.tsx';
const text = `
const all = [1];
export function Page() {
  const rows = () => all.map((row) => row + 2);
  return <a onClick={() => leave(3)}>{rows()} 4</a>;
}
const other = { named: () => 5 };
function unseen() { return 6; }
`;

const tests = [
  { name: 'first', seconds: 2, functions: ['#', '#Page', '#rows', '#onClick'] },
  { name: 'second', seconds: 2, functions: ['#', '#Page', '#rows'] },
  { name: 'third', seconds: 2, functions: ['#', '#Page', '#named'] },
  { name: 'fourth', seconds: 2, functions: ['#'] },
].map((test) => ({ ...test, functions: test.functions.map((name) => `${file}${name}`) }));

test('of the tests of pages those are chosen that run the innermost function that any runs, as many as there is time for', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'clinic-reached-'));
  const stop = async () => undefined;
  const run = async ({ environment }: { environment: NodeJS.ProcessEnv }) => {
    await writeFile(environment.REACHED ?? '', JSON.stringify(tests));
    return { kind: 'passed' as const };
  };
  const testsOfPages = await readReached({ run, stop }, folder, {});
  await rm(folder, { recursive: true });
  const at = (what: string, seconds = Infinity) => testsOfPages({ file, text, at: text.indexOf(what) }, seconds);

  expect(at('3')).toEqual(['first']);
  expect(at('rows()')).toEqual(['first', 'second', 'third']);
  expect(at('all.map')).toEqual(['first', 'second']);
  expect(at('5')).toEqual(['third']);
  expect(at('6')).toEqual(['first', 'second', 'third', 'fourth']);
  expect(at('6', 4)).toEqual(['first', 'third']);
  expect(at('6', 1)).toEqual(['first']);
  expect(testsOfPages({ file: 'dashboard/pages/other.tsx', text, at: 9 }, Infinity)).toEqual([]);
});

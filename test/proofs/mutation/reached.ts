import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import * as ts from '@typescript/typescript6';
import { z } from 'zod';
import type { Jest } from './jest';

/** The tests that open every page of the dashboard: they take minutes, and say nothing of what they do not run. */
export const PAGES = 'test/dashboard/pages.test.ts';

const Tests = z.array(z.object({ name: z.string(), seconds: z.number(), functions: z.array(z.string()) }));

/** Which tests of the pages have run the innermost function around a place that any of them has run; of so many seconds at most. */
export type TestsOfPages = (place: { file: string; text: string; at: number }, maxSeconds: number) => string[];

/** Plays the tests of the pages once. Throws where one fails. */
export async function readReached(jest: Jest, folder: string, environment: NodeJS.ProcessEnv): Promise<TestsOfPages> {
  const file = join(folder, 'reached.json');
  const result = await jest.run({
    path: PAGES,
    environment: { ...environment, REACHED: file },
    timeoutMs: MAX_MS,
    testEnvironment: 'note-reached',
  });
  if (result.kind !== 'passed') throw new Error(`${PAGES} fails without any mutant: ${result.message}`);
  const tests = Tests.parse(JSON.parse(await readFile(file, 'utf8')));
  await rm(file);
  const testsBy = new Map<string, typeof tests>();
  for (const test of tests) for (const name of test.functions) testsBy.set(name, [...(testsBy.get(name) ?? []), test]);

  return (place, maxSeconds) => {
    const around = functionsAround(place).map((name) => testsBy.get(`${place.file}#${name}`));
    const reaching = around.find((found) => found !== undefined) ?? [];
    const seconds = reaching.reduce((sum, test) => sum + test.seconds, 0);
    // Those that stand together do the same on one page after another: each so-manieth is as good as all.
    const step = Math.max(1, seconds / maxSeconds);
    const chosen = reaching.filter((_, index) => Math.floor(index / step) > Math.floor((index - 1) / step));
    return chosen.map(({ name }) => name);
  };
}

const MAX_MS = 1_800_000;

/** The names of the functions around a place, the innermost first, as engines name them; last the module itself, which has none. */
function functionsAround({ file, text, at }: { file: string; text: string; at: number }): string[] {
  const kind = file.endsWith('x') ? ts.ScriptKind.TSX : ts.ScriptKind.TS;
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true, kind);
  const names: string[] = [''];
  const visit = (node: ts.Node): void => {
    if (at < node.pos || at >= node.end) return;
    if (ts.isFunctionLike(node)) names.unshift(nameOf(node));
    ts.forEachChild(node, visit);
  };
  visit(source);
  return names;
}

function nameOf(node: ts.SignatureDeclaration): string {
  const holder = ts.isJsxExpression(node.parent) ? node.parent.parent : node.parent;
  const isNaming = ts.isVariableDeclaration(holder) || ts.isPropertyAssignment(holder) || ts.isJsxAttribute(holder);
  const name = node.name ?? (isNaming ? holder.name : undefined);
  return name?.getText().replace(/\d+$/, '') ?? '';
}

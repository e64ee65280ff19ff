import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import * as ts from '@typescript/typescript6';
import { z } from 'zod';
import type { Jest } from './jest';
import type { Scratch } from './scratch';

/** The tests that open every page of the dashboard: they take minutes, and say nothing of what they do not run. */
export const PAGES = 'test/dashboard/pages.test.ts';

const Tests = z.array(z.object({ name: z.string(), seconds: z.number(), functions: z.array(z.string()) }));

/** Which tests of the pages have run the innermost function around a place that any of them has run; of so many seconds at most. */
export type TestsOfPages = (place: { file: string; text: string; at: number }, maxSeconds: number) => string[];

/** Plays the tests of the pages once, over the dashboard's files, each of which says for that time what of it is run. Throws where a test fails. */
export async function readReached(
  jest: Jest,
  { folder, read, write }: Pick<Scratch, 'folder' | 'read' | 'write'>,
  files: string[],
  environment: NodeJS.ProcessEnv,
): Promise<TestsOfPages> {
  const noted = join(folder, 'reached.json');
  const texts = new Map(await Promise.all(files.map(async (file) => [file, await read(file)] as const)));
  for (const [file, text] of texts) await write(file, withNotes(file, text));
  const result = await jest.run({
    path: PAGES,
    environment: { ...environment, REACHED: noted },
    timeoutMs: MAX_MS,
    testEnvironment: 'note-reached',
  });
  for (const [file, text] of texts) await write(file, text);
  if (result.kind !== 'passed') throw new Error(`${PAGES} fails without any mutant: ${result.message}`);
  const tests = Tests.parse(JSON.parse(await readFile(noted, 'utf8')));
  await rm(noted);
  const testsBy = new Map<string, typeof tests>();
  for (const test of tests) for (const name of test.functions) testsBy.set(name, [...(testsBy.get(name) ?? []), test]);

  return ({ file, text, at }, maxSeconds) => {
    const around = functionsIn(file, text).filter((each) => each.pos <= at && at < each.end);
    const names = [...around.map((each) => nameOf(file, each)).toReversed(), file];
    const reaching = names.map((name) => testsBy.get(name)).find((found) => found !== undefined) ?? [];
    const seconds = reaching.reduce((sum, test) => sum + test.seconds, 0);
    // Those that stand together do the same on one page after another: each so-manieth is as good as all.
    const step = Math.max(1, seconds / maxSeconds);
    const chosen = reaching.filter((_, index) => Math.floor(index / step) > Math.floor((index - 1) / step));
    return chosen.map(({ name }) => name);
  };
}

const MAX_MS = 1_800_000;

/** A module of which each function, and the module itself, says to `noteReached` that it is run. */
export function withNotes(file: string, text: string): string {
  const note = (name: string) => `globalThis.noteReached?.(${JSON.stringify(name)})`;
  const pieces = functionsIn(file, text).flatMap((each) => {
    const said = note(nameOf(file, each));
    const { body } = each;
    if (ts.isBlock(body)) return { at: body.getStart() + 1, said: `${said};` };
    return [
      { at: body.getStart(), said: `(${said}, ` },
      { at: body.end, said: ')' },
    ];
  });
  const noted = pieces
    .toSorted((one, other) => other.at - one.at)
    .reduce((done, { at, said }) => done.slice(0, at) + said + done.slice(at), text);
  return `${noted}\n;${note(file)};\n`;
}

type FunctionWithBody = ts.FunctionLikeDeclaration & { body: ts.ConciseBody };

const nameOf = (file: string, { pos }: ts.Node) => `${file}:${pos}`;

/** Those around others come before these. */
function functionsIn(file: string, text: string): FunctionWithBody[] {
  const kind = file.endsWith('x') ? ts.ScriptKind.TSX : ts.ScriptKind.TS;
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true, kind);
  const found: FunctionWithBody[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isFunctionLike(node) && 'body' in node && node.body) found.push(node as FunctionWithBody);
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

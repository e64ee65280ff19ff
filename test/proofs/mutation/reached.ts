import { existsSync, readdirSync, readFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import * as ts from '@typescript/typescript6';
import { sha256Hex } from '@clinic/shared/crypto';
import { z } from 'zod';
import type { Scratch } from './scratch';

/** The tests that open every page of the dashboard: they take minutes, and say nothing of what they do not run. */
export const PAGES = 'test/dashboard/pages.test.ts';

const Noted = z.object({
  test: z.string(),
  digest: z.string(),
  functions: z.array(z.string()),
  tests: z.array(z.object({ name: z.string(), seconds: z.number(), functions: z.array(z.number()) })),
});

export interface Place {
  file: string;
  text: string;
  at: number;
}

export interface Reached {
  /** Whether a file of tests is as it was when that was noted. */
  isKnown(test: string): boolean;
  /** Test files that have run the innermost function around a place that any has run, of several any; null where none has run any. */
  filesOf(places: Place[]): ReadonlySet<string> | null;
  /**
   * Of a file of tests those that have run it, and how many seconds they take; no names where it is run before them, by all or by none.
   * Null where nothing is known of the file.
   */
  partsOf(places: Place[]): (test: string) => { names: string[] | null; seconds: number } | null;
  /** Tests of the pages, found in the same way; of so many seconds at most. */
  testsOfPages(place: Place, maxSeconds: number): string[];
}

interface NotedTest {
  name: string;
  seconds: number;
  /** In its file. */
  place: number;
}

/**
 * Which tests run which functions. Where the folder does not say it yet, tests are played, over files each of which says for
 * that time what of it is run.
 */
export async function readReached(
  noted: string,
  { read, write }: Pick<Scratch, 'read' | 'write'>,
  files: string[],
  play: (environment: { REACHED: string }) => Promise<void>,
): Promise<Reached> {
  if (!existsSync(noted)) {
    const texts = new Map(await Promise.all(files.map(async (file) => [file, await read(file)] as const)));
    for (const [file, text] of texts) await write(file, withNotes(file, text));
    await play({ REACHED: `${noted}.part` });
    for (const [file, text] of texts) await write(file, text);
    renameSync(`${noted}.part`, noted);
  }
  const filesBy = new Map<string, Set<string>>();
  const unchanged = new Set<string>();
  const allBy = new Map<string, { seconds: number }[]>();
  const testsBy = new Map<string, Map<string, NotedTest[]>>();
  for (const name of readdirSync(noted)) {
    const { test, digest, functions, tests } = Noted.parse(JSON.parse(readFileSync(join(noted, name), 'utf8')));
    for (const each of functions) filesBy.set(each, (filesBy.get(each) ?? new Set()).add(test));
    // Its tests may be others by now.
    const now = await read(test).catch(() => '');
    if (digest !== sha256Hex(now)) continue;
    unchanged.add(test);
    const testsOf = new Map<string, NotedTest[]>();
    for (const [place, tried] of tests.entries()) {
      const each = { name: tried.name, seconds: tried.seconds, place };
      for (const index of tried.functions) {
        const found = functions[index] ?? '';
        testsOf.set(found, [...(testsOf.get(found) ?? []), each]);
      }
    }
    testsBy.set(test, testsOf);
    allBy.set(test, tests);
  }
  return {
    isKnown: (test) => unchanged.has(test),
    filesOf(places) {
      const found = namesAroundAny(filesBy, places).flatMap((name) => [...(filesBy.get(name) ?? [])]);
      return found.length > 0 ? new Set(found) : null;
    },
    partsOf(places) {
      const names = namesAroundAny(filesBy, places);
      return (test) => {
        const all = allBy.get(test);
        if (!all) return null;
        const reaching = testsReaching(testsBy.get(test), names);
        const isPart = 0 < reaching.length && reaching.length < all.length;
        const seconds = (isPart ? reaching : all).reduce((sum, each) => sum + each.seconds, 0);
        return { names: isPart ? [...new Set(reaching.map((each) => each.name))] : null, seconds };
      };
    },
    testsOfPages(place, maxSeconds) {
      const ofPages = testsBy.get(PAGES) ?? new Map<string, NotedTest[]>();
      const reaching = testsReaching(ofPages, namesAround(ofPages, place));
      const seconds = reaching.reduce((sum, test) => sum + test.seconds, 0);
      // Those that stand together do the same on one page after another: each so-manieth is as good as all.
      const step = Math.max(1, seconds / maxSeconds);
      const chosen = reaching.filter((_, index) => Math.floor(index / step) > Math.floor((index - 1) / step));
      return chosen.map(({ name }) => name);
    },
  };
}

/** Each test once, in the order of the file. */
const testsReaching = (by: Map<string, NotedTest[]> | undefined, names: string[]): NotedTest[] => {
  const reaching = new Set(names.flatMap((name) => by?.get(name) ?? []));
  return [...reaching].toSorted((one, other) => one.place - other.place);
};

/** Functions, where any of the places stands in one: what a module does for itself, all do that load it. */
function namesAroundAny(by: ReadonlyMap<string, unknown>, places: Place[]): string[] {
  const names = [...new Set(places.flatMap((place) => namesAround(by, place)))];
  const functions = names.filter((name) => name.includes('#'));
  return functions.length > 0 ? functions : names;
}

/**
 * The innermost function around a place that is noted; of what the module declares for itself, as a constant, those that use it. The
 * module itself where there is none.
 */
function namesAround(by: ReadonlyMap<string, unknown>, { file, text, at }: Place): string[] {
  const functions = functionsIn(file, text);
  const innermost = (place: number) =>
    functions.findLast(({ name, node }) => node.pos <= place && place < node.end && by.has(name))?.name;
  const own = innermost(at);
  if (own !== undefined) return [own];
  const isWithin = functions.some(({ node }) => node.pos <= at && at < node.end);
  const users = isWithin ? [] : usesOf(file, text, at).flatMap((use) => innermost(use) ?? []);
  return users.length > 0 ? [...new Set(users)] : [file];
}

/** Where the file says a name that its statement around this place declares, or one that is declared by it. */
function usesOf(file: string, text: string, at: number, known = new Set<number>()): number[] {
  const statement = statementAt(file, text, at);
  if (!statement || !ts.isVariableStatement(statement) || known.has(statement.pos)) return [];
  known.add(statement.pos);
  const names = namesDeclaredBy(statement);
  const uses = names.flatMap((name) => [...text.matchAll(new RegExp(`\\b${name}\\b`, 'g'))]);
  const others = uses.map(({ index }) => index).filter((index) => index < statement.pos || index >= statement.end);
  return others.flatMap((index) => [index, ...usesOf(file, text, index, known)]);
}

/** A module of which each function, and the module itself, says to `noteReached` that it is run. */
function withNotes(file: string, text: string): string {
  const note = (name: string) => `globalThis.noteReached?.(${JSON.stringify(name)})`;
  const pieces = functionsIn(file, text).flatMap(({ name, node: { body } }) => {
    if (ts.isBlock(body)) return [{ at: body.getStart() + 1, said: `${note(name)};` }];
    return [
      { at: body.getStart(), said: `(${note(name)}, ` },
      { at: body.end, said: ')' },
    ];
  });
  const noted = pieces
    .toSorted((one, other) => other.at - one.at)
    .reduce((done, { at, said }) => done.slice(0, at) + said + done.slice(at), text);
  return `${noted}\n;${note(file)};\n`;
}

interface Named {
  /** `file#outer/inner`: it is found again when lines around it have changed. */
  name: string;
  node: ts.FunctionLikeDeclaration & { body: ts.ConciseBody };
}

/** Those around others come before these. */
function functionsIn(file: string, text: string): Named[] {
  const found: Named[] = [];
  const visit = (node: ts.Node, outer: string): void => {
    if (!ts.isFunctionLike(node) || !('body' in node) || !node.body) {
      ts.forEachChild(node, (each) => visit(each, outer));
      return;
    }
    const name = `${outer}${outer.endsWith('#') ? '' : '/'}${nameOf(node)}`;
    found.push({ name, node: node as Named['node'] });
    ts.forEachChild(node, (each) => visit(each, name));
  };
  visit(sourceOf(file, text), `${file}#`);
  return found;
}

/** At the top of the file. */
export const statementAt = (file: string, text: string, at: number): ts.Statement | undefined =>
  sourceOf(file, text).statements.find((each) => each.pos <= at && at < each.end);

export const namesDeclaredBy = ({ declarationList }: ts.VariableStatement): string[] =>
  declarationList.declarations.flatMap(({ name }) => (ts.isIdentifier(name) ? name.text : []));

function sourceOf(file: string, text: string): ts.SourceFile {
  const kind = file.endsWith('x') ? ts.ScriptKind.TSX : ts.ScriptKind.TS;
  return ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true, kind);
}

/** Its own, of a route with its path, or that of what it is given to: a variable, a property, an attribute, a call. */
function nameOf({ name, parent }: ts.SignatureDeclaration): string {
  if (name) {
    const call = ts.isObjectLiteralExpression(parent) && ts.isCallExpression(parent.parent) ? parent.parent : null;
    const path = call?.arguments.find((each) => ts.isStringLiteral(each));
    return [path?.getText(), name.getText()].filter(Boolean).join(' ');
  }
  const holder = ts.isJsxExpression(parent) ? parent.parent : parent;
  if (ts.isCallExpression(holder)) return `${holder.expression.getText().slice(-MAX_NAME)}()`;
  const isNaming = ts.isVariableDeclaration(holder) || ts.isPropertyAssignment(holder) || ts.isJsxAttribute(holder);
  return isNaming ? holder.name.getText() : '';
}

const MAX_NAME = 40;

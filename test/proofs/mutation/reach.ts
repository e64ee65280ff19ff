import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as ts from '@typescript/typescript6';
import { namesDeclaredBy, type Place, statementAt } from './reached';

/** What a file's text imports, by path from the root; types alone are no import. */
type Imports = Map<string, string[]>;

export interface Chosen {
  test: string;
  /** Only those of its tests, where it holds many that take long. */
  names?: string[];
}

export interface Reach {
  /** Tests that run the file, those that say most of what its text says first. */
  testsOf(file: string, around: string): Chosen[];
  /** Where stores call the function that a statement of the migration makes; nothing for another statement, and for a trigger's. */
  callsOf(statement: string): Place[];
  /** Whether a test names the function that a statement of the migration makes. */
  says(test: string, statement: string): boolean;
  /** Where other files say the name of what a file exports, if that is declared around this place. */
  usesOf(file: string, text: string, at: number): Place[];
  /** Whether one file imports the other, directly or not. */
  reaches(from: string, file: string): boolean;
}

/** What no import says: processes that a test starts, what a browser shows, the SQL that stores call. */
const starts: Record<string, string[]> = {
  'test/support/service.ts': ['api/main.ts', 'worker/main.ts'],
  'test/support/browser.ts': ['dashboard/main.ts'],
  'worker/workflow-bundle.ts': ['workflows/index.ts'],
  'test/stories/incomplete-environment.test.ts': [
    'api/main.ts',
    'api/codec-main.ts',
    'worker/main.ts',
    'commands/main.ts',
  ],
};

/** Who imports whom, directly or not, over all files given. */
export function readReach(root: string, files: string[], secondsOf: (test: string) => number): Reach {
  const texts = new Map(files.map((file) => [file, readFileSync(join(root, file), 'utf8')]));
  const imports = readImports(root, texts);
  const tests = files.filter((file) => /^test\/(?!proofs\/|local\/).*\.test\.ts$/.test(file));
  const distances = new Map(tests.map((test) => [test, distancesFrom(test, imports)]));
  const written = (test: string) => texts.get(test.replace(/([^/]+)$/, '__snapshots__/$1.snap')) ?? '';
  const wordsOfTests = new Map(tests.map((test) => [test, wordsOf(`${texts.get(test)}${written(test)}`)]));
  const rarity = rarityOf([...wordsOfTests.values()]);

  const likeness = (words: Set<string>, others: Set<string>) => {
    let sum = 0;
    for (const word of words) if (others.has(word)) sum += (rarity.get(word) ?? 0) ** 2;
    return sum;
  };
  const stores = [...texts.keys()].filter((each) => /^(prisma|accounts)\/.*\.ts$/.test(each));
  const callsOf = (statement: string): Place[] => {
    const made = functionMadeBy(statement);
    return stores.flatMap((file) => {
      const text = texts.get(file) ?? '';
      const at = made === null ? -1 : text.search(new RegExp(`\\b${made}\\(`));
      return at < 0 ? [] : { file, text, at };
    });
  };
  const callers = (file: string, around: string): string[] => {
    if (!file.endsWith('.sql')) return [file];
    const calling = callsOf(around).map((call) => call.file);
    if (calling.length > 0) return calling;
    const named = namesIn(around);
    const naming = stores.filter((store) =>
      named.some((name) => new RegExp(`\\b${name}\\b`).test(texts.get(store) ?? '')),
    );
    // Its own tests speak to a database.
    return [...naming, 'test/support/database.ts'];
  };

  return {
    callsOf,
    says(test, statement) {
      const made = functionMadeBy(statement);
      return made !== null && new RegExp(`\\b${made}\\b`).test(texts.get(test) ?? '');
    },
    usesOf(file, text, at) {
      const declared = statementAt(file, text, at);
      if (!declared || !ts.isVariableStatement(declared) || !declared.modifiers?.length) return [];
      const importing = [...texts].filter(([each]) => !each.startsWith('test/') && imports.get(each)?.includes(file));
      return namesDeclaredBy(declared).flatMap((name) =>
        importing.flatMap(([other, its]) =>
          [...its.matchAll(new RegExp(`\\b${name}\\b`, 'g'))].map(({ index }) => ({
            file: other,
            text: its,
            at: index,
          })),
        ),
      );
    },
    reaches(from, file) {
      const known = distances.get(from) ?? distancesFrom(from, imports);
      distances.set(from, known);
      return known.has(file);
    },
    testsOf(file, around) {
      const from = callers(file, around);
      const words = wordsOf(file.endsWith('.sql') ? '' : (texts.get(file) ?? ''));
      const near = wordsOf(around);
      return tests
        .flatMap((test) => {
          const distance = Math.min(...from.map((each) => distances.get(test)?.get(each) ?? Infinity));
          if (distance === Infinity) return [];
          const said = wordsOfTests.get(test) ?? new Set();
          const alike = likeness(words, said) + 3 * likeness(near, said) + 10 * likeness(wordsOf(file), said);
          const nearness = distance === 1 ? 8 : distance === 2 ? 2 : 1;
          const score = (nearness * alike) / (said.size ** 0.4 * (5 + secondsOf(test)) ** 0.4);
          return [{ test, score }];
        })
        .toSorted((one, other) => other.score - one.score)
        .map(({ test }) => {
          const isShown = distances.get(test)?.has('dashboard/main.ts');
          return { test, ...(isShown && namesOf(texts.get(test) ?? '', near, likeness)) };
        });
    },
  };
}

/** Files with tests in a browser take minutes: those of their tests are played that say most of the same. */
const MAX_NAMES = 5;

function namesOf(
  text: string,
  near: Set<string>,
  likeness: (one: Set<string>, other: Set<string>) => number,
): { names?: string[] } {
  if (text.length < 20_000) return {};
  const cases = [...text.matchAll(/^(?:  )?test(?:\.each\([\s\S]*?\))?\(\s*['"`](.*)['"`],/gm)];
  const ranked = cases.map((found, index) => {
    const body = text.slice(found.index, cases[index + 1]?.index ?? text.length);
    const words = wordsOf(body);
    return { name: found[1] ?? '', score: likeness(near, words) / Math.sqrt(words.size) };
  });
  const best = ranked.toSorted((one, other) => other.score - one.score).slice(0, MAX_NAMES);
  return { names: best.map(({ name }) => name) };
}

function readImports(root: string, texts: Map<string, string>): Imports {
  const inner = innerNames(root);
  return new Map(
    [...texts].map(([file, text]) => {
      const found = [
        ...text.matchAll(/^(?:import|export)\s+(?!type\b)[^;]*?\bfrom\s+['"]([^'"]+)['"]/gm),
        ...text.matchAll(/^import\s+['"]([^'"]+)['"]/gm),
        ...text.matchAll(/\b(?:import|require|require\.resolve)\(\s*['"]([^'"]+)['"]\s*\)/g),
      ].map(([, name = '']) => resolve(file, name, inner, texts));
      return [file, [...found.filter((each) => each !== null), ...(starts[file] ?? [])]];
    }),
  );
}

/** The doors of the dashboard's folders. */
function innerNames(root: string): Record<string, string> {
  const file = join(root, 'dashboard/package.json');
  return existsSync(file)
    ? (JSON.parse(readFileSync(file, 'utf8')) as { imports: Record<string, string> }).imports
    : {};
}

function resolve(from: string, name: string, inner: Record<string, string>, texts: Map<string, string>): string | null {
  const door = inner[name];
  const path = door
    ? join('dashboard', door)
    : name.startsWith('@clinic/')
      ? name.slice('@clinic/'.length)
      : name.startsWith('.')
        ? join(from, '..', name)
        : null;
  if (path === null) return null;
  const stem = path.replace(/\.(js|ts|tsx)$/, '');
  return [path, `${stem}.ts`, `${stem}.tsx`, `${stem}/index.ts`].find((each) => texts.has(each)) ?? null;
}

function distancesFrom(test: string, imports: Imports): Map<string, number> {
  const distances = new Map([[test, 0]]);
  const queue = [test];
  for (const file of queue) {
    for (const next of imports.get(file) ?? []) {
      if (distances.has(next)) continue;
      distances.set(next, (distances.get(file) ?? 0) + 1);
      queue.push(next);
    }
  }
  return distances;
}

/** Not of a trigger, which no store calls. */
const functionMadeBy = (statement: string): string | null =>
  /RETURNS\s+trigger/i.test(statement) ? null : (/\bFUNCTION\s+(\w+)\s*\(/i.exec(statement)?.[1] ?? null);

/** Names of functions, tables and columns that a statement of the migration says. */
const namesIn = (statement: string): string[] => {
  const made = functionMadeBy(statement);
  if (made !== null) return [made];
  const tables = [...statement.matchAll(/\b(?:ON|FROM|UPDATE|INTO|JOIN|TABLE)\s+(?:IF NOT EXISTS\s+)?([a-z]\w+)/g)];
  return [...new Set(tables.map(([, name = '']) => name))].slice(0, 3);
};

/** `saved-views`, `saved_views` and `savedViews` are one word; its parts are words too. */
function wordsOf(text: string): Set<string> {
  const words = text.match(/[A-Za-z][\w$]*(?:-\w+)*/g) ?? [];
  return new Set(
    words.flatMap((word) => {
      const parts = word.split(/(?=[A-Z])|[-_]/).map((part) => part.toLowerCase());
      return [parts.join(''), ...parts].filter((part) => part.length > 2);
    }),
  );
}

/** What many tests say tells little. */
function rarityOf(all: Set<string>[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const words of all) for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  return new Map([...counts].map(([word, count]) => [word, Math.log(all.length / count)]));
}

/** The declaration or statement at the top of the file around a place, of at most so many characters. */
export function textAround(file: string, text: string, at: number): string {
  if (file.endsWith('.sql')) {
    const from = Math.max(
      0,
      ...[...text.slice(0, at).matchAll(/^(?:CREATE|ALTER|INSERT)\b/gm)].map(({ index }) => index),
    );
    const rest = text.slice(at).search(/^(?:CREATE|ALTER|INSERT)\b/m);
    return text.slice(from, rest < 0 ? text.length : at + rest);
  }
  const whole = statementAt(file, text, at);
  if (!whole || whole.end - whole.pos <= MAX_AROUND) return whole?.getText() ?? '';
  return text.slice(Math.max(whole.pos, at - MAX_AROUND / 2), at + MAX_AROUND / 2);
}

const MAX_AROUND = 3_000;

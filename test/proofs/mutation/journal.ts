import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { operators, rooms } from './mutant';

const Entry = z.object({
  /** Which mutant it is, wherever its line stands now. */
  key: z.string(),
  room: z.enum(rooms),
  file: z.string(),
  line: z.number(),
  operator: z.enum(operators),
  at: z.string(),
  change: z.string(),
  outcome: z.enum(['killed', 'survived', 'broken', 'equivalent']),
  /** The test that noticed it, or why it is no mutant. */
  why: z.string(),
  /** Whether the tests of the whole room have been played too. */
  isWide: z.boolean(),
  seconds: z.number(),
  played: z.array(z.object({ test: z.string(), seconds: z.number(), hasPassed: z.boolean() })),
});

/** What became of a mutant. */
export type Entry = z.infer<typeof Entry>;

export interface Journal {
  entries: Map<string, Entry>;
  add(entry: Entry): void;
}

const folder = join(__dirname, '../../..', 'mutation');

/** What became of the mutants of a seed so far, in a file to which each is added as it is decided. */
export function openJournal(seed: number): Journal {
  mkdirSync(folder, { recursive: true });
  const file = join(folder, `seed-${seed}.jsonl`);
  const entries = new Map(readEntries(file).map((entry) => [entry.key, entry]));
  return {
    entries,
    add(entry) {
      entries.set(entry.key, entry);
      appendFileSync(file, `${JSON.stringify(entry)}\n`);
    },
  };
}

/** How many seconds each test has taken at the last time that it passed, over all seeds. */
export function readSeconds(): Map<string, number> {
  mkdirSync(folder, { recursive: true });
  const all = readdirSync(folder)
    .filter((name) => name.endsWith('.jsonl'))
    .flatMap((name) => readEntries(join(folder, name)));
  const passed = all.flatMap(({ played }) => played.filter(({ hasPassed }) => hasPassed));
  return new Map(passed.map(({ test, seconds }) => [test, seconds]));
}

function readEntries(file: string): Entry[] {
  if (!existsSync(file)) return [];
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => Entry.parse(JSON.parse(line)));
}

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { loadModule } from 'libpg-query';
import { reasonAgainst } from './equivalents';
import { type Entry, type Journal, openJournal } from './journal';
import { isSql, keyOf, type Mutant, type Room, roomOf, rooms } from './mutant';
import { draw } from './sample';
import { isMutated, listFiles } from './scratch';
import { migrationMutants } from './sql-mutants';
import { openTrial, type Trial } from './trial';
import { typescriptMutants } from './typescript-mutants';

/** Of the mutants of all rooms, and of each room with so many, at least this share must be noticed. */
const GOAL = 0.9;
const GOAL_OF_ROOM = 0.85;
const FEW = 8;

/**
 * Draws mutants of the service's code by a seed, tries each against the tests that its file's imports reach, and prints a table
 * by room. With the same seed it goes on where it was stopped.
 */
export async function main(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      sample: { type: 'string', default: '200' },
      seed: { type: 'string' },
      room: { type: 'string', multiple: true, default: [] },
      /** Draws in these files alone. */
      file: { type: 'string', multiple: true, default: [] },
      /** Tries the survivors again. */
      again: { type: 'boolean', default: false },
      /** Leaves the tests of the whole room out. */
      near: { type: 'boolean', default: false },
    },
  });
  const sample = Number(values.sample);
  const seed = Number(values.seed);
  const chosen = rooms.filter((room) => values.room.length === 0 || values.room.includes(room));
  if (!values.seed || !Number.isInteger(seed) || !(sample > 0) || chosen.length < values.room.length) {
    throw new Error(
      `Usage: npm run prove -- mutation --seed N [--sample 200] [--again] [--near] [--room ${rooms.join('|')}] [--file PATH]`,
    );
  }
  const journal = openJournal(seed);
  const trial = await openTrial();
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => void trial.close().finally(() => process.exit(1)));
  let taken: Entry[];
  try {
    const isChosen = ({ file }: Mutant) =>
      chosen.includes(roomOf(file)) && (values.file.length === 0 || values.file.includes(file));
    const drawn = draw(await allMutants(trial.folder), seed).filter(isChosen);
    taken = await decide({ drawn, sample, journal, trial, isTriedAgain: values.again });
    if (!values.near) taken = await decideWidely({ taken, drawn, journal, trial });
  } finally {
    await trial.close();
  }
  report(taken);
}

async function allMutants(folder: string): Promise<Mutant[]> {
  await loadModule();
  return listFiles()
    .filter(isMutated)
    .flatMap((file) => {
      const text = readFileSync(join(folder, file), 'utf8');
      if (text.includes('Not edited by hand')) return [];
      return isSql(file) ? migrationMutants(file, text) : typescriptMutants(file, text);
    });
}

interface Draw {
  drawn: Mutant[];
  sample: number;
  journal: Journal;
  trial: Trial;
  isTriedAgain: boolean;
}

/** As many as are wanted; those that are broken, or no mutants, are drawn anew. */
async function decide({ drawn, sample, journal, trial, isTriedAgain }: Draw): Promise<Entry[]> {
  const taken: Entry[] = [];
  let decided = 0;
  for (const mutant of drawn) {
    if (decided >= sample) break;
    const known = knownOf(mutant, { journal, trial, isTriedAgain });
    const entry = known ?? (await trial.near(mutant));
    if (trial.isClosed()) break;
    if (!known) note(entry, journal);
    taken.push(entry);
    if (entry.outcome === 'killed' || entry.outcome === 'survived') decided += 1;
  }
  return taken;
}

function knownOf(
  mutant: Mutant,
  { journal, trial, isTriedAgain }: Pick<Draw, 'journal' | 'trial' | 'isTriedAgain'>,
): Entry | undefined {
  const text = trial.textOf(mutant.file);
  const known = journal.entries.get(keyOf(mutant, text));
  if (known?.outcome !== 'survived') return known;
  const isNamed = reasonAgainst(mutant, text) !== null;
  return isTriedAgain || isNamed ? undefined : known;
}

/** A survivor is played once more against the tests of its room and the stories. */
async function decideWidely({
  taken,
  drawn,
  journal,
  trial,
}: Pick<Draw, 'drawn' | 'journal' | 'trial'> & { taken: Entry[] }): Promise<Entry[]> {
  const results: Entry[] = [];
  for (const entry of taken) {
    const mutant = drawn.find((each) => keyOf(each, trial.textOf(each.file)) === entry.key);
    if (entry.outcome !== 'survived' || entry.isWide || !mutant) {
      results.push(entry);
      continue;
    }
    const wide = await trial.wide(mutant);
    if (trial.isClosed()) break;
    note(wide, journal);
    results.push(wide);
  }
  return results;
}

const signs = { killed: '✓', survived: '✕', broken: '!', equivalent: '=' };

function note(entry: Entry, journal: Journal): void {
  journal.add(entry);
  const { outcome, file, line, operator, seconds, why } = entry;
  console.log(`${signs[outcome]} ${outcome}  ${file}:${line}  ${operator}  (${seconds.toFixed(1)} s)  ${why}`);
}

function report(taken: Entry[]): void {
  const countOf = (room: Room | null, outcome: Entry['outcome']) =>
    taken.filter((entry) => (room === null || entry.room === room) && entry.outcome === outcome).length;
  const rows = [...rooms.filter((room) => taken.some((entry) => entry.room === room)), null].map((room) => {
    const killed = countOf(room, 'killed');
    const survived = countOf(room, 'survived');
    return {
      room,
      killed,
      survived,
      broken: countOf(room, 'broken'),
      equivalent: countOf(room, 'equivalent'),
      share: killed + survived > 0 ? killed / (killed + survived) : 1,
    };
  });
  const columns = ['killed', 'survived', 'broken', 'equivalent'] as const;
  console.log(`\n${'room'.padEnd(12)}${columns.map((each) => each.padStart(11)).join('')}${'share'.padStart(8)}`);
  for (const row of rows) {
    const counts = columns.map((each) => String(row[each]).padStart(11)).join('');
    console.log(`${(row.room ?? 'all').padEnd(12)}${counts}${`${Math.floor(100 * row.share)} %`.padStart(8)}`);
  }
  const survivors = taken.filter(({ outcome }) => outcome === 'survived');
  if (survivors.length > 0) console.log('\nSurvived:');
  for (const { file, line, operator, at, change } of survivors)
    console.log(`  ${file}:${line}  ${operator}\n    ${at}\n    ${change}`);
  const isBelow = rows.some(({ room, killed, survived, share }) =>
    room === null ? share < GOAL : killed + survived >= FEW && share < GOAL_OF_ROOM,
  );
  if (isBelow) process.exitCode = 1;
}

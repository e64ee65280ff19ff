import { parseArgs } from 'node:util';
import type { Scenario } from '../faults/stage';
import { playAll, type Play, tableOf } from '../faults/suite';
import { drillClinics } from './cast';
import { loseTemporal } from './lose-temporal';
import { restorePostgres } from './restore-postgres';

const drills: Scenario[] = [loseTemporal, restorePostgres];
const names = drills.map(({ id }) => id).join('|');
const usage = `Usage: npm run prove -- drills ${names} [--runs 1000] [--seed N] [--seeds 10]`;

/** Plays one drill with several seeds, one after the other; exit code 1 where a promise was broken. */
export async function main(args: string[]): Promise<void> {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: { runs: { type: 'string' }, seed: { type: 'string' }, seeds: { type: 'string', default: '10' } },
  });
  const drill = drills.find(({ id }) => id === positionals[0]);
  const [first, count] = [Number(values.seed ?? Date.now() % 1_000_000), Number(values.seeds)];
  const numbers = { ...drill?.numbers.nightly, ...(values.runs !== undefined && { runs: Number(values.runs) }) };
  if (!drill || ![first, count, ...Object.values(numbers)].every((each) => Number.isSafeInteger(each)))
    throw new Error(usage);

  const startedAt = Date.now();
  const plays: Play[] = Array.from({ length: count }, (_unused, index) => ({
    scenario: drill,
    label: `seed ${first + index}`,
    numbers,
    seed: first + index,
  }));
  say(`${drill.title}: ${JSON.stringify(numbers)}, seeds ${first} to ${first + count - 1}`);
  const results = await playAll({ plays, house: { clinics: drillClinics, hasPhones: true }, say });
  say('');
  say(tableOf(results));
  const failed = results.filter(({ violations }) => violations.length > 0);
  const seconds = ((Date.now() - startedAt) / 1_000).toFixed(0);
  say(`\n${results.length - failed.length} seeds passed, ${failed.length} failed, ${seconds} s`);
  // What a scenario that broke off has left under way would keep the process alive.
  process.exit(failed.length === 0 && results.length > 0 ? 0 : 1);
}

const say = (line: string): void => console.log(line);

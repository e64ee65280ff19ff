import { parseArgs } from 'node:util';
import { playAll, tableOf } from '../faults/suite';
import { buildEarlier, revisionBefore } from './earlier';
import { rollout } from './rollout';

const usage = 'Usage: npm run prove -- releases [--before REVISION] [--runs 2] [--seed N]';

/** Plays a rollout from the release before and back; exit code 1 where a promise was broken. */
export async function main(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: { before: { type: 'string' }, runs: { type: 'string', default: '2' }, seed: { type: 'string' } },
  });
  const [runs, seed] = [Number(values.runs), Number(values.seed ?? Date.now() % 1_000_000)];
  if (![runs, seed].every((each) => Number.isSafeInteger(each))) throw new Error(usage);
  const earlier = await buildEarlier(values.before ?? (await revisionBefore()));
  say(`The release before: ${earlier.name}, built in ${earlier.folder}. Seed ${seed}.`);
  try {
    const scenario = rollout(earlier);
    const results = await playAll({ plays: [{ scenario, label: earlier.name, numbers: { runs }, seed }], say });
    say(`\n${tableOf(results)}`);
    process.exitCode = results.every(({ violations }) => violations.length === 0) ? 0 : 1;
  } finally {
    await earlier.remove();
  }
  // What a scenario that broke off has left under way would keep the process alive.
  process.exit();
}

const say = (line: string): void => console.log(line);

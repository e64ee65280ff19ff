import { parseArgs } from 'node:util';
import { elsewhere, playAll, playsOf, tableOf } from './suite';
import { type Tier, tiers } from './stage';

const usage = 'Usage: npm run prove -- faults --tier pr|nightly|release [--seed N] [--only F4,F9]';

/** Plays a tier of the fault suite; exit code 1 where a promise was broken. */
export async function main(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: { tier: { type: 'string', default: 'pr' }, seed: { type: 'string' }, only: { type: 'string' } },
  });
  const tier = tiers.find((name) => name === values.tier);
  const seed = values.seed === undefined ? Date.now() % 1_000_000 : Number(values.seed);
  if (!tier || !Number.isSafeInteger(seed)) throw new Error(usage);
  const only = values.only?.split(',').map((id) => id.trim().toUpperCase()) ?? [];
  const startedAt = Date.now();
  say(`Tier ${tier}, seed ${seed}. To repeat: ${repetition({ tier, seed, only })}`);

  const results = await playAll({ plays: playsOf({ tier, seed, only }), say });
  say('');
  say([tableOf(results), '', ...elsewhere].join('\n'));
  const failed = results.filter(({ violations }) => violations.length > 0);
  const seconds = ((Date.now() - startedAt) / 1_000).toFixed(0);
  say(`\n${results.length - failed.length} passed, ${failed.length} failed, ${seconds} s, seed ${seed}`);
  // What a scenario that broke off has left under way would keep the process alive.
  process.exit(failed.length === 0 && results.length > 0 ? 0 : 1);
}

const repetition = ({ tier, seed, only }: { tier: Tier; seed: number; only: string[] }): string =>
  `npm run prove -- faults --tier ${tier} --seed ${seed}${only.length > 0 ? ` --only ${only.join(',')}` : ''}`;

const say = (line: string): void => console.log(line);

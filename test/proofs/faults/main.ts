import { writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { playOnNodes } from './nodes';
import { elsewhere, playAll, playsOf, tableOf } from './suite';
import { type Tier, tiers } from './stage';

const usage = 'Usage: npm run prove -- faults --tier pr|nightly|release [--seed N] [--only F4,F9] [--nodes 20,24]';

/** Plays a tier of the fault suite, once with each version of Node where some are named; exit code 1 where a promise was broken. */
export async function main(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      tier: { type: 'string', default: 'pr' },
      seed: { type: 'string' },
      only: { type: 'string' },
      nodes: { type: 'string' },
      // Where the run of one version of Node leaves what it has found.
      results: { type: 'string' },
    },
  });
  const tier = tiers.find((name) => name === values.tier);
  const seed = values.seed === undefined ? Date.now() % 1_000_000 : Number(values.seed);
  if (!tier || !Number.isSafeInteger(seed)) throw new Error(usage);
  const only = values.only?.split(',').map((id) => id.trim().toUpperCase()) ?? [];
  const startedAt = Date.now();
  const repeated = repetition({ tier, seed, only });
  say(`Tier ${tier}, seed ${seed}. To repeat: npm run prove -- faults ${repeated.join(' ')}`);

  const results = values.nodes
    ? await playOnNodes({ versions: values.nodes.split(','), args: repeated, say })
    : await playAll({ plays: playsOf({ tier, seed, only }), say });
  if (values.results) await writeFile(values.results, JSON.stringify(results));
  say('');
  say([tableOf(results), '', ...elsewhere].join('\n'));
  const failed = results.filter(({ violations }) => violations.length > 0);
  const seconds = ((Date.now() - startedAt) / 1_000).toFixed(0);
  say(`\n${results.length - failed.length} passed, ${failed.length} failed, ${seconds} s, seed ${seed}`);
  // What a scenario that broke off has left under way would keep the process alive.
  process.exit(failed.length === 0 && results.length > 0 ? 0 : 1);
}

const repetition = ({ tier, seed, only }: { tier: Tier; seed: number; only: string[] }): string[] => [
  '--tier',
  tier,
  '--seed',
  String(seed),
  ...(only.length > 0 ? ['--only', only.join(',')] : []),
];

const say = (line: string): void => console.log(line);

import { parseArgs } from 'node:util';
import { textTable } from '../../support/figures';
import type { Outcome } from './attack';
import { birthDateSearch } from './birth-dates';
import { nestedBodies, slowBodies } from './bodies';
import { carelessGuards, narrowScope, stolenToken } from './credentials';
import { bookingFlood, linkGuesses } from './guesses';
import { passwordSpray } from './password-spray';
import { signInFlood } from './sign-in-flood';
import { startTarget, type Target } from './target';

/** Every attack by the name that `--only` takes. */
const attacks: Record<string, (target: Target) => Promise<Outcome> | Outcome> = {
  'spray-one': (target) => passwordSpray(target, 1),
  'spray-ten': (target) => passwordSpray(target, 10),
  'spray-many': (target) => passwordSpray(target, 400),
  'flood-one': (target) => signInFlood(target, 1),
  'flood-many': (target) => signInFlood(target, 60),
  'birth-dates': birthDateSearch,
  'slow-bodies': slowBodies,
  'nested-bodies': nestedBodies,
  links: linkGuesses,
  bookings: bookingFlood,
  'stolen-token': stolenToken,
  scopes: narrowScope,
  guards: carelessGuards,
};

/** Plays each attack against a real service with its default limits, and prints what came of it; exit code 1 where a limit was passed. */
export async function main(args: string[]): Promise<void> {
  const { values } = parseArgs({ args, options: { only: { type: 'string' } } });
  const only = values.only?.split(',').map((name) => name.trim()) ?? [];
  const unknown = only.filter((name) => !Object.hasOwn(attacks, name));
  if (unknown.length > 0) {
    throw new Error(`There is no attack ${unknown.join(', ')}. There are: ${Object.keys(attacks).join(', ')}`);
  }
  const target = await startTarget();
  const outcomes: (Outcome & { name: string })[] = [];
  try {
    for (const [name, play] of Object.entries(attacks)) {
      if (only.length > 0 && !only.includes(name)) continue;
      const outcome = await play(target);
      outcomes.push({ name, ...outcome });
      const { attack, tried, through, honest, limit, holds } = outcome;
      console.log(`\n${name}: ${attack}`);
      console.log(`  tried    ${tried}\n  through  ${through}\n  honest   ${honest}`);
      console.log(`  limit    ${limit ?? 'none is promised'}${limit === null ? '' : holds ? ': PASS' : ': FAIL'}`);
    }
  } finally {
    await target.stop();
  }
  const rows = outcomes.map(({ name, tried, through, limit, holds }) => [
    name,
    tried,
    through,
    limit === null ? '-' : holds ? 'PASS' : 'FAIL',
  ]);
  console.log(`\n${textTable([['attack', 'tried', 'got through', 'result'], ...rows])}`);
  if (!outcomes.every(({ holds }) => holds)) process.exitCode = 1;
}

import { parseArgs } from 'node:util';
import { temporalKindOf } from '../../support/servers';
import { auditOfMany, auditOfReads } from './audit';
import { busyHour } from './busy-hour';
import { cases } from './cases';
import { emr } from './emr';
import { feed } from './feed';
import { inbound } from './inbound';
import { match } from './match';
import { memory } from './memory';
import { openCases } from './open';
import { pages } from './pages';
import { purging } from './purge';
import { readsOfMany } from './reads';
import { signIn } from './sign-in';
import { type BenchStack, startBenchStack } from './stack';
import { tools } from './tools';
import { watched } from './watched';
import { workflows } from './workflows';

/** Every benchmark by the name that `npm run bench -- NAME` takes. */
const benchmarks: Record<string, (stack: BenchStack) => Promise<void>> = {
  emr,
  feed,
  match,
  tools,
  watched,
  workflows,
  cases,
  open: openCases,
  memory,
  'sign-in': signIn,
  audit: auditOfReads,
  'audit-search': auditOfMany,
  reads: readsOfMany,
  purge: purging,
  pages,
  // What it leaves to be done takes the processor for minutes.
  inbound,
  'busy-hour': busyHour,
};

/** Each of these fills a clinic that must have no records, so it has a stack of its own. */
const filling = [auditOfMany, readsOfMany, purging, pages];

/** `npm run bench -- [NAME…] [--temporal dev|postgres] [--steps]`: all but the half-hour of `busy-hour` unless named, on Temporal's development server unless asked otherwise. */
export async function main(args: string[]): Promise<void> {
  const { values, positionals: chosen } = parseArgs({
    args,
    options: { temporal: { type: 'string', default: 'dev' }, steps: { type: 'boolean', default: false } },
    allowPositionals: true,
  });
  const unknown = chosen.filter((name) => !(name in benchmarks));
  if (unknown.length > 0)
    throw new Error(`There is no benchmark ${unknown.join(', ')}. There are: ${Object.keys(benchmarks).join(', ')}`);
  const named = Object.entries(benchmarks).filter(([name, run]) =>
    chosen.length === 0 ? run !== busyHour : chosen.includes(name),
  );
  const runs = named.map(([, run]) => run);
  const stacks = [
    runs.filter((run) => !filling.includes(run)),
    ...runs.filter((run) => filling.includes(run)).map((run) => [run]),
  ];
  for (const sharing of stacks.filter(({ length }) => length > 0)) {
    const stack = await startBenchStack(temporalKindOf(values.temporal), {
      tellsSteps: values.steps,
      callsOutside: true,
    });
    try {
      for (const run of sharing) await run(stack);
    } finally {
      await stack.stop();
    }
  }
}

import { auditOfReads } from './audit';
import { cases } from './cases';
import { emr } from './emr';
import { inbound } from './inbound';
import { memory } from './memory';
import { pages } from './pages';
import { readsOfMany } from './reads';
import { type BenchStack, startBenchStack } from './stack';
import { tools } from './tools';
import { watched } from './watched';
import { workflows } from './workflows';

/** Every benchmark by the name that `npm run bench -- NAME` takes. */
const benchmarks: Record<string, (stack: BenchStack) => Promise<void>> = {
  emr,
  inbound,
  tools,
  watched,
  workflows,
  cases,
  memory,
  audit: auditOfReads,
  reads: readsOfMany,
  pages,
};

async function main(): Promise<void> {
  const chosen = process.argv.slice(2);
  const unknown = chosen.filter((name) => !(name in benchmarks));
  if (unknown.length > 0)
    throw new Error(`There is no benchmark ${unknown.join(', ')}. There are: ${Object.keys(benchmarks).join(', ')}`);
  const stack = await startBenchStack();
  try {
    for (const [name, run] of Object.entries(benchmarks)) {
      if (chosen.length === 0 || chosen.includes(name)) await run(stack);
    }
  } finally {
    await stack.stop();
  }
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
});

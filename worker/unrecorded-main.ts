import { openDatabase } from '@clinic/prisma/client';
import { createStores } from '@clinic/prisma/stores';
import { readWorkerConfig, type WorkerConfig } from '@clinic/shared/config';
import { connectLazily, createClient } from '@clinic/temporal/client';
import { unrecordedRuns } from './unrecorded';

/** `node dist/unrecorded.js SINCE`, in a worker's environment: a line of JSON for each run, on standard output. */
async function main(config: WorkerConfig, given: string | undefined): Promise<void> {
  const since = new Date(given ?? '');
  if (Number.isNaN(since.getTime())) throw new Error('Usage: node dist/unrecorded.js SINCE, as 2026-11-22T09:00:00Z');
  const database = openDatabase(config.DATABASE_URL, { poolSize: 1 });
  const connection = connectLazily(config);
  try {
    const stores = createStores(database, config.SECRET_KEYS);
    for (const run of await unrecordedRuns({ client: createClient(connection, config), stores, since }))
      process.stdout.write(`${JSON.stringify(run)}\n`);
  } finally {
    await Promise.all([connection.close(), database.close()]);
  }
}

main(readWorkerConfig(process.env), process.argv[2]).catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
});

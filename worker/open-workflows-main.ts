import { readWorkerConfig, type WorkerConfig } from '@clinic/shared/config';
import { connectLazily, createClient } from '@clinic/temporal/client';
import { workflowsBefore } from './open-workflows';

/** `node dist/open-workflows.js BEFORE`, in a worker's environment: exit code 1 while the key of that time is needed. */
async function main(config: WorkerConfig, given: string | undefined): Promise<void> {
  const before = new Date(given ?? '');
  if (Number.isNaN(before.getTime())) {
    throw new Error('Usage: node dist/open-workflows.js BEFORE, as 2026-11-22T09:00:00Z');
  }
  const connection = connectLazily(config);
  try {
    const { open, kept } = await workflowsBefore(createClient(connection, config), before);
    process.stdout.write(`${JSON.stringify({ open, kept, isKeyNeeded: open + kept > 0 })}\n`);
    process.exitCode = open + kept > 0 ? 1 : 0;
  } finally {
    await connection.close();
  }
}

main(readWorkerConfig(process.env), process.argv[2]).catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 2;
});

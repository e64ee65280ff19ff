import { readWorkerConfig, type WorkerConfig } from '@clinic/shared/config';
import { connectLazily, createClient } from '@clinic/temporal/client';
import { searchableSession } from '@clinic/temporal/start-options';
import { searchAttributes } from '@clinic/workflows/ids';
import { workflowsBefore } from './open-workflows';

/**
 * In a worker's environment. `node dist/open-workflows.js BEFORE`: exit code 1 while the key of that time is needed.
 * `node dist/open-workflows.js session CLINIC SESSION`: what finds the workflows of a session in Temporal.
 */
async function main(config: WorkerConfig, [given, clinicId, sessionId]: string[]): Promise<void> {
  if (given === 'session' && clinicId !== undefined && sessionId !== undefined) {
    const values = searchableSession(config.PAYLOAD_KEYS, clinicId, sessionId).map((value) => `'${value}'`);
    process.stdout.write(`${searchAttributes.session.name} IN (${values.join(', ')})\n`);
    return;
  }
  const before = new Date(given ?? '');
  if (Number.isNaN(before.getTime())) {
    throw new Error('Usage: node dist/open-workflows.js BEFORE, as 2026-11-22T09:00:00Z, or session CLINIC SESSION');
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

main(readWorkerConfig(process.env), process.argv.slice(2)).catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 2;
});

import { parseArgs } from 'node:util';
import { readTemporalConfig } from '@clinic/shared/config';
import { connectLazily } from './client';
import { setUpTemporal } from './setup';

const usage = `Usage:
  node dist/temporal.js [--retention-days 30]

Makes the namespace TEMPORAL_NAMESPACE at TEMPORAL_ADDRESS with the search attributes of the service. What is there stays as it is.
--retention-days: for how long Temporal keeps what has ended, in a namespace that is made now.`;

/** For deployments, with TEMPORAL_ADDRESS, TEMPORAL_NAMESPACE and, where they are needed, TEMPORAL_TLS and TEMPORAL_API_KEY. */
async function main(): Promise<void> {
  const retentionDays = daysIn(process.argv.slice(2));
  const config = readTemporalConfig(process.env);
  const { TEMPORAL_NAMESPACE: namespace, TEMPORAL_ADDRESS: address } = config;
  const connection = connectLazily(config);
  try {
    const isNew = await setUpTemporal(connection, { namespace, retentionDays });
    console.log(
      `The namespace ${namespace} at ${address} ${isNew ? 'was made' : 'was there'}; it has the search attributes.`,
    );
  } finally {
    await connection.close();
  }
}

function daysIn(args: string[]): number {
  try {
    const { values } = parseArgs({ args, options: { 'retention-days': { type: 'string', default: '30' } } });
    const days = Number(values['retention-days']);
    if (!Number.isInteger(days) || days < 1) throw new Error('--retention-days must be a whole number of days.');
    return days;
  } catch (error) {
    throw new Error(`${error instanceof Error ? error.message : String(error)}\n${usage}`, { cause: error });
  }
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
});

import { Command } from 'commander';
import { openDatabase } from '@clinic/prisma/client';
import { createStores } from '@clinic/prisma/stores';
import { readServiceConfig, readTemporalConfig, type ServiceConfig } from '@clinic/shared/config';
import { connectLazily, createClient } from '@clinic/temporal/client';
import { setUpTemporal } from '@clinic/temporal/setup';
import { searchableSession } from '@clinic/temporal/start-options';
import { searchAttributes } from '@clinic/workflows/ids';
import type { Client } from '@temporalio/client';
import { type CommandLine, instant, wholeNumber } from './command-line';
import { unrecordedRuns } from './unrecorded-runs';
import { workflowsBefore } from './workflows-before';

/** What an operator asks of Temporal, with the environment of an API or a worker. */
export const temporalCommands = (line: CommandLine): Command[] => [
  new Command('temporal')
    .description(
      'makes the namespace TEMPORAL_NAMESPACE at TEMPORAL_ADDRESS with the search attributes of the service; what is there stays as it is',
    )
    .option(
      '--retention-days <n>',
      'for how long Temporal keeps what has ended, in a namespace that is made now',
      wholeNumber({ from: 1, to: 36_500 }),
      30,
    )
    .action(({ retentionDays }: { retentionDays: number }) => setUp(line, retentionDays)),
  new Command('open-workflows')
    .description('says whether the payload key of a time is still needed; exits with 1 while it is')
    .argument('<before>', 'an instant, as 2026-11-22T09:00:00Z', instant)
    .action((before: Date) =>
      withTemporal(line, async (client) => {
        const { open, kept } = await workflowsBefore(client, before);
        line.context.print(JSON.stringify({ open, kept, isKeyNeeded: open + kept > 0 }));
        if (open + kept > 0) line.exitCode = 1;
      }),
    ),
  new Command('workflows-of-session')
    .description('prints the query that finds the workflows of a session in Temporal')
    .argument('<clinic>')
    .argument('<session>')
    .action((clinicId: string, sessionId: string) =>
      line.context.inEnvironment(async (env) => {
        const { PAYLOAD_KEYS } = readServiceConfig(env);
        const values = searchableSession(PAYLOAD_KEYS, clinicId, sessionId).map((value) => `'${value}'`);
        line.context.print(`${searchAttributes.session.name} IN (${values.join(', ')})`);
      }),
    ),
  new Command('unrecorded')
    .description(
      'names the runs that were accepted since an instant and are not in the records, a line of JSON for each',
    )
    .argument('<since>', 'an instant, as 2026-11-22T09:00:00Z', instant)
    .action((since: Date) =>
      withTemporal(line, async (client, { DATABASE_URL, SECRET_KEYS }) => {
        const database = openDatabase(DATABASE_URL, { poolSize: 2 });
        try {
          const stores = createStores(database, SECRET_KEYS);
          for (const run of await unrecordedRuns({ client, stores, since })) line.context.print(JSON.stringify(run));
        } finally {
          await database.close();
        }
      }),
    ),
];

const setUp = (line: CommandLine, retentionDays: number): Promise<void> =>
  line.context.inEnvironment(async (env) => {
    const config = readTemporalConfig(env);
    const { TEMPORAL_NAMESPACE: namespace, TEMPORAL_ADDRESS: address } = config;
    const connection = connectLazily(config);
    try {
      const isNew = await setUpTemporal(connection, { namespace, retentionDays });
      const what = isNew ? 'was made' : 'was there';
      line.context.print(`The namespace ${namespace} at ${address} ${what}; it has the search attributes.`);
    } finally {
      await connection.close();
    }
  });

const withTemporal = (
  line: CommandLine,
  work: (client: Client, config: ServiceConfig) => Promise<void>,
): Promise<void> =>
  line.context.inEnvironment(async (env) => {
    const config = readServiceConfig(env);
    const connection = connectLazily(config);
    try {
      await work(createClient(connection, config), config);
    } finally {
      await connection.close();
    }
  });

import { createServer } from 'node:http';
import { Client, Connection } from '@temporalio/client';
import { createAccounts } from '@clinic/prisma/accounts';
import { listenToChanges } from '@clinic/prisma/changes';
import { openDatabase } from '@clinic/prisma/client';
import { createStores } from '@clinic/prisma/stores';
import { type ApiConfig, readApiConfig } from '@clinic/shared/config';
import { createLog } from '@clinic/shared/log';
import { createDataConverter } from '@clinic/shared/payload-codec';
import { createWorkflowStarter } from '@clinic/workflows/starter';
import { createApp } from './app';
import { createMetrics } from './metrics';
import { createTemporal } from './temporal';

const DRAIN_MS = 20_000;

/** Serves until SIGINT or SIGTERM; then takes no new connection, finishes what runs, and closes. */
function main(config: ApiConfig): void {
  const log = createLog({ process: 'api', level: config.LOG_LEVEL });
  const database = openDatabase(config.DATABASE_URL, { poolSize: config.DATABASE_POOL_SIZE });
  const stores = createStores(database, config.SECRET_KEYS);
  const accounts = createAccounts({ database, secret: config.AUTH_SECRET, publicUrl: config.PUBLIC_URL });
  const changes = listenToChanges(config.DATABASE_URL);
  // Lazy: the service accepts events while Temporal is down.
  const connection = Connection.lazy({
    address: config.TEMPORAL_ADDRESS,
    tls: config.TEMPORAL_TLS || undefined,
    apiKey: config.TEMPORAL_API_KEY,
  });
  const dataConverter = createDataConverter(config.PAYLOAD_KEYS);
  const client = new Client({ connection, namespace: config.TEMPORAL_NAMESPACE, dataConverter });
  const temporal = createTemporal({ client, starter: createWorkflowStarter(client), stores, log });
  const app = createApp({
    ...{ config, stores, accounts, changes, temporal, log },
    metrics: createMetrics(),
    isDatabaseReachable: async () =>
      database.sql`select 1`.then(
        () => true,
        () => false,
      ),
  });

  const server = createServer(app);
  server.requestTimeout = 90_000;
  server.headersTimeout = 5_000;
  server.keepAliveTimeout = 10_000;
  server.listen(config.PORT, config.HOST, () => log.info({ port: config.PORT }, 'api started'));
  server.on('error', (error) => {
    process.stderr.write(`The API cannot listen on port ${config.PORT}: ${error.message}. Set PORT to another one.\n`);
    process.exit(1);
  });

  let isStopping = false;
  const stop = async (signal: string) => {
    if (isStopping) return;
    isStopping = true;
    log.info({ signal }, 'api stopping');
    const forced = setTimeout(() => process.exit(1), DRAIN_MS);
    await new Promise((resolve) => {
      server.close(resolve);
      server.closeIdleConnections();
    });
    await temporal.drain();
    await Promise.all([changes.close(), connection.close(), database.close()]);
    clearTimeout(forced);
    log.info({}, 'api stopped');
  };
  process.on('SIGINT', () => void stop('SIGINT'));
  process.on('SIGTERM', () => void stop('SIGTERM'));
}

try {
  main(readApiConfig(process.env));
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}

import { createServer, type Server, type ServerResponse } from 'node:http';
import { createAccounts } from '@clinic/prisma/accounts';
import { listenToChanges } from '@clinic/prisma/changes';
import { openDatabase } from '@clinic/prisma/client';
import { createStores } from '@clinic/prisma/stores';
import type { ApiConfig } from '@clinic/shared/config';
import type { Logger } from '@clinic/shared/log';
import { createClinicHttp } from '@clinic/shared/outbound/clinic-http';
import { createClinicSystems, toAudit } from '@clinic/shared/outbound/clinic-systems';
import { createSafeHttp } from '@clinic/shared/outbound/safe-http';
import { connectLazily, createClient } from '@clinic/temporal/client';
import { createWorkflowStarter } from '@clinic/temporal/starter';
import { createApp } from './app';
import { createDispatcher } from './dispatcher';
import { answerUnreadable } from './http/unreadable';
import { createMetrics } from './metrics';

export interface RunningApi {
  port: number;
  /** Takes no new connection, finishes what runs, and closes. */
  stop(): Promise<void>;
}

/** Everything the API process does, from its configuration: the process and the tests start the same. */
export async function startApi(config: ApiConfig, log: Logger): Promise<RunningApi> {
  const database = openDatabase(config.DATABASE_URL, { poolSize: config.DATABASE_POOL_SIZE });
  const stores = createStores(database, config.SECRET_KEYS);
  const accounts = createAccounts({ database, secret: config.AUTH_SECRET, publicUrl: config.PUBLIC_URL });
  const changes = listenToChanges(config.DATABASE_URL);
  const connection = connectLazily(config);
  const client = createClient(connection, config);
  const stopping = new AbortController();
  const temporal = createDispatcher({ client, starter: createWorkflowStarter(client), stores, log });
  const http = createSafeHttp({ allowPrivateTargets: config.ALLOW_PRIVATE_TARGETS, log });
  const systems = createClinicSystems({
    http: createClinicHttp({ http, audit: (call) => stores.audit.write(toAudit(call)), log }),
    settings: stores.settings,
    hubspotUrl: config.HUBSPOT_BASE_URL,
  });
  const app = createApp({
    config,
    stores,
    accounts,
    changes,
    systems,
    temporal,
    log,
    metrics: createMetrics(),
    stopping: stopping.signal,
    isDatabaseReachable: async () =>
      database.sql`select 1`.then(
        () => true,
        () => false,
      ),
  });

  const server = createServer();
  server.requestTimeout = 90_000;
  server.headersTimeout = 5_000;
  server.keepAliveTimeout = 10_000;
  const endConnections = connectionsOf(server);
  server.on('request', app);
  server.on('clientError', answerUnreadable);
  const closeClients = async () => {
    await temporal.drain();
    await Promise.all([changes.close(), connection.close(), http.close(), database.close()]);
  };
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(config.PORT, config.HOST, resolve);
    });
  } catch (error) {
    await closeClients();
    const why = error instanceof Error ? error.message : String(error);
    throw new Error(`The API cannot listen on port ${config.PORT}: ${why}. Set PORT to another one.`, {
      cause: error,
    });
  }
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : config.PORT;
  log.info({ port }, 'api started');

  return {
    port,
    async stop() {
      stopping.abort();
      await new Promise((resolve) => {
        server.close(resolve);
        endConnections();
      });
      await closeClients();
    },
  };
}

/** Ends every connection with its response, at once where none is due: a client that keeps one open does not delay a stop. */
function connectionsOf(server: Server): () => void {
  const unanswered = new Set<ServerResponse>();
  let isEnding = false;
  server.on('request', (_request, response) => {
    if (isEnding) response.setHeader('connection', 'close');
    unanswered.add(response);
    response.once('close', () => unanswered.delete(response));
  });
  return () => {
    isEnding = true;
    server.closeIdleConnections();
    for (const response of unanswered) if (!response.headersSent) response.setHeader('connection', 'close');
  };
}

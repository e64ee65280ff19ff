import type { Socket } from 'node:net';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { createAccounts } from '@clinic/accounts/accounts';
import { listenToChanges } from '@clinic/prisma/changes';
import { openDatabase } from '@clinic/prisma/client';
import { refusePrivilegedRole } from '@clinic/prisma/service-role';
import { createStores } from '@clinic/prisma/stores';
import { outboundRules, type ApiConfig } from '@clinic/shared/config';
import { keyedDigests } from '@clinic/shared/crypto';
import type { Logger } from '@clinic/shared/log';
import { openClinicSystems } from '@clinic/gateways/clinic-systems';
import { createVoicePlatforms } from '@clinic/gateways/voice/registry';
import { createMail } from '@clinic/gateways/mail/mail';
import { createSafeHttp } from '@clinic/gateways/http/safe-http';
import { createSendEvent } from '@clinic/gateways/receivers/send-event';
import { connectLazily, createClient } from '@clinic/temporal/client';
import { createWorkflowStarter } from '@clinic/temporal/starter';
import { createApp } from './app';
import { createDispatcher } from './dispatcher';
import { answerUnreadable } from './http/unreadable';
import { createMetrics } from './metrics';
import { createRunReports } from '@clinic/sandbox/readiness/run-report';
import { createWatch } from '@clinic/sandbox/readiness/watch';

export interface RunningApi {
  port: number;
  /** Says that it is not ready, and serves on for the drain time; then takes no new connection, finishes what runs, and closes. */
  stop(): Promise<void>;
}

/** Everything the API process does, from its configuration: the process and the tests start the same. */
export async function startApi(config: ApiConfig, log: Logger): Promise<RunningApi> {
  const database = openDatabase(config.DATABASE_URL, { poolSize: config.DATABASE_POOL_SIZE });
  if (config.NODE_ENV === 'production') {
    await refusePrivilegedRole(database, log).catch(async (error: unknown) => {
      await database.close();
      throw error;
    });
  }
  const stores = createStores(database, config.SECRET_KEYS);
  const accounts = createAccounts({
    database,
    secret: config.AUTH_SECRET,
    secretKeys: config.SECRET_KEYS,
    publicUrl: config.PUBLIC_URL,
    idleMinutes: config.SESSION_IDLE_MINUTES,
    freshMinutes: config.FRESH_PROOF_MINUTES,
  });
  const changes = listenToChanges(config.DATABASE_URL);
  const connection = connectLazily(config);
  const client = createClient(connection, config);
  const stopping = new AbortController();
  let isDraining = false;
  const temporal = createDispatcher({
    client,
    starter: createWorkflowStarter(client, config.PAYLOAD_KEYS),
    stores,
    log,
  });
  const http = createSafeHttp({ ...outboundRules(config), log });
  const systems = openClinicSystems({ config, stores, http, log });
  const voice = createVoicePlatforms({ config, http });
  await voice.prepare();
  const runReports = createRunReports({ stores });
  const watch = createWatch({
    stores,
    changes,
    digest: (text) => keyedDigests(config.SECRET_KEYS, 'validation', [text])[0] ?? '',
    endOverdue: ({ clinicId, id, endsAt }) => runReports.end({ clinicId, runId: id, endedAt: endsAt }),
    log,
  });
  const app = createApp({
    watch,
    runReports,
    sendEvent: createSendEvent({ http }),
    config,
    stores,
    accounts,
    changes,
    systems,
    voice,
    mail: createMail(config, log),
    temporal,
    log,
    metrics: createMetrics({ pool: database.poolState, changeFeedLag: changes.lagSeconds }),
    stopping: stopping.signal,
    isDatabaseReachable: database.isReachable,
    isDraining: () => isDraining,
  });

  const server = createServer();
  // Routes wait less for the bodies that they read; this ends what no route reads.
  server.requestTimeout = config.BODY_TIMEOUT_MS + 5_000;
  server.headersTimeout = 5_000;
  // Longer than load balancers keep an idle connection (60 s): they never send into one that is closing.
  server.keepAliveTimeout = 75_000;
  const connections = connectionsOf(server);
  server.on('request', app);
  server.on('clientError', answerUnreadable);
  const closeClients = async () => {
    await Promise.all([temporal.drain(), watch.close()]);
    changes.close();
    await Promise.all([connection.close(), http.close(), database.close()]);
  };
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen({ port: config.PORT, host: config.HOST, backlog: BACKLOG }, resolve);
    });
  } catch (error) {
    await closeClients();
    const why = error instanceof Error ? error.message : String(error);
    throw new Error(`The API cannot listen on port ${config.PORT}: ${why}. Set PORT to another one.`, { cause: error });
  }
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : config.PORT;
  log.info({ port }, 'api started');

  return {
    port,
    async stop() {
      isDraining = true;
      connections.letGo();
      await delay(drainMsOf(config));
      stopping.abort();
      await new Promise((resolve) => {
        server.close(resolve);
        connections.endIdle();
      });
      await closeClients();
    },
  };
}

/** Connections of a burst wait here; one that finds no place tries again after a second, or three. */
const BACKLOG = 2_048;

const DRAIN_MS = 5_000;

/** Load balancers look every few seconds; on a developer's machine there is none. */
export const drainMsOf = ({ SHUTDOWN_DRAIN_MS, NODE_ENV }: ApiConfig): number =>
  SHUTDOWN_DRAIN_MS ?? (NODE_ENV === 'production' ? DRAIN_MS : 0);

/** Ends connections with their responses: a client that keeps one open neither delays a stop nor sends into a closed one. */
function connectionsOf(server: Server) {
  const unanswered = new Set<ServerResponse>();
  const open = new Set<Socket>();
  let isLettingGo = false;
  server.on('connection', (socket: Socket) => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
  });
  server.on('request', ({ socket }, response) => {
    if (isLettingGo) response.setHeader('connection', 'close');
    unanswered.add(response);
    response.once('close', () => {
      unanswered.delete(response);
      // A stream has said long ago that its connection stays open.
      if (isLettingGo) socket.end();
    });
  });
  return {
    /** From now on every response is the last of its connection. */
    letGo() {
      isLettingGo = true;
      for (const response of unanswered) if (!response.headersSent) response.setHeader('connection', 'close');
    },
    endIdle() {
      server.closeIdleConnections();
      // Browsers and clients open connections in advance; the server does not count those as idle.
      for (const socket of open) if (socket.bytesRead === 0) socket.destroy();
    },
  };
}

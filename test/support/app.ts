import { randomBytes, randomUUID } from 'node:crypto';
import { startApi } from '@clinic/api/start-api';
import { freePort } from '@clinic/local/ports';
import { auditUrlOf, serviceUrlOf } from '@clinic/local/postgres';
import type { Database } from '@clinic/prisma/client';
import { createClinic, type DevClinic, seedDemo } from '@clinic/accounts/seed';
import { createStores, type Stores } from '@clinic/prisma/stores';
import { defaultOutboundEvents } from '@clinic/shared/contracts/events/outbound-events';
import { readApiConfig, readWorkerConfig } from '@clinic/shared/config';
import { createLog } from '@clinic/shared/log';
import { startWorker } from '@clinic/worker/start-worker';
import { DefaultLogger, Runtime } from '@temporalio/worker';
import { checkAsDocumented } from './as-documented';
import { type ClinicClient, createClinicClient } from './clinic-client';
import { freshDatabase } from './database';
import { testServers } from './servers';
import { deleteSchedule, freshNamespace, temporalAddress } from './temporal';

export interface App extends ClinicClient {
  /** Ends in /api. */
  baseUrl: string;
  env: NodeJS.ProcessEnv;
  /** The one that the client stands for. */
  clinic: DevClinic;
  otherClinic: DevClinic;
  unlinkedAccount: { email: string; password: string };
  database: Database;
  stores: Stores;
  namespace: string;
  /** One more clinic, as the demo's: always open, nothing waits. */
  addClinic(
    about?: Pick<Parameters<typeof createClinic>[1], 'outboundUrl' | 'voiceProvider'> & { name?: string },
  ): Promise<DevClinic>;
  /** Registers where a clinic's events go. */
  sendEventsTo(url: string, clinic?: DevClinic): Promise<void>;
  /** The calls of one workflow, oldest first. */
  callsOf(workflowId: string): ReturnType<Database['prisma']['call']['findMany']>;
  stop(): Promise<void>;
}

/**
 * The whole service in this process, over a database and a namespace of its own, with the demo clinics: the API on a
 * free port and, unless told otherwise, a worker. `env` adds to its environment or replaces.
 */
export async function startApp({
  env: given = {},
  hasWorker = true,
}: { env?: NodeJS.ProcessEnv; hasWorker?: boolean } = {}): Promise<App> {
  const [database, namespace, port] = await Promise.all([freshDatabase(), freshNamespace(), freePort()]);
  const env = { ...serviceEnvironment({ port, databaseUrl: database.url, namespace }), ...given };
  const config = readApiConfig(env);
  const seeding = { database, secretKeys: config.SECRET_KEYS, authSecret: config.AUTH_SECRET };
  const { clinics, unlinkedAccount } = await seedDemo(seeding);
  const [clinic, otherClinic] = clinics;
  if (!clinic || !otherClinic) throw new Error('the demo has two clinics');

  const log = createLog({ process: 'test', level: config.LOG_LEVEL });
  const api = await startApi(config, log);
  silenceTemporal();
  const worker = hasWorker ? await startWorker(readWorkerConfig(env), log) : null;
  const baseUrl = `http://127.0.0.1:${api.port}/api`;
  const stores = createStores(database, config.SECRET_KEYS);
  return {
    ...createClinicClient({ baseUrl, voiceSecret: config.VOICE_WEBHOOK_SECRET, clinic, check: checkAsDocumented }),
    baseUrl,
    env,
    clinic,
    otherClinic,
    unlinkedAccount,
    database,
    namespace,
    stores,
    sendEventsTo: (url, { clinicId } = clinic) =>
      stores.clinics.setOutboundEndpoint(clinicId, { url, isEnabled: true, events: defaultOutboundEvents }),
    callsOf: (workflowId) => database.prisma.call.findMany({ where: { workflowId }, orderBy: { createdAt: 'asc' } }),
    addClinic: ({ name = `Clinic ${randomUUID()}`, ...about } = {}) =>
      createClinic(seeding, { name, timezone: 'America/Denver', demo: true, ...about }),
    async stop() {
      await Promise.all([api.stop(), worker?.stop()]);
      if (hasWorker) await deleteSchedule(namespace);
      await database.close();
    },
  };
}

/** A complete environment of API and worker for tests: no pauses, no limits, private targets allowed. */
export function serviceEnvironment({
  port,
  databaseUrl,
  namespace,
  temporal = temporalAddress(),
}: {
  port: number;
  databaseUrl: string;
  namespace: string;
  temporal?: string;
}): NodeJS.ProcessEnv {
  const secret = () => randomBytes(32).toString('base64');
  return {
    NODE_ENV: 'development',
    LOG_LEVEL: process.env.TEST_LOG_LEVEL ?? 'silent',
    HOST: '127.0.0.1',
    PORT: String(port),
    PUBLIC_URL: `http://127.0.0.1:${port}`,
    // As the role that owns nothing; tests themselves sign in as the owner.
    DATABASE_URL: serviceUrlOf(databaseUrl),
    AUDIT_DATABASE_URL: auditUrlOf(databaseUrl),
    DATABASE_POOL_SIZE: '8',
    TEMPORAL_ADDRESS: temporal,
    TEMPORAL_NAMESPACE: namespace,
    WORKFLOW_BUNDLE: testServers().workflowBundle,
    PAYLOAD_KEYS: `p1:${secret()}`,
    SECRET_KEYS: `s1:${secret()}`,
    VOICE_WEBHOOK_SECRET: secret(),
    AUTH_SECRET: secret(),
    LOCAL_STACK: '1',
    ALLOW_PRIVATE_TARGETS: '1',
    SIMULATOR_PAUSE_MS: '0',
    RATE_LIMIT_PER_SECOND: '100000',
    RATE_LIMIT_BURST: '100000',
    SIGN_INS_PER_MINUTE: '1000',
  };
}

/** The SDK's own chatter has no place in a test report. */
function silenceTemporal(): void {
  try {
    Runtime.install({ logger: new DefaultLogger('ERROR') });
  } catch {
    // Installed by an earlier app of this file.
  }
}

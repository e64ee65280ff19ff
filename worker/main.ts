import { setTimeout as delay } from 'node:timers/promises';
import { Client } from '@temporalio/client';
import { NativeConnection, Runtime, makeTelemetryFilterString } from '@temporalio/worker';
import { createActivities } from '@clinic/activities/index';
import { createSafeHttp } from '@clinic/activities/gateways/safe-http';
import { createSimulatorGateway } from '@clinic/activities/gateways/voice/simulator';
import { createWebhookSender } from '@clinic/activities/gateways/webhook-sender';
import { openDatabase } from '@clinic/prisma/client';
import { createStores } from '@clinic/prisma/stores';
import { readWorkerConfig, type WorkerConfig } from '@clinic/shared/config';
import { createLog, describeError, type Logger } from '@clinic/shared/log';
import { createDataConverter } from '@clinic/shared/payload-codec';
import { createWorkflowStarter } from '@clinic/workflows/starter';
import { createWorker } from './create-worker';
import { startReconciler } from './reconcile';
import { startRelay } from './relay';
import { ensureSearchAttributes } from './search-attributes';

/** Runs everything durable until SIGINT or SIGTERM, then lets running activities finish. */
async function main(config: WorkerConfig): Promise<void> {
  const log = createLog({ process: 'worker', level: config.LOG_LEVEL });
  Runtime.install({
    telemetryOptions: { logging: { forward: {}, filter: makeTelemetryFilterString({ core: 'WARN', other: 'WARN' }) } },
    logger: temporalLogger(log),
  });
  const database = openDatabase(config.DATABASE_URL, { poolSize: config.DATABASE_POOL_SIZE });
  const stores = createStores(database, config.SECRET_KEYS);
  const connection = await connectPatiently(config, log);
  const namespace = config.TEMPORAL_NAMESPACE;
  await ensureSearchAttributes(connection, namespace);
  const client = new Client({ connection, namespace, dataConverter: createDataConverter(config.PAYLOAD_KEYS) });
  const starter = createWorkflowStarter(client);
  const simulator = createSimulatorGateway(starter.simulatedCalls);
  const activities = createActivities({
    stores,
    voice: () => simulator,
    publicUrl: config.PUBLIC_URL,
    webhooks: createWebhookSender({ http: createSafeHttp({ allowPrivateTargets: config.ALLOW_PRIVATE_TARGETS }) }),
    wakeDeliveries: starter.wakeDeliveries,
    voiceSecret: config.VOICE_WEBHOOK_SECRET,
    pauseMs: config.SIMULATOR_PAUSE_MS,
  });
  const worker = await createWorker({ connection, namespace, activities, payloadKeys: config.PAYLOAD_KEYS });
  const relay = startRelay({ stores, starter, log });
  const reconciler = startReconciler({ stores, client, log });
  log.info({ address: config.TEMPORAL_ADDRESS, taskQueue: worker.options.taskQueue }, 'worker started');
  try {
    await worker.run();
  } finally {
    await relay.stop();
    await reconciler.stop();
    await connection.close();
    await database.close();
    log.info({}, 'worker stopped');
  }
}

/** Temporal may come up after us. */
async function connectPatiently(config: WorkerConfig, log: Logger): Promise<NativeConnection> {
  for (let waitMs = 500; ; waitMs = Math.min(waitMs * 2, 10_000)) {
    try {
      return await NativeConnection.connect({
        address: config.TEMPORAL_ADDRESS,
        tls: config.TEMPORAL_TLS || undefined,
        apiKey: config.TEMPORAL_API_KEY,
      });
    } catch (error) {
      log.warn({ ...describeError(error), address: config.TEMPORAL_ADDRESS }, 'Temporal cannot be reached yet');
      await delay(waitMs);
    }
  }
}

/** Temporal's own log lines quote errors, which may quote patients: only their ids pass the allow-list, and no message of an error. */
function temporalLogger(log: Logger) {
  const write = (level: 'debug' | 'info' | 'warn' | 'error') => (message: string, meta?: Record<string, unknown>) =>
    log[level]({ ...meta, ...(meta?.error ? describeError(meta.error) : {}) }, message);
  const [trace, debug] = [write('debug'), write('debug')];
  const [info, warn, error] = [write('info'), write('warn'), write('error')];
  return {
    trace,
    debug,
    info,
    warn,
    error,
    log: (level: string, message: string, meta?: Record<string, unknown>) =>
      (level === 'ERROR' ? error : level === 'WARN' ? warn : level === 'INFO' ? info : debug)(message, meta),
  };
}

main(readWorkerConfig(process.env)).catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
});

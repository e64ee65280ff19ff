import { NativeConnection } from '@temporalio/worker';
import { type Activities, createActivities } from '@clinic/activities/index';
import type { CallActivityDeps, SetupFault } from '@clinic/activities/calls';
import { createLeftCalls } from '@clinic/activities/left-calls';
import { createClinicHttp } from '@clinic/shared/outbound/clinic-http';
import { createClinicSystems, toAudit } from '@clinic/shared/outbound/clinic-systems';
import { clinicVoice, operatorVoice } from '@clinic/shared/outbound/vapi/clinic-voice';
import { createSafeHttp, type SafeHttp } from '@clinic/shared/outbound/safe-http';
import type { VoiceGateway } from '@clinic/activities/gateways/voice/port';
import { createSimulatorGateway } from '@clinic/activities/gateways/voice/simulator';
import { createUnsetGateway } from '@clinic/activities/gateways/voice/unset';
import { createMail } from '@clinic/shared/outbound/mail';
import { createWebhookSender } from '@clinic/activities/gateways/webhook-sender';
import { openDatabase } from '@clinic/prisma/client';
import { warnOfMightyRole } from '@clinic/prisma/service-role';
import { createStores, type Stores } from '@clinic/prisma/stores';
import { outboundRules, type WorkerConfig } from '@clinic/shared/config';
import type { Logger } from '@clinic/shared/log';
import { mayReadMetrics } from '@clinic/shared/metrics-token';
import { connectionOptions, connectLazily, createClient, isReachable } from '@clinic/temporal/client';
import { createWorkflowStarter } from '@clinic/temporal/starter';
import { TASK_QUEUE } from '@clinic/workflows/ids';
import { startBulkJobs } from './bulk-jobs';
import { createWorker, type ServiceWorker } from './create-worker';
import type { OnPass } from './duty';
import { startEraser } from './erase';
import { startHealth } from './health';
import { createWorkerMetrics, readMetrics, type WorkerMetrics } from './metrics';
import { createSchedules, ensureSchedules } from '@clinic/temporal/schedules';
import { patiently } from './patiently';
import { startReconciler } from './reconcile';
import { startRelay } from './relay';
import { startTaskMails } from './task-mails';
import { ensureSearchAttributes } from '@clinic/temporal/search-attributes';

export interface RunningWorker {
  /** Lets running activities finish, then closes everything. */
  stop(): Promise<void>;
  /** Settles once the worker has ended and everything is closed; rejects when it broke. */
  ended: Promise<void>;
}

/**
 * Everything the worker process does, from its configuration: the process and the tests start the same. `sdkMetrics` reads
 * what Temporal's SDK counts in this process, as Prometheus text.
 */
export async function startWorker(
  config: WorkerConfig,
  log: Logger,
  { sdkMetrics }: { sdkMetrics?: () => Promise<string> } = {},
): Promise<RunningWorker> {
  const database = openDatabase(config.DATABASE_URL, { poolSize: config.DATABASE_POOL_SIZE });
  if (config.NODE_ENV === 'production') warnOfMightyRole(database, log).catch(() => undefined);
  const stores = createStores(database, config.SECRET_KEYS);
  const clientConnection = connectLazily(config);
  const client = createClient(clientConnection, config);
  const metrics = createWorkerMetrics({ pool: database.poolState, backlog: stores.backlog.read });
  let running: ServiceWorker | null = null;
  const health = await startHealth({
    port: config.WORKER_PORT,
    hasStarted: () => running !== null,
    isWorking: () => running?.isRunning() ?? false,
    isDatabaseReachable: database.isReachable,
    isTemporalReachable: () => isReachable(client),
    metrics: {
      read: () => readMetrics(metrics.registry, sdkMetrics),
      contentType: metrics.registry.contentType,
      isPermitted: (authorization) => mayReadMetrics(authorization, config),
    },
  });
  const reached = <T>(step: () => Promise<T>) => patiently('Temporal cannot be reached yet', step, { log });
  const namespace = config.TEMPORAL_NAMESPACE;
  const starter = createWorkflowStarter(client, config.PAYLOAD_KEYS);
  const http = createSafeHttp(outboundRules(config));
  const systems = createClinicSystems({
    http: createClinicHttp({ http, audit: (call) => stores.audit.write(toAudit(call)), log }),
    settings: stores.settings,
    clientKeys: stores.clientKeys,
    publicUrl: config.PUBLIC_URL,
    hubspotUrl: config.HUBSPOT_BASE_URL,
  });
  const calls = {
    stores,
    voice: await voiceGateways(config, {
      http,
      stores,
      simulator: createSimulatorGateway(starter.simulatedCalls),
    }),
    publicUrl: config.PUBLIC_URL,
    onSetupFault({ clinicId, workflowId, callId, reason, said }: SetupFault) {
      metrics.setupFaults.inc({ reason });
      const fault = { clinicId, workflowId, callId, code: reason, sentence: said };
      log.error(fault, 'the voice platform refuses calls as it is set up');
    },
  };
  const activities = createActivities({
    ...calls,
    systems,
    webhooks: createWebhookSender({ http }),
    wakeDeliveries: starter.wakeDeliveries,
    voiceSecret: config.VOICE_WEBHOOK_SECRET,
    pauseMs: config.SIMULATOR_PAUSE_MS,
    retentionDays: config.RETENTION_DAYS,
  });
  const { connection, worker } = await reached(() => connectWorker(config, activities));
  await reached(() => ensureSchedules(client));
  const onPass: OnPass = ({ seconds, ...pass }) => metrics.passes.observe(pass, seconds);
  const relay = startRelay({ stores, starter, log, onPass });
  const eraser = startEraser({ stores, client, starter, log, onPass });
  const bulkJobs = startBulkJobs({ stores, client, starter, log, onPass });
  const taskMails = config.SMTP_URL
    ? startTaskMails({ stores, mail: createMail(config, log), publicUrl: config.PUBLIC_URL, log, onPass })
    : null;
  const leftCalls = createLeftCalls(calls);
  const reconciler = startReconciler({
    stores,
    leftCalls,
    client,
    async prepareTemporal() {
      await ensureSearchAttributes(clientConnection, namespace);
      await createSchedules(client);
    },
    wakeDeliveries: starter.wakeDeliveries,
    log,
    onPass,
  });
  const lacks = () => sayWhatVoiceLacks({ stores, missing: missingVoiceSettings(config), metrics, log });
  await patiently('PostgreSQL cannot be reached yet', lacks, { log });
  log.info({ address: config.TEMPORAL_ADDRESS, taskQueue: TASK_QUEUE }, 'worker started');

  const stopDuties = () =>
    Promise.all([relay.stop(), reconciler.stop(), eraser.stop(), bulkJobs.stop(), taskMails?.stop()]);

  running = worker;
  const run = async () => {
    try {
      await worker.run();
    } finally {
      await stopDuties();
      await Promise.all([health.close(), clientConnection.close()]);
      await connection.close();
      await database.close();
      log.info({}, 'worker stopped');
    }
  };
  const ended = run();
  return {
    ended,
    async stop() {
      worker.shutdown();
      // At once, so that another process has them while this one finishes its activities.
      await stopDuties();
      await ended;
    },
  };
}

/** A worker over a connection of its own: after a failure both are made anew. */
async function connectWorker(config: WorkerConfig, activities: Activities) {
  const connection = await NativeConnection.connect(connectionOptions(config));
  const namespace = config.TEMPORAL_NAMESPACE;
  try {
    await ensureSearchAttributes(connection, namespace);
    const worker = await createWorker({
      connection,
      namespace,
      activities,
      payloadKeys: config.PAYLOAD_KEYS,
      workflowBundle: config.WORKFLOW_BUNDLE,
      buildId: config.WORKER_BUILD_ID,
    });
    return { connection, worker };
  } catch (error) {
    await connection.close().catch(() => undefined);
    throw error;
  }
}

/** The gateway of a clinic's calls. Vapi's SDK is large (a second to load): it comes at the start only where the operator has an account. */
async function voiceGateways(
  config: WorkerConfig,
  { http, stores, simulator }: { http: SafeHttp; stores: Stores; simulator: VoiceGateway },
): Promise<CallActivityDeps['voice']> {
  const operator = operatorVoice(config);
  const load = () => import('@clinic/activities/gateways/voice/vapi');
  if (operator.apiKey) await load();
  return async (provider, clinicId) => {
    if (provider === 'simulator') return simulator;
    const kept = await stores.settings.voice(clinicId);
    const secret = kept?.apiKey ? await stores.keys.voiceSecret(clinicId) : null;
    const voice = clinicVoice(kept, operator, secret);
    if (voice.apiKey === null) return createUnsetGateway(voice);
    const { createVapiGateway } = await load();
    return createVapiGateway({ http, baseUrl: config.VAPI_BASE_URL, apiKey: voice.apiKey, voice });
  };
}

function missingVoiceSettings(config: WorkerConfig): string[] {
  return (['VAPI_API_KEY', 'VAPI_ASSISTANT_ID', 'VAPI_PHONE_NUMBER_ID'] as const).filter((name) => !config[name]);
}

/** A worker that cannot place the calls of some clinics says so when it starts, and not with the first patient. */
async function sayWhatVoiceLacks({
  stores,
  missing,
  metrics,
  log,
}: {
  stores: Stores;
  missing: string[];
  metrics: WorkerMetrics;
  log: Logger;
}): Promise<void> {
  const count = missing.length === 0 ? 0 : await stores.clinics.countWithoutAccount();
  metrics.clinicsWithoutVoice.set(count);
  if (count === 0) return;
  const settings = missing.join(', ');
  log.error(
    { count, settings },
    `clinics call through Vapi, which needs ${settings}: their calls will be left to staff`,
  );
}

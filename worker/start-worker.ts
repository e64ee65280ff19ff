import { NativeConnection } from '@temporalio/worker';
import { type Activities, createActivities } from '@clinic/activities/index';
import type { SetupFault } from '@clinic/activities/calls';
import { createLeftCalls } from '@clinic/activities/left-calls';
import { createTaskMails } from '@clinic/activities/task-mails';
import { headKeeper } from '@clinic/gateways/audit-heads';
import { openClinicSystems } from '@clinic/gateways/clinic-systems';
import { callsAt } from '@clinic/gateways/voice/calls-at';
import { unsetVariables } from '@clinic/gateways/voice/clinic-voice';
import { createVoicePlatforms, type VoicePlatforms } from '@clinic/gateways/voice/registry';
import { createSafeHttp } from '@clinic/gateways/http/safe-http';
import { createMail } from '@clinic/gateways/mail/mail';
import { createWebhookSender } from '@clinic/gateways/receivers/webhook-sender';
import { openDatabase } from '@clinic/prisma/client';
import { refusePrivilegedRole } from '@clinic/prisma/service-role';
import { createStores, type Stores } from '@clinic/prisma/stores';
import { createAuditChainStores } from '@clinic/prisma/stores/operations/audit-chain';
import { outboundRules, type WorkerConfig } from '@clinic/shared/config';
import type { Logger } from '@clinic/shared/log';
import { mayReadMetrics } from '@clinic/shared/metrics-token';
import { createAsk } from '@clinic/temporal/ask';

import { connectionOptions, connectLazily, createClient, isReachable } from '@clinic/temporal/client';
import { deleteHistories, workflowIdsOf } from '@clinic/temporal/histories';
import { createWorkflowStarter } from '@clinic/temporal/starter';
import { TASK_QUEUE } from '@clinic/workflows/ids';
import { createCancelRun } from './cancel-run';
import { createWorker, type ServiceWorker } from './create-worker';
import type { OnPass } from './duty';
import { startFulfilment } from './fulfil-appointments';
import { startHealth } from './health';
import { startTaskMails } from './mail-tasks';
import { createWorkerMetrics, readMetrics, type WorkerMetrics } from './metrics';
import { createSchedules, ensureSchedules } from '@clinic/temporal/schedules';
import { patiently } from './patiently';
import { startReconciler } from './reconcile';
import { startRelay } from './relay';
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
  if (config.NODE_ENV === 'production') await refusePrivilegedRole(database, log);
  const stores = createStores(database, config.SECRET_KEYS);
  const sealing =
    config.AUDIT_DATABASE_URL === undefined ? null : openDatabase(config.AUDIT_DATABASE_URL, { poolSize: 1 });
  const auditChain = sealing ? createAuditChainStores(sealing, config.SECRET_KEYS) : stores.auditChain;
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
  const systems = openClinicSystems({ config, stores, http, log });
  const platforms = createVoicePlatforms({ config, http, simulatedCalls: starter.simulatedCalls });
  await platforms.prepare();
  const calls = {
    stores,
    voice: callsAt(platforms, stores),
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
    wakeSender: starter.wakeDeliveries,
    cancelRun: createCancelRun({ client, stores, starter, ask: createAsk({ client, log }) }),
    deleteHistoriesOf: (erased) => deleteHistories(client, workflowIdsOf(erased)),
    log,
    voiceSecret: config.VOICE_WEBHOOK_SECRET,
    pauseMs: config.SIMULATOR_PAUSE_MS,
    retentionDays: config.RETENTION_DAYS,
  });
  // First, so that a run of an older worker's schedule is gone before this one would be given it.
  await reached(() => ensureSchedules(client));
  const { connection, worker } = await reached(() => connectWorker(config, activities));
  const onPass: OnPass = ({ seconds, ...pass }) => metrics.passes.observe(pass, seconds);
  const relay = startRelay({ stores, auditChain, keepHeads: headKeeper(config), starter, log, onPass });
  const leftCalls = createLeftCalls(calls);
  const reconciler = startReconciler({
    stores,
    leftCalls,
    client,
    async prepareTemporal() {
      await ensureSearchAttributes(clientConnection, namespace);
      await createSchedules(client);
    },
    wakeDeliveries: activities.wakeDeliveries,
    log,
    onPass,
    onAlarm: (kind) => metrics.alarms.inc({ kind }),
  });
  const fulfilment = startFulfilment({ stores, log, onPass });
  const mails = createTaskMails({ stores, mail: createMail(config, log), publicUrl: config.PUBLIC_URL });
  const taskMails = startTaskMails({ mails, duties: stores.duties, log, onPass });
  const lacks = () => sayWhatVoiceLacks({ stores, platforms, metrics, log });
  await patiently('PostgreSQL cannot be reached yet', lacks, { log });
  log.info({ address: config.TEMPORAL_ADDRESS, taskQueue: TASK_QUEUE }, 'worker started');

  const stopDuties = () => Promise.all([relay, reconciler, fulfilment, taskMails].map((duty) => duty.stop()));

  running = worker;
  const run = async () => {
    try {
      await worker.run();
    } finally {
      await stopDuties();
      // A mail that was sent and not noted would be sent again.
      await taskMails.ended;
      await Promise.all([health.close(), clientConnection.close()]);
      await connection.close();
      await Promise.all([database.close(), sealing?.close()]);
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

/** A worker over a connection of its own: after a failure both are made again. */
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

/** A worker that cannot place the calls of some clinics says so when it starts, and not with the first patient. */
async function sayWhatVoiceLacks({
  stores,
  platforms,
  metrics,
  log,
}: {
  stores: Stores;
  platforms: VoicePlatforms;
  metrics: WorkerMetrics;
  log: Logger;
}): Promise<void> {
  let total = 0;
  for (const { name, account } of platforms.accounts) {
    const missing = unsetVariables(account.operator);
    const count = missing.length === 0 ? 0 : await stores.clinics.countWithoutAccount(name);
    if (count === 0) continue;
    total += count;
    const settings = missing.join(', ');
    log.error(
      { count, settings },
      `clinics call through ${name}, which needs ${settings}: their calls will be left to staff`,
    );
  }
  metrics.clinicsWithoutVoice.set(total);
}

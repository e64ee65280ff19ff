import { Runtime, makeTelemetryFilterString } from '@temporalio/worker';
import { readWorkerConfig } from '@clinic/shared/config';
import { createLog, describeError, type Logger } from '@clinic/shared/log';
import { sdkMetrics } from './sdk-metrics';
import { startWorker } from './start-worker';

/** Above the time that running activities get, below the container's stop period. */
const GRACE_MS = 40_000;

/** What the SDK warns of at each start of a queue for deliveries or long work, which have no workflows. */
const ACTIVITIES_ONLY = 'No workflows registered, not polling for workflow tasks';

/** Runs everything durable until SIGINT or SIGTERM, then lets running activities finish. Before it has begun it just ends. */
async function main(): Promise<void> {
  const config = readWorkerConfig(process.env);
  const log = createLog({ process: 'worker', level: config.LOG_LEVEL });
  const sdk = config.WORKER_PORT === undefined ? null : await sdkMetrics();
  Runtime.install({
    telemetryOptions: {
      logging: { forward: {}, filter: makeTelemetryFilterString({ core: 'WARN', other: 'WARN' }) },
      ...(sdk && { metrics: sdk.options }),
    },
    logger: temporalLogger(log),
    // Its own handlers know nothing of a worker that is still being made.
    shutdownSignals: [],
  });
  let stop = (): void => process.exit(0);
  const onSignal = (signal: string) => {
    log.info({ signal }, 'worker stopping');
    stop();
  };
  process.once('SIGINT', onSignal);
  process.once('SIGTERM', onSignal);
  const worker = await startWorker(config, log, sdk ? { sdkMetrics: sdk.read } : {});
  stop = () => {
    setTimeout(() => process.exit(1), GRACE_MS).unref();
    void worker.stop();
  };
  await worker.ended;
}

/** Temporal's own log lines quote errors, which may quote patients: only their ids pass the allow-list, and no message of an error. */
function temporalLogger(log: Logger) {
  const write = (level: 'debug' | 'info' | 'warn' | 'error') => (message: string, meta?: Record<string, unknown>) =>
    log[level]({ ...meta, ...(meta?.error ? describeError(meta.error) : {}) }, message);
  const [trace, debug] = [write('debug'), write('debug')];
  const [info, warn, error] = [write('info'), write('warn'), write('error')];
  const byLevel: Record<string, ReturnType<typeof write>> = { ERROR: error, WARN: warn, INFO: info };
  return {
    trace,
    debug,
    info,
    warn,
    error,
    log: (level: string, message: string, meta?: Record<string, unknown>) =>
      (message === ACTIVITIES_ONLY ? debug : (byLevel[level] ?? debug))(message, meta),
  };
}

main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  // Not its code alone: what was opened before would keep a process alive that does nothing.
  process.exit(1);
});

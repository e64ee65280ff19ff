import { readApiConfig } from '@clinic/shared/config';
import { createLog } from '@clinic/shared/log';
import { drainMsOf, startApi } from './start-api';

/** What is under way after the drain time gets so long. */
const GRACE_MS = 20_000;

/** Serves until SIGINT or SIGTERM; then drains, finishes what runs, and closes. */
async function main(): Promise<void> {
  const config = readApiConfig(process.env);
  const log = createLog({ process: 'api', level: config.LOG_LEVEL });
  const api = await startApi(config, log);

  let isStopping = false;
  const stop = async (signal: string) => {
    if (isStopping) return;
    isStopping = true;
    log.info({ signal }, 'api stopping');
    const forced = setTimeout(() => process.exit(1), drainMsOf(config) + GRACE_MS);
    await api.stop();
    clearTimeout(forced);
    log.info({}, 'api stopped');
  };
  process.on('SIGINT', () => void stop('SIGINT'));
  process.on('SIGTERM', () => void stop('SIGTERM'));
}

main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
});

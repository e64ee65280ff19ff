import { setTimeout as delay } from 'node:timers/promises';
import { NativeConnection } from '@temporalio/worker';
import type { WorkerConfig } from '@clinic/shared/config';
import { describeError, type Logger } from '@clinic/shared/log';
import { connectionOptions } from './client';

const FIRST_WAIT_MS = 500;
const MAX_WAIT_MS = 10_000;

/** The connection of a worker, which waits for a Temporal that starts later than we do. */
export async function connectPatiently(config: WorkerConfig, log: Logger): Promise<NativeConnection> {
  for (let waitMs = FIRST_WAIT_MS; ; waitMs = Math.min(waitMs * 2, MAX_WAIT_MS)) {
    try {
      return await NativeConnection.connect(connectionOptions(config));
    } catch (error) {
      log.warn({ ...describeError(error), address: config.TEMPORAL_ADDRESS }, 'Temporal cannot be reached yet');
      await delay(waitMs);
    }
  }
}

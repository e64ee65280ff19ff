import { Context, heartbeat } from '@temporalio/activity';

const INTERVAL_MS = 2_000;

/** Keeps telling Temporal that the work goes on, so that a dead worker's activity is taken over within seconds. */
export async function withHeartbeat<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const timer = setInterval(() => heartbeat(), INTERVAL_MS);
  try {
    return await work(Context.current().cancellationSignal);
  } finally {
    clearInterval(timer);
  }
}

import { getHeapStatistics } from 'node:v8';

const MB = 1_048_576;
/** Of a worker that has no workflows: its own code, and the workflows' in a thread of its own. */
const BASE_MB = 200;
/** Of a case between its calls; one in a call takes more. */
const EACH_MB = 1;
/** More than calls go on at once at a small clinic: a workflow that was put out of memory is replayed for each message. */
const MIN_CACHED = 100;
/** Beyond this more memory saves few replays: what waits for its next call is not asked for. */
const MAX_CACHED = 2_000;

/**
 * How many workflows a worker keeps in memory. Node sets the limit of its heap by the container's memory: some half of it, up to
 * 4 GB; `NODE_OPTIONS=--max-old-space-size` sets another.
 */
export function cachedWorkflows(heapLimitBytes: number = getHeapStatistics().heap_size_limit): number {
  const fitting = Math.floor((heapLimitBytes / MB - BASE_MB) / EACH_MB);
  return Math.min(MAX_CACHED, Math.max(MIN_CACHED, fitting));
}

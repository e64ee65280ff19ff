import { type PoolState, watchPool, watchProcess } from '@clinic/shared/process-metrics';
import { Counter, Gauge, Histogram, Registry } from 'prom-client';

/** What is looked at when somebody reads the metrics. */
interface Watched {
  pool?: () => PoolState;
  /** Seconds; null while the feed is not connected. */
  changeFeedLag?: () => number | null;
}

export type Metrics = ReturnType<typeof createMetrics>;

/** What `/metrics` shows. Labels are routes, statuses, tools and event names: never an id of a person. */
export function createMetrics({ pool, changeFeedLag }: Watched = {}) {
  const registry = new Registry();
  watchProcess(registry);
  const registers = [registry];
  if (pool) watchPool(registers, pool);
  if (changeFeedLag) watchChangeFeed(registers, changeFeedLag);
  return {
    registry,
    requests: new Histogram({
      name: 'http_request_duration_seconds',
      help: 'Time from the first byte of a request to the end of its answer',
      labelNames: ['route', 'status'],
      buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
      registers,
    }),
    tools: new Histogram({
      name: 'tool_call_duration_seconds',
      help: 'Time from a tool call to the answer the agent can speak',
      labelNames: ['tool', 'result'],
      buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.15, 0.25, 0.5, 1, 2, 4, 8],
      registers,
    }),
    voiceEvents: new Counter({
      name: 'voice_events_total',
      help: 'Messages of the voice platform by type and what became of them',
      labelNames: ['type', 'result'],
      registers,
    }),
    inbound: new Counter({
      name: 'inbound_events_total',
      help: 'Accepted inbound events',
      labelNames: ['event', 'duplicate'],
      registers,
    }),
  };
}

function watchChangeFeed(registers: Registry[], lag: () => number | null): void {
  const gauge = new Gauge({
    name: 'change_feed_lag_seconds',
    help: 'How long a change takes to be heard of at most; none while there is no connection to the database',
    registers: [],
    collect() {
      const seconds = lag();
      if (seconds === null) this.remove();
      else this.set(seconds);
    },
  });
  for (const registry of registers) registry.registerMetric(gauge);
}

import { collectDefaultMetrics, Counter, Histogram, Registry } from 'prom-client';

export type Metrics = ReturnType<typeof createMetrics>;

/** What `/metrics` shows. Labels are routes, statuses, tools and event names: never an id of a person. */
export function createMetrics() {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const registers = [registry];
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

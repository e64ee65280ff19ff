import { collectDefaultMetrics, Gauge, type Registry } from 'prom-client';

/** The library's ten milliseconds take half a percent of a core from a process that does nothing. */
const EVENT_LOOP_EVERY_MS = 50;

/** The connections of a process: open ones, those that nobody uses, and requests that wait for one. */
export interface PoolState {
  total: number;
  idle: number;
  waiting: number;
}

/** Memory, processor time, garbage collection, and how late the event loop is. */
export function watchProcess(register: Registry): void {
  collectDefaultMetrics({ register, eventLoopMonitoringPrecision: EVENT_LOOP_EVERY_MS });
}

/** Shows a process's connections to PostgreSQL at each scrape. */
export function watchPool(registers: Registry[], state: () => PoolState): void {
  const connections = new Gauge({
    name: 'database_pool_connections',
    help: 'Connections to PostgreSQL of this process; state is used or idle',
    labelNames: ['state'],
    registers: [],
    collect() {
      const { total, idle } = state();
      this.set({ state: 'used' }, total - idle);
      this.set({ state: 'idle' }, idle);
    },
  });
  const waiting = new Gauge({
    name: 'database_pool_waiting',
    help: 'Requests of this process that wait for a connection',
    registers: [],
    collect() {
      this.set(state().waiting);
    },
  });
  for (const registry of registers) {
    registry.registerMetric(connections);
    registry.registerMetric(waiting);
  }
}

import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { Backlog } from '@clinic/prisma/stores/operations/backlog';
import { alarmKinds } from '@clinic/shared/domain/tasks/alarms';
import { type PoolState, watchPool, watchProcess } from '@clinic/shared/process-metrics';

export type WorkerMetrics = ReturnType<typeof createWorkerMetrics>;

/** Ours, and beside them the SDK's; what its exporter does not give in time is left out. */
export async function readMetrics(registry: Registry, sdkMetrics?: () => Promise<string>): Promise<string> {
  const [ours, theirs] = await Promise.all([registry.metrics(), sdkMetrics?.().catch(() => '') ?? '']);
  return `${ours}\n${theirs}`;
}

interface Watched {
  pool: () => PoolState;
  backlog: () => Promise<Backlog>;
}

/** Scrapes that come faster than this are shown the same figures. */
const REMEMBERED_MS = 5_000;

/**
 * What the worker's `/metrics` shows; docs/operate.md lists it. Labels are the platform's codes and names of our own: never an id,
 * never a sentence. What waits is read from the records, for all clinics together.
 */
export function createWorkerMetrics({ pool, backlog }: Watched) {
  const registry = new Registry();
  const registers = [registry];
  watchProcess(registry);
  watchPool(registers, pool);
  watchBacklog(registers, backlog);
  return {
    registry,
    setupFaults: new Counter({
      name: 'voice_setup_faults_total',
      help: 'Calls that the voice platform refuses as it is set up: only a change of settings mends it',
      labelNames: ['reason'],
      registers,
    }),
    alarms: countedAlarms(registers),
    clinicsWithoutVoice: new Gauge({
      name: 'clinics_without_voice_settings',
      help: 'Clinics whose calls go through a voice platform that this worker has no settings for, when it started',
      registers,
    }),
    passes: new Histogram({
      name: 'duty_pass_duration_seconds',
      help: 'Passes of each duty that this process has; result is done or failed',
      labelNames: ['duty', 'result'],
      buckets: [0.01, 0.05, 0.25, 1, 5, 15, 60],
      registers,
    }),
  };
}

/** Each kind from the beginning, so that the first alarm of a process is a rise. */
function countedAlarms(registers: Registry[]): Counter<'kind'> {
  const counter = new Counter({
    name: 'alarms_total',
    help: 'Alarms that clinics got, by kind: bulk_reads, emergency_access, records_exported, refused_sign_ins',
    labelNames: ['kind'],
    registers,
  });
  for (const kind of alarmKinds) counter.inc({ kind }, 0);
  return counter;
}

const backlogGauges: { name: string; help: string; of: keyof Backlog }[] = [
  {
    name: 'workflow_runs_undispatched_oldest_seconds',
    help: 'Age of the oldest run that Temporal has not taken',
    of: 'undispatchedRunSeconds',
  },
  {
    name: 'workflow_messages_unsent_oldest_seconds',
    help: 'Age of the oldest message that its workflow has not taken',
    of: 'unsentMessageSeconds',
  },
  {
    name: 'calls_due_oldest_seconds',
    help: 'How long the call that is due longest has waited for a line',
    of: 'dueCallSeconds',
  },
  { name: 'lines_waiting', help: 'Runs that wait for a line', of: 'linesWaiting' },
  { name: 'lines_used', help: 'Lines in a call, or given to a run that is about to call', of: 'linesUsed' },
  { name: 'deliveries_due', help: 'Deliveries whose next attempt is due', of: 'deliveriesDue' },
  {
    name: 'deliveries_due_oldest_seconds',
    help: 'How long the delivery that is due longest has been so',
    of: 'dueDeliverySeconds',
  },
  {
    name: 'deliveries_dead',
    help: 'Deliveries that were given up, or missed by a URL that is off',
    of: 'deadDeliveries',
  },
  { name: 'staff_tasks_open_oldest_seconds', help: 'Age of the oldest open task', of: 'openTaskSeconds' },
];

/** Figures that cannot be read are left out of a scrape, which shows everything else. */
function watchBacklog(registers: Registry[], read: () => Promise<Backlog>): void {
  let known: Promise<Backlog | null> = Promise.resolve(null);
  let readAt = -Infinity;
  const backlog = () => {
    if (performance.now() - readAt < REMEMBERED_MS) return known;
    readAt = performance.now();
    known = read().catch(() => null);
    return known;
  };
  for (const { name, help, of } of backlogGauges) {
    const gauge = new Gauge({
      name,
      help,
      registers: [],
      async collect() {
        const figures = await backlog();
        if (figures) this.set(figures[of]);
        else this.remove();
      },
    });
    for (const registry of registers) registry.registerMetric(gauge);
  }
}

import { createServer } from 'node:http';
import type { Backlog } from '@clinic/prisma/stores/operations/backlog';
import { alarmKinds } from '@clinic/shared/domain/tasks/alarms';
import { createWorkerMetrics, readMetrics } from '@clinic/worker/metrics';
import { sdkMetrics } from '@clinic/worker/sdk-metrics';

/** Each gauge of what waits, by the figure that it shows: another one each. */
const gauges: Record<keyof Backlog, [name: string, figure: number]> = {
  undispatchedRunSeconds: ['workflow_runs_undispatched_oldest_seconds', 11],
  unsentMessageSeconds: ['workflow_messages_unsent_oldest_seconds', 12],
  dueCallSeconds: ['calls_due_oldest_seconds', 13],
  linesWaiting: ['lines_waiting', 14],
  linesUsed: ['lines_used', 15],
  deliveriesDue: ['deliveries_due', 16],
  dueDeliverySeconds: ['deliveries_due_oldest_seconds', 17],
  deadDeliveries: ['deliveries_dead', 18],
  openTaskSeconds: ['staff_tasks_open_oldest_seconds', 19],
};
const backlog = Object.fromEntries(
  Object.entries(gauges).map(([of, [, figure]]) => [of, figure]),
) as unknown as Backlog;
const shownBacklog = Object.values(gauges).map(([name, figure]) => `${name} ${figure}`);

const metricsOver = (read: () => Promise<Backlog>) =>
  createWorkerMetrics({ pool: () => ({ total: 9, idle: 2, waiting: 3 }), backlog: read });
/** The lines of a scrape that are figures. */
const figuresIn = (text: string) => text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
const isOfBacklog = (line: string) => Object.values(gauges).some(([name]) => line.startsWith(`${name} `));

afterEach(() => jest.restoreAllMocks());

test('a scrape shows each figure of what waits under its name, the connections, and every kind of alarm from the beginning', async () => {
  const metrics = metricsOver(async () => backlog);
  metrics.setupFaults.inc({ reason: 'no-credit' });
  metrics.clinicsWithoutVoice.set(4);
  metrics.passes.observe({ duty: 'relay', result: 'failed' }, 0.2);
  metrics.alarms.inc({ kind: 'bulk_reads' });

  const figures = figuresIn(await readMetrics(metrics.registry));

  expect(figures.filter(isOfBacklog)).toEqual(shownBacklog);
  expect(figures).toEqual(
    expect.arrayContaining([
      'database_pool_connections{state="used"} 7',
      'database_pool_connections{state="idle"} 2',
      'database_pool_waiting 3',
      'voice_setup_faults_total{reason="no-credit"} 1',
      'clinics_without_voice_settings 4',
      'duty_pass_duration_seconds_bucket{le="0.05",duty="relay",result="failed"} 0',
      'duty_pass_duration_seconds_bucket{le="0.25",duty="relay",result="failed"} 1',
    ]),
  );
  const limits = figures.flatMap((line) => /^duty_pass_duration_seconds_bucket\{le="([^"]+)"/.exec(line)?.[1] ?? []);
  expect(limits).toEqual(['0.01', '0.05', '0.25', '1', '5', '15', '60', '+Inf']);
  expect(figures.filter((line) => line.startsWith('alarms_total'))).toEqual(
    alarmKinds.map((kind) => `alarms_total{kind="${kind}"} ${kind === 'bulk_reads' ? 1 : 0}`),
  );
});

test('what waits is read once in five seconds, and left out while it cannot be read', async () => {
  let now = 1_000;
  jest.spyOn(performance, 'now').mockImplementation(() => now);
  let reads = 0;
  let isDown = false;
  const metrics = metricsOver(async () => {
    reads += 1;
    if (isDown) throw new Error('the database is down');
    return { ...backlog, linesUsed: reads };
  });
  const scrape = async () => {
    const figures = figuresIn(await readMetrics(metrics.registry));
    expect(figures).toContain('database_pool_waiting 3');
    const shown = figures.filter(isOfBacklog);
    expect([0, shownBacklog.length]).toContain(shown.length);
    return shown.filter((line) => line.startsWith('lines_used'));
  };

  const first = await scrape();
  now += 4_999;
  const remembered = await scrape();
  now += 1;
  const second = await scrape();
  isDown = true;
  now += 5_000;
  const down = await scrape();
  isDown = false;
  now += 4_999;
  const stillDown = await scrape();
  now += 1;
  const up = await scrape();

  expect([first, remembered, second, down, stillDown, up]).toEqual([
    ['lines_used 1'],
    ['lines_used 1'],
    ['lines_used 2'],
    [],
    [],
    ['lines_used 4'],
  ]);
});

test.each<[string, (() => Promise<string>) | undefined, string[]]>([
  ['beside ours', async () => 'temporal_requests 5\n', ['temporal_requests 5']],
  ['left out where they cannot be had', () => Promise.reject(new Error('no exporter')), []],
  ['left out where there are none', undefined, []],
])('the figures of Temporal’s SDK are shown %s', async (_how, readSdk, expected) => {
  const figures = figuresIn(await readMetrics(metricsOver(async () => backlog).registry, readSdk));

  expect(figures.filter((line) => line.startsWith('temporal_'))).toEqual(expected);
  expect(figures).toContain('lines_used 15');
});

test('the SDK shows its figures at a port of this machine that nobody else has, and they are read there', async () => {
  const [{ options, read }, other] = await Promise.all([sdkMetrics(), sdkMetrics()]);
  const { prometheus } = options as { prometheus: { bindAddress: string } };
  const [host, port] = prometheus.bindAddress.split(':');
  const asked: (string | undefined)[] = [];
  const exporter = createServer(({ url }, response) => {
    asked.push(url);
    response.end('temporal_requests_total 5\n');
  });
  await new Promise<void>((resolve) => void exporter.listen(Number(port), host, resolve));

  const figures = await read();

  await new Promise((resolve) => exporter.close(resolve));
  expect(host).toBe('127.0.0.1');
  expect(options).toEqual({
    prometheus: {
      bindAddress: prometheus.bindAddress,
      countersTotalSuffix: true,
      unitSuffix: true,
      useSecondsForDurations: true,
    },
  });
  expect([figures, asked]).toEqual(['temporal_requests_total 5\n', ['/metrics']]);
  await expect(other.read()).rejects.toThrow('fetch failed');
});

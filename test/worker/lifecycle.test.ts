/** @realPasswords */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { freePort } from '@clinic/local/ports';
import { demoPolicy } from '@clinic/prisma/fixtures';
import { aPhone } from '../support/builders';
import { eventually } from '../support/eventually';
import { type Service, startService } from '../support/service';

let port: number;
let service: Service;
beforeAll(async () => {
  port = await freePort();
  service = await startService({ env: { WORKER_PORT: String(port), SIMULATOR_PAUSE_MS: '400' } });
}, 240_000);
afterAll(() => service.stop());

test('a worker that is killed in the moment of a pause: nobody intends to call after the answer, and nothing is dialled', async () => {
  const { clinicId } = service.clinic;
  const calls = () => service.database.prisma.call.findMany({ where: { clinicId } });
  const isLate = (at: Date | null, from: Date) => at !== null && at.getTime() > from.getTime() + 1;
  const bearer = await service.admin();
  await service.stores.clinics.setPolicy(clinicId, { ...demoPolicy, maxConcurrentCalls: 2 });
  await Promise.all(Array.from({ length: 12 }, () => service.abandon()));
  await eventually(async () => (await calls()).length >= 3, { within: 60_000 });

  const killed = service.worker.kill();
  const { status } = await service.request('POST', '/pauses', { bearer, body: { reason: 'a test' } });
  const [clock] = await service.database.sql<{ at: Date | null }>`select clock_timestamp() as at`;
  const from = clock?.at ?? new Date(0);
  await killed;
  expect(status).toBe(200);
  await service.worker.start();
  const { body } = await service.abandon();
  const paused = { workflowId: String(body.workflowId), rule: 'paused' };
  await eventually(() => service.database.prisma.callDecision.findFirst({ where: paused }), { within: 60_000 });

  const late = (await calls()).filter((call) => isLate(call.createdAt, from) || isLate(call.requestedAt, from));
  expect(late).toEqual([]);
  await service.stores.clinics.setPolicy(clinicId, demoPolicy);
  for (const { id } of await service.stores.pauses.holding(clinicId)) {
    await service.request('DELETE', `/pauses/${id}`, { bearer });
  }
}, 240_000);

test('each metric that operators are told of is in a scrape of its process, and nothing of a patient is', async () => {
  const operate = await readFile(join(__dirname, '../../docs/operate.md'), 'utf8');
  const page = operate.slice(operate.indexOf('### Metrics'), operate.indexOf('## When something is down'));
  const rows = [...page.matchAll(/^\| ((?:`\w+`(?:, )?)+) +\| (API|worker|both) +\|/gm)].map(
    ([, names = '', process = '']) => ({
      names: [...names.matchAll(/\w+/g)].map(([name]) => name),
      processes: process === 'both' ? ['API', 'worker'] : [process],
    }),
  );
  const documented = (process: string) =>
    rows.filter(({ processes }) => processes.includes(process)).flatMap(({ names }) => names);
  const scrape = async (url: string) => (await fetch(url)).text();
  const phone = aPhone();
  const opened = (await service.abandon({ phone, firstName: 'Wilhelmina' })).body as { workflowId: string };
  await eventually(
    async () =>
      (await service.request('GET', `/workflows/${opened.workflowId}`, { bearer: service.clinic.apiKey })).body
        .status === 'completed',
    {
      within: 60_000,
    },
  );

  const shown = {
    API: await scrape(service.baseUrl.replace(/api$/, 'metrics')),
    worker: await scrape(`http://127.0.0.1:${port}/metrics`),
  };

  for (const [process, text] of Object.entries(shown)) {
    const missing = documented(process).filter(
      (name) => !new RegExp(`^(# TYPE )?${name}(_count|_bucket|_sum)?[ {]`, 'm').test(text),
    );
    expect({ process, missing }).toEqual({ process, missing: [] });
    expect(text).not.toMatch(new RegExp(['Wilhelmina', phone.slice(1), opened.workflowId].join('|')));
    expect(text).not.toMatch(/_(milliseconds|ms)[ {_]/);
  }
  expect(rows.length).toBeGreaterThan(15);
}, 240_000);

test('a worker that is told to stop ends soon, also with work under way and while it starts, and is soon up again', async () => {
  const statusOf = (path: string) =>
    fetch(`http://127.0.0.1:${port}${path}`).then(
      ({ status }) => status,
      () => null,
    );
  await Promise.all(Array.from({ length: 8 }, () => service.abandon()));
  const whileUp = await Promise.all(['/healthz', '/startz', '/readyz', '/other'].map(statusOf));

  const stoppedAt = Date.now();
  await service.worker.stop();
  const stopMs = Date.now() - stoppedAt;
  const whileDown = await statusOf('/healthz');
  const startedAt = Date.now();
  await service.worker.start();
  const startMs = Date.now() - startedAt;
  await service.worker.stop();
  const starting = service.worker.start().catch((error: unknown) => error);
  await delay(1_500);
  const stoppedAgainAt = Date.now();
  await service.worker.stop();
  const stopAgainMs = Date.now() - stoppedAgainAt;
  await starting;

  expect(whileUp).toEqual([200, 200, 200, 404]);
  expect(whileDown).toBeNull();
  expect(stopMs).toBeLessThan(15_000);
  expect(startMs).toBeLessThan(30_000);
  expect(stopAgainMs).toBeLessThan(10_000);
}, 240_000);

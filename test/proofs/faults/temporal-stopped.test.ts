import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { temporalCli } from '@clinic/local/binaries';
import { supervise, type Supervised } from '@clinic/local/child';
import { freePort } from '@clinic/local/ports';
import { temporal } from '@clinic/local/temporal';
import { demoPolicy } from '@clinic/prisma/fixtures';
import { aPhone, aSession } from '../../support/builders';
import { eventually } from '../../support/eventually';
import { type Service, startService } from '../../support/service';

let folder: string;
let port: number;
let server: Supervised;
let service: Service;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'clinic-temporal-'));
  port = await freePort();
  server = await startTemporal();
  service = await startService({ temporal: `127.0.0.1:${port}` });
}, 240_000);

afterAll(async () => {
  await service.stop();
  await server.stop();
  await rm(folder, { recursive: true, force: true });
});

/** A Temporal server that has its data in a file, so that it comes back with all of it. */
async function startTemporal(): Promise<Supervised> {
  const say = () => undefined;
  const spec = { binary: await temporalCli(say), port, databaseFile: join(folder, 'temporal.db') };
  return supervise(temporal({ ...spec, logFile: join(folder, 'temporal.log') }), { say });
}

const ready = () => fetch(`${service.baseUrl.replace(/\/api$/, '')}/readyz`);

test('with Temporal stopped, events are accepted at once, by an API started meanwhile too, and their cases end after it is back', async () => {
  const { otherClinic } = service;
  await service.stores.clinics.setPolicy(otherClinic.clinicId, { ...demoPolicy, firstCallDelaySeconds: 3_600 });
  const sessionId = aSession();
  const waiting = await service.abandon({ sessionId, phone: aPhone() }, otherClinic);
  const toCancel = await service.abandon({ phone: aPhone() }, otherClinic);
  const before = await service.abandon({ phone: aPhone() });
  await service.ended(before.body.workflowId);
  await eventually(
    async () => (await service.database.sql`select 1 from workflow_runs where dispatched_at is null`).length === 0,
  );

  await server.stop();
  const startedAt = Date.now();
  const accepted = await Promise.all(Array.from({ length: 5 }, () => service.abandon({ phone: aPhone() })));
  const completed = await service.complete(sessionId, otherClinic);
  const acceptedMs = Date.now() - startedAt;
  const cancelled = await service.request('POST', `/workflows/${toCancel.body.workflowId}/cancel`, {
    bearer: otherClinic.apiKey,
  });
  const readiness = await ready();
  const meanwhile = await service.workflow(accepted[0]?.body.workflowId);
  await Promise.all([service.api.kill(), service.worker.kill()]);
  const workerIsBack = service.worker.start();
  await service.api.start();
  accepted.push(await service.abandon({ phone: aPhone() }));
  server = await startTemporal();
  await workerIsBack;
  const ended = await Promise.all(
    accepted.map(({ body }) => service.ended(body.workflowId, service.clinic, { within: 120 })),
  );

  expect([...accepted, completed].map(({ status }) => status)).toEqual(Array(7).fill(200));
  expect(acceptedMs).toBeLessThan(5_000);
  expect(cancelled).toMatchObject({ status: 503, body: { statusCode: 503, error: 'Service Unavailable' } });
  expect(Number(cancelled.headers.get('retry-after'))).toBeGreaterThan(0);
  expect([readiness.status, await readiness.json()]).toMatchObject([503, { database: 'ok', temporal: 'unreachable' }]);
  expect(meanwhile.body).toMatchObject({ status: 'started', outcome: null });
  expect(ended.map(({ outcome, attempts }) => ({ outcome, attempts }))).toEqual(
    Array.from({ length: 6 }, () => ({ outcome: 'RECOVERED', attempts: 1 })),
  );
  expect((await service.ended(waiting.body.workflowId, otherClinic)).outcome).toBe('ALREADY_COMPLETED');
  expect((await ready()).status).toBe(200);
  expect(service.worker.isUp()).toBe(true);
}, 240_000);

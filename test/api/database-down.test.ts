import { startApi, type RunningApi } from '@clinic/api/start-api';
import { readApiConfig } from '@clinic/shared/config';
import { createLog } from '@clinic/shared/log';
import { startTcpProxy, type TcpProxy } from '../proofs/faults/tcp-proxy';
import { type App, startApp } from '../support/app';
import { anAbandonedForm, aSession } from '../support/builders';
import { eventually } from '../support/eventually';

let app: App;
let proxy: TcpProxy;
let api: RunningApi;

beforeAll(async () => {
  app = await startApp({ hasWorker: false });
  const direct = new URL(app.database.url);
  proxy = await startTcpProxy({ upstream: () => ({ port: Number(direct.port) }) });
  const through = new URL(direct);
  through.hostname = '127.0.0.1';
  through.port = String(proxy.port);
  const config = readApiConfig({ ...app.env, PORT: '0', DATABASE_URL: through.href });
  api = await startApi(config, createLog({ process: 'test', level: 'silent' }));
}, 240_000);

afterAll(async () => {
  await api.stop();
  await proxy.close();
  await app.stop();
});

const readiness = () => fetch(`http://127.0.0.1:${api.port}/readyz`);

async function post(): Promise<{ status: number; retryAfter: string | null; afterMs: number }> {
  const startedAt = performance.now();
  const { clinicId, inboundSecrets } = app.clinic;
  const response = await fetch(`http://127.0.0.1:${api.port}/api/automation/webhook/${clinicId}/forms-abandoned`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'x-automation-secret': inboundSecrets['forms-abandoned'] ?? '',
    },
    body: JSON.stringify(anAbandonedForm({ sessionId: aSession() })),
    signal: AbortSignal.timeout(30_000),
  });
  await response.text();
  const { status, headers } = response;
  return { status, retryAfter: headers.get('retry-after'), afterMs: performance.now() - startedAt };
}

test('without its database every request is 503 with the time to come back, and all is well once it is there', async () => {
  expect((await post()).status).toBe(200);
  proxy.cut();
  expect([200, 503]).toContain((await post()).status);
  await eventually(async () => (await post()).status === 200, { within: 10_000 });
});

test('a database that falls silent is 503 in half a minute at most, seen by the readiness at once, and recovered from', async () => {
  await Promise.all([post(), post(), post()]);
  proxy.weather({ kind: 'black-hole' });
  const [answers, ready] = await Promise.all([Promise.all([post(), post(), post()]), readiness()]);
  proxy.weather({ kind: 'clear' });
  const clearedAt = Date.now();
  await eventually(async () => (await readiness()).status === 200, { within: 30_000 });
  await eventually(async () => (await post()).status === 200, { within: 30_000 });

  expect(answers.map(({ status }) => status)).toEqual([503, 503, 503]);
  expect(answers.every(({ retryAfter }) => Number(retryAfter) > 0)).toBe(true);
  expect(Math.max(...answers.map(({ afterMs }) => afterMs))).toBeLessThan(25_000);
  expect(ready.status).toBe(503);
  expect(Date.now() - clearedAt).toBeLessThan(30_000);
}, 240_000);

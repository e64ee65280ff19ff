import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { createApp } from '@clinic/api/app';
import { createMetrics } from '@clinic/api/metrics';
import { startApi, type RunningApi } from '@clinic/api/start-api';
import { InboundAccepted } from '@clinic/shared/contracts/events/inbound-events';
import { readApiConfig } from '@clinic/shared/config';
import { createLog } from '@clinic/shared/log';
import { createVoicePlatforms } from '@clinic/gateways/voice/registry';
import { startTcpProxy, type TcpProxy } from '../proofs/faults/tcp-proxy';
import { type App, startApp } from '../support/app';
import { anAbandonedForm, aSession } from '../support/builders';
import { eventually } from '../support/eventually';

let app: App;
let proxy: TcpProxy;
let isDatabaseAway = false;
let api: RunningApi;

beforeAll(async () => {
  app = await startApp({ hasWorker: false });
  const direct = new URL(app.database.url);
  proxy = await startTcpProxy({ upstream: () => (isDatabaseAway ? null : { port: Number(direct.port) }) });
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

interface Posted {
  status: number;
  retryAfter: string | null;
  body: string;
  afterMs: number;
}

async function post(sessionId = aSession()): Promise<Posted> {
  const startedAt = performance.now();
  const { clinicId, inboundSecrets } = app.clinic;
  const response = await fetch(`http://127.0.0.1:${api.port}/api/automation/webhook/${clinicId}/forms-abandoned`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'x-automation-secret': inboundSecrets['forms-abandoned'] ?? '',
    },
    body: JSON.stringify(anAbandonedForm({ sessionId })),
    signal: AbortSignal.timeout(30_000),
  });
  const body = await response.text();
  const { status, headers } = response;
  return { status, retryAfter: headers.get('retry-after'), body, afterMs: performance.now() - startedAt };
}

test('without its database every request is 503 with the time to come back, and all is well once it is there', async () => {
  expect((await post()).status).toBe(200);
  proxy.cut();
  expect([200, 503]).toContain((await post()).status);
  await eventually(async () => (await post()).status === 200, { within: 10_000 });
});

test.each([
  [true, true, false, 'ok'],
  [true, true, true, 'unavailable'],
  [true, false, false, 'unavailable'],
  [false, true, false, 'unavailable'],
  [false, false, false, 'unavailable'],
])(
  'with its database %p, Temporal %p and about to stop %p it is %s',
  async (database, temporal, isDraining, status) => {
    const config = readApiConfig(app.env);
    const server = createApp({
      config,
      stores: app.stores,
      metrics: createMetrics(),
      changes: { subscribe: () => () => undefined },
      voice: createVoicePlatforms({ config, http: undefined as never }),
      log: createLog({ process: 'test', level: 'silent' }),
      isDatabaseReachable: async () => database,
      isDraining: () => isDraining,
      temporal: { isReachable: async () => temporal },
    } as never).listen(0, '127.0.0.1');
    await once(server, 'listening');

    const answer = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/readyz`);
    const body = (await answer.json()) as object;
    server.close();

    const word = (isUp: boolean) => (isUp ? 'ok' : 'unreachable');
    expect(body).toEqual({ status, database: word(database), temporal: word(temporal) });
    expect([answer.status, answer.headers.get('retry-after')]).toEqual(status === 'ok' ? [200, null] : [503, '5']);
  },
);

test('a flood while the connections break in the middle of batches and the database is away for two seconds: none is lost or doubled, each has its own answer', async () => {
  await post();
  const sessions = Array.from({ length: 96 }, () => aSession());
  const untilStored = async (sessionId: string): Promise<Posted[]> => {
    const answers = [await post(sessionId)];
    while (answers.at(-1)?.status === 503 && answers.length < 100) {
      await delay(100);
      answers.push(await post(sessionId));
    }
    return answers;
  };
  const answering = Promise.all(sessions.map(untilStored));
  for (let times = 0; times < 5; times += 1) {
    await delay(20);
    proxy.cut();
  }
  isDatabaseAway = true;
  proxy.cut();
  await delay(2_000);
  isDatabaseAway = false;
  const answers = await answering;

  const refused = answers.flatMap((each) => each.slice(0, -1));
  expect(refused.every(({ retryAfter }) => Number(retryAfter) > 0)).toBe(true);
  expect(new Set(answers.map((each) => each.at(-1)?.status))).toEqual(new Set([200]));
  const cases = await app.database.sql<{ sessionId: string; caseId: string }>`
    select session_id as "sessionId", id as "caseId" from recovery_cases where session_id = any(${sessions})`;
  const told = answers.map((each, index) => {
    const { recoveryCaseId: caseId } = InboundAccepted.parse(JSON.parse(each.at(-1)?.body ?? ''));
    return { sessionId: sessions[index], caseId };
  });
  const bySession = (one: { sessionId?: string }, other: { sessionId?: string }) =>
    (one.sessionId ?? '').localeCompare(other.sessionId ?? '');
  expect(told.toSorted(bySession)).toEqual(cases.toSorted(bySession));
  // Whoever was answered at the first try has not repeated anything.
  const atOnce = answers.filter(({ length }) => length === 1).map(([only]) => only?.body ?? '');
  expect(atOnce.filter((body) => InboundAccepted.parse(JSON.parse(body)).duplicate)).toEqual([]);
}, 120_000);

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

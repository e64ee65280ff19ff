import { setTimeout as delay } from 'node:timers/promises';
import { demoPolicy } from '@clinic/prisma/fixtures';
import { type App, startApp } from '../support/app';

const HELD = 3;

let app: App;

beforeAll(async () => {
  app = await startApp({ hasWorker: false, env: { HELD_REQUESTS_PER_CALLER: String(HELD) } });
  await app.stores.clinics.setPolicy(app.clinic.clinicId, { ...demoPolicy, firstCallDelaySeconds: 3_600 });
}, 240_000);

afterAll(() => app.stop());

test('a session has only so many event streams open, and one that ends makes room', async () => {
  const bearer = await app.admin();
  const open = async () => {
    const gone = new AbortController();
    const { status, headers } = await fetch(`${app.baseUrl}/stream`, {
      headers: { authorization: `Bearer ${bearer}` },
      signal: gone.signal,
    });
    return { status, headers, gone };
  };
  const streams = [await open(), await open(), await open()];

  const refused = await open();
  const withAnother = await app.request('GET', '/tasks', { bearer });
  streams[0]?.gone.abort();
  await delay(200);
  const again = await open();

  expect(streams.map(({ status }) => status)).toEqual([200, 200, 200]);
  expect([refused.status, withAnother.status, again.status]).toEqual([429, 200, 200]);
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  for (const { gone } of [...streams, refused, again]) gone.abort();
});

test('a key holds only so many waits, and one that ends makes room', async () => {
  const { body } = await app.abandon();
  const [first, second, third, refused] = await Promise.all([
    app.workflow(body.workflowId, { wait: 5 }),
    app.workflow(body.workflowId, { wait: 5 }),
    app.workflow(body.workflowId, { wait: 5 }),
    delay(500).then(() => app.workflow(body.workflowId, { wait: 5 })),
  ]);

  expect([first.status, second.status, third.status, refused.status]).toEqual([200, 200, 200, 429]);
  expect(first.body).toMatchObject({ status: 'started' });
  expect((await app.workflow(body.workflowId, { wait: 1 })).status).toBe(200);
});

test('a wait ends as soon as the run does, in whichever process that was', async () => {
  const { body } = await app.abandon();
  const startedAt = Date.now();
  const waiting = app.workflow(body.workflowId, { wait: 30 });
  await delay(300);

  await app.stores.runs.end({
    clinicId: app.clinic.clinicId,
    workflowId: body.workflowId,
    status: 'failed',
    outcome: 'FOLLOW_UP_REQUIRED',
    taskReason: 'workflow_failed',
    resolution: null,
  });

  expect((await waiting).body).toMatchObject({ status: 'failed' });
  expect(Date.now() - startedAt).toBeLessThan(10_000);
});

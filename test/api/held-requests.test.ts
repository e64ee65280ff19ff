import { setTimeout as delay } from 'node:timers/promises';
import { demoPolicy } from '@clinic/prisma/fixtures';
import { type App, startApp } from '../support/app';
import { eventually } from '../support/eventually';

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

test('waits that nothing happens to read nothing, and make room as soon as their client gives up', async () => {
  const { clinicId, apiKey } = app.clinic;
  const [waitedFor, ended] = [(await app.abandon()).body.workflowId, (await app.abandon()).body.workflowId];
  const about = { outcome: 'FOLLOW_UP_REQUIRED', taskReason: 'workflow_failed', resolution: null } as const;
  await app.stores.runs.end({ clinicId, workflowId: ended, status: 'failed', ...about });
  const client = new AbortController();
  const wait = () =>
    fetch(`${app.baseUrl}/workflows/${waitedFor}?wait=20`, {
      headers: { authorization: `Bearer ${apiKey}` },
      signal: client.signal,
    }).catch(() => null);
  const lastRead = async () => {
    const [{ at } = { at: null }] = await app.database.sql<{ at: Date | null }>`
      select max(query_start) as at from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid() and query like '%workflow_runs%'`;
    return at;
  };
  // Of one that has ended it is told at once, where there is room.
  const statusOfEnded = async () => (await app.workflow(ended, { wait: 1 })).status;

  const held = Array.from({ length: HELD }, wait);
  await delay(400);
  const before = await lastRead();
  await delay(200);
  const after = await lastRead();
  const refused = await statusOfEnded();
  client.abort();
  await Promise.all(held);
  await eventually(async () => (await statusOfEnded()) === 200, { within: 5_000 });

  expect(before).not.toBeNull();
  expect(after).toEqual(before);
  expect(refused).toBe(429);
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

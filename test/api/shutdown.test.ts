import { spawn } from 'node:child_process';
import { once } from 'node:events';
import http from 'node:http';
import { type AddressInfo, connect, createServer } from 'node:net';
import { resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { startApi } from '@clinic/api/start-api';
import { demoPolicy } from '@clinic/prisma/fixtures';
import { readApiConfig } from '@clinic/shared/config';
import { createLog } from '@clinic/shared/log';
import { freePort } from '@clinic/local/ports';
import { serviceEnvironment, startApp } from '../support/app';
import { freshDatabase } from '../support/database';
import { eventually } from '../support/eventually';

test('an API that is about to stop says so first, and serves on until others have taken over', async () => {
  const app = await startApp({ hasWorker: false, env: { SHUTDOWN_DRAIN_MS: '1500' } });
  const readiness = () => fetch(`${app.baseUrl.replace(/\/api$/, '')}/readyz`);
  expect((await readiness()).status).toBe(200);
  const kept = openConnection(app.baseUrl);
  const before = [await kept.ask(), await kept.ask()];

  const stopped = app.stop();
  await delay(200);
  const [ready, form] = [await readiness(), await app.abandon()];
  const last = await kept.ask();
  const closed = await eventually(() => kept.socket.closed, { within: 1_000 });
  await stopped;

  expect(before).toEqual([200, 200].map((status) => ({ status, connection: 'keep-alive' })));
  expect([last, closed]).toEqual([{ status: 503, connection: 'close' }, true]);
  expect(ready.status).toBe(503);
  expect(await ready.json()).toEqual({ status: 'unavailable', database: 'ok', temporal: 'ok' });
  expect(form.status).toBe(200);
  expect(form.headers.get('connection')).toBe('close');
  await expect(readiness()).rejects.toThrow('fetch failed');
}, 30_000);

test('an API that stops finishes what runs and waits for no connection that is merely open', async () => {
  const app = await startApp();
  await app.stores.clinics.setPolicy(app.clinic.clinicId, { ...demoPolicy, firstCallDelaySeconds: 3_600 });
  const { body } = await app.abandon();
  const running = app.workflow(body.workflowId, { wait: 1 });
  // Opened in advance, as browsers do: nothing is sent on it.
  const unused = connect(Number(new URL(app.baseUrl).port), '127.0.0.1').on('error', () => undefined);
  await once(unused, 'connect');
  await delay(200);

  const startedAt = Date.now();
  await app.stop();

  expect((await running).status).toBe(200);
  expect((await running).headers.get('connection')).toBe('close');
  expect(Date.now() - startedAt).toBeLessThan(15_000);
  unused.destroy();
  await expect(app.abandon()).rejects.toThrow('fetch failed');
}, 30_000);

test('an API whose port is taken says which, and leaves no connection open', async () => {
  const database = await freshDatabase();
  const other = createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  const { port } = other.address() as AddressInfo;
  const config = readApiConfig(serviceEnvironment({ port, databaseUrl: database.url, namespace: 'none' }));
  const connections = () => database.sql<{ pid: number }>`
    select pid from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`;

  await expect(startApi(config, createLog({ process: 'test', level: 'silent' }))).rejects.toThrow(
    `The API cannot listen on port ${port}: `,
  );
  // By then whatever it had begun to open would be open.
  await delay(200);
  await eventually(async () => (await connections()).length === 0, { within: 5_000 });

  other.close();
  await database.close();
}, 30_000);

test('an API that is told twice to stop stops once, and has done its work', async () => {
  const database = await freshDatabase();
  const port = await freePort();
  const settings = serviceEnvironment({ port, databaseUrl: database.url, namespace: 'none' });
  const { PATH, HOME } = process.env;
  const api = spawn(process.execPath, ['--import', 'tsx', 'api/main.ts'], {
    cwd: resolve(__dirname, '../..'),
    env: { PATH, HOME, ...settings, LOG_LEVEL: 'info', SHUTDOWN_DRAIN_MS: '500' },
  });
  const [said, complained, ended] = [text(api.stdout), text(api.stderr), once(api, 'exit')];
  await eventually(
    () =>
      fetch(`http://127.0.0.1:${port}/healthz`).then(
        ({ ok }) => ok,
        () => false,
      ),
    { within: 60_000 },
  );

  api.kill('SIGTERM');
  await delay(100);
  api.kill('SIGTERM');

  expect([await ended, await complained]).toEqual([[0, null], '']);
  expect((await said).split('\n').filter((line) => line.includes('api stopp'))).toEqual([
    expect.stringContaining('api stopping'),
    expect.stringContaining('api stopped'),
  ]);
  await database.close();
}, 90_000);

test('a connection may bring a request for five seconds longer than a body may take, and stays longer than at a load balancer', async () => {
  const opened = jest.spyOn(http, 'createServer');
  const app = await startApp({ hasWorker: false, env: { BODY_TIMEOUT_MS: '1500' } });

  const [server] = opened.mock.results.map(({ value }) => value as http.Server);
  expect([server?.requestTimeout, server?.headersTimeout, server?.keepAliveTimeout]).toEqual([6_500, 5_000, 75_000]);
  opened.mockRestore();
  await app.stop();
}, 30_000);

/** One connection on which several requests are sent, as by a load balancer. */
function openConnection(baseUrl: string) {
  const { hostname, port } = new URL(baseUrl);
  const socket = connect(Number(port), hostname).on('error', () => undefined);
  let heard = '';
  socket.on('data', (data) => (heard += String(data)));
  return {
    socket,
    async ask() {
      heard = '';
      socket.write(`GET /readyz HTTP/1.1\r\nhost: ${hostname}\r\n\r\n`);
      await eventually(() => heard.includes('}'), { within: 2_000 });
      const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(heard)?.[1]);
      return { status, connection: /^connection: (.*)\r$/im.exec(heard)?.[1] };
    },
  };
}

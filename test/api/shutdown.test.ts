import { setTimeout as delay } from 'node:timers/promises';
import { demoPolicy } from '@clinic/prisma/fixtures';
import { startApp } from '../support/app';

test('an API that is about to stop says so first, and serves on until others have taken over', async () => {
  const app = await startApp({ hasWorker: false, env: { SHUTDOWN_DRAIN_MS: '1500' } });
  const readiness = () => fetch(`${app.baseUrl.replace(/\/api$/, '')}/readyz`);
  expect((await readiness()).status).toBe(200);

  const stopped = app.stop();
  await delay(200);
  const [ready, form] = [await readiness(), await app.abandon()];
  await stopped;

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
  await delay(200);

  const startedAt = Date.now();
  await app.stop();

  expect((await running).status).toBe(200);
  expect((await running).headers.get('connection')).toBe('close');
  expect(Date.now() - startedAt).toBeLessThan(15_000);
  await expect(app.abandon()).rejects.toThrow('fetch failed');
}, 30_000);

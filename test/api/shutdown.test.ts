import { setTimeout as delay } from 'node:timers/promises';
import { demoPolicy } from '@clinic/prisma/fixtures';
import { startApp } from '../support/app';

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

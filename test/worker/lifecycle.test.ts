import { setTimeout as delay } from 'node:timers/promises';
import { freePort } from '@clinic/local/ports';
import { startService } from '../support/service';

test('a worker that is told to stop ends soon, also with work under way and while it starts, and is soon up again', async () => {
  const port = await freePort();
  const service = await startService({ env: { WORKER_PORT: String(port), SIMULATOR_PAUSE_MS: '400' } });
  const statusOf = (path: string) =>
    fetch(`http://127.0.0.1:${port}${path}`).then(
      ({ status }) => status,
      () => null,
    );
  await Promise.all(Array.from({ length: 8 }, () => service.abandon()));
  const metrics = await fetch(`http://127.0.0.1:${port}/metrics`).then((response) => response.text());
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
  await service.stop();

  expect(whileUp).toEqual([200, 200, 200, 404]);
  expect(metrics).toContain('voice_setup_faults_total');
  expect(whileDown).toBeNull();
  expect(stopMs).toBeLessThan(15_000);
  expect(startMs).toBeLessThan(30_000);
  expect(stopAgainMs).toBeLessThan(10_000);
}, 120_000);

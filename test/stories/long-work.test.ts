/** @realPasswords */
import { demoPolicy } from '@clinic/prisma/fixtures';
import { aPhone } from '../support/builders';
import { eventually } from '../support/eventually';
import { type Service, startService } from '../support/service';

const RUNS = 60;

let service: Service;
beforeAll(async () => {
  service = await startService();
}, 240_000);
afterAll(() => service.stop());

test('a worker that is killed while it cancels many runs and erases a patient: each run is cancelled and counted once, and nothing is left', async () => {
  const { clinicId } = service.clinic;
  const bearer = await service.admin();
  await service.stores.clinics.setPolicy(clinicId, { ...demoPolicy, firstCallDelaySeconds: 3_600 });
  for (let count = 0; count < RUNS; count += 10) {
    await Promise.all(Array.from({ length: 10 }, () => service.abandon({ phone: aPhone() })));
  }
  const jobOf = async (id: string) => (await service.request('GET', `/bulk-jobs/${id}`, { bearer })).body;

  const begun = await service.request('POST', '/runs/cancel', { bearer, body: { dryRun: false } });
  expect(begun).toMatchObject({ status: 200, body: { total: RUNS } });
  const { id, total } = begun.body.job;
  await eventually(async () => (await jobOf(id)).done > 0, { every: 5 });
  await service.worker.kill();
  const killedAt = await jobOf(id);
  const cancelled = await service.database.prisma.workflowRun.findFirst({ where: { clinicId, status: 'cancelled' } });
  const patientId = cancelled?.patientId ?? '';
  const erasing = { reason: 'patient_request', confirm: patientId };
  const requested = await service.request('POST', `/patients/${patientId}/erasure`, { bearer, body: erasing });
  await service.worker.start();
  const ended = await eventually(async () => {
    const job = await jobOf(id);
    return job.state === 'DONE' && job;
  });
  const erased = await eventually(async () => {
    const { body } = await service.request('GET', `/erasures/${requested.body.id}`, { bearer });
    return body.state === 'DONE' && body;
  });

  expect(total).toBe(RUNS);
  expect(requested.status).toBe(202);
  expect(killedAt.done).toBeLessThan(RUNS);
  expect(ended).toMatchObject({ failed: 0, waitsFor: null });
  expect(ended.done + ended.skipped).toBe(RUNS);
  expect(erased.erased).toContainEqual({ records: 'patients', count: 1 });
  expect(await service.stores.patients.exists(clinicId, patientId)).toBe(false);
  const outcomes = await service.database.sql<{ events: number }>`
    select count(*)::int as events from outbound_events
    where clinic_id = ${clinicId} and event = 'recovery_case.outcome' group by subject`;
  expect(outcomes).toEqual(Array.from({ length: RUNS - 1 }, () => ({ events: 1 })));
  const open = await service.database.prisma.workflowRun.count({ where: { clinicId, status: 'started' } });
  expect(open).toBe(0);
}, 240_000);

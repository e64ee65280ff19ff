import { newId } from '@clinic/shared/crypto';
import { deliveryWaitsMs } from '@clinic/shared/domain/delivery-schedule';
import type { AttemptResult } from '@clinic/prisma/stores/deliveries';
import { openRecords, type Records } from '../support/records';

let records: Records;
beforeAll(async () => {
  records = await openRecords();
});
afterAll(() => records.close());

const failed: AttemptResult = { kind: 'failed', status: 503, error: 'http_503', retryAfterMs: null };

const emit = async (subject = newId(), clinicId = records.clinicId) => {
  const deliveryId = await records.stores.deliveries.emit({
    clinicId,
    event: 'test',
    subject,
    data: { message: 'hello' },
  });
  return { clinicId, subject, deliveryId };
};
const record = (deliveryId: string, result: AttemptResult, about: { clinicId?: string; url?: string } = {}) =>
  records.stores.deliveries.record({
    clinicId: records.clinicId,
    deliveryId,
    url: 'https://clinic.example/events',
    durationMs: 5,
    response: null,
    random: 0,
    result,
    ...about,
  });
const lease = (subject: string, clinicId = records.clinicId) => records.stores.deliveries.lease(clinicId, subject);
const stored = (id: string) => records.database.prisma.delivery.findUniqueOrThrow({ where: { id } });
const set = (id: string, data: object) => records.database.prisma.delivery.update({ where: { id }, data });
const inSeconds = (seconds: number) => new Date(Date.now() + seconds * 1_000);

test('a delivery that is leased is not leased again until its lease is over', async () => {
  const { subject, deliveryId } = await emit();

  const [first, second] = [await lease(subject), await lease(subject)];
  await set(deliveryId, { leasedUntil: inSeconds(-1) });
  const third = await lease(subject);

  expect(first).toMatchObject({ kind: 'leased', delivery: { deliveryId } });
  expect(second.kind).toBe('later');
  expect(third).toMatchObject({ kind: 'leased', delivery: { deliveryId } });
});

test('a lease lasts longer than an attempt may take', async () => {
  const { subject, deliveryId } = await emit();
  await lease(subject);

  const { leasedUntil } = await stored(deliveryId);

  expect(leasedUntil?.getTime()).toBeGreaterThan(inSeconds(20).getTime());
  expect(leasedUntil?.getTime()).toBeLessThan(inSeconds(60).getTime());
});

test('a delivery is not leased before it is due, and holds up the later ones of its subject', async () => {
  const { subject, deliveryId } = await emit();
  await emit(subject);
  const at = inSeconds(300);
  await set(deliveryId, { nextAttemptAt: at });

  expect(await lease(subject)).toEqual({ kind: 'later', at });
});

test('the events of a subject are sent in the order in which they happened', async () => {
  const first = await emit();
  const second = await emit(first.subject);

  const order: unknown[] = [];
  for (let turn = 0; turn < 2; turn += 1) {
    const leased = await lease(first.subject);
    if (leased.kind !== 'leased') throw new Error(leased.kind);
    order.push(leased.delivery.deliveryId);
    await record(leased.delivery.deliveryId, { kind: 'delivered', status: 200 });
  }

  expect(order).toEqual([first.deliveryId, second.deliveryId]);
  expect(await lease(first.subject)).toEqual({ kind: 'none' });
});

test('another clinic leases and records nothing of a clinic', async () => {
  const { subject, deliveryId } = await emit();

  expect(await lease(subject, records.otherClinicId)).toEqual({ kind: 'none' });
  await expect(
    record(deliveryId, { kind: 'delivered', status: 200 }, { clinicId: records.otherClinicId }),
  ).rejects.toThrow();
  await expect(records.stores.deliveries.resend(records.otherClinicId, deliveryId)).resolves.toBeNull();
  expect(await records.stores.deliveries.find(records.otherClinicId, deliveryId)).toBeNull();
  expect((await stored(deliveryId)).state).toBe('PENDING');
});

test('a failed attempt counts, frees the lease and waits as the schedule says', async () => {
  const { subject, deliveryId } = await emit();
  await lease(subject);

  await record(deliveryId, failed);

  const { state, tries, leasedUntil, nextAttemptAt, deliveredAt } = await stored(deliveryId);
  expect({ state, tries, leasedUntil, deliveredAt }).toEqual({
    state: 'PENDING',
    tries: 1,
    leasedUntil: null,
    deliveredAt: null,
  });
  const waits = (nextAttemptAt?.getTime() ?? 0) - Date.now();
  expect(waits).toBeGreaterThan(2_000);
  expect(waits).toBeLessThanOrEqual(deliveryWaitsMs[0]);
});

test('a receiver that asks for more time is given it', async () => {
  const { subject, deliveryId } = await emit();
  await lease(subject);

  await record(deliveryId, { kind: 'failed', status: 429, error: 'http_429', retryAfterMs: 600_000 });

  const { nextAttemptAt } = await stored(deliveryId);
  expect((nextAttemptAt?.getTime() ?? 0) - Date.now()).toBeGreaterThan(500_000);
});

test('after the last wait of the schedule a delivery is dead, and not due again', async () => {
  const { deliveryId } = await emit();
  await set(deliveryId, { tries: deliveryWaitsMs.length - 1 });
  await record(deliveryId, failed);
  const beforeTheLast = await stored(deliveryId);

  await record(deliveryId, failed);

  expect(beforeTheLast.state).toBe('PENDING');
  expect(await stored(deliveryId)).toMatchObject({ state: 'DEAD', nextAttemptAt: null, deliveredAt: null });
});

test('a receiver that is gone has its deliveries stopped: this one, and all to the same URL', async () => {
  const { deliveryId } = await emit();
  const url = 'https://clinic.example/events';

  await record(deliveryId, { kind: 'gone', status: 410 }, { url: 'https://clinic.example/an-old-url' });
  const afterAnOldUrl = await records.stores.clinics.outboundEndpoint(records.clinicId);
  await record(deliveryId, { kind: 'gone', status: 410 }, { url });
  const afterThisUrl = await records.stores.clinics.outboundEndpoint(records.clinicId);
  const ofTheOther = await records.stores.clinics.outboundEndpoint(records.otherClinicId);
  await records.stores.clinics.setOutboundEndpoint(records.clinicId, { ...afterAnOldUrl, url, isEnabled: true });

  expect((await stored(deliveryId)).state).toBe('DEAD');
  expect(afterAnOldUrl.isEnabled).toBe(true);
  expect(afterThisUrl.isEnabled).toBe(false);
  expect(ofTheOther.isEnabled).toBe(true);
});

test('what was delivered in the meantime is not abandoned', async () => {
  const { clinicId, deliveryId } = await emit();
  await record(deliveryId, { kind: 'delivered', status: 200 });

  await records.stores.deliveries.abandon({ clinicId, deliveryId, error: 'endpoint_disabled' });

  expect((await stored(deliveryId)).state).toBe('DELIVERED');
});

test('an abandoned delivery is dead at once', async () => {
  const { clinicId, subject, deliveryId } = await emit();
  await lease(subject);

  await records.stores.deliveries.abandon({ clinicId, deliveryId, error: 'endpoint_disabled' });

  expect(await stored(deliveryId)).toMatchObject({ state: 'DEAD', nextAttemptAt: null, leasedUntil: null });
});

test('a dead letter that is sent again begins anew', async () => {
  const { clinicId, subject, deliveryId } = await emit();
  await set(deliveryId, { state: 'DEAD', tries: 11, nextAttemptAt: null });

  const queued = await records.stores.deliveries.resend(clinicId, deliveryId);

  expect(queued).toEqual({ subject });
  expect(await stored(deliveryId)).toMatchObject({ state: 'PENDING', tries: 0 });
  expect((await lease(subject)).kind).toBe('leased');
});

test('nothing is sent again while an attempt is under way', async () => {
  const { clinicId, subject, deliveryId } = await emit();
  await set(deliveryId, { tries: 3 });
  await lease(subject);

  await expect(records.stores.deliveries.resend(clinicId, deliveryId)).rejects.toMatchObject({ code: 'conflict' });
  expect((await stored(deliveryId)).tries).toBe(3);
});

test('only subjects whose delivery has been due for a while, and which nobody holds, are overdue', async () => {
  const [old, young, held, dead] = [await emit(), await emit(), await emit(), await emit()];
  await set(old.deliveryId, { nextAttemptAt: inSeconds(-60) });
  await set(young.deliveryId, { nextAttemptAt: inSeconds(-30) });
  await set(held.deliveryId, { nextAttemptAt: inSeconds(-60), leasedUntil: inSeconds(20) });
  await set(dead.deliveryId, { nextAttemptAt: inSeconds(-60), state: 'DEAD' });

  const overdue = await records.stores.deliveries.overdueSubjects(45_000, 1_000);

  const mine = overdue.map(({ subject }) => subject);
  expect(mine).toContain(old.subject);
  for (const { subject } of [young, held, dead]) expect(mine).not.toContain(subject);
});

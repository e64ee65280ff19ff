import { randomBytes } from 'node:crypto';
import { createEventActivities } from '@clinic/activities/events';
import { createStores } from '@clinic/prisma/stores';
import { newId } from '@clinic/shared/crypto';
import { inActivity } from '../support/activity';
import { openRecords, type Records } from '../support/records';

let records: Records;
beforeAll(async () => {
  records = await openRecords();
});
afterAll(() => records.close());

test('an event that cannot be signed is a failed attempt with its reason, and one task for staff', async () => {
  const { clinicId, stores, database } = records;
  const name = (await stores.clinics.outboundEndpoint(clinicId)).id ?? '';
  await database.prisma.secret.create({
    data: { id: newId(), clinicId, kind: 'signing', name, ciphertext: 'v1:gone:AAAA' },
  });
  const subject = newId();
  const id = await stores.deliveries.emit({ clinicId, event: 'test', subject, data: { message: 'hello' } });
  const { attemptDelivery } = createEventActivities({
    stores: createStores(database, [{ id: 's2', key: randomBytes(32) }]),
    webhooks: { send: () => Promise.reject(new Error('nothing is sent unsigned')) },
    wakeSender: () => Promise.resolve(),
  });

  const step = await inActivity(() => attemptDelivery({ clinicId, subject }));

  const delivery = await stores.deliveries.find(clinicId, id);
  expect(step).toEqual({ kind: 'failed' });
  expect(delivery).toMatchObject({ state: 'PENDING', tries: 1, leasedUntil: null });
  expect(delivery?.attempts.map(({ error }) => error)).toEqual(['signing_secret_unreadable']);
  const tasks = await database.prisma.staffTask.findMany({ where: { clinicId } });
  expect(tasks.map(({ reason }) => reason)).toEqual(['signing_secret_unreadable']);
});

test('an event whose body was purged is never sent, however it came to wait', async () => {
  const { clinicId, stores, database } = records;
  const subject = newId();
  const id = await stores.deliveries.emit({ clinicId, event: 'test', subject, data: { message: 'hello' } });
  await database.sql`update outbound_events set data = '{}' where id = ${id}`;
  const { attemptDelivery } = createEventActivities({
    stores,
    webhooks: { send: () => Promise.reject(new Error('an empty body is sent')) },
    wakeSender: () => Promise.resolve(),
  });

  const step = await inActivity(() => attemptDelivery({ clinicId, subject }));

  const delivery = await stores.deliveries.find(clinicId, id);
  expect(step).toEqual({ kind: 'attempted', hasMore: false });
  expect(delivery).toMatchObject({ state: 'DEAD', attempts: [{ error: 'body_purged' }] });
});

test('a message for a workflow that has not started is not sent yet', async () => {
  const { stores, database } = records;
  const { clinicId, workflowId } = await records.aRun();
  const id = newId();
  await database.prisma.workflowMessage.create({
    data: { id, clinicId, workflowId, signal: 'formCompleted', payload: {} },
  });

  const early = await stores.messages.find(id);
  await stores.runs.markDispatched([workflowId]);

  expect(early).toBeNull();
  expect(await stores.messages.find(id)).toMatchObject({ id, workflowId });
});

import { randomBytes } from 'node:crypto';
import { createEventActivities } from '@clinic/activities/events';
import { createStores } from '@clinic/prisma/stores';
import { newId } from '@clinic/shared/crypto';
import type { WebhookResult } from '@clinic/gateways/receivers/webhook-sender';
import { inActivity } from '../support/activity';
import { eventually } from '../support/eventually';
import { openRecords, type Records } from '../support/records';

let records: Records;
beforeAll(async () => {
  records = await openRecords();
});
afterAll(() => records.close());

/** One task a day, also while an older release opens it too. */
const today = () => new Date().toISOString().slice(0, 10);

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
  expect(delivery?.attempts).toMatchObject([{ error: 'signing_secret_unreadable', durationMs: 0 }]);
  const tasks = await database.prisma.staffTask.findMany({ where: { clinicId } });
  expect(tasks).toMatchObject([{ reason: 'signing_secret_unreadable', cause: `signing_secret_unreadable:${today()}` }]);
});

test.each([
  ['body_purged', { data: {} }, {}],
  ['endpoint_disabled', {}, { isEnabled: false }],
  ['endpoint_removed', {}, { removedAt: new Date() }],
])('an event is never sent that waits in spite of this: %s', async (error, event, receiver) => {
  const { clinicId, stores, database } = records;
  const subject = newId();
  const id = await stores.deliveries.emit({ clinicId, event: 'test', subject, data: { message: 'hello' } });
  await database.prisma.outboundEvent.update({ where: { id }, data: event });
  await database.prisma.receiver.updateMany({ where: { clinicId }, data: receiver });
  const { attemptDelivery } = createEventActivities({
    stores,
    webhooks: {
      async send() {
        throw new Error('it is sent');
      },
    },
    wakeSender: async () => undefined,
  });

  const step = await inActivity(() => attemptDelivery({ clinicId, subject }));

  await database.prisma.receiver.updateMany({ where: { clinicId }, data: { isEnabled: true, removedAt: null } });
  const delivery = await stores.deliveries.find(clinicId, id);
  expect(step).toEqual({ kind: 'attempted', hasMore: false });
  expect(delivery).toMatchObject({ state: 'DEAD', attempts: [{ error }] });
});

test('an event is not sent unsigned where its secrets cannot be read at this moment', async () => {
  const { clinicId, stores } = records;
  const subject = newId();
  const id = await stores.deliveries.emit({ clinicId, event: 'test', subject, data: { message: 'hello' } });
  const send = jest.fn(async () => ({ kind: 'delivered', status: 200, durationMs: 1 }) as const);
  const { attemptDelivery } = createEventActivities({
    stores: { ...stores, keys: { ...stores.keys, signingSecrets: () => Promise.reject(new Error('no database')) } },
    webhooks: { send },
    wakeSender: () => Promise.resolve(),
  });

  await expect(inActivity(() => attemptDelivery({ clinicId, subject }))).rejects.toThrow('no database');

  expect([send.mock.calls, await stores.deliveries.find(clinicId, id)]).toMatchObject([
    [],
    { state: 'PENDING', attempts: [] },
  ]);
});

describe('a workflow tells of something', () => {
  const anEvent = async (subject = newId()) => {
    await records.stores.deliveries.emit({
      clinicId: records.clinicId,
      event: 'test',
      subject,
      data: { message: 'hello' },
    });
    return subject;
  };
  const stateOf = async (subject: string) =>
    (await records.database.prisma.delivery.findMany({ where: { subject }, orderBy: { place: 'asc' } })).map(
      ({ state }) => state,
    );
  const telling = (send: () => Promise<WebhookResult>) => {
    const woken: string[] = [];
    const { sendAtOnce } = createEventActivities({
      stores: records.stores,
      webhooks: { send },
      wakeSender: async ({ subject }) => void woken.push(subject),
    });
    return { woken, tell: (subject: string) => sendAtOnce({ clinicId: records.clinicId, subject }) };
  };
  const taken = { kind: 'delivered', status: 200, durationMs: 1 } as const;
  const refused = { kind: 'failed', status: 500, error: 'http_500', durationMs: 1, retryAfterMs: null } as const;

  beforeAll(async () => {
    const { clinicId, stores, database } = records;
    await stores.clinics.setOutboundEndpoint(clinicId, {
      url: 'https://receiver.example/events',
      isEnabled: true,
      events: ['test'],
    });
    await database.sql`delete from secrets where clinic_id = ${clinicId} and kind = 'signing'`;
  });

  test('what its receiver takes is sent, and nobody else is woken', async () => {
    const { tell, woken } = telling(async () => taken);
    const subject = await anEvent();

    await tell(subject);

    expect([await stateOf(subject), woken]).toEqual([['DELIVERED'], []]);
  });

  test('what its receiver refuses is left to a sender', async () => {
    const { tell, woken } = telling(async () => refused);
    const subject = await anEvent();

    await tell(subject);

    expect([await stateOf(subject), woken]).toEqual([['PENDING'], [subject]]);
  });

  test('where no sender can be woken for what is left, whoever tells of it hears that, and does so again', async () => {
    const { sendAtOnce, wakeDeliveries } = createEventActivities({
      stores: records.stores,
      webhooks: { send: async () => refused },
      wakeSender: ({ subject }) => Promise.reject(new Error(`nobody is awake for ${subject}`)),
    });
    const told = { clinicId: records.clinicId, subject: await anEvent() };

    await expect(sendAtOnce(told)).rejects.toThrow(`nobody is awake for ${told.subject}`);
    await expect(wakeDeliveries(told)).rejects.toThrow(`nobody is awake for ${told.subject}`);
  });

  test('a receiver that takes long is not waited for: what it then says counts, and what came meanwhile is sent next', async () => {
    let reply: (result: WebhookResult) => void = () => undefined;
    const { tell, woken } = telling(() => new Promise((resolve) => (reply = resolve)));
    const subject = await anEvent();

    await tell(subject);
    const atOnce = await stateOf(subject);
    await anEvent(subject);
    reply(taken);
    await eventually(() => woken.length > 0);

    expect(atOnce).toEqual(['PENDING']);
    expect(await stateOf(subject)).toEqual(['DELIVERED', 'PENDING']);
    expect(woken).toEqual([subject]);
  });
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

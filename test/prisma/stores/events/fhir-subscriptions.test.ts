import { MAX_SUBSCRIPTIONS, type SubscriptionSettings } from '@clinic/prisma/stores/events/fhir-subscriptions';
import { newId } from '@clinic/shared/crypto';
import { openRecords, type Records } from '../../../support/records';

let records: Records;
let clinicId: string;
beforeAll(async () => {
  records = await openRecords();
});
beforeEach(async () => {
  await records.database.prisma.receiver.deleteMany({ where: { kind: 'subscription' } });
  clinicId = await records.aClinic('Harbor');
});
afterAll(() => records.close());

const by = { actor: 'account:ann' };
const seconds = (count: number) => new Date(Date.now() + count * 1_000);
const settings: SubscriptionSettings = {
  content: 'id-only',
  reason: 'Ours',
  patientId: null,
  providerName: null,
  heartbeatSeconds: null,
  endsAt: null,
};
const where = {
  baseUrl: 'https://clinic.example/api',
  url: 'https://owner.example/changes',
  payload: 'application/fhir+json',
};

const stores = () => records.stores.fhirSubscriptions;
async function aSubscription(about: Partial<SubscriptionSettings> = {}): Promise<string> {
  const added = await stores().add(clinicId, { ...settings, ...where, ...about }, by);
  if (!added) throw new Error('there are too many');
  return added.subscription.id;
}
const receiver = (id: string) => records.database.prisma.receiver.findUniqueOrThrow({ where: { id } });
const row = (id: string) =>
  records.database.prisma.fhirSubscription.findUniqueOrThrow({ where: { clinicId_id: { clinicId, id } } });
const deliveries = (id: string) =>
  records.database.prisma.delivery.findMany({
    where: { receiverId: id },
    orderBy: [{ place: 'asc' }, { createdAt: 'asc' }],
  });
const names = async (id: string) =>
  (await deliveries(id)).map(({ eventName, place, state }) => [eventName, Number(place), state]);
const eventsOf = (id: string) =>
  records.database.prisma.outboundEvent.findMany({ where: { subject: id }, orderBy: { number: 'asc' } });

/** What the trigger writes where somebody books. */
async function heard(id: string, about: object = {}): Promise<string> {
  const eventId = newId();
  const shown = {
    version: 1,
    status: 'booked',
    visitType: 'Check-up',
    providerName: 'Dr.Vega',
    identifier: null,
    cancellationReason: null,
    startsAt: '2035-03-05T10:00:00.000Z',
    endsAt: '2035-03-05T10:30:00.000Z',
  };
  const data = { appointmentId: 'visit', patientId: 'patient', isNew: true, shown };
  await records.database.prisma.outboundEvent.create({
    data: { id: eventId, clinicId, event: 'subscription.event', subject: id, data, ...about },
  });
  return eventId;
}
const take = async (id: string) => {
  await records.database.prisma.delivery.updateMany({ where: { receiverId: id }, data: { state: 'DELIVERED' } });
};

test('one that is added is owed a handshake, has a secret, and is in the audit; the oldest is listed first', async () => {
  const added = await stores().add(clinicId, { ...settings, ...where }, by);
  const id = added?.subscription.id ?? '';
  await records.database.prisma.receiver.update({ where: { id }, data: { createdAt: seconds(-60) } });
  const second = await aSubscription({ reason: 'Second' });

  expect(added?.subscription).toMatchObject({
    ...settings,
    ...where,
    version: 1,
    status: 'requested',
    lastError: null,
    lastNumber: 0,
  });
  expect(await names(id)).toEqual([['subscription.handshake', 0, 'PENDING']]);
  expect((await eventsOf(id)).map(({ data }) => data)).toEqual([{ subscriptionId: id }]);
  expect(await records.stores.keys.signingSecrets(clinicId, id)).toEqual([added?.secret]);
  expect((await stores().list(clinicId)).map((each) => [each.id, each.reason])).toEqual([
    [id, 'Ours'],
    [second, 'Second'],
  ]);
  const [, entry] = (await records.stores.audit.list(clinicId, { limit: 5 })).items;
  expect(entry).toMatchObject({
    action: 'sandbox.subscription.add',
    subject: id,
    detail: { host: 'owner.example', content: 'id-only' },
  });
});

test('there are so many at most in a clinic, and what nobody hears is forgotten with the next', async () => {
  for (let count = 1; count < MAX_SUBSCRIPTIONS; count += 1) await aSubscription();
  const orphan = await heard('subscription-gone');
  const kept = [await heard('subscription-gone', { event: 'other' }), await heard('subscription-gone', { number: 1 })];
  const [known] = await stores().list(clinicId);
  kept.push(await heard(known?.id ?? ''));
  const last = await aSubscription();

  expect(await stores().add(clinicId, { ...settings, ...where }, by)).toBeNull();
  expect(await stores().list(clinicId)).toHaveLength(MAX_SUBSCRIPTIONS);
  const left = await records.database.prisma.outboundEvent.findMany({ where: { id: { in: [orphan, ...kept] } } });
  expect(new Set(left.map(({ id }) => id))).toEqual(new Set(kept));
  await stores().remove(clinicId, last, by);
  expect(await stores().add(clinicId, { ...settings, ...where }, by)).not.toBeNull();
});

describe('how one stands', () => {
  test.each<[string, object, object, 'taken' | 'owed', string]>([
    ['its handshake is owed', {}, {}, 'owed', 'requested'],
    ['its handshake was taken', {}, {}, 'taken', 'active'],
    ['it is off', { isEnabled: false }, {}, 'taken', 'off'],
    ['it has ended', {}, { endsAt: seconds(-1) }, 'taken', 'off'],
    ['it ends later', {}, { endsAt: seconds(600) }, 'taken', 'active'],
    ['its last attempt failed', { lastError: 'http_500' }, {}, 'taken', 'error'],
    ['it is off for what failed', { lastError: 'http_500', isEnabled: false }, {}, 'owed', 'error'],
  ])('is told where %s: %#', async (_how, ofReceiver, ofSubscription, handshake, status) => {
    const id = await aSubscription();
    await aSubscription();
    await records.database.prisma.receiver.update({ where: { id }, data: ofReceiver });
    await records.database.prisma.fhirSubscription.update({
      where: { clinicId_id: { clinicId, id } },
      data: ofSubscription,
    });
    if (handshake === 'taken') await take(id);

    expect((await stores().find(clinicId, id))?.status).toBe(status);
  });

  test('is not told by a heartbeat, or a change, that is owed', async () => {
    const id = await aSubscription({ heartbeatSeconds: 60 });
    await take(id);
    await records.database.prisma.fhirSubscription.update({
      where: { clinicId_id: { clinicId, id } },
      data: { sentAt: seconds(-61) },
    });
    await stores().prepare(1_000);
    await heard(id);
    await stores().prepare(1_000);

    expect(new Set((await names(id)).map(([name, , state]) => `${name} ${state}`))).toEqual(
      new Set(['subscription.handshake DELIVERED', 'subscription.heartbeat PENDING', 'subscription.event PENDING']),
    );
    expect((await stores().find(clinicId, id))?.status).toBe('active');
  });
});

describe('one that was sent something', () => {
  const delivered = { kind: 'delivered', status: 200 } as const;
  const failed = { kind: 'failed', status: 500, error: 'http_500', retryAfterMs: null } as const;
  const gone = { ...failed, status: 410, error: 'http_410' } as const;
  const record = async (id: string, result: typeof delivered | typeof failed | typeof gone, url = where.url) => {
    const [delivery] = await deliveries(id);
    const [deliveryId, token] = [delivery?.id ?? '', newId()];
    await records.database.prisma.delivery.update({ where: { id: deliveryId }, data: { leaseToken: token } });
    const attempt = { clinicId, deliveryId, token, url, durationMs: 5, response: null, random: 0, result };
    await records.stores.deliveryLeases.record(attempt);
  };
  const isHeardFrom = async (id: string) => {
    const { sentAt, activeSince } = await row(id);
    return [sentAt !== null, activeSince !== null];
  };

  test('hears of changes from when it took it, and not for what it did not take, or another took', async () => {
    const [id, other] = [await aSubscription(), await aSubscription()];

    await record(other, failed);
    await record(id, delivered);

    expect([await isHeardFrom(id), await isHeardFrom(other)]).toEqual([
      [true, true],
      [false, false],
    ]);
    const long = seconds(-3_600);
    await records.database.prisma.fhirSubscription.update({
      where: { clinicId_id: { clinicId, id } },
      data: { activeSince: long, sentAt: long },
    });
    await record(id, delivered);
    expect((await row(id)).activeSince).toEqual(long);
    expect((await row(id)).sentAt?.getTime()).toBeGreaterThan(long.getTime());
  });

  const [since, pausedUntil] = [seconds(-3_600), seconds(600)];
  test.each<[how: string, about: object, url: string, isWell: boolean]>([
    ['failed', { failures: 2 }, where.url, true],
    ['failed and was turned on again', { lastError: 'http_500' }, where.url, true],
    ['failed for long', { failures: 9, failingSince: since, pausedUntil, lastError: 'http_500' }, where.url, true],
    ['failed and has another URL now', { failures: 2, lastError: 'http_500' }, 'https://owner.example/old', false],
  ])('is well once it has taken it, where it %s: %#', async (_how, about, url, isWell) => {
    const [id, other] = [await aSubscription(), await aSubscription()];
    await records.database.prisma.receiver.updateMany({ where: { id: { in: [id, other] } }, data: about });
    const before = await receiver(id);

    await record(id, delivered, url);

    const well = { failures: 0, failingSince: null, pausedUntil: null, lastError: null };
    expect(await receiver(id)).toMatchObject(isWell ? well : before);
    expect(await receiver(other)).toMatchObject(about);
  });

  test.each([
    ['waits for it where it says that it is gone', gone, { state: 'DEAD', isDueLater: false, isOn: false }],
    ['is tried again where it fails', failed, { state: 'PENDING', isDueLater: true, isOn: true }],
  ])('what it is owed %s', async (_what, result, { state, isDueLater, isOn }) => {
    const id = await aSubscription();

    await record(id, result);

    const [delivery] = await deliveries(id);
    expect([delivery?.state, delivery?.nextAttemptAt !== null]).toEqual([state, isDueLater]);
    expect((await receiver(id)).isEnabled).toBe(isOn);
  });

  test.each([
    [9_999, [1, 2, 3]],
    [10_000, [1, 2, 3]],
    [10_001, [2, 3]],
    [10_002, [3]],
  ])('after the change of number %d no longer has what lies ten thousand before it: %j', async (place, left) => {
    const [id, other] = [await aSubscription(), await aSubscription()];
    for (const number of [1, 2, 3]) for (const subject of [id, other]) await heard(subject, { number });
    const elsewhere = await heard(id, { number: 1, clinicId: records.otherClinicId });
    await records.database.prisma.delivery.updateMany({ where: { receiverId: id }, data: { place } });

    await record(id, delivered);

    const numbers = async (subject: string) =>
      (await eventsOf(subject)).flatMap((each) => (each.number === null || each.id === elsewhere ? [] : each.number));
    expect([await numbers(id), await numbers(other)]).toEqual([left, [1, 2, 3]]);
    expect((await eventsOf(id)).filter((each) => each.id === elsewhere)).toHaveLength(1);
  });
});

test('what is owed to one that has ended waits, and nothing that is owed to one that goes on, or to an endpoint, does', async () => {
  const { deliveries: sent, deliveryLeases } = records.stores;
  const [ended, going, endless] = [
    await aSubscription({ endsAt: seconds(600) }),
    await aSubscription({ endsAt: seconds(600) }),
    await aSubscription(),
  ];
  await records.database.prisma.fhirSubscription.update({
    where: { clinicId_id: { clinicId, id: ended } },
    data: { endsAt: seconds(-1) },
  });
  const subject = newId();
  await sent.emit({ clinicId, event: 'test', subject, data: { message: 'hello' } });
  const lease = (receiverId: string) => deliveryLeases.lease({ clinicId, subject: receiverId, receiverId });
  const isOn = { kind: 'leased', delivery: { isEnabled: true } };

  expect(await lease(ended)).toEqual({ kind: 'none' });
  for (const id of [going, endless]) expect(await lease(id)).toMatchObject(isOn);
  expect(await deliveryLeases.lease({ clinicId, subject })).toMatchObject(isOn);
  expect((await deliveries(ended)).map(({ state, nextAttemptAt }) => [state, nextAttemptAt])).toEqual([
    ['PENDING', null],
  ]);
});

describe('a change of one', () => {
  const change = (id: string, about: Partial<SubscriptionSettings> & { isOn?: boolean } = {}) =>
    stores().change(clinicId, id, { ...settings, isOn: true, ...about }, by);

  test('sets all of it, forgets how it failed, and leaves others', async () => {
    const [id, other] = [await aSubscription(), await aSubscription()];
    const failing = { failures: 4, failingSince: seconds(-60), pausedUntil: seconds(60), nextLookAt: seconds(60) };
    for (const each of [id, other])
      await records.database.prisma.receiver.update({
        where: { id: each },
        data: { ...failing, lastError: 'http_500', disabledReason: 'gone' },
      });
    const endsAt = seconds(600);
    const wanted = {
      content: 'full-resource' as const,
      reason: 'Another',
      patientId: 'patient',
      providerName: 'Dr.Vega',
      heartbeatSeconds: 30,
      endsAt,
    };

    const changed = await change(id, wanted);

    expect(changed).toMatchObject({ ...wanted, version: 2, lastError: null });
    expect(await receiver(id)).toMatchObject({
      failures: 0,
      failingSince: null,
      pausedUntil: null,
      nextLookAt: null,
      lastError: null,
      disabledReason: null,
    });
    expect(await receiver(other)).toMatchObject({ ...failing, lastError: 'http_500', name: 'Ours' });
    expect(await row(other)).toMatchObject({ content: 'id-only', version: 1 });
    expect(await change(newId())).toBeNull();
    const first = await records.stores.clinics.outboundEndpoint(clinicId);
    expect(await change(first.id ?? '')).toBeNull();
    const [entry] = (await records.stores.audit.list(clinicId, { limit: 1 })).items;
    expect(entry).toMatchObject({
      action: 'sandbox.subscription.change',
      subject: id,
      detail: { on: true, content: 'full-resource' },
    });
  });

  test.each<[string, { isEnabled?: boolean; lastError?: string }, boolean, number]>([
    ['was off', { isEnabled: false }, true, 1],
    ['failed', { lastError: 'http_500' }, true, 1],
    ['is well', {}, true, 0],
    ['goes off', {}, false, 0],
    ['failed, and goes off', { lastError: 'http_500' }, false, 0],
  ])('owes a handshake anew where it %s: %#', async (_how, before, isOn, handshakes) => {
    const [id, other] = [await aSubscription(), await aSubscription()];
    for (const each of [id, other]) await take(each);
    await records.database.prisma.receiver.update({ where: { id }, data: before });

    await change(id, { isOn });

    const pending = (await deliveries(id)).filter(({ state }) => state === 'PENDING');
    expect((await deliveries(id)).filter(({ state }) => state === 'DELIVERED')).toHaveLength(1);
    expect(pending.map(({ eventName }) => eventName)).toEqual(Array(handshakes).fill('subscription.handshake'));
    expect((await receiver(id)).isEnabled).toBe(isOn);
    expect(await names(other)).toEqual([['subscription.handshake', 0, 'DELIVERED']]);
  });

  test.each([true, false])('has all that was not taken owed anew, due while it is on: %s', async (isOn) => {
    const [id, other] = [await aSubscription(), await aSubscription()];
    for (const each of [id, other]) {
      await heard(each);
      await stores().events(clinicId, each, { from: 1, until: 10, limit: 10 });
    }
    const { prisma } = records.database;
    await prisma.delivery.updateMany({ where: { clinicId }, data: { state: 'DEAD', tries: 3, nextAttemptAt: null } });
    await prisma.delivery.updateMany({ where: { receiverId: id, place: 0 }, data: { state: 'DELIVERED' } });

    await change(id, { isOn });

    const shown = (await deliveries(id)).map(({ state, tries, nextAttemptAt }) => [
      state,
      tries,
      nextAttemptAt !== null,
    ]);
    expect(shown).toEqual([
      ['DELIVERED', 3, false],
      ['PENDING', 0, isOn],
    ]);
    expect((await deliveries(other)).map(({ state, tries }) => [state, tries])).toEqual([
      ['DEAD', 3],
      ['DEAD', 3],
    ]);
  });

  test('that switches it on again replaces the handshake that was not taken', async () => {
    const id = await aSubscription();
    await heard(id);
    await stores().events(clinicId, id, { from: 1, until: 10, limit: 10 });
    const [before] = await deliveries(id);
    await records.database.prisma.receiver.update({ where: { id }, data: { isEnabled: false } });

    await change(id);

    expect((await names(id)).map(([name]) => name)).toEqual(['subscription.handshake', 'subscription.event']);
    expect((await deliveries(id))[0]?.id).not.toBe(before?.id);
  });
});

test('one that is removed goes with its events and its secret, once; others stay', async () => {
  const [id, other] = [await aSubscription(), await aSubscription()];
  for (const each of [id, other]) await heard(each);

  expect([await stores().remove(clinicId, id, by), await stores().remove(clinicId, id, by)]).toEqual([true, false]);

  expect([await eventsOf(id), await deliveries(id), await stores().find(clinicId, id)]).toEqual([[], [], null]);
  expect(await records.stores.keys.signingSecrets(clinicId, id)).toEqual([]);
  expect([(await eventsOf(other)).length, (await deliveries(other)).length]).toEqual([2, 1]);
  expect(await records.stores.keys.signingSecrets(clinicId, other)).toHaveLength(1);
  const [entry] = (await records.stores.audit.list(clinicId, { limit: 1 })).items;
  expect(entry).toMatchObject({ action: 'sandbox.subscription.remove', subject: id });
});

describe('changes that one has heard of', () => {
  const events = async (id: string, from: number, until: number, limit = 10) =>
    (await stores().events(clinicId, id, { from, until, limit }))?.events.map(({ number, change }) => [
      number,
      change?.appointment.id ?? null,
    ]);

  test('have numbers in the order in which they were made, are owed, and are read by number', async () => {
    const [id, other] = [await aSubscription(), await aSubscription()];
    const first = [await heard(id), await heard(id)];
    await heard(other);
    await heard(id, { event: 'other' });

    expect(await events(id, 1, 10)).toEqual([
      [1, 'visit'],
      [2, 'visit'],
    ]);
    const third = await heard(id);
    expect(await events(id, 0, 10, 2)).toEqual([
      [1, 'visit'],
      [2, 'visit'],
    ]);
    expect(await events(id, 2, 3)).toEqual([
      [2, 'visit'],
      [3, 'visit'],
    ]);
    expect([await events(id, 2, 2), await events(id, 4, 9), await events(id, 3, 2)]).toEqual([[[2, 'visit']], [], []]);
    expect((await eventsOf(id)).filter(({ number }) => number !== null).map((event) => event.id)).toEqual([
      ...first,
      third,
    ]);
    expect((await names(id)).map(([name, place]) => [name, place])).toEqual([
      ['subscription.handshake', 0],
      ['subscription.event', 1],
      ['subscription.event', 2],
      ['subscription.event', 3],
    ]);
    expect((await stores().find(clinicId, id))?.lastNumber).toBe(3);
    expect((await stores().find(clinicId, other))?.lastNumber).toBe(0);
    expect(await stores().events(clinicId, newId(), { from: 1, until: 2, limit: 1 })).toBeNull();
  });

  test('say what they were about, and nothing once that is gone', async () => {
    const id = await aSubscription();
    const [whole, gone] = [await heard(id), await heard(id)];
    await heard(id);
    await events(id, 1, 10);
    await records.database.prisma.outboundEvent.update({ where: { id: gone }, data: { data: {} } });
    await records.database.prisma.outboundEvent.delete({ where: { id: whole } });

    expect(await events(id, 1, 10)).toEqual([
      [1, null],
      [2, null],
      [3, 'visit'],
    ]);
    const told = await stores().events(clinicId, id, { from: 3, until: 3, limit: 1 });
    expect(told?.events[0]?.change).toMatchObject({
      isNew: true,
      appointment: {
        id: 'visit',
        patientId: 'patient',
        version: 1,
        status: 'booked',
        startsAt: new Date('2035-03-05T10:00:00.000Z'),
        endsAt: new Date('2035-03-05T10:30:00.000Z'),
        changedBy: null,
      },
    });
  });
});

describe('preparing what is to be sent', () => {
  const prepared = async (id: string) =>
    (await names(id)).map(([name]) => name).filter((name) => name !== 'subscription.handshake');
  const set = (id: string, ofReceiver: object, ofSubscription: object) =>
    Promise.all([
      records.database.prisma.receiver.update({ where: { id }, data: ofReceiver }),
      records.database.prisma.fhirSubscription.update({
        where: { clinicId_id: { clinicId, id } },
        data: ofSubscription,
      }),
    ]);

  test.each<[string, object, object, 'heard' | 'quiet', string[]]>([
    ['a change was heard of', {}, {}, 'heard', ['subscription.event']],
    ['one that is off has heard of one', { isEnabled: false }, {}, 'heard', []],
    ['one that has ended has heard of one', {}, { endsAt: seconds(-1) }, 'heard', []],
    ['one that ends later has heard of one', {}, { endsAt: seconds(600) }, 'heard', ['subscription.event']],
    [
      'nothing was sent for long',
      {},
      { heartbeatSeconds: 60, sentAt: seconds(-61) },
      'quiet',
      ['subscription.heartbeat'],
    ],
    ['nothing was sent for a while', {}, { heartbeatSeconds: 60, sentAt: seconds(-50) }, 'quiet', []],
    ['nothing was sent for long, and no beats are wanted', {}, { sentAt: seconds(-600) }, 'quiet', []],
    ['nothing was ever taken', {}, { heartbeatSeconds: 60 }, 'quiet', []],
    [
      'it is off and nothing was sent',
      { isEnabled: false },
      { heartbeatSeconds: 60, sentAt: seconds(-61) },
      'quiet',
      [],
    ],
    ['a change comes with a beat', {}, { heartbeatSeconds: 60, sentAt: seconds(-61) }, 'heard', ['subscription.event']],
  ])('where %s: %#', async (_what, ofReceiver, ofSubscription, news, expected) => {
    const id = await aSubscription();
    await take(id);
    await set(id, ofReceiver, ofSubscription);
    if (news === 'heard') await heard(id);

    const count = await stores().prepare(1_000);

    expect([count, await prepared(id)]).toEqual([expected.length, expected]);
    expect(await stores().prepare(1_000)).toBe(0);
  });

  test('a beat waits for what is owed, and replaces the one that was taken last', async () => {
    const [id, other] = [await aSubscription(), await aSubscription()];
    await take(other);
    await set(id, {}, { heartbeatSeconds: 60, sentAt: seconds(-61) });
    await set(other, {}, { heartbeatSeconds: 60, sentAt: seconds(-61) });

    const whileOwed = await stores().prepare(1_000);
    await take(id);
    const once = await stores().prepare(1_000);
    await take(id);
    const again = await stores().prepare(1_000);

    expect([whileOwed, once, again]).toEqual([1, 1, 1]);
    expect([await prepared(id), await prepared(other)]).toEqual([
      ['subscription.heartbeat'],
      ['subscription.heartbeat'],
    ]);
  });

  test('is done for so many at once', async () => {
    const ids = [await aSubscription(), await aSubscription()];
    for (const id of ids) await heard(id);

    expect([await stores().prepare(1), await stores().prepare(1), await stores().prepare(1)]).toEqual([1, 1, 0]);
  });
});

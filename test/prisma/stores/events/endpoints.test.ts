import { randomBytes } from 'node:crypto';
import { MAX_ENDPOINTS } from '@clinic/shared/domain/events/delivery-owner';
import { nextLook } from '@clinic/prisma/stores/events/receivers';
import { newId } from '@clinic/shared/crypto';
import { openRecords, type OpenedRun, type Records } from '../../../support/records';

let records: Records;
let clinicId: string;
beforeAll(async () => {
  records = await openRecords();
});
beforeEach(async () => {
  clinicId = await records.aClinic('Harbor');
});
afterAll(() => records.close());

const by = { actor: 'account:ann' };
const seconds = (count: number) => new Date(Date.now() + count * 1_000);
const settings = {
  name: 'Ours',
  url: 'https://owner.example/events',
  isEnabled: true,
  events: ['recovery_case.outcome'],
};
const endpoints = () => records.stores.endpoints;
async function anEndpoint(about: object = {}): Promise<string> {
  const added = await endpoints().add(clinicId, { ...settings, ...about }, by);
  if (!added) throw new Error('there are too many');
  return added.endpoint.id;
}
const receiver = (id: string) => records.database.prisma.receiver.findUniqueOrThrow({ where: { id } });
const first = async () => (await records.stores.clinics.outboundEndpoint(clinicId)).id ?? '';
const latest = async () => (await records.stores.audit.list(clinicId, { limit: 1 })).items[0];

/** Owed to a receiver, due since a minute ago. */
async function aDelivery(receiverId: string, about: object = {}, subject = newId()): Promise<string> {
  const id = newId();
  const { prisma } = records.database;
  await prisma.outboundEvent.create({
    data: { id, clinicId, event: `event-${id}`, subject, data: { a: 1 }, onlyTo: 'nobody' },
  });
  await prisma.delivery.create({
    data: {
      id,
      clinicId,
      eventId: id,
      receiverId,
      eventName: 'recovery_case.outcome',
      subject,
      place: 1,
      nextAttemptAt: seconds(-60),
      ...about,
    },
  });
  return id;
}
const delivery = (id: string) => records.database.prisma.delivery.findUniqueOrThrow({ where: { id } });

/** What is no further endpoint of the clinic: its first one, a subscription, one that was removed. */
const others: [string, () => Promise<string>][] = [
  ['the first endpoint', first],
  [
    'a subscription',
    async () => {
      const id = newId();
      const data = { id, clinicId, kind: 'subscription', name: 'Sub', url: 'https://owner.example/changes' };
      await records.database.prisma.receiver.create({ data });
      return id;
    },
  ],
  [
    'one that was removed',
    async () => {
      const id = await anEndpoint();
      await endpoints().remove(clinicId, id, by);
      return id;
    },
  ],
  ['one that is not there', () => Promise.resolve(newId())],
];

test.each(others)('%s is not found, listed, changed or removed as a further endpoint', async (_which, make) => {
  const id = await make();
  const kept = await records.database.prisma.receiver.findUnique({ where: { id } });

  expect(await endpoints().find(clinicId, id)).toBeNull();
  expect(await endpoints().list(clinicId)).toEqual([]);
  expect(await endpoints().change(clinicId, id, { ...settings, name: 'Another' }, by)).toBeNull();
  expect(await endpoints().remove(clinicId, id, by)).toBe(false);
  expect(await records.database.prisma.receiver.findUnique({ where: { id } })).toEqual(kept);
});

test('one that is added has a secret, counts beside the first, and is in the audit; the oldest is listed first', async () => {
  const added = await endpoints().add(clinicId, settings, by);
  const id = added?.endpoint.id ?? '';
  await records.database.prisma.receiver.update({ where: { id }, data: { createdAt: seconds(-60) } });

  expect(added?.endpoint).toMatchObject({ ...settings, disabledReason: null });
  expect(await records.stores.keys.signingSecrets(clinicId, id)).toEqual([added?.secret]);
  expect(await latest()).toMatchObject({
    action: 'endpoint.add',
    subject: id,
    detail: { name: 'Ours', host: 'owner.example', enabled: true, events: settings.events },
  });
  const ids = [id];
  for (let count = 2; count < MAX_ENDPOINTS; count += 1) ids.push(await anEndpoint());
  expect(await endpoints().add(clinicId, settings, by)).toBeNull();
  expect((await endpoints().list(clinicId)).map((each) => each.id)).toEqual(ids);
  await endpoints().remove(clinicId, id, by);
  expect(await endpoints().add(clinicId, settings, by)).not.toBeNull();
});

test('one that is added by a request that is repeated is the one from before, with its secret, until it is removed', async () => {
  const made = { id: 'request-1', bytes: randomBytes(32), wasMade: false };
  const add = (wasMade: boolean) => endpoints().add(clinicId, settings, by, { ...made, wasMade });

  const [added, again] = [await add(false), await add(true)];
  const listed = await endpoints().list(clinicId);

  expect(again).toEqual(added);
  expect(listed).toEqual([added?.endpoint]);
  expect(await records.stores.keys.signingSecrets(clinicId, added?.endpoint.id ?? '')).toEqual([added?.secret]);
  await endpoints().remove(clinicId, added?.endpoint.id ?? '', by);
  await expect(add(true)).rejects.toThrow(/is gone/);
});

test.each([
  [settings.url, false],
  ['https://other.example/events', true],
])('a change to %s begins with a clean bill of health: %s; the others stay as they are', async (url, isClean) => {
  const [id, other] = [await anEndpoint(), await anEndpoint()];
  const health = { failures: 4, failingSince: seconds(-60), pausedUntil: seconds(60), nextLookAt: seconds(60) };
  for (const each of [id, other])
    await records.database.prisma.receiver.update({
      where: { id: each },
      data: { ...health, goneSince: seconds(-60), disabledReason: 'gone' },
    });

  const changed = await endpoints().change(clinicId, id, { name: 'New', url, isEnabled: false, events: [] }, by);

  expect(changed).toMatchObject({ id, name: 'New', url, isEnabled: false, events: [], disabledReason: null });
  const none = { failures: 0, failingSince: null, pausedUntil: null, nextLookAt: null };
  expect(await receiver(id)).toMatchObject({ ...(isClean ? none : health), goneSince: null });
  expect(await receiver(other)).toMatchObject({ ...health, name: 'Ours', disabledReason: 'gone' });
  expect(await latest()).toMatchObject({
    action: 'endpoint.change',
    subject: id,
    detail: { name: 'New', enabled: false },
  });
});

test('one that is removed has what waits for it ended, but what is just sent; nothing else is', async () => {
  const [id, other] = [await anEndpoint(), await anEndpoint()];
  const waiting = await aDelivery(id);
  const lost = await aDelivery(id, { leasedUntil: seconds(-1), leaseToken: 'old' });
  const under = await aDelivery(id, { leasedUntil: seconds(20), leaseToken: 'new' });
  const done = await aDelivery(id, { state: 'DELIVERED', nextAttemptAt: null });
  const theirs = await aDelivery(other);

  expect([await endpoints().remove(clinicId, id, by), await endpoints().remove(clinicId, id, by)]).toEqual([
    true,
    false,
  ]);

  const states = async () =>
    (await Promise.all([waiting, lost, under, done, theirs].map(delivery))).map(({ state }) => state);
  expect(await states()).toEqual(['DEAD', 'DEAD', 'PENDING', 'DELIVERED', 'PENDING']);
  expect(await delivery(lost)).toMatchObject({ nextAttemptAt: null, leasedUntil: null, leaseToken: null });
  const attempts = await records.database.prisma.deliveryAttempt.findMany({ where: { clinicId } });
  expect(new Set(attempts.map(({ deliveryId, error }) => `${deliveryId} ${error}`))).toEqual(
    new Set([`${waiting} endpoint_removed`, `${lost} endpoint_removed`]),
  );
  expect(await records.stores.keys.signingSecrets(clinicId, id)).toEqual([]);
  expect(await records.stores.keys.signingSecrets(clinicId, other)).toHaveLength(1);
  expect(await receiver(id)).toMatchObject({ isEnabled: false });
  expect((await endpoints().list(clinicId)).map((each) => each.id)).toEqual([other]);
  expect(await latest()).toMatchObject({ action: 'endpoint.remove', subject: id, detail: { name: 'Ours' } });
});

test('who waits for an endpoint has a turn there, one after the other, and no other endpoint is looked at later', async () => {
  const [id, other] = [await anEndpoint(), await anEndpoint()];
  const look = () => records.database.transaction((tx) => nextLook(tx, { clinicId, receiverId: id, afterMs: 1_000 }));

  const [one, next] = [await look(), await look()];

  expect(one.getTime() - Date.now()).toBeLessThanOrEqual(1_000);
  expect(next.getTime() - one.getTime()).toBe(1_000);
  expect([(await receiver(id)).nextLookAt, (await receiver(other)).nextLookAt]).toEqual([next, null]);
});

describe('deliveries', () => {
  test('how a receiver does counts its own of the last day alone', async () => {
    const { prisma } = records.database;
    const [id, other] = [await anEndpoint(), await anEndpoint()];
    const [one, theirs] = [await aDelivery(id), await aDelivery(other, { state: 'DEAD' })];
    await aDelivery(id);
    await aDelivery(id, { state: 'DEAD', nextAttemptAt: null });
    await aDelivery(id, { state: 'DELIVERED', nextAttemptAt: null });
    const attempt = (deliveryId: string, receiverId: string, about: object) =>
      prisma.deliveryAttempt.create({
        data: { id: newId(), clinicId, deliveryId, receiverId, url: settings.url, durationMs: 10, ...about },
      });
    const hour = (hours: number) => new Date(Math.floor(Date.now() / 3_600_000) * 3_600_000 - hours * 3_600_000 + 1);
    for (const status of [200, 299, 199, 300, null]) await attempt(one, id, { status, at: hour(2) });
    await attempt(one, id, { status: 204, at: hour(3), durationMs: 70 });
    await attempt(one, id, { status: 200, at: seconds(-86_401) });
    await attempt(theirs, other, { status: 500, at: hour(2) });
    await prisma.receiver.update({ where: { id }, data: { failures: 2, pausedUntil: seconds(-1) } });

    const shown = await records.stores.deliveries.receiver(clinicId, id);

    expect(shown).toMatchObject({
      url: settings.url,
      isEnabled: true,
      failures: 2,
      pausedUntil: null,
      waiting: 2,
      failed: 1,
    });
    expect(shown.hours.map(({ delivered, failed, slowestMs }) => [delivered, failed, slowestMs])).toEqual([
      [1, 0, 70],
      [2, 3, 10],
    ]);
    const pausedUntil = seconds(60);
    await prisma.receiver.update({ where: { id }, data: { pausedUntil } });
    expect((await records.stores.deliveries.receiver(clinicId, id)).pausedUntil).toEqual(pausedUntil);
    expect(await records.stores.deliveries.receiver(clinicId, newId())).toMatchObject({
      url: null,
      isEnabled: false,
      waiting: 0,
    });
  });

  test('are listed by each condition, and told of their run, patient and endpoint', async () => {
    const recovery = await records.aCase({ clinicId });
    const run = await records.aRun({ clinicId });
    const id = await anEndpoint();
    const start = await first();
    const at = (hour: number) => new Date(Date.UTC(2035, 0, 1, hour));
    const one = await aDelivery(id, { createdAt: at(1) }, recovery.caseId ?? '');
    const two = await aDelivery(start, { createdAt: at(2), state: 'DEAD' }, run.workflowId);
    const three = await aDelivery(id, { createdAt: at(3), eventName: 'other' });
    const list = async (filter: object) => {
      const from = at(0).toISOString();
      const { items } = await records.stores.deliveries.list(clinicId, { limit: 50, from, ...filter });
      const { count } = await records.stores.deliveries.count(clinicId, { from, ...filter });
      expect([filter, count]).toEqual([filter, items.length]);
      return items.map((item) => item.id);
    };

    expect(await list({})).toEqual([three, two, one]);
    expect(await list({ state: 'DEAD' })).toEqual([two]);
    expect(await list({ event: 'other' })).toEqual([three]);
    expect(await list({ subject: run.workflowId })).toEqual([two]);
    expect(await list({ receiverId: id })).toEqual([three, one]);
    expect(await list({ from: at(2).toISOString(), until: at(3).toISOString() })).toEqual([two]);
    const { items } = await records.stores.deliveries.list(clinicId, {
      limit: 50,
      from: at(0).toISOString(),
      order: 'oldest',
    });
    const told = (of: OpenedRun) => ({
      workflowId: of.workflowId,
      patientId: of.patientId,
      caseId: of.caseId,
      firstName: 'Ann',
    });
    expect(items.map(({ about }) => about)).toMatchObject([told(recovery), told(run), null]);
    expect(items.map(({ endpoint }) => endpoint)).toEqual([
      { id, name: 'Ours', kind: 'endpoint' },
      null,
      { id, name: 'Ours', kind: 'endpoint' },
    ]);
  });

  test.each<[string, object, object, string | null]>([
    ['is dead', { state: 'DEAD', nextAttemptAt: null }, {}, null],
    ['was delivered', { state: 'DELIVERED', nextAttemptAt: null }, {}, null],
    ['is under way', { leasedUntil: new Date('2100-01-01T00:00:00Z') }, {}, 'conflict'],
    ['was under way', { leasedUntil: new Date('2020-01-01T00:00:00Z') }, {}, null],
    ['is to an endpoint that was removed', {}, { removedAt: new Date() }, 'conflict'],
    ['is to an endpoint that is off', {}, { isEnabled: false }, null],
    ['is to a subscription that is off', {}, { kind: 'subscription', isEnabled: false }, 'conflict'],
    ['is to a subscription that is on', {}, { kind: 'subscription' }, null],
  ])('one that %s is sent again as it may be: %#', async (_how, about, ofReceiver, refusal) => {
    const id = await anEndpoint();
    const paused = { pausedUntil: seconds(60) };
    const other = await anEndpoint();
    for (const each of [id, other])
      await records.database.prisma.receiver.update({ where: { id: each }, data: paused });
    const [mine, theirs] = [
      await aDelivery(id, { tries: 5, deliveredAt: new Date(), leaseToken: 'old', ...about }),
      await aDelivery(id, { tries: 5, state: 'DEAD' }),
    ];
    await records.database.prisma.receiver.update({ where: { id }, data: ofReceiver });
    const before = await delivery(mine);

    const result = await records.stores.deliveries
      .resend(clinicId, mine)
      .catch((error: { code?: string }) => error.code);

    if (refusal) expect([result, await delivery(mine)]).toEqual([refusal, before]);
    else {
      expect(result).toEqual({ clinicId, subject: before.subject, receiverId: id });
      expect(await delivery(mine)).toMatchObject({ state: 'PENDING', tries: 0, deliveredAt: null, leaseToken: null });
      expect(Math.abs(((await delivery(mine)).nextAttemptAt?.getTime() ?? 0) - Date.now())).toBeLessThan(20_000);
      expect((await receiver(id)).pausedUntil).toBeNull();
    }
    expect((await delivery(theirs)).state).toBe('DEAD');
    expect((await receiver(other)).pausedUntil).toEqual(paused.pausedUntil);
  });

  test('one whose body was purged is not sent again to an endpoint', async () => {
    const mine = await aDelivery(await anEndpoint(), { state: 'DEAD' });
    await records.database.prisma.outboundEvent.update({ where: { id: mine }, data: { data: {} } });

    await expect(records.stores.deliveries.resend(clinicId, mine)).rejects.toMatchObject({ code: 'conflict' });
    expect((await delivery(mine)).state).toBe('DEAD');
    expect(await records.stores.deliveries.resend(clinicId, newId())).toBeNull();
  });

  test('are owed about a subject to those for whom one waits', async () => {
    const [one, two] = [await anEndpoint(), await anEndpoint()];
    await aDelivery(one, {}, 'subject');
    await aDelivery(one, { place: 2 }, 'subject');
    await aDelivery(two, { state: 'DEAD' }, 'subject');
    await aDelivery(two, {}, 'another');

    expect(await records.stores.deliveryLeases.receiversOf(clinicId, 'subject')).toEqual([one]);
  });
});

describe('what a run has still to tell', () => {
  const notice = (workflowId: string, about: object = {}) =>
    records.database.prisma.clinicNotice.create({
      data: { clinicId, workflowId, action: 'patient.upsert', subject: 'call', createdAt: seconds(-60), ...about },
    });
  const left = async () =>
    (await records.database.prisma.clinicNotice.findMany({ where: { clinicId } })).map(
      ({ workflowId, action, subject }) => `${workflowId} ${action} ${subject}`,
    );

  test('is settled for one run, action and subject', async () => {
    const [run, other] = [await records.aRun({ clinicId }), await records.aRun({ clinicId })];
    const mine = await notice(run.workflowId);
    const kept = [
      await notice(run.workflowId, { subject: 'another' }),
      await notice(run.workflowId, { action: 'note.write' }),
      await notice(other.workflowId),
    ];

    await records.stores.clinicNotices.settle({
      clinicId,
      workflowId: mine.workflowId,
      action: 'patient.upsert',
      callId: 'call',
    });

    expect(new Set(await left())).toEqual(
      new Set(kept.map(({ workflowId, action, subject }) => `${workflowId} ${action} ${subject}`)),
    );
  });

  test('is found by run, once each, from an instant before and after an id; given up with a task unless staff know', async () => {
    const recovery = await records.aCase({ clinicId });
    const [run, young] = [await records.aRun({ clinicId }), await records.aRun({ clinicId })];
    for (const { workflowId } of [recovery, run]) await notice(workflowId);
    await notice(run.workflowId, { subject: 'another' });
    await notice(young.workflowId, { createdAt: seconds(60) });
    const { clinicNotices, tasks } = records.stores;
    const owing = async (limit: number, after = '') =>
      (await clinicNotices.owing(seconds(0), limit, after)).filter((each) => each.clinicId === clinicId);

    const found = await owing(1_000);
    const ids = found.map(({ workflowId }) => workflowId);

    expect(new Set(ids)).toEqual(new Set([recovery.workflowId, run.workflowId]));
    expect(ids).toEqual(ids.toSorted());
    expect(found).toContainEqual({
      clinicId,
      workflowId: recovery.workflowId,
      patientId: recovery.patientId,
      caseId: recovery.caseId,
    });
    expect(found).toContainEqual({ clinicId, workflowId: run.workflowId, patientId: run.patientId, caseId: null });
    expect((await owing(1_000, ids[0])).map(({ workflowId }) => workflowId)).toEqual(ids.slice(1));
    for (const each of found) await clinicNotices.giveUp(each, { isKnown: each.caseId === null });
    expect(await left()).toEqual([`${young.workflowId} patient.upsert call`]);
    expect((await tasks.list(clinicId, { limit: 5 })).items).toMatchObject([
      {
        reason: 'clinic_system_not_told',
        cause: `clinic_system_not_told:${recovery.caseId}`,
        patientId: recovery.patientId,
        caseId: recovery.caseId,
        workflowId: recovery.workflowId,
      },
    ]);
  });
});

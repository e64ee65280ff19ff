import { Webhook } from 'standardwebhooks';
import { TOPIC_ID } from '@clinic/shared/contracts/events/subscriptions';
import { type App, startApp } from '../../support/app';
import type { Answer } from '../../support/clinic-client';
import { eventually } from '../../support/eventually';
import { aBooking, aMatch, type FhirClinic, openSandbox } from '../../support/fhir';
import { startHttpReceiver, type HttpReceiver, type ReceivedRequest } from '../../support/outside/http-receiver';
import { assertR4 } from '../../support/r4';

/** FHIR topic subscriptions of a sandbox: what a subscriber is sent of each change of an appointment. */

let app: App;
let clinic: FhirClinic;
let other: FhirClinic;
const receivers: HttpReceiver[] = [];

// Each test has its own, and a sandbox has ten at most.
// What is being sent meanwhile may be in the way: a transaction is tried again after a deadlock.
afterEach(() =>
  app.database.transaction(async (tx) => {
    await tx`delete from outbound_events where starts_with(event, 'subscription.')`;
    await tx`delete from receivers where kind = 'subscription'`;
  }),
);
beforeAll(async () => {
  app = await startApp();
  [clinic, other] = await Promise.all([openSandbox(app), openSandbox(app, app.otherClinic)]);
});
afterAll(async () => {
  await Promise.all(receivers.map((receiver) => receiver.close()));
  await app.stop();
});

const BACKPORT = 'http://hl7.org/fhir/uv/subscriptions-backport/StructureDefinition';
const aReceiver = async () => {
  const receiver = await startHttpReceiver();
  receivers.push(receiver);
  return receiver;
};

const aSubscription = ({
  endpoint,
  content = 'id-only',
  filter,
  ...rest
}: { endpoint: string; content?: string; filter?: string } & Record<string, unknown>) => ({
  resourceType: 'Subscription',
  status: 'requested',
  reason: 'To keep our calendar as the EHR has it',
  criteria: `${app.baseUrl}/Basic/${TOPIC_ID}`,
  ...(filter !== undefined && {
    _criteria: { extension: [{ url: `${BACKPORT}/backport-filter-criteria`, valueString: filter }] },
  }),
  channel: {
    type: 'rest-hook',
    endpoint,
    payload: 'application/fhir+json',
    _payload: { extension: [{ url: `${BACKPORT}/backport-payload-content`, valueCode: content }] },
  },
  ...rest,
});

interface Subscribed {
  id: string;
  secret: string;
  bearer: string;
  receiver: HttpReceiver;
}

/** A subscription that has taken its handshake. */
async function subscribed({
  bearer = clinic.admin,
  receiver,
  ...about
}: { bearer?: string; receiver?: HttpReceiver; content?: string; filter?: string } = {}): Promise<Subscribed> {
  const to = receiver ?? (await aReceiver());
  const answer = await asked('POST', '/Subscription', { bearer, body: aSubscription({ endpoint: to.url, ...about }) });
  expect([answer.status, answer.text]).toEqual([201, expect.stringContaining('"requested"')]);
  const secret = answer.body.channel.extension.find(({ url }: { url: string }) => url.endsWith('/signing-secret'));
  const made = { id: answer.body.id, secret: secret.valueString, bearer, receiver: to };
  await eventually(async () => (await statusOf(made)) === 'active');
  return made;
}

const asked = (method: string, path: string, { bearer, body }: { bearer: string; body?: unknown }): Promise<Answer> =>
  app.request(method, path, {
    bearer,
    body,
    headers: body === undefined ? {} : { 'content-type': 'application/fhir+json' },
  });
const read = ({ id, bearer }: Subscribed) => asked('GET', `/Subscription/${id}`, { bearer });
const statusOf = async (subscription: Subscribed) => (await read(subscription)).body.status;

interface Told {
  type: string;
  /** Of the subscription, when it was told. */
  status: string;
  /** How many events there have been. */
  count: number;
  numbers: number[];
  focus: (string | undefined)[];
  /** What the entries behind the status hold. */
  resources: { id: string; status: string; meta: { versionId: string } }[];
}

interface Parameter {
  name: string;
  part?: Parameter[];
  valueCode?: string;
  valueString?: string;
  valueReference?: { reference: string };
}

/** What a Bundle tells; it is valid R4. */
function toldBy(bundle: { entry: { resource: { parameter: Parameter[] } & Told['resources'][number] }[] }): Told {
  assertR4(bundle);
  const [status, ...more] = bundle.entry.map(({ resource }) => resource);
  const parameters = status?.parameter ?? [];
  const named = (name: string, of = parameters) => of.find((each) => each.name === name);
  const events = parameters.filter(({ name }) => name === 'notification-event');
  return {
    type: named('type')?.valueCode ?? '',
    status: named('status')?.valueCode ?? '',
    count: Number(named('events-since-subscription-start')?.valueString),
    numbers: events.map(({ part }) => Number(named('event-number', part)?.valueString)),
    focus: events.map(({ part }) => named('focus', part)?.valueReference?.reference.split('/').at(-1)),
    resources: more,
  };
}

/** Everything that came, repetitions included; each carries a signature that holds. */
function received({ receiver, secret }: Subscribed): Told[] {
  return receiver.received.map(({ body, headers }) => {
    new Webhook(secret).verify(body, headers as Record<string, string>);
    expect(headers['content-type']).toBe('application/fhir+json');
    return toldBy(JSON.parse(body));
  });
}

const notified = (subscription: Subscribed): Told[] =>
  received(subscription).filter(({ type }) => type === 'event-notification');

/** Waits until so many events have come. */
async function heard(subscription: Subscribed, count: number): Promise<Told[]> {
  const { received: requests } = subscription.receiver;
  await eventually(() => requests.filter(({ body }) => body.includes('"event-notification"')).length >= count);
  return notified(subscription);
}

const eventsOf = async ({ id, bearer }: Subscribed, query = '') => {
  const answer = await asked('GET', `/Subscription/${id}/$events${query}`, { bearer });
  expect(answer.status).toBe(200);
  return toldBy(answer.body);
};
const upTo = (count: number) => Array.from({ length: count }, (_, index) => index + 1);

test('a subscription that is asked for again because its answer was lost is the same one, with its secret', async () => {
  const receiver = await aReceiver();
  const body = aSubscription({ endpoint: receiver.url });
  const askAgain = () =>
    app.request('POST', '/Subscription', {
      bearer: clinic.admin,
      body,
      headers: { 'content-type': 'application/fhir+json', 'idempotency-key': 'lost-subscription' },
    });
  const first = await askAgain();
  await eventually(
    async () =>
      (await asked('GET', `/Subscription/${first.body.id}`, { bearer: clinic.admin })).body.status === 'active',
  );

  const again = await askAgain();

  expect([first.status, again.status, again.body.id]).toEqual([201, 201, first.body.id]);
  expect(again.body.channel.extension).toEqual(first.body.channel.extension);
  expect((await asked('GET', '/Subscription', { bearer: clinic.admin })).body.total).toBe(1);
  expect((await asked('DELETE', `/Subscription/${first.body.id}`, { bearer: clinic.admin })).status).toBe(204);
  expect((await askAgain()).status).toBe(422);
});

test('a handshake, then one event for each change: booked, moved, cancelled, confirmed, fulfilled', async () => {
  const subscription = await subscribed({ content: 'full-resource' });
  const [first, second] = [await clinic.aStart('Dr.Patel'), await clinic.aStart('Dr.Patel')];
  const booked = await clinic.aBooked({ provider: 'Dr.Patel', start: first });
  await clinic.reschedule(booked.id, second);
  await clinic.reschedule(booked.id, second);
  await clinic.cancel(booked.id);
  await clinic.cancel(booked.id);
  const hold = aBooking({ patient: await clinic.aPatient(), provider: 'Dr.Patel', start: first });
  const held = (await clinic.post('/Appointment/$hold', hold)).body.id;
  await clinic.post(`/Appointment/${held}/$confirm`);

  const told = await heard(subscription, 4);

  expect(received(subscription)[0]).toMatchObject({ type: 'handshake', status: 'requested', count: 0, numbers: [] });
  expect(told.map(({ status }) => status)).toEqual(told.map(() => 'active'));
  expect(told.map(({ numbers }) => numbers)).toEqual([[1], [2], [3], [4]]);
  expect(told.map(({ count }) => count)).toEqual([1, 2, 3, 4]);
  expect(told.map(({ resources: [shown] }) => [shown?.id, shown?.status])).toEqual([
    [booked.id, 'booked'],
    [booked.id, 'booked'],
    [booked.id, 'cancelled'],
    [held, 'booked'],
  ]);

  const clock = { at: new Date(Date.now() + 20 * 86_400_000).toISOString() };
  await app.request('PUT', '/sandbox/clock', { body: clock, bearer: clinic.admin });
  const isFulfilled = ({ resources: [shown] }: Told) => shown?.id === held && shown?.status === 'fulfilled';
  await eventually(() => notified(subscription).some(isFulfilled));
  await app.request('DELETE', '/sandbox/clock', { bearer: clinic.admin });
});

test('50 people at a time who book, move and cancel: numbers without a gap or a double, in order, and $events says the same', async () => {
  const subscription = await subscribed();
  const stranger = await subscribed({ bearer: other.admin });
  const starts = (await clinic.slotsAhead('Dr.Chen')).slice(0, 100).map(({ start }) => start);
  const patients = await Promise.all(Array.from({ length: 50 }, () => clinic.aPatient()));

  // Anyone who asks gives the changes their numbers, too.
  let isChanging = true;
  const asking = [1, 2, 3, 4].map(async () => {
    while (isChanging) await eventsOf(subscription);
  });
  const changes = await Promise.all(
    patients.map(async (patient, index) => {
      // Two want each time, and one of them gets it.
      const booked = await clinic.book({ patient, start: starts[index >> 1] ?? '' });
      if (booked.status !== 200) return 0;
      const { id } = booked.body;
      const moved = await clinic.reschedule(id, starts[50 + index]);
      const cancelled = await clinic.cancel(id);
      return [booked, moved, cancelled].filter(({ status }) => status === 200).length;
    }),
  );
  isChanging = false;
  await Promise.all(asking);
  const count = changes.reduce((sum, each) => sum + each, 0);
  const told = await heard(subscription, count);
  const listed = await eventsOf(subscription);

  expect(count).toBeGreaterThanOrEqual(75);
  expect(told.flatMap(({ numbers }) => numbers)).toEqual(upTo(count));
  expect(listed.numbers).toEqual(upTo(count));
  expect(listed.count).toBe(count);
  expect(listed.focus).toEqual(told.flatMap(({ focus }) => focus));
  const full = await eventsOf(subscription, '?content=full-resource&eventsSinceNumber=1');
  for (const id of new Set(full.resources.map((each) => each.id))) {
    const versions = full.resources.flatMap((each) => (each.id === id ? Number(each.meta.versionId) : []));
    expect(versions).toEqual(upTo(versions.length));
  }
  expect(await eventsOf(subscription, '?eventsSinceNumber=3&eventsUntilNumber=5')).toMatchObject({
    numbers: [3, 4, 5],
  });
  expect(notified(stranger)).toEqual([]);
  expect((await eventsOf(stranger)).count).toBe(0);
});

test('a receiver that is down for a while gets all of it afterwards, in order', async () => {
  const subscription = await subscribed();
  const { id, receiver } = subscription;
  receiver.answer((_request, response) => response.writeHead(503).end());
  const before = receiver.received.length;
  const booked = await clinic.aBooked();
  await eventually(() => receiver.received.length > before);
  await eventually(async () => (await statusOf(subscription)) === 'error');
  await clinic.cancel(booked.id);
  const failing = (await asked('GET', `/Subscription/${id}/$status`, subscription)).body.entry[0].resource;
  expect(JSON.stringify(failing)).toContain('http_503');
  assertR4((await read(subscription)).body);

  receiver.answer((_request, response) => response.writeHead(204).end());
  await app.database.sql`update deliveries set next_attempt_at = now() where receiver_id = ${id} and state = 'PENDING'`;
  await eventually(async () => (await statusOf(subscription)) === 'active');

  const told = await heard(subscription, 3);
  const [refused, ...taken] = told.map(({ numbers }) => numbers[0]);
  expect(refused).toBe(1);
  expect(taken.filter((each, index) => each !== taken[index - 1])).toEqual([1, 2]);
  const ids = new Set(receiver.received.map(({ headers }) => headers['webhook-id']));
  expect(ids.size).toBe(3);
});

test('what it is sent is listed and sent again as the deliveries of endpoints are', async () => {
  const subscription = await subscribed();
  const { id, bearer, receiver } = subscription;
  await clinic.aBooked();
  await heard(subscription, 1);
  const listed = async () => (await asked('GET', `/deliveries?endpointId=${id}`, { bearer })).body.items;
  await eventually(async () => (await listed())[0]?.state === 'DELIVERED');
  const [event, handshake] = await listed();
  const resend = () => app.request('POST', `/deliveries/${event.id}/resend`, { bearer });

  const again = await resend();
  const told = await heard(subscription, 2);
  await eventually(async () => (await listed())[0]?.state === 'DELIVERED');
  await asked('PUT', `/Subscription/${id}`, {
    bearer,
    body: aSubscription({ endpoint: receiver.url, id, status: 'off' }),
  });
  const whileOff = await resend();
  const elsewhere = await asked('GET', `/deliveries/${event.id}`, { bearer: other.admin });

  expect([event.event, handshake.event]).toEqual(['subscription.event', 'subscription.handshake']);
  expect(event.endpoint).toEqual({ id, kind: 'subscription', name: 'To keep our calendar as the EHR has it' });
  expect(again.status).toBe(200);
  expect(told.map(({ numbers }) => numbers)).toEqual([[1], [1]]);
  const ids = receiver.received.map(({ headers }) => headers['webhook-id']);
  expect(ids[2]).toBe(ids[1]);
  expect([whileOff.status, elsewhere.status]).toEqual([409, 404]);
});

test('two changes that have one number, as after a restore of the records, are never sent under one id', async () => {
  const subscription = await subscribed();
  const { id, receiver } = subscription;
  await clinic.aBooked();
  await heard(subscription, 1);
  await eventually(
    async () => (await app.database.prisma.delivery.count({ where: { receiverId: id, state: 'PENDING' } })) === 0,
  );
  await app.database.sql`delete from outbound_events where subject = ${id} and number = 1`;
  await app.database.sql`update fhir_subscriptions set last_number = 0 where id = ${id}`;

  await clinic.aBooked();
  const told = await heard(subscription, 2);

  const [, ...changes] = receiver.received.map(({ headers }) => headers['webhook-id']);
  expect(told.map(({ numbers }) => numbers)).toEqual([[1], [1]]);
  expect(new Set(changes).size).toBe(2);
});

test('at the end of the schedule it is switched off with its reason, and on again it passes nothing over', async () => {
  const subscription = await subscribed();
  const { id, bearer, receiver } = subscription;
  receiver.answer((_request, response) => response.writeHead(503).end());
  const [first, second] = [await clinic.aBooked(), await clinic.aBooked()];
  await eventually(async () => (await statusOf(subscription)) === 'error');
  const last = { tries: 10, nextAttemptAt: new Date() };
  const { database } = app;
  const waiting = () => database.prisma.delivery.findMany({ where: { receiverId: id, NOT: { state: 'DELIVERED' } } });
  await eventually(async () => (await waiting()).length === 2);
  await database.prisma.delivery.updateMany({ where: { receiverId: id, state: 'PENDING' }, data: last });
  await database.prisma.receiver.update({ where: { id }, data: { pausedUntil: null } });
  await eventually(async () => (await waiting()).some(({ state }) => state === 'DEAD'));
  await eventually(async () => (await waiting()).every(({ nextAttemptAt }) => nextAttemptAt === null));
  const off = await read(subscription);

  receiver.answer((_request, response) => response.writeHead(204).end());
  const from = receiver.received.length;
  await asked('PUT', `/Subscription/${id}`, { bearer, body: aSubscription({ endpoint: receiver.url, id }) });
  await eventually(() => receiver.received.length - from >= 3);

  expect([off.body.status, off.body.error]).toEqual(['error', 'http_503']);
  const after = received(subscription).slice(from);
  expect(after.map(({ type }) => type)).toEqual(['handshake', 'event-notification', 'event-notification']);
  expect(after.flatMap(({ focus }) => focus)).toEqual([first.id, second.id]);
});

test('filters by patient and practitioner; `empty` says that something happened and nothing of what', async () => {
  const [patient, sibling] = [await clinic.aPatient(), await clinic.aPatient()];
  const ofPatient = await subscribed({ filter: `Appointment?patient=Patient/${patient}`, content: 'empty' });
  const ofChen = await subscribed({ filter: 'practitioner=Practitioner/Dr.Chen' });

  const theirs = await clinic.aBooked({ patient, provider: 'Dr.Patel' });
  const withChen = await clinic.aBooked({ patient: sibling, provider: 'Dr.Chen' });
  const [toPatient] = await heard(ofPatient, 1);
  const [toChen] = await heard(ofChen, 1);

  expect(toPatient).toMatchObject({ numbers: [1], focus: [undefined], resources: [] });
  expect(ofPatient.receiver.received.map(({ body }) => body).join('')).not.toContain(theirs.id);
  expect(toChen).toMatchObject({ numbers: [1], focus: [withChen.id] });
  expect((await read(ofPatient)).text).toContain(`Appointment?patient=Patient/${patient}`);
});

test('switched off it hears nothing, and on again it goes on with a handshake and the next number', async () => {
  const subscription = await subscribed();
  const { id, bearer, receiver } = subscription;
  await clinic.aBooked();
  await heard(subscription, 1);

  const body = aSubscription({ endpoint: receiver.url, id, status: 'off' });
  const off = await asked('PUT', `/Subscription/${id}`, { bearer, body });
  const missed = await clinic.aBooked();
  const on = await asked('PUT', `/Subscription/${id}`, { bearer, body: { ...body, status: 'requested' } });
  await eventually(async () => (await statusOf(subscription)) === 'active');
  const next = await clinic.aBooked();
  const told = await heard(subscription, 2);

  expect([off.body.status, on.body.status]).toEqual(['off', 'requested']);
  expect(received(subscription).map(({ type }) => type)).toEqual([
    'handshake',
    'event-notification',
    'handshake',
    'event-notification',
  ]);
  expect(told[1]).toMatchObject({ numbers: [2], focus: [next.id] });
  expect(JSON.stringify(told)).not.toContain(missed.id);
});

test('a handshake that fails leaves it in error; a receiver that is gone switches it off; an end is kept', async () => {
  const gone = await aReceiver();
  gone.answer((_request, response) => response.writeHead(410).end());
  const body = aSubscription({ endpoint: gone.url });
  const { id } = (await asked('POST', '/Subscription', { bearer: clinic.admin, body })).body;
  const current = async () => (await asked('GET', `/Subscription/${id}`, { bearer: clinic.admin })).body;
  await eventually(async () => (await current()).status === 'error');
  expect((await current()).error).toBe('http_410');
  expect(gone.received).toHaveLength(1);

  const subscription = await subscribed();
  await app.database
    .sql`update fhir_subscriptions set ends_at = now() - interval '1 second' where id = ${subscription.id}`;
  await clinic.aBooked();
  expect((await eventsOf(subscription)).count).toBe(0);
  expect(await statusOf(subscription)).toBe('off');
});

test('what is about somebody who was erased keeps its number, and says nothing', async () => {
  const subscription = await subscribed();
  const [gone, there] = [await clinic.aBooked(), await clinic.aBooked()];
  await heard(subscription, 2);
  await app.database.sql`update outbound_events set data = '{}' where data ->> 'appointmentId' = ${gone.id}`;

  const { numbers, focus } = await eventsOf(subscription);

  expect([numbers, focus]).toEqual([
    [1, 2],
    [undefined, there.id],
  ]);
});

test('a named sandbox has subscriptions of its own, signed too; they end with it', async () => {
  const opened = await app.request('POST', '/sandboxes', { body: { name: 'CI' }, bearer: clinic.admin });
  const { id: sandboxId, token } = opened.body;
  const ours = await subscribed({ bearer: token });
  const clinics = await subscribed();
  const asSandbox = (method: string, path: string, body?: unknown) => asked(method, path, { bearer: token, body });
  const found = await asSandbox('POST', '/Patient/$match', aMatch('MRN-1001'));
  const slots = await asSandbox('GET', '/Slot?schedule=Schedule/Dr.Chen&_count=1');
  const [patient, start] = [found.body.entry[0].resource.id, slots.body.entry[0].resource.start];
  const booked = await asSandbox('POST', '/Appointment/$book', aBooking({ patient, start }));
  expect(await heard(ours, 1)).toMatchObject([{ numbers: [1], focus: [booked.body.id] }]);
  expect(notified(clinics)).toEqual([]);
  expect((await asked('GET', `/Subscription/${ours.id}`, { bearer: clinic.admin })).status).toBe(404);

  await app.request('DELETE', `/sandboxes/${sandboxId}`, { bearer: clinic.admin });
  const [left] = await app.database.sql<{ count: number }>`
    select count(*)::int as count from fhir_subscriptions where clinic_id = ${sandboxId}`;
  expect(left?.count).toBe(0);
});

test('what is not offered is refused with its reason, and only for an administrator or a client is it to say', async () => {
  const good = aSubscription({ endpoint: 'https://receiver.example/hook' });
  const { channel } = good;
  const post = (body: unknown, bearer = clinic.admin) => asked('POST', '/Subscription', { bearer, body });
  const refused = [
    { ...good, criteria: 'http://hl7.org/SubscriptionTopic/admission' },
    { ...good, channel: { ...channel, type: 'websocket' } },
    { ...good, channel: { ...channel, payload: 'application/fhir+xml' } },
    { ...good, channel: { ...channel, _payload: undefined } },
    { ...good, channel: { ...channel, header: ['Authorization: Bearer x'] } },
    aSubscription({ endpoint: 'https://receiver.example/hook', filter: 'Appointment?status=booked' }),
    { ...good, end: '2020-01-01T00:00:00Z' },
  ];

  for (const body of refused) {
    const answer = await post(body);
    expect([answer.status, answer.headers.get('x-refusal-reason')]).toEqual([422, 'subscription_not_offered']);
    assertR4(answer.body);
  }
  const byStaff = await post(good, clinic.staff);
  const elsewhere = await post({ ...good, channel: { ...channel, endpoint: 'ftp://receiver.example' } });
  const nobody = await post(
    aSubscription({ endpoint: 'https://receiver.example', filter: 'practitioner=Practitioner/Dr.No' }),
  );

  expect([byStaff.status, byStaff.headers.get('x-refusal-reason')]).toEqual([403, 'admin_required']);
  expect(elsewhere.status).toBe(400);
  expect([nobody.status, nobody.headers.get('x-refusal-reason')]).toEqual([404, 'unknown_practitioner']);
});

test('they are searched, read and ended, by the clinic that they are of; the topic can be read', async () => {
  const subscription = await subscribed({ bearer: other.admin });
  const { id, bearer, receiver } = subscription;
  const of = (path: string, as = bearer) => asked('GET', path, { bearer: as });

  const byUrl = await of(`/Subscription?url=${encodeURIComponent(receiver.url)}&status=active`);
  const overall = await of(`/Subscription/$status?id=${id}`);
  const posted = await asked('POST', `/Subscription/${id}/$events`, {
    bearer,
    body: { resourceType: 'Parameters', parameter: [{ name: 'eventsSinceNumber', valueString: '1' }] },
  });
  const topic = await of(`/Basic/${TOPIC_ID}`);
  const metadata = await app.request('GET', '/metadata');

  expect(byUrl.body.entry.map(({ resource }: { resource: { id: string } }) => resource.id)).toEqual([id]);
  expect(byUrl.text).not.toContain(subscription.secret);
  expect(overall.body.entry).toHaveLength(1);
  expect(toldBy(posted.body).type).toBe('query-event');
  for (const { body } of [byUrl, overall, topic, metadata]) assertR4(body);
  expect(metadata.text).toContain(`${app.baseUrl}/Basic/${TOPIC_ID}`);

  for (const path of ['', '/$status', '/$events']) {
    expect((await of(`/Subscription/${id}${path}`, clinic.admin)).status).toBe(404);
  }
  expect((await asked('DELETE', `/Subscription/${id}`, { bearer: clinic.admin })).status).toBe(404);
  expect((await asked('DELETE', `/Subscription/${id}`, { bearer })).status).toBe(204);
  const again = await of(`/Subscription/${id}`);
  expect([again.status, again.headers.get('x-refusal-reason')]).toEqual([404, 'unknown_subscription']);
});

test('events are asked for by their numbers, in the query and in Parameters alike; what is no number is named', async () => {
  const subscription = await subscribed();
  for (let index = 0; index < 4; index += 1) await clinic.aBooked();
  await heard(subscription, 4);
  const { id, bearer } = subscription;
  const both = async (range: Record<string, string | number>) => {
    const query = new URLSearchParams(
      Object.entries(range).map(([name, value]): [string, string] => [name, String(value)]),
    );
    const parameter = Object.entries(range).map(([name, value]) =>
      typeof value === 'number' ? { name, valueUnsignedInt: value } : { name, valueString: value },
    );
    return [
      await asked('GET', `/Subscription/${id}/$events?${query.toString()}`, { bearer }),
      await asked('POST', `/Subscription/${id}/$events`, {
        bearer,
        body: { resourceType: 'Parameters', parameter: [...parameter, { name: 'other' }] },
      }),
    ] as const;
  };

  const found: [range: Record<string, string | number>, numbers: number[]][] = [
    [{}, [1, 2, 3, 4]],
    [{ eventsSinceNumber: 0 }, [1, 2, 3, 4]],
    [{ eventsSinceNumber: '2' }, [2, 3, 4]],
    [{ eventsUntilNumber: '3' }, [1, 2, 3]],
    [{ eventsSinceNumber: 2, eventsUntilNumber: 3 }, [2, 3]],
    [{ eventsSinceNumber: 4, eventsUntilNumber: 4, content: 'empty' }, [4]],
    [{ eventsUntilNumber: 0 }, []],
    [{ eventsSinceNumber: 5 }, []],
    [{ eventsSinceNumber: 3, eventsUntilNumber: 2 }, []],
  ];
  for (const [range, numbers] of found)
    for (const { body } of await both(range))
      expect({ range, ...toldBy(body) }).toMatchObject({ range, type: 'query-event', count: 4, numbers });

  const refused: Record<string, string | number>[] = [
    { eventsSinceNumber: -1 },
    { eventsSinceNumber: 'one' },
    { eventsSinceNumber: '1.5' },
    { eventsUntilNumber: -1 },
    { eventsUntilNumber: 'all' },
    { content: 'everything' },
  ];
  for (const range of refused) {
    const [path] = Object.keys(range);
    for (const { status, body } of await both(range))
      expect([range, status, body.details]).toEqual([range, 400, [{ path, message: expect.stringMatching(/\w/) }]]);
  }
});

test('a heartbeat comes while nothing happens', async () => {
  const receiver = await aReceiver();
  const { channel, ...rest } = aSubscription({ endpoint: receiver.url });
  const extension = [{ url: `${BACKPORT}/backport-heartbeat-period`, valueUnsignedInt: 10 }];
  const body = { ...rest, channel: { ...channel, extension } };
  const { id } = (await asked('POST', '/Subscription', { bearer: other.admin, body })).body;
  await eventually(() => receiver.received.length === 1);
  await app.database.sql`update fhir_subscriptions set sent_at = now() - interval '1 minute' where id = ${id}`;

  const second = await eventually(() => receiver.received[1]);

  expect(typeOf(second)).toBe('heartbeat');
});

const typeOf = ({ body }: ReceivedRequest) => toldBy(JSON.parse(body)).type;

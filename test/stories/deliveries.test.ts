import type { DevClinic } from '@clinic/accounts/seed';
import { type App, startApp } from '../support/app';
import { eventually } from '../support/eventually';
import { type ReceivedEvent, type Receiver, startReceiver } from '../support/outside/receiver';

let app: App;
const receivers: Receiver[] = [];

beforeAll(async () => {
  app = await startApp();
}, 240_000);

afterAll(async () => {
  await app.stop();
  for (const receiver of receivers) await receiver.close();
});

/** The waits of seconds in these stories pass side by side. */
describe('a receiver that', () => {
  test.concurrent('fails is asked again later, with the same bytes under the same id, and gets everything in order', async () => {
    const { clinic, receiver } = await aClinicWithReceiver();
    receiver.always(503);

    const { body } = await app.abandon({}, clinic);
    const workflow = await app.ended(body.workflowId, clinic);
    receiver.always(200);
    const events = await receiver.heard(body.recoveryCaseId, 2);

    expect(workflow.outcome).toBe('RECOVERED');
    const [first, ...later] = events;
    const [created, outcome] = later.slice(-2);
    expect(events.slice(0, -2).map(({ event, status }) => [event, status])).toEqual(
      events.slice(0, -2).map(() => ['recovery_case.created', 503]),
    );
    expect([created, outcome].map((each) => [each?.event, each?.status])).toEqual([
      ['recovery_case.created', 200],
      ['recovery_case.outcome', 200],
    ]);
    expect([created?.id, created?.text]).toEqual([first?.id, first?.text]);
    expect((later[0]?.at ?? 0) - (first?.at ?? 0)).toBeGreaterThanOrEqual(4_900);
  }, 240_000);

  test.concurrent('answers 410 for hours is off; what it missed is offered, counted first, and sent in order', async () => {
    const { clinic, receiver } = await aClinicWithReceiver();
    const { clinicId } = clinic;
    const bearer = await app.signIn(clinic);
    receiver.always(410);
    const asked = await app.abandon({ phone: null }, clinic);
    const [waiting] = await eventually(async () => {
      const found = await deliveriesOf(clinic, { event: 'recovery_case.created' });
      return found[0].attempts.length > 0 && found;
    });
    // Six hours later.
    await app.database.sql`update receivers set gone_since = now() - interval '7 hours' where clinic_id = ${clinicId}`;
    const off = await eventually(async () => {
      const endpoint = await app.stores.clinics.outboundEndpoint(clinicId);
      return !endpoint.isEnabled && endpoint;
    });
    const since = new Date().toISOString();
    const missed = await app.abandon({ phone: null }, clinic);
    await app.ended(missed.body.workflowId, clinic);
    const heardWhileOff = receiver.about(missed.body.recoveryCaseId);

    receiver.always(200);
    const body = { from: since, event: 'recovery_case.outcome' };
    const replay = (more: object) => app.request('POST', '/deliveries/replay', { bearer, body: { ...body, ...more } });
    const refused = await replay({ dryRun: false });
    await app.request('PUT', '/integrations/outbound', { bearer, body: { url: receiver.url } });
    const preview = await replay({});
    const untouched = receiver.about(missed.body.recoveryCaseId);
    const all = await replay({ event: undefined, dryRun: false });
    const events = await receiver.heard(missed.body.recoveryCaseId, 2);
    const without = await app.request('POST', '/deliveries/replay', { bearer, body: {} });

    expect(waiting).toMatchObject({ state: 'PENDING', attempts: [{ status: 410 }] });
    expect(receiver.events.find(({ event }) => event === 'test')).toMatchObject({ status: 410 });
    expect(receiver.about(asked.body.recoveryCaseId).length).toBeGreaterThan(1);
    expect(off.disabledReason).toContain('410');
    expect([heardWhileOff, untouched]).toEqual([[], []]);
    expect(refused.status).toBe(409);
    expect(preview.body).toMatchObject({ total: 1, parts: [{ name: 'recovery_case.outcome', count: 1 }], job: null });
    expect(all.body).toMatchObject({ total: 2, job: { kind: 'resend_deliveries', isReplay: true } });
    expect(events.map(({ event }) => event)).toEqual(['recovery_case.created', 'recovery_case.outcome']);
    expect(without.status).toBe(400);
  });

  test.concurrent.each([
    { retryAfterSeconds: 600, waitSeconds: 600 },
    { retryAfterSeconds: 86_400, waitSeconds: 3_600 },
  ])(
    'asks for $retryAfterSeconds seconds is left alone for $waitSeconds',
    async ({ retryAfterSeconds, waitSeconds }) => {
      const { clinic, receiver } = await aClinicWithReceiver();
      receiver.always({ status: 503, retryAfterSeconds });

      await app.abandon({}, clinic);
      const [{ attempts, nextAttemptAt }] = await eventually(async () => {
        const found = await deliveriesOf(clinic, { event: 'recovery_case.created' });
        // The attempt and the next one's time are read one after the other: an answer may hold the new one and the old other.
        return found[0].attempts.length > 0 && found[0].nextAttemptAt > found[0].attempts[0].at && found;
      });

      const waitedSeconds = (Date.parse(nextAttemptAt) - Date.parse(attempts[0].at)) / 1_000;
      expect(Math.abs(waitedSeconds - waitSeconds)).toBeLessThan(5);
      expect(attempts).toHaveLength(1);
    },
  );

  test.concurrent('never recovers gets a dead letter, which staff send again; what comes after it is not held up', async () => {
    const { clinic, receiver } = await aClinicWithReceiver();
    const token = await app.signIn(clinic.staff);
    receiver.always(500);
    const { body } = await app.abandon({}, clinic);
    const waiting = await eventually(async () => {
      const [created] = await deliveriesOf(clinic, { event: 'recovery_case.created' });
      return created.attempts.length > 0 && created;
    });
    // At once: later attempts come later and later.
    await skipSchedule(clinic);
    await app.ended(body.workflowId, clinic);
    const [dead] = await deliveriesOf(clinic, { state: 'DEAD' });
    receiver.always(200);
    const [outcome] = await deliveriesOf(clinic, { state: 'DELIVERED' });

    const resent = await app.request('POST', `/deliveries/${dead.id}/resend`, { bearer: token });
    const [arrived] = await deliveriesOf(clinic, { event: 'recovery_case.created', state: 'DELIVERED' });

    expect(waiting).toMatchObject({ state: 'PENDING', nextAttemptAt: expect.any(String) });
    expect(waiting.attempts[0]).toMatchObject({ status: 500, durationMs: expect.any(Number) });
    expect(dead).toMatchObject({ id: waiting.id, event: 'recovery_case.created', nextAttemptAt: null });
    expect(outcome).toMatchObject({ event: 'recovery_case.outcome' });
    expect(resent).toMatchObject({ status: 200, body: { id: dead.id, state: 'PENDING' } });
    expect(arrived).toMatchObject({ id: dead.id, deliveredAt: expect.any(String) });
    const last = receiver.events.at(-1);
    expect([last?.id, last?.text]).toEqual([dead.id, receiver.events[0]?.text]);
  });

  test.concurrent('takes its time does not hold the call: it has the event, and the next one when it has taken that', async () => {
    const { clinic, receiver } = await aClinicWithReceiver();
    receiver.reply({ afterMs: 120_000, status: 200 });

    const { body } = await app.abandon({}, clinic);
    const workflow = await app.ended(body.workflowId, clinic);
    const [asked] = await deliveriesOf(clinic, { event: 'recovery_case.created' });
    const [created] = await eventually(
      async () => {
        const found = await deliveriesOf(clinic, { event: 'recovery_case.created' });
        return found[0].attempts.length > 0 && found;
      },
      { within: 60_000 },
    );

    expect(workflow.outcome).toBe('RECOVERED');
    expect(asked).toMatchObject({ state: 'PENDING', attempts: [] });
    expect(created.attempts[0]).toMatchObject({ status: null, error: 'timeout' });
  }, 240_000);

  test.concurrent('is down delays nobody else', async () => {
    const { clinic } = await aClinicWithReceiver('http://127.0.0.1:9/nobody');
    const startedAt = Date.now();

    const { body } = await app.abandon({}, clinic);
    const workflow = await app.ended(body.workflowId, clinic);

    expect(workflow.outcome).toBe('RECOVERED');
    expect(Date.now() - startedAt).toBeLessThan(50_000);
  }, 240_000);
});

test('while the signing secret is rotated, the old one still verifies', async () => {
  const { clinic, receiver } = await aClinicWithReceiver();
  await app.stores.keys.rotateSigning(clinic.clinicId);

  const { body } = await app.abandon({}, clinic);
  const events = await receiver.heard(body.recoveryCaseId, 2);

  expect(events.map(({ event }) => event)).toEqual(['recovery_case.created', 'recovery_case.outcome']);
  expect(receiver.forged).toEqual([]);
});

test('a dead letter is made on purpose in the sandbox, of the next event alone, and is sent again like any other', async () => {
  const { clinic, receiver } = await aClinicWithReceiver();
  const bearer = await app.signIn(clinic);
  const choose = (about: object = {}) =>
    app.request('POST', '/sandbox/failures', { bearer, body: { failure: 'event_given_up', ...about } });
  await app.request('PUT', '/abandonment-recovery/sandbox-emr/config', { bearer, body: { enabled: true } });
  const about = await choose({ identifier: 'MRN-1001' });
  const chosen = await choose();

  const { body } = await app.abandon({ phone: null }, clinic);
  const [outcome] = await receiver.heard(body.recoveryCaseId, 1);
  const [dead] = await deliveriesOf(clinic, { state: 'DEAD' });
  const { failures } = (await app.request('GET', '/sandbox', { bearer })).body;
  await app.request('POST', `/deliveries/${dead.id}/resend`, { bearer });
  const [, created] = await receiver.heard(body.recoveryCaseId, 2);
  // It waits on while the sandbox is off: nothing of it concerns a clinic that is live.
  await choose();
  await app.request('PUT', '/abandonment-recovery/sandbox-emr/config', { bearer, body: { enabled: false } });
  const live = await app.abandon({ phone: null, sessionId: 'live-session' }, clinic);
  const events = await receiver.heard(live.body.recoveryCaseId, 2);

  expect([about.status, about.body.message]).toEqual([400, expect.stringContaining('identifier cannot be given')]);
  expect(chosen.body).toMatchObject({ failure: 'event_given_up', operation: null, times: 1 });
  expect(outcome?.event).toBe('recovery_case.outcome');
  expect(dead).toMatchObject({ event: 'recovery_case.created', attempts: [{ status: null, error: 'chosen_failure' }] });
  expect(failures).toMatchObject([{ failure: 'event_given_up', played: 1, isOver: true }]);
  expect(created).toMatchObject({ event: 'recovery_case.created', id: dead.id });
  expect(events.map(({ event }) => event)).toEqual(['recovery_case.created', 'recovery_case.outcome']);
});

test('a clinic without an URL owes nobody anything', async () => {
  const clinic = await app.addClinic();

  const { body } = await app.abandon({}, clinic);
  const workflow = await app.ended(body.workflowId, clinic);

  const { items } = await app.stores.deliveries.list(clinic.clinicId, { limit: 10 });
  expect([workflow.outcome, items]).toEqual(['RECOVERED', []]);
});

test('a second endpoint that refuses holds up neither the first nor a third, and gets what it missed in order', async () => {
  const { clinic, receiver } = await aClinicWithReceiver();
  const bearer = await app.signIn(clinic);
  const further = async (name: string, events: string[]) => {
    const secrets: string[] = [];
    const own = await startReceiver(() => secrets);
    receivers.push(own);
    const settings = { name, url: own.url, events };
    const { body } = await app.request('POST', '/integrations/outbound/endpoints', { bearer, body: settings });
    secrets.push(body.secret);
    return { own, id: String(body.id) };
  };
  const refuses = await further('Refuses', ['recovery_case.created', 'recovery_case.outcome']);
  const outcomes = await further('Outcomes', ['recovery_case.outcome']);
  refuses.own.always(500);

  const { body } = await app.abandon({ phone: null }, clinic);
  const first = await receiver.heard(body.recoveryCaseId, 2);
  const third = await outcomes.own.heard(body.recoveryCaseId, 1);
  const workflow = await app.ended(body.workflowId, clinic);
  const missed = await eventually(async () => {
    const waiting = await deliveriesOf(clinic, { endpointId: refuses.id, event: 'recovery_case.created' });
    return waiting[0].attempts.length > 0 && waiting[0];
  });
  refuses.own.always(200);
  const resent = await app.request('POST', `/deliveries/${missed.id}/resend`, { bearer });
  await eventually(async () => {
    const arrived = await deliveriesOf(clinic, { endpointId: refuses.id });
    return arrived.every(({ state }: { state: string }) => state === 'DELIVERED');
  });
  const taken = refuses.own.events.filter(({ status }) => status === 200);
  const health = await app.request('GET', `/integrations/outbound/endpoints/${outcomes.id}/health`, { bearer });

  expect(workflow.status).toBe('completed');
  expect(first.map(({ event }) => event)).toEqual(['recovery_case.created', 'recovery_case.outcome']);
  // The same event is the same everywhere, signed with each endpoint's own secret.
  expect(third.map(({ id, text }) => [id, text])).toEqual([[first[1]?.id, first[1]?.text]]);
  expect(missed).toMatchObject({ eventId: first[0]?.id, endpoint: { name: 'Refuses' }, attempts: [{ status: 500 }] });
  expect(resent.status).toBe(200);
  expect([...new Map(taken.map(({ id, text }) => [id, text]))]).toEqual(first.map(({ id, text }) => [id, text]));
  for (const { forged } of [receiver, refuses.own, outcomes.own]) expect(forged).toEqual([]);
  expect(receiver.events).toHaveLength(2);
  expect(health.body).toMatchObject({ state: 'healthy', waiting: 0, failed: 0 });
});

describe('sending again', () => {
  test('what was delivered is sent once more under its own id', async () => {
    const { clinic, receiver } = await aClinicWithReceiver();
    const { body } = await app.abandon({ phone: null }, clinic);
    const [created] = await receiver.heard(body.recoveryCaseId, 2);
    const token = await app.signIn(clinic.staff);

    const { status } = await app.request('POST', `/deliveries/${created?.id}/resend`, { bearer: token });
    const events = await heard(receiver, body.recoveryCaseId, 3);

    expect(status).toBe(200);
    expect([events[2]?.id, events[2]?.text]).toEqual([created?.id, created?.text]);
  });

  test('all that failed since a time are sent again, slowly at first, by a job that says how far it is', async () => {
    const { clinic, receiver } = await aClinicWithReceiver();
    const bearer = await app.signIn(clinic);
    await app.request('PUT', '/integrations/outbound', { bearer, body: { url: receiver.url, enabled: false } });
    const cases = await Promise.all(
      ['one', 'two', 'three'].map((firstName) => app.abandon({ phone: null, firstName }, clinic)),
    );
    for (const { body } of cases) await app.ended(body.workflowId, clinic);
    const failed = await eventually(async () => {
      const { body } = await app.request('GET', '/deliveries?state=DEAD', { bearer });
      return body.items.length > 0 && body.items;
    });
    const off = await app.request('POST', '/deliveries/resend', { bearer, body: { dryRun: false } });
    await app.request('PUT', '/integrations/outbound', {
      bearer,
      body: { url: receiver.url, events: ['recovery_case.created'] },
    });
    receiver.always(200);
    const all = async () => (await app.request('GET', '/deliveries?state=DEAD', { bearer })).body.items.length;
    const tried = await app.request('POST', '/deliveries/resend', { bearer, body: {} });
    const untouched = await all();
    const { body } = await app.request('POST', '/deliveries/resend', { bearer, body: { dryRun: false } });
    const ended = await eventually(async () => {
      const job = await app.request('GET', `/bulk-jobs/${body.job.id}`, { bearer });
      return job.body.state === 'DONE' && job.body;
    });
    await eventually(async () => (await all()) === 0);
    const sample = await app.request('POST', '/integrations/outbound/test', {
      bearer,
      body: { event: 'workflow.completed' },
    });
    await eventually(() => receiver.events.some(({ id }) => id === sample.body.id));
    // An attempt is recorded after it was answered, and may be of the hour before.
    const health = await eventually(async () => {
      const told = await app.request('GET', '/integrations/outbound/health', { bearer });
      const delivered = told.body.hours.reduce((sum: number, hour: { delivered: number }) => sum + hour.delivered, 0);
      return delivered >= untouched + 1 && told;
    });

    expect(failed[0]).toMatchObject({
      about: {
        patient: { lastName: 'Lee' },
        recoveryCaseId: expect.any(String),
        workflowType: 'abandonment-recovery',
        isSimulated: true,
      },
    });
    expect(off.status).toBe(409);
    expect(tried.body).toMatchObject({ total: untouched, job: null });
    expect(ended).toMatchObject({ done: untouched, skipped: 0, failed: 0, waitsFor: null });
    expect(ended.pace).toBeGreaterThan(1);
    expect(receiver.about(cases[0]?.body.recoveryCaseId).length).toBeGreaterThan(0);
    expect(sample.body).toMatchObject({ event: 'workflow.completed', isSample: true, about: null });
    expect(health.body).toMatchObject({ state: 'healthy', failuresInARow: 0, failed: 0 });
  });

  test("another clinic's delivery is answered as unknown, and nobody gets in without a session", async () => {
    const { clinic, receiver } = await aClinicWithReceiver();
    const { body } = await app.abandon({ phone: null }, clinic);
    const [created] = await receiver.heard(body.recoveryCaseId, 2);
    const path = `/deliveries/${created?.id}`;
    const stranger = await app.admin();

    const [foreign, foreignResend, unknown, nobody] = await Promise.all([
      app.request('GET', path, { bearer: stranger }),
      app.request('POST', `${path}/resend`, { bearer: stranger }),
      app.request('POST', '/deliveries/nothing/resend', { bearer: stranger }),
      app.request('POST', `${path}/resend`),
    ]);

    expect(foreign).toMatchObject({ status: 404, body: { message: `Delivery ${created?.id} not found` } });
    expect(foreignResend.body).toEqual(foreign.body);
    expect(unknown).toMatchObject({ status: 404, body: { message: 'Delivery nothing not found' } });
    expect(nobody.status).toBe(401);
  });
});

async function aClinicWithReceiver(url?: string): Promise<{ clinic: DevClinic; receiver: Receiver }> {
  const secrets: string[] = [];
  const receiver = await startReceiver(() => secrets);
  receivers.push(receiver);
  const clinic = await app.addClinic({ outboundUrl: url ?? receiver.url });
  secrets.push(clinic.outboundSigningSecret);
  return { clinic, receiver };
}

/** Waits for that many requests about a case, repetitions included. */
const heard = (receiver: Receiver, recoveryCaseId: string, count: number): Promise<ReceivedEvent[]> =>
  eventually(() => receiver.about(recoveryCaseId).length >= count && receiver.about(recoveryCaseId));

/** The list as staff see it, once it holds something. */
async function deliveriesOf(clinic: DevClinic, filter: Record<string, string>) {
  const bearer = await app.signIn(clinic.staff);
  const query = new URLSearchParams(filter).toString();
  return eventually(async () => {
    const { body } = await app.request('GET', `/deliveries?${query}`, { bearer });
    return body.items.length > 0 && body.items;
  });
}

/** As if three days had passed: the next attempt is the last one. */
async function skipSchedule({ clinicId }: DevClinic): Promise<void> {
  await app.database
    .sql`update deliveries set tries = 10 where clinic_id = ${clinicId} and state = 'PENDING' and tries >= 1`;
}

import type { DevClinic } from '@clinic/accounts/seed';
import { verifyDials } from '@clinic/commands/verify-dials';
import { type App, startApp } from '../support/app';
import { aPhone, aSession } from '../support/builders';
import { lineOf } from '../support/calls';
import { typed } from '../support/command';
import { eventually } from '../support/eventually';
import { giveUp, type LiveCall, startVoicePlatform, type VoicePlatform } from '../support/live-call';

let platform: VoicePlatform;
let app: App;
let staff: string;

beforeAll(async () => {
  platform = await startVoicePlatform();
  app = await startApp({ env: platform.env });
  await app.database.sql`update clinics set voice_provider = 'vapi'`;
  staff = await app.staff();
}, 240_000);
afterAll(async () => {
  await app.stop();
  await platform.close();
});

const get = async (path: string, bearer = staff) => (await app.request('GET', path, { bearer })).body;
const setPolicy = async (about: object) => {
  const { clinicId } = app.clinic;
  await app.stores.clinics.setPolicy(clinicId, { ...(await app.stores.clinics.policy(clinicId)), ...about });
};
const timelineOf = async ({ recoveryCaseId }: Pick<LiveCall, 'recoveryCaseId'>) =>
  (await get(`/cases/${recoveryCaseId}`)).timeline as { kind: string; decision?: Record<string, unknown> }[];
const decisionsOf = async (about: Pick<LiveCall, 'recoveryCaseId'>) =>
  (await timelineOf(about)).flatMap(({ decision }) => (decision ? [decision] : []));

test('a call says why it was placed when it was, by inputs that name nobody', async () => {
  const call = await platform.ring(app);

  const { whyNow } = await get(`/calls/${call.callId}`);

  expect(whyNow).toMatchObject([
    { stage: 'plan', decided: 'call', rule: 'due', inputs: { attemptsMade: 0, isOptedOut: false } },
    { stage: 'dial', decided: 'begun', rule: 'all_rules_hold', inputs: { isPaused: false, runStatus: 'started' } },
  ]);
  const stored = JSON.stringify(whyNow);
  for (const personal of [call.phone, 'Ada', 'Example']) expect(stored).not.toContain(personal);
  await call.ends();
});

test('a wait and an end without a call are on the timeline, with the rule', async () => {
  await setPolicy({ firstCallDelaySeconds: 3_600 });
  const waiting = (await app.abandon({ sessionId: aSession(), phone: aPhone() })).body;
  const waits = await eventually(async () => (await decisionsOf(waiting))[0]);
  await setPolicy({ firstCallDelaySeconds: 0 });
  const phone = aPhone();
  await app.stores.optOuts.add(app.clinic.clinicId, phone);
  const refused = (await app.abandon({ sessionId: aSession(), phone })).body;
  await app.ended(refused.workflowId);

  expect(waits).toMatchObject({ decided: 'wait', rule: 'first_call_delay', until: expect.any(String) });
  const { id: patientId } = (await get(`/cases/${refused.recoveryCaseId}`)).patient;
  const ofPatient = (query: string) => get(`/patients/${patientId}/call-decisions?${query}`);
  expect(await ofPatient('called=false')).toMatchObject({
    items: [{ decided: 'no_call', rule: 'opted_out', workflowType: 'abandonment-recovery', callId: null }],
    nextCursor: null,
  });
  expect((await ofPatient('called=true')).items).toEqual([]);
  expect(await decisionsOf(refused)).toMatchObject([{ decided: 'no_call', rule: 'opted_out' }]);
});

test('a pause is on the timeline of whom it holds back', async () => {
  const { stores, clinic } = app;
  const { clinicId } = clinic;
  await stores.pauses.pause({ clinicId, workflowType: null, reason: 'a test', until: null }, { actor: 'account:1' });
  const opened = (await app.abandon({ sessionId: aSession(), phone: aPhone() })).body;
  await eventually(async () => (await decisionsOf(opened)).some(({ rule }) => rule === 'paused'));
  for (const { id } of await stores.pauses.holding(clinicId)) await stores.pauses.resume(clinicId, id, { actor: 'a' });
});

test('every stored decision comes out the same when it is decided again, and one that was changed is found', async () => {
  const before = await verifyDials(app.stores);
  const printedBefore = await typed(['verify-dials'], app.env);
  const [one] = await app.database.sql<{ id: string }>`
    update call_decisions set decided = '{"kind": "call", "attempt": 7}'::jsonb
    where id = (select id from call_decisions where rule = 'due' limit 1) returning id`;

  const after = await verifyDials(app.stores);
  const printed = await typed(['verify-dials'], app.env);

  expect(before.checked).toBeGreaterThan(3);
  expect(before.differences).toEqual([]);
  expect([printedBefore.exitCode, printed.exitCode, printed.shown.differences.length]).toEqual([0, 1, 1]);
  expect(after.differences).toEqual([
    expect.objectContaining({ id: one?.id, stored: { kind: 'call', attempt: 7 }, now: { kind: 'call', attempt: 1 } }),
  ]);
});

test('a preview counts who would be called, who waits and who is skipped, for the clinic alone', async () => {
  const clinic = await app.addClinic();
  const bearer = clinic.apiKey;
  const preview = (query = '') => get(`/calling-policy/preview${query}`, bearer);
  const { stores } = app;
  const policy = await stores.clinics.policy(clinic.clinicId);
  await stores.clinics.setPolicy(clinic.clinicId, { ...policy, firstCallDelaySeconds: 3_600 });
  const phones = Array.from({ length: 4 }, () => aPhone());
  for (const phone of phones) await app.abandon({ sessionId: aSession(), phone }, clinic);
  await eventually(async () => {
    const { clinicId } = clinic;
    return (await app.database.prisma.callDecision.count({ where: { clinicId, rule: 'first_call_delay' } })) === 4;
  });

  const waiting = await preview();
  await stores.clinics.setPolicy(clinic.clinicId, policy);
  await app.database.prisma.optOut.create({
    data: { id: aSession(), clinicId: clinic.clinicId, phone: phones[0] ?? '' },
  });
  const mixed = await preview();

  expect(waiting).toMatchObject({
    runs: 4,
    patients: 4,
    isComplete: true,
    called: { runs: 0 },
    waiting: [{ reason: 'first_call_delay', runs: 4, from: expect.any(String) }],
    skipped: [],
  });
  expect(mixed).toMatchObject({
    called: { runs: 3, patients: 3 },
    waiting: [],
    skipped: [{ reason: 'opted_out', runs: 1, patients: 1 }],
  });
  expect(await preview('?workflowType=payment-recovery')).toMatchObject({ runs: 0 });
  // By hours that are not saved: nobody would be called, and nothing changes.
  const draft = { ...policy, callingHours: {} };
  const bySettings = await app.request('POST', '/calling-policy/preview', {
    bearer: await app.signIn(clinic),
    body: draft,
  });
  expect(bySettings.body).toMatchObject({
    called: { runs: 0 },
    skipped: [{ reason: 'no_calling_hours', runs: 3 }, {}],
  });
  expect(await stores.clinics.policy(clinic.clinicId)).toEqual(policy);
  expect((await get('/calling-policy/preview')).runs).not.toBe(4);
});

test('a preview is asked by patient, provider, visit type and since when a workflow waits', async () => {
  const clinic = await app.addClinic();
  const { clinicId, apiKey: bearer } = clinic;
  const runsOf = async (query: string) => (await get(`/calling-policy/preview?${query}`, bearer)).runs;
  // The relay starts these runs in a while, and the oldest is due at once.
  const pause = (workflowType: 'appointment-confirmation' | null) =>
    app.stores.pauses.pause({ clinicId, workflowType, reason: 'a test', until: null }, { actor: 'account:1' });
  const ofAll = await pause(null);
  const patient = { firstName: 'Grace', lastName: 'O_Hara', phone: aPhone() };
  const { runs } = app.stores;
  const reminder = { clinicId, workflowType: 'appointment-confirmation', patient } as const;
  const appointment = { appointmentId: 'visit-7', providerName: 'Dr.Chen', visitType: 'Annual physical' };
  const of = async (about: object) => runs.openRun({ ...reminder, sessionId: aSession(), ...about });
  const { patientId } = await of({ context: { appointment } });
  await of({ context: { appointment: { ...appointment, appointmentId: 'visit-8', visitType: 'Consultation' } } });
  const { workflowId } = await of({ context: {} });
  await app.database.sql`update workflow_runs set started_at = '2026-11-10T12:00:00Z' where id = ${workflowId}`;

  expect(await runsOf(`patientId=${patientId}`)).toBe(3);
  expect(await runsOf('search=o_hara')).toBe(3);
  expect(await runsOf('search=oxhara')).toBe(0);
  expect(await runsOf('providerName=Dr.Chen')).toBe(2);
  expect(await runsOf('providerName=Dr.Chen&visitType=Annual%20physical')).toBe(1);
  expect(await runsOf('until=2026-11-11')).toBe(1);
  expect(await runsOf('from=2026-11-11&until=2035-01-01')).toBe(2);
  const pausedOnce = (await get(`/calling-policy/preview?withoutPause=${ofAll.id}`, bearer)).waiting;
  await pause('appointment-confirmation');
  const pausedStill = (await get(`/calling-policy/preview?withoutPause=${ofAll.id}`, bearer)).waiting;
  expect(pausedOnce).not.toContainEqual(expect.objectContaining({ reason: 'paused' }));
  expect(pausedStill).toContainEqual(expect.objectContaining({ reason: 'paused', runs: 3 }));
  const unreadable = await app.request('GET', '/calling-policy/preview?from=soon', { bearer });
  expect(unreadable).toMatchObject({ status: 400, body: { details: [{ path: 'from' }] } });
});

describe('more cases are due in one clinic than it has lines', () => {
  const line = (clinic: DevClinic) => lineOf(app.database, clinic);

  test.each([
    [1, 5],
    [10, 14],
  ])(
    'with %i lines and %i cases they are called in order, all lines are in use, and another clinic waits for none',
    async (lines, due) => {
      const busy = await app.addClinic({ voiceProvider: 'vapi' });
      const policy = await app.stores.clinics.policy(busy.clinicId);
      await app.stores.clinics.setPolicy(busy.clinicId, { ...policy, maxConcurrentCalls: lines, maxAttempts: 1 });
      const held: VoicePlatform['calls'] = [];
      const phones = Array.from({ length: due }, () => aPhone());
      platform.onCall = (call) => void (phones.includes(call.customer?.number ?? '') && held.push(call));
      const opened = await Promise.all(
        phones.map(async (phone) => {
          const { body } = await app.abandon({ phone }, busy);
          return { phone, workflowId: String(body.workflowId) };
        }),
      );
      const inLine = await eventually(async () => {
        const { waiting } = await line(busy);
        return waiting.length === due - lines && held.length === lines && waiting;
      });

      const elsewhere = aPhone();
      await app.abandon({ phone: elsewhere }, app.otherClinic);
      await platform.callTo(elsewhere);
      expect((await line(busy)).waiting).toEqual(inLine);

      const next: string[] = [];
      while (next.length < inLine.length) {
        const [free] = held.splice(0, 1);
        if (free) await giveUp(app, free);
        const { live, granted } = await line(busy);
        expect(live + granted).toBe(lines);
        const { customer } = await eventually(() => held[lines - 1]);
        next.push(opened.find(({ phone }) => phone === customer?.number)?.workflowId ?? '');
      }

      expect(next).toEqual(inLine);
      await Promise.all(held.map((call) => giveUp(app, call)));
      await Promise.all(opened.map(({ workflowId }) => app.ended(workflowId, busy)));
    },
  );
});

import type { ApprovedApi } from '@clinic/shared/contracts/events/approved-api';
import { type App, startApp } from '../../support/app';
import { aPhone } from '../../support/builders';
import { aPatient, setSandbox } from '../../support/calls';
import { at, BIRTH_DATE, type LiveClinic, openLiveClinic } from '../../support/live-ehr';
import { aNumber, anAssistant, startVapiServer, type VapiServer } from '../../support/outside/vapi-server';

let app: App;
let vapi: VapiServer;
let live: LiveClinic;
let admin: string;

const [assistantId, phoneNumberId] = ['10000000-0000-4000-8000-000000000001', '10000000-0000-4000-8000-000000000009'];

beforeAll(async () => {
  vapi = await startVapiServer('own-key');
  vapi.numbers = [aNumber({ id: phoneNumberId, number: '+15005550181' })];
  vapi.assistants = [anAssistant({ id: assistantId })];
  app = await startApp({ hasWorker: false, env: { VAPI_BASE_URL: vapi.url } });
  [live, admin] = await Promise.all([openLiveClinic(app), app.admin()]);
  const voice = {
    provider: 'simulator',
    apiKey: 'own-key',
    phoneNumberId,
    assistants: { 'appointment-reminder': assistantId },
  };
  await app.request('PUT', '/integrations/phone-numbers', {
    bearer: admin,
    body: { items: [{ number: '+15005550181', platformId: phoneNumberId }] },
  });
  const saved = await app.request('PUT', '/integrations/voice', { bearer: admin, body: voice });
  if (saved.status !== 200) throw new Error(saved.text);
}, 240_000);
afterAll(async () => {
  await app.stop();
  await Promise.all([vapi.close(), live.close()]);
});

/** The clinic's settings of the EHR: its provider is Dr.Chen here and Practitioner/7 there. */
async function nameTestPatient(testPatient: string | undefined): Promise<void> {
  const settings = (await app.stores.settings.approvedApi(live.clinicId)) as ApprovedApi;
  const name = await ourProvider();
  await app.stores.settings.setApprovedApi(app.clinic.clinicId, {
    ...settings,
    fhir: { ...settings.fhir!, providers: [{ name, reference: 'Practitioner/7' }], testPatient },
  });
}

const ourProvider = async () => (await app.stores.providers.list(app.clinic.clinicId))[0]?.name ?? '';
const callMe = () =>
  app.request('POST', '/integrations/voice/call-me', {
    bearer: admin,
    body: { phone: aPhone(), workflowType: 'appointment-reminder' },
  });
const pointer = () => vapi.calls.at(-1)?.id ?? '';
const ask = (tool: string, args: object = {}) => app.tool(`emr-tools/${tool}`, pointer(), args);

test('“Call me” acts at the live EHR on its test patient: book, move, note, cancel, with each request on the call’s page', async () => {
  const provider = await ourProvider();
  const test = live.annThere({ name: [{ family: 'Testpatient', given: ['Testy'] }] });
  live.slots('16:00', '16:30');
  await nameTestPatient(`Patient/${test.id}`);

  const called = await callMe();
  expect(called.status).toBe(200);
  const isLive = (await app.stores.calls.live(pointer()))?.isLiveEhr;
  const refused = await ask('get_upcoming_appointment');
  // No EHR keeps a time for a caller who thinks it over.
  const held = await app.tool('calling-tools/hold_time', pointer(), { providerName: provider, startsAt: at('16:00') });
  await ask('verify_patient', { dateOfBirth: BIRTH_DATE });
  const booked = await ask('book_appointment', {
    providerName: provider,
    visitType: 'Visit',
    scheduledAt: at('16:00'),
  });
  const moved = await ask('reschedule_appointment', { newDateTime: at('16:30') });
  live.ehr.delayMs = 100;
  const noted = await ask('document_and_escalate', { labOrderNote: 'Only a test' });
  live.ehr.delayMs = 0;
  // No workflow tells of it later.
  const written = live.ehr.all('DocumentReference').length;
  const cancelled = await ask('cancel_appointment');

  expect([isLive, refused.success ?? refused.found]).toEqual([true, false]);
  expect(held).toEqual({ success: false, error: 'tool not available for this call' });
  expect([booked, moved, noted, cancelled]).toMatchObject(Array.from({ length: 4 }, () => ({ success: true })));
  expect(live.ehr.all('Patient')).toHaveLength(1);
  expect(live.ehr.all('Appointment')).toMatchObject([{ status: 'cancelled', start: at('16:30') }]);
  expect([written, live.ehr.all('DocumentReference').length]).toEqual([1, 1]);

  const { body } = await app.request('GET', `/calls/${called.body.callId}`, { bearer: admin });
  type Request = Record<'at' | 'method' | 'path' | 'status', string> & { milliseconds: number };
  const requests: Request[] = body.ehrRequests;
  const steps = requests.map(({ method, path, status }) => `${method} ${path} ${status}`);
  expect(steps).toEqual(
    expect.arrayContaining([
      'GET /Patient/{id} 200',
      'GET /Slot 200',
      'POST /Appointment 201',
      'PUT /Appointment/{id} 200',
      'POST /DocumentReference 201',
    ]),
  );
  expect(requests.every(({ milliseconds }) => milliseconds >= 0)).toBe(true);
  // A time may hold the digits of the id.
  const said = requests.map(({ at: _at, milliseconds: _milliseconds, ...request }) => request);
  expect(JSON.stringify(said)).not.toMatch(new RegExp(`Testpatient|${test.id}|${BIRTH_DATE}`));
});

describe('under one Idempotency-Key a phone rings once', () => {
  const phone = aPhone();
  const once = (key: string) =>
    app.request('POST', '/integrations/voice/call-me', {
      bearer: admin,
      body: { phone, workflowType: 'appointment-reminder' },
      headers: { 'idempotency-key': key },
    });
  const agoOf = (column: 'created_at' | 'requested_at') =>
    column === 'created_at'
      ? app.database.sql`update calls set created_at = created_at - interval '1 hour' where phone = ${phone}`
      : app.database.sql`update calls set requested_at = requested_at - interval '1 hour' where phone = ${phone}`;
  const ringsNoMore = () => app.database.prisma.call.updateMany({ where: { isTest: true }, data: { state: 'ENDED' } });
  beforeAll(() => nameTestPatient(undefined));
  afterEach(async () => {
    vapi.mode = 'ok';
    // It counts as one of the three that ring in ten minutes, and keeps its phone.
    await agoOf('created_at');
    await ringsNoMore();
  });

  test('where the answer was never stored', async () => {
    const patients = () => app.database.prisma.patient.count({ where: { clinicId: app.clinic.clinicId } });
    const first = await once('lost-ring');
    const [rung, known] = [vapi.calls.length, await patients()];

    await app.database.sql`delete from idempotency_records where key = 'lost-ring'`;
    const again = await once('lost-ring');

    expect([first.status, again.status, again.body]).toEqual([200, 200, first.body]);
    expect([vapi.calls.length, await patients()]).toEqual([rung, known]);
  });

  test('also where it may not ring any more by then', async () => {
    const { clinicId } = app.clinic;
    const first = await once('lost-before-pause');
    const rung = vapi.calls.length;
    const about = { id: 'pause-for-lost', clinicId, workflowType: null, reason: 'A storm', until: null };
    await app.stores.pauses.pause(about, { actor: 'account:admin' });

    await app.database.sql`delete from idempotency_records where key = 'lost-before-pause'`;
    const again = await once('lost-before-pause');
    const other = await once('after-pause');
    await app.stores.pauses.resume(clinicId, about.id, { actor: 'account:admin' });

    expect([first.status, again.status, again.body]).toEqual([200, 200, first.body]);
    expect([other.status, vapi.calls.length]).toEqual([409, rung]);
  });

  test('where the platform placed it and did not say so', async () => {
    const rung = vapi.calls.length;
    vapi.mode = 'accept_then_reset';
    const unsaid = await once('unsaid');
    vapi.mode = 'ok';
    const again = await once('unsaid');

    expect([unsaid.status, again.status, vapi.calls.length - rung]).toEqual([503, 200, 1]);
    expect(await app.stores.calls.find(app.clinic.clinicId, again.body.callId)).toMatchObject({
      platformCallId: pointer(),
    });
  });

  test('and is told of when nobody may be called any more', async () => {
    await once('late');
    const rung = vapi.calls.length;
    await app.database.sql`delete from idempotency_records where key = 'late'`;
    await app.stores.optOuts.add(app.clinic.clinicId, phone);
    const again = await once('late');
    await app.database.sql`delete from opt_outs where phone = ${phone}`;

    expect([again.status, vapi.calls.length]).toEqual([200, rung]);
  });

  test('where the account that was asked is gone: nobody can say for an hour', async () => {
    const rung = vapi.calls.length;
    vapi.mode = 'error';
    await once('gone');
    vapi.mode = 'ok';
    await app.database.sql`
      update calls set requested_account = 'gone', requested_at = now() - interval '50 minutes' where phone = ${phone} and state <> 'ENDED'`;
    const within = await once('gone');
    await agoOf('requested_at');
    const after = await once('gone');

    expect([within, after].map(({ status }) => status)).toEqual([503, 409]);
    expect(vapi.calls).toHaveLength(rung);
  });

  test('or not at all, and whoever asks is told so once the platform can say it', async () => {
    const rung = vapi.calls.length;
    vapi.mode = 'error';
    const [unsaid, unreachable] = [await once('never'), await once('never')];
    vapi.mode = 'ok';
    const tooSoon = await once('never');
    await agoOf('requested_at');
    const settled = await once('never');

    expect([unsaid, unreachable, tooSoon, settled].map(({ status }) => status)).toEqual([503, 503, 503, 409]);
    expect(vapi.calls).toHaveLength(rung);
  });
});

test('no phone rings with a secret that cannot be decrypted, by which its tools would not be let in', async () => {
  const { clinicId } = app.clinic;
  const secrets = app.database.prisma.secret;
  const kept = await secrets.findFirstOrThrow({ where: { clinicId, kind: 'voice' } });
  await secrets.update({ where: { id: kept.id }, data: { ciphertext: 'of another key' } });
  const rung = vapi.calls.length;

  const refused = await callMe();

  await secrets.update({ where: { id: kept.id }, data: { ciphertext: kept.ciphertext } });
  expect(refused).toMatchObject({ status: 409, body: { message: expect.stringContaining('cannot be decrypted') } });
  expect(vapi.calls).toHaveLength(rung);
});

test('without a test patient it touches nothing at the EHR, and one who is not there is told before it rings', async () => {
  await nameTestPatient(undefined);
  const before = live.ehr.receiver.received.length;

  const own = await callMe();
  const isLive = (await app.stores.calls.live(pointer()))?.isLiveEhr;
  await ask('get_upcoming_appointment');
  expect([own.status, isLive, live.ehr.receiver.received.length - before]).toEqual([200, false, 0]);

  await nameTestPatient('Patient/nobody');
  const rung = vapi.calls.length;
  expect(await callMe()).toMatchObject({ status: 409, body: { message: expect.stringContaining('test patient') } });
  expect(vapi.calls).toHaveLength(rung);
});

test.each([
  [
    'of a patient, which its workflow tells later',
    async () => {
      const patientId = await live.aPatient({ birthDate: BIRTH_DATE });
      return (await live.aCall({ workflowType: 'appointment-reminder', patientId })).pointer;
    },
    true,
  ],
  [
    'in the page, which touches no EHR',
    async () => {
      await setSandbox(app, true);
      return app.openTestCall({ patientId: await aPatient(app, { birthDate: BIRTH_DATE }) });
    },
    false,
  ],
])('a note in a call %s, is not written at the EHR meanwhile', async (_what, open, isLive) => {
  await nameTestPatient(undefined);
  live.annThere();
  const call = await open();
  const before = live.ehr.receiver.received.length;

  const noted = await app.tool('emr-tools/document_and_escalate', call, { labOrderNote: 'Only a test' });

  expect([(await app.stores.calls.live(call))?.isLiveEhr, noted]).toEqual([isLive, { success: true }]);
  expect(live.ehr.receiver.received).toHaveLength(before);
});

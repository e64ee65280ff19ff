import { join } from 'node:path';
import { ApprovedApi, type FhirCapabilities, type FhirSettings } from '@clinic/shared/contracts/events/approved-api';
import { createClinicApi } from '@clinic/gateways/clinic-api/clinic-api';
import { createTokenCache } from '@clinic/gateways/clinic-api/clinic-api-auth';
import { createClinicHttp } from '@clinic/gateways/http/clinic-http';
import { createSafeHttp, type SafeHttp } from '@clinic/gateways/http/safe-http';
import { type HapiServer, startHapiServer } from '../../support/outside/hapi-server';
import type { ReceivedRequest } from '../../support/outside/http-receiver';
import { type RecordedServer, startRecordedServer } from '../../support/outside/recorded-server';
import { noOtherBookings } from '../../support/ehr-times';

/**
 * Our side of an approved API of kind `fhir-r4` against HAPI FHIR 8.8.0. Without Java the recorded exchanges of such a run
 * answer in its place; `HAPI=live` starts the real server, and `HAPI=record` writes the exchanges again.
 */
const mode = process.env.HAPI;
const folder = join(__dirname, '../../support/outside/hapi/exchanges');
const TOKEN = 'abc';
/** What is sent holds the time, and has to be what was recorded. */
const NOW = '2035-03-01T08:00:00.000Z';

let safeHttp: SafeHttp;
let hapi: HapiServer | null = null;
let server: RecordedServer;

beforeAll(async () => {
  safeHttp = createSafeHttp({ allowPrivateTargets: true });
  if (mode !== undefined) hapi = await startHapiServer({ token: TOKEN });
  if (hapi) await seed(hapi.url);
  server = await startRecordedServer({ target: hapi?.url ?? null, isRecording: mode === 'record' });
});
beforeEach(() => {
  const name = expect.getState().currentTestName ?? '';
  server.begin(join(folder, `${name.replaceAll(/[^a-z0-9]+/gi, '-').slice(0, 100)}.json`));
});
afterEach(async () => {
  server.end();
  // Each test has the practitioner's time to itself.
  if (hapi) await removeAppointments(hapi.url);
});
afterAll(async () => {
  await server.close();
  await hapi?.close();
  await safeHttp.close();
});

const capabilities: FhirCapabilities = {
  canBook: false,
  canHold: false,
  hasSlots: true,
  findsAppointments: true,
  showsBusyTimes: true,
  marksSlots: false,
};
const settings: FhirSettings = {
  isOn: true,
  isLive: true,
  permitted: ['patient.upsert', 'appointment.book', 'appointment.cancel', 'document.write', 'insurance.verify'],
  rescheduling: 'update',
  providers: [{ name: 'Dr.Vega', reference: 'Practitioner/vega' }],
  visitTypes: [{ name: 'Follow-up', system: 'urn:types', code: 'FU' }],
  locations: [{ name: 'North', reference: 'Location/north' }],
};
const api = ({
  fhir = {},
  token = TOKEN,
  declared = {},
}: { fhir?: Partial<FhirSettings>; token?: string; declared?: Partial<FhirCapabilities> } = {}) =>
  createClinicApi({
    ehrTimes: noOtherBookings,
    http: createClinicHttp({ http: safeHttp, audit: () => undefined, adjustWait: () => 0 }),
    clinicId: 'clinic-1',
    tokens: createTokenCache(),
    keys: { signing: async () => null, jwksUrl: () => '' },
    now: () => new Date(NOW),
    settings: ApprovedApi.parse({
      kind: 'fhir-r4',
      baseUrl: server.url,
      auth: { method: 'bearer', token },
      fhir: { ...settings, ...fhir },
      capabilities: { ...capabilities, ...declared },
    }),
  });
const live = (declared: Partial<FhirCapabilities> = {}) => {
  const { live: ehr } = api({ declared });
  if (!ehr) throw new Error('calls do not act there');
  return ehr;
};
const within = { timeoutMs: 6_500 };

/** What the clinic's own people do there, and what stands there. */
const staff = async (method: string, path: string, resource?: object) => {
  const response = await fetch(`${server.url}/${path.replaceAll('|', '%7C')}`, {
    method,
    headers: {
      authorization: `Bearer ${TOKEN}`,
      accept: 'application/fhir+json',
      'cache-control': 'no-cache',
      ...(resource && { 'content-type': 'application/fhir+json' }),
    },
    ...(resource && { body: JSON.stringify(resource) }),
  });
  return JSON.parse(await response.text());
};
const found = async (query: string) => {
  const { entry = [] } = (await staff('GET', query)) as { entry?: { resource: Record<string, unknown> }[] };
  return entry.map(({ resource }) => resource);
};
const bookingsOf = (appointmentId: string) =>
  found(
    `Appointment?identifier=${[9, 10].map((hour) => `urn:clinic-workflows:appointment|${appointmentId}.${Date.UTC(2035, 2, 5, hour) / 60_000}`).join(',')}&_sort=_lastUpdated`,
  );

const person = (name: string) => ({
  patientId: `p-${name}`,
  externalId: null as string | null,
  firstName: name,
  lastName: 'Lee',
  phone: '+15005550100',
  email: 'lee@example.com',
  dateOfBirth: '1990-02-03' as string | null,
  address: '1 Main St',
  preferredLocation: null,
});
const appointment = (name: string, changed: object = {}) => ({
  appointmentId: `a-${name}`,
  externalId: null as string | null,
  status: 'booked',
  providerName: 'Dr.Vega',
  visitType: 'Follow-up',
  startsAt: '2035-03-05T09:00:00.000Z',
  endsAt: '2035-03-05T09:30:00.000Z',
  patient: person(name),
  ...changed,
});
const at10 = { startsAt: '2035-03-05T10:00:00.000Z', endsAt: '2035-03-05T10:30:00.000Z' };
const externalId = (answer: unknown) => {
  expect(answer).toMatchObject({ kind: 'answered', body: { externalId: expect.any(String) } });
  return (answer as { body: { externalId: string } }).body.externalId;
};
const book = (name: string, changed: object = {}, fhir: Partial<FhirSettings> = {}) =>
  api({ fhir }).call('appointment.book', { body: appointment(name, changed) });
const is = (method: string, path: string) => (request: ReceivedRequest) =>
  request.method === method && request.path.replace(/^\/fhir\//, '').startsWith(path);

test('the check reads its statement and tries each row', async () => {
  const names = { providers: [{ name: 'Dr.Vega', visitTypes: ['Follow-up'] }] };

  const { findings, capabilities: declared } = await api().check(names);

  expect(declared).toEqual({ ...capabilities, marksSlots: true });
  expect(findings.slice(1).map(({ path, message }) => `${path}: ${message}`)).toEqual([
    'auth: A search for patients is permitted',
    'fhir.providers.0.reference: Dr.Vega is Ana Vega',
    'fhir.locations.0.reference: North is North',
    'fhir.visitTypes.0.code: Follow-up is known there as Slot',
  ]);
});

test('the check says which row is unknown there, and that a token is refused', async () => {
  const names = { providers: [{ name: 'Dr.Vega', visitTypes: [] }] };
  const wrong = api({ fhir: { providers: [{ name: 'Dr.Vega', reference: 'Practitioner/nobody' }] } });

  expect((await wrong.check(names)).findings).toContainEqual(
    expect.objectContaining({ path: 'fhir.providers.0.reference', code: 'unknown_there', isProblem: true }),
  );
  expect((await api({ token: 'old' }).check(names)).findings).toContainEqual(
    expect.objectContaining({ path: 'auth', code: 'no_credentials', isProblem: true }),
  );
});

test('the mappings are filled from what it has: schedules, names and the types of past appointments', async () => {
  await staff('PUT', 'Appointment/past', {
    resourceType: 'Appointment',
    id: 'past',
    status: 'fulfilled',
    start: '2035-02-05T09:00:00.000Z',
    end: '2035-02-05T09:30:00.000Z',
    serviceType: [{ coding: [{ system: 'urn:types', code: 'FU', display: 'Follow-up visit' }] }],
    participant: [{ actor: { reference: 'Practitioner/vega', display: 'Ana Vega' }, status: 'accepted' }],
  });
  const names = { providers: [{ name: 'Dr.Vega', displayName: 'Dr. Vega', visitTypes: ['Follow-up', 'Telehealth'] }] };

  const filled = await api({ fhir: { providers: [], visitTypes: [], locations: [] } }).fillMappings(names);

  expect(filled).toMatchObject({
    settings: {
      providers: settings.providers,
      visitTypes: settings.visitTypes,
      locations: settings.locations,
    },
    choices: { visitTypes: [{ code: 'FU', shown: 'Follow-up visit' }] },
  });
  expect(filled?.findings.filter(({ isProblem }) => isProblem)).toEqual([]);
  expect(filled?.findings.map(({ message }) => message)).toContain('Dr.Vega is Ana Vega');
});

test('a patient is created once, also when the answer is lost, and is found from then on', async () => {
  const upsert = (changed: object = {}) => api().call('patient.upsert', { body: { ...person('Ann'), ...changed } });
  server.loses = (request) => is('POST', 'Patient')(request) && !request.path.includes('_search');

  const lost = await upsert();
  const id = externalId(await upsert());
  const again = externalId(await upsert({ patientId: 'p-other' }));
  const known = externalId(await upsert({ externalId: id, firstName: 'Anna' }));

  expect(lost).toMatchObject({ kind: 'unavailable', error: 'network' });
  expect([again, known]).toEqual([id, id]);
  expect(await found('Patient?family=Lee&given=Ann')).toMatchObject([
    { id, birthDate: '1990-02-03', identifier: [{ value: 'p-Ann' }], active: true },
  ]);
});

test('a patient without a date of birth there is found by name and phone, and one of another date is left to staff', async () => {
  const upsert = (name: string) => api().call('patient.upsert', { body: person(name) });
  const there = (given: string, more: object) =>
    staff('POST', 'Patient', {
      resourceType: 'Patient',
      name: [{ family: 'Lee', given: [given] }],
      telecom: [{ system: 'phone', value: '(500) 555-0100' }],
      ...more,
    });
  const { id } = await there('Gus', {});
  await there('Hal', { birthDate: '1960-02-03' });

  expect(externalId(await upsert('Gus'))).toBe(id);
  expect(await upsert('Hal')).toMatchObject({
    kind: 'refused',
    status: 409,
    fault: 'it has a patient of this name and phone with another date of birth',
  });
});

test('two patients of one name and birth date are left to staff', async () => {
  const twin = { resourceType: 'Patient', name: [{ family: 'Lee', given: ['Eve'] }], birthDate: '1990-02-03' };
  await staff('POST', 'Patient', twin);
  await staff('POST', 'Patient', twin);

  expect(await book('Eve')).toMatchObject({
    kind: 'refused',
    status: 409,
    fault: 'it has 2 patients of this name and date of birth',
  });
});

test('an appointment is booked in its slot', async () => {
  const id = externalId(await book('Bea'));

  expect(await staff('GET', `Appointment/${id}`)).toMatchObject({
    status: 'booked',
    start: '2035-03-05T09:00:00.000Z',
    slot: [{ reference: 'Slot/vega-9' }],
    serviceType: [{ coding: [{ system: 'urn:types', code: 'FU' }], text: 'Follow-up' }],
    participant: [
      { actor: { reference: expect.stringMatching(/^Patient\/\d+$/) }, status: 'accepted' },
      { actor: { reference: 'Practitioner/vega' } },
      { actor: { reference: 'Location/north' } },
    ],
  });
});

test('a booking whose answer was lost is found, and can be cancelled at once', async () => {
  server.loses = is('POST', 'Appointment');
  const lost = await book('Cleo');
  const notTold = appointment('Cleo', { status: 'cancelled' });

  const cancelled = externalId(await api().call('appointment.cancel', { body: notTold }));

  expect(lost).toMatchObject({ kind: 'unavailable', error: 'network' });
  expect(await bookingsOf('a-Cleo')).toMatchObject([{ id: cancelled, status: 'cancelled' }]);
});

test('a booking that is told twice at once is one', async () => {
  externalId(await api().call('patient.upsert', { body: person('Dora') }));

  const both = await Promise.all([book('Dora'), book('Dora')]);

  const [first, second] = both.map(externalId);
  expect(second).toBe(first);
  expect(await bookingsOf('a-Dora')).toHaveLength(1);
});

test('a time that is not free there is refused', async () => {
  expect(await book('Fay', { startsAt: '2035-03-05T12:00:00.000Z' })).toMatchObject({
    kind: 'refused',
    status: 409,
    because: 'time_taken',
  });
});

test('a move is an update, with all else as it was', async () => {
  const id = externalId(await book('Gia'));
  const { meta, ...known } = await staff('GET', `Appointment/${id}`);
  await staff('PUT', `Appointment/${id}`, { ...known, comment: 'needs the ramp' });

  expect(externalId(await book('Gia', { externalId: id, ...at10 }))).toBe(id);

  expect(await staff('GET', `Appointment/${id}`)).toMatchObject({
    ...known,
    comment: 'needs the ramp',
    start: at10.startsAt,
    end: at10.endsAt,
    slot: [{ reference: 'Slot/vega-10' }],
    meta: { versionId: String(Number(meta.versionId) + 2) },
  });
});

test('a move is a cancellation and another booking by a setting, there and back again as often as it comes', async () => {
  const fhir = { rescheduling: 'cancel-and-rebook' as const };
  let id = externalId(await book('Hana', {}, fhir));
  for (const to of [at10, {}, at10, {}]) id = externalId(await book('Hana', { externalId: id, ...to }, fhir));

  const bookings = await bookingsOf('a-Hana');
  expect(bookings.filter(({ status }) => status !== 'cancelled')).toMatchObject([
    { id, status: 'booked', start: '2035-03-05T09:00:00.000Z' },
  ]);
  expect(bookings.filter(({ status }) => status === 'cancelled')).toMatchObject(
    Array.from({ length: 4 }, () => ({ cancelationReason: { text: 'Moved to another time' } })),
  );
});

test('a cancellation has its reason, happens once, and finds what was deleted already done', async () => {
  const id = externalId(await book('Ida'));
  const cancel = () => api().call('appointment.cancel', { body: appointment('Ida', { externalId: id }) });

  await cancel();
  await cancel();
  const cancelled = await staff('GET', `Appointment/${id}`);
  await staff('DELETE', `Appointment/${id}`);

  expect(cancelled).toMatchObject({
    status: 'cancelled',
    cancelationReason: { coding: [{ code: 'pat' }], text: 'Cancelled by the patient' },
    meta: { versionId: '2' },
  });
  expect(await cancel()).toMatchObject({ kind: 'answered', body: { externalId: id } });
});

test('what staff change at the same moment stays (409 of If-Match)', async () => {
  const id = externalId(await book('Jo'));
  const known = await staff('GET', `Appointment/${id}`);
  server.meanwhile = {
    when: is('PUT', 'Appointment'),
    work: () => staff('PUT', `Appointment/${id}`, { ...known, comment: 'by the front desk' }),
  };

  await api().call('appointment.cancel', { body: appointment('Jo', { externalId: id }) });

  expect(await staff('GET', `Appointment/${id}`)).toMatchObject({ status: 'cancelled', comment: 'by the front desk' });
});

test('a note is written once', async () => {
  const body = {
    documentId: 'd-Kim',
    text: 'Wants a refill — Zoë',
    escalateToClinicalTeam: true,
    requestExternalRecords: false,
    createdAt: '2035-03-01T07:00:00.000Z',
  };
  const write = () => api().call('document.write', { body, patient: person('Kim') });
  server.loses = is('POST', 'DocumentReference');

  const lost = await write();
  const id = externalId(await write());

  expect(lost).toMatchObject({ kind: 'unavailable' });
  expect(await found('DocumentReference?identifier=urn:clinic-workflows:document|d-Kim')).toMatchObject([
    {
      id,
      subject: { reference: expect.stringMatching(/^Patient\//) },
      content: [{ attachment: { data: Buffer.from(body.text).toString('base64') } }],
    },
  ]);
});

describe('an insurance', () => {
  const policy = (name: string) => ({
    body: { patientId: `p-${name}`, payerName: 'Acme Health', memberId: 'M-1', groupId: 'G-1' },
    patient: person(name),
  });

  test('of a patient who is not there yet has no verdict where the server has none', async () => {
    expect(await api().call('insurance.verify', policy('Lia'))).toEqual({ kind: 'answered', status: 200, body: {} });
  });

  test('has the verdict that stands beside the question', async () => {
    const patientId = externalId(await api().call('patient.upsert', { body: person('Mia') }));
    const { body, patient } = policy('Mia');
    server.meanwhile = {
      when: is('GET', 'CoverageEligibilityResponse'),
      work: async () => {
        const [question] = await found(`CoverageEligibilityRequest?patient=Patient/${patientId}`);
        await staff('POST', 'CoverageEligibilityResponse', {
          resourceType: 'CoverageEligibilityResponse',
          status: 'active',
          purpose: ['validation', 'benefits'],
          patient: { reference: `Patient/${patientId}` },
          created: '2035-03-01',
          request: { reference: `CoverageEligibilityRequest/${String(question?.['id'])}` },
          insurer: { reference: 'Organization/acme' },
          outcome: 'complete',
          insurance: [
            {
              coverage: { display: 'Acme Health' },
              inforce: true,
              item: [
                {
                  category: { text: 'Office visit' },
                  benefit: [{ type: { coding: [{ code: 'copay' }] }, allowedMoney: { value: 25.5, currency: 'USD' } }],
                },
              ],
            },
          ],
        });
      },
    };

    const answer = await api().call('insurance.verify', { body, patient: { ...patient, externalId: patientId } });

    expect(answer).toMatchObject({ kind: 'answered', body: { status: 'VERIFIED', copayCents: 2550 } });
  });
});

describe('while a call goes on', () => {
  test('every free time of some days is offered, from all pages', async () => {
    const search = { providers: ['Dr.Vega'], from: '2035-04-02T00:00:00.000Z', until: '2035-04-06T00:00:00.000Z' };

    const answer = await live().openSlots(search, within);

    const value = answer.kind === 'done' ? answer.value : [];
    expect(new Set(value.map(({ slotId }) => slotId)).size).toBe(120);
    expect(value.map(({ startsAt }) => startsAt)).toEqual(value.map(({ startsAt }) => startsAt).toSorted());
    expect(server.received.filter(({ path }) => path.includes('_getpages')).length).toBeGreaterThan(1);
  });

  test('a time is booked, found, moved and cancelled', async () => {
    const patient = person('Nina');
    const [nine, ten] = ['2035-03-05T09:00:00.000Z', at10.startsAt];
    const upcoming = () => live().upcoming(patient, NOW, within);
    const booking = { key: 'call-1', patient, providerName: 'Dr.Vega', visitType: 'Follow-up', startsAt: nine };

    const none = await upcoming();
    server.loses = is('POST', 'Appointment');
    const lost = await live().book(booking, within);
    const ours = await live().bookingOf({ key: 'call-1', startsAt: nine }, within);
    const booked = await live().book(booking, within);
    const next = await upcoming();
    const first = next.kind === 'done' ? next.value : null;
    if (first === null) throw new Error(`there is no appointment: ${JSON.stringify(next)}`);
    const moved = await live().move({ appointment: first, key: 'call-2', patient, startsAt: ten }, within);
    const then = await upcoming();
    const cancelled = await live().cancel(first.id, within);

    expect([none, lost]).toMatchObject([
      { kind: 'done', value: null },
      { kind: 'unavailable', error: 'network' },
    ]);
    expect(ours).toEqual({ kind: 'done', value: first.id });
    expect(booked).toMatchObject({ kind: 'done', value: { id: first.id } });
    expect(first).toMatchObject({
      providerName: 'Dr.Vega',
      actor: 'Practitioner/vega',
      visitType: 'Follow-up',
      startsAt: nine,
    });
    expect(moved).toEqual({ kind: 'done', value: { id: first.id } });
    expect(then).toMatchObject({ kind: 'done', value: { id: first.id, startsAt: ten } });
    expect(cancelled).toEqual({ kind: 'done', value: null });
    expect(await upcoming()).toEqual({ kind: 'done', value: null });
  });

  test('two callers never get one time, although the slot stays free', async () => {
    const booking = (name: string) => ({
      key: `call-${name}`,
      patient: person(name),
      providerName: 'Dr.Vega',
      visitType: 'Follow-up',
      startsAt: '2035-03-05T09:00:00.000Z',
    });

    const first = await live().book(booking('Uma'), within);
    const second = await live().book(booking('Val'), within);

    expect(first).toMatchObject({ kind: 'done' });
    expect(second).toMatchObject({ kind: 'refused', because: 'time_taken', status: 409 });
    expect((await staff('GET', 'Slot/vega-9')).status).toBe('free');
    expect(await found('Appointment?actor=Practitioner/vega&status=booked')).toHaveLength(1);
  });

  test('a slot is marked in one transaction with its appointment, and is free again after it', async () => {
    const ehr = live({ marksSlots: true });
    const patient = person('Wes');
    const [nine, ten] = ['2035-03-05T09:00:00.000Z', at10.startsAt];
    const marks = async () => [(await staff('GET', 'Slot/vega-9')).status, (await staff('GET', 'Slot/vega-10')).status];
    const seen: unknown[] = [];

    const booked = await ehr.book(
      { key: 'call-7', patient, providerName: 'Dr.Vega', visitType: 'x', startsAt: nine },
      within,
    );
    seen.push(booked.kind, await marks());
    const next = await ehr.upcoming(patient, NOW, within);
    const visit = next.kind === 'done' ? next.value : null;
    if (visit === null) throw new Error('there is no appointment');
    const moved = await ehr.move({ appointment: visit, key: 'call-8', patient, startsAt: ten }, within);
    seen.push(moved.kind, await marks());
    const cancelled = await ehr.cancel(visit.id, within);
    seen.push(cancelled.kind, await marks());

    expect(seen).toEqual(['done', ['busy', 'free'], 'done', ['free', 'busy'], 'done', ['free', 'free']]);
  });

  test('a slot that somebody has taken meanwhile keeps the appointment from being made', async () => {
    const ehr = live({ marksSlots: true });
    const booking = {
      key: 'call-9',
      patient: person('Xia'),
      providerName: 'Dr.Vega',
      visitType: 'x',
      startsAt: at10.startsAt,
    };
    const slot = await staff('GET', 'Slot/vega-10');
    server.meanwhile = {
      when: ({ method, path }) => method === 'POST' && path.replace(/\/$/, '') === '/fhir',
      work: () => staff('PUT', 'Slot/vega-10', { ...slot, status: 'busy' }),
    };

    const answer = await ehr.book(booking, within);
    await staff('PUT', 'Slot/vega-10', { ...slot, status: 'free' });

    expect(answer).toMatchObject({ kind: 'refused', because: 'time_taken', status: 409 });
    expect(await found('Appointment?actor=Practitioner/vega&status=booked')).toEqual([]);
  });

  test('what staff have cancelled or deleted meanwhile is not moved', async () => {
    const id = externalId(await book('Olga'));
    const patient = person('Olga');
    const next = await live().upcoming(patient, NOW, within);
    const known = next.kind === 'done' ? next.value : null;
    if (known === null) throw new Error('there is no appointment');
    const move = () => live().move({ appointment: known, key: 'call-3', patient, startsAt: at10.startsAt }, within);
    await api().call('appointment.cancel', { body: appointment('Olga', { externalId: id }) });

    const ofCancelled = await move();
    await staff('DELETE', `Appointment/${id}`);
    const ofDeleted = await move();

    expect([ofCancelled, ofDeleted]).toMatchObject([
      { kind: 'refused', fault: 'the appointment is not there any more' },
      { kind: 'refused', fault: 'the appointment is not there any more' },
    ]);
  });
});

describe('what the server refuses is told in words', () => {
  test('400, a practitioner who is not there', async () => {
    const answer = await api({
      fhir: { locations: [{ name: 'North', reference: 'Location/nowhere' }] },
    }).call('appointment.book', { body: appointment('Pia') });

    expect(answer).toMatchObject({ kind: 'refused', status: 400, fault: expect.stringContaining('http 400 with') });
  });

  test('401, a token that it does not know', async () => {
    expect(await api({ token: 'old' }).call('patient.upsert', { body: person('Quin') })).toMatchObject({
      kind: 'refused',
      status: 401,
    });
  });

  test('412, several that meet the condition', async () => {
    const identifier = [{ system: 'urn:clinic-workflows:patient', value: 'p-Rita' }];
    const twin = { resourceType: 'Patient', identifier, name: [{ family: 'Somebody', given: ['Else'] }] };
    await staff('POST', 'Patient', twin);
    await staff('POST', 'Patient', twin);

    expect(await api().call('patient.upsert', { body: person('Rita') })).toMatchObject({
      kind: 'refused',
      status: 412,
    });
  });

  test('422, a code system that is no URI', async () => {
    const visitTypes = [{ name: 'Follow-up', system: 'our own types', code: 'FU' }];

    const answer = await book('Sue', {}, { visitTypes });

    expect(answer).toMatchObject({
      kind: 'refused',
      status: 422,
      fault: expect.stringContaining('at Appointment.serviceType[0].coding[0]'),
    });
  });
});

describe('a fault on the way is told as that, and what was asked is done once', () => {
  const bodyOf = (code: string) =>
    JSON.stringify({ resourceType: 'OperationOutcome', issue: [{ severity: 'error', code, diagnostics: 'Tess Lee' }] });
  const replies: { status: number; headers?: Record<string, string>; body?: string }[] = [
    { status: 429, headers: { 'retry-after': '9' } },
    { status: 500, body: bodyOf('exception') },
    { status: 502, headers: { 'content-type': 'text/html' }, body: '<html>Bad gateway</html>' },
    { status: 503, body: bodyOf('transient') },
    { status: 504 },
  ];

  test('429, 5xx and no answer in time, then the booking', async () => {
    const faults: unknown[] = [];
    for (const reply of replies) {
      server.instead = (request) => (is('POST', 'Appointment')(request) ? reply : null);
      faults.push(await book('Tess'));
    }
    server.instead = null;
    server.hangsOn = is('POST', 'Appointment');
    const slow = await api().call('appointment.book', { body: appointment('Tess'), timeoutMs: hapi ? 5_000 : 400 });
    server.hangsOn = null;
    const booked = externalId(await book('Tess'));

    expect(faults).toMatchObject(replies.map(({ status }) => ({ kind: 'unavailable', error: `http_${status}` })));
    expect(JSON.stringify(faults)).not.toContain('Lee');
    expect(slow).toMatchObject({ kind: 'unavailable', error: 'timeout' });
    expect(await bookingsOf('a-Tess')).toMatchObject([{ id: booked }]);
  });
});

async function removeAppointments(url: string): Promise<void> {
  const headers = { authorization: `Bearer ${TOKEN}`, accept: 'application/fhir+json', 'cache-control': 'no-cache' };
  const response = await fetch(`${url}/Appointment?_count=200`, { headers });
  const { entry = [] } = (await response.json()) as { entry?: { resource: { id: string } }[] };
  for (const { resource } of entry) await fetch(`${url}/Appointment/${resource.id}`, { method: 'DELETE', headers });
}

/** A practitioner with a schedule: two free times on 5 March, and 120 in the first week of April. */
async function seed(url: string): Promise<void> {
  const put = async (resource: { resourceType: string; id: string } & Record<string, unknown>) => {
    const response = await fetch(`${url}/${resource.resourceType}/${resource.id}`, {
      method: 'PUT',
      headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/fhir+json' },
      body: JSON.stringify(resource),
    });
    if (!response.ok) throw new Error(`${resource.resourceType}/${resource.id}: ${await response.text()}`);
  };
  const slot = (id: string, start: number) =>
    put({
      resourceType: 'Slot',
      id,
      status: 'free',
      schedule: { reference: 'Schedule/vega' },
      start: new Date(start).toISOString(),
      end: new Date(start + 30 * 60_000).toISOString(),
      serviceType: [{ coding: [{ system: 'urn:types', code: 'FU' }] }],
    });
  await put({ resourceType: 'Practitioner', id: 'vega', name: [{ family: 'Vega', given: ['Ana'] }] });
  await put({ resourceType: 'Location', id: 'north', name: 'North' });
  await put({ resourceType: 'Organization', id: 'acme', name: 'Acme Health' });
  await put({ resourceType: 'Schedule', id: 'vega', actor: [{ reference: 'Practitioner/vega' }] });
  for (const hour of [9, 10]) await slot(`vega-${hour}`, Date.UTC(2035, 2, 5, hour));
  // Not in order of time.
  for (let count = 0; count < 120; count += 1) {
    await slot(`april-${count}`, Date.UTC(2035, 3, 2, 8, ((count * 7) % 120) * 30));
  }
}

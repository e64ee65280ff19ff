import { patientFixtures } from '@clinic/prisma/fixture-patients';
import { type ClientKey, newClientKey, signAssertion } from '@clinic/shared/client-key';
import { lenientRuleNames, type StoredLeniency } from '@clinic/shared/domain/sandbox/leniency';
import { TOPIC_ID } from '@clinic/shared/contracts/events/subscriptions';
import { createClinicApi } from '@clinic/gateways/clinic-api/clinic-api';
import { createTokenCache } from '@clinic/gateways/clinic-api/clinic-api-auth';
import { createClinicHttp } from '@clinic/gateways/http/clinic-http';
import { createSafeHttp } from '@clinic/gateways/http/safe-http';
import { startApp, type App } from '../../support/app';
import type { Answer } from '../../support/clinic-client';
import { aBooking, aNote, type Booking, type FhirClinic, openSandbox, parametersOf } from '../../support/fhir';
import { expectBadRequest, expectConflict, expectFhir } from '../../support/fhir-answers';
import { assertR4 } from '../../support/r4';

/** The sandbox without its lenient rules, one at a time. */

let app: App;
let clinic: FhirClinic;
let other: FhirClinic;

beforeAll(async () => {
  app = await startApp({ hasWorker: false });
  [clinic, other] = await Promise.all([openSandbox(app), openSandbox(app, app.otherClinic)]);
});
afterAll(() => app.stop());
afterEach(async () => {
  const kind = Object.fromEntries(lenientRuleNames.map((name) => [name, true]));
  await set({ ...kind, minimumNoticeMinutes: 0, maximumNoticeDays: null });
});

const set = async (to: StoredLeniency): Promise<Answer> => {
  const answer = await app.request('PATCH', '/sandbox/leniency', { body: to, bearer: clinic.admin });
  if (answer.status !== 200) throw new Error(answer.text);
  return answer;
};

const why = ({ headers }: Answer) => headers.get('x-refusal-reason');
const rule = ({ headers }: Answer) => headers.get('x-refusal-rule');
const wordsOf = ({ body }: Answer): string => body.issue[0].details.text;
/** What of the request a refusal says is meant. */
const namedIn = ({ body }: Answer): string[] | undefined => body.issue[0].expression;

function expectRefusal(answer: Answer, status: number, reason: string) {
  expect([answer.status, why(answer)]).toEqual([status, reason]);
  expect(answer.body.issue[0].details.coding[0].code).toBe(reason);
  assertR4(answer.body);
}

/** An appointment as a client sends it. */
const proposed = (booking: Booking): object => (aBooking(booking).parameter as [{ resource: object }])[0].resource;
const ifMatch = (version: number | string) => ({
  'if-match': typeof version === 'number' ? `W/"${version}"` : version,
});
const reasonOf = (code: string) => ({
  coding: [{ system: 'http://terminology.hl7.org/CodeSystem/appointment-cancellation-reason', code }],
});
const cancelFor = (id: string, code: string, headers?: Record<string, string>) =>
  clinic.post(
    `/Appointment/${id}/$cancel`,
    parametersOf({ name: 'cancelationReason', valueCodeableConcept: reasonOf(code) }),
    headers,
  );
const patientSaid = (resource: object, ...more: object[]) =>
  clinic.post(
    '/Patient/$match',
    parametersOf({ name: 'resource', resource: { resourceType: 'Patient', ...resource } }, ...more),
  );
const graded = ({ body }: Answer) =>
  (body.entry ?? []).map((entry: { search: { extension: [{ valueCode: string }]; score: number } }) => [
    entry.search.extension[0].valueCode,
    entry.search.score,
  ]);

test('lenient rules are switched one at a time, by administrators, for their clinic alone, and audited', async () => {
  const before = await app.request('GET', '/sandbox', { bearer: clinic.staff });
  const changed = await set({ reschedules: false, maximumNoticeDays: 30 });
  const after = await app.request('GET', '/sandbox', { bearer: clinic.staff });
  const theirs = await app.request('GET', '/sandbox', { bearer: other.admin });
  const refused = await Promise.all([
    app.request('PATCH', '/sandbox/leniency', { body: { reschedules: true }, bearer: clinic.staff }),
    app.request('PATCH', '/sandbox/leniency', { body: { isKind: true }, bearer: clinic.admin }),
    app.request('PATCH', '/sandbox/leniency', { body: { minimumNoticeMinutes: -1 }, bearer: clinic.admin }),
  ]);
  const audit = await app.request('GET', '/audit?action=sandbox.leniency.set', { bearer: clinic.admin });

  expect(before.body.leniency).toMatchObject({ reschedules: true, maximumNoticeDays: null });
  expect(changed.body).toEqual({ ...before.body.leniency, reschedules: false, maximumNoticeDays: 30 });
  expect(after.body.leniency).toEqual(changed.body);
  expect(after.body.lenientRules.map((view: { rule: string }) => view.rule)).toEqual(lenientRuleNames);
  expect(theirs.body.leniency).toEqual(before.body.leniency);
  expect(refused.map(({ status }) => status)).toEqual([403, 400, 400]);
  expect(audit.body.items[0].detail).toEqual({ reschedules: false, maximumNoticeDays: 30 });
});

test('an unknown identifier finds nothing and makes nobody', async () => {
  await set({ createsUnknownPatients: false });
  const counts = async () => (await app.request('GET', '/sandbox', { bearer: clinic.admin })).body.counts.patients;
  const before = await counts();

  const unknown = await clinic.match('NOBODY-1');
  const known = await clinic.match(' MRN-1001 ');

  expectFhir(unknown);
  expect(unknown.body).toMatchObject({ total: 0, entry: [] });
  expect(known.body.entry[0].resource.birthDate).toBe(patientFixtures[0]?.birthDate);
  expect(await counts()).toBe(before);
  expectBadRequest(await clinic.match(''));
  expect((await other.match('NOBODY-1')).body.total).toBe(1);
});

test('$match grades who may be meant by name, birth date and phone', async () => {
  await set({ matchesIdentifiersOnly: false });
  const ava = { name: [{ family: 'Thompson', given: ['Ava'] }], birthDate: '1986-04-12' };
  const phone = { telecom: [{ system: 'phone', value: '(303) 555-0101' }] };

  const certain = await patientSaid({ ...ava, ...phone });
  const probable = await patientSaid({ ...ava, birthDate: '1986-12-04', ...phone });
  const onlyCertain = { name: 'onlyCertainMatches', valueBoolean: true };
  const none = await patientSaid(ava, onlyCertain);
  const strangers = await patientSaid({ name: [{ family: 'Vanderbilt', given: ['Zoe'] }], birthDate: '1901-01-01' });
  const exact = await clinic.match('MRN-1001');

  expectFhir(certain);
  expect(graded(certain)).toEqual([['certain', expect.any(Number)]]);
  expect(certain.body.entry[0].resource).toMatchObject({
    id: exact.body.entry[0].resource.id,
    identifier: [{ value: 'MRN-1001' }],
  });
  expect(graded(probable)[0][0]).toBe('probable');
  expect([graded(await patientSaid(ava))[0][0], none.body.total, strangers.body.total]).toEqual(['probable', 0, 0]);
  expect(graded(await patientSaid({ ...ava, ...phone }, onlyCertain))).toHaveLength(1);
  expectRefusal(await patientSaid({ name: [{ family: 'Thompson' }] }), 422, 'not_enough_to_match');
  expectBadRequest(await patientSaid({ birthDate: '1986-13-40' }));
  expectBadRequest(await patientSaid(ava, { name: 'count', valueInteger: -1 }));
});

test('twins are never certain, and count is how many are shown', async () => {
  const home = { phone: '+13035557001', address: '9 Elm Street, Denver, CO 80201' };
  for (const [identifier, firstName] of [
    ['TWIN-A', 'Ruth'],
    ['TWIN-B', 'Esther'],
  ] as const) {
    await app.database.prisma.patient.create({
      data: {
        id: identifier.toLowerCase(),
        clinicId: clinic.clinic.clinicId,
        identifier,
        firstName,
        lastName: 'Vance',
        birthDate: '1990-05-05',
        ...home,
      },
    });
  }
  await set({ matchesIdentifiersOnly: false });
  const ruth = {
    name: [{ family: 'Vance', given: ['Ruth'] }],
    birthDate: '1990-05-05',
    telecom: [{ system: 'phone', value: home.phone }],
    address: [{ text: home.address }],
  };

  const both = await patientSaid(ruth);
  const one = await patientSaid(ruth, { name: 'count', valueInteger: 1 });

  expect(both.body.entry.map(({ resource }: { resource: { id: string } }) => resource.id)).toEqual([
    'twin-a',
    'twin-b',
  ]);
  expect(graded(both).map(([grade]: [string]) => grade)).not.toContain('certain');
  expect(one.body.entry).toHaveLength(1);
});

test('an appointment is moved by booking anew and cancelling, and $reschedule says so', async () => {
  await set({ reschedules: false });
  const booked = await clinic.aBooked();

  const refused = await clinic.reschedule(booked.id, await clinic.aStart());

  expectRefusal(refused, 422, 'operation_not_supported');
  expect(namedIn(refused)).toBeUndefined();
  expect((await clinic.cancel(booked.id)).body.status).toBe('cancelled');
});

test('a visit type that the provider does not take is refused in words', async () => {
  await set({ takesAnyVisitType: false });
  const [patient, start] = [await clinic.aPatient(), await clinic.aStart()];

  const refused = await clinic.book({ patient, start, visitType: 'Cardiology consultation' });
  const unknown = await clinic.book({ patient, start, visitType: 'Cardiology consultation', provider: 'Dr.Nobody' });
  const taken = await clinic.book({ patient, start, visitType: 'annual physical' });

  expectRefusal(refused, 422, 'visit_type_not_offered');
  expect(namedIn(refused)).toEqual(['Appointment.serviceType']);
  expect(wordsOf(refused)).toBe(
    'Dr. Maya Chen does not take Cardiology consultation; they take Follow-up consultation, New patient visit, Annual physical',
  );
  expect([unknown.status, taken.status]).toEqual([404, 200]);
});

test('a conflict is as a vendor writes it: a code and a sentence instead of one word', async () => {
  const { start } = await clinic.aBooked();
  await set({ saysConflictsInOneWord: false });

  const refused = await clinic.book({ patient: await clinic.aPatient(), start });

  expectRefusal(refused, 409, 'slot_taken');
  expect(refused.body.issue[0]).toMatchObject({
    code: 'business-rule',
    diagnostics: expect.stringMatching(/Reference: /),
  });
  expect(refused.headers.get('x-nearest-slots')).toMatch(/^20/);
  await set({ saysConflictsInOneWord: true });
  expectConflict(await clinic.book({ patient: await clinic.aPatient(), start }), 'slot_taken');
});

test('notice periods hold for searches and bookings alike, and the reply says which rule refused', async () => {
  const slots = await clinic.slots('Dr.Patel');
  await set({ minimumNoticeMinutes: 3 * 24 * 60, maximumNoticeDays: 7 });
  const noticed = await clinic.slots('Dr.Patel');
  const [first, last] = [slots[0]!.start, slots.at(-1)!.start];
  const days = (start: string) => (Date.parse(start) - Date.now()) / 86_400_000;
  const patient = await clinic.aPatient();

  const tooLate = await clinic.book({ patient, start: last, provider: 'Dr.Patel' });

  expect(noticed.length).toBeGreaterThan(0);
  expect(noticed.every(({ start }) => days(start) >= 2.99 && days(start) <= 7)).toBe(true);
  expectConflict(tooLate, 'slot_unavailable');
  expect(rule(tooLate)).toBe('too_far_ahead');
  if (days(first) < 3) expect(rule(await clinic.book({ patient, start: first, provider: 'Dr.Patel' }))).toBe('notice');
});

describe('appointments with versions', () => {
  beforeEach(() => set({ showsNextAppointmentOnly: false }));

  test('an appointment is read with its version, and its history says who made each', async () => {
    const booked = await clinic.aBooked();
    const start = await clinic.aStart();
    const read = await clinic.get(`/Appointment/${booked.id}`);
    const moved = await clinic.reschedule(booked.id, start, ifMatch(1));
    const cancelled = await cancelFor(booked.id, 'pat-lt');
    const history = await clinic.get(`/Appointment/${booked.id}/_history`);
    const again = await clinic.ask('GET', `/Appointment/${booked.id}`, { headers: { 'if-none-match': 'W/"3"' } });

    expectFhir(read);
    expect([read.headers.get('etag'), read.body.meta.versionId]).toEqual(['W/"1"', '1']);
    expect([moved.headers.get('etag'), moved.body.start]).toEqual(['W/"2"', start]);
    expect(cancelled.body).toMatchObject({ status: 'cancelled', cancelationReason: reasonOf('pat-lt') });
    assertR4(history.body);
    const versions = history.body.entry.map(
      ({
        resource,
      }: {
        resource: { meta: { versionId: string; extension: [{ valueString: string }] }; start: string; status: string };
      }) => [
        resource.meta.versionId,
        resource.status,
        resource.start,
        resource.meta.extension[0].valueString.split(':')[0],
      ],
    );
    expect(versions).toEqual([
      ['3', 'cancelled', start, 'account'],
      ['2', 'booked', start, 'account'],
      ['1', 'booked', booked.start, 'account'],
    ]);
    expect(again.status).toBe(304);
    expect((await other.get(`/Appointment/${booked.id}`)).status).toBe(404);
  });

  test('a change with an older version is 412 and changes nothing, however many come at once', async () => {
    const booked = await clinic.aBooked();
    const starts = [await clinic.aStart(), await clinic.aStart(), await clinic.aStart()];

    const moves = await Promise.all(starts.map((start) => clinic.reschedule(booked.id, start, ifMatch(1))));
    const stale = await clinic.ask('POST', `/Appointment/${booked.id}/$cancel`, { headers: ifMatch(1) });

    expect(moves.map(({ status }) => status).toSorted((one, next) => one - next)).toEqual([200, 412, 412]);
    expectRefusal(stale, 412, 'version_changed');
    expectBadRequest(await clinic.reschedule(booked.id, starts[0]!, ifMatch('three')));
    await set({ takesChangesUnseen: false });
    expectRefusal(await clinic.cancel(booked.id), 428, 'version_required');
    expect((await clinic.ask('POST', `/Appointment/${booked.id}/$cancel`, { headers: ifMatch(2) })).status).toBe(200);
  });

  test('appointments are searched by patient, provider, date and status, in pages to the end', async () => {
    const patient = await clinic.aPatient();
    const booked = [];
    for (let count = 0; count < 5; count += 1) booked.push(await clinic.aBooked({ patient }));
    await clinic.cancel(booked[2]!.id);
    const ids = ({ body }: Answer): string[] =>
      body.entry.map(({ resource }: { resource: { id: string } }) => resource.id);
    const search = (query: string, headers = {}) => clinic.ask('GET', `/Appointment?${query}`, { headers });
    const ofPatient = `patient=Patient/${patient}`;

    const pages: Answer[] = [await search(`${ofPatient}&_count=2`)];
    for (;;) {
      const next = pages.at(-1)!.body.link.find(({ relation }: { relation: string }) => relation === 'next');
      if (!next) break;
      pages.push(await clinic.get(next.url.slice(next.url.indexOf('/Appointment?'))));
    }
    const start: string = booked[1]!.start;

    expect(pages.map(({ body }) => [body.total, body.entry.length])).toEqual([
      [5, 2],
      [5, 2],
      [5, 1],
    ]);
    pages.forEach(expectFhir);
    const linksOf = (wanted: string) =>
      pages.map(({ body }) => body.link.find(({ relation }: { relation: string }) => relation === wanted)?.url);
    expect(linksOf('self').slice(1)).toEqual(linksOf('next').slice(0, -1));
    expect(pages.flatMap(ids)).toEqual(booked.map(({ id }) => id));
    expect(ids(await search(`${ofPatient}&status=cancelled`))).toEqual([booked[2]!.id]);
    expect(ids(await search(`${ofPatient}&date=gt${start}&_sort=-date&status=booked,arrived`))).toEqual([
      booked[4]!.id,
      booked[3]!.id,
    ]);
    expect(ids(await search(`${ofPatient}&date=ge${start}&date=le${start}&actor=Practitioner/Dr.Chen`))).toEqual([
      booked[1]!.id,
    ]);
    expect((await search(`${ofPatient}&practitioner=Dr.Okafor`)).body.total).toBe(0);
    expect((await search(`${ofPatient}&colour=red`)).body.total).toBe(5);
    expectRefusal(await search(`${ofPatient}&colour=red`, { prefer: 'handling=strict' }), 400, 'unknown_parameter');
    for (const query of [
      'status=booked',
      `${ofPatient}&status=gone`,
      `${ofPatient}&patient:missing=true`,
      'date=when',
    ]) {
      expectBadRequest(await search(query));
    }
    const theirs = await other.get(`/Appointment?${ofPatient}`);
    expect(theirs.body.total).toBe(0);
  });

  test('an appointment is created once under its identifier, however often and however many at once', async () => {
    const [patient, start] = [await clinic.aPatient(), await clinic.aStart()];
    const resource = { ...proposed({ patient, start }), identifier: [{ system: 'urn:client', value: 'visit-1' }] };
    const condition = { 'if-none-exist': 'identifier=urn:client|visit-1' };

    const created = await Promise.all([1, 2, 3].map(() => clinic.post('/Appointment', resource, condition)));
    const unconditional = await clinic.post('/Appointment', resource);
    const found = await clinic.get(`/Appointment?identifier=urn:client|visit-1`);

    const [first] = created;
    expect(created.map(({ status }) => status < 300)).toEqual([true, true, true]);
    expect(new Set(created.map(({ body }) => body.id)).size).toBe(1);
    expect(
      created.some(
        ({ status, headers }) =>
          status === 201 && headers.get('location') === `${app.baseUrl}/Appointment/${first!.body.id}`,
      ),
    ).toBe(true);
    expect(first!.body.identifier).toEqual([{ system: 'urn:client', value: 'visit-1' }]);
    expectRefusal(unconditional, 409, 'identifier_in_use');
    expect(found.body.entry[0].resource.id).toBe(first!.body.id);
    expectBadRequest(await clinic.post('/Appointment', resource, { 'if-none-exist': 'patient=1' }));
    expectRefusal(await clinic.post('/Appointment', { ...resource, status: 'arrived' }), 422, 'status_not_possible');
    const otherStart = await clinic.aStart();
    const plain = await clinic.post('/Appointment', { ...proposed({ patient, start: otherStart }), status: 'booked' });
    expect([plain.status, plain.headers.get('etag'), plain.body.status]).toEqual([201, 'W/"1"', 'booked']);
  });

  test('PUT moves and cancels by the same rules', async () => {
    const booked = await clinic.aBooked();
    const start = await clinic.aStart();
    const put = (change: object, headers: Record<string, string> = {}) =>
      clinic.ask('PUT', `/Appointment/${booked.id}`, { body: { ...booked, ...change }, headers });

    const moved = await put({ start }, ifMatch(1));
    const stale = await put({ start: booked.start }, ifMatch(1));
    await set({ cancelsWithoutReason: false, reschedules: false });
    const unmoved = await put({ start: booked.start });
    const unreasoned = await put({ status: 'cancelled', start });
    const cancelled = await put({ status: 'cancelled', start, cancelationReason: reasonOf('prov') }, ifMatch(2));
    const again = await put({ status: 'cancelled', start, cancelationReason: reasonOf('prov') }, ifMatch(3));

    expect([again.status, again.body.status, again.headers.get('etag')]).toEqual([200, 'cancelled', 'W/"3"']);
    expect([moved.status, moved.body.start, moved.headers.get('etag')]).toEqual([200, start, 'W/"2"']);
    expectRefusal(stale, 412, 'version_changed');
    expectRefusal(unmoved, 422, 'operation_not_supported');
    expectRefusal(unreasoned, 422, 'cancel_reason_required');
    expectFhir(cancelled);
    expect(cancelled.body).toMatchObject({ status: 'cancelled', cancelationReason: reasonOf('prov') });
    expectRefusal(await put({ status: 'booked' }), 422, 'status_not_possible');
    expectBadRequest(await put({ id: 'another' }));
  });

  test.each([
    [
      'PUT',
      (id: string, change: object, headers: Record<string, string>) =>
        clinic.ask('PUT', `/Appointment/${id}`, {
          body: { resourceType: 'Appointment', status: 'booked', ...change },
          headers,
        }),
    ],
    [
      'an operation',
      (id: string, change: { start?: string; status?: string }, headers: Record<string, string>) =>
        change.start ? clinic.reschedule(id, change.start, headers) : clinic.cancel(id, headers),
    ],
  ])(
    '%s whose answer was never stored is answered as it was done, with its version, and what came since stays',
    async (how, ask) => {
      const lose = () =>
        app.database.sql`delete from idempotency_records where key like ${`lost ${how}`.replaceAll(' ', '-')} || '%'`;
      const key = (of: string) => ({ 'idempotency-key': `lost ${how} ${of}`.replaceAll(' ', '-') });
      const { id } = await clinic.aBooked();
      const [start, since] = [await clinic.aStart(), await clinic.aStart()];
      const move = () => ask(id, { start }, { ...key('move'), ...ifMatch(1) });
      const cancel = () => ask(id, { status: 'cancelled' }, { ...key('cancel'), ...ifMatch(3) });

      const moved = await move();
      await clinic.reschedule(id, since);
      await lose();
      const movedAgain = await move();
      const cancelled = await cancel();
      await app.request('POST', `/appointments/${id}/restore`, { bearer: clinic.staff });
      await lose();
      const cancelledAgain = await cancel();

      expect([moved.body.start, moved.headers.get('etag')]).toEqual([start, 'W/"2"']);
      expect([cancelled.body.status, cancelled.headers.get('etag')]).toEqual(['cancelled', 'W/"4"']);
      for (const [first, again] of [
        [moved, movedAgain],
        [cancelled, cancelledAgain],
      ] as const) {
        expect([again.status, again.body, again.headers.get('etag')]).toEqual([
          200,
          first.body,
          first.headers.get('etag'),
        ]);
        expectFhir(again);
      }
      expect((await clinic.get(`/Appointment/${id}`)).body).toMatchObject({ status: 'booked', start: since });
    },
  );

  test('while it is on, nothing of it is there', async () => {
    const { id } = await clinic.aBooked();
    await set({ showsNextAppointmentOnly: true });
    const answers = await Promise.all([
      clinic.get(`/Appointment/${id}`),
      clinic.get(`/Appointment/${id}/_history`),
      clinic.post('/Appointment', proposed({ patient: 'x', start: '2030-01-01T10:00:00Z' })),
      clinic.ask('PUT', `/Appointment/${id}`, { body: { resourceType: 'Appointment', status: 'cancelled' } }),
    ]);

    for (const answer of answers) expectRefusal(answer, 404, 'not_offered');
    expectBadRequest(await clinic.get('/Appointment?date=2026-01-01&date=2026-01-02&patient=Patient/x'));
  });
});

test('anyone who needs a version is shown it, also where all the rest is kind', async () => {
  await set({ takesChangesUnseen: false });
  const patient = await clinic.aPatient();
  const booked = await clinic.book({ patient, start: await clinic.aStart() });
  const found = await clinic.get(`/Appointment?patient=Patient/${patient}`);

  expectFhir(found);
  expect([booked.headers.get('etag'), found.body.entry[0].resource.meta.versionId]).toEqual(['W/"1"', '1']);
  expectRefusal(await clinic.reschedule(booked.body.id, await clinic.aStart()), 428, 'version_required');
  const key = { 'idempotency-key': 'a-move' };
  const start = await clinic.aStart();
  const moves = [
    await clinic.reschedule(booked.body.id, start, { ...key, ...ifMatch(7) }),
    await clinic.reschedule(booked.body.id, start, { ...key, ...ifMatch(1) }),
    await clinic.reschedule(booked.body.id, start, { ...key, ...ifMatch(1) }),
  ];
  expect(moves.map(({ status }) => status)).toEqual([412, 200, 200]);
});

test('a cancellation wants a coded reason, and one of the code system', async () => {
  const { id } = await clinic.aBooked();
  await set({ cancelsWithoutReason: false });

  expectRefusal(await clinic.cancel(id), 422, 'cancel_reason_required');
  const bored = await cancelFor(id, 'bored');
  expectRefusal(bored, 422, 'cancel_reason_required');
  expect(namedIn(bored)).toEqual(['cancelationReason']);
  expect((await cancelFor(id, 'pat')).body.status).toBe('cancelled');
});

test('R4 without deviations: no empty entry, absolute urls of extensions, OperationOutcomes for errors', async () => {
  await set({ deviatesFromR4: false, createsUnknownPatients: false });
  const url = `${app.baseUrl}/StructureDefinition/escalateToClinicalTeam`;
  const schedule = await clinic.get('/Schedule?actor=Practitioner/Dr.Chen');
  const patient = (await clinic.match('MRN-1001')).body.entry[0].resource.id;
  const noteWith = (extension: object[]) => clinic.post('/DocumentReference', { ...aNote(patient), extension });

  const empties = await Promise.all([
    clinic.match('NOBODY-2'),
    clinic.get('/Slot?schedule=Schedule/Dr.Chen&start=ge2001-01-01&start=lt2001-01-02'),
    clinic.get('/Appointment?patient=Patient/none'),
  ]);
  const note = await noteWith([{ url, valueBoolean: true }]);
  const errors = await Promise.all([
    clinic.get('/Slot?schedule=Schedule/Dr.Nobody'),
    clinic.get('/Slot'),
    clinic.post('/Appointment/x/$reschedule', { start: 'soon' }),
  ]);

  for (const { status, body } of empties) expect([status, body.total, 'entry' in body]).toEqual([200, 0, false]);
  expectFhir(schedule);
  expect(schedule.body).toMatchObject({
    resourceType: 'Bundle',
    type: 'searchset',
    total: 1,
    link: [{ relation: 'self', url: `${app.baseUrl}/Schedule?actor=Practitioner/Dr.Chen` }],
    entry: [
      {
        fullUrl: `${app.baseUrl}/Schedule/Dr.Chen`,
        resource: { resourceType: 'Schedule', id: 'Dr.Chen', actor: [{ reference: 'Practitioner/Dr.Chen' }] },
      },
    ],
  });
  expect([note.status, note.headers.get('location')]).toEqual([
    201,
    `${app.baseUrl}/DocumentReference/${note.body.id}`,
  ]);
  expect(note.body.extension).toEqual([{ url, valueBoolean: true }]);
  const written = await app.database.sql<{ escalates: boolean | null }>`
    select escalate_to_clinical_team as escalates from documents where id = ${note.body.id}`;
  expect(written).toEqual([{ escalates: true }]);
  const relative = await noteWith([{ url: 'escalateToClinicalTeam', valueBoolean: true }]);
  expectRefusal(relative, 422, 'extension_unknown');
  expect(namedIn(relative)).toEqual(['DocumentReference.extension']);
  errors.forEach((answer, index) =>
    expectRefusal(
      answer,
      [404, 400, 400][index]!,
      ['unknown_practitioner', 'invalid_request', 'invalid_request'][index]!,
    ),
  );
});

describe('tokens by SMART Backend Services', () => {
  const scope = 'system/Patient.r system/Schedule.s system/Slot.s system/Appointment.cruds system/DocumentReference.c';
  let key: ClientKey;
  let clientId: string;

  beforeAll(async () => {
    key = await newClientKey('ES384');
    const body = { name: 'Our client', jwks: { keys: [key.publicJwk] } };
    clientId = (await app.request('POST', '/sandbox/clients', { body, bearer: clinic.admin })).body.id;
  });
  afterEach(() => set({ takesSessionTokens: true }));

  const tokenUrl = () => `${app.baseUrl}/sandbox/token`;
  const ask = (assertion: string, more: Record<string, string> = {}) =>
    app.request('POST', '/sandbox/token', {
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({
        grant_type: 'client_credentials',
        scope,
        client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
        client_assertion: assertion,
        ...more,
      }).toString(),
    });
  const assertion = (about: { clientId?: string; audience?: string; now?: number; kid?: string } = {}) => {
    const { kid = key.kid, ...rest } = about;
    return signAssertion({ ...key, kid }, { clientId, audience: tokenUrl(), ...rest });
  };

  test('a client gets a token for a signed assertion, and the token of a session opens nothing', async () => {
    await set({ takesSessionTokens: false });
    const discovered = await app.request('GET', '/.well-known/smart-configuration');
    const granted = await ask(await assertion());
    const bearer = granted.body.access_token;
    const asClient = (path: string) => app.request('GET', path, { bearer });

    const schedule = await asClient('/Schedule?actor=Practitioner/Dr.Chen');
    const session = await clinic.get('/Schedule?actor=Practitioner/Dr.Chen');

    expect(discovered.body.token_endpoint).toBe(tokenUrl());
    expect(granted.body).toMatchObject({ token_type: 'bearer', expires_in: 300, scope });
    expect(granted.headers.get('cache-control')).toBe('no-store');
    expect([schedule.status, session.status, why(session)]).toEqual([200, 401, 'unauthenticated']);
    expect((await asClient('/sandbox')).status).toBe(401);
    expect((await asClient('/metadata')).body.rest[0].security.service).toHaveLength(1);
    const removed = await app.request('POST', '/sandbox/clients', {
      body: { name: 'Another', jwks: { keys: [key.publicJwk] } },
      bearer: clinic.admin,
    });
    const others = await ask(await assertion({ clientId: removed.body.id }));
    expect((await app.request('DELETE', `/sandbox/clients/${removed.body.id}`, { bearer: clinic.admin })).status).toBe(
      204,
    );
    const ended = await app.request('GET', '/Schedule?actor=Practitioner/Dr.Chen', {
      bearer: others.body.access_token,
    });
    expect(ended.status).toBe(401);
  });

  test('our own outbound client finds the endpoint by itself and reads the sandbox', async () => {
    await set({ takesSessionTokens: false });
    const safeHttp = createSafeHttp({ allowPrivateTargets: true });
    const answer = await createClinicApi({
      http: createClinicHttp({ http: safeHttp, audit: () => undefined, adjustWait: () => 0 }),
      ehrTimes: app.stores.ehrTimes,
      clinicId: clinic.clinic.clinicId,
      tokens: createTokenCache(),
      keys: { signing: async () => key, jwksUrl: () => 'https://us.example/jwks.json' },
      settings: {
        kind: 'json',
        baseUrl: app.baseUrl,
        auth: { method: 'smart-backend', clientId, scope },
        headers: [],
        actions: { 'form.progress': { method: 'GET', path: '/Schedule?actor=Practitioner/{sessionId}' } },
      },
    }).call('form.progress', { params: { sessionId: 'Dr.Chen' } });
    await safeHttp.close();

    expect(answer).toMatchObject({ kind: 'answered', status: 200 });
  });

  test('a refused assertion is invalid_client, with the reason for developers', async () => {
    const used = await assertion();
    await ask(used);
    const foreign = await newClientKey('ES384');
    const reasons = await Promise.all([
      ask(used),
      assertion({ audience: 'https://elsewhere.example/token' }).then(ask),
      assertion({ now: Date.now() - 600_000 }).then(ask),
      assertion({ now: Date.now() + 600_000 }).then(ask),
      assertion({ clientId: 'nobody' }).then(ask),
      assertion({ kid: 'another' }).then(ask),
      signAssertion({ ...foreign, kid: key.kid }, { clientId, audience: tokenUrl() }).then(ask),
      ask('not.a.jwt'),
    ]);
    const [scopeless, grantless] = [
      await ask(await assertion(), { scope: 'openid' }),
      await ask(await assertion(), { grant_type: 'password' }),
    ];

    for (const { status, body } of reasons) expect([status, body]).toEqual([400, { error: 'invalid_client' }]);
    expect(reasons.map(({ headers }) => headers.get('x-sandbox-token-reason'))).toEqual([
      'an assertion with this jti was used before',
      `aud must be the address of the token endpoint, ${tokenUrl()}`,
      'exp has passed',
      'exp lies more than five minutes ahead',
      'iss is not the id of a client that is registered here',
      'kid is not in the key set that the client registered',
      'the signature is not of the key that kid names',
      'client_assertion is not a signed JWT',
    ]);
    expect([scopeless.body.error, grantless.body.error]).toEqual(['invalid_scope', 'unsupported_grant_type']);
    const privateKey = { name: 'Unwise', jwks: { keys: [key.privateJwk] } };
    expectBadRequest(await app.request('POST', '/sandbox/clients', { body: privateKey, bearer: clinic.admin }));
  });
});

test('GET metadata declares what the sandbox of the token can do, and what every sandbox can without one', async () => {
  await set(
    Object.fromEntries(lenientRuleNames.filter((name) => name !== 'takesSessionTokens').map((name) => [name, false])),
  );
  const [own, everybody] = [await clinic.get('/metadata'), await app.request('GET', '/metadata')];
  const appointmentIn = ({ body }: Answer) =>
    body.rest[0].resource.find(({ type }: { type: string }) => type === 'Appointment');
  const codes = (list: { code?: string; name?: string }[] = []) => list.map(({ code, name }) => code ?? name);

  expectFhir(own);
  expect(codes(appointmentIn(own).interaction)).toEqual([
    'read',
    'history-instance',
    'search-type',
    'create',
    'update',
  ]);
  expect(codes(appointmentIn(own).operation)).toEqual(['book', 'find', 'hold', 'confirm', 'cancel']);
  expect(codes(appointmentIn(everybody).interaction)).toEqual(['search-type']);
  expect(everybody.body.rest[0].documentation).toMatch(/`slot_taken` \(409\)/);
});

test('what is served is what GET metadata declares, and nothing else, as each mode has it', async () => {
  const { body: described } = await app.request('GET', '/openapi.json');
  const served = Object.entries(described.paths as Record<string, Record<string, { tags: string[] }>>)
    .flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, { tags }]) => ({
        method: method.toUpperCase(),
        path: path.replace(/\{\w+\}/, '{id}'),
        tags,
      })),
    )
    .filter(({ path, tags }) => tags.includes('FHIR') && /^\/[A-Z]/.test(path));
  const [patient, start] = [await clinic.aPatient(), await clinic.aStart()];
  const bodies: Record<string, object> = {
    'POST /Appointment': proposed({ patient: 'nobody', start }),
    'PUT /Appointment/{id}': { resourceType: 'Appointment', status: 'cancelled' },
    'POST /Appointment/{id}/$reschedule': { start },
  };
  interface Declared {
    type: string;
    interaction?: { code: keyof typeof ways }[];
    operation?: { documentation: string }[];
  }
  const ways = {
    read: 'GET /T/{id}',
    'history-instance': 'GET /T/{id}/_history',
    'search-type': 'GET /T',
    create: 'POST /T',
    update: 'PUT /T/{id}',
    delete: 'DELETE /T/{id}',
  };
  const modes = lenientRuleNames
    .filter((name) => name !== 'takesSessionTokens')
    .map((name): StoredLeniency => ({ [name]: false }));

  for (const mode of [{}, ...modes, Object.assign({}, ...modes) as StoredLeniency]) {
    await set({ ...Object.fromEntries(lenientRuleNames.map((name) => [name, true])), ...mode });
    const { body: statement } = await clinic.get('/metadata');
    const declared = (statement.rest[0].resource as Declared[]).flatMap(
      ({ type, interaction = [], operation = [] }) => [
        ...interaction.map(({ code }) => ways[code].replace('/T', `/${type}`)),
        ...operation.flatMap(({ documentation }) =>
          [...documentation.matchAll(/(GET|POST) ([\w$/<>]+)/g)].map(
            ([, method, path]) => `${method} /${path?.replace('<id>', '{id}')}`,
          ),
        ),
      ],
    );
    const open: string[] = [];
    for (const { method, path } of served) {
      const name = `${method} ${path}`;
      const body = method === 'GET' ? undefined : (bodies[name] ?? {});
      const answer = await clinic.ask(method, path.replace('{id}', path === '/Basic/{id}' ? TOPIC_ID : 'nowhere'), {
        body,
      });
      if (!['not_offered', 'operation_not_supported'].includes(why(answer) ?? '')) open.push(name);
    }
    expect({ mode, open: open.toSorted() }).toEqual({ mode, open: declared.toSorted() });
  }
  expect((await clinic.get(`/Appointment?patient=Patient/${patient}`)).body.total).toBe(0);
});

test('$explain says why a time is free or not, and what is nearest', async () => {
  const explain = async (start: string, provider = 'Dr.Chen') => {
    const answer = await clinic.get(`/Slot/$explain?schedule=Schedule/${provider}&start=${encodeURIComponent(start)}`);
    if (answer.status !== 200) return [answer.status];
    assertR4(answer.body);
    const values = (name: string) =>
      answer.body.parameter
        .filter((each: { name: string }) => each.name === name)
        .map((each: object) => Object.values(each)[1]);
    return [values('reason')[0], values('nearest').length];
  };
  await app.request('PUT', '/sandbox/clock', { body: { at: '2027-03-10T08:00:00-07:00' }, bearer: clinic.admin });
  const booked = await clinic.aBooked({ start: '2027-03-11T16:00:00.000Z' });

  const reasons = [
    await explain('2027-03-11T09:30'),
    await explain(booked.start),
    await explain('2027-03-11T09:15'),
    await explain('2027-03-11T20:00'),
    await explain('2027-03-13T10:00:00-07:00'),
    await explain('2027-03-09T10:00'),
    await explain('2027-03-14T02:30'),
  ];
  await set({ minimumNoticeMinutes: 2 * 24 * 60, maximumNoticeDays: 5 });
  const notices = [await explain('2027-03-11T09:30'), await explain('2027-03-19T09:30')];
  const refused = [await explain('soon'), await explain('2027-03-11T09:30', 'Dr.Nobody')];
  await app.request('DELETE', '/sandbox/clock', { bearer: clinic.admin });

  expect(reasons).toEqual([
    ['free', 0],
    ['booking', 3],
    ['grid', 3],
    ['hours', 3],
    ['hours', 3],
    ['in_the_past', 3],
    ['clock_change', 3],
  ]);
  expect(notices).toEqual([
    ['notice', 3],
    ['too_far_ahead', 3],
  ]);
  expect(refused).toEqual([[400], [404]]);
});

import { demoPolicy, providerFixtures } from '@clinic/prisma/fixtures';
import { startApp, type App } from '../../support/app';
import type { Answer } from '../../support/clinic-client';
import { eventually } from '../../support/eventually';
import { aBooking, aMatch, aNote, type FhirClinic, openSandbox } from '../../support/fhir';
import { expectBadRequest, expectConflict, expectFhir, idOf, notFound } from '../../support/fhir-answers';

/** What was decided where the contract is silent on the sandbox EMR. */

let app: App;
let clinic: FhirClinic;
let other: FhirClinic;
let unlinked: string;

beforeAll(async () => {
  app = await startApp({ hasWorker: false });
  [clinic, other, unlinked] = await Promise.all([
    openSandbox(app),
    openSandbox(app, app.otherClinic),
    app.signIn(app.unlinkedAccount),
  ]);
});
afterAll(() => app.stop());

test('an unknown provider is 404, a reference of another type 400', async () => {
  const unknown = await Promise.all([
    clinic.get('/Schedule?actor=Practitioner/Dr.Who'),
    clinic.get('/Slot?schedule=Schedule/Dr.Who'),
    clinic.book({ patient: await clinic.aPatient(), start: await clinic.aStart(), provider: 'Dr.Who' }),
  ]);
  for (const { status, body } of unknown) {
    expect([status, body]).toEqual([404, notFound('Practitioner Dr.Who not found')]);
  }
  for (const path of [
    '/Schedule?actor=Dr.Chen',
    '/Schedule?actor=Practitioner/',
    '/Slot?schedule=Dr.Chen',
    '/Appointment?patient=1',
  ]) {
    expectBadRequest(await clinic.get(path));
  }
});

test.each(['Dr. Maya Chen', 'dr.chen', 'Dr Chen'])('%s, which a tool takes, is no FHIR id: 404', async (provider) => {
  const [patient, start] = [await clinic.aPatient(), await clinic.aStart()];
  const participant = [`Patient/${patient}`, `Practitioner/${provider}`].map((reference) => ({ actor: { reference } }));

  const refused = [
    await clinic.get(`/Slot?schedule=Schedule/${encodeURIComponent(provider)}`),
    await clinic.book({ patient, start, provider }),
    await clinic.post('/Appointment/$hold', aBooking({ patient, start, provider })),
    await clinic.post('/Appointment', {
      resourceType: 'Appointment',
      status: 'waitlist',
      requestedPeriod: [{ start: '2030-01-01', end: '2099-12-31' }],
      participant,
    }),
  ];

  for (const { status, body } of refused) {
    expect([status, body]).toEqual([404, notFound(`Practitioner ${provider} not found`)]);
  }
  expect((await clinic.book({ patient, start })).status).toBe(200);
});

test("another clinic's patient is unknown: 404 on booking and on a document, total 0 on a search", async () => {
  const patient = await other.aPatient();

  const booking = await clinic.book({ patient, start: await clinic.aStart() });
  const document = await clinic.post('/DocumentReference', aNote(patient));
  const search = await clinic.get(`/Appointment?patient=Patient/${patient}`);

  for (const { status, body } of [booking, document]) {
    expect([status, body]).toEqual([404, notFound(`Patient ${patient} not found`)]);
  }
  expect(search.body).toMatchObject({ total: 0, entry: [] });
});

test('a time that is not on offer is 409 slot_unavailable, one in the past or without a zone 400', async () => {
  const [patient, start] = [await clinic.aPatient(), await clinic.aStart()];
  const offGrid = new Date(Date.parse(start) + 5 * 60_000).toISOString();
  const booked = await clinic.aBooked();

  expectConflict(await clinic.book({ patient, start: offGrid }), 'slot_unavailable');
  expectConflict(await clinic.reschedule(booked.id, offGrid), 'slot_unavailable');
  for (const bad of ['2020-01-06T16:00:00.000Z', '2030-01-07T16:00:00']) {
    expectBadRequest(await clinic.book({ patient, start: bad }));
    expectBadRequest(await clinic.reschedule(booked.id, bad));
  }
});

test('a reschedule to a taken slot is 409 slot_taken, and never conflicts with itself', async () => {
  const [one, taken] = [await clinic.aBooked(), await clinic.aBooked()];

  expectConflict(await clinic.reschedule(one.id, taken.start), 'slot_taken');
  expect((await clinic.reschedule(one.id, one.start)).body).toEqual(one);
});

test('rescheduling a cancelled or fulfilled appointment is 409, cancelling twice 200, cancelling a fulfilled one 409', async () => {
  const [cancelled, fulfilled] = [await clinic.aBooked(), await clinic.aBooked()];
  const first = await clinic.cancel(cancelled.id);
  await app.database.sql`update appointments set status = 'fulfilled' where id = ${fulfilled.id}`;
  const start = await clinic.aStart();

  expectConflict(await clinic.reschedule(cancelled.id, start), 'appointment_cancelled');
  expectConflict(await clinic.reschedule(fulfilled.id, start), 'appointment_fulfilled');
  expect((await clinic.cancel(cancelled.id)).body).toEqual(first.body);
  expectConflict(await clinic.cancel(fulfilled.id), 'appointment_fulfilled');
});

test('$book, $reschedule, $cancel and DocumentReference give the first answer again under one Idempotency-Key; another body is 422', async () => {
  const key = { 'idempotency-key': 'a-key' };
  const [patient, start, later] = [await clinic.aPatient(), await clinic.aStart(), await clinic.aStart()];
  const { id } = await clinic.aBooked();
  const { id: gone } = await clinic.aBooked();
  expect((await clinic.cancel(gone, key)).text).toBe((await clinic.cancel(gone, key)).text);
  const requests = [
    (different: boolean) => clinic.book({ patient, start, visitType: different ? 'Other' : 'Same' }, key),
    (different: boolean) => clinic.reschedule(id, different ? start : later, key),
    (different: boolean) => clinic.post('/DocumentReference', aNote(patient, different ? 'Other' : 'Same'), key),
  ];

  for (const request of requests) {
    const [first, again, different] = [await request(false), await request(false), await request(true)];
    expect(first.status).toBe(200);
    expect([again.status, again.text, again.headers.get('content-type')]).toEqual([
      200,
      first.text,
      first.headers.get('content-type'),
    ]);
    expect([different.status, different.body.error]).toEqual([422, 'Unprocessable Entity']);
  }
});

test('a booking whose answer was never stored is found again under its Idempotency-Key', async () => {
  const key = { 'idempotency-key': 'lost-answer' };
  const booking = { patient: await clinic.aPatient(), start: await clinic.aStart() };
  const first = await clinic.book(booking, key);
  await app.database.sql`delete from idempotency_records where key = 'lost-answer'`;

  const again = await clinic.book(booking, key);

  expect([again.status, again.body]).toEqual([200, first.body]);
});

test('a move or cancellation whose answer was never stored is answered as it was done, and what came since stays', async () => {
  const [moving, cancelling] = ['lost-move', 'lost-cancel'].map((key) => ({ 'idempotency-key': key }));
  const [start, since] = [await clinic.aStart(), await clinic.aStart()];
  const { id } = await clinic.aBooked();
  const lose = () => app.database.sql`delete from idempotency_records where key in ('lost-move', 'lost-cancel')`;

  const moved = await clinic.reschedule(id, start, moving);
  await clinic.reschedule(id, since);
  await lose();
  const movedAgain = await clinic.reschedule(id, start, moving);
  const cancelled = await clinic.cancel(id, cancelling);
  await app.request('POST', `/appointments/${id}/restore`, { bearer: clinic.staff });
  await lose();
  const cancelledAgain = await clinic.cancel(id, cancelling);

  expect([movedAgain.status, movedAgain.body]).toEqual([200, moved.body]);
  expect(moved.body).toMatchObject({ id, status: 'booked', start });
  expect([cancelledAgain.status, cancelledAgain.body]).toEqual([200, cancelled.body]);
  expect(cancelled.body).toMatchObject({ id, status: 'cancelled', start: since });
  expect(await app.stores.appointments.find(app.clinic.clinicId, id)).toMatchObject({ status: 'booked' });
});

test('an appointment attachment must be base64 and at most 5 MB decoded', async () => {
  const note = aNote(await clinic.aPatient());
  const withData = (data: unknown) =>
    clinic.post('/DocumentReference', { ...note, content: [{ attachment: { contentType: 'text/plain', data } }] });

  for (const data of ['not base64!', 'abc', '', undefined]) expectBadRequest(await withData(data));
  const largest = Buffer.alloc(5 * 1024 * 1024).toString('base64');
  for (const data of [largest, largest.replaceAll(/.{76}/g, '$&\r\n')]) {
    expect((await withData(data)).status).toBe(200);
  }
  const tooLarge = await withData(Buffer.alloc(5 * 1024 * 1024 + 1).toString('base64'));
  expect([tooLarge.status, tooLarge.body.error]).toEqual([413, 'Payload Too Large']);
});

test('an escalation in a document opens a task for staff', async () => {
  const note = aNote(await clinic.aPatient());
  const extension = [{ url: 'escalateToClinicalTeam', valueBoolean: true }];

  const { body } = await clinic.post('/DocumentReference', { ...note, extension });

  const tasks = await app.stores.tasks.list(clinic.clinic.clinicId, { limit: 100, reason: 'clinical_escalation' });
  expect(tasks.items.map(({ detail }) => detail)).toContainEqual({ documentId: body.id });
});

test('$match trims its identifier of 1 to 128 characters; simultaneous matches make one patient', async () => {
  const answers = await Promise.all(
    Array.from({ length: 16 }, (_, index) => clinic.match(index % 2 ? ' twin ' : 'twin')),
  );

  expect(new Set(answers.map(idOf)).size).toBe(1);
  expect((await clinic.match('x'.repeat(128))).status).toBe(200);
  for (const identifier of ['', '   ', 'x'.repeat(129), 5, null]) expectBadRequest(await clinic.match(identifier));
});

test('the Slot search covers 14 days from start; a second start narrows it; a day without a prefix is that day', async () => {
  const days = (slots: { start: string }[]) => new Set(slots.map(({ start }) => localDay(start)));
  const monday = '2030-01-07';

  const fortnight = days(await clinic.slots('Dr.Chen', `&start=ge${monday}`));
  const twoDays = days(await clinic.slots('Dr.Chen', `&start=ge${monday}&start=lt2030-01-09`));
  const narrower = days(await clinic.slots('Dr.Chen', `&start=ge${monday}&start=ge2030-01-08&start=le2030-01-08`));
  const oneDay = days(await clinic.slots('Dr.Chen', `&start=${monday}`));

  expect([...fortnight].toSorted().at(-1)).toBe('2030-01-18');
  expect(twoDays).toEqual(new Set([monday, '2030-01-08']));
  expect(narrower).toEqual(new Set(['2030-01-08']));
  expect(oneDay).toEqual(new Set([monday]));
});

test('_count pages through the slots with next links, each slot once; a cursor of another clinic is refused', async () => {
  const all = (await clinic.slots('Dr.Okafor')).map(({ id }) => id);
  const seen: string[] = [];
  let url: string | undefined = `${app.baseUrl}/Slot?schedule=Schedule/Dr.Okafor&_count=37`;
  let foreign = '';
  while (url) {
    const { body }: Answer = await clinic.get(url.slice(app.baseUrl.length));
    seen.push(...body.entry.map(({ resource }: { resource: { id: string } }) => resource.id));
    expect(body.total).toBe(all.length);
    expect(body.link[0]).toEqual({ relation: 'self', url });
    url = body.link.find(({ relation }: { relation: string }) => relation === 'next')?.url;
    foreign = url ?? foreign;
  }

  expect(seen).toEqual(all);
  expectBadRequest(await other.get(foreign.slice(app.baseUrl.length)));
  expect((await clinic.get('/Slot?schedule=Schedule/Dr.Chen')).body.entry).toHaveLength(100);
  expect((await clinic.get('/Slot?schedule=Schedule/Dr.Chen&_count=0')).body.entry).toEqual([]);
});

test('a _count of any size is read as the largest, and a cursor that is not ours is named', async () => {
  const { status, body } = await clinic.get('/Slot?schedule=Schedule/Dr.Chen&_count=1000000000000');
  const refused = await clinic.get('/Slot?schedule=Schedule/Dr.Chen&_cursor=AAAA.AAAA');

  expect([status, body.entry.length]).toEqual([200, Math.min(body.total, 500)]);
  expect(refused.body).toMatchObject({
    statusCode: 400,
    details: [{ path: '_cursor', message: 'is not one that this service gave out' }],
  });
});

test('every Bundle entry has an absolute fullUrl, a Bundle a self link', async () => {
  const { body } = await clinic.get('/Slot?schedule=Schedule/Dr.Chen&_count=2');

  expect(body.link[0].relation).toBe('self');
  for (const { fullUrl, resource } of body.entry) expect(fullUrl).toBe(`${app.baseUrl}/Slot/${resource.id}`);
});

test('GET /metadata answers a CapabilityStatement without a token, that lists exactly what is implemented', async () => {
  const answer = await app.request('GET', '/metadata');

  expectFhir(answer);
  interface Listed {
    type: string;
    interaction?: { code: string }[];
    operation?: { name: string }[];
  }
  const listed = answer.body.rest[0].resource.map(({ type, interaction = [], operation = [] }: Listed) => [
    type,
    ...interaction.map(({ code }) => code),
    ...operation.map(({ name }) => name),
  ]);
  expect(listed).toEqual([
    ['Schedule', 'search-type'],
    ['Slot', 'search-type', 'explain'],
    ['Appointment', 'search-type', 'book', 'find', 'hold', 'confirm', 'reschedule', 'cancel'],
    ['Patient', 'match'],
    ['DocumentReference', 'create'],
    ['Subscription', 'read', 'search-type', 'create', 'update', 'delete', 'status', 'events'],
    ['Basic', 'read'],
    ['AuditEvent', 'search-type'],
  ]);
});

test('a body may be application/json too; another media type is 415, another wanted format 406', async () => {
  const body = aMatch('MRN-1001');
  const asJson = await clinic.post('/Patient/$match', body, { 'content-type': 'application/json' });
  const asXml = await clinic.post('/Patient/$match', '<Parameters/>', { 'content-type': 'application/fhir+xml' });
  const wanted = (accept: string) => clinic.ask('GET', '/Schedule?actor=Practitioner/Dr.Chen', { headers: { accept } });

  expectFhir(asJson);
  expect([asXml.status, asXml.headers.get('content-type')]).toEqual([415, expect.stringMatching('application/json')]);
  for (const accept of ['application/fhir+json', 'application/json', '*/*', 'text/html, application/*;q=0.5']) {
    expectFhir(await wanted(accept));
  }
  expect((await wanted('application/fhir+xml')).status).toBe(406);
  expect((await clinic.get('/Schedule?actor=Practitioner/Dr.Chen&_format=xml')).status).toBe(406);
  expectFhir(await clinic.get('/Schedule?actor=Practitioner/Dr.Chen&_format=json'));
});

test('search parameters that FHIR has and we do not are passed over; modifiers and repeats are 400', async () => {
  expectFhir(await clinic.get('/Slot?schedule=Schedule/Dr.Chen&_lastUpdated=gt2020-01-01&_sort=start'));
  for (const query of [
    'schedule:exact=Schedule/Dr.Chen',
    'schedule.name=Chen',
    'start:missing=true',
    '_count=1&_count=2',
    '_count=-1',
    '_count=ten',
  ]) {
    expectBadRequest(await clinic.get(`/Slot?schedule=Schedule/Dr.Chen&${query}`));
  }
});

test('an operation is found with its dollar sign percent-encoded too', async () => {
  expectFhir(await clinic.post('/Patient/%24match', aMatch('MRN-1001')));
});

test('config PUT needs an admin; the wrong method is 405 with Allow', async () => {
  expect((await clinic.setEnabled(true, clinic.staff)).status).toBe(403);
  const { status, headers } = await clinic.ask('DELETE', '/Appointment/$book');
  expect([status, headers.get('allow')]).toEqual([405, 'POST']);
});

test('without a clinic FHIR routes are 403', async () => {
  expect((await app.request('GET', '/Slot?schedule=Schedule/Dr.Chen', { bearer: unlinked })).status).toBe(403);
});

test('a change of working hours is seen by search and booking at once', async () => {
  const { clinicId } = other.clinic;
  const before = await app.stores.providers.list(clinicId);
  const start = (await other.slots('Dr.Patel'))[0]!.start;

  await app.stores.providers.replace(
    clinicId,
    before.map((each) => ({ ...each, workingHours: {} })),
  );
  await eventually(async () => (await other.slots('Dr.Patel')).length === 0);
  const refused = await other.book({ patient: await other.aPatient(), start, provider: 'Dr.Patel' });
  await app.stores.providers.replace(clinicId, before);

  expectConflict(refused, 'slot_unavailable');
});

test('eight simultaneous first enablings seed the fixture patients once', async () => {
  const clinicId = await app.stores.clinics.create({
    name: 'Third',
    timezone: 'Asia/Kathmandu',
    isDemo: true,
    voiceProvider: 'simulator',
    policy: demoPolicy,
  });
  await app.stores.providers.replace(clinicId, providerFixtures);

  await Promise.all(
    Array.from({ length: 8 }, () => app.stores.sandbox.setEnabled({ clinicId, isEnabled: true, now: new Date() })),
  );

  const [counts] = await app.database.sql`
    select count(*)::int as patients, count(distinct identifier)::int as identifiers,
      (select count(*)::int from appointments where clinic_id = ${clinicId} and status = 'booked') as booked
    from patients where clinic_id = ${clinicId} and identifier is not null`;
  expect(counts).toEqual({ patients: 12, identifiers: 12, booked: 7 });
});

/** The date on the first clinic's calendar. */
const localDay = (instant: string) =>
  new Intl.DateTimeFormat('en-CA', { timeZone: app.clinic.timezone }).format(new Date(instant));

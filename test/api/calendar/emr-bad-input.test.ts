import { startApp, type App } from '../../support/app';
import type { Answer } from '../../support/clinic-client';
import { aBooking, aMatch, aNote, type FhirClinic, openSandbox, parametersOf } from '../../support/fhir';

/** What commonly becomes a 500: each is the caller's fault, and said so. */

let app: App;
let clinic: FhirClinic;
let patient: string;
let start: string;

beforeAll(async () => {
  app = await startApp({ hasWorker: false });
  clinic = await openSandbox(app);
  [patient, start] = [await clinic.aPatient(), await clinic.aStart()];
});
afterAll(() => app.stop());

/** No string, no number, no size that any field takes. */
const nasty: [name: string, value: unknown][] = [
  ['NUL', 'a\u0000b'],
  ['half a surrogate pair', 'a\ud800b'],
  ['an integer beyond int8', 2 ** 63],
  ['a negative number', -1],
  ['a list', ['x']],
  ['an object', { x: 1 }],
  ['a boolean', true],
  ['null', null],
  ['nothing', ''],
  ['spaces', '   '],
  ['100,000 characters', '~'.repeat(100_000)],
  ['nesting 10,000 deep', 'DEEP'],
];

const noTimes = [
  '2026-02-30T09:00:00Z',
  '0000-01-01T00:00:00Z',
  '2030-01-07T24:00:00Z',
  '2030-01-07T09:60:00Z',
  '2030-01-07T09:00:00+0700',
  '2030-01-07T09:00:00+99:00',
  '2030-01-07',
  '20300107T090000Z',
  '+012030-01-07T09:00:00Z',
  '9999-99-99T99:99:99Z',
  '-000001-01-01T00:00:00Z',
  'now',
  '1893999600000',
];

const bookWith = (field: string, value: unknown) => {
  const { parameter } = aBooking({ patient, start });
  const [{ resource }] = parameter as [{ resource: object }];
  return clinicPost(
    '/Appointment/$book',
    parametersOf({ name: 'appointment', resource: { ...resource, [field]: value } }),
  );
};
const withAttachment = (part: object) => ({
  ...aNote(patient),
  content: [{ attachment: { contentType: 'text/plain', data: 'aGVsbG8=', ...part } }],
});
const long = 'x'.repeat(5_000);
const person = { firstName: 'Ines', lastName: 'Duarte', phone: '+13035550177' };

/** Requests with one place for a value that does not belong there. */
const places: Record<string, (value: unknown) => Promise<Answer>> = {
  'start of $book': (value) => bookWith('start', value),
  'participant of $book': (value) => bookWith('participant', value),
  'reference of $book': (value) => bookWith('participant', [{ actor: { reference: value } }]),
  'parameter of $book': (value) => clinicPost('/Appointment/$book', { resourceType: 'Parameters', parameter: value }),
  'body of $book': (value) => clinicPost('/Appointment/$book', value),
  'start of $reschedule': (value) => clinicPost('/Appointment/some-id/$reschedule', { start: value }),
  'subject of DocumentReference': (value) =>
    clinicPost('/DocumentReference', { ...aNote(patient), subject: { reference: value } }),
  'content of DocumentReference': (value) => clinicPost('/DocumentReference', { ...aNote(patient), content: value }),
  'data of DocumentReference': (value) => clinicPost('/DocumentReference', withAttachment({ data: value })),
  'contentType of DocumentReference': (value) =>
    clinicPost('/DocumentReference', withAttachment({ contentType: value })),
  'enabled of the configuration': (value) =>
    app.request('PUT', clinic.config, {
      body: textOf({ enabled: value === true ? 'true' : value }),
      bearer: clinic.admin,
      headers: { 'content-type': 'application/json' },
    }),
  'firstName of a patient': (value) => keyPost('/patients', { ...person, firstName: value }),
  'phone of a patient': (value) => keyPost('/patients', { ...person, phone: value }),
  'startsAt of an appointment': (value) =>
    keyPost('/appointments', { patientId: patient, providerName: 'Dr.Chen', startsAt: value }),
  'patientId of an appointment': (value) =>
    keyPost('/appointments', { patientId: value, providerName: 'Dr.Chen', startsAt: start }),
};

test.each(Object.keys(places))('whatever stands in the place of the %s, the answer is a 4xx', async (place) => {
  const found: Record<string, unknown> = {};
  for (const [name, value] of nasty) {
    const { status, body } = await places[place]!(value);
    if (status < 400 || status > 499 || body?.statusCode !== status) found[name] = [status, body];
  }
  expect(found).toEqual({});
});

test.each(['start of $book', 'start of $reschedule', 'startsAt of an appointment'])(
  'no time that the calendar or the clock does not have is taken as the %s',
  async (place) => {
    for (const time of noTimes) {
      const { status, body } = await places[place]!(time);
      expect([time, status, body.message]).toEqual([time, 400, expect.stringMatching(/is not an ISO 8601 timestamp$/)]);
    }
  },
);

test('a time at the end of all years is not on offer, with the constraint in peace', async () => {
  for (const time of ['9999-12-31T23:59:59.999Z', '9999-12-31T23:30:00Z']) {
    expect((await bookWith('start', time)).status).toBe(409);
  }
});

test.each([
  'schedule=Schedule/%00',
  'schedule[x]=1',
  'schedule=Schedule/Dr.Chen&schedule=Schedule/Dr.Chen',
  'schedule=Schedule/Dr.Chen&start=ge2026-02-30',
  'schedule=Schedule/Dr.Chen&start=ge10000-01-01',
  'schedule=',
  'schedule=Schedule/Dr.Chen&_count=1e309',
  'schedule=Schedule/Dr.Chen&_count=',
  'schedule=Schedule/Dr.Chen&_cursor=x',
  'schedule=Schedule/Dr.Chen&_cursor=a.b',
  'schedule=Schedule/Dr.Chen&_cursor=a.b&_cursor=c',
  '__proto__=1',
  'constructor=1',
  'schedule=LONG',
])('GET /Slot?%s is 400', async (query) => {
  const { status, body } = await clinic.get(`/Slot?${query.replace('LONG', long)}`);
  expect([status, body.statusCode]).toEqual([400, 400]);
});

test('a page size larger than any is the largest page, one below zero 400', async () => {
  for (const count of ['1000000000', '99999999999', '1000000000000']) {
    expect([count, (await clinic.get(`/Slot?schedule=Schedule/Dr.Chen&_count=${count}`)).status]).toEqual([count, 200]);
  }
  for (const list of ['/patients', '/appointments']) {
    for (const limit of ['-1', '0', '1.5', 'ten', '1e309', '', '%00']) {
      expect([limit, (await clinic.get(`${list}?limit=${limit}`)).status]).toEqual([limit, 400]);
    }
  }
});

test.each([
  '%E0%A4%A',
  '%00',
  '%ED%A0%80',
  '..%2F..%2Fetc',
  "'; drop table appointments; --",
  'LONG',
  '__proto__',
  '%',
])('an id of another shape (%s) is 404 or 400', async (shape) => {
  const id = shape.replace('LONG', long);
  const answers = [
    await clinic.post(`/Appointment/${id}/$cancel`),
    await clinic.post(`/Appointment/${id}/$reschedule`, { start }),
    await clinic.get(`/patients/${id}`),
    await clinic.get(`/appointments/${id}`),
    await clinic.get(`/providers/${id}/calendar?from=2030-01-07&until=2030-01-08`),
  ];
  for (const { status, body } of answers) {
    expect([400, 404]).toContain(status);
    expect(body.statusCode).toBe(status);
  }
});

test('a cancellation has no body by the contract: what is sent with it is not read', async () => {
  const { id } = await clinic.aBooked();

  const { status, body } = await clinic.post(`/Appointment/${id}/$cancel`, '{ "no": JSON');

  expect([status, body.status]).toEqual([200, 'cancelled']);
});

test('keys that are names of object internals are passed over or refused, and leave nothing behind', async () => {
  const polluting =
    '{"resourceType":"Parameters","__proto__":{"x":1},"constructor":{"prototype":{"x":1}},"parameter":[{"name":"identifier","valueString":"proto","__proto__":{"x":1}}]}';

  const answer = await clinic.ask('POST', '/Patient/$match', { body: polluting });

  expect(answer.status).toBe(200);
  expect(({} as { x?: number }).x).toBeUndefined();
  const settings = await app.request('PUT', clinic.config, {
    body: '{"enabled":true,"__proto__":{}}',
    bearer: clinic.admin,
  });
  expect([200, 400]).toContain(settings.status);
});

test('numbers that JSON can write and JavaScript cannot hold are 400', async () => {
  for (const text of ['{"start":1e309}', '{"start":-1e309}', '{"start":123456789012345678901234567890}']) {
    expect((await clinic.ask('POST', '/Appointment/some-id/$reschedule', { body: text })).status).toBe(400);
  }
});

test('bodies that are none, empty, cut off, of another type or too large are 4xx', async () => {
  const ask = (body: string, headers?: Record<string, string>) =>
    clinic.ask('POST', '/Patient/$match', { body, headers });

  for (const body of ['', '{', 'null', '[]', '"x"', '1', 'true']) expect((await ask(body)).status).toBe(400);
  expect((await clinic.post('/Patient/$match')).status).toBe(400);
  expect((await ask('{}', { 'content-type': 'text/plain' })).status).toBe(415);
  expect((await ask('{}', { 'content-type': 'application/fhir+json; charset=klingon' })).status).toBe(415);
  expect((await ask(JSON.stringify(aMatch('x'.repeat(300 * 1024))))).status).toBe(413);
  const note = { ...aNote(patient), padding: 'x'.repeat(9 * 1024 * 1024) };
  expect((await clinic.post('/DocumentReference', note)).status).toBe(413);
});

test('an Idempotency-Key that is none is 400', async () => {
  for (const key of ['', 'with space', 'x'.repeat(201), 'ümlaut'.normalize('NFC')]) {
    const { status } = await clinic.book({ patient, start }, { 'idempotency-key': key });
    expect([key, status]).toEqual([key, 400]);
  }
});

/** `DEEP` becomes too deep for whatever walks it by calling itself, JSON.stringify included. */
const textOf = (body: unknown) =>
  JSON.stringify(body ?? null).replaceAll('"DEEP"', `${'['.repeat(10_000)}${']'.repeat(10_000)}`);

const clinicPost = (path: string, body: unknown) => clinic.ask('POST', path, { body: textOf(body) });
const keyPost = (path: string, body: unknown) =>
  app.request('POST', path, {
    body: textOf(body),
    bearer: app.clinic.apiKey,
    headers: { 'content-type': 'application/json' },
  });

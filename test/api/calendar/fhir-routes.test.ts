import { refuseOtherFormats } from '@clinic/api/fhir/fhir-route';
import { toPatient } from '@clinic/api/fhir/patients';
import { newId } from '@clinic/shared/crypto';
import { lenientRuleNames, type StoredLeniency } from '@clinic/shared/domain/sandbox/leniency';
import { type App, startApp } from '../../support/app';
import type { Answer } from '../../support/clinic-client';
import { aBooking, aNote, type Booking, type FhirClinic, openSandbox, parametersOf } from '../../support/fhir';
import { eventually } from '../../support/eventually';
import { expectBadRequest, expectFhir } from '../../support/fhir-answers';
import { assertR4 } from '../../support/r4';

let app: App;
let clinic: FhirClinic;

beforeAll(async () => {
  app = await startApp({ hasWorker: false });
  clinic = await openSandbox(app);
});
afterAll(() => app.stop());

const set = async (to: StoredLeniency): Promise<void> => {
  const answer = await app.request('PATCH', '/sandbox/leniency', { body: to, bearer: clinic.admin });
  if (answer.status !== 200) throw new Error(answer.text);
};
const setAll = (to: boolean) =>
  set(Object.fromEntries(lenientRuleNames.filter((name) => name !== 'takesSessionTokens').map((name) => [name, to])));
const why = ({ headers }: Answer) => headers.get('x-refusal-reason');
const idsIn = ({ body }: Answer): string[] =>
  (body.entry ?? []).map(({ resource }: { resource: { id: string } }) => resource.id);
const asAdmin = (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
  app.request(method, path, {
    bearer: clinic.admin,
    body,
    headers: { ...(body !== undefined && { 'content-type': 'application/fhir+json' }), ...headers },
  });

describe('which format a client wants', () => {
  const isServed = (accept: string | undefined, format?: string): boolean => {
    try {
      refuseOtherFormats({ headers: { accept }, query: { _format: format } });
      return true;
    } catch {
      return false;
    }
  };

  test.each([
    undefined,
    '',
    '*/*',
    'application/*',
    'json',
    'text/json',
    'application/fhir+json',
    'Application/JSON',
    'application/json+fhir',
    'text/html, application/json;q=0.5',
    'application/fhir+json; fhirVersion=4.0',
    'application/json;q=0.01',
  ])('%s is served', (accept) => expect(isServed(accept)).toBe(true));

  test.each(['text/html', 'application/fhir+xml', 'application/json;q=0', '*/*; q=0.00', 'text/html,text/*'])(
    '%s is not',
    (accept) => expect(isServed(accept)).toBe(false),
  );

  test('_format wins over Accept, and its plus sign may arrive as a space', () => {
    expect([isServed('text/html', 'application/fhir json'), isServed('text/html', 'json')]).toEqual([true, true]);
    expect([isServed('application/json', 'xml'), isServed('application/json', '')]).toEqual([false, true]);
  });
});

test('a patient is shown with what is on file of them, and nothing else', () => {
  const bare = {
    id: 'ann',
    firstName: '',
    lastName: '',
    birthDate: null,
    phone: null,
    email: null,
    preferredLanguage: null,
  };
  const full = {
    ...bare,
    firstName: 'Ann',
    lastName: 'Lee',
    birthDate: '1980-03-05',
    phone: '+13035550101',
    email: 'ann@example.com',
    replaces: ['anne'],
    preferredLanguage: 'es',
  };

  expect(toPatient(bare)).toEqual({ resourceType: 'Patient', id: 'ann' });
  expect(toPatient({ ...bare, lastName: 'Lee' }).name).toEqual([{ family: 'Lee' }]);
  expect(toPatient({ ...bare, firstName: 'Ann' }).name).toEqual([{ given: ['Ann'] }]);
  expect(toPatient({ ...bare, email: full.email }).telecom).toEqual([{ system: 'email', value: full.email }]);
  expect(toPatient(full)).toMatchObject({
    name: [{ family: 'Lee', given: ['Ann'] }],
    birthDate: '1980-03-05',
    telecom: [
      { system: 'phone', value: '+13035550101' },
      { system: 'email', value: 'ann@example.com' },
    ],
    link: [{ other: { reference: 'Patient/anne' }, type: 'replaces' }],
    communication: [{ language: { coding: [{ code: 'es' }] } }],
  });
});

describe('GET /metadata', () => {
  interface Declared {
    type: string;
    interaction?: { code: string; documentation?: string }[];
    searchParam?: { name: string; type: string }[];
    operation?: { name: string; definition: string; documentation: string }[];
  }
  const outlineOf = ({ body }: Answer) =>
    Object.fromEntries(
      (body.rest[0].resource as Declared[]).map(({ type, interaction = [], searchParam = [], operation = [] }) => [
        type,
        [
          interaction.map(({ code }) => code).join(' '),
          searchParam.map((each) => `${each.name}:${each.type}`).join(' '),
          operation.map(({ name }) => name).join(' '),
        ],
      ]),
    );
  const resourceIn = ({ body }: Answer, wanted: string) =>
    body.rest[0].resource.find(({ type }: Declared) => type === wanted);
  const anyMode = {
    Slot: ['search-type', 'schedule:reference start:date', 'explain'],
    Patient: ['', '', 'match'],
    DocumentReference: ['create', '', ''],
    Subscription: ['read search-type create update delete', 'url:uri status:token _id:token', 'status events'],
    Basic: ['read', '', ''],
    AuditEvent: ['search-type', 'patient:reference date:date altid:token subtype:token', ''],
    Schedule: ['search-type', 'actor:reference', ''],
  };
  afterEach(() => setAll(true));

  test('says what each resource can do, in the kindest sandbox and in the strictest', async () => {
    const kind = await app.request('GET', '/metadata');
    const byToken = await clinic.get('/metadata');
    await setAll(false);
    const strict = await clinic.get('/metadata');
    const stranger = await app.request('GET', '/metadata', { bearer: 'a-token-that-nobody-has' });

    expectFhir(kind);
    expectFhir(strict);
    expect(byToken.body).toEqual(kind.body);
    expect(stranger.body).toEqual(kind.body);
    expect(outlineOf(kind)).toEqual({
      ...anyMode,
      Appointment: ['search-type', 'patient:reference status:token', 'book find hold confirm reschedule cancel'],
    });
    expect(outlineOf(strict)).toEqual({
      ...anyMode,
      Appointment: [
        'read history-instance search-type create update',
        'patient:reference practitioner:reference actor:reference date:date status:token identifier:token _id:token',
        'book find hold confirm cancel',
      ],
    });
    expect(resourceIn(strict, 'Appointment')).toMatchObject({
      versioning: 'versioned-update',
      conditionalCreate: true,
    });
    expect(resourceIn(kind, 'Schedule').interaction[0].documentation).toContain('not a Bundle');
    expect(resourceIn(strict, 'Schedule').interaction).toEqual([{ code: 'search-type' }]);
  });

  test('says how to match and to cancel, by the rules that are on', async () => {
    const wordsOf = async (type: string, name: string): Promise<string> =>
      resourceIn(await clinic.get('/metadata'), type).operation.find((each: { name: string }) => each.name === name)
        .documentation;

    expect(await wordsOf('Patient', 'match')).toMatch(
      /^POST Patient\/\$match with a parameter identifier; .*makes a pa/,
    );
    expect(await wordsOf('Appointment', 'cancel')).toContain('without a body');
    await set({ createsUnknownPatients: false, cancelsWithoutReason: false });
    expect(await wordsOf('Patient', 'match')).toMatch(/with a parameter identifier; exact.*finds nobody$/);
    expect(await wordsOf('Appointment', 'cancel')).toContain('cancelationReason');
    await set({ matchesIdentifiersOnly: false });
    expect(await wordsOf('Patient', 'match')).toContain('onlyCertainMatches');
  });

  test('names itself, its version, its formats and its topic', async () => {
    const { body } = await app.request('GET', '/metadata');
    const [rest] = body.rest;

    expect(body).toMatchObject({
      status: 'active',
      kind: 'instance',
      fhirVersion: '4.0.1',
      format: ['application/fhir+json', 'json'],
      instantiates: [expect.stringContaining('backport-subscription-server-r4')],
      implementation: { url: app.baseUrl },
    });
    expect([body.rest.length, rest.mode, rest.security.service]).toEqual([1, 'server', undefined]);
    expect(resourceIn({ body } as Answer, 'Subscription')).toMatchObject({
      extension: [{ valueCanonical: `${app.baseUrl}/Basic/appointment-change` }],
      supportedProfile: [expect.stringContaining('backport-subscription')],
    });
  });
});

describe('$match of a person', () => {
  const home = '9 Elm Street, Denver, CO, 80201';
  const wilma = { firstName: 'Wilma', lastName: 'Quist', birthDate: '1961-02-03', phone: '+13035557700' };
  const matched = (resource: object, ...more: object[]) =>
    clinic.post(
      '/Patient/$match',
      parametersOf({ name: 'resource', resource: { resourceType: 'Patient', ...resource } }, ...more),
    );
  const scoreOf = async (resource: object): Promise<number> =>
    (await matched(resource)).body.entry.find((each: { resource: { id: string } }) => each.resource.id === 'wilma')
      .search.score;

  beforeAll(async () => {
    const clinicId = clinic.clinic.clinicId;
    const { prisma } = app.database;
    await prisma.patient.create({
      data: { ...wilma, id: 'wilma', clinicId, identifier: 'W-1', address: home, email: 'wilma@example.com' },
    });
    await prisma.patient.createMany({
      data: Array.from({ length: 101 }, (_, index) => ({
        id: `many-${index}`,
        clinicId,
        firstName: 'Many',
        lastName: 'Alike',
        birthDate: '1970-07-07',
        phone: '+13035557799',
      })),
    });
  });
  beforeEach(() => set({ matchesIdentifiersOnly: false }));
  afterEach(() => setAll(true));

  test.each([
    ['a name in one text', { name: [{ text: ' Wilma  Quist ' }] }],
    ['a name with a middle one', { name: [{ text: 'Wilma Maria Quist' }] }],
    ['a name in parts', { name: [{ given: ['Wilma'], family: 'Quist' }] }],
    ['a first name beside a text', { name: [{ given: ['Wilma'], text: 'Billie Quist' }] }],
    ['a last name beside a text', { name: [{ family: 'Quist', text: 'Wilma Other' }] }],
    ['the first of two names', { name: [{ text: 'Wilma Quist' }, { text: 'Billie Other' }] }],
    ['a birth date', { birthDate: '1961-02-03', name: [{ family: 'Quist' }] }],
    ['a phone as it is written here', { telecom: [{ system: 'phone', value: '(303) 555-7700' }] }],
    [
      'a phone behind an e-mail',
      {
        telecom: [
          { system: 'email', value: 'wilma@example.com' },
          { system: 'phone', value: '+13035557700' },
        ],
      },
    ],
    ['an identifier behind an empty one', { identifier: [{ system: 'urn:x' }, { value: 'W-1' }] }],
  ])('finds by %s', async (_name, resource) => {
    const found = await matched(resource);

    expectFhir(found);
    expect(idsIn(found)).toContain('wilma');
    expect(found.body.total).toBe(found.body.entry.length);
  });

  test.each([
    ['a last name', { name: [{ text: 'Quist' }] }],
    ['a first name', { name: [{ given: ['Wilma'] }] }],
    ['an e-mail', { telecom: [{ system: 'email', value: 'wilma@example.com' }] }],
    ['a phone under another system', { telecom: [{ system: 'fax', value: '+13035557700' }] }],
    ['an address', { address: [{ text: home }] }],
    ['nothing', {}],
  ])('looks nobody up by %s alone', async (_name, resource) => {
    const refused = await matched(resource);

    expect([refused.status, why(refused)]).toEqual([422, 'not_enough_to_match']);
    expect(refused.body.issue[0].expression).toEqual(['Patient']);
  });

  test('an address and an e-mail speak for somebody, however the address is written', async () => {
    const name = { name: [{ text: 'Wilma Quist' }] };
    const parts = { line: ['9 Elm Street'], city: 'Denver', state: 'CO', postalCode: '80201' };
    const [plain, text, inParts, both] = [
      await scoreOf(name),
      await scoreOf({ ...name, address: [{ text: home }] }),
      await scoreOf({ ...name, address: [parts] }),
      await scoreOf({ ...name, address: [{ ...parts, text: '1 Nowhere, Utah' }] }),
    ];
    const mail = { telecom: [{ system: 'email', value: 'wilma@example.com' }] };

    expect(text).toBeGreaterThan(plain);
    expect(inParts).toBe(text);
    expect(both).toBeLessThan(text);
    expect(await scoreOf({ ...name, ...mail })).toBeGreaterThan(plain);
  });

  test('shows each with identifier, address and grade; an exact match shows none of these', async () => {
    const [entry] = (await matched({ identifier: [{ value: 'W-1' }] })).body.entry;
    await set({ matchesIdentifiersOnly: true, createsUnknownPatients: false });
    const exact = await clinic.match('W-1');

    expect(entry).toEqual({
      fullUrl: `${app.baseUrl}/Patient/wilma`,
      resource: expect.objectContaining({ identifier: [{ value: 'W-1' }], address: [{ text: home }] }),
      search: {
        mode: 'match',
        score: expect.any(Number),
        extension: [
          { url: 'http://hl7.org/fhir/StructureDefinition/match-grade', valueCode: expect.stringMatching(/^[a-z-]+$/) },
        ],
      },
    });
    expect(exact.body.entry[0]).toEqual({
      fullUrl: `${app.baseUrl}/Patient/wilma`,
      resource: expect.not.objectContaining({ identifier: expect.anything(), address: expect.anything() }),
    });
    expect(Object.keys(exact.body.entry[0].resource)).not.toEqual(expect.arrayContaining(['identifier']));
  });

  test('shows ten unless told otherwise, and a hundred at most', async () => {
    const many = { telecom: [{ system: 'phone', value: '+13035557799' }], name: [{ text: 'Many Alike' }] };
    const count = (valueInteger: number) => matched(many, { name: 'count', valueInteger });

    const shown = [await matched(many), await count(0), await count(11), await count(100), await count(1_000)];

    expect(shown.map(({ body }) => body.total)).toEqual([10, 0, 11, 100, 100]);
    expectBadRequest(await count(-1));
  });

  const text = (length: number) => 'x'.repeat(length);
  const list = (count: number, each: unknown) => Array.from({ length: count }, () => each);
  test.each<[string, number, (size: number) => object]>([
    ['identifiers', 20, (size) => ({ identifier: list(size, { value: 'none' }) })],
    ['names', 20, (size) => ({ name: list(size, { family: 'None' }) })],
    ['letters of a family name', 200, (size) => ({ name: [{ family: text(size) }] })],
    ['letters of a given name', 200, (size) => ({ name: [{ given: [text(size)] }] })],
    ['given names', 10, (size) => ({ name: [{ given: list(size, 'None') }] })],
    ['letters of a whole name', 200, (size) => ({ name: [{ text: text(size) }] })],
    ['contacts', 20, (size) => ({ telecom: list(size, { system: 'phone', value: '1' }) })],
    ['letters of a system', 20, (size) => ({ telecom: [{ system: text(size) }] })],
    ['letters of a contact', 200, (size) => ({ telecom: [{ system: 'email', value: text(size) }] })],
    ['addresses', 20, (size) => ({ address: list(size, { city: 'None' }) })],
    ['letters of an address', 500, (size) => ({ address: [{ text: text(size) }] })],
    ['lines of an address', 10, (size) => ({ address: [{ line: list(size, 'None') }] })],
    ['letters of a line', 200, (size) => ({ address: [{ line: [text(size)] }] })],
    ['letters of a city', 200, (size) => ({ address: [{ city: text(size) }] })],
    ['letters of a state', 200, (size) => ({ address: [{ state: text(size) }] })],
    ['letters of a postal code', 200, (size) => ({ address: [{ postalCode: text(size) }] })],
  ])('reads so many %s, %i, and no more', async (_what, most, resourceOf) => {
    const asked = (size: number) => matched({ birthDate: '1922-02-02', ...resourceOf(size) });
    const [read, refused] = await Promise.all([asked(most), asked(most + 1)]);

    expect([read.status, read.body.total]).toEqual([200, 0]);
    expectBadRequest(refused);
  });

  test('another resource than a Patient, and more than one, are refused', async () => {
    expectBadRequest(await matched({ resourceType: 'Person', name: [{ text: 'Wilma Quist' }] }));
    expectBadRequest(await matched({ birthDate: '1961-02-03' }, { name: 'resource', resource: {} }));
  });
});

describe('AuditEvent', () => {
  const READ = 'R';
  const signedIn = { system: 'http://dicom.nema.org/resources/ontology/DCM', code: '110114' };
  const rest = { system: 'http://terminology.hl7.org/CodeSystem/audit-event-type', code: 'rest' };
  const entity = (code: string) => ({ system: 'http://terminology.hl7.org/CodeSystem/audit-entity-type', code });
  const seen = async (query: string) => {
    await app.stores.auditChain.seal(1);
    const { body } = await asAdmin('GET', `/AuditEvent?${query}`);
    assertR4(body);
    return body;
  };

  test.each([
    ['sign-in', signedIn, 'E', '0'],
    ['sign-in.refused', signedIn, 'E', '4'],
    ['patient.create', rest, 'C', '0'],
    ['opt-out.add', rest, 'C', '0'],
    ['appointment.book', rest, 'C', '0'],
    ['patient.note', rest, 'C', '0'],
    ['opt-out.remove', rest, 'D', '0'],
    ['api-key.revoke', rest, 'D', '0'],
    ['saved-view.delete', rest, 'D', '0'],
    ['patient.change', rest, 'U', '0'],
    ['patient.change.refused', rest, 'U', '4'],
  ])('%s is told as what it did', async (action, type, did, outcome) => {
    const actor = `account:${newId()}`;
    await app.stores.audit.write({ clinicId: clinic.clinic.clinicId, actor, action, subject: 'one' });

    const { entry } = await seen(`altid=${actor}`);

    expect(entry).toHaveLength(1);
    expect(entry[0].resource).toEqual({
      resourceType: 'AuditEvent',
      id: expect.any(String),
      type,
      subtype: [{ system: `${app.baseUrl}/audit-actions`, code: action }],
      action: did,
      recorded: expect.stringMatching(/^20.*Z$/),
      outcome,
      agent: [{ altId: actor, requestor: true }],
      source: { observer: { display: 'Clinic workflows' } },
      entity: [{ what: { identifier: { value: 'one' } }, type: entity('4') }],
    });
  });

  test.each([
    ['patient.read', { reference: 'Patient/ann' }, entity('1')],
    ['delivery.read', { identifier: { value: 'ann' } }, entity('4')],
    ['record.read', { identifier: { value: 'ann' } }, entity('4')],
    ['records.read', { reference: 'Patient/ann' }, entity('1')],
  ])('%s is a read of whom it names, by whom, from where', async (action, what, type) => {
    const { accountId, name } = (await asAdmin('GET', '/auth/session')).body;
    const account = (await app.stores.staff.list(clinic.clinic.clinicId))[0];
    const actor = `account:${account?.id ?? accountId}`;
    const from = { actor, requestId: newId(), address: '192.0.2.7', clinicId: clinic.clinic.clinicId };
    await app.stores.audit.writeRequest({ ...from, action, isRead: true, route: 'GET /x', subjects: ['ann'] });

    const [{ resource }] = (await seen(`altid=${actor}&subtype=${action}`)).entry;

    expect([resource.action, resource.agent]).toEqual([
      READ,
      [
        {
          altId: actor,
          name: account?.name ?? name,
          requestor: true,
          network: { address: '192.0.2.7', type: '2' },
        },
      ],
    ]);
    expect(resource.entity[0]).toMatchObject({ what, type });
    expect(resource.entity[0].role?.code).toBe(type.code === '1' ? '1' : undefined);
    expect(resource.entity.at(-1)).toEqual({
      what: { identifier: { value: from.requestId } },
      type: entity('4'),
      name: 'request',
    });
  });

  test.each([
    ['of 64 characters is referred to', 'a'.repeat(64), { reference: `Patient/${'a'.repeat(64)}` }],
    ['of 65 is named, as FHIR has no such id', 'a'.repeat(65), { identifier: { value: 'a'.repeat(65) } }],
    ['with a space is named too', 'ann one', { identifier: { value: 'ann one' } }],
  ])('a patient asked for by an id %s', async (_, asked, what) => {
    const actor = `account:${newId()}`;
    const from = { actor, requestId: newId(), address: '192.0.2.7', clinicId: clinic.clinic.clinicId };
    await app.stores.audit.writeRequest({
      ...from,
      action: 'patient.read',
      isRead: true,
      route: 'GET /x',
      subjects: [asked],
    });

    const [{ resource }] = (await seen(`altid=${actor}`)).entry;

    expect(resource.entity[0]).toEqual({ what, type: entity('1'), role: expect.objectContaining({ code: '1' }) });
  });

  test('is searched by days, in pages; a count of none shows none', async () => {
    const actor = `account:${newId()}`;
    for (const action of ['a.one', 'a.two', 'a.three'])
      await app.stores.audit.write({ clinicId: clinic.clinic.clinicId, actor, action });
    const subtypes = (body: { entry: { resource: { subtype: { code: string }[] } }[] }) =>
      body.entry.map(({ resource }) => resource.subtype[0]?.code);
    const tomorrow = new Date(Date.now() + 2 * 86_400_000).toISOString().slice(0, 10);

    const first = await seen(`altid=${actor}&_count=2`);
    const next = (await asAdmin('GET', first.link[1].url.slice(app.baseUrl.length))).body;
    const none = await seen(`altid=${actor}&_count=0`);

    expect([subtypes(first), subtypes(next)]).toEqual([['a.three', 'a.two'], ['a.one']]);
    expect(
      [first.link, next.link].map((links: { relation: string }[]) => links.map(({ relation }) => relation)),
    ).toEqual([['self', 'next'], ['self']]);
    expect(none.entry).toEqual([]);
    expect((await seen(`altid=${actor}&date=ge2020-01-01&date=lt${tomorrow}`)).entry).toHaveLength(3);
    expect((await seen(`altid=${actor}&date=ge${tomorrow}`)).entry).toEqual([]);
    expect((await seen(`altid=${actor}&date=lt2020-01-01`)).entry).toEqual([]);
    expect((await asAdmin('GET', '/AuditEvent', undefined, { accept: 'application/xml' })).status).toBe(406);
  });
});

test('who searches for the appointment of a patient is noted with that patient', async () => {
  const asked = await clinic.aPatient();

  const { body, headers } = await clinic.get(`/Appointment?patient=Patient/${asked}`);

  const noted = await eventually(async () => {
    await app.stores.auditChain.seal(1);
    const { items } = await app.stores.audit.list(clinic.clinic.clinicId, { hasReads: true, subject: asked, limit: 5 });
    return items.find(({ requestId }) => requestId === headers.get('x-request-id'));
  });
  expect([body.total, noted.action]).toEqual([0, 'appointment.search']);
});

describe('the waitlist as Appointments', () => {
  const wish = (patient: string, about: object = {}, ...more: string[]) => ({
    resourceType: 'Appointment',
    status: 'waitlist',
    requestedPeriod: [{ start: '2030-01-01', end: '2099-12-31' }],
    participant: [`Patient/${patient}`, ...more].map((reference) => ({ actor: { reference }, status: 'accepted' })),
    ...about,
  });
  const times = (fromTime: string | undefined, untilTime?: string) => ({
    extension: [
      { url: `${app.baseUrl}/StructureDefinition/from-time`, valueTime: fromTime },
      ...(untilTime === undefined
        ? []
        : [{ url: `${app.baseUrl}/StructureDefinition/until-time`, valueTime: untilTime }]),
    ],
  });
  const waiting = async (query: string) => clinic.get(`/Appointment?status=waitlist${query}`);

  test('holds what was wished for, and is given up by $cancel', async () => {
    const patient = await clinic.aPatient();
    const asked = { ...times('09:00:00', '12:30:00'), serviceType: [{ text: 'Check-up' }] };

    const created = await clinic.post('/Appointment', wish(patient, asked, 'Practitioner/Dr.Chen'));
    const { id } = created.body;
    const found = await waiting(`&patient=Patient/${patient}`);
    const cancelled = await clinic.cancel(id);
    const after = await waiting(`&patient=Patient/${patient}`);

    const shown = {
      ...wish(patient, asked),
      id,
      participant: [
        { actor: { reference: `Patient/${patient}` }, status: 'accepted' },
        { actor: { reference: 'Practitioner/Dr.Chen' }, status: 'needs-action' },
      ],
    };
    expect([created.status, created.body]).toEqual([201, shown]);
    expect(created.headers.get('location')).toBe(`${app.baseUrl}/Appointment/${id}`);
    expect(found.body).toMatchObject({
      total: 1,
      link: [{ url: `${app.baseUrl}/Appointment?patient=Patient/${patient}&status=waitlist` }],
      entry: [{ fullUrl: `${app.baseUrl}/Appointment/${id}`, resource: shown }],
    });
    expect(cancelled.body).toEqual({ ...shown, status: 'cancelled' });
    expect(after.body.total).toBe(0);
  });

  test('takes instants as days on the clock of the clinic, and one time of day alone', async () => {
    const patient = await clinic.aPatient();
    const period = { requestedPeriod: [{ start: '2030-01-02T06:59:00Z', end: '2030-01-03T07:00:00Z' }] };

    const { body } = await clinic.post('/Appointment', wish(patient, { ...period, ...times('09:00:00') }));

    expect(body.requestedPeriod).toEqual([{ start: '2030-01-01', end: '2030-01-03' }]);
    expect(body.extension).toEqual(times('09:00:00').extension);
    expect(body.serviceType).toEqual([{ text: 'Follow-up consultation' }]);
  });

  test.each([
    ['a day that is none', () => ({ requestedPeriod: [{ start: '2030-13-01', end: '2099-12-31' }] })],
    ['an instant that is none', () => ({ requestedPeriod: [{ start: '2030-01-01Tsoon', end: '2099-12-31' }] })],
    ['no period', () => ({ requestedPeriod: [] })],
    ['two periods', () => ({ requestedPeriod: ['2030-01-01', '2030-03-01'].map((day) => ({ start: day, end: day })) })],
    ['a time that is none', () => times('25:00:00')],
    ['an end before the beginning', () => times('12:00:00', '09:00:00')],
    ['nobody who waits', () => ({ participant: [] })],
  ])('%s is refused', async (_name, about) => {
    expectBadRequest(await clinic.post('/Appointment', wish(await clinic.aPatient(), about())));
  });

  /** A valid instant of so many characters. */
  const longInstant = (length: number) => `2030-01-01T06:59:00.${'0'.repeat(length - 21)}Z`;
  const end = '2099-12-31';
  const actor = (reference: unknown) => ({ actor: { reference }, status: 'accepted' });
  test.each<[what: string, about: object, path: string, message: string]>([
    ['no period at all', { requestedPeriod: undefined }, 'requestedPeriod', 'is required'],
    ['a period that is no list', { requestedPeriod: { start: '2030-01-01', end } }, 'requestedPeriod', 'is required'],
    [
      'two periods',
      { requestedPeriod: [1, 2].map(() => ({ start: '2030-01-01', end })) },
      'requestedPeriod',
      'one period',
    ],
    ['a period that is none', { requestedPeriod: ['2030'] }, 'requestedPeriod.0', ''],
    ['a period without a start', { requestedPeriod: [{ end }] }, 'requestedPeriod.0.start', ''],
    ['a start that is no text', { requestedPeriod: [{ start: 2030, end }] }, 'requestedPeriod.0.start', ''],
    ['a start of 41 letters', { requestedPeriod: [{ start: longInstant(41), end }] }, 'requestedPeriod.0.start', '40'],
    ['a period without an end', { requestedPeriod: [{ start: '2030-01-01' }] }, 'requestedPeriod.0.end', ''],
    ['an end that is no text', { requestedPeriod: [{ start: '2030-01-01', end: 2099 }] }, 'requestedPeriod.0.end', ''],
    [
      'an end of 41 letters',
      { requestedPeriod: [{ start: '2029-01-01', end: longInstant(41) }] },
      'requestedPeriod.0.end',
      '40',
    ],
    ['a type of 201 letters', { serviceType: [{ text: 'x'.repeat(201) }] }, 'serviceType.0.text', '200'],
    ['a type that is no text', { serviceType: [{ text: 7 }] }, 'serviceType.0.text', ''],
    ['types that are no list', { serviceType: { text: 'x' } }, 'serviceType', ''],
    ['an extension without an address', { extension: [{ valueTime: '09:00:00' }] }, 'extension.0.url', ''],
    ['an extension with a number', { extension: [{ url: 'x', valueTime: 9 }] }, 'extension.0.valueTime', ''],
    ['extensions that are no list', { extension: {} }, 'extension', ''],
    ['no participants', { participant: undefined }, 'participant', ''],
    ['101 participants', { participant: Array.from({ length: 101 }, () => actor('x')) }, 'participant', '100'],
    ['a participant of 501 letters', { participant: [actor('x'.repeat(501))] }, 'participant.0.actor.reference', '500'],
    ['a participant that is a number', { participant: [actor(7)] }, 'participant.0.actor.reference', ''],
    ['an actor that is a text', { participant: [{ actor: 'x' }] }, 'participant.0.actor', ''],
  ])('%s is refused at its place', async (_what, about, path, message) => {
    const { status, body } = await clinic.post('/Appointment', wish(await clinic.aPatient(), about));

    expect(status).toBe(400);
    expect(body.details).toMatchObject([{ path, message: expect.stringContaining(message) }]);
  });

  test('what is as long as it may be is taken', async () => {
    const patient = await clinic.aPatient();
    const longest = {
      requestedPeriod: [{ start: longInstant(40), end: longInstant(40).replace('2030', '2031') }],
      serviceType: [{ text: 'x'.repeat(200) }],
      participant: [actor(`Patient/${patient}`), ...Array.from({ length: 99 }, () => actor('x'.repeat(500)))],
    };

    expect((await clinic.post('/Appointment', wish(patient, longest))).status).toBe(201);
  });

  test('nobody waits who is unknown, with nobody who is, or for more than ten times', async () => {
    const patient = await clinic.aPatient();
    const ask = (of: string, about: object = {}, ...more: string[]) =>
      clinic.post('/Appointment', wish(of, about, ...more));
    const stranger = await ask('nobody');
    const provider = await ask(patient, {}, 'Practitioner/Dr.Nobody');
    for (let day = 10; day < 20; day += 1)
      await ask(patient, { requestedPeriod: [{ start: `2030-01-${day}`, end: `2030-02-${day}` }] });
    const tooMany = await ask(patient);

    expect([stranger.status, why(stranger)]).toEqual([404, 'unknown_patient']);
    expect([provider.status, why(provider)]).toEqual([404, 'unknown_practitioner']);
    expect([tooMany.status, (await waiting(`&patient=Patient/${patient}`)).body.total]).toEqual([409, 10]);
  });

  test('is searched in whole, in the sandbox that searches all appointments too', async () => {
    const patient = await clinic.aPatient();
    const { body } = await clinic.post('/Appointment', wish(patient));
    await setAll(false);
    const all = await waiting('');
    await setAll(true);

    expect(all.status).toBe(200);
    expect(idsIn(all)).toContain(body.id);
    expect(all.body.total).toBe(all.body.entry.length);
    expectBadRequest(await waiting('&patient=Practitioner/x'));
  });
});

test('a booking says whom the clinic does not have before it says which patient', async () => {
  const booking = aBooking({ patient: 'nobody', provider: 'Dr.Nobody', start: '2035-03-09T09:00:00-07:00' });

  const { status, headers } = await clinic.post('/Appointment/$book', booking);

  expect([status, headers.get('x-refusal-reason')]).toEqual([404, 'unknown_practitioner']);
});

describe('the search of all appointments', () => {
  beforeAll(() => set({ showsNextAppointmentOnly: false }));
  afterAll(() => setAll(true));
  const search = (query: string, prefer?: string) =>
    clinic.ask('GET', `/Appointment?${query}`, { headers: prefer === undefined ? {} : { prefer } });

  test('each of its criteria is enough by itself, and finds what has it', async () => {
    const patient = await clinic.aPatient();
    const start = await clinic.aStart();
    const [{ resource }] = aBooking({ patient, start }).parameter as [{ resource: object }];
    const identifier = [{ value: 'without-a-system' }];
    const { body } = await clinic.post('/Appointment', { ...resource, identifier });
    const day = new Date(Date.parse(start) + 1).toISOString();

    for (const query of [
      `patient=Patient/${patient}`,
      `patient=${patient}`,
      `actor=Patient/${patient}`,
      'practitioner=Practitioner/Dr.Chen',
      'practitioner=Dr.Chen',
      'actor=Practitioner/Dr.Chen',
      `date=ge${start}`,
      `date=lt${day}`,
      'identifier=without-a-system',
      'identifier=|without-a-system',
      `_id=nobody,${body.id}`,
    ])
      expect([query, idsIn(await search(query))]).toEqual([query, expect.arrayContaining([body.id])]);
    for (const query of [
      `patient=Patient/${patient}&actor=Practitioner/Dr.Okafor`,
      `patient=${patient}&identifier=urn:x|without-a-system`,
      `patient=${patient}&date=lt${start}`,
      `patient=${patient}&date=ge${day}`,
      `patient=${patient}&_id=nobody`,
    ])
      expect([query, (await search(query)).body.total]).toEqual([query, 0]);
    expectBadRequest(await search('_count=5'));
    expectBadRequest(await search('patient=Practitioner/x'));
    expectBadRequest(await search('practitioner=Patient/x'));
  });

  test.each(['proposed', 'pending', 'arrived', 'noshow', 'entered-in-error', 'checked-in'])(
    'the status %s finds nothing, and is no mistake',
    async (status) => {
      const found = await search(`practitioner=Dr.Chen&status=${status}`);

      expect([found.status, found.body.total, found.body.entry]).toEqual([200, 0, []]);
    },
  );

  test('what is not known is passed over, unless the client wants it strict', async () => {
    const known = 'practitioner=Dr.Chen&_sort=-date&_count=1&_format=json&_total=accurate&_pretty=true';
    const refusalOf = async (query: string, prefer?: string) => {
      const { status, ...answer } = await search(query, prefer);
      return status === 200 ? null : why({ status, ...answer });
    };

    expect(await refusalOf(known, 'handling=strict')).toBeNull();
    expect(
      await refusalOf(`${known}&_id=x&patient=x&actor=x&date=2026-01-01&identifier=x&status=booked`, 'handling=strict'),
    ).toBeNull();
    expect(await refusalOf('practitioner=Dr.Chen&_sort=date', 'handling=strict')).toBeNull();
    for (const prefer of ['handling=strict', 'return=minimal; handling = "strict"', 'respond-async,HANDLING=STRICT'])
      expect(await refusalOf('practitioner=Dr.Chen&colour=red', prefer)).toBe('unknown_parameter');
    for (const prefer of [undefined, 'handling=lenient', 'return=minimal', 'mishandling=strict'])
      expect(await refusalOf('practitioner=Dr.Chen&colour=red&_sort=status', prefer)).toBeNull();
    const strange = await search('practitioner=Dr.Chen&colour=red&_sort=status', 'handling=strict');
    expect(strange.body.issue[0].expression).toEqual(['colour', '_sort']);
    const many = Array.from({ length: 11 }, (_, index) => `colour-${index}`);
    const named = await search(
      `practitioner=Dr.Chen&${many.map((name) => `${name}=red`).join('&')}`,
      'handling=strict',
    );
    expect(named.body.issue[0].expression).toEqual(many.slice(0, 10));
    for (const name of ['identifier:exact', 'patient.name', '_id:missing', 'date:above'])
      expectBadRequest(await search(`practitioner=Dr.Chen&${name}=x`));
  });

  test('its links hold what was asked, and nothing besides', async () => {
    const { body } = await search('practitioner=Dr.Chen&_count=0&_format=json&colour=red');

    expect(body.link[0]).toEqual({
      relation: 'self',
      url: `${app.baseUrl}/Appointment?practitioner=Dr.Chen&_count=0`,
    });
  });
});

describe('appointments as resources', () => {
  beforeAll(() => set({ showsNextAppointmentOnly: false }));
  afterAll(() => setAll(true));
  const proposed = (booking: Booking): object => (aBooking(booking).parameter as [{ resource: object }])[0].resource;

  test('the history says how each version came about', async () => {
    const booked = await clinic.aBooked();
    await clinic.reschedule(booked.id, await clinic.aStart());

    const { body } = await clinic.get(`/Appointment/${booked.id}/_history`);

    const url = `Appointment/${booked.id}`;
    expect(body).toMatchObject({
      resourceType: 'Bundle',
      type: 'history',
      total: 2,
      link: [{ relation: 'self', url: `${app.baseUrl}/${url}/_history` }],
    });
    expect(body.entry.map(({ resource: _resource, ...rest }: { resource: object }) => rest)).toEqual([
      {
        fullUrl: `${app.baseUrl}/${url}`,
        request: { method: 'PUT', url },
        response: { status: '200', etag: 'W/"2"', lastModified: expect.stringMatching(/Z$/) },
      },
      {
        fullUrl: `${app.baseUrl}/${url}`,
        request: { method: 'POST', url: 'Appointment' },
        response: { status: '201', etag: 'W/"1"', lastModified: expect.stringMatching(/Z$/) },
      },
    ]);
    expect((await clinic.get('/Appointment/nobody/_history')).status).toBe(404);
  });

  test.each([
    'name=x',
    'identifier=',
    'identifier=a|b&identifier=a|c',
    'identifier=a|b&status=booked',
    `identifier=${'x'.repeat(301)}`,
  ])('If-None-Exist takes one identifier, and not %s', async (condition) => {
    const resource = proposed({ patient: await clinic.aPatient(), start: '2030-01-01T10:00:00Z' });

    expectBadRequest(await clinic.post('/Appointment', resource, { 'if-none-exist': condition }));
  });

  test('an appointment that has the identifier already is returned, with the address of a query or its text alone', async () => {
    const [patient, start] = [await clinic.aPatient(), await clinic.aStart()];
    const resource = proposed({ patient, start });
    const create = (condition: string, about: object = {}) =>
      clinic.post('/Appointment', { ...resource, ...about }, { 'if-none-exist': condition });

    const first = await create(`${app.baseUrl}/Appointment?identifier=urn:x|visit-9`);
    const again = await create('identifier=urn:x|visit-9');
    const other = await create('identifier=urn:x|visit-9', { identifier: [{ system: 'urn:x', value: 'visit-8' }] });
    const plain = await clinic.post('/Appointment', proposed({ patient, start: await clinic.aStart() }), {
      'if-none-exist': 'identifier=visit-10',
    });

    expect([first.status, again.status, again.body.id]).toEqual([201, 200, first.body.id]);
    expect(first.headers.get('location')).toBe(`${app.baseUrl}/Appointment/${first.body.id}`);
    expect(first.body.identifier).toEqual([{ system: 'urn:x', value: 'visit-9' }]);
    expectBadRequest(other);
    expect(plain.body.identifier).toEqual([{ value: 'visit-10' }]);
  });

  test('a create and a refusal are repeated under their Idempotency-Key with the headers that they had', async () => {
    const resource = proposed({ patient: await clinic.aPatient(), start: await clinic.aStart() });
    const create = (key: string) => clinic.post('/Appointment', resource, { 'idempotency-key': key });
    const told = ['location', 'etag', 'last-modified', 'x-nearest-slots', 'x-refusal-rule'];
    const headersOf = ({ headers }: Awaited<ReturnType<typeof create>>) => told.map((name) => headers.get(name));

    const [made, again] = [await create('made'), await create('made')];
    const [refused, refusedAgain] = [await create('refused'), await create('refused')];

    expect([made.status, again.status, refused.status, refusedAgain.status]).toEqual([201, 201, 409, 409]);
    expect(made.headers.get('location')).toBe(`${app.baseUrl}/Appointment/${made.body.id}`);
    expect(headersOf(again)).toEqual(headersOf(made));
    expect(refused.headers.get('x-nearest-slots')).toEqual(expect.any(String));
    expect(headersOf(refusedAgain)).toEqual(headersOf(refused));
  });

  test('is created as booked or proposed, and changed in its time and its end alone', async () => {
    const [patient, start] = [await clinic.aPatient(), await clinic.aStart()];
    const resource = proposed({ patient, start });
    const refused = await clinic.post('/Appointment', { ...resource, status: 'fulfilled' });
    const created = await clinic.post('/Appointment', { ...resource, status: 'booked' });
    const { id } = created.body;
    const put = (about: object) => asAdmin('PUT', `/Appointment/${id}`, { resourceType: 'Appointment', ...about });
    const same = await put({ status: 'booked', start, id });
    const moved = await put({ status: 'booked', start: await clinic.aStart() });
    const cancelled = await put({ status: 'cancelled' });
    const again = await put({ status: 'cancelled' });

    expect([refused.status, why(refused)]).toEqual([422, 'status_not_possible']);
    expect(created.status).toBe(201);
    expect(
      [same, moved, cancelled, again].map(({ status, body }) => [status, body.status, body.meta.versionId]),
    ).toEqual([
      [200, 'booked', '1'],
      [200, 'booked', '2'],
      [200, 'cancelled', '3'],
      [200, 'cancelled', '3'],
    ]);
    expectBadRequest(await put({ status: 'booked', id: 'another' }));
    expect((await asAdmin('PUT', '/Appointment/nobody', { resourceType: 'Appointment', status: 'x' })).status).toBe(
      404,
    );
  });

  test('is shown anew to who has another version', async () => {
    const { id } = await clinic.aBooked();
    const read = (etag: string) => clinic.ask('GET', `/Appointment/${id}`, { headers: { 'if-none-match': etag } });
    const [other, known] = [await read('W/"2"'), await read('W/"1"')];

    expect([other.status, other.body.id, other.headers.get('etag')]).toEqual([200, id, 'W/"1"']);
    expect([known.status, known.text, known.headers.get('etag')]).toEqual([304, '', 'W/"1"']);
    expect(other.headers.get('last-modified')).toMatch(/GMT$/);
  });
});

describe('notes', () => {
  const wish = (url: string, valueBoolean: unknown) => ({ url, valueBoolean });
  const write = (patient: string, extension?: unknown) =>
    clinic.post('/DocumentReference', { ...aNote(patient), ...(extension !== undefined && { extension }) });

  test('show the wishes that were sent, and no others', async () => {
    const patient = await clinic.aPatient();
    const both = [wish('escalateToClinicalTeam', true), wish('requestExternalRecords', false)];
    const shown = [
      await write(patient),
      await write(patient, []),
      await write(patient, [...both.toReversed(), wish('urn:other', true)]),
      await write(patient, both.slice(0, 1)),
      await write(patient, [wish('urn:other', true)]),
    ];
    const written = await app.database.sql<{ escalates: boolean | null; requests: boolean | null }>`
      select escalate_to_clinical_team as escalates, request_external_records as requests
      from documents where id = ${shown[2]?.body.id}`;

    expect(shown.map(({ body }) => body.extension)).toEqual([undefined, undefined, both, both.slice(0, 1), undefined]);
    expect(written).toEqual([{ escalates: true, requests: false }]);
  });

  test.each([
    [[wish('escalateToClinicalTeam', true), wish('escalateToClinicalTeam', true)]],
    [[wish('escalateToClinicalTeam', 'yes')]],
    [[wish('requestExternalRecords', undefined)]],
  ])('a wish is said once, with yes or no: not %j', async (extension) => {
    expectBadRequest(await write(await clinic.aPatient(), extension));
  });

  test('have a patient, who is shown', async () => {
    const patient = await clinic.aPatient();
    const [known, unknown] = [await write(patient), await write('nobody')];

    expect(known.body).toEqual({
      resourceType: 'DocumentReference',
      id: expect.any(String),
      status: 'current',
      subject: { reference: `Patient/${patient}` },
      content: aNote(patient).content,
    });
    expect([unknown.status, why(unknown)]).toEqual([404, 'unknown_patient']);
  });
});

describe('$find', () => {
  let patient: string;
  beforeAll(async () => {
    patient = await clinic.aPatient();
  });
  const find = (about: object[], start = '2027-03-08', end = '2027-03-10') =>
    clinic.post(
      '/Appointment/$find',
      parametersOf(
        { name: 'start', valueDateTime: start },
        { name: 'end', valueDateTime: end },
        { name: 'patient-reference', valueReference: { reference: `Patient/${patient}` } },
        ...about,
      ),
    );
  const practitioner = (name: string) => [
    { name: 'practitioner', valueReference: { reference: `Practitioner/${name}` } },
  ];
  const startsIn = ({ body }: Answer): string[] =>
    body.entry.map(({ resource }: { resource: { start: string } }) => resource.start);
  beforeAll(() =>
    app.request('PUT', '/sandbox/clock', { body: { at: '2027-03-05T08:00:00-07:00' }, bearer: clinic.admin }),
  );
  afterAll(() => app.request('DELETE', '/sandbox/clock', { bearer: clinic.admin }));

  test('proposes the times of one or of all in their order, before the end, a hundred at most', async () => {
    const one = await find(practitioner('Dr.Chen'));
    const all = await find([]);
    const most = await find([], '2027-03-08', '2027-06-01');

    expectFhir(one);
    expect([one.body.total, startsIn(one)[0], startsIn(one).at(-1)]).toEqual([
      32,
      '2027-03-08T16:00:00.000Z',
      '2027-03-09T23:30:00.000Z',
    ]);
    expect(one.body.entry[0].resource).toEqual({
      resourceType: 'Appointment',
      id: expect.any(String),
      status: 'proposed',
      start: '2027-03-08T16:00:00.000Z',
      end: '2027-03-08T16:30:00.000Z',
      participant: [`Patient/${patient}`, 'Practitioner/Dr.Chen'].map((reference) => ({
        actor: { reference },
        status: 'needs-action',
      })),
    });
    expect(startsIn(all)).toEqual(startsIn(all).toSorted());
    expect(all.body.total).toBeGreaterThan(one.body.total);
    expect([most.body.total, most.body.entry.length]).toEqual([100, 100]);
  });

  test('says what of the question will not do', async () => {
    const unknown = await find(practitioner('Dr.Nobody'));

    expect([unknown.status, why(unknown)]).toEqual([404, 'unknown_practitioner']);
    for (const refused of [
      await find([], 'soon'),
      await find([], '2027-03-08', '7'),
      await find([{ name: 'practitioner', valueReference: { reference: 'Patient/x' } }]),
      await find([{ name: 'practitioner', valueReference: { reference: 7 } }]),
      await find([{ name: 'practitioner' }]),
      await find([...practitioner('Dr.Chen'), ...practitioner('Dr.Chen')]),
    ])
      expectBadRequest(refused);
  });
});

test('$explain names a time that the clock never shows by no instant, and counts up to three others', async () => {
  await app.request('PUT', '/sandbox/clock', { body: { at: '2027-03-10T08:00:00-07:00' }, bearer: clinic.admin });
  const explained = async (start: string) => {
    const { body } = await clinic.get(`/Slot/$explain?schedule=Schedule/Dr.Chen&start=${start}`);
    return body.parameter.map(({ name, ...value }: { name: string }) => [name, Object.values(value)[0]]);
  };

  const [free, busy, skipped, east] = [
    await explained('2027-03-11T09:30'),
    await explained('2027-03-13T10:00'),
    await explained('2027-03-14T02:30'),
    // As a client sends it that encodes no plus sign.
    await explained('2027-03-11T17:30+01:00'),
  ];
  await app.request('DELETE', '/sandbox/clock', { bearer: clinic.admin });

  const text = ['text', expect.stringMatching(/.{10}/)];
  const nearest = [1, 2, 3].map(() => ['nearest', expect.stringMatching(/^2027-03-1\d/)]);
  expect(free).toEqual([['free', true], ['reason', 'free'], text, ['start', '2027-03-11T16:30:00.000Z']]);
  expect(east).toEqual(free);
  expect(busy).toEqual([['free', false], ['reason', 'hours'], text, ['start', '2027-03-13T17:00:00.000Z'], ...nearest]);
  expect(skipped).toEqual([['free', false], ['reason', 'clock_change'], text, ...nearest]);
});

describe('subscriptions', () => {
  const GUIDE = 'http://hl7.org/fhir/uv/subscriptions-backport/StructureDefinition';
  const aSubscription = ({
    endpoint = 'https://client.example/one',
    filter = '',
    ...about
  }: Record<string, unknown> = {}) => ({
    resourceType: 'Subscription',
    reason: 'To know',
    criteria: `${app.baseUrl}/Basic/appointment-change`,
    ...(filter !== '' && {
      _criteria: { extension: [{ url: `${GUIDE}/backport-filter-criteria`, valueString: filter }] },
    }),
    channel: {
      type: 'rest-hook',
      endpoint,
      payload: 'application/fhir+json',
      _payload: { extension: [{ url: `${GUIDE}/backport-payload-content`, valueCode: 'id-only' }] },
    },
    ...about,
  });
  const subscribe = (about?: Record<string, unknown>) => asAdmin('POST', '/Subscription', aSubscription(about));
  const list = (query: string) => asAdmin('GET', `/Subscription?${query}`);
  let one: string;
  let two: string;

  beforeAll(async () => {
    one = (await subscribe()).body.id;
    two = (await subscribe({ endpoint: 'https://client.example/two' })).body.id;
    await asAdmin(
      'PUT',
      `/Subscription/${two}`,
      aSubscription({ endpoint: 'https://client.example/two', status: 'off' }),
    );
  });

  test.each([
    ['', () => [one, two]],
    ['status=requested', () => [one]],
    ['status=off', () => [two]],
    ['status=requested,off', () => [one, two]],
    ['status=active', () => []],
    ['url=https://client.example/two', () => [two]],
    ['url=https://client.example/two&status=requested', () => []],
    ['url=https://client.example', () => []],
  ])('are listed by "%s"', async (query, expected) => {
    const { body } = await list(query);

    expect([body.total, idsIn({ body } as Answer)]).toEqual([expected().length, expected()]);
  });

  test('are listed by ids, and their status likewise', async () => {
    const statusOf = async (query: string) => {
      const { body } = await asAdmin('GET', `/Subscription/$status?${query}`);
      assertR4(body);
      return body.total;
    };
    const [both, first] = [await list(`_id=${one},${two}`), await list(`_id=${one}`)];

    expect([idsIn(both), idsIn(first)]).toEqual([[one, two], [one]]);
    expect(both.body.link[0].url).toContain('_id=');
    expect(both.body.entry[0].fullUrl).toBe(`${app.baseUrl}/Subscription/${one}`);
    expect(await Promise.all(['', `id=${one}`, 'status=off', `id=${one}&status=off`].map(statusOf))).toEqual([
      2, 1, 1, 0,
    ]);
  });

  test.each([
    ['GET', ''],
    ['PUT', ''],
    ['DELETE', ''],
    ['GET', '/$status'],
    ['POST', '/$status'],
    ['GET', '/$events'],
    ['POST', '/$events'],
  ])('%s of one that there is not, with "%s", is 404', async (method, rest) => {
    const body = method === 'PUT' ? aSubscription() : method === 'POST' ? parametersOf() : undefined;
    const answer = await asAdmin(method, `/Subscription/nobody${rest}`, body);

    expect([answer.status, why(answer)]).toEqual([404, 'unknown_subscription']);
  });

  test('are made and changed by administrators, for practitioners that there are, and keep their endpoint', async () => {
    const asStaff = await Promise.all([
      clinic.post('/Subscription', aSubscription()),
      clinic.ask('PUT', `/Subscription/${one}`, { body: aSubscription() }),
      clinic.ask('DELETE', `/Subscription/${one}`),
    ]);
    const put = (about?: Record<string, unknown>) => asAdmin('PUT', `/Subscription/${one}`, aSubscription(about));
    const filter = 'practitioner=Practitioner/Dr.Nobody';
    const strangers = [await subscribe({ filter }), await put({ filter })];
    const others = [await put({ endpoint: 'https://client.example/other' }), await put({ criteria: 'urn:x' })];
    const plain = aSubscription();
    const payload = { ...plain.channel, payload: 'application/json' };
    others.push(await asAdmin('PUT', `/Subscription/${one}`, { ...plain, channel: payload }));
    const changed = await put({ filter: 'practitioner=Practitioner/Dr.Chen' });

    for (const refused of asStaff) expect([refused.status, why(refused)]).toEqual([403, 'admin_required']);
    for (const refused of strangers) expect([refused.status, why(refused)]).toEqual([404, 'unknown_practitioner']);
    for (const refused of others) expect([refused.status, why(refused)]).toEqual([422, 'subscription_not_offered']);
    expect(others[0]?.body.issue[0].expression).toEqual(['Subscription.channel']);
    expect(changed.status).toBe(200);
    expect(changed.body).toMatchObject({
      _criteria: { extension: [{ valueString: 'Appointment?practitioner=Practitioner/Dr.Chen' }] },
    });
    expect(changed.body.channel.extension).toBeUndefined();
  });

  test('tell their events by numbers, from a query or Parameters', async () => {
    const asked = (query: string) => asAdmin('GET', `/Subscription/${one}/$events?${query}`);
    const posted = (...parameter: object[]) =>
      asAdmin('POST', `/Subscription/${one}/$events`, parametersOf(...parameter));

    const [got, sent] = [
      await asked('eventsSinceNumber=1&eventsUntilNumber=2&content=empty'),
      await posted(
        { name: 'eventsSinceNumber', valueString: '1' },
        { name: 'eventsUntilNumber', valueInteger: 2 },
        { name: 'content', valueCode: 'empty' },
      ),
    ];
    for (const answer of [got, sent]) {
      expectFhir(answer);
      expect(answer.body.type).toBe('history');
    }
    expect((await asked('eventsSinceNumber=0&eventsUntilNumber=0')).status).toBe(200);
    for (const refused of [
      await asked('eventsSinceNumber=-1'),
      await asked('eventsUntilNumber=x'),
      await asked('content=all'),
      await posted({ name: 'eventsSinceNumber', valueInteger: -1 }),
      await posted({ name: 'content', valueCode: 'all' }),
    ])
      expectBadRequest(refused);
    const said = await posted({ name: 'eventsUntilNumber', valueString: 'x' });
    expect(said.body.details).toEqual([{ path: 'eventsUntilNumber', message: expect.stringMatching(/.{5}/) }]);
  });

  test('are ten at most', async () => {
    const made = [];
    for (let count = 2; count < 11; count += 1)
      made.push(await subscribe({ endpoint: `https://client.example/${count}` }));
    const ended = await asAdmin('DELETE', `/Subscription/${two}`);

    expect(made.map(({ status }) => status)).toEqual([...Array.from({ length: 8 }, () => 201), 422]);
    expect(made.at(-1)?.body.issue[0].diagnostics).toContain('10 subscriptions at most');
    expect([ended.status, (await list('')).body.total]).toEqual([204, 9]);
  });

  test('of another name than the topic there is no Basic', async () => {
    const [topic, other] = [await clinic.get('/Basic/appointment-change'), await clinic.get('/Basic/other')];

    expectFhir(topic);
    expect([other.status, why(other)]).toEqual([404, 'not_offered']);
  });
});

import { type App, startApp } from '../../support/app';
import { typed } from '../../support/command';
import { type FhirServer, outcome, startFhirServer } from '../../support/outside/fhir-server';

let app: App;
let ehr: FhirServer;
let admin: string;

beforeAll(async () => {
  app = await startApp({ hasWorker: false });
  admin = await app.admin();
}, 240_000);
afterAll(() => app.stop());
beforeEach(async () => {
  ehr = await startFhirServer();
  await app.request('PUT', '/integrations/providers', {
    bearer: admin,
    body: {
      items: [
        provider('Dr. Ana Vega', ['Follow-up', 'New patient visit']),
        provider('Dr. José Müller', ['Follow-up', 'Telehealth']),
      ],
    },
  });
});
afterEach(() => ehr.close());

const provider = (displayName: string, visitTypes: string[]) => ({ displayName, visitTypes, workingHours: {} });
const coding = (code: string, display: string) => ({ coding: [{ system: 'urn:types', code, display }] });

/** An EHR as clinics have them: schedules of practitioners and of a role, services, rooms, and a past. */
function fillEhr(): void {
  ehr.add({ resourceType: 'Practitioner', id: '7', name: [{ family: 'Vega', given: ['Ana'], prefix: ['Dr.'] }] });
  ehr.add({ resourceType: 'Practitioner', id: '8', name: [{ text: 'Jose Muller, MD' }] });
  ehr.add({ resourceType: 'Practitioner', id: '9', name: [{ text: 'Zoe Quinn' }] });
  ehr.add({
    resourceType: 'PractitionerRole',
    id: 'r8',
    practitioner: { reference: 'Practitioner/8' },
    location: [{ reference: 'Location/north' }],
  });
  ehr.add({ resourceType: 'Location', id: 'north', name: 'North', status: 'active' });
  ehr.add({ resourceType: 'Location', id: 'bed-12', name: 'Bed 12', status: 'active' });
  ehr.add({ resourceType: 'Schedule', id: 's7', actor: [{ reference: `${ehr.url}/Practitioner/7` }] });
  ehr.add({ resourceType: 'Schedule', id: 's8', actor: [{ reference: 'PractitionerRole/r8' }] });
  ehr.add({ resourceType: 'Schedule', id: 's9', actor: [{ reference: 'Practitioner/9' }] });
  ehr.add({
    resourceType: 'HealthcareService',
    id: 'h',
    name: 'New patient visit',
    type: [coding('NP', 'New patient')],
  });
  const ann = ehr.add({ resourceType: 'Patient', name: [{ family: 'Secretname', given: ['Ann'] }] });
  for (const display of ['Follow-up', 'Follow-up', 'Vaccination']) {
    ehr.add({
      resourceType: 'Appointment',
      status: 'fulfilled',
      start: new Date(Date.now() - 24 * 3_600_000).toISOString(),
      serviceType: [coding(display === 'Vaccination' ? 'VAC' : 'FU', display)],
      participant: [{ actor: { reference: `Patient/${ann.id}`, display: 'Ann Secretname' } }],
    });
  }
}

const connect = (fhir: object = {}) =>
  app.request('PUT', '/integrations/approved-api', {
    bearer: admin,
    body: {
      kind: 'fhir-r4',
      baseUrl: ehr.url,
      auth: { method: 'bearer', token: 'abc' },
      fhir: { permitted: ['appointment.book', 'appointment.cancel'], ...fhir },
    },
  });
const fill = (body: object = {}, bearer = admin) =>
  app.request('POST', '/integrations/approved-api/fill', { bearer, body });
const kept = async () => (await app.request('GET', '/integrations/approved-api', { bearer: admin })).body.fhir;

test('rows for providers, visit types and locations are filled from the EHR, each tried by one read, gaps listed', async () => {
  fillEhr();
  await connect();

  const { status, body } = await fill();

  expect(status).toBe(200);
  expect(body).toMatchObject({
    passed: true,
    isSaved: false,
    missing: { providers: [], visitTypes: ['Telehealth'] },
    providers: [
      { name: 'Dr.Ana.Vega', reference: 'Practitioner/7' },
      { name: 'Dr.Jose.Muller', reference: 'PractitionerRole/r8' },
    ],
    visitTypes: [
      { name: 'Follow-up', system: 'urn:types', code: 'FU' },
      { name: 'New patient visit', system: 'urn:types', code: 'NP' },
    ],
    locations: [{ name: 'North', reference: 'Location/north' }],
  });
  const said = body.findings.map(({ message }: { message: string }) => message);
  expect(said).toEqual(
    expect.arrayContaining([
      'Telehealth is not mapped: it is told in words alone, without a code',
      'Dr.Ana.Vega is Ana Vega',
      'not among your providers there: Zoe Quinn (Practitioner/9)',
      'not among your visit types there: Vaccination (VAC)',
    ]),
  );
  const asked = ehr.asked();
  expect(asked.filter((each) => each.endsWith('/{id}')).toSorted()).toEqual([
    'GET Location/{id}',
    'GET Practitioner/{id}',
    'GET PractitionerRole/{id}',
  ]);
  expect(asked.every((each) => each.startsWith('GET'))).toBe(true);
  expect(body.choices.visitTypes).toContainEqual({ system: 'urn:types', code: 'VAC', shown: 'Vaccination' });
  expect(body.choices.providers).toContainEqual({ reference: 'Practitioner/9', shown: 'Zoe Quinn' });
  expect(JSON.stringify(body)).not.toMatch(/Secretname|Patient\//);
  expect((await kept()).providers).toEqual([]);
});

test('what is saved is what was found, by REST and by the command, and is on the audit', async () => {
  fillEhr();
  await connect();

  const run = (...args: string[]) =>
    typed(['clinic', 'fill-mappings', '--clinic', app.clinic.clinicId, ...args], app.env);
  const printed = await run();
  const before = await kept();
  const saved = await run('--save');

  expect([printed.exitCode, printed.shown.isSaved, before.providers]).toEqual([0, false, []]);
  expect([saved.exitCode, saved.shown.isSaved]).toEqual([0, true]);
  expect(await kept()).toMatchObject({ providers: saved.shown.providers, locations: saved.shown.locations });
  await connect();
  expect((await fill({ save: true })).body.isSaved).toBe(true);
  expect((await kept()).providers).toHaveLength(2);
  const { body } = await app.request('GET', '/audit?action=approved-api.fill', { bearer: admin });
  expect(body.items[0].detail).toMatchObject({ isSaved: true, providers: 2, visitTypes: 2, locations: 1 });
});

test('two of one name there are for a person to choose from, and a row that still leads somewhere stays', async () => {
  fillEhr();
  ehr.add({ resourceType: 'Practitioner', id: '70', name: [{ text: 'Ana Vega' }] });
  ehr.add({ resourceType: 'Schedule', id: 's70', actor: [{ reference: 'Practitioner/70' }] });
  await connect({ providers: [{ name: 'Dr.Jose.Muller', reference: 'Practitioner/gone' }] });

  const { body } = await fill({ save: true });
  await connect({ providers: [{ name: 'Dr.Ana.Vega', reference: 'Practitioner/70' }] });
  const again = await fill();

  expect(body).toMatchObject({
    passed: false,
    providers: [{ name: 'Dr.Jose.Muller', reference: 'PractitionerRole/r8' }],
  });
  expect(body.findings).toContainEqual({
    path: 'fhir.providers',
    code: 'unmapped',
    message: 'Dr.Ana.Vega could be one of 2 there: Ana Vega (Practitioner/7), Ana Vega (Practitioner/70)',
    isProblem: false,
  });
  expect(again.body).toMatchObject({ passed: true, providers: [{ reference: 'Practitioner/70' }, {}] });
});

test('what the server does not let be searched is a gap, and the rest is filled; a server that is on keeps what works', async () => {
  fillEhr();
  ehr.instead = ({ path }) =>
    /HealthcareService|Location\?/.test(path) ? outcome(403, 'forbidden', 'no scope') : null;
  await connect();

  const { body } = await fill();

  expect(body.providers).toHaveLength(2);
  expect(body.findings).toContainEqual({
    path: 'fhir.visitTypes',
    code: 'no_credentials',
    message: 'HealthcareService cannot be read: the server refuses our credentials with 403',
    isProblem: false,
  });
  await fill({ save: true });
  expect(await connect({ ...(await kept()), isOn: true })).toMatchObject({ status: 200 });
  ehr.instead = () => outcome(500, 'exception', 'down');
  expect(await fill({ save: true })).toMatchObject({ status: 409 });
  expect((await kept()).providers).toHaveLength(2);
});

test('only an admin fills, and only from a FHIR server that is set', async () => {
  await app.request('DELETE', '/integrations/approved-api', { bearer: admin });

  expect((await fill()).status).toBe(409);
  expect((await fill({}, await app.staff())).status).toBe(403);
  expect((await fill({ colour: 'red' })).status).toBe(400);
});

describe('the visit types to choose from', () => {
  const known = async (bearer = admin) => app.request('GET', '/integrations/visit-types', { bearer });

  test('are those on record and those of the EHR, the most used first, without a word of patients', async () => {
    fillEhr();
    await connect();
    const { clinicId } = app.clinic;
    const { body: patient } = await app.request('POST', '/patients', {
      bearer: admin,
      body: { firstName: 'Ida', lastName: 'Known', phone: '+13035550177' },
    });
    const { prisma } = app.database;
    const { id: providerId } = await prisma.provider.findFirstOrThrow({ where: { clinicId, isActive: true } });
    // Words of somebody's own, once, are no type.
    await prisma.appointment.createMany({
      data: ['Flu shot', 'Flu shot', 'As told on the phone'].map((visitType, index) => ({
        id: `known-${index}`,
        clinicId,
        patientId: patient.id,
        providerId,
        visitType,
        startsAt: new Date(Date.now() + (index + 1) * 3_600_000),
        endsAt: new Date(Date.now() + (index + 1.5) * 3_600_000),
      })),
    });

    const { body, text } = await known();

    expect(body.here).toEqual(['Flu shot', 'Follow-up', 'New patient visit', 'Telehealth']);
    expect(body.there).toEqual([
      { system: 'urn:types', code: 'FU', shown: 'Follow-up' },
      { system: 'urn:types', code: 'VAC', shown: 'Vaccination' },
      { system: 'urn:types', code: 'NP', shown: 'New patient' },
    ]);
    expect(body.findings).toEqual([]);
    expect(text).not.toMatch(/Secretname|Patient\//);
    expect(new Set(ehr.asked().map((each) => each.split('?')[0]))).toEqual(
      new Set(['GET Schedule', 'GET HealthcareService', 'GET Appointment']),
    );
  });

  test('are those on record alone where the EHR cannot be read, and it is said why', async () => {
    fillEhr();
    await connect();
    ehr.instead = () => outcome(403, 'forbidden', 'no scope');

    const { status, body } = await known();

    expect([status, body.there]).toEqual([200, []]);
    expect(body.here).toContain('Follow-up');
    expect(body.findings).toContainEqual(
      expect.objectContaining({
        path: 'fhir.visitTypes',
        message: expect.stringMatching(/cannot be read: the server/),
      }),
    );
  });

  test('are for those who change settings', async () => {
    expect((await known(await app.staff())).status).toBe(403);
  });
});

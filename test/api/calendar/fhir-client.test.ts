import { lenientRuleNames } from '@clinic/shared/domain/sandbox/leniency';
import { newClientKey, signAssertion } from '@clinic/shared/client-key';
import { fixturePerson } from '@clinic/local/ehr-checks/against';
import { staticToken } from '@clinic/local/ehr-checks/credentials';
import { checkEhr, type Checked, type Target } from '@clinic/local/ehr-checks/run-checks';
import { startApp, type App } from '../../support/app';
import { type FhirClinic, openSandbox } from '../../support/fhir';
import { walkFhirKit } from '../../support/outside/fhir-clients/fhir-kit-client';
import { walkMedplum } from '../../support/outside/fhir-clients/medplum';
import { otherClients } from '../../support/outside/fhir-clients/others';
import { PROVIDER, VISIT_TYPE, type Walk, type Walked } from '../../support/outside/fhir-clients/walk';
import { assertR4 } from '../../support/r4';

/**
 * The sandbox's counterparts. FHIR clients that others have written, as they are, from matching to write-back: at the sandbox as it begins, and at one like a real
 * EHR. `FHIR_CLIENTS=all npm test -- api/fhir-client` has fhirclient, HAPI FHIR and fhirpy do it too. And our own checks of a FHIR
 * server, as a vendor's sandbox is tried by them.
 */

let app: App;
let clinic: FhirClinic;

beforeAll(async () => {
  app = await startApp({ hasWorker: false });
  clinic = await openSandbox(app);
});
afterAll(() => app.stop());

/** Resources that a client of this process was answered. */
const responses: unknown[] = [];
const { fetch } = globalThis;
beforeEach(() => {
  responses.length = 0;
  globalThis.fetch = async (...asked) => {
    const response = await fetch(...asked);
    responses.push(
      await response
        .clone()
        .json()
        .catch(() => null),
    );
    return response;
  };
});
afterEach(() => {
  globalThis.fetch = fetch;
});

const isAll = process.env.FHIR_CLIENTS === 'all';
const clients: [string, (walk: Walk) => Promise<Walked>][] = [
  ['fhir-kit-client', walkFhirKit],
  ['@medplum/core', walkMedplum],
  ...(isAll ? Object.entries(otherClients) : []),
];
/** Java starts, and packages are fetched once. */
const limit = isAll ? 600_000 : undefined;

test.each(clients)(
  '%s walks from matching to write-back at the sandbox as it begins',
  async (name, walk) => {
    const walked = await walk({ baseUrl: app.baseUrl, token: clinic.staff, mode: 'contract' });

    expectWalked(walked);
    expect(walked.moved.id).toBe(walked.booked.id);
    expect(walked.cancelled).toEqual({ status: 'cancelled' });
    expect(responses.length).toBeGreaterThan(name in otherClients ? -1 : 9);
    for (const response of responses) assertR4(response);
  },
  limit,
);

const target = (token: string): Target => ({
  base: app.baseUrl,
  token: staticToken(token),
  person: fixturePerson,
  practitioner: `Practitioner/${PROVIDER}`,
  visitType: VISIT_TYPE,
  zone: 'America/Denver',
  mayLeaveNote: true,
});
const idsOf = ({ results }: Checked, wanted: string) =>
  results.filter(({ verdict }) => verdict === wanted).map(({ id }) => id);
/** What the tests of this file have booked for the patient of the checks and not cancelled. */
const stillBooked = () =>
  app.database.sql<{ count: number }>`
    select count(*)::int as count from appointments join patients on patients.id = patient_id
    where patients.identifier = 'MRN-1011' and appointments.clinic_id = ${clinic.clinic.clinicId} and appointments.status = 'booked'`;

test('our checks of a FHIR server find where the sandbox, as it begins, is kinder than one, and leave nothing booked', async () => {
  const checked = await checkEhr(target(clinic.staff));

  expect(idsOf(checked, 'failed')).toEqual([
    'match-graded',
    'patient-unknown',
    'schedule',
    'slots-empty',
    'past-time',
    'incomplete-booking',
    'unknown-patient',
  ]);
  expect(checked.results.find(({ id }) => id === 'schedule')).toMatchObject({
    why: 'the reply is the Schedule itself, not a Bundle',
    shownBy: { request: 'GET Schedule?actor=Practitioner/Dr.Chen', status: 200 },
  });
  expect([checked.leftBehind, await stillBooked()]).toEqual([[], [{ count: 0 }]]);
});

describe('like a real EHR, with tokens of SMART Backend Services', () => {
  let token: string;
  const set = (isKind: boolean) =>
    app.request('PATCH', '/sandbox/leniency', {
      body: Object.fromEntries(lenientRuleNames.map((name) => [name, isKind])),
      bearer: clinic.admin,
    });

  beforeAll(async () => {
    await set(false);
    const key = await newClientKey('ES384');
    const about = { name: 'Foreign clients', jwks: { keys: [key.publicJwk] } };
    const { body } = await app.request('POST', '/sandbox/clients', { body: about, bearer: clinic.admin });
    const audience = `${app.baseUrl}/sandbox/token`;
    const granted = await app.request('POST', '/sandbox/token', {
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({
        grant_type: 'client_credentials',
        scope: 'system/Patient.r system/Schedule.s system/Slot.s system/Appointment.cruds system/DocumentReference.c',
        client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
        client_assertion: await signAssertion(key, { clientId: body.id, audience }),
      }).toString(),
    });
    token = granted.body.access_token;
  });
  afterAll(() => set(true));

  test.each(clients)(
    '%s walks from matching to write-back, with versions and coded reasons',
    async (name, walk) => {
      const walked = await walk({ baseUrl: app.baseUrl, token, mode: 'real' });

      expectWalked(walked);
      expect(walked.moved.id).not.toBe(walked.booked.id);
      expect(walked).toMatchObject({
        cancelled: { status: 'cancelled', reason: 'pat' },
        grade: 'certain',
        nobody: 0,
        history: ['2', '1'],
        stale: 412,
      });
      expect(responses.length).toBeGreaterThan(name in otherClients ? -1 : 9);
      for (const response of responses) assertR4(response, { isStrict: true });
    },
    limit,
  );

  test('our checks of a FHIR server all pass, and tell neither the token nor who the patient is', async () => {
    const checked = await checkEhr(target(token));

    expect([idsOf(checked, 'failed'), checked.leftBehind, await stillBooked()]).toEqual([[], [], [{ count: 0 }]]);
    expect(idsOf(checked, 'not_applicable')).toEqual([]);
    const refused = await checkEhr(target('nobody-knows-this-token'));
    expect(idsOf(refused, 'passed')).toEqual(['capabilities', 'token-refused']);
    expect(JSON.stringify([checked, refused])).not.toMatch(new RegExp(`${token}|nobody-knows|Lindqvist|1969|5550111`));
  });

  test('a booking whose reply is lost is found again by our checks, and taken back', async () => {
    const lost = { failure: 'reply_lost_after_write', operation: 'book', times: 2 };
    await app.request('POST', '/sandbox/failures', { body: lost, bearer: clinic.admin });

    const checked = await checkEhr(target(token));

    expect(checked.results.find(({ id }) => id === 'book')).toMatchObject({
      verdict: 'failed',
      shownBy: { request: 'POST Appointment/$book', status: null },
    });
    expect([checked.leftBehind, await stillBooked()]).toEqual([[], [{ count: 0 }]]);
  });
});

/** What is the same in both modes. */
function expectWalked({ fhirVersion, schedule, slots, booked, refused, found, moved, left, note, patient }: Walked) {
  expect([fhirVersion, schedule, slots.length, new Set(slots).size]).toEqual(['4.0.1', PROVIDER, 10, 10]);
  expect(booked).toMatchObject({ status: 'booked', start: slots[0] });
  expect(refused).toEqual({ status: 409, said: 'slot_taken' });
  expect(found).toEqual([booked.id]);
  expect(moved).toMatchObject({ status: 'booked', start: slots[1] });
  expect([left, note]).toEqual([0, `Patient/${patient}`]);
}

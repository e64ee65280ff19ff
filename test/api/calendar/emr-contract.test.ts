import { startApp, type App } from '../../support/app';
import { aBooking, aNote, type FhirClinic, openSandbox, parametersOf } from '../../support/fhir';
import { expectBadRequest, expectConflict, expectFhir, idOf, notFound } from '../../support/fhir-answers';

/** The contract's sentences on the sandbox EMR and its configuration: each test is named after the one it checks. */

let app: App;
let clinic: FhirClinic;
let other: FhirClinic;
let unlinked: string;

const instant = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/;

beforeAll(async () => {
  app = await startApp({ hasWorker: false });
  [clinic, other, unlinked] = await Promise.all([
    openSandbox(app),
    openSandbox(app, app.otherClinic),
    app.signIn(app.unlinkedAccount),
  ]);
});
afterAll(() => app.stop());

describe('Sandbox behaviours', () => {
  test('Patient matching is an exact lookup by identifier, not probabilistic name and date-of-birth matching', async () => {
    const [first, again] = [await clinic.match('MRN-1001'), await clinic.match('MRN-1001')];
    const near = await clinic.match('mrn-1001');

    expect(idOf(again)).toBe(idOf(first));
    expect(idOf(near)).not.toBe(idOf(first));
  });

  test('A lookup of an unknown identifier creates a fixture patient instead of returning 404', async () => {
    const answer = await clinic.match('nobody-has-this');

    expect(answer.status).toBe(200);
    const [row] = await app.database.sql<{
      id: string;
    }>`select id from patients where identifier = 'nobody-has-this'`;
    expect(row?.id).toBe(idOf(answer));
  });

  test('Rescheduling is one dedicated call', async () => {
    const booked = await clinic.aBooked();
    const start = await clinic.aStart();

    const { body } = await clinic.reschedule(booked.id, start);

    expect(body).toMatchObject({ id: booked.id, start });
  });

  test("The first enabling of the sandbox for a clinic seeds that clinic's own copy of the fixture patients", async () => {
    const [ours, theirs] = await Promise.all([clinic.match('MRN-1004'), other.match('MRN-1004')]);

    expect(ours.body.entry[0].resource.name).toEqual(theirs.body.entry[0].resource.name);
    expect(idOf(ours)).not.toBe(idOf(theirs));
  });

  test('An appointment of another clinic is treated as unknown', async () => {
    const { id } = await other.aBooked();

    expect((await clinic.cancel(id)).body).toEqual(notFound(`Appointment ${id} not found`));
    expect((await other.cancel(id)).status).toBe(200);
  });
});

describe('Resources and their fields', () => {
  test('All timestamps are ISO 8601 UTC strings with milliseconds in the FHIR-style resources', async () => {
    const [slot] = await clinic.slots();
    const booked = await clinic.aBooked();

    for (const time of [slot!.start, slot!.end, booked.start, booked.end]) expect(time).toMatch(instant);
  });

  test('Schedule: id is the provider name, actor one reference of the form Practitioner/<providerName>', async () => {
    const { body } = await clinic.get('/Schedule?actor=Practitioner/Dr.Chen');

    expect(body).toEqual({ resourceType: 'Schedule', id: 'Dr.Chen', actor: [{ reference: 'Practitioner/Dr.Chen' }] });
  });

  test('Slot: schedule, status free, end 30 minutes after start', async () => {
    const slots = await clinic.slots('Dr.Okafor');

    expect(slots.length).toBeGreaterThan(0);
    for (const { id, start, end, ...rest } of slots) {
      expect(rest).toEqual({ resourceType: 'Slot', schedule: { reference: 'Schedule/Dr.Okafor' }, status: 'free' });
      expect(id).toMatch(/^[A-Za-z0-9\-.]{1,64}$/);
      expect(Date.parse(end) - Date.parse(start)).toBe(30 * 60_000);
    }
  });

  test('Appointment: status, start, end, serviceType and participants with status accepted in responses', async () => {
    const [patient, start] = [await clinic.aPatient(), await clinic.aStart()];

    const booked = await clinic.aBooked({ patient, start, visitType: 'Annual physical' });

    expect(booked).toEqual({
      resourceType: 'Appointment',
      id: expect.stringMatching(/^[A-Za-z0-9\-.]{1,64}$/),
      status: 'booked',
      start,
      end: new Date(Date.parse(start) + 30 * 60_000).toISOString(),
      serviceType: [{ text: 'Annual physical' }],
      participant: [
        { actor: { reference: `Patient/${patient}` }, status: 'accepted' },
        { actor: { reference: 'Practitioner/Dr.Chen' }, status: 'accepted' },
      ],
    });
  });

  test('Appointment: serviceType element 0 defaults to `Follow-up consultation` when omitted in a booking', async () => {
    expect((await clinic.aBooked()).serviceType).toEqual([{ text: 'Follow-up consultation' }]);
  });

  test('Patient: name with family and given, birthDate, telecom with system and value', async () => {
    const { body } = await clinic.match('MRN-1002');

    expect(body.entry[0].resource).toEqual({
      resourceType: 'Patient',
      id: expect.any(String),
      name: [{ family: 'Nguyen', given: ['Liam'] }],
      birthDate: '1974-11-03',
      telecom: [
        { system: 'phone', value: '+13035550102' },
        { system: 'email', value: 'liam.nguyen@example.com' },
      ],
    });
  });

  test('DocumentReference: status current, subject, content with contentType and data, extensions with url and valueBoolean', async () => {
    const note = {
      ...aNote(await clinic.aPatient()),
      extension: [
        { url: 'escalateToClinicalTeam', valueBoolean: true },
        { url: 'requestExternalRecords', valueBoolean: false },
      ],
    };

    const { body } = await clinic.post('/DocumentReference', note);

    expect(body).toEqual({ ...note, id: expect.any(String) });
  });

  test('Bundle: type searchset, total present on appointment and patient results, entry of objects each with resource', async () => {
    const patient = await clinic.aPatient();
    const [appointments, patients, slots] = await Promise.all([
      clinic.get(`/Appointment?patient=Patient/${patient}`),
      clinic.match('MRN-1001'),
      clinic.get('/Slot?schedule=Schedule/Dr.Chen'),
    ]);

    for (const { body } of [appointments, patients, slots]) {
      expect(body).toMatchObject({ resourceType: 'Bundle', type: 'searchset', total: expect.any(Number) });
      for (const entry of body.entry) expect(entry.resource.resourceType).toEqual(expect.any(String));
    }
  });

  test('OperationOutcome: issue with severity, code, diagnostics', async () => {
    const { start } = await clinic.aBooked();

    const { body } = await clinic.book({ patient: await clinic.aPatient(), start });

    expect(body).toEqual({
      resourceType: 'OperationOutcome',
      issue: [{ severity: 'error', code: 'conflict', diagnostics: 'slot_taken' }],
    });
  });
});

describe('States and transitions', () => {
  test('(none) to booked by $book: slot free, required fields present; the booked appointment is returned', async () => {
    expect((await clinic.aBooked()).status).toBe('booked');
  });

  test('booked stays booked by $reschedule: start moves to the new time', async () => {
    const { id } = await clinic.aBooked();
    const start = await clinic.aStart();

    const { status, body } = await clinic.reschedule(id, start);

    expect([status, body.status, body.start]).toEqual([200, 'booked', start]);
  });

  test('booked to cancelled by $cancel; the appointment is returned', async () => {
    const booked = await clinic.aBooked();

    const { status, body } = await clinic.cancel(booked.id);

    expect([status, body]).toEqual([200, { ...booked, status: 'cancelled' }]);
  });

  test('GET /Appointment returns only the next upcoming appointment; past and cancelled ones are not returned', async () => {
    const patient = await clinic.aPatient();
    const [first, second] = [await clinic.aBooked({ patient }), await clinic.aBooked({ patient })];
    const past = await clinic.aBooked({ patient });
    await app.database.sql`
      update appointments set starts_at = now() - interval '2 hours', ends_at = now() - interval '90 minutes'
      where id = ${past.id}`;
    const upcoming = async () => (await clinic.get(`/Appointment?patient=Patient/${patient}`)).body;

    expect((await upcoming()).entry[0].resource).toEqual(first);
    await clinic.cancel(first.id);
    expect((await upcoming()).entry[0].resource).toEqual(second);
    await clinic.cancel(second.id);
    expect(await upcoming()).toMatchObject({ total: 0, entry: [] });
  });

  test('Value `free` is the only one used; the search returns open slots', async () => {
    const start = await clinic.aStart('Dr.Patel');
    await clinic.aBooked({ start, provider: 'Dr.Patel' });

    const slots = await clinic.slots('Dr.Patel');

    expect(new Set(slots.map(({ status }) => status))).toEqual(new Set(['free']));
    expect(slots.map((slot) => slot.start)).not.toContain(start);
  });

  test('enabled true to false by PUT config with enabled false; the fixture patients are seeded once', async () => {
    const patients = () =>
      app.database.sql`select id from patients where clinic_id = ${clinic.clinic.clinicId} order by id`;
    const before = await patients();

    const off = await clinic.setEnabled(false);
    const whileOff = await clinic.match('MRN-1001');
    const on = await clinic.setEnabled(true);

    expect(off.body).toEqual({ saved: true, enabled: false });
    expect(whileOff.status).toBe(403);
    expect(on.body).toEqual({ saved: true, enabled: true });
    expect(await patients()).toEqual(before);
  });
});

describe('GET /Schedule', () => {
  test('actor missing: 400', async () => expectBadRequest(await clinic.get('/Schedule')));

  test('200: one Schedule resource', async () => {
    const answer = await clinic.get('/Schedule?actor=Practitioner/Dr.Patel');

    expectFhir(answer);
    expect(answer.body).toMatchObject({ resourceType: 'Schedule', id: 'Dr.Patel' });
  });
});

describe('GET /Slot', () => {
  test('schedule is required', async () => expectBadRequest(await clinic.get('/Slot')));

  test('start is optional: `ge<date>`; the `ge` prefix means greater-or-equal', async () => {
    const [, second] = await clinic.slots();

    const fromSecond = await clinic.slots('Dr.Chen', `&start=ge${second!.start}`);
    const fromToday = await clinic.slots('Dr.Chen', `&start=ge${new Date().toISOString().slice(0, 10)}`);

    expect(fromSecond[0]).toEqual(second);
    expect(fromToday.length).toBeGreaterThan(0);
  });

  test.each([
    'ge2026-02-30',
    'ge',
    'gesoon',
    'ge2026-13-01',
    'ge2026-11-24T09:00:00',
    'xx2026-11-24',
    'ge2026-11-24T25:00:00Z',
  ])('Invalid date: 400 (%s)', async (start) =>
    expectBadRequest(await clinic.get(`/Slot?schedule=Schedule/Dr.Chen&start=${start}`)),
  );

  test('200: Bundle (type searchset) whose entries are Slot resources, each a 30-minute open slot', async () => {
    const answer = await clinic.get('/Slot?schedule=Schedule/Dr.Chen');

    expectFhir(answer);
    expect(answer.body.type).toBe('searchset');
    for (const { resource } of answer.body.entry) expect(resource.resourceType).toBe('Slot');
  });
});

describe('GET /Appointment', () => {
  test('patient missing: 400', async () => expectBadRequest(await clinic.get('/Appointment')));

  test("200: Bundle with total 0 (empty entry) or 1 (the patient's next upcoming appointment)", async () => {
    const patient = await clinic.aPatient();
    const none = await clinic.get(`/Appointment?patient=Patient/${patient}`);
    const booked = await clinic.aBooked({ patient });
    const one = await clinic.get(`/Appointment?patient=Patient/${patient}`);

    expectFhir(none);
    expect([none.body.total, none.body.entry]).toEqual([0, []]);
    expectFhir(one);
    expect([one.body.total, one.body.entry.length, one.body.entry[0].resource]).toEqual([1, 1, booked]);
  });
});

describe('POST /Appointment/$book', () => {
  const without = async (change: (resource: Record<string, unknown>) => unknown) => {
    const body = aBooking({ patient: await clinic.aPatient(), start: await clinic.aStart() });
    const [{ name, resource }] = body.parameter as [{ name: string; resource: Record<string, unknown> }];
    return clinic.post(
      '/Appointment/$book',
      parametersOf({ name, resource: { ...resource, ...(change(resource) as object) } }),
    );
  };

  test('Required: start. Missing: 400', async () => expectBadRequest(await without(() => ({ start: undefined }))));

  test.each(['Patient', 'Practitioner'])('Required: a `%s/` participant reference. Missing: 400', async (type) => {
    const isOther = ({ actor }: { actor: { reference: string } }) => !actor.reference.startsWith(`${type}/`);

    expectBadRequest(await without(({ participant }) => ({ participant: (participant as never[]).filter(isOther) })));
  });

  test('Body: Parameters resource with one parameter named `appointment` whose resource is an Appointment', async () => {
    expectBadRequest(await clinic.post('/Appointment/$book', { resourceType: 'Appointment' }));
    expectBadRequest(await clinic.post('/Appointment/$book', parametersOf()));
    expectBadRequest(await clinic.post('/Appointment/$book', parametersOf({ name: 'appointment' })));
    expectBadRequest(
      await clinic.post(
        '/Appointment/$book',
        parametersOf({ name: 'appointment', resource: { resourceType: 'Slot' } }),
      ),
    );
  });

  test('200: the booked Appointment', async () => {
    const answer = await clinic.book({ patient: await clinic.aPatient(), start: await clinic.aStart() });

    expectFhir(answer);
    expect(answer.body).toMatchObject({ resourceType: 'Appointment', status: 'booked' });
  });

  test('Double booking: 409 with an OperationOutcome (severity error, code conflict, diagnostics slot_taken)', async () => {
    const { start } = await clinic.aBooked();

    expectConflict(await clinic.book({ patient: await clinic.aPatient(), start }), 'slot_taken');
  });
});

describe('POST /Appointment/{id}/$reschedule', () => {
  test.each([[undefined], ['tomorrow'], [1_800_000_000], [null], ['2030-01-01T09:00:00']])(
    'start missing or invalid: 400 (%j)',
    async (start) => {
      const { id } = await clinic.aBooked();
      expectBadRequest(await clinic.reschedule(id, start));
    },
  );

  test('200: the updated Appointment with status `booked`', async () => {
    const { id } = await clinic.aBooked();
    const answer = await clinic.reschedule(id, await clinic.aStart());

    expectFhir(answer);
    expect(answer.body).toMatchObject({ id, status: 'booked' });
  });

  test('Unknown or cross-clinic id: 404', async () => {
    const start = await clinic.aStart();
    const { id } = await other.aBooked();

    for (const unknown of ['no-such-id', id]) {
      const answer = await clinic.reschedule(unknown, start);
      expect([answer.status, answer.body]).toEqual([404, notFound(`Appointment ${unknown} not found`)]);
    }
  });
});

describe('POST /Appointment/{id}/$cancel', () => {
  test('No body', async () => {
    const { id } = await clinic.aBooked();
    expect((await clinic.post(`/Appointment/${id}/$cancel`)).status).toBe(200);
  });

  test('200: the Appointment with status `cancelled`', async () => {
    const { id } = await clinic.aBooked();
    const answer = await clinic.cancel(id);

    expectFhir(answer);
    expect(answer.body).toMatchObject({ id, status: 'cancelled' });
  });

  test('Unknown or cross-clinic id: 404', async () => {
    const { id } = await other.aBooked();

    for (const unknown of ['no-such-id', id]) {
      const answer = await clinic.cancel(unknown);
      expect([answer.status, answer.body]).toEqual([404, notFound(`Appointment ${unknown} not found`)]);
    }
  });
});

describe('POST /Patient/$match', () => {
  test('a parameter named `identifier` carrying valueString (required). Absent: 400', async () => {
    expectBadRequest(await clinic.post('/Patient/$match', parametersOf()));
    expectBadRequest(await clinic.post('/Patient/$match', parametersOf({ name: 'identifier' })));
    expectBadRequest(await clinic.post('/Patient/$match', parametersOf({ name: 'id', valueString: 'x' })));
  });

  test('200: Bundle (searchset, total 1) with a Patient resource', async () => {
    const answer = await clinic.match('MRN-1003');

    expectFhir(answer);
    expect(answer.body).toMatchObject({
      type: 'searchset',
      total: 1,
      entry: [{ resource: { resourceType: 'Patient' } }],
    });
  });

  test('An unknown identifier creates a fixture patient and still returns 200', async () => {
    expectFhir(await clinic.match(`unknown-${Date.now()}`));
  });
});

describe('POST /DocumentReference', () => {
  test('`subject.reference` must begin with `Patient/`; any other value or a missing value: 400', async () => {
    const note = aNote(await clinic.aPatient());

    for (const subject of [undefined, {}, { reference: 'Group/1' }, { reference: '' }, { reference: 'Patient/' }]) {
      expectBadRequest(await clinic.post('/DocumentReference', { ...note, subject }));
    }
  });

  test('200: the created DocumentReference, same shape', async () => {
    const note = aNote(await clinic.aPatient());
    const answer = await clinic.post('/DocumentReference', note);

    expectFhir(answer);
    expect(answer.body).toEqual({ ...note, id: expect.any(String) });
  });
});

describe('Sandbox configuration', () => {
  test('GET 200: {enabled: boolean}', async () => {
    const { status, body } = await app.request('GET', clinic.config, { bearer: clinic.staff });
    expect([status, body]).toEqual([200, { enabled: true }]);
  });

  test('GET returns enabled false (not an error) if no clinic is linked to the account', async () => {
    const { status, body } = await app.request('GET', clinic.config, { bearer: unlinked });
    expect([status, body]).toEqual([200, { enabled: false }]);
  });

  test('PUT 200: {saved: true, enabled: boolean}', async () => {
    const { status, body } = await clinic.setEnabled(true);
    expect([status, body]).toEqual([200, { saved: true, enabled: true }]);
  });

  test.each([['true'], [1], [0], [null], [undefined], [[true]], [{}]])(
    'PUT 400 when enabled is not a real boolean (%j)',
    async (enabled) => expectBadRequest(await clinic.setEnabled(enabled)),
  );

  test('PUT 400 when no clinic is linked to the account', async () => {
    expectBadRequest(await clinic.setEnabled(true, unlinked));
  });

  test('Enable before using patient matching', async () => {
    await clinic.setEnabled(false);
    const refused = await clinic.match('MRN-1001');
    await clinic.setEnabled(true);

    expect(refused.status).toBe(403);
    expect(refused.headers.get('x-refusal-reason')).toBe('sandbox_off');
    expect(refused.body.message).toBe('The sandbox EMR is not enabled for this clinic');
  });
});

describe('Authentication', () => {
  test('a token of an authenticated dashboard session; no separate API key applies', async () => {
    const tries = [undefined, 'wrong-token', clinic.clinic.apiKey];
    const answers = await Promise.all(
      tries.map((bearer) => app.request('GET', '/Slot?schedule=Schedule/Dr.Chen', { bearer })),
    );

    for (const { status, headers, body } of answers) {
      expect([status, headers.get('www-authenticate'), body.error]).toEqual([401, 'Bearer', 'Unauthorized']);
    }
  });
});

describe('Limits', () => {
  test('Slots are 30 minutes long', async () => {
    for (const { start, end } of await clinic.slots('Dr.Patel')) {
      expect(Date.parse(end) - Date.parse(start)).toBe(1_800_000);
    }
  });

  test('GET /Appointment returns at most one appointment (total 0 or 1)', async () => {
    const patient = await clinic.aPatient();
    for (const _ of [1, 2, 3]) await clinic.aBooked({ patient });

    const { body } = await clinic.get(`/Appointment?patient=Patient/${patient}`);

    expect([body.total, body.entry.length]).toEqual([1, 1]);
  });
});

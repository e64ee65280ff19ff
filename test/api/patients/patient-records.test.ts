import { typed } from '../../support/command';
import { localDate, plusDays } from '@clinic/shared/domain/calendar/clinic-time';
import { toAppointment } from '@clinic/shared/contracts/calendar/fhir-appointment';
import { spokenTime } from '@clinic/shared/domain/voice/spoken-time';
import { assertR4 } from '../../support/r4';
import { startApp, type App } from '../../support/app';
import { eventually } from '../../support/eventually';
import { aNote, type FhirClinic, openSandbox } from '../../support/fhir';

/** Patients, appointments and providers as plain JSON: for the dashboard, and with an API key. */

let app: App;
let clinic: FhirClinic;

beforeAll(async () => {
  app = await startApp({ hasWorker: false });
  clinic = await openSandbox(app);
});
afterAll(() => app.stop());

const asKey = (method: string, path: string, body?: unknown, headers?: Record<string, string>) =>
  app.request(method, path, { body, headers, bearer: app.clinic.apiKey });
const asStaff = (method: string, path: string, body?: unknown) =>
  app.request(method, path, { body, bearer: clinic.staff });

const person = { firstName: 'Ines', lastName: 'Duarte', phone: '+13035550177' };

describe('patients', () => {
  test('who has made a record is told by name', async () => {
    const { body } = await asStaff('POST', '/patients', person);
    const { changes } = (await asStaff('GET', `/patients/${body.id}`)).body;

    expect(changes).toEqual([
      expect.objectContaining({ action: 'patient.create', actorName: expect.any(String) as string }),
    ]);
  });

  test('a patient is created, read and changed with either credential; null takes a field away', async () => {
    const created = await asKey('POST', '/patients', {
      ...person,
      dateOfBirth: '1984-02-29',
      email: 'ines@example.com',
    });
    const path = `/patients/${created.body.id}`;

    const read = await asStaff('GET', path);
    const changed = await asStaff('PATCH', path, { phone: '+13035550178', email: null });

    expect(created.status).toBe(200);
    expect(read.body).toEqual({ ...created.body, changes: [expect.objectContaining({ action: 'patient.create' })] });
    expect(read.body).toMatchObject({
      ...person,
      dateOfBirth: '1984-02-29',
      patientType: 'EXISTING',
      appointments: [],
      documents: [],
      registration: { status: 'COMPLETE', missingFields: [] },
    });
    expect(changed.body).toMatchObject({ ...person, phone: '+13035550178', email: null, dateOfBirth: '1984-02-29' });
  });

  test('what was changed of a patient and their visits is told with names of fields and times, and not in the audit', async () => {
    const { id } = (await asStaff('POST', '/patients', person)).body;
    await asStaff('PATCH', `/patients/${id}`, { email: 'i@example.com', preferredLanguage: 'es' });
    const { slots } = (await asStaff('GET', '/availability?limit=3')).body;
    const [first, second, third] = slots;
    const { providerName, startsAt } = first;
    const booked = (await asStaff('POST', '/appointments', { patientId: id, providerName, startsAt })).body;
    const path = `/appointments/${booked.id}`;
    const to = { startsAt: third.startsAt, providerName: third.providerName };
    const moved = (await asStaff('POST', `${path}/reschedule`, to)).body;
    const next = { startsAt: second.startsAt, providerName: second.providerName };
    const again = (await asStaff('POST', `${path}/reschedule`, next)).body;
    await asStaff('POST', `${path}/cancel`);

    const { changes } = (await asStaff('GET', `/patients/${id}`)).body;

    const told = ({ startsAt: at, providerDisplayName }: { startsAt: string; providerDisplayName: string }) => ({
      startsAt: at,
      providerDisplayName,
    });
    expect(changes).toMatchObject([
      { action: 'appointment.cancel', visit: told(again), movedFrom: null },
      { action: 'appointment.reschedule', visit: told(again), movedFrom: told(moved) },
      { action: 'appointment.reschedule', visit: told(moved), movedFrom: told(booked) },
      { action: 'appointment.book', visit: told(booked), movedFrom: null, detail: { appointmentId: booked.id } },
      { action: 'patient.change', visit: null, detail: { fields: ['email', 'preferredLanguage'] } },
      { action: 'patient.create', visit: null, movedFrom: null, detail: {} },
    ]);
    await app.stores.auditChain.seal(100);
    const sealed = (await app.request('GET', `/audit?subject=${id}`, { bearer: await app.admin() })).body.items;
    expect(sealed.map(({ detail }: { detail: object }) => detail)).toEqual(
      changes.map(({ detail }: { detail: object }) => detail),
    );
    expect(JSON.stringify(sealed)).not.toContain(booked.startsAt);
    expect((await asStaff('GET', `/patients/${id}`)).body.changes).toEqual(changes);
  });

  test('what a patient agreed to is kept with its basis, time and source', async () => {
    const told = { basis: 'paper form 12', at: '2026-11-01T10:00:00Z', source: 'front desk' };

    const created = await asKey('POST', '/patients', { ...person, consent: told });
    const path = `/patients/${created.body.id}`;
    const kept = await asKey('PATCH', path, { email: 'ines@example.com' });
    const withdrawn = await asKey('PATCH', path, { consent: { isGiven: false, basis: 'asked at the desk' } });
    const taken = await asKey('PATCH', path, { consent: null });

    const given = { ...told, isGiven: true, at: '2026-11-01T10:00:00.000Z' };
    expect(created.body.consent).toEqual(given);
    expect(kept.body.consent).toEqual(given);
    expect(withdrawn.body.consent).toMatchObject({ isGiven: false, basis: 'asked at the desk', source: 'api' });
    expect(taken.body.consent).toBeNull();
    expect((await asKey('PATCH', path, { consent: { basis: '' } })).status).toBe(400);
  });

  test('when and in which language to call is written, read and taken away, and is in the FHIR that tells of the patient', async () => {
    const wishes = { preferredCallHours: { from: '17:00', until: null }, preferredLanguage: 'es' };
    const created = await asKey('POST', '/patients', {
      ...person,
      preferredCallHours: { from: '17:00' },
      preferredLanguage: 'es',
    });
    const path = `/patients/${created.body.id}`;
    await app.database.sql`update patients set identifier = 'MRN-after-five' where id = ${created.body.id}`;

    const matched = (await clinic.match('MRN-after-five')).body.entry[0].resource;
    const moved = await asStaff('PATCH', path, { preferredCallHours: { from: '09:00', until: '12:30' } });
    const taken = await asStaff('PATCH', path, { preferredCallHours: null, preferredLanguage: null });

    expect(created.body).toMatchObject(wishes);
    expect(matched.communication).toEqual([
      { language: { coding: [{ system: 'urn:ietf:bcp:47', code: 'es' }] }, preferred: true },
    ]);
    assertR4(matched);
    expect(moved.body).toMatchObject({ ...wishes, preferredCallHours: { from: '09:00', until: '12:30' } });
    expect(taken.body).toMatchObject({ preferredCallHours: null, preferredLanguage: null });
    for (const [preferredCallHours, said] of [
      [{ from: '22:00', until: '06:00' }, 'midnight'],
      [{ from: '5pm' }, 'time of day'],
      [{}, 'from when'],
    ] as const) {
      const answer = await asStaff('PATCH', path, { preferredCallHours });
      expect([answer.status, answer.body.details[0].message]).toEqual([400, expect.stringContaining(said)]);
    }
    expect((await asStaff('PATCH', path, { preferredLanguage: 'tlh' })).status).toBe(400);
  });

  test('the same Idempotency-Key makes one patient', async () => {
    const key = { 'idempotency-key': 'one-patient' };
    const answers = await Promise.all([1, 2, 3].map(() => asKey('POST', '/patients', person, key)));

    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
  });

  test('the audit has who was made once, and who was shown the reply again', async () => {
    const key = { 'idempotency-key': 'told-again' };
    const make = () => asKey('POST', '/patients', person, key);
    const [{ body }] = [await make(), await make()];
    await app.stores.auditChain.seal(100);

    const { items } = (await app.request('GET', `/audit?reads=true&subject=${body.id}`, { bearer: await app.admin() }))
      .body;

    expect(items.map(({ action, isRead }: Record<string, unknown>) => [action, isRead])).toEqual([
      ['patient.create', true],
      ['patient.create', false],
    ]);
  });

  test('what is missing, unknown or impossible is 400 and named', async () => {
    const bodies = [
      [{ ...person, phone: '555-0177' }, 'phone'],
      [{ ...person, firstName: '  ' }, 'firstName'],
      [{ ...person, dateOfBirth: '1984-02-30' }, 'dateOfBirth'],
      [{ ...person, dateOfBirth: '2999-01-01' }, 'dateOfBirth'],
      [{ ...person, email: 'nobody' }, 'email'],
      [{ ...person, nickname: 'I' }, 'nickname'],
      [{ firstName: 'Ines', lastName: 'Duarte' }, 'phone'],
    ] as const;

    for (const [body, path] of bodies) {
      const answer = await asKey('POST', '/patients', body);
      expect([answer.status, answer.body.details[0].path]).toEqual([400, path]);
    }
  });

  test('the list shows the newest first, in pages, with what is booked next, and finds by name, phone and e-mail', async () => {
    const all = (await asStaff('GET', '/patients?limit=200')).body.items;
    const found = async (search: string) =>
      (await asStaff('GET', `/patients?search=${encodeURIComponent(search)}`)).body.items.map(
        ({ lastName }: { lastName: string }) => lastName,
      );

    const first = (await asStaff('GET', '/patients?limit=5')).body;
    const second = (await asStaff('GET', `/patients?limit=5&cursor=${first.nextCursor}`)).body;

    expect([...first.items, ...second.items]).toEqual(all.slice(0, 10));
    expect(all.find(({ lastName }: { lastName: string }) => lastName === 'Nguyen').nextAppointment).toEqual({
      id: expect.any(String),
      startsAt: expect.any(String),
      providerDisplayName: expect.stringMatching(/^Dr\. /),
    });
    expect(await found('nguyen LIAM')).toEqual(['Nguyen']);
    expect(await found('(303) 555-0104')).toEqual(['Kowalski']);
    expect(await found('mia.haddad@example.com')).toEqual(['Haddad']);
    expect(await found('MRN-1010')).toEqual(['Farouk']);
    const born = all.find(({ dateOfBirth }: { dateOfBirth: string | null }) => dateOfBirth);
    const [year, month, day] = born.dateOfBirth.split('-').map(Number);
    expect(await found(`${month}/${day}/${year}`)).toContain(born.lastName);
    expect(await found('%')).toEqual([]);
  });

  test('a name and a birth date find who has both; eight digits are a birth date and part of a phone; the page says how it was read', async () => {
    for (const [firstName, lastName, phone, dateOfBirth] of [
      ['Omar', 'Walkinshaw', '+13035550123', '2000-10-02'],
      ['Ida', 'Walkinshaw', '+13035550124', '2000-02-10'],
      ['Phil', 'Overend', '+13010022000'],
    ])
      await asKey('POST', '/patients', { firstName, lastName, phone, dateOfBirth });
    const found = async (search: string) => {
      const { body } = await asStaff('GET', `/patients?search=${encodeURIComponent(search)}&total=true`);
      const names = body.items.map(({ firstName }: { firstName: string }) => firstName);
      expect(body.total.count).toBe(names.length);
      return [body.searchedFor, names];
    };

    const read = 'walkinshaw 2000-10-02';
    for (const date of [
      '10/2/2000',
      '10/2/00',
      '10-02-2000',
      'Oct 2 2000',
      '2 october 2000',
      '2000-10-02',
      '10022000',
    ]) {
      expect(await found(`walkinshaw ${date}`)).toEqual([read, ['Omar']]);
      expect(await found(`${date}, omar`)).toEqual(['2000-10-02, omar', ['Omar']]);
    }
    expect(await found('walkinshaw 2000/10/02')).toEqual(['walkinshaw 2000/10/02', ['Omar']]);
    expect(await found('walkinshaw 10/3/2000')).toEqual(['walkinshaw 2000-10-03', []]);
    expect(await found('10022000')).toEqual(['2000-10-02', ['Phil', 'Omar']]);
    expect(await found('02102000')).toEqual(['2000-02-10', ['Ida']]);
    expect(await found('walkinshaw')).toEqual(['walkinshaw', ['Ida', 'Omar']]);
    expect((await asStaff('GET', '/patients?limit=1')).body.searchedFor).toBeNull();
  });

  test('who may be on file already is found by name, birth date and phone as people write them, callers among them', async () => {
    const known = (
      await asKey('POST', '/patients', {
        firstName: 'Gwendolyn',
        lastName: 'Marsh',
        phone: '(303) 555-0121',
        dateOfBirth: '1971-04-09',
      })
    ).body;
    const caller = await app.stores.patients.findOrCreateByPhone(app.clinic.clinicId, '+13035550122');
    const found = async (asked: Record<string, string>) => {
      const headers = { 'x-query': new URLSearchParams(asked).toString() };
      const { status, body } = await asKey('GET', '/patients/duplicates', undefined, headers);
      expect(status).toBe(200);
      return body.items.map(({ id, alike, similar }: Record<string, unknown>) => [id, alike, similar]);
    };

    expect(known.phone).toBe('+13035550121');
    expect(await found({ firstName: 'Gwendolin', lastName: 'Marsh', dateOfBirth: '1971-09-04' })).toEqual([
      [known.id, ['name', 'birthDate'], ['name', 'birthDate']],
    ]);
    expect(await found({ firstName: 'Gwendolyn', lastName: 'Mársh', dateOfBirth: '1971-04-09' })).toEqual([
      [known.id, ['name', 'birthDate'], []],
    ]);
    expect(await found({ firstName: 'Peter', lastName: 'Other', phone: '303.555.0121' })).toEqual([
      [known.id, ['phone'], []],
    ]);
    expect(await found({ phone: '303-555-0122' })).toEqual([[caller, ['phone'], []]]);
    expect(await found({ firstName: 'Gwendolyn' })).toEqual([]);
    expect(await found({ phone: '555' })).toEqual([]);
  });

  test('staff allow calls again with a reason, which is in the audit', async () => {
    const { id } = (await asKey('POST', '/patients', { ...person, phone: '+13035550179' })).body;
    const lift = (reason: string) => asStaff('POST', `/patients/${id}/opt-outs/lift`, { reason });
    const added = (await asStaff('POST', `/patients/${id}/opt-outs`, {})).body;
    // It follows the patient to another number.
    await asStaff('PATCH', `/patients/${id}`, { phone: '(303) 555-0180' });

    expect((await lift('because')).status).toBe(400);
    expect((await lift('patient_asked')).status).toBe(204);
    expect((await lift('patient_asked')).status).toBe(404);
    const left = async (phone: string) =>
      (await asStaff('GET', `/integrations/opt-outs?phone=${encodeURIComponent(phone)}`)).body.items;
    expect(await left('+13035550180')).toEqual([]);
    expect(await left('+13035550179')).toMatchObject([{ id: added.id }]);
    const [entry] = await app.database.sql`
      select actor, detail from audit_entries where clinic_id = ${app.clinic.clinicId} and action = 'opt-out.remove'`;
    expect(entry).toMatchObject({
      actor: expect.stringMatching(/^account:/),
      detail: { patientId: id, reason: 'patient_asked' },
    });
  });

  test('a placeholder is left out of the list until its registration is complete, but has a page', async () => {
    const id = await app.stores.patients.findOrCreateByPhone(app.clinic.clinicId, '+13035550188');

    const listed = (await asStaff('GET', '/patients?limit=200')).body.items.map(({ id: each }: { id: string }) => each);
    const { body } = await asStaff('GET', `/patients/${id}`);

    expect(listed).not.toContain(id);
    expect(body.registration.status).toBe('ACTION_REQUIRED');
    expect(body.registration.missingFields).toContain('firstName');
  });

  test("a patient's page shows appointments and notes", async () => {
    const patient = await clinic.aPatient();
    const booked = await clinic.aBooked({ patient });
    const extension = [{ url: 'requestExternalRecords', valueBoolean: true }];
    await clinic.post('/DocumentReference', { ...aNote(patient, 'Prefers mornings – naïvely'), extension });

    const { body } = await asStaff('GET', `/patients/${patient}`);

    expect(body.appointments).toEqual([expect.objectContaining({ id: booked.id, status: 'booked' })]);
    expect(body.documents).toEqual([
      {
        id: expect.any(String),
        callId: null,
        note: 'Prefers mornings – naïvely',
        createdAt: expect.any(String),
        escalateToClinicalTeam: false,
        requestExternalRecords: true,
      },
    ]);
  });
});

describe("a patient's data leaves", () => {
  const asAdmin = (method: string, path: string, body?: unknown) =>
    app.request(method, path, { body, bearer: clinic.admin });
  const aPath = async () => {
    const { body } = await asKey('POST', '/patients', { ...person, dateOfBirth: '1984-02-29' });
    await asKey('POST', `/patients/${body.id}/notes`, { note: 'Prefers the afternoon' });
    return { id: body.id as string, path: `/patients/${body.id}` };
  };

  test('an administrator exports everything, as rows or as a FHIR Bundle, and the audit has it', async () => {
    const { id, path } = await aPath();

    const rows = await asAdmin('GET', `${path}/export`);
    const bundle = await asAdmin('GET', `${path}/export?format=fhir`);
    const audited = await asAdmin('GET', `/audit?subject=${id}`);

    expect(rows.body.records).toMatchObject({ patients: [{ id, birth_date: '1984-02-29' }], documents: [{}] });
    expect(rows.headers.get('content-disposition')).toBe(`attachment; filename="patient-${id}.json"`);
    expect(bundle.headers.get('content-type')).toContain('application/fhir+json');
    expect(bundle.body).toMatchObject({ resourceType: 'Bundle', type: 'collection' });
    expect(
      bundle.body.entry.map(({ resource }: { resource: { resourceType: string } }) => resource.resourceType),
    ).toEqual(['Patient', 'DocumentReference']);
    expect(audited.body.items.map(({ action }: { action: string }) => action)).toEqual([
      'patient.export',
      'patient.export',
    ]);
    expect(audited.body.items[0].address).not.toBeNull();
    expect((await asStaff('GET', `${path}/export`)).status).toBe(403);
    expect((await asKey('GET', `${path}/export`)).status).toBe(401);
    expect((await asAdmin('GET', `${path}/export?format=pdf`)).status).toBe(400);
  });

  test('a legal hold refuses an erasure in words until it is lifted', async () => {
    const { id, path } = await aPath();
    const erasing = { reason: 'patient_request', confirm: id };

    const empty = await asAdmin('PUT', `${path}/legal-hold`, { reason: ' ' });
    const placed = await asAdmin('PUT', `${path}/legal-hold`, { reason: 'A case at court' });
    const shown = await asStaff('GET', `${path}/legal-hold`);
    const preview = await asAdmin('GET', `${path}/erasure`);
    const refused = await asAdmin('POST', `${path}/erasure`, erasing);
    const lifted = await asAdmin('DELETE', `${path}/legal-hold`);
    const again = await asAdmin('DELETE', `${path}/legal-hold`);
    const accepted = await asAdmin('POST', `${path}/erasure`, erasing);
    const late = await asAdmin('PUT', `${path}/legal-hold`, { reason: 'Too late' });
    const nobody = '/patients/nobody';
    const strangers = [
      await asAdmin('PUT', `${nobody}/legal-hold`, { reason: 'A case at court' }),
      await asAdmin('GET', `${nobody}/legal-hold`),
      await asAdmin('GET', `${nobody}/erasure`),
      await asAdmin('GET', `${nobody}/export`),
      await asAdmin('POST', `${nobody}/erasure`, { ...erasing, confirm: 'nobody' }),
    ];

    expect([empty.status, empty.body.details[0].path]).toEqual([400, 'reason']);
    expect(placed.body.hold).toMatchObject({ reason: 'A case at court', placedByName: expect.any(String) });
    expect(shown.body).toEqual(placed.body);
    expect(preview.body).toMatchObject({ isHeld: true });
    expect([refused.status, refused.body.message]).toEqual([409, expect.stringContaining('legal hold')]);
    expect([lifted.status, again.status, accepted.status]).toEqual([204, 404, 202]);
    expect([late.status, late.body.message]).toEqual([409, expect.stringContaining('being erased')]);
    expect(strangers.map(({ status, body }) => [status, body.message])).toEqual(
      strangers.map(() => [404, 'Patient nobody not found']),
    );
  });

  test('an erasure needs an administrator, a reason and the id once more; asked again it is the same', async () => {
    const { id, path } = await aPath();

    const unsure = await asAdmin('POST', `${path}/erasure`, { reason: 'patient_request', confirm: 'yes' });
    const vague = await asAdmin('POST', `${path}/erasure`, { reason: 'because', confirm: id });
    const byStaff = await asStaff('POST', `${path}/erasure`, { reason: 'patient_request', confirm: id });
    const preview = await asAdmin('GET', `${path}/erasure`);
    const first = await asAdmin('POST', `${path}/erasure`, { reason: 'patient_request', confirm: id });
    const second = await asAdmin('POST', `${path}/erasure`, { reason: 'court_order', confirm: id });
    const one = await asAdmin('GET', `/erasures/${first.body.id}`);
    const list = await asAdmin('GET', `/erasures?patientId=${id}`);

    expect([unsure.status, unsure.body.details[0].path]).toEqual([400, 'confirm']);
    expect([vague.status, byStaff.status]).toEqual([400, 403]);
    expect(preview.body).toMatchObject({
      isHeld: false,
      openWorkflows: 0,
      openCalls: 0,
      goes: expect.arrayContaining([
        { records: 'patients', count: 1 },
        { records: 'documents', count: 1 },
      ]),
    });
    expect(first.body).toMatchObject({ state: 'REQUESTED', patientId: id, reason: 'patient_request', erased: [] });
    // Temporal has it at once, without the relay of a worker.
    await eventually(async () => {
      const { sql } = app.database;
      return (await sql`select id from erasures where id = ${first.body.id} and dispatched_at is not null`).length > 0;
    });
    expect(second.body).toEqual(first.body);
    expect(one.body).toEqual(first.body);
    expect(list.body.items).toEqual([first.body]);
  });

  test('an operator does the same by command', async () => {
    const { id } = await aPath();
    const { clinicId } = app.clinic;
    const run = async (...args: string[]) =>
      (await typed(['clinic', 'patient', ...args, '--clinic', clinicId], app.env)).shown;

    const rows = await run('export', '--patient', id);
    const bundle = await run('export', '--patient', id, '--format', 'fhir');
    await run('hold', '--patient', id, '--reason', 'A case');
    const erase = ['erase', '--patient', id, '--reason', 'retention_over'];

    expect(rows).toMatchObject({ patientId: id, records: { patients: [{ id }] } });
    expect(bundle).toMatchObject({ resourceType: 'Bundle', entry: [{ resource: { id } }, {}] });
    await expect(run(...erase)).rejects.toThrow('--confirm must repeat');
    await expect(run(...erase, '--confirm', id)).rejects.toThrow('legal hold');
    await expect(run('erase', '--patient', id, '--confirm', id)).rejects.toThrow('--reason is one of');
    expect(await run('release', '--patient', id)).toMatchObject({ isHeld: false });
    expect(await run(...erase, '--confirm', id)).toMatchObject({ erasure: { state: 'REQUESTED' } });
    expect(await run('erasures', '--patient', id)).toMatchObject({ erasures: [{ reason: 'retention_over' }] });
    await expect(run('export', '--patient', 'nobody')).rejects.toThrow('no patient nobody');
  });
});

describe('appointments with an API key', () => {
  test('availability, booking, reading, moving and cancelling follow the rules of the FHIR routes', async () => {
    const patientId = await clinic.aPatient();
    const { slots } = (await asKey('GET', '/availability?providerName=dr.%20samuel%20okafor&limit=2')).body;
    const [first, second] = slots;

    const booked = await asKey('POST', '/appointments', {
      patientId,
      providerName: first.providerName,
      startsAt: first.startsAt,
    });
    const path = `/appointments/${booked.body.id}`;
    const taken = await asKey('POST', '/appointments', {
      patientId,
      providerName: 'Dr.Okafor',
      startsAt: first.startsAt,
      visitType: 'Second try',
    });
    const moved = await asKey('POST', `${path}/reschedule`, { startsAt: second.startsAt });
    const cancelled = await asKey('POST', `${path}/cancel`, { reason: 'pat-lt' });
    const late = await asKey('POST', `${path}/reschedule`, { startsAt: first.startsAt });

    expect(first.startsAtSpoken).toBe(spokenTime(first.startsAt, app.clinic.timezone, new Date().toISOString()));
    expect(booked.body).toEqual({
      id: expect.any(String),
      patientId,
      status: 'booked',
      visitType: 'Follow-up consultation',
      providerName: 'Dr.Okafor',
      providerDisplayName: 'Dr. Samuel Okafor',
      startsAt: first.startsAt,
      endsAt: new Date(Date.parse(first.startsAt) + 30 * 60_000).toISOString(),
      cancellationReason: null,
    });
    expect([taken.status, taken.body]).toEqual([
      409,
      { statusCode: 409, message: 'slot_taken', error: 'Conflict', code: 'slot_taken' },
    ]);
    expect(moved.body).toMatchObject({ id: booked.body.id, startsAt: second.startsAt, status: 'booked' });
    expect(cancelled.body).toMatchObject({ status: 'cancelled', cancellationReason: 'pat-lt' });
    expect(late.body.message).toBe('appointment_cancelled');
    expect((await asKey('GET', path)).body).toEqual(cancelled.body);
  });

  test('an unknown provider or patient is 404, a time in the past 400, one that is not on offer 409', async () => {
    const [patientId, startsAt] = [await clinic.aPatient(), await clinic.aStart()];
    const body = { patientId, providerName: 'Dr.Chen', startsAt };
    const offGrid = new Date(Date.parse(startsAt) + 60_000).toISOString();
    const statusOf = async (change: object) => {
      const { status, body: answer } = await asKey('POST', '/appointments', { ...body, ...change });
      return [status, answer.message];
    };

    expect(await statusOf({ providerName: 'Dr.Who' })).toEqual([404, 'Practitioner Dr.Who not found']);
    expect(await statusOf({ patientId: 'nobody' })).toEqual([404, 'Patient nobody not found']);
    expect(await statusOf({ startsAt: '2020-01-06T16:00:00Z' })).toEqual([400, 'startsAt lies in the past']);
    expect(await statusOf({ startsAt: '2030-01-07T16:00:00' })).toEqual([400, 'startsAt is not an ISO 8601 timestamp']);
    expect(await statusOf({ startsAt: offGrid })).toEqual([409, 'slot_unavailable']);
    expect((await asKey('GET', '/availability?providerName=Dr.Who')).status).toBe(404);
    expect((await asKey('GET', '/availability?from=soon')).status).toBe(400);
  });

  test('open times are asked for by day, half of the day and provider; a time is moved to another provider, and booked again once cancelled', async () => {
    const patientId = await clinic.aPatient();
    const { slots } = (await asKey('GET', '/availability?providerName=Dr.Chen&limit=1')).body;
    const date = plusDays(localDate(slots[0].startsAt, app.clinic.timezone), 7);
    const until = plusDays(date, 1);
    const of = async (query: string) =>
      (await asKey('GET', `/availability?from=${date}&until=${until}&${query}`)).body.slots.map(
        (slot: { startsAtSpoken: string }) => slot.startsAtSpoken,
      );
    const [day, morning, afternoon] = [
      await of('providerName=Dr.Chen'),
      await of('providerName=Dr.Chen&untilTime=12:00'),
      await of('providerName=Dr.Chen&fromTime=12:00'),
    ];
    const startsOf = async (provider: string): Promise<string[]> =>
      (await asKey('GET', `/availability?providerName=${provider}&limit=300`)).body.slots.map(
        (slot: { startsAt: string }) => slot.startsAt,
      );
    const ofPatel = new Set(await startsOf('Dr.Patel'));
    const startsAt = (await startsOf('Dr.Chen')).findLast((start) => ofPatel.has(start));
    const { id } = (await asKey('POST', '/appointments', { patientId, providerName: 'Dr.Chen', startsAt })).body;
    const path = `/appointments/${id}`;
    const waiting = await asKey('GET', `${path}/waiting`);
    const moved = await asKey('POST', `${path}/reschedule`, { startsAt, providerName: 'Dr.Patel' });
    const strange = await asKey('POST', `${path}/reschedule`, { startsAt, providerName: 'Dr.Who' });
    await asKey('POST', `${path}/cancel`, { reason: 'oth-err' });
    const restored = await asKey('POST', `${path}/restore`);
    await asKey('POST', `${path}/cancel`);
    const other = { patientId: await clinic.aPatient(), providerName: 'Dr.Patel', startsAt };
    await asKey('POST', '/appointments', other);
    const late = await asKey('POST', `${path}/restore`);

    expect(morning.length > 0 && morning.every((text: string) => /A\.?M\b/i.test(text))).toBe(true);
    expect([...morning, ...afternoon]).toEqual(day);
    expect(waiting.body).toEqual({ count: 0, isOffered: true });
    expect(moved.body).toMatchObject({
      id,
      providerName: 'Dr.Patel',
      providerDisplayName: 'Dr. Anita Patel',
      startsAt,
    });
    expect(strange.status).toBe(404);
    expect(restored.body).toMatchObject({
      id,
      status: 'booked',
      cancellationReason: null,
      providerName: 'Dr.Patel',
      startsAt,
    });
    expect([late.status, late.body.message]).toEqual([409, 'slot_taken']);
    expect((await asKey('POST', `${path}/cancel`, { reason: 'because' })).status).toBe(400);
  });

  test('the day list has the visits of a day with whom to ring; what became of one is told to FHIR in its own words', async () => {
    const patient = await clinic.aPatient();
    const { id } = await clinic.aBooked({ patient });
    const noteAs = (status: string) => asKey('POST', `/appointments/${id}/attendance`, { status });
    // Of another day, at whatever hour this runs.
    await app.database.sql`
      update appointments set starts_at = starts_at + interval '70 days', ends_at = ends_at + interval '70 days' where id = ${id}`;
    const early = await noteAs('noshow');
    await app.database.sql`update appointments set status = 'arrived' where id = ${id}`;
    // Its time would be free again before anybody could have used it.
    const left = await noteAs('fulfilled');
    await app.database.sql`
      update appointments set starts_at = date_trunc('hour', now()) - interval '2 hours', ends_at = date_trunc('hour', now()) - interval '90 minutes'
      where id = ${id}`;
    const noted = await asKey('POST', `/appointments/${id}/attendance`, { status: 'arrived' });
    const missed = await asKey('POST', `/appointments/${id}/attendance`, { status: 'noshow' });
    const began = new Date(Math.floor(Date.now() / 3_600_000 - 2) * 3_600_000).toISOString();
    const day = (await asKey('GET', `/day-list?date=${localDate(began, app.clinic.timezone)}`)).body;
    const strange = await asKey('POST', `/appointments/${id}/attendance`, { status: 'cancelled' });

    for (const { status, body } of [early, left]) expect([status, body.message]).toEqual([409, 'not_yet']);
    expect([noted.body, missed.body]).toMatchObject([
      { status: 'arrived', followUp: null },
      { status: 'noshow', followUp: 'due' },
    ]);
    expect(strange.status).toBe(400);
    expect(day.items).toContainEqual(
      expect.objectContaining({ id, status: 'noshow', phone: expect.any(String), dateOfBirth: expect.any(String) }),
    );
    for (const status of ['arrived', 'noshow'] as const) {
      const shown = { id, patientId: patient, providerName: 'Dr.Chen', visitType: 'Check-up', status };
      const at = new Date();
      expect(() => assertR4(toAppointment({ ...shown, startsAt: at, endsAt: at }))).not.toThrow();
    }
  });

  test('one that was kept is not cancelled', async () => {
    const { id } = await clinic.aBooked({ patient: await clinic.aPatient() });
    await app.database.sql`update appointments set status = 'fulfilled' where id = ${id}`;

    const { status, body } = await asKey('POST', `/appointments/${id}/cancel`);

    expect([status, body.code, body.message]).toEqual([409, 'appointment_fulfilled', 'appointment_fulfilled']);
  });

  test('the same Idempotency-Key books, moves and cancels once', async () => {
    const [patientId, startsAt] = [await clinic.aPatient(), await clinic.aStart()];
    const body = { patientId, providerName: 'Dr.Chen', startsAt };
    const key = { 'idempotency-key': 'one-of-each' };

    const booked = await Promise.all([1, 2, 3].map(() => asKey('POST', '/appointments', body, key)));
    const other = await asKey('POST', '/appointments', { ...body, visitType: 'Other' }, key);
    const cancels = await Promise.all(
      [1, 2].map(() => asKey('POST', `/appointments/${booked[0]!.body.id}/cancel`, undefined, key)),
    );

    expect(new Set(booked.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
    expect(booked[0]!.status).toBe(200);
    expect(other.status).toBe(422);
    expect(new Set(cancels.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
  });

  test.each(['with an API key', 'by a person'])(
    'a move or cancellation %s whose answer was never stored is answered as it was done, and what came since stays',
    async (who) => {
      const ask = (path: string, body: unknown, key: string) =>
        app.request('POST', path, {
          body,
          headers: { 'idempotency-key': key },
          bearer: who === 'by a person' ? clinic.staff : app.clinic.apiKey,
        });
      const lose = (key: string) => app.database.sql`delete from idempotency_records where key = ${key}`;
      const { id } = await clinic.aBooked();
      const path = `/appointments/${id}`;
      const [startsAt, since] = [await clinic.aStart(), await clinic.aStart()];
      const [moving, cancelling] = [`lost-move ${who}`, `lost-cancel ${who}`].map((key) => key.replaceAll(' ', '-'));

      const moved = await ask(`${path}/reschedule`, { startsAt }, moving!);
      await asStaff('POST', `${path}/reschedule`, { startsAt: since });
      await lose(moving!);
      const movedAgain = await ask(`${path}/reschedule`, { startsAt }, moving!);
      const afterMove = (await asStaff('GET', path)).body;
      const otherBody = await ask(`${path}/reschedule`, { startsAt: since }, moving!);
      const cancelled = await ask(`${path}/cancel`, { reason: 'pat' }, cancelling!);
      await asStaff('POST', `${path}/restore`);
      await lose(cancelling!);
      const cancelledAgain = await ask(`${path}/cancel`, { reason: 'pat' }, cancelling!);

      expect(moved).toMatchObject({ status: 200, body: { status: 'booked', startsAt } });
      expect(movedAgain).toMatchObject({ status: 200, body: moved.body });
      expect(afterMove.startsAt).toBe(since);
      expect(otherBody.status).toBe(422);
      expect(cancelled).toMatchObject({ status: 200, body: { status: 'cancelled', cancellationReason: 'pat' } });
      expect(cancelledAgain).toMatchObject({ status: 200, body: cancelled.body });
      expect((await asStaff('GET', path)).body).toMatchObject({ status: 'booked', startsAt: since });
    },
  );

  test('a move to a provider who has left since is found again under its key', async () => {
    const { clinicId } = app.clinic;
    const providers = await app.stores.providers.list(clinicId);
    const { id } = await clinic.aBooked();
    const ofPatel = () => asKey('GET', '/availability?providerName=Dr.Patel&limit=1');
    // The API hears of what another process has written.
    const replace = async (by: typeof providers, status: number) => {
      await app.stores.providers.replace(clinicId, by);
      await eventually(async () => (await ofPatel()).status === status);
    };
    const body = { startsAt: (await ofPatel()).body.slots[0].startsAt, providerName: 'Dr.Patel' };
    const move = (key: string) => asKey('POST', `/appointments/${id}/reschedule`, body, { 'idempotency-key': key });

    const moved = await move('to-who-left');
    await app.database.sql`delete from idempotency_records where key = 'to-who-left'`;
    const others = providers.filter(({ name }) => name !== 'Dr.Patel');
    await replace(others, 404);
    const [again, anew] = [await move('to-who-left'), await move('anew')];
    await replace(providers, 200);

    expect([moved.status, again.status, again.body]).toEqual([200, 200, moved.body]);
    expect([anew.status, anew.body.message]).toEqual([404, expect.stringContaining('Practitioner Dr.Patel')]);
  });

  test('without a key or a session it is 401; a session opens what the dashboard books with, and nothing that is a key’s alone', async () => {
    for (const bearer of [undefined, 'ck_nothing-like-a-key']) {
      expect((await app.request('GET', '/availability', { bearer })).status).toBe(401);
    }
    expect((await asStaff('GET', '/availability')).status).toBe(200);
    expect((await asStaff('GET', '/workflows')).status).toBe(401);
  });

  test('the list filters by patient, provider, status and days', async () => {
    const patient = await clinic.aPatient();
    const [one, two] = [await clinic.aBooked({ patient }), await clinic.aBooked({ patient, provider: 'Dr.Patel' })];
    await clinic.cancel(one.id);
    const ids = async (query: string) =>
      (await asStaff('GET', `/appointments?patientId=${patient}${query}`)).body.items.map(
        ({ id }: { id: string }) => id,
      );

    expect(new Set(await ids(''))).toEqual(new Set([one.id, two.id]));
    expect(await ids('&status=cancelled')).toEqual([one.id]);
    expect(await ids('&providerName=Dr.Patel')).toEqual([two.id]);
    expect(await ids(`&from=${two.start}&until=${two.end}&status=booked`)).toEqual([two.id]);
    expect(await ids('&until=2020-01-01')).toEqual([]);
    expect((await asStaff('GET', '/appointments?status=lost')).status).toBe(400);
  });
});

describe('providers', () => {
  test('the list has the zone, hours and visit types', async () => {
    const { body } = await asStaff('GET', '/providers');

    expect(body.timezone).toBe(app.clinic.timezone);
    expect(body.items.map(({ name }: { name: string }) => name)).toEqual(['Dr.Chen', 'Dr.Okafor', 'Dr.Patel']);
    expect(body.items[0]).toMatchObject({ displayName: 'Dr. Maya Chen', workingHours: { monday: expect.any(Array) } });
  });

  test("a week of a provider's calendar shows open slots and booked appointments, and no cancelled ones", async () => {
    const week = 'from=2030-01-07&until=2030-01-14';
    const [kept, dropped] = await Promise.all(
      ['2030-01-08T17:00:00Z', '2030-01-09T17:00:00Z'].map((start) => clinic.aBooked({ start })),
    );
    await clinic.cancel(dropped.id);

    const { body } = await asStaff('GET', `/providers/Dr.Chen/calendar?${week}`);

    // Five days of sixteen slots.
    expect(body.slots).toHaveLength(79);
    expect(body.appointments).toEqual([
      expect.objectContaining({ id: kept.id, patientName: expect.stringMatching(/^\w+ \w+$/) }),
    ]);
    expect(body.slots.map(({ startsAt }: { startsAt: string }) => startsAt)).not.toContain(kept.start);
    expect((await asStaff('GET', '/providers/Dr.Chen/calendar?from=2030-01-01&until=2031-01-01')).status).toBe(400);
    expect((await asStaff('GET', `/providers/Dr.Who/calendar?${week}`)).status).toBe(404);
  });
});

describe('two records of one person', () => {
  const twice = async () => {
    const kept = (await asKey('POST', '/patients', { ...person, lastName: 'Twice', phone: '+13035550191' })).body;
    const told = { ...person, lastName: 'Twice', phone: '+13035550192', dateOfBirth: '1984-02-29' };
    return [kept, (await asKey('POST', '/patients', told)).body] as const;
  };

  test('are found as duplicates, merged by the front desk, and apart again within the day', async () => {
    const [kept, other] = await twice();
    await asStaff('POST', `/patients/${other.id}/notes`, { note: 'Prefers the afternoon' });
    await asStaff('PATCH', `/patients/${other.id}`, { address: '1 Elm Street' });
    const path = `/patients/${kept.id}`;
    const deeds = ({ body }: { body: { changes: { action: string }[] } }) => body.changes.map(({ action }) => action);

    const alike = await asStaff('GET', `${path}/duplicates`);
    const preview = await asStaff('GET', `${path}/merge?replaced=${other.id}`);
    const merged = await asStaff('POST', `${path}/merge`, { replaced: other.id, take: ['dateOfBirth'] });
    const again = await asStaff('POST', `${path}/merge`, { replaced: other.id });
    const [shown, left] = [await asStaff('GET', path), await asStaff('GET', `/patients/${other.id}`)];
    const noneLeft = await asStaff('GET', `${path}/duplicates`);
    const undone = await asStaff('POST', `/patient-merges/${merged.body.id}/undo`);

    const ids = ({ body }: { body: { items: { id: string }[] } }) => body.items.map(({ id }) => id);
    expect(ids(alike)).toContain(other.id);
    expect(ids(alike)).not.toContain(kept.id);
    expect(preview.body).toEqual({ moves: [{ records: 'documents', count: 1 }], openWorkflows: 0 });
    expect(merged.status).toBe(200);
    expect(merged.body).toMatchObject({
      keptId: kept.id,
      replacedId: other.id,
      taken: ['dateOfBirth'],
      moved: [{ records: 'documents', count: 1 }],
      undoneAt: null,
      mergedByName: expect.any(String) as string,
    });
    expect(Date.parse(merged.body.undoUntil) - Date.parse(merged.body.mergedAt)).toBe(86_400_000);
    expect(again.body).toEqual(merged.body);
    expect(shown.body).toMatchObject({ dateOfBirth: '1984-02-29', replacedBy: null, merges: [merged.body] });
    expect(shown.body.documents).toHaveLength(1);
    // What was done with the other record is told with the one that is kept.
    expect(deeds(shown)).toEqual(expect.arrayContaining(['patient.change', 'patient.note', 'patient.merge']));
    expect(deeds(await asStaff('GET', path))).not.toContain('patient.note');
    expect(left.body).toMatchObject({ replacedBy: kept.id, merges: [], documents: [] });
    expect(ids(noneLeft)).not.toContain(other.id);
    expect(undone.body).toMatchObject({ id: merged.body.id, undoneAt: expect.any(String) as string });
    expect((await asStaff('GET', path)).body).toMatchObject({ dateOfBirth: null, merges: [], documents: [] });
    expect((await asStaff('GET', `/patients/${other.id}`)).body.documents).toHaveLength(1);
  });

  test('what is asked of the one who was replaced is refused and names the other; a booking is of the other', async () => {
    const [kept, other] = await twice();
    await asStaff('POST', `/patients/${kept.id}/merge`, { replaced: other.id });
    const path = `/patients/${other.id}`;

    const refused = await Promise.all([
      asStaff('PATCH', path, { address: 'Elsewhere' }),
      asStaff('POST', `${path}/notes`, { note: 'Prefers the afternoon' }),
      asStaff('POST', `${path}/opt-outs`, {}),
      asStaff('POST', `${path}/merge`, { replaced: kept.id }),
    ]);
    const booked = await asStaff('POST', '/appointments', {
      patientId: other.id,
      providerName: 'Dr.Chen',
      startsAt: '2035-01-15T16:00:00.000Z',
    });

    expect(refused.map(({ status }) => status)).toEqual([409, 409, 409, 409]);
    expect(refused.every(({ body }) => String(body.message).includes(String(kept.id)))).toBe(true);
    expect(booked.status).toBe(200);
    const read = await asStaff('GET', `/appointments/${booked.body.id}`);
    expect(read.body.patientId).toBe(kept.id);
  });

  test('nobody is merged with themselves or with nobody, and nothing is taken that is no field', async () => {
    const [kept] = await twice();
    const path = `/patients/${kept.id}/merge`;

    const itself = await asStaff('POST', path, { replaced: kept.id });
    const nobody = await asStaff('POST', path, { replaced: 'nobody' });
    const unknown = await asStaff('POST', '/patient-merges/nothing/undo');
    const field = await asStaff('POST', path, { replaced: 'nobody', take: ['id'] });

    expect([itself, nobody, unknown, field].map(({ status }) => status)).toEqual([400, 404, 404, 400]);
    expect(itself.body.details[0].path).toBe('replaced');
  });
});

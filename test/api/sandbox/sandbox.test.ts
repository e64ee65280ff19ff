import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { patientFixtures } from '@clinic/prisma/fixture-patients';
import { providerFixtures } from '@clinic/prisma/fixtures';
import { localDate, plusDays, startOfDate } from '@clinic/shared/domain/calendar/clinic-time';
import { sandboxFailureCodes, type SandboxFailureCode } from '@clinic/shared/domain/sandbox/sandbox-failures';
import { offeredSlots } from '@clinic/shared/domain/calendar/slots';
import { startApp, type App } from '../../support/app';
import type { Answer } from '../../support/clinic-client';
import { aBooking, aMatch, aNote, type FhirClinic, openSandbox } from '../../support/fhir';
import { expectConflict } from '../../support/fhir-answers';
import { failureRows, fixturesPage, lenientRuleRows, reasonRows } from '../../support/sandbox-pages';

/** What a clinic's team does with its sandbox: chosen failures, the clock, reset and snapshots. */

let app: App;
let clinic: FhirClinic;
let other: FhirClinic;

beforeAll(async () => {
  app = await startApp({ hasWorker: false });
  [clinic, other] = await Promise.all([openSandbox(app), openSandbox(app, app.otherClinic)]);
});
afterAll(() => app.stop());

const setUp = (method: string, path: string, body?: unknown, bearer = clinic.admin) =>
  app.request(method, `/sandbox${path}`, { body, bearer });

async function choose(failure: SandboxFailureCode, about: object = {}): Promise<Answer> {
  const answer = await setUp('POST', '/failures', { failure, ...about });
  if (answer.status !== 200) throw new Error(answer.text);
  return answer;
}

const sent = (answer: Answer) => answer.headers.get('x-sandbox-failure');
/** The error's own words differ by how far the response came. */
const failed = (asking: Promise<unknown>) =>
  asking.then(
    () => 'answered',
    () => 'no answer',
  );
const slotSearch = () => clinic.get('/Slot?schedule=Schedule/Dr.Chen&_count=5');
const underKey = (key: string) => ({ 'idempotency-key': key });

/** How each failure shows, and that a good client gets on. */
const shows: Record<SandboxFailureCode, () => Promise<void>> = {
  async slow_answer() {
    await choose('slow_answer', { parameters: { delaySeconds: 1 } });
    const startedAt = performance.now();

    const answer = await slotSearch();

    expect([answer.status, sent(answer)]).toEqual([200, 'slow_answer']);
    expect(performance.now() - startedAt).toBeGreaterThan(950);
  },
  async too_many_requests() {
    await choose('too_many_requests', { parameters: { retryAfterSeconds: 7 }, times: 2 });
    const answers = [await slotSearch(), await slotSearch(), await slotSearch()];

    expect(answers.map(({ status }) => status)).toEqual([429, 429, 200]);
    expect(answers[0]?.headers.get('retry-after')).toBe('7');
    expect(answers[0]?.body).toMatchObject({ statusCode: 429, error: 'Too Many Requests' });
  },
  async server_error() {
    await choose('server_error', { operation: 'book' });
    const [patient, start] = [await clinic.aPatient(), await clinic.aStart()];

    const [first, second] = [await clinic.book({ patient, start }), await clinic.book({ patient, start })];

    expect([first.status, sent(first), second.status, sent(second)]).toEqual([500, 'server_error', 200, null]);
  },
  async unavailable() {
    await choose('unavailable');
    const answer = await clinic.get('/Schedule?actor=Practitioner/Dr.Chen');

    expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '2']);
  },
  async gateway_timeout() {
    await choose('gateway_timeout', { operation: 'book' });
    const [patient, start] = [await clinic.aPatient(), await clinic.aStart()];

    const lost = await clinic.book({ patient, start }, underKey('gateway'));
    const again = await clinic.book({ patient, start }, underKey('gateway'));

    expect([lost.status, again.status, again.body.start]).toEqual([504, 200, start]);
    const audited = await app.database.sql<{ count: number }>`
      select count(*)::int as count from audit_requests where action = 'appointment.book' and ${patient} = any (subjects)`;
    expect(audited[0]?.count).toBeGreaterThan(0);
  },
  async gateway_page() {
    await choose('gateway_page');
    const answer = await slotSearch();

    expect([answer.status, answer.body, answer.headers.get('content-type')]).toEqual([
      502,
      null,
      expect.stringMatching('text/html'),
    ]);
  },
  async reply_lost_after_write() {
    await choose('reply_lost_after_write', { operation: 'book' });
    const [patient, start] = [await clinic.aPatient(), await clinic.aStart()];

    expect(await failed(clinic.book({ patient, start }, underKey('lost')))).toBe('no answer');

    const again = await clinic.book({ patient, start }, underKey('lost'));
    const found = await clinic.get(`/Appointment?patient=Patient/${patient}`);
    expect([again.status, found.body.total, found.body.entry[0].resource.id]).toEqual([200, 1, again.body.id]);
  },
  async reply_lost_before_write() {
    await choose('reply_lost_before_write', { operation: 'book' });
    const [patient, start] = [await clinic.aPatient(), await clinic.aStart()];

    expect(await failed(clinic.book({ patient, start }))).toBe('no answer');

    expect((await clinic.get(`/Appointment?patient=Patient/${patient}`)).body.total).toBe(0);
  },
  async reply_cut_off() {
    await choose('reply_cut_off', { operation: 'book' });
    const [patient, start] = [await clinic.aPatient(), await clinic.aStart()];

    expect(await failed(clinic.book({ patient, start }))).toBe('no answer');

    expect((await clinic.get(`/Appointment?patient=Patient/${patient}`)).body.total).toBe(1);
    await choose('reply_cut_off', { operation: 'appointments' });
    const headers = { authorization: `Bearer ${clinic.admin}` };
    const cut = await fetch(`${app.baseUrl}/Appointment?patient=Patient/${patient}`, { headers });
    expect([cut.status, cut.headers.get('content-type')]).toEqual([200, 'application/fhir+json; charset=utf-8']);
    expect(Number(cut.headers.get('content-length'))).toBeGreaterThan(100);
    expect(await failed(cut.text())).toBe('no answer');
  },
  async invalid_json() {
    await choose('invalid_json');
    const answer = await slotSearch();

    expect([answer.status, answer.body]).toEqual([200, null]);
    expect(answer.text).toMatch(/^\{"resourceType":"Bundle"/);
  },
  async wrong_content_type() {
    await choose('wrong_content_type');
    const answer = await slotSearch();

    expect([answer.headers.get('content-type'), answer.body.resourceType]).toEqual([
      'text/plain; charset=utf-8',
      'Bundle',
    ]);
  },
  async unexpected_elements() {
    await choose('unexpected_elements');
    const { body } = await clinic.match('MRN-1001');

    expect(body.entry[0].resource).toMatchObject({
      resourceType: 'Patient',
      meta: {},
      text: {},
      birthDate: '1986-04-12',
    });
  },
  async token_expired() {
    await choose('token_expired');
    const [answer, again] = [await slotSearch(), await slotSearch()];

    expect([answer.status, again.status]).toEqual([401, 200]);
    expect(answer.headers.get('www-authenticate')).toMatch(/^Bearer error="invalid_token"/);
  },
  async forbidden() {
    await choose('forbidden');

    expect((await slotSearch()).status).toBe(403);
  },
  async slot_goes() {
    const { id } = await clinic.aBooked();
    const [patient, start, next] = [await clinic.aPatient(), await clinic.aStart(), await clinic.aStart()];
    await choose('slot_goes', { times: 2 });

    expectConflict(await clinic.book({ patient, start }), 'slot_taken');
    expectConflict(await clinic.reschedule(id, next), 'slot_taken');
    const left = (await clinic.slots()).map((slot) => slot.start);
    expect([left.includes(start), left.includes(next)]).toEqual([false, false]);
  },
  async cancelled_meanwhile() {
    const { id } = await clinic.aBooked();
    await choose('cancelled_meanwhile');

    expectConflict(await clinic.reschedule(id, await clinic.aStart()), 'appointment_cancelled');
  },
  async precondition_failed() {
    const { id } = await clinic.aBooked();
    await choose('precondition_failed');

    expect([(await clinic.cancel(id)).status, (await clinic.cancel(id)).status]).toEqual([412, 200]);
  },
  async not_found_yet() {
    const { id } = await clinic.aBooked();
    await choose('not_found_yet');
    const [answer, again] = [await clinic.cancel(id), await clinic.cancel(id)];

    expect([answer.status, answer.body.message, again.status]).toEqual([404, `Appointment ${id} not found`, 200]);
  },
  async stale_read() {
    const patient = await clinic.aPatient();
    const booked = await clinic.aBooked({ patient });
    await choose('stale_read');
    const search = () => clinic.get(`/Appointment?patient=Patient/${patient}`);

    expect([(await search()).body.total, (await search()).body.total]).toEqual([0, 1]);

    await app.database.sql`update appointments set created_at = now() - interval '1 hour' where id = ${booked.id}`;
    await clinic.cancel(booked.id);
    await choose('stale_read');
    expect((await search()).body.entry[0].resource).toEqual(booked);
    expect((await search()).body.total).toBe(0);
  },
  async duplicate_patient() {
    await choose('duplicate_patient');
    const { body } = await clinic.match('MRN-1012');

    const [one, twin] = body.entry.map(({ resource }: { resource: { id: string } }) => resource);
    expect(body.total).toBe(2);
    expect(twin).toEqual({ ...one, id: expect.not.stringMatching(one.id) });
    expect((await clinic.post('/DocumentReference', aNote(twin.id))).status).toBe(200);
    expect((await clinic.match('MRN-1012')).body.entry).toHaveLength(1);
  },
  async empty_bundle() {
    await choose('empty_bundle', { times: 2 });

    for (const { status, body } of [await slotSearch(), await clinic.match('MRN-1001')]) {
      expect([status, body.total, body.entry, body.link[0].relation]).toEqual([200, 0, [], 'self']);
    }
  },
  async outcome_entry() {
    await choose('outcome_entry');
    const { body } = await slotSearch();

    expect(body.entry.map(({ search }: { search: { mode: string } }) => search.mode)).toEqual([
      ...Array.from({ length: 5 }, () => 'match'),
      'outcome',
    ]);
    expect(body.entry[5].resource.resourceType).toBe('OperationOutcome');
  },
  async large_bundle() {
    await choose('large_bundle', { parameters: { entries: 1_500 } });
    const { body } = await slotSearch();

    const starts = body.entry.map(({ resource }: { resource: { start: string } }) => resource.start);
    expect([body.total, starts.length, new Set(starts).size]).toEqual([1_500, 1_500, 1_500]);
    expect(starts).toEqual(starts.toSorted());
  },
  async page_changes() {
    const first = await slotSearch();
    await choose('page_changes');
    const changed = await slotSearch();
    const next = changed.body.link.find(({ relation }: { relation: string }) => relation === 'next').url;
    const second = await clinic.get(next.slice(next.indexOf('/Slot?')));

    const idsOf = ({ body }: Answer) => body.entry.map(({ resource }: { resource: { id: string } }) => resource.id);
    expect(idsOf(changed)).toEqual(idsOf(first));
    const withoutCursor = ({ body }: Answer) =>
      body.link.map(({ relation, url }: { relation: string; url: string }) => [
        relation,
        url.replace(/_cursor=[^&]+/, '_cursor=…'),
      ]);
    expect(withoutCursor(changed)).toEqual(withoutCursor(first));
    expect(next).not.toBe(first.body.link.find(({ relation }: { relation: string }) => relation === 'next').url);
    expect(idsOf(second)[0]).toBe(idsOf(first)[4]);
    expect(second.body.total).toBe(first.body.total - 1);
  },
  async clock_change() {
    await setUp('PUT', '/clock', { at: '2035-02-01T12:00:00-07:00' });
    await choose('clock_change');
    const { body } = await clinic.get('/Slot?schedule=Schedule/Dr.Chen&_count=100');
    await setUp('DELETE', '/clock');

    const hours = body.entry.map(({ resource }: { resource: { start: string } }) => resource.start.slice(5, 16));
    // Nine o'clock in Denver, before and after 11 March.
    expect(hours).toEqual(expect.arrayContaining(['03-09T16:00', '03-12T15:00']));
  },
  // What it does to an event is told in stories/deliveries.
  async event_given_up() {
    await choose('event_given_up');
    const answer = await slotSearch();

    expect([answer.status, sent(answer)]).toEqual([200, null]);
  },
};

test.each(sandboxFailureCodes)(
  '%s shows as documented, ends by itself, and no other clinic meets it',
  async (failure) => {
    await shows[failure]();
    await setUp('DELETE', '/failures');

    const after = await slotSearch();
    expect([after.status, sent(after)]).toEqual([200, null]);
    expect(sent(await other.get('/Slot?schedule=Schedule/Dr.Chen'))).toBeNull();
  },
);

test('where the clock never changes, its change alone cannot be chosen', async () => {
  const { admin, clinic: still } = await openSandbox(app, await app.addClinic());
  await app.database.sql`update clinics set timezone = 'Asia/Tokyo' where id = ${still.clinicId}`;
  const chosen = (failure: SandboxFailureCode) => setUp('POST', '/failures', { failure }, admin);

  const refused = await chosen('clock_change');

  expect([refused.status, refused.body.details]).toEqual([
    400,
    [{ path: 'failure', message: expect.stringContaining('Asia/Tokyo does not change within a year') }],
  ]);
  expect((await chosen('slow_answer')).status).toBe(200);
});

test('a large Bundle of a clinic with few times has those of the next years, and comes to an end', async () => {
  const few = await openSandbox(app, await app.addClinic());
  const workingHours = { monday: [{ opens: '09:00', closes: '09:30' }] };
  await app.stores.providers.replace(few.clinic.clinicId, [
    { name: 'Dr.Few', displayName: 'Dr. Few', workingHours, visitTypes: [] },
  ]);
  await setUp('POST', '/failures', { failure: 'large_bundle', parameters: { entries: 500 } }, few.admin);

  const answer = await few.get('/Slot?schedule=Schedule/Dr.Few&_count=5');

  const starts: string[] = answer.body.entry.map(({ resource }: { resource: { start: string } }) => resource.start);
  expect([answer.status, sent(answer), answer.body.total]).toEqual([200, 'large_bundle', starts.length]);
  expect([starts.length > 200, starts.length < 500]).toEqual([true, true]);
  expect(starts).toEqual([...new Set(starts)].toSorted());
});

test('a failure that waits is met by its own clinic, operation and patient alone, as often as was said', async () => {
  const ids = await Promise.all(
    ['MRN-1010', 'MRN-1011'].map(async (mrn) => (await clinic.match(mrn)).body.entry[0].resource.id),
  );
  const [omar, hannah] = ids;
  const booked = await clinic.aBooked({ patient: omar });
  const { body } = await choose('server_error', { identifier: 'MRN-1010', times: 6 });

  const statuses = [
    (await other.match('MRN-1010')).status,
    (await clinic.match('MRN-1011')).status,
    (await slotSearch()).status,
    (await clinic.post('/DocumentReference', aNote(hannah))).status,
  ];
  const met = [
    (await clinic.match('MRN-1010')).status,
    (await clinic.get(`/Appointment?patient=Patient/${omar}`)).status,
    (await clinic.post('/Appointment/$book', aBooking({ patient: omar!, start: booked.start }))).status,
    (await clinic.reschedule(booked.id, booked.start)).status,
    (await clinic.cancel(booked.id)).status,
    (await clinic.post('/DocumentReference', aNote(omar))).status,
  ];

  expect(statuses).toEqual([200, 200, 200, 200]);
  expect(met).toEqual([500, 500, 500, 500, 500, 500]);
  expect((await clinic.match('MRN-1010')).status).toBe(200);
  const { failures } = (await setUp('GET', '')).body;
  expect(failures).toEqual([{ ...body, played: 6, isOver: true }]);
});

test('what cannot be chosen is refused with the reason, and nothing while the sandbox is off', async () => {
  const refused = await Promise.all([
    setUp('POST', '/failures', { failure: 'slot_goes', operation: 'cancel' }),
    setUp('POST', '/failures', { failure: 'slow_answer', parameters: { delaySeconds: 60 } }),
    setUp('POST', '/failures', { failure: 'forbidden', parameters: { retryAfterSeconds: 1 } }),
    setUp('POST', '/failures', { failure: 'fire' }),
    setUp('PUT', '/clock', { at: '9000-01-01T00:00:00Z' }),
    setUp('POST', '/clock/advance', {}),
    setUp('POST', '/snapshots', { name: 'x'.repeat(61) }),
  ]);
  const asStaff = await setUp('POST', '/reset', undefined, clinic.staff);
  await clinic.setEnabled(false);
  const off = await Promise.all([
    setUp('POST', '/reset'),
    setUp('PUT', '/clock', { at: '2027-01-01T00:00:00Z' }),
    setUp('POST', '/clock/advance', { days: 1 }),
    setUp('DELETE', '/clock'),
    setUp('POST', '/failures', { failure: 'forbidden' }),
    setUp('POST', '/snapshots', { name: 'one' }),
    setUp('POST', '/snapshots/one/restore'),
  ]);
  await clinic.setEnabled(true);

  expect(refused.map(({ status, body }) => `${status} ${body.message}`)).toEqual([
    expect.stringMatching(/^400 operation must be one that slot_goes is for: book, reschedule/),
    expect.stringMatching(/^400 delaySeconds must be a whole number of seconds from 1 to 20/),
    expect.stringMatching(/^400 forbidden has no parameter retryAfterSeconds/),
    expect.stringMatching(/^400 failure/),
    expect.stringMatching(/^400 at must lie in the years 1970 to 2199/),
    expect.stringMatching(/^400/),
    expect.stringMatching(/^400 name must be 1 to 60 letters/),
  ]);
  expect(asStaff.status).toBe(403);
  expect(off.map(({ status, body }) => `${status} ${body.code}`)).toEqual(off.map(() => '403 forbidden'));
});

test('slots, what is upcoming and what is fulfilled follow the clock, in the tools and REST too, and nobody else’s do', async () => {
  await setUp('PUT', '/clock', { at: '2028-02-28T08:00:00-07:00' });
  const [first] = await clinic.slots();
  const patient = await clinic.aPatient();
  const booked = await clinic.aBooked({ patient, start: first!.start });
  const upcoming = async () => (await clinic.get(`/Appointment?patient=Patient/${patient}`)).body.total;
  const before = [await upcoming()];
  const rest = await app.request('GET', '/availability', { bearer: clinic.clinic.apiKey });
  const tool = await app.tool('emr-tools/check_availability', clinic.clinic.testCallId, { providerName: 'Dr.Chen' });

  const advanced = await setUp('POST', '/clock/advance', { hours: 1, minutes: 45 });
  const after = [await upcoming(), (await clinic.cancel(booked.id)).body.issue?.[0]?.diagnostics];
  const theirs = await other.slots();

  expect(first?.start).toBe('2028-02-28T16:00:00.000Z');
  expect([rest.body.slots[0].startsAt, tool.slots[0].startsAt]).toEqual([
    expect.stringMatching(/^2028-02-28T/),
    '2028-02-28T16:30:00.000Z',
  ]);
  expect(advanced.body).toEqual({ now: '2028-02-28T16:45:00.000Z', isSet: true, isFrozen: true });
  expect([before, after]).toEqual([[1], [0, 'appointment_fulfilled']]);
  expect(Date.parse(theirs[0]!.start) - Date.now()).toBeLessThan(14 * 24 * 3_600_000);
  expect((await setUp('DELETE', '/clock')).body).toMatchObject({ isSet: false, isFrozen: false });
});

test('a clock is not set forward past the last year that it may show, and stays as it was', async () => {
  await setUp('PUT', '/clock', { at: '2199-12-30T12:00:00Z' });

  const [last, past] = [
    await setUp('POST', '/clock/advance', { days: 1 }),
    await setUp('POST', '/clock/advance', { days: 1 }),
  ];
  const { clock } = (await setUp('GET', '')).body;
  await setUp('DELETE', '/clock');

  expect([last.status, past.status, past.body.message]).toEqual([200, 400, 'The clock goes to the year 2199']);
  expect(clock).toEqual(last.body);
});

test('a clock that is not frozen goes on, and the real time fulfils nothing of a sandbox whose clock stands in the past', async () => {
  await setUp('PUT', '/clock', { at: '2020-03-02T08:00:00-07:00', isFrozen: false });
  const [start] = await clinic.slots('Dr.Okafor');
  const booked = await clinic.aBooked({ provider: 'Dr.Okafor', start: start!.start });
  await app.stores.appointments.fulfilPast(new Date(), 1_000);
  const untouched = await app.stores.appointments.find(clinic.clinic.clinicId, booked.id);
  const shown = (await setUp('GET', '')).body.clock;

  await app.stores.appointments.fulfilPast(new Date(Date.now() + 10 * 3_600_000), 1_000);
  const fulfilled = await app.stores.appointments.find(clinic.clinic.clinicId, booked.id);
  await setUp('DELETE', '/clock');

  expect([untouched?.status, fulfilled?.status]).toEqual(['booked', 'fulfilled']);
  expect(shown).toMatchObject({ isSet: true, isFrozen: false });
  expect(Date.parse(shown.now)).toBeGreaterThan(Date.parse('2020-03-02T15:00:00Z'));
});

test('after a reset and a restore a booking under the same Idempotency-Key is made anew, and a workflow is not', async () => {
  const kept = { clinicId: clinic.clinic.clinicId, route: 'POST /workflows', key: 'before-a-reset', requestHash: 'x' };
  const claimed = await app.stores.idempotency.claim(kept);
  const answer = { ...kept, token: 'token' in claimed ? claimed.token : '', status: 200, body: '{}', contentType: 'x' };
  await app.stores.idempotency.answer(answer);
  await setUp('POST', '/reset');
  const patient = await clinic.aPatient();
  const start = await clinic.aStart();
  await setUp('POST', '/snapshots', { name: 'keys' });
  const book = () => clinic.book({ patient, start }, underKey('of-each-run'));
  const isThere = async ({ body }: Answer) =>
    (await app.stores.appointments.find(clinic.clinic.clinicId, String(body.id))) !== null;

  const first = await book();
  await setUp('POST', '/snapshots/keys/restore');
  const [isLeft, again] = [await isThere(first), await book()];

  expect([first.status, isLeft, again.status, await isThere(again)]).toEqual([200, false, 200, true]);
  expect(await app.stores.idempotency.claim(kept)).toMatchObject({ kind: 'answered' });
  await setUp('DELETE', '/snapshots/keys');
});

test('after a reset a note of staff under the same Idempotency-Key is written anew, as one over FHIR is', async () => {
  const known = { firstName: 'Nora', lastName: 'Keys', phone: '+13035550171' };
  const { body: patient } = await app.request('POST', '/patients', { body: known, bearer: clinic.admin });
  const write = () =>
    app.request('POST', `/patients/${patient.id}/notes`, {
      body: { note: 'Prefers mornings' },
      bearer: clinic.admin,
      headers: underKey('a-note-of-each-run'),
    });
  const isThere = async ({ body }: Answer) =>
    (await app.stores.documents.ofPatient(clinic.clinic.clinicId, patient.id, 10)).some(({ id }) => id === body.id);

  const first = await write();
  await setUp('POST', '/reset');
  const [isLeft, again] = [await isThere(first), await write()];

  expect([first.status, isLeft, again.status, await isThere(again)]).toEqual([200, false, 200, true]);
});

test('a snapshot comes back with its people, appointments, notes and clock, within half a second', async () => {
  await setUp('PUT', '/clock', { at: '2027-06-01T09:00:00-06:00' });
  await setUp('POST', '/reset');
  const patient = await clinic.aPatient();
  const booked = await clinic.aBooked({ patient });
  await clinic.post('/DocumentReference', aNote(patient));
  const taken = await setUp('POST', '/snapshots', { name: 'before' });
  const state = async () => [(await setUp('GET', '')).body.counts, (await clinic.slots()).map(({ id }) => id)];
  const before = await state();

  await setUp('DELETE', '/clock');
  await clinic.cancel(booked.id);
  await setUp('POST', '/reset');
  await clinic.match('somebody-else');
  const restored = await setUp('POST', '/snapshots/before/restore');
  const tookMs: number[] = [];
  for (let run = 0; run < 3; run += 1) {
    const startedAt = performance.now();
    await setUp('POST', '/snapshots/before/restore');
    tookMs.push(performance.now() - startedAt);
  }

  expect(taken.body).toMatchObject({ name: 'before', patients: 13, documents: 1 });
  expect(restored.body).toEqual(before[0]);
  expect(await state()).toEqual(before);
  expect((await clinic.get(`/Appointment?patient=Patient/${patient}`)).body.entry[0].resource).toEqual(booked);
  expect(Math.min(...tookMs)).toBeLessThan(500);
  expect((await setUp('GET', '')).body.snapshots).toEqual([taken.body]);
  await setUp('DELETE', '/clock');
  expect((await setUp('DELETE', '/snapshots/before')).status).toBe(204);
  const gone = [await setUp('POST', '/snapshots/before/restore'), await setUp('DELETE', '/snapshots/before')];
  expect(gone.map(({ status, body }) => [status, body.code, body.message])).toEqual(
    gone.map(() => [404, 'not_found', 'Snapshot before not found']),
  );
});

test('what is too large for a snapshot is not kept, nor are more than there may be; what is kept may be taken anew', async () => {
  const full = await openSandbox(app, await app.addClinic());
  const { clinicId } = full.clinic;
  const take = async (name: string) => {
    const { status, body } = await setUp('POST', '/snapshots', { name }, full.admin);
    return [status, body.code ?? body.name, body.message];
  };
  await full.post('/DocumentReference', aNote(await full.aPatient()));
  await app.database.sql`
    update documents set content = jsonb_build_object('text', repeat('a', 20 * 1024 * 1024)) where clinic_id = ${clinicId}`;
  const large = await take('large');
  await app.database.sql`delete from documents where clinic_id = ${clinicId}`;
  const first = await take('first');
  await app.database.sql`
    insert into sandbox_snapshots
    select (jsonb_populate_record(s, jsonb_build_object('name', 'kept-' || n))).*
    from sandbox_snapshots s, generate_series(2, 20) as n where s.clinic_id = ${clinicId}`;

  expect(large).toEqual([
    413,
    'payload_too_large',
    'The sandbox holds more than 20 MB of notes, or more than 50,000 records',
  ]);
  expect(first).toEqual([200, 'first', undefined]);
  expect(await take('one-more')).toEqual([
    409,
    'conflict',
    'There are 20 snapshots already; delete one that is not needed',
  ]);
  expect(await take('kept-20')).toEqual([200, 'kept-20', undefined]);
});

test('a reset leaves anyone whom a call or a hold concerns, brings the same ids again, and is audited', async () => {
  const { clinicId } = clinic.clinic;
  await setUp('POST', '/reset');
  const ids = async () =>
    Promise.all(['MRN-1001', 'MRN-1002'].map(async (mrn) => (await clinic.match(mrn)).body.entry[0].resource.id));
  const before = await ids();
  const [held, made] = [await clinic.aPatient(), await clinic.aPatient()];
  const booked = await clinic.aBooked({ patient: held });
  await app.stores.legalHolds.place({ clinicId, patientId: held, reason: 'a case' }, { actor: 'operator' });
  await app.stores.tasks.open({ clinicId, reason: 'clinical_escalation', cause: 'of-a-reset', patientId: before[1] });

  const { body } = await setUp('POST', '/reset');

  expect(await ids()).toEqual(before);
  expect((await app.stores.appointments.find(clinicId, booked.id))?.status).toBe('booked');
  expect([await app.stores.patients.exists(clinicId, held), await app.stores.patients.exists(clinicId, made)]).toEqual([
    true,
    false,
  ]);
  expect(body.patients).toBe(13);
  const audit = await app.request('GET', '/audit?action=sandbox.reset', { bearer: clinic.admin });
  expect(audit.body.items[0]).toMatchObject({ action: 'sandbox.reset', actor: expect.stringMatching(/^account:/) });
});

describe('named sandboxes', () => {
  const openNamed = (name: string, bearer = clinic.admin) =>
    app.request('POST', '/sandboxes', { body: { name }, bearer });

  test('each is opened by its own token alone, and nothing of it is seen or changed elsewhere', async () => {
    const opened = await openNamed('CI');
    const { id, token: bearer } = opened.body;
    const inside = (method: string, path: string, body?: unknown) => app.request(method, path, { body, bearer });
    const before = (await app.request('GET', '/sandbox', { bearer: clinic.admin })).body;

    const matched = await inside('POST', '/Patient/$match', aMatch('MRN-1011'));
    const patient = matched.body.entry[0].resource.id;
    await inside('PUT', '/sandbox/clock', { at: '2028-02-28T08:00:00-07:00' });
    await inside('PATCH', '/sandbox/leniency', { createsUnknownPatients: false });
    const [slot] = (await inside('GET', '/Slot?schedule=Schedule/Dr.Chen')).body.entry;
    const booked = await inside('POST', '/Appointment/$book', aBooking({ patient, start: slot.resource.start }));
    const noted = await inside('POST', '/DocumentReference', aNote(patient));
    await inside('POST', '/sandbox/snapshots', { name: 'kept' });
    const run = await inside('POST', '/validation-runs', { label: 'of a CI' });
    await inside('POST', '/sandbox/failures', { failure: 'server_error' });

    expect(opened.body).toEqual({
      id,
      name: 'CI',
      createdAt: expect.any(String),
      token: expect.stringMatching(/^sandbox_/),
    });
    expect([matched, booked, noted, run].map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect(slot.resource.start).toMatch(/^2028-02-28/);
    const after = (await app.request('GET', '/sandbox', { bearer: clinic.admin })).body;
    expect({ ...after, clock: null }).toEqual({ ...before, clock: null });
    expect((await clinic.match('MRN-1011')).body.entry[0].resource.id).not.toBe(patient);
    const theirs = await clinic.get(`/Appointment?patient=Patient/${patient}`);
    expect([theirs.body.total, (await clinic.cancel(booked.body.id)).status]).toEqual([0, 404]);
    expect((await app.request('GET', '/validation-runs', { bearer: clinic.admin })).body.items).toEqual([]);
    const shut = [
      await inside('GET', '/patients'),
      await inside('GET', '/sandboxes'),
      await openNamed('Another', bearer),
      await inside('PUT', '/abandonment-recovery/sandbox-emr/config', { enabled: false }),
      await inside('POST', `/validation-runs/${run.body.id}/events`),
      await inside('POST', '/workflows/start', {}),
      await inside('GET', '/audit'),
    ];
    expect(shut.map(({ status }) => status)).toEqual(shut.map(() => 401));
    for (const way of [
      () => app.stores.keys.createApiKey({ clinicId: id, name: 'Never', scopes: ['sandbox'] }),
      () => app.stores.keys.rotateInbound(id, 'forms-abandoned'),
    ])
      await expect(way()).rejects.toThrow(/a named sandbox has no/);
  });

  test('its token is renewed, it is removed with all that it holds, and a clinic has ten at most', async () => {
    const { body: opened } = await openNamed('Team');
    const slots = (bearer: string) => app.request('GET', '/Slot?schedule=Schedule/Dr.Chen', { bearer });
    const by = (bearer: string, method: string, path: string) => app.request(method, path, { bearer });

    const renewed = await by(clinic.admin, 'POST', `/sandboxes/${opened.id}/token`);
    const statuses = [
      await openNamed('Team'),
      await openNamed('Staff', clinic.staff),
      await openNamed(' '),
      await slots(opened.token),
      await slots(renewed.body.token),
      await by(other.admin, 'DELETE', `/sandboxes/${opened.id}`),
      await by(other.admin, 'POST', `/sandboxes/${opened.id}/token`),
    ].map(({ status }) => status);
    for (let more = 2; more < 10; more += 1) {
      await app.stores.namedSandboxes.open({ clinicId: clinic.clinic.clinicId, name: `More ${more}`, now: new Date() });
    }
    const eleventh = await openNamed('Eleventh');
    const listed = await by(clinic.staff, 'GET', '/sandboxes');
    const audit = await by(clinic.admin, 'GET', '/audit?action=sandbox.named.renew');
    for (const { id } of listed.body.items) await by(clinic.admin, 'DELETE', `/sandboxes/${id}`);

    expect(statuses).toEqual([409, 403, 400, 401, 200, 404, 404]);
    expect([eleventh.status, listed.body.items.length]).toEqual([409, 10]);
    expect(JSON.stringify(listed.body)).not.toContain('sandbox_');
    expect(audit.body.items[0].subject).toBe(opened.id);
    expect((await by(clinic.staff, 'GET', '/sandboxes')).body.items).toEqual([]);
    expect((await slots(renewed.body.token)).status).toBe(401);
    const tables = await app.database.prisma.$queryRawUnsafe<{ name: string }[]>(
      `select table_name::text as name from information_schema.columns
       where table_schema = 'public' and column_name = 'clinic_id' order by 1`,
    );
    const ids = listed.body.items.map(({ id }: { id: string }) => id);
    const left: string[] = [];
    for (const { name } of tables) {
      const [{ count } = { count: 0 }] = await app.database.prisma.$queryRawUnsafe<{ count: number }[]>(
        `select count(*)::int as count from "${name}" where clinic_id = any($1)`,
        ids,
      );
      if (count > 0) left.push(name);
    }
    // What was done stays known; the feed of changes is swept by itself.
    expect(left.filter((name) => !/^(audit|changes)/.test(name))).toEqual([]);
  });
});

test('two hundred slots are free in the two weeks after any date, over the end of a year and a 29 February', async () => {
  for (const at of [
    '2026-12-24T12:00:00-07:00',
    '2027-12-31T23:30:00-07:00',
    '2028-02-29T12:00:00-07:00',
    '2027-03-13T18:00:00-07:00',
  ]) {
    await setUp('PUT', '/clock', { at });
    await setUp('POST', '/reset');
    const free = await Promise.all(['Dr.Chen', 'Dr.Okafor', 'Dr.Patel'].map((name) => clinic.slots(name)));

    expect(free.flat().length).toBeGreaterThanOrEqual(200);
  }
  await setUp('DELETE', '/clock');
});

test('so they are after every moment of two years: whole days alone are enough, no matter which of the fixtures comes', () => {
  const zone = 'America/Denver';
  const [first, last] = ['2027-01-01', '2029-01-31'];
  const free = new Map<string, number>();
  for (const { name: providerName, workingHours: hours } of providerFixtures) {
    const [from, until] = [startOfDate(first, zone), startOfDate(last, zone)];
    for (const { startsAt } of offeredSlots({ providerName, hours, zone, now: from, from, until, booked: [] })) {
      const date = localDate(startsAt, zone);
      free.set(date, (free.get(date) ?? 0) + 1);
    }
  }
  const coming = patientFixtures
    .flatMap(({ appointments }) => appointments)
    .filter(({ status }) => status === 'booked');

  const few = Array.from({ length: 731 }, (_, day) => plusDays(first, day)).filter((date) => {
    // Between a moment of this day and the same moment 14 days later lie 13 whole days.
    const days = Array.from({ length: 13 }, (_, day) => plusDays(date, day + 1));
    return days.reduce((sum, day) => sum + (free.get(day) ?? 0), 0) - coming.length < 200;
  });

  expect(few).toEqual([]);
});

test('docs/fixtures.md and the tables in docs/sandbox.md are what the fixtures and the closed lists are', () => {
  const pages = ['docs/fixtures.md', 'docs/sandbox.md'].map((page) => join(__dirname, '../../..', page));
  const [fixtures = '', sandbox = ''] = pages;
  const generated = () =>
    [
      ['lenient rules', lenientRuleRows()] as const,
      ['reasons', reasonRows()] as const,
      ['failures', failureRows()] as const,
    ].reduce(
      (page, [name, rows]) =>
        page.replace(
          new RegExp(`(<!-- ${name} -->\\n)[\\s\\S]*?(<!-- end of ${name} -->)`),
          (_all, start: string, end: string) => `${start}\n${rows.join('\n')}\n\n${end}`,
        ),
      readFileSync(sandbox, 'utf8'),
    );
  if (process.env.WRITE_PAGES) {
    writeFileSync(fixtures, fixturesPage());
    writeFileSync(sandbox, generated());
  }

  // However wide the formatter makes the columns.
  const plain = (text: string) => text.replaceAll(/ +/g, ' ').replaceAll(/-{3,}/g, '---');
  expect(plain(readFileSync(fixtures, 'utf8'))).toBe(plain(fixturesPage()));
  expect(plain(readFileSync(sandbox, 'utf8'))).toBe(plain(generated()));
});

test('whatever belongs to the EMR takes the time from its clock', () => {
  const files = [
    'api/fhir/appointments.ts',
    'api/fhir/schedules.ts',
    'api/fhir/slot-window.ts',
    'api/fhir/patients.ts',
    'api/fhir/documents.ts',
    'api/routes/calendar/appointments.ts',
    'api/routes/calendar/providers.ts',
    'api/tools/emr-tools.ts',
    'prisma/stores/calendar/appointment-records.ts',
    'prisma/stores/calendar/appointments.ts',
    'prisma/stores/calendar/open-times.ts',
    'shared/domain/calendar/slots.ts',
  ];
  const readsTime = files.filter((file) =>
    /new Date\(\)|Date\.now\(/.test(readFileSync(join(__dirname, '../../..', file), 'utf8')),
  );

  expect(readsTime).toEqual([]);
});

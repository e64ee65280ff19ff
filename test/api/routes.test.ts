import { localDate } from '@clinic/shared/domain/calendar/clinic-time';
import { type App, startApp } from '../support/app';
import { aPhone } from '../support/builders';
import { aCall, aPatient } from '../support/calls';
import { openSandbox, type FhirClinic } from '../support/fhir';

/** How far routes go: what they show at most, which days they take, and what stands where nothing was chosen. */

let app: App;
let clinic: FhirClinic;

beforeAll(async () => {
  app = await startApp({ hasWorker: false });
  clinic = await openSandbox(app);
}, 240_000);
afterAll(() => app.stop());

const ask = (method: string, path: string, body?: unknown, bearer = clinic.admin) =>
  app.request(method, path, { body, bearer });
const get = (path: string) => ask('GET', path);

describe('results', () => {
  test.each([
    ['from=2026-01-01', 'until'],
    ['until=2026-01-01', 'from'],
    ['from=2026-01-02&until=2026-01-01', 'until'],
    ['from=2024-01-01&until=2026-01-01', 'until'],
  ])('of %s are refused by the name of the day that is wrong', async (query, path) => {
    const { status, body } = await get(`/results?${query}`);

    expect([status, body.details[0].path]).toEqual([400, path]);
  });

  test.each([
    ['from=2024-01-01&until=2025-12-31', 731],
    ['from=2026-01-01&until=2026-01-01', 1],
    ['days=7', 7],
  ])('of %s are those of %i days', async (query, days) => {
    const { body } = await get(`/results?${query}`);
    const csv = await get(`/results/export?${query}`);

    expect([body.days, body.byDay.length]).toEqual([days, days]);
    expect(body.byDay.at(-1).date).toBe(body.until);
    expect(csv.text.trim().split('\n')).toHaveLength(days + 1);
    expect(csv.headers.get('content-disposition')).toContain(`results-${body.from}-${body.until}.csv`);
  });

  test('of these days end today by the clinic’s clock', async () => {
    const before = today();
    const { body } = await get('/results?days=30');

    expect([before, today()]).toContain(body.until);
  });
});

test.each([
  { path: '/results/mail', name: 'isWanted', mails: () => app.stores.monthMails },
  { path: '/auth/notifications', name: 'taskMails', mails: () => app.stores.taskMails },
])('$path is wanted by nobody where no mail is sent, and can be given up', async ({ path, name, mails }) => {
  const { clinicId, email } = app.clinic;
  const { body: person } = await get('/auth/session');
  await mails().want(clinicId, person.accountId, true);

  const before = await get(path);
  const wanted = await ask('PUT', path, { [name]: true });
  const givenUp = await ask('PUT', path, { [name]: false });

  expect(before.body).toEqual({ [name]: true, hasMail: false, email });
  expect(wanted.status).toBe(409);
  expect(givenUp).toMatchObject({ status: 200, body: { [name]: false, hasMail: false, email } });
  expect(await mails().isWanted(clinicId, person.accountId)).toBe(false);
});

test('contents are kept by the days that were chosen, by kind, and by the default where none were', async () => {
  type Kind = { kind: string };
  const of = ({ items }: { items: Kind[] }, name: string) => items.find(({ kind }) => kind === name);

  const chosen = await ask('PUT', '/retention', { event_bodies: 60, call_decisions: 2_500 });
  const preview = await ask('POST', '/retention/preview', { sent_messages: 7, event_bodies: null });
  const again = await ask('PUT', '/retention', { event_bodies: null });
  const shown = await get('/retention');

  expect(of(chosen.body, 'event_bodies')).toMatchObject({ days: 60, defaultDays: 90, isDefault: false, minDays: 7 });
  expect(of(chosen.body, 'call_decisions')).toMatchObject({ days: 2_500, isDefault: false, minDays: 2_190 });
  expect(of(chosen.body, 'sent_messages')).toMatchObject({ days: 30, isDefault: true, purgedUntil: null });
  expect(preview.body).toEqual({
    items: [
      { kind: 'event_bodies', days: 90, due: 0 },
      { kind: 'sent_messages', days: 7, due: 0 },
    ],
  });
  expect(of(again.body, 'event_bodies')).toMatchObject({ days: 90, isDefault: true });
  expect(shown.body).toEqual(again.body);
});

describe('the calendar of a provider', () => {
  test.each([
    ['2030-03-12T00:00:00Z', 200],
    ['2030-03-12T00:00:01Z', 400],
  ])('until %s, seventy days after or later, is %i', async (until, expected) => {
    const { status } = await get(`/providers/Dr.Chen/calendar?from=2030-01-01T00:00:00Z&until=${until}`);

    expect(status).toBe(expected);
  });

  test('names in the audit those who are booked and those for whom a time is held', async () => {
    const [booked, held] = [await clinic.aPatient(), await clinic.aPatient()];
    await clinic.aBooked({ patient: booked, start: '2031-01-14T17:00:00Z' });
    await app.stores.holds.hold({
      clinicId: app.clinic.clinicId,
      patientId: held,
      provider: 'Dr.Chen',
      visitType: 'Check-up',
      startsAt: '2031-01-15T17:00:00.000Z',
      minutes: 5,
      now: await app.stores.agendas.now(app.clinic.clinicId),
    });

    const { body, headers } = await get('/providers/Dr.Chen/calendar?from=2031-01-13&until=2031-01-18');

    expect(body.held).toMatchObject([{ patientId: held, isOffered: false }]);
    expect((await entryOf(headers))?.subjects.toSorted()).toEqual([booked, held].toSorted());
  });

  test('open times are those of fourteen days', async () => {
    const from = 'from=2032-01-05T00:00:00Z&fromTime=09:00&untilTime=09:30';
    const { body } = await get(`/availability?providerName=Dr.Patel&limit=50&${from}`);

    const days = body.slots.map(({ startsAt }: { startsAt: string }) => localDate(startsAt, app.clinic.timezone));
    expect(days.at(-1)).toBe('2032-01-17');
    expect(new Set(days).size).toBe(days.length);
  });
});

describe('a patient’s', () => {
  test.each([
    [0, 400],
    [1, 400],
    [-1, 200],
  ])('date of birth %i days from today is %i', async (days, expected) => {
    const dateOfBirth = localDate(new Date(Date.now() + days * 86_400_000).toISOString(), app.clinic.timezone);

    const { status } = await ask('POST', '/patients', {
      firstName: 'Nia',
      lastName: 'Born',
      phone: aPhone(),
      dateOfBirth,
    });

    expect(status).toBe(expected);
  });

  test('page shows the newest fifty notes', async () => {
    const { clinicId } = app.clinic;
    const patientId = await aPatient(app);
    const content = [{ contentType: 'text/plain', data: Buffer.from('Late').toString('base64') }];
    for (let index = 0; index < 51; index += 1) {
      await app.stores.documents.write({ id: `${patientId}-${index}`, clinicId, patientId, content });
    }

    const { documents } = (await get(`/patients/${patientId}`)).body;

    expect(documents).toHaveLength(50);
    expect(documents[0]).toMatchObject({
      note: 'Late',
      escalateToClinicalTeam: false,
      requestExternalRecords: false,
    });
  });

  test('duplicates are the ten likeliest', async () => {
    for (let index = 0; index < 11; index += 1) await aPatient(app, { firstName: 'Quirin', lastName: 'Zwillinger' });

    const { body } = await get('/patients/duplicates?firstName=Quirin&lastName=Zwillinger');

    expect(body.items).toHaveLength(10);
  });

  test('opt-out is lifted for the one who is kept, not for the one who was merged', async () => {
    const [kept, replaced] = [await aPatient(app), await aPatient(app)];
    await ask('POST', `/patients/${replaced}/opt-outs`, {});
    await ask('POST', `/patients/${kept}/merge`, { replaced });

    const { status, body } = await ask('POST', `/patients/${replaced}/opt-outs/lift`, { reason: 'patient_asked' });

    expect([status, body.message]).toEqual([409, expect.stringContaining(kept)]);
  });
});

describe('tasks', () => {
  test('twenty of those that were given to one are shown, and a hundred notes of one', async () => {
    const { clinicId } = app.clinic;
    const { accountId } = (await get('/auth/session')).body;
    const by = { actor: 'operator' };
    for (let index = 0; index < 21; index += 1) {
      const patientId = await aPatient(app);
      await app.stores.tasks.open({ clinicId, reason: 'clinical_escalation', cause: patientId, patientId });
    }
    const { items } = (await get('/tasks?limit=200&reason=clinical_escalation')).body;
    const given = items.map(({ id }: { id: string }) => ({ id }));
    await app.stores.tasks.change(clinicId, given, { assigneeId: accountId }, by);
    const [{ id: taskId }] = given;
    for (let index = 0; index < 101; index += 1) {
      await app.stores.tasks.addNote({ id: `${taskId}-${index}`, clinicId, taskId, note: 'Rang' }, by);
    }

    const assigned = (await get('/tasks/assigned')).body.items;
    const { notes, noteCount } = (await get(`/tasks/${taskId}`)).body;

    expect(assigned).toHaveLength(20);
    expect(assigned[0]).toMatchObject({ isByOneself: false, assignedBy: 'An operator of the service' });
    expect([notes.length, noteCount]).toEqual([100, 101]);
  });
});

test('a clinic has a hundred live keys, made or rotated', async () => {
  const { clinicId } = app.otherClinic;
  const bearer = await app.signIn(app.otherClinic);
  const path = '/integrations/api-keys';
  const live = async () => (await app.stores.keys.listApiKeys(clinicId)).length;
  for (let left = 99 - (await live()); left > 0; left -= 1) {
    await app.stores.keys.createApiKey({ clinicId, name: 'One of many', scopes: ['results'] });
  }

  const last = await ask('POST', path, { name: 'The last' }, bearer);
  const more = await ask('POST', path, { name: 'One more' }, bearer);
  const rotated = await ask('POST', `${path}/${last.body.id}/rotate`, {}, bearer);

  expect([last, more, rotated].map(({ status }) => status)).toEqual([200, 409, 409]);
  expect(await live()).toBe(100);
});

test('the key set of a clinic may be remembered for five minutes, and read from any page', async () => {
  const { headers } = await app.request('GET', `/clinics/${app.clinic.clinicId}/jwks.json`);

  expect(headers.get('cache-control')).toBe('public, max-age=300');
  expect(headers.get('access-control-allow-origin')).toBe('*');
});

test('a page that the dashboard could not show is taken down, and one without an id is not', async () => {
  const fault = { id: '4f0c19d2a7be', page: 'tasks', kind: 'TypeError', frames: [] };

  const taken = await ask('POST', '/dashboard/faults', fault);
  const refused = await ask('POST', '/dashboard/faults', { ...fault, id: undefined });

  expect([taken.status, refused.status]).toEqual([204, 400]);
});

describe('an entry of the audit is shown with its patient', () => {
  let one: string;
  let other: string;
  beforeAll(async () => {
    [one, other] = await Promise.all([aPatient(app, { firstName: 'Ona' }), aPatient(app, { firstName: 'Otto' })]);
  });

  test.each([
    ['one', 'where it names one', () => [one]],
    ['one', 'beside a run', () => [one, 'a-run']],
    [null, 'not where it names two', () => [one, other]],
    [null, 'not where it is of a list', () => [one, 'a-run', 'a-case']],
    [null, 'not where it names nobody', () => []],
  ])('%s, %s', async (shown, _when, subjects) => {
    const requestId = `request-${subjects().length}-${subjects().at(-1)}`;
    await app.stores.audit.writeRequest({
      clinicId: app.clinic.clinicId,
      actor: 'operator',
      requestId,
      address: '127.0.0.1',
      action: 'patient.tested',
      isRead: true,
      route: 'GET /patients',
      subjects: subjects(),
    });
    await app.stores.auditChain.seal(1);

    const { items } = (await get('/audit?reads=true&action=patient.tested')).body;
    const entry = items.find((each: { requestId: string }) => each.requestId === requestId);

    expect(entry.patient?.id ?? null).toBe(shown === null ? null : one);
  });

  test('and an export that names nobody is no look at anybody', async () => {
    const { headers } = await get('/audit/export?format=ndjson&action=nothing.done');

    expect((await entriesOf(headers)).map(({ action }) => action)).not.toContain('audit.list');
  });
});

describe('is in the audit:', () => {
  const by = (path: string) => path.replace('{callId}', callId);
  let callId = '';

  test.each([
    ['a case that is tried', 'POST', '/try-it/recovery', { scene: 'agrees' }, 'try-it.recovery'],
    ['a test call', 'POST', '/voice/test-calls', {}, 'test-call.open'],
    ['its end', 'DELETE', '/voice/test-calls/{callId}', undefined, 'test-call.close'],
    ['a test event', 'POST', '/integrations/outbound/test', {}, 'outbound.test'],
  ])('%s', async (_what, method, path, body, action) => {
    await app.sendEventsTo('http://127.0.0.1:9/events');

    const done = await ask(method, by(path), body);
    callId = done.body?.callId ?? callId;

    expect([200, 204]).toContain(done.status);
    expect((await entriesOf(done.headers)).map((entry) => entry.action)).toContain(action);
  });

  test('an event that is sent again', async () => {
    const { id } = (await ask('POST', '/integrations/outbound/test', {})).body;

    const { headers, status } = await ask('POST', `/deliveries/${id}/resend`);

    expect(status).toBe(200);
    expect((await entriesOf(headers)).map(({ action, subject }) => [action, subject])).toContainEqual([
      'delivery.resend',
      id,
    ]);
  });
});

test('a case that is tried has a form that was left at page three of seven', async () => {
  const { recoveryCaseId } = (await ask('POST', '/try-it/recovery', { scene: 'agrees' })).body;

  const { form } = (await get(`/cases/${recoveryCaseId}`)).body;

  expect(form).toMatchObject({
    lastPageReached: 3,
    totalPages: 7,
    completionPercentage: 42.5,
    abandonedAtCheckout: false,
  });
});

test('a call without a workflow is not simulated', async () => {
  const { callId } = await aCall(app, { workflowType: 'new-patient-journey', patientId: await aPatient(app) });

  expect((await get(`/calls/${callId}`)).body).toMatchObject({ isSimulated: false, workflowId: null, tools: [] });
});

describe('events are sent again', () => {
  const again = (dryRun: boolean) => ask('POST', '/deliveries/resend', { from: '2026-11-20', dryRun });

  test.each([
    ['and counted while the endpoint is off', false, true, 200],
    ['but not while the endpoint is off', false, false, 409],
    ['while it is on', true, false, 200],
  ])('%s', async (_when, isEnabled, dryRun, expected) => {
    const endpoint = { url: 'http://127.0.0.1:9/events', isEnabled, events: [] };
    await app.stores.clinics.setOutboundEndpoint(app.clinic.clinicId, endpoint);

    const { status, body } = await again(dryRun);

    expect(status).toBe(expected);
    if (status === 200) expect(body.job === null).toBe(dryRun);
  });
});

const today = () => localDate(new Date().toISOString(), app.clinic.timezone);

const entriesOf = async (headers: Headers) => {
  await app.stores.auditChain.seal(1);
  const { items } = await app.stores.audit.list(app.clinic.clinicId, { hasReads: true, limit: 50 });
  return items.filter(({ requestId }) => requestId === headers.get('x-request-id'));
};

const entryOf = async (headers: Headers) => (await entriesOf(headers)).find(({ route }) => route !== null);

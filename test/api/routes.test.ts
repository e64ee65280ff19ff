import { demoPolicy } from '@clinic/prisma/fixtures';
import { newId } from '@clinic/shared/crypto';
import { localDate } from '@clinic/shared/domain/calendar/clinic-time';
import { type App, startApp } from '../support/app';
import { aCompletedForm, aPhone, aSession, aStart } from '../support/builders';
import { aCall, aPatient } from '../support/calls';
import { eventually } from '../support/eventually';
import { openSandbox, type FhirClinic } from '../support/fhir';
import { answeredOnceWritten } from '../support/locks';

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

describe('data of one patient, and the entry of the audit that names whose they are:', () => {
  /** By the names that stand in paths and bodies below. */
  let ids: Record<string, string>;

  beforeAll(async () => {
    const { clinicId } = app.clinic;
    await app.sendEventsTo('http://127.0.0.1:9/events');
    const [appointment, other] = await Promise.all([clinic.aBooked(), aPatient(app)]);
    const [, patientId] = appointment.participant[0].actor.reference.split('/');
    const { body: started } = await app.start(aStart({ clinicId, sessionId: aSession(), phone: aPhone() }));
    const recovery = await app.database.prisma.recoveryCase.findFirstOrThrow({
      where: { workflowId: started.workflowId },
    });
    const { callId } = await aCall(app, { workflowType: 'new-patient-journey', patientId });
    await app.stores.tasks.open({
      clinicId,
      reason: 'unverified_caller',
      cause: callId,
      patientId,
      callId,
      detail: {
        what: 'requested',
        providerName: 'Dr.Chen',
        visitType: 'Check-up',
        startsAt: await clinic.aStart(),
      },
    });
    const [task] = (await ask('GET', `/tasks?patientId=${patientId}`)).body.items;
    const [delivery] = (await ask('GET', '/deliveries')).body.items;
    const erasure = await ask('POST', `/patients/${other}/erasure`, { reason: 'patient_request', confirm: other });
    ids = {
      patientId,
      other,
      appointmentId: appointment.id,
      start: await clinic.aStart(),
      later: await clinic.aStart(),
      workflowId: started.workflowId,
      inCase: recovery.patientId,
      caseId: recovery.id,
      callId,
      taskId: task.id,
      deliveryId: delivery.id,
      erasureId: erasure.body.id,
    };
  });

  const filled = (text: string) => text.replaceAll(/\{(\w+)\}/g, (_all, name: string) => ids[name] ?? '');

  interface Row {
    does: string;
    body?: object;
    action: string;
    /** Names of ids. */
    of: string[];
    withKey?: boolean;
    /** What the entry says of the change, by names of ids too. */
    detail?: object;
  }

  const appointmentId = '{appointmentId}';
  test.each<Row>([
    {
      does: 'PATCH /patients/{patientId}',
      body: { address: '1 Elm St' },
      action: 'patient.change',
      of: ['patientId'],
      detail: { fields: ['address'] },
    },
    {
      does: 'POST /patients/{patientId}/notes',
      body: { note: 'Late' },
      action: 'patient.note',
      of: ['patientId'],
      detail: { documentId: '*' },
    },
    { does: 'GET /lookup?id={patientId}', action: 'record.look-up', of: ['patientId'] },
    { does: 'GET /appointments/{appointmentId}', action: 'appointment.read', of: ['patientId'] },
    {
      does: 'POST /appointments',
      body: { patientId: '{patientId}', providerName: 'Dr.Chen', startsAt: '{start}' },
      action: 'appointment.book',
      of: ['patientId'],
      detail: { appointmentId: '*' },
    },
    {
      does: 'POST /appointments/override',
      body: { patientId: '{patientId}', providerName: 'Dr.Chen', startsAt: '2035-01-14T11:07:00Z', reason: 'urgent' },
      action: 'appointment.book',
      of: ['patientId'],
    },
    {
      does: 'POST /appointments/{appointmentId}/reschedule',
      body: { startsAt: '{later}' },
      action: 'appointment.reschedule',
      of: ['patientId'],
      detail: { appointmentId },
    },
    {
      does: 'POST /appointments/{appointmentId}/cancel',
      action: 'appointment.cancel',
      of: ['patientId'],
      detail: { appointmentId },
    },
    {
      does: 'POST /appointments/{appointmentId}/restore',
      action: 'appointment.restore',
      of: ['patientId'],
      detail: { appointmentId },
    },
    {
      does: 'POST /appointments/{appointmentId}/attendance',
      body: { status: 'booked' },
      action: 'appointment.note',
      of: ['patientId'],
      detail: { appointmentId, status: 'booked' },
    },
    {
      does: 'POST /waitlist',
      body: { patientId: '{patientId}', earliestOn: '2035-01-01', latestOn: '2035-01-31' },
      action: 'waitlist.add',
      of: ['patientId'],
    },
    { does: 'GET /calls/{callId}', action: 'call.read', of: ['patientId'] },
    { does: 'GET /tasks/{taskId}', action: 'task.read', of: ['patientId'] },
    { does: 'POST /tasks/{taskId}/notes', body: { note: 'Rang twice' }, action: 'task.read', of: ['patientId'] },
    { does: 'POST /tasks/{taskId}/confirm', action: 'task.read', of: ['patientId'] },
    { does: 'GET /cases/{caseId}', action: 'case.read', of: ['inCase'] },
    { does: 'GET /deliveries/{deliveryId}', action: 'delivery.read', of: ['inCase'] },
    { does: 'GET /erasures/{erasureId}', action: 'erasure.read', of: ['other'] },
    { does: 'GET /workflows/{workflowId}', action: 'workflow.read', of: ['inCase'], withKey: true },
  ])('$does is in the audit as $action of $of', async ({ does, body, action, of, withKey, detail }) => {
    const [method = '', path = ''] = filled(does).split(' ');
    const sent: unknown = body && JSON.parse(filled(JSON.stringify(body)));

    const { status, headers } = await ask(method, path, sent, withKey ? app.clinic.apiKey : clinic.admin);

    expect(status).toBe(200);
    const entry = await entryOf(headers);
    expect(entry?.action).toBe(action);
    expect(new Set(entry?.subjects)).toEqual(new Set(of.map((name) => ids[name])));
    for (const [name, told] of Object.entries(detail ?? {})) {
      const expected: unknown =
        told === '*' ? expect.stringMatching(/./) : typeof told === 'string' ? filled(told) : told;
      expect(entry?.detail).toMatchObject({ [name]: expected });
    }
  });

  test('who may be the same person as a patient, or is to be merged into one, is named beside them', async () => {
    const person = { firstName: 'Rosa', lastName: 'Quintero', birthDate: '1971-04-09' };
    const [one, other] = await Promise.all([aPatient(app, person), aPatient(app, person)]);

    const alike = await ask('GET', `/patients/${one}/duplicates`);
    const preview = await ask('GET', `/patients/${one}/merge?replaced=${other}`);

    expect(alike.body.items).toMatchObject([{ id: other }]);
    for (const { status, headers } of [alike, preview]) {
      const entry = await entryOf(headers);
      expect({ status, action: entry?.action, subjects: entry?.subjects.toSorted() }).toEqual({
        status: 200,
        action: 'patient.match',
        subjects: [one, other].toSorted(),
      });
    }
  });

  test('who is made or put on the waitlist is named by the entry, and who is taken off', async () => {
    const made = await ask('POST', '/patients', { firstName: 'Ines', lastName: 'Duarte', phone: '+13035550177' });
    const { id } = made.body;
    const added = await ask('POST', '/waitlist', { patientId: id, earliestOn: '2035-01-01', latestOn: '2035-01-31' });
    const removed = await ask('DELETE', `/waitlist/${added.body.id}`);

    const entries = await Promise.all([made, added, removed].map(({ headers }) => entryOf(headers)));
    expect(entries.map((entry) => [entry?.action, entry?.subjects])).toEqual([
      ['patient.create', [id]],
      ['waitlist.add', [id]],
      ['waitlist.remove', [id]],
    ]);
  });
});

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

describe('a new clinic', () => {
  let other: Awaited<ReturnType<App['addClinic']>>;
  let bearer: string;
  beforeAll(async () => {
    other = await app.addClinic();
    bearer = await app.signIn(other);
  });
  const asNew = (method: string, path: string, body?: unknown) => ask(method, path, body, bearer);

  test('has set up each step once its own thing is there', async () => {
    const { sql } = app.database;
    const { clinicId } = other;
    const done = async () =>
      (await asNew('GET', '/overview/set-up')).body.steps.flatMap(
        ({ step, isDone }: { step: string; isDone: boolean }) => (isDone ? [step] : []),
      );

    const first = await done();
    await app.sendEventsTo('http://127.0.0.1:9/events', other);
    const withUrl = await done();
    await asNew('POST', '/integrations/outbound/test', {});
    await sql`update deliveries set state = 'DELIVERED' where clinic_id = ${clinicId}`;
    const withEvent = await done();
    await app.abandon({ phone: null }, other);
    const withCase = await done();

    const steps = ['outbound-url', 'inbound-secret', 'test-event', 'first-case'];
    expect([first, withUrl, withEvent, withCase]).toEqual([
      ['inbound-secret'],
      ['outbound-url', 'inbound-secret'],
      steps.slice(0, 3),
      steps,
    ]);
  });

  test('sees how each area of its settings stands', async () => {
    const { sql } = app.database;
    const { clinicId } = other;
    const areas = async () => {
      const { items } = (await asNew('GET', '/integrations/areas')).body;
      return Object.fromEntries(
        items.map(({ area, state, count }: { area: string; state: string; count: number | null }) => [
          area,
          count === null ? state : `${state}: ${count}`,
        ]),
      );
    };
    await sql`update receivers set url = null where clinic_id = ${clinicId}`;

    const before = await areas();
    await asNew('PUT', '/integrations/closed-days', { items: [{ date: '2090-12-24', name: 'Christmas Eve' }] });
    await sql`update providers set working_hours = '{}' where clinic_id = ${clinicId}`;
    await asNew('POST', '/pauses', { reason: 'A drill' });
    await sql`update clinics set sandbox_enabled = not sandbox_enabled where id = ${clinicId}`;
    await asNew('PUT', '/integrations/crm', { kind: 'hubspot', enabled: false, accessToken: 'token' });
    await app.sendEventsTo('http://127.0.0.1:9/events', other);
    const after = await areas();
    await asNew('PUT', '/integrations/crm', { kind: 'hubspot', enabled: true });
    await sql`update receivers set failing_since = now() where clinic_id = ${clinicId}`;
    const failing = await areas();
    await sql`update receivers set failing_since = null, is_enabled = false where clinic_id = ${clinicId}`;
    const off = await areas();

    expect(before).toMatchObject({
      hours: 'on: 0',
      providers: expect.stringMatching(/^on: [1-9]/),
      calling: 'on',
      'opt-outs': 'on: 0',
      people: 'on: 2',
      'single-sign-on': 'not_set_up',
      results: 'not_set_up',
      retention: 'on',
      'api-keys': 'on: 1',
      inbound: 'on: 7',
      outbound: 'not_set_up',
      'approved-api': 'not_set_up',
      crm: 'not_set_up',
      voice: 'simulated',
      'phone-numbers': 'not_set_up: 0',
    });
    expect(after).toMatchObject({
      hours: 'on: 1',
      providers: 'needs_a_look',
      calling: 'paused',
      outbound: 'on',
      crm: 'off',
    });
    expect(new Set([before.sandbox, after.sandbox])).toEqual(new Set(['on', 'off']));
    expect(failing).toMatchObject({ outbound: 'needs_a_look', crm: 'on' });
    expect(off.outbound).toBe('off');
  });
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
  test('a note is shown by the answer to who writes it, once it is written', async () => {
    const { clinicId } = app.clinic;
    const patientId = await aPatient(app);
    await app.stores.tasks.open({ clinicId, reason: 'workflow_failed', cause: patientId, patientId });
    const [{ id }] = (await get(`/tasks?patientId=${patientId}`)).body.items;

    const { before, answer } = await answeredOnceWritten(app.database, 'task_notes', () =>
      ask('POST', `/tasks/${id}/notes`, { note: 'Rang' }),
    );

    expect(before).toBe(false);
    expect(answer).toMatchObject({ status: 200, body: { id, noteCount: 1, notes: [{ note: 'Rang' }] } });
    expect((await ask('POST', '/tasks/nothing/notes', { note: 'Rang' })).status).toBe(404);
  });

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

describe('a task', () => {
  const told = { action: 'document.write' };
  const requested = {
    what: 'requested',
    providerName: 'Dr.Chen',
    visitType: 'Check-up',
    startsAt: '2035-01-15T16:00:00Z',
  };

  interface Given {
    what: string;
    reason: Parameters<App['stores']['tasks']['open']>[0]['reason'];
    detail: Record<string, string>;
    hasCall?: boolean;
    isResolved?: boolean;
    can?: 'retry' | 'confirm';
  }

  test.each<Given>([
    { what: 'a CRM that took nothing', reason: 'crm_sync_failed', detail: {}, can: 'retry' },
    { what: 'the same without a call', reason: 'crm_sync_failed', detail: {}, hasCall: false },
    { what: 'the same, resolved', reason: 'crm_sync_failed', detail: {}, isResolved: true },
    { what: 'a system that was not told', reason: 'clinic_system_not_told', detail: told, can: 'retry' },
    { what: 'one that was not told without a call', reason: 'clinic_system_not_told', detail: told, hasCall: false },
    { what: 'one that was not told what nobody knows', reason: 'clinic_system_not_told', detail: { action: 'other' } },
    { what: 'a question with the same detail', reason: 'clinical_escalation', detail: told },
    { what: 'a time that is asked for', reason: 'unverified_caller', detail: requested, can: 'confirm' },
    { what: 'one without a call', reason: 'unverified_caller', detail: requested, hasCall: false },
    { what: 'one that is resolved', reason: 'unverified_caller', detail: requested, isResolved: true },
    { what: 'one that was booked', reason: 'unverified_caller', detail: { ...requested, what: 'booked' } },
    { what: 'a question with a time', reason: 'clinical_escalation', detail: requested },
  ])('about $what can be tried again or confirmed: $can', async (given) => {
    const { clinicId } = app.clinic;
    const patientId = await aPatient(app);
    const { callId } = await aCall(app, { workflowType: 'new-patient-journey', patientId });
    await app.stores.tasks.open({
      clinicId,
      reason: given.reason,
      cause: callId,
      patientId,
      ...(given.hasCall !== false && { callId }),
      detail: given.detail,
    });
    const list = async () => (await get(`/tasks?patientId=${patientId}`)).body.items[0];
    const { id } = await list();
    if (given.isResolved) await ask('PATCH', `/tasks/${id}`, { state: 'RESOLVED' });

    const { canRetry, canConfirm } = await list();
    const [retried, confirmed] = [await ask('POST', `/tasks/${id}/retry`), await ask('POST', `/tasks/${id}/confirm`)];

    expect({ canRetry, canConfirm }).toEqual({ canRetry: given.can === 'retry', canConfirm: given.can === 'confirm' });
    expect([retried.status, confirmed.status]).toEqual([canRetry ? 200 : 409, canConfirm ? 200 : 409]);
    // Nothing is connected.
    if (canRetry) expect(retried.body).toMatchObject({ isDone: false, reason: 'not_connected', said: null });
    if (canConfirm) expect(confirmed.body).toMatchObject({ isDone: true, reason: null, alternatives: [] });
    const tried = await entriesOf(retried.headers);
    expect(tried.map(({ action }) => action)).toEqual(canRetry ? ['task.retry'] : []);
    if (canRetry) expect(tried).toMatchObject([{ subject: id, detail: { isDone: false } }]);
  });

  test.each([
    ['api-key:key', 'Your system, over the API'],
    ['account:gone', 'Former account'],
    ['operator', 'An operator of the service'],
  ])('has notes of %s as those of %s', async (actor, writtenBy) => {
    const { clinicId } = app.clinic;
    const patientId = await aPatient(app);
    await app.stores.tasks.open({ clinicId, reason: 'clinical_escalation', cause: patientId, patientId });
    const [{ id: taskId }] = (await get(`/tasks?patientId=${patientId}`)).body.items;
    await app.stores.tasks.addNote({ id: `${taskId}-note`, clinicId, taskId, note: 'Rang' }, { actor });

    expect((await get(`/tasks/${taskId}`)).body.notes).toMatchObject([{ note: 'Rang', writtenBy }]);
  });
});

test.each([
  [-1, 400],
  [0, 200],
])('who can wait until %i days from today for a time gets %i', async (days, expected) => {
  const now = await app.stores.agendas.now(app.clinic.clinicId);
  const latestOn = localDate(new Date(now.getTime() + days * 86_400_000).toISOString(), app.clinic.timezone);
  const body = { patientId: await aPatient(app), earliestOn: latestOn, latestOn };

  expect((await ask('POST', '/waitlist', body)).status).toBe(expected);
});

test.each([
  ['2026-01-02T10:00:00.000Z', true],
  ['2035-01-02T10:00:00.000Z', false],
])('runs are cancelled that began before %s, and before now', async (until, isAsked) => {
  const { body } = await ask('POST', '/runs/cancel', { from: '2025-12-31', until });

  expect(body).toMatchObject({ job: null, from: '2025-12-31T07:00:00.000Z' });
  expect(body.until === until).toBe(isAsked);
  expect(Date.parse(body.until)).toBeLessThanOrEqual(Date.now());
});

test('a job whose answer was never stored is found again under its Idempotency-Key, and not begun twice', async () => {
  const bearer = await app.signIn(await app.addClinic());
  const headers = { 'idempotency-key': 'lost-job' };
  const once = () => app.request('POST', '/runs/cancel', { bearer, body: { dryRun: false }, headers });
  const first = await once();

  await app.database.sql`delete from idempotency_records where key = 'lost-job'`;
  const again = await once();
  const another = await ask('POST', '/runs/cancel', { dryRun: false }, bearer);

  expect([first.status, again.status, another.status]).toEqual([200, 200, 409]);
  expect(again.body.job).toEqual(first.body.job);
  expect((await ask('GET', '/bulk-jobs', undefined, bearer)).body.items).toHaveLength(1);
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

describe('a case says when its next call is, and why:', () => {
  const firstCallDelaySeconds = 3_600;
  const secondsBetweenAttempts = 7_200;
  /** A call that ended so many minutes ago. */
  const anEnded = async (id: string, minutes: number, isTest = false) => {
    const run = await app.database.prisma.recoveryCase.findUniqueOrThrow({ where: { id } });
    const workflowId = isTest ? null : run.workflowId;
    const about = { workflowType: 'abandonment-recovery', patientId: run.patientId, workflowId } as const;
    const { callId } = await aCall(app, about);
    await app.database.sql`
      update calls set state = 'ENDED', is_test = ${isTest}::boolean, case_id = ${id},
        ended_at = now() - make_interval(mins => ${minutes}::int)
      where id = ${callId}`;
  };
  const tried = (id: string, attempts: number) => app.database.sql`
    update workflow_runs set attempts = ${attempts}::int
    where id = (select workflow_id from recovery_cases where id = ${id})`;

  test.each<
    [what: string, meanwhile: (id: string, sessionId: string) => unknown, reason: string | null, inMinutes?: number]
  >([
    ['waits for its first', () => undefined, 'first_call_delay', 60],
    ['the form was completed', (_id, sessionId) => app.inbound('forms-completed', aCompletedForm(sessionId)), null],
    [
      'the patient has no phone',
      (id) =>
        app.database
          .sql`update patients set phone = null where id = (select patient_id from recovery_cases where id = ${id})`,
      null,
    ],
    ['it has ended', (id) => app.database.sql`update recovery_cases set status = 'RECOVERED' where id = ${id}`, null],
    [
      'a call has ended',
      async (id) => {
        await tried(id, 1);
        await anEnded(id, 30);
        await anEnded(id, 10, true);
      },
      'between_attempts',
      90,
    ],
    [
      'all calls have ended',
      async (id) => {
        await tried(id, 3);
        await anEnded(id, 30);
      },
      null,
    ],
  ])('%s', async (_what, meanwhile, reason, inMinutes = 0) => {
    const { clinicId } = app.clinic;
    const policy = { ...demoPolicy, firstCallDelaySeconds, secondsBetweenAttempts };
    await app.stores.clinics.setPolicy(clinicId, policy);
    const sessionId = aSession();
    const { recoveryCaseId } = (await app.abandon({ sessionId, phone: aPhone() })).body;

    await meanwhile(recoveryCaseId, sessionId);
    const { nextCall } = (await get(`/cases/${recoveryCaseId}`)).body;
    await app.stores.clinics.setPolicy(clinicId, demoPolicy);

    expect(nextCall?.reason ?? null).toBe(reason);
    // The answer may come late.
    if (nextCall) expect(Math.abs((Date.parse(nextCall.at) - Date.now()) / 60_000 - inMinutes)).toBeLessThan(1);
  });
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

  test('and all of them are exported, page by page; no spreadsheet takes a cell for a formula', async () => {
    const about = { clinicId: app.clinic.clinicId, action: 'export.tested', isRead: false, subjects: [] };
    const by = { actor: 'operator', requestId: 'of-an-export', address: '127.0.0.1' };
    await Promise.all(
      Array.from({ length: 501 }, (_, index) =>
        app.stores.audit.writeRequest({ ...by, ...about, route: `GET /${index}` }),
      ),
    );
    await app.stores.audit.write({ ...about, actor: 'operator', subject: '=1+1' });
    await app.stores.auditChain.seal(1);

    const [csv, json] = await Promise.all(
      ['csv', 'ndjson'].map((format) => get(`/audit/export?format=${format}&action=export.tested`)),
    );

    const routes = Array.from({ length: 501 }, (_, index) => `GET /${index}`);
    const [head, ...rows] = csv!.text.trim().split('\n');
    const lines: Record<'route' | 'subject', string | null>[] = json!.text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(head).toMatch(/^at,/);
    expect(rows.filter((row) => row.includes(",'=1+1,"))).toHaveLength(1);
    expect(rows.flatMap((row) => /GET \/\d+/.exec(row) ?? []).toSorted()).toEqual(routes.toSorted());
    expect(lines.flatMap(({ route }) => route ?? []).toSorted()).toEqual(routes.toSorted());
    expect(lines.flatMap(({ subject }) => subject ?? [])).toEqual(['=1+1']);
    const attachments = [csv, json].map((answer) => answer!.headers.get('content-disposition'));
    expect(attachments).toEqual(['attachment; filename="audit.csv"', 'attachment; filename="audit.ndjson"']);
    const types = [csv, json].map((answer) => answer!.headers.get('content-type'));
    expect(types).toEqual(['text/csv; charset=utf-8', 'application/x-ndjson; charset=utf-8']);
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
    ['a case that is tried', 'POST', '/try-it/recovery', { scene: 'agrees' }, 'try-it.recovery', {}],
    ['a test call', 'POST', '/voice/test-calls', {}, 'test-call.open', {}],
    ['its end', 'DELETE', '/voice/test-calls/{callId}', undefined, 'test-call.close', {}],
    ['a test event', 'POST', '/integrations/outbound/test', {}, 'outbound.test', { event: 'test' }],
    [
      'a sample of an event',
      'POST',
      '/integrations/outbound/test',
      { event: 'recovery_case.created' },
      'outbound.test',
      { event: 'recovery_case.created' },
    ],
  ])('%s', async (_what, method, path, body, action, detail) => {
    await app.sendEventsTo('http://127.0.0.1:9/events');

    const done = await ask(method, by(path), body);
    callId = done.body?.callId ?? callId;

    expect([200, 204]).toContain(done.status);
    const entry = (await entriesOf(done.headers)).find((each) => each.action === action);
    expect(entry?.detail).toEqual(detail);
    // A test event names its delivery, and all others the call or the case.
    const named = done.body?.recoveryCaseId ?? done.body?.callId ?? done.body?.id ?? callId;
    expect(entry?.subject).toBe(named);
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

  test('by one job at a time, which begins at once and is stopped once', async () => {
    const [{ id, kind, state }] = (await get('/bulk-jobs')).body.items;

    // No worker is there that would find it later.
    await eventually(async () => (await app.database.prisma.bulkJob.findFirst({ where: { id } }))?.dispatchedAt);
    const meanwhile = await again(false);
    const stopped = await ask('POST', `/bulk-jobs/${id}/stop`);
    const twice = await ask('POST', `/bulk-jobs/${id}/stop`);
    const unknown = await ask('POST', '/bulk-jobs/nothing/stop');

    expect([kind, state]).toEqual(['resend_deliveries', 'RUNNING']);
    expect([meanwhile.status, meanwhile.body.message]).toEqual([409, expect.stringContaining('Deliveries are being')]);
    expect(stopped).toMatchObject({ status: 200, body: { id, isReplay: false, requestedBy: 'Clinic admin' } });
    expect([twice.status, unknown.status]).toEqual([409, 404]);
  });
});

const today = () => localDate(new Date().toISOString(), app.clinic.timezone);

const entriesOf = async (headers: Headers) => {
  await app.stores.auditChain.seal(1);
  const { items } = await app.stores.audit.list(app.clinic.clinicId, { hasReads: true, limit: 50 });
  return items.filter(({ requestId }) => requestId === headers.get('x-request-id'));
};

const entryOf = async (headers: Headers) => (await entriesOf(headers)).find(({ route }) => route !== null);

describe('what comes next of a run', () => {
  const at = (minute: number) => new Date(Date.UTC(2026, 10, 27, 10, minute));
  const wait = { kind: 'wait', until: at(50).toISOString() };
  const started = { status: 'started', dispatchedAt: at(1) };

  interface Row {
    what: string;
    run?: object;
    call?: { state: string; createdAt: Date };
    isQueued?: true;
    decided?: object;
    next: object | null;
  }

  test.each<Row>([
    {
      what: 'that has ended is nothing',
      run: { status: 'completed', outcome: 'DECLINED', completedAt: at(9) },
      next: null,
    },
    {
      what: 'in a call is its call',
      call: { state: 'RINGING', createdAt: at(2) },
      isQueued: true,
      next: { step: 'call' },
    },
    { what: 'that Temporal has not had is its start', run: { dispatchedAt: null }, next: { step: 'start' } },
    { what: 'in line is a line', isQueued: true, decided: wait, next: { step: 'line', at: at(5).toISOString() } },
    {
      what: 'that waits is the end of that',
      decided: wait,
      next: { step: 'wait', at: wait.until, rule: 'first_call_delay' },
    },
    {
      what: 'that waits after its call is the end of that',
      decided: wait,
      call: { state: 'ENDED', createdAt: at(6) },
      next: { step: 'wait', at: wait.until },
    },
    {
      what: 'whose call came after its wait is a decision',
      decided: wait,
      call: { state: 'ENDED', createdAt: at(7) },
      next: { step: 'decide', at: null, rule: null },
    },
    {
      what: 'that decided to call is a decision',
      decided: { kind: 'call' },
      next: { step: 'decide', at: null, rule: null },
    },
    { what: 'that has decided nothing is a decision', next: { step: 'decide', at: null, rule: null } },
  ])('$what', async ({ run = {}, call, isQueued, decided, next }) => {
    const { clinicId } = app.clinic;
    const { prisma } = app.database;
    const [workflowId, patientId] = [newId(), await aPatient(app)];
    const about = { clinicId, workflowId };
    const opened = { id: workflowId, clinicId, workflowType: 'care-gap-follow-up', sessionId: newId(), patientId };
    await prisma.workflowRun.create({ data: { ...opened, ...started, ...run } });
    if (call) await prisma.call.create({ data: { id: newId(), ...about, patientId, direction: 'outbound', ...call } });
    if (isQueued)
      await prisma.lineTicket.create({
        data: { ...about, phone: aPhone(), priority: 1, dueAt: at(4), createdAt: at(5) },
      });
    if (decided)
      await prisma.callDecision.create({
        data: { id: newId(), ...about, stage: 'plan', rule: 'first_call_delay', decided, inputs: {}, decidedAt: at(6) },
      });

    const { items } = (await get(`/runs?patientId=${patientId}`)).body;
    await prisma.call.deleteMany({ where: { workflowId } });
    await prisma.workflowRun.delete({ where: { id: workflowId } });

    const shown = items.find((each: { workflowId: string }) => each.workflowId === workflowId);
    if (next === null) expect(shown.next).toBeNull();
    else expect(shown.next).toMatchObject(next);
  });
});

describe('a page of the dashboard', () => {
  const page = (path: string, accept: string) => fetch(new URL(path, app.baseUrl), { headers: { accept } });

  test.each([
    ['/', 200],
    ['/tasks', 200],
    ['/nowhere', 404],
  ])('%s is %i in a browser, and not kept', async (path, status) => {
    const answer = await page(path, 'text/html');

    expect([answer.status, answer.headers.get('cache-control')]).toEqual([status, 'no-store']);
    expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(await answer.text()).toContain('<div id="root">');
  });

  test('has another nonce each time, which its scripts have too', async () => {
    const nonces = await Promise.all(
      [1, 2].map(async () => {
        const answer = await page('/', 'text/html');
        const [, nonce = ''] = /'nonce-([^']+)'/.exec(answer.headers.get('content-security-policy') ?? '') ?? [];
        expect(await answer.text()).toContain(nonce);
        return nonce;
      }),
    );

    expect(new Set(nonces.filter(Boolean)).size).toBe(2);
  });

  test('that is none is an error like others for a program', async () => {
    const answer = await page('/nowhere', 'application/json');

    expect([answer.status, answer.headers.get('vary')]).toEqual([404, expect.stringContaining('Accept')]);
    expect(await answer.json()).toMatchObject({ code: 'not_found' });
  });
});

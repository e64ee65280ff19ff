import { documentedRoutes } from '@clinic/api/openapi/documented-routes';
import { EHR_CHANGE, faultReasons } from '@clinic/shared/domain/operations/clinic-faults';
import { type App, startApp } from '../../support/app';
import { aPhone, aSession } from '../../support/builders';
import { typed } from '../../support/command';

const password = 'quiet orange lighthouse';

let app: App;
let operator: string;

beforeAll(async () => {
  app = await startApp({ hasWorker: false });
  await app.sendEventsTo('http://127.0.0.1:9/events');
  operator = await anOperator('operator@service.example');
}, 240_000);
afterAll(() => app.stop());

const command = async (...args: string[]) => (await typed(['clinic', ...args], app.env)).shown;
const post = (path: string, body: unknown) => app.request('POST', path, { body });
const get = (path: string, bearer: string) => app.request('GET', path, { bearer });

/** By the link that the command prints. */
async function anOperator(email: string): Promise<string> {
  const { link } = await command('account', 'add', '--operator', '--email', email);
  const token = link.split('#')[1];
  const read = await post('/auth/links/read', { token });
  expect(read.body).toMatchObject({ kind: 'invitation', email, clinicName: null });
  await post('/auth/links/use', { token, name: 'Olive Operator', password });
  return app.signIn({ email, password });
}

test('an operator is let in to all clinics’ figures, and to no data of a clinic', async () => {
  const { body } = await get('/auth/session', operator);
  const opened: string[] = [];
  for (const { method, path, access } of documentedRoutes()) {
    if (access === 'public' || access === 'session' || access === 'operator') continue;
    const filled = path.replace(':clinicId', app.clinic.clinicId).replaceAll(/:\w+/g, 'some-id').replaceAll('\\', '');
    const { status } = await app.request(method.toUpperCase(), filled, { bearer: operator });
    if (status !== 401 && status !== 403) opened.push(`${status} ${method} ${path}`);
  }

  expect(body).toMatchObject({ role: 'operator', rights: [], clinicId: null, clinic: null });
  expect(opened).toEqual([]);
  expect((await get('/operations/clinics', operator)).status).toBe(200);
});

test('nobody of a clinic, no account without one and no key sees them', async () => {
  const bearers = [await app.admin(), await app.staff(), await app.signIn(app.unlinkedAccount), app.clinic.apiKey];

  const statuses = await Promise.all(bearers.map(async (each) => (await get('/operations/clinics', each)).status));

  expect(statuses).toEqual([403, 403, 403, 401]);
});

test('each figure is that of the clinic’s own records, and the worst clinic comes first', async () => {
  const { clinicId, name } = app.clinic;
  const { sql } = app.database;
  const attemptedAt = new Date();
  const person = { firstName: 'Wilhelmina', lastName: 'Featherstone', phone: aPhone() };
  const openCase = () => app.stores.runs.openRecovery({ clinicId, sessionId: aSession(), patient: person, form: {} });
  const [first, second] = [await openCase(), await openCase()];
  await sql`update workflow_runs set started_at = now() - interval '5 minutes' where id = ${first.workflowId}`;
  await sql`update workflow_runs set dispatched_at = now() where id = ${second.workflowId}`;
  await sql`
    update deliveries set state = 'DEAD', next_attempt_at = null, created_at = now() - interval '1 hour'
    where id in (select id from deliveries where clinic_id = ${clinicId} and state = 'PENDING' order by id limit 1)`;
  await sql`
    update receivers set failures = 13, failing_since = '2026-01-02T03:04:05.000Z', last_error = 'http_500'
    where clinic_id = ${clinicId} and is_first`;
  await sql`
    insert into receivers (id, clinic_id, name, url, failures, failing_since, is_enabled, removed_at)
    values ('switched-off', ${clinicId}, 'off', 'https://off.example', 1, '2025-01-01', false, null),
      ('removed', ${clinicId}, 'removed', 'https://removed.example', 1, '2025-01-01', true, now()),
      ('well', ${clinicId}, 'well', 'https://well.example', 0, null, true, null)`;
  await sql`
    insert into deliveries (id, clinic_id, event_id, receiver_id, event, subject, place, state, created_at)
    select 'to-' || r.id, d.clinic_id, d.event_id, r.id, d.event, d.subject, d.place, 'DEAD',
      case when r.id = 'removed' then now() else now() - interval '11 weeks' end
    from receivers r, (select * from deliveries where clinic_id = ${clinicId} order by id limit 1) d
    where r.clinic_id = ${clinicId} and r.id in ('switched-off', 'removed', 'well')`;
  await sql`
    insert into delivery_attempts (id, clinic_id, delivery_id, receiver_id, url, duration_ms, at)
    values ('long-ago', ${clinicId}, 'to-well', 'well', 'https://well.example', 1, now() - interval '11 weeks'),
      ('of-today', ${clinicId}, 'to-well', 'well', 'https://well.example', 1, ${attemptedAt})`;
  for (const reason of Object.values(faultReasons).flat()) {
    const cause = reason === 'booking_to_check' ? `${EHR_CHANGE}figures` : `figures:${reason}`;
    await app.stores.tasks.open({ clinicId, reason, cause });
  }
  await app.stores.tasks.open({ clinicId, reason: 'booking_to_check', cause: 'figures:said-in-a-call' });
  await sql`update staff_tasks set created_at = '2026-01-01T00:00:00Z' where cause = 'figures:workflow_failed'`;
  await sql`update staff_tasks set created_at = '2026-01-01T00:00:01Z' where cause = 'figures:bulk_reads'`;
  await app.stores.tasks.open({ clinicId, reason: 'follow_up_required', cause: 'figures:not-of-operators' });
  await app.stores.pauses.pause({ clinicId, workflowType: null, reason: 'a test', until: null }, { actor: 'operator' });
  await app.stores.erasures.request(
    { clinicId, patientId: first.patientId ?? '', reason: 'patient_request' },
    { actor: 'operator' },
  );
  await sql`update duties set passed_at = now(), expires_at = now() + interval '1 minute' where name = 'relay'`;
  // Of everybody and of the clinic, and over: they hold nothing up any more.
  await sql`
    insert into outreach_pauses (id, clinic_id, reason, paused_by, paused_at, ends_at, resumed_at)
    select coalesce(of, 'all') || n, of, 'was', 'operator', now() - interval '2 hours', ends_at, resumed_at
    from unnest(array[null, ${clinicId}]) of, (values (1, now() - interval '1 hour', null), (2, null, now()))
      ended (n, ends_at, resumed_at)`;

  const { body, text } = await get('/operations/clinics', operator);

  const counts = Object.fromEntries(Object.entries(faultReasons).map(([kind, reasons]) => [kind, reasons.length]));
  expect(body.items[0]).toEqual({
    clinicId,
    name,
    openRuns: 2,
    unstartedRuns: 1,
    stuckRuns: 0,
    runFaults: counts.runs,
    voiceFaults: counts.voice,
    systemFaults: counts.systems,
    setupFaults: counts.setup,
    alarms: counts.alarms,
    alarmKinds: [...faultReasons.alarms].toSorted(),
    newestAlarms: expect.arrayContaining([{ kind: 'bulk_reads', at: '2026-01-01T00:00:01.000Z' }]),
    failingEndpoints: 1,
    failing: [
      {
        endpointId: expect.any(String),
        endpointName: null,
        since: '2026-01-02T03:04:05.000Z',
        error: 'http_500',
      },
    ],
    deadDeliveries: 2,
    newestDead: [
      {
        deliveryId: 'to-well',
        event: 'recovery_case.created',
        endpointId: 'well',
        endpointName: 'well',
        at: attemptedAt.toISOString(),
      },
      expect.objectContaining({ event: 'recovery_case.created', endpointName: null }),
    ],
    deadEndpoints: expect.arrayContaining([
      { endpointId: 'well', endpointName: 'well', count: 1 },
      { endpointId: expect.any(String), endpointName: null, count: 1 },
    ]),
    waitingDeliveries: 1,
    waitingErasures: 1,
    pauses: 1,
    needsALook: true,
    since: {
      unstartedRuns: expect.any(String),
      runFaults: '2026-01-01T00:00:00.000Z',
      voiceFaults: expect.any(String),
      systemFaults: expect.any(String),
      setupFaults: expect.any(String),
      alarms: '2026-01-01T00:00:01.000Z',
      failingEndpoints: '2026-01-02T03:04:05.000Z',
      deadDeliveries: attemptedAt.toISOString(),
      waitingDeliveries: expect.any(String),
      waitingErasures: expect.any(String),
    },
    temporalUrl: expect.stringContaining(encodeURIComponent(`ClinicId = '${clinicId}'`)),
    temporalUrls: {
      stuckRuns: expect.stringContaining(
        encodeURIComponent("TemporalReportedProblems = 'category=WorkflowTaskFailed'"),
      ),
      runFaults: expect.stringContaining(encodeURIComponent("ExecutionStatus IN ('Failed', 'Terminated', 'TimedOut')")),
      failingEndpoints: expect.stringContaining(encodeURIComponent("WorkflowType = 'deliverEvents'")),
      waitingDeliveries: expect.stringContaining(encodeURIComponent("WorkflowType = 'deliverEvents'")),
      waitingErasures: expect.stringContaining(encodeURIComponent("WorkflowType = 'erasePatient'")),
    },
  });
  const { stuckRuns, openRuns, alarms, needsALook, since } = body.items[1];
  expect({ stuckRuns, openRuns, alarms, needsALook }).toEqual({
    stuckRuns: 0,
    openRuns: 0,
    alarms: 0,
    needsALook: false,
  });
  expect(new Set(Object.values(since))).toEqual(new Set([null]));
  expect(body.pauses).toMatchObject([
    { clinicId, workflowType: null, reason: 'a test', isByOperator: true, pausedAt: expect.any(String), until: null },
  ]);
  expect(body).toMatchObject({ clinics: 2, needALook: 1, isTemporalReachable: true, isEveryClinicPaused: false });
  expect(body.oldest.startSeconds).toBeGreaterThan(290);
  expect(body.duties.map(({ name: duty, isHeld, isLate }: Record<string, unknown>) => [duty, isHeld, isLate])).toEqual([
    ['fulfil', false, true],
    ['mail', false, true],
    ['reconcile', false, true],
    ['relay', true, false],
  ]);
  expect(text).not.toMatch(/Wilhelmina|Featherstone/);
});

test('what the page counts as given up is what its command counts, and sends when told to', async () => {
  const { clinicId } = app.clinic;
  const resend = (...args: string[]) => command('resend-dead', '--clinic', clinicId, ...args);
  const { body } = await get('/operations/clinics', operator);
  const [toWell, toFirst] = body.items[0].newestDead;
  await app.database.sql`
    update deliveries set state = 'DEAD', next_attempt_at = null, created_at = now() - interval '11 weeks'
    where clinic_id = ${clinicId} and receiver_id = ${toFirst.endpointId} and state = 'PENDING'`;
  const within = (endpointId: string) => ['--endpoint', endpointId, '--days', '7'];

  const counted = await resend(...within(toWell.endpointId));
  const countedFirst = await resend(...within(toFirst.endpointId));
  const olderToo = await resend('--endpoint', toFirst.endpointId);
  const sentBy = `clinic resend-dead --clinic ${clinicId} --endpoint well --days 7 --send`;

  expect(counted).toMatchObject({ total: 1, parts: [{ name: 'recovery_case.created', count: 1 }], job: null, sentBy });
  expect([countedFirst.total, olderToo.total]).toEqual([1, 2]);
  const begun = await resend(...within(toFirst.endpointId), '--send');
  expect(begun).toMatchObject({ total: 1, parts: [{ name: 'recovery_case.created', count: 1 }] });
  expect(await app.stores.bulkJobs.find(clinicId, begun.job)).toMatchObject({
    state: 'RUNNING',
    requestedBy: 'operator',
    total: 1,
    // The first endpoint is that of who names none, also where it is named.
    filter: expect.not.objectContaining({ endpointId: expect.anything() }) as unknown,
  });
  await app.stores.bulkSteps.resendSome(clinicId, begun.job, null);
  const queued = await app.database.sql`
    select id from deliveries where clinic_id = ${clinicId} and receiver_id = ${toFirst.endpointId} and state = 'PENDING'`;
  expect(queued).toEqual([{ id: toFirst.deliveryId }]);
  await expect(resend('--send')).rejects.toThrow('Events of this clinic are being sent again already.');
  await expect(resend('--send', '--endpoint', 'nowhere')).rejects.toThrow('The endpoint is off, or not there');
  await expect(command('resend-dead', '--clinic', 'nope')).rejects.toThrow('There is no clinic nope.');
});

test.each([
  ['just now', 0, 1],
  ['a minute short of a week ago', 7 * 24 * 60 - 1, 1],
  ['a minute more than a week ago', 7 * 24 * 60 + 1, 0],
])('what was given up %s is counted, or known already', async (_when, minutes, count) => {
  const { clinicId } = app.clinic;
  await app.database.sql`
    update delivery_attempts set at = now() - make_interval(mins => ${minutes}) where id = 'of-today' and clinic_id = ${clinicId}`;

  const { items } = await app.stores.clinicStates.read({ stuck: new Map(), limit: 10 });

  const { deadEndpoints = [] } = items.find((each) => each.clinicId === clinicId) ?? {};
  const ofWell = deadEndpoints.filter(({ endpointId }) => endpointId === 'well');
  expect(ofWell.map((each) => each.count)).toEqual(count === 0 ? [] : [count]);
});

test('a named sandbox is no clinic of these, and its parent is', async () => {
  const { clinicId } = app.clinic;
  const { clinicStates, namedSandboxes } = app.stores;
  const before = await clinicStates.read({ stuck: new Map(), limit: 10 });
  const opened = await namedSandboxes.open({ clinicId, name: 'one', now: new Date() });

  const { items, clinics } = await clinicStates.read({ stuck: new Map(), limit: 10 });

  expect([clinics, items.map((each) => each.clinicId)]).toEqual([2, before.items.map((each) => each.clinicId)]);
  expect(items.map((each) => each.clinicId)).toContain(clinicId);
  if (opened.kind === 'opened') await namedSandboxes.remove(clinicId, opened.sandbox.id);
  expect(opened.kind).toBe('opened');
});

test('the runbook and the pages that it refers to are read there, and no other file', async () => {
  const read = async (page: string) => (await get(`/operations/runbook?page=${page}`, operator)).status;

  const { text } = await get('/operations/runbook', operator);
  const linked = [...text.matchAll(/\]\(([\w-]+)\.md/g)].map(([, page = '']) => page);

  expect(text).toContain("## The operator's page");
  expect(new Set(await Promise.all([...new Set(linked)].map(read)))).toEqual(new Set([200]));
  expect(await read('nothing')).toBe(404);
  expect(await read(encodeURIComponent('../README'))).toBe(400);
});

test('every link of the runbook leads to a heading that is there', async () => {
  const { text } = await get('/operations/runbook', operator);

  const anchors = new Set(
    [...text.matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
      heading
        .toLowerCase()
        .replaceAll(/[^a-z0-9 -]/g, '')
        .replaceAll(' ', '-'),
    ),
  );
  const missing = [...text.matchAll(/\]\(#([^)]+)\)/g)].filter(([, anchor = '']) => !anchors.has(anchor));
  expect(missing).toEqual([]);
});

test('a call that a pause holds back waits for no line, and one of another type does', async () => {
  const { clinicId } = app.otherClinic;
  const person = { firstName: 'Wilhelmina', lastName: 'Featherstone', phone: aPhone() };
  const { workflowId } = await app.stores.runs.openRecovery({
    clinicId,
    sessionId: aSession(),
    patient: person,
    form: {},
  });
  await app.database.sql`
    insert into line_tickets (workflow_id, clinic_id, phone, priority, due_at)
    values (${workflowId}, ${clinicId}, ${person.phone}, 1, now() - interval '30 minutes')`;
  const waited = async () => Math.round((await get('/operations/clinics', operator)).body.oldest.callSeconds / 60);
  const held = async (workflowType: 'care-gap-follow-up' | 'abandonment-recovery' | null, of: string | null) => {
    const pause = { clinicId: of, workflowType, reason: 'a test', until: null };
    const { id } = await app.stores.pauses.pause(pause, { actor: 'operator' });
    const minutes = await waited();
    await app.stores.pauses.resume(of, id, { actor: 'operator' });
    return minutes;
  };

  expect(await waited()).toBe(30);
  expect(await held('care-gap-follow-up', clinicId)).toBe(30);
  expect(await held('abandonment-recovery', clinicId)).toBe(0);
  expect(await held(null, clinicId)).toBe(0);
  expect(await held(null, null)).toBe(0);
});

test('what Temporal calls stuck is counted with the clinic and leads the list', async () => {
  const { clinicId } = app.otherClinic;

  const { items } = await app.stores.clinicStates.read({ stuck: new Map([[clinicId, 100]]), limit: 1 });

  expect(items).toMatchObject([{ clinicId, stuckRuns: 100 }]);
});

test('an operator’s account is listed apart, disabled, enabled and reset by the command', async () => {
  const email = 'second-operator@service.example';
  const bearer = await anOperator(email);

  const { accounts } = await command('account', 'list', '--operator');
  await command('account', 'disable', '--email', email);
  const disabled = (await post('/auth/sign-in/email', { email, password })).status;
  await command('account', 'enable', '--email', email);
  const { link } = await command('account', 'reset', '--email', email);
  const used = await post('/auth/links/use', { token: link.split('#')[1], password: 'green velvet submarine' });

  expect(accounts.map((each: { email: string; role: string }) => [each.email, each.role])).toEqual([
    ['operator@service.example', 'operator'],
    [email, 'operator'],
  ]);
  expect([disabled, (await get('/operations/clinics', bearer)).status, used.status]).toEqual([401, 401, 200]);
  await expect(command('account', 'add', '--operator', '--clinic', 'x', '--email', email)).rejects.toThrow(
    /conflict|cannot/,
  );
  await expect(command('account', 'add', '--email', email)).rejects.toThrow('--clinic or --operator must be given');
});

test('the database has no operator of a clinic', async () => {
  const { clinicId, email } = app.clinic;

  await expect(
    app.database.sql`update users set role = 'operator' where clinic_id = ${clinicId} and email = ${email}`,
  ).rejects.toThrow('users_operator_of_no_clinic');
});

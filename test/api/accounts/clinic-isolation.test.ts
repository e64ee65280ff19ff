import { startApp, type App } from '../../support/app';
import type { Answer } from '../../support/clinic-client';
import { aValidationRun } from '../../support/calls';
import { openStream } from '../../support/event-stream';
import { aBooking, aNote, type FhirClinic, openSandbox } from '../../support/fhir';

/** Every route that takes an id, asked for another clinic's: the answer is the one for an id that does not exist. */

let app: App;
let clinic: FhirClinic;
let other: FhirClinic;
/** The other clinic's, by the name of the parameter. */
let foreign: Record<string, string>;
let operations: { method: string; path: string; isForKeys: boolean; takesCursor: boolean }[];

interface Operation {
  security: Record<string, unknown>[];
  parameters?: { in: string; name: string }[];
}

/** What a request needs besides the id to get past its validation. */
const bodies: Record<string, (id: string) => unknown> = {
  'PUT /Appointment/{id}': () => ({ resourceType: 'Appointment', status: 'cancelled' }),
  'PUT /Subscription/{subscriptionId}': () => ({
    resourceType: 'Subscription',
    status: 'off',
    reason: 'Elsewhere',
    criteria: `${app.baseUrl}/Basic/appointment-change`,
    channel: { type: 'rest-hook', endpoint: 'https://elsewhere.example' },
  }),
  'POST /Subscription/{subscriptionId}/$events': () => ({ resourceType: 'Parameters', parameter: [] }),
  'POST /Appointment/{id}/$reschedule': () => ({ start: future() }),
  'POST /appointments/{appointmentId}/reschedule': () => ({ startsAt: future() }),
  'POST /appointments/{appointmentId}/attendance': () => ({ status: 'booked' }),
  'POST /patients/{patientId}/notes': () => ({ note: 'Prefers the afternoon' }),
  'POST /patients/{patientId}/opt-outs': () => ({}),
  'POST /patients/{patientId}/erasure': (id) => ({ reason: 'patient_request', confirm: id }),
  'PUT /patients/{patientId}/legal-hold': () => ({ reason: 'A case at court' }),
  'PATCH /patients/{patientId}': () => ({ firstName: 'Changed' }),
  'PATCH /accounts/{accountId}': () => ({ role: 'staff' }),
  'PATCH /auth/passkeys/{passkeyId}': () => ({ name: 'Changed' }),
  'POST /auth/passkeys/{passkeyId}/remove': () => ({ password: clinic.clinic.password }),
  'PATCH /views/{viewId}': () => ({ name: 'Changed' }),
  'PATCH /tasks/{taskId}': () => ({ state: 'RESOLVED' }),
  'POST /tasks/{taskId}/notes': () => ({ note: 'Rang, nobody answered' }),
  'POST /proposals/{proposalId}': () => ({ decision: 'accept' }),
  'PUT /integrations/outbound/endpoints/{endpointId}': () => anEndpoint,
  'POST /validation-runs/{runId}/handled-events': () => ({ webhookId: 'an-event' }),
};
const anEndpoint = { name: 'A warehouse', url: 'http://127.0.0.1:9/warehouse' };
const queries: Record<string, string> = { 'GET /providers/{name}/calendar': '?from=2030-01-07&until=2030-01-08' };
/** Parameters that name no record of a clinic, or one that the caller's own secret decides. */
const notIds = ['toolName', 'event', 'asset', 'clinicId'];
const future = () => '2030-01-07T16:00:00.000Z';
const nowhere = 'no-such-id';

beforeAll(async () => {
  app = await startApp({ hasWorker: false });
  [clinic, other] = await Promise.all([openSandbox(app), openSandbox(app, app.otherClinic)]);
  const { clinicId } = other.clinic;
  await app.stores.sandboxLeniency.change({
    clinicId: clinic.clinic.clinicId,
    to: { showsNextAppointmentOnly: false },
  });

  const [appointment, patientId] = [await other.aBooked(), await other.aPatient()];
  await app.request('PUT', '/integrations/outbound', {
    body: { url: 'http://127.0.0.1:9/hook' },
    bearer: other.admin,
  });
  const endpoint = await app.request('POST', '/integrations/outbound/endpoints', {
    body: anEndpoint,
    bearer: other.admin,
  });
  const started = await app.abandon({}, other.clinic);
  await app.stores.tasks.open({ clinicId, reason: 'clinical_escalation', cause: 'a-cause', patientId });
  const ofClinic = { limit: 1 };
  const [tasks, deliveries, keys, optOut] = await Promise.all([
    app.stores.tasks.list(clinicId, ofClinic),
    app.stores.deliveries.list(clinicId, ofClinic),
    app.stores.keys.listApiKeys(clinicId),
    app.stores.optOuts.add(clinicId, '+15005550123'),
  ]);
  const caller = { clinicId, patientId, callId: other.clinic.testCallId, isMatchedByNumber: true };
  await app.stores.registration.update(caller, { preferredLocation: 'Elsewhere' });
  const [proposal] = await app.stores.proposals.ofPatient(clinicId, patientId);
  const pause = await app.stores.pauses.pause(
    { clinicId, workflowType: 'care-gap-follow-up', reason: 'a test', until: null },
    { actor: 'operator' },
  );
  const erased = await other.aPatient();
  const erasure = await app.stores.erasures.request(
    { clinicId, patientId: erased, reason: 'patient_request' },
    { actor: 'operator' },
  );
  if (erasure.kind !== 'requested') throw new Error(erasure.kind);
  // Of a time in which nothing was started.
  const filter = { until: '2000-01-01T00:00:00.000Z' };
  const job = await app.stores.bulkJobs.start(clinicId, { kind: 'cancel_runs', filter }, { actor: 'operator' });
  if (job.kind !== 'started') throw new Error(job.kind);
  await app.stores.clientKeys.create(clinicId, 'ES384');
  const [key] = await app.stores.clientKeys.list(clinicId);
  const before = await app.stores.providers.list(clinicId);
  await app.stores.providers.replace(clinicId, [...before, { ...before[0]!, name: 'Dr.Elsewhere' }]);
  const [accounts, invitation] = await Promise.all([
    app.stores.staff.accounts(clinicId),
    app.stores.accountLinks.invite({ clinicId, email: 'new@elsewhere.example', role: 'staff' }, { actor: 'operator' }),
  ]);
  const accountId = accounts.find(({ role }) => role === 'staff')!.id;
  await app.signIn(other.clinic.staff);
  const [session] = await app.stores.accountSessions.list({ clinicId, accountId });
  const passkeyId = 'a-passkey-elsewhere';
  await app.database.sql`
    insert into passkeys (id, user_id, name, credential_id, public_key, counter, is_synced)
    values (${passkeyId}, ${accountId}, 'Elsewhere', 'credential', 'key', 0, false)`;
  const aView = { list: 'cases', name: 'theirs', filters: { show: 'open' }, isShared: true } as const;
  const view = await app.stores.savedViews.save({ clinicId, accountId }, aView, { actor: 'operator' });
  if (view.kind !== 'saved') throw new Error(view.kind);
  const runId = await aValidationRun(app, clinicId);
  await app.stores.sandboxData.take({ clinicId, name: 'theirs', realNow: new Date() });
  const failure = await app.stores.sandboxFailures.choose({
    clinicId,
    failure: 'server_error',
    operation: 'schedule',
    identifier: null,
    parameters: {},
    times: 1,
    endsAt: new Date(Date.now() + 3_600_000),
  });
  if (failure.kind !== 'chosen') throw new Error(failure.kind);
  const jwks = { keys: [] };
  const client = await app.stores.sandboxClients.register({ clinicId, name: 'theirs', jwks });
  if (client.kind !== 'registered') throw new Error(client.kind);
  const wish = { earliestOn: '2035-01-01', latestOn: '2035-12-31', fromTime: null, untilTime: null };
  const waiting = await app.stores.waitlist.add(
    { clinicId, patientId, provider: null, visitType: 'Check-up', ...wish },
    'test',
  );
  if (waiting.kind !== 'added') throw new Error(waiting.kind);
  const opened = await app.stores.namedSandboxes.open({ clinicId, name: 'theirs', now: new Date() });
  if (opened.kind !== 'opened') throw new Error(opened.kind);
  const subscribed = await app.stores.fhirSubscriptions.add(clinicId, {
    baseUrl: app.baseUrl,
    url: 'https://theirs.example/changes',
    payload: 'application/fhir+json',
    content: 'id-only',
    reason: 'theirs',
    patientId: null,
    providerName: null,
    heartbeatSeconds: null,
    endsAt: null,
  });
  foreign = {
    subscriptionId: subscribed?.subscription.id ?? '',
    entryId: waiting.entry.id,
    sandboxId: opened.sandbox.id,
    failureId: failure.failure.id,
    clientId: client.client.id,
    endpointId: endpoint.body.id,
    snapshot: 'theirs',
    accountId,
    invitationId: invitation.id,
    sessionId: session!.id,
    passkeyId,
    id: appointment.id,
    appointmentId: appointment.id,
    patientId,
    name: 'Dr.Elsewhere',
    workflowId: started.body.workflowId,
    recoveryCaseId: started.body.recoveryCaseId,
    callId: other.clinic.testCallId,
    optOutId: optOut.id,
    pauseId: pause.id,
    taskId: tasks.items[0]!.id,
    proposalId: proposal!.id,
    deliveryId: deliveries.items[0]!.id,
    apiKeyId: keys[0]!.id,
    kid: key!.kid,
    erasureId: erasure.erasure.id,
    jobId: job.job.id,
    viewId: view.view.id,
    runId,
  };

  const { body } = await app.request('GET', '/openapi.json');
  operations = Object.entries<Record<string, Operation>>(body.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { security, parameters = [] }]) => ({
      method: method.toUpperCase(),
      path,
      isForKeys: security.some((scheme) => 'apiKey' in scheme),
      takesCursor: parameters.some(({ in: place, name }) => place === 'query' && name === 'cursor'),
    })),
  );
});
afterAll(() => app.stop());

test("every route of the API answers another clinic's id as an unknown one, and changes nothing", async () => {
  const rows = operations.filter(({ path }) => parameterOf(path) !== null && !notIds.includes(parameterOf(path)!));
  const untouched = await stateOfOther();

  const found: Record<string, unknown> = {};
  for (const { method, path, isForKeys } of rows) {
    const route = `${method} ${path}`;
    const parameter = parameterOf(path)!;
    const id = foreign[parameter];
    // A new kind of id needs a row in `foreign`.
    if (id === undefined) throw new Error(`no record of another clinic is known for ${route}`);
    const ask = (given: string) =>
      app.request(method, path.replace(`{${parameter}}`, given) + (queries[route] ?? ''), {
        body: bodies[route]?.(given),
        bearer: isForKeys ? clinic.clinic.apiKey : clinic.admin,
      });
    const [theirs, unknown] = [await ask(id), await ask(nowhere)];
    const isSame = withoutId(theirs, id) === withoutId(unknown, nowhere);
    if (theirs.status !== 404 || !isSame) found[route] = [theirs.text, unknown.text];
  }

  expect(found).toEqual({});
  expect(rows.length).toBeGreaterThan(15);
  expect(await stateOfOther()).toEqual(untouched);
});

test('an id of another clinic in a body or a search is answered as an unknown one', async () => {
  const asks: ((id: string) => Promise<Answer>)[] = [
    (patient) => clinic.post('/Appointment/$book', aBooking({ patient, start: future() })),
    (patient) => clinic.post('/DocumentReference', aNote(patient)),
    (patientId) =>
      app.request('POST', '/appointments', {
        body: { patientId, providerName: 'Dr.Chen', startsAt: future() },
        bearer: clinic.clinic.apiKey,
      }),
    (patientId) => app.request('POST', '/voice/test-calls', { body: { patientId }, bearer: clinic.admin }),
  ];

  for (const ask of asks) {
    const [theirs, unknown] = [await ask(foreign.patientId!), await ask(nowhere)];
    expect([theirs.status, withoutId(theirs, foreign.patientId!)]).toEqual([404, withoutId(unknown, nowhere)]);
  }
  const [theirEndpoint, noEndpoint] = await Promise.all(
    [foreign.endpointId!, nowhere].map((endpointId) =>
      app.request('POST', '/deliveries/resend', { body: { endpointId }, bearer: clinic.admin }),
    ),
  );
  expect([theirEndpoint!.status, withoutId(theirEndpoint!, foreign.endpointId!)]).toEqual([
    404,
    withoutId(noEndpoint!, nowhere),
  ]);
  const theirCase = await app.request('POST', '/voice/test-calls', {
    body: { recoveryCaseId: foreign.recoveryCaseId },
    bearer: clinic.admin,
  });
  expect(theirCase.status).toBe(404);
  const untouched = await stateOfOther();
  const tasks = [{ id: foreign.taskId }, { id: nowhere }];
  const changed = await app.request('POST', '/tasks/changes', {
    body: { tasks, change: { state: 'RESOLVED', priority: 'HIGH' } },
    bearer: clinic.admin,
  });
  const left = { result: 'unknown', task: null };
  expect(changed.body.items).toEqual(tasks.map(({ id }) => ({ id, ...left })));
  expect(await stateOfOther()).toEqual(untouched);

  const searches = [
    ['GET', `/Appointment?patient=Patient/${foreign.patientId}`],
    ['GET', `/appointments?patientId=${foreign.patientId}`],
    ['GET', `/deliveries?endpointId=${foreign.endpointId}`],
  ] as const;
  for (const [method, path] of searches) {
    const { status, body } = await app.request(method, path, { bearer: clinic.admin });
    expect([status, body.items ?? body.entry]).toEqual([200, []]);
  }
});

test("no list of one clinic shows a record of the other, and no list takes the other's cursor", async () => {
  const bearer = clinic.admin;
  const lists = ['/patients', '/appointments', '/cases', '/calls', '/tasks', '/deliveries', '/erasures', '/bulk-jobs'];

  for (const list of lists) {
    const [ours, theirs] = await Promise.all([
      app.request('GET', `${list}?limit=200`, { bearer }),
      app.request('GET', `${list}?limit=200`, { bearer: other.admin }),
    ]);
    const ids = (answer: Answer): string[] =>
      answer.body.items.map((item: Record<string, string>) => item.id ?? item.recoveryCaseId ?? item.callId);
    expect(ids(theirs).length).toBeGreaterThan(0);
    expect(ids(ours).filter((id) => ids(theirs).includes(id))).toEqual([]);
  }
  const { body } = await app.request('GET', '/patients?limit=1', { bearer: other.admin });
  expect((await app.request('GET', `/patients?cursor=${body.nextCursor}`, { bearer })).status).toBe(400);
  // A cursor belongs to its list as well.
  const paged = operations.filter(({ path, takesCursor }) => takesCursor && path !== '/patients');
  for (const { method, path, isForKeys } of paged) {
    const credential = isForKeys ? other.clinic.apiKey : other.admin;
    const list = path.replace(/\{(\w+)\}/g, (_whole, name: string) => foreign[name] ?? name);
    const { status } = await app.request(method, `${list}?cursor=${body.nextCursor}`, { bearer: credential });
    expect([path, status]).toEqual([path, 400]);
  }
  expect(paged.length).toBeGreaterThan(8);
});

test('nobody hears of the other clinic in the stream, nor takes its telephone line, nor learns whose it is', async () => {
  const [ours, theirs] = await Promise.all([
    openStream(app.baseUrl, clinic.admin),
    openStream(app.baseUrl, other.admin),
  ]);
  const items = [{ number: '+15005550199', platformId: 'a-line-elsewhere' }];
  const put = (bearer: string, given: unknown) =>
    app.request('PUT', '/integrations/phone-numbers', { body: { items: given }, bearer });

  const theirLine = await put(other.admin, items);
  const refused = await put(clinic.admin, items);
  await app.request('PATCH', `/tasks/${foreign.taskId}`, { body: { priority: 'HIGH' }, bearer: other.admin });
  await theirs.change('staff_tasks', foreign.taskId);
  const heard = ours.text();
  for (const stream of [ours, theirs]) stream.close();

  expect([theirLine.status, refused.status]).toEqual([200, 409]);
  for (const about of [other.clinic.clinicId, other.clinic.name]) expect(refused.text).not.toContain(about);
  expect((await app.request('GET', '/integrations/phone-numbers', { bearer: clinic.admin })).body.items).toEqual([]);
  expect(heard).not.toContain(foreign.taskId);
});

const parameterOf = (path: string): string | null => /\{(\w+)\}/.exec(path)?.[1] ?? null;

const withoutId = ({ status, text }: Answer, id: string) => `${status} ${text.replaceAll(id, '<id>')}`;

async function stateOfOther() {
  const { clinicId } = other.clinic;
  const [state] = await app.database.sql`
    select (select json_agg(a order by id) from appointments a where clinic_id = ${clinicId}) as appointments,
      (select json_agg(p order by id) from patients p where clinic_id = ${clinicId}) as patients,
      (select json_agg(t order by id) from staff_tasks t where clinic_id = ${clinicId}) as tasks,
      (select json_agg(n order by id) from task_notes n where clinic_id = ${clinicId}) as "taskNotes",
      (select json_agg(g order by id) from record_proposals g where clinic_id = ${clinicId}) as proposals,
      (select json_agg(d order by id) from deliveries d where clinic_id = ${clinicId}) as deliveries,
      (select json_agg(f order by id) from receivers f where clinic_id = ${clinicId}) as endpoints,
      (select json_agg(row(f.content, f.version) order by id) from fhir_subscriptions f where clinic_id = ${clinicId}) as subscriptions,
      (select json_agg(s.name order by id) from secrets s where clinic_id = ${clinicId} and kind = 'signing') as "endpointSecrets",
      (select json_agg(o order by id) from opt_outs o where clinic_id = ${clinicId}) as "optOuts",
      (select json_agg(r order by id) from recovery_cases r where clinic_id = ${clinicId}) as cases,
      (select json_agg(row(u.role, u.disabled_at) order by id) from users u where clinic_id = ${clinicId}) as accounts,
      (select json_agg(l.hash order by id) from account_links l where clinic_id = ${clinicId}) as links,
      (select json_agg(p order by p.id) from passkeys p join users u on u.id = p.user_id where u.clinic_id = ${clinicId}) as passkeys,
      (select json_agg(s.id order by s.id) from sessions s join users u on u.id = s.user_id where u.clinic_id = ${clinicId}) as sessions,
      (select json_agg(e order by id) from erasures e where clinic_id = ${clinicId}) as erasures,
      (select json_agg(v order by id) from saved_views v where clinic_id = ${clinicId}) as views,
      (select json_agg(h) from legal_holds h where clinic_id = ${clinicId}) as holds,
      (select json_agg(k.revoked_at order by id) from api_keys k where clinic_id = ${clinicId}) as keys`;
  return state;
}

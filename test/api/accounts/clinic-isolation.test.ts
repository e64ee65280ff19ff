import { endOfCall, statusUpdate, toolCallMessage } from '@clinic/gateways/voice/simulator/speak';
import { tools } from '@clinic/api/tools/registry';
import { startApp, type App } from '../../support/app';
import { changeInEveryTable } from '../../support/announced-changes';
import type { Answer } from '../../support/clinic-client';
import { anEnvelope } from '../../support/builders';
import { eventually } from '../../support/eventually';
import { openStream } from '../../support/event-stream';
import { aBooking, aNote, type FhirClinic, openSandbox } from '../../support/fhir';
import { anEndpoint, foreignRecords } from '../../support/foreign-records';

/** Every route that takes an id, asked for another clinic's: the answer is the one for an id that does not exist. */

let app: App;
let clinic: FhirClinic;
let other: FhirClinic;
/** The other clinic's, by the name of the parameter. */
let foreign: Record<string, string>;
let operations: {
  method: string;
  path: string;
  isForKeys: boolean;
  takesCursor: boolean;
  queryNames: string[];
  isStream: boolean;
  description: string;
}[];
let digests: string;

interface Operation {
  security: Record<string, unknown>[];
  parameters?: { in: string; name: string }[];
  responses: Record<string, { content?: Record<string, unknown> }>;
  description?: string;
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
  'POST /patients/{patientId}/opt-outs/lift': () => ({ reason: 'patient_asked' }),
  'POST /patients/{patientId}/merge': () => ({ replaced: 'no-such-person' }),
  'POST /patients/{patientId}/erasure': (id) => ({ reason: 'patient_request', confirm: id }),
  'PUT /patients/{patientId}/legal-hold': () => ({ reason: 'A case at court' }),
  'PATCH /patients/{patientId}': () => ({ firstName: 'Changed' }),
  'PATCH /accounts/{accountId}': () => ({ role: 'staff' }),
  'PATCH /auth/passkeys/{passkeyId}': () => ({ name: 'Changed' }),
  'POST /auth/passkeys/{passkeyId}/remove': () => ({ password: clinic.clinic.password }),
  'PUT /records/{recordId}/viewers': () => ({}),
  'PATCH /views/{viewId}': () => ({ name: 'Changed' }),
  'PATCH /tasks/{taskId}': () => ({ state: 'RESOLVED' }),
  'POST /tasks/{taskId}/notes': () => ({ note: 'Rang, nobody answered' }),
  'POST /proposals/{proposalId}': () => ({ decision: 'accept' }),
  'PUT /integrations/outbound/endpoints/{endpointId}': () => anEndpoint,
  'POST /validation-runs/{runId}/handled-events': () => ({ webhookId: 'an-event' }),
};
const queries: Record<string, string> = {
  'GET /providers/{name}/calendar': '?from=2030-01-07&until=2030-01-08',
  'GET /patients/{patientId}/merge': '?replaced=no-such-person',
};
/** Why there is no such record, by what the path begins with; everywhere else it is `not_found`. */
const missing: Record<string, string> = {
  Appointment: 'unknown_appointment',
  Basic: 'not_offered',
  Subscription: 'unknown_subscription',
};
/** Parameters that name no record of a clinic, or one that the caller's own secret decides. */
const notIds = ['toolName', 'event', 'asset', 'clinicId'];
const future = () => '2030-01-07T16:00:00.000Z';
const nowhere = 'no-such-id';

beforeAll(async () => {
  app = await startApp({ hasWorker: false });
  [clinic, other] = await Promise.all([openSandbox(app), openSandbox(app, app.otherClinic)]);
  await app.stores.sandboxLeniency.change({
    clinicId: clinic.clinic.clinicId,
    to: { showsNextAppointmentOnly: false },
  });

  foreign = await foreignRecords(app, other);

  const { body } = await app.request('GET', '/openapi.json');
  operations = Object.entries<Record<string, Operation>>(body.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { security, parameters = [], responses, description = '' }]) => ({
      method: method.toUpperCase(),
      path,
      isForKeys: security.some((scheme) => 'apiKey' in scheme),
      takesCursor: parameters.some(({ in: place, name }) => place === 'query' && name === 'cursor'),
      queryNames: parameters.flatMap(({ in: place, name }) => (place === 'query' ? [name] : [])),
      isStream: 'text/event-stream' in (responses['200']?.content ?? {}),
      description,
    })),
  );
  digests = await digestsOfTables();
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
    const code = theirs.body.code ?? theirs.headers.get('x-refusal-reason');
    const isMissing = theirs.status === 404 && code === (missing[path.split('/')[1]!] ?? 'not_found');
    if (!isMissing || !isSame) found[route] = [code, theirs.text, unknown.text];
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
  const ofOurs = { patient: await clinic.aPatient(), start: future() };
  const withProvider: ((name: string) => Promise<Answer>)[] = [
    (provider) => clinic.post('/Appointment/$book', aBooking({ ...ofOurs, provider })),
    (providerName) =>
      app.request('POST', '/appointments', {
        body: { patientId: ofOurs.patient, providerName, startsAt: ofOurs.start },
        bearer: clinic.clinic.apiKey,
      }),
  ];
  for (const ask of withProvider) {
    const [theirs, unknown] = [await ask(foreign.name!), await ask(nowhere)];
    expect([theirs.status, withoutId(theirs, foreign.name!)]).toEqual([404, withoutId(unknown, nowhere)]);
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

test("every search of the API finds by another clinic's id what it finds by an unknown one", async () => {
  const provider = foreign.name!;
  const asked: Record<string, string> = {
    ...foreign,
    assigneeId: foreign.accountId!,
    subject: foreign.patientId!,
    patient: `Patient/${foreign.patientId}`,
    actor: `account:${foreign.accountId}`,
    altid: `account:${foreign.accountId}`,
    providerName: provider,
    schedule: `Schedule/${provider}`,
    '/Schedule actor': `Practitioner/${provider}`,
    '/Subscription _id': foreign.subscriptionId!,
    '/Subscription/$status id': foreign.subscriptionId!,
    '/lookup id': foreign.patientId!,
  };
  const searches = operations.flatMap(({ method, path, queryNames, isForKeys }) =>
    parameterOf(path) === null
      ? queryNames
          .filter((name) => /Id$|^_?id$|^(actor|altid|patient|providerName|schedule|subject)$/.test(name))
          .map((name) => ({ method, path, name, isForKeys }))
      : [],
  );
  const untouched = await stateOfOther();

  const found: Record<string, unknown> = {};
  for (const { method, path, name, isForKeys } of searches) {
    const id = asked[`${path} ${name}`] ?? asked[name];
    // A new kind of id needs a row in `foreign`.
    if (id === undefined) throw new Error(`no record of another clinic is known for ${method} ${path}?${name}=`);
    const ask = (given: string) =>
      app.request(method, `${path}?${name}=${encodeURIComponent(given)}`, {
        bearer: isForKeys ? clinic.clinic.apiKey : clinic.admin,
      });
    const [, kind = '', bare = ''] = /^(\w+[/:])?(.*)$/.exec(id) ?? [];
    const [theirs, unknown] = [await ask(id), await ask(kind + nowhere)];
    if (withoutId(theirs, bare) !== withoutId(unknown, nowhere))
      found[`${method} ${path}?${name}=`] = [theirs.text, unknown.text];
  }

  expect(found).toEqual({});
  expect(searches.length).toBeGreaterThan(15);
  expect(await stateOfOther()).toEqual(untouched);
});

describe('the voice platform of one clinic', () => {
  let secret: string;
  let ownCallId: string;
  beforeAll(async () => {
    const rotated = await app.request('POST', '/integrations/voice/rotate-secret', { bearer: clinic.admin });
    ({ secret } = rotated.body);
    ownCallId = await app.openTestCall();
  });
  const say = (path: string, body: unknown) =>
    app.request('POST', path, { body, headers: { 'x-voice-secret': secret } });

  test.each(tools.map(({ family, name, example }) => [`${family}/${name}`, example.arguments as object] as const))(
    "%s knows neither a call of another clinic nor, in a call of its own, another clinic's records",
    async (path, example) => {
      const untouched = await stateOfOther();
      const ask = (callId: string, args: object) =>
        say(`/${path}`, anEnvelope(callId, [{ id: `of-${path}`, arguments: args }]));

      const [theirs, unknown] = [await ask(foreign.callId!, example), await ask(nowhere, example)];
      const ids = { ...foreign, clinicId: other.clinic.clinicId };
      const own = await ask(ownCallId, { ...example, ...ids });

      expect(theirs.text).toBe(unknown.text);
      expect(theirs.text).toContain('call not recognised');
      expect(own.status).toBe(200);
      for (const id of Object.values(ids)) expect(own.text).not.toContain(id);
      expect(await stateOfOther()).toEqual(untouched);
    },
  );

  const paths = ['/voice/events'];
  test.each(
    paths.flatMap((path) =>
      [
        statusUpdate('in-progress'),
        ...endOfCall({ reason: 'customer-ended-call', summary: 'Elsewhere' }),
        { type: 'assistant-request' },
        { type: 'transfer-destination-request' },
        toolCallMessage({ id: 'a-tool-call', tool: 'verify_patient', args: { dateOfBirth: '1980-01-01' } }),
      ].map((message) => [message.type, path, message] as const),
    ),
  )("what it reports as %s of another clinic's call is as of an unknown one", async (_type, path, message) => {
    const untouched = await stateOfOther();
    const about = (callId: string) => ({
      message: {
        ...message,
        phoneNumber: { number: '+15005550199' },
        call: {
          id: callId,
          type: 'inboundPhoneCall',
          customer: { number: '+15005550123' },
          assistantOverrides: { metadata: { callId } },
        },
      },
    });

    const [theirs, unknown] = [await say(path, about(foreign.callId!)), await say(path, about(nowhere))];

    expect(withoutId(theirs, foreign.callId!)).toBe(withoutId(unknown, nowhere));
    expect(await stateOfOther()).toEqual(untouched);
  });
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

test('nobody takes the telephone line of the other clinic, nor learns whose it is', async () => {
  const items = [{ number: '+15005550199', platformId: 'a-line-elsewhere' }];
  const put = (bearer: string, given: unknown) =>
    app.request('PUT', '/integrations/phone-numbers', { body: { items: given }, bearer });

  const theirLine = await put(other.admin, items);
  const refused = await put(clinic.admin, items);

  expect([theirLine.status, refused.status]).toEqual([200, 409]);
  for (const about of [other.clinic.clinicId, other.clinic.name]) expect(refused.text).not.toContain(about);
  expect((await app.request('GET', '/integrations/phone-numbers', { bearer: clinic.admin })).body.items).toEqual([]);
});

test('no stream tells of what another clinic does, whatever it is', async () => {
  const streams = operations.filter(({ isStream }) => isStream);
  // Below it stands which roles are let in.
  const [told = ''] = (streams[0]?.description ?? '').split('\n\n');
  const tables = [...told.matchAll(/`(\w+)`/g)].map(([, table = '']) => table);
  await fillRest();
  const [ours, theirs] = await Promise.all([
    openStream(app.baseUrl, clinic.admin),
    openStream(app.baseUrl, other.admin),
  ]);

  const changed = await changeInEveryTable(app, other.clinic.clinicId);
  const untold = () => tables.filter((table) => !theirs.changes().some((change) => change.table === table));
  await eventually(() => untold().length === 0, { within: 10_000 }).catch(() => undefined);
  expect(untold()).toEqual([]);
  // What comes after all of it is heard: ours was there, and open.
  const { clinicId } = clinic.clinic;
  await app.database.sql`update clinics set id = id where id = ${clinicId}`;
  await ours.change('clinics', clinicId);
  const heard = ours.changes();
  for (const stream of [ours, theirs]) stream.close();

  expect(heard).toEqual([{ table: 'clinics', id: clinicId }]);
  expect(streams.map(({ path }) => path)).toEqual(['/stream']);
  expect(changed).toEqual(expect.arrayContaining(tables));
  expect(tables.length).toBeGreaterThan(15);
});

/** What nothing else here makes of the other clinic, and the feed announces. */
async function fillRest(): Promise<void> {
  const { clinicId, testCallId } = other.clinic;
  await app.tool('emr-tools/check_availability', testCallId);
  await app.request('POST', `/tasks/${foreign.taskId}/notes`, { body: { note: 'Rang' }, bearer: other.admin });
  const ofPatient = `/patients/${foreign.patientId}`;
  await app.request('POST', `${ofPatient}/notes`, { body: { note: 'Prefers mornings' }, bearer: other.admin });
  await app.request('PUT', `${ofPatient}/legal-hold`, { body: { reason: 'A case at court' }, bearer: other.admin });
  // By a session of an administrator: one of the others is deleted, with what it looks at.
  await app.request('PUT', `/records/${foreign.patientId}/viewers`, { body: {}, bearer: other.admin });
  await app.request('PUT', '/sandbox/clock', { body: { at: '2035-03-01T08:00:00-07:00' }, bearer: other.admin });
  await app.database.sql`
    insert into call_decisions (id, clinic_id, workflow_id, stage, rule, decided, inputs)
    values ('a-decision-elsewhere', ${clinicId}, ${foreign.workflowId}, 'plan', 'none', '{}', '{}')`;
}

const parameterOf = (path: string): string | null => /\{(\w+)\}/.exec(path)?.[1] ?? null;

const withoutId = ({ status, text }: Answer, id: string) => `${status} ${text.replaceAll(id, '<id>')}`;

/** A digest of all that belongs to the other clinic, by table. */
async function stateOfOther(): Promise<Record<string, string | null>> {
  const { clinicId } = other.clinic;
  const rows = await app.database.prisma.$queryRawUnsafe<{ name: string; digest: string | null }[]>(digests, clinicId);
  return Object.fromEntries(rows.map(({ name, digest }) => [name, digest]));
}

/** Every table that knows its clinic, but the feed, which forgets by itself; and what of the clinic's people does not. */
async function digestsOfTables(): Promise<string> {
  const tables = await app.database.sql<{ name: string }>`
    select coalesce(table_name::text, '') as name from information_schema.columns
    where table_schema = 'public' and column_name = 'clinic_id' and table_name <> 'changes'
      and table_name in (select tablename from pg_tables where schemaname = 'public')`;
  const digest = (name: string, rows: string) =>
    `select '${name}' as name, (select md5(string_agg(t::text, '|' order by t::text)) from ${rows}) as digest`;
  const ofPeople = ['passkeys', 'sessions', 'second_factors', 'accounts'].map((name) =>
    digest(name, `"${name}" t join users u on u.id = t.user_id where u.clinic_id = $1`),
  );
  const itself = digest('clinics', 'clinics t where t.id = $1');
  return [...tables.map(({ name }) => digest(name, `"${name}" t where clinic_id = $1`)), ...ofPeople, itself].join(
    ' union all ',
  );
}

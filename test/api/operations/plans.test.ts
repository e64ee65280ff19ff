import { documentedRoutes } from '@clinic/api/openapi/documented-routes';
import { openDatabase } from '@clinic/prisma/client';
import { MAX_COUNTED } from '@clinic/prisma/stores/total';
import { startApp, type App } from '../../support/app';
import { aValidationRun } from '../../support/calls';
import { fill } from '../../support/fill';
import { type FhirClinic, openSandbox } from '../../support/fhir';
import { readsTooMuch, recordStatements, type Sent } from '../../support/plans';

/**
 * Every GET of the API, asked in a clinic with thousands of cases with each value of each of its filters: what it reads
 * comes by an index, and is not more than a page and what belongs to it.
 */

const CASES = 6_000;
/** A table with more rows grows. By chance the smallest of them has some 900, give or take a hundred. */
const MANY = 600;
/** What a list counts, and a page with what belongs to it. */
const AT_MOST = 1_050;
/** What belongs to 2,000 matches of a search's words is read and sorted. */
const AT_MOST_FOUND = 5_000;
/** A thousand are counted in the order of an index; of so few in all, what matches may be read and sorted instead. */
const AT_MOST_COUNTED = 5_000;

let app: App;
let clinic: FhirClinic;
let growing: string[];
let operations: Operation[];
let named: Record<string, Schema>;
/** A record of the filled clinic, by the name of the parameter that points to it. */
let known: Record<string, string | undefined>;
let statements: ReturnType<typeof recordStatements>;

interface Known {
  recoveryCaseId: string;
  workflowId: string;
  patientId: string;
  callId: string;
  deliveryId: string;
  taskId: string;
  appointmentId: string;
  optOutId: string;
}

interface Schema {
  $ref?: string;
  enum?: string[];
  anyOf?: Schema[];
}

interface Parameter {
  name: string;
  in: string;
  required?: boolean;
  schema: Schema;
}

interface Operation {
  path: string;
  isForKeys: boolean;
  parameters: Parameter[];
}

/** What is asked of parameters that take more than the words of a list. Anyone who adds a filter says here what to ask of it. */
const samples: Record<string, string[]> = {
  search: [
    'garcia maria',
    'quillfeather',
    'nobodyhasthisname',
    '(303) 000-4242',
    '03051980',
    'garcia 3/5/1980',
    'session-0a',
    'm',
    'mail',
  ],
  '/Appointment patient': ['Patient/patient'],
  '/AuditEvent patient': ['Patient/patient', 'Patient/nobody'],
  altid: ['account:3', 'account:nobody'],
  subtype: ['task.change', 'nothing.done'],
  '/Schedule actor': ['Practitioner/Dr.Chen'],
  actor: ['account:3', 'account:nobody'],
  action: ['task.change', 'nothing.done'],
  subject: ['case', 'no-such-subject'],
  assigneeId: ['none', 'no-such-account', 'none,no-such-account'],
  providerName: ['Dr.Filled1', 'Dr.Nobody'],
  phone: ['+13030000042', '+13039999999'],
  firstName: ['Maria', 'Nobody'],
  lastName: ['García', 'Nobody'],
  dateOfBirth: ['1980-03-05', '1899-01-01'],
  visitType: ['Follow-up consultation', 'Nothing of the kind'],
  withoutPause: ['no-such-pause'],
  '/providers/{name}/calendar from': ['2030-01-07'],
  '/providers/{name}/calendar until': ['2030-01-08'],
  '/audit from': ['2026-01-01T00:00:00.000Z', '2035-01-01T00:00:00.000Z'],
  '/audit until': ['2020-01-01T00:00:00.000Z', '2035-01-01T00:00:00.000Z'],
  dueUntil: ['2026-01-01', '2035-01-01'],
  from: ['2026-01-01', '2035-01-01'],
  until: ['2020-01-01', '2035-01-01'],
  identifier: ['MRN-1001'],
  schedule: ['Schedule/Dr.Chen'],
  '/Subscription status': ['active', 'off'],
  '/Subscription/$status status': ['active', 'off'],
  '/Subscription/$status id': ['subscription', 'no-such-subscription'],
  '/Subscription _id': ['subscription', 'no-such-subscription'],
  url: ['https://receiver.example', 'https://nobody.example'],
  eventsSinceNumber: ['1', '700'],
  eventsUntilNumber: ['50', '2000'],
  '/deliveries endpointId': ['first', 'further', 'no-such-endpoint'],
  '/day-list date': ['2035-01-15'],
  '/Slot/$explain start': ['2035-01-15T10:00'],
  year: ['2035'],
  fromTime: ['09:00'],
  untilTime: ['12:00'],
  start: ['ge2035-01-15'],
  date: ['ge2035-01-15'],
};
/** Asked with every other parameter of theirs: alone those are too little. */
const askedToo = ['/patients/duplicates firstName', '/patients/duplicates lastName', '/Appointment patient'];
/** They choose how much is shown, or no rows at all. */
const choosesNoRows = ['limit', 'cursor', 'total', 'wait', '_count', 'format', 'assistant', '_cursor', '_format'];
const notRecords = ['asset', 'event', 'toolName', 'clinicId', 'family'];
/** Asked of the cases of some days, of which results are made, or of the calls of some days: they read those days. */
const ofSomeDays = [
  'called',
  'reached',
  'barrier',
  'formName',
  'weekday',
  'hour',
  'ending',
  'lost',
  'simulated',
  'hourReached',
  '/cases providerName',
  '/cases visitType',
];
/** Held open; made of all cases or runs of some days; all that the list of the same name shows in pages; or of all that is open in all clinics. */
const notAsked = [
  '/stream',
  '/results',
  '/results/export',
  '/runs/counts',
  '/audit/export',
  '/operations/clinics',
  '/operations/runbook',
];
/** Lists of what is no patient, of phones and of the audit itself; two that are asked for days and ids without any; and calls under way, of which none is. */
const namesNobody = [
  '/AuditEvent',
  '/calls/under-way',
  '/day-list',
  '/integrations/opt-outs/export',
  '/lookup',
  '/providers/:name/calendar',
];
/** Names of fields, and people who are made up. */
const saysOfItself = /^\/(openapi|docs|voice\/tools|try-it)/;
const routes = documentedRoutes();

beforeAll(async () => {
  app = await startApp({ hasWorker: false });
  clinic = await openSandbox(app);
  const { clinicId } = app.clinic;
  await app.stores.sandboxLeniency.change({ clinicId, to: { showsNextAppointmentOnly: false } });
  const unhurried = openDatabase(app.database.url, { statementTimeoutMs: 120_000, silenceMs: 120_000 });
  const others = await Promise.all([1, 2, 3].map(async (n) => (await app.addClinic({ name: `Small ${n}` })).clinicId));
  await fill(unhurried, { clinicIds: [clinicId, ...others], cases: CASES });
  await unhurried.close();
  const tables = await app.database.sql<{ name: string }>`
    select relname::text as name from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r' and reltuples > ${MANY}`;
  growing = tables.map(({ name }) => name);

  const [one] = await app.database.sql<Known>`
    select c.id as "recoveryCaseId", c.workflow_id as "workflowId", c.patient_id as "patientId", k.id as "callId", d.id as "deliveryId",
      t.id as "taskId", a.id as "appointmentId", o.id as "optOutId"
    from recovery_cases c
    join calls k on k.case_id = c.id join outbound_events e on e.subject = c.id join deliveries d on d.event_id = e.id
    join staff_tasks t on t.case_id = c.id, appointments a, opt_outs o
    where c.clinic_id = ${clinicId} and a.clinic_id = ${clinicId} and o.clinic_id = ${clinicId} limit 1`;
  const [account] = await app.stores.staff.list(clinicId);
  const [another] = await app.database.sql<{ erased: string | null; alike: string | null }>`
    select min(id) as erased, max(id) as alike from patients where clinic_id = ${clinicId} and id <> ${one?.patientId ?? ''}`;
  samples['/patients/{patientId}/merge replaced'] = [another?.alike ?? ''];
  const erasure = await app.stores.erasures.request(
    { clinicId, patientId: another?.erased ?? '', reason: 'patient_request' },
    { actor: 'operator' },
  );
  const erasureId = erasure.kind === 'requested' ? erasure.erasure.id : '';
  const runId = await aValidationRun(app, clinicId);
  const wish = { earliestOn: '2035-01-01', latestOn: '2035-12-31', fromTime: null, untilTime: null };
  await app.stores.waitlist.add(
    { clinicId, patientId: one?.patientId ?? '', provider: null, visitType: 'Check-up', ...wish },
    'test',
  );
  const filter = { until: '2000-01-01T00:00:00.000Z' };
  const job = await app.stores.bulkJobs.start(clinicId, { kind: 'cancel_runs', filter }, { actor: 'operator' });
  const jobId = job.kind === 'started' ? job.job.id : '';
  const endpointId = await aFurtherEndpoint(clinicId);
  const subscriptionId = await aSubscription(clinicId);
  known = {
    ...one,
    endpointId,
    subscriptionId,
    runId,
    jobId,
    erasureId,
    id: one?.appointmentId ?? '',
    name: 'Dr.Chen',
    accountId: account?.id,
  };
  const { body } = await app.request('GET', '/openapi.json');
  named = body.components.schemas;
  operations = Object.entries<Record<string, { security?: Record<string, unknown>[]; parameters?: Parameter[] }>>(
    body.paths,
  ).flatMap(([path, { get }]) =>
    get && !notAsked.includes(path)
      ? [
          {
            path,
            isForKeys: get.security?.some((scheme) => 'apiKey' in scheme) ?? false,
            parameters: get.parameters ?? [],
          },
        ]
      : [],
  );
  statements = recordStatements();
});
afterAll(async () => {
  statements.stop();
  await app.stop();
});

test('the tables that grow are filled, so that their plans are those of a large clinic', () => {
  expect(growing).toEqual(
    expect.arrayContaining([
      'appointments',
      'audit_entries',
      'call_decisions',
      'calls',
      'deliveries',
      'delivery_attempts',
      'documents',
      'inbound_events',
      'opt_outs',
      'outbound_events',
      'patients',
      'recovery_cases',
      'staff_tasks',
      'tool_calls',
      'workflow_messages',
      'workflow_runs',
    ]),
  );
});

test('no route reads a growing table row by row, whatever its filters', async () => {
  const asked = operations.flatMap(requestsOf);

  const faults: Record<string, unknown> = {};
  for (const { path, isForKeys } of asked) {
    const found = await faultsOf(path, isForKeys);
    if (found.length > 0) faults[path] = found;
  }

  expect(faults).toEqual({});
  expect(asked.length).toBeGreaterThan(100);
});

test('every GET says what it does with data of patients; what it shows of them is in the audit, and nothing else is shown', async () => {
  const undeclared = routes.filter(({ method, patientData }) => method === 'get' && patientData === undefined);
  const auditedGets = routes.filter(
    ({ method, path, patientData }) => method === 'get' && patientData !== 'none' && !notAsked.includes(path),
  );
  await app.stores.auditChain.seal(1);
  const entries = await app.database.sql<{ route: string | null; count: number | null }>`
    select route, max(cardinality(subjects)) as count from audit_entries where is_read group by route`;
  const namedBy = new Map(entries.map(({ route, count }) => [route, count]));

  expect(undeclared.map(({ path }) => path)).toEqual([]);
  const withoutEntry = auditedGets.filter(({ path }) => !namedBy.has(`GET ${path}`));
  expect(withoutEntry.map(({ path }) => path)).toEqual([]);
  const withoutNames = auditedGets.filter(({ path }) => namedBy.get(`GET ${path}`) === 0).map(({ path }) => path);
  expect(withoutNames.toSorted()).toEqual(namesNobody);

  const silent = routes.filter(
    ({ method, patientData, path }) => method === 'get' && patientData === 'none' && !notAsked.includes(path),
  );
  const shown: string[] = [];
  for (const { path } of silent) {
    const { text } = await app.request('GET', withRecords(path.replaceAll(/:(\w+)/g, '{$1}')), {
      bearer: clinic.admin,
    });
    if (/"(patient|patientId|firstName|lastName|dateOfBirth)":/.test(text) && !saysOfItself.test(path))
      shown.push(path);
  }
  expect(shown).toEqual([]);
  expect(silent.length).toBeGreaterThan(15);
});

test('of a page of two hundred the audit names every patient', async () => {
  const lists = operations.filter(
    ({ path, parameters }) => parameters.some(({ name }) => name === 'limit') && !notAsked.includes(path),
  );
  const sizes: Record<string, number> = {};
  for (const { path, isForKeys } of lists) {
    const { body, headers } = await app.request('GET', `${withRecords(path)}?limit=200`, {
      bearer: bearerOf(isForKeys),
    });
    const shown = patientsIn(body);
    await app.stores.auditChain.seal(100);
    const entries = await app.database.prisma.auditEntry.findMany({
      where: { requestId: headers.get('x-request-id') },
    });
    const noted = new Set(entries.flatMap(({ subjects }) => subjects));
    expect({ path, unnoted: [...shown].filter((id) => !noted.has(id)) }).toEqual({ path, unnoted: [] });
    sizes[path] = shown.size;
  }

  expect(Math.max(...Object.values(sizes))).toBe(200);
  expect(Object.values(sizes).filter((size) => size > 50).length).toBeGreaterThan(4);
});

/** Ids of patients, wherever they stand in a response. */
function patientsIn(value: unknown): Set<string> {
  if (Array.isArray(value)) return new Set(value.flatMap((each) => [...patientsIn(each)]));
  if (typeof value !== 'object' || value === null) return new Set();
  const { patientId, patient } = value as { patientId?: string | null; patient?: { id?: string } | null };
  const own = [patientId, patient?.id].filter((id) => typeof id === 'string');
  return new Set([...own, ...Object.values(value).flatMap((each) => [...patientsIn(each)])]);
}

test('the second page begins where the first has ended', async () => {
  const lists = operations.filter(({ parameters }) => parameters.some(({ name }) => name === 'cursor'));

  const faults: Record<string, unknown> = {};
  for (const { path, isForKeys } of lists) {
    const list = withRecords(path);
    const { body } = await app.request('GET', `${list}?limit=50`, { bearer: bearerOf(isForKeys) });
    if (body.nextCursor === null) continue;
    const found = await faultsOf(`${list}?limit=50&cursor=${encodeURIComponent(body.nextCursor)}`, isForKeys);
    if (found.length > 0) faults[path] = found;
  }

  expect(faults).toEqual({});
  expect(lists.length).toBeGreaterThan(8);
});

test('words that nearly everybody has find the newest, page by page', async () => {
  const expected = await app.database.sql<{ id: string }>`
    select c.id from recovery_cases c join patients p on p.clinic_id = c.clinic_id and p.id = c.patient_id
    where c.clinic_id = ${app.clinic.clinicId} and p.email like '%example%'
    order by c.created_at desc, c.id desc limit 60`;

  const found: string[] = [];
  for (let cursor = ''; found.length < 60;) {
    const { body } = await app.request('GET', `/cases?limit=30&search=example${cursor}`, { bearer: clinic.admin });
    found.push(...body.items.map(({ recoveryCaseId }: { recoveryCaseId: string }) => recoveryCaseId));
    cursor = `&cursor=${body.nextCursor}`;
  }

  expect(found).toEqual(expected.map(({ id }) => id));
});

test('a list without its index is noticed', async () => {
  await app.database.sql`drop index calls_of_case`;

  const found = await faultsOf(`/calls?recoveryCaseId=${known.recoveryCaseId}`, false);

  expect(found).toEqual([expect.objectContaining({ table: 'calls' })]);
});

/** One that has been sent every tenth event, of which it took all but some of last year's. */
async function aFurtherEndpoint(clinicId: string): Promise<string> {
  const settings = { name: 'Warehouse', url: 'https://warehouse.example', isEnabled: true, events: [] };
  const id = (await app.stores.endpoints.add(clinicId, settings))?.endpoint.id ?? '';
  await app.database.sql`
    insert into deliveries (id, clinic_id, event_id, receiver_id, event, subject, place, state, created_at)
    select d.id || ${`-${id}`}, d.clinic_id, d.event_id, ${id}, d.event, d.subject, d.place,
      case when e.sequence % 30 = 0 and d.created_at < now() - interval '1 year' then 'DEAD' else 'DELIVERED' end, d.created_at
    from deliveries d join outbound_events e on e.id = d.event_id where d.clinic_id = ${clinicId} and e.sequence % 10 = 0`;
  await app.database.sql`analyze deliveries`;
  return id;
}

/** One that has heard of every appointment. */
async function aSubscription(clinicId: string): Promise<string> {
  const about = { baseUrl: app.baseUrl, url: 'https://receiver.example', payload: 'application/fhir+json', reason: '' };
  const everything = { patientId: null, providerName: null, heartbeatSeconds: null, endsAt: null };
  const added = await app.stores.fhirSubscriptions.add(clinicId, { ...about, ...everything, content: 'full-resource' });
  const id = added?.subscription.id ?? '';
  await app.database.sql`
    insert into outbound_events (id, clinic_id, event, subject, number, data)
    select 'told-' || a.id, a.clinic_id, 'subscription.event', ${id}, row_number() over (order by a.id),
      jsonb_build_object('appointmentId', a.id, 'patientId', a.patient_id, 'isNew', true, 'shown', jsonb_build_object('version', 1,
        'status', a.status, 'startsAt', a.starts_at, 'endsAt', a.ends_at, 'visitType', a.visit_type,
        'providerName', p.name, 'identifier', a.identifier, 'cancellationReason', a.cancellation_reason))
    from appointments a join providers p on p.id = a.provider_id where a.clinic_id = ${clinicId}`;
  await app.database.sql`
    update fhir_subscriptions set last_number = (select count(*) from outbound_events where subject = ${id}) where id = ${id}`;
  await app.database.sql`analyze outbound_events`;
  return id;
}

/** Asks, and plans again what was asked of the database meanwhile. */
async function faultsOf(path: string, isForKeys: boolean): Promise<unknown[]> {
  statements.take();
  const { status } = await app.request('GET', path, { bearer: bearerOf(isForKeys) });
  if (status >= 400 && status !== 404) throw new Error(`${path} was answered ${status}: another sample is needed`);
  const faults: unknown[] = [];
  for (const sent of ofRecords(statements.take())) {
    faults.push(
      ...(await readsTooMuch(app.database, sent, {
        tables: growing,
        atMost: path.includes('search=') ? AT_MOST_FOUND : isCount(sent) ? AT_MOST_COUNTED : AT_MOST,
      })),
    );
  }
  return faults;
}

const isCount = ({ text, values }: Sent) => text.startsWith('SELECT COUNT(*)') || values.includes(MAX_COUNTED + 1);

/** Without what each request asks to know its caller. */
const ofRecords = (sent: Sent[]) => sent.filter(({ text }) => growing.some((table) => text.includes(table)));

const bearerOf = (isForKeys: boolean) => (isForKeys ? app.clinic.apiKey : clinic.admin);

/** The route bare, and with each value of each of its filters. */
function requestsOf({ path, isForKeys, parameters }: Operation): { path: string; isForKeys: boolean }[] {
  const filters = parameters.filter(
    (each) =>
      each.in === 'query' &&
      ![each.name, `${path} ${each.name}`].some((name) => [...choosesNoRows, ...ofSomeDays].includes(name)),
  );
  const target = withRecords(path);
  const queries = filters.flatMap((parameter) => queryOf(path, parameter));
  const isNeeded = ({ name, required }: Parameter) => required || askedToo.includes(`${path} ${name}`);
  const required = filters.flatMap((parameter) => (isNeeded(parameter) ? [queryOf(path, parameter)[0] ?? ''] : []));
  // With each filter a list says how many there are, where it can.
  const counted = parameters.some(({ name }) => name === 'total') ? 'total=true' : '';
  return ['', ...queries].map((query) => {
    const all = [...required.filter((each) => each.split('=')[0] !== query.split('=')[0]), query, counted]
      .filter(Boolean)
      .join('&');
    return { path: all ? `${target}?${all}` : target, isForKeys };
  });
}

const queryOf = (path: string, parameter: Parameter): string[] =>
  valuesOf(path, parameter).map((value) => `${parameter.name}=${encodeURIComponent(value)}`);

function withRecords(path: string): string {
  return path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const id = known[name] ?? (notRecords.includes(name) ? 'none' : undefined);
    if (id === undefined) throw new Error(`no record is known for ${path}: add one to "known"`);
    return encodeURIComponent(id);
  });
}

function valuesOf(path: string, { name, schema }: Parameter): string[] {
  const words = wordsOf(schema);
  if (words.length > 0) return words;
  if (known[name] !== undefined && !(`${path} ${name}` in samples)) return [known[name], 'no-such-id'];
  const given = samples[`${path} ${name}`] ?? samples[name];
  if (!given) throw new Error(`nothing is known to ask of ${name} of ${path}: add it to "samples"`);
  return given.map((value) =>
    value
      .replace(/^case$/, known.recoveryCaseId ?? '')
      .replace(/^further$/, known.endpointId ?? '')
      .replace(/^subscription$/, known.subscriptionId ?? '')
      .replace('/patient', `/${known.patientId}`),
  );
}

/** The words of a closed set. */
const wordsOf = ({ $ref, enum: words, anyOf }: Schema): string[] =>
  words ?? ($ref ? wordsOf(named[$ref.split('/').at(-1) ?? ''] ?? {}) : (anyOf ?? []).flatMap(wordsOf));

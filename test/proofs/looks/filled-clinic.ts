import { newClientKey } from '@clinic/shared/client-key';
import { request } from 'undici';
import type { BenchStack } from '../bench/stack';
import { fill } from '../../support/fill';

export interface Address {
  name: string;
  address: string;
  /** The address names a record, which an empty clinic does not have. */
  isOfRecord?: true;
  /** Buttons and boxes, pressed one after the other, to what is looked at. */
  press?: (string | RegExp)[];
}

/** Longer than anything fits: a name of one word, and one of many. */
const LONG_WORD = 'Wolfeschlegelsteinhausenbergerdorffwelchevoralternwarengewissenhaftschafers';
const LONG_NAME =
  'Maria-Theresia Anneliese Wilhelmina Josephine Antoinette von und zu Hohenlohe-Waldenburg-Schillingsfürst';
/** Of what takes sixty letters. */
const LONG_LINE = LONG_NAME.slice(0, 60);

/** Fills the stack's first clinic with records and settings of every kind, some with long names. Returns what can be looked at. */
export async function fillClinic(stack: BenchStack, cases: number): Promise<Address[]> {
  const { api, clinic, database } = stack;
  const { clinicId } = clinic;
  await fill(database, { clinicIds: [clinicId], cases });
  await lengthen(stack);
  const [one] = await database.sql<{ case: string; patient: string; call: string; delivery: string; task: string }>`
    select k.case_id as "case", k.patient_id as patient, k.id as call, d.id as delivery, t.id as task
    from calls k join outbound_events e on e.subject = k.case_id join deliveries d on d.event_id = e.id, staff_tasks t
    where k.clinic_id = ${clinicId} and t.clinic_id = ${clinicId} and t.state = 'OPEN' and k.summary like ${`${LONG_WORD}%`}
    order by t.created_at desc limit 1`;
  if (!one) throw new Error('too few cases were filled in to have one of each record');
  await database.sql`
    insert into call_evidence (clinic_id, call_id, transcript, recording_url)
    values (${clinicId}, ${one.call}, ${`AI: Good morning.\nUser: ${LONG_WORD} ${LONG_NAME}\n`.repeat(8)},
      'https://platform.example/recordings/1.wav')`;
  const { token } = JSON.parse(
    await stack.post(`${api}/auth/sign-in/email`, { email: clinic.email, password: clinic.password }),
  ) as { token: string };
  await stack.stores.sandbox.setEnabled({ clinicId, isEnabled: true, now: new Date() });
  const ask = requestsOf(api, token);
  const run = await fillSettings(ask, one.patient);
  await fillLiveCalls(stack, ask);
  return addressesOf({ ...one, ...run });
}

/** Gives some of the newest records long texts, and enough open tasks: of so few cases hardly one is of this week. */
async function lengthen({ clinic: { clinicId }, database }: BenchStack): Promise<void> {
  const email = `${LONG_WORD.toLowerCase()}@${'mail.'.repeat(8)}example`;
  await database.sql`
    update patients set first_name = ${LONG_NAME}, last_name = ${LONG_WORD}, email = ${email}
    where id in (select patient_id from recovery_cases where clinic_id = ${clinicId} order by created_at desc limit 2)`;
  await database.sql`
    update recovery_cases set form_name = ${`${LONG_WORD} ${LONG_NAME}`},
      barrier = ${JSON.stringify({ primaryBarrier: 'price', notes: `${LONG_WORD} ${LONG_NAME}. `.repeat(4) })}::jsonb
    where id in (select id from recovery_cases where clinic_id = ${clinicId} order by created_at desc limit 2)`;
  await database.sql`
    update calls set summary = ${`${LONG_WORD} ${LONG_NAME}. `.repeat(6)}
    where id in (select id from calls where clinic_id = ${clinicId} and case_id is not null order by created_at desc limit 2)`;
  await database.sql`
    update staff_tasks set state = 'OPEN', resolved_at = null
    where id in (select id from staff_tasks where clinic_id = ${clinicId} order by created_at desc limit 60)`;
  await database.sql`
    update providers set display_name = ${LONG_NAME} where clinic_id = ${clinicId} and name = 'Dr.Filled8'`;
}

/** Two calls that go on, one of them with somebody whose name is long and for whom much was done. */
async function fillLiveCalls({ clinic: { clinicId }, database }: BenchStack, ask: Requests): Promise<void> {
  const people = [
    { firstName: 'Ottoline', lastName: `${LONG_WORD}-${LONG_WORD}`, phone: '+13035550143' },
    { firstName: 'Ada', lastName: 'Example', phone: '+13035550144' },
  ];
  for (const person of people) {
    const { id } = await ask('POST', '/patients', person);
    await database.sql`
      insert into calls (id, clinic_id, patient_id, workflow_type, direction, state, phone, started_at)
      values (${`live-${id}`}, ${clinicId}, ${id}, 'new-patient-journey', 'inbound', 'IN_PROGRESS', ${person.phone}, now())`;
  }
  await database.sql`
    update patients set reason_for_visit = ${`${LONG_WORD} ${LONG_NAME}. `.repeat(2)} where clinic_id = ${clinicId} and phone = '+13035550143'`;
  await database.sql`
    insert into tool_calls (id, clinic_id, call_id, tool_call_id, family, tool, arguments, meaning, reply, is_success, fact, detail, completed_at)
    select 'live-' || fact, ${clinicId}, k.id, fact, 'emr-tools', 'book_appointment', '{}'::jsonb, fact, '{}', true, fact,
      '{"startsAt": "2035-01-08T16:00:00.000Z"}'::jsonb, now()
    from calls k, unnest(array['booked', 'escalated', 'registered']) fact
    where k.clinic_id = ${clinicId} and k.phone = '+13035550143'`;
}

type Requests = ReturnType<typeof requestsOf>;

/** Requests of the clinic's administrator. Throws what is refused. */
function requestsOf(api: string, token: string) {
  // oxlint-disable-next-line typescript/no-explicit-any
  return async (method: 'GET' | 'POST' | 'PUT' | 'PATCH', path: string, body?: unknown): Promise<any> => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const sent = body === undefined ? undefined : JSON.stringify(body);
    const { statusCode, body: answer } = await request(`${api}${path}`, { method, headers, body: sent });
    const text = await answer.text();
    if (statusCode >= 400) throw new Error(`${method} ${path}: ${statusCode} ${text}`);
    return text === '' ? null : JSON.parse(text);
  };
}

/** What an administrator and the front desk leave behind. */
async function fillSettings(ask: Requests, patientId: string): Promise<{ run: string; week: string }> {
  const { publicJwk } = await newClientKey('ES384');
  const key = { keys: [publicJwk] };
  for (const name of ['CI', LONG_LINE]) {
    await ask('POST', '/sandboxes', { name });
    await ask('POST', '/sandbox/clients', { name, jwks: key });
    await ask('POST', '/integrations/api-keys', { name, scopes: ['workflows'] });
    const events = ['recovery_case.created', 'recovery_case.outcome', 'workflow.completed'];
    const url = `https://${name === 'CI' ? '' : 'warehouse.'.repeat(6)}example.com/${LONG_WORD}`;
    await ask('POST', '/integrations/outbound/endpoints', { name, url, events, enabled: name === 'CI' });
    await ask('POST', '/views', { list: 'cases', name, filters: { status: 'RECOVERED' }, isShared: name === 'CI' });
    await ask('POST', '/views', { list: 'tasks', name, filters: { priority: 'HIGH' } });
  }
  await ask('PUT', '/sandbox/call-holds', { minutes: 5 });
  await ask('POST', '/sandbox/snapshots', { name: 'before-the-release' });
  await ask('PUT', '/integrations/closed-days', { items: [{ date: '2035-12-25', name: LONG_LINE }] });
  const numbers = [{ number: '+13035550140', platformId: '00000000-0000-4000-8000-000000000140' }];
  await ask('PUT', '/integrations/phone-numbers', { items: numbers });
  await ask('POST', '/accounts/invitations', { email: `${'long.'.repeat(10)}name@example.com`, role: 'staff' });
  await ask('POST', '/integrations/opt-outs', { phone: '+13035550141' });

  const days = { earliestOn: '2035-01-08', latestOn: '2035-03-31' };
  await ask('POST', '/waitlist', { patientId, ...days, fromTime: '09:00', untilTime: '12:30' });
  await ask('POST', '/waitlist', { patientId, ...days, providerName: 'Dr.Chen' });
  const wishes = { preferredCallHours: { from: '17:00', until: null }, preferredLanguage: 'es' };
  await ask('PATCH', `/patients/${patientId}`, wishes);
  const { firstName, lastName } = await ask('GET', `/patients/${patientId}`);
  await ask('POST', '/patients', { firstName, lastName, phone: '+13035550142', address: LONG_LINE });
  const week = await fillCalendar(ask, patientId);
  // From then on a write over FHIR would get no reply.
  await ask('POST', '/sandbox/failures', { failure: 'reply_lost_after_write', times: 3 });
  const { id: run } = await ask('POST', '/validation-runs', { label: LONG_NAME.slice(0, 100) });
  return { run, week };
}

/** Books every third open time of a week and holds one; returns a day of that week. */
async function fillCalendar(ask: Requests, patientId: string): Promise<string> {
  const { items: patients } = await ask('GET', '/patients?limit=30');
  const { entry: slots } = await ask('GET', `/Slot?schedule=Schedule/Dr.Chen&_count=60`);
  const starts: string[] = slots.map(({ resource }: { resource: { start: string } }) => resource.start);
  for (const [index, startsAt] of starts.entries()) {
    if (index % 3 > 0) continue;
    const booked = index === 0 ? patientId : patients[(index / 3) % patients.length].id;
    await ask('POST', '/appointments', { patientId: booked, providerName: 'Dr.Chen', startsAt });
  }
  const participant = [`Patient/${patientId}`, 'Practitioner/Dr.Chen'].map((reference) => ({ actor: { reference } }));
  const resource = { resourceType: 'Appointment', status: 'proposed', start: starts[1], participant };
  const parameter = [{ name: 'appointment', resource }];
  await ask('POST', '/Appointment/$hold', { resourceType: 'Parameters', parameter });
  return (starts[1] ?? '').slice(0, 10);
}

interface Records {
  case: string;
  patient: string;
  call: string;
  delivery: string;
  task: string;
  /** A validation run. */
  run: string;
  /** A day of the week in which the calendar is full. */
  week: string;
}

function addressesOf(one: Records): Address[] {
  const pages = ['cases', 'calls', 'queue', 'tasks', 'runs', 'results', 'patients', 'calendar', 'deliveries'];
  const others = ['my-day', 'day-list', 'waitlist', 'my-account', 'audit', 'try-it', 'readiness'];
  const ofClinic = ['hours', 'providers', 'calling', 'opt-outs', 'people', 'single-sign-on', 'results', 'retention'];
  const connections = ['sandbox', 'api-keys', 'inbound', 'outbound', 'approved-api', 'crm', 'voice', 'phone-numbers'];
  const patient = { address: `/patients/${one.patient}`, isOfRecord: true as const };
  return [
    { name: 'overview', address: '/' },
    ...[...pages, ...others].map((name) => ({ name, address: `/${name}` })),
    ...ofClinic.map((area) => ({ name: `clinic-${area}`, address: `/clinic/${area}` })),
    ...connections.map((area) => ({ name: `connections-${area}`, address: `/connections/${area}` })),
    { name: 'calendar-week', address: `/calendar?provider=Dr.Chen&week=${one.week}` },
    { name: 'calendar-all', address: `/calendar?provider=*&week=${one.week}` },
    { name: 'results-90', address: '/results?days=90' },
    { name: 'nowhere', address: '/audit/nowhere' },
    { name: 'erasure', address: '/erasures/nowhere' },
    // To somebody of a clinic it says that it is not for them.
    { name: 'operator', address: '/operator' },
    { name: 'tasks-all', address: '/tasks?show=all' },
    { name: 'tasks-chosen', address: '/tasks', isOfRecord: true, press: [/^Select all/] },
    { name: 'cases-view', address: '/cases?status=RECOVERED&form=intake' },
    { name: 'cases-none', address: '/cases?from=2001-01-01&until=2001-01-31' },
    { name: 'runs-cancel', address: '/runs', press: [/^Cancel many/] },
    { name: 'deliveries-resend', address: '/deliveries', press: [/^Send events again/] },
    { name: 'finder', address: '/', press: ['Find or do something'] },
    { name: 'account-menu', address: '/', press: ['Clinic admin'] },
    { name: 'endpoint-new', address: '/connections/outbound', press: ['Add an endpoint'] },
    { name: 'case', address: `/cases/${one.case}`, isOfRecord: true },
    { name: 'call', address: `/calls/${one.call}`, isOfRecord: true },
    { name: 'patient', ...patient },
    { name: 'patient-edit', ...patient, press: ['Edit'] },
    { name: 'patient-book', ...patient, press: ['Book an appointment'] },
    { name: 'patient-merge', ...patient, press: [/^Compare/] },
    { name: 'patient-override', ...patient, press: ['Book a time that is not offered'] },
    { name: 'patient-waitlist', ...patient, press: ['Add to the waitlist'] },
    { name: 'patient-stop', ...patient, press: [/^Stop calling/] },
    { name: 'patient-erase', ...patient, press: ['Erase …'] },
    { name: 'delivery', address: `/deliveries/${one.delivery}`, isOfRecord: true },
    { name: 'task', address: `/tasks?task=${one.task}`, isOfRecord: true },
    { name: 'readiness-run', address: `/readiness/${one.run}`, isOfRecord: true },
    { name: 'sign-in', address: '/sign-in' },
    { name: 'sign-on-return', address: '/sign-in/return/no-such-clinic' },
    { name: 'set-password', address: '/set-password' },
  ];
}

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type ClientAccess, tokenOf } from './client-access';

/**
 * A client as a first try writes it: it works where everything goes well, and has heard of nothing else. It makes every mistake that a
 * validation run can see within seconds. `naive_client.py` is the same in Python.
 */
export async function playNaively(access: ClientAccess): Promise<void> {
  const client = await createNaiveClient(access);
  const { patient, known } = await takeAnyPatient(client, access);
  await guessTimes(client, access, patient);
  await bookTwice(client, patient, known);
  await insistOnChanges(client, access, { patient, known });
  await writeCarelessly(client, patient);
  await tryForEver(client);
  await forgetWorkflows(client, access);
  await believeEvents(client, access);
  // The token that was refused long ago.
  await client.ask(CHEN);
}

interface Sent {
  method?: string;
  bearer?: string;
  headers?: Record<string, string>;
}

const SEARCH = '/Slot?schedule=Schedule/Dr.Chen';
const CHEN = '/Schedule?actor=Practitioner/Dr.Chen';

async function createNaiveClient(access: ClientAccess) {
  const { baseUrl, admin, isStrict } = access;
  const token = await tokenOf(access);

  /** Whatever cannot be read is nothing. */
  // eslint-disable-next-line typescript/no-explicit-any -- as JSON comes
  const ask = async (path: string, body?: unknown, { method, bearer = token, headers }: Sent = {}): Promise<any> => {
    try {
      const response = await fetch(path.startsWith('http') ? path : `${baseUrl}${path}`, {
        method: method ?? (body === undefined ? 'GET' : 'POST'),
        headers: { authorization: `Bearer ${bearer}`, 'content-type': 'application/json', ...headers },
        body: body === undefined ? undefined : JSON.stringify(body),
      });
      return await response.json();
    } catch {
      return {};
    }
  };
  const choose = (failure: string, operation: string, more: { times?: number; parameters?: object } = {}) =>
    ask('/sandbox/failures', { failure, operation, ...more }, { bearer: admin });
  const twice = async (again: () => Promise<unknown>) => {
    await again();
    await again();
  };

  const match = async (identifier: string) =>
    resourcesOf(await ask('/Patient/$match', parametersOf({ name: 'identifier', valueString: identifier })));
  const starts = async (search: string): Promise<string[]> => resourcesOf(await ask(search)).map(({ start }) => start);
  const upcoming = (patient: string) => ask(`/Appointment?patient=Patient/${patient}`);
  const book = (patient: string, start: string) =>
    ask('/Appointment/$book', parametersOf({ name: 'appointment', resource: proposed(patient, start) }));
  const move = (id: string, start: string) => ask(`/Appointment/${id}/$reschedule`, { start });
  /** Any version will do. */
  const cancel = (id: string) =>
    ask(`/Appointment/${id}/$cancel`, isStrict ? parametersOf(wish) : {}, {
      headers: isStrict ? { 'if-match': '*' } : {},
    });
  const note = (patient: string, text: string, headers: Record<string, string> = {}) =>
    ask(
      '/DocumentReference',
      {
        resourceType: 'DocumentReference',
        subject: { reference: `Patient/${patient}` },
        content: [{ attachment: { contentType: 'text/plain', data: Buffer.from(text, 'latin1').toString('base64') } }],
        extension: [{ url: 'https://example.org/escalate', valueBoolean: true }],
      },
      { headers },
    );
  return { ask, choose, twice, match, starts, upcoming, book, move, cancel, note };
}

type NaiveClient = Awaited<ReturnType<typeof createNaiveClient>>;

interface Known {
  id: string;
  patientId: string;
}

async function takeAnyPatient(client: NaiveClient, { admin, run }: ClientAccess) {
  const [{ id: patient }] = await client.match('MRN-1001');
  const [made] = await client.match('NOBODY-7');
  if (made) await client.note(made.id, 'Came by');
  await client.choose('duplicate_patient', 'match');
  const [first] = await client.match('MRN-1003');
  await client.note(first.id, 'Came by');

  // What it knows from a list of its own, it has asked nobody about.
  const { items } = await client.ask('/appointments?status=booked&limit=50', undefined, { bearer: admin });
  const [one, ...others] = (items as Known[]).filter(({ patientId }) => ![patient, first.id].includes(patientId));
  const known = [one, others.find(({ patientId }) => patientId !== one?.patientId)] as [Known, Known];
  await client.upcoming(known[0].patientId);
  await client.note(known[0].patientId, 'Called');
  const foreign = run.foreign.patientReference.replace('Patient/', '');
  await client.upcoming(foreign);
  await client.note(foreign, 'Called');
  await client.twice(() => client.book('nobody', '2034-01-16T17:00:00.000Z'));
  return { patient: String(patient), known };
}

async function guessTimes(client: NaiveClient, { run }: ClientAccess, patient: string): Promise<void> {
  const { link } = await client.ask(`${SEARCH}&_count=20`);
  const next = link.find(({ relation }: { relation: string }) => relation === 'next').url;
  await client.ask(next.replace('_count=20', '_count=5'));
  await client.twice(() => client.ask('/Slot?schedule=Schedule/Dr.Okafor&start=ge2035-01-14&start=lt2035-01-15'));
  await client.twice(() => client.ask('/Schedule?actor=Practitioner/Dr.Nobody'));
  await client.choose('gateway_page', 'slots');
  await client.ask('/Slot?schedule=Schedule/Dr.Patel');
  await client.ask('/Slot?schedule=Schedule/Dr.Okafor');
  await client.book(patient, '2034-01-16T17:00:00.000Z');

  // In Denver it is seven hours earlier in winter; and the same hour as a week before, whatever the clocks did.
  const [winter = ''] = await client.starts(`${SEARCH}&start=ge2035-01-16&_count=20`);
  await client.twice(() => client.book(patient, plusHours(winter, -7)));
  for (const change of [run.clockChanges.forward, run.clockChanges.back]) {
    if (change === null) continue;
    const open = await client.starts(`${SEARCH}&start=ge${plusHours(change, -96).slice(0, 10)}&_count=500`);
    const last = open.findLast((each) => each < change) ?? '';
    const first = open.find((each) => each.startsWith(last.slice(0, 10))) ?? '';
    for (const start of [first, last]) await client.book(patient, plusHours(start, 7 * 24));
  }
}

async function bookTwice(client: NaiveClient, patient: string, [known]: Known[]): Promise<void> {
  const [first = '', second = '', third = '', fourth = '', fifth = ''] = (
    await client.starts(`${SEARCH}&_count=100`)
  ).slice(20);
  await client.book(patient, first);
  // It presses the button twice, and then once more.
  await client.twice(() => client.book(patient, first));
  await client.choose('reply_lost_after_write', 'book');
  await client.book(patient, second);
  await client.twice(() => client.book(patient, '2020-01-06T16:00:00.000Z'));
  await client.book(patient, third);
  await client.choose('stale_read', 'appointments');
  await client.upcoming(patient);
  await client.book(patient, fourth);
  await client.book(known?.patientId ?? '', fifth);
}

async function insistOnChanges(
  client: NaiveClient,
  { isStrict, run }: ClientAccess,
  { patient, known }: { patient: string; known: Known[] },
): Promise<void> {
  const [first = '', second = '', third = ''] = (await client.starts(`${SEARCH}&_count=100`)).slice(40);
  const { id } = await client.book(patient, first);
  if (!isStrict) {
    await client.move(id, '2034-01-17T17:00:00.000Z');
    await client.choose('reply_lost_after_write', 'reschedule');
    await client.move(id, third);
    await client.twice(() => client.move(id, '2034-01-18T17:07:00.000Z'));
  }
  await client.choose('precondition_failed', 'cancel');
  await client.twice(() => client.cancel(id));
  await client.twice(() => client.cancel(id));
  if (!isStrict) await client.twice(() => client.move(id, first));

  const other = await client.book(patient, second);
  await client.choose('empty_bundle', 'appointments');
  await client.upcoming(patient);
  await client.cancel(other.id);
  await client.cancel(known[1]?.id ?? '');
  await client.twice(() => client.cancel('nowhere'));
  await client.twice(() => client.cancel(run.foreign.appointmentReference.replace('Appointment/', '')));
}

async function writeCarelessly(client: NaiveClient, patient: string): Promise<void> {
  await client.note(patient, 'Café');
  const headers = { 'idempotency-key': 'naive' };
  await client.note(patient, 'One', headers);
  await client.note(patient, 'Another', headers);
  await client.choose('reply_lost_after_write', 'document');
  await client.note(patient, 'Lost');
}

async function tryForEver(client: NaiveClient): Promise<void> {
  await client.choose('too_many_requests', 'schedule', { parameters: { retryAfterSeconds: 100 } });
  await client.twice(() => client.ask(CHEN));
  await client.choose('server_error', 'schedule', { times: 8 });
  for (let tries = 0; tries < 8; tries += 1) await client.ask(CHEN);
  await client.choose('token_expired', 'schedule', { times: 2 });
  await client.ask(CHEN);
}

async function forgetWorkflows(client: NaiveClient, { apiKey, clinicId }: ClientAccess): Promise<void> {
  const start = (sessionId: string) =>
    client.ask(
      '/workflows/start',
      {
        workflowType: 'abandonment-recovery',
        clinicId,
        patient: { firstName: 'Ada', lastName: 'Example', phone: '+15005550001' },
        context: { sessionId },
      },
      { bearer: apiKey },
    );
  await start('naive-session');
  const { workflowId } = await start('another-session');
  for (let times = 0; times < 6; times += 1)
    await client.ask(`/workflows/${workflowId}`, undefined, { bearer: apiKey });
  await client.twice(() => client.ask('/workflows/nowhere', undefined, { bearer: apiKey }));
}

/** It believes anyone who sends, refuses what it has had or does not know, and acts upon the newest first. */
async function believeEvents(client: NaiveClient, { admin, apiKey, run }: ClientAccess): Promise<void> {
  const taken: string[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const id = String(request.headers['webhook-id']);
      const { event } = JSON.parse(Buffer.concat(chunks).toString('utf8')) as { event: string };
      response.writeHead(taken.includes(id) ? 409 : event === 'recovery_case.reviewed' ? 422 : 200).end();
      taken.push(id);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
  const settings = { url, enabled: true, events: ['recovery_case.created'] };
  await client.ask('/integrations/outbound', settings, { bearer: admin, method: 'PUT' });
  await client.ask(`/validation-runs/${run.id}/events`, {}, { bearer: apiKey });
  for (const webhookId of taken.toReversed())
    await client.ask(`/validation-runs/${run.id}/handled-events`, { webhookId }, { bearer: apiKey });
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
}

const wish = {
  name: 'cancelationReason',
  valueCodeableConcept: {
    coding: [{ system: 'http://terminology.hl7.org/CodeSystem/appointment-cancellation-reason', code: 'pat' }],
  },
};

const proposed = (patient: string, start: string) => ({
  resourceType: 'Appointment',
  status: 'proposed',
  start,
  participant: [
    { actor: { reference: `Patient/${patient}` }, status: 'needs-action' },
    { actor: { reference: 'Practitioner/Dr.Chen' }, status: 'needs-action' },
  ],
});

const plusHours = (instant: string, hours: number) => new Date(Date.parse(instant) + hours * 3_600_000).toISOString();

const parametersOf = (...parameter: unknown[]) => ({ resourceType: 'Parameters', parameter });

// eslint-disable-next-line typescript/no-explicit-any -- as JSON comes
const resourcesOf = (bundle: any): any[] => (bundle.entry ?? []).map(({ resource }: { resource: unknown }) => resource);

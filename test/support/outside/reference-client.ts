import { createHmac, randomUUID, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { type ClientAccess, tokenOf } from './client-access';

/**
 * A client of the sandbox EMR as a clinic would write a good one, with nothing but what docs/integrate.md says, at the sandbox as it
 * begins and at one like a real EHR. It goes through everything that a validation run judges. `reference_client.py` is the same in Python.
 */

interface Reply {
  status: number;
  etag: string;
  // eslint-disable-next-line typescript/no-explicit-any -- as JSON comes
  body: any;
}

interface Sent {
  body?: unknown;
  /** Under which a write may be sent again. */
  key?: string;
  headers?: Record<string, string>;
}

const MAX_TRIES = 4;
const REASON = 'http://terminology.hl7.org/CodeSystem/appointment-cancellation-reason';

async function createReferenceClient(access: ClientAccess) {
  const { baseUrl, apiKey, signingSecret, isStrict } = access;
  let token = '';
  const signIn = async () => {
    token = await tokenOf(access);
  };

  const send = async (method: string, path: string, bearer: () => string, sent: Sent): Promise<Reply> => {
    const url = path.startsWith('http') ? path : `${baseUrl}${path}`;
    let hasSignedIn = false;
    for (let tries = 1; ; tries += 1) {
      const headers = {
        accept: 'application/fhir+json, application/json',
        authorization: `Bearer ${bearer()}`,
        ...(sent.body !== undefined && { 'content-type': 'application/json' }),
        ...(sent.key !== undefined && { 'idempotency-key': sent.key }),
        ...sent.headers,
      };
      const text = sent.body === undefined ? undefined : JSON.stringify(sent.body);
      const response = await fetch(url, { method, headers, body: text }).catch(() => null);
      if (response?.status === 401 && !hasSignedIn && bearer() === token) {
        await signIn();
        hasSignedIn = true;
        continue;
      }
      const answer = response && readJson(await response.text());
      const mayComeGood = !response || answer === undefined || response.status === 429 || response.status >= 500;
      if (!mayComeGood || tries === MAX_TRIES)
        return { status: response?.status ?? 0, etag: response?.headers.get('etag') ?? '', body: answer };
      await delay(Number(response?.headers.get('retry-after') ?? 0) * 1_000 || 20);
    }
  };

  const fhir = (method: string, path: string, sent: Sent = {}) => send(method, path, () => token, sent);
  const rest = (method: string, path: string, sent: Sent = {}) => send(method, path, () => apiKey, sent);

  /** Has the sandbox play a failure for the next such request. */
  const choose = (failure: string, operation: string) =>
    send('POST', '/sandbox/failures', () => access.admin, { body: { failure, operation } });

  /** All pages of a search. */
  const slots = async (parameters: string): Promise<string[]> => {
    const starts: string[] = [];
    for (let url: string | undefined = `/Slot?${parameters}`; url;) {
      const { body }: Reply = await fhir('GET', url);
      starts.push(...resourcesOf(body).map(({ start }) => start));
      url = body.link.find(({ relation }: { relation: string }) => relation === 'next')?.url;
    }
    return starts;
  };

  const match = async (identifier: string) => {
    const { body } = await fhir('POST', '/Patient/$match', {
      body: { resourceType: 'Parameters', parameter: [{ name: 'identifier', valueString: identifier }] },
    });
    return resourcesOf(body);
  };

  const book = (about: Wanted) => fhir('POST', '/Appointment/$book', { body: bookingOf(about), key: randomUUID() });

  /** The same as a resource of its own, which is on file once however often it is sent. */
  const create = (about: Wanted) =>
    fhir('POST', '/Appointment', {
      body: { ...proposed(about), status: 'booked' },
      headers: { 'if-none-exist': `identifier=urn:ours|${randomUUID()}` },
    });

  const move = (id: string, start: string) =>
    fhir('POST', `/Appointment/${id}/$reschedule`, {
      body: { resourceType: 'Parameters', parameter: [{ name: 'start', valueInstant: start }] },
      key: randomUUID(),
    });

  const upcoming = (patient: string) =>
    fhir('GET', `/Appointment?patient=Patient/${patient}${isStrict ? '&_count=50' : ''}`);

  /** As it is now, with its version where the sandbox has some. */
  const read = (id: string, patient: string) => (isStrict ? fhir('GET', `/Appointment/${id}`) : upcoming(patient));

  const cancel = (id: string, etag: string) =>
    fhir('POST', `/Appointment/${id}/$cancel`, {
      ...(isStrict && {
        headers: { 'if-match': etag },
        body: {
          resourceType: 'Parameters',
          parameter: [
            { name: 'cancelationReason', valueCodeableConcept: { coding: [{ system: REASON, code: 'pat' }] } },
          ],
        },
      }),
    });

  const note = (patient: string, text: string, wishes: Record<string, boolean>) =>
    fhir('POST', '/DocumentReference', {
      body: {
        resourceType: 'DocumentReference',
        status: 'current',
        subject: { reference: `Patient/${patient}` },
        content: [{ attachment: { contentType: 'text/plain', data: Buffer.from(text, 'utf8').toString('base64') } }],
        extension: Object.entries(wishes).map(([name, valueBoolean]) => ({
          url: isStrict ? `${baseUrl}/StructureDefinition/${name}` : name,
          valueBoolean,
        })),
      },
      key: randomUUID(),
    });

  const receiver = () =>
    openReceiver(signingSecret, async (webhookId) => {
      await rest('POST', `/validation-runs/${access.run.id}/handled-events`, { body: { webhookId } });
    });

  await signIn();
  return { fhir, rest, choose, slots, match, book, create, move, cancel, read, upcoming, note, receiver };
}

type ReferenceClient = Awaited<ReturnType<typeof createReferenceClient>>;

/** Everything that a run judges. */
export async function playEverything(access: ClientAccess): Promise<void> {
  const client = await createReferenceClient(access);
  const receiver = await client.receiver();
  const settings = { url: receiver.url, enabled: true, events: ['recovery_case.created', 'recovery_case.outcome'] };
  await fetch(`${access.baseUrl}/integrations/outbound`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${access.admin}`, 'content-type': 'application/json' },
    body: JSON.stringify(settings),
  });

  const patient = await findPatients(client, access);
  await findTimes(client, access, patient);
  const appointment = await bookTimes(client, access, patient);
  await changeAppointment(client, access, { appointment, patient });
  await writeNotes(client, patient);
  await client.choose('token_expired', 'appointments');
  await client.upcoming(patient);
  await followWorkflow(client, access.clinicId);
  await client.rest('POST', `/validation-runs/${access.run.id}/events`);
  await receiver.close();
}

const PROVIDER = 'Dr.Chen';
/** Who does not work on Sundays. */
const RESTING = 'Dr.Okafor';
const SEARCH = `schedule=Schedule/${PROVIDER}`;

async function findPatients(client: ReferenceClient, { run }: ClientAccess): Promise<string> {
  await client.choose('too_many_requests', 'schedule');
  await client.fhir('GET', `/Schedule?actor=Practitioner/${PROVIDER}`);
  const [{ id: patient }] = await client.match('MRN-1001');
  // Nobody has it: the birth date is not the one that the caller has said, so that nothing is done for whom the reply shows.
  await client.match(`NOBODY-${randomUUID()}`);
  // Two are found: a person decides, and until then nothing is done for either.
  await client.choose('duplicate_patient', 'match');
  await client.match('MRN-1003');
  await client.upcoming(idOf(run.foreign.patientReference));
  const [{ id: without }] = await client.match('MRN-1012');
  await client.upcoming(without);
  const [start = ''] = await client.slots(`${SEARCH}&_count=100`);
  await client.book({ patient: without, start });
  await client.book({ patient: 'nobody', start });
  return patient;
}

/** Pages, a page of HTML, a practitioner who is not there, a day on which nobody works, both days of a clock change. */
async function findTimes(client: ReferenceClient, { run }: ClientAccess, patient: string): Promise<void> {
  await client.fhir('GET', '/Schedule?actor=Practitioner/Dr.Nobody');
  await client.choose('gateway_page', 'slots');
  await client.slots(`${SEARCH}&_count=90`);
  await client.fhir('GET', `/Schedule?actor=Practitioner/${RESTING}`);
  await client.fhir('GET', `/Slot?schedule=Schedule/${RESTING}&start=ge2035-01-14&start=lt2035-01-15`);
  await client.slots(`schedule=Schedule/${RESTING}&start=ge2035-01-15&start=lt2035-01-17`);
  for (const change of [run.clockChanges.forward, run.clockChanges.back]) {
    if (change === null) continue;
    const dayBefore = new Date(Date.parse(change) - 2 * 24 * 3_600_000).toISOString().slice(0, 10);
    const open = await client.slots(`${SEARCH}&start=ge${dayBefore}&_count=500`);
    const start = open.find((each) => each >= change);
    if (start) await client.book({ patient, start });
  }
}

async function bookTimes(client: ReferenceClient, { isStrict }: ClientAccess, patient: string) {
  // A time that somebody else takes meanwhile, a reply that is lost, a time off the grid, one that has passed.
  const [first = '', second = '', third = ''] = (await client.slots(`${SEARCH}&_count=100`)).slice(10);
  await client.choose('slot_goes', 'book');
  await client.book({ patient, start: first });
  await client.slots(`${SEARCH}&_count=100`);
  await client.choose('reply_lost_after_write', 'book');
  const { body: booked } = await client.book({ patient, start: second });
  await client.book({ patient, start: plusMinutes(third, 10) });
  await client.book({ patient, start: '2020-01-06T16:00:00.000Z' });
  await client.fhir('POST', '/Appointment/$book', {
    body: { resourceType: 'Parameters', parameter: [] },
    key: randomUUID(),
  });
  await client.slots(`${SEARCH}&_count=100`);
  await (isStrict ? client.create : client.book)({ patient, start: third });
  // What was booked just now is missing in a search that lags behind.
  await client.choose('stale_read', 'appointments');
  await client.upcoming(patient);
  await client.upcoming(patient);
  return { id: String(booked.id), first };
}

async function changeAppointment(
  client: ReferenceClient,
  { isStrict, run }: ClientAccess,
  { appointment: { id, first }, patient }: { appointment: { id: string; first: string }; patient: string },
): Promise<void> {
  const [, , fourth = '', fifth = ''] = (await client.slots(`${SEARCH}&_count=100`)).slice(10);
  if (!isStrict) {
    await client.move(id, first);
    await client.choose('reply_lost_after_write', 'reschedule');
    await client.move(id, fourth);
  }
  // Somebody has changed it meanwhile: it is read again, and still to be cancelled.
  const { etag } = await client.read(id, patient);
  await client.choose('precondition_failed', 'cancel');
  await client.cancel(id, etag);
  const current = await client.read(id, patient);
  const cancelled = await client.cancel(id, current.etag);
  await client.cancel(id, cancelled.etag);
  if (isStrict) await client.fhir('GET', `/Appointment/${id}/_history`);
  else await client.move(id, fifth);
  await client.cancel('nowhere', 'W/"1"');
  await client.cancel(idOf(run.foreign.appointmentReference), 'W/"1"');
}

async function writeNotes(client: ReferenceClient, patient: string): Promise<void> {
  await client.choose('reply_lost_after_write', 'document');
  await client.note(patient, 'Wants to come on a Tuesday. Très naïve ✓', { escalateToClinicalTeam: true });
  await client.note(patient, 'Asks for the records of her last doctor.', { requestExternalRecords: true });
}

/** A workflow from its start to its end. */
async function followWorkflow(client: ReferenceClient, clinicId: string): Promise<void> {
  const started = await client.rest('POST', '/workflows/start', {
    body: {
      workflowType: 'abandonment-recovery',
      clinicId,
      patient: { firstName: 'Ada', lastName: 'Example', phone: '+15005550001' },
      context: { sessionId: `session-${randomUUID()}`, resumeUrl: 'https://forms.example/resume/1' },
    },
    key: randomUUID(),
  });
  await client.rest('GET', '/workflows/nowhere');
  for (let state = 'started'; state === 'started';)
    state = (await client.rest('GET', `/workflows/${started.body.workflowId}?wait=30`)).body.status;
}

/** Undefined for what is no JSON; null for nothing. */
function readJson(text: string): unknown {
  try {
    return text === '' ? null : JSON.parse(text);
  } catch {
    return undefined;
  }
}

// eslint-disable-next-line typescript/no-explicit-any -- as JSON comes
const resourcesOf = (bundle: any): any[] => (bundle.entry ?? []).map(({ resource }: { resource: unknown }) => resource);

const idOf = (reference: string) => reference.split('/').at(-1) ?? '';

const plusMinutes = (instant: string, minutes: number) =>
  new Date(Date.parse(instant) + minutes * 60_000).toISOString();

interface Wanted {
  patient: string;
  start: string;
}

const bookingOf = (about: Wanted) => ({
  resourceType: 'Parameters',
  parameter: [{ name: 'appointment', resource: proposed(about) }],
});

const proposed = ({ patient, start }: Wanted) => ({
  resourceType: 'Appointment',
  status: 'proposed',
  start,
  serviceType: [{ text: 'Annual physical' }],
  participant: [
    { actor: { reference: `Patient/${patient}` }, status: 'needs-action' },
    { actor: { reference: `Practitioner/${PROVIDER}` }, status: 'needs-action' },
  ],
});

/** Takes events: verifies the raw body, answers at once, and acts upon each once, in order. */
async function openReceiver(secret: string, handle: (webhookId: string) => Promise<void>) {
  const known = new Set<string>();
  let working: Promise<void> = Promise.resolve();
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const raw = Buffer.concat(chunks);
      const isFine = isGenuine(raw, request.headers, secret);
      response.writeHead(isFine ? 204 : 401).end();
      const id = String(request.headers['webhook-id']);
      const { event } = isFine ? (JSON.parse(raw.toString('utf8')) as { event: string }) : { event: '' };
      if (!isFine || known.has(id) || !event.startsWith('recovery_case.')) return;
      known.add(id);
      working = working.then(() => handle(id));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    async close() {
      await working;
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function isGenuine(raw: Buffer, headers: IncomingHttpHeaders, secret: string): boolean {
  const { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures } = headers;
  if (!(Math.abs(Date.now() / 1_000 - Number(timestamp)) < 300)) return false;
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  const expected = createHmac('sha256', key)
    .update(`${String(id)}.${String(timestamp)}.`)
    .update(raw)
    .digest();
  return String(signatures)
    .split(' ')
    .some((signature) => {
      const given = Buffer.from(signature.replace(/^v1,/, ''), 'base64');
      return given.length === expected.length && timingSafeEqual(given, expected);
    });
}

import { createHmac, randomUUID, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

import type { SandboxOperation } from '@clinic/shared/domain/sandbox/sandbox-failures';
/**
 * A client of the sandbox EMR as a clinic would write a good one, with nothing but what docs/integrate.md says. It goes through
 * everything that a validation run judges.
 */

export interface ClientAccess {
  /** Ends in /api. */
  baseUrl: string;
  email: string;
  password: string;
  apiKey: string;
  signingSecret: string;
  /** Has the sandbox lose its next reply to such a request. */
  loseReply: (operation: SandboxOperation) => Promise<void>;
}

interface Reply {
  status: number;
  // eslint-disable-next-line typescript/no-explicit-any -- as JSON comes
  body: any;
}

interface Sent {
  body?: unknown;
  /** Under which a write may be sent again. */
  key?: string;
  /** The reply to the first try of this operation of the sandbox is lost on the way. */
  losing?: SandboxOperation;
}

const MAX_TRIES = 4;

export async function createReferenceClient(access: ClientAccess) {
  const { baseUrl, email, password, apiKey, signingSecret, loseReply } = access;
  let token = '';

  const signIn = async () => {
    const response = await fetch(`${baseUrl}/auth/sign-in/email`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ email, password }),
    });
    token = ((await response.json()) as { token: string }).token;
  };

  const send = async (
    method: string,
    path: string,
    bearer: () => string,
    { body, key, losing }: Sent,
  ): Promise<Reply> => {
    const url = path.startsWith('http') ? path : `${baseUrl}${path}`;
    let hasSignedIn = false;
    if (losing) await loseReply(losing);
    for (let tries = 1; ; tries += 1) {
      const headers = {
        accept: 'application/fhir+json, application/json',
        authorization: `Bearer ${bearer()}`,
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...(key !== undefined && { 'idempotency-key': key }),
      };
      const text = body === undefined ? undefined : JSON.stringify(body);
      const response = await fetch(url, { method, headers, body: text }).catch(() => null);
      if (response?.status === 401 && !hasSignedIn && bearer() === token) {
        await signIn();
        hasSignedIn = true;
        continue;
      }
      const mayComeGood = response === null || response.status === 429 || response.status >= 500;
      if (!mayComeGood || tries === MAX_TRIES) {
        const answer = await response?.text();
        return { status: response?.status ?? 0, body: answer ? JSON.parse(answer) : null };
      }
      await response?.arrayBuffer();
      await delay(Number(response?.headers.get('retry-after') ?? 0) * 1_000 || 20);
    }
  };

  const fhir = (method: string, path: string, sent: Sent = {}) => send(method, path, () => token, sent);
  const rest = (method: string, path: string, sent: Sent = {}) => send(method, path, () => apiKey, sent);

  /** All pages of a search. */
  const slots = async (parameters: string): Promise<string[]> => {
    const starts: string[] = [];
    for (let url: string | undefined = `/Slot?${parameters}`; url;) {
      const { body }: Reply = await fhir('GET', url);
      starts.push(...body.entry.map(({ resource }: { resource: { start: string } }) => resource.start));
      url = body.link.find(({ relation }: { relation: string }) => relation === 'next')?.url;
    }
    return starts;
  };

  const match = async (identifier: string) => {
    const { body } = await fhir('POST', '/Patient/$match', {
      body: { resourceType: 'Parameters', parameter: [{ name: 'identifier', valueString: identifier }] },
    });
    return body.entry[0].resource as { id: string; birthDate?: string };
  };

  const book = (about: { patient: string; provider: string; start: string }, isLost = false) =>
    fhir('POST', '/Appointment/$book', {
      body: bookingOf(about),
      key: randomUUID(),
      losing: isLost ? 'book' : undefined,
    });

  const move = (id: string, start: string, isLost = false) =>
    fhir('POST', `/Appointment/${id}/$reschedule`, {
      body: { start },
      key: randomUUID(),
      losing: isLost ? 'reschedule' : undefined,
    });

  const cancel = (id: string) => fhir('POST', `/Appointment/${id}/$cancel`);
  const upcoming = (patient: string) => fhir('GET', `/Appointment?patient=Patient/${patient}`);

  const note = (patient: string, text: string, wishes: Record<string, boolean> = {}, isLost = false) =>
    fhir('POST', '/DocumentReference', {
      body: {
        resourceType: 'DocumentReference',
        status: 'current',
        subject: { reference: `Patient/${patient}` },
        content: [{ attachment: { contentType: 'text/plain', data: Buffer.from(text, 'utf8').toString('base64') } }],
        extension: Object.entries(wishes).map(([url, valueBoolean]) => ({ url, valueBoolean })),
      },
      key: randomUUID(),
      losing: isLost ? 'document' : undefined,
    });

  await signIn();
  return {
    fhir,
    rest,
    slots,
    match,
    book,
    move,
    cancel,
    upcoming,
    note,
    /** Ends its own session, as if its token had expired. */
    loseToken: async () => {
      await fetch(`${baseUrl}/auth/sign-out`, { method: 'POST', headers: { authorization: `Bearer ${token}` } });
    },
    receiver: (runId: string) =>
      openReceiver(signingSecret, async (webhookId) => {
        await rest('POST', `/validation-runs/${runId}/handled-events`, { body: { webhookId } });
      }),
  };
}

export type ReferenceClient = Awaited<ReturnType<typeof createReferenceClient>>;

/** Everything that a run judges. `takeAway` has somebody else book a time. */
export async function playEverything(
  client: ReferenceClient,
  {
    run,
    provider,
    resting,
    takeAway,
  }: {
    run: {
      id: string;
      foreign: { appointmentReference: string; patientReference: string };
      clockChanges: { forward: string | null; back: string | null };
    };
    provider: string;
    /** A practitioner who does not work on Sundays. */
    resting: string;
    takeAway: (start: string) => Promise<unknown>;
  },
): Promise<void> {
  const search = `schedule=Schedule/${provider}`;
  await client.fhir('GET', `/Schedule?actor=Practitioner/${provider}`);
  await client.fhir('GET', '/Schedule?actor=Practitioner/Dr.Nobody');
  const starts = await client.slots(`${search}&_count=100`);
  const [first = '', second = '', third = '', fourth = '', fifth = '', sixth = ''] = starts.slice(10);

  const { id: patient } = await client.match('MRN-1001');
  // Nobody has it: the birth date is not the one that the caller has said, so that nothing is done for whom the reply shows.
  await client.match(`NOBODY-${randomUUID()}`);
  await client.upcoming(idOf(run.foreign.patientReference));
  await client.fhir('POST', '/Appointment/$book', {
    body: bookingOf({ patient: 'nobody', provider, start: first }),
    key: randomUUID(),
  });

  // A time that somebody else has taken, one off the grid, one that has passed.
  await takeAway(first);
  await client.book({ patient, provider, start: first });
  await client.slots(`${search}&_count=100`);
  const booked = await client.book({ patient, provider, start: second }, true);
  await client.book({ patient, provider, start: plusMinutes(third, 10) });
  await client.book({ patient, provider, start: '2020-01-06T16:00:00.000Z' });
  await client.slots(`${search}&_count=100`);
  await client.book({ patient, provider, start: third });
  await client.fhir('POST', '/Appointment/$book', {
    body: { resourceType: 'Parameters', parameter: [] },
    key: randomUUID(),
  });
  await client.upcoming(patient);

  const { id } = booked.body as { id: string };
  await client.move(id, first);
  await client.move(id, fourth, true);
  await client.cancel(id);
  await client.cancel(id);
  await client.move(id, fifth);
  await client.cancel('nowhere');
  await client.cancel(idOf(run.foreign.appointmentReference));

  const { id: other } = await client.match('MRN-1002');
  const held = await client.upcoming(other);
  const theirs: { id: string }[] = (held.body.entry as { resource: { id: string } }[]).map(({ resource }) => resource);
  for (const each of theirs) await client.cancel(each.id);
  for (let next = await client.upcoming(other); next.body.total > 0; next = await client.upcoming(other))
    await client.cancel(next.body.entry[0].resource.id);
  await client.book({ patient: other, provider, start: sixth });

  // Nobody works then; both days of a clock change.
  await client.fhir('GET', `/Schedule?actor=Practitioner/${resting}`);
  await client.fhir('GET', `/Slot?schedule=Schedule/${resting}&start=ge2035-01-14&start=lt2035-01-15`);
  await client.slots(`schedule=Schedule/${resting}&start=ge2035-01-15&start=lt2035-01-17`);
  for (const change of [run.clockChanges.forward, run.clockChanges.back]) {
    if (change === null) continue;
    const dayBefore = new Date(Date.parse(change) - 2 * 24 * 3_600_000).toISOString().slice(0, 10);
    const open = await client.slots(`${search}&start=ge${dayBefore}&_count=500`);
    const start = open.find((each) => each >= change);
    if (start) await client.book({ patient, provider, start });
  }

  await client.note(patient, 'Wants to come on a Tuesday. Très naïve ✓', { escalateToClinicalTeam: true }, true);
  await client.note(patient, 'Asks for the records of her last doctor.', { requestExternalRecords: true });

  await client.loseToken();
  await client.upcoming(patient);
}

/** A workflow from its start to its end. */
export async function followWorkflow(client: ReferenceClient, clinicId: string): Promise<void> {
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

const idOf = (reference: string) => reference.split('/').at(-1) ?? '';

const plusMinutes = (instant: string, minutes: number) =>
  new Date(Date.parse(instant) + minutes * 60_000).toISOString();

const bookingOf = ({ patient, provider, start }: { patient: string; provider: string; start: string }) => ({
  resourceType: 'Parameters',
  parameter: [
    {
      name: 'appointment',
      resource: {
        resourceType: 'Appointment',
        status: 'proposed',
        start,
        serviceType: [{ text: 'Annual physical' }],
        participant: [
          { actor: { reference: `Patient/${patient}` }, status: 'needs-action' },
          { actor: { reference: `Practitioner/${provider}` }, status: 'needs-action' },
        ],
      },
    },
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

import { STATUS_CODES } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { ProposedAppointment, type Parameters as FhirParameters } from '@clinic/shared/contracts/calendar/fhir';
import { toAppointment } from '@clinic/shared/contracts/calendar/fhir-appointment';
import { defaultVisitType } from '@clinic/shared/contracts/calendar/appointments';
import { localDate, plusDays } from '@clinic/shared/domain/calendar/clinic-time';
import { nextClockChange } from '@clinic/shared/domain/calendar/clock-change';
import {
  type ChosenFailure,
  isForOperation,
  type SandboxFailureCode,
  type SandboxOperation,
  sandboxOperationNames,
  sandboxOperations,
} from '@clinic/shared/domain/sandbox/sandbox-failures';
import { emrTime } from '@clinic/prisma/stores/calendar/agendas';
import type { Stores } from '@clinic/prisma/stores';
import type { RequestSubject } from '@clinic/prisma/stores/sandbox/sandbox-failures';
import { parse } from '@clinic/shared/contracts/parse';
import type { Around, Caller, FhirRequest, Reply, Route } from '@clinic/api/http/route';
import type { RefusalReason } from '@clinic/shared/domain/calendar/refusals';
import { namedIn, participantOf, proposedIn } from '@clinic/shared/contracts/calendar/parameters';

/** Says in a response which failure was chosen for it. */
const FAILURE_HEADER = 'x-sandbox-failure';

/** Who books what the client of a sandbox wanted: a fixture patient like any other. */
const RIVAL = 'SANDBOX-RIVAL';

/** The operation of a route; null for one that no failure can be chosen for. */
function operationOf({ method, path }: Pick<Route, 'method' | 'path'>): SandboxOperation | null {
  const name = `${method.toUpperCase()} ${path}`;
  return sandboxOperationNames.find((each) => sandboxOperations[each] === name) ?? null;
}

/** The routes of the sandbox EMR with the failures that a clinic's team has chosen; what none is chosen for is left alone. */
export function withChosenFailures(routes: Route[]): Route[] {
  return routes.map((route) => {
    const operation = operationOf(route);
    if (operation === null) return route;
    const play: Around = async (exchange, asked, plainly, deps) => {
      const { stores } = deps;
      // Only searches are asked again, and they have no key. What is made when it is read stays so.
      const withQuery = async (query: object) =>
        route.handle(Object.create(asked, { query: { value: query } }) as never, deps);
      const scene = { stores, operation, exchange, asked, plainly, withQuery };
      const chosen = await claimed(scene);
      if (!chosen) return plainly();
      const { failure, parameters } = chosen;
      exchange.response.locals.wanted = { chosenFailure: failure };
      if (failure === 'slow_answer') exchange.holdOpen();
      return named(failure, await plays[failure]({ ...scene, parameters }));
    };
    const around = (caller: Caller) =>
      caller.kind === 'session' && caller.agenda && caller.agenda.failures.length > 0 ? play : null;
    return { ...route, around };
  });
}

/** The oldest failure that is chosen for such a request, which counts it as played. */
async function claimed(scene: Omit<Scene, 'parameters'>): Promise<ChosenFailure | null> {
  const { stores, operation, asked } = scene;
  const { clinicId, agenda } = asked.caller;
  const subject = subjectOf(scene);
  const realNow = new Date().toISOString();
  for (const each of agenda.failures.filter((failure) => isForOperation(failure, operation, realNow))) {
    if (await stores.sandboxFailures.claim({ clinicId, id: each.id, subject })) return each;
  }
  return null;
}

/** A request that has been read, and a failure to play for it. */
interface Scene {
  stores: Stores;
  operation: SandboxOperation;
  exchange: Parameters<Around>[0];
  asked: FhirRequest;
  /** Does what is asked, once, under its `Idempotency-Key` where it has one. */
  plainly: Parameters<Around>[2];
  /** The same search with another query. */
  withQuery: (query: object) => Promise<Reply>;
  parameters: Readonly<Record<string, number>>;
}

type Play = (scene: Scene) => Promise<Reply>;

const plays: Record<SandboxFailureCode, Play> = {
  async slow_answer({ plainly, asked, parameters: { delaySeconds = 0 } }) {
    const reply = await plainly();
    // Anyone who has gone away meanwhile needs no more waiting for.
    await delay(delaySeconds * 1_000, undefined, { signal: asked.signal }).catch(() => undefined);
    return reply;
  },
  too_many_requests: async ({ parameters }) =>
    refusal(429, 'Too many requests; please slow down', retryAfter(parameters)),
  server_error: async () => refusal(500, 'Something went wrong on our side'),
  unavailable: async ({ parameters }) =>
    refusal(503, 'Out of service; please try again shortly', retryAfter(parameters)),
  async gateway_timeout({ plainly }) {
    await plainly();
    return refusal(504, 'The server behind the gateway did not answer in time');
  },
  gateway_page: async () => ({ status: 502, body: gatewayPage, type: 'text/html; charset=utf-8' }),
  async reply_lost_after_write({ plainly, exchange }) {
    const reply = await plainly();
    exchange.response.destroy();
    return reply;
  },
  async reply_lost_before_write({ exchange }) {
    exchange.response.destroy();
    return {};
  },
  async reply_cut_off({ plainly, exchange: { response } }) {
    const reply = named('reply_cut_off', await plainly());
    const text = textOf(reply);
    const { status = 200, headers, type = 'application/json; charset=utf-8' } = reply;
    response.writeHead(status, { ...headers, 'content-type': type, 'content-length': Buffer.byteLength(text) });
    response.write(text.slice(0, text.length / 2), () => response.destroy());
    return reply;
  },
  async invalid_json({ plainly }) {
    const reply = await plainly();
    const text = textOf(reply);
    return { ...reply, body: text.slice(0, Math.ceil(text.length / 2)) };
  },
  wrong_content_type: async ({ plainly }) => ({ ...(await plainly()), type: 'text/plain; charset=utf-8' }),
  async unexpected_elements({ plainly }) {
    const reply = await plainly();
    return (reply.status ?? 200) >= 400 ? reply : { ...reply, body: withUnexpected(resourceOf(reply)) };
  },
  token_expired: async () =>
    refusal(401, 'The session token is missing, unknown or expired', {
      'www-authenticate': 'Bearer error="invalid_token", error_description="The access token expired"',
    }),
  forbidden: async () => refusal(403, 'The token lacks a scope that this needs'),
  async slot_goes(scene) {
    const { stores, asked, operation } = scene;
    const { clinicId } = asked.caller;
    if (operation === 'book') {
      const body = asked.body as FhirParameters;
      // What the client holds goes to nobody else, and what `$find` proposed is left alone too.
      if (namedIn(body) !== null) return scene.plainly();
      const proposed = parse(ProposedAppointment, proposedIn(body));
      await takeTime(scene, { provider: participantOf(proposed, 'Practitioner'), startsAt: proposed.start });
    } else {
      const booked = await stores.appointments.find(clinicId, appointmentOf(scene));
      const { start: startsAt } = asked.body as { start: string };
      if (booked) await takeTime(scene, { provider: booked.providerName, startsAt });
    }
    return scene.plainly();
  },
  async cancelled_meanwhile(scene) {
    const { clinicId } = scene.asked.caller;
    await scene.stores.appointments.cancel({ clinicId, appointmentId: appointmentOf(scene) });
    return scene.plainly();
  },
  precondition_failed: async () => refusal(412, 'The appointment has changed since it was read'),
  not_found_yet: async (scene) => refusal(404, `${missing(scene)} not found`),
  async stale_read({ plainly, stores, asked, parameters: { lagSeconds = 60 } }) {
    const { clinicId, agenda } = asked.caller;
    const reply = await plainly();
    const bundle = searchsetOf(reply);
    if (!bundle) return reply;
    const patientId = subjectOf({ operation: 'appointments', asked }).patientId ?? '';
    const [asOf, now] = [new Date(Date.now() - lagSeconds * 1_000), emrTime(agenda)];
    const then = await stores.sandbox.upcomingAsOf({ clinicId, patientId, asOf, now });
    const [url = ''] = (bundle.link.find(({ relation }) => relation === 'self')?.url ?? '').split('?');
    const entry = then
      ? [{ fullUrl: `${url}/${then.id}`, resource: toAppointment({ ...then, status: 'booked' }) }]
      : [];
    return { ...reply, body: { ...bundle, total: entry.length, entry } };
  },
  duplicate_patient: ({ plainly, stores, asked }) =>
    plainly(async (reply) => {
      const bundle = searchsetOf(reply);
      const [only] = bundle?.entry ?? [];
      const original = only?.resource.id;
      if (!bundle || !only || typeof original !== 'string') return reply;
      const twin = await stores.sandbox.duplicate(asked.caller.clinicId, original);
      if (!twin) return reply;
      const second = {
        ...only,
        fullUrl: only.fullUrl.replace(original, twin),
        resource: { ...only.resource, id: twin },
      };
      return { ...reply, body: { ...bundle, total: 2, entry: [only, second] }, subjects: [original, twin] };
    }),
  async empty_bundle({ plainly }) {
    const reply = await plainly();
    const bundle = searchsetOf(reply);
    if (!bundle) return reply;
    return { ...reply, body: { ...bundle, total: 0, link: selfOf(bundle), entry: [] } };
  },
  async outcome_entry({ plainly }) {
    const reply = await plainly();
    const bundle = searchsetOf(reply);
    if (!bundle) return reply;
    const matches = bundle.entry.map((entry) => ({ ...entry, search: { mode: 'match' } }));
    return { ...reply, body: { ...bundle, entry: [...matches, warning] } };
  },
  async large_bundle({ plainly, asked, withQuery, parameters: { entries: wanted = 0 } }) {
    const reply = await plainly();
    const bundle = resourceOf(reply) as Searchset;
    const { schedule } = asked.query as { schedule?: string };
    const entry: Searchset['entry'] = [];
    let after = emrTime(asked.caller.agenda);
    for (let searches = 0; entry.length < wanted && searches < MAX_SEARCHES; searches += 1) {
      const start = `gt${after.toISOString()}`;
      const more = (resourceOf(await withQuery({ schedule, start, _count: 500 })) as Searchset).entry;
      entry.push(...more);
      const last = more.at(-1)?.resource.start;
      after = typeof last === 'string' ? new Date(last) : new Date(after.getTime() + SEARCH_MS);
    }
    const shown = entry.slice(0, wanted);
    return { ...reply, body: { ...bundle, total: shown.length, link: selfOf(bundle), entry: shown } };
  },
  async page_changes(scene) {
    const { plainly, withQuery, asked } = scene;
    const reply = await plainly();
    const bundle = resourceOf(reply) as Searchset;
    const next = bundle.link.find(({ relation }) => relation === 'next');
    const query = asked.query as { schedule?: string; _count?: number };
    const { _count: count = 0 } = query;
    if (!next || count < 2) return reply;
    // The next page as it would be, of which somebody takes the first time.
    const cursor = new URL(next.url).searchParams.get('_cursor') ?? undefined;
    const coming = resourceOf(await withQuery({ ...query, _cursor: cursor })) as Searchset;
    const startsAt = coming.entry[0]?.resource.start;
    const provider = query.schedule?.replace('Schedule/', '') ?? '';
    if (typeof startsAt === 'string') await takeTime(scene, { provider, startsAt });
    // The same page less its last entry leads to a next one that begins with that entry.
    const shorter = resourceOf(await withQuery({ ...query, _count: count - 1 })) as Searchset;
    const shifted = shorter.link.find(({ relation }) => relation === 'next');
    const url = shifted?.url.replace(`_count=${count - 1}`, `_count=${count}`) ?? next.url;
    const link = bundle.link.map((each) => (each === next ? { relation: 'next', url } : each));
    return { ...reply, body: { ...bundle, link } };
  },
  async clock_change(scene) {
    const { plainly, withQuery, asked } = scene;
    const { agenda } = asked.caller;
    const { zone } = agenda;
    const today = localDate(emrTime(agenda).toISOString(), zone);
    const change = nextClockChange(today, zone);
    if (change === null) return plainly();
    return withQuery({ ...(asked.query as object), start: `ge${plusDays(change, -3)}`, _cursor: undefined });
  },
  // Deliveries meet it, and no request does.
  event_given_up: ({ plainly }) => plainly(),
};

/** As far as one search looks. */
const SEARCH_MS = 14 * 24 * 3_600_000;
/** Five years of a provider who is there for some hours a week. */
const MAX_SEARCHES = 130;

interface Searchset {
  resourceType: string;
  link: { relation: string; url: string }[];
  entry: { fullUrl: string; resource: Record<string, unknown> }[];
}

const selfOf = ({ link }: Searchset) => link.filter(({ relation }) => relation === 'self');

const textOf = ({ body }: Reply): string => (typeof body === 'string' ? body : JSON.stringify(body ?? null));
const resourceOf = (reply: Reply): object => JSON.parse(textOf(reply)) as object;

/** The Bundle of a reply; null where it was refused. R4 without deviations has no `entry` in an empty one. */
function searchsetOf(reply: Reply): Searchset | null {
  const resource = resourceOf(reply) as Partial<Searchset>;
  return resource.resourceType === 'Bundle' ? { ...(resource as Searchset), entry: resource.entry ?? [] } : null;
}

function refusal(status: number, message: string, headers: Record<string, string> = {}): Reply {
  const body = { statusCode: status, message, error: STATUS_CODES[status] ?? 'Error' };
  return { status, body, headers, refusal: reasons[status], type: 'application/json; charset=utf-8' };
}

/** As the service itself refuses with these statuses. */
const reasons: Record<number, RefusalReason> = {
  401: 'unauthenticated',
  403: 'not_allowed',
  429: 'too_many_requests',
};

const retryAfter = ({ retryAfterSeconds = 1 }: Readonly<Record<string, number>>) => ({
  'retry-after': String(retryAfterSeconds),
});

/** A response says which failure was chosen for it. */
const named = (failure: SandboxFailureCode, reply: Reply): Reply => ({
  ...reply,
  headers: { ...reply.headers, [FAILURE_HEADER]: failure },
});

/** Whom a request is about, as far as it can be read: what cannot is refused by the route itself. */
function subjectOf({ operation, asked }: Pick<Scene, 'operation' | 'asked'>): RequestSubject {
  const query = (asked.query ?? {}) as { patient?: unknown };
  const body = (asked.body ?? {}) as { subject?: { reference?: unknown } };
  switch (operation) {
    case 'schedule':
    case 'slots':
    case 'event':
      return {};
    case 'appointments':
      return ofPatient(query.patient);
    case 'match': {
      const identifier = valueNamed(asked.body, 'identifier')?.valueString;
      return typeof identifier === 'string' ? { identifier: identifier.trim() } : {};
    }
    case 'book': {
      const proposed = ProposedAppointment.safeParse(valueNamed(asked.body, 'appointment')?.resource);
      const references = proposed.data?.participant.map(({ actor }) => actor?.reference) ?? [];
      return ofPatient(references.find((reference) => reference?.startsWith('Patient/')));
    }
    case 'reschedule':
    case 'cancel':
      return { appointmentId: (asked.params as { id: string }).id };
    case 'document':
      return ofPatient(body.subject?.reference);
  }
}

const valueNamed = (body: unknown, name: string) =>
  (body as Partial<FhirParameters> | undefined)?.parameter?.find((each) => each.name === name);

const ofPatient = (reference: unknown): RequestSubject =>
  typeof reference === 'string' && reference.startsWith('Patient/')
    ? { patientId: reference.slice('Patient/'.length) }
    : {};

const appointmentOf = ({ operation, asked }: Pick<Scene, 'operation' | 'asked'>): string =>
  subjectOf({ operation, asked }).appointmentId ?? '';

function missing({ operation, asked }: Pick<Scene, 'operation' | 'asked'>): string {
  const { appointmentId, patientId } = subjectOf({ operation, asked });
  return appointmentId === undefined ? `Patient ${patientId ?? ''}` : `Appointment ${appointmentId}`;
}

/** Somebody else books a time, unless it is gone already. */
async function takeTime(
  { stores, asked }: Scene,
  { provider, startsAt }: { provider: string; startsAt: string },
): Promise<void> {
  const { clinicId, agenda } = asked.caller;
  const { patient } = await stores.sandbox.match(clinicId, RIVAL);
  const now = emrTime(agenda);
  await stores.appointments.book({
    clinicId,
    patientId: patient.id,
    provider,
    isFhirId: true,
    visitType: defaultVisitType,
    startsAt: new Date(startsAt).toISOString(),
    now,
  });
}

/** The resource with what our own never carries; in a searchset, each of its resources. */
function withUnexpected(resource: object): object {
  const { entry, ...bundle } = resource as Partial<Searchset>;
  if (!entry) return { ...resource, ...unexpected };
  return { ...bundle, entry: entry.map((each) => ({ ...each, resource: { ...each.resource, ...unexpected } })) };
}

const unexpected = {
  meta: {
    versionId: '7',
    lastUpdated: '2026-01-01T00:00:00.000Z',
    tag: [{ system: 'urn:example:tag', code: 'mirrored' }],
  },
  text: { status: 'generated', div: '<div xmlns="http://www.w3.org/1999/xhtml">A record of the sandbox</div>' },
  extension: [{ url: 'urn:example:department', valueString: 'Main building' }],
};

const warning = {
  fullUrl: 'urn:uuid:5b7a3c1e-6f7c-4c6b-9a1d-2e4f6a8b0c1d',
  resource: {
    resourceType: 'OperationOutcome',
    issue: [{ severity: 'warning', code: 'processing', diagnostics: 'A part of the index is being rebuilt' }],
  },
  search: { mode: 'outcome' },
};

const gatewayPage =
  '<!doctype html><html><head><title>502 Bad Gateway</title></head><body><h1>502 Bad Gateway</h1></body></html>';

import { STATUS_CODES } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { ProposedAppointment, type Parameters } from '@clinic/shared/contracts/fhir';
import { toAppointment } from '@clinic/shared/contracts/fhir-appointment';
import { defaultVisitType } from '@clinic/shared/contracts/appointments';
import { localDate, plusDays } from '@clinic/shared/domain/clinic-time';
import { nextClockChange } from '@clinic/shared/domain/clock-change';
import {
  type ChosenFailure,
  isForOperation,
  type SandboxFailureCode,
  type SandboxOperation,
  sandboxOperationNames,
  sandboxOperations,
} from '@clinic/shared/domain/sandbox-failures';
import type { Stores } from '@clinic/prisma/stores';
import type { RequestSubject } from '@clinic/prisma/stores/sandbox-failures';
import { parse } from '../http/parse';
import type { Reply, Route, RouteRequest } from '../http/route';
import { participantOf } from './appointment';
import { namedIn, proposedIn } from './parameters';

/** Says in a response which failure was chosen for it. */
const FAILURE_HEADER = 'x-sandbox-failure';

/** Who books what the client of a sandbox wanted: a fixture patient like any other. */
const RIVAL = 'SANDBOX-RIVAL';

/** A request of the sandbox's FHIR routes that has been read and may be answered. */
export interface SandboxRequest {
  operation: SandboxOperation;
  asked: RouteRequest<'fhir', unknown, unknown, unknown>;
  /** Does what is asked, once, under its `Idempotency-Key` where it has one. */
  plainly: () => Promise<Reply>;
  /** The same search with another query. */
  withQuery: (query: object) => Promise<Reply>;
  /** Called before a failure is played: such a request is no measure of how the service does. */
  onPlay: (failure: SandboxFailureCode, about: { isSlow: boolean }) => void;
}

export interface ChosenFailures {
  /** Answers a request as the oldest failure that the clinic has chosen for it wants; plainly where there is none. */
  answer(request: SandboxRequest): Promise<Reply>;
}

/** The operation of a route; null for one that no failure can be chosen for. */
export function operationOf({ method, path }: Pick<Route, 'method' | 'path'>): SandboxOperation | null {
  const name = `${method.toUpperCase()} ${path}`;
  return sandboxOperationNames.find((each) => sandboxOperations[each] === name) ?? null;
}

/** Plays the failures that a clinic's team has chosen for its sandbox. Where none is chosen it costs a look at what is remembered. */
export function createChosenFailures({ stores }: { stores: Stores }): ChosenFailures {
  const claimed = async (request: SandboxRequest): Promise<ChosenFailure | null> => {
    const { operation, asked } = request;
    const { clinicId } = asked.caller;
    const failures = (await stores.agendas.of(clinicId))?.failures ?? [];
    if (failures.length === 0) return null;
    const subject = subjectOf(request);
    const realNow = new Date().toISOString();
    for (const each of failures.filter((failure) => isForOperation(failure, operation, realNow))) {
      if (await stores.sandboxFailures.claim({ clinicId, id: each.id, subject })) return each;
    }
    return null;
  };

  return {
    async answer(request) {
      const chosen = await claimed(request);
      if (!chosen) return request.plainly();
      const { failure, parameters } = chosen;
      request.onPlay(failure, { isSlow: failure === 'slow_answer' });
      return named(failure, await plays[failure]({ ...request, stores, parameters }));
    },
  };
}

interface Scene extends SandboxRequest {
  stores: Stores;
  parameters: Readonly<Record<string, number>>;
}

type Play = (scene: Scene) => Promise<Reply>;

const plays: Record<SandboxFailureCode, Play> = {
  async slow_answer({ plainly, asked, parameters: { delaySeconds = 0 } }) {
    const reply = await plainly();
    // Whoever has gone away meanwhile needs no more waiting for.
    await delay(delaySeconds * 1_000, undefined, { signal: asked.signal }).catch(() => undefined);
    return reply;
  },
  too_many_requests: async ({ parameters }) =>
    refusal(429, 'Too many requests; please slow down', retryAfter(parameters)),
  server_error: async () => refusal(500, 'Something went wrong on our side'),
  unavailable: async ({ parameters }) =>
    refusal(503, 'Out of service; please try again shortly', retryAfter(parameters)),
  async gateway_timeout({ plainly }) {
    return { ...(await plainly()), instead: refusal(504, 'The server behind the gateway did not answer in time') };
  },
  gateway_page: async () => ({ status: 502, body: gatewayPage, type: 'text/html; charset=utf-8' }),
  reply_lost_after_write: async ({ plainly }) => ({ ...(await plainly()), instead: { isCut: 'before' } }),
  reply_lost_before_write: async () => ({ isCut: 'before' }),
  async reply_cut_off({ plainly }) {
    const reply = await plainly();
    return { ...reply, instead: { ...reply, isCut: 'midway' } };
  },
  async invalid_json({ plainly }) {
    const reply = await plainly();
    const text = textOf(reply);
    return { ...reply, instead: { ...reply, body: text.slice(0, Math.ceil(text.length / 2)) } };
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
      const body = asked.body as Parameters;
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
    const { clinicId } = asked.caller;
    const reply = await plainly();
    const bundle = searchsetOf(reply);
    if (!bundle) return reply;
    const patientId = subjectOf({ operation: 'appointments', asked }).patientId ?? '';
    const [asOf, now] = [new Date(Date.now() - lagSeconds * 1_000), await stores.agendas.now(clinicId)];
    const then = await stores.sandbox.upcomingAsOf({ clinicId, patientId, asOf, now });
    const [url = ''] = (bundle.link.find(({ relation }) => relation === 'self')?.url ?? '').split('?');
    const entry = then
      ? [{ fullUrl: `${url}/${then.id}`, resource: toAppointment({ ...then, status: 'booked' }) }]
      : [];
    return { ...reply, body: { ...bundle, total: entry.length, entry } };
  },
  async duplicate_patient({ plainly, stores, asked }) {
    const reply = await plainly();
    const bundle = searchsetOf(reply);
    if (!bundle) return reply;
    const [only] = bundle.entry;
    const original = only?.resource.id;
    if (typeof original !== 'string') return reply;
    const twin = await stores.sandbox.duplicate(asked.caller.clinicId, original);
    if (!twin) return reply;
    const second = {
      ...only,
      fullUrl: only?.fullUrl.replace(original, twin),
      resource: { ...only?.resource, id: twin },
    };
    return { ...reply, body: { ...bundle, total: 2, entry: [only, second] }, subjects: [original, twin] };
  },
  async empty_bundle({ plainly }) {
    const reply = await plainly();
    const bundle = searchsetOf(reply);
    if (!bundle) return reply;
    return { ...reply, body: { ...bundle, total: 0, link: selfOf(bundle), entry: [] }, subjects: [] };
  },
  async outcome_entry({ plainly }) {
    const reply = await plainly();
    const bundle = searchsetOf(reply);
    if (!bundle) return reply;
    const matches = bundle.entry.map((entry) => ({ ...entry, search: { mode: 'match' } }));
    return { ...reply, body: { ...bundle, entry: [...matches, warning] } };
  },
  async large_bundle({ plainly, asked, withQuery, stores, parameters: { entries: wanted = 0 } }) {
    const reply = await plainly();
    const bundle = resourceOf(reply) as Searchset;
    const { schedule } = asked.query as { schedule?: string };
    const entry: Searchset['entry'] = [];
    let after = await stores.agendas.now(asked.caller.clinicId);
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
    const { plainly, withQuery, asked, stores } = scene;
    const { clinicId } = asked.caller;
    const zone = (await stores.agendas.of(clinicId))?.zone ?? 'UTC';
    const today = localDate((await stores.agendas.now(clinicId)).toISOString(), zone);
    const change = nextClockChange(today, zone);
    if (change === null) return plainly();
    return withQuery({ ...(asked.query as object), start: `ge${plusDays(change, -3)}`, _cursor: undefined });
  },
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
  return { status, body, headers, type: 'application/json; charset=utf-8' };
}

const retryAfter = ({ retryAfterSeconds = 1 }: Readonly<Record<string, number>>) => ({
  'retry-after': String(retryAfterSeconds),
});

/** Whoever looks at a response sees that it was chosen. */
function named(failure: SandboxFailureCode, { instead, ...reply }: Reply): Reply {
  const headers = { ...reply.headers, [FAILURE_HEADER]: failure };
  const spoilt = instead && { ...instead, headers: { ...instead.headers, [FAILURE_HEADER]: failure } };
  return { ...reply, headers, ...(spoilt && { instead: spoilt }) };
}

/** Whom a request is about, as far as it can be read: what cannot is refused by the route itself. */
function subjectOf({ operation, asked }: Pick<SandboxRequest, 'operation' | 'asked'>): RequestSubject {
  const query = (asked.query ?? {}) as { patient?: unknown };
  const body = (asked.body ?? {}) as { subject?: { reference?: unknown } };
  switch (operation) {
    case 'schedule':
    case 'slots':
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
  (body as Partial<Parameters> | undefined)?.parameter?.find((each) => each.name === name);

const ofPatient = (reference: unknown): RequestSubject =>
  typeof reference === 'string' && reference.startsWith('Patient/')
    ? { patientId: reference.slice('Patient/'.length) }
    : {};

const appointmentOf = ({ operation, asked }: SandboxRequest): string =>
  subjectOf({ operation, asked }).appointmentId ?? '';

function missing({ operation, asked }: SandboxRequest): string {
  const { appointmentId, patientId } = subjectOf({ operation, asked });
  return appointmentId === undefined ? `Patient ${patientId ?? ''}` : `Appointment ${appointmentId}`;
}

/** Somebody else books a time, unless it is gone already. */
async function takeTime(
  { stores, asked }: Scene,
  { provider, startsAt }: { provider: string; startsAt: string },
): Promise<void> {
  const { clinicId } = asked.caller;
  const { patient } = await stores.sandbox.match(clinicId, RIVAL);
  const now = await stores.agendas.now(clinicId);
  await stores.appointments.book({
    clinicId,
    patientId: patient.id,
    provider,
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

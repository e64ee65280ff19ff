import { defaultVisitType } from '@clinic/shared/contracts/calendar/appointments';
import {
  noteExtensions,
  type Parameters,
  proposalNames,
  ProposedAppointment,
} from '@clinic/shared/contracts/calendar/fhir';
import { toVersioned } from '@clinic/shared/contracts/calendar/fhir-appointment';
import { fullLeniency } from '@clinic/shared/domain/sandbox/leniency';
import { isConflictReason, refusals } from '@clinic/shared/domain/calendar/refusals';
import { AppError } from '@clinic/shared/errors';
import type { Caller, FhirRequest, Reply, Route, Deps, RouteDeps } from '@clinic/api/http/route';
import { participantOf } from '@clinic/shared/contracts/calendar/parameters';
import { searchset, searchUrl } from '@clinic/shared/contracts/calendar/bundle';
import { outcomeOf, refuse } from '@clinic/shared/contracts/calendar/outcome';
import { ReferenceTo, searchParameters } from '@clinic/shared/contracts/calendar/search';
import { providerNamed } from '@clinic/prisma/stores/calendar/agendas';
import { etagOf, reasonIn, showsVersions, showVersion, versionIn } from './versions';

/** What the wrapper of the FHIR routes works with. */
type LeniencyDeps = Deps<'stores' | 'baseUrl'>;

/** What the EMR can do besides, where a lenient rule is off. */
interface Strict {
  /** `GET /Appointment` as R4 has it. */
  searchAppointments: (request: FhirRequest, deps: LeniencyDeps) => Promise<Reply>;
  /** `$match` without one of its lenient rules; null where the contract's own will do. */
  matchPatients: (request: FhirRequest, deps: LeniencyDeps) => Promise<Reply | null>;
}

type Rule = (request: FhirRequest, deps: LeniencyDeps, strict: Strict) => Promise<Reply | null> | Reply | null;

/**
 * The routes of the sandbox EMR as a clinic's sandbox wants them: with every lenient rule on they are left as they are; each that is
 * off refuses or answers something itself, or writes the response otherwise.
 */
export function withLeniency(strict: Strict, routes: Route[]): Route[] {
  return routes.map((route) => {
    if (route.access !== 'fhir') return route;
    const name = `${route.method.toUpperCase()} ${route.path}`;
    const rules = rulesOf[name] ?? [];
    const strictly = async (request: FhirRequest, deps: RouteDeps): Promise<Reply> => {
      for (const rule of rules) {
        const reply = await rule(request, deps, strict);
        if (reply) return inWords(reply, request, deps);
      }
      return inWords(await route.handle(withBareExtensions(request, deps), deps), request, deps);
    };
    const handle = (asked: unknown, deps: RouteDeps): Promise<Reply> | Reply => {
      const request = asked as FhirRequest;
      const { leniency } = request.caller.agenda;
      if (name === SEARCH && leniency.showsNextAppointmentOnly) refuseRepeated(request.query);
      return leniency === fullLeniency ? route.handle(asked as never, deps) : strictly(request, deps);
    };
    return { ...route, ...(name === SEARCH && searchOptions(route)), sendsOutcomes, handle };
  });
}

const sendsOutcomes = (caller: Caller): boolean =>
  caller.kind === 'session' && caller.agenda?.leniency.deviatesFromR4 === false;

const SEARCH = 'GET /Appointment';
const BOOK = 'POST /Appointment/$book';
const HOLD = 'POST /Appointment/$hold';
const RESCHEDULE = 'POST /Appointment/:id/$reschedule';
const CANCEL = 'POST /Appointment/:id/$cancel';

/** What is looked at, in order, before the route itself. The first that has something to say replies. */
const rulesOf: Record<string, Rule[]> = {
  [SEARCH]: [
    (request, deps, { searchAppointments }) =>
      request.caller.agenda.leniency.showsNextAppointmentOnly ? null : searchAppointments(request, deps),
  ],
  [BOOK]: [proposedVisitTypeRule],
  [HOLD]: [proposedVisitTypeRule],
  [RESCHEDULE]: [doneRule, rescheduleRule, versionRule],
  [CANCEL]: [doneRule, versionRule, reasonRule],
  'POST /Patient/$match': [(request, deps, { matchPatients }) => matchPatients(request, deps)],
  'POST /DocumentReference': [extensionRule],
};

/** What the same request has changed before under its `Idempotency-Key`, shown with the version that it made. */
export async function doneRule(
  { caller: { clinicId, agenda }, repeatId }: FhirRequest,
  { stores, baseUrl }: LeniencyDeps,
): Promise<Reply | null> {
  if (repeatId === undefined || !showsVersions(agenda.leniency)) return null;
  const done = await stores.appointments.changedUnder(clinicId, repeatId);
  return done && { ...showVersion(done, baseUrl), detail: { appointmentId: done.id } };
}

function rescheduleRule({ caller }: FhirRequest): Reply | null {
  if (caller.agenda.leniency.reschedules) return null;
  return refuse('operation_not_supported', 'This EHR moves no appointments: book the new time, then cancel this one');
}

/** A change without the version that was read, or with an older one. The store compares once more, in the statement that changes it. */
export async function versionRule(
  request: FhirRequest,
  { stores }: Pick<LeniencyDeps, 'stores'>,
): Promise<Reply | null> {
  const { caller, headers, params } = request;
  const { clinicId, agenda } = caller;
  const { leniency } = agenda;
  if (!showsVersions(leniency)) return null;
  const wanted = versionIn(headers['if-match']);
  if (wanted === undefined) {
    if (leniency.takesChangesUnseen || headers['if-match'] !== undefined) return null;
    return refuse('version_required', 'Send If-Match with the ETag of the appointment as you read it');
  }
  const current = await stores.ehrAppointments.find(clinicId, params.id ?? '');
  if (!current || current.version === wanted) return null;
  return refuse('version_changed', 'The appointment has changed since it was read', {
    headers: { etag: etagOf(current) },
  });
}

function reasonRule({ caller, body }: FhirRequest): Reply | null {
  if (caller.agenda.leniency.cancelsWithoutReason || reasonIn(body) !== null) return null;
  return refuse(
    'cancel_reason_required',
    'A cancellation wants cancelationReason with a code of http://terminology.hl7.org/CodeSystem/appointment-cancellation-reason',
    { paths: ['cancelationReason'] },
  );
}

/** Only where all the rest of the booking can be read and its provider is known: what is wrong with that goes first. */
function proposedVisitTypeRule({ caller: { agenda }, body }: FhirRequest): Reply | null {
  if (agenda.leniency.takesAnyVisitType) return null;
  const { parameter = [] } = body as Partial<Parameters>;
  const resource = parameter.find(({ name }) => proposalNames.some((each) => each === name))?.resource;
  const proposed = ProposedAppointment.safeParse(resource);
  if (!proposed.success) return null;
  const provider = providerNamed(agenda, participantOf(proposed.data, 'Practitioner'));
  const wanted = proposed.data.serviceType?.[0]?.text ?? defaultVisitType;
  if (!provider || provider.visitTypes.some((each) => each.toLowerCase() === wanted.toLowerCase())) return null;
  const taken = provider.visitTypes.join(', ') || 'no visit type';
  return refuse(
    'visit_type_not_offered',
    `${provider.displayName} does not take ${wanted.slice(0, 100)}; they take ${taken}`,
    { paths: ['Appointment.serviceType'] },
  );
}

function extensionRule({ caller, body }: FhirRequest): Reply | null {
  if (caller.agenda.leniency.deviatesFromR4) return null;
  const { extension = [] } = body as { extension?: { url: string }[] };
  const bare = extension.find(({ url }) => noteExtensions.some((each) => each === url));
  if (!bare) return null;
  const text = `The url of an extension is absolute: …/StructureDefinition/${bare.url}`;
  return refuse('extension_unknown', text, { paths: ['DocumentReference.extension'] });
}

/** The extensions of a note by the names that the route knows, where the clinic has them sent with absolute urls. */
function withBareExtensions(request: FhirRequest, { baseUrl }: Pick<LeniencyDeps, 'baseUrl'>): FhirRequest {
  const { extension, ...body } = (request.body ?? {}) as { extension?: { url?: unknown }[] };
  if (request.caller.agenda.leniency.deviatesFromR4 || !Array.isArray(extension)) return request;
  const start = `${baseUrl}/StructureDefinition/`;
  const bare = extension.map((each) =>
    typeof each.url === 'string' && each.url.startsWith(start) ? { ...each, url: each.url.slice(start.length) } : each,
  );
  // What is made when it is read stays so.
  return Object.create(request, { body: { value: { ...body, extension: bare } } }) as FhirRequest;
}

/** In the words of the sandbox as it is set: versions, vendor's conflicts, R4 without deviations. */
async function inWords(reply: Reply, request: FhirRequest, deps: LeniencyDeps): Promise<Reply> {
  const { leniency } = request.caller.agenda;
  let said = reply;
  if (showsVersions(leniency)) said = await versioned(said, request, deps);
  if (!leniency.saysConflictsInOneWord) said = asVendorConflict(said, request);
  return leniency.deviatesFromR4 ? said : inR4(said, deps);
}

interface Shown {
  resourceType?: string;
  id?: string;
  meta?: object;
  entry?: { resource: Shown }[];
}

/** An appointment with its version: read once more, so that body and ETag belong together. */
async function versioned(reply: Reply, request: FhirRequest, deps: LeniencyDeps): Promise<Reply> {
  if (typeof reply.body === 'string') return reply;
  const { stores, baseUrl } = deps;
  const { resourceType, id, meta, entry } = (reply.body ?? {}) as Shown;
  const [only] = entry ?? [];
  if (entry?.length === 1 && only?.resource.resourceType === 'Appointment') {
    const { body: resource } = await versioned({ body: only.resource }, request, deps);
    return { ...reply, body: { ...(reply.body as object), entry: [{ ...only, resource }] } };
  }
  if (resourceType !== 'Appointment' || id === undefined || meta !== undefined) return reply;
  const record = await stores.ehrAppointments.find(request.caller.clinicId, id);
  if (!record) return reply;
  return { ...reply, body: toVersioned(record, baseUrl), headers: { ...reply.headers, etag: etagOf(record) } };
}

/** A conflict as a vendor writes one: nothing to compare but the status and a code. */
function asVendorConflict(reply: Reply, { requestId }: FhirRequest): Reply {
  const { refusal } = reply;
  if (!isConflictReason(refusal)) return reply;
  const { means, issue } = refusals[refusal];
  const outcome = outcomeOf({ issue, reason: refusal, text: means });
  const [told] = outcome.issue;
  const body = {
    ...outcome,
    issue: [{ ...told, code: 'business-rule', diagnostics: `${means} Reference: ${requestId}` }],
  };
  return { ...reply, body };
}

/** Without the deviations that the contract has from R4. */
function inR4(reply: Reply, { baseUrl }: Pick<LeniencyDeps, 'baseUrl'>): Reply {
  if (typeof reply.body === 'string') {
    return reply.body.endsWith(EMPTY) ? { ...reply, body: `${reply.body.slice(0, -EMPTY.length)}}` } : reply;
  }
  const { entry, extension, resourceType, ...body } = (reply.body ?? {}) as {
    entry?: unknown[];
    extension?: { url: string }[];
    resourceType?: string;
  };
  if (resourceType === 'Bundle' && entry?.length === 0) return { ...reply, body: { resourceType, ...body } };
  const { id } = body as { id?: string };
  if (resourceType === 'Schedule') {
    const [actor] = (body as { actor: { reference: string }[] }).actor;
    const links = { self: searchUrl(`${baseUrl}/Schedule`, { actor: actor?.reference }) };
    const entries = [{ fullUrl: `${baseUrl}/Schedule/${id}`, resource: reply.body as object }];
    return { ...reply, body: searchset({ links, total: 1, entries }) };
  }
  if (resourceType === 'DocumentReference') {
    const absolute = extension?.map((each) => ({ ...each, url: `${baseUrl}/StructureDefinition/${each.url}` }));
    return {
      ...reply,
      status: 201,
      headers: { ...reply.headers, location: `${baseUrl}/DocumentReference/${id}` },
      body: { resourceType, ...body, ...(absolute && { extension: absolute }) },
    };
  }
  return reply;
}

const EMPTY = ',"entry":[]}';

/** A search that names no patient tells whose data it is by whom it finds. */
function searchOptions({ patientData }: Route): Partial<Route> {
  if (patientData === undefined || patientData === 'none') return {};
  const { asksFor } = patientData;
  const named = (request: { params: never; query: never }) => {
    const ids = asksFor?.(request) ?? [];
    return ids.length > 0 ? ids : undefined;
  };
  const patient = ReferenceTo('Patient', 'id')
    .optional()
    .describe('Required, unless the sandbox is set to search by something else');
  return {
    // Where it is missing, the handler says so in the same words.
    query: searchParameters({ patient }),
    repeatable: ['date'],
    patientData: { ...patientData, asksFor: named },
  };
}

/** As everywhere else: only the full search takes two bounds of a date. */
function refuseRepeated(query: Record<string, unknown>): void {
  const repeated = Object.keys(query).find((name) => Array.isArray(query[name]));
  if (repeated === undefined) return;
  throw new AppError('bad_request', `The query parameter ${repeated} is given more than once`);
}

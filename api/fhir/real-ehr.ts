import { defaultVisitType } from '@clinic/shared/contracts/appointments';
import { noteExtensions, type Parameters, proposalNames, ProposedAppointment } from '@clinic/shared/contracts/fhir';
import { toVersioned } from '@clinic/shared/contracts/fhir-appointment';
import { everyKindness } from '@clinic/shared/domain/kindnesses';
import { REFUSAL_HEADER, refusals, refusalOf } from '@clinic/shared/domain/refusals';
import { AppError } from '@clinic/shared/errors';
import type { Caller, Reply, Route } from '../http/route';
import { participantOf } from './appointment';
import { searchset, searchUrl } from './bundle';
import type { FhirDeps, FhirRequest } from './fhir-route';
import { matchPatients } from './match';
import { outcomeOf, refuse } from './outcome';
import { ReferenceTo, searchParameters } from './search';
import { searchAppointments } from './search-appointments';
import { etagOf, reasonIn, showsVersions, versionIn } from './versions';

type Rule = (request: FhirRequest, deps: FhirDeps) => Promise<Reply | null> | Reply | null;

/**
 * The routes of the sandbox EMR as a clinic's sandbox wants them: with every kindness on they are left as they are; each that is off
 * refuses or answers something itself, or writes the response otherwise.
 */
export function asRealEhr(deps: FhirDeps, routes: Route[]): Route[] {
  return routes.map((route) => {
    const name = `${route.method.toUpperCase()} ${route.path}`;
    const rules = rulesOf[name] ?? [];
    const handle = async (asked: unknown): Promise<Reply> => {
      const request = asked as FhirRequest;
      const { kindnesses } = request.caller as Extract<Caller, { kind: 'session' }>;
      if (name === SEARCH && kindnesses?.showsNextAppointmentOnly !== false) refuseRepeated(request.query);
      if (!kindnesses || kindnesses === everyKindness) return route.handle(asked as never);
      for (const rule of rules) {
        const reply = await rule(request, deps);
        if (reply) return inWords(reply, request, deps);
      }
      return inWords(await route.handle(withBareExtensions(request, deps)), request, deps);
    };
    return { ...route, ...(name === SEARCH && searchOptions(route)), handle };
  });
}

const SEARCH = 'GET /Appointment';
const BOOK = 'POST /Appointment/$book';
const HOLD = 'POST /Appointment/$hold';
const RESCHEDULE = 'POST /Appointment/:id/$reschedule';
const CANCEL = 'POST /Appointment/:id/$cancel';

/** What is looked at, in order, before the route itself. The first that has something to say replies. */
const rulesOf: Record<string, Rule[]> = {
  [SEARCH]: [
    (request, deps) => (request.caller.kindnesses.showsNextAppointmentOnly ? null : searchAppointments(request, deps)),
  ],
  [BOOK]: [proposedVisitTypeRule],
  [HOLD]: [proposedVisitTypeRule],
  [RESCHEDULE]: [rescheduleRule, versionRule],
  [CANCEL]: [versionRule, reasonRule],
  'POST /Patient/$match': [matchPatients],
  'POST /DocumentReference': [extensionRule],
};

export function rescheduleRule({ caller: { kindnesses } }: FhirRequest): Reply | null {
  if (kindnesses.reschedules) return null;
  return refuse('operation_not_supported', 'This EHR moves no appointments: book the new time, then cancel this one');
}

/** A change without the version that was read, or with an older one. The store compares once more, in the statement that changes it. */
export async function versionRule(request: FhirRequest, { stores }: Pick<FhirDeps, 'stores'>): Promise<Reply | null> {
  const { caller, headers, params } = request;
  const { clinicId, kindnesses } = caller;
  if (!showsVersions(kindnesses)) return null;
  const wanted = versionIn(headers['if-match']);
  if (wanted === undefined) {
    if (kindnesses.takesChangesUnseen || headers['if-match'] !== undefined) return null;
    return refuse('version_required', 'Send If-Match with the ETag of the appointment as you read it');
  }
  const current = await stores.ehrAppointments.find(clinicId, params.id ?? '');
  if (!current || current.version === wanted) return null;
  return refuse('version_changed', 'The appointment has changed since it was read', {
    headers: { etag: etagOf(current) },
  });
}

export function reasonRule({ caller: { kindnesses }, body }: FhirRequest): Reply | null {
  if (kindnesses.cancelsWithoutReason || reasonIn(body) !== null) return null;
  return refuse(
    'cancel_reason_required',
    'A cancellation wants cancelationReason with a code of http://terminology.hl7.org/CodeSystem/appointment-cancellation-reason',
    { paths: ['cancelationReason'] },
  );
}

function proposedVisitTypeRule(request: FhirRequest, deps: FhirDeps): Promise<Reply | null> {
  const { parameter = [] } = request.body as Partial<Parameters>;
  return visitTypeRule(
    request,
    deps,
    parameter.find(({ name }) => proposalNames.some((each) => each === name))?.resource,
  );
}

/** Only where all the rest of the booking can be read and its provider is known: what is wrong with that goes first. */
async function visitTypeRule(
  { caller }: Pick<FhirRequest, 'caller'>,
  { stores }: Pick<FhirDeps, 'stores'>,
  resource: unknown,
): Promise<Reply | null> {
  const { clinicId, kindnesses } = caller;
  if (kindnesses.takesAnyVisitType) return null;
  const proposed = ProposedAppointment.safeParse(resource);
  if (!proposed.success) return null;
  const provider = await stores.providers.find(clinicId, participantOf(proposed.data, 'Practitioner'));
  const wanted = proposed.data.serviceType?.[0]?.text ?? defaultVisitType;
  if (!provider || provider.visitTypes.some((each) => each.toLowerCase() === wanted.toLowerCase())) return null;
  const taken = provider.visitTypes.join(', ') || 'no visit type';
  return refuse(
    'visit_type_not_offered',
    `${provider.displayName} does not take ${wanted.slice(0, 100)}; they take ${taken}`,
    { paths: ['Appointment.serviceType'] },
  );
}

function extensionRule({ caller: { kindnesses }, body }: FhirRequest): Reply | null {
  if (kindnesses.deviatesFromR4) return null;
  const { extension = [] } = body as { extension?: { url: string }[] };
  const bare = extension.find(({ url }) => noteExtensions.some((each) => each === url));
  if (!bare) return null;
  const text = `The url of an extension is absolute: …/StructureDefinition/${bare.url}`;
  return refuse('extension_unknown', text, { paths: ['DocumentReference.extension'] });
}

/** The extensions of a note by the names that the route knows, where the clinic has them sent with absolute urls. */
function withBareExtensions(request: FhirRequest, { baseUrl }: Pick<FhirDeps, 'baseUrl'>): FhirRequest {
  const { extension, ...body } = (request.body ?? {}) as { extension?: { url?: unknown }[] };
  if (request.caller.kindnesses.deviatesFromR4 || !Array.isArray(extension)) return request;
  const start = `${baseUrl}/StructureDefinition/`;
  const bare = extension.map((each) =>
    typeof each.url === 'string' && each.url.startsWith(start) ? { ...each, url: each.url.slice(start.length) } : each,
  );
  // What is made when it is read stays so.
  return Object.create(request, { body: { value: { ...body, extension: bare } } }) as FhirRequest;
}

/** In the words of the sandbox as it is set: versions, vendor's conflicts, R4 without deviations. */
async function inWords(reply: Reply, request: FhirRequest, deps: FhirDeps): Promise<Reply> {
  const { kindnesses } = request.caller;
  let said = reply;
  if (showsVersions(kindnesses)) said = await versioned(said, request, deps);
  if (!kindnesses.saysConflictsInOneWord) said = asVendorConflict(said, request);
  return kindnesses.deviatesFromR4 ? said : inR4(said, deps);
}

interface Shown {
  resourceType?: string;
  id?: string;
  meta?: object;
  entry?: { resource: Shown }[];
}

/** An appointment with its version: read once more, so that body and ETag belong together. */
async function versioned(reply: Reply, request: FhirRequest, deps: FhirDeps): Promise<Reply> {
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
  const { issue } = (reply.body ?? {}) as { issue?: { diagnostics?: string }[] };
  const word = issue?.[0]?.diagnostics;
  const reason = reply.status === 409 && word !== undefined ? refusalOf({ status: 409, code: word }) : null;
  if (!reason) return reply;
  const { means } = refusals[reason];
  const outcome = outcomeOf({ status: 409, reason, text: means });
  const [told] = outcome.issue;
  const body = {
    ...outcome,
    issue: [{ ...told, code: 'business-rule', diagnostics: `${means} Reference: ${requestId}` }],
  };
  return { ...reply, body, headers: { ...reply.headers, [REFUSAL_HEADER]: reason } };
}

/** Without the deviations that the contract has from R4. */
function inR4(reply: Reply, { baseUrl }: Pick<FhirDeps, 'baseUrl'>): Reply {
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

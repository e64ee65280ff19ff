import { startHttpReceiver, type HttpReceiver, type ReceivedRequest } from './http-receiver';

interface Reference {
  reference: string;
}

/** The fields that the server looks at; it keeps all others as they are. */
interface Fields {
  resourceType?: string;
  id?: string;
  status?: string;
  start?: string;
  birthDate?: string;
  name?: unknown;
  telecom?: { value: string }[];
  identifier?: { system: string; value: string }[];
  actor?: Reference[];
  schedule?: Reference;
  request?: Reference;
  practitioner?: Reference;
  slot?: Reference[];
  participant?: unknown[];
  serviceType?: { coding?: { code?: string }[] }[];
  parameter?: { resource?: Fields; valueUri?: string }[];
  [field: string]: unknown;
}

type Resource = Fields & { resourceType: string; id: string; meta: { versionId: string; lastUpdated: string } };

export interface Statement {
  resourceType: string;
  fhirVersion: string;
  rest: {
    mode: string;
    interaction?: { code: string }[];
    resource: {
      type: string;
      interaction: { code: string }[];
      conditionalCreate: boolean;
      searchParam: { name: string; type: string }[];
      operation?: { name: string }[];
    }[];
  }[];
  [field: string]: unknown;
}

interface TransactionEntry {
  resource: Fields;
  request: { method: string; url: string; ifMatch?: string; ifNoneExist?: string };
}

interface Reply {
  status: number;
  body?: unknown;
  /** As it goes over the wire, in place of `body`. */
  text?: string;
  headers?: Record<string, string>;
}

export interface FhirServer {
  /** The base URL. */
  url: string;
  receiver: HttpReceiver;
  /** Everything on record, as `Appointment/1`. */
  records: Map<string, Resource>;
  /** Puts something on record. */
  add(resource: Fields & { resourceType: string }): Resource;
  all(type: string): Resource[];
  /** Requests as `POST Patient`, without ids, in order. */
  asked(): string[];
  /** What the server declares. */
  statement: Statement;
  /** False for a server that answers a create with `Location` alone. */
  answersBody: boolean;
  /** False for a server that knows no search by POST. */
  hasPostSearch: boolean;
  /** False for a plain server, which leaves slots as they are when an appointment is made. */
  keepsSlots: boolean;
  /** Done right before the next request that is named so, once. */
  meanwhile: { when: string; work: () => void } | null;
  /** How much later every answer comes than it could. */
  delayMs: number;
  /** One request whose answer takes longer than that of the others. */
  slowOn: { when: string; ms: number } | null;
  /** The longest chain of requests that waited for one another's answers, since it was set to 0. */
  inSequence: number;
  /** What it does not understand of the address of a search, and passes over. */
  ignores: RegExp | null;
  /** What becomes of an appointment that is asked for as booked. */
  booksAs: string;
  /** An answer in the place of its own, for the requests that it is given for. */
  instead: ((request: ReceivedRequest & { path: string }) => Reply | null) | null;
  /** Does what is asked, but the answer never comes. */
  losesAnswerTo: string | null;
  /** Does what is asked, and keeps anyone who asked waiting for ever. */
  hangsOn: string | null;
  close(): Promise<void>;
}

/**
 * A FHIR R4 server on the wire, with what real ones insist on: `application/fhir+json`, resources that are one, references that
 * lead somewhere, `If-None-Exist`, `If-Match`, versions, `Location`, slots that one appointment can have, and failures as
 * OperationOutcome. The exchanges and the wording of its faults follow those of HAPI FHIR.
 */
export async function startFhirServer(): Promise<FhirServer> {
  const records = new Map<string, Resource>();
  let lastId = 100;
  let tick = 0;
  /** Later with every change. */
  const now = () => new Date(Date.UTC(2035, 0, 1) + (tick += 1)).toISOString();

  const add: FhirServer['add'] = (given) => {
    lastId += 1;
    const id = String(given['id'] ?? lastId);
    const resource: Resource = { ...given, id, meta: { versionId: '1', lastUpdated: now() } };
    records.set(`${resource.resourceType}/${id}`, resource);
    return resource;
  };
  const all = (type: string) => [...records.values()].filter(({ resourceType }) => resourceType === type);

  const search = (type: string, query: URLSearchParams): Reply => {
    const found = all(type).filter((resource) => [...query].every(([name, value]) => matches(resource, name, value)));
    const entry = found.map((resource) => ({
      fullUrl: `${server.url}/${type}/${resource.id}`,
      resource,
      search: { mode: 'match' },
    }));
    return {
      status: 200,
      body: { resourceType: 'Bundle', type: 'searchset', total: entry.length, ...(entry.length > 0 && { entry }) },
    };
  };

  const faultOf = (resource: Fields, type: string): Reply | null => {
    if (resource['resourceType'] === undefined)
      return outcome(
        400,
        'processing',
        "HAPI-1838: Invalid JSON content detected, missing required element: 'resourceType'",
      );
    if (resource['resourceType'] !== type)
      return outcome(400, 'processing', 'HAPI-0450: the type of the resource is another one than the URL says');
    const lost = referencesIn(resource).find((reference) => !reference.startsWith('#') && !records.has(reference));
    if (lost) return outcome(400, 'processing', `HAPI-1094: Resource ${lost} not found, specified in path`);
    if (type === 'Appointment' && !resource.participant?.length)
      return outcome(422, 'required', 'Appointment.participant: minimum required = 1', ['Appointment.participant']);
    return null;
  };

  /** One appointment has a slot, until it is cancelled or moved. */
  const isTaken = (appointment: Fields) =>
    server.keepsSlots &&
    (appointment.slot ?? []).some(({ reference }) =>
      all('Appointment').some(
        (other) =>
          other.id !== appointment['id'] &&
          other['status'] !== 'cancelled' &&
          other['slot']?.[0]?.reference === reference,
      ),
    );
  const occupy = () => {
    if (!server.keepsSlots) return;
    for (const slot of all('Slot')) {
      const isBusy = all('Appointment').some(
        (one) => one['status'] !== 'cancelled' && one['slot']?.[0]?.reference === `Slot/${slot.id}`,
      );
      slot['status'] = isBusy ? 'busy' : slot['status'] === 'busy' ? 'free' : slot['status'];
    }
  };

  const stored = (status: number, resource: Resource): Reply => ({
    status,
    body: server.answersBody ? resource : undefined,
    headers: {
      location: `${server.url}/${resource.resourceType}/${resource.id}/_history/${resource['meta'].versionId}`,
      etag: `W/"${resource['meta'].versionId}"`,
    },
  });

  const create = (type: string, resource: Fields, condition: string | undefined): Reply => {
    if (condition !== undefined) {
      const same = all(type).filter((one) =>
        [...new URLSearchParams(condition)].every(([name, value]) => matches(one, name, value)),
      );
      if (same.length > 1)
        return outcome(
          412,
          'multiple-matches',
          'HAPI-0929: Failed to CREATE resource with match URL because this search matched 2 resources',
        );
      if (same[0]) return stored(200, same[0]);
    }
    const fault = faultOf(resource, type);
    if (fault) return fault;
    if (type === 'Appointment' && isTaken(resource)) return outcome(409, 'conflict', 'the slot is busy');
    const isBooking = type === 'Appointment' && resource.status === 'booked';
    const made = add({ ...resource, resourceType: type, ...(isBooking && { status: server.booksAs }) });
    occupy();
    return stored(201, made);
  };

  const update = (type: string, id: string, resource: Fields, ifMatch: string | undefined): Reply => {
    const known = records.get(`${type}/${id}`);
    if (!known) return outcome(404, 'not-found', `HAPI-2001: Resource ${type}/${id} is not known`);
    const version = known['meta'].versionId;
    if (ifMatch !== undefined && ifMatch !== `W/"${version}"`)
      return outcome(412, 'conflict', 'HAPI-0974: the version is another one');
    const fault = faultOf(resource, type) ?? (isTaken(resource) ? outcome(409, 'conflict', 'the slot is busy') : null);
    if (fault) return fault;
    const next = {
      ...resource,
      id,
      resourceType: type,
      meta: { versionId: String(Number(version) + 1), lastUpdated: now() },
    };
    records.set(`${type}/${id}`, next);
    occupy();
    return stored(200, next);
  };

  const operate = (operation: string, { parameter = [] }: Fields): Reply => {
    const [{ resource = {}, valueUri } = {}] = parameter;
    const held = valueUri ? records.get(valueUri) : undefined;
    const status = operation === '$hold' ? 'pending' : 'booked';
    if (held) held.status = status;
    const made = held ? stored(200, held) : create('Appointment', { ...resource, status }, undefined);
    if (made.status >= 400) return made;
    const appointment = held ?? all('Appointment').at(-1);
    return {
      status: 200,
      body: { resourceType: 'Bundle', type: 'searchset', total: 1, entry: [{ resource: appointment }] },
    };
  };

  /** All or nothing, as HAPI does it: what `If-Match` refuses undoes the rest. */
  const transact = ({ entry = [] }: Fields): Reply => {
    const before = new Map([...records].map(([key, record]) => [key, structuredClone(record)]));
    const responses: object[] = [];
    for (const { resource, request } of entry as TransactionEntry[]) {
      const [type = '', id] = request.url.split('/');
      const done =
        request.method === 'PUT'
          ? update(type, id ?? '', resource, request.ifMatch)
          : create(type, resource, request.ifNoneExist);
      if (done.status >= 400) {
        records.clear();
        for (const [key, record] of before) records.set(key, record);
        return done.status === 412 ? { ...done, status: 409 } : done;
      }
      responses.push({ response: { status: `${done.status} done`, ...done.headers } });
    }
    return { status: 200, body: { resourceType: 'Bundle', type: 'transaction-response', entry: responses } };
  };

  const answer = (request: ReceivedRequest): Reply => {
    const { method, headers, body } = request;
    const path = server.ignores ? request.path.replace(server.ignores, '$1') : request.path;
    const url = new URL(path, 'http://server');
    const [type = '', id] = url.pathname.replace(/^\/fhir\/?/, '').split('/');
    if (type === 'metadata') return { status: 200, body: server.statement };
    if (method === 'POST' && id === '_search') {
      return server.hasPostSearch
        ? search(type, new URLSearchParams(body))
        : outcome(405, 'not-supported', 'no _search');
    }
    if (method === 'GET' && id === undefined) return search(type, url.searchParams);
    if (method === 'GET') {
      const found = records.get(`${type}/${id}`);
      return found
        ? { ...stored(200, found), body: found }
        : outcome(404, 'not-found', `HAPI-2001: Resource ${type}/${id} is not known`);
    }
    if (!headers['content-type']?.startsWith('application/fhir+json'))
      return outcome(415, 'processing', 'the content type');
    const resource = JSON.parse(body) as Fields;
    if (type === '') return transact(resource);
    if (method === 'PUT') return update(type, id ?? '', resource, headers['if-match']);
    if (id?.startsWith('$')) return operate(id, resource);
    return create(type, resource, headers['if-none-exist'] as string | undefined);
  };

  const receiver = await startHttpReceiver((request, response) => {
    if (server.meanwhile?.when === nameOf(request)) {
      const { work } = server.meanwhile;
      server.meanwhile = null;
      work();
    }
    const isLost = server.losesAnswerTo !== null && nameOf(request) === server.losesAnswerTo;
    const reply = server.instead?.(request) ?? answer(request);
    if (server.hangsOn === nameOf(request)) return;
    if (isLost) {
      server.losesAnswerTo = null;
      response.socket?.resetAndDestroy();
      return;
    }
    // A request that comes after an answer may have waited for it.
    const place = server.inSequence + 1;
    const send = () => {
      server.inSequence = Math.max(server.inSequence, place);
      response
        .writeHead(reply.status, { 'content-type': 'application/fhir+json', ...reply.headers })
        .end(reply.text ?? (reply.body === undefined ? '' : JSON.stringify(reply.body)));
    };
    const delayMs = server.slowOn?.when === nameOf(request) ? server.slowOn.ms : server.delayMs;
    if (delayMs === 0) send();
    else setTimeout(send, delayMs);
  });

  const server: FhirServer = {
    url: `${receiver.url}/fhir`,
    receiver,
    records,
    add,
    all,
    asked: () => receiver.received.map(nameOf),
    statement: fullStatement(),
    answersBody: true,
    hasPostSearch: true,
    keepsSlots: true,
    meanwhile: null,
    delayMs: 0,
    slowOn: null,
    inSequence: 0,
    ignores: null,
    booksAs: 'booked',
    instead: null,
    losesAnswerTo: null,
    hangsOn: null,
    close: () => receiver.close(),
  };
  return server;
}

/** As HAPI says that something went wrong. */
export function outcome(status: number, code: string, diagnostics: string, expression?: string[]): Reply {
  const issue = [{ severity: 'error', code, diagnostics, ...(expression && { expression }) }];
  return { status, body: { resourceType: 'OperationOutcome', text: { status: 'generated', div: '<div/>' }, issue } };
}

const nameOf = ({ method, path }: ReceivedRequest) =>
  `${method} ${path
    .replace(/^\/fhir\/?/, '')
    .replace(/\?.*$/, '')
    .replace(/\/(?![$_])[^/]+/g, '/{id}')}`;

function matches(resource: Resource, name: string, value: string): boolean {
  const names = (Array.isArray(resource.name) ? resource.name : []) as { family?: string; given?: string[] }[];
  const begins = (text: string | undefined) => text?.toLowerCase().startsWith(value.toLowerCase()) ?? false;
  switch (name) {
    case '_count':
    case '_elements':
    case '_total':
    case 'service-type':
      return name.startsWith('_') || value.endsWith(resource['serviceType']?.[0]?.coding?.[0]?.code ?? 'none');
    case 'family':
      return names.some(({ family }) => begins(family));
    case 'given':
      return names.some(({ given = [] }) => given.some(begins));
    case 'birthdate':
      return resource['birthDate'] === value;
    case 'phone':
      return (resource['telecom'] ?? []).some((each) => each.value === value);
    case 'identifier':
      return (resource['identifier'] ?? []).some((each) => `${each.system}|${each.value}` === value);
    case 'actor':
      return (resource['actor'] ?? [])
        .concat((resource.participant ?? []).map((each) => (each as { actor: Reference }).actor ?? { reference: '' }))
        .some(({ reference }) => value.split(',').includes(reference));
    case 'patient':
      return JSON.stringify(resource.participant ?? []).includes(`"${value}"`);
    case 'schedule':
      return value.split(',').includes(String(resource.schedule?.reference));
    case 'status':
      return value.split(',').includes(String(resource['status']));
    case 'start':
    case 'date':
      return compares(Date.parse(String(resource.start)), value.slice(0, 2), Date.parse(value.slice(2)));
    case 'practitioner':
      return resource['practitioner']?.reference.endsWith(value) ?? false;
    case 'request':
      return resource['request']?.reference === value;
    default:
      return false;
  }
}

const compares = (one: number, how: string, other: number) => (how === 'ge' ? one >= other : one < other);

/** Every literal reference in a resource, contained ones included. */
function referencesIn(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(referencesIn);
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) =>
    name === 'reference' && typeof inner === 'string' ? [inner] : referencesIn(inner),
  );
}

/** What HAPI declares, as far as it matters here. */
function fullStatement(): Statement {
  const interactions = ['read', 'create', 'update', 'search-type'].map((code) => ({ code }));
  const resource = (type: string, ...params: string[]) => ({
    type,
    interaction: interactions,
    conditionalCreate: true,
    searchParam: params.map((name) => ({ name, type: 'token' })),
  });
  return {
    resourceType: 'CapabilityStatement',
    status: 'active',
    kind: 'instance',
    fhirVersion: '4.0.1',
    format: ['application/fhir+json'],
    rest: [
      {
        mode: 'server',
        resource: [
          resource('Patient', 'family', 'given', 'birthdate', 'phone', 'identifier'),
          resource('Schedule', 'actor'),
          resource('Slot', 'schedule', 'status', 'start', 'service-type'),
          resource('Appointment', 'identifier', 'patient', 'date', 'actor'),
          resource('DocumentReference', 'identifier'),
          resource('CoverageEligibilityRequest'),
          resource('CoverageEligibilityResponse', 'request'),
        ],
      },
    ],
  };
}

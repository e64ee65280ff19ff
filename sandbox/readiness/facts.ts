import type { Request } from 'express';
import { idReferred } from '@clinic/shared/contracts/calendar/fhir-reading';
import { parseInstant } from '@clinic/shared/domain/calendar/clinic-time';
import { type ExchangeFacts, operations, type Operation } from '@clinic/shared/domain/sandbox/exchange';
import type { SandboxFailureCode } from '@clinic/shared/domain/sandbox/sandbox-failures';
import { isStorable } from '@clinic/shared/domain/storable';
import { noteExtensions, proposalNames, RescheduleBody } from '@clinic/shared/contracts/calendar/fhir';

/** What a request asked and what it was answered, as far as they could be read. */
export interface Seen {
  request: Request;
  params: Record<string, unknown>;
  /** The body of the response; null where there was none that is JSON, and for open times. */
  reply: unknown;
  /** The body of the response as it was sent. */
  text: string;
  /** What the route said of it besides. */
  observed: Partial<ExchangeFacts>;
  /** Of what would say too much, or is too long, to be kept. */
  digest: (text: string) => string;
}

/** The operations that are watched, by method and path of their routes. */
const byRoute = new Map<string, Operation>(
  (Object.entries(operations) as [Operation, string][]).map(([operation, route]) => [route, operation]),
);

export const operationOf = (route: string): Operation | null => byRoute.get(route) ?? null;

/** What is kept of an exchange. What is not as it should be is left out: it was refused, or means nothing. */
export function factsOf(operation: Operation, seen: Seen): ExchangeFacts {
  const { request, observed } = seen;
  const accept = request.headers.accept ?? '';
  const wanted = request.res?.locals.wanted as { chosenFailure?: SandboxFailureCode } | undefined;
  const facts = {
    ...readers[operation](seen),
    ...observed,
    takesFhir: accept.includes('application/fhir+json'),
    failure: wanted?.chosenFailure,
    // Any version is none.
    hasVersion: /\d/.test(request.headers['if-match'] ?? '') || undefined,
  };
  return Object.fromEntries(Object.entries(facts).filter(([, value]) => value !== undefined));
}

const readers: Record<Operation, (seen: Seen) => ExchangeFacts> = {
  schedule: ({ request }) => ({ provider: referred(request.query.actor, 'Practitioner') }),
  slots: (seen) => ({
    provider: referred(seen.request.query.schedule, 'Schedule'),
    ...('_cursor' in seen.request.query && { page: pageOf(seen, new URLSearchParams(searchOf(seen.request))) }),
    ...slotsIn(seen),
  }),
  upcoming: ({ request: { query }, reply }) => {
    const total = within(reply, 'total');
    return {
      patient: referred(query.patient, 'Patient'),
      // Of all appointments of the patient: other searches find none where there are some.
      total: typeof total === 'number' && !narrowing.some((name) => name in query) ? total : undefined,
      appointments: shownIn(reply, 'Appointment').slice(0, MAX_SHOWN),
    };
  },
  read: ({ params, reply }) => ({
    appointment: id(params.id),
    appointments: [id(within(reply, 'id')) ?? []].flat(),
    patient: participantOf(reply, 'Patient'),
  }),
  history: ({ params }) => ({ appointment: id(params.id) }),
  book: ({ request, reply }) => {
    const parameters = listOf(within(request.body, 'parameter'));
    const parameter = parameters.find((each) => proposalNames.some((name) => name === within(each, 'name')));
    // What is held is named by its id alone: the reply says the rest.
    return booking(parameter === undefined ? reply : within(parameter, 'resource'), reply);
  },
  create: ({ request: { body }, reply }) => (within(body, 'status') === 'waitlist' ? {} : booking(body, reply)),
  reschedule: ({ request, params, reply }) => ({
    appointment: id(params.id),
    start: instant(RescheduleBody.safeParse(request.body).data?.start),
    patient: participantOf(reply, 'Patient'),
  }),
  change: ({ request: { body }, params, reply }) => ({
    appointment: id(params.id),
    start: instant(within(body, 'start')),
    cancels: within(body, 'status') === 'cancelled',
    patient: participantOf(reply, 'Patient'),
  }),
  cancel: ({ params, reply }) => ({ appointment: id(params.id), patient: participantOf(reply, 'Patient') }),
  match: ({ reply }) => {
    const [patient, ...others] = shownIn(reply, 'Patient');
    return { patient, others: others.length > 0 ? others : undefined, certain: certainIn(reply) };
  },
  note: ({ request: { body } }) => {
    const extensions = listOf(within(body, 'extension'));
    const isTrue = (name: (typeof noteExtensions)[number]) =>
      extensions.some((each) => nameOf(each) === name && within(each, 'valueBoolean') === true);
    const known: readonly unknown[] = noteExtensions;
    return {
      patient: referred(within(body, 'subject', 'reference'), 'Patient'),
      escalates: isTrue('escalateToClinicalTeam'),
      wantsRecords: isTrue('requestExternalRecords'),
      hasUnknownExtension: extensions.some((each) => !known.includes(nameOf(each))),
      isUtf8: isUtf8Text(within(body, 'content', 0, 'attachment', 'data')),
    };
  },
  start_workflow: ({ reply }) => ({ workflow: id(within(reply, 'workflowId')) }),
  read_workflow: ({ request, params, reply }) => ({
    workflow: id(params.workflowId),
    state: id(within(reply, 'status')),
    waitSeconds: Number(request.query.wait ?? 0) || 0,
  }),
  cancel_workflow: ({ params, reply }) => ({ workflow: id(params.workflowId), state: id(within(reply, 'status')) }),
  event: () => ({}),
  handled: ({ request }) => ({ webhookId: id(within(request.body, 'webhookId')) }),
};

/** Of an extension, also where the sandbox wants absolute urls. */
function nameOf(extension: unknown): unknown {
  const url = within(extension, 'url');
  return typeof url === 'string' ? url.replace(/^.*\/StructureDefinition\//, '') : url;
}

const booking = (resource: unknown, reply: unknown): ExchangeFacts => ({
  patient: participantOf(resource, 'Patient'),
  provider: participantOf(resource, 'Practitioner'),
  start: instant(within(resource, 'start')),
  hasVisitType: typeof within(resource, 'serviceType', 0, 'text') === 'string',
  appointment: within(reply, 'resourceType') === 'Appointment' ? id(within(reply, 'id')) : undefined,
});

/** Parameters by which a search of a patient's appointments finds some of them. */
const narrowing = ['practitioner', 'actor', 'date', 'status', 'identifier', '_id', '_cursor'];

/** Of a long page, as many as may be kept. */
const MAX_SHOWN = 200;

const shownIn = (bundle: unknown, type: 'Patient' | 'Appointment'): string[] =>
  entriesOf(bundle).flatMap((each) =>
    within(each, 'resource', 'resourceType') === type ? (id(within(each, 'resource', 'id')) ?? []) : [],
  );

/** Whom `$match` is certain of: one at most, or it is certain of nobody. Undefined where it does not grade. */
function certainIn(bundle: unknown): string | null | undefined {
  const grades = entriesOf(bundle).map((each) => within(each, 'search', 'extension', 0, 'valueCode'));
  if (grades.every((grade) => grade === undefined)) return undefined;
  const isOne = grades.filter((grade) => grade === 'certain').length === 1;
  return isOne ? (shownIn(bundle, 'Patient')[grades.indexOf('certain')] ?? null) : null;
}

/** What stands at a place of a JSON value, which may be anything; undefined where there is no such place. */
function within(value: unknown, ...path: (string | number)[]): unknown {
  let found = value;
  for (const name of path) {
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, name)) return undefined;
    found = (found as Record<string | number, unknown>)[name];
  }
  return found;
}

/** Read from the text: a page holds hundreds, and was written from texts too. */
function slotsIn(seen: Seen): ExchangeFacts {
  const { text } = seen;
  const [head = ''] = text.split('"entry":[', 1);
  const total = /"total":(\d+)/.exec(head)?.[1];
  if (total === undefined) return {};
  const next = /"relation":"next","url":"([^"]*)"/.exec(head)?.[1];
  return {
    total: Number(total),
    offered: [...text.matchAll(/"start":"([^"]*)"/g)].slice(0, 500).map(([, start = '']) => Date.parse(start) / 60_000),
    next: next === undefined ? undefined : pageOf(seen, new URLSearchParams(next.slice(next.indexOf('?')))),
  };
}

/** A search with all its parameters, in any order. */
function pageOf({ digest }: Seen, parameters: URLSearchParams): string {
  parameters.sort();
  return digest(parameters.toString());
}

const searchOf = ({ originalUrl }: Request): string => originalUrl.slice(originalUrl.indexOf('?'));

const participantOf = (appointment: unknown, type: 'Patient' | 'Practitioner'): string | undefined =>
  listOf(within(appointment, 'participant'))
    .map((each) => referred(within(each, 'actor', 'reference'), type))
    .find((each) => each !== undefined);

/** Of a long note its beginning tells enough. */
const LOOKED_AT = 64 * 1024;

const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value.slice(0, 100) : []);

const entriesOf = (bundle: unknown): unknown[] => {
  const entry = within(bundle, 'entry');
  return Array.isArray(entry) ? entry : [];
};

const id = (value: unknown): string | undefined =>
  typeof value === 'string' && value.length > 0 && value.length <= 128 && isStorable(value) ? value : undefined;

const referred = (value: unknown, type: string): string | undefined => id(idReferred(value, type));

const instant = (value: unknown): string | null => (typeof value === 'string' ? parseInstant(value) : null);

/** Of a text that other encodings write differently; undefined for one that is the same in all of them. */
function isUtf8Text(data: unknown): boolean | undefined {
  if (typeof data !== 'string') return undefined;
  const bytes = Buffer.from(data.slice(0, LOOKED_AT), 'base64');
  if (bytes.every((byte) => byte < 0x80)) return undefined;
  try {
    // The beginning of a long note may end in the middle of a character; a whole note may not.
    new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: data.length > LOOKED_AT });
    return true;
  } catch {
    return false;
  }
}

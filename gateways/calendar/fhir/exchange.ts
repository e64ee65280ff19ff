import { z } from 'zod';
import type { OutboundResponse } from '../../http/safe-http';
import type { ClinicApiFailure } from '../../clinic-api/result';
import type { ClinicCall } from '../../http/clinic-http';
import { parseJson } from '@clinic/shared/domain/json';
import { faultIn } from './outcome';
import { etagIn, idInLocation, nextPageOf } from '@clinic/shared/contracts/calendar/fhir-reading';

/** What a server declares is easily half a megabyte, and so is a page of patients with all that is known of them. */
const MAX_BYTES = 8 * 1024 * 1024;

/** Ends what is being done at a FHIR server, with what is to be said of it. */
export class FhirFault extends Error {
  constructor(
    readonly result: ClinicApiFailure,
    readonly status: number | null = null,
  ) {
    super(result.kind);
  }
}

/** Whether the server, or we on its behalf, said no: of any other fault nobody knows whether it was done. */
export const isRefusal = (error: unknown): error is FhirFault & { result: { kind: 'refused' } } =>
  error instanceof FhirFault && error.result.kind === 'refused';

export interface FhirRequest {
  method: 'GET' | 'POST' | 'PUT';
  /** Below the base URL, as `Appointment/12`. */
  path: string;
  /** The path without ids; the one that is written down. */
  template: string;
  query?: [string, string][];
  body?: unknown;
  /** A search whose parameters must not stand in an address: names and dates of birth are kept in many logs. */
  form?: [string, string][];
  headers?: Record<string, string>;
  isIdempotent?: boolean;
  /** The next page of a search, as an answer names it, in place of path and query. */
  page?: string;
}

export interface FhirAnswer {
  status: number;
  /** The resource; null where the answer has none. */
  body: unknown;
  /** The id that `Location` names; null where it names none. */
  id: string | null;
  /** What `If-Match` takes; null where the server tells no versions. */
  version: string | null;
  /** Where the next page of a search is; null where there is none, or where it is outside of the server's base URL. */
  next: string | null;
}

export type SendFhir = (
  call: Pick<ClinicCall, 'method' | 'url' | 'pathTemplate' | 'body' | 'isIdempotent' | 'maxBytes'> & {
    headers: Record<string, string>;
  },
) => Promise<OutboundResponse>;

/** Asks a FHIR server once. Throws `FhirFault` for what is no success, with its status. */
export async function askFhir(
  send: SendFhir,
  baseUrl: string,
  { method, path, template, query, body, form, headers = {}, isIdempotent, page }: FhirRequest,
): Promise<FhirAnswer> {
  const search = query && query.length > 0 ? `?${new URLSearchParams(query).toString()}` : '';
  const content = form ? new URLSearchParams(form).toString() : body === undefined ? undefined : JSON.stringify(body);
  const type = form ? 'application/x-www-form-urlencoded' : 'application/fhir+json';
  const response = await send({
    method,
    // A transaction is sent to the base URL itself.
    url: page ?? `${baseUrl.replace(/\/+$/, '')}${path && `/${path}`}${search}`,
    pathTemplate: `/${template}`,
    body: content,
    isIdempotent,
    maxBytes: MAX_BYTES,
    headers: {
      accept: 'application/fhir+json',
      'user-agent': 'clinic-workflows/1',
      // HAPI answers a search that it was asked a moment ago from memory, without what was booked since.
      'cache-control': 'no-cache',
      ...(content !== undefined && { 'content-type': type }),
      ...headers,
    },
  });
  return read(response, { baseUrl, wanted: wantedOf({ method, template }) });
}

function read(
  { status, headers, body: text }: OutboundResponse,
  { baseUrl, wanted }: { baseUrl: string; wanted: Wanted },
): FhirAnswer {
  const body = parseJson(text);
  const fault = faultIn(body);
  if (status >= 500 || passingStatuses.includes(status) || fault?.isPassing) {
    throw new FhirFault({ kind: 'unavailable', error: `http_${status}`, ...(fault && { said: fault.words }) }, status);
  }
  if (status < 200 || status >= 300 || fault) {
    const said = fault
      ? `http ${status} with an OperationOutcome of ${fault.words}`
      : `http ${status}${wordsOf(status)}`;
    throw new FhirFault({ kind: 'refused', status, fault: said, body }, status);
  }
  const strange = strangenessOf({ text, body }, wanted);
  if (strange !== null) throw new FhirFault({ kind: 'unavailable', error: `http_${status}`, said: strange }, status);
  return {
    status,
    body,
    id: idInLocation(headers['location'] ?? headers['content-location']),
    version: headers['etag'] ?? etagIn(body),
    next: nextIn(body, baseUrl),
  };
}

/** Passing by themselves: a request that took too long, came too early, or was one too many. */
const passingStatuses = [408, 425, 429];

/** What a success must bring. */
interface Wanted {
  /** The type of resource; null where any will do, or none. */
  type: string | null;
  isSearch: boolean;
}

function wantedOf({ method, template }: Pick<FhirRequest, 'method' | 'template'>): Wanted {
  const [type = ''] = template.split('/');
  if (type === 'metadata') return { type: null, isSearch: false };
  const isRead = method === 'GET' && template.includes('/{id}');
  const isSearch = template.endsWith('/_search') || (method === 'GET' && !isRead);
  return { type: isSearch || isRead ? type : null, isSearch };
}

/**
 * What is wrong with a success that is none: an error page or a captive portal with 200, JSON that was cut off, another resource
 * than was asked for. It is a fault as a 5xx is: read as "nothing", it would make a second patient. Null where nothing is wrong.
 */
function strangenessOf({ text, body }: { text: string; body: unknown }, { type, isSearch }: Wanted): string | null {
  const found = Typed.safeParse(body).data?.resourceType;
  const isEmpty = text.trim() === '';
  if (found === undefined) return isEmpty && type === null ? null : 'it answers with what is no FHIR resource';
  if (type === null) return null;
  if (!isSearch) return found === type ? null : `it answers with another resource than ${type}`;
  const bundle = SearchSet.safeParse(body).data;
  if (!bundle) return 'it answers a search with what is no Bundle';
  const entries = bundle.entry.filter(({ search }) => search?.mode !== 'include');
  const types = entries.map(({ resource }) => resource.resourceType);
  if (types.some((each) => each !== type && each !== 'OperationOutcome'))
    return `it finds other resources than ${type}`;
  if (entries.some(({ resource }) => faultIn(resource) !== null)) return 'it could not search everything';
  const hasNext = nextPageOf(body) !== null;
  return types.length === 0 && bundle.total > 0 && !hasNext ? 'it says that it finds some, and shows none' : null;
}

const Typed = z.object({ resourceType: z.string() });
const SearchSet = z.object({
  resourceType: z.literal('Bundle'),
  total: z.number().catch(0),
  entry: z
    .array(
      z.object({
        resource: z.looseObject({ resourceType: z.string() }),
        search: z.object({ mode: z.string().optional() }).optional().catch(undefined),
      }),
    )
    .default([]),
});

/** Credentials go with a page too, so a server that names another address for it is not followed there. */
function nextIn(body: unknown, baseUrl: string): string | null {
  const url = nextPageOf(body)?.url;
  const base = new URL(`${baseUrl.replace(/\/+$/, '')}/`);
  if (url === undefined || !URL.canParse(url, base.href)) return null;
  const next = new URL(url, base);
  const isBelow = `${next.pathname}/`.startsWith(base.pathname);
  return next.origin === base.origin && isBelow && !next.username && !next.password ? next.href : null;
}

function wordsOf(status: number): string {
  switch (status) {
    case 401:
      return ': it does not accept the token';
    case 403:
      return ': the access that was granted does not permit it';
    case 404:
    case 410:
      return ': it is not there';
    case 405:
    case 501:
      return ': it does not support this';
    case 409:
    case 412:
      return ': it contradicts what is on record there';
    default:
      return '';
  }
}

import { z } from 'zod';
import type { OutboundResponse } from '../safe-http';
import type { ClinicApiResult } from '../clinic-api-port';
import type { ClinicCall } from '../clinic-http';
import { parseJson } from '../json';
import { faultIn } from './outcome';

/** What a server declares is easily half a megabyte, and so is a page of patients with all that is known of them. */
const MAX_BYTES = 8 * 1024 * 1024;

/** Ends what is being done at a FHIR server, with what is to be said of it. */
export class FhirFault extends Error {
  constructor(
    readonly result: Exclude<ClinicApiResult, { kind: 'answered' }>,
    readonly status: number | null = null,
  ) {
    super(result.kind);
  }
}

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
    url: page ?? `${baseUrl.replace(/\/+$/, '')}/${path}${search}`,
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
  return read(response, baseUrl);
}

const Versioned = z.object({ meta: z.object({ versionId: z.string() }) });

function read({ status, headers, body: text }: OutboundResponse, baseUrl: string): FhirAnswer {
  const body = parseJson(text);
  const fault = faultIn(body);
  if (status >= 500 || status === 429 || fault?.isPassing) {
    throw new FhirFault({ kind: 'unavailable', error: `http_${status}`, ...(fault && { said: fault.words }) }, status);
  }
  if (status < 200 || status >= 300 || fault) {
    const said = fault
      ? `http ${status} with an OperationOutcome of ${fault.words}`
      : `http ${status}${wordsOf(status)}`;
    throw new FhirFault({ kind: 'refused', status, fault: said, body }, status);
  }
  const versionId = Versioned.safeParse(body).data?.meta.versionId;
  return {
    status,
    body,
    id: idIn(headers['location'] ?? headers['content-location']),
    version: headers['etag'] ?? (versionId === undefined ? null : `W/"${versionId}"`),
    next: nextIn(body, baseUrl),
  };
}

const Paged = z.object({
  resourceType: z.literal('Bundle'),
  link: z.array(z.object({ relation: z.string(), url: z.string() })),
});

/** Credentials go with a page too, so a server that names another address for it is not followed there. */
function nextIn(body: unknown, baseUrl: string): string | null {
  const url = Paged.safeParse(body).data?.link.find(({ relation }) => relation === 'next')?.url;
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

/** `[base]/Patient/12/_history/1` and `Patient/12` name the id 12. */
function idIn(location: string | undefined): string | null {
  return /(?:^|\/)[A-Z][A-Za-z]+\/([A-Za-z0-9\-.]{1,64})(?:\/_history\/[^/]+)?$/.exec(location ?? '')?.[1] ?? null;
}

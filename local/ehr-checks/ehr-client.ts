import { setTimeout as delay } from 'node:timers/promises';
import { retryAfterMs } from '@clinic/gateways/http/clinic-http';
import { parseJson } from '@clinic/shared/domain/json';
import { createSafeHttp, type OutboundResponse } from '@clinic/gateways/http/safe-http';

const REQUEST_MS = 30_000;
/** A server that wants more than this between two requests is not waited for. */
const MAX_WAIT_MS = 30_000;
const MAX_TRIES = 3;
const MAX_BODY_BYTES = 5_000_000;

// eslint-disable-next-line typescript/no-explicit-any -- as JSON comes
type Json = any;

/** One request and its reply. */
export interface Exchange {
  /** Its place among the requests to this server, from 1. */
  number: number;
  /** Method and path; values of a search that may say who a patient is are left out. */
  request: string;
  /** Null where no reply came. */
  status: number | null;
  headers: Partial<Record<string, string>>;
  /** Null where the reply was no JSON. */
  body: Json;
  /** What the reply says of itself, in one line, without credentials. */
  said: string;
}

export interface Asked {
  body?: object;
  headers?: Record<string, string>;
  /** Sent in place of the token. */
  bearer?: string;
}

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

export interface EhrClient {
  base: string;
  ask(method: Method, path: string, asked?: Asked): Promise<Exchange>;
  /** The newest one. */
  last(): Exchange | null;
}

/** Search parameters whose values say nothing of a patient. */
const harmless = new Set(['actor', 'schedule', 'start', 'date', 'status', '_count', '_format', '_sort']);

/**
 * A client of a FHIR server that tells what it sent and got, and throws for nothing that a server does. `token` is asked for before
 * each request, and once more after a 401; `secrets` are left out of everything that is told.
 */
export function createEhrClient({
  base,
  token,
  signal,
}: {
  base: string;
  token: (isAnew: boolean) => Promise<string | null>;
  signal?: AbortSignal;
}): EhrClient {
  // A redirect is not followed: it would take the token to wherever it points.
  const http = createSafeHttp({ allowPrivateTargets: true });
  let number = 0;
  let newest: Exchange | null = null;
  const secrets = new Set<string>();

  const send = async (method: Method, url: string, { body, headers = {}, bearer }: Asked, isAnew: boolean) => {
    const own = bearer ?? (await token(isAnew));
    if (own !== null) secrets.add(own);
    return http.request({
      method,
      url,
      headers: {
        accept: 'application/fhir+json',
        ...(own !== null && { authorization: `Bearer ${own}` }),
        ...(body !== undefined && { 'content-type': 'application/fhir+json' }),
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      timeoutMs: REQUEST_MS,
      maxBytes: MAX_BODY_BYTES,
      ...(signal && { signal }),
    });
  };
  /** Sent again with a fresh token where the first was refused, and where the server wants us to wait. */
  const sendPatiently = async (method: Method, url: string, asked: Asked): Promise<OutboundResponse> => {
    let response = await send(method, url, asked, false);
    if (response.status === 401 && asked.bearer === undefined) response = await send(method, url, asked, true);
    for (let tries = 1; response.status === 429 && tries < MAX_TRIES; tries += 1) {
      const waitMs = retryAfterMs(response.headers) ?? 1_000;
      if (waitMs > MAX_WAIT_MS) break;
      await delay(waitMs, undefined, { signal });
      response = await send(method, url, asked, false);
    }
    return response;
  };

  const ask: EhrClient['ask'] = async (method, path, asked = {}) => {
    number += 1;
    const url = /^https?:/.test(path) ? path : `${base}/${path.replace(/^\//, '')}`;
    const request = `${method} ${shownPath(base, url)}`;
    const done = (reply: Omit<Exchange, 'number' | 'request'>): Exchange => {
      newest = { number, request, ...reply, said: without(secrets, reply.said) };
      return newest;
    };
    const nothing = (said: string) => done({ status: null, headers: {}, body: null, said });
    // A link that the server gave; it would take the token along.
    if (new URL(url).origin !== new URL(base).origin) return nothing('not asked: the link leads to another host');
    try {
      const { status, headers, body: text } = await sendPatiently(method, url, asked);
      return done({ status, headers, body: parseJson(text), said: saidIn(text, headers) });
    } catch (error) {
      return nothing(error instanceof Error ? error.message : 'it was not asked');
    }
  };

  return { base, ask, last: () => newest };
}

function shownPath(base: string, url: string): string {
  const { pathname, searchParams } = new URL(url);
  const root = new URL(base).pathname.replace(/\/$/, '');
  const path = pathname.startsWith(`${root}/`) ? pathname.slice(root.length + 1) : pathname;
  const query = [...searchParams].map(([name, value]) => `${name}=${harmless.has(name) ? value : '…'}`);
  return query.length > 0 ? `${path}?${query.join('&')}` : path;
}

/** An OperationOutcome in its own words, which are cut; of all else only what it is. */
function saidIn(text: string, headers: Exchange['headers']): string {
  const body = parseJson(text) as Json;
  const [issue] = body?.resourceType === 'OperationOutcome' && Array.isArray(body.issue) ? body.issue : [];
  if (issue) return [issue.code, issue.details?.text ?? issue.diagnostics].filter(Boolean).join(': ').slice(0, 200);
  if (typeof body?.resourceType === 'string') return body.resourceType;
  return text === '' ? 'no body' : `${headers['content-type'] ?? 'no Content-Type'}, ${text.length} characters`;
}

const without = (secrets: ReadonlySet<string>, text: string): string =>
  [...secrets].reduce((shown, secret) => shown.replaceAll(secret, '…'), text);

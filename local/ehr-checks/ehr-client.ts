import { setTimeout as delay } from 'node:timers/promises';

const REQUEST_MS = 30_000;
/** A server that wants more than this between two requests is not waited for. */
const MAX_WAIT_SECONDS = 30;
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
  headers: Headers;
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

export interface EhrClient {
  base: string;
  ask(method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, asked?: Asked): Promise<Exchange>;
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
  let number = 0;
  let newest: Exchange | null = null;
  const secrets = new Set<string>();

  const send = async (method: string, url: string, { body, headers = {}, bearer }: Asked, isAnew: boolean) => {
    const own = bearer ?? (await token(isAnew));
    if (own !== null) secrets.add(own);
    return fetch(url, {
      method,
      headers: {
        accept: 'application/fhir+json',
        ...(own !== null && { authorization: `Bearer ${own}` }),
        ...(body !== undefined && { 'content-type': 'application/fhir+json' }),
        ...headers,
      },
      body: body === undefined ? undefined : JSON.stringify(body),
      // A redirect would take the token to wherever it points.
      redirect: 'manual',
      signal: AbortSignal.any([AbortSignal.timeout(REQUEST_MS), ...(signal ? [signal] : [])]),
    });
  };

  const ask = async (method: string, path: string, asked: Asked = {}): Promise<Exchange> => {
    number += 1;
    const url = /^https?:/.test(path) ? path : `${base}/${path.replace(/^\//, '')}`;
    const request = `${method} ${shownPath(base, url)}`;
    const done = (reply: Omit<Exchange, 'number' | 'request'>): Exchange => {
      newest = { number, request, ...reply, said: without(secrets, reply.said) };
      return newest;
    };
    const nothing = (said: string) => done({ status: null, headers: new Headers(), body: null, said });
    // A link that the server gave; it would take the token along.
    if (new URL(url).origin !== new URL(base).origin) return nothing('not asked: the link leads to another host');
    try {
      let response = await send(method, url, asked, false);
      if (response.status === 401 && asked.bearer === undefined) {
        await response.body?.cancel();
        response = await send(method, url, asked, true);
      }
      for (let tries = 1; response.status === 429 && tries < MAX_TRIES; tries += 1) {
        const seconds = Number(response.headers.get('retry-after') ?? '1');
        if (!(seconds <= MAX_WAIT_SECONDS)) break;
        await response.body?.cancel();
        await delay(seconds * 1_000, undefined, { signal });
        response = await send(method, url, asked, false);
      }
      const text = await textOf(response);
      const { status, headers } = response;
      return done({ status, headers, body: jsonIn(text), said: saidIn(text, headers) });
    } catch (error) {
      const { name, message, cause } = error as Error;
      const why = name === 'TimeoutError' ? `no reply within ${REQUEST_MS / 1_000} s` : messageOf(cause) || message;
      return nothing(why);
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

async function textOf(response: Response): Promise<string> {
  const bytes = Buffer.from(await response.arrayBuffer());
  if (bytes.length > MAX_BODY_BYTES) throw new Error(`the reply is over ${MAX_BODY_BYTES / 1_000_000} MB`);
  return bytes.toString('utf8');
}

function jsonIn(text: string): Json {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** An OperationOutcome in its own words, which are cut; of all else only what it is. */
function saidIn(text: string, headers: Headers): string {
  const body = jsonIn(text);
  const [issue] = body?.resourceType === 'OperationOutcome' && Array.isArray(body.issue) ? body.issue : [];
  if (issue) return [issue.code, issue.details?.text ?? issue.diagnostics].filter(Boolean).join(': ').slice(0, 200);
  if (typeof body?.resourceType === 'string') return body.resourceType;
  return text === '' ? 'no body' : `${headers.get('content-type') ?? 'no Content-Type'}, ${text.length} characters`;
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : '');

const without = (secrets: ReadonlySet<string>, text: string): string =>
  [...secrets].reduce((shown, secret) => shown.replaceAll(secret, '…'), text);

import dns from 'node:dns';
import net from 'node:net';
import { Readable } from 'node:stream';
import { LRUCache } from 'lru-cache';
import { Agent, buildConnector, request, type Dispatcher } from 'undici';
import type { PrivateTarget } from '@clinic/shared/config';
import { sha256Hex } from '@clinic/shared/crypto';
import type { Logger } from '@clinic/shared/log';
import { isPublicAddress, reachableAt } from './addresses';

const DEFAULT_TIMEOUT_MS = 10_000;
const CONNECT_TIMEOUT_MS = 5_000;
const DEFAULT_MAX_BYTES = 64 * 1024;
/** Agents with a certificate or a target of their own that are kept. */
const MAX_AGENTS = 1_000;

export type OutboundErrorCode =
  | 'bad_url'
  | 'bad_request'
  | 'private_target'
  | 'timeout'
  | 'too_large'
  | 'tls'
  | 'network'
  /** Not tried: the other side has failed too often. */
  | 'circuit_open'
  /** It had become too late to send it. */
  | 'not_sent'
  /** The other side gave no token for our credentials. */
  | 'unauthorized';

/** A call out that got no usable answer. The sentence names at most the host and the fault: no path, body or credential. */
export class OutboundError extends Error {
  override readonly name = 'OutboundError';

  constructor(
    readonly code: OutboundErrorCode,
    message: string,
    /** The fault as the operating system or the HTTP client names it, as ECONNRESET. */
    readonly reason: string | null = null,
  ) {
    super(message);
  }
}

export interface OutboundRequest {
  method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  url: string;
  headers?: Record<string, string>;
  body?: string;
  /** From the look-up of the name to the last byte of the answer. */
  timeoutMs?: number;
  maxBytes?: number;
  /** For callers to whom the status is the answer: a body too long, too slow or cut short is returned as far as it came. */
  acceptPartialBody?: boolean;
  signal?: AbortSignal;
  /** In milliseconds since 1970, for requests with a body: from then on nothing is sent, however long the way to the connection took. */
  sendBefore?: number;
  /** By which we prove ourselves while connecting (mutual TLS). */
  clientCertificate?: ClientCertificate;
  /** The operator lists it: it may be reached although it is private. */
  privateTarget?: PrivateTarget;
}

/** What has connections of its own. */
type Own = Pick<OutboundRequest, 'clientCertificate' | 'privateTarget'>;

/** PEM texts: the certificate with what it is issued by, and its private key. */
export interface ClientCertificate {
  certificate: string;
  privateKey: string;
}

export interface OutboundResponse {
  status: number;
  headers: Record<string, string>;
  body: string;
  durationMs: number;
}

/** The one client for calls to addresses that others chose. Throws `OutboundError`, or the signal's reason when the caller aborts. */
export interface SafeHttp {
  request(options: OutboundRequest): Promise<OutboundResponse>;
  close(): Promise<void>;
}

/** Finds every address of a name, as `dns.lookup` does. */
export type Lookup = (
  hostname: string,
  options: dns.LookupAllOptions,
  callback: (error: NodeJS.ErrnoException | null, addresses: dns.LookupAddress[]) => void,
) => void;

export interface SafeHttpOptions {
  allowPrivateTargets: boolean;
  /** Refuses plain http: in production nothing of a patient goes out unencrypted. */
  isHttpsOnly?: boolean;
  log?: Pick<Logger, 'warn'>;
  lookup?: Lookup;
  /** Trusted beside the system's, for receivers with a certificate authority of their own. */
  ca?: string[];
}

/**
 * Connects to public addresses and listed targets only, checked as a literal, as resolved and as connected; follows no redirect, and bounds
 * the time and the size of every answer.
 */
export function createSafeHttp({
  allowPrivateTargets,
  isHttpsOnly = false,
  log,
  lookup = dns.lookup,
  ca,
}: SafeHttpOptions): SafeHttp {
  // As many connections as there are requests: who sends has limits of its own, by receiver, line and activity, and a queue here
  // would be one that clinics with endpoints at the same origin share.
  const agentFor = ({ clientCertificate, privateTarget }: Own = {}) => {
    const isListed = privateTarget ? reachableAt(privateTarget) : isPublicAddress;
    const isAllowed = allowPrivateTargets ? () => true : isListed;
    return new Agent({
      connect: checkedConnector({
        isAllowed,
        lookup,
        ca: privateTarget?.ca ? [privateTarget.ca] : ca,
        clientCertificate,
      }),
    });
  };
  const plain = agentFor();
  // Connections are never shared by two certificates, nor by clinics: what one has opened, another must not use.
  const owned = new LRUCache<string, Agent, Own>({
    max: MAX_AGENTS,
    memoMethod: (_digest, _known, { context }) => agentFor(context),
    // Requests that are under way end by themselves.
    dispose: (agent) => void agent.close().catch(() => undefined),
  });
  const agentOf = ({ clientCertificate, privateTarget }: OutboundRequest): Agent => {
    const context = { clientCertificate, privateTarget };
    return clientCertificate || privateTarget ? owned.memo(sha256Hex(JSON.stringify(context)), { context }) : plain;
  };

  return {
    request: async (options) => {
      const url = readUrl(options.url, isHttpsOnly);
      const startedAt = performance.now();
      const deadline = startDeadline(options.timeoutMs ?? DEFAULT_TIMEOUT_MS, options.signal);
      try {
        const response = await exchange(agentOf(options), url, options, deadline.signal);
        return { ...response, durationMs: Math.round(performance.now() - startedAt) };
      } catch (error) {
        if (options.signal?.aborted) throw options.signal.reason;
        const fault = deadline.isOver() ? timeoutOf(url, options) : toOutboundError(error, url);
        if (fault.code === 'private_target') log?.warn({ host: url.host }, 'call to a private address refused');
        throw fault;
      } finally {
        deadline.clear();
      }
    },
    close: async () => {
      await Promise.all([plain, ...owned.values()].map((agent) => agent.destroy()));
    },
  };
}

function readUrl(text: string, isHttpsOnly: boolean): URL {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null) throw new OutboundError('bad_url', 'the address is not a URL');
  if (url.protocol !== 'https:' && url.protocol !== 'http:') {
    throw new OutboundError('bad_url', 'the address is neither http nor https');
  }
  if (isHttpsOnly && url.protocol === 'http:') throw new OutboundError('bad_url', 'the address is not https');
  if (url.username !== '' || url.password !== '') {
    throw new OutboundError('bad_url', 'the address holds credentials');
  }
  return url;
}

interface TargetCheck {
  isAllowed: (address: string) => boolean;
  lookup: Lookup;
  ca?: string[];
  clientCertificate?: ClientCertificate;
}

// An IP literal is never looked up, and a name may resolve differently the next time it is asked for: hence three checks.
function checkedConnector({ isAllowed, lookup, ca, clientCertificate }: TargetCheck): buildConnector.connector {
  const connect = buildConnector({
    timeout: CONNECT_TIMEOUT_MS,
    lookup: checkedLookup({ isAllowed, lookup }),
    ca,
    ...(clientCertificate && { cert: clientCertificate.certificate, key: clientCertificate.privateKey }),
  });
  return (options, callback) => {
    if (net.isIP(options.hostname) !== 0 && !isAllowed(options.hostname)) {
      callback(refusedTarget(options.hostname), null);
      return;
    }
    connect(options, (...[error, socket]) => {
      if (error !== null) {
        callback(error, null);
        return;
      }
      if (isAllowed(socket.remoteAddress ?? '')) {
        callback(null, socket);
        return;
      }
      socket.destroy();
      callback(refusedTarget(options.hostname), null);
    });
  };
}

// One private address among public ones is refused too: it has no honest use in a public name.
function checkedLookup({ isAllowed, lookup }: TargetCheck): net.LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, addresses) => {
      if (error) {
        callback(error, []);
        return;
      }
      const [first] = addresses;
      if (first === undefined || !addresses.every(({ address }) => isAllowed(address))) {
        callback(refusedTarget(hostname), []);
        return;
      }
      if (options.all) callback(null, addresses);
      else callback(null, first.address, first.family);
    });
  };
}

function refusedTarget(hostname: string): OutboundError {
  return new OutboundError('private_target', `${hostname} is not a public address`);
}

async function exchange(
  agent: Agent,
  url: URL,
  { maxBytes = DEFAULT_MAX_BYTES, acceptPartialBody = false, ...options }: OutboundRequest,
  signal: AbortSignal,
): Promise<Omit<OutboundResponse, 'durationMs'>> {
  const response = await request(url, {
    dispatcher: agent,
    method: options.method,
    ...contentOf(options, url),
    signal,
  });
  return {
    status: response.statusCode,
    headers: singleValues(response.headers),
    body: await readBody(response.body, { maxBytes, acceptPartialBody, url }),
  };
}

function contentOf({ headers, body, sendBefore }: OutboundRequest, url: URL) {
  if (body === undefined || sendBefore === undefined) return { headers, body };
  const bytes = Buffer.from(body);
  return {
    headers: { ...headers, 'content-length': String(bytes.length) },
    body: Readable.from(onlyBefore(sendBefore, bytes, url)),
  };
}

/** Asked for its first bytes when the connection is there: until then not even the headers are sent. */
async function* onlyBefore(sendBefore: number, bytes: Buffer, { host }: URL): AsyncGenerator<Buffer> {
  if (Date.now() >= sendBefore)
    throw new OutboundError('not_sent', `it became too late to send the request to ${host}`);
  yield bytes;
}

async function readBody(
  stream: Dispatcher.ResponseData['body'],
  { maxBytes, acceptPartialBody, url }: { maxBytes: number; acceptPartialBody: boolean; url: URL },
): Promise<string> {
  const chunks: Buffer[] = [];
  let left = maxBytes;
  try {
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      chunks.push(chunk.subarray(0, left));
      left -= chunk.length;
      if (left < 0) throw new OutboundError('too_large', `${url.host} answered more than ${maxBytes} bytes`);
    }
  } catch (error) {
    if (!acceptPartialBody) throw error;
  }
  return Buffer.concat(chunks).toString('utf8');
}

function singleValues(headers: Record<string, string | string[] | undefined>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, [value].flat().join(', ')]],
    ),
  );
}

/** An abort signal that fires at the deadline or with the caller's, whichever comes first. */
function startDeadline(timeoutMs: number, callerSignal: AbortSignal | undefined) {
  const controller = new AbortController();
  let isOver = false;
  const abort = () => controller.abort();
  const timer = setTimeout(() => {
    isOver = true;
    abort();
  }, timeoutMs);
  callerSignal?.addEventListener('abort', abort, { once: true });
  if (callerSignal?.aborted) abort();
  return {
    signal: controller.signal,
    isOver: () => isOver,
    clear: () => {
      clearTimeout(timer);
      callerSignal?.removeEventListener('abort', abort);
    },
  };
}

function timeoutOf(url: URL, { timeoutMs = DEFAULT_TIMEOUT_MS }: OutboundRequest): OutboundError {
  return new OutboundError('timeout', `${url.host} gave no answer within ${timeoutMs} ms`);
}

function toOutboundError(error: unknown, url: URL): OutboundError {
  if (error instanceof OutboundError) return error;
  const reason = reasonOf(error);
  const code = codeOf(reason);
  return new OutboundError(code, `the call to ${url.host} failed: ${reason}`, reason);
}

// Read by shape: an error of Node's own may come from another realm than this module's Error.
function reasonOf(error: unknown): string {
  if (typeof error !== 'object' || error === null) return 'UNKNOWN';
  if ('code' in error && typeof error.code === 'string') return error.code;
  if ('errors' in error && Array.isArray(error.errors) && error.errors.length > 0) return reasonOf(error.errors[0]);
  return 'name' in error && typeof error.name === 'string' ? error.name : 'UNKNOWN';
}

function codeOf(reason: string): OutboundErrorCode {
  if (reason === 'UND_ERR_INVALID_ARG') return 'bad_request';
  if (/TIMEOUT|^ETIMEDOUT$/.test(reason)) return 'timeout';
  if (/CERT|SSL|TLS|SIGNATURE|^EPROTO$|^HOSTNAME_MISMATCH$/.test(reason)) return 'tls';
  return 'network';
}

import {
  BrokenCircuitError,
  type CircuitBreakerPolicy,
  circuitBreaker,
  ConsecutiveBreaker,
  DelegateBackoff,
  handleWhen,
  noop,
  retry,
} from 'cockatiel';
import { LRUCache } from 'lru-cache';
import type { PrivateTarget } from '@clinic/shared/config';
import { describeError, type Logger } from '@clinic/shared/log';
import { privateTargetAt } from './addresses';
import {
  OutboundError,
  type OutboundErrorCode,
  type OutboundRequest,
  type OutboundResponse,
  type SafeHttp,
} from './safe-http';

const MAX_ATTEMPTS = 3;
const FIRST_BACKOFF_MS = 200;
const MAX_RETRY_AFTER_MS = 5_000;
const FAILURES_TO_OPEN = 5;
const OPEN_MS = 30_000;
const MAX_CIRCUITS = 10_000;
const IDEMPOTENT: readonly string[] = ['GET', 'HEAD', 'PUT', 'DELETE'];
/** Faults of the other side. A target that is refused by us says nothing about it. */
const FAULTS: readonly OutboundErrorCode[] = ['network', 'timeout', 'tls'];

export interface ClinicCall extends Pick<
  OutboundRequest,
  'method' | 'url' | 'headers' | 'body' | 'timeoutMs' | 'maxBytes' | 'signal' | 'clientCertificate'
> {
  clinicId: string;
  /** As `clinic_api`, `hubspot`. */
  system: string;
  /** As `insurance.verify`. */
  action: string;
  /** The call during which it is made. */
  callId?: string;
  /** The path before its parameters were filled in; the one that is written down. */
  pathTemplate: string;
  /** What is broken when it fails: one circuit for each, in each clinic. */
  baseUrl: string;
  /** For a request that may be sent twice although its method does not say so. */
  isIdempotent?: boolean;
}

/** What is kept of every call out: who, where to and how it ended; no body, no parameter, no credential. */
export interface OutboundAudit {
  clinicId: string;
  /** The call during which it was made, where one went on. */
  callId?: string;
  system: string;
  action: string;
  method: string;
  host: string;
  pathTemplate: string;
  /** The last answer's; null when there was none. */
  status: number | null;
  attempts: number;
  durationMs: number;
  outcome: 'ok' | 'refused' | 'failed' | 'cancelled' | OutboundErrorCode;
  /** It went to a target in the clinic's own network that the operator lists. */
  isPrivate?: true;
}

/** Calls to a clinic's own systems. Any status is an answer; `OutboundError` is thrown when there is none. */
export interface ClinicHttp {
  call(call: ClinicCall): Promise<OutboundResponse>;
}

export interface ClinicHttpOptions {
  http: SafeHttp;
  audit: (row: OutboundAudit) => Promise<void> | void;
  /** What the operator lists. */
  privateTargets?: readonly PrivateTarget[];
  log?: Pick<Logger, 'error'>;
  random?: () => number;
  /** Sees each wait before it begins, and says how long it really takes: tests do not wait. */
  adjustWait?: (ms: number) => number;
}

/** Adds what a single request lacks: retries where they are safe, a circuit breaker per clinic and base URL, an audit row per call. */
export function createClinicHttp(options: ClinicHttpOptions): ClinicHttp {
  const { http, audit, privateTargets = [], log, random = Math.random, adjustWait = (ms) => ms } = options;
  const circuits = new LRUCache<string, CircuitBreakerPolicy>({ max: MAX_CIRCUITS, memoMethod: newCircuit });
  const retries = retry(handleWhen(isPassingFault).orWhenResult(isPassingAnswer), {
    maxAttempts: MAX_ATTEMPTS - 1,
    backoff: new DelegateBackoff(({ attempt, result }) =>
      adjustWait(askedWait('value' in result ? result.value : undefined) + random() * FIRST_BACKOFF_MS * 2 ** attempt),
    ),
  });

  // Keyed by the clinic too: what one clinic does wrong at an address pauses nobody else's calls there.
  const request = async ({ clinicId, baseUrl, ...call }: ClinicCall) => {
    const { method, url, headers, body, timeoutMs, maxBytes, signal, clientCertificate } = call;
    const privateTarget = privateTargetAt(privateTargets, { clinicId, url });
    const asked = { method, url, headers, body, timeoutMs, maxBytes, signal, clientCertificate, privateTarget };
    try {
      return await circuits.memo(`${clinicId} ${baseUrl}`).execute(() => http.request(asked));
    } catch (error) {
      if (!(error instanceof BrokenCircuitError)) throw error;
      throw new OutboundError('circuit_open', `calls to ${hostOf(url)} are paused after repeated failures`);
    }
  };

  return {
    call: async (call) => {
      const startedAt = performance.now();
      let attempts = 0;
      let outcome: OutboundResponse | OutboundError | 'cancelled' = 'cancelled';
      try {
        const answer = (mayRepeat(call) ? retries : noop).execute(async () => {
          attempts += 1;
          return request(call);
        });
        outcome = await unlessAborted(answer, call.signal);
        return outcome;
      } catch (error) {
        if (error instanceof OutboundError) outcome = error;
        throw error;
      } finally {
        const row: OutboundAudit = {
          ...toAudit(call, { outcome, attempts, durationMs: Math.round(performance.now() - startedAt) }),
          ...(privateTargetAt(privateTargets, call) && { isPrivate: true }),
        };
        // The other side has acted already: a lost audit row must not make the caller act again.
        await Promise.resolve()
          .then(() => audit(row))
          .catch((error: unknown) => log?.error({ ...describeError(error), ...row }, 'audit row lost'));
      }
    },
  };
}

/** How long an answer asks to be left alone, in milliseconds; null when it does not say. */
export function retryAfterMs(headers: Record<string, string>, now = Date.now()): number | null {
  const value = headers['retry-after'];
  if (value === undefined) return null;
  const ms = /^\d+$/.test(value) ? Number(value) * 1000 : Date.parse(value) - now;
  return Number.isNaN(ms) ? null : Math.max(0, ms);
}

function newCircuit(): CircuitBreakerPolicy {
  return circuitBreaker(handleWhen(isFault).orWhenResult(isServerError), {
    halfOpenAfter: OPEN_MS,
    breaker: new ConsecutiveBreaker(FAILURES_TO_OPEN),
  });
}

function isFault(error: Error): boolean {
  return error instanceof OutboundError && FAULTS.includes(error.code);
}

/** Not 501: it comes from a server that is well, and that will not do this the next time either. */
function isServerError(answer: unknown): boolean {
  return isResponse(answer) && answer.status >= 500 && answer.status !== 501;
}

function mayRepeat({ method, isIdempotent }: ClinicCall): boolean {
  return isIdempotent ?? IDEMPOTENT.includes(method);
}

/** A fault that may be over at the next try. */
function isPassingFault(error: Error): boolean {
  return error instanceof OutboundError && (error.code === 'network' || error.code === 'timeout');
}

/** An answer that may be another one at the next try, if that is soon enough. */
function isPassingAnswer(answer: unknown): boolean {
  if (!isResponse(answer) || askedWait(answer) > MAX_RETRY_AFTER_MS) return false;
  return answer.status === 429 || isServerError(answer);
}

function askedWait(answer: unknown): number {
  return (isResponse(answer) && retryAfterMs(answer.headers)) || 0;
}

// cockatiel gives its policies' results as unknown.
function isResponse(answer: unknown): answer is OutboundResponse {
  return typeof answer === 'object' && answer !== null && 'status' in answer && 'headers' in answer;
}

/** The waits between attempts take no signal. A caller who gives up is let go at once, and nothing more is sent. */
async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return work;
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort);
    // One signal goes with many calls, as with a check of hundreds of rows.
    void work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}

function toAudit(
  { clinicId, callId, system, action, method, url, pathTemplate }: ClinicCall,
  {
    outcome,
    attempts,
    durationMs,
  }: { outcome: OutboundResponse | OutboundError | 'cancelled' } & Pick<OutboundAudit, 'attempts' | 'durationMs'>,
): OutboundAudit {
  const status = typeof outcome === 'object' && 'status' in outcome ? outcome.status : null;
  return {
    clinicId,
    ...(callId !== undefined && { callId }),
    system,
    action,
    method,
    host: hostOf(url),
    pathTemplate,
    status,
    attempts,
    durationMs,
    outcome: outcomeOf(outcome),
  };
}

function outcomeOf(outcome: OutboundResponse | OutboundError | 'cancelled'): OutboundAudit['outcome'] {
  if (outcome === 'cancelled') return outcome;
  if (outcome instanceof OutboundError) return outcome.code;
  if (outcome.status >= 500) return 'failed';
  return outcome.status >= 200 && outcome.status < 300 ? 'ok' : 'refused';
}

function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : '';
}

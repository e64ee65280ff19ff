import { setTimeout as sleepFor } from 'node:timers/promises';
import {
  BrokenCircuitError,
  type CircuitBreakerPolicy,
  circuitBreaker,
  ConsecutiveBreaker,
  handleWhen,
} from 'cockatiel';
import {
  OutboundError,
  type OutboundErrorCode,
  type OutboundRequest,
  type OutboundResponse,
  type SafeHttp,
} from './safe-http';

const ATTEMPTS = 3;
const FIRST_BACKOFF_MS = 200;
const LONGEST_WAIT_MS = 5_000;
const FAILURES_TO_OPEN = 5;
const OPEN_MS = 30_000;
const IDEMPOTENT: readonly string[] = ['GET', 'HEAD', 'PUT', 'DELETE'];
/** Faults of the other side. A target that is refused by us says nothing about it. */
const FAULTS: readonly OutboundErrorCode[] = ['network', 'timeout', 'tls'];

export interface ClinicCall extends Pick<
  OutboundRequest,
  'method' | 'url' | 'headers' | 'body' | 'timeoutMs' | 'signal'
> {
  clinicId: string;
  /** As `clinic_api`, `hubspot`. */
  system: string;
  /** As `insurance.verify`. */
  action: string;
  /** The path before its parameters were filled in; the one that is written down. */
  pathTemplate: string;
  /** What is broken when it fails: one circuit for each. */
  baseUrl: string;
  /** For a request that may be sent twice although its method does not say so. */
  isIdempotent?: boolean;
}

/** What is kept of every call out: who, where to and how it ended; no body, no parameter, no credential. */
export interface OutboundAudit {
  clinicId: string;
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
}

/** Calls to a clinic's own systems. Any status is an answer; `OutboundError` is thrown when there is none. */
export interface ClinicHttp {
  call(call: ClinicCall): Promise<OutboundResponse>;
}

export interface ClinicHttpOptions {
  http: SafeHttp;
  audit: (row: OutboundAudit) => Promise<void> | void;
  log?: { error(fields: object, message: string): void };
  random?: () => number;
  sleep?: (ms: number, signal?: AbortSignal) => Promise<unknown>;
}

/** Adds what a single request lacks: retries where they are safe, a circuit breaker per base URL, an audit row per call. */
export function createClinicHttp(options: ClinicHttpOptions): ClinicHttp {
  const {
    http,
    audit,
    log,
    random = Math.random,
    sleep = (ms, signal) => sleepFor(ms, undefined, { signal }),
  } = options;
  const breakers = new Map<string, CircuitBreakerPolicy>();

  const breakerOf = (baseUrl: string): CircuitBreakerPolicy => {
    const breaker = breakers.get(baseUrl) ?? newBreaker();
    breakers.set(baseUrl, breaker);
    return breaker;
  };

  const attempt = async ({ baseUrl, method, url, headers, body, timeoutMs, signal }: ClinicCall) => {
    try {
      return await breakerOf(baseUrl).execute(async () =>
        failOnServerError(await http.request({ method, url, headers, body, timeoutMs, signal })),
      );
    } catch (error) {
      if (error instanceof ServerError) return error.response;
      if (error instanceof BrokenCircuitError) {
        throw new OutboundError('circuit_open', `calls to ${hostOf(url)} are paused after repeated failures`);
      }
      throw error;
    }
  };

  return {
    call: async (call) => {
      const startedAt = performance.now();
      let attempts = 0;
      let outcome: OutboundResponse | OutboundError | 'cancelled' = 'cancelled';
      try {
        for (;;) {
          attempts += 1;
          outcome = await attempt(call).catch(unlessCancelled);
          const waitMs = isRetryable(call, outcome) ? waitBefore(attempts, outcome, random) : null;
          if (waitMs === null) break;
          await sleep(waitMs, call.signal);
        }
      } catch (error) {
        outcome = 'cancelled';
        throw error;
      } finally {
        const row = toAudit(call, { outcome, attempts, durationMs: Math.round(performance.now() - startedAt) });
        // The other side has acted already: a lost audit row must not make the caller act again.
        await Promise.resolve()
          .then(() => audit(row))
          .catch((error: unknown) => log?.error({ err: error, ...row }, 'audit row lost'));
      }
      if (outcome instanceof OutboundError) throw outcome;
      return outcome;
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

class ServerError extends Error {
  constructor(readonly response: OutboundResponse) {
    super(`http ${response.status}`);
  }
}

function failOnServerError(response: OutboundResponse): OutboundResponse {
  if (response.status >= 500) throw new ServerError(response);
  return response;
}

function isFault(error: Error): boolean {
  return error instanceof ServerError || (error instanceof OutboundError && FAULTS.includes(error.code));
}

function newBreaker(): CircuitBreakerPolicy {
  return circuitBreaker(handleWhen(isFault), {
    halfOpenAfter: OPEN_MS,
    breaker: new ConsecutiveBreaker(FAILURES_TO_OPEN),
  });
}

function unlessCancelled(error: unknown): OutboundError {
  if (error instanceof OutboundError) return error;
  throw error;
}

function isRetryable({ method, isIdempotent }: ClinicCall, outcome: OutboundResponse | OutboundError): boolean {
  if (!(isIdempotent ?? IDEMPOTENT.includes(method))) return false;
  if (outcome instanceof OutboundError) return outcome.code === 'network' || outcome.code === 'timeout';
  return outcome.status === 429 || outcome.status >= 500;
}

/** Null: it is not worth waiting for. */
function waitBefore(attempts: number, outcome: OutboundResponse | OutboundError, random: () => number): number | null {
  if (attempts >= ATTEMPTS) return null;
  const asked = outcome instanceof OutboundError ? null : retryAfterMs(outcome.headers);
  if (asked !== null && asked > LONGEST_WAIT_MS) return null;
  return (asked ?? 0) + random() * FIRST_BACKOFF_MS * 2 ** attempts;
}

function toAudit(
  { clinicId, system, action, method, url, pathTemplate }: ClinicCall,
  {
    outcome,
    attempts,
    durationMs,
  }: { outcome: OutboundResponse | OutboundError | 'cancelled' } & Pick<OutboundAudit, 'attempts' | 'durationMs'>,
): OutboundAudit {
  const status = typeof outcome === 'object' && 'status' in outcome ? outcome.status : null;
  return {
    clinicId,
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

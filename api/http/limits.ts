import { RateLimiterMemory } from 'rate-limiter-flexible';
import { AppError } from '@clinic/shared/errors';
import type { Caller } from './route';

export interface Limits {
  /** Counts a request of a caller. Throws `too_many_requests`; the answer's Retry-After is in `retryAfterOf`. */
  count(caller: Caller): Promise<void>;
  /** Counts a sign-in for an account and an address. */
  countSignIn(email: string, address: string): Promise<void>;
}

export class TooManyRequests extends AppError {
  constructor(readonly retryAfterSeconds: number) {
    super('too_many_requests', 'Too many requests; please slow down');
  }
}

/** Limits per API key, per session and per inbound URL (decisions, section 1); tools have none. Per process. */
export function createLimits({
  perSecond,
  burst,
  signInsPerMinute,
}: {
  perSecond: number;
  burst: number;
  signInsPerMinute: number;
}): Limits {
  const steady = new Map<string, number>();
  let second = 0;
  const extra = new RateLimiterMemory({ keyPrefix: 'burst', points: burst, duration: Math.max(1, burst / perSecond) });
  const signIns = new RateLimiterMemory({ keyPrefix: 'sign-in', points: signInsPerMinute, duration: 60 });

  return {
    async count(caller) {
      const key = keyOf(caller);
      if (key === null) return;
      const now = Math.floor(Date.now() / 1_000);
      if (now !== second) steady.clear();
      second = now;
      const count = (steady.get(key) ?? 0) + 1;
      steady.set(key, count);
      if (count > perSecond) await extra.consume(key).catch(refuse);
    },
    async countSignIn(email, address) {
      await signIns.consume(`${email.toLowerCase()}|${address}`).catch(refuse);
    },
  };
}

function refuse(state: unknown): never {
  const waitMs = (state as { msBeforeNext?: number }).msBeforeNext ?? 1_000;
  throw new TooManyRequests(Math.max(1, Math.ceil(waitMs / 1_000)));
}

function keyOf(caller: Caller): string | null {
  switch (caller.kind) {
    case 'api-key':
      return `key:${caller.keyId}`;
    case 'session':
      return `session:${caller.sessionId}`;
    case 'inbound':
      return `inbound:${caller.clinicId}/${caller.event}`;
    case 'voice':
    case 'nobody':
      return null;
  }
}

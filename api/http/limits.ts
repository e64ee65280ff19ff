import { BurstyRateLimiter, RateLimiterMemory } from 'rate-limiter-flexible';
import { AppError } from '@clinic/shared/errors';
import type { Caller } from './route';

export interface Limits {
  /** Counts a request of a caller. Throws `TooManyRequests`. */
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
  const requests = new BurstyRateLimiter(
    new RateLimiterMemory({ keyPrefix: 'steady', points: perSecond, duration: 1 }),
    new RateLimiterMemory({ keyPrefix: 'burst', points: burst, duration: Math.max(1, burst / perSecond) }),
  );
  const signIns = new RateLimiterMemory({ keyPrefix: 'sign-in', points: signInsPerMinute, duration: 60 });

  return {
    async count(caller) {
      const key = keyOf(caller);
      if (key !== null) await requests.consume(key).catch(refuse);
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

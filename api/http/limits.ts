import { BurstyRateLimiter, RateLimiterMemory } from 'rate-limiter-flexible';
import type { SignInCountStores } from '@clinic/prisma/stores/accounts/sign-in-counts';
import { AppError } from '@clinic/shared/errors';
import { createGrowingDelays } from '@clinic/shared/growing-delays';
import { networkOf } from '@clinic/shared/network';
import type { Caller, Route } from './route';
import { createUnderWay, type Leave } from './under-way';

export interface Limits {
  /** Takes a place among the requests under way: live tools have places of their own, and so have what counts once and what strangers may ask. Throws `unavailable`. */
  enter(route: Pick<Route, 'access' | 'countsOnce'>): Leave;
  /** Counts a body that is sent slowly, until the returned function is called. Throws `TooManyRequests`. */
  awaitBody(caller: Caller, address: string): () => void;
  /** Counts a request of a caller. Throws `TooManyRequests`. */
  count(caller: Caller): Promise<void>;
  /** Counts a request that is held open, until the returned function is called. Throws `TooManyRequests`. */
  hold(caller: Caller): () => void;
  /**
   * Counts a sign-in for an account from an address. Throws `TooManyRequests` where the account or the address has failed too
   * often. Anyone who has signed in from this address before is known, and waits for failures of this pair alone.
   */
  countSignIn(email: string, address: string): Promise<{ isKnown: boolean }>;
  /** Counts a challenge that is made for an address, which costs a row until it is used or over. Throws `TooManyRequests`. */
  countChallenge(address: string): Promise<void>;
  /**
   * Checks a logout token of a clinic's identity provider: of valid ones it sends as many as it ends sessions. Throws `TooManyRequests`
   * where too many from this network were refused as `bad_request`.
   */
  withLogoutToken<T>(from: { clinicId: string; address: string }, check: () => Promise<T>): Promise<T>;
  /** Says how a sign-in that was counted went. */
  signInEnded(signIn: { email: string; address: string; isRefused: boolean }): void;
  /** Says that one that was counted has neither opened anything nor been a guess. */
  signInLeft(signIn: { email: string; address: string }): void;
  /** Counts a try with an account's link, apart from sign-ins. Throws `TooManyRequests` where the network has guessed too often. */
  countLink(address: string): void;
  /** Says whether a link that was counted was none. */
  linkEnded(link: { address: string; isRefused: boolean }): void;
}

export class TooManyRequests extends AppError {
  constructor(readonly retryAfterSeconds: number) {
    super('too_many_requests', 'Too many requests; please slow down');
  }
}

/** How soon one who holds too many requests open may try again. */
const HELD_RETRY_SECONDS = 5;
/** What counts once waits for so long before more of it is refused: whoever sends it again later may be late. So does a sign-in, for its hash. */
const WORTH_WAITING_MS = 1_000;
/** Bodies that one address or one credential may be sending slowly at once. */
const MAX_BODIES = 100;
const MAX_KNOWN_PAIRS = 50_000;
/** A whole clinic may sign in by passkeys from one address, each person once or twice. */
const CHALLENGES_PER_SIGN_IN = 6;
/** Of a clinic and a network in a minute. */
const MAX_REFUSED_LOGOUTS = 60;

/** Limits per API key, per session and per inbound URL (docs/contract.md, 1); the operator's voice secret has none. Each process counts by itself, sign-ins alone are counted over all: they are what somebody guesses passwords with. */
export function createLimits({
  perSecond,
  burst,
  signInsPerMinute,
  heldPerCaller,
  maxUnderWay,
  countSignIn,
}: {
  perSecond: number;
  burst: number;
  signInsPerMinute: number;
  /** Event streams and held `wait`s that one key or session may have open at once. */
  heldPerCaller: number;
  /** Requests of all callers that this process works on at once, at most. */
  maxUnderWay: number;
  /** Counts by account and network over all processes: the how-manieth of its minute, and how long that goes on. */
  countSignIn: SignInCountStores['count'];
}): Limits {
  const requests = new BurstyRateLimiter(
    new RateLimiterMemory({ keyPrefix: 'steady', points: perSecond, duration: 1 }),
    new RateLimiterMemory({ keyPrefix: 'burst', points: burst, duration: Math.max(1, burst / perSecond) }),
  );
  const signIns = new RateLimiterMemory({ keyPrefix: 'sign-in', points: signInsPerMinute, duration: 60 });
  const challenges = new RateLimiterMemory({
    keyPrefix: 'challenge',
    points: signInsPerMinute * CHALLENGES_PER_SIGN_IN,
    duration: 60,
  });
  const refusedLogouts = new RateLimiterMemory({ keyPrefix: 'logout', points: MAX_REFUSED_LOGOUTS, duration: 60 });
  // A person mistypes some times; behind one address there may be a whole clinic.
  const ofAccount = createGrowingDelays({ free: signInsPerMinute });
  const ofAddress = createGrowingDelays({ free: signInsPerMinute * 2 });
  const ofKnownPair = createGrowingDelays({ free: signInsPerMinute });
  const ofLinks = createGrowingDelays({ free: signInsPerMinute * 2 });
  const signedInBefore = new Set<string>();
  const pairOf = (email: string, address: string) => `${email.toLowerCase()}|${networkOf(address)}`;
  /** What counts a sign-in: what others do holds back nobody who is known. */
  const countersOf = (email: string, address: string) => {
    const pair = pairOf(email, address);
    if (signedInBefore.has(pair)) return [{ delays: ofKnownPair, key: pair }];
    return [
      { delays: ofAccount, key: email.toLowerCase() },
      { delays: ofAddress, key: networkOf(address) },
    ];
  };

  const held = createCounts(heldPerCaller);
  const bodies = createCounts(MAX_BODIES);
  const live = createUnderWay({ max: maxUnderWay });
  const once = createUnderWay({ max: maxUnderWay, slowMs: WORTH_WAITING_MS });
  // Sign-ins most of all: those who have shown who they are must not find their places taken by them.
  const strangers = createUnderWay({ max: maxUnderWay, slowMs: WORTH_WAITING_MS });
  const others = createUnderWay({ max: maxUnderWay });

  return {
    enter({ access, countsOnce }) {
      if (access === 'voice') return live.enter({ isLive: true });
      if (access === 'public') return strangers.enter();
      return (countsOnce ? once : others).enter();
    },
    awaitBody(caller, address) {
      const isPlatform = caller.kind === 'voice' || caller.kind === 'inbound';
      // Platforms send for many clinics from few addresses; their secrets have shown who they are.
      const fromAddress = isPlatform ? null : bodies.add(`address:${networkOf(address)}`);
      try {
        const ofCaller = caller.kind === 'nobody' ? null : bodies.add(holderOf(caller));
        return () => [fromAddress, ofCaller].forEach((end) => end?.());
      } catch (error) {
        fromAddress?.();
        throw error;
      }
    },
    hold: (caller) => held.add(keyOf(caller) ?? caller.kind),
    async count(caller) {
      const key = keyOf(caller);
      if (key !== null) await requests.consume(key).catch(refuse);
    },
    async countSignIn(email, address) {
      const pair = pairOf(email, address);
      // First here, so that a flood at one process is none at the database.
      await signIns.consume(pair).catch(refuse);
      const counted = await countSignIn(email, networkOf(address));
      if (counted.signIns > signInsPerMinute) refuse({ msBeforeNext: counted.waitMs });
      const counters = countersOf(email, address);
      const waitMs = Math.max(...counters.map(({ delays, key }) => delays.waitMs(key)));
      if (waitMs > 0) refuse({ msBeforeNext: waitMs });
      for (const { delays, key } of counters) delays.began(key);
      return { isKnown: signedInBefore.has(pair) };
    },
    async countChallenge(address) {
      await challenges.consume(networkOf(address)).catch(refuse);
    },
    async withLogoutToken({ clinicId, address }, check) {
      const key = `${clinicId}|${networkOf(address)}`;
      const refused = await refusedLogouts.get(key);
      if (refused && refused.remainingPoints <= 0) refuse(refused);
      try {
        return await check();
      } catch (error) {
        if (error instanceof AppError && error.code === 'bad_request') await refusedLogouts.penalty(key);
        throw error;
      }
    },
    signInLeft({ email, address }) {
      for (const { delays, key } of countersOf(email, address)) delays.ended(key);
    },
    signInEnded({ email, address, isRefused }) {
      if (isRefused) {
        for (const { delays, key } of countersOf(email, address)) delays.failed(key);
        return;
      }
      const pair = pairOf(email, address);
      ofAccount.succeeded(email.toLowerCase());
      ofKnownPair.succeeded(pair);
      // Not of the address: somebody who guesses may have an account too.
      ofAddress.ended(networkOf(address));
      if (signedInBefore.size >= MAX_KNOWN_PAIRS) signedInBefore.clear();
      signedInBefore.add(pair);
    },
    countLink(address) {
      const network = networkOf(address);
      const waitMs = ofLinks.waitMs(network);
      if (waitMs > 0) refuse({ msBeforeNext: waitMs });
      ofLinks.began(network);
    },
    linkEnded({ address, isRefused }) {
      if (isRefused) ofLinks.failed(networkOf(address));
      else ofLinks.ended(networkOf(address));
    },
  };
}

/** How many of something each holder has at once. */
function createCounts(max: number) {
  const counts = new Map<string, number>();
  return {
    /** Counts one more, until the returned function is called. Throws `TooManyRequests`. */
    add(holder: string): () => void {
      const before = counts.get(holder) ?? 0;
      if (before >= max) throw new TooManyRequests(HELD_RETRY_SECONDS);
      counts.set(holder, before + 1);
      return () => {
        const rest = (counts.get(holder) ?? 1) - 1;
        if (rest === 0) counts.delete(holder);
        else counts.set(holder, rest);
      };
    },
  };
}

const holderOf = (caller: Caller): string =>
  caller.kind === 'voice' ? `voice:${caller.clinicId ?? 'operator'}` : (keyOf(caller) ?? caller.kind);

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
      // The operator's speaks for all clinics: the places of live tools bound it.
      return caller.clinicId === null ? null : `voice:${caller.clinicId}`;
    case 'nobody':
      return null;
  }
}

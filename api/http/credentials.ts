import type { Request } from 'express';
import { inboundEvents } from '@clinic/shared/contracts/events/inbound-events';
import { constantTimeEqual, sha256Hex } from '@clinic/shared/crypto';
import { AppError } from '@clinic/shared/errors';
import { Remembered } from '@clinic/shared/remembered';
import { VOICE_SECRET } from '@clinic/shared/domain/voice/headers';
import type { Accounts } from '@clinic/accounts/accounts';
import type { Stores } from '@clinic/prisma/stores';
import type { Authenticator, Door } from './authenticate';
import { bearerIn } from './bearer';
import type { Caller, SessionCaller } from './route';

/** Says, as `1`, that no person's doing is behind the request: it gives the session no more time. */
const BACKGROUND = 'x-background';
const API_KEY = 'ck_';
const AUTOMATION_SECRET = 'x-automation-secret';

/** Credentials are looked up once and remembered for some seconds; a revocation takes effect at once. */
const TRUST_MS = 10_000;
const TOUCH_EVERY_MS = 60_000;

const OTHER_TOKEN = `No session is taken here: send an API key of the clinic (${API_KEY}…), which is made at Connections › API keys`;

type Keys = Pick<Stores, 'keys'>;
type KeyCaller = Extract<Caller, { kind: 'api-key' }>;

/** The keys with which a clinic's systems call. */
export function apiKeys({ keys: store }: Keys): Authenticator {
  const keys = new Remembered<Awaited<ReturnType<Keys['keys']['apiKey']>>>(TRUST_MS);
  const touch = touching();
  const callerOf = async (request: Request): Promise<KeyCaller> => {
    const key = bearerOf(request);
    if (key && !hasKey(request)) throw new AppError('unauthorized', OTHER_TOKEN);
    const found = key ? await keys.get(sha256Hex(key), () => store.apiKey(key)) : null;
    if (!found) throw new AppError('unauthorized', 'The API key is missing, unknown or revoked');
    const { id, clinicId, scopes, expiresAt } = found;
    if (expiresAt && expiresAt <= new Date()) {
      throw new AppError('unauthorized', `The API key expired at ${expiresAt.toISOString()}`);
    }
    await touch(id, store.touchApiKey);
    return { kind: 'api-key', keyId: id, clinicId, scopes, address: request.ip ?? '' };
  };
  /** Of an inbound URL, which names its clinic. */
  const ofEvent = async (request: Request): Promise<Caller> => {
    const caller = await callerOf(request);
    if (caller.clinicId === inboundTarget(request.path).clinicId) return caller;
    throw new AppError('unauthorized', 'The API key belongs to another clinic');
  };
  return {
    callerOf({ access }, request) {
      if (access === 'inbound') return hasKeyAlone(request) ? ofEvent(request) : null;
      const isOne = access === 'api-key' || (access === 'api-key-or-clinic' && hasKey(request));
      return isOne ? callerOf(request) : null;
    },
    forget({ table }) {
      if (table === '*' || table === 'api_keys') keys.clear();
    },
  };
}

/** The session of an account, by its token. Throws `unauthorized`. */
export async function sessionOf(accounts: Accounts, door: Door, request: Request): Promise<SessionCaller> {
  const token = bearerOf(request);
  if (hasKey(request)) throw new AppError('unauthorized', `No API key is taken here: ${insteadOfKey(door)}`);
  const isBackground = door.isBackground === true || request.headers[BACKGROUND] === '1';
  const found = token ? await accounts.session(token, { isBackground }) : null;
  if (!token || !found) throw new AppError('unauthorized', 'The session token is missing, unknown or expired');
  const { needsSecondFactor, sessionId, accountId, clinicId, role, isEmergency, freshUntil } = found;
  if (needsSecondFactor && door.isOpenWithoutSecondFactor !== true) throw secondFactorRequired();
  const address = request.ip ?? '';
  return { kind: 'session', sessionId, accountId, clinicId, role, isEmergency, freshUntil, token, address };
}

/** Which credential a door takes, and where it is made. */
function insteadOfKey({ access, isOpenToSandboxTokens }: Door): string {
  const session = 'the token of a session, from POST /auth/sign-in/email';
  if (access === 'fhir' || isOpenToSandboxTokens) {
    return `send ${session}, or a token of the sandbox: of a client or a named sandbox that is made at Connections › Sandbox (docs/sandbox.md)`;
  }
  return `send ${session}; docs/rights.md lists what an API key opens`;
}

/** Dashboard sessions: what every door takes that no other authenticator knows. */
export const sessions = (accounts: Accounts): Authenticator => ({
  callerOf: (door, request) => sessionOf(accounts, door, request),
});

/** The secrets of inbound URLs. */
export function inboundSecrets({ keys: store }: Keys): Authenticator {
  const digests = new Remembered<{ id: string; hash: string }[]>(TRUST_MS);
  const touch = touching();
  const callerOf = async (request: Request): Promise<Caller> => {
    const { clinicId, path } = inboundTarget(request.path);
    const given = headerOf(request, AUTOMATION_SECRET);
    if (given && clinicId && path) {
      const live = await digests.get(`${clinicId}/${path}`, () => store.inboundDigests(clinicId, path));
      const hash = sha256Hex(given);
      const match = live.find((secret) => constantTimeEqual(secret.hash, hash));
      if (match) {
        await touch(match.id, store.touchSecret);
        return { kind: 'inbound', clinicId, event: path };
      }
    }
    throw new AppError('unauthorized', 'The inbound secret is missing or wrong');
  };
  return {
    callerOf: ({ access }, request) => (access === 'inbound' && !hasKeyAlone(request) ? callerOf(request) : null),
    forget({ table }) {
      if (table === '*' || table === 'secrets') digests.clear();
    },
  };
}

/** The secrets of voice platforms: the operator's, two while it is rotated, and those of clinics. */
export function voiceSecrets({ keys: store }: Keys, ofOperator: readonly string[]): Authenticator {
  const voices = new Remembered<{ id: string; clinicId: string } | null>(TRUST_MS);
  const touch = touching();
  const callerOf = async (request: Request): Promise<Caller> => {
    const given = headerOf(request, VOICE_SECRET);
    if (given && ofOperator.some((secret) => constantTimeEqual(given, secret)))
      return { kind: 'voice', clinicId: null };
    const found = given ? await voices.get(sha256Hex(given), () => store.clinicOfVoiceSecret(given)) : null;
    if (!found) throw new AppError('unauthorized', 'The voice secret is missing or wrong');
    await touch(found.id, store.touchSecret);
    return { kind: 'voice', clinicId: found.clinicId };
  };
  return {
    callerOf: ({ access }, request) => (access === 'voice' ? callerOf(request) : null),
    forget({ table }) {
      if (table === '*' || table === 'secrets') voices.clear();
    },
  };
}

/**
 * Writes "last used" at most once a minute, before the request goes on: a secret that nobody has used yet is replaced at once by a
 * rotation. A failure only loses that note.
 */
function touching() {
  const touches = new Remembered<void>(TOUCH_EVERY_MS);
  return (id: string, write: (id: string) => Promise<void>): Promise<void> =>
    touches.get(id, () => write(id)).catch(() => undefined);
}

const secondFactorRequired = () =>
  new AppError('forbidden', 'This clinic requires a second factor: set one up first', [
    { path: 'secondFactor', message: 'must be set up first' },
  ]);

/** Clinic and event of an inbound URL, read before the router has matched parameters. */
function inboundTarget(path: string): { clinicId: string | null; path: string | null } {
  const [, clinicId = null, event = null] = /\/automation\/webhook\/([^/]+)\/([^/]+)\/?$/.exec(path) ?? [];
  return { clinicId, path: event !== null && Object.hasOwn(inboundEvents, event) ? event : null };
}

const hasKey = (request: Request): boolean => bearerOf(request)?.startsWith(API_KEY) === true;

const hasKeyAlone = (request: Request): boolean => request.headers[AUTOMATION_SECRET] === undefined && hasKey(request);

const bearerOf = (request: Request): string | null => bearerIn(request.headers.authorization);

function headerOf(request: Request, name: string): string | null {
  const value = request.headers[name];
  return typeof value === 'string' && value.length > 0 && value.length <= 512 ? value : null;
}

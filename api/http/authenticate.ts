import type { Request } from 'express';
import { inboundEvents } from '@clinic/shared/contracts/inbound-events';
import { constantTimeEqual, sha256Hex } from '@clinic/shared/crypto';
import { AppError } from '@clinic/shared/errors';
import { Remembered } from '@clinic/shared/remembered';
import { VOICE_SECRET } from '@clinic/shared/voice/headers';
import type { Accounts } from '@clinic/prisma/accounts';
import type { Change } from '@clinic/prisma/changes';
import type { Stores } from '@clinic/prisma/stores';
import { SANDBOX_TOKEN } from '@clinic/prisma/stores/named-sandboxes';
import { bearerIn } from './bearer';
import type { Caller, Route } from './route';

/** Says, as `1`, that no person's doing is behind the request: it gives the session no more time. */
const BACKGROUND = 'x-background';

/** What the tokens of a sandbox's clients begin with; no session's does. */
export const SMART_TOKEN = 'smart_';

const TRUST_MS = 10_000;
const TOUCH_EVERY_MS = 60_000;

export interface Authenticator {
  /** Who is calling, by the credential that the route asks for. Throws 401 and 403, before anything else is read. */
  authenticate(
    route: Pick<Route, 'access' | 'isBackground' | 'isOpenWithoutSecondFactor' | 'isOpenToSandboxTokens'>,
    request: Request,
  ): Promise<Caller>;
  /** A key, a secret or a session changed: what was remembered of it is forgotten. */
  forget(change: Change): void;
}

/** Credentials are looked up once and remembered for some seconds; a revocation takes effect at once. */
export function createAuthenticator({
  stores,
  accounts,
  voiceSecrets,
}: {
  stores: Stores;
  accounts: Accounts;
  /** The operator's: two while it is rotated. */
  voiceSecrets: readonly string[];
}): Authenticator {
  const keys = new Remembered<{ id: string; clinicId: string } | null>(TRUST_MS);
  const digests = new Remembered<{ id: string; hash: string }[]>(TRUST_MS);
  const voices = new Remembered<{ id: string; clinicId: string } | null>(TRUST_MS);
  const sandboxTokens = new Remembered<{ clinicId: string; clientId: string; endsAt: Date } | null>(TRUST_MS);
  const namedSandboxes = new Remembered<{ sandboxId: string } | null>(TRUST_MS);
  const touches = new Remembered<void>(TOUCH_EVERY_MS);

  /** Writes "last used" at most once a minute; a failure only loses that note. */
  const touch = (id: string, write: (id: string) => Promise<void>) => {
    touches.get(id, () => write(id)).catch(() => undefined);
  };

  const apiKey = async (request: Request): Promise<Caller> => {
    const key = bearerOf(request);
    const found = key ? await keys.get(sha256Hex(key), () => stores.keys.clinicOfApiKey(key)) : null;
    if (!found) throw new AppError('unauthorized', 'The API key is missing, unknown or revoked');
    touch(found.id, stores.keys.touchApiKey);
    return { kind: 'api-key', keyId: found.id, clinicId: found.clinicId, address: addressOf(request) };
  };

  type Asked = Pick<Route, 'isBackground' | 'isOpenWithoutSecondFactor' | 'isOpenToSandboxTokens'>;
  const session = async (request: Request, asked: Asked): Promise<Extract<Caller, { kind: 'session' }>> => {
    const token = bearerOf(request);
    const isBackground = asked.isBackground === true || request.headers[BACKGROUND] === '1';
    const found = token ? await accounts.session(token, { isBackground }) : null;
    if (!token || !found) throw new AppError('unauthorized', 'The session token is missing, unknown or expired');
    const { sessionId, accountId, clinicId, role, isEmergency, needsSecondFactor } = found;
    if (needsSecondFactor && asked.isOpenWithoutSecondFactor !== true) throw secondFactorRequired();
    const address = addressOf(request);
    return { kind: 'session', sessionId, accountId, clinicId, role, isEmergency, token, address };
  };

  /** Whoever has the token of a named sandbox: they do in it what an administrator does in a clinic's own, and nothing elsewhere. */
  const namedSandbox = async (request: Request, token: string) => {
    const found = await namedSandboxes.get(sha256Hex(token), () => stores.namedSandboxes.ofToken(token));
    if (!found) throw new AppError('unauthorized', 'The token is of no sandbox that there is');
    const { sandboxId } = found;
    const whoever = { accountId: sandboxId, clientId: sandboxId, role: 'admin', isEmergency: false } as const;
    const sessionId = `sandbox:${sandboxId}`;
    return { kind: 'session', sessionId, clinicId: sandboxId, ...whoever, token, address: addressOf(request) } as const;
  };

  const clinic = async (request: Request, asked: Asked) => {
    const token = bearerOf(request);
    if (asked.isOpenToSandboxTokens === true && token?.startsWith(SANDBOX_TOKEN) === true) {
      return namedSandbox(request, token);
    }
    const caller = await session(request, asked);
    const { clinicId } = caller;
    if (clinicId === null) throw new AppError('forbidden', 'No clinic is linked to this account');
    return { ...caller, clinicId };
  };

  /** A client of the sandbox that has a token of its own (SMART Backend Services). */
  const sandboxClient = async (request: Request, token: string) => {
    const found = await sandboxTokens.get(sha256Hex(token), () => stores.sandboxClients.ofToken(token));
    if (!found || found.endsAt <= new Date()) throw new AppError('unauthorized', 'The token is unknown or has ended');
    const { clinicId, clientId } = found;
    const nobody = { accountId: clientId, role: 'staff', isEmergency: false } as const;
    const sessionId = `client:${clientId}`;
    return { kind: 'session', sessionId, clinicId, clientId, ...nobody, token, address: addressOf(request) } as const;
  };

  const fhir = async (request: Request, asked: Asked): Promise<Caller> => {
    const token = bearerOf(request);
    const isOfClient = token?.startsWith(SMART_TOKEN) === true;
    const caller = isOfClient
      ? await sandboxClient(request, token)
      : await clinic(request, { ...asked, isOpenToSandboxTokens: true });
    const agenda = await stores.agendas.of(caller.clinicId);
    if (!agenda?.isSandboxEnabled) throw new AppError('forbidden', 'The sandbox EMR is not enabled for this clinic');
    if (!isOfClient && !agenda.kindnesses.takesSessionTokens) {
      throw new AppError('unauthorized', 'This sandbox takes tokens of SMART Backend Services alone (docs/sandbox.md)');
    }
    return { ...caller, kindnesses: agenda.kindnesses };
  };

  const inbound = async (request: Request): Promise<Caller> => {
    const { clinicId, path } = inboundTarget(request.path);
    const given = headerOf(request, 'x-automation-secret');
    if (given && clinicId && path) {
      const live = await digests.get(`${clinicId}/${path}`, () => stores.keys.inboundDigests(clinicId, path));
      const hash = sha256Hex(given);
      const match = live.find((secret) => constantTimeEqual(secret.hash, hash));
      if (match) {
        touch(match.id, stores.keys.touchSecret);
        return { kind: 'inbound', clinicId, event: path };
      }
    }
    throw new AppError('unauthorized', 'The inbound secret is missing or wrong');
  };

  const voice = async (request: Request): Promise<Caller> => {
    const given = headerOf(request, VOICE_SECRET);
    if (given && voiceSecrets.some((secret) => constantTimeEqual(given, secret)))
      return { kind: 'voice', clinicId: null };
    const found = given ? await voices.get(sha256Hex(given), () => stores.keys.clinicOfVoiceSecret(given)) : null;
    if (!found) throw new AppError('unauthorized', 'The voice secret is missing or wrong');
    touch(found.id, stores.keys.touchSecret);
    return { kind: 'voice', clinicId: found.clinicId };
  };

  return {
    async authenticate(route, request) {
      switch (route.access) {
        case 'public':
          return { kind: 'nobody' };
        case 'session':
          return session(request, route);
        case 'clinic':
          return clinic(request, route);
        case 'admin':
          return asAdmin(await clinic(request, route));
        case 'admin-or-unlinked': {
          const caller = await session(request, route);
          return caller.clinicId === null ? caller : asAdmin(caller);
        }
        case 'fhir':
          return fhir(request, route);
        case 'api-key':
          return apiKey(request);
        case 'api-key-or-clinic':
          return bearerOf(request)?.startsWith('ck_') ? apiKey(request) : clinic(request, route);
        case 'voice':
          return voice(request);
        case 'inbound':
          return inbound(request);
      }
    },

    forget({ table }) {
      if (table === '*' || table === 'api_keys') keys.clear();
      if (table === '*' || table === 'sandbox_clients') sandboxTokens.clear();
      if (table === '*' || table === 'named_sandboxes') namedSandboxes.clear();
      if (table === '*' || table === 'secrets') {
        digests.clear();
        voices.clear();
      }
    },
  };
}

const secondFactorRequired = () =>
  new AppError('forbidden', 'This clinic requires a second factor: set one up first', [
    { path: 'secondFactor', message: 'must be set up first' },
  ]);

function asAdmin<Found extends Extract<Caller, { kind: 'session' }>>(caller: Found): Found {
  if (caller.role !== 'admin') throw new AppError('forbidden', 'Only an account with the role admin may do this');
  return caller;
}

/** Clinic and event of an inbound URL, read before the router has matched parameters. */
function inboundTarget(path: string): { clinicId: string | null; path: string | null } {
  const [, clinicId = null, event = null] = /\/automation\/webhook\/([^/]+)\/([^/]+)\/?$/.exec(path) ?? [];
  return { clinicId, path: event !== null && Object.hasOwn(inboundEvents, event) ? event : null };
}

const addressOf = ({ ip = '' }: Request): string => ip;

const bearerOf = (request: Request): string | null => bearerIn(request.headers.authorization);

function headerOf(request: Request, name: string): string | null {
  const value = request.headers[name];
  return typeof value === 'string' && value.length > 0 && value.length <= 512 ? value : null;
}

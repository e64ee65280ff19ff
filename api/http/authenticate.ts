import type { Request } from 'express';
import { inboundEvents } from '@clinic/shared/contracts/inbound-events';
import { constantTimeEqual, sha256Hex } from '@clinic/shared/crypto';
import { AppError } from '@clinic/shared/errors';
import { Remembered } from '@clinic/shared/remembered';
import { VOICE_SECRET } from '@clinic/shared/voice/headers';
import type { Accounts } from '@clinic/prisma/accounts';
import type { Change } from '@clinic/prisma/changes';
import type { Stores } from '@clinic/prisma/stores';
import type { Caller, Route } from './route';

/** Says, as `1`, that no person's doing is behind the request: it gives the session no more time. */
const BACKGROUND = 'x-background';

const TRUST_MS = 10_000;
const TOUCH_EVERY_MS = 60_000;

export interface Authenticator {
  /** Who is calling, by the credential that the route asks for. Throws 401 and 403, before anything else is read. */
  authenticate(
    route: Pick<Route, 'access' | 'isBackground' | 'isOpenWithoutSecondFactor'>,
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

  type Asked = Pick<Route, 'isBackground' | 'isOpenWithoutSecondFactor'>;
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

  const clinic = async (request: Request, asked: Asked) => {
    const caller = await session(request, asked);
    const { clinicId } = caller;
    if (clinicId === null) throw new AppError('forbidden', 'No clinic is linked to this account');
    return { ...caller, clinicId };
  };

  const fhir = async (request: Request, asked: Asked): Promise<Caller> => {
    const caller = await clinic(request, asked);
    const agenda = await stores.agendas.of(caller.clinicId);
    if (!agenda?.isSandboxEnabled) throw new AppError('forbidden', 'The sandbox EMR is not enabled for this clinic');
    return caller;
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

function bearerOf(request: Request): string | null {
  return /^Bearer +([\x21-\x7e]{8,512}) *$/i.exec(request.headers.authorization ?? '')?.[1] ?? null;
}

function headerOf(request: Request, name: string): string | null {
  const value = request.headers[name];
  return typeof value === 'string' && value.length > 0 && value.length <= 512 ? value : null;
}

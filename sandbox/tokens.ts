import type { Request } from 'express';
import type { Authenticator, Door } from '@clinic/api/http/authenticate';
import { bearerIn } from '@clinic/api/http/bearer';
import type { SessionCaller } from '@clinic/api/http/route';
import type { Stores } from '@clinic/prisma/stores';
import { SANDBOX_TOKEN } from '@clinic/prisma/stores/sandbox/named-sandboxes';
import { sha256Hex } from '@clinic/shared/crypto';
import { opens, scopeNeeded } from '@clinic/shared/domain/sandbox/smart-scopes';
import { AppError, InsufficientScope, SandboxOff } from '@clinic/shared/errors';
import { Remembered } from '@clinic/shared/remembered';

/** What the tokens of a sandbox's clients begin with; no session's does. */
export const SMART_TOKEN = 'smart_';

const TRUST_MS = 10_000;

type TokenStores = Pick<Stores, 'agendas' | 'namedSandboxes' | 'sandboxClients'>;

/** The door of the FHIR routes, and the tokens of named sandboxes and of clients (SMART Backend Services). */
export function sandboxTokens(
  stores: TokenStores,
  sessionOf: (door: Door, request: Request) => Promise<SessionCaller>,
): Authenticator {
  const clients = new Remembered<Awaited<ReturnType<TokenStores['sandboxClients']['ofToken']>>>(TRUST_MS);
  const named = new Remembered<{ sandboxId: string } | null>(TRUST_MS);

  const clientOf = async ({ method, path }: Door, token: string) => {
    const found = await clients.get(sha256Hex(token), () => stores.sandboxClients.ofToken(token));
    if (!found || found.endsAt <= new Date()) throw new AppError('unauthorized', 'The token is unknown or has ended');
    const { clinicId, clientId, scopes } = found;
    const needed = scopeNeeded(method, path);
    if (needed && !opens(scopes, needed)) {
      throw new InsufficientScope(`system/${needed.resource}.${needed.anyOf.slice(0, 1)}`);
    }
    return { id: clientId, clinicId, role: 'staff', sessionId: `client:${clientId}` } as const;
  };

  /** Its owner does in a named sandbox what an administrator does in a clinic's own, and nothing elsewhere. */
  const namedSandboxOf = async (token: string) => {
    const found = await named.get(sha256Hex(token), () => stores.namedSandboxes.ofToken(token));
    if (!found) throw new AppError('unauthorized', 'The token is of no sandbox that there is');
    const { sandboxId } = found;
    return { id: sandboxId, clinicId: sandboxId, role: 'admin', sessionId: `sandbox:${sandboxId}` } as const;
  };

  const callerOf = async (door: Door, request: Request, token: string): Promise<SessionCaller> => {
    const { id, ...found } = await (token.startsWith(SMART_TOKEN) ? clientOf(door, token) : namedSandboxOf(token));
    const address = request.ip ?? '';
    return {
      kind: 'session',
      accountId: id,
      clientId: id,
      isEmergency: false,
      freshUntil: 0,
      ...found,
      token,
      address,
    };
  };

  /** A caller of the sandbox EMR, with the clinic's agenda. */
  const fhirCallerOf = async (door: Door, request: Request, token: string): Promise<SessionCaller> => {
    const isOwn = token.startsWith(SMART_TOKEN) || token.startsWith(SANDBOX_TOKEN);
    const caller = await (isOwn ? callerOf(door, request, token) : sessionOf(door, request));
    if (caller.clinicId === null) throw new SandboxOff('No clinic is linked to this account');
    const agenda = await stores.agendas.of(caller.clinicId);
    if (!agenda?.isSandboxEnabled) throw new SandboxOff();
    if (!token.startsWith(SMART_TOKEN) && !agenda.leniency.takesSessionTokens) {
      throw new AppError('unauthorized', 'This sandbox takes tokens of SMART Backend Services alone (docs/sandbox.md)');
    }
    return { ...caller, agenda };
  };

  return {
    callerOf(door, request) {
      const isFhir = door.access === 'fhir';
      if (!isFhir && door.isOpenToSandboxTokens !== true) return null;
      const token = bearerIn(request.headers.authorization) ?? '';
      if (isFhir) return fhirCallerOf(door, request, token);
      return token.startsWith(SANDBOX_TOKEN) ? callerOf(door, request, token) : null;
    },

    forget({ table }) {
      if (table === '*' || table === 'sandbox_clients') clients.clear();
      if (table === '*' || table === 'named_sandboxes') named.clear();
    },
  };
}

/** Whose sandbox a token opens; undefined for the token of a session, and for one that opens nothing. */
export async function clinicOfToken(stores: TokenStores, token: string): Promise<string | undefined> {
  if (token.startsWith(SMART_TOKEN)) return (await stores.sandboxClients.ofToken(token))?.clinicId;
  if (token.startsWith(SANDBOX_TOKEN)) return (await stores.namedSandboxes.ofToken(token))?.sandboxId;
  return undefined;
}

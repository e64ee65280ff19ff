import type { Request } from 'express';
import { AppError } from '@clinic/shared/errors';
import { type Right, roleHas, rolesWith, scopesHave, scopesWith } from '@clinic/shared/domain/accounts/rights';
import type { Change } from '@clinic/prisma/changes';
import type { Caller, Route } from './route';

/** Of a route, what decides whom it lets in. */
export type Door = Pick<
  Route,
  | 'access'
  | 'right'
  | 'method'
  | 'path'
  | 'isBackground'
  | 'isOpenWithoutSecondFactor'
  | 'isOpenToSandboxTokens'
  | 'stepUp'
>;

/** Knows one kind of credential. */
export interface Authenticator {
  /** Who is calling; null where the door is not one for this kind of credential. Throws 401 and 403. */
  callerOf(door: Door, request: Request): Promise<Caller> | null;
  /** A key, a secret or a session changed: what was remembered of it is forgotten. */
  forget?(change: Change): void;
}

/**
 * Who is calling, by the credential that the route asks for: the first authenticator that knows it decides. Throws 401 and 403,
 * before anything else is read.
 */
export async function authenticate(
  authenticators: readonly Authenticator[],
  door: Door,
  request: Request,
): Promise<Caller> {
  if (door.access === 'public') return nobody;
  for (const authenticator of authenticators) {
    const found = authenticator.callerOf(door, request);
    if (found) return proved(door, allowed(door, await found));
  }
  throw new Error(`${door.access} has no authenticator`);
}

const nobody: Caller = { kind: 'nobody' };

/** The one place where a caller's rights are asked for: the role of an account, the scopes of a key. */
function allowed({ access, right }: Door, caller: Caller): Caller {
  if (caller.kind === 'voice' || caller.kind === 'inbound') return caller;
  if (access === 'operator') {
    if (caller.kind === 'session' && caller.role === 'operator' && caller.clinicId === null) return caller;
    throw new AppError('forbidden', 'Only an operator of the service may do this');
  }
  if (caller.kind === 'session' && caller.clinicId === null) {
    if (access === 'session') return caller;
    throw new AppError('forbidden', 'No clinic is linked to this account');
  }
  if (right === null) {
    if (access === 'session') return caller;
    throw new Error(`a door for ${access} must say which right it asks for`);
  }
  if (caller.kind === 'session' && !roleHas(caller.role, right)) throw new AppError('forbidden', refusedRole(right));
  if (caller.kind === 'api-key' && !scopesHave(caller.scopes, right)) {
    throw new AppError('forbidden', refusedKey(right));
  }
  return caller;
}

/** Somebody who has proved who they are within minutes, where the door asks for that; of a person's session alone. */
function proved({ stepUp }: Door, caller: Caller): Caller {
  if (caller.kind !== 'session' || caller.clientId !== undefined || stepUp === undefined) return caller;
  if (stepUp === 'access' && caller.isEmergency) {
    throw new AppError('forbidden', 'Emergency access changes no accounts, keys, secrets or receivers');
  }
  if (caller.freshUntil > Date.now()) return caller;
  throw new AppError('forbidden', 'Prove first who you are, by POST /auth/step-up', [
    { path: 'stepUp', message: 'is needed first' },
  ]);
}

const refusedRole = (right: Right): string => `Only an account with the role ${orOf(rolesWith(right))} may do this`;

const refusedKey = (right: Right): string => `The API key needs the scope ${orOf(scopesWith(right))} for this`;

const orOf = (words: readonly string[]): string =>
  words.length > 1 ? `${words.slice(0, -1).join(', ')} or ${words.at(-1)}` : words.join();

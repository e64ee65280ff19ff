import { rolesWith, scopesWith } from '@clinic/shared/domain/accounts/rights';
import type { Access, Route } from '../http/route';

/** Refusals of the checks before a handler, by status. Every route documents those that it can return. */
export const sharedResponses = {
  400: 'The path, the query, a header or the body is not valid',
  401: 'The credential is missing, unknown, revoked or expired',
  403: 'The credential does not allow this; with `details` at `secondFactor` where the clinic requires a second factor and the account has none yet',
  404: 'Nothing of this clinic has this id',
  408: 'The request body took too long to arrive',
  413: 'The request body is too large',
  415: 'The request body has another media type, charset or encoding',
  422: 'This Idempotency-Key was used before with another request',
  429: 'Too many requests',
  431: 'The address and the headers are too large together',
  503: 'Something that is needed is down; the same request may be sent again',
} as const;
export type SharedStatus = keyof typeof sharedResponses;

/** The statuses that a route can return before its handler is reached, by what it asks for and takes. */
export function sharedStatuses({
  access,
  right,
  path,
  body,
  isIdempotent,
  isOpenWithoutSecondFactor,
}: Route): SharedStatus[] {
  return [
    // A repeated parameter, a NUL or a broken percent-encoding is refused everywhere.
    400,
    ...byAccess[access].statuses,
    ...(access === 'session' && (right !== null || !isOpenWithoutSecondFactor) ? ([403] as const) : []),
    ...(path.includes('/:') ? ([404] as const) : []),
    ...(body ? ([408, 413, 415, 429] as const) : []),
    ...(isIdempotent ? ([422] as const) : []),
    431,
    503,
  ];
}

const session = [{ session: [] }];
const ofClinic = { statuses: [401, 403, 429] as const, security: session };

/** What each access can return before anything else of a request is read, and the security schemes that open it. */
export const byAccess: Record<Access, { statuses: readonly SharedStatus[]; security: Record<string, string[]>[] }> = {
  public: { statuses: [], security: [] },
  session: { statuses: [401, 429], security: session },
  clinic: ofClinic,
  fhir: ofClinic,
  operator: ofClinic,
  'api-key': { ...ofClinic, security: [{ apiKey: [] }] },
  'api-key-or-clinic': { ...ofClinic, security: [{ apiKey: [] }, ...session] },
  voice: { statuses: [401], security: [{ voiceSecret: [] }] },
  inbound: { statuses: [401, 403, 429], security: [{ automationSecret: [] }, { apiKey: [] }] },
};

const words = (names: readonly string[]) => names.map((name) => `\`${name}\``).join(', ');

/** Whom a route lets in, by their roles and the scopes of their keys; null where the credential alone says it. */
export function whoMay({ access, right }: Pick<Route, 'access' | 'right'>): string | null {
  if (right === null) return null;
  const roles = access === 'api-key' || access === 'inbound' ? [] : rolesWith(right);
  const scopes = access === 'clinic' || access === 'fhir' || access === 'session' ? [] : scopesWith(right);
  const asked = [
    roles.length > 0 && `an account with one of the roles ${words(roles)}`,
    scopes.length > 0 && `a key with one of the scopes ${words(scopes)}`,
  ];
  return `Needs ${asked.filter(Boolean).join(', or ')} (403).`;
}

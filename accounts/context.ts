import type { KeyRing } from '@clinic/shared/config';
import type { AccountRole } from '@clinic/shared/domain/accounts/accounts';
import type { Database } from '@clinic/prisma/client';
import { createPasskeys } from './passkeys';
import { createSecondFactors } from './second-factors';
import { createSessionCache } from './session-cache';
import { createLibrary, createTokens } from './library';

export interface Account {
  id: string;
  email: string;
  name: string;
  role: AccountRole;
  /** null: the account is linked to no clinic. */
  clinicId: string | null;
}

/** Who is behind a token. */
export interface Session {
  sessionId: string;
  accountId: string;
  clinicId: string | null;
  role: AccountRole;
  email: string;
  name: string;
  /** Whether it is emergency access, which ends by itself and changes no account. */
  isEmergency: boolean;
  /** Whether the clinic requires a second factor and the account has none yet: it may set one up, and nothing else. */
  needsSecondFactor: boolean;
  /** Until when the person counts as having proved who they are just now, in ms since 1970. */
  freshUntil: number;
}

export type RememberedSession = Session & { isRenewalDue: boolean };

export type Context = ReturnType<typeof contextOf>;

export interface AccountsOptions {
  database: Database;
  secret: string;
  /** Encrypt second factors. */
  secretKeys: KeyRing;
  publicUrl: string;
  /** A session that no person uses ends after so long. */
  idleMinutes?: number;
  /** A proof of who somebody is counts as fresh for so long. */
  freshMinutes?: number;
  clock?: () => number;
}

const IDLE_MINUTES = 12 * 60;
const FRESH_MINUTES = 5;

export const contextOf = ({
  database,
  secret,
  secretKeys,
  publicUrl,
  idleMinutes = IDLE_MINUTES,
  freshMinutes = FRESH_MINUTES,
  clock = Date.now,
}: AccountsOptions) => ({
  database,
  idleMinutes,
  freshMinutes,
  clock,
  library: createLibrary({ database, secret, publicUrl, sessionSeconds: idleMinutes * 60 }),
  tokens: createTokens(secret),
  cache: createSessionCache<RememberedSession>({ clock }),
  secondFactors: createSecondFactors({ database, secretKeys, clock }),
  passkeys: createPasskeys({ database, publicUrl }),
});

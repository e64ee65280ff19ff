import { createHmac } from 'node:crypto';
import { constantTimeEqual, newId } from '@clinic/shared/crypto';
import { AppError } from '@clinic/shared/errors';
import { prismaAdapter } from 'better-auth/adapters/prisma';
import { isAPIError } from 'better-auth/api';
import { betterAuth } from 'better-auth/minimal';
import type { Database } from '@clinic/prisma/client';
import { whyDatabaseFailed } from '@clinic/prisma/failures';
import { createPasswordHashing } from './password-hashing';
import { PASSWORD_LENGTH } from './password-rules';

/** Carries the caller's address to the library, which reads addresses from headers only. */
export const ADDRESS_HEADER = 'x-client-address';

/** better-auth: passwords, accounts and the rows of sessions. Its own HTTP surface is never mounted, so nobody signs up. */
export function createLibrary({
  database,
  secret,
  publicUrl,
  sessionSeconds,
}: {
  database: Database;
  secret: string;
  publicUrl: string;
  sessionSeconds: number;
}) {
  return betterAuth({
    database: prismaAdapter(database.prisma, { provider: 'postgresql', transaction: true }),
    secret,
    baseURL: publicUrl,
    emailAndPassword: {
      enabled: true,
      disableSignUp: true,
      minPasswordLength: PASSWORD_LENGTH.min,
      maxPasswordLength: PASSWORD_LENGTH.max,
      password: createPasswordHashing(),
    },
    session: { expiresIn: sessionSeconds },
    user: {
      additionalFields: {
        clinicId: { type: 'string', required: false, input: false },
        role: { type: 'string', required: true, input: false },
      },
    },
    advanced: {
      database: { generateId: () => newId() },
      ipAddress: { ipAddressHeaders: [ADDRESS_HEADER] },
    },
    rateLimit: { enabled: false },
    telemetry: { enabled: false },
    // It writes e-mail addresses into its log lines.
    logger: { disabled: true },
  });
}

/** A signature that was right once is right for ever: whether the session lives is asked elsewhere. */
const MAX_TOKENS = 10_000;

/** A token is the session's key with a signature, so that a copy of the table opens nothing and a guess costs no query. */
export function createTokens(secret: string) {
  const sign = (key: string) => createHmac('sha256', secret).update(`session.${key}`).digest('base64url');
  const opened = new Map<string, string>();
  return {
    seal: (key: string) => `${key}.${sign(key)}`,
    open(token: string): string | null {
      const known = opened.get(token);
      if (known !== undefined) return known;
      const [key, signature, ...rest] = token.split('.');
      if (!key || !signature || rest.length > 0 || !constantTimeEqual(signature, sign(key))) return null;
      if (opened.size >= MAX_TOKENS) opened.clear();
      opened.set(token, key);
      return key;
    },
  };
}

export function refuseSignIn(error: unknown): never {
  if (isAPIError(error) && error.statusCode < 500) {
    throw wrongCredentials();
  }
  throw readable(error);
}

export const wrongCredentials = () => new AppError('unauthorized', 'The e-mail or the password is wrong');

export function readable(error: unknown): unknown {
  if (whyDatabaseFailed(error)) return new AppError('unavailable', 'The accounts cannot be reached at the moment');
  return isAPIError(error) ? new Error('the sign-in failed', { cause: error }) : error;
}

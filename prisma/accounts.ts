import { createHmac } from 'node:crypto';
import { constantTimeEqual, newId } from '@clinic/shared/crypto';
import { AppError } from '@clinic/shared/errors';
import { prismaAdapter } from 'better-auth/adapters/prisma';
import { isAPIError } from 'better-auth/api';
import { betterAuth } from 'better-auth/minimal';
import { z } from 'zod';
import type { Change } from './changes';
import type { Database } from './client';
import { createPasswordHashing } from './password-hashing';
import { createSessionCache } from './session-cache';

export type Role = 'admin' | 'staff';

export interface Account {
  id: string;
  email: string;
  name: string;
  role: Role;
  /** null: the account is linked to no clinic. */
  clinicId: string | null;
}

/** Who is behind a token. */
export interface Session {
  sessionId: string;
  accountId: string;
  clinicId: string | null;
  role: Role;
  email: string;
  name: string;
}

/** The people who use the dashboard, and their sessions. The library behind it shows neither in answers nor in errors. */
export interface Accounts {
  /** Opens a session. An unknown e-mail and a wrong password are told apart neither by the answer nor by the time it takes. */
  signIn(credentials: SignIn): Promise<{ token: string; account: Account }>;
  /** Revokes the token. One that is unknown or revoked already is no error. */
  signOut(token: string): Promise<void>;
  /** Who is behind the token, and 12 more hours for the session, up to a week in all; null when it is unknown, expired or revoked. */
  session(token: string): Promise<Session | null>;
  /** Throws `conflict` when the e-mail has an account, `bad_request` when the e-mail or the password will not do. */
  createAccount(account: NewAccount): Promise<{ id: string }>;
  findByEmail(email: string): Promise<Account | null>;
  /** Drops what is remembered of a session or an account, by its id; `*` drops everything. */
  invalidate(id: string): void;
  /** `invalidate` for a change notification; those of other tables are passed over. */
  forget(change: Change): void;
}

export interface SignIn {
  email: string;
  password: string;
  ipAddress?: string;
  userAgent?: string;
}

export interface NewAccount {
  name: string;
  email: string;
  password: string;
  clinicId: string | null;
  role: Role;
}

const SESSION_SECONDS = 12 * 60 * 60;
/** However much it is used, a session ends a week after the password was given. */
const MAX_SESSION_SECONDS = 7 * 24 * 60 * 60;
/** The sliding life is written again once this much of it is used up, and not at every request. */
const RENEWAL_SECONDS = 15 * 60;
const PASSWORD_LENGTH = { min: 8, max: 128 };

export function createAccounts({
  database,
  secret,
  publicUrl,
  clock = Date.now,
}: {
  database: Database;
  secret: string;
  publicUrl: string;
  clock?: () => number;
}): Accounts {
  const library = createLibrary({ database, secret, publicUrl });
  const tokens = createTokens(secret);
  const cache = createSessionCache<Session>({ clock });

  return {
    async signIn({ email, password, ipAddress, userAgent }) {
      const headers = new Headers({ [ADDRESS_HEADER]: ipAddress ?? '', 'user-agent': printable(userAgent ?? '') });
      const { token, user } = await library.api.signInEmail({ body: { email, password }, headers }).catch(refuseSignIn);
      await removeExpiredSessions(database, user.id);
      return { token: tokens.seal(token), account: toAccount({ ...user, clinicId: user.clinicId ?? null }) };
    },

    async signOut(token) {
      const key = tokens.open(token);
      if (key === null) return;
      // Not through the library: it stays silent when the database cannot be reached, and the token would live on.
      await database.sql`delete from sessions where token = ${key}`;
      cache.drop(key);
    },

    async session(token) {
      const key = tokens.open(token);
      return key === null ? null : cache.through(key, () => readAndRenew(database, key));
    },

    async createAccount({ name, email, password, clinicId, role }) {
      refuseUnusable({ email, password });
      const { adapter, password: passwords } = await library.$context;
      const hash = await passwords.hash(password);
      const times = { createdAt: new Date(), updatedAt: new Date() };
      const user = { name, email: email.toLowerCase(), emailVerified: false, clinicId, role, ...times };
      const create = adapter.transaction(async (records) => {
        const { id } = await records.create<typeof user, { id: string }>({ model: 'user', data: user });
        const credential = { userId: id, accountId: id, providerId: 'credential', password: hash, ...times };
        await records.create({ model: 'account', data: credential });
        return { id };
      });
      return create.catch(refuseDuplicate);
    },

    async findByEmail(email) {
      const [row] = await database.sql<Omit<Account, 'role'> & { role: string }>`
        select id, email, name, role, clinic_id as "clinicId" from users where email = ${email.toLowerCase()}`;
      return row ? toAccount(row) : null;
    },

    invalidate: (id) => cache.drop(id),

    forget({ table, id }) {
      if (table === '*') cache.drop('*');
      if (table === 'sessions' || table === 'users') cache.drop(id);
    },
  };
}

/** Carries the caller's address to the library, which reads addresses from headers only. */
const ADDRESS_HEADER = 'x-client-address';

/** better-auth: passwords, accounts and the rows of sessions. Its own HTTP surface is never mounted, so nobody signs up. */
function createLibrary({ database, secret, publicUrl }: { database: Database; secret: string; publicUrl: string }) {
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
    session: { expiresIn: SESSION_SECONDS },
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
function createTokens(secret: string) {
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

async function readAndRenew(database: Database, key: string): Promise<Session | null> {
  const [row] = await database.sql<Omit<Session, 'role'> & { role: string }>`
    with live as (
      select s.id, s.expires_at, u.id as account_id, u.clinic_id, u.role, u.email, u.name
      from sessions s join users u on u.id = s.user_id
      where s.token = ${key} and s.expires_at > now()
        and s.created_at > now() - make_interval(secs => ${MAX_SESSION_SECONDS})
    ), renewal as (
      update sessions s set expires_at = now() + make_interval(secs => ${SESSION_SECONDS}), updated_at = now()
      from live
      where s.id = live.id and live.expires_at < now() + make_interval(secs => ${SESSION_SECONDS - RENEWAL_SECONDS})
    )
    select id as "sessionId", account_id as "accountId", clinic_id as "clinicId", role, email, name from live`;
  return row ? { ...row, role: toRole(row.role) } : null;
}

/** Nobody asks for a session that ran out, so its account's next sign-in clears it away. */
const removeExpiredSessions = (database: Database, accountId: string) =>
  database.sql`delete from sessions where user_id = ${accountId} and expires_at <= now()`;

function refuseSignIn(error: unknown): never {
  if (isAPIError(error) && error.statusCode < 500) {
    throw new AppError('unauthorized', 'The e-mail or the password is wrong');
  }
  throw readable(error);
}

function refuseUnusable({ email, password }: { email: string; password: string }): void {
  // The rule the library signs in by: an address it does not take could never be used.
  if (!z.email().safeParse(email).success) throw new AppError('bad_request', 'email is not an e-mail address');
  const { min, max } = PASSWORD_LENGTH;
  if (password.length < min || password.length > max) {
    throw new AppError('bad_request', `password must be ${min} to ${max} characters long`);
  }
}

function refuseDuplicate(error: unknown): never {
  if (codeOf(error) === 'P2002') throw new AppError('conflict', 'An account with this e-mail exists already');
  throw readable(error);
}

/** Prisma's P1xxx are its ways to say that there is no connection. */
function readable(error: unknown): unknown {
  const isUnreachable = codeOf(error).startsWith('P1');
  if (isUnreachable) return new AppError('unavailable', 'The accounts cannot be reached at the moment');
  return isAPIError(error) ? new Error('the sign-in failed', { cause: error }) : error;
}

function codeOf(error: unknown): string {
  return typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : '';
}

const toAccount = ({ id, email, name, role, clinicId }: Omit<Account, 'role'> & { role: string }): Account => ({
  id,
  email,
  name,
  role: toRole(role),
  clinicId,
});

/** What is not known to be an admin is staff. */
const toRole = (role: string): Role => (role === 'admin' ? 'admin' : 'staff');

/** Header values hold no other characters; the text only tells a person which browser it was. */
const printable = (text: string) => text.replace(/[^\x20-\x7e]/g, '').slice(0, 500);

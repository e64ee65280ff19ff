import { createHmac } from 'node:crypto';
import type { KeyRing } from '@clinic/shared/config';
import { constantTimeEqual, newId, randomToken, sha256Hex } from '@clinic/shared/crypto';
import type { Role } from '@clinic/shared/domain/accounts';
import { AppError } from '@clinic/shared/errors';
import { prismaAdapter } from 'better-auth/adapters/prisma';
import { isAPIError } from 'better-auth/api';
import { betterAuth } from 'better-auth/minimal';
import type { AuthenticationResponseJSON } from '@simplewebauthn/server';
import { z } from 'zod';
import { factorsOf } from './account-factors';
import type { Change } from './changes';
import type { Database } from './client';
import { whyDatabaseFailed } from './failures';
import { createPasswordHashing, hashedFirst } from './password-hashing';
import { createPasskeys, type Passkeys } from './passkeys';
import { PASSWORD_LENGTH, type PasswordOwner, refuseWeakPassword } from './password-rules';
import { createSecondFactors, type SecondFactors } from './second-factors';
import { createSessionCache } from './session-cache';
import { type Sql, sqlState } from './sql';
import { type Actor, audit } from './stores/audit';
import { openTask } from './stores/tasks';

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
  /** Whether it is emergency access, which ends by itself and changes no account. */
  isEmergency: boolean;
  /** Whether the clinic requires a second factor and the account has none yet: it may set one up, and nothing else. */
  needsSecondFactor: boolean;
}

/** The right password of an account that has a second factor, without it. */
export class SecondFactorNeeded extends AppError {
  constructor(factor: 'code' | 'passkey') {
    const needed = {
      code: 'is needed: that of your authenticator, or a backup code',
      passkey: 'is needed: the password alone does not open this account',
    };
    const message =
      factor === 'code'
        ? 'This account has a second factor: a code of it is needed'
        : 'This account has a passkey: sign in with it';
    super('unauthorized', message, [{ path: factor, message: needed[factor] }]);
  }
}

/** Of somebody who is signed in; not `unauthorized`, which would say that their session has ended. */
export class WrongPassword extends AppError {
  constructor() {
    super('bad_request', 'The password is wrong', [{ path: 'password', message: 'is wrong' }]);
  }
}

/** The people who use the dashboard, and their sessions. The library behind it shows neither in answers nor in errors. */
export interface Accounts {
  /**
   * Opens a session. An unknown e-mail and a wrong password are told apart neither by the answer nor by the time it takes; an
   * account that is disabled gets the same answer. Throws `SecondFactorNeeded` where the password is right and a code is missing, or
   * the account has passkeys and no codes.
   */
  signIn(credentials: SignIn): Promise<{ token: string; account: Account; isEmergency: boolean }>;
  /** Opens a session by a passkey, without a password. Throws `unauthorized`, as `PasskeyRefused` where it is known whose it is. */
  signInByPasskey(
    by: { response: AuthenticationResponseJSON } & Pick<SignIn, 'ipAddress' | 'userAgent'>,
  ): Promise<{ token: string; account: Account }>;
  /** Revokes the token. One that is unknown or revoked already is no error. */
  signOut(token: string): Promise<void>;
  /**
   * Who is behind the token, and the idle limit anew for the session, up to a week in all; null when it is unknown, expired or
   * revoked, or the account is disabled. What happens in the background gives a session no more time.
   */
  session(token: string, how?: { isBackground: boolean }): Promise<Session | null>;
  /** Throws `conflict` when the e-mail has an account, `bad_request` when the e-mail or the password will not do. */
  createAccount(account: NewAccount): Promise<{ id: string }>;
  /**
   * Uses a link, once: makes the account of a person who was invited, or sets the password of an account, whose sessions then end.
   * Throws `not_found` when the link is unknown, used or has expired, `bad_request` and `conflict` as `createAccount`.
   */
  useLink(
    use: { token: string; name?: string; password: string },
    by: Omit<Actor, 'actor'>,
  ): Promise<{ id: string; email: string }>;
  /** Ends the account's other sessions. Throws `WrongPassword` when the current one is not right, `bad_request` when the new one will not do. */
  changePassword(change: PasswordChange, by: Actor): Promise<void>;
  /** Throws `WrongPassword` when it is not the account's. */
  checkPassword(accountId: string, password: string): Promise<void>;
  secondFactors: SecondFactors;
  passkeys: Passkeys;
  /** Whether the account has one-time codes or a passkey. */
  hasSecondFactor(accountId: string): Promise<boolean>;
  findByEmail(email: string): Promise<Account | null>;
  /** Null for an account that is unknown or linked to no clinic. */
  clinicOf(accountId: string): Promise<string | null>;
  /**
   * An administrator's account of the clinic for the operator, which ends by itself and changes no account. Written to the audit, with
   * a task for the clinic's administrators. Returns its password, which is stored nowhere.
   */
  beginEmergency(access: {
    clinicId: string;
    reason: string;
    minutes: number;
  }): Promise<{ accountId: string; clinicId: string; email: string; password: string; endsAt: string }>;
  /** Drops what is remembered of a session, an account or a clinic's sessions, by its id; `*` drops everything. */
  invalidate(id: string): void;
  /** `invalidate` for a change notification; those of other tables are passed over. */
  forget(change: Change): void;
}

export interface SignIn {
  email: string;
  password: string;
  /** Of the second factor, where the account has one. */
  code?: string;
  ipAddress?: string;
  userAgent?: string;
  /** Whether they have signed in from there before: they do not wait behind strangers. */
  isKnown?: boolean;
}

export interface PasswordChange {
  accountId: string;
  clinicId: string | null;
  /** The one that goes on. */
  sessionId: string;
  password: string;
  newPassword: string;
}

export interface NewAccount {
  name: string;
  email: string;
  password: string;
  clinicId: string | null;
  role: Role;
}

const IDLE_MINUTES = 12 * 60;
/** However much it is used, a session ends a week after the password was given. */
const MAX_SESSION_SECONDS = 7 * 24 * 60 * 60;
/** The sliding life is written again once this much of it is used up, or a tenth of it, and not at every request. */
const RENEWAL_SECONDS = 15 * 60;

export function createAccounts({
  database,
  secret,
  secretKeys,
  publicUrl,
  idleMinutes = IDLE_MINUTES,
  clock = Date.now,
}: {
  database: Database;
  secret: string;
  /** Encrypt second factors. */
  secretKeys: KeyRing;
  publicUrl: string;
  /** A session that no person uses ends after so long. */
  idleMinutes?: number;
  clock?: () => number;
}): Accounts {
  const library = createLibrary({ database, secret, publicUrl, sessionSeconds: idleMinutes * 60 });
  const tokens = createTokens(secret);
  const cache = createSessionCache<Session & { isRenewalDue: boolean }>({ clock });
  const secondFactors = createSecondFactors({ database, secretKeys, clock });
  const passkeys = createPasskeys({ database, publicUrl });
  const { sql, transaction } = database;

  const hashOf = async (password: string) => (await library.$context).password.hash(password);

  /** The stored hash that the password is right for. Throws `WrongPassword`. */
  const rightHashOf = async (accountId: string, password: string) => {
    const [stored] = await sql<{ hash: string | null }>`
      select password as hash from accounts where user_id = ${accountId} and provider_id = 'credential'`;
    const hash = stored?.hash ?? null;
    const isRight = hash !== null && (await (await library.$context).password.verify({ hash, password }));
    if (!isRight) throw new WrongPassword();
    return hash;
  };

  /**
   * Null where the session that the library has just opened must not count. Who disables the account or sets its password waits for the locks,
   * or is waited for: a session is opened before, and ended with the others, or not at all. So does who sets up a second factor.
   */
  const admitted = (accountId: string, hash: string | null) =>
    transaction(async (tx) => {
      const [found] = await tx<{ isEmergency: boolean }>`
        select u.ends_at is not null as "isEmergency" from users u join accounts a on a.user_id = u.id and a.provider_id = 'credential'
        where u.id = ${accountId} and a.password = ${hash} and u.disabled_at is null and coalesce(u.ends_at > now(), true)
        for share`;
      return found ? { ...found, ...(await factorsOf(tx, accountId)) } : null;
    });

  const readAndRenew = async (key: string, isBackground: boolean) => {
    const idleSeconds = idleMinutes * 60;
    const renewalSeconds = Math.min(RENEWAL_SECONDS, idleSeconds / 10);
    const [row] = await sql<Omit<Session, 'role'> & { role: string; isRenewalDue: boolean }>`
      with live as (
        select s.id, u.id as account_id, u.clinic_id, u.role, u.email, u.name, u.ends_at is not null as is_emergency,
          s.expires_at < now() + make_interval(secs => ${idleSeconds - renewalSeconds}) as is_due,
          coalesce(c.requires_second_factor, false) and u.ends_at is null
            and not exists (select from second_factors f where f.user_id = u.id and f.confirmed_at is not null)
            and not exists (select from passkeys p where p.user_id = u.id) as needs_second_factor
        from sessions s join users u on u.id = s.user_id left join clinics c on c.id = u.clinic_id
        where s.token = ${key} and s.expires_at > now()
          and s.created_at > now() - make_interval(secs => ${MAX_SESSION_SECONDS})
          and u.disabled_at is null and coalesce(u.ends_at > now(), true)
      ), renewal as (
        update sessions s set expires_at = now() + make_interval(secs => ${idleSeconds}), updated_at = now()
        from live
        where s.id = live.id and live.is_due and not ${isBackground}::boolean
      )
      select id as "sessionId", account_id as "accountId", clinic_id as "clinicId", role, email, name,
        is_emergency as "isEmergency", needs_second_factor as "needsSecondFactor", is_due and ${isBackground}::boolean as "isRenewalDue" from live`;
    return row ? { ...row, role: toRole(row.role) } : null;
  };

  return {
    secondFactors,
    passkeys,

    async hasSecondFactor(accountId) {
      const { hasCodes, hasPasskey } = await factorsOf(sql, accountId);
      return hasCodes || hasPasskey;
    },

    async signIn({ email, password, code, ipAddress, userAgent, isKnown = false }) {
      const headers = new Headers({ [ADDRESS_HEADER]: ipAddress ?? '', 'user-agent': printable(userAgent ?? '') });
      const [before] = await sql<{ hash: string | null }>`
        select a.password as hash from users u join accounts a on a.user_id = u.id and a.provider_id = 'credential'
        where u.email = ${email.toLowerCase()}`.catch(refuseSignIn);
      const open = () => library.api.signInEmail({ body: { email, password }, headers });
      const { token, user } = await (isKnown ? hashedFirst(open) : open()).catch(refuseSignIn);
      let isEmergency = false;
      try {
        const found = await admitted(user.id, before?.hash ?? null);
        if (!found) throw wrongCredentials();
        isEmergency = found.isEmergency;
        if (found.hasCodes && code === undefined) throw new SecondFactorNeeded('code');
        if (found.hasCodes && code !== undefined) await secondFactors.use(user.id, code);
        if (found.hasPasskey && !found.hasCodes) throw new SecondFactorNeeded('passkey');
      } catch (error) {
        await sql`delete from sessions where token = ${token}`;
        throw error;
      }
      await removeExpiredSessions(database, user.id);
      const account = toAccount({ ...user, clinicId: user.clinicId ?? null });
      return { token: tokens.seal(token), account, isEmergency };
    },

    async signInByPasskey({ response, ipAddress, userAgent }) {
      const challenge = await passkeys.takeChallenge(response);
      const key = randomToken(24);
      const account = await transaction(async (tx) => {
        const { accountId } = await passkeys.verify(tx, response, challenge);
        await tx`
          insert into sessions (id, user_id, token, expires_at, ip_address, user_agent)
          values (${newId()}, ${accountId}, ${key}, now() + make_interval(mins => ${idleMinutes}), ${ipAddress ?? null},
            ${printable(userAgent ?? '')})`;
        const [found] = await tx<Omit<Account, 'role'> & { role: string }>`
          select id, email, name, role, clinic_id as "clinicId" from users where id = ${accountId}`;
        if (!found) throw new Error('an account that signs in must be there');
        return toAccount(found);
      });
      await removeExpiredSessions(database, account.id);
      return { token: tokens.seal(key), account };
    },

    async signOut(token) {
      const key = tokens.open(token);
      if (key === null) return;
      // Not through the library: it stays silent when the database cannot be reached, and the token would live on.
      await sql`delete from sessions where token = ${key}`;
      cache.drop(key);
    },

    async session(token, { isBackground } = { isBackground: false }) {
      const key = tokens.open(token);
      if (key === null) return null;
      const known = await cache.through(key, () => readAndRenew(key, isBackground));
      if (!known?.isRenewalDue || isBackground) return known;
      // Remembered from what happened in the background: a person is here now.
      cache.drop(key);
      return cache.through(key, () => readAndRenew(key, false));
    },

    async createAccount({ name, email, password, clinicId, role }) {
      await refuseUnusable({ name, email, password }, 'password');
      const hash = await hashOf(password);
      const create = transaction((tx) => insertAccount(tx, { name, email, hash, clinicId, role, endsAt: null }));
      return create.catch(refuseDuplicate);
    },

    async useLink({ token, name = '', password }, by) {
      const [link] = await sql<{ email: string; name: string | null; clinicName: string }>`
        select l.email, u.name, c.name as "clinicName"
        from account_links l join clinics c on c.id = l.clinic_id left join users u on u.id = l.user_id
        where l.hash = ${sha256Hex(token)} and l.expires_at > now()`;
      if (!link) throw deadLink();
      const { email, clinicName } = link;
      if (link.name === null && name.trim() === '') {
        throw new AppError('bad_request', 'name must not be empty', [{ path: 'name', message: 'must not be empty' }]);
      }
      await refuseUnusable({ name: link.name ?? name, email, password, clinicName }, 'password');
      const hash = await hashOf(password);
      const use = transaction(async (tx) => {
        const [used] = await tx<{ clinicId: string; userId: string | null; role: string | null }>`
          delete from account_links where hash = ${sha256Hex(token)} and expires_at > now()
          returning clinic_id as "clinicId", user_id as "userId", role`;
        if (!used) throw deadLink();
        const { clinicId, userId, role } = used;
        const id =
          userId ?? (await insertAccount(tx, { name, email, hash, clinicId, role: toRole(role), endsAt: null })).id;
        if (userId !== null) await setPassword(tx, { accountId: userId, hash });
        const action = userId === null ? 'account.accept-invitation' : 'account.set-password';
        await audit(tx, { ...by, actor: `account:${id}` }, { clinicId, action, subject: id });
        return { id, email };
      });
      return use.catch(refuseDuplicate);
    },

    async changePassword({ accountId, clinicId, sessionId, password, newPassword }, by) {
      const before = await rightHashOf(accountId, password);
      const [owner] = await sql<{ name: string; email: string; clinicName: string | null }>`
        select u.name, u.email, c.name as "clinicName" from users u left join clinics c on c.id = u.clinic_id where u.id = ${accountId}`;
      await refuseUnusable({ ...(owner ?? { name: '', email: '' }), password: newPassword }, 'newPassword');
      const hash = await hashOf(newPassword);
      await transaction(async (tx) => {
        await setPassword(tx, { accountId, hash, before, exceptSession: sessionId });
        if (clinicId !== null) await audit(tx, by, { clinicId, action: 'account.change-password', subject: accountId });
      });
    },

    async checkPassword(accountId, password) {
      await rightHashOf(accountId, password);
    },

    async findByEmail(email) {
      const [row] = await sql<Omit<Account, 'role'> & { role: string }>`
        select id, email, name, role, clinic_id as "clinicId" from users where email = ${email.toLowerCase()}`;
      return row ? toAccount(row) : null;
    },

    async clinicOf(accountId) {
      const [row] = await sql<{ clinicId: string | null }>`
        select clinic_id as "clinicId" from users where id = ${accountId}`;
      return row?.clinicId ?? null;
    },

    async beginEmergency({ clinicId, reason, minutes }) {
      const password = randomToken(18);
      const hash = await hashOf(password);
      const endsAt = new Date(clock() + minutes * 60_000);
      const email = `emergency-${newId()}@operator.invalid`;
      return transaction(async (tx) => {
        const person = { name: 'Emergency access', email, hash, clinicId, role: 'admin', endsAt } as const;
        const { id: accountId } = await insertAccount(tx, person);
        const detail = { reason, minutes, endsAt: endsAt.toISOString() };
        await audit(tx, { actor: 'operator' }, { clinicId, action: 'emergency.begin', subject: accountId, detail });
        await openTask(tx, { clinicId, reason: 'emergency_access', cause: `emergency:${accountId}`, detail });
        return { accountId, clinicId, email, password, endsAt: endsAt.toISOString() };
      });
    },

    invalidate: (id) => cache.drop(id),

    forget({ table, id }) {
      if (table === '*') cache.drop('*');
      if (table === 'sessions' || table === 'users' || table === 'clinics') cache.drop(id);
    },
  };
}

interface AccountRow {
  name: string;
  email: string;
  hash: string;
  clinicId: string | null;
  role: Role;
  endsAt: Date | null;
}

/** In the form that the library signs in by. */
async function insertAccount(
  tx: Sql,
  { name, email, hash, clinicId, role, endsAt }: AccountRow,
): Promise<{ id: string }> {
  const id = newId();
  await tx`
    insert into users (id, name, email, clinic_id, role, ends_at)
    values (${id}, ${name.trim()}, ${email.toLowerCase()}, ${clinicId}, ${role}, ${endsAt})`;
  await tx`
    insert into accounts (id, user_id, account_id, provider_id, password) values (${newId()}, ${id}, ${id}, 'credential', ${hash})`;
  return { id };
}

/** Ends the account's sessions, but for one, and what else would let somebody in. Throws where the password was changed meanwhile. */
async function setPassword(
  tx: Sql,
  {
    accountId,
    hash,
    before,
    exceptSession,
  }: { accountId: string; hash: string; before?: string; exceptSession?: string },
): Promise<void> {
  await tx`select id from users where id = ${accountId} for update`;
  const [changed] = await tx`
    update accounts set password = ${hash}, updated_at = now()
    where user_id = ${accountId} and provider_id = 'credential' and password = coalesce(${before ?? null}, password) returning id`;
  if (!changed) throw new AppError('conflict', 'The password was changed meanwhile');
  await tx`delete from sessions where user_id = ${accountId} and id <> coalesce(${exceptSession ?? null}, '')`;
  await tx`delete from account_links where user_id = ${accountId}`;
}

/** Carries the caller's address to the library, which reads addresses from headers only. */
const ADDRESS_HEADER = 'x-client-address';

/** better-auth: passwords, accounts and the rows of sessions. Its own HTTP surface is never mounted, so nobody signs up. */
function createLibrary({
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

/** Nobody asks for a session that ran out, so its account's next sign-in clears it away. */
const removeExpiredSessions = (database: Database, accountId: string) =>
  database.sql`delete from sessions where user_id = ${accountId} and expires_at <= now()`;

function refuseSignIn(error: unknown): never {
  if (isAPIError(error) && error.statusCode < 500) {
    throw wrongCredentials();
  }
  throw readable(error);
}

const wrongCredentials = () => new AppError('unauthorized', 'The e-mail or the password is wrong');

const deadLink = () =>
  new AppError('not_found', 'This link was used already, has expired, or was never made; ask for a new one');

async function refuseUnusable(
  { password, ...owner }: PasswordOwner & { password: string },
  field: string,
): Promise<void> {
  // The rule the library signs in by: an address it does not take could never be used.
  if (!z.email().safeParse(owner.email).success) throw new AppError('bad_request', 'email is not an e-mail address');
  await refuseWeakPassword(password, owner, field);
}

function refuseDuplicate(error: unknown): never {
  if (sqlState(error) === '23505') throw new AppError('conflict', 'An account with this e-mail exists already');
  throw readable(error);
}

function readable(error: unknown): unknown {
  if (whyDatabaseFailed(error)) return new AppError('unavailable', 'The accounts cannot be reached at the moment');
  return isAPIError(error) ? new Error('the sign-in failed', { cause: error }) : error;
}

const toAccount = ({ id, email, name, role, clinicId }: Omit<Account, 'role'> & { role: string }): Account => ({
  id,
  email,
  name,
  role: toRole(role),
  clinicId,
});

/** What is not known to be an admin is staff. */
const toRole = (role: string | null): Role => (role === 'admin' ? 'admin' : 'staff');

/** Header values hold no other characters; the text only tells a person which browser it was. */
const printable = (text: string) => text.replace(/[^\x20-\x7e]/g, '').slice(0, 500);

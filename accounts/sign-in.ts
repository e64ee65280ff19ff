import { newId, randomToken } from '@clinic/shared/crypto';
import { toAccountRole } from '@clinic/shared/domain/accounts/accounts';
import { AppError } from '@clinic/shared/errors';
import type { AuthenticationResponseJSON } from '@simplewebauthn/server';
import { factorsOf } from './account-factors';
import type { Database } from '@clinic/prisma/client';
import type { Sql } from '@clinic/prisma/sql';
import { hashedFirst } from './password-hashing';
import { PasskeyRefused } from './passkeys';
import type { Account, Session, RememberedSession, Context } from './context';
import { ADDRESS_HEADER, refuseSignIn, wrongCredentials } from './library';
import { toAccount, printable } from './account-rows';

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

/** The right password of an account whose clinic signs in by single sign-on alone. */
export class SingleSignOnNeeded extends AppError {
  constructor() {
    super('unauthorized', 'Your clinic signs in by its own identity provider: use “Sign in with your organisation”');
  }
}

/** However much it is used, a session ends a week after the password was given. */
const MAX_SESSION_SECONDS = 7 * 24 * 60 * 60;
/** The sliding life is written again once this much of it is used up, or a tenth of it, and not at every request. */
const RENEWAL_SECONDS = 15 * 60;

/**
 * Opens a session. An unknown e-mail and a wrong password are told apart neither by the answer nor by the time it takes; an
 * account that is disabled gets the same answer. Throws `SecondFactorNeeded` where the password is right and a code is missing, or
 * the account has passkeys and no codes.
 */
export async function signIn(
  context: Context,
  { email, password, code, ipAddress, userAgent, isKnown = false }: SignIn,
): Promise<{ token: string; account: Account; isEmergency: boolean }> {
  const { library, tokens, database } = context;
  const { sql } = database;
  const headers = new Headers({ [ADDRESS_HEADER]: ipAddress ?? '', 'user-agent': printable(userAgent ?? '') });
  const [before] = await sql<{ hash: string | null }>`
    select a.password as hash from users u join accounts a on a.user_id = u.id and a.provider_id = 'credential'
    where u.email = ${email.toLowerCase()}`.catch(refuseSignIn);
  const open = () => library.api.signInEmail({ body: { email, password }, headers });
  const { token, user } = await (isKnown ? hashedFirst(open) : open()).catch(refuseSignIn);
  const isEmergency = await passSecondFactor(context, user.id, { hash: before?.hash ?? null, code }).catch(
    async (error: unknown) => {
      await sql`delete from sessions where token = ${token}`;
      throw error;
    },
  );
  await removeExpiredSessions(database, user.id);
  const account = toAccount({ ...user, clinicId: user.clinicId ?? null });
  return { token: tokens.seal(token), account, isEmergency };
}

/** Whether it is emergency access. Throws where the account is not open, or its second factor is missing or wrong. */
async function passSecondFactor(
  context: Context,
  accountId: string,
  { hash, code }: { hash: string | null; code: string | undefined },
): Promise<boolean> {
  const found = await admitted(context, accountId, hash);
  if (!found) throw wrongCredentials();
  if (found.hasCodes && code === undefined) throw new SecondFactorNeeded('code');
  if (found.hasCodes && code !== undefined) await context.secondFactors.use(accountId, code);
  if (found.hasPasskey && !found.hasCodes) throw new SecondFactorNeeded('passkey');
  return found.isEmergency;
}

/**
 * Null where the session that the library has just opened must not count. Who disables the account or sets its password waits for the locks,
 * or is waited for: a session is opened before, and ended with the others, or not at all. So does who sets up a second factor.
 */
const admitted = ({ database: { transaction } }: Context, accountId: string, hash: string | null) =>
  transaction(async (tx) => {
    const [found] = await tx<{ isEmergency: boolean }>`
      select u.ends_at is not null as "isEmergency" from users u join accounts a on a.user_id = u.id and a.provider_id = 'credential'
      where u.id = ${accountId} and a.password = ${hash} and u.disabled_at is null and coalesce(u.ends_at > now(), true)
      for share`;
    if (found && (await isClosedButForSingleSignOn(tx, accountId))) throw new SingleSignOnNeeded();
    return found ? { ...found, ...(await factorsOf(tx, accountId)) } : null;
  });

/** Opens a session by a passkey, without a password. Throws `unauthorized`, as `PasskeyRefused` where it is known whose it is. */
export async function signInByPasskey(
  { database, passkeys, tokens, idleMinutes }: Context,
  {
    response,
    ipAddress,
    userAgent,
  }: { response: AuthenticationResponseJSON } & Pick<SignIn, 'ipAddress' | 'userAgent'>,
): Promise<{ token: string; account: Account }> {
  const challenge = await passkeys.takeChallenge(response);
  const opened = await database.transaction(async (tx) => {
    const { accountId } = await passkeys.verify(tx, response, challenge);
    if (await isClosedButForSingleSignOn(tx, accountId)) throw new PasskeyRefused(accountId);
    return openSession(tx, { accountId, idleMinutes, ipAddress, userAgent });
  });
  await removeExpiredSessions(database, opened.account.id);
  return { token: tokens.seal(opened.key), account: opened.account };
}

/** Opens a session of an account whose person is known, and locked. Returns its key. */
export async function openSession(
  tx: Sql,
  {
    accountId,
    idleMinutes,
    ipAddress,
    userAgent,
    vouched,
  }: {
    accountId: string;
    idleMinutes: number;
    /** By whom, where single sign-on opens it. */
    vouched?: { issuer: string; session: string | null; hasFactor: boolean };
  } & Pick<SignIn, 'ipAddress' | 'userAgent'>,
): Promise<{ key: string; account: Account }> {
  const key = randomToken(24);
  await tx`
    insert into sessions (id, user_id, token, expires_at, ip_address, user_agent, issuer, issuer_session, has_issuer_factor)
    values (${newId()}, ${accountId}, ${key}, now() + make_interval(mins => ${idleMinutes}), ${ipAddress ?? null},
      ${printable(userAgent ?? '')}, ${vouched?.issuer ?? null}, ${vouched?.session ?? null},
      ${vouched?.hasFactor ?? false})`;
  const [found] = await tx<Omit<Account, 'role'> & { role: string }>`
    select id, email, name, role, clinic_id as "clinicId" from users where id = ${accountId}`;
  if (!found) throw new Error('an account that signs in must be there');
  return { key, account: toAccount(found) };
}

/** Whether the account's clinic signs in by single sign-on alone; emergency access is let in always. Who switches it on waits, or is waited for. */
async function isClosedButForSingleSignOn(tx: Sql, accountId: string): Promise<boolean> {
  const [found] = await tx<{ isOnlyWay: boolean }>`
    select o.is_only_way as "isOnlyWay" from users u join single_sign_on o on o.clinic_id = u.clinic_id
    where u.id = ${accountId} and u.ends_at is null for share of o`;
  return found?.isOnlyWay ?? false;
}

/** Revokes the token. One that is unknown or revoked already is no error. */
export async function signOut({ tokens, cache, database: { sql } }: Context, token: string): Promise<void> {
  const key = tokens.open(token);
  if (key === null) return;
  // Not through the library: it stays silent when the database cannot be reached, and the token would live on.
  await sql`delete from sessions where token = ${key}`;
  cache.drop(key);
}

/**
 * Who is behind the token, and a fresh idle limit for the session, up to a week in all; null when it is unknown, expired or
 * revoked, or the account is disabled. What happens in the background gives a session no more time.
 */
export async function session(
  context: Context,
  token: string,
  { isBackground }: { isBackground: boolean } = { isBackground: false },
): Promise<Session | null> {
  const { tokens, cache } = context;
  const key = tokens.open(token);
  if (key === null) return null;
  const known = await cache.through(key, () => readAndRenew(context, key, isBackground));
  if (!known?.isRenewalDue || isBackground) return known;
  // Remembered from what happened in the background: a person is here now.
  cache.drop(key);
  return cache.through(key, () => readAndRenew(context, key, false));
}

async function readAndRenew(
  { database: { sql }, idleMinutes, freshMinutes, clock }: Context,
  key: string,
  isBackground: boolean,
): Promise<RememberedSession | null> {
  const idleSeconds = idleMinutes * 60;
  const renewalSeconds = Math.min(RENEWAL_SECONDS, idleSeconds / 10);
  const [row] = await sql<
    Omit<Session, 'role' | 'freshUntil'> & { role: string; isRenewalDue: boolean; freshMs: number }
  >`
    with live as (
      select s.id, extract(epoch from s.proved_at + make_interval(mins => ${freshMinutes}) - now())::float8 * 1000 as fresh_ms, u.id as account_id, u.clinic_id, u.role, u.email, u.name, u.ends_at is not null as is_emergency,
        s.expires_at < now() + make_interval(secs => ${idleSeconds - renewalSeconds}) as is_due,
        coalesce(c.requires_second_factor, false) and u.ends_at is null and not s.has_issuer_factor
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
      is_emergency as "isEmergency", needs_second_factor as "needsSecondFactor", fresh_ms as "freshMs", is_due and ${isBackground}::boolean as "isRenewalDue" from live`;
  if (!row) return null;
  const { freshMs, ...found } = row;
  return { ...found, role: toAccountRole(row.role), freshUntil: clock() + freshMs };
}

/** Nobody asks for a session that ran out, so its account's next sign-in clears it away. */
export const removeExpiredSessions = (database: Database, accountId: string) =>
  database.sql`delete from sessions where user_id = ${accountId} and expires_at <= now()`;

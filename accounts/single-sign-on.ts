import { randomToken, sha256Hex } from '@clinic/shared/crypto';
import { type Role, toRole } from '@clinic/shared/domain/accounts/accounts';
import { domainOf, type SignOnRefusal, signOnRefusals } from '@clinic/shared/domain/accounts/single-sign-on';
import { AppError } from '@clinic/shared/errors';
import type { Sql } from '@clinic/prisma/sql';
import { keepAnAdmin } from '@clinic/prisma/stores/accounts/staff';
import { type Actor, audit } from '@clinic/prisma/stores/operations/audit';
import { tellOfFactors } from './account-factors';
import { insertAccount } from './account-rows';
import type { Account, Context } from './context';
import { openSession, removeExpiredSessions, type SignIn } from './sign-in';

/** What an identity provider vouches for, with what the clinic's settings make of it. */
export interface SignOnPerson {
  issuer: string;
  subject: string;
  email: string | null;
  isEmailVerified: boolean;
  name: string | null;
  /** The identity provider's own session. */
  session: string | null;
  /** In seconds since 1970; null where it does not say. */
  authenticatedAt: number | null;
  hasFactor: boolean;
}

/** Somebody whom the identity provider knows, and who is not let in. */
export class SignOnRefused extends AppError {
  constructor(
    readonly reason: SignOnRefusal,
    readonly accountId: string | null = null,
  ) {
    super('forbidden', signOnRefusals[reason]);
  }
}

const LIFE_MINUTES = 10;
/** By how much the identity provider's clock may be behind. */
const CLOCKS_DIFFER_MS = 60_000;

interface Attempt {
  state: string;
  /** What the browser keeps. */
  key: string;
  nonce: string;
  verifier: string;
}

/** Somebody leaves for the identity provider: to sign in, or, in a session, to prove once more who they are. */
export async function beginSignOn(
  { database: { sql } }: Context,
  { clinicId, sessionId }: { clinicId: string; sessionId: string | null },
): Promise<Attempt> {
  const attempt = { state: randomToken(), key: randomToken(), nonce: randomToken(), verifier: randomToken() };
  const { state, key, nonce, verifier } = attempt;
  await sql`
    delete from single_sign_on_attempts where hash in (
      select hash from single_sign_on_attempts where expires_at <= now() limit 100 for update skip locked)`;
  await sql`
    insert into single_sign_on_attempts (hash, clinic_id, browser_hash, nonce, verifier, session_id, expires_at)
    values (${sha256Hex(state)}, ${clinicId}, ${sha256Hex(key)}, ${nonce}, ${verifier}, ${sessionId},
      now() + make_interval(mins => ${LIFE_MINUTES}))`;
  return attempt;
}

/** Uses up an attempt, whatever comes of it. Throws `unauthorized` where it is none, was used, is too old or was begun elsewhere. */
export async function takeSignOn(
  { database: { sql } }: Context,
  { clinicId, sessionId, state, key }: { clinicId: string; sessionId: string | null; state: string; key: string },
): Promise<{ nonce: string; verifier: string; beganAt: Date }> {
  const [taken] = await sql<{
    nonce: string;
    verifier: string;
    beganAt: Date;
    browserHash: string;
    sessionId: string | null;
    isLate: boolean;
  }>`
    delete from single_sign_on_attempts where hash = ${sha256Hex(state)} and clinic_id = ${clinicId}
    returning nonce, verifier, began_at as "beganAt", browser_hash as "browserHash", session_id as "sessionId",
      expires_at <= now() as "isLate"`;
  const isTheirs = taken?.browserHash === sha256Hex(key) && taken.sessionId === sessionId;
  if (!taken || !isTheirs || taken.isLate) {
    throw new AppError('unauthorized', 'This sign-in was used already, took too long, or was begun elsewhere');
  }
  const { nonce, verifier, beganAt } = taken;
  return { nonce, verifier, beganAt };
}

interface LettingIn {
  clinicId: string;
  /** Domains that are confirmed for the clinic. */
  domains: readonly string[];
  person: SignOnPerson;
  /** `asked`: what a claim says, null for nobody's; `unasked`: the dashboard gives roles, this one to whoever is new. */
  role: { asked: Role | null } | { unasked: Role | null };
}

/**
 * Opens a session for whom the identity provider vouches for: of the account that is theirs, or has their address, or is made now.
 * Throws `SignOnRefused`.
 */
export async function signInBySignOn(
  { database, tokens, idleMinutes }: Context,
  { ipAddress, userAgent, ...given }: LettingIn & Pick<SignIn, 'ipAddress' | 'userAgent'>,
  by: Omit<Actor, 'actor'>,
): Promise<{ token: string; account: Account }> {
  const { issuer, session, hasFactor } = given.person;
  const opened = await database.transaction(async (tx) => {
    const accountId = await accountFor(tx, given, by);
    const vouched = { issuer, session, hasFactor };
    return openSession(tx, { accountId, idleMinutes, ipAddress, userAgent, vouched });
  });
  await removeExpiredSessions(database, opened.account.id);
  return { token: tokens.seal(opened.key), account: opened.account };
}

/** The account of a person, locked, with the role that is theirs now. */
async function accountFor(tx: Sql, given: LettingIn, by: Omit<Actor, 'actor'>): Promise<string> {
  const { clinicId, person } = given;
  const { issuer, subject } = person;
  // Two first sign-ins of one person take turns.
  await tx`select pg_advisory_xact_lock(hashtextextended(${`single-sign-on:${clinicId}:${issuer}:${subject}`}, 0))`;
  const email = addressOf(given);
  const known = (await theirs(tx, given)) ?? (await byAddress(tx, given, email, by));
  if (known && !known.isOpen) throw new SignOnRefused('disabled', known.id);
  const role = 'asked' in given.role ? given.role.asked : (toRoleOf(known) ?? given.role.unasked);
  if (role === null) throw new SignOnRefused('no_role', known?.id ?? null);
  if (!known) return newAccount(tx, { clinicId, person, email, role }, by);
  await refuseWithoutFactor(tx, clinicId, person, known.id);
  if (known.role !== role) await changeRole(tx, { clinicId, accountId: known.id, role }, by);
  return known.id;
}

interface Known {
  id: string;
  role: string;
  isOpen: boolean;
}

const toRoleOf = (known: Known | null): Role | null => (known ? toRole(known.role) : null);

/** Verified, and of a domain of the clinic. */
function addressOf({ domains, person: { email, isEmailVerified } }: LettingIn): string {
  if (email === null) throw new SignOnRefused('no_email');
  if (!isEmailVerified) throw new SignOnRefused('email_not_verified');
  if (!domains.includes(domainOf(email) ?? '')) throw new SignOnRefused('foreign_domain');
  return email;
}

async function theirs(tx: Sql, { clinicId, person: { issuer, subject } }: LettingIn): Promise<Known | null> {
  const [found] = await tx<Known>`
    select u.id, u.role, u.disabled_at is null and u.ends_at is null as "isOpen"
    from single_sign_on_people p join users u on u.id = p.user_id and u.clinic_id = p.clinic_id
    where p.clinic_id = ${clinicId} and p.issuer = ${issuer} and p.subject = ${subject} for update of u`;
  return found ?? null;
}

/** The clinic's account with this address becomes theirs, unless it is somebody else's. */
async function byAddress(
  tx: Sql,
  { clinicId, person }: LettingIn,
  email: string,
  by: Omit<Actor, 'actor'>,
): Promise<Known | null> {
  const [found] = await tx<Known & { isOfClinic: boolean; isLinked: boolean }>`
    select u.id, u.role, u.disabled_at is null and u.ends_at is null as "isOpen",
      u.clinic_id is not distinct from ${clinicId} as "isOfClinic",
      exists (select from single_sign_on_people p where p.user_id = u.id and p.issuer = ${person.issuer}) as "isLinked"
    from users u where u.email = ${email} for update of u`;
  if (!found) return null;
  // Whose it is is for its own clinic's audit alone.
  if (!found.isOfClinic) throw new SignOnRefused('other_clinic');
  if (found.isLinked) throw new SignOnRefused('another_person', found.id);
  await link(tx, { clinicId, person, accountId: found.id });
  await audit(tx, { ...by, actor: `account:${found.id}` }, { clinicId, action: 'account.link', subject: found.id });
  return found;
}

const link = (
  tx: Sql,
  { clinicId, person, accountId }: { clinicId: string; person: SignOnPerson; accountId: string },
) => tx`
  insert into single_sign_on_people (clinic_id, issuer, subject, user_id)
  values (${clinicId}, ${person.issuer}, ${person.subject}, ${accountId})`;

/** Without a password. An invitation of the person is used up by it. */
async function newAccount(
  tx: Sql,
  { clinicId, person, email, role }: { clinicId: string; person: SignOnPerson; email: string; role: Role },
  by: Omit<Actor, 'actor'>,
): Promise<string> {
  await refuseWithoutFactor(tx, clinicId, person, null);
  const name = person.name ?? email.replace(/@.*$/, '');
  const { id } = await insertAccount(tx, { name, email, hash: null, clinicId, role, endsAt: null });
  await tx`delete from account_links where clinic_id = ${clinicId} and email = ${email}`;
  await link(tx, { clinicId, person, accountId: id });
  const detail = { by: 'single-sign-on', role };
  await audit(tx, { ...by, actor: `account:${id}` }, { clinicId, action: 'account.create', subject: id, detail });
  return id;
}

async function refuseWithoutFactor(
  tx: Sql,
  clinicId: string,
  { hasFactor }: SignOnPerson,
  accountId: string | null,
): Promise<void> {
  // Who comes to require one waits, or is waited for.
  const [clinic] = await tx<{ isRequired: boolean }>`
    select requires_second_factor as "isRequired" from clinics where id = ${clinicId} for share`;
  if (clinic?.isRequired && !hasFactor) throw new SignOnRefused('no_factor', accountId);
}

/** The clinic's last administrator stays one, whatever the identity provider says. */
async function changeRole(
  tx: Sql,
  { clinicId, accountId, role }: { clinicId: string; accountId: string; role: Role },
  by: Omit<Actor, 'actor'>,
): Promise<void> {
  if (role !== 'admin') {
    const isKept = await keepAnAdmin(tx, clinicId, accountId).catch((error: unknown) => {
      if (error instanceof AppError && error.code === 'conflict') return true;
      throw error;
    });
    if (isKept) return;
  }
  await tx`update users set role = ${role}, updated_at = now() where clinic_id = ${clinicId} and id = ${accountId}`;
  const detail = { role, by: 'single-sign-on' };
  const actor = `account:${accountId}`;
  await audit(tx, { ...by, actor }, { clinicId, action: 'account.change-role', subject: accountId, detail });
}

/** From now on the session counts as fresh, where the identity provider has asked its person since `beganAt`. Throws `SignOnRefused`. */
export async function proveBySignOn(
  { database: { transaction }, cache }: Context,
  {
    clinicId,
    accountId,
    sessionId,
    person: { issuer, subject, authenticatedAt },
    beganAt,
  }: { clinicId: string; accountId: string; sessionId: string; person: SignOnPerson; beganAt: Date },
  by: Actor,
): Promise<void> {
  if (authenticatedAt === null || authenticatedAt * 1_000 < beganAt.getTime() - CLOCKS_DIFFER_MS) {
    throw new SignOnRefused('not_fresh', accountId);
  }
  await transaction(async (tx) => {
    const [proved] = await tx`
      update sessions s set proved_at = now() from single_sign_on_people p
      where s.id = ${sessionId} and s.user_id = ${accountId} and s.issuer = ${issuer}
        and p.clinic_id = ${clinicId} and p.issuer = ${issuer} and p.subject = ${subject} and p.user_id = s.user_id
      returning s.id`;
    if (!proved) throw new SignOnRefused('not_the_same', accountId);
    await tellOfFactors(tx, accountId);
    const detail = { by: 'single-sign-on' };
    await audit(tx, by, { clinicId, action: 'session.step-up', subject: accountId, detail });
  });
  cache.drop(sessionId);
}

/**
 * The identity provider says that somebody signed out: their sessions of it end, or those of its one session. Returns how many; null
 * where this notice was used before.
 */
export const endSignOn = (
  { database: { transaction } }: Context,
  {
    clinicId,
    issuer,
    notice: { jti, endsAt, subject, session },
  }: {
    clinicId: string;
    issuer: string;
    notice: { jti: string; endsAt: Date; subject: string | null; session: string | null };
  },
  by: Omit<Actor, 'actor'>,
): Promise<string[] | null> =>
  transaction(async (tx) => {
    await tx`delete from single_sign_on_logouts where clinic_id = ${clinicId} and ends_at < now()`;
    const [isFirst] = await tx`
      insert into single_sign_on_logouts (clinic_id, jti_hash, ends_at)
      values (${clinicId}, ${sha256Hex(jti)}, ${endsAt}) on conflict do nothing returning clinic_id`;
    if (!isFirst) return null;
    const ended = await tx<{ id: string; accountId: string }>`
      delete from sessions s using users u
      where s.user_id = u.id and u.clinic_id = ${clinicId} and s.issuer = ${issuer}
        and (${session}::text is null or s.issuer_session = ${session})
        and (${subject}::text is null or exists (
          select from single_sign_on_people p
          where p.clinic_id = ${clinicId} and p.issuer = ${issuer} and p.subject = ${subject} and p.user_id = u.id))
      returning s.id, u.id as "accountId"`;
    for (const accountId of new Set(ended.map((each) => each.accountId))) {
      const sessions = ended.filter((each) => each.accountId === accountId).length;
      const detail = { by: 'back-channel-logout', sessions };
      await audit(
        tx,
        { ...by, actor: 'identity-provider' },
        { clinicId, action: 'session.end-all', subject: accountId, detail },
      );
    }
    return ended.map(({ id }) => id);
  });

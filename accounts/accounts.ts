import type { AuthenticationResponseJSON } from '@simplewebauthn/server';
import { bound } from '@clinic/prisma/bound';
import { newId, randomToken, sha256Hex } from '@clinic/shared/crypto';
import { type AccountRole, toAccountRole } from '@clinic/shared/domain/accounts/accounts';
import { AppError } from '@clinic/shared/errors';
import { z } from 'zod';
import { factorsOf, tellOfFactors } from './account-factors';
import type { Change } from '@clinic/prisma/changes';
import { type PasswordOwner, refuseWeakPassword } from './password-rules';
import { type Sql, sqlState } from '@clinic/prisma/sql';
import { type Actor, audit } from '@clinic/prisma/stores/operations/audit';
import { openTask } from '@clinic/prisma/stores/tasks/tasks';
import { type Account, type Context, type AccountsOptions, contextOf } from './context';
import { readable } from './library';
import { signIn, signInByPasskey, signOut, session } from './sign-in';
import { insertAccount, toAccount } from './account-rows';
import { beginSignOn, endSignOn, proveBySignOn, signInBySignOn, takeSignOn } from './single-sign-on';

/** Of somebody who is signed in; not `unauthorized`, which would say that their session has ended. */
export class WrongProof extends AppError {
  constructor(path: keyof Proof = 'password') {
    super('bad_request', `The ${path} is wrong`, [{ path, message: 'is wrong' }]);
  }
}

/** What somebody proves by who they are; a password alone where the account has no second factor. */
export interface Proof {
  password?: string;
  code?: string;
  passkey?: AuthenticationResponseJSON;
}

/** `sso`: by the identity provider of the clinic, which asks them once more. */
export type StepUpWay = keyof Proof | 'sso';
const stepUpWays = ['passkey', 'code', 'sso', 'password'] as const satisfies StepUpWay[];

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
  role: AccountRole;
}

/** The people who use the dashboard, and their sessions. The library behind it shows neither in answers nor in errors. */
export function createAccounts(options: AccountsOptions) {
  const context = contextOf(options);
  const { secondFactors, passkeys } = context;
  return {
    secondFactors,
    passkeys,
    ...bound(context, {
      hasSecondFactor,
      stepUpBy,
      stepUp,
      signIn,
      signInByPasskey,
      beginSignOn,
      takeSignOn,
      signInBySignOn,
      proveBySignOn,
      endSignOn,
      signOut,
      session,
      createAccount,
      useLink,
      changePassword,
      checkPassword,
      findByEmail,
      clinicOf,
      beginEmergency,
      invalidate,
      forget,
    }),
  };
}

export type Accounts = ReturnType<typeof createAccounts>;

/** Whether the account has one-time codes or a passkey, or its identity provider said that it used a second factor. */
async function hasSecondFactor(
  { database: { sql } }: Context,
  { accountId, sessionId }: { accountId: string; sessionId: string },
): Promise<boolean> {
  const { hasCodes, hasPasskey } = await factorsOf(sql, accountId);
  return hasCodes || hasPasskey || ((await vouchedFor(sql, sessionId))?.hasFactor ?? false);
}

/** By what the person of a session proves who they are, the strongest first. */
async function stepUpBy(
  { database: { sql } }: Context,
  { accountId, sessionId }: { accountId: string; sessionId: string },
): Promise<StepUpWay[]> {
  const { hasCodes, hasPasskey } = await factorsOf(sql, accountId);
  const isVouchedFor = (await vouchedFor(sql, sessionId)) !== null;
  const ways: Record<StepUpWay, boolean> = {
    passkey: hasPasskey,
    code: hasCodes,
    sso: isVouchedFor,
    password: !isVouchedFor && !hasCodes && !hasPasskey,
  };
  return stepUpWays.filter((way) => ways[way]);
}

/** What single sign-on said of a session that it opened; null for any other. */
async function vouchedFor(sql: Sql, sessionId: string): Promise<{ hasFactor: boolean } | null> {
  const [found] = await sql<{ hasFactor: boolean }>`
    select has_issuer_factor as "hasFactor" from sessions where id = ${sessionId} and issuer is not null`;
  return found ?? null;
}

/** From now on the session counts as fresh for minutes. Throws `WrongProof`, also for one that does not count for this account. */
async function stepUp(
  context: Context,
  { accountId, clinicId, sessionId, proof }: Omit<PasswordChange, 'password' | 'newPassword'> & { proof: Proof },
  by: Actor,
): Promise<void> {
  const [path = 'password'] = (['password', 'code', 'passkey'] as const).filter((each) => proof[each] !== undefined);
  if (!(await stepUpBy(context, { accountId, sessionId })).includes(path)) throw new WrongProof(path);
  const wrong = (error: unknown): never => {
    throw error instanceof AppError && error.code === 'unauthorized' ? new WrongProof(path) : error;
  };
  const { password, code, passkey } = proof;
  if (password !== undefined) await checkPassword(context, accountId, password);
  if (code !== undefined) await context.secondFactors.use(accountId, code).catch(wrong);
  const challenge = passkey && (await context.passkeys.takeChallenge(passkey).catch(wrong));
  await context.database.transaction(async (tx) => {
    if (passkey && challenge !== undefined) {
      const shown = await context.passkeys.verify(tx, passkey, challenge).catch(wrong);
      if (shown.accountId !== accountId) throw new WrongProof('passkey');
    }
    await tx`update sessions set proved_at = now() where id = ${sessionId} and user_id = ${accountId}`;
    await tellOfFactors(tx, accountId);
    if (clinicId !== null) await audit(tx, by, { clinicId, action: 'session.step-up', subject: accountId });
  });
  context.cache.drop(sessionId);
}

/** Throws `conflict` when the e-mail has an account, `bad_request` when the e-mail or the password will not do. */
async function createAccount(
  context: Context,
  { name, email, password, clinicId, role }: NewAccount,
): Promise<{ id: string }> {
  await refuseUnusable({ name, email, password }, 'password');
  const hash = await hashOf(context, password);
  const create = context.database.transaction((tx) =>
    insertAccount(tx, { name, email, hash, clinicId, role, endsAt: null }),
  );
  return create.catch(refuseDuplicate);
}

/**
 * Uses a link, once: makes the account of a person who was invited, or sets the password of an account, whose sessions then end.
 * Throws `not_found` when the link is unknown, used or has expired, `bad_request` and `conflict` as `createAccount`.
 */
async function useLink(
  context: Context,
  { token, name = '', password }: { token: string; name?: string; password: string },
  by: Omit<Actor, 'actor'>,
): Promise<{ id: string; email: string }> {
  const { sql, transaction } = context.database;
  const [link] = await sql<{ email: string; name: string | null; clinicName: string | null }>`
    select l.email, u.name, c.name as "clinicName"
    from account_links l left join clinics c on c.id = l.clinic_id left join users u on u.id = l.user_id
    where l.hash = ${sha256Hex(token)} and l.expires_at > now()`;
  if (!link) throw deadLink();
  const { email, clinicName } = link;
  if (link.name === null && name.trim() === '') {
    throw new AppError('bad_request', 'name must not be empty', [{ path: 'name', message: 'must not be empty' }]);
  }
  await refuseUnusable({ name: link.name ?? name, email, password, clinicName }, 'password');
  const hash = await hashOf(context, password);
  const use = transaction(async (tx) => {
    const [used] = await tx<{ clinicId: string | null; userId: string | null; role: string | null }>`
      delete from account_links where hash = ${sha256Hex(token)} and expires_at > now()
      returning clinic_id as "clinicId", user_id as "userId", role`;
    if (!used) throw deadLink();
    const { clinicId, userId, role } = used;
    const id =
      userId ?? (await insertAccount(tx, { name, email, hash, clinicId, role: toAccountRole(role), endsAt: null })).id;
    if (userId !== null) await setPassword(tx, { accountId: userId, hash });
    const action = userId === null ? 'account.accept-invitation' : 'account.set-password';
    if (clinicId !== null) await audit(tx, { ...by, actor: `account:${id}` }, { clinicId, action, subject: id });
    return { id, email };
  });
  return use.catch(refuseDuplicate);
}

/** Ends the account's other sessions. Throws `WrongProof` when the current one is not right, `bad_request` when the new one will not do. */
async function changePassword(
  context: Context,
  { accountId, clinicId, sessionId, password, newPassword }: PasswordChange,
  by: Actor,
): Promise<void> {
  const { sql, transaction } = context.database;
  const before = await rightHashOf(context, accountId, password);
  const [owner] = await sql<{ name: string; email: string; clinicName: string | null }>`
    select u.name, u.email, c.name as "clinicName" from users u left join clinics c on c.id = u.clinic_id where u.id = ${accountId}`;
  await refuseUnusable({ ...(owner ?? { name: '', email: '' }), password: newPassword }, 'newPassword');
  const hash = await hashOf(context, newPassword);
  await transaction(async (tx) => {
    await setPassword(tx, { accountId, hash, before, exceptSession: sessionId });
    if (clinicId !== null) await audit(tx, by, { clinicId, action: 'account.change-password', subject: accountId });
  });
}

/** Throws `WrongProof` when it is not the account's. */
async function checkPassword(context: Context, accountId: string, password: string): Promise<void> {
  await rightHashOf(context, accountId, password);
}

/** The stored hash that the password is right for. Throws `WrongProof`. */
async function rightHashOf(
  { library, database: { sql } }: Context,
  accountId: string,
  password: string,
): Promise<string> {
  const [stored] = await sql<{ hash: string | null }>`
    select password as hash from accounts where user_id = ${accountId} and provider_id = 'credential'`;
  const hash = stored?.hash ?? null;
  const isRight = hash !== null && (await (await library.$context).password.verify({ hash, password }));
  if (!isRight) throw new WrongProof();
  return hash;
}

async function findByEmail({ database: { sql } }: Context, email: string): Promise<Account | null> {
  const [row] = await sql<Omit<Account, 'role'> & { role: string }>`
    select id, email, name, role, clinic_id as "clinicId" from users where email = ${email.toLowerCase()}`;
  return row ? toAccount(row) : null;
}

/** Null for an account that is unknown or linked to no clinic. */
async function clinicOf({ database: { sql } }: Context, accountId: string): Promise<string | null> {
  const [row] = await sql<{ clinicId: string | null }>`
    select clinic_id as "clinicId" from users where id = ${accountId}`;
  return row?.clinicId ?? null;
}

/**
 * An administrator's account of the clinic for the operator, which ends by itself and changes no account. Written to the audit, with
 * a task for the clinic's administrators. Returns its password, which is stored nowhere.
 */
async function beginEmergency(
  context: Context,
  { clinicId, reason, minutes }: { clinicId: string; reason: string; minutes: number },
): Promise<{ accountId: string; clinicId: string; email: string; password: string; endsAt: string }> {
  const password = randomToken(18);
  const hash = await hashOf(context, password);
  const endsAt = new Date(context.clock() + minutes * 60_000);
  const email = `emergency-${newId()}@operator.invalid`;
  return context.database.transaction(async (tx) => {
    const person = { name: 'Emergency access', email, hash, clinicId, role: 'admin', endsAt } as const;
    const { id: accountId } = await insertAccount(tx, person);
    const detail = { reason, minutes, endsAt: endsAt.toISOString() };
    await audit(tx, { actor: 'operator' }, { clinicId, action: 'emergency.begin', subject: accountId, detail });
    await openTask(tx, {
      clinicId,
      reason: 'emergency_access',
      cause: `emergency:${accountId}`,
      detail: { ...detail, actor: `account:${accountId}` },
    });
    return { accountId, clinicId, email, password, endsAt: endsAt.toISOString() };
  });
}

/** Drops what is remembered of a session, an account or a clinic's sessions, by its id; `*` drops everything. */
const invalidate = ({ cache }: Context, id: string): void => cache.drop(id);

/** `invalidate` for a change notification; those of other tables are passed over. */
function forget({ cache }: Context, { table, id }: Change): void {
  if (table === '*') cache.drop('*');
  if (table === 'sessions' || table === 'users' || table === 'clinics') cache.drop(id);
}

const hashOf = async ({ library }: Context, password: string): Promise<string> =>
  (await library.$context).password.hash(password);

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
    where user_id = ${accountId} and provider_id = 'credential' and password is not distinct from coalesce(${before ?? null}, password) returning id`;
  if (!changed) throw new AppError('conflict', 'The password was changed meanwhile');
  await tx`delete from sessions where user_id = ${accountId} and id <> coalesce(${exceptSession ?? null}, '')`;
  await tx`delete from account_links where user_id = ${accountId}`;
}

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

import { createOTP } from '@better-auth/utils/otp';
import type { KeyRing } from '@clinic/shared/config';
import { constantTimeEqual, decrypt, encrypt, randomToken, sha256Hex } from '@clinic/shared/crypto';
import { AppError } from '@clinic/shared/errors';
import { endSessionsOfPassword, factorsOf, lockAccount, tellOfFactors } from './account-factors';
import { bound } from '@clinic/prisma/bound';
import type { Database } from '@clinic/prisma/client';
import type { Sql } from '@clinic/prisma/sql';
import { type Actor, audit } from '@clinic/prisma/stores/operations/audit';

/** What an authenticator needs to make codes; shown once. */
export interface NewSecondFactor {
  /** An `otpauth:` URL, for a QR code; it holds the secret. */
  url: string;
  /** The secret as it is typed by hand, base32. */
  secret: string;
}

interface Whose {
  accountId: string;
  clinicId: string | null;
}

const ISSUER = 'Clinic workflows';
const STEP_MS = 30_000;
/** Clocks differ, and people type: the code of the half minute before and that of the next are right too. */
const STEPS = [0, -1, 1];
const BACKUP_CODES = 10;
/** After so many wrong codes none is taken for a while. */
const MAX_FAILURES = 5;
const LOCK_MINUTES = 15;

interface Context {
  database: Database;
  secretKeys: KeyRing;
  clock: () => number;
}

/** Time-based one-time codes (RFC 6238: SHA-1, six digits, half a minute), and backup codes for who has lost the authenticator. */
export const createSecondFactors = (context: Context) =>
  bound(context, { backupCodesLeft, begin, confirm, use, remove, removeAll });

/** How many backup codes are left; null where no second factor is confirmed. */
async function backupCodesLeft({ database: { sql } }: Context, accountId: string): Promise<number | null> {
  const [found] = await sql<{ left: number }>`
    select coalesce(cardinality(backup_codes), 0) as left from second_factors
    where user_id = ${accountId} and confirmed_at is not null`;
  return found?.left ?? null;
}

/** A new secret that counts once it is confirmed. Throws `conflict` where one is confirmed already. */
async function begin(
  { database: { sql }, secretKeys }: Context,
  { accountId, email }: { accountId: string; email: string },
): Promise<NewSecondFactor> {
  const secret = randomToken(20);
  const sealed = encrypt(secretKeys, secret, sealingOf(accountId));
  const [begun] = await sql`
    insert into second_factors as f (user_id, secret) values (${accountId}, ${sealed})
    on conflict (user_id) do update set secret = excluded.secret, failures = 0 where f.confirmed_at is null
    returning f.user_id`;
  if (!begun) throw new AppError('conflict', 'This account has a second factor already; remove it first');
  const url = createOTP(secret).url(ISSUER, email);
  return { url, secret: new URL(url).searchParams.get('secret') ?? '' };
}

/**
 * From now on the account needs a code; as its first factor it ends the account's other sessions. Returns the backup codes, which are
 * stored nowhere. Throws `bad_request` where the code is wrong.
 */
const confirm = (
  { database: { transaction }, secretKeys, clock }: Context,
  { accountId, clinicId, sessionId, code }: Whose & { sessionId: string; code: string },
  by: Actor,
): Promise<string[]> =>
  transaction(async (tx) => {
    await lockAccount(tx, accountId);
    const [begun] = await tx<{ secret: string; lastStep: string }>`
      select secret, last_step::text as "lastStep" from second_factors
      where user_id = ${accountId} and confirmed_at is null for update`;
    if (!begun) throw new AppError('conflict', 'No second factor waits to be confirmed');
    const secret = decrypt(secretKeys, begun.secret, sealingOf(accountId));
    const step = await stepOf(secret, { code: digitsOf(code), after: BigInt(begun.lastStep), now: clock() });
    if (step === null) {
      const details = [{ path: 'code', message: 'is not the code that your authenticator shows now' }];
      throw new AppError('bad_request', 'code is not the one that your authenticator shows now', details);
    }
    const codes = Array.from({ length: BACKUP_CODES }, newBackupCode);
    await endSessionsOfPassword(tx, { accountId, sessionId, before: await factorsOf(tx, accountId) });
    await tx`
      update second_factors set confirmed_at = now(), last_step = ${step}, failures = 0,
        backup_codes = ${codes.map((each) => hashOf(accountId, each))}::text[]
      where user_id = ${accountId}`;
    await tellOfFactors(tx, accountId);
    if (clinicId !== null) await audit(tx, by, { clinicId, action: 'second-factor.enable', subject: accountId });
    return codes;
  });

/** Uses a code, once. Throws `unauthorized` where it is wrong or was used, `too_many_requests` after several wrong ones. */
async function use(context: Context, accountId: string, code: string): Promise<void> {
  const result = await context.database.transaction((tx) => tried(context, tx, accountId, code));
  if (result === 'locked') {
    throw new AppError('too_many_requests', 'Too many wrong codes; try again in a quarter of an hour');
  }
  if (result === 'wrong') {
    const details = [{ path: 'code', message: 'is wrong, or was used already' }];
    throw new AppError('unauthorized', 'The code is wrong, or was used already', details);
  }
}

async function tried(
  { secretKeys, clock }: Context,
  tx: Sql,
  accountId: string,
  code: string,
): Promise<'right' | 'wrong' | 'locked'> {
  const [factor] = await tx<{ secret: string; lastStep: string; backupCodes: string[]; isLocked: boolean }>`
    select secret, last_step::text as "lastStep", coalesce(backup_codes, '{}') as "backupCodes",
      failures >= ${MAX_FAILURES} and coalesce(failed_at > now() - make_interval(mins => ${LOCK_MINUTES}), false) as "isLocked"
    from second_factors where user_id = ${accountId} and confirmed_at is not null for update`;
  // Removed meanwhile: the password alone is right.
  if (!factor) return 'right';
  if (factor.isLocked) return 'locked';
  const secret = decrypt(secretKeys, factor.secret, sealingOf(accountId));
  const step = await stepOf(secret, { code: digitsOf(code), after: BigInt(factor.lastStep), now: clock() });
  const left = factor.backupCodes.filter((each) => !constantTimeEqual(each, hashOf(accountId, code)));
  if (step === null && left.length === factor.backupCodes.length) {
    await tx`
      update second_factors set failed_at = now(),
        failures = case when coalesce(failed_at > now() - make_interval(mins => ${LOCK_MINUTES}), false) then failures + 1 else 1 end
      where user_id = ${accountId}`;
    return 'wrong';
  }
  await tx`
    update second_factors set failures = 0, last_step = coalesce(${step}::bigint, last_step), backup_codes = ${left}::text[]
    where user_id = ${accountId}`;
  return 'right';
}

/** False where there is none. Passkeys stay. */
const remove = ({ database: { transaction } }: Context, whose: Whose, by: Actor): Promise<boolean> =>
  transaction(async (tx) => {
    await lockAccount(tx, whose.accountId);
    return removeCodes(tx, whose, by);
  });

/** For who has lost them: the codes and every passkey. False where there are none. */
const removeAll = ({ database: { transaction } }: Context, whose: Whose, by: Actor): Promise<boolean> =>
  transaction(async (tx) => {
    const { accountId, clinicId } = whose;
    await lockAccount(tx, accountId);
    const hadCodes = await removeCodes(tx, whose, by);
    const passkeys = await tx<{ id: string }>`
      delete from passkeys p using users u
      where p.user_id = ${accountId} and u.id = p.user_id and u.clinic_id is not distinct from ${clinicId} returning p.id`;
    if (passkeys.length > 0) await tellOfFactors(tx, accountId);
    for (const { id: passkeyId } of passkeys) {
      if (clinicId === null) break;
      await audit(tx, by, { clinicId, action: 'passkey.remove', subject: accountId, detail: { passkeyId } });
    }
    return hadCodes || passkeys.length > 0;
  });

/** The half minute whose code this is, if it is later than `after`; null where it is none. */
async function stepOf(
  secret: string,
  { code, after, now }: { code: string; after: bigint; now: number },
): Promise<number | null> {
  const current = Math.floor(now / STEP_MS);
  for (const step of STEPS.map((each) => current + each)) {
    if (step > after && constantTimeEqual(await oneTimeCode(secret, step), code)) return step;
  }
  return null;
}

/** What the secret of an account is sealed for. */
const sealingOf = (accountId: string) => `${accountId}/second-factor`;

async function removeCodes(tx: Sql, { accountId, clinicId }: Whose, by: Actor): Promise<boolean> {
  const [removed] = await tx<{ isConfirmed: boolean }>`
    delete from second_factors f using users u
    where f.user_id = ${accountId} and u.id = f.user_id and u.clinic_id is not distinct from ${clinicId}
    returning f.confirmed_at is not null as "isConfirmed"`;
  if (!removed?.isConfirmed) return false;
  await tellOfFactors(tx, accountId);
  if (clinicId !== null) await audit(tx, by, { clinicId, action: 'second-factor.remove', subject: accountId });
  return true;
}

/** The six digits of a half minute, counted since 1970 (RFC 6238). */
export const oneTimeCode = (secret: string, step: number): Promise<string> => createOTP(secret).hotp(step);

const digitsOf = (code: string): string => code.replaceAll(/\D/g, '');

/** 80 bits in four groups, of letters and digits that nobody takes for each other. */
function newBackupCode(): string {
  const letters = 'abcdefghijkmnpqrstuvwxyz23456789';
  const picked = [...Buffer.from(randomToken(16), 'base64url')].map((byte) => letters[byte % letters.length]);
  return [0, 4, 8, 12].map((at) => picked.slice(at, at + 4).join('')).join('-');
}

const hashOf = (accountId: string, code: string): string =>
  sha256Hex(`${accountId}:${code.toLowerCase().replaceAll(/[^a-z0-9]/g, '')}`);

import type { Sql } from '@clinic/prisma/sql';

/** What an account has beside its password. */
export interface AccountFactors {
  /** One-time codes, confirmed. */
  hasCodes: boolean;
  hasPasskey: boolean;
}

/** Locks the account, so that who adds or removes a factor, and who signs in, take turns. */
export async function lockAccount(tx: Sql, accountId: string): Promise<void> {
  await tx`select id from users where id = ${accountId} for update`;
}

export async function factorsOf(sql: Sql, accountId: string): Promise<AccountFactors> {
  const [found] = await sql<{ hasCodes: boolean; hasPasskey: boolean }>`
    select exists (select from second_factors where user_id = ${accountId} and confirmed_at is not null) as "hasCodes",
      exists (select from passkeys where user_id = ${accountId}) as "hasPasskey"`;
  return { hasCodes: found?.hasCodes ?? false, hasPasskey: found?.hasPasskey ?? false };
}

/**
 * After the first factor of an account: whatever else its password alone has opened ends. From then on each of its sessions was
 * opened with a factor, or is the one that has set it up.
 */
export async function endSessionsOfPassword(
  tx: Sql,
  { accountId, sessionId, before }: { accountId: string; sessionId: string; before: AccountFactors },
): Promise<void> {
  if (before.hasCodes || before.hasPasskey) return;
  await tx`delete from sessions where user_id = ${accountId} and id <> ${sessionId}`;
}

/** Every process asks again what the account may do. */
export async function tellOfFactors(tx: Sql, accountId: string): Promise<void> {
  await tx`update users set updated_at = now() where id = ${accountId}`;
}

import type { Sql } from '@clinic/prisma/sql';
import { newId } from '@clinic/shared/crypto';
import { type AccountRole, toAccountRole } from '@clinic/shared/domain/accounts/accounts';
import type { Account } from './context';

export const toAccount = ({ id, email, name, role, clinicId }: Omit<Account, 'role'> & { role: string }): Account => ({
  id,
  email,
  name,
  role: toAccountRole(role),
  clinicId,
});

/** Header values hold no other characters; the text only tells a person which browser it was. */
export const printable = (text: string) => text.replace(/[^\x20-\x7e]/g, '').slice(0, 500);

interface AccountRow {
  name: string;
  email: string;
  /** Of the password; null for an account that has none. */
  hash: string | null;
  clinicId: string | null;
  role: AccountRole;
  endsAt: Date | null;
}

/** In the form that the library signs in by. */
export async function insertAccount(
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

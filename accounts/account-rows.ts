import { toRole } from '@clinic/shared/domain/accounts/accounts';
import type { Account } from './context';

export const toAccount = ({ id, email, name, role, clinicId }: Omit<Account, 'role'> & { role: string }): Account => ({
  id,
  email,
  name,
  role: toRole(role),
  clinicId,
});

/** Header values hold no other characters; the text only tells a person which browser it was. */
export const printable = (text: string) => text.replace(/[^\x20-\x7e]/g, '').slice(0, 500);

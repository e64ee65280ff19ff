import { bound } from '../../bound';
import type { Database } from '../../client';
import { type Actor, audit } from '../operations/audit';

/** A session that is open, without its key. */
export interface AccountSessionRecord {
  id: string;
  createdAt: Date;
  /** When a person last used it, to a quarter of an hour. */
  usedAt: Date;
  expiresAt: Date;
  address: string | null;
  userAgent: string | null;
}

/** Of whom, and of which clinic; null for an account without one. */
interface Whose {
  clinicId: string | null;
  accountId: string;
}

export const createAccountSessionStores = (database: Database) => bound(database, { list, end, endAll });

/** Those that are open, the one that was used last first. */
const list = (
  { sql }: Database,
  { clinicId, accountId }: Whose,
): Promise<AccountSessionRecord[]> => sql<AccountSessionRecord>`
  select s.id, s.created_at as "createdAt", s.updated_at as "usedAt", s.expires_at as "expiresAt", s.ip_address as address,
    s.user_agent as "userAgent"
  from sessions s join users u on u.id = s.user_id
  where u.id = ${accountId} and u.clinic_id is not distinct from ${clinicId} and s.expires_at > now()
  order by s.updated_at desc, s.id desc limit 200`;

/** False when the account has no such session. */
const end = (
  { transaction }: Database,
  { clinicId, accountId, sessionId }: Whose & { sessionId: string },
  by: Actor,
): Promise<boolean> =>
  transaction(async (tx) => {
    const [ended] = await tx`
      delete from sessions s using users u
      where s.id = ${sessionId} and s.user_id = u.id and u.id = ${accountId}
        and u.clinic_id is not distinct from ${clinicId} returning s.id`;
    if (ended && clinicId !== null) {
      await audit(tx, by, { clinicId, action: 'session.end', subject: accountId, detail: { sessionId } });
    }
    return ended !== undefined;
  });

/** Ends all of them. Returns how many there were. */
const endAll = ({ transaction }: Database, { clinicId, accountId }: Whose, by: Actor): Promise<number> =>
  transaction(async (tx) => {
    const ended = await tx`
      delete from sessions s using users u
      where s.user_id = u.id and u.id = ${accountId} and u.clinic_id is not distinct from ${clinicId} returning s.id`;
    if (ended.length > 0 && clinicId !== null) {
      await audit(tx, by, {
        clinicId,
        action: 'session.end-all',
        subject: accountId,
        detail: { sessions: ended.length },
      });
    }
    return ended.length;
  });

import { newId, sha256Hex } from '@clinic/shared/crypto';
import type { AccountLinkKind, Role } from '@clinic/shared/domain/accounts/accounts';
import { AppError } from '@clinic/shared/errors';
import { bound } from '../../bound';
import type { Database } from '../../client';
import type { Sql } from '../../sql';
import { type Actor, audit } from '../operations/audit';
import { type NewSecret, refuseGone, tokenOf } from './keys';

const LIFE_HOURS = 72;
/** Open ones that a clinic may have. */
const MAX_INVITATIONS = 200;

/** A link as it is made; its token is stored nowhere. */
export interface NewAccountLink {
  id: string;
  email: string;
  token: string;
  expiresAt: Date;
}

export interface InvitationRecord {
  id: string;
  email: string;
  role: string;
  createdAt: Date;
  expiresAt: Date;
}

/** What a token opens. */
export interface AccountLinkRecord {
  id: string;
  kind: AccountLinkKind;
  /** Null for an operator, who belongs to none. */
  clinicName: string | null;
  email: string;
  /** Of the account whose password is set; null for somebody who is invited. */
  name: string | null;
  expiresAt: Date;
}

export const createAccountLinkStores = (database: Database) =>
  bound(database, { invite, invitations, withdraw, reset, find });

/** A link by which a person makes their account, once, within 72 hours. One for this e-mail before it counts no more. */
const invite = (
  { transaction }: Database,
  {
    clinicId,
    email: given,
    role,
  }: ({ clinicId: string; role: Role } | { clinicId: null; role: 'operator' }) & { email: string },
  by: Actor,
  made?: NewSecret | null,
): Promise<NewAccountLink> =>
  transaction(async (tx) => {
    const { id, email, token } = { id: made?.id ?? newId(), email: given.toLowerCase(), token: tokenOf(made) };
    // One after the other within a clinic, so that the count holds.
    await tx`select pg_advisory_xact_lock(hashtextextended(${`account-links:${clinicId}`}, 0))`;
    const before = await madeBefore(tx, clinicId, made);
    if (before) return before;
    const [known] =
      await tx`select id from users where clinic_id is not distinct from ${clinicId} and email = ${email}`;
    if (known) throw new AppError('conflict', 'This person has an account of the clinic already');
    await tx`delete from account_links where clinic_id is not distinct from ${clinicId} and expires_at <= now()`;
    const [open] = await tx<{ count: number }>`
      select count(*)::int4 as count from account_links where clinic_id is not distinct from ${clinicId} and kind = 'invitation'`;
    if ((open?.count ?? 0) >= MAX_INVITATIONS) {
      throw new AppError('conflict', `There are ${MAX_INVITATIONS} open invitations; withdraw some first`);
    }
    await tx`delete from account_links where clinic_id is not distinct from ${clinicId} and kind = 'invitation' and email = ${email}`;
    const [link] = await tx<{ expiresAt: Date }>`
      insert into account_links (id, clinic_id, kind, email, role, hash, expires_at)
      values (${id}, ${clinicId}, 'invitation', ${email}, ${role}, ${sha256Hex(token)}, now() + make_interval(hours => ${LIFE_HOURS}))
      returning expires_at as "expiresAt"`;
    if (clinicId !== null) {
      await audit(tx, by, { clinicId, action: 'account.invite', subject: id, detail: { email, role } });
    }
    if (!link) throw new Error('an invitation must be made');
    return { id, email, token, expiresAt: link.expiresAt };
  });

/** The invitations that are open, newest first. */
const invitations = ({ sql }: Database, clinicId: string): Promise<InvitationRecord[]> => sql<InvitationRecord>`
  select id, email, coalesce(role, 'staff') as role, created_at as "createdAt", expires_at as "expiresAt" from account_links
  where clinic_id = ${clinicId} and kind = 'invitation' and expires_at > now() order by created_at desc, id desc`;

/** False when the clinic has no such invitation. */
const withdraw = ({ transaction }: Database, clinicId: string, id: string, by: Actor): Promise<boolean> =>
  transaction(async (tx) => {
    const [withdrawn] = await tx`
      delete from account_links where clinic_id = ${clinicId} and id = ${id} and kind = 'invitation' returning id`;
    if (withdrawn) await audit(tx, by, { clinicId, action: 'account.withdraw-invitation', subject: id });
    return withdrawn !== undefined;
  });

/** A link by which the person sets a new password; null when the clinic has no such account. Throws `conflict` where it is disabled. */
const reset = (
  { transaction }: Database,
  { clinicId, id: userId }: { clinicId: string | null; id: string },
  by: Actor,
  made?: NewSecret | null,
): Promise<NewAccountLink | null> =>
  transaction(async (tx) => {
    const [account] = await tx<{ email: string; isOpen: boolean }>`
      select email, disabled_at is null and ends_at is null as "isOpen" from users
      where clinic_id is not distinct from ${clinicId} and id = ${userId} for update`;
    if (!account) return null;
    const { email, isOpen } = account;
    if (!isOpen) throw new AppError('conflict', 'This account is disabled, or ends by itself');
    const before = await madeBefore(tx, clinicId, made);
    if (before) return before;
    const { id, token } = { id: made?.id ?? newId(), token: tokenOf(made) };
    await tx`delete from account_links where clinic_id is not distinct from ${clinicId} and kind = 'reset' and email = ${email}`;
    const [link] = await tx<{ expiresAt: Date }>`
      insert into account_links (id, clinic_id, kind, email, user_id, hash, expires_at)
      values (${id}, ${clinicId}, 'reset', ${email}, ${userId}, ${sha256Hex(token)}, now() + make_interval(hours => ${LIFE_HOURS}))
      returning expires_at as "expiresAt"`;
    if (clinicId !== null) await audit(tx, by, { clinicId, action: 'account.reset', subject: userId });
    if (!link) throw new Error('a reset must be made');
    return { id, email, token, expiresAt: link.expiresAt };
  });

/** The link that the same request made; null where it makes one now. */
async function madeBefore(
  tx: Sql,
  clinicId: string | null,
  made: NewSecret | null | undefined,
): Promise<NewAccountLink | null> {
  if (!made) return null;
  const [found] = await tx<Omit<NewAccountLink, 'token'>>`
    select id, email, expires_at as "expiresAt" from account_links
    where clinic_id is not distinct from ${clinicId} and id = ${made.id} and expires_at > now()`;
  if (!found) refuseGone(made);
  return found ? { ...found, token: tokenOf(made) } : null;
}

/** What a token opens now; null when it is unknown, used or has expired. */
async function find({ sql }: Database, token: string): Promise<AccountLinkRecord | null> {
  const [found] = await sql<Omit<AccountLinkRecord, 'kind'> & { kind: string }>`
    select l.id, l.kind, c.name as "clinicName", l.email, u.name, l.expires_at as "expiresAt"
    from account_links l left join clinics c on c.id = l.clinic_id left join users u on u.id = l.user_id
    where l.hash = ${sha256Hex(token)} and l.expires_at > now()`;
  return found ? { ...found, kind: found.kind === 'reset' ? 'reset' : 'invitation' } : null;
}

import type { Role } from '@clinic/shared/domain/accounts/accounts';
import { AppError } from '@clinic/shared/errors';
import { bound } from '../../bound';
import type { Database } from '../../client';
import type { Sql } from '../../sql';
import { type Actor, audit } from '../operations/audit';

/** A person who works for the clinic, as others see them. */
export interface StaffRecord {
  id: string;
  name: string;
  email: string;
  role: string;
  /** Whether it may sign in: neither disabled nor over. */
  isOpen: boolean;
}

/** The same, as administrators see them. */
export interface AccountRecord extends Omit<StaffRecord, 'isOpen'> {
  createdAt: Date;
  disabledAt: Date | null;
  /** Of emergency access, which ends by itself. */
  endsAt: Date | null;
  hasSecondFactor: boolean;
  /** How many sessions are open. */
  sessions: number;
}

/** Fewer open accounts with the role admin than this, and nobody could change a clinic's settings. */
const LAST = 1;

export const createStaffStores = (database: Database) =>
  bound(database, { list, find, accounts, changeRole, disable, enable, secondFactorRule, requireSecondFactor });

const list = ({ sql }: Database, clinicId: string): Promise<StaffRecord[]> => sql<StaffRecord>`
  select id, name, email, role, disabled_at is null and coalesce(ends_at > now(), true) as "isOpen"
  from users where clinic_id = ${clinicId} order by name, id limit 500`;

/** Null when the clinic has no such account. */
async function find({ sql }: Database, clinicId: string, id: string): Promise<StaffRecord | null> {
  const [found] = await sql<StaffRecord>`
    select id, name, email, role, disabled_at is null and coalesce(ends_at > now(), true) as "isOpen"
    from users where clinic_id = ${clinicId} and id = ${id}`;
  return found ?? null;
}

/** With what administrators see, by name; of operators, who belong to no clinic, for null. */
const accounts = ({ sql }: Database, clinicId: string | null): Promise<AccountRecord[]> => sql<AccountRecord>`
  select u.id, u.name, u.email, u.role, u.created_at as "createdAt", u.disabled_at as "disabledAt", u.ends_at as "endsAt",
    (exists (select from second_factors f where f.user_id = u.id and f.confirmed_at is not null)
      or exists (select from passkeys p where p.user_id = u.id)) as "hasSecondFactor",
    (select count(*) from sessions s where s.user_id = u.id and s.expires_at > now())::int4 as sessions
  from users u where u.clinic_id is not distinct from ${clinicId} and (u.role = 'operator') = (${clinicId}::text is null)
  order by u.name, u.id limit 500`;

/**
 * False when the clinic has no such account. Throws `conflict` where it would leave the clinic without an administrator. Also
 * under changes at once the clinic keeps one.
 */
const changeRole = (
  { transaction }: Database,
  { clinicId, id, role }: { clinicId: string; id: string; role: Role },
  by: Actor,
): Promise<boolean> =>
  transaction(async (tx) => {
    if (role !== 'admin') await keepAnAdmin(tx, clinicId, id);
    const [found] = await tx<{ role: string }>`
      select role from users where clinic_id = ${clinicId} and id = ${id} for update`;
    if (!found || found.role === role) return found !== undefined;
    await tx`update users set role = ${role}, updated_at = now() where clinic_id = ${clinicId} and id = ${id}`;
    await audit(tx, by, { clinicId, action: 'account.change-role', subject: id, detail: { role } });
    return true;
  });

/** Ends its sessions too. Throws as `changeRole`; an account that is disabled already stays as it is. */
const disable = (
  { transaction }: Database,
  { clinicId, id }: { clinicId: string | null; id: string },
  by: Actor,
): Promise<boolean> =>
  transaction(async (tx) => {
    if (clinicId !== null) await keepAnAdmin(tx, clinicId, id);
    const [found] = await tx<{ isOpen: boolean }>`
      select disabled_at is null as "isOpen" from users where clinic_id is not distinct from ${clinicId} and id = ${id} for update`;
    if (!found?.isOpen) return found !== undefined;
    await tx`update users set disabled_at = now(), updated_at = now() where clinic_id is not distinct from ${clinicId} and id = ${id}`;
    await tx`delete from sessions where user_id = ${id}`;
    await tx`delete from account_links where clinic_id is not distinct from ${clinicId} and user_id = ${id}`;
    if (clinicId !== null) await audit(tx, by, { clinicId, action: 'account.disable', subject: id });
    return true;
  });

const enable = (
  { transaction }: Database,
  { clinicId, id }: { clinicId: string | null; id: string },
  by: Actor,
): Promise<boolean> =>
  transaction(async (tx) => {
    const [found] = await tx<{ isOpen: boolean }>`
      select disabled_at is null as "isOpen" from users where clinic_id is not distinct from ${clinicId} and id = ${id} for update`;
    if (!found || found.isOpen) return found !== undefined;
    await tx`update users set disabled_at = null, updated_at = now() where clinic_id is not distinct from ${clinicId} and id = ${id}`;
    if (clinicId !== null) await audit(tx, by, { clinicId, action: 'account.enable', subject: id });
    return true;
  });

/** Whether the clinic requires a second factor of everybody, and how many open accounts have none. */
async function secondFactorRule(
  { sql }: Database,
  clinicId: string,
): Promise<{ isRequired: boolean; withoutOne: number }> {
  const [found] = await sql<{ isRequired: boolean; withoutOne: number }>`
    select c.requires_second_factor as "isRequired",
      (select count(*) from users u
        where u.clinic_id = c.id and u.disabled_at is null and u.ends_at is null
          and not exists (select from single_sign_on o where o.clinic_id = c.id and o.is_only_way)
          and not exists (select from second_factors f where f.user_id = u.id and f.confirmed_at is not null)
          and not exists (select from passkeys p where p.user_id = u.id))::int4 as "withoutOne"
    from clinics c where c.id = ${clinicId}`;
  return { isRequired: found?.isRequired ?? false, withoutOne: found?.withoutOne ?? 0 };
}

/** Counts for the sessions that are open too, in every process: those of single sign-on that no second factor opened end. */
const requireSecondFactor = (
  { transaction }: Database,
  { clinicId, isRequired }: { clinicId: string; isRequired: boolean },
  by: Actor,
): Promise<void> =>
  transaction(async (tx) => {
    const [found] = await tx<{ isRequired: boolean }>`
      select requires_second_factor as "isRequired" from clinics where id = ${clinicId} for update`;
    if (!found || found.isRequired === isRequired) return;
    await tx`update clinics set requires_second_factor = ${isRequired} where id = ${clinicId}`;
    if (isRequired) {
      await tx`
        delete from sessions s using users u
        where s.user_id = u.id and u.clinic_id = ${clinicId} and s.issuer is not null and not s.has_issuer_factor`;
    }
    const action = isRequired ? 'second-factor.require' : 'second-factor.stop-requiring';
    await audit(tx, by, { clinicId, action, subject: clinicId });
  });

/** Throws where this account is the clinic's last administrator. Locks them all, so that two do not disable each other. */
export async function keepAnAdmin(tx: Sql, clinicId: string, id: string): Promise<void> {
  const admins = await tx<{ id: string }>`
    select id from users
    where clinic_id = ${clinicId} and role = 'admin' and disabled_at is null and ends_at is null
    order by id for update`;
  if (admins.length > LAST || !admins.some((admin) => admin.id === id)) return;
  throw new AppError('conflict', 'This is the last administrator of the clinic; make somebody else one first');
}

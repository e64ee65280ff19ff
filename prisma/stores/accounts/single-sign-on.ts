import type { KeyRing } from '@clinic/shared/config';
import { isSameOrigin } from '@clinic/shared/contracts/events/target-url';
import { decrypt, encrypt } from '@clinic/shared/crypto';
import type { Role } from '@clinic/shared/domain/accounts/accounts';
import { type RoleRule, roleOrNull } from '@clinic/shared/domain/accounts/single-sign-on';
import { AppError } from '@clinic/shared/errors';
import { bound } from '../../bound';
import type { Database } from '../../client';
import type { Sql } from '../../sql';
import { type Actor, audit } from '../operations/audit';

/** How a clinic's people sign in by its identity provider, without its secret. */
export interface SingleSignOnRecord {
  issuer: string;
  clientId: string;
  hasClientSecret: boolean;
  roleClaim: string | null;
  roleRules: RoleRule[];
  defaultRole: Role | null;
  factorAcrs: string[];
  isOnlyWay: boolean;
  /** When something was changed that decides whether anybody gets in. */
  changedAt: Date;
  domains: { domain: string; isConfirmed: boolean }[];
}

/** As it is used to sign somebody in. */
export type SingleSignOn = Omit<SingleSignOnRecord, 'hasClientSecret' | 'changedAt' | 'domains'> & {
  clinicId: string;
  clientSecret: string | null;
};

/** As it is entered; a secret that is undefined stays as it is. */
export type SingleSignOnSettings = Pick<
  SingleSignOnRecord,
  'issuer' | 'clientId' | 'roleClaim' | 'roleRules' | 'defaultRole' | 'factorAcrs'
> & { clientSecret?: string | null; domains: string[] };

interface Context {
  database: Database;
  secretKeys: KeyRing;
}

interface Row {
  issuer: string;
  clientId: string;
  clientSecret: string | null;
  roleClaim: string | null;
  roleRules: unknown;
  defaultRole: string | null;
  factorAcrs: string[];
  isOnlyWay: boolean;
  changedAt: Date;
}

/** Single sign-on of clinics: its settings, and whose domains they are. */
export const createSingleSignOnStores = (database: Database, secretKeys: KeyRing) =>
  bound(
    { database, secretKeys },
    { find, usable, set, remove, setOnlyWay, clinicOfDomain, domains, unconfirmed, confirm, unlink },
  );

const sealingOf = (clinicId: string) => `${clinicId}/single-sign-on`;

const row = async (sql: Sql, clinicId: string): Promise<Row | null> => {
  const [found] = await sql<Row>`
    select issuer, client_id as "clientId", client_secret as "clientSecret", role_claim as "roleClaim",
      role_rules as "roleRules", default_role as "defaultRole", factor_acrs as "factorAcrs", is_only_way as "isOnlyWay",
      changed_at as "changedAt"
    from single_sign_on where clinic_id = ${clinicId}`;
  return found ?? null;
};

/** Null where none is set. */
async function find({ database: { sql } }: Context, clinicId: string): Promise<SingleSignOnRecord | null> {
  const [found, entered] = await Promise.all([row(sql, clinicId), domainsOf(sql, clinicId)]);
  if (!found) return null;
  const { clientSecret, roleRules, defaultRole, ...rest } = found;
  return {
    ...rest,
    hasClientSecret: clientSecret !== null,
    roleRules: roleRules as RoleRule[],
    defaultRole: roleOrNull(defaultRole),
    domains: entered,
  };
}

/** With its secret; null where none is set. */
async function usable({ database: { sql }, secretKeys }: Context, clinicId: string): Promise<SingleSignOn | null> {
  const found = await row(sql, clinicId);
  if (!found) return null;
  const { issuer, clientId, clientSecret, roleClaim, roleRules, defaultRole, factorAcrs, isOnlyWay } = found;
  return {
    clinicId,
    issuer,
    clientId,
    clientSecret: clientSecret === null ? null : decrypt(secretKeys, clientSecret, sealingOf(clinicId)),
    roleClaim,
    roleRules: roleRules as RoleRule[],
    defaultRole: roleOrNull(defaultRole),
    factorAcrs,
    isOnlyWay,
  };
}

const domainsOf = (sql: Sql, clinicId: string) => sql<{ domain: string; isConfirmed: boolean }>`
  select domain, confirmed_at is not null as "isConfirmed"
  from single_sign_on_domains where clinic_id = ${clinicId} order by domain`;

/** Whose people sign in by single sign-on, of domains that the operator has confirmed. */
async function domains({ database: { sql } }: Context, clinicId: string): Promise<string[]> {
  const entered = await domainsOf(sql, clinicId);
  return entered.filter(({ isConfirmed }) => isConfirmed).map(({ domain }) => domain);
}

/**
 * A domain that is new waits for the operator, and keeps no other clinic from entering it. Throws `conflict` for one that is
 * confirmed for another clinic, and, where single sign-on is the only way in, for any change but that of the secret.
 */
const set = (
  { database: { transaction }, secretKeys }: Context,
  clinicId: string,
  settings: SingleSignOnSettings,
  by: Actor,
): Promise<void> =>
  transaction(async (tx) => {
    const { issuer, clientId, clientSecret, roleClaim, roleRules, defaultRole, factorAcrs } = settings;
    await tx`select pg_advisory_xact_lock(hashtextextended(${`single-sign-on:${clinicId}`}, 0))`;
    // Nobody makes it the only way in meanwhile.
    await tx`select clinic_id from single_sign_on where clinic_id = ${clinicId} for update`;
    const [before, entered] = [await row(tx, clinicId), await domainsOf(tx, clinicId)];
    const wanted = [...new Set(settings.domains)].toSorted();
    const now = { issuer, clientId, roleClaim, roleRules, defaultRole, factorAcrs };
    const isSame =
      before !== null &&
      JSON.stringify(now) === JSON.stringify(decidingOf(before)) &&
      JSON.stringify(wanted) === JSON.stringify(entered.map(({ domain }) => domain));
    if (!isSame && before?.isOnlyWay) throw onlyWay();
    const isKept = clientSecret === undefined && before !== null && isSameOrigin(before.issuer, issuer);
    const secret = clientSecret ? encrypt(secretKeys, clientSecret, sealingOf(clinicId)) : null;
    await tx`
      insert into single_sign_on as s (clinic_id, issuer, client_id, client_secret, role_claim, role_rules, default_role,
        factor_acrs)
      values (${clinicId}, ${issuer}, ${clientId}, ${secret}, ${roleClaim}, ${JSON.stringify(roleRules)}::jsonb,
        ${defaultRole}, ${factorAcrs}::text[])
      on conflict (clinic_id) do update set issuer = excluded.issuer, client_id = excluded.client_id,
        client_secret = case when ${isKept}::boolean then s.client_secret else excluded.client_secret end,
        role_claim = excluded.role_claim, role_rules = excluded.role_rules, default_role = excluded.default_role,
        factor_acrs = excluded.factor_acrs, updated_at = now(),
        changed_at = case when ${isSame}::boolean then s.changed_at else now() end`;
    await enterDomains(tx, clinicId, wanted);
    const detail = { host: new URL(issuer).host, isSecretNew: !isKept, roleClaim, domains: wanted };
    await audit(tx, by, { clinicId, action: 'single-sign-on.change', detail });
  });

/** In one order, so that what is the same is seen to be. */
function decidingOf({ issuer, clientId, roleClaim, roleRules, defaultRole, factorAcrs }: Row) {
  const rules = (roleRules as RoleRule[]).map(({ value, role }) => ({ value, role }));
  return { issuer, clientId, roleClaim, roleRules: rules, defaultRole, factorAcrs };
}

async function enterDomains(tx: Sql, clinicId: string, wanted: string[]): Promise<void> {
  const [held] = await tx<{ domain: string }>`
    select domain from single_sign_on_domains
    where clinic_id <> ${clinicId} and domain = any (${wanted}::text[]) and confirmed_at is not null limit 1`;
  if (held) throw new AppError('conflict', `The domain ${held.domain} is another clinic's`);
  await tx`
    delete from single_sign_on_domains where clinic_id = ${clinicId} and not domain = any (${wanted}::text[])`;
  await tx`
    insert into single_sign_on_domains (clinic_id, domain) select ${clinicId}, unnest(${wanted}::text[])
    on conflict (clinic_id, domain) do nothing`;
}

/** False where there was none. Throws `conflict` where it is the only way in. */
const remove = ({ database: { transaction } }: Context, clinicId: string, by: Actor): Promise<boolean> =>
  transaction(async (tx) => {
    const before = await row(tx, clinicId);
    if (before?.isOnlyWay) throw onlyWay();
    const [removed] = await tx`
      delete from single_sign_on where clinic_id = ${clinicId} and not is_only_way returning clinic_id`;
    if (!removed) return false;
    await tx`
      delete from sessions s using users u
      where s.user_id = u.id and u.clinic_id = ${clinicId} and s.issuer is not null`;
    await audit(tx, by, { clinicId, action: 'single-sign-on.remove' });
    return true;
  });

/**
 * Whether single sign-on is the only way in; then whatever else has opened a session of the clinic ends, an identity provider of
 * before too, save emergency access.
 * A person switches it on in a session that single sign-on, as it is set now, has opened: so it is known to work. Throws `conflict`
 * otherwise, and where none is set.
 */
const setOnlyWay = (
  { database: { transaction } }: Context,
  { clinicId, isOnlyWay, sessionId }: { clinicId: string; isOnlyWay: boolean; sessionId: string | null },
  by: Actor,
): Promise<void> =>
  transaction(async (tx) => {
    const [before] = await tx<{ isOnlyWay: boolean; changedAt: Date; issuer: string }>`
      select is_only_way as "isOnlyWay", changed_at as "changedAt", issuer
      from single_sign_on where clinic_id = ${clinicId} for update`;
    if (!before) throw new AppError('conflict', 'Single sign-on is not set up');
    if (before.isOnlyWay === isOnlyWay) return;
    if (isOnlyWay) {
      const [proof] = await tx`
        select s.id from sessions s join users u on u.id = s.user_id
        where s.id = ${sessionId} and u.clinic_id = ${clinicId} and s.issuer = ${before.issuer}
          and s.created_at >= ${before.changedAt}`;
      if (!proof) {
        throw new AppError(
          'conflict',
          'Sign in by single sign-on first, as it is set up now: so it is known to work before nothing else does',
        );
      }
    }
    await tx`update single_sign_on set is_only_way = ${isOnlyWay}, updated_at = now() where clinic_id = ${clinicId}`;
    if (isOnlyWay) {
      await tx`
        delete from sessions s using users u
        where s.user_id = u.id and u.clinic_id = ${clinicId} and u.ends_at is null and s.issuer is distinct from ${before.issuer}`;
    }
    const action = isOnlyWay ? 'single-sign-on.only-way' : 'single-sign-on.not-only-way';
    await audit(tx, by, { clinicId, action });
  });

/** Of a domain that the operator has confirmed; null for any other. */
async function clinicOfDomain({ database: { sql } }: Context, domain: string): Promise<string | null> {
  const [found] = await sql<{ clinicId: string }>`
    select clinic_id as "clinicId" from single_sign_on_domains
    where domain = ${domain} and confirmed_at is not null`;
  return found?.clinicId ?? null;
}

/** Domains that wait for the operator, of all clinics, the longest first, at most a thousand. */
const unconfirmed = ({ database: { sql } }: Context) => sql<{ clinicId: string; clinicName: string; domain: string }>`
  select c.id as "clinicId", c.name as "clinicName", d.domain
  from single_sign_on_domains d join clinics c on c.id = d.clinic_id
  where d.confirmed_at is null order by d.created_at limit 1000`;

/** The operator says whose a domain is: it is that clinic's from now on, and nobody else's. False where the clinic has not entered it. */
const confirm = (
  { database: { transaction } }: Context,
  { clinicId, domain }: { clinicId: string; domain: string },
  by: Actor,
): Promise<boolean> =>
  transaction(async (tx) => {
    const [entered] = await tx`
      select domain from single_sign_on_domains where clinic_id = ${clinicId} and domain = ${domain} for update`;
    if (!entered) return false;
    const lost = await tx<{ clinicId: string }>`
      delete from single_sign_on_domains where clinic_id <> ${clinicId} and domain = ${domain}
      returning clinic_id as "clinicId"`;
    await tx`
      update single_sign_on_domains set confirmed_at = coalesce(confirmed_at, now())
      where clinic_id = ${clinicId} and domain = ${domain}`;
    const detail = { domain };
    await audit(tx, by, { clinicId, action: 'single-sign-on.confirm-domain', detail });
    for (const owner of lost) {
      await audit(tx, by, { clinicId: owner.clinicId, action: 'single-sign-on.take-domain-away', detail });
    }
    return true;
  });

/** Whoever signs in next with the account's address is its person. False where nobody is. */
const unlink = (
  { database: { transaction } }: Context,
  { clinicId, id }: { clinicId: string; id: string },
  by: Actor,
): Promise<boolean> =>
  transaction(async (tx) => {
    const unlinked = await tx`
      delete from single_sign_on_people where clinic_id = ${clinicId} and user_id = ${id} returning user_id`;
    if (unlinked.length === 0) return false;
    await tx`
      delete from sessions s using users u
      where s.user_id = u.id and u.id = ${id} and u.clinic_id = ${clinicId} and s.issuer is not null`;
    await audit(tx, by, { clinicId, action: 'single-sign-on.unlink', subject: id });
    return true;
  });

const onlyWay = () =>
  new AppError(
    'conflict',
    'Single sign-on is the only way in: allow other sign-ins first. Its secret alone can be changed meanwhile',
  );

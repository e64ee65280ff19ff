import type { Logger } from '@clinic/shared/log';
import { Client, escapeIdentifier, escapeLiteral } from 'pg';
import { type Database, openDatabase } from './client';

/** Who signs in to one database. */
export interface DatabaseRoles {
  /** Owns the tables. */
  ownerUrl: string;
  /** API and worker: reads and writes records, and only adds to the audit. */
  serviceUrl: string;
  /** The worker when it seals the audit; the service's own role does it where this is not given. */
  auditUrl?: string;
}

/**
 * Makes the roles that are missing, and lets them do their work and nothing else: they own nothing, are no superusers, and cannot
 * change what stands in the audit. Safe to repeat: after each migration, for what is new.
 */
export async function grantRoles({ ownerUrl, serviceUrl, auditUrl }: DatabaseRoles): Promise<void> {
  const owner = decodeURIComponent(new URL(ownerUrl).username);
  const names = [serviceUrl, ...(auditUrl === undefined ? [] : [auditUrl])].map(roleIn).map(({ name }) => name);
  if (names.includes('') || new Set([owner, ...names]).size <= names.length) {
    throw new Error('DATABASE_OWNER_URL, DATABASE_URL and AUDIT_DATABASE_URL must sign in as different roles');
  }
  const client = new Client({ connectionString: ownerUrl });
  await client.connect();
  try {
    await client.query(`select pg_advisory_lock(hashtext('clinic-workflows migrate'))`);
    const service = await ensureRole({ client, ownerUrl, url: serviceUrl, variable: 'DATABASE_URL' });
    const sealer =
      auditUrl === undefined
        ? null
        : await ensureRole({ client, ownerUrl, url: auditUrl, variable: 'AUDIT_DATABASE_URL' });
    const database = escapeIdentifier(decodeURIComponent(new URL(serviceUrl).pathname.slice(1)));
    await client.query(`
      BEGIN;
      GRANT CONNECT ON DATABASE ${database} TO ${[service, ...(sealer ? [sealer] : [])].join()};
      REVOKE CREATE ON SCHEMA public FROM PUBLIC;
      REVOKE EXECUTE ON FUNCTION queue_for_seal(), ${SEALING} FROM PUBLIC;
      ${ofService(service)}
      ${sealer ? `REVOKE EXECUTE ON FUNCTION ${SEALING} FROM ${service}; ${ofSealer(sealer)}` : `GRANT EXECUTE ON FUNCTION ${SEALING} TO ${service};`}
      COMMIT`);
  } finally {
    await client.end();
  }
}

const SEALING = 'take_audit_requests(integer), seal_audit(text, text, json)';

const roleIn = (url: string) => {
  const { username, password } = new URL(url);
  return { name: decodeURIComponent(username), password: decodeURIComponent(password) };
};

/** Returns its name as SQL writes it. */
async function ensureRole({
  client,
  ownerUrl,
  url,
  variable,
}: {
  client: Client;
  ownerUrl: string;
  url: string;
  variable: string;
}): Promise<string> {
  const { name, password } = roleIn(url);
  const role = await roleNamed(ownerUrl, name);
  if (role && (role.isSuper || role.owns)) {
    throw new Error(`The role ${name} of ${variable} is a superuser or owns tables: give the service another one`);
  }
  const who = escapeIdentifier(name);
  if (!role) {
    const attributes = 'LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION NOBYPASSRLS';
    await client.query(`CREATE ROLE ${who} ${attributes} PASSWORD ${escapeLiteral(password)}`);
  }
  return who;
}

const ofService = (who: string) => `
  GRANT USAGE ON SCHEMA public TO ${who};
  GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO ${who};
  GRANT USAGE, SELECT ON ALL SEQUENCES IN SCHEMA public TO ${who};
  ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO ${who};
  ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT USAGE, SELECT ON SEQUENCES TO ${who};
  REVOKE INSERT, UPDATE, DELETE ON audit_entries, audit_requests, audit_links, audit_unsealed FROM ${who};
  -- Of what is added the database says the time and the place.
  DO $do$ DECLARE added record; BEGIN
    FOR added IN SELECT table_name AS name, string_agg(quote_ident(column_name), ', ') AS columns
      FROM information_schema.columns WHERE table_schema = 'public'
        AND table_name IN ('audit_entries', 'audit_requests') AND column_name NOT IN ('at', 'position') GROUP BY table_name
    LOOP
      EXECUTE format('GRANT INSERT (%s) ON %I TO %s', added.columns, added.name, ${escapeLiteral(who)});
    END LOOP;
  END $do$;
  REVOKE INSERT, UPDATE, DELETE ON _prisma_migrations FROM ${who};`;

/** It reads the audit and the ids of clinics, and seals by functions of the owner. */
const ofSealer = (who: string) => `
  GRANT USAGE ON SCHEMA public TO ${who};
  GRANT SELECT ON audit_entries, audit_links, audit_unsealed TO ${who};
  GRANT SELECT (id) ON clinics TO ${who};
  GRANT EXECUTE ON FUNCTION ${SEALING} TO ${who};`;

async function roleNamed(ownerUrl: string, name: string): Promise<{ owns: boolean; isSuper: boolean } | null> {
  const database = openDatabase(ownerUrl, { poolSize: 1 });
  try {
    const [role] = await database.sql<{ owns: boolean; isSuper: boolean }>`
      select coalesce(rolsuper, false) as "isSuper", exists (
        select from pg_class c where c.relowner = r.oid and c.relnamespace = 'public'::regnamespace) as owns
      from pg_roles r where rolname = ${name}`;
    return role ?? null;
  } finally {
    await database.close();
  }
}

/**
 * Throws where the role may do more than its work asks for: it is a superuser, owns tables, or may seal or change the audit. A database
 * that cannot be reached says nothing of it; then the log does.
 */
export async function refusePrivilegedRole({ sql }: Pick<Database, 'sql'>, log: Logger): Promise<void> {
  const isTooMighty = await isPrivileged(sql).catch(() => {
    log.warn({ code: 'database_role_unknown' }, 'the role of DATABASE_URL could not be looked at');
    return false;
  });
  if (!isTooMighty) return;
  throw new Error(
    'DATABASE_URL signs in as a superuser, as the owner of the tables, or as a role that may seal or change the audit: give the service a role of its own, which migrate makes where DATABASE_OWNER_URL is the owner and AUDIT_DATABASE_URL names who seals (docs/operate.md, "Three roles in the database")',
  );
}

async function isPrivileged(sql: Database['sql']): Promise<boolean> {
  const [role] = await sql<{ isTooMighty: boolean }>`
    select coalesce(rolsuper or exists (
        select from pg_class c where c.relowner = r.oid and c.relnamespace = 'public'::regnamespace and c.relkind = 'r')
      or exists (
        select from pg_proc f where f.pronamespace = 'public'::regnamespace and f.proname in ('seal_audit', 'take_audit_requests')
          and has_function_privilege(f.oid, 'execute'))
      or exists (
        select from pg_class t where t.relnamespace = 'public'::regnamespace and t.relkind = 'r' and t.relname like 'audit\\_%'
          and has_table_privilege(t.oid, 'update, delete, truncate')), true) as "isTooMighty"
    from pg_roles r where rolname = current_user`;
  return role?.isTooMighty ?? true;
}

import type { Logger } from '@clinic/shared/log';
import { Client, escapeIdentifier, escapeLiteral } from 'pg';
import { type Database, openDatabase } from './client';

/**
 * Lets the service's role, which `serviceUrl` signs in with, read and write the records that `ownerUrl`'s role owns; makes the
 * role where it is missing. It owns nothing, is no superuser, and cannot change what stands in the audit. Safe to repeat: after
 * each migration, for what is new.
 */
export async function grantToService(ownerUrl: string, serviceUrl: string): Promise<void> {
  const { username, password, pathname } = new URL(serviceUrl);
  const [name, secret] = [decodeURIComponent(username), decodeURIComponent(password)];
  if (name === '' || name === decodeURIComponent(new URL(ownerUrl).username)) {
    throw new Error('DATABASE_URL and DATABASE_OWNER_URL must sign in as two different roles');
  }
  const client = new Client({ connectionString: ownerUrl });
  await client.connect();
  try {
    await client.query(`select pg_advisory_lock(hashtext('clinic-workflows migrate'))`);
    const role = await roleNamed(ownerUrl, name);
    if (role && (role.isSuper || role.owns)) {
      throw new Error(`The role ${name} of DATABASE_URL is a superuser or owns tables: give the service another one`);
    }
    const who = escapeIdentifier(name);
    if (!role) {
      const attributes = 'LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION NOBYPASSRLS';
      await client.query(`CREATE ROLE ${who} ${attributes} PASSWORD ${escapeLiteral(secret)}`);
    }
    const database = escapeIdentifier(decodeURIComponent(pathname.slice(1)));
    await client.query(`
      BEGIN;
      GRANT CONNECT ON DATABASE ${database} TO ${who};
      REVOKE CREATE ON SCHEMA public FROM PUBLIC;
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
          EXECUTE format('GRANT INSERT (%s) ON %I TO %I', added.columns, added.name, ${escapeLiteral(name)});
        END LOOP;
      END $do$;
      REVOKE EXECUTE ON FUNCTION queue_for_seal(), take_audit_requests(integer), seal_audit(text, text, json) FROM PUBLIC;
      GRANT EXECUTE ON FUNCTION take_audit_requests(integer), seal_audit(text, text, json) TO ${who};
      REVOKE INSERT, UPDATE, DELETE ON _prisma_migrations FROM ${who};
      COMMIT`);
  } finally {
    await client.end();
  }
}

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
 * Throws where the role may do more than its work asks for: it is a superuser, or owns tables. A database that cannot be
 * reached says nothing of it; then the log does.
 */
export async function refusePrivilegedRole({ sql }: Pick<Database, 'sql'>, log: Logger): Promise<void> {
  const isTooMighty = await isPrivileged(sql).catch(() => {
    log.warn({ code: 'database_role_unknown' }, 'the role of DATABASE_URL could not be looked at');
    return false;
  });
  if (!isTooMighty) return;
  throw new Error(
    'DATABASE_URL signs in as a superuser or as the owner of the tables, who can change the audit: give the service a role of its own, which migrate makes where DATABASE_OWNER_URL is the owner (docs/operate.md, "Two roles in the database")',
  );
}

async function isPrivileged(sql: Database['sql']): Promise<boolean> {
  const [role] = await sql<{ isTooMighty: boolean }>`
    select coalesce(rolsuper or exists (
      select from pg_class c where c.relowner = r.oid and c.relnamespace = 'public'::regnamespace and c.relkind = 'r'), true) as "isTooMighty"
    from pg_roles r where rolname = current_user`;
  return role?.isTooMighty ?? true;
}

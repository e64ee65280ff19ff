import { newId, sha256Hex } from '@clinic/shared/crypto';
import { bound } from '../../bound';
import type { Database } from '../../client';
import { type Actor, audit } from '../operations/audit';

/** Public keys of a client. */
export interface KeySet {
  keys: Record<string, unknown>[];
}

export interface SandboxClientRecord {
  id: string;
  clinicId: string;
  name: string;
  jwks: KeySet;
  createdAt: Date;
}

/** So many clients a clinic's sandbox knows. */
export const MAX_CLIENTS = 20;

export const createSandboxClientStores = (pick: Pick<Database, 'sql' | 'transaction'>) =>
  bound(pick, { list, register, remove, identified, useAssertion, keepToken, ofToken });

export type SandboxClientStores = ReturnType<typeof createSandboxClientStores>;

/** By name. */
const list = (
  { sql }: Pick<Database, 'sql'>,
  clinicId: string,
): Promise<SandboxClientRecord[]> => sql<SandboxClientRecord>`
  select id, clinic_id as "clinicId", name, jwks, created_at as "createdAt"
  from sandbox_clients where clinic_id = ${clinicId} order by name, id`;

/** `id`: of a request that may be repeated; what it has registered is found again. */
const register = (
  { transaction }: Pick<Database, 'sql' | 'transaction'>,
  { id = newId(), clinicId, name, jwks }: { id?: string; clinicId: string; name: string; jwks: KeySet },
  by?: Actor,
): Promise<{ kind: 'registered'; client: SandboxClientRecord } | { kind: 'too_many' }> =>
  transaction(async (tx) => {
    await tx`select id from clinics where id = ${clinicId} for no key update`;
    const known = await list({ sql: tx }, clinicId);
    const made = known.find((each) => each.id === id);
    if (made) return { kind: 'registered', client: made };
    if (known.length >= MAX_CLIENTS) return { kind: 'too_many' };
    const [client] = await tx<SandboxClientRecord>`
      insert into sandbox_clients (id, clinic_id, name, jwks)
      values (${id}, ${clinicId}, ${name}, ${JSON.stringify(jwks)}::jsonb)
      returning id, clinic_id as "clinicId", name, jwks, created_at as "createdAt"`;
    if (!client) throw new Error('an insert returns its row');
    await audit(tx, by, { clinicId, action: 'sandbox.client.register', subject: client.id });
    return { kind: 'registered', client };
  });

/** Its tokens end with it. False where there is no such client. */
const remove = (
  { transaction }: Pick<Database, 'sql' | 'transaction'>,
  clinicId: string,
  clientId: string,
  by?: Actor,
): Promise<boolean> =>
  transaction(async (tx) => {
    const [gone] = await tx`
      delete from sandbox_clients where clinic_id = ${clinicId} and id = ${clientId} returning id`;
    if (gone) await audit(tx, by, { clinicId, action: 'sandbox.client.remove', subject: clientId });
    return gone !== undefined;
  });

/** The client of an id, which an assertion is signed for. */
async function identified(
  { sql }: Pick<Database, 'sql' | 'transaction'>,
  clientId: string,
): Promise<SandboxClientRecord | null> {
  const [found] = await sql<SandboxClientRecord>`
    select id, clinic_id as "clinicId", name, jwks, created_at as "createdAt"
    from sandbox_clients where id = ${clientId}`;
  return found ?? null;
}

/** Notes that an assertion was used; false where it was before. */
async function useAssertion(
  { sql }: Pick<Database, 'sql' | 'transaction'>,
  { clientId, jti, endsAt }: { clientId: string; jti: string; endsAt: Date },
): Promise<boolean> {
  const [used] = await sql`
    with gone as (delete from sandbox_assertions where client_id = ${clientId} and ends_at < now())
    insert into sandbox_assertions (client_id, jti_hash, ends_at) values (${clientId}, ${sha256Hex(jti)}, ${endsAt})
    on conflict do nothing returning client_id`;
  return used !== undefined;
}

async function keepToken(
  { sql }: Pick<Database, 'sql' | 'transaction'>,
  given: { clinicId: string; clientId: string; token: string; scopes: string; endsAt: Date },
): Promise<void> {
  const { clinicId, clientId, token, scopes, endsAt } = given;
  await sql`
    with gone as (delete from sandbox_tokens where clinic_id = ${clinicId} and client_id = ${clientId} and ends_at < now())
    insert into sandbox_tokens (hash, clinic_id, client_id, scopes, ends_at)
    values (${sha256Hex(token)}, ${clinicId}, ${clientId}, ${scopes}, ${endsAt})`;
}

/** Whose token it is while it holds, and what it was granted. */
async function ofToken(
  { sql }: Pick<Database, 'sql' | 'transaction'>,
  token: string,
): Promise<{ clinicId: string; clientId: string; scopes: string; endsAt: Date } | null> {
  const [found] = await sql<{ clinicId: string; clientId: string; scopes: string; endsAt: Date }>`
    select clinic_id as "clinicId", client_id as "clientId", scopes, ends_at as "endsAt"
    from sandbox_tokens where hash = ${sha256Hex(token)} and ends_at > now()`;
  return found ?? null;
}

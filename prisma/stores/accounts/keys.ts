import { newSigningSecret } from '@clinic/shared/signing';
import { decrypt, encrypt, newId, randomToken, sha256Hex } from '@clinic/shared/crypto';
import type { KeyRing } from '@clinic/shared/config';
import type { Scope } from '@clinic/shared/domain/accounts/rights';
import { AppError } from '@clinic/shared/errors';
import { bound } from '../../bound';
import type { Database } from '../../client';
import type { Sql } from '../../sql';
import { receiverIdOf } from '../events/receivers';
import { type Actor, audit } from '../operations/audit';

/** How long the secret that was replaced is still accepted or signed with. */
const OVERLAP_HOURS = 24;
/** Who asks for a new one again so soon, and nobody has used the one before, has not got it: its answer was lost. */
const ASKED_AGAIN_MINUTES = 5;

export interface ApiKeyRecord {
  id: string;
  name: string;
  prefix: string;
  scopes: Scope[];
  createdAt: Date;
  expiresAt: Date | null;
  lastUsedAt: Date | null;
}

/** What a request makes a secret of that is repeated under its key: the secret is kept nowhere, so it is derived again. */
export interface NewSecret {
  id: string;
  bytes: Buffer;
  /** The request was answered before: where what it made is gone, it was removed since. */
  wasMade: boolean;
}

export interface NewApiKey {
  clinicId: string;
  name: string;
  scopes: readonly Scope[];
  expiresAt?: Date | null;
  by?: Actor;
  made?: NewSecret | null;
}

/** An API key as it is made; its text is stored nowhere. */
export interface MadeApiKey {
  id: string;
  name: string;
  prefix: string;
  scopes: readonly Scope[];
  expiresAt: Date | null;
  key: string;
}

export interface InboundSecretRecord {
  name: string;
  createdAt: Date;
  expiresAt: Date | null;
  lastUsedAt: Date | null;
}

type SecretKind = 'inbound' | 'signing' | 'voice';

/** A stored secret that no key of the ring decrypts. */
export class UnreadableSecretError extends Error {}

/** What a receiver's signing secrets are encrypted for. */
const signingContext = (clinicId: string, receiverId: string) => `${clinicId}/signing/${receiverId}`;

/** Makes nothing a second time: what a request made that was answered is there, or was removed since. */
export function refuseGone(made: NewSecret | null | undefined): void {
  if (made?.wasMade) throw goneSince();
}

/** What a request made under its key was removed since, or opens nothing any more. */
export const goneSince = (): AppError =>
  new AppError('idempotency_key_reused', 'This Idempotency-Key was used before, and what was made under it is gone');

/** Writes the first signing secret of a receiver, in the transaction that adds it. Returns its text, to be shown once. */
export async function firstSigningSecret(
  tx: Sql,
  secretKeys: KeyRing,
  { clinicId, receiverId, made }: { clinicId: string; receiverId: string; made?: NewSecret | null },
): Promise<string> {
  const secret = newSigningSecret(made?.bytes);
  const ciphertext = encrypt(secretKeys, secret, signingContext(clinicId, receiverId));
  await tx`
    insert into secrets (id, clinic_id, kind, name, ciphertext)
    values (${newId()}, ${clinicId}, 'signing', ${receiverId}, ${ciphertext})`;
  return secret;
}

export const createKeyStores = (database: Database, secretKeys: KeyRing) =>
  bound(contextOf(database, secretKeys), {
    createApiKey,
    listApiKeys,
    revokeApiKey,
    apiKey,
    rotateApiKey,
    touchApiKey,
    rotateInbound,
    retirePreviousInbound,
    inboundDigests,
    listInbound,
    touchSecret,
    rotateSigning,
    listSigning,
    signingSecrets,
    rotateVoice,
    voiceSecret,
    clinicOfVoiceSecret,
    listVoice,
  });

function contextOf({ sql, transaction, prisma }: Database, secretKeys: KeyRing) {
  const voiceContext = (clinicId: string) => `${clinicId}/voice-secret`;

  const rotate = (
    {
      clinicId,
      kind,
      name,
      action,
      subject,
      by,
      made,
    }: {
      clinicId: string;
      kind: SecretKind;
      name: string;
      action: string;
      subject?: string;
      by?: Actor;
      made?: NewSecret | null;
    },
    stored: { hash?: string; ciphertext?: string },
  ) =>
    transaction(async (tx) => {
      // One rotation at a time, so that two at once do not leave three live secrets.
      await tx`select pg_advisory_xact_lock(hashtextextended(${`secrets:${clinicId}:${kind}:${name}`}, 0))`;
      if (made) {
        const [found] = await tx`select id from secrets where clinic_id = ${clinicId} and id = ${made.id}`;
        if (found) return;
        refuseGone(made);
      }
      // In its place: the one that is in use keeps its day.
      await tx`
        delete from secrets s
        where s.clinic_id = ${clinicId} and s.kind = ${kind} and s.name = ${name} and s.expires_at is null and s.last_used_at is null
          and s.created_at > now() - make_interval(mins => ${ASKED_AGAIN_MINUTES})
          and exists (
            select from secrets o
            where o.clinic_id = ${clinicId} and o.kind = ${kind} and o.name = ${name} and o.expires_at > now())`;
      await tx`
        update secrets set expires_at = now() + make_interval(hours => ${OVERLAP_HOURS})
        where clinic_id = ${clinicId} and kind = ${kind} and name = ${name} and expires_at is null`;
      // Two may be live while rotating, never three.
      await tx`
        delete from secrets where clinic_id = ${clinicId} and kind = ${kind} and name = ${name} and id not in (
          select id from secrets where clinic_id = ${clinicId} and kind = ${kind} and name = ${name}
          order by created_at desc, id desc limit 1)`;
      await tx`
        insert into secrets (id, clinic_id, kind, name, hash, ciphertext, created_at)
        values (${made?.id ?? newId()}, ${clinicId}, ${kind}, ${name}, ${stored.hash ?? null}, ${stored.ciphertext ?? null}, clock_timestamp())`;
      await audit(tx, by, { clinicId, action, subject });
    });
  return { sql, transaction, prisma, secretKeys, voiceContext, rotate };
}

type Context = ReturnType<typeof contextOf>;

const createApiKey = ({ transaction }: Context, { by, ...about }: NewApiKey): Promise<MadeApiKey> =>
  transaction(async (tx) => {
    const before = await madeBefore(tx, about);
    if (before) return before;
    const key = await insertApiKey(tx, about);
    const detail = { scopes: [...key.scopes], expiresAt: key.expiresAt?.toISOString() ?? null };
    await audit(tx, by, { clinicId: about.clinicId, action: 'api-key.create', subject: key.id, detail });
    return key;
  });

/**
 * Makes another key of the same name, scopes and end; the one before is taken until then, and no longer than it was anyway. Null
 * where the clinic has no such key, or it has expired.
 */
const rotateApiKey = (
  { transaction }: Context,
  {
    clinicId,
    id,
    oldUntil,
    expiresAt,
    made,
  }: { clinicId: string; id: string; oldUntil: Date; expiresAt: Date | null; made?: NewSecret | null },
  by?: Actor,
): Promise<(MadeApiKey & { oldExpiresAt: Date }) | null> =>
  transaction(async (tx) => {
    const before = await madeBefore(tx, { clinicId, made });
    if (before) {
      const [replaced] = await tx<{ expiresAt: Date }>`
        select coalesce(expires_at, now()) as "expiresAt" from api_keys where clinic_id = ${clinicId} and id = ${id}`;
      return replaced ? { ...before, oldExpiresAt: replaced.expiresAt } : null;
    }
    const [old] = await tx<{ name: string; scopes: Scope[]; expiresAt: Date }>`
      update api_keys set expires_at = least(expires_at, ${oldUntil})
      where clinic_id = ${clinicId} and id = ${id} and revoked_at is null and coalesce(expires_at > now(), true)
      returning name, scopes, expires_at as "expiresAt"`;
    if (!old) return null;
    const key = await insertApiKey(tx, { clinicId, name: old.name, scopes: old.scopes, expiresAt, made });
    const detail = { replacedBy: key.id, oldExpiresAt: old.expiresAt.toISOString() };
    await audit(tx, by, { clinicId, action: 'api-key.rotate', subject: id, detail });
    return { ...key, oldExpiresAt: old.expiresAt };
  });

/** The key that the same request made; null where it makes one now. */
async function madeBefore(
  tx: Sql,
  { clinicId, made }: Pick<NewApiKey, 'clinicId' | 'made'>,
): Promise<MadeApiKey | null> {
  if (!made) return null;
  const [found] = await tx<Omit<MadeApiKey, 'key' | 'scopes'> & { scopes: Scope[]; isRevoked: boolean }>`
    select id, name, prefix, scopes, expires_at as "expiresAt", revoked_at is not null as "isRevoked" from api_keys
    where clinic_id = ${clinicId} and id = ${made.id}`;
  if (!found) refuseGone(made);
  if (found?.isRevoked) throw goneSince();
  return found ? { ...found, key: apiKeyText(made) } : null;
}

async function insertApiKey(
  tx: Sql,
  { clinicId, name, scopes, expiresAt = null, made }: Omit<NewApiKey, 'by'>,
): Promise<MadeApiKey> {
  const key = apiKeyText(made);
  const [id, prefix] = [made?.id ?? newId(), key.slice(0, 10)];
  await tx`
    insert into api_keys (id, clinic_id, name, prefix, hash, scopes, expires_at)
    values (${id}, ${clinicId}, ${name}, ${prefix}, ${sha256Hex(key)}, ${[...scopes]}, ${expiresAt})`;
  return { id, name, prefix, scopes, expiresAt, key };
}

/** The text of a secret: of the request that makes it, where that has a key. */
export const tokenOf = (made: NewSecret | null | undefined): string =>
  made?.bytes.toString('base64url') ?? randomToken();

const apiKeyText = (made: NewSecret | null | undefined): string => `ck_${tokenOf(made)}`;

/** Those that are live, newest first. */
const listApiKeys = ({ sql }: Context, clinicId: string): Promise<ApiKeyRecord[]> => sql<ApiKeyRecord>`
  select id, name, prefix, scopes, created_at as "createdAt", expires_at as "expiresAt", last_used_at as "lastUsedAt"
  from api_keys where clinic_id = ${clinicId} and revoked_at is null
  order by created_at desc, id desc`;

/** False when the clinic has no such key. */
const revokeApiKey = ({ transaction }: Context, clinicId: string, id: string, by?: Actor): Promise<boolean> =>
  transaction(async (tx) => {
    const [revoked] = await tx`
      update api_keys set revoked_at = now()
      where clinic_id = ${clinicId} and id = ${id} and revoked_at is null returning id`;
    if (revoked) await audit(tx, by, { clinicId, action: 'api-key.revoke', subject: id });
    return revoked !== undefined;
  });

/** A key that was not revoked, also one that has expired; null for any other text. */
async function apiKey(
  { sql }: Context,
  key: string,
): Promise<{ id: string; clinicId: string; scopes: Scope[]; expiresAt: Date | null } | null> {
  const [found] = await sql<{ id: string; clinicId: string; scopes: Scope[]; expiresAt: Date | null }>`
    select id, clinic_id as "clinicId", scopes, expires_at as "expiresAt" from api_keys
    where hash = ${sha256Hex(key)} and revoked_at is null`;
  return found ?? null;
}

async function touchApiKey({ sql }: Context, id: string): Promise<void> {
  await sql`update api_keys set last_used_at = now() where id = ${id}`;
}

/** Makes a new secret for an inbound URL; the one before lives on for a day. */
async function rotateInbound(
  { rotate }: Context,
  clinicId: string,
  name: string,
  by?: Actor,
  made?: NewSecret | null,
): Promise<string> {
  const secret = tokenOf(made);
  const action = 'inbound.rotate-secret';
  await rotate({ clinicId, kind: 'inbound', name, action, subject: name, by, made }, { hash: sha256Hex(secret) });
  return secret;
}

/** False when none was live. */
const retirePreviousInbound = (
  { transaction }: Context,
  clinicId: string,
  name: string,
  by?: Actor,
): Promise<boolean> =>
  transaction(async (tx) => {
    const retired = await tx<{ isLive: boolean }>`
      delete from secrets
      where clinic_id = ${clinicId} and kind = 'inbound' and name = ${name} and expires_at is not null
      returning expires_at > now() as "isLive"`;
    const isRetired = retired.some(({ isLive }) => isLive);
    if (isRetired) await audit(tx, by, { clinicId, action: 'inbound.retire-secret', subject: name });
    return isRetired;
  });

/** Digests of the secrets that open a URL now, newest first. */
const inboundDigests = (
  { sql }: Context,
  clinicId: string,
  name: string,
): Promise<{ id: string; hash: string }[]> => sql<{ id: string; hash: string }>`
  select id, hash from secrets
  where clinic_id = ${clinicId} and kind = 'inbound' and name = ${name} and hash is not null
    and coalesce(expires_at > now(), true)
  order by created_at desc, id desc`;

const listInbound = ({ prisma }: Context, clinicId: string): Promise<InboundSecretRecord[]> =>
  prisma.secret.findMany({
    where: { clinicId, kind: 'inbound', OR: [{ expiresAt: null }, { expiresAt: { gt: new Date() } }] },
    orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
    select: { name: true, createdAt: true, expiresAt: true, lastUsedAt: true },
  });

async function touchSecret({ sql }: Context, id: string): Promise<void> {
  await sql`update secrets set last_used_at = now() where id = ${id}`;
}

/** Makes a new signing secret of a receiver, the clinic's first endpoint where none is named; the one before lives on for a day. */
async function rotateSigning(
  { sql, rotate, secretKeys }: Context,
  clinicId: string,
  by?: Actor,
  receiverId?: string,
  made?: NewSecret | null,
): Promise<string> {
  const name = await receiverIdOf(sql, clinicId, receiverId);
  if (name === null) throw new AppError('not_found', 'This clinic has no endpoint');
  const secret = newSigningSecret(made?.bytes);
  const action = receiverId === undefined ? 'outbound.rotate-secret' : 'endpoint.rotate-secret';
  await rotate(
    { clinicId, kind: 'signing', name, action, subject: receiverId, by, made },
    { ciphertext: encrypt(secretKeys, secret, signingContext(clinicId, name)) },
  );
  return secret;
}

/** The signing secrets of all receivers that are live, newest first, without their text. */
const listSigning = (
  { sql }: Context,
  clinicId: string,
): Promise<{ receiverId: string; createdAt: Date; expiresAt: Date | null }[]> => sql<{
  receiverId: string;
  createdAt: Date;
  expiresAt: Date | null;
}>`
  select name as "receiverId", created_at as "createdAt", expires_at as "expiresAt" from secrets
  where clinic_id = ${clinicId} and kind = 'signing' and coalesce(expires_at > now(), true)
  order by created_at desc, id desc`;

/** The secrets that events to a receiver, the clinic's first endpoint where none is named, are signed with now, newest first. */
async function signingSecrets({ sql, secretKeys }: Context, clinicId: string, receiverId?: string): Promise<string[]> {
  const name = await receiverIdOf(sql, clinicId, receiverId);
  if (name === null) return [];
  const context = signingContext(clinicId, name);
  const rows = await sql<{ ciphertext: string }>`
    select ciphertext from secrets
    where clinic_id = ${clinicId} and kind = 'signing' and name = ${name} and ciphertext is not null
      and coalesce(expires_at > now(), true)
    order by expires_at desc nulls first, created_at desc, id desc`;
  try {
    return rows.map(({ ciphertext }) => decrypt(secretKeys, ciphertext, context));
  } catch (error) {
    const { message = 'unknown' } = error as Partial<Error>;
    throw new UnreadableSecretError(message, { cause: error });
  }
}

/** Makes a new secret by which the voice platform proves itself for the clinic; the one before lives on for a day. */
async function rotateVoice(
  { secretKeys, voiceContext, rotate }: Context,
  clinicId: string,
  by?: Actor,
  made?: NewSecret | null,
): Promise<string> {
  const secret = tokenOf(made);
  const ciphertext = encrypt(secretKeys, secret, voiceContext(clinicId));
  const action = 'voice.rotate-secret';
  await rotate({ clinicId, kind: 'voice', name: '', action, by, made }, { hash: sha256Hex(secret), ciphertext });
  return secret;
}

/** The newest of them, to send with a call; null where there is none that can be decrypted. */
async function voiceSecret({ sql, secretKeys, voiceContext }: Context, clinicId: string): Promise<string | null> {
  const [newest] = await sql<{ ciphertext: string }>`
    select ciphertext from secrets
    where clinic_id = ${clinicId} and kind = 'voice' and ciphertext is not null and expires_at is null`;
  try {
    return newest ? decrypt(secretKeys, newest.ciphertext, voiceContext(clinicId)) : null;
  } catch {
    return null;
  }
}

/** The clinic of a live one, or null. */
async function clinicOfVoiceSecret({ sql }: Context, secret: string): Promise<{ id: string; clinicId: string } | null> {
  const [found] = await sql<{ id: string; clinicId: string }>`
    select id, clinic_id as "clinicId" from secrets
    where kind = 'voice' and hash = ${sha256Hex(secret)} and coalesce(expires_at > now(), true)`;
  return found ?? null;
}

/** Those that are live, newest first, without their text. */
const listVoice = ({ prisma }: Context, clinicId: string): Promise<Omit<InboundSecretRecord, 'name'>[]> =>
  prisma.secret.findMany({
    where: { clinicId, kind: 'voice', OR: [{ expiresAt: null }, { expiresAt: { gt: new Date() } }] },
    orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
    select: { createdAt: true, expiresAt: true, lastUsedAt: true },
  });

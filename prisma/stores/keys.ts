import { newSigningSecret } from '@clinic/shared/signing';
import { decrypt, encrypt, newId, randomToken, sha256Hex } from '@clinic/shared/crypto';
import type { KeyRing } from '@clinic/shared/config';
import { FIRST_ENDPOINT } from '@clinic/shared/domain/outbound-endpoint';
import type { Database } from '../client';
import type { Sql } from '../sql';
import { type Actor, audit } from './audit';

/** How long the secret that was replaced is still accepted or signed with. */
const OVERLAP_HOURS = 24;

export interface ApiKeyRecord {
  id: string;
  name: string;
  prefix: string;
  createdAt: Date;
  lastUsedAt: Date | null;
}

export interface InboundSecretRecord {
  name: string;
  createdAt: Date;
  expiresAt: Date | null;
  lastUsedAt: Date | null;
}

export interface KeyStores {
  /** Makes an API key. Returns its text, which is stored nowhere. */
  createApiKey(input: {
    clinicId: string;
    name: string;
    by?: Actor;
  }): Promise<{ id: string; name: string; prefix: string; key: string }>;
  listApiKeys(clinicId: string): Promise<ApiKeyRecord[]>;
  /** False when the clinic has no such key. */
  revokeApiKey(clinicId: string, id: string, by?: Actor): Promise<boolean>;
  /** The clinic of a live key, or null. */
  clinicOfApiKey(key: string): Promise<{ id: string; clinicId: string } | null>;
  touchApiKey(id: string): Promise<void>;
  /** Makes a new secret for an inbound URL; the one before lives on for a day. */
  rotateInbound(clinicId: string, name: string, by?: Actor): Promise<string>;
  /** False when none was live. */
  retirePreviousInbound(clinicId: string, name: string, by?: Actor): Promise<boolean>;
  /** Digests of the secrets that open a URL now, newest first. */
  inboundDigests(clinicId: string, name: string): Promise<{ id: string; hash: string }[]>;
  listInbound(clinicId: string): Promise<InboundSecretRecord[]>;
  touchSecret(id: string): Promise<void>;
  /** Makes a new signing secret of an endpoint, the first one where none is named; the one before lives on for a day. */
  rotateSigning(clinicId: string, by?: Actor, endpointId?: string): Promise<string>;
  /** The signing secrets of the first endpoint that are live, newest first, without their text. */
  listSigning(clinicId: string): Promise<Omit<InboundSecretRecord, 'name' | 'lastUsedAt'>[]>;
  /** Those of all further endpoints, by the endpoint's id, newest first. */
  listFurtherSigning(
    clinicId: string,
  ): Promise<(Omit<InboundSecretRecord, 'lastUsedAt' | 'name'> & { endpointId: string })[]>;
  /** The secrets that events to an endpoint, the first one where none is named, are signed with now, newest first. */
  signingSecrets(clinicId: string, endpointId?: string): Promise<string[]>;
  /** Makes a new secret by which the voice platform proves itself for the clinic; the one before lives on for a day. */
  rotateVoice(clinicId: string, by?: Actor): Promise<string>;
  /** The newest of them, to send with a call; null where there is none. */
  voiceSecret(clinicId: string): Promise<string | null>;
  /** The clinic of a live one, or null. */
  clinicOfVoiceSecret(secret: string): Promise<{ id: string; clinicId: string } | null>;
  /** Those that are live, newest first, without their text. */
  listVoice(clinicId: string): Promise<Omit<InboundSecretRecord, 'name'>[]>;
}

type SecretKind = 'inbound' | 'outbound-signing' | 'endpoint-signing' | 'voice';

const rotations: Record<SecretKind, string> = {
  inbound: 'inbound.rotate-secret',
  'outbound-signing': 'outbound.rotate-secret',
  'endpoint-signing': 'endpoint.rotate-secret',
  voice: 'voice.rotate-secret',
};

/** A stored secret that no key of the ring decrypts. */
export class UnreadableSecretError extends Error {}

/** What an endpoint's signing secrets are kept as, and encrypted for. */
const signingOf = (clinicId: string, endpointId: string) =>
  endpointId === FIRST_ENDPOINT
    ? { kind: 'outbound-signing' as const, name: '', context: `${clinicId}/outbound-signing` }
    : { kind: 'endpoint-signing' as const, name: endpointId, context: `${clinicId}/endpoint-signing/${endpointId}` };

/** Writes the first signing secret of a further endpoint, in the transaction that adds it. Returns its text, to be shown once. */
export async function firstSigningSecret(
  tx: Sql,
  secretKeys: KeyRing,
  { clinicId, endpointId }: { clinicId: string; endpointId: string },
): Promise<string> {
  const { kind, name, context } = signingOf(clinicId, endpointId);
  const secret = newSigningSecret();
  await tx`
    insert into secrets (id, clinic_id, kind, name, ciphertext)
    values (${newId()}, ${clinicId}, ${kind}, ${name}, ${encrypt(secretKeys, secret, context)})`;
  return secret;
}

export function createKeyStores({ sql, transaction, prisma }: Database, secretKeys: KeyRing): KeyStores {
  const voiceContext = (clinicId: string) => `${clinicId}/voice-secret`;

  const rotate = (
    { clinicId, kind, name, by }: { clinicId: string; kind: SecretKind; name: string; by?: Actor },
    stored: { hash?: string; ciphertext?: string },
  ) =>
    transaction(async (tx) => {
      // One rotation at a time, so that two at once do not leave three live secrets.
      await tx`select pg_advisory_xact_lock(hashtextextended(${`secrets:${clinicId}:${kind}:${name}`}, 0))`;
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
        values (${newId()}, ${clinicId}, ${kind}, ${name}, ${stored.hash ?? null}, ${stored.ciphertext ?? null}, clock_timestamp())`;
      await audit(tx, by, { clinicId, action: rotations[kind], subject: name || undefined });
    });

  return {
    async createApiKey({ clinicId, name, by }) {
      const key = `ck_${randomToken()}`;
      const [id, prefix] = [newId(), key.slice(0, 10)];
      await transaction(async (tx) => {
        await tx`
          insert into api_keys (id, clinic_id, name, prefix, hash)
          values (${id}, ${clinicId}, ${name}, ${prefix}, ${sha256Hex(key)})`;
        await audit(tx, by, { clinicId, action: 'api-key.create', subject: id });
      });
      return { id, name, prefix, key };
    },

    listApiKeys: (clinicId) =>
      prisma.apiKey.findMany({
        where: { clinicId, revokedAt: null },
        orderBy: { createdAt: 'desc' },
        select: { id: true, name: true, prefix: true, createdAt: true, lastUsedAt: true },
      }),

    revokeApiKey: (clinicId, id, by) =>
      transaction(async (tx) => {
        const [revoked] = await tx`
          update api_keys set revoked_at = now()
          where clinic_id = ${clinicId} and id = ${id} and revoked_at is null returning id`;
        if (revoked) await audit(tx, by, { clinicId, action: 'api-key.revoke', subject: id });
        return revoked !== undefined;
      }),

    async clinicOfApiKey(key) {
      const [found] = await sql<{ id: string; clinicId: string }>`
        select id, clinic_id as "clinicId" from api_keys where hash = ${sha256Hex(key)} and revoked_at is null`;
      return found ?? null;
    },

    async touchApiKey(id) {
      await sql`update api_keys set last_used_at = now() where id = ${id}`;
    },

    async rotateInbound(clinicId, name, by) {
      const secret = randomToken();
      await rotate({ clinicId, kind: 'inbound', name, by }, { hash: sha256Hex(secret) });
      return secret;
    },

    retirePreviousInbound: (clinicId, name, by) =>
      transaction(async (tx) => {
        const retired = await tx<{ isLive: boolean }>`
          delete from secrets
          where clinic_id = ${clinicId} and kind = 'inbound' and name = ${name} and expires_at is not null
          returning expires_at > now() as "isLive"`;
        const isRetired = retired.some(({ isLive }) => isLive);
        if (isRetired) await audit(tx, by, { clinicId, action: 'inbound.retire-secret', subject: name });
        return isRetired;
      }),

    inboundDigests: (clinicId, name) => sql<{ id: string; hash: string }>`
      select id, hash from secrets
      where clinic_id = ${clinicId} and kind = 'inbound' and name = ${name} and hash is not null
        and coalesce(expires_at > now(), true)
      order by created_at desc`,

    listInbound: (clinicId) =>
      prisma.secret.findMany({
        where: { clinicId, kind: 'inbound', OR: [{ expiresAt: null }, { expiresAt: { gt: new Date() } }] },
        orderBy: { createdAt: 'desc' },
        select: { name: true, createdAt: true, expiresAt: true, lastUsedAt: true },
      }),

    async touchSecret(id) {
      await sql`update secrets set last_used_at = now() where id = ${id}`;
    },

    async rotateSigning(clinicId, by, endpointId = FIRST_ENDPOINT) {
      const { kind, name, context } = signingOf(clinicId, endpointId);
      const secret = newSigningSecret();
      await rotate({ clinicId, kind, name, by }, { ciphertext: encrypt(secretKeys, secret, context) });
      return secret;
    },

    listSigning: (clinicId) =>
      prisma.secret.findMany({
        where: { clinicId, kind: 'outbound-signing', OR: [{ expiresAt: null }, { expiresAt: { gt: new Date() } }] },
        orderBy: { createdAt: 'desc' },
        select: { createdAt: true, expiresAt: true },
      }),

    async listFurtherSigning(clinicId) {
      const rows = await prisma.secret.findMany({
        where: { clinicId, kind: 'endpoint-signing', OR: [{ expiresAt: null }, { expiresAt: { gt: new Date() } }] },
        orderBy: { createdAt: 'desc' },
        select: { name: true, createdAt: true, expiresAt: true },
      });
      return rows.map(({ name: endpointId, ...secret }) => ({ ...secret, endpointId }));
    },

    async signingSecrets(clinicId, endpointId = FIRST_ENDPOINT) {
      const { kind, name, context } = signingOf(clinicId, endpointId);
      const rows = await sql<{ ciphertext: string }>`
        select ciphertext from secrets
        where clinic_id = ${clinicId} and kind = ${kind} and (name = ${name} or ${name} = '') and ciphertext is not null
          and coalesce(expires_at > now(), true)
        order by created_at desc`;
      try {
        return rows.map(({ ciphertext }) => decrypt(secretKeys, ciphertext, context));
      } catch (error) {
        const { message = 'unknown' } = error as Partial<Error>;
        throw new UnreadableSecretError(message, { cause: error });
      }
    },

    async rotateVoice(clinicId, by) {
      const secret = randomToken();
      const ciphertext = encrypt(secretKeys, secret, voiceContext(clinicId));
      await rotate({ clinicId, kind: 'voice', name: '', by }, { hash: sha256Hex(secret), ciphertext });
      return secret;
    },

    async voiceSecret(clinicId) {
      const [newest] = await sql<{ ciphertext: string }>`
        select ciphertext from secrets
        where clinic_id = ${clinicId} and kind = 'voice' and ciphertext is not null and expires_at is null`;
      return newest ? decrypt(secretKeys, newest.ciphertext, voiceContext(clinicId)) : null;
    },

    async clinicOfVoiceSecret(secret) {
      const [found] = await sql<{ id: string; clinicId: string }>`
        select id, clinic_id as "clinicId" from secrets
        where kind = 'voice' and hash = ${sha256Hex(secret)} and coalesce(expires_at > now(), true)`;
      return found ?? null;
    },

    listVoice: (clinicId) =>
      prisma.secret.findMany({
        where: { clinicId, kind: 'voice', OR: [{ expiresAt: null }, { expiresAt: { gt: new Date() } }] },
        orderBy: { createdAt: 'desc' },
        select: { createdAt: true, expiresAt: true, lastUsedAt: true },
      }),
  };
}

import { newSigningSecret } from '@clinic/shared/signing';
import { decrypt, encrypt, newId, randomToken, sha256Hex } from '@clinic/shared/crypto';
import type { KeyRing } from '@clinic/shared/config';
import type { Database } from '../client';

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
  /** Makes an API key. Its text is in the answer and nowhere else. */
  createApiKey(input: {
    clinicId: string;
    name: string;
  }): Promise<{ id: string; name: string; prefix: string; key: string }>;
  listApiKeys(clinicId: string): Promise<ApiKeyRecord[]>;
  /** False when the clinic has no such key. */
  revokeApiKey(clinicId: string, id: string): Promise<boolean>;
  /** The clinic of a live key, or null. */
  clinicOfApiKey(key: string): Promise<{ id: string; clinicId: string } | null>;
  touchApiKey(id: string): Promise<void>;
  /** Makes a new secret for an inbound URL; the one before lives on for a day. */
  rotateInbound(clinicId: string, name: string): Promise<string>;
  retirePreviousInbound(clinicId: string, name: string): Promise<boolean>;
  /** Digests of the secrets that open a URL now, newest first. */
  inboundDigests(clinicId: string, name: string): Promise<{ id: string; hash: string }[]>;
  listInbound(clinicId: string): Promise<InboundSecretRecord[]>;
  touchInbound(id: string): Promise<void>;
  rotateSigning(clinicId: string): Promise<string>;
  /** The secrets outgoing events are signed with now, newest first. */
  signingSecrets(clinicId: string): Promise<string[]>;
}

export function createKeyStores({ sql, transaction, prisma }: Database, secretKeys: KeyRing): KeyStores {
  const signingContext = (clinicId: string) => `${clinicId}/outbound-signing`;

  const rotate = (clinicId: string, kind: string, name: string, stored: { hash?: string; ciphertext?: string }) =>
    transaction(async (tx) => {
      await tx`
        update secrets set expires_at = now() + make_interval(hours => ${OVERLAP_HOURS})
        where clinic_id = ${clinicId} and kind = ${kind} and name = ${name} and expires_at is null`;
      // Two may be live while rotating, never three.
      await tx`
        delete from secrets where clinic_id = ${clinicId} and kind = ${kind} and name = ${name} and id not in (
          select id from secrets where clinic_id = ${clinicId} and kind = ${kind} and name = ${name}
          order by created_at desc, id desc limit 1)`;
      await tx`
        insert into secrets (id, clinic_id, kind, name, hash, ciphertext)
        values (${newId()}, ${clinicId}, ${kind}, ${name}, ${stored.hash ?? null}, ${stored.ciphertext ?? null})`;
    });

  return {
    async createApiKey({ clinicId, name }) {
      const key = `ck_${randomToken()}`;
      const row = { id: newId(), clinicId, name, prefix: key.slice(0, 10), hash: sha256Hex(key) };
      await prisma.apiKey.create({ data: row });
      return { id: row.id, name, prefix: row.prefix, key };
    },

    listApiKeys: (clinicId) =>
      prisma.apiKey.findMany({
        where: { clinicId, revokedAt: null },
        orderBy: { createdAt: 'desc' },
        select: { id: true, name: true, prefix: true, createdAt: true, lastUsedAt: true },
      }),

    async revokeApiKey(clinicId, id) {
      const { count } = await prisma.apiKey.updateMany({
        where: { clinicId, id, revokedAt: null },
        data: { revokedAt: new Date() },
      });
      return count > 0;
    },

    async clinicOfApiKey(key) {
      const [found] = await sql<{ id: string; clinicId: string }>`
        select id, clinic_id as "clinicId" from api_keys where hash = ${sha256Hex(key)} and revoked_at is null`;
      return found ?? null;
    },

    async touchApiKey(id) {
      await sql`update api_keys set last_used_at = now() where id = ${id}`;
    },

    async rotateInbound(clinicId, name) {
      const secret = randomToken();
      await rotate(clinicId, 'inbound', name, { hash: sha256Hex(secret) });
      return secret;
    },

    async retirePreviousInbound(clinicId, name) {
      const { count } = await prisma.secret.deleteMany({
        where: { clinicId, kind: 'inbound', name, expiresAt: { not: null } },
      });
      return count > 0;
    },

    inboundDigests: (clinicId, name) => sql<{ id: string; hash: string }>`
      select id, hash from secrets
      where clinic_id = ${clinicId} and kind = 'inbound' and name = ${name} and coalesce(expires_at > now(), true)
      order by created_at desc`,

    listInbound: (clinicId) =>
      prisma.secret.findMany({
        where: { clinicId, kind: 'inbound', OR: [{ expiresAt: null }, { expiresAt: { gt: new Date() } }] },
        orderBy: { createdAt: 'desc' },
        select: { name: true, createdAt: true, expiresAt: true, lastUsedAt: true },
      }),

    async touchInbound(id) {
      await sql`update secrets set last_used_at = now() where id = ${id}`;
    },

    async rotateSigning(clinicId) {
      const secret = newSigningSecret();
      await rotate(clinicId, 'outbound-signing', '', {
        ciphertext: encrypt(secretKeys, secret, signingContext(clinicId)),
      });
      return secret;
    },

    async signingSecrets(clinicId) {
      const rows = await sql<{ ciphertext: string }>`
        select ciphertext from secrets
        where clinic_id = ${clinicId} and kind = 'outbound-signing' and coalesce(expires_at > now(), true)
        order by created_at desc`;
      return rows.map(({ ciphertext }) => decrypt(secretKeys, ciphertext, signingContext(clinicId)));
    },
  };
}

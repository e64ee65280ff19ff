import { type ClientKey, newClientKey } from '@clinic/shared/client-key';
import type { KeyRing } from '@clinic/shared/config';
import { KeyAlgorithm } from '@clinic/shared/contracts/events/approved-api';
import { decrypt, encrypt } from '@clinic/shared/crypto';
import { AppError } from '@clinic/shared/errors';
import { z } from 'zod';
import { bound } from '../../bound';
import type { Database } from '../../client';
import { type Actor, audit } from '../operations/audit';

/** A server may remember a key set for as long as we say; a new key signs when every memory of the old set has ended. */
const PUBLISHED_BEFORE_SIGNING_MINUTES = 15;
/** An assertion that was signed last holds for some minutes, and its key is looked up when it is read. */
const PUBLISHED_AFTER_SIGNING_MINUTES = 15;

export interface ClientKeyRecord {
  kid: string;
  algorithm: KeyAlgorithm;
  state: 'next' | 'signing' | 'previous';
  createdAt: Date;
  signsFrom: Date;
  retiresAt: Date | null;
}

const Jwk = z.record(z.string(), z.string());

/** The key pairs by which the service proves itself at the systems of clinics. Private halves are sealed. */
export const createClientKeyStores = (database: Database, secretKeys: KeyRing) =>
  bound({ database, secretKeys }, { create, list, published, signing: signingKey, remove });

interface Context {
  database: Database;
  secretKeys: KeyRing;
}

/** What the private half of a clinic's key is encrypted for. */
const purposeOf = (clinicId: string) => `${clinicId}/client-key`;

/**
 * Makes a key pair. The clinic's first signs at once; another is published at once, signs a quarter of an hour later, and the
 * one before retires a quarter of an hour after that. One of this id that is published already is left as it is. Throws `conflict`
 * while two are published.
 */
async function create(
  { database: { transaction }, secretKeys }: Context,
  clinicId: string,
  { kid, algorithm }: Pick<ClientKey, 'kid' | 'algorithm'>,
  by?: Actor,
): Promise<void> {
  const { publicJwk, privateJwk } = await newClientKey(algorithm, kid);
  const sealed = encrypt(secretKeys, JSON.stringify(privateJwk), purposeOf(clinicId));
  await transaction(async (tx) => {
    // One rotation at a time, so that two at once do not leave three keys.
    await tx`select pg_advisory_xact_lock(hashtextextended(${`client-keys:${clinicId}`}, 0))`;
    await tx`delete from client_keys where clinic_id = ${clinicId} and retires_at <= now()`;
    const before = await tx<{ kid: string }>`select kid from client_keys where clinic_id = ${clinicId}`;
    if (before.some((each) => each.kid === kid)) return;
    if (before.length > 1)
      throw new AppError('conflict', 'Two keys are published; wait until one has retired, or remove one');
    const wait = before.length === 0 ? 0 : PUBLISHED_BEFORE_SIGNING_MINUTES;
    await tx`
      update client_keys set retires_at = now() + make_interval(mins => ${wait + PUBLISHED_AFTER_SIGNING_MINUTES})
      where clinic_id = ${clinicId}`;
    await tx`
      insert into client_keys (clinic_id, kid, algorithm, public_jwk, private_key, signs_from)
      values (${clinicId}, ${kid}, ${algorithm}, ${JSON.stringify(publicJwk)}::jsonb, ${sealed},
        now() + make_interval(mins => ${wait}))`;
    await audit(tx, by, { clinicId, action: 'client-key.create', subject: kid, detail: { algorithm } });
  });
}

/** Those that are published, newest first. */
async function list({ database: { sql } }: Context, clinicId: string): Promise<ClientKeyRecord[]> {
  const rows = await sql<Omit<ClientKeyRecord, 'state' | 'algorithm'> & { algorithm: string; isNext: boolean }>`
    select kid, algorithm, created_at as "createdAt", signs_from as "signsFrom", retires_at as "retiresAt",
      signs_from > now() as "isNext"
    from client_keys where clinic_id = ${clinicId} and coalesce(retires_at > now(), true)
    order by created_at desc, kid desc`;
  const signing = rows.find(({ isNext }) => !isNext) ?? rows.at(-1);
  return rows.map(({ isNext, algorithm, ...row }) => ({
    ...row,
    algorithm: KeyAlgorithm.parse(algorithm),
    state: row.kid === signing?.kid ? 'signing' : isNext ? 'next' : 'previous',
  }));
}

/** Their public halves; none for a clinic that is not known. */
async function published({ database: { sql } }: Context, clinicId: string): Promise<Record<string, string>[]> {
  const rows = await sql<{ publicJwk: unknown }>`
    select public_jwk as "publicJwk" from client_keys
    where clinic_id = ${clinicId} and coalesce(retires_at > now(), true) order by created_at desc, kid desc`;
  return rows.map(({ publicJwk }) => Jwk.parse(publicJwk));
}

/** The one that signs now; null where there is none. */
async function signingKey({ database: { sql }, secretKeys }: Context, clinicId: string): Promise<ClientKey | null> {
  const [row] = await sql<{ kid: string; algorithm: string; publicJwk: unknown; privateKey: string }>`
    select kid, algorithm, public_jwk as "publicJwk", private_key as "privateKey" from client_keys
    where clinic_id = ${clinicId} and coalesce(retires_at > now(), true)
    order by signs_from > now(), created_at desc, kid desc limit 1`;
  if (!row) return null;
  const { kid, algorithm, publicJwk, privateKey } = row;
  return {
    kid,
    algorithm: KeyAlgorithm.parse(algorithm),
    publicJwk: Jwk.parse(publicJwk),
    privateJwk: Jwk.parse(JSON.parse(decrypt(secretKeys, privateKey, purposeOf(clinicId)))),
  };
}

/** Withdraws a key at once; another that is published signs from now on. False when there is none of this id. */
const remove = ({ database: { transaction } }: Context, clinicId: string, kid: string, by?: Actor): Promise<boolean> =>
  transaction(async (tx) => {
    await tx`select pg_advisory_xact_lock(hashtextextended(${`client-keys:${clinicId}`}, 0))`;
    const [removed] = await tx<{ kid: string }>`
      delete from client_keys where clinic_id = ${clinicId} and kid = ${kid} returning kid`;
    if (!removed) return false;
    await tx`
      update client_keys set retires_at = null, signs_from = least(signs_from, now())
      where clinic_id = ${clinicId} and coalesce(retires_at > now(), true)`;
    await audit(tx, by, { clinicId, action: 'client-key.remove', subject: kid });
    return true;
  });

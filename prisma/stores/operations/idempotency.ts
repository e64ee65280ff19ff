import type { KeyRing } from '@clinic/shared/config';
import { keyedDigests, newId } from '@clinic/shared/crypto';
import { bound } from '../../bound';
import type { Database } from '../../client';

/** A claim whose process died is free again after this long. */
const ABANDONED_SECONDS = 30;
/**
 * For so long from before it was asked for, a claim is surely one's own: what was sent by then is over before the claim is free, since
 * the database ends a statement, and a transaction in which nothing happens, after ten seconds (`openDatabase`).
 */
export const SURELY_HELD_MS = 20_000;

export interface IdempotencyKey {
  clinicId: string;
  route: string;
  key: string;
  /** Of what was asked. It is kept under a key: a body that names a patient could be found from its hash by trying. */
  requestHash: string;
}

/** What belongs to an answer beside its body. */
export interface BesidesAnswer {
  headers?: Readonly<Record<string, string>>;
  /** What the audit is told of it: whose data it holds, and what was changed. */
  subjects?: readonly (string | null)[];
  detail?: Readonly<Record<string, string | readonly string[]>>;
}

/** All null while the first request runs. */
interface StoredAnswer {
  status: number | null;
  body: string | null;
  contentType: string | null;
  refusal: string | null;
  besides: unknown;
}

/** A claim of one's own: what is written with it counts while nobody else has taken the request over. */
export type ClaimedKey = IdempotencyKey & { token: string };

export type IdempotencyClaim =
  | { kind: 'claimed'; token: string }
  | { kind: 'running' }
  | { kind: 'mismatch' }
  /** It was answered so long ago that the answer is no longer kept. */
  | { kind: 'forgotten' }
  | {
      kind: 'answered';
      status: number;
      body: string;
      contentType: string;
      refusal: string | null;
      besides: BesidesAnswer;
    };

interface Context {
  database: Database;
  secretKeys: KeyRing;
}

export const createIdempotencyStores = (database: Database, secretKeys: KeyRing) =>
  bound({ database, secretKeys }, { idUnder, secretUnder, claim, answer, release });

/** The id of what such a request makes: the same whenever it is made again. */
function idUnder({ secretKeys }: Context, request: IdempotencyKey): string {
  const digest = digestOf(secretKeys, 'ids of requests', request);
  return [8, 12, 16, 20, 32].map((end, index, ends) => digest.slice(ends[index - 1] ?? 0, end)).join('-');
}

/** The bytes of the secret that such a request makes: the same whenever it is made again, and nothing that the id says. */
function secretUnder({ secretKeys }: Context, request: IdempotencyKey): Buffer {
  return Buffer.from(digestOf(secretKeys, 'secrets of requests', request), 'hex');
}

/** By the oldest key of the ring, which stays longest. */
function digestOf(secretKeys: KeyRing, purpose: string, { clinicId, route, key, requestHash }: IdempotencyKey): string {
  const oldest = keyedDigests(secretKeys, purpose, [clinicId, route, key, requestHash]).at(-1);
  if (oldest === undefined) throw new Error('the key ring is empty');
  return oldest.slice(oldest.indexOf(':') + 1);
}

async function claim(
  { database: { sql }, secretKeys }: Context,
  { clinicId, route, key, requestHash }: IdempotencyKey,
): Promise<IdempotencyClaim> {
  const token = newId();
  // Under all keys: while a key is added or dropped, processes with it and without it know each other's requests.
  const hashes = keyedDigests(secretKeys, 'requests', [requestHash]);
  const [claimed] = await sql`
    insert into idempotency_records (clinic_id, route, key, request_hash, claim_token)
    values (${clinicId}, ${route}, ${key}, ${hashes.join(' ')}, ${token})
    on conflict (clinic_id, route, key) do update set created_at = now(), claim_token = excluded.claim_token
      where idempotency_records.status is null and string_to_array(idempotency_records.request_hash, ' ') && ${hashes}::text[]
        and idempotency_records.created_at < now() - make_interval(secs => ${ABANDONED_SECONDS})
    returning key`;
  if (claimed) return { kind: 'claimed', token };
  const [found] = await sql<StoredAnswer & { requestHash: string }>`
    select request_hash as "requestHash", status, body, content_type as "contentType", refusal, besides from idempotency_records
    where clinic_id = ${clinicId} and route = ${route} and key = ${key}`;
  if (!found) return { kind: 'running' };
  if (!found.requestHash.split(' ').some((hash) => hashes.includes(hash))) return { kind: 'mismatch' };
  const { status, body, contentType, refusal, besides } = found;
  if (status === null) return { kind: 'running' };
  if (body === null || contentType === null) return { kind: 'forgotten' };
  return { kind: 'answered', status, body, contentType, refusal, besides: besides ?? {} };
}

async function answer(
  { database: { sql } }: Context,
  {
    clinicId,
    route,
    key,
    token,
    status,
    body,
    contentType,
    refusal,
    besides = {},
  }: ClaimedKey & { status: number; body: string; contentType: string; refusal?: string; besides?: BesidesAnswer },
): Promise<void> {
  await sql`
    update idempotency_records set status = ${status}, body = ${body}, content_type = ${contentType}, refusal = ${refusal ?? null},
      besides = ${JSON.stringify(besides)}::jsonb
    where clinic_id = ${clinicId} and route = ${route} and key = ${key} and claim_token = ${token} and status is null`;
}

async function release({ database: { sql } }: Context, { clinicId, route, key, token }: ClaimedKey): Promise<void> {
  await sql`
    delete from idempotency_records
    where clinic_id = ${clinicId} and route = ${route} and key = ${key} and claim_token = ${token} and status is null`;
}

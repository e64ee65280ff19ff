import { newId } from '@clinic/shared/crypto';
import { bound } from '../../bound';
import type { Database } from '../../client';

/** A claim whose process died is free again after this long. */
const ABANDONED_SECONDS = 30;

export interface IdempotencyKey {
  clinicId: string;
  route: string;
  key: string;
  requestHash: string;
}

/** All null while the first request runs. */
interface StoredAnswer {
  status: number | null;
  body: string | null;
  contentType: string | null;
  refusal: string | null;
}

/** A claim of one's own: what is written with it counts while nobody else has taken the request over. */
export type ClaimedKey = IdempotencyKey & { token: string };

export type IdempotencyClaim =
  | { kind: 'claimed'; token: string }
  | { kind: 'running' }
  | { kind: 'mismatch' }
  /** It was answered so long ago that the answer is no longer kept. */
  | { kind: 'forgotten' }
  | { kind: 'answered'; status: number; body: string; contentType: string; refusal: string | null };

export const createIdempotencyStores = (database: Database) => bound(database, { claim, answer, release });

async function claim(
  { sql }: Database,
  { clinicId, route, key, requestHash }: IdempotencyKey,
): Promise<IdempotencyClaim> {
  const token = newId();
  const [claimed] = await sql`
    insert into idempotency_records (clinic_id, route, key, request_hash, claim_token)
    values (${clinicId}, ${route}, ${key}, ${requestHash}, ${token})
    on conflict (clinic_id, route, key) do update set created_at = now(), claim_token = excluded.claim_token
      where idempotency_records.status is null and idempotency_records.request_hash = excluded.request_hash
        and idempotency_records.created_at < now() - make_interval(secs => ${ABANDONED_SECONDS})
    returning key`;
  if (claimed) return { kind: 'claimed', token };
  const [found] = await sql<StoredAnswer & { requestHash: string }>`
    select request_hash as "requestHash", status, body, content_type as "contentType", refusal from idempotency_records
    where clinic_id = ${clinicId} and route = ${route} and key = ${key}`;
  if (!found) return { kind: 'running' };
  if (found.requestHash !== requestHash) return { kind: 'mismatch' };
  const { status, body, contentType, refusal } = found;
  if (status === null) return { kind: 'running' };
  if (body === null || contentType === null) return { kind: 'forgotten' };
  return { kind: 'answered', status, body, contentType, refusal };
}

async function answer(
  { sql }: Database,
  {
    clinicId,
    route,
    key,
    token,
    status,
    body,
    contentType,
    refusal,
  }: ClaimedKey & { status: number; body: string; contentType: string; refusal?: string },
): Promise<void> {
  await sql`
    update idempotency_records set status = ${status}, body = ${body}, content_type = ${contentType}, refusal = ${refusal ?? null}
    where clinic_id = ${clinicId} and route = ${route} and key = ${key} and claim_token = ${token} and status is null`;
}

async function release({ sql }: Database, { clinicId, route, key, token }: ClaimedKey): Promise<void> {
  await sql`
    delete from idempotency_records
    where clinic_id = ${clinicId} and route = ${route} and key = ${key} and claim_token = ${token} and status is null`;
}

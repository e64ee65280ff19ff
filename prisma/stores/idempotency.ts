import type { Database } from '../client';

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
}

export type IdempotencyClaim =
  | { kind: 'claimed' }
  | { kind: 'running' }
  | { kind: 'mismatch' }
  /** It was answered so long ago that the answer is no longer kept. */
  | { kind: 'forgotten' }
  | { kind: 'answered'; status: number; body: string; contentType: string };

export interface IdempotencyStores {
  claim(key: IdempotencyKey): Promise<IdempotencyClaim>;
  answer(input: IdempotencyKey & { status: number; body: string; contentType: string }): Promise<void>;
  release(key: IdempotencyKey): Promise<void>;
}

export function createIdempotencyStores({ sql }: Database): IdempotencyStores {
  return {
    async claim({ clinicId, route, key, requestHash }) {
      const [claimed] = await sql`
        insert into idempotency_records (clinic_id, route, key, request_hash)
        values (${clinicId}, ${route}, ${key}, ${requestHash})
        on conflict (clinic_id, route, key) do update set created_at = now()
          where idempotency_records.status is null and idempotency_records.request_hash = excluded.request_hash
            and idempotency_records.created_at < now() - make_interval(secs => ${ABANDONED_SECONDS})
        returning key`;
      if (claimed) return { kind: 'claimed' };
      const [found] = await sql<StoredAnswer & { requestHash: string }>`
        select request_hash as "requestHash", status, body, content_type as "contentType" from idempotency_records
        where clinic_id = ${clinicId} and route = ${route} and key = ${key}`;
      if (!found) return { kind: 'running' };
      if (found.requestHash !== requestHash) return { kind: 'mismatch' };
      const { status, body, contentType } = found;
      if (status === null) return { kind: 'running' };
      if (body === null || contentType === null) return { kind: 'forgotten' };
      return { kind: 'answered', status, body, contentType };
    },

    async answer({ clinicId, route, key, status, body, contentType }) {
      await sql`
        update idempotency_records set status = ${status}, body = ${body}, content_type = ${contentType}
        where clinic_id = ${clinicId} and route = ${route} and key = ${key}`;
    },

    async release({ clinicId, route, key }) {
      await sql`
        delete from idempotency_records
        where clinic_id = ${clinicId} and route = ${route} and key = ${key} and status is null`;
    },
  };
}

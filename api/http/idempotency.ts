import { isRefusalReason } from '@clinic/shared/domain/calendar/refusals';
import type { Request } from 'express';
import { newId, sha256Hex } from '@clinic/shared/crypto';
import { AppError } from '@clinic/shared/errors';
import type { Stores } from '@clinic/prisma/stores';
import type { NewSecret } from '@clinic/prisma/stores/accounts/keys';
import { SURELY_HELD_MS } from '@clinic/prisma/stores/operations/idempotency';
import { whileHeld } from '@clinic/prisma/while-held';
import { setTimeout as delay } from 'node:timers/promises';
import type { Caller, Reply } from './route';

const TWIN_WAIT_MS = 10_000;

export interface IdempotentReplies {
  /** The request's `Idempotency-Key`, or null. Throws for one that is not 1 to 200 visible characters. */
  keyOf(request: Request): string | null;
  /**
   * Runs `work` once per clinic, route and key; repeats its response. Another body under the same key is 422. While a process is frozen
   * another may take the request over: what the first would do to the records later than that fails.
   */
  once(about: Repeatable, work: Work): Promise<Reply>;
  /** The id of what such a request makes. A repeat finds it even when the first response was never stored. */
  idUnder(about: Repeatable): string;
  /** The same of a secret that such a request makes; null where the caller is of no clinic. */
  secretUnder(about: Repeatable): Pick<NewSecret, 'id' | 'bytes'> | null;
}

/** `wasMade`: it was answered before, and makes its reply again. */
type Work = (wasMade?: boolean) => Promise<Reply>;

interface Repeatable {
  key: string;
  caller: Caller;
  request: Request;
  /** What it makes is never kept in a reply: a repeat makes the reply again. */
  showsSecret?: boolean;
}

/** First responses are kept, also refusals that would stand; a failure of ours is not, so that a retry can succeed. */
export function createIdempotentReplies({ stores }: { stores: Stores }): IdempotentReplies {
  return {
    keyOf(request) {
      const key = request.headers['idempotency-key'];
      if (key === undefined) return null;
      if (typeof key === 'string' && /^[\x21-\x7e]{1,200}$/.test(key)) return key;
      throw new AppError('bad_request', 'Idempotency-Key must be 1 to 200 visible ASCII characters');
    },

    async once({ key, caller, request, showsSecret = false }, work) {
      const claim = claimOf({ key, caller, request });
      if (!claim) return work();
      const deadline = Date.now() + TWIN_WAIT_MS;
      let [token, heldUntil] = ['', 0];
      for (;;) {
        heldUntil = Date.now() + SURELY_HELD_MS;
        const found = await stores.idempotency.claim(claim);
        if (found.kind === 'mismatch') {
          throw new AppError('idempotency_key_reused', 'This Idempotency-Key was used before with another request');
        }
        if (found.kind === 'forgotten') {
          const message = 'This Idempotency-Key was used before, so long ago that its answer is no longer kept';
          throw new AppError('idempotency_key_reused', message);
        }
        if (found.kind === 'answered' && found.body === NOT_KEPT) return { ...(await work(true)), isRepeated: true };
        if (found.kind === 'answered') {
          const { status, body, contentType: type, refusal, besides } = found;
          const isRepeated = true;
          return {
            ...besides,
            status,
            body,
            type,
            refusal: isRefusalReason(refusal) ? refusal : undefined,
            isRepeated,
          };
        }
        if (found.kind === 'claimed') {
          token = found.token;
          break;
        }
        if (Date.now() > deadline)
          throw new AppError('unavailable', 'The first request with this key is still running');
        await delay(25);
      }
      try {
        const reply = await whileHeld(heldUntil, async () => work());
        if (passing.has(reply.status ?? 200)) {
          await stores.idempotency.release({ ...claim, token });
          return reply;
        }
        const body = typeof reply.body === 'string' ? reply.body : JSON.stringify(reply.body ?? null);
        const { status = 200, type: contentType = 'application/json; charset=utf-8', refusal } = reply;
        const { headers, subjects, detail } = reply;
        const besides = { headers, subjects, detail };
        const kept = showsSecret && status < 400 ? NOT_KEPT : body;
        await stores.idempotency.answer({ ...claim, token, status, body: kept, contentType, refusal, besides });
        return { ...reply, body, type: contentType };
      } catch (error) {
        await stores.idempotency.release({ ...claim, token });
        throw error;
      }
    },

    idUnder(about) {
      const claim = claimOf(about);
      return claim ? stores.idempotency.idUnder(claim) : newId();
    },

    secretUnder(about) {
      const claim = claimOf(about);
      if (!claim) return null;
      return { id: stores.idempotency.idUnder(claim), bytes: stores.idempotency.secretUnder(claim) };
    },
  };
}

/** In place of a reply that shows a secret; none is empty. */
const NOT_KEPT = '';

/** Refusals of a header, which the same key and body may not meet again: a version that is missing, or no longer the newest. */
const passing: ReadonlySet<number> = new Set([412, 428]);

function claimOf({ key, caller, request }: Repeatable) {
  const clinicId = 'clinicId' in caller ? caller.clinicId : null;
  if (clinicId === null) return null;
  const requestHash = sha256Hex(JSON.stringify(request.body ?? null));
  return { clinicId, route: `${request.method} ${request.path}`, key, requestHash };
}

import type { Request } from 'express';
import { parseJson } from '@clinic/shared/domain/json';
import type { Exchange as WatchedExchange, Operation } from '@clinic/shared/domain/sandbox/exchange';
import { REFUSAL_HEADER, refusals, type RefusalReason } from '@clinic/shared/domain/calendar/refusals';
import { describeError, type Logger } from '@clinic/shared/log';
import type { Changes } from '@clinic/prisma/changes';
import type { Stores } from '@clinic/prisma/stores';
import type { Exchange, Observers } from '@clinic/api/http/exchange';
import type { Reply } from '@clinic/api/http/route';
import { factsOf, operationOf } from './facts';

export type Observed = Omit<WatchedExchange, 'number'>;

/** What validation runs see of their clinics' requests. While no run is under way it does nothing but look into an empty map. */
export interface Watch extends Observers {
  /** A request whose credential was refused: it is known by the run in which the credential worked before. */
  refused(exchange: Exchange): void;
  /** Adds what a run itself has done. */
  add(clinicId: string, exchange: Observed): void;
  /** Stores what was watched of a clinic so far. */
  flush(clinicId: string): Promise<void>;
  /** A run of the clinic was started or ended in this process. */
  changed(run: { clinicId: string }): Promise<void>;
  digest(text: string): string;
  /** Stores what is left, and watches no more. */
  close(): Promise<void>;
}

/** What is looked at of an exchange; its path's parameters are kept apart, as Express takes them from a request that has failed. */
type Asked = Pick<Exchange, 'name' | 'request' | 'response' | 'startedAt'> & { params?: Record<string, unknown> };

/** Runs end by themselves: anyone who finds one whose time is over has it ended. */
export type EndOverdue = (run: { clinicId: string; id: string; endsAt: Date }) => Promise<void>;

const FLUSH_MS = 150;
const FLUSH_AT = 50;
const RELOAD_MS = 250;
/** Look-ups of refused credentials that may be under way at once: more are not looked up. */
const MAX_LOOKUPS = 4;
/** More than this waits only where the database does not take it. */
const MAX_WAITING = 2_000;
const LONG_BODY = 64 * 1024;
const TRY_AGAIN_MS = 5_000;

interface WatchedRun {
  id: string;
  clinicId: string;
  endsAtMs: number;
  waiting: Observed[];
}

export function createWatch({
  stores,
  changes,
  digest,
  endOverdue,
  log,
}: {
  stores: Pick<Stores, 'validationRuns'>;
  changes: Pick<Changes, 'subscribe'>;
  /** Of credentials and bodies: nobody without the service's keys finds out what they were. */
  digest: (text: string) => string;
  endOverdue: EndOverdue;
  log: Logger;
}): Watch {
  const runs = new Map<string, WatchedRun>();
  let timer: NodeJS.Timeout | undefined;
  let reloading: NodeJS.Timeout | undefined;
  let lookups = 0;
  let isClosed = false;
  const failed = (error: unknown) => log.warn(describeError(error), 'a validation run could not be kept up to date');

  // One after the other: an older look must not forget what a newer one has found.
  let loading: Promise<void> = Promise.resolve();
  const load = (): Promise<void> => {
    loading = loading.catch(() => undefined).then(look);
    return loading;
  };
  const look = async () => {
    const found = await stores.validationRuns.unended();
    const now = Date.now();
    const kept = new Set<string>();
    for (const run of found) {
      if (run.endsAt.getTime() <= now) {
        await endOverdue(run);
        continue;
      }
      kept.add(run.clinicId);
      const known = runs.get(run.clinicId);
      if (known?.id === run.id) continue;
      runs.set(run.clinicId, { id: run.id, clinicId: run.clinicId, endsAtMs: run.endsAt.getTime(), waiting: [] });
    }
    for (const [clinicId, run] of runs) {
      if (kept.has(clinicId)) continue;
      await store(run);
      runs.delete(clinicId);
    }
    planEnd();
  };

  const store = async (run: WatchedRun) => {
    while (run.waiting.length > 0) {
      const some = run.waiting.splice(0, FLUSH_AT);
      await stores.validationRuns.observe(run.clinicId, run.id, some);
    }
  };
  // One after the other, so that what is read after a flush holds what was watched before it.
  let storing: Promise<unknown> = Promise.resolve();
  const flush = (wanted: WatchedRun[]) => {
    const earlier = storing;
    storing = (async () => {
      await earlier;
      for (const run of wanted) await store(run).catch(failed);
    })();
    return storing;
  };
  const keep = (run: WatchedRun, exchange: Observed) => {
    if (run.waiting.length >= MAX_WAITING) return;
    run.waiting.push(exchange);
    timer ??= setTimeout(() => {
      timer = undefined;
      void flush([...runs.values()]);
    }, FLUSH_MS).unref();
  };

  /** Looks again when a change was told, and when the next run is over. */
  const reloadIn = (ms: number) => {
    if (isClosed) return;
    reloading ??= setTimeout(
      () => {
        reloading = undefined;
        load().catch((error: unknown) => {
          failed(error);
          reloadIn(TRY_AGAIN_MS);
        });
      },
      Math.min(ms, 3_600_000),
    ).unref();
  };
  let ending: NodeJS.Timeout | undefined;
  const planEnd = () => {
    clearTimeout(ending);
    if (isClosed || runs.size === 0) return;
    const next = Math.min(...[...runs.values()].map(({ endsAtMs }) => endsAtMs));
    ending = setTimeout(() => reloadIn(0), Math.max(next - Date.now(), 0) + 1).unref();
  };
  const unsubscribe = changes.subscribe(({ table, id }) => {
    if (table === '*') return reloadIn(0);
    if (table !== 'validation_runs') return;
    // What is watched grows all the time; only a beginning or an end is news.
    reloadIn(id === '*' ? 0 : RELOAD_MS);
  });

  const runOf = (clinicId: string | null): WatchedRun | null => {
    if (runs.size === 0 || clinicId === null) return null;
    const run = runs.get(clinicId);
    return run && run.endsAtMs > Date.now() ? run : null;
  };

  const observe = (run: WatchedRun, operation: Operation, asked: Asked, reply: Reply | null) => {
    try {
      keep(run, observedOf(operation, asked, reply, digest));
    } catch (error) {
      failed(error);
    }
  };

  const lookUp = async (asked: Asked, operation: Operation, credential: string): Promise<void> => {
    // The credential may have worked just now.
    await flush([...runs.values()]);
    const found = await stores.validationRuns.runOfCredential(credential);
    const run = found && runOf(found.clinicId);
    if (run && run.id === found.id) observe(run, operation, asked, null);
  };

  return {
    observe({ caller, name, request, response, startedAt }) {
      const run = runOf('clinicId' in caller ? caller.clinicId : null);
      const operation = run && operationOf(name);
      if (!run || !operation) return null;
      const asked: Asked = { name, request, response, startedAt, params: request.params };
      let reply: Reply | null = null;
      let isDone = false;
      const both = () => isDone && observe(run, operation, asked, reply);
      // A client may go away long before its request is done.
      response.once('close', both);
      return {
        replied: (sent) => void (reply = sent),
        done: () => {
          isDone = true;
          if (response.closed) both();
        },
      };
    },

    refused(asked) {
      const operation = runs.size > 0 ? operationOf(asked.name) : null;
      const token = asked.request.headers.authorization;
      if (!operation || !token) return;
      const credential = digest(token);
      asked.response.once('close', () => {
        if (lookups >= MAX_LOOKUPS) return;
        lookups += 1;
        lookUp(asked, operation, credential)
          .catch(failed)
          .finally(() => (lookups -= 1));
      });
    },

    add(clinicId, exchange) {
      const run = runOf(clinicId);
      if (run) keep(run, exchange);
    },

    async flush(clinicId) {
      const run = runs.get(clinicId);
      if (run) await flush([run]);
    },

    async changed() {
      await load();
    },

    digest,

    async close() {
      isClosed = true;
      unsubscribe();
      clearTimeout(timer);
      clearTimeout(reloading);
      await flush([...runs.values()]);
    },
  };
}

function observedOf(
  operation: Operation,
  { request, response, startedAt, params = {} }: Asked,
  reply: Reply | null,
  digest: (text: string) => string,
): Observed {
  const { authorization, 'idempotency-key': ownKey, 'if-none-exist': condition } = request.headers;
  const key = ownKey ?? (operation === 'create' ? condition : undefined);
  const refusal = response.getHeader(REFUSAL_HEADER);
  const retryAfter = Number(response.getHeader('retry-after'));
  return {
    at: new Date(startedAt).toISOString(),
    durationMs: Math.max(0, Date.now() - startedAt),
    operation,
    status: response.writableFinished ? response.statusCode : null,
    credential: authorization === undefined ? null : digest(authorization),
    key: typeof key === 'string' ? digest(key) : null,
    request: digest(`${request.method} ${request.originalUrl} ${bodyText(request)}`),
    retryAfterSeconds: retryAfter > 0 ? retryAfter : null,
    refusal: typeof refusal === 'string' && Object.hasOwn(refusals, refusal) ? (refusal as RefusalReason) : null,
    facts: factsOf(operation, {
      request,
      params,
      // Of open times there may be hundreds, and a note may be long.
      reply: operation === 'slots' || operation === 'note' ? null : parsed(reply?.body),
      text: operation === 'slots' ? textOf(reply?.body) : '',
      observed: reply?.facts ?? {},
      digest,
    }),
  };
}

/** A body is told by its text, a long one by its length: hashing megabytes would keep others waiting. */
function bodyText({ headers, body }: { headers: Request['headers']; body?: unknown }): string {
  const length = Number(headers['content-length'] ?? 0);
  return length > LONG_BODY ? `of ${length} bytes` : textOf(body);
}

const textOf = (body: unknown): string => (typeof body === 'string' ? body : (JSON.stringify(body) ?? ''));

const parsed = (body: unknown): unknown => (typeof body === 'string' ? parseJson(body) : (body ?? null));

import express, { type Request, type RequestHandler, type Response } from 'express';
import { newId } from '@clinic/shared/crypto';
import { parse } from '@clinic/shared/contracts/parse';
import { unstorablePart } from '@clinic/shared/domain/storable';
import { AppError } from '@clinic/shared/errors';
import { inTime } from './deadline';
import type { Exchange } from './exchange';
import type { IdempotentReplies } from './idempotency';
import { assertParsable } from './json-bounds';
import { type Access, actorOf, type Caller, type Route, type RouteRequest } from './route';

export interface ReadDeps {
  idempotency: IdempotentReplies;
  /** How long a body may take to arrive. */
  bodyTimeoutMs: number;
}

/** A body that is larger is for a route that says so. */
const SMALL = 256 * 1_024;

/** What a request asks, as its route's schemas read it. What few handlers need is made when it is read. */
export class AskedRequest implements RouteRequest<Access, unknown, unknown, unknown> {
  readonly headers: Request['headers'];
  readonly requestId: string;
  /** It was answered before; its reply is made again. */
  wasMade = false;

  constructor(
    readonly caller: never,
    readonly params: unknown,
    readonly query: unknown,
    readonly body: unknown,
    /** Its `Idempotency-Key`, where the route takes one. */
    readonly key: string | null,
    private readonly raw: { request: Request; response: Response; idempotency: IdempotentReplies },
  ) {
    this.headers = raw.request.headers;
    this.requestId = raw.request.id;
  }

  get by() {
    return actorOf(this.caller, this.requestId);
  }

  get ip() {
    return this.raw.request.ip ?? '';
  }

  get repeatId() {
    const { key, caller } = this;
    const { request, idempotency } = this.raw;
    return key ? idempotency.idUnder({ key, caller, request }) : undefined;
  }

  get idOfNew() {
    return this.repeatId ?? newId();
  }

  get newSecret() {
    const { key, caller, wasMade } = this;
    const { request, idempotency } = this.raw;
    const made = key && idempotency.secretUnder({ key, caller, request });
    return made ? { ...made, wasMade } : null;
  }

  get log() {
    return this.raw.request.log();
  }

  get signal() {
    return goneOf(this.raw.response);
  }
}

/** Reads the requests of a route: media type, size, JSON, path, query, body, in this order. */
export function requestReader(
  route: Route,
  { idempotency, bodyTimeoutMs }: ReadDeps,
): (exchange: Exchange, caller: Caller) => Promise<AskedRequest> {
  const readBody = bodyReader(route, bodyTimeoutMs);
  return async (exchange, caller) => {
    const { request, response } = exchange;
    const takesBody = route.takesBody?.(caller) ?? true;
    if (readBody && takesBody) await readBody(exchange);
    const path = storable(request.params, 'The path');
    const params: unknown = route.params ? parse(route.params, path) : path;
    const found = readQuery(request, route.repeatable);
    const query: unknown = route.query ? parse(route.query, found) : found;
    const sent: unknown = route.readsBodyItself ? request.body : storable(request.body, 'The request body');
    const body: unknown = route.body && takesBody ? parse(route.body, sent) : undefined;
    const key = route.isIdempotent ? idempotency.keyOf(request) : null;
    return new AskedRequest(caller as never, params, query, body, key, { request, response, idempotency });
  };
}

/** Reads a body only where the route takes one, after the caller is known to be allowed. */
function bodyReader(route: Route, timeoutMs: number): ((exchange: Exchange) => Promise<void>) | null {
  if (!route.body) return null;
  const consumes = route.consumes ?? ['application/json'];
  const read = readerOf(route, consumes);
  return async (exchange) => {
    const { request, response } = exchange;
    const hasBody =
      request.headers['transfer-encoding'] !== undefined || Number(request.headers['content-length'] ?? 0) > 0;
    if (hasBody && !request.is(consumes)) {
      throw new AppError('unsupported_media_type', `The request body must be ${consumes.join(' or ')}`);
    }
    const reading = () =>
      new Promise<void>((resolve, reject) => {
        read(request, response, (error?: unknown) => (error ? reject(error) : resolve()));
      });
    // Most bodies came with their headers: they wait for nothing.
    if (!hasBody || request.complete) return reading();
    try {
      await exchange.stepAside(inTime(reading(), timeoutMs, tooSlow));
    } catch (error) {
      // What is still to come is not waited for.
      if (!request.complete) response.set('connection', 'close');
      throw error;
    }
  };
}

const tooSlow = () => new AppError('body_too_slow', 'The request body took too long to arrive');

function readerOf({ limit, mayBeLarge }: Route, consumes: string[]): RequestHandler {
  const how = { limit: limit ?? SMALL, type: () => true };
  if (consumes.includes('text/csv')) return express.text(how);
  if (consumes.includes('application/x-www-form-urlencoded')) return express.urlencoded({ ...how, extended: false });
  return express.json({
    ...how,
    strict: false,
    verify(_request, _response, body, charset) {
      // In another encoding the bytes below say something else.
      if (charset !== 'utf-8') throw new AppError('unsupported_media_type', 'The request body must be UTF-8');
      if (body.length > SMALL && mayBeLarge?.(body) === false) {
        throw new AppError('payload_too_large', 'The request body is too large');
      }
      assertParsable(body);
    },
  });
}

/**
 * Of the address, and of the header `x-query`, which is written like a query: what names a person is sent there, for addresses are
 * kept in the logs of whatever stands in between.
 */
function readQuery(request: Request, repeatable: string[] = []): Record<string, unknown> {
  const query = { ...(request.query as Record<string, string | string[]>) };
  const header = request.headers['x-query'];
  const unnamed = new URLSearchParams(typeof header === 'string' ? header : '');
  for (const [name, value] of unnamed)
    query[name] = Object.hasOwn(query, name) ? [query[name] ?? '', value].flat() : value;
  for (const [name, value] of Object.entries(query)) {
    if (Array.isArray(value) && !repeatable.includes(name)) {
      throw new AppError('bad_request', `The query parameter ${name.slice(0, 50)} is given more than once`);
    }
  }
  return storable(query, 'The query');
}

function storable<T>(value: T, where: string): T {
  const refused = unstorablePart(value);
  if (!refused) return value;
  throw new AppError('bad_request', `${where} holds a character that is not allowed, or is nested too deeply`, [
    refused,
  ]);
}

/** Aborted when the client goes away before it has its response. */
function goneOf(response: Response): AbortSignal {
  const gone = new AbortController();
  response.on('close', () => !response.writableFinished && gone.abort());
  if (response.closed) gone.abort();
  return gone.signal;
}

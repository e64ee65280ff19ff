import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import express, { type Express, type Request, type RequestHandler, type Response } from 'express';
import { newId } from '@clinic/shared/crypto';
import { AppError } from '@clinic/shared/errors';
import { sendError } from './errors';
import type { Authenticator } from './authenticate';
import type { Limits } from './limits';
import type { IdempotentReplies } from './idempotency';
import { isStorable, parse } from './parse';
import type { Caller, Reply, Route } from './route';

export interface MountDeps {
  authenticator: Authenticator;
  limits: Limits;
  idempotency: IdempotentReplies;
}

/**
 * Mounts routes below a prefix, each behind the same checks in the same order (decisions, section 1): route and method,
 * credential, role, rate, media type, size, JSON, query, body; then the handler.
 */
export function mountRoutes(app: Express, prefix: string, routes: Route[], deps: MountDeps): void {
  const byPath = new Map<string, Route[]>();
  for (const each of routes) byPath.set(each.path, [...(byPath.get(each.path) ?? []), each]);
  for (const [path, members] of byPath) {
    const target = app.route(spellings(`${prefix}${path}`));
    for (const member of members) target[member.method](handlerOf(member, deps));
    const methods = members.map(({ method }) => method.toUpperCase());
    const allow = [...methods, ...(methods.includes('GET') ? ['HEAD'] : [])].join(', ');
    target.all((request, response) => {
      response.set('allow', allow);
      sendError(response, { status: 405, message: `${request.method} is not possible here; allowed: ${allow}` });
    });
  }
}

/** Some clients percent-encode the dollar sign of a FHIR operation. */
const spellings = (path: string): string | string[] => (path.includes('$') ? [path, path.replace('$', '%24')] : path);

function handlerOf(route: Route, { authenticator, limits, idempotency }: MountDeps): RequestHandler {
  const readBody = bodyReader(route);
  return async (request, response) => {
    response.locals.route = `${route.method.toUpperCase()} ${route.path}`;
    const caller = await admit(route, request, response, authenticator, limits);
    if (readBody) await readBody(request, response);
    const params = parse(route.params ?? anything, storable(request.params, 'The path'));
    const query = parse(route.query ?? anything, readQuery(request, route.repeatable));
    const sent: unknown = route.readsBodyItself ? request.body : storable(request.body, 'The request body');
    const body: unknown = route.body ? parse(route.body, sent) : undefined;
    const gone = new AbortController();
    response.on('close', () => !response.writableFinished && gone.abort());
    const key = route.isIdempotent ? idempotency.keyOf(request) : null;
    const handle = async () =>
      route.handle({
        caller: caller,
        ...{ params, query, body },
        headers: request.headers,
        ip: request.ip ?? '',
        requestId: request.id,
        idOfNew: key ? idempotency.idUnder({ key, caller, request }) : newId(),
        log: request.log,
        signal: gone.signal,
      });
    const reply = key ? await idempotency.once({ key, caller, request }, handle) : await handle();
    await sendReply(response, reply);
  };
}

async function admit(
  route: Route,
  request: Request,
  response: Response,
  authenticator: Authenticator,
  limits: Limits,
): Promise<Caller> {
  try {
    const caller = await authenticator.authenticate(route.access, request);
    await limits.count(caller);
    return caller;
  } catch (error) {
    if (
      error instanceof AppError &&
      error.code === 'unauthorized' &&
      route.access !== 'inbound' &&
      route.access !== 'voice'
    ) {
      response.set('www-authenticate', 'Bearer');
    }
    throw error;
  }
}

/** Reads a body only where the route takes one, after the caller is known to be allowed. */
function bodyReader(route: Route): ((request: Request, response: Response) => Promise<void>) | null {
  if (!route.body) return null;
  const consumes = route.consumes ?? ['application/json'];
  const read = express.json({ limit: route.limit ?? '256kb', type: () => true, strict: false });
  return (request, response) => {
    const hasBody =
      request.headers['transfer-encoding'] !== undefined || Number(request.headers['content-length'] ?? 0) > 0;
    if (hasBody && !request.is(consumes)) {
      throw new AppError('unsupported_media_type', `The request body must be ${consumes.join(' or ')}`);
    }
    return new Promise((resolve, reject) => {
      read(request, response, (error?: unknown) => (error ? reject(error) : resolve()));
    });
  };
}

function readQuery(request: Request, repeatable: string[] = []): Record<string, unknown> {
  const query = request.query as Record<string, string | string[]>;
  for (const [name, value] of Object.entries(query)) {
    if (Array.isArray(value) && !repeatable.includes(name)) {
      throw new AppError('bad_request', `The query parameter ${name.slice(0, 50)} is given more than once`);
    }
  }
  return storable({ ...query }, 'The query');
}

function storable<T>(value: T, where: string): T {
  if (!isStorable(value))
    throw new AppError('bad_request', `${where} holds a character that is not allowed, or is nested too deeply`);
  return value;
}

async function sendReply(response: Response, { status = 200, body, type, headers, stream }: Reply): Promise<void> {
  if (response.headersSent) return;
  response.status(status);
  if (headers) response.set(headers);
  if (stream) return sendStream(response.set('content-type', type ?? 'text/plain; charset=utf-8'), stream);
  if (body === undefined) return void response.end();
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  response.set('content-type', type ?? 'application/json; charset=utf-8').send(text);
}

/** A client that goes away ends its stream; that is no failure. */
async function sendStream(response: Response, stream: AsyncIterable<string>): Promise<void> {
  if (response.req.method === 'HEAD') return void response.end();
  // Nothing comes after a stream: its connection ends with it, so that a stop need not wait for an idle one.
  response.set('connection', 'close').flushHeaders();
  await pipeline(Readable.from(stream), response).catch((error: unknown) => {
    if (!response.destroyed) throw error;
  });
}

const anything = { safeParse: (value: unknown) => ({ success: true, data: value }) } as never;

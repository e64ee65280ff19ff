import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import express, { type Express, type Request, type RequestHandler, type Response } from 'express';
import { newId } from '@clinic/shared/crypto';
import { unstorablePart } from '@clinic/shared/domain/storable';
import { AppError } from '@clinic/shared/errors';
import { type ChosenFailures, operationOf } from '../fhir/chosen-failures';
import { sayWhy, sendError } from './errors';
import type { Authenticator } from './authenticate';
import type { Limits } from './limits';
import type { IdempotentReplies } from './idempotency';
import { parse } from './parse';
import type { NotePatientData } from './patient-audit';
import type { Access, Caller, Reply, Route, RouteRequest } from './route';
import type { Sight, Watch } from '../validation/watch';

export interface MountDeps {
  authenticator: Authenticator;
  limits: Limits;
  idempotency: IdempotentReplies;
  notePatientData: NotePatientData;
  /** Sees the requests of a clinic while a validation run of its is under way. */
  watch: Watch;
  chosenFailures: ChosenFailures;
}

/**
 * Mounts routes below a prefix, each behind the same checks in the same order (decisions, section 1): route and method,
 * credential, role, rate, media type, size, JSON, query, body; then the handler, and the audit of what it shows of patients.
 */
export function mountRoutes(app: Express, prefix: string, routes: Route[], deps: MountDeps): void {
  const byPath = new Map<string, Route[]>();
  for (const each of routes) byPath.set(each.path, [...(byPath.get(each.path) ?? []), each]);
  const targets = [...byPath].map(([path, members]) => ({
    path: `${prefix}${path}`,
    handle: dispatcherOf(members, deps),
  }));

  // Most paths hold no parameter: they are found at once, not by trying one pattern after the other.
  const exact = new Map(targets.filter(({ path }) => !path.includes(':')).map(({ path, handle }) => [path, handle]));
  app.use((request, response, next) => {
    const handle = exact.get(request.path);
    return handle ? handle(request, response, next) : next();
  });
  for (const { path, handle } of targets) app.all(spellings(path), handle);
}

/** The handler of a path's method; another method is 405. */
function dispatcherOf(routes: Route[], deps: MountDeps): RequestHandler {
  const handlers = new Map(routes.map((each) => [each.method.toUpperCase(), handlerOf(each, deps)]));
  const get = handlers.get('GET');
  if (get) handlers.set('HEAD', get);
  const allow = [...handlers.keys()].join(', ');
  return (request, response, next) => {
    const handle = handlers.get(request.method);
    if (handle) return handle(request, response, next);
    response.set('allow', allow);
    sendError(response, { status: 405, message: `${request.method} is not possible here; allowed: ${allow}` });
  };
}

/** Some clients percent-encode the dollar sign of a FHIR operation. */
const spellings = (path: string): string | string[] => (path.includes('$') ? [path, path.replace('$', '%24')] : path);

function handlerOf(route: Route, deps: MountDeps): RequestHandler {
  const { authenticator, limits, idempotency, notePatientData, chosenFailures, watch } = deps;
  const operation = route.access === 'fhir' ? operationOf(route) : null;
  const readBody = bodyReader(route);
  const name = `${route.method.toUpperCase()} ${route.path}`;
  const serve = async (request: Request, response: Response, hold: (caller: Caller) => void, sights: Sight[]) => {
    const startedAt = performance.now();
    const seen = { name, request, response, startedAt: Date.now() };
    const admission: Admission = {
      known: (found) => sights.push(...watch.begin({ caller: found, ...seen })),
      refused: () => watch.refused(seen),
    };
    const caller = await inTime(admit(route, request, response, authenticator, limits, admission), DEADLINE_MS);
    const leftMs = DEADLINE_MS - (performance.now() - startedAt);
    if ('kindnesses' in caller) response.locals.speaksR4 = caller.kindnesses?.deviatesFromR4 === false;
    const takesBody = route.takesBody?.(caller) ?? true;
    if (readBody && takesBody) await readBody(request, response);
    const params = parse(route.params ?? anything, storable(request.params, 'The path'));
    const query = parse(route.query ?? anything, readQuery(request, route.repeatable));
    const sent: unknown = route.readsBodyItself ? request.body : storable(request.body, 'The request body');
    const body: unknown = route.body && takesBody ? parse(route.body, sent) : undefined;
    const key = route.isIdempotent ? idempotency.keyOf(request) : null;
    // Few handlers need the rest: it is made only when it is read.
    const asked: RouteRequest<Access, never, never, never> = {
      caller,
      params: params as never,
      query: query as never,
      body: body as never,
      headers: request.headers,
      requestId: request.id,
      get ip() {
        return request.ip ?? '';
      },
      get idOfNew() {
        return key ? idempotency.idUnder({ key, caller, request }) : newId();
      },
      get log() {
        return request.log();
      },
      get signal() {
        return goneOf(response);
      },
    };
    const isHeld = route.isHeld?.(query) ?? false;
    if (isHeld) hold(caller);
    const plainly = () =>
      key ? idempotency.once({ key, caller, request }, async () => route.handle(asked)) : route.handle(asked);
    const answer = () =>
      operation === null
        ? plainly()
        : chosenFailures.answer({
            operation,
            asked,
            plainly: async () => plainly(),
            // Only searches are asked again, and they have no key. What is made when it is read stays so.
            withQuery: async (other) => route.handle(Object.create(asked, { query: { value: other } }) as typeof asked),
            onPlay(failure, { isSlow }) {
              response.locals.chosenFailure = failure;
              if (isSlow) hold(caller);
            },
          });
    const { patientData = 'none' } = route;
    const note = (reply: Reply) => notePatientData({ route, caller, request, query }, reply);
    const noted = async (known?: readonly string[]) => {
      if (known) return (await Promise.all([answer(), note({ subjects: known })]))[0];
      const reply = await answer();
      await note(reply);
      return reply;
    };
    const answering =
      patientData === 'none'
        ? answer()
        : noted(patientData.asksFor?.({ params: params as never, query: query as never }));
    const reply = isHeld ? await answering : await inTime(answering, leftMs);
    const shown = reply.instead ?? reply;
    for (const sight of sights) sight.replied({ ...shown, observed: reply.observed });
    if (response.locals.isOfEmr && !response.headersSent) sayWhy(response, shown);
    await sendReply(response, shown);
  };
  return async (request, response) => {
    response.locals.route = name;
    response.locals.isOfEmr = route.access === 'fhir';
    let leave = limits.enter({ isLive: route.access === 'voice' });
    const hold = (caller: Caller) => {
      const release = limits.hold(caller);
      leave();
      leave = release;
    };
    const sights: Sight[] = [];
    try {
      await serve(request, response, hold, sights);
    } finally {
      leave();
      for (const sight of sights) sight.done();
    }
  };
}

/** What has not been answered by then is answered 503, without its reading of the body: clients wait for half a minute. */
const DEADLINE_MS = 25_000;

/** The work goes on: under an `Idempotency-Key` a later request finds what it did. */
async function inTime<T>(work: T | Promise<T>, withinMs: number): Promise<T> {
  if (!(work instanceof Promise)) return work;
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new AppError('unavailable', 'This takes too long; please try again')), withinMs);
  });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}

/** Aborted when the client goes away before it has its response. */
function goneOf(response: Response): AbortSignal {
  const gone = new AbortController();
  response.on('close', () => !response.writableFinished && gone.abort());
  if (response.closed) gone.abort();
  return gone.signal;
}

interface Admission {
  /** Before the caller's requests are counted: one too many is a request too. */
  known(caller: Caller): void;
  refused(): void;
}

async function admit(
  route: Route,
  request: Request,
  response: Response,
  authenticator: Authenticator,
  limits: Limits,
  admission: Admission,
): Promise<Caller> {
  try {
    const caller = await authenticator.authenticate(route, request);
    admission.known(caller);
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
      admission.refused();
    }
    throw error;
  }
}

/** Reads a body only where the route takes one, after the caller is known to be allowed. */
function bodyReader(route: Route): ((request: Request, response: Response) => Promise<void>) | null {
  if (!route.body) return null;
  const consumes = route.consumes ?? ['application/json'];
  const how = { limit: route.limit ?? '256kb', type: () => true };
  const read = readerOf(consumes, how);
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

function readerOf(consumes: string[], how: { limit: string; type: () => boolean }): RequestHandler {
  if (consumes.includes('text/csv')) return express.text(how);
  if (consumes.includes('application/x-www-form-urlencoded')) return express.urlencoded({ ...how, extended: false });
  return express.json({ ...how, strict: false });
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

async function sendReply(
  response: Response,
  { status = 200, body, type, headers, stream, isCut }: Reply,
): Promise<void> {
  if (response.headersSent) return;
  if (isCut === 'before') return void response.destroy();
  response.statusCode = status;
  if (headers) response.set(headers);
  if (stream) return sendStream(response.set('content-type', type ?? 'text/plain; charset=utf-8'), stream);
  if (body === undefined) return void response.end();
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  // Without Express's `send`, which copies every body into a Buffer.
  response.setHeader('content-type', type ?? 'application/json; charset=utf-8');
  response.setHeader('content-length', Buffer.byteLength(text));
  if (isCut === 'midway') return void response.write(text.slice(0, text.length / 2), () => response.destroy());
  response.end(text);
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

import type { Express, RequestHandler } from 'express';
import { admit, type AdmitDeps } from './admit';
import { type AnswerDeps, answerer } from './answer';
import { DEADLINE_MS, inTime } from './deadline';
import { sendError } from './errors';
import { Exchange } from './exchange';
import { type ReadDeps, requestReader } from './read-request';
import type { Route } from './route';
import { sendReply } from './send-reply';

export type MountDeps = AdmitDeps & AnswerDeps & ReadDeps;

/**
 * Mounts routes below a prefix, each behind the same checks in the same order (docs/contract.md, 1): route and method,
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
    return (handle ?? refuseMethod(allow))(request, response, next);
  };
}

/** 405, with the methods that there are. */
export const refuseMethod =
  (allow: string): RequestHandler =>
  (request, response) => {
    response.set('allow', allow);
    sendError(response, 'method_not_allowed', `${request.method} is not possible here; allowed: ${allow}`);
  };

/** Some clients percent-encode the dollar sign of a FHIR operation. */
const spellings = (path: string): string | string[] => (path.includes('$') ? [path, path.replace('$', '%24')] : path);

/** The steps of a request, each in a file of its own. */
function handlerOf(route: Route, deps: MountDeps): RequestHandler {
  const name = `${route.method.toUpperCase()} ${route.path}`;
  const read = requestReader(route, deps);
  const answer = answerer(route, deps);
  return async (request, response) => {
    response.locals.route = name;
    response.locals.isFhir = route.access === 'fhir';
    const exchange = new Exchange(name, route, request, response, deps.limits);
    try {
      const caller = await inTime(admit(exchange, deps), DEADLINE_MS);
      const leftMs = exchange.leftOf(DEADLINE_MS);
      const asked = await read(exchange, caller);
      const isHeld = route.isHeld?.(asked.query) ?? false;
      if (isHeld) exchange.holdOpen();
      const answering = answer(exchange, asked);
      const reply = isHeld ? await answering : await inTime(answering, leftMs);
      exchange.replied(reply);
      await sendReply(response, reply);
    } finally {
      exchange.done();
    }
  };
}

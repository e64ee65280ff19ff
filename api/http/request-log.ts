import type { RequestHandler } from 'express';
import type { Histogram } from 'prom-client';
import { newId } from '@clinic/shared/crypto';
import type { Logger } from '@clinic/shared/log';

declare module 'express-serve-static-core' {
  interface Request {
    id: string;
    /** A logger whose lines carry the request's id. */
    log: () => Logger;
  }
}

/** UUIDs, trace ids, ULIDs, and ids of AWS's load balancers: what is made by machines. A name, a phone or an e-mail is none of them. */
const requestIds =
  /^(?:[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}|[\da-f]{32}|[0-7][\dA-HJKMNP-TV-Z]{25}|1-[\da-f]{8}-[\da-f]{24})$/i;

/** Gives every request an id, in its response and its log lines, and logs it when it is done: route, status, time, nothing else. */
export function requestLog(log: Logger, durations: Histogram<'route' | 'status'>): RequestHandler {
  return (request, response, next) => {
    const given = request.headers['x-request-id'];
    const requestId = typeof given === 'string' && requestIds.test(given) ? given : newId();
    const startedAt = performance.now();
    request.id = requestId;
    request.log = () => log.child({ requestId });
    response.setHeader('x-request-id', requestId);
    response.on('close', () => {
      const durationMs = performance.now() - startedAt;
      const route: string = response.locals.route ?? 'unmatched';
      const status = response.writableFinished ? response.statusCode : 499;
      // What was asked for is no fault of ours, and no measure of how quick we are.
      const { wanted } = response.locals as { wanted?: Record<string, string> };
      if (!wanted) durations.observe({ route, status: String(status) }, durationMs / 1_000);
      const level = status >= 500 && !wanted ? 'error' : 'info';
      if (!log.isLevelEnabled(level)) return;
      log[level]({ requestId, route, status, ...wanted, durationMs: Math.round(durationMs * 10) / 10 }, 'request');
    });
    next();
  };
}

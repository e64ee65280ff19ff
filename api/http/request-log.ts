import type { RequestHandler } from 'express';
import type { Histogram } from 'prom-client';
import { newId } from '@clinic/shared/crypto';
import type { Logger } from '@clinic/shared/log';

declare module 'express-serve-static-core' {
  interface Request {
    id: string;
    /** A logger whose lines carry the request's id. */
    log: () => Logger;
    /** From here on the request only waits for something to happen: it is no load. */
    rest: () => void;
  }
}

/** How many requests are being worked on right now. */
export interface Load {
  inFlight: number;
}

/** Gives every request an id, in its response and its log lines, and logs it when it is done: route, status, time, nothing else. */
export function requestLog(
  log: Logger,
  durations: Histogram<'route' | 'status'>,
  load: Load = { inFlight: 0 },
): RequestHandler {
  return (request, response, next) => {
    const given = request.headers['x-request-id'];
    const requestId = typeof given === 'string' && /^[\w.-]{8,64}$/.test(given) ? given : newId();
    const startedAt = performance.now();
    load.inFlight += 1;
    request.id = requestId;
    request.log = () => log.child({ requestId });
    response.setHeader('x-request-id', requestId);
    let isAtWork = true;
    request.rest = () => {
      if (isAtWork) load.inFlight -= 1;
      isAtWork = false;
    };
    response.on('close', () => {
      request.rest();
      const durationMs = performance.now() - startedAt;
      const route: string = response.locals.route ?? 'unmatched';
      const status = response.writableFinished ? response.statusCode : 499;
      durations.observe({ route, status: String(status) }, durationMs / 1_000);
      const level = status >= 500 ? 'error' : 'info';
      if (!log.isLevelEnabled(level)) return;
      log[level]({ requestId, route, status, durationMs: Math.round(durationMs * 10) / 10 }, 'request');
    });
    next();
  };
}

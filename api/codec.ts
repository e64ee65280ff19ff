import express, { Router } from 'express';
import type { KeyRing } from '@clinic/shared/config';
import { constantTimeEqual } from '@clinic/shared/crypto';
import type { Logger } from '@clinic/shared/log';
import { decodePayloads, encodePayloads, PayloadsJson } from '@clinic/temporal/payload-codec';
import { sendError } from './http/errors';

/**
 * The Temporal UI's codec server: `POST /encode` and `/decode`. It shows operators what is encrypted, so it asks for its
 * token (Bearer, or as the password of Basic so that a browser can keep it), is open to the UI's origin only, and logs use.
 * Without a token it is open: the local stack alone does that.
 */
export function createCodecRouter({
  keys,
  token,
  uiOrigin,
  log,
}: {
  keys: KeyRing;
  token: string | null;
  uiOrigin: string;
  log: Logger;
}): Router {
  const router = Router();
  router.use((request, response, next) => {
    if (request.headers.origin === uiOrigin || isLoopback(uiOrigin, request.headers.origin)) {
      response.set({
        'access-control-allow-origin': request.headers.origin,
        'access-control-allow-credentials': 'true',
        'access-control-allow-methods': 'POST, OPTIONS',
        'access-control-allow-headers': 'authorization, content-type, x-namespace, caller-type',
        vary: 'origin',
      });
    }
    response.set('cross-origin-resource-policy', 'cross-origin');
    if (request.method === 'OPTIONS') return void response.status(204).end();
    if (token !== null && !isAuthorised(request.headers.authorization, token)) {
      response.set('www-authenticate', 'Basic realm="codec"');
      return sendError(response, { status: 401, message: 'The codec token is missing or wrong' });
    }
    next();
  });
  router.use(express.json({ limit: '8mb', type: () => true }));
  for (const [path, work] of [
    ['/encode', encodePayloads],
    ['/decode', decodePayloads],
  ] as const) {
    router.post(path, (request, response) => {
      const parsed = PayloadsJson.safeParse(request.body);
      if (!parsed.success) return sendError(response, { status: 400, message: 'The body must hold payloads' });
      log.info({ action: `codec${path}`, count: parsed.data.payloads.length, requestId: request.id }, 'codec used');
      try {
        response.json(work(keys, parsed.data));
      } catch {
        sendError(response, { status: 400, message: 'A payload was not encrypted with a key of this service' });
      }
    });
  }
  return router;
}

/** `localhost` and `127.0.0.1` are one machine: a developer's browser may be at either. */
function isLoopback(uiOrigin: string, origin: string | undefined): origin is string {
  return (
    origin !== undefined &&
    origin.replace('//127.0.0.1:', '//localhost:') === uiOrigin.replace('//127.0.0.1:', '//localhost:')
  );
}

function isAuthorised(header: string | undefined, token: string): boolean {
  const [scheme = '', value = ''] = (header ?? '').split(' ');
  if (scheme.toLowerCase() === 'bearer') return constantTimeEqual(value, token);
  if (scheme.toLowerCase() !== 'basic') return false;
  const [, password = ''] = /^[^:]*:(.*)$/s.exec(Buffer.from(value, 'base64').toString('utf8')) ?? [];
  return constantTimeEqual(password, token);
}

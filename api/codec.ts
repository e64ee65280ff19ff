import express, { Router } from 'express';
import type { KeyRing } from '@clinic/shared/config';
import { constantTimeEqual } from '@clinic/shared/crypto';
import type { Logger } from '@clinic/shared/log';
import { decodePayloads, encodePayloads, PayloadsJson } from '@clinic/temporal/payload-codec';
import { sendError } from './http/errors';

/** A person who may read what Temporal stores. */
export interface CodecCredential {
  person: string;
  secret: string;
}

/**
 * The Temporal UI's codec server: `POST /encode` and `/decode`. It shows operators what is encrypted, so it asks for a
 * person's own secret (Bearer, or as the password of Basic so that a browser can keep it), is open to the UI's origin only, and
 * logs who used it. Without credentials it is open: the local stack alone does that.
 */
export function createCodecRouter({
  keys,
  credentials,
  uiOrigin,
  log,
}: {
  keys: KeyRing;
  credentials: readonly CodecCredential[] | null;
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
    const person = credentials === null ? 'local' : whoIs(request.headers.authorization, credentials);
    response.locals.person = person;
    if (person === null) {
      response.set('www-authenticate', 'Basic realm="codec"');
      return sendError(response, 'unauthorized', 'The codec credential is missing or wrong');
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
      if (!parsed.success) return sendError(response, 'bad_request', 'The body must hold payloads');
      const count = parsed.data.payloads.length;
      const [person, namespace] = [String(response.locals.person), request.headers['x-namespace']];
      const about = { action: `codec${path}`, accountId: `codec:${person}`, subject: namespace, address: request.ip };
      log.info({ ...about, count, requestId: request.id }, 'codec used');
      try {
        response.json(work(keys, parsed.data));
      } catch {
        sendError(response, 'bad_request', 'A payload was not encrypted with a key of this service');
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

/** Whose secret it is, or null: a name that is given with it proves nothing. */
function whoIs(header: string | undefined, credentials: readonly CodecCredential[]): string | null {
  const [scheme = '', value = ''] = (header ?? '').split(' ');
  const given =
    scheme.toLowerCase() === 'bearer'
      ? value
      : scheme.toLowerCase() === 'basic'
        ? (/^[^:]*:(.*)$/s.exec(Buffer.from(value, 'base64').toString('utf8'))?.[1] ?? '')
        : '';
  return credentials.find(({ secret }) => constantTimeEqual(given, secret))?.person ?? null;
}

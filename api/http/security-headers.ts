import type { RequestHandler } from 'express';
import helmet from 'helmet';

/** JSON needs no more than this: it is not framed, not run, not guessed at and, since it is about patients, not kept. */
const ofApi = Object.entries({
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'strict-transport-security': 'max-age=31536000; includeSubDomains',
  'x-content-type-options': 'nosniff',
});

/** What a browser is to be careful about: everything that helmet knows for pages, the short list for the API. */
export function securityHeaders(): RequestHandler {
  const ofPages = helmet();
  return (request, response, next) => {
    if (!request.url.startsWith('/api/')) return ofPages(request, response, next);
    for (const [name, value] of ofApi) response.setHeader(name, value);
    next();
  };
}

import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import express, { type NextFunction, type RequestHandler, type Response, Router } from 'express';

/** What Vite leaves in the page where a nonce belongs (dashboard/vite.config.ts). */
const noncePlace = /CSP_NONCE/g;

/** First segments of the dashboard's own addresses; every other path is unknown. */
const pages =
  /^\/(?:$|(?:sign-in(?:\/return\/[\w%-]+)?|set-password|my-account|operator)$|(?:my-day|cases|calls|queue|runs|tasks|patients|calendar|day-list|waitlist|results|deliveries|clinic|connections|try-it|readiness|audit|erasures)(?:\/[\w.~%-]*){0,3}$)/;

/**
 * Serves the built dashboard from a folder: its files, and its page at each of its addresses with a fresh nonce and a
 * Content-Security-Policy that lets no inline script or style run. Where nothing is built there is nothing to serve.
 */
export function createDashboard(folder: string): RequestHandler {
  const router = Router({ caseSensitive: true });
  // File names under assets/ carry a hash of the content.
  router.use(
    '/assets',
    compressed(join(folder, 'assets')),
    express.static(join(folder, 'assets'), { immutable: true, maxAge: '1y', index: false }),
  );
  // The page itself is only served with a nonce.
  router.get('/index.html', (_request, _response, next) => next('router'));
  router.use(express.static(folder, { index: false, maxAge: '1h', dotfiles: 'ignore' }));
  const sendPage = async (response: Response, status: number, next: NextFunction) => {
    const page = await readFile(join(folder, 'index.html'), 'utf8').catch(() => null);
    if (page === null) return next();
    const nonce = randomBytes(16).toString('base64');
    response.locals.route = 'GET dashboard';
    response
      .status(status)
      .set('content-security-policy', contentSecurityPolicy(nonce))
      .set('cache-control', 'no-store')
      .type('text/html; charset=utf-8')
      .send(page.replace(noncePlace, nonce));
  };
  router.get(pages, (_request, response, next) => sendPage(response, 200, next));
  // Somebody who follows a broken link in a browser sees a page that says so; a program gets the one error shape.
  router.get(/^\/(?!api(?:\/|$)|assets\/)/, (request, response, next) => {
    response.vary('Accept');
    return request.accepts(['json', 'html']) === 'html' ? sendPage(response, 404, next) : next();
  });
  return router;
}

/** Gives browsers that take Brotli the file that the build has compressed. */
function compressed(folder: string): RequestHandler {
  return (request, response, next) => {
    if (!/^\/[\w.-]+\.(?:js|css)$/.test(request.path)) return next();
    response.vary('Accept-Encoding');
    if (request.acceptsEncodings('br') && existsSync(join(folder, `${request.path}.br`))) {
      response.set('content-encoding', 'br').type(extname(request.path));
      request.url = `${request.path}.br`;
    }
    return next();
  };
}

/** Scripts and styles are files of ours; only the styles that the component library writes itself carry the nonce. */
const contentSecurityPolicy = (nonce: string) =>
  [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self'",
    "font-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "object-src 'none'",
  ].join('; ');

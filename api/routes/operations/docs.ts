import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { AppError } from '@clinic/shared/errors';
import { z } from 'zod';
import type { Route } from '../../http/route';
import { routesOf } from '../../http/routes-of';
import { openApiDocument } from '../../openapi/document';

const docs = routesOf({ tag: 'Documentation', access: 'public', right: null, patientData: 'none' });

/** Nothing inline, and nothing from another host: the page's pictures are `data:` in its style sheet. */
const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** The OpenAPI document of `routes` and of these, and a page that shows it. */
export function docsRoutes(routes: Route[]): Route[] {
  const assets = new Map<string, { type: string; read: () => string }>([
    ['swagger-ui.css', { type: 'text/css; charset=utf-8', read: fromPackage('swagger-ui.css') }],
    ['swagger-ui-bundle.js', { type: script, read: fromPackage('swagger-ui-bundle.js') }],
    ['show.js', { type: script, read: () => showDocument }],
  ]);

  const own: Route[] = [
    docs.get('/openapi.json', {
      summary: 'This document',
      description:
        'Written from the schemas that read requests. Open to everybody, generators included; docs/integrate.md shows two.',
      responses: { 200: { description: 'OpenAPI 3.1', schema: z.looseObject({ openapi: z.string() }) } },
      handle: () => ({ body: text(), type: 'application/json; charset=utf-8' }),
    }),
    docs.get('/docs', {
      summary: 'This document as a page',
      description: 'It loads nothing from other hosts.',
      responses: {
        200: { description: 'The page', schema: z.string(), type: 'text/html', example: '<!doctype html>' },
      },
      handle: () => ({
        body: page,
        type: 'text/html; charset=utf-8',
        headers: { 'content-security-policy': contentSecurityPolicy },
      }),
    }),
    docs.get('/docs/:asset', {
      summary: 'What the page is made of',
      description: 'May be cached for an hour.',
      responses: {
        200: {
          description: 'A script or a style sheet',
          schema: z.string(),
          type: 'text/*',
          example: 'body { margin: 0 }',
        },
      },
      handle({ params }) {
        const asset = assets.get(params.asset);
        if (!asset) throw new AppError('not_found', `${params.asset.slice(0, 100)} is not part of the documentation`);
        return { body: asset.read(), type: asset.type, headers: { 'cache-control': 'public, max-age=3600' } };
      },
    }),
  ];
  const text = once((): string => JSON.stringify(openApiDocument([...routes, ...own])));
  return own;
}

const script = 'text/javascript; charset=utf-8';

const page = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Clinic workflows: API</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/api/docs/swagger-ui.css">
<script src="/api/docs/swagger-ui-bundle.js" defer></script>
<script src="/api/docs/show.js" defer></script>
</head>
<body><main id="api"></main></body>
</html>
`;

const showDocument = `SwaggerUIBundle({ url: '/api/openapi.json', dom_id: '#api', docExpansion: 'none', validatorUrl: null });
`;

const fromPackage = (file: string) =>
  once(() => readFileSync(join(dirname(require.resolve('swagger-ui-dist/package.json')), file), 'utf8'));

function once<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}

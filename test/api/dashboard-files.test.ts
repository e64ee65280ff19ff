import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createDashboard } from '@clinic/api/http/dashboard';
import { requestLog } from '@clinic/api/http/request-log';
import { createMetrics } from '@clinic/api/metrics';
import { createLog } from '@clinic/shared/log';
import express from 'express';
import { eventually } from '../support/eventually';

let folder: string;
let server: Server;
let base: string;
const { requests } = createMetrics();

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'dashboard-'));
  await mkdir(join(folder, 'assets'));
  await writeFile(join(folder, 'assets', 'both.js'), 'both');
  await writeFile(join(folder, 'assets', 'both.js.br'), 'compressed');
  await writeFile(join(folder, 'assets', 'small.js'), 'small');
  await writeFile(join(folder, 'assets', 'look.css'), 'look');
  await writeFile(join(folder, 'assets', 'look.css.br'), 'squeezed');
  await writeFile(join(folder, 'assets', 'font.woff2'), 'font');
  await writeFile(join(folder, 'assets', 'font.woff2.br'), 'no browser asks for this');
  await writeFile(join(folder, 'index.html'), '<meta nonce="CSP_NONCE"><style nonce="CSP_NONCE"></style>');
  await writeFile(join(folder, 'icon.svg'), '<svg/>');
  await writeFile(join(folder, '.secret'), 'hidden');
  server = express()
    .use(requestLog(createLog({ process: 'api', level: 'silent' }), requests))
    .use(createDashboard(folder))
    .use((_request, response) => void response.status(404).json({ statusCode: 404 }))
    .listen(0, '127.0.0.1');
  await once(server, 'listening');
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

afterAll(async () => {
  server.close();
  await rm(folder, { recursive: true });
});

test('a file comes compressed to those who take Brotli where the build has compressed it, and else as it is', async () => {
  const read = async (name: string, encoding: string) => {
    const { status, headers } = await fetch(`${base}/assets/${name}`, {
      method: 'HEAD',
      headers: { 'accept-encoding': encoding },
    });
    const isScript = headers.get('content-type')?.includes('javascript');
    return [status, isScript, headers.get('content-encoding'), headers.get('content-length')];
  };

  const answers = [
    await read('both.js', 'br'),
    await read('both.js', 'identity'),
    await read('small.js', 'br'),
    await read('small.js', 'identity'),
  ];

  expect(answers).toEqual([
    [200, true, 'br', '10'],
    [200, true, null, '4'],
    [200, true, null, '5'],
    [200, true, null, '5'],
  ]);
});

test.each([
  ['both.js', 'Accept-Encoding', 'br', 'text/javascript; charset=utf-8'],
  ['look.css', 'Accept-Encoding', 'br', 'text/css; charset=utf-8'],
  ['small.js', 'Accept-Encoding', null, 'text/javascript; charset=utf-8'],
  // A font is compressed in itself.
  ['font.woff2', null, null, 'font/woff2'],
])('the file %s is kept for a year, as what is asked for', async (name, vary, encoding, type) => {
  const { status, headers } = await fetch(`${base}/assets/${name}`, {
    method: 'HEAD',
    headers: { 'accept-encoding': 'gzip, br' },
  });

  expect([
    status,
    headers.get('vary'),
    headers.get('content-encoding'),
    headers.get('content-type'),
    headers.get('cache-control'),
  ]).toEqual([200, vary, encoding, type, 'public, max-age=31536000, immutable']);
});

test.each([
  ['/', 'text/html', 'GET dashboard', '200'],
  ['/cases/one', 'text/html', 'GET dashboard', '200'],
  ['/no-such', 'text/html', 'GET dashboard', '404'],
  ['/no-such', 'application/json', 'unmatched', '404'],
  ['/api/nowhere', 'text/html', 'unmatched', '404'],
  ['/assets/small.js', 'text/html', 'unmatched', '200'],
])('%s, asked for as %s, is measured as %s, %s', async (path, accept, route, status) => {
  requests.reset();

  await (await fetch(base + path, { headers: { accept } })).text();

  const measured = async () => {
    const { values } = await requests.get();
    return values.flatMap(({ metricName, labels }) => (metricName?.endsWith('_count') ? [labels] : []));
  };
  await eventually(async () => (await measured()).length > 0);
  expect(await measured()).toEqual([{ route, status }]);
});

describe('an address', () => {
  const asked = async (path: string, accept: string) => {
    const answer = await fetch(base + path, { headers: { accept } });
    const text = await answer.text();
    const what = text.startsWith('<meta') ? 'page' : (answer.headers.get('content-type')?.split(';')[0] ?? null);
    return { answer, text, what: [answer.status, what] };
  };

  test.each([
    ['/', 'a page of the dashboard'],
    ['/sign-in', 'a page of the dashboard'],
    ['/sign-in/return/okta%20one-1', 'a page of the dashboard'],
    ['/sign-in/else', 'a broken link'],
    ['/set-password', 'a page of the dashboard'],
    ['/my-account', 'a page of the dashboard'],
    ['/my-account/more', 'a broken link'],
    ['/operator', 'a page of the dashboard'],
    ['/my-day', 'a page of the dashboard'],
    ['/cases', 'a page of the dashboard'],
    ['/cases/one', 'a page of the dashboard'],
    ['/cases/one/two/three', 'a page of the dashboard'],
    ['/cases/one/two/three/four', 'a broken link'],
    ['/Cases', 'a broken link'],
    ['/casesx', 'a broken link'],
    ['/x/cases', 'a broken link'],
    ['/calls/one', 'a page of the dashboard'],
    ['/queue', 'a page of the dashboard'],
    ['/runs/a~b.c%20d-e', 'a page of the dashboard'],
    ['/tasks', 'a page of the dashboard'],
    ['/patients/one', 'a page of the dashboard'],
    ['/calendar', 'a page of the dashboard'],
    ['/day-list', 'a page of the dashboard'],
    ['/waitlist', 'a page of the dashboard'],
    ['/results', 'a page of the dashboard'],
    ['/deliveries', 'a page of the dashboard'],
    ['/clinic/hours', 'a page of the dashboard'],
    ['/connections', 'a page of the dashboard'],
    ['/try-it', 'a page of the dashboard'],
    ['/readiness', 'a page of the dashboard'],
    ['/audit', 'a page of the dashboard'],
    ['/erasures', 'a page of the dashboard'],
    ['/index.html', 'no page to anybody'],
    ['/no-such', 'a broken link'],
    ['/apis', 'a broken link'],
    ['/.secret', 'a broken link'],
    ['/api', 'no page to anybody'],
    ['/api/nowhere', 'no page to anybody'],
    ['/assets/gone.js', 'no page to anybody'],
  ] as const)('%s is %s', async (path, kind) => {
    const [browser, program] = [await asked(path, 'text/html,*/*;q=0.8'), await asked(path, 'application/json')];

    const unknown = [404, 'application/json'];
    const expected = {
      'a page of the dashboard': [
        [200, 'page'],
        [200, 'page'],
      ],
      'a broken link': [[404, 'page'], unknown],
      'no page to anybody': [unknown, unknown],
    };
    expect([browser.what, program.what]).toEqual(expected[kind]);
  });

  test.each(['/', '/no-such'])('%s comes with a nonce that no other page had, and is not kept', async (path) => {
    const pages = [await asked(path, 'text/html'), await asked(path, 'text/html')];

    const nonces = pages.map(({ answer, text }) => {
      const [nonce, ...more] = new Set([...text.matchAll(/nonce="([^"]*)"/g)].map(([, each]) => each));
      expect(more).toEqual([]);
      expect(answer.headers.get('cache-control')).toBe('no-store');
      expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8');
      expect(answer.headers.get('content-security-policy')).toBe(
        `default-src 'none'; script-src 'self'; style-src 'self' 'nonce-${nonce}'; img-src 'self'; font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; object-src 'none'`,
      );
      return nonce;
    });
    expect(new Set(nonces).size).toBe(2);
    expect(nonces[0]).toMatch(/^[A-Za-z0-9+/]{22}==$/);
  });

  test('that is unknown is answered by what is asked for, and caches are told so', async () => {
    const { answer } = await asked('/no-such', 'application/json');
    const file = await fetch(`${base}/icon.svg`);

    expect(answer.headers.get('vary')).toBe('Accept');
    expect([file.headers.get('content-type'), file.headers.get('cache-control')]).toEqual([
      'image/svg+xml',
      'public, max-age=3600',
    ]);
  });
});

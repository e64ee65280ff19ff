import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import express from 'express';
import { createCodecRouter } from '@clinic/api/codec';
import { root } from '@clinic/local/paths';
import { freePort } from '@clinic/local/ports';
import { createLog } from '@clinic/shared/log';
import { createPayloadCodec } from '@clinic/temporal/payload-codec';
import { defaultPayloadConverter } from '@temporalio/common';
import { eventually } from '../../support/eventually';

const keys = [{ id: '2026', key: Buffer.alloc(32, 7) }];
const token = 'the-token-of-the-codec';
const credentials = [
  { person: 'ann', secret: token },
  { person: 'ben', secret: 'another-token-of-the-codec' },
];
const uiOrigin = 'http://localhost:8233';
const log = createLog({ process: 'test', level: 'silent' });

let servers: Server[] = [];
afterEach(() => {
  for (const server of servers) server.close();
  servers = [];
});

/** A codec server; returns its address. */
async function aCodec(about: {
  credentials: { person: string; secret: string }[] | null;
  log?: typeof log;
}): Promise<string> {
  const app = express();
  app.use(createCodecRouter({ keys, uiOrigin, log, ...about }));
  const server = createServer(app).listen(0, '127.0.0.1');
  servers.push(server);
  await new Promise((resolve) => server.once('listening', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** A payload as the worker stores it, in the wire form of Temporal's UI. */
async function stored(value: unknown) {
  const [payload] = await createPayloadCodec(keys).encode([defaultPayloadConverter.toPayload(value)]);
  const base64 = (raw: Uint8Array) => Buffer.from(raw).toString('base64');
  const metadata = Object.fromEntries(
    Object.entries(payload?.metadata ?? {}).map(([name, bytes]) => [name, base64(bytes)]),
  );
  return { payloads: [{ metadata, data: base64(payload?.data ?? new Uint8Array()) }] };
}

const post = async (url: string, headers: Record<string, string> = {}, body?: unknown) =>
  fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body ?? (await stored({ name: 'Ada' }))),
  });

const bearer = (value: string) => ({ authorization: `Bearer ${value}` });
const basic = (value: string) => ({ authorization: `Basic ${Buffer.from(value).toString('base64')}` });

describe('with a token', () => {
  test.each([
    ['as Bearer', bearer(token)],
    ['as the password of Basic', basic(`operator:${token}`)],
  ])('anyone who has it, %s, reads what is encrypted', async (_how, headers) => {
    const response = await post(`${await aCodec({ credentials })}/decode`, headers);

    expect(response.status).toBe(200);
    const { payloads } = (await response.json()) as { payloads: { data: string }[] };
    expect(JSON.parse(Buffer.from(payloads[0]?.data ?? '', 'base64').toString())).toEqual({ name: 'Ada' });
  });

  test.each([
    ['nothing', {}],
    ['another token', bearer(`${token}x`)],
    ['the beginning of it', bearer(token.slice(0, -1))],
    ['another password', basic('operator:guess')],
    ['the token as a user without a password', basic(token)],
    ['another scheme', { authorization: `Token ${token}` }],
  ])('anyone who brings %s reads nothing and writes nothing', async (_what, headers) => {
    const codec = await aCodec({ credentials });

    for (const path of ['decode', 'encode']) {
      const response = await post(`${codec}/${path}`, headers);

      expect(response.status).toBe(401);
      expect(response.headers.get('www-authenticate')).toBe('Basic realm="codec"');
      expect(await response.json()).toMatchObject({ statusCode: 401 });
    }
  });
});

test('the log says whose secret it was, whatever name was given with it', async () => {
  const lines: object[] = [];
  const noting = { info: (fields: object) => lines.push(fields) } as never;

  await post(`${await aCodec({ credentials, log: noting })}/decode`, basic('ann:another-token-of-the-codec'));

  expect(lines).toMatchObject([{ action: 'codec/decode', accountId: 'codec:ben', count: 1 }]);
});

test('without a token, as on the local stack, it is open', async () => {
  const response = await post(`${await aCodec({ credentials: null })}/decode`);

  expect(response.status).toBe(200);
});

test.each([
  [uiOrigin, uiOrigin],
  ['http://127.0.0.1:8233', 'http://127.0.0.1:8233'],
  ['https://elsewhere.example', null],
  ['http://localhost:9999', null],
])('a page of %s may read it: %s', async (origin, allowed) => {
  const codec = await aCodec({ credentials });

  const preflight = await fetch(`${codec}/decode`, { method: 'OPTIONS', headers: { origin } });
  const response = await post(`${codec}/decode`, { ...bearer(token), origin });

  expect(preflight.status).toBe(204);
  expect(preflight.headers.get('access-control-allow-origin')).toBe(allowed);
  expect(response.headers.get('access-control-allow-origin')).toBe(allowed);
});

test.each([['no payloads', { payloads: 'x' }]])('a body that holds %s is refused', async (_what, body) => {
  const response = await post(`${await aCodec({ credentials })}/decode`, bearer(token), body);

  expect(response.status).toBe(400);
});

test('a payload that was encrypted with a key that is gone is refused without its cause', async () => {
  const body = await stored({ name: 'Ada' });
  for (const { metadata } of body.payloads) metadata['encryption-key-id'] = Buffer.from('2019').toString('base64');

  const response = await post(`${await aCodec({ credentials })}/decode`, bearer(token), body);

  expect(response.status).toBe(400);
  expect(await response.json()).toMatchObject({ message: 'A payload was not encrypted with a key of this service' });
});

test('as a process of its own it holds the keys, and ends when it is told to', async () => {
  const port = await freePort();
  const { id, key } = keys[0]!;
  const env = {
    ...process.env,
    NODE_ENV: 'development',
    PAYLOAD_KEYS: `${id}:${key.toString('base64')}`,
    CODEC_PORT: String(port),
    CODEC_TOKEN: token,
    LOG_LEVEL: 'silent',
  };
  const codec = spawn(process.execPath, ['--import', 'tsx', join(root, 'api/codec-main.ts')], { env, stdio: 'ignore' });
  const origin = `http://127.0.0.1:${port}`;
  try {
    await eventually(async () => (await fetch(`${origin}/healthz`).catch(() => null))?.ok);
    const answers = [await post(`${origin}/decode`, bearer(token)), await post(`${origin}/decode`)];
    codec.kill('SIGTERM');

    expect(answers.map(({ status }) => status)).toEqual([200, 401]);
    expect(await once(codec, 'exit')).toEqual([0, null]);
  } finally {
    codec.kill('SIGKILL');
  }
});

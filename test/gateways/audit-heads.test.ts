import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServer as createTlsServer } from 'node:tls';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { headKeeper } from '@clinic/gateways/audit-heads';
import { aCertificate } from '../support/outside/tls-receiver';

const heads = [
  { clinicId: 'clinic-1', position: 7, hash: 'h-7' },
  { clinicId: 'clinic-2', position: 1_000_000, hash: 'h-x' },
];
const more = [{ clinicId: 'clinic-1', position: 9, hash: 'h-9' }];

let folder: string;
const servers: Server[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'audit-heads-'));
});
afterAll(async () => {
  for (const server of servers) server.close();
  await rm(folder, { recursive: true });
});

const listening = (server: Server): Promise<number> =>
  new Promise((resolve) => {
    servers.push(server);
    server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port));
  });

const headsOf = (text: string) =>
  text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const { clinicId, position, hash } = JSON.parse(line.slice(line.indexOf('{')));
      return { clinicId, position, hash };
    });

/** The messages of the first connection that ends, each of which has its length before it. */
const hearing = (server: Server, connection: 'connection' | 'secureConnection'): Promise<string[]> =>
  new Promise((resolve) => {
    server.on(connection, (socket: Socket) => {
      let heard = '';
      socket.on('data', (part) => (heard += String(part)));
      socket.on('end', () => {
        const messages: string[] = [];
        for (let rest = heard; rest !== '';) {
          const [given = '', length = ''] = /^(\d+) /.exec(rest) ?? [];
          messages.push(rest.slice(given.length, given.length + Number(length)));
          rest = rest.slice(given.length + Number(length));
        }
        resolve(messages);
      });
    });
  });

test('to a file: lines are added to what is there', async () => {
  const file = join(folder, 'heads.jsonl');
  const keep = headKeeper({ AUDIT_HEADS_URL: pathToFileURL(file).href, AUDIT_HEADS_AUTHORIZATION: undefined });

  await keep?.(heads);
  await keep?.(more);

  expect(headsOf(await readFile(file, 'utf8'))).toEqual([...heads, ...more]);
});

test('to a receiver: with the token; one that refuses, or leads elsewhere, has not taken them', async () => {
  const asked: { body: string; token: string | undefined }[] = [];
  let status = 202;
  const port = await listening(
    createHttpServer((request, response) => {
      let body = '';
      request.on('data', (part) => (body += String(part)));
      request.on('end', () => {
        asked.push({ body, token: request.headers.authorization });
        response.writeHead(status, { location: 'http://127.0.0.1:9/elsewhere' }).end();
      });
    }),
  );
  const keep = headKeeper({
    AUDIT_HEADS_URL: `http://127.0.0.1:${port}/heads`,
    AUDIT_HEADS_AUTHORIZATION: 'Splunk a-token',
  });

  await keep?.(heads);
  status = 500;
  await expect(keep?.(more)).rejects.toThrow('500');
  status = 302;
  await expect(keep?.(more)).rejects.toThrow('fetch failed');

  expect(headsOf(asked[0]?.body ?? '')).toEqual(heads);
  expect(asked.map(({ token }) => token)).toEqual(['Splunk a-token', 'Splunk a-token', 'Splunk a-token']);
});

test('to a syslog server: each as a message of RFC 5424 with its length; one that is not there has not taken them', async () => {
  const server = createServer();
  const heard = hearing(server, 'connection');
  const port = await listening(server);

  await headKeeper({ AUDIT_HEADS_URL: `syslog://127.0.0.1:${port}`, AUDIT_HEADS_AUTHORIZATION: undefined })?.(heads);

  const messages = await heard;
  expect(messages.every((message) => /^<110>1 \S+ \S+ clinic-workflows \d+ audit-head - \{.*\}$/.test(message))).toBe(
    true,
  );
  expect(headsOf(messages.join('\n'))).toEqual(heads);
  const nowhere = headKeeper({ AUDIT_HEADS_URL: 'syslog://127.0.0.1:9', AUDIT_HEADS_AUTHORIZATION: undefined });
  await expect(nowhere?.(heads)).rejects.toThrow('ECONNREFUSED');
});

test('to a syslog server over TLS, whose certificate is one that this machine trusts; no other is told anything', async () => {
  const { private: key, cert } = await aCertificate('localhost');
  const server = createTlsServer({ key, cert });
  const heard = hearing(server, 'secureConnection');
  const url = `syslog+tls://localhost:${await listening(server)}`;
  const trusted = join(folder, 'trusted.pem');
  await writeFile(trusted, cert);

  const toStranger = headKeeper({ AUDIT_HEADS_URL: url, AUDIT_HEADS_AUTHORIZATION: undefined })?.(more);
  await expect(toStranger).rejects.toThrow('self-signed certificate');
  await promisify(execFile)(
    process.execPath,
    [
      '--import',
      'tsx',
      '--eval',
      `require('@clinic/gateways/audit-heads').headKeeper({ AUDIT_HEADS_URL: '${url}' })(${JSON.stringify(heads)})`,
    ],
    { cwd: join(__dirname, '..'), env: { ...process.env, NODE_EXTRA_CA_CERTS: trusted } },
  );

  expect(headsOf((await heard).join('\n'))).toEqual(heads);
});

test('nowhere, unless the operator says where', () => {
  expect(headKeeper({ AUDIT_HEADS_URL: undefined, AUDIT_HEADS_AUTHORIZATION: undefined })).toBeNull();
});

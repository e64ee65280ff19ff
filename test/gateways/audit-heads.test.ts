import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { headKeeper } from '@clinic/gateways/audit-heads';
import { eventually } from '../support/eventually';

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
  let heard = '';
  let hasEnded = false;
  const server = createServer((socket) => {
    socket.on('data', (part) => (heard += String(part)));
    socket.on('end', () => (hasEnded = true));
  });
  const port = await listening(server);

  await headKeeper({ AUDIT_HEADS_URL: `syslog://127.0.0.1:${port}`, AUDIT_HEADS_AUTHORIZATION: undefined })?.(heads);
  await eventually(async () => hasEnded);

  const messages: string[] = [];
  for (let rest = heard; rest !== '';) {
    const [given = '', length = ''] = /^(\d+) /.exec(rest) ?? [];
    messages.push(rest.slice(given.length, given.length + Number(length)));
    rest = rest.slice(given.length + Number(length));
  }
  expect(messages.every((message) => /^<110>1 \S+ \S+ clinic-workflows \d+ audit-head - \{.*\}$/.test(message))).toBe(
    true,
  );
  expect(headsOf(messages.join('\n'))).toEqual(heads);
  const nowhere = headKeeper({ AUDIT_HEADS_URL: 'syslog://127.0.0.1:9', AUDIT_HEADS_AUTHORIZATION: undefined });
  await expect(nowhere?.(heads)).rejects.toThrow('ECONNREFUSED');
});

test('nowhere, unless the operator says where', () => {
  expect(headKeeper({ AUDIT_HEADS_URL: undefined, AUDIT_HEADS_AUTHORIZATION: undefined })).toBeNull();
});

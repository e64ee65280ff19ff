import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { startTcpProxy, type TcpProxy } from './tcp-proxy';

let server: Server;
let proxy: TcpProxy;
let heard: Buffer;
let port: number | null;
let sockets: Socket[];

/** A server that returns what it is sent. */
beforeEach(async () => {
  heard = Buffer.alloc(0);
  sockets = [];
  server = createServer({ allowHalfOpen: true }, (socket) => {
    sockets.push(socket);
    socket.on('error', () => undefined);
    socket.on('data', (chunk) => {
      heard = Buffer.concat([heard, chunk]);
      socket.write(chunk);
    });
    socket.on('end', () => socket.end());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  port = (server.address() as { port: number }).port;
  proxy = await startTcpProxy({ upstream: () => (port === null ? null : { port }) });
});

afterEach(async () => {
  await proxy.close();
  for (const socket of sockets) socket.destroy();
  server.close();
});

async function dial() {
  const socket = connect(proxy.port, '127.0.0.1');
  const received: Buffer[] = [];
  let ended: string | null = null;
  socket.on('data', (chunk) => received.push(chunk));
  socket.on('error', (error: NodeJS.ErrnoException) => (ended = error.code ?? error.message));
  socket.on('close', () => (ended ??= 'closed'));
  await once(socket, 'connect');
  const text = () => Buffer.concat(received);
  const until = async (isSo: () => boolean) => {
    for (const deadline = Date.now() + 10_000; !isSo(); await delay(5)) {
      if (Date.now() > deadline) throw new Error(`nothing came; ended: ${ended}`);
    }
  };
  return { socket, text, until, ended: () => ended };
}

test('in clear weather everything passes both ways, and an end is passed on', async () => {
  const payload = randomBytes(3_000_000);
  const { socket, text, until, ended } = await dial();

  socket.end(payload);
  await until(() => ended() !== null);

  expect(text().equals(payload)).toBe(true);
  expect(ended()).toBe('closed');
});

test('a delay holds every chunk back and keeps the order', async () => {
  const { socket, text, until } = await dial();
  proxy.weather({ kind: 'delay', minMs: 60, maxMs: 120 });
  const startedAt = Date.now();

  for (const word of ['one ', 'two ', 'three']) {
    socket.write(word);
    await delay(5);
  }
  await until(() => text().length === 13);

  expect(text().toString()).toBe('one two three');
  expect(Date.now() - startedAt).toBeGreaterThanOrEqual(118);
});

test('a throttle lets so many bytes pass in a second', async () => {
  proxy.weather({ kind: 'throttle', bytesPerSecond: 400_000 });
  const { socket, text, until } = await dial();
  const payload = randomBytes(100_000);
  const startedAt = Date.now();

  socket.write(payload);
  await until(() => text().length === payload.length);

  expect(text().equals(payload)).toBe(true);
  expect(Date.now() - startedAt).toBeGreaterThan(230);
});

test('a cut resets what is open, and new connections pass', async () => {
  const first = await dial();
  first.socket.write('before');
  await first.until(() => first.text().length === 6);

  proxy.cut();
  await first.until(() => first.ended() !== null);
  const second = await dial();
  second.socket.write('after');
  await second.until(() => second.text().length === 5);

  expect(first.ended()).toBe('ECONNRESET');
  expect(proxy.counts).toEqual({ opened: 2, broken: 1 });
});

test('in a black hole nothing passes and nobody is told; afterwards new connections pass and the old stay silent', async () => {
  const old = await dial();
  old.socket.write('before');
  await old.until(() => old.text().length === 6);
  heard = Buffer.alloc(0);

  proxy.weather({ kind: 'black-hole' });
  const meanwhile = await dial();
  for (const { socket } of [old, meanwhile]) socket.write('lost');
  await delay(100);
  proxy.weather({ kind: 'clear' });
  for (const { socket } of [old, meanwhile]) socket.write('lost too');
  const fresh = await dial();
  fresh.socket.write('after');
  await fresh.until(() => fresh.text().length === 5);

  expect(heard.toString()).toBe('after');
  expect([old.ended(), meanwhile.ended()]).toEqual([null, null]);
  expect([old.text().toString(), meanwhile.text().toString()]).toEqual(['before', '']);
  for (const { socket } of [old, meanwhile]) socket.destroy();
});

test('a lost reply: the server has had the request, the client has a reset and no answer', async () => {
  proxy.cutReplies({ matches: (chunk) => chunk.includes('COMMIT'), afterMs: 30 });
  const { socket, text, until, ended } = await dial();
  socket.write('BEGIN;');
  await until(() => text().length === 6);

  socket.write('COMMIT;');
  await until(() => ended() !== null);

  expect(heard.toString()).toBe('BEGIN;COMMIT;');
  expect([text().toString(), ended()]).toEqual(['BEGIN;', 'ECONNRESET']);
});

test('a server that is not there looks to the client like a reset', async () => {
  port = null;

  const [error] = await once(connect(proxy.port, '127.0.0.1'), 'error').catch((reason: unknown) => [reason]);

  expect(error).toMatchObject({ code: 'ECONNRESET' });
});

import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

/** What happens to the bytes between two programs. */
export type Weather =
  | { kind: 'clear' }
  /** Every chunk arrives later, in order. */
  | { kind: 'delay'; minMs: number; maxMs: number }
  | { kind: 'throttle'; bytesPerSecond: number }
  /** Nothing passes in either direction and nobody is told: packets that vanish. */
  | { kind: 'black-hole' };

/** Loses the reply to what a client sends, once the server has had it, and resets the connection. */
export interface ReplyCut {
  /** Whether the reply to this chunk is lost. */
  matches: (chunk: Buffer) => boolean;
  /** How long the server has to do what it was asked. */
  afterMs: number;
}

export interface TcpProxy {
  port: number;
  /** How many connections have passed, and how many were broken on purpose. */
  counts: { opened: number; broken: number };
  /** Connections that were open in a black hole stay silent for ever, also after it: their flow is forgotten. */
  weather(weather: Weather): void;
  /** Resets every open connection. */
  cut(): void;
  cutReplies(cut: ReplyCut | null): void;
  close(): Promise<void>;
}

export interface Upstream {
  host?: string;
  port: number;
}

/** A TCP proxy in front of a server; `upstream` is asked for each connection, null refuses it. */
export async function startTcpProxy({
  upstream,
  random = Math.random,
}: {
  upstream: () => Upstream | null;
  /** From 0 to 1, for delays. */
  random?: () => number;
}): Promise<TcpProxy> {
  const links = new Set<Link>();
  const counts = { opened: 0, broken: 0 };
  let weather: Weather = { kind: 'clear' };
  let cutOf: ReplyCut | null = null;

  const server = createServer({ allowHalfOpen: true, noDelay: true }, (client) => {
    counts.opened += 1;
    const target = upstream();
    if (!target) {
      client.on('error', ignore);
      client.resetAndDestroy();
      return;
    }
    const link = createLink(client, connect({ host: '127.0.0.1', ...target, allowHalfOpen: true, noDelay: true }), {
      weather: () => weather,
      random,
      onRequest(chunk) {
        if (!cutOf?.matches(chunk)) return;
        counts.broken += 1;
        link.loseReply(cutOf.afterMs);
      },
      onClosed: () => links.delete(link),
    });
    links.add(link);
    if (weather.kind === 'black-hole') link.silence();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the proxy has no port');

  return {
    port: address.port,
    counts,
    weather(next) {
      weather = next;
      if (next.kind !== 'black-hole') return;
      counts.broken += links.size;
      for (const link of links) link.silence();
    },
    cut() {
      counts.broken += links.size;
      for (const link of links) link.reset();
    },
    cutReplies(cut) {
      cutOf = cut;
    },
    async close() {
      for (const link of links) link.reset();
      await new Promise((closed) => {
        server.close(closed);
      });
    },
  };
}

interface Link {
  silence(): void;
  reset(): void;
  loseReply(afterMs: number): void;
}

interface LinkRules {
  weather: () => Weather;
  random: () => number;
  onRequest: (chunk: Buffer) => void;
  onClosed: () => void;
}

function createLink(client: Socket, server: Socket, { weather, random, onRequest, onClosed }: LinkRules): Link {
  let isSilent = false;
  let isReplyLost = false;
  let isOver = false;

  const reset = () => {
    if (isOver) return;
    isOver = true;
    client.resetAndDestroy();
    server.resetAndDestroy();
    onClosed();
  };
  const toServer = createLane(server, weather, random);
  const toClient = createLane(client, weather, random);

  client.on('data', (chunk: Buffer) => {
    if (isSilent) return;
    onRequest(chunk);
    toServer.send(chunk, client);
  });
  server.on('data', (chunk: Buffer) => {
    if (!isSilent && !isReplyLost) toClient.send(chunk, server);
  });
  client.on('end', () => !isSilent && toServer.end());
  server.on('end', () => !isSilent && !isReplyLost && toClient.end());
  for (const socket of [client, server]) {
    const other = socket === client ? server : client;
    socket.on('error', () => {
      // In a black hole the other side never hears of it.
      if (!isSilent) reset();
    });
    socket.on('close', () => {
      if (!other.destroyed) return;
      isOver = true;
      onClosed();
    });
  }
  return {
    reset,
    silence() {
      isSilent = true;
    },
    loseReply(afterMs) {
      isReplyLost = true;
      setTimeout(reset, afterMs);
    },
  };
}

const HIGH_WATER_BYTES = 256 * 1_024;

/** One direction: keeps the order, and holds its source back while too much is under way. */
function createLane(target: Socket, weather: () => Weather, random: () => number) {
  const waiting: { chunk: Buffer; source: Socket }[] = [];
  let freeAt = 0;
  let waitingBytes = 0;
  let isEnding = false;
  const finish = () => {
    if (isEnding && waiting.length === 0 && !target.destroyed) target.end();
  };
  const write = (chunk: Buffer, source: Socket) => {
    if (target.destroyed || target.write(chunk)) return;
    source.pause();
    target.once('drain', () => source.resume());
  };
  const sendFirst = () => {
    const first = waiting.shift();
    if (!first) return;
    waitingBytes -= first.chunk.length;
    if (waitingBytes <= HIGH_WATER_BYTES) first.source.resume();
    write(first.chunk, first.source);
    finish();
  };
  return {
    send(chunk: Buffer, source: Socket): void {
      const now = Date.now();
      const at = arrivalOf(chunk, { weather: weather(), now, freeAt, random: random() });
      if (at <= now && waiting.length === 0) {
        write(chunk, source);
        return;
      }
      freeAt = Math.max(at, freeAt);
      waiting.push({ chunk, source });
      waitingBytes += chunk.length;
      if (waitingBytes > HIGH_WATER_BYTES) source.pause();
      // Timers of different lengths that are due in the same moment run in any order: each sends what is first in line.
      setTimeout(sendFirst, freeAt - now);
    },
    end(): void {
      isEnding = true;
      finish();
    },
  };
}

function arrivalOf(
  chunk: Buffer,
  { weather, now, freeAt, random }: { weather: Weather; now: number; freeAt: number; random: number },
): number {
  switch (weather.kind) {
    case 'clear':
    case 'black-hole':
      return Math.max(now, freeAt);
    case 'delay':
      return now + weather.minMs + random * (weather.maxMs - weather.minMs);
    case 'throttle':
      return Math.max(now, freeAt) + (chunk.length / weather.bytesPerSecond) * 1_000;
  }
}

const ignore = (): void => undefined;

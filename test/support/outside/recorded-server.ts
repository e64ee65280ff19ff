import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { request as ask } from 'node:http';
import { dirname } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { type ReceivedRequest, startHttpReceiver } from './http-receiver';

/** What a real server was asked, and what it answered. `{base}` stands for its base URL. */
export interface Exchange {
  request: { method: string; path: string; headers: Record<string, string>; body?: unknown };
  answer: { status: number; headers: Record<string, string>; body?: unknown };
}

/** The headers that decide something; the others are each library's own. */
const REQUEST_HEADERS = ['accept', 'authorization', 'cache-control', 'content-type', 'if-match', 'if-none-exist'];
const ANSWER_HEADERS = ['content-location', 'content-type', 'etag', 'last-modified', 'location', 'retry-after'];

interface Reply {
  status: number;
  headers?: Record<string, string>;
  body?: string;
}

export interface RecordedServer {
  /** The base URL, in front of the real server or in place of it. */
  url: string;
  received: ReceivedRequest[];
  /** An answer in the place of the server's own, as a gateway in front of one gives it. */
  instead: ((request: ReceivedRequest) => Reply | null) | null;
  /** Done right before the next request that is this one, once. */
  meanwhile: { when: (request: ReceivedRequest) => boolean; work: () => Promise<unknown> } | null;
  /** Lets the server do the next request that is this one, but loses its answer. */
  loses: ((request: ReceivedRequest) => boolean) | null;
  /** Takes what is asked and never answers. */
  hangsOn: ((request: ReceivedRequest) => boolean) | null;
  /** Begins another file of exchanges. */
  begin(file: string): void;
  /** Ends it: writes it, or throws where something was asked otherwise than it says, or not at all. */
  end(): void;
  close(): Promise<void>;
}

/**
 * A server on the wire that answers as a real one did. With `target` it is a proxy to the real one, and can write down what goes
 * over the wire; without, it replays what was written. A replayed request must be the recorded one in method, path, headers and body.
 */
export async function startRecordedServer({
  target,
  isRecording,
}: {
  /** The base URL of the real server; null to replay. */
  target: string | null;
  isRecording: boolean;
}): Promise<RecordedServer> {
  let file = '';
  let exchanges: Exchange[] = [];
  let used = new Set<Exchange>();
  let unknown: Exchange['request'][] = [];

  const replay = (request: Exchange['request']): Reply => {
    const found = exchanges.find((each) => !used.has(each) && isDeepStrictEqual(each.request, request));
    if (!found) {
      unknown.push(request);
      return { status: 501, body: 'this was not asked when the exchanges were recorded' };
    }
    used.add(found);
    const { status, headers, body } = found.answer;
    return {
      status,
      headers: JSON.parse(withBase(JSON.stringify(headers))),
      ...(body !== undefined && { body: withBase(typeof body === 'string' ? body : JSON.stringify(body)) }),
    };
  };

  const forward = async (received: ReceivedRequest, request: Exchange['request']): Promise<Reply> => {
    const reply = await send(target ?? '', received);
    const kept = JSON.parse(withoutBase(JSON.stringify(chosen(reply.headers, ANSWER_HEADERS))));
    const body = reply.body ? parsed(withoutBase(reply.body)) : undefined;
    exchanges.push({ request, answer: { status: reply.status, headers: kept, ...(body !== undefined && { body }) } });
    return reply;
  };

  const receiver = await startHttpReceiver((received, response) => {
    void (async () => {
      if (server.hangsOn?.(received)) return;
      const { meanwhile } = server;
      if (meanwhile?.when(received)) {
        server.meanwhile = null;
        await meanwhile.work();
      }
      const body = received.body ? parsed(withoutBase(received.body)) : undefined;
      const { method, headers } = received;
      const request = {
        method,
        path: withoutBase(received.path),
        headers: chosen(headers, REQUEST_HEADERS),
        ...(body !== undefined && { body }),
      };
      const isLost = server.loses?.(received) ?? false;
      const reply =
        server.instead?.(received) ?? (target === null ? replay(request) : await forward(received, request));
      if (isLost) {
        server.loses = null;
        response.socket?.resetAndDestroy();
        return;
      }
      response.writeHead(reply.status, reply.headers).end(reply.body ?? '');
    })();
  });
  const base = `${receiver.url}/fhir`;
  const withoutBase = (text: string) => text.replaceAll(base, '{base}').replaceAll(encodeURIComponent(base), '{base}');
  const withBase = (text: string) => text.replaceAll('{base}', base);

  const server: RecordedServer = {
    url: base,
    received: receiver.received,
    instead: null,
    meanwhile: null,
    loses: null,
    hangsOn: null,
    begin: (next) => {
      file = next;
      used = new Set();
      unknown = [];
      exchanges = target === null ? (JSON.parse(readFileSync(file, 'utf8')) as Exchange[]) : [];
      receiver.received.length = 0;
      Object.assign(server, { instead: null, meanwhile: null, loses: null, hangsOn: null });
    },
    end: () => {
      if (target === null) {
        const unasked = exchanges.filter((each) => !used.has(each)).map(({ request }) => request);
        if (unknown.length + unasked.length > 0)
          throw new Error(`${file}: ${JSON.stringify({ askedOtherwise: unknown, notAsked: unasked }, null, 1)}`);
      } else if (isRecording) {
        mkdirSync(dirname(file), { recursive: true });
        writeFileSync(file, `${JSON.stringify(exchanges)}\n`);
      }
    },
    close: () => receiver.close(),
  };
  return server;
}

const chosen = (headers: Record<string, unknown>, names: string[]): Record<string, string> =>
  Object.fromEntries(names.filter((name) => headers[name] !== undefined).map((name) => [name, String(headers[name])]));

function parsed(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return body;
  }
}

/** Its links name the address that it was asked under, so `host` goes along. */
async function send(target: string, { method, path, body, ...received }: ReceivedRequest): Promise<Required<Reply>> {
  const { port } = new URL(target);
  const { 'accept-encoding': _compressed, ...headers } = received.headers;
  return new Promise((resolve, reject) => {
    const asked = ask({ host: '127.0.0.1', port, method, path, headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () => {
        const { statusCode: status = 0 } = response;
        resolve({
          status,
          headers: chosen(response.headers, ANSWER_HEADERS),
          body: Buffer.concat(chunks).toString('utf8'),
        });
      });
    });
    asked.on('error', reject);
    asked.end(body);
  });
}

import { createServer, type IncomingMessage, type Server as HttpServer, type ServerResponse } from 'node:http';
import type { Server } from 'node:net';

export interface ReceivedRequest {
  method: string;
  path: string;
  headers: IncomingMessage['headers'];
  body: string;
}

export type Answer = (request: ReceivedRequest, response: ServerResponse) => void;

export interface HttpReceiver {
  url: string;
  port: number;
  received: ReceivedRequest[];
  /** How many connections are open. */
  connections(): Promise<number>;
  /** How the requests from now on are answered. */
  answer(next: Answer): void;
  close(): Promise<void>;
}

/** Somebody else's HTTP server on a free port of this machine: keeps what it gets, answers as the test says. */
export async function startHttpReceiver(first: Answer = (_request, response) => response.end()): Promise<HttpReceiver> {
  const received: ReceivedRequest[] = [];
  let answer = first;
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { method = '', url = '', headers } = request;
      const entry = { method, path: url, headers, body: Buffer.concat(chunks).toString('utf8') };
      received.push(entry);
      answer(entry, response);
    });
    request.on('error', () => undefined);
  });
  const port = await listen(server);
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    received,
    connections: () =>
      new Promise((resolve, reject) => {
        server.getConnections((error, count) => (error ? reject(error) : resolve(count)));
      }),
    answer: (next) => {
      answer = next;
    },
    close: () => closeServer(server),
  };
}

/** Starts listening on a free port of the loopback address. */
export async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('not listening on a port');
  return address.port;
}

/** Stops the server and cuts what is still open. */
export async function closeServer(server: HttpServer): Promise<void> {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
}

/** Answers with a status and JSON. */
export const json =
  (status: number, body: unknown, headers: Record<string, string> = {}): Answer =>
  (_request, response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
  };

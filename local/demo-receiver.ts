import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { Webhook } from 'standardwebhooks';
import { z } from 'zod';

const SignedEvent = z.object({ event: z.string(), data: z.record(z.string(), z.unknown()) });

/** An event whose signature was right. */
export type SignedEvent = z.infer<typeof SignedEvent>;

export interface Listener {
  signingSecret: string;
  onEvent: (event: SignedEvent) => void;
  onForgery: (reason: string) => void;
}

export interface DemoReceiver {
  url: string;
  /** From now on events are checked and handed over; until then every request is refused. */
  listen: (listener: Listener) => void;
  close: () => Promise<void>;
}

const PATH = '/npm-run-demo/';

/** Plays a clinic's automation: receives events over HTTP, checks each signature with the Standard Webhooks library, returns 204. */
export async function startDemoReceiver(): Promise<DemoReceiver> {
  let listener: Listener | undefined;
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      if (!listener) return response.writeHead(503).end();
      const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]));
      try {
        const webhook = new Webhook(listener.signingSecret);
        listener.onEvent(SignedEvent.parse(webhook.verify(Buffer.concat(chunks).toString('utf8'), headers)));
        return response.writeHead(204).end();
      } catch (error) {
        listener.onForgery(error instanceof Error ? error.message : String(error));
        return response.writeHead(401).end();
      }
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the receiver has no port');
  return {
    url: `http://127.0.0.1:${address.port}${PATH}${randomUUID()}`,
    listen: (given) => {
      listener = given;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** Whether a URL is one that a demo left behind when it was killed: nobody listens there any more. */
export async function isAbandoned(url: string): Promise<boolean> {
  const { hostname, pathname } = new URL(url);
  if (hostname !== '127.0.0.1' || !pathname.startsWith(PATH)) return false;
  return fetch(url, { signal: AbortSignal.timeout(2_000) }).then(
    async (response) => {
      await response.body?.cancel();
      return false;
    },
    () => true,
  );
}

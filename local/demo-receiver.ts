import { createServer } from 'node:http';
import { Webhook } from 'standardwebhooks';
import { z } from 'zod';

const SignedEvent = z.object({ event: z.string(), data: z.record(z.string(), z.unknown()) });

/** An event whose signature was right. */
export type SignedEvent = z.infer<typeof SignedEvent>;

export interface DemoReceiver {
  url: string;
  close: () => Promise<void>;
}

/** A clinic's automation: takes events over HTTP, checks each signature with the Standard Webhooks library, answers 204. */
export async function startDemoReceiver(input: {
  signingSecret: string;
  onEvent: (event: SignedEvent) => void;
  onForgery: (reason: string) => void;
}): Promise<DemoReceiver> {
  const webhook = new Webhook(input.signingSecret);
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      try {
        const headers = Object.fromEntries(
          Object.entries(request.headers).map(([name, value]) => [name, String(value)]),
        );
        input.onEvent(SignedEvent.parse(webhook.verify(Buffer.concat(chunks).toString('utf8'), headers)));
        response.writeHead(204).end();
      } catch (error) {
        input.onForgery(error instanceof Error ? error.message : String(error));
        response.writeHead(401).end();
      }
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the receiver has no port');
  return {
    url: `http://127.0.0.1:${address.port}/clinic-events`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

import { request as ask } from 'node:http';
import { createServer } from 'node:https';
import { setTimeout as delay } from 'node:timers/promises';
import { closeServer, listen } from './http-receiver';
import { aCertificate } from './tls-receiver';

export interface Gateway {
  port: number;
  /** The certificate to trust. */
  certificate: string;
  close(): Promise<void>;
}

/** HTTPS on the loopback address in front of a server that has none, with a certificate of its own for `name`; each request takes `delayMs` longer. */
export async function startGateway({
  name,
  target,
  delayMs = 0,
}: {
  name: string;
  target: string;
  delayMs?: number;
}): Promise<Gateway> {
  const { private: key, cert } = await aCertificate(name);
  const { hostname, port } = new URL(target);
  const server = createServer({ key, cert }, (request, response) => {
    const { method, url: path, headers } = request;
    const forward = () => {
      const asked = ask({ hostname, port, method, path, headers }, (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(response);
      });
      asked.on('error', () => response.destroy());
      request.pipe(asked);
    };
    void delay(delayMs).then(forward);
  });
  return { port: await listen(server), certificate: cert, close: () => closeServer(server) };
}

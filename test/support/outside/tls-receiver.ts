import { createServer } from 'node:https';
import { generate } from 'selfsigned';
import { closeServer, listen } from './http-receiver';

export interface TlsReceiver {
  port: number;
  /** The certificate to trust. */
  certificate: string;
  /** The server name that each connection asked for. */
  serverNames: string[];
  close(): Promise<void>;
}

/** An HTTPS server on the loopback address, with a certificate of its own for `hostname`. */
export async function startTlsReceiver(hostname: string): Promise<TlsReceiver> {
  const { private: key, cert } = await generate([{ name: 'commonName', value: hostname }], {
    extensions: [{ name: 'subjectAltName', altNames: [{ type: 2, value: hostname }] }],
  });
  const serverNames: string[] = [];
  const server = createServer({ key, cert }, (_request, response) => response.end('ok'));
  server.on('secureConnection', ({ servername }) => serverNames.push(String(servername)));
  const port = await listen(server);
  return { port, certificate: cert, serverNames, close: () => closeServer(server) };
}

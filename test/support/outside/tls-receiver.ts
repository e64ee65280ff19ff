import { createServer } from 'node:https';
import { isIP } from 'node:net';
import { generate } from 'selfsigned';
import { closeServer, listen } from './http-receiver';

export interface TlsReceiver {
  port: number;
  /** The certificate to trust. */
  certificate: string;
  /** The server name that each connection asked for. */
  serverNames: string[];
  /** Who connected, by the name of the client's certificate. */
  clients: string[];
  close(): Promise<void>;
}

/** An HTTPS server on the loopback address, with a certificate of its own for `hostname`. */
export async function startTlsReceiver(hostname: string, clientCa?: string[]): Promise<TlsReceiver> {
  const { private: key, cert } = await aCertificate(hostname);
  const serverNames: string[] = [];
  const clients: string[] = [];
  // With a list of whom it trusts it takes no client without a certificate.
  const mutual = clientCa && { requestCert: true, rejectUnauthorized: true, ca: clientCa };
  const server = createServer({ key, cert, ...mutual }, (_request, response) =>
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"ok":true}'),
  );
  server.on('secureConnection', (socket) => {
    serverNames.push(String(socket.servername));
    if (mutual) clients.push(String(socket.getPeerCertificate().subject.CN));
  });
  const port = await listen(server);
  return { port, certificate: cert, serverNames, clients, close: () => closeServer(server) };
}

/** A certificate that signs itself, with its key. */
export const aCertificate = (name: string) =>
  generate([{ name: 'commonName', value: name }], {
    extensions: [
      { name: 'subjectAltName', altNames: [isIP(name) === 0 ? { type: 2, value: name } : { type: 7, ip: name }] },
    ],
  });

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import { join } from 'node:path';
import { Webhook } from 'standardwebhooks';
import type { SinkEntry } from './evidence';
import { openDurableFile } from './ledger';

/** How a clinic's receiver behaves. */
export type Manners =
  | { kind: 'answers'; status: number; afterMs?: number; headers?: Record<string, string> }
  /** Takes the body and never answers. */
  | { kind: 'hangs' }
  /** One byte of its answer now and then, and no end. */
  | { kind: 'drips' }
  | { kind: 'floods'; megabytes: number };

export interface Sink {
  port: number;
  entries: SinkEntry[];
  urlPath(clinicId: string): string;
  secrets(clinicId: string, secrets: string[]): void;
  /** For one clinic's receiver; everybody else's answers 200. */
  manners(clinicId: string, manners: Manners): void;
  close(): Promise<void>;
}

const welcoming: Manners = { kind: 'answers', status: 200 };

/** Every clinic's receiver. What it receives is in a file, and on disk, before it is answered. */
export async function startSink(folder: string): Promise<Sink> {
  const file = await openDurableFile(join(folder, 'received.jsonl'));
  const entries: SinkEntry[] = [];
  const secretsOf = new Map<string, string[]>();
  const mannersOf = new Map<string, Manners>();

  const receive = async (request: IncomingMessage, response: ServerResponse) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const text = Buffer.concat(chunks).toString();
    const clinicId = request.url?.split('/').at(-1) ?? '';
    const manners = mannersOf.get(clinicId) ?? welcoming;
    const entry: SinkEntry = {
      at: new Date().toISOString(),
      clinicId,
      eventId: String(request.headers['webhook-id']),
      text,
      isGenuine: isGenuine(text, request.headers, secretsOf.get(clinicId) ?? []),
      status: statusOf(manners),
    };
    await file.append(JSON.stringify(entry));
    entries.push(entry);
    behave(manners, response);
  };
  const server = createServer((request, response) => {
    response.on('error', () => undefined);
    receive(request, response).catch(() => response.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the sink has no port');

  return {
    port: address.port,
    entries,
    urlPath: (clinicId) => `/events/${clinicId}`,
    secrets: (clinicId, secrets) => void secretsOf.set(clinicId, secrets),
    manners: (clinicId, manners) => void mannersOf.set(clinicId, manners),
    async close() {
      server.closeAllConnections();
      server.close();
      await file.close();
    },
  };
}

function isGenuine(text: string, headers: IncomingMessage['headers'], secrets: string[]): boolean {
  return secrets.some((secret) => {
    try {
      return Boolean(new Webhook(secret).verify(text, headers as Record<string, string>));
    } catch {
      return false;
    }
  });
}

/** The status line that a receiver sends, whatever comes of the rest of its answer. */
function statusOf(manners: Manners): number | null {
  const { kind } = manners;
  if (kind === 'answers') return manners.status;
  return kind === 'hangs' ? null : anyway[kind];
}

const anyway = { drips: 200, floods: 500 };

function behave(manners: Manners, response: ServerResponse): void {
  switch (manners.kind) {
    case 'answers':
      setTimeout(() => response.writeHead(manners.status, manners.headers).end(), manners.afterMs ?? 0);
      return;
    case 'hangs':
      return;
    case 'drips': {
      response.writeHead(anyway.drips);
      const drip = setInterval(() => response.write('.'), 1_000);
      response.on('close', () => clearInterval(drip));
      return;
    }
    case 'floods': {
      response.writeHead(anyway.floods);
      const chunk = Buffer.alloc(1_024 * 1_024, 'x');
      let left = manners.megabytes;
      const pour = () => {
        while (left > 0 && !response.destroyed) {
          left -= 1;
          if (!response.write(chunk)) {
            response.once('drain', pour);
            return;
          }
        }
        response.end();
      };
      pour();
    }
  }
}

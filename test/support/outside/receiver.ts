import type { ServerResponse } from 'node:http';
import { Webhook } from 'standardwebhooks';
import { eventually } from '../eventually';
import { startHttpReceiver, type ReceivedRequest } from './http-receiver';

export interface ReceivedEvent {
  id: string;
  event: string;
  clinicId: string;
  sentAt: string;
  data: Record<string, string>;
  /** As it came over the wire. */
  text: string;
  at: number;
  /** What it was answered. */
  status: number;
}

/** A status, or how long to keep the sender waiting before one, and how long to ask to be left alone. */
export type Reply = number | { status: number; afterMs?: number; retryAfterSeconds?: number };

export interface Receiver {
  url: string;
  /** Everything that came, in order, repetitions included; a signature that does not hold is answered 401 and kept apart. */
  events: ReceivedEvent[];
  forged: ReceivedRequest[];
  /** What came about one recovery case. */
  about(recoveryCaseId: string): ReceivedEvent[];
  /** Waits until a case's events, without repetitions, are as many. */
  heard(recoveryCaseId: string, count: number): Promise<ReceivedEvent[]>;
  /** How the next requests are answered, one after the other; then 200 again. */
  reply(...replies: Reply[]): void;
  /** How every request is answered, from now on. */
  always(reply: Reply): void;
  close(): Promise<void>;
}

/** A clinic's own receiver of events, which checks each signature with the reference library. */
export async function startReceiver(secrets: () => string[]): Promise<Receiver> {
  const events: ReceivedEvent[] = [];
  const forged: ReceivedRequest[] = [];
  const script: Reply[] = [];
  let usual: Reply = 200;

  const server = await startHttpReceiver((request, response) => {
    const body = verified(request, secrets());
    if (!body) {
      forged.push(request);
      response.writeHead(401).end();
      return;
    }
    const reply = script.shift() ?? usual;
    const status = typeof reply === 'number' ? reply : reply.status;
    events.push({ ...body, id: String(request.headers['webhook-id']), text: request.body, at: Date.now(), status });
    answer(response, reply);
  });

  const about = (recoveryCaseId: string) => events.filter(({ data }) => data.recoveryCaseId === recoveryCaseId);
  return {
    url: `${server.url}/events`,
    events,
    forged,
    about,
    heard: (recoveryCaseId, count) =>
      eventually(() => new Set(about(recoveryCaseId).map(({ id }) => id)).size >= count && about(recoveryCaseId), {
        // Longer than the schedule's second wait.
        within: 45_000,
      }),
    reply: (...replies) => void script.push(...replies),
    always: (reply) => {
      usual = reply;
    },
    close: () => server.close(),
  };
}

function verified(
  { body, headers }: ReceivedRequest,
  secrets: string[],
): Omit<ReceivedEvent, 'id' | 'text' | 'at' | 'status'> | null {
  for (const secret of secrets) {
    try {
      return new Webhook(secret).verify(body, headers as Record<string, string>) as ReceivedEvent;
    } catch {
      // Another secret may be the one.
    }
  }
  return null;
}

function answer(response: ServerResponse, reply: Reply): void {
  const { status, afterMs = 0, retryAfterSeconds } = typeof reply === 'number' ? { status: reply } : reply;
  const headers = retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) };
  if (afterMs === 0) response.writeHead(status, headers).end();
  else setTimeout(() => response.writeHead(status, headers).end(), afterMs).unref();
}

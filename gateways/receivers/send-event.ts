import type { SafeHttp } from '../http/safe-http';
import { createWebhookSender } from './webhook-sender';

const TIMEOUT_MS = 6_000;

export interface EventToSend {
  url: string;
  id: string;
  /** When it says that it was signed. */
  signedAt: Date;
  body: string;
  /** It carries a signature by each. */
  secrets: string[];
}

/** Posts one event as a receiver gets them, and returns the status and how long it took; null where there was no reply. */
export type SendEvent = (event: EventToSend) => Promise<{ status: number | null; durationMs: number }>;

/** For events that test a receiver: what was sent is not sent again, whatever comes back. */
export function createSendEvent({ http }: { http: SafeHttp }): SendEvent {
  const sender = createWebhookSender({ http });
  return async ({ url, id: eventId, signedAt: at, body, secrets }) => {
    const message = { url, eventId, at, body, secrets, isSimulated: true, timeoutMs: TIMEOUT_MS };
    const { status, durationMs } = await sender.send(message);
    return { status, durationMs };
  };
}

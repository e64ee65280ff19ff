import { sign } from '@clinic/shared/signing';
import { OutboundError, type SafeHttp } from '../http/safe-http';

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
export const createSendEvent =
  ({ http }: { http: SafeHttp }): SendEvent =>
  async ({ url, id, signedAt, body, secrets }) => {
    const timestamp = Math.floor(signedAt.getTime() / 1_000);
    const startedAt = performance.now();
    try {
      const { status, durationMs } = await http.request({
        method: 'POST',
        url,
        headers: {
          'content-type': 'application/json',
          'user-agent': 'clinic-workflows/1',
          'webhook-id': id,
          'webhook-timestamp': String(timestamp),
          'webhook-signature': sign({ id, timestamp, body, secrets }),
          'x-clinic-simulated': 'true',
        },
        body,
        timeoutMs: TIMEOUT_MS,
        maxBytes: 512,
        acceptPartialBody: true,
      });
      return { status, durationMs };
    } catch (error) {
      if (!(error instanceof OutboundError)) throw error;
      return { status: null, durationMs: Math.round(performance.now() - startedAt) };
    }
  };

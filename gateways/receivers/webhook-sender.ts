import { retryAfterMs } from '../http/clinic-http';
import { sign } from '@clinic/shared/signing';
import { OutboundError, type OutboundErrorCode, type OutboundRequest, type SafeHttp } from '../http/safe-http';

const TIMEOUT_MS = 15_000;
const SNIPPET_BYTES = 512;

export interface WebhookMessage {
  url: string;
  /** The same at every retry: receivers tell duplicates by it. */
  eventId: string;
  body: string;
  /** Media type of the body; `application/json` unless said otherwise. */
  contentType?: string;
  secrets: string[];
  /** When this attempt is made. */
  at: Date;
  /** What it tells of was played by the simulator. */
  isSimulated?: boolean;
  timeoutMs?: number;
  signal?: AbortSignal;
}

/**
 * `error` is a short code, as `http_503` or `timeout`.
 * `retryAfterMs` is how long the receiver asks to be left alone; null when it does not say.
 */
export type WebhookResult =
  | { kind: 'delivered'; status: number; durationMs: number }
  | {
      kind: 'failed';
      status: number | null;
      error: WebhookFault;
      durationMs: number;
      retryAfterMs: number | null;
      responseSnippet?: string;
    };

export type WebhookFault = OutboundErrorCode | `http_${number}`;

export interface WebhookSender {
  /** One attempt, signed afresh. Only an abort by the caller throws. */
  send(message: WebhookMessage): Promise<WebhookResult>;
}

/** Posts events with the Standard Webhooks headers. Any 2xx in time is a delivery, whatever the body does. */
export function createWebhookSender({ http }: { http: SafeHttp }): WebhookSender {
  return {
    send: async (message) => {
      const startedAt = performance.now();
      try {
        const { status, headers, durationMs, body } = await http.request(toRequest(message));
        if (status >= 200 && status < 300) return { kind: 'delivered', status, durationMs };
        return {
          kind: 'failed',
          status,
          error: `http_${status}`,
          durationMs,
          retryAfterMs: retryAfterMs(headers),
          ...snippetOf(body),
        };
      } catch (error) {
        if (!(error instanceof OutboundError)) throw error;
        const durationMs = Math.round(performance.now() - startedAt);
        return { kind: 'failed', status: null, error: error.code, durationMs, retryAfterMs: null };
      }
    },
  };
}

// PostgreSQL's text, where the attempt is kept, holds no NUL.
function snippetOf(body: string): { responseSnippet?: string } {
  const responseSnippet = body.replaceAll('\u0000', '').trim();
  return responseSnippet === '' ? {} : { responseSnippet };
}

function toRequest({
  url,
  eventId,
  body,
  contentType = 'application/json',
  secrets,
  at,
  isSimulated = false,
  timeoutMs = TIMEOUT_MS,
  signal,
}: WebhookMessage): OutboundRequest {
  const timestamp = Math.floor(at.getTime() / 1000);
  return {
    method: 'POST',
    url,
    headers: {
      'content-type': contentType,
      'user-agent': 'clinic-workflows/1',
      'webhook-id': eventId,
      'webhook-timestamp': String(timestamp),
      'webhook-signature': sign({ id: eventId, timestamp, body, secrets }),
      ...(isSimulated && { 'x-clinic-simulated': 'true' }),
    },
    body,
    timeoutMs,
    maxBytes: SNIPPET_BYTES,
    acceptPartialBody: true,
    signal,
  };
}

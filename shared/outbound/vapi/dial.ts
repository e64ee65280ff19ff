import { z } from 'zod';
import { OutboundError, type SafeHttp } from '../safe-http';
import { saidIn } from './check';

const TIMEOUT_MS = 10_000;
const MAX_BYTES = 4 * 1024 * 1024;

/** What is certain once the platform was asked to ring. */
export type Dialled =
  | { kind: 'ringing'; platformCallId: string }
  /** Nothing rings. */
  | { kind: 'refused'; said: string }
  /** It may ring. */
  | { kind: 'unknown' };

/** Sends a `POST /call` once. */
export type DialVapi = (apiKey: string, body: object) => Promise<Dialled>;

export const createVapiDial =
  ({ http, baseUrl }: { http: SafeHttp; baseUrl: string }): DialVapi =>
  async (apiKey, body) => {
    try {
      const answer = await http.request({
        method: 'POST',
        url: `${baseUrl}/call`,
        headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
        body: JSON.stringify(body),
        timeoutMs: TIMEOUT_MS,
        maxBytes: MAX_BYTES,
      });
      const created = answer.status < 300 ? Created.safeParse(JSON.parse(answer.body)).data : undefined;
      if (created) return { kind: 'ringing', platformCallId: created.id };
      const isRefusal = answer.status >= 400 && answer.status < 500 && answer.status !== 408;
      return isRefusal ? { kind: 'refused', said: saidIn(answer.body, apiKey) } : { kind: 'unknown' };
    } catch (error) {
      if (error instanceof OutboundError || error instanceof SyntaxError) return { kind: 'unknown' };
      throw error;
    }
  };

const Created = z.object({ id: z.string().min(1) });

import { z } from 'zod';
import { OutboundError, type SafeHttp } from '../safe-http';

/** Somebody may be on the line, and the platform waits for our answer to what it reported. */
const TIMEOUT_MS = 5_000;
const MAX_BYTES = 4 * 1024 * 1024;

/** What the platform itself says of a call. */
export type FoundCall =
  | {
      kind: 'found';
      isInbound: boolean;
      /** The platform's id of the line that was dialled. */
      platformNumberId: string | null;
      assistantId: string | null;
      callerNumber: string | null;
    }
  | { kind: 'unknown' }
  /** It could not be asked: nothing is known. */
  | { kind: 'unavailable' };

export type FindVapiCall = (apiKey: string, platformCallId: string) => Promise<FoundCall>;

/** Looks a call up by the platform's id of it. */
export const createVapiFindCall =
  ({ http, baseUrl }: { http: SafeHttp; baseUrl: string }): FindVapiCall =>
  async (apiKey, platformCallId) => {
    try {
      const { status, body } = await http.request({
        method: 'GET',
        url: `${baseUrl}/call/${encodeURIComponent(platformCallId)}`,
        headers: { authorization: `Bearer ${apiKey}` },
        timeoutMs: TIMEOUT_MS,
        maxBytes: MAX_BYTES,
      });
      // An id that is none of the platform's form is a 400 there.
      if (status === 404 || status === 400) return { kind: 'unknown' };
      const call = status === 200 ? Call.safeParse(JSON.parse(body)).data : undefined;
      if (call?.id !== platformCallId) return { kind: 'unavailable' };
      return {
        kind: 'found',
        isInbound: call.type === 'inboundPhoneCall',
        platformNumberId: call.phoneNumberId ?? null,
        assistantId: call.assistantId ?? null,
        callerNumber: call.customer?.number ?? null,
      };
    } catch (error) {
      if (error instanceof OutboundError || error instanceof SyntaxError) return { kind: 'unavailable' };
      throw error;
    }
  };

const Call = z.object({
  id: z.string(),
  type: z.string().nullish(),
  phoneNumberId: z.string().nullish(),
  assistantId: z.string().nullish(),
  customer: z.object({ number: z.string().nullish() }).nullish(),
});

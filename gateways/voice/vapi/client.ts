import { VapiClient, VapiError } from '@vapi-ai/server-sdk';
import { createSafeFetch } from '../../http/safe-fetch';
import { OutboundError, type SafeHttp } from '../../http/safe-http';

/** A call that is over carries its whole conversation, and a page of assistants their prompts and tools. */
const MAX_BYTES = 32 * 1024 * 1024;
const SENTENCE_LENGTH = 300;

/** Where an account is asked, and through what. */
export interface VapiAccess {
  http: SafeHttp;
  baseUrl: string;
  apiKey: string;
}

/**
 * The vendor's SDK over the guarded client. `POST /call` knows no idempotency key, so nothing is ever sent twice: the SDK's
 * own retries are off.
 */
export function createVapiClient(
  { http, baseUrl, apiKey }: VapiAccess,
  bounds: { timeoutMs: number; sendBefore?: number | undefined },
): VapiClient {
  return new VapiClient({
    token: apiKey,
    baseUrl,
    maxRetries: 0,
    timeoutInSeconds: bounds.timeoutMs / 1000,
    fetch: createSafeFetch(http, { ...bounds, maxBytes: MAX_BYTES }),
  });
}

/** Why a request has no usable answer: the status where there is one, else what happened on the way. */
export interface VapiFault {
  status: number | null;
  /** As the platform sent it; it may quote what it was sent. */
  body: unknown;
  /** Of the guarded client. */
  outbound: OutboundError | null;
}

export function faultIn(error: unknown): VapiFault {
  if (!(error instanceof VapiError)) return { status: null, body: null, outbound: null };
  const { statusCode = null, body = null, cause } = error;
  return { status: statusCode, body, outbound: cause instanceof OutboundError ? cause : null };
}

/** The platform's own sentence without what it quotes; empty where it said none. */
export function sentenceIn({ body }: VapiFault, withoutQuotes: (text: string) => string): string {
  const told = typeof body === 'object' && body !== null && 'message' in body ? body.message : null;
  const message = Array.isArray(told) ? told.join('; ') : told;
  if (typeof message !== 'string') return '';
  return withoutQuotes(message.trim()).slice(0, SENTENCE_LENGTH).toWellFormed();
}

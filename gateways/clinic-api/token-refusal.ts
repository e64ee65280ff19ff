import { z } from 'zod';
import { parseJson } from '@clinic/shared/domain/json';
import type { OutboundResponse } from '../http/safe-http';

/** Beyond this a server takes an assertion for one of the past or the future. */
const MAX_CLOCK_SECONDS = 60;
const QUOTED_LENGTH = 200;

/** What was asked with, as far as a refusal can be due to it. */
export interface AskedForToken {
  method: 'oauth2-client-credentials' | 'smart-backend';
  clientAuthentication: 'client_secret_basic' | 'client_secret_post' | 'private_key_jwt';
  scope?: string;
  /** Of `smart-backend` alone. */
  algorithm?: string;
  jwksUrl?: string;
}

/** RFC 6749, section 5.2. */
const TokenError = z.object({
  error: z.string().regex(/^[a-z_]{1,60}$/),
  error_description: z.string().optional().catch(undefined),
});

/**
 * Why a token endpoint gave no token, and what is likely wrong: `invalid_client` alone leaves a clinic with a dozen guesses.
 * The sentence quotes what the server says of the client; nothing in it is about a patient.
 */
export function tokenRefusal(
  host: string,
  { status, headers, body }: Pick<OutboundResponse, 'status' | 'headers' | 'body'>,
  asked: AskedForToken,
  now = Date.now(),
): { code: string; sentence: string } {
  const told = TokenError.safeParse(parseJson(body)).data;
  const code = told?.error ?? `http_${status}`;
  const said = told?.error_description ? `(“${quotable(told.error_description)}”)` : '';
  const refusal = [`http ${status}`, told?.error, said].filter(Boolean).join(' ');
  const likely = causes({ status, error: told?.error, asked, clockSeconds: clockDifference(headers['date'], now) });
  return { code, sentence: `${host} gave no token: ${refusal}. ${likely}` };
}

function causes({
  status,
  error,
  asked,
  clockSeconds,
}: {
  status: number;
  error: string | undefined;
  asked: AskedForToken;
  clockSeconds: number;
}): string {
  switch (error ?? 'none') {
    case 'invalid_client':
    case 'invalid_grant':
      return asked.method === 'smart-backend' ? assertionCauses(asked, clockSeconds) : secretCauses(asked);
    case 'invalid_scope':
      return asked.scope
        ? 'A scope is not granted to this client there: compare the scope with what was registered, word by word (v1 says .read, v2 .rs).'
        : 'The server wants scopes to be named: enter those that were registered.';
    case 'unauthorized_client':
      return 'The client is known, but not allowed the grant client_credentials: register it as a backend service.';
    case 'unsupported_grant_type':
      return 'The server does not know the grant client_credentials: the token URL may be that of another service.';
    case 'invalid_request':
      return 'The server misses something, or reads it otherwise: see whether it wants an audience, a scope or the secret in another place.';
    case 'temporarily_unavailable':
    case 'server_error':
      return 'The server says that this is its own fault: try again later.';
    default:
      return strangeAnswer(status);
  }
}

/** The reasons for which an assertion is refused, those that can be seen from here first. */
function assertionCauses({ algorithm, jwksUrl }: AskedForToken, clockSeconds: number): string {
  const isClockOff = Math.abs(clockSeconds) > MAX_CLOCK_SECONDS;
  const clocks = `Its clock and ours differ by ${Math.abs(clockSeconds)} seconds, so that an assertion seems to have ended or to last too long.`;
  const likely = [
    'the client id is another one there',
    `the key set at ${jwksUrl} is not registered, cannot be reached from there, or was read before the key was made`,
    `the server does not take ${algorithm}`,
    'it expects another audience than the token URL',
  ];
  return `${isClockOff ? `${clocks} Else likely` : 'Likely'}: ${likely.join('; ')}.`;
}

function secretCauses({ clientAuthentication }: AskedForToken): string {
  const other = clientAuthentication === 'client_secret_post' ? 'in the header' : 'in the body';
  return `Likely: the client id or the secret is wrong or was replaced there; or the server wants the secret ${other}.`;
}

function strangeAnswer(status: number): string {
  if (status >= 200 && status < 300)
    return 'The answer holds no access_token: the token URL may be that of a page for people.';
  if (status >= 300 && status < 400)
    return 'It redirects, which is not followed: enter the address that it redirects to.';
  if (status === 404 || status === 405) return 'There is no token endpoint at this address.';
  if (status === 401 || status === 403) return 'It refuses the client without saying why.';
  if (status === 429) return 'It was asked too often: try again later.';
  return status >= 500 ? 'The server is in trouble: try again later.' : 'It does not say why.';
}

/** How far the server's clock is before ours, by the date of its answer, in whole seconds; 0 where it does not say. */
function clockDifference(date: string | undefined, now: number): number {
  const at = Date.parse(date ?? '');
  return Number.isNaN(at) ? 0 : Math.round((at - now) / 1000);
}

/** One line, as far as it is printable. */
function quotable(text: string): string {
  return text
    .replaceAll(/[^\x21-\x7e]+/g, ' ')
    .trim()
    .slice(0, QUOTED_LENGTH);
}

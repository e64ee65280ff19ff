import { z } from 'zod';
import type { ClinicApiAuth } from '../contracts/approved-api';
import { sha256Hex } from '../crypto';
import { assertNever } from '../errors';
import type { ClinicHttp } from './clinic-http';
import { OutboundError } from './safe-http';

/** A token is given up a minute before it ends, or after nine tenths of a short life. */
const MARGIN_MS = 60_000;
const DEFAULT_LIFE_SECONDS = 300;

const TokenReply = z.object({
  access_token: z.string().min(1),
  expires_in: z.coerce.number().min(1).catch(DEFAULT_LIFE_SECONDS),
});

interface Token {
  value: string;
  expiresAt: number;
}

/** OAuth2 tokens by whom and what they are for. Holds the request itself, so that many callers ask once. */
export type TokenCache = Map<string, Promise<Token>>;

export interface Credentials {
  headers(signal?: AbortSignal): Promise<Record<string, string>>;
  /** Forgets what the API no longer takes. False when there is nothing that could be renewed. */
  renew(): boolean;
}

interface AuthorizationOptions {
  http: ClinicHttp;
  clinicId: string;
  auth: ClinicApiAuth;
  tokens: TokenCache;
}

/** The headers that prove who is calling, by any of the methods a clinic can choose. */
export function authorization(options: AuthorizationOptions): Credentials {
  const { auth } = options;
  switch (auth.method) {
    case 'none':
      return fixed({});
    case 'bearer':
      return fixed({ authorization: `Bearer ${auth.token}` });
    case 'basic':
      return fixed({ authorization: basic(auth.username, auth.password) });
    case 'api-key-header':
      return fixed({ [auth.header]: auth.value });
    case 'oauth2-client-credentials':
      return clientCredentials({ ...options, auth });
    default:
      return assertNever(auth);
  }
}

function fixed(headers: Record<string, string>): Credentials {
  return { headers: async () => headers, renew: () => false };
}

function basic(user: string, password: string): string {
  return `Basic ${Buffer.from(`${user}:${password}`, 'utf8').toString('base64')}`;
}

type ClientCredentials = Extract<ClinicApiAuth, { method: 'oauth2-client-credentials' }>;

function clientCredentials({
  http,
  clinicId,
  auth,
  tokens,
}: AuthorizationOptions & { auth: ClientCredentials }): Credentials {
  const key = `${clinicId}:${sha256Hex(JSON.stringify(auth))}`;

  let used: Promise<Token> | undefined;

  const token = async (): Promise<Token> => {
    const known = tokens.get(key);
    const cached = await known;
    if (cached !== undefined && cached.expiresAt > Date.now()) {
      used = known;
      return cached;
    }
    if (tokens.get(key) === known) {
      const asked = requestToken({ http, clinicId, auth });
      tokens.set(key, asked);
      asked.catch(() => forget(asked));
    }
    return token();
  };

  const forget = (given: Promise<Token> | undefined) => {
    if (tokens.get(key) === given) tokens.delete(key);
  };

  return {
    headers: async () => ({ authorization: `Bearer ${(await token()).value}` }),
    // Another caller may have renewed it meanwhile: only the one that was refused is forgotten.
    renew: () => {
      forget(used);
      return true;
    },
  };
}

async function requestToken({
  http,
  clinicId,
  auth,
}: Omit<AuthorizationOptions, 'tokens'> & { auth: ClientCredentials }): Promise<Token> {
  const { tokenUrl, clientId, clientSecret, scope } = auth;
  const url = new URL(tokenUrl);
  const { status, body } = await http.call({
    clinicId,
    system: 'clinic_api',
    action: 'oauth2.token',
    method: 'POST',
    url: tokenUrl,
    baseUrl: url.origin,
    pathTemplate: url.pathname,
    headers: {
      accept: 'application/json',
      'content-type': 'application/x-www-form-urlencoded',
      authorization: basic(encodeURIComponent(clientId), encodeURIComponent(clientSecret)),
    },
    body: new URLSearchParams({ grant_type: 'client_credentials', ...(scope !== undefined && { scope }) }).toString(),
    isIdempotent: true,
  });
  const reply = TokenReply.safeParse(status === 200 ? readJson(body) : null);
  if (!reply.success) throw new OutboundError('unauthorized', `${url.host} gave no token: http ${status}`);
  const lifeMs = reply.data.expires_in * 1000;
  return { value: reply.data.access_token, expiresAt: Date.now() + Math.max(lifeMs - MARGIN_MS, lifeMs * 0.9) };
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

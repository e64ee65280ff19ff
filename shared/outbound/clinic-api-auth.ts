import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import type { ClinicApiAuth } from '../contracts/approved-api';
import { sha256Hex } from '../crypto';
import { assertNever } from '../errors';
import type { ClinicHttp } from './clinic-http';
import { OutboundError } from './safe-http';

/** A token is given up a minute before it ends, or after nine tenths of a short life. */
const MARGIN_MS = 60_000;
const DEFAULT_LIFE_SECONDS = 300;
const MAX_TOKENS = 10_000;

const TokenReply = z.object({
  access_token: z.string().min(1),
  expires_in: z.coerce.number().min(1).catch(DEFAULT_LIFE_SECONDS),
});

interface TokenRequest {
  http: ClinicHttp;
  clinicId: string;
  auth: ClientCredentials;
}

/** OAuth2 tokens by whom and what they are for, each until shortly before it ends. Many callers at once ask once. */
export type TokenCache = LRUCache<string, string, TokenRequest>;

export function createTokenCache(): TokenCache {
  return new LRUCache<string, string, TokenRequest>({
    max: MAX_TOKENS,
    perf: Date,
    ttlResolution: 0,
    // A request that is under way when its entry leaves the cache still serves those who wait for it.
    ignoreFetchAbort: true,
    fetchMethod: async (_key, _known, { options, context }) => {
      const { token, lifeMs } = await requestToken(context);
      options.ttl = Math.floor(Math.max(lifeMs - MARGIN_MS, lifeMs * 0.9));
      return token;
    },
  });
}

export interface Credentials {
  headers(): Promise<Record<string, string>>;
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

function clientCredentials({ tokens, ...context }: AuthorizationOptions & { auth: ClientCredentials }): Credentials {
  const key = `${context.clinicId}:${sha256Hex(JSON.stringify(context.auth))}`;
  let used: string | undefined;

  return {
    headers: async () => {
      used = await tokens.forceFetch(key, { context });
      return { authorization: `Bearer ${used}` };
    },
    // Another caller may have renewed it meanwhile: only the one that was refused is forgotten.
    renew: () => {
      if (tokens.peek(key) === used) tokens.delete(key);
      return true;
    },
  };
}

async function requestToken({ http, clinicId, auth }: TokenRequest): Promise<{ token: string; lifeMs: number }> {
  const { tokenUrl, clientId, clientSecret, scope } = auth;
  const url = new URL(tokenUrl);
  const form = new URLSearchParams({ grant_type: 'client_credentials' });
  if (scope !== undefined) form.set('scope', scope);
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
    body: form.toString(),
    isIdempotent: true,
  });
  const reply = TokenReply.safeParse(status === 200 ? readJson(body) : null);
  if (!reply.success) throw new OutboundError('unauthorized', `${url.host} gave no token: http ${status}`);
  return { token: reply.data.access_token, lifeMs: reply.data.expires_in * 1000 };
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import { type ClientKey, signAssertion } from '@clinic/shared/client-key';
import type { ClinicApiAuth } from '@clinic/shared/contracts/events/approved-api';
import { sha256Hex } from '@clinic/shared/crypto';
import { assertNever } from '@clinic/shared/errors';
import type { ClinicHttp } from '../http/clinic-http';
import { parseJson } from '@clinic/shared/domain/json';
import { type ClientCertificate, OutboundError } from '../http/safe-http';
import { type AskedForToken, tokenRefusal } from './token-refusal';

/** A token is given up a minute before it ends, or after nine tenths of a short life. */
const MARGIN_MS = 60_000;
const DEFAULT_LIFE_SECONDS = 300;
const MAX_TOKENS = 10_000;

const TokenReply = z.object({
  access_token: z.string().min(1),
  expires_in: z.coerce.number().min(1).catch(DEFAULT_LIFE_SECONDS),
});

/** What proves who we are with a key pair. */
export interface ClientKeySource {
  /** The key that signs for the clinic now; null where it has none. */
  signing(clinicId: string): Promise<ClientKey | null>;
  /** Where its public half stands. */
  jwksUrl(clinicId: string): string;
}

interface TokenRequest {
  http: ClinicHttp;
  clinicId: string;
  /** Where the API is; a SMART server says below it where its token endpoint is. */
  baseUrl: string;
  auth: TokenAuth;
  keys: ClientKeySource;
  clientCertificate?: ClientCertificate;
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

interface AuthorizationOptions extends Omit<TokenRequest, 'auth'> {
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
    case 'smart-backend':
      return tokenCredentials({ ...options, auth });
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
type SmartBackend = Extract<ClinicApiAuth, { method: 'smart-backend' }>;
type TokenAuth = ClientCredentials | SmartBackend;

function tokenCredentials({ tokens, ...context }: AuthorizationOptions & { auth: TokenAuth }): Credentials {
  const { clinicId, baseUrl, auth } = context;
  const key = `${clinicId}:${sha256Hex(JSON.stringify({ baseUrl, auth }))}`;
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

/** What goes to a token endpoint to prove who asks, and what a refusal is explained by. */
interface Proof {
  tokenUrl: string;
  headers: Record<string, string>;
  form: Record<string, string>;
  asked: AskedForToken;
}

async function requestToken(context: TokenRequest): Promise<{ token: string; lifeMs: number }> {
  const { http, clinicId, auth, clientCertificate } = context;
  const { tokenUrl, headers, form, asked } =
    auth.method === 'smart-backend' ? await keyProof({ ...context, auth }) : secretProof(auth);
  const url = new URL(tokenUrl);
  const body = new URLSearchParams({ grant_type: 'client_credentials', ...form });
  if (auth.scope !== undefined) body.set('scope', auth.scope);
  const response = await http.call({
    clinicId,
    system: 'clinic_api',
    action: 'oauth2.token',
    method: 'POST',
    url: tokenUrl,
    baseUrl: url.origin,
    pathTemplate: url.pathname,
    clientCertificate,
    headers: { accept: 'application/json', 'content-type': 'application/x-www-form-urlencoded', ...headers },
    body: body.toString(),
    // A server remembers the id of an assertion: the same one, sent again, would be refused.
    isIdempotent: auth.method !== 'smart-backend',
  });
  const reply = TokenReply.safeParse(response.status === 200 ? parseJson(response.body) : null);
  if (reply.success) return { token: reply.data.access_token, lifeMs: reply.data.expires_in * 1000 };
  const { code, sentence } = tokenRefusal(url.host, response, asked);
  throw new OutboundError('unauthorized', sentence, code);
}

function secretProof({
  tokenUrl,
  clientId,
  clientSecret,
  clientAuthentication,
  scope,
  audience,
}: ClientCredentials): Proof {
  const isInBody = clientAuthentication === 'client_secret_post';
  return {
    tokenUrl,
    headers: isInBody ? {} : { authorization: basic(encodeURIComponent(clientId), encodeURIComponent(clientSecret)) },
    form: {
      ...(isInBody && { client_id: clientId, client_secret: clientSecret }),
      ...(audience !== undefined && { audience }),
    },
    asked: {
      method: 'oauth2-client-credentials',
      clientAuthentication: clientAuthentication ?? 'client_secret_basic',
      scope,
    },
  };
}

/** SMART Backend Services: a short assertion that the clinic's key pair signs (RFC 7523). */
async function keyProof({
  http,
  clinicId,
  baseUrl,
  auth,
  keys,
}: TokenRequest & { auth: SmartBackend }): Promise<Proof> {
  const { clientId, scope, audience } = auth;
  const key = await keys.signing(clinicId);
  if (!key) throw new OutboundError('unauthorized', 'the clinic has no key pair yet: make one first', 'no_key');
  const tokenUrl = auth.tokenUrl ?? (await discoverTokenUrl({ http, clinicId, baseUrl, algorithm: key.algorithm }));
  return {
    tokenUrl,
    headers: {},
    form: {
      client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
      client_assertion: await signAssertion(key, { clientId, audience: audience ?? tokenUrl }),
    },
    asked: {
      method: 'smart-backend',
      clientAuthentication: 'private_key_jwt',
      scope,
      algorithm: key.algorithm,
      jwksUrl: keys.jwksUrl(clinicId),
    },
  };
}

const Texts = z.array(z.string()).optional().catch(undefined);
const SmartConfiguration = z.object({
  token_endpoint: z.url({ protocol: /^https?$/ }),
  token_endpoint_auth_methods_supported: Texts,
  token_endpoint_auth_signing_alg_values_supported: Texts,
});

/** Reads where the token endpoint is, and that what it offers is what we can do; throws a sentence that says what it is not. */
async function discoverTokenUrl({
  http,
  clinicId,
  baseUrl,
  algorithm,
}: Pick<TokenRequest, 'http' | 'clinicId' | 'baseUrl'> & { algorithm: string }): Promise<string> {
  const path = '/.well-known/smart-configuration';
  const { status, body } = await http.call({
    clinicId,
    system: 'clinic_api',
    action: 'smart.configuration',
    method: 'GET',
    url: `${baseUrl.replace(/\/+$/, '')}${path}`,
    baseUrl,
    pathTemplate: path,
    headers: { accept: 'application/json' },
  });
  const refuse = (why: string, code: string): never => {
    throw new OutboundError('unauthorized', `${new URL(baseUrl).host}: ${why}`, code);
  };
  const found = SmartConfiguration.safeParse(status === 200 ? parseJson(body) : null).data;
  if (!found) {
    const said = `${path} below the base URL names no token endpoint (http ${status}); enter the token URL`;
    return refuse(said, 'no_smart_configuration');
  }
  const methods = found.token_endpoint_auth_methods_supported;
  if (methods && !methods.includes('private_key_jwt')) {
    return refuse(`its token endpoint takes no key pairs, only ${methods.join(', ')}`, 'no_private_key_jwt');
  }
  const algorithms = found.token_endpoint_auth_signing_alg_values_supported;
  if (algorithms && !algorithms.includes(algorithm)) {
    return refuse(
      `its token endpoint takes ${algorithms.join(', ')}, and the key is for ${algorithm}`,
      'wrong_algorithm',
    );
  }
  return found.token_endpoint;
}

import { createPublicKey, type JsonWebKey, type KeyObject, verify } from 'node:crypto';
import { startHttpReceiver, type HttpReceiver, type ReceivedRequest } from './http-receiver';

const MAX_ASSERTION_SECONDS = 300;
const algorithms = ['ES384', 'RS384'];

export interface SmartServerOptions {
  clientId: string;
  /** Where the client's keys are, as it was registered. */
  jwksUrl: string;
  scopes: string[];
}

export interface SmartServer {
  /** The base URL of the FHIR API. */
  url: string;
  tokenUrl: string;
  /** Requests to the API itself. */
  requests: ReceivedRequest[];
  /** Why token requests were refused, in order: the server tells nobody else. */
  refusals: string[];
  tokensGiven: number;
  /** How far its clock for remembered key sets is ahead. */
  remembersSince(ms: number): void;
  configuration: Record<string, unknown>;
  receiver: HttpReceiver;
  close(): Promise<void>;
}

class Refusal extends Error {
  constructor(
    readonly code: string,
    why: string,
  ) {
    super(why);
  }
}

/**
 * An authorization server that takes client assertions by the letter of SMART App Launch 2.2 and RFC 7523, checked with Node's
 * own crypto and no JOSE library; every refusal is `invalid_client` without a reason, as at real ones.
 */
export async function startSmartServer({ clientId, jwksUrl, scopes }: SmartServerOptions): Promise<SmartServer> {
  const seen = new Set<string>();
  const tokens = new Set<string>();
  let remembered: { keys: Map<string, JsonWebKey>; until: number } = { keys: new Map(), until: 0 };
  let ahead = 0;

  const keysNow = async (): Promise<Map<string, JsonWebKey>> => {
    const now = Date.now() + ahead;
    if (now < remembered.until) return remembered.keys;
    const answer = await fetch(jwksUrl);
    const { keys } = (await answer.json()) as { keys: (JsonWebKey & { kid: string })[] };
    const maxAge = Number(/max-age=(\d+)/.exec(answer.headers.get('cache-control') ?? '')?.[1] ?? 0);
    remembered = { keys: new Map(keys.map((key) => [key.kid, key])), until: now + maxAge * 1000 };
    return remembered.keys;
  };

  const grant = async ({ headers, body }: ReceivedRequest): Promise<string> => {
    const need = (is: boolean, why: string, code = 'invalid_client') => {
      if (!is) throw new Refusal(code, why);
    };
    need(headers['content-type'] === 'application/x-www-form-urlencoded', 'the body is no form', 'invalid_request');
    need(headers.authorization === undefined, 'two ways of authentication', 'invalid_request');
    const form = new URLSearchParams(body);
    need(new Set(form.keys()).size === [...form.keys()].length, 'a parameter is repeated', 'invalid_request');
    need(form.get('grant_type') === 'client_credentials', 'the grant', 'unsupported_grant_type');
    const type = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';
    need(form.get('client_assertion_type') === type, 'the type of the assertion');
    const asked = (form.get('scope') ?? '').split(' ').filter(Boolean);
    need(asked.length > 0 && asked.every((scope) => scopes.includes(scope)), 'the scope', 'invalid_scope');

    const parts = (form.get('client_assertion') ?? '').split('.');
    need(parts.length === 3, 'no JWT');
    const [head = '', payload = '', signature = ''] = parts;
    const header = readPart(head);
    const claims = readPart(payload);
    need(algorithms.includes(String(header['alg'])), 'the algorithm');
    need(header['typ'] === 'JWT', 'the type of the token');
    need(header['crit'] === undefined, 'a critical extension');
    need(typeof header['kid'] === 'string', 'no key id');
    const jwk = (await keysNow()).get(String(header['kid']));
    need(jwk !== undefined, 'the key is not in the key set');
    need(jwk?.['d'] === undefined, 'the key set shows a private key');
    need(jwk?.['alg'] === header['alg'] && jwk?.['use'] === 'sig', 'the key is for something else');
    const key = createPublicKey({ key: jwk as JsonWebKey, format: 'jwk' });
    need(isSigned({ key, algorithm: String(header['alg']), text: `${head}.${payload}`, signature }), 'the signature');

    const now = Math.floor(Date.now() / 1000);
    const { iss, sub, aud, exp, nbf, iat, jti } = claims;
    need(iss === clientId && sub === clientId, 'issuer or subject');
    need(aud === server.tokenUrl, 'the audience');
    need(typeof exp === 'number' && Number.isInteger(exp), 'no end');
    need(Number(exp) > now, 'it has ended');
    need(Number(exp) <= now + MAX_ASSERTION_SECONDS, 'it lasts too long');
    need(nbf === undefined || Number(nbf) <= now, 'it is not valid yet');
    need(iat === undefined || Number(iat) <= now, 'it is from the future');
    need(typeof jti === 'string' && jti.length > 0, 'no id');
    need(!seen.has(String(jti)), 'it was used before');
    seen.add(String(jti));
    server.tokensGiven += 1;
    const token = `smart-${server.tokensGiven}`;
    tokens.add(`Bearer ${token}`);
    return token;
  };

  const answer = async (request: ReceivedRequest): Promise<[number, unknown]> => {
    if (request.path === '/fhir/.well-known/smart-configuration') return [200, server.configuration];
    if (request.path === '/token' && request.method === 'POST') {
      try {
        return [200, { access_token: await grant(request), token_type: 'bearer', expires_in: 300 }];
      } catch (error) {
        server.refusals.push((error as Error).message);
        return [400, { error: error instanceof Refusal ? error.code : 'invalid_client' }];
      }
    }
    server.requests.push(request);
    if (!tokens.has(request.headers.authorization ?? '')) return [401, { error: 'invalid_token' }];
    return [200, { ok: true }];
  };

  const receiver = await startHttpReceiver((request, response) => {
    void answer(request).then(([status, body]) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body)),
    );
  });
  const tokenUrl = `${receiver.url}/token`;
  const server: SmartServer = {
    url: `${receiver.url}/fhir`,
    tokenUrl,
    requests: [],
    refusals: [],
    tokensGiven: 0,
    remembersSince: (ms) => {
      ahead = ms;
    },
    configuration: {
      token_endpoint: tokenUrl,
      token_endpoint_auth_methods_supported: ['private_key_jwt'],
      token_endpoint_auth_signing_alg_values_supported: algorithms,
      grant_types_supported: ['client_credentials'],
      capabilities: ['client-confidential-asymmetric'],
      scopes_supported: scopes,
    },
    receiver,
    close: () => receiver.close(),
  };
  return server;
}

function readPart(text: string): Record<string, unknown> {
  if (!/^[A-Za-z0-9_-]+$/.test(text)) throw new Refusal('invalid_client', 'a part is not base64url');
  return JSON.parse(Buffer.from(text, 'base64url').toString('utf8'));
}

/** With P1363 signatures alone, as JWS wants them, and with the algorithm that fits the key. */
function isSigned({
  key,
  algorithm,
  text,
  signature,
}: {
  key: KeyObject;
  algorithm: string;
  text: string;
  signature: string;
}): boolean {
  if (key.asymmetricKeyType !== (algorithm === 'ES384' ? 'ec' : 'rsa')) return false;
  if (!/^[A-Za-z0-9_-]+$/.test(signature)) return false;
  const bytes = Buffer.from(signature, 'base64url');
  return verify('sha384', Buffer.from(text), { key, dsaEncoding: 'ieee-p1363' }, bytes);
}

import type { SingleSignOnCheck } from '@clinic/shared/contracts/accounts/single-sign-on';
import { sha256Hex } from '@clinic/shared/crypto';
import { AppError } from '@clinic/shared/errors';
import { createRemoteJWKSet, customFetch, jwtVerify, type JWTVerifyGetKey } from 'jose';
import { LRUCache } from 'lru-cache';
import * as oidc from 'openid-client';
import type { ClinicHttp } from '../http/clinic-http';
import { createSafeFetch } from '../http/safe-fetch';
import { OutboundError } from '../http/safe-http';
import { checkIssuer, faults, isAsymmetric, isSameIssuer } from './check';

/** How a clinic is known at its identity provider. */
export interface ClientOf {
  clinicId: string;
  issuer: string;
  clientId: string;
  clientSecret: string | null;
}

/** One way to the identity provider and back. */
export interface Trip {
  redirectUri: string;
  state: string;
  nonce: string;
  verifier: string;
}

/** What an identity provider vouches for. */
export interface VouchedPerson {
  subject: string;
  email: string | null;
  isEmailVerified: boolean;
  name: string | null;
  /** Its own session, where it names one. */
  session: string | null;
  /** When it last asked who they are, in seconds since 1970, where it says so. */
  authenticatedAt: number | null;
  /** All of what it said. */
  claims: Readonly<Record<string, unknown>>;
  /** Of these, what it has signed. */
  idToken: Readonly<Record<string, unknown>>;
}

export interface LogoutNotice {
  jti: string;
  endsAt: Date;
  subject: string | null;
  session: string | null;
}

/** The identity providers of clinics (OpenID Connect): authorization code flow with PKCE, and back-channel logout. */
export interface IdentityProviders {
  /** Where a browser goes; `isAnew` asks the person who they are even where they are signed in there. Throws `unavailable`. */
  authorizationUrl(client: ClientOf, trip: Trip & AskedFor): Promise<string>;
  /** Who came back. Throws `unauthorized` where it is not valid or refused, `unavailable` where it cannot be reached. */
  personOf(client: ClientOf, trip: Trip, response: string): Promise<VouchedPerson>;
  /** Whose sessions end. Throws `bad_request` where the token is not valid. */
  logoutOf(client: ClientOf, token: string): Promise<LogoutNotice>;
  check(client: Pick<ClientOf, 'clinicId' | 'issuer'> & { roleClaim: string | null }): Promise<SingleSignOnCheck>;
}

interface AskedFor {
  email: string | null;
  factorAcrs: readonly string[];
  isAnew: boolean;
}

interface Context {
  http: ClinicHttp;
  /** In development alone. */
  allowsHttp: boolean;
  known: LRUCache<string, Promise<Known>>;
}

interface Known {
  config: oidc.Configuration;
  keys: JWTVerifyGetKey;
}

const KEEP_MS = 10 * 60_000;
const TIMEOUT_MS = 8_000;
const MAX_BYTES = 512 * 1024;
const CLOCKS_DIFFER_SECONDS = 60;
/** A logout is told at once; a token without an end is good no longer than this. */
const LOGOUT_MINUTES = 10;
const LOGOUT_EVENT = 'http://schemas.openid.net/event/backchannel-logout';

export function createIdentityProviders({ http, allowsHttp }: Pick<Context, 'http' | 'allowsHttp'>): IdentityProviders {
  const context: Context = { http, allowsHttp, known: new LRUCache({ max: 500, ttl: KEEP_MS }) };
  return {
    authorizationUrl: (client, trip) => authorizationUrl(context, client, trip),
    personOf: (client, trip, response) => personOf(context, client, trip, response),
    logoutOf: (client, token) => logoutOf(context, client, token),
    check({ clinicId, issuer, roleClaim }) {
      const fetch = fetchOf(context, { clinicId, issuer });
      const read = async (url: string) => {
        const response = await fetch(url);
        return { status: response.status, body: await response.text() };
      };
      return checkIssuer(read, { issuer, roleClaim, allowsHttp });
    },
  };
}

async function authorizationUrl(
  context: Context,
  client: ClientOf,
  { redirectUri, state, nonce, verifier, email, factorAcrs, isAnew }: Trip & AskedFor,
): Promise<string> {
  const { config } = await reached(client, () => knownOf(context, client));
  const parameters = new URLSearchParams({
    redirect_uri: redirectUri,
    scope: 'openid email profile',
    state,
    nonce,
    code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
  });
  if (email !== null) parameters.set('login_hint', email);
  if (factorAcrs.length > 0) parameters.set('acr_values', factorAcrs.join(' '));
  if (isAnew) {
    parameters.set('prompt', 'login');
    parameters.set('max_age', '0');
  }
  return oidc.buildAuthorizationUrl(config, parameters).href;
}

async function personOf(
  context: Context,
  client: ClientOf,
  { redirectUri, state, nonce, verifier }: Trip,
  response: string,
): Promise<VouchedPerson> {
  return reached(client, async () => {
    const { config } = await knownOf(context, client);
    const returned = new URL(`${redirectUri}?${response.replace(/^\?/, '')}`);
    const tokens = await oidc.authorizationCodeGrant(config, returned, {
      expectedState: state,
      expectedNonce: nonce,
      pkceCodeVerifier: verifier,
      idTokenExpected: true,
    });
    const idToken = tokens.claims();
    if (!idToken) throw notValid('no id token');
    // Many say who somebody is in the id token, and the rest only where it is asked for.
    const asked = config.serverMetadata().userinfo_endpoint
      ? await oidc.fetchUserInfo(config, tokens.access_token, idToken.sub)
      : {};
    return toPerson(asked, idToken);
  });
}

function toPerson(asked: Record<string, unknown>, idToken: Record<string, unknown>): VouchedPerson {
  const claims = { ...asked, ...idToken };
  const { email, name, given_name: given, family_name: family } = claims;
  const { sub, sid, auth_time: authenticatedAt } = idToken;
  // That another address was verified says nothing of this one.
  const addresses = new Set([addressIn(asked), addressIn(idToken)].filter((each) => each !== null));
  const { email_verified: isVerified, xms_edov: isOfTheirDomain } = addresses.size > 1 ? idToken : claims;
  const parts = [textOf(given), textOf(family)].filter((part) => part !== null);
  return {
    subject: String(sub),
    email: addressIn({ email }),
    isEmailVerified: isYes(isVerified) || isYes(isOfTheirDomain),
    name: textOf(name) ?? (parts.length > 0 ? parts.join(' ') : null),
    session: textOf(sid),
    authenticatedAt: typeof authenticatedAt === 'number' ? authenticatedAt : null,
    claims,
    idToken,
  };
}

/** Some write it as text; Entra ID says `xms_edov`: that the owner of the address's domain has verified it. */
const isYes = (value: unknown): boolean => value === true || value === 'true' || value === 1 || value === '1';

const addressIn = ({ email }: { email?: unknown }): string | null => textOf(email)?.toLowerCase() ?? null;

const textOf = (value: unknown): string | null =>
  typeof value === 'string' && value.trim() !== '' ? value.trim().slice(0, 200) : null;

async function logoutOf(context: Context, client: ClientOf, token: string): Promise<LogoutNotice> {
  const { config, keys } = await reached(client, () => knownOf(context, client));
  const { issuer, id_token_signing_alg_values_supported: offered = [] } = config.serverMetadata();
  const asymmetric = offered.filter(isAsymmetric);
  const { payload } = await jwtVerify(token, keys, {
    issuer,
    audience: client.clientId,
    algorithms: asymmetric.length > 0 ? asymmetric : ['RS256'],
    requiredClaims: ['iat', 'jti', 'events'],
    maxTokenAge: LOGOUT_MINUTES * 60,
    clockTolerance: CLOCKS_DIFFER_SECONDS,
  }).catch((error: unknown) => {
    const fault = outboundFaultIn(error);
    throw fault ? unreached(client, fault) : refusedLogout('its signature or its claims are not valid');
  });
  const { jti, iat, exp, sub, sid, events, nonce } = payload;
  const isLogout = typeof events === 'object' && events !== null && LOGOUT_EVENT in events;
  if (!isLogout) throw refusedLogout('it is for something else');
  if (nonce !== undefined) throw refusedLogout('it holds a nonce, as id tokens do');
  const [subject, session] = [textOf(sub), textOf(sid)];
  if (subject === null && session === null) throw refusedLogout('it names neither sub nor sid');
  const ends = exp ?? (iat ?? 0) + LOGOUT_MINUTES * 60;
  return { jti: String(jti), endsAt: new Date((ends + 2 * CLOCKS_DIFFER_SECONDS) * 1_000), subject, session };
}

const refusedLogout = (why: string) => new AppError('bad_request', `The logout token is refused: ${why}`);

/** What the discovery document says, for minutes. Settings that changed are another entry. */
function knownOf(context: Context, client: ClientOf): Promise<Known> {
  const { clinicId, issuer, clientId, clientSecret } = client;
  const key = sha256Hex(JSON.stringify([clinicId, issuer, clientId, clientSecret]));
  const kept = context.known.get(key);
  if (kept) return kept;
  const found = discover(context, client);
  context.known.set(key, found);
  found.catch(() => context.known.peek(key) === found && context.known.delete(key));
  return found;
}

async function discover(context: Context, client: ClientOf): Promise<Known> {
  const { issuer, clientId, clientSecret } = client;
  const fetch = fetchOf(context, client);
  const execute = context.allowsHttp ? [oidc.allowInsecureRequests] : [];
  const found = await oidc.discovery(new URL(issuer), clientId, undefined, oidc.None(), {
    [oidc.customFetch]: fetch,
    timeout: TIMEOUT_MS / 1_000,
    execute,
  });
  const server = found.serverMetadata();
  if (!isSameIssuer(server.issuer, issuer)) throw notValid('another issuer');
  const config = new oidc.Configuration(server, clientId, undefined, proofOf(server, clientSecret));
  config[oidc.customFetch] = fetch;
  config.timeout = TIMEOUT_MS / 1_000;
  // The signature of every id token is checked, not only whom it came from.
  for (const set of [...execute, oidc.enableNonRepudiationChecks]) set(config);
  if (server.jwks_uri === undefined) throw notValid('no keys');
  return { config, keys: createRemoteJWKSet(new URL(server.jwks_uri), { [customFetch]: fetch }) };
}

/** By which we prove who we are; `client_secret_basic` is what a server that says nothing takes. */
function proofOf({ token_endpoint_auth_methods_supported: taken = [] }: oidc.ServerMetadata, secret: string | null) {
  if (secret === null) return oidc.None();
  const isPost = taken.includes('client_secret_post') && !taken.includes('client_secret_basic');
  return isPost ? oidc.ClientSecretPost(secret) : oidc.ClientSecretBasic(secret);
}

/** `fetch` through the guarded client of clinics' systems: with their private targets, circuit breaker and audit. */
const fetchOf = ({ http }: Context, { clinicId, issuer }: Pick<ClientOf, 'clinicId' | 'issuer'>) =>
  createSafeFetch(
    {
      request: ({ method, url, headers, body, timeoutMs, maxBytes, signal }) =>
        http.call({
          clinicId,
          system: 'identity_provider',
          action: 'sign-on',
          method,
          url,
          headers,
          body,
          timeoutMs,
          maxBytes,
          signal,
          pathTemplate: new URL(url).pathname,
          baseUrl: new URL(issuer).origin,
        }),
    },
    { timeoutMs: TIMEOUT_MS, maxBytes: MAX_BYTES },
  );

/** Faults of the identity provider and of the way to it, as people are told them. */
async function reached<T>(client: Pick<ClientOf, 'issuer'>, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof AppError) throw error;
    const fault = outboundFaultIn(error);
    if (fault) throw unreached(client, fault);
    if (error instanceof oidc.AuthorizationResponseError) {
      throw new AppError('unauthorized', `Your identity provider did not sign you in (${wordOf(error.error)})`);
    }
    if (error instanceof oidc.ResponseBodyError) {
      throw new AppError('unauthorized', `The identity provider refused this sign-in (${wordOf(error.error)})`);
    }
    throw notValid(isCoded(error) ? wordOf(error.code) : 'unreadable');
  }
}

const unreached = ({ issuer }: Pick<ClientOf, 'issuer'>, { code }: OutboundError) =>
  new AppError('unavailable', `The identity provider at ${new URL(issuer).host} cannot be reached: ${faults[code]}`);

const notValid = (why: string) =>
  new AppError('unauthorized', `What the identity provider sent is not valid (${why}); please sign in again`);

/** A code of a protocol, and nothing that a stranger wrote. */
const wordOf = (code: string): string => (/^[\w.-]{1,60}$/.test(code) ? code : 'unknown');

const isCoded = (error: unknown): error is { code: string } =>
  typeof error === 'object' && error !== null && 'code' in error && typeof error.code === 'string';

/** Libraries wrap what went wrong on the way. */
function outboundFaultIn(error: unknown): OutboundError | null {
  for (let inner: unknown = error; inner instanceof Object; inner = 'cause' in inner ? inner.cause : null) {
    if (inner instanceof OutboundError) return inner;
  }
  return null;
}

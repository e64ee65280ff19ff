import { createServer } from 'node:http';
import { freePort } from '@clinic/local/ports';
import { decodeJwt, exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose';
import { type Configuration, Provider } from 'oidc-provider';
import { closeServer } from './http-receiver';

export interface ProviderPerson {
  email?: string;
  email_verified?: boolean;
  name?: string;
  roles?: string[];
  /** What the id token says of how they signed in. */
  amr?: string[];
}

export type IdentityProvider = Awaited<ReturnType<typeof startIdentityProvider>>;

const CLIENT = { id: 'clinic-workflows', secret: 'a-secret-that-only-both-know-0123456789' };
const LOGOUT_EVENT = 'http://schemas.openid.net/event/backchannel-logout';

/**
 * An OpenID Connect provider of a hospital: `oidc-provider` itself, over HTTP. Its page of a sign-in asks for a user name alone. Id tokens
 * on their way can be replaced, and signed with its key.
 */
export async function startIdentityProvider() {
  const port = await freePort();
  const issuer = `http://127.0.0.1:${port}`;
  const { publicKey, privateKey } = await generateKeyPair('RS256', { extractable: true });
  const kid = 'signs';
  const people = new Map<string, ProviderPerson>();
  const clients: string[] = [];
  let onToken: ((idToken: string) => Promise<string>) | null = null;

  const configuration: Configuration = {
    jwks: { keys: [{ ...(await exportJWK(privateKey)), kid, alg: 'RS256', use: 'sig' }] },
    clients: [],
    claims: { openid: ['sub', 'roles', 'amr'], email: ['email', 'email_verified'], profile: ['name'] },
    features: {
      devInteractions: { enabled: false },
      backchannelLogout: { enabled: true },
      rpInitiatedLogout: {
        enabled: true,
        logoutSource: (context, form) => void (context.body = form),
        postLogoutSuccessSource: (context) => void (context.body = 'Signed out'),
      },
    },
    interactions: { url: (_context, { uid }) => `/interaction/${uid}` },
    pkce: { required: () => true },
    // Its own guard lets it tell nobody on this machine.
    fetch: (url, options) => fetch(url, { ...options, dispatcher: undefined }),
    cookies: { keys: ['a-key-for-cookies'] },
    ttl: { AccessToken: 600, Grant: 3_600, IdToken: 600, Interaction: 600, Session: 3_600 },
    findAccount: (_context, accountId) => {
      const { amr: _amr, ...claims } = people.get(accountId) ?? {};
      return { accountId, claims: async () => ({ sub: accountId, ...claims }) };
    },
    // Nobody is asked whether their employer may know them.
    async loadExistingGrant({ oidc: { client, session, provider: own } }) {
      if (!client || !session?.accountId) return undefined;
      const grant = new own.Grant({ clientId: client.clientId, accountId: session.accountId });
      grant.addOIDCScope('openid email profile');
      await grant.save();
      return grant;
    },
  };
  const makeProvider = (clientList: Configuration['clients']) => {
    const made = quietly(() => new Provider(issuer, { ...configuration, clients: clientList }));
    made.use(async (context, next) => {
      const [, uid] = /^\/interaction\/([\w-]+)$/.exec(context.path) ?? [];
      if (uid === undefined) {
        await next();
        const body: unknown = context.body;
        if (onToken && context.path === '/token' && isTokenAnswer(body)) body.id_token = await onToken(body.id_token);
        return;
      }
      if (context.method === 'GET') {
        context.type = 'html';
        context.body = page(uid);
        return;
      }
      const chunks: Buffer[] = [];
      for await (const chunk of context.req) chunks.push(chunk as Buffer);
      const accountId = new URLSearchParams(Buffer.concat(chunks).toString()).get('login') ?? '';
      const { amr } = people.get(accountId) ?? {};
      await made.interactionFinished(context.req, context.res, { login: { accountId, amr } });
      context.respond = false;
    });
    return made;
  };

  let provider = makeProvider([]);
  const server = createServer((request, response) => void provider.callback()(request, response));
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));

  const sign = (claims: JWTPayload, header: { typ?: string } = {}) =>
    new SignJWT(claims).setProtectedHeader({ alg: 'RS256', kid, ...header }).sign(privateKey);

  return {
    issuer,
    client: CLIENT,
    people,
    publicKey,
    sign,
    /** The service as its client. */
    register(...uris: { redirectUri: string; logoutUri: string }[]) {
      clients.push(...uris.map(({ redirectUri }) => redirectUri));
      provider = makeProvider([
        {
          client_id: CLIENT.id,
          client_secret: CLIENT.secret,
          redirect_uris: clients,
          backchannel_logout_uri: uris[0]?.logoutUri,
          backchannel_logout_session_required: true,
          require_auth_time: true,
        },
      ]);
    },
    /** The id tokens of the next token answers, as they were or as a test has them. */
    replaceIdTokens(replace: ((idToken: string, claims: JWTPayload) => Promise<string>) | null) {
      onToken = replace && ((idToken) => replace(idToken, decodeJwt(idToken)));
    },
    /** What it tells the service when somebody signs out. */
    logoutToken: (claims: JWTPayload) =>
      sign(
        {
          iss: issuer,
          aud: CLIENT.id,
          iat: Math.floor(Date.now() / 1_000),
          exp: Math.floor(Date.now() / 1_000) + 120,
          events: { [LOGOUT_EVENT]: {} },
          ...claims,
        },
        { typ: 'logout+jwt' },
      ),
    /** A browser of its own, with its cookies. */
    browser: () => createBrowser(issuer),
    close: () => closeServer(server),
  };
}

/** Goes through the pages of the provider as a browser does. */
function createBrowser(issuer: string) {
  const cookies = new Map<string, string>();
  const visit = async (url: string, fields?: Record<string, string>): Promise<Response> => {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const response = await fetch(url, {
      method: fields ? 'POST' : 'GET',
      body: fields && new URLSearchParams(fields),
      redirect: 'manual',
      headers: { cookie },
    });
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (value === '') cookies.delete(name);
      else cookies.set(name, value);
    }
    const next = response.headers.get('location');
    if (next === null) return response;
    const address = new URL(next, url);
    return address.origin === issuer ? visit(address.href) : response;
  };
  return {
    /** Signs in as this person where it is asked; returns the query of the address that the provider sends it back to. */
    async goTo(url: string, login: string): Promise<string> {
      let response = await visit(url);
      const action = response.status === 200 ? /action="([^"]+)"/.exec(await response.text())?.[1] : undefined;
      if (action !== undefined) response = await visit(new URL(action, issuer).href, { login });
      const location = response.headers.get('location');
      if (location === null) throw new Error(`the provider answered ${response.status}: ${await response.text()}`);
      return new URL(location).search;
    },
    async signOut(): Promise<void> {
      const asked = await (await visit(`${issuer}/session/end`)).text();
      const xsrf = /name="xsrf" value="([^"]+)"/.exec(asked)?.[1] ?? '';
      await visit(`${issuer}/session/end/confirm`, { xsrf, logout: 'yes' });
    },
  };
}

/** It warns of Node 20 and of what it keeps in memory, both as meant here. */
function quietly<T>(make: () => T): T {
  const { warn, info } = console;
  Object.assign(console, { warn: () => undefined, info: () => undefined });
  try {
    return make();
  } finally {
    Object.assign(console, { warn, info });
  }
}

const isTokenAnswer = (body: unknown): body is { id_token: string } =>
  typeof body === 'object' && body !== null && 'id_token' in body;

const page = (
  uid: string,
) => `<!doctype html><html lang="en"><title>Harbor Hospital</title><link rel="icon" href="data:,">
<main><h1>Harbor Hospital</h1><form method="post" action="/interaction/${uid}">
<label>User name <input name="login" autofocus></label> <button>Sign in</button></form></main></html>`;

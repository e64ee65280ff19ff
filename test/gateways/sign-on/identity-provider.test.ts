import { generateKeyPairSync } from 'node:crypto';
import { exportJWK, type JWTPayload, SignJWT } from 'jose';
import { createClinicHttp } from '@clinic/gateways/http/clinic-http';
import { createSafeHttp, type SafeHttp } from '@clinic/gateways/http/safe-http';
import {
  type ClientOf,
  createIdentityProviders,
  type IdentityProviders,
} from '@clinic/gateways/sign-on/identity-provider';
import { type HttpReceiver, startHttpReceiver } from '../../support/outside/http-receiver';

const WELL_KNOWN = '/.well-known/openid-configuration';
const LOGOUT_EVENT = 'http://schemas.openid.net/event/backchannel-logout';
const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });

/** The clock stands, and the rest goes on. */
const allButDate = [
  'hrtime',
  'nextTick',
  'performance',
  'queueMicrotask',
  'setImmediate',
  'clearImmediate',
  'setInterval',
  'clearInterval',
  'setTimeout',
  'clearTimeout',
] as const;

let http: SafeHttp;
let provider: HttpReceiver;
let providers: IdentityProviders;
let keys: unknown[];
/** What it answers at each path: a status alone, or a body. */
let says: Record<string, number | string | object>;
let clinics = 0;

beforeAll(async () => {
  http = createSafeHttp({ allowPrivateTargets: true });
  provider = await startHttpReceiver(({ path }, response) => {
    const said = says[path] ?? 404;
    if (typeof said === 'number') response.writeHead(said).end();
    else
      response
        .writeHead(200, { 'content-type': 'application/json' })
        .end(typeof said === 'string' ? said : JSON.stringify(said));
  });
  const clinicHttp = createClinicHttp({ http, audit: () => undefined, adjustWait: () => 0 });
  providers = createIdentityProviders({ http: clinicHttp, allowsHttp: true });
  keys = [
    { ...(await exportJWK(publicKey)), kid: 'ec', alg: 'ES256', use: 'sig' },
    { ...(await exportJWK(rsa.publicKey)), kid: 'rsa', alg: 'RS256', use: 'sig' },
  ];
});
afterAll(() => Promise.all([http.close(), provider.close()]));
afterEach(() => void jest.useRealTimers());
beforeEach(() => {
  clinics += 1;
  provider.received.length = 0;
  says = { [WELL_KNOWN]: document(), '/keys': { keys } };
});

const document = (changed: object = {}) => ({
  issuer: provider.url,
  authorization_endpoint: `${provider.url}/authorize`,
  token_endpoint: `${provider.url}/token`,
  jwks_uri: `${provider.url}/keys`,
  id_token_signing_alg_values_supported: ['HS256', 'ES256'],
  ...changed,
});
/** A clinic of its own in each test: what is known of a provider is known for one. */
const client = (changed: Partial<ClientOf> = {}): ClientOf => ({
  clinicId: `clinic-${clinics}`,
  issuer: provider.url,
  clientId: 'us',
  clientSecret: 'a secret',
  ...changed,
});
const trip = { redirectUri: 'https://us.example/back', state: 's', nonce: 'n', verifier: 'v'.repeat(43) };
const go = (of = client()) => providers.authorizationUrl(of, { ...trip, email: null, factorAcrs: [], isAnew: false });
const reads = (wanted = WELL_KNOWN) => provider.received.filter(({ path }) => path === wanted).length;
const now = () => Math.floor(Date.now() / 1_000);
const somebodyElses = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
const signedByOthers = (claims: JWTPayload) =>
  new SignJWT(claims).setProtectedHeader({ alg: 'ES256', kid: 'ec' }).sign(somebodyElses);
const signed = (claims: JWTPayload, alg = 'ES256') =>
  new SignJWT(claims)
    .setProtectedHeader({ alg, kid: alg === 'RS256' ? 'rsa' : 'ec' })
    .sign(alg === 'ES256' ? privateKey : alg === 'RS256' ? rsa.privateKey : Buffer.from('a secret'.repeat(8)));

describe('what an identity provider says of itself', () => {
  test.each<[string, Partial<ClientOf>, number]>([
    ['the same client', {}, 1],
    ['another clinic', { clinicId: 'another' }, 2],
    ['another client id', { clientId: 'them' }, 2],
    ['the issuer written with a slash', { issuer: '/' }, 2],
    ['another secret', { clientSecret: 'another' }, 2],
    ['no secret', { clientSecret: null }, 2],
  ])('is read once for a client: with %s next it was read %#, %j', async (_what, changed, times) => {
    await go();
    await go(client({ ...changed, ...(changed.issuer && { issuer: `${provider.url}/` }) }));
    await go();

    expect(reads()).toBe(times);
  });

  test('is read once by many at once', async () => {
    const urls = await Promise.all([go(), go(), go()]);

    expect([new Set(urls).size, reads()]).toEqual([1, 1]);
  });

  test.each<[string, number | string | object | (() => object), string]>([
    ['cannot be had', 404, 'unauthorized'],
    ['is a page', '<html>', 'unauthorized'],
    ['is that of another issuer', () => document({ issuer: 'http://another.example' }), 'unauthorized'],
    ['names no keys', () => document({ jwks_uri: undefined }), 'unauthorized'],
  ])('is asked for again where it %s', async (_what, said, code) => {
    says[WELL_KNOWN] = typeof said === 'function' ? said() : said;
    await expect(go()).rejects.toMatchObject({ code });
    says[WELL_KNOWN] = document();

    expect(await go()).toContain(`${provider.url}/authorize?`);
    expect(reads()).toBe(2);
  });

  test.each([
    ['as long as may be', 512 * 1024, true],
    ['a byte longer', 512 * 1024 + 1, false],
  ])('is taken where it is %s', async (_what, bytes, isTaken) => {
    says[WELL_KNOWN] = JSON.stringify(document({ backchannel_logout_supported: true })).padEnd(bytes);
    const words = 'it answers more than a discovery document holds.';

    const went = await go().then(
      () => null,
      (error: unknown) => error,
    );
    const { passed, findings } = await providers.check({ ...client(), roleClaim: null });

    expect(went).toEqual(isTaken ? null : expect.objectContaining({ code: 'unavailable' }));
    expect(String(went)).toContain(isTaken ? 'null' : words);
    expect([passed, findings]).toEqual(
      isTaken ? [true, []] : [false, [expect.objectContaining({ message: expect.stringContaining(words) })]],
    );
  });
});

describe('a logout that is told', () => {
  const claims = (): JWTPayload => ({
    iss: provider.url,
    aud: 'us',
    iat: now(),
    jti: 'one',
    sub: 'person',
    events: { [LOGOUT_EVENT]: {} },
  });
  const told = async (changed: JWTPayload, alg?: string) =>
    providers.logoutOf(client(), await signed({ ...claims(), ...changed }, alg));

  test.each<[string, JWTPayload, object]>([
    ['the person', {}, { subject: 'person', session: null }],
    ['the session', { sub: undefined, sid: 'session' }, { subject: null, session: 'session' }],
    ['both', { sid: 'session' }, { subject: 'person', session: 'session' }],
    ['the session, and nobody', { sub: ' ', sid: 'session' }, { subject: null, session: 'session' }],
    ['us among others', { aud: ['them', 'us'] }, { subject: 'person' }],
  ])('names %s', async (_what, changed, expected) => {
    expect(await told(changed)).toMatchObject({ jti: 'one', ...expected });
  });

  test('counts until two minutes after its end, or after ten minutes where it says none', async () => {
    const iat = now() - 30;

    expect((await told({ iat, exp: iat + 100 })).endsAt).toEqual(new Date((iat + 220) * 1_000));
    expect((await told({ iat })).endsAt).toEqual(new Date((iat + 720) * 1_000));
  });

  test.each([
    [660, true],
    [661, false],
  ])('%d seconds ago is taken: %s', async (secondsAgo, isTaken) => {
    const [iat, of] = [now(), client()];
    const token = await signed({ ...claims(), iat });
    await go(of);
    jest.useFakeTimers({ now: (iat + secondsAgo) * 1_000, doNotFake: [...allButDate] });

    const asked = providers.logoutOf(of, token);

    if (isTaken) await expect(asked).resolves.toMatchObject({ jti: 'one' });
    else await expect(asked).rejects.toMatchObject({ code: 'bad_request' });
  });

  const notValid = 'its signature or its claims are not valid';
  test.each<[string, string, JWTPayload, string]>([
    ['of another issuer', 'ES256', { iss: 'http://another.example' }, notValid],
    ['for another client', 'ES256', { aud: 'them' }, notValid],
    ['without a time', 'ES256', { iat: undefined }, notValid],
    ['without an id', 'ES256', { jti: undefined }, notValid],
    ['without an event', 'ES256', { events: undefined }, notValid],
    ['that is over', 'ES256', { exp: 1_000 }, notValid],
    ['that the secret signed', 'HS256', {}, notValid],
    ['by an algorithm that is not offered', 'RS256', {}, notValid],
    ['of another event', 'ES256', { events: { other: {} } }, 'it is for something else'],
    ['of no event', 'ES256', { events: null }, 'it is for something else'],
    ['of an event that is none', 'ES256', { events: LOGOUT_EVENT }, 'it is for something else'],
    ['with a nonce', 'ES256', { nonce: 'n' }, 'it holds a nonce, as id tokens do'],
    ['of nobody', 'ES256', { sub: undefined }, 'it names neither sub nor sid'],
    ['of an empty name', 'ES256', { sub: ' ', sid: '' }, 'it names neither sub nor sid'],
  ])('%s, by %s, is refused', async (_what, alg, changed, why) => {
    await expect(told(changed, alg)).rejects.toMatchObject({
      code: 'bad_request',
      message: `The logout token is refused: ${why}`,
    });
  });

  test.each<[string, unknown, string, boolean]>([
    ['names no algorithm', undefined, 'RS256', true],
    ['names none with a public key', ['HS256', 'none'], 'RS256', true],
    ['names no algorithm', undefined, 'ES256', false],
    ['names two', ['ES256', 'RS256'], 'RS256', true],
  ])('to a client of a provider that %s, which is %j, by %s is taken: %s', async (_what, offered, alg, isTaken) => {
    says[WELL_KNOWN] = document({ id_token_signing_alg_values_supported: offered });

    const asked = told({}, alg);

    if (isTaken) await expect(asked).resolves.toMatchObject({ jti: 'one' });
    else await expect(asked).rejects.toMatchObject({ code: 'bad_request' });
  });

  test('by somebody else is refused', async () => {
    const asked = providers.logoutOf(client(), await signedByOthers(claims()));

    await expect(asked).rejects.toMatchObject({ code: 'bad_request', message: expect.stringContaining(notValid) });
  });

  test('is not refused where the keys cannot be had, as it may be told again', async () => {
    says['/keys'] = 'x'.repeat(600_000);

    await expect(told({})).rejects.toMatchObject({ code: 'unavailable' });
  });
});

describe('who comes back', () => {
  const claims = () => ({ iss: provider.url, aud: 'us', sub: 'person', nonce: 'n', iat: now(), exp: now() + 60 });
  const idToken = (changed: JWTPayload = {}) => signed({ ...claims(), ...changed });
  const comesBack = async (token: unknown, of = client()) => {
    says['/token'] = { access_token: 'a', token_type: 'bearer', ...(token !== undefined && { id_token: token }) };
    return providers.personOf(of, trip, '?code=c&state=s');
  };
  const nobody = { subject: 'person', email: null, isEmailVerified: false, name: null, session: null };

  test.each<[string, JWTPayload, object]>([
    ['nothing', {}, { ...nobody, authenticatedAt: null }],
    ['an address', { email: ' Ana@Harbor.example ' }, { email: 'ana@harbor.example', isEmailVerified: false }],
    ['an address that is empty', { email: ' ' }, { email: null }],
    ['an address that is none', { email: 7 }, { email: null }],
    ['a verified address', { email_verified: true }, { isEmailVerified: true }],
    ['a verified address, in words', { email_verified: 'true' }, { isEmailVerified: true }],
    ['a verified address, as a number', { email_verified: 1 }, { isEmailVerified: true }],
    ['a verified address, as a number in words', { email_verified: '1' }, { isEmailVerified: true }],
    ['an address that nobody verified', { email_verified: 'false' }, { isEmailVerified: false }],
    ['an address of a verified domain', { xms_edov: '1' }, { isEmailVerified: true }],
    ['a name', { name: 'Ana V', given_name: 'Ana', family_name: 'Vega' }, { name: 'Ana V' }],
    ['a name in parts', { name: '', given_name: 'Ana', family_name: 'Vega' }, { name: 'Ana Vega' }],
    ['a first name', { given_name: 'Ana' }, { name: 'Ana' }],
    ['a last name', { family_name: 'Vega', given_name: ' ' }, { name: 'Vega' }],
    ['a name that is too long', { name: 'x'.repeat(201) }, { name: 'x'.repeat(200) }],
    ['a session', { sid: 'session' }, { session: 'session' }],
    ['when they were asked', { auth_time: 1_000 }, { authenticatedAt: 1_000 }],
  ])('is told with %s', async (_what, changed, expected) => {
    expect(await comesBack(await idToken(changed))).toMatchObject(expected);
  });

  test('is told more where the provider has more, and the id token outweighs it', async () => {
    says[WELL_KNOWN] = document({ userinfo_endpoint: `${provider.url}/me` });
    says['/me'] = { sub: 'person', email: 'me@harbor.example', name: 'Me', sid: 'not signed' };

    const person = await comesBack(await idToken({ name: 'Ana' }));

    expect(person).toMatchObject({ email: 'me@harbor.example', name: 'Ana', session: null });
    expect([person.claims['email'], person.idToken['email']]).toEqual(['me@harbor.example', undefined]);
  });

  test.each<[string, object, JWTPayload, boolean]>([
    ['the same', { email: 'ana@Harbor.example', email_verified: true }, {}, true],
    ['another one', { email: 'me@harbor.example', email_verified: true, xms_edov: true }, {}, false],
    ['another one', { email: 'me@harbor.example' }, { email_verified: true }, true],
    ['none', { email_verified: true }, {}, true],
  ])(
    'has a verified address where that of the user info is %s: %j, %j, %s',
    async (_what, asked, changed, isVerified) => {
      says[WELL_KNOWN] = document({ userinfo_endpoint: `${provider.url}/me` });
      says['/me'] = { sub: 'person', ...asked };

      const person = await comesBack(await idToken({ email: 'ana@harbor.example', ...changed }));

      expect(person).toMatchObject({ email: 'ana@harbor.example', isEmailVerified: isVerified });
    },
  );

  const notValid = /^What the identity provider sent is not valid \(OAUTH_[A-Z_]+\); please sign in again$/;
  test.each<[string, () => unknown, RegExp]>([
    ['without an id token', () => undefined, notValid],
    ['with an id token that is none', () => 'x', notValid],
    ['with another nonce', () => idToken({ nonce: 'another' }), notValid],
    ['without a nonce', () => idToken({ nonce: undefined }), notValid],
    ['for another client', () => idToken({ aud: 'them' }), notValid],
    ['after its end', () => idToken({ exp: now() - 60 }), notValid],
    ['with an id token that somebody else signed', () => signedByOthers(claims()), notValid],
  ])('%s is nobody', async (_what, token, message) => {
    await expect(comesBack(await token())).rejects.toMatchObject({
      code: 'unauthorized',
      message: expect.stringMatching(message),
    });
  });

  test.each<[string, string, string]>([
    ['error=access_denied&state=s', 'unauthorized', 'Your identity provider did not sign you in (access_denied)'],
    ['error=odd%20words&state=s', 'unauthorized', 'Your identity provider did not sign you in (unknown)'],
  ])('with %s was not signed in', async (response, code, message) => {
    await expect(providers.personOf(client(), trip, response)).rejects.toMatchObject({ code, message });
  });

  const BASIC = `Basic ${Buffer.from('us:a+secret').toString('base64')}`;
  test.each<[string, object, string | null, string | undefined]>([
    ['basic, where nothing is said', {}, 'a secret', BASIC],
    [
      'basic, where both are taken',
      { token_endpoint_auth_methods_supported: ['client_secret_post', 'client_secret_basic'] },
      'a secret',
      BASIC,
    ],
    [
      'post, where that alone is taken',
      { token_endpoint_auth_methods_supported: ['client_secret_post'] },
      'a secret',
      undefined,
    ],
    ['nothing, where there is no secret', {}, null, undefined],
  ])('is asked about with %s', async (_what, changed, clientSecret, header) => {
    says[WELL_KNOWN] = document(changed);

    await comesBack(await idToken(), client({ clientSecret }));

    const { headers, body } = provider.received.find(({ path }) => path === '/token') ?? {};
    const isInBody = new URLSearchParams(body).get('client_secret');
    expect(headers?.authorization).toBe(header);
    expect(isInBody).toBe(header === undefined ? clientSecret : null);
  });
});

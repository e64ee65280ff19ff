import { generateKeyPairSync } from 'node:crypto';
import { type ClientKey, newClientKey, signAssertion } from '@clinic/shared/client-key';
import { ApprovedApi, type ClinicApiAuth, type KeyAlgorithm } from '@clinic/shared/contracts/events/approved-api';
import { createClinicApi } from '@clinic/gateways/clinic-api/clinic-api';
import { createTokenCache } from '@clinic/gateways/clinic-api/clinic-api-auth';
import { createClinicHttp, type OutboundAudit } from '@clinic/gateways/http/clinic-http';
import { createSafeHttp, type SafeHttp } from '@clinic/gateways/http/safe-http';
import { tokenRefusal } from '@clinic/gateways/clinic-api/token-refusal';
import { createLocalJWKSet, importJWK, type JWTPayload, jwtVerify, SignJWT } from 'jose';
import { json, startHttpReceiver, type HttpReceiver } from '../../support/outside/http-receiver';
import { aCertificate, startTlsReceiver } from '../../support/outside/tls-receiver';
import { startSmartServer, type SmartServer } from '../../support/outside/smart-server';
import { noOtherBookings } from '../../support/ehr-times';

const clientId = 'clinic-client';
const scope = 'system/Patient.rs system/Appointment.cruds';

let safeHttp: SafeHttp;
let keys: Record<KeyAlgorithm, ClientKey>;
let keySet: HttpReceiver;
let server: SmartServer;
let audit: OutboundAudit[];

beforeAll(async () => {
  safeHttp = createSafeHttp({ allowPrivateTargets: true });
  const [ES384, RS384] = await Promise.all([newClientKey('ES384'), newClientKey('RS384')]);
  keys = { ES384, RS384 };
  keySet = await startHttpReceiver(json(200, { keys: [ES384.publicJwk, RS384.publicJwk] }));
});
beforeEach(async () => {
  audit = [];
  server = await startSmartServer({ clientId, jwksUrl: `${keySet.url}/jwks.json`, scopes: scope.split(' ') });
});
afterEach(() => server.close());
afterAll(() => Promise.all([safeHttp.close(), keySet.close()]));

const call = (algorithm: KeyAlgorithm | null = 'ES384', auth: Partial<ClinicApiAuth> = {}) =>
  createClinicApi({
    ehrTimes: noOtherBookings,
    http: createClinicHttp({ http: safeHttp, audit: (row) => void audit.push(row), adjustWait: () => 0 }),
    clinicId: 'clinic-1',
    tokens: createTokenCache(),
    keys: { signing: async () => algorithm && keys[algorithm], jwksUrl: () => 'https://us.example/jwks.json' },
    settings: {
      kind: 'json',
      baseUrl: server.url,
      auth: { method: 'smart-backend', clientId, scope, ...auth } as ClinicApiAuth,
      headers: [{ name: 'X-Practice', value: '195900' }],
      actions: { 'form.progress': { method: 'GET', path: '/forms/{sessionId}' } },
    },
  }).call('form.progress', { params: { sessionId: 's-1' } });

describe('a strict authorization server', () => {
  test.each(['ES384', 'RS384'] as const)('takes an assertion of %s, found by discovery alone', async (algorithm) => {
    expect(await call(algorithm)).toMatchObject({ kind: 'answered', status: 200 });

    expect(server.refusals).toEqual([]);
    expect(server.requests[0]!.headers).toMatchObject({ authorization: 'Bearer smart-1', 'x-practice': '195900' });
    const traces = JSON.stringify(audit);
    expect(audit.map(({ action }) => action)).toEqual(['smart.configuration', 'oauth2.token', 'form.progress']);
    expect(traces).not.toContain('eyJ');
  });

  test('gets nothing that could be used again: each request has an assertion of its own', async () => {
    await call();
    await call();

    expect([server.tokensGiven, server.refusals]).toEqual([2, []]);
  });

  test('reads the same in another library', async () => {
    const assertion = await signAssertion(keys.ES384, { clientId, audience: server.tokenUrl });

    const { payload, protectedHeader } = await jwtVerify(
      assertion,
      createLocalJWKSet({ keys: [keys.ES384.publicJwk as never] }),
      { issuer: clientId, subject: clientId, audience: server.tokenUrl, typ: 'JWT', algorithms: ['ES384'] },
    );

    expect(protectedHeader).toEqual({ alg: 'ES384', kid: keys.ES384.kid, typ: 'JWT' });
    expect(Object.keys(payload).toSorted()).toEqual(['aud', 'exp', 'iss', 'jti', 'sub']);
    expect(Object.keys(keys.RS384.publicJwk).toSorted()).toEqual(['alg', 'e', 'kid', 'kty', 'n', 'use']);
  });

  const now = () => Math.floor(Date.now() / 1000);
  const claims = (): JWTPayload => ({
    iss: clientId,
    sub: clientId,
    aud: server.tokenUrl,
    exp: now() + 200,
    jti: crypto.randomUUID(),
  });
  const signed = async (
    payload: JWTPayload,
    header: Record<string, unknown> = {},
    { privateJwk, algorithm, kid } = keys.ES384,
  ): Promise<string> =>
    new SignJWT(payload)
      .setProtectedHeader({ alg: algorithm, kid, typ: 'JWT', ...header })
      .sign(await importJWK(privateJwk, algorithm));
  const without = (name: keyof JWTPayload) => ({ ...claims(), [name]: undefined });
  const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const ask = (assertion: string, changed: Record<string, string> = {}) =>
    fetch(server.tokenUrl, {
      method: 'POST',
      body: new URLSearchParams({
        grant_type: 'client_credentials',
        scope,
        client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
        client_assertion: assertion,
        ...changed,
      }).toString(),
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    });

  const mutations: [string, () => Promise<Response>, string][] = [
    ['another issuer', async () => ask(await signed({ ...claims(), iss: 'other' })), 'issuer or subject'],
    ['another subject', async () => ask(await signed({ ...claims(), sub: 'other' })), 'issuer or subject'],
    ['another audience', async () => ask(await signed({ ...claims(), aud: server.url })), 'the audience'],
    ['no audience', async () => ask(await signed(without('aud'))), 'the audience'],
    ['an end that has passed', async () => ask(await signed({ ...claims(), exp: now() - 1 })), 'it has ended'],
    ['an end too far away', async () => ask(await signed({ ...claims(), exp: now() + 400 })), 'it lasts too long'],
    ['no end', async () => ask(await signed(without('exp'))), 'no end'],
    ['an end in parts of a second', async () => ask(await signed({ ...claims(), exp: now() + 9.5 })), 'no end'],
    ['no id', async () => ask(await signed(without('jti'))), 'no id'],
    [
      'an id that was used',
      async () => {
        const assertion = await signed(claims());
        await ask(assertion);
        return ask(assertion);
      },
      'it was used before',
    ],
    ['a start in the future', async () => ask(await signed({ ...claims(), nbf: now() + 100 })), 'it is not valid yet'],
    [
      'a birth in the future',
      async () => ask(await signed({ ...claims(), iat: now() + 100 })),
      'it is from the future',
    ],
    ['an unknown key', async () => ask(await signed(claims(), { kid: 'other' })), 'the key is not in the key set'],
    ['no key id', async () => ask(await signed(claims(), { kid: undefined })), 'no key id'],
    ['another type', async () => ask(await signed(claims(), { typ: 'at+jwt' })), 'the type of the token'],
    [
      'no algorithm',
      async () => ask(`${encode({ alg: 'none', kid: keys.ES384.kid, typ: 'JWT' })}.${encode(claims())}.`),
      'the algorithm',
    ],
    [
      'a secret made of the public key',
      async () => {
        const secret = Buffer.from(JSON.stringify(keys.ES384.publicJwk));
        const header = { alg: 'HS384', kid: keys.ES384.kid, typ: 'JWT' };
        return ask(await new SignJWT(claims()).setProtectedHeader(header).sign(secret));
      },
      'the algorithm',
    ],
    [
      'another key under the same id',
      async () => {
        const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-384' });
        const header = { alg: 'ES384', kid: keys.ES384.kid, typ: 'JWT' };
        return ask(await new SignJWT(claims()).setProtectedHeader(header).sign(privateKey));
      },
      'the signature',
    ],
    [
      'claims that were changed afterwards',
      async () => {
        const [head, , signature] = (await signed(claims())).split('.');
        return ask(`${head}.${encode(claims())}.${signature}`);
      },
      'the signature',
    ],
    [
      'the algorithm of the other key',
      async () => ask(await signed(claims(), { kid: keys.ES384.kid }, keys.RS384)),
      'the key is for something else',
    ],
    ['a signature cut short', async () => ask((await signed(claims())).slice(0, -8)), 'the signature'],
    [
      'another assertion type',
      async () => ask(await signed(claims()), { client_assertion_type: 'x' }),
      'the type of the assertion',
    ],
    ['a scope that is not granted', async () => ask(await signed(claims()), { scope: 'system/*.*' }), 'the scope'],
    ['another grant', async () => ask(await signed(claims()), { grant_type: 'password' }), 'the grant'],
  ];

  test.each(mutations)('refuses %s', async (_what, mutated, why) => {
    expect((await ask(await signed(claims()))).status).toBe(200);

    expect((await mutated()).status).toBe(400);
    expect(server.refusals).toEqual([why]);
  });
});

describe('what keeps a token from being given is said', () => {
  test.each<[string, () => ReturnType<typeof call>, RegExp]>([
    ['no key pair', () => call(null), /has no key pair yet/],
    [
      'a client that is not known',
      () => call('ES384', { clientId: 'other' }),
      /http 400 invalid_client\. Likely: the client id.*jwks\.json.*ES384/,
    ],
    [
      'a scope that is not granted',
      () => call('ES384', { scope: 'system/*.*' }),
      /invalid_scope\. A scope is not granted/,
    ],
    ['a token URL where nothing is', () => call('ES384', { tokenUrl: 'http://127.0.0.1:9/none' }), /^$/],
  ])('%s', async (_what, asked, sentence) => {
    const result = await asked();

    if (sentence.source === '^$') expect(result).toEqual({ kind: 'unavailable', error: 'network' });
    else expect(result).toEqual({ kind: 'unavailable', error: 'unauthorized', said: expect.stringMatching(sentence) });
    expect(server.requests).toEqual([]);
  });

  test.each<[object | null, RegExp]>([
    [null, /names no token endpoint \(http 200\); enter the token URL/],
    [
      { token_endpoint_auth_methods_supported: ['client_secret_basic'] },
      /takes no key pairs, only client_secret_basic/,
    ],
    [
      { token_endpoint_auth_signing_alg_values_supported: ['RS256', 'RS384'] },
      /takes RS256, RS384, and the key is for ES384/,
    ],
  ])('by discovery that says %j', async (changed, sentence) => {
    server.configuration = changed ? { ...server.configuration, ...changed } : {};

    expect(await call()).toMatchObject({ error: 'unauthorized', said: expect.stringMatching(sentence) });
    expect(server.tokensGiven).toBe(0);
  });

  test.each([
    [{ status: 401, body: '{"error":"invalid_client"}', date: 300 }, /differ by 300 seconds/],
    [
      { status: 400, body: '{"error":"invalid_client","error_description":"Client\\nunknown é"}' },
      /\(“Client unknown”\)/,
    ],
    [{ status: 400, body: '{"error":"unauthorized_client"}' }, /not allowed the grant/],
    [{ status: 400, body: '{"error":"unsupported_grant_type"}' }, /does not know the grant/],
    [{ status: 400, body: '{"error":"invalid_request"}' }, /wants an audience/],
    [{ status: 503, body: '{"error":"temporarily_unavailable"}' }, /its own fault/],
    [{ status: 200, body: '<html>' }, /holds no access_token/],
    [{ status: 302, body: '' }, /It redirects/],
    [{ status: 404, body: 'Not found' }, /no token endpoint at this address/],
    [{ status: 403, body: '' }, /without saying why/],
    [{ status: 418, body: '' }, /It does not say why/],
  ])('%j', ({ status, body, date = 0 }: { status: number; body: string; date?: number }, sentence) => {
    const now = Date.parse('2030-01-01T00:00:00Z');
    const headers = { date: new Date(now + date * 1000).toUTCString() };
    const asked = { method: 'smart-backend', clientAuthentication: 'private_key_jwt', algorithm: 'ES384' } as const;

    expect(tokenRefusal('login.example', { status, headers, body }, asked, now).sentence).toMatch(sentence);
  });
});

describe('mutual TLS', () => {
  test('proves who we are while connecting, and each clinic by its own certificate', async () => {
    const [ours, theirs] = await Promise.all([aCertificate('clinic-1'), aCertificate('clinic-2')]);
    const receiver = await startTlsReceiver('ehr.example', [ours.cert]);
    const http = createSafeHttp({
      allowPrivateTargets: true,
      ca: [receiver.certificate],
      lookup: (_name, _options, callback) => callback(null, [{ address: '127.0.0.1', family: 4 }]),
    });
    const callWith = (clientCertificate?: { certificate: string; privateKey: string }) =>
      createClinicApi({
        ehrTimes: noOtherBookings,
        http: createClinicHttp({ http, audit: () => undefined, adjustWait: () => 0 }),
        clinicId: 'clinic-1',
        tokens: createTokenCache(),
        keys: { signing: async () => null, jwksUrl: () => '' },
        settings: ApprovedApi.parse({
          baseUrl: `https://ehr.example:${receiver.port}`,
          auth: { method: 'none' },
          clientCertificate,
          actions: { 'form.progress': { method: 'GET', path: '/forms' } },
        }),
      }).call('form.progress');

    const taken = await callWith({ certificate: ours.cert, privateKey: ours.private });
    const refused = [await callWith(), await callWith({ certificate: theirs.cert, privateKey: theirs.private })];

    expect(taken).toEqual({ kind: 'answered', status: 200, body: { ok: true } });
    expect(refused.map(({ kind }) => kind)).toEqual(['unavailable', 'unavailable']);
    expect(receiver.clients).toEqual(['clinic-1']);
    await Promise.all([http.close(), receiver.close()]);
  });
});

import { createClinicApi } from '@clinic/gateways/clinic-api/clinic-api';
import { authorization, createTokenCache, type TokenCache } from '@clinic/gateways/clinic-api/clinic-api-auth';
import { createClinicHttp, type ClinicHttp, type OutboundAudit } from '@clinic/gateways/http/clinic-http';
import { createSafeHttp, type SafeHttp } from '@clinic/gateways/http/safe-http';
import { ApprovedApi, type ClinicApiAuth } from '@clinic/shared/contracts/events/approved-api';
import { startClinicApiServer, type ClinicApiServer } from '../../support/outside/clinic-api-server';
import { json, startHttpReceiver, type HttpReceiver } from '../../support/outside/http-receiver';
import { noOtherBookings } from '../../support/ehr-times';

let safeHttp: SafeHttp;
let http: ClinicHttp;
let receiver: HttpReceiver;
let audit: OutboundAudit[];

beforeEach(async () => {
  safeHttp = createSafeHttp({ allowPrivateTargets: true });
  audit = [];
  http = createClinicHttp({ http: safeHttp, audit: (row) => void audit.push(row), adjustWait: () => 0 });
  receiver = await startHttpReceiver(json(200, { status: 'in_progress' }));
});
afterEach(async () => {
  jest.restoreAllMocks();
  await Promise.all([safeHttp.close(), receiver.close()]);
});

const actions: ApprovedApi['actions'] = {
  'form.progress': { method: 'GET', path: '/forms/{sessionId}/progress' },
  'appointment.book': { method: 'POST', path: '/appointments' },
  'insurance.verify': { method: 'GET', path: '/insurance?member={memberId}' },
};
const keys = { signing: async () => null, jwksUrl: () => 'https://us.example/jwks.json' };
const apiWith = (auth: ClinicApiAuth, changed: Partial<ApprovedApi> & { tokens?: TokenCache } = {}) =>
  createClinicApi({
    ehrTimes: noOtherBookings,
    http,
    keys,
    clinicId: 'clinic-1',
    tokens: changed.tokens ?? createTokenCache(),
    settings: ApprovedApi.parse({
      baseUrl: changed.baseUrl ?? `${receiver.url}/v1/`,
      auth,
      actions: changed.actions ?? actions,
    }),
  });
const progress = { params: { sessionId: 's-1' } };

describe('a permitted action', () => {
  test('is called below the base URL, and its JSON comes back', async () => {
    const result = await apiWith({ method: 'none' }).call('form.progress', progress);

    expect(result).toEqual({ kind: 'answered', status: 200, body: { status: 'in_progress' } });
    expect(receiver.received).toMatchObject([{ method: 'GET', path: '/v1/forms/s-1/progress', body: '' }]);
  });

  test('carries its body and its idempotency key', async () => {
    await apiWith({ method: 'none' }).call('appointment.book', { body: { slot: 1 }, idempotencyKey: 'key-1' });

    expect(receiver.received[0]).toMatchObject({ method: 'POST', path: '/v1/appointments', body: '{"slot":1}' });
    expect(receiver.received[0]!.headers).toMatchObject({
      'content-type': 'application/json',
      'idempotency-key': 'key-1',
    });
  });

  test.each([
    ['a/b?c#d%', '/v1/forms/a%2Fb%3Fc%23d%25/progress'],
    ['a/b', '/v1/forms/a%2Fb/progress'],
    ['Zoë 🩺', '/v1/forms/Zo%C3%AB%20%F0%9F%A9%BA/progress'],
    ['\ud800', '/v1/forms/%EF%BF%BD/progress'],
  ])('keeps the parameter %j in its place', async (sessionId, path) => {
    await apiWith({ method: 'none' }).call('form.progress', { params: { sessionId } });

    expect(receiver.received[0]!.path).toBe(path);
  });

  test.each(['..', '.', '', '../admin', 'x/../../admin', '..\\admin'])(
    'is not called with the parameter %j',
    async (sessionId) => {
      const result = await apiWith({ method: 'none' }).call('form.progress', { params: { sessionId } });

      expect(result).toMatchObject({ kind: 'unusable' });
      expect(receiver.received).toHaveLength(0);
    },
  );

  test('may have its parameter in the query', async () => {
    await apiWith({ method: 'none' }).call('insurance.verify', { params: { memberId: 'A&b=..' } });

    expect(receiver.received[0]!.path).toBe('/v1/insurance?member=A%26b%3D..');
  });
});

test('an action that is not permitted is never called', async () => {
  const result = await apiWith({ method: 'none' }).call('document.write', { body: {} });

  expect(result).toEqual({ kind: 'not_permitted' });
  expect(receiver.received).toHaveLength(0);
  expect(audit).toHaveLength(0);
});

test('an API without a FHIR server is of the kind json, and has nothing of one', async () => {
  const api = apiWith({ method: 'none' });
  const names = { providers: [], visitTypes: [], locations: [] } as unknown as Parameters<typeof api.fillMappings>[0];

  expect([api.kind, api.live]).toEqual(['json', null]);
  expect([await api.fillMappings(names), await api.visitTypes()]).toEqual([null, null]);
});

describe('authentication', () => {
  test.each<[ClinicApiAuth, string, string | undefined]>([
    [{ method: 'none' }, 'authorization', undefined],
    [{ method: 'bearer', token: 'abc' }, 'authorization', 'Bearer abc'],
    [
      { method: 'basic', username: 'Zoë', password: 'p:w' },
      'authorization',
      `Basic ${Buffer.from('Zoë:p:w').toString('base64')}`,
    ],
    [{ method: 'api-key-header', header: 'X-Api-Key', value: 'abc' }, 'x-api-key', 'abc'],
  ])('%j', async (auth, header, value) => {
    await apiWith(auth).call('form.progress', progress);

    expect(receiver.received[0]!.headers[header]).toBe(value);
  });

  test('a refused password is not tried again', async () => {
    receiver.answer(json(401, { error: 'unauthorized' }));

    const result = await apiWith({ method: 'basic', username: 'a', password: 'b' }).call('form.progress', progress);

    expect(result).toMatchObject({ kind: 'refused', status: 401 });
    expect(receiver.received).toHaveLength(1);
  });

  test('no credential, parameter or body is in the audit', async () => {
    await apiWith({ method: 'bearer', token: 'MARKER-T' }).call('form.progress', { params: { sessionId: 'MARKER-S' } });
    await apiWith({ method: 'bearer', token: 'MARKER-T' }).call('appointment.book', { body: { name: 'MARKER-N' } });

    expect(audit).toMatchObject([
      { action: 'form.progress', pathTemplate: '/forms/{sessionId}/progress', status: 200, outcome: 'ok' },
      { action: 'appointment.book', method: 'POST', status: 200, outcome: 'ok' },
    ]);
    expect(JSON.stringify(audit)).not.toContain('MARKER');
  });
});

describe('OAuth2 client credentials', () => {
  let server: ClinicApiServer;
  let tokens: TokenCache;

  beforeEach(async () => {
    server = await startClinicApiServer({ clientId: 'clinic client', clientSecret: 's:cret&' });
    tokens = createTokenCache();
  });
  afterEach(() => server.close());

  const api = (clientSecret = 's:cret&') =>
    apiWith(
      {
        method: 'oauth2-client-credentials',
        tokenUrl: `${server.url}/oauth/token`,
        clientId: 'clinic client',
        clientSecret,
      },
      { baseUrl: server.url, tokens },
    );

  /** Of a server whose answers the test says. */
  const credentials = (more: object = {}) =>
    authorization({
      auth: {
        method: 'oauth2-client-credentials',
        tokenUrl: `${receiver.url}/token`,
        clientId: 'a',
        clientSecret: 'b',
        ...more,
      },
      tokens,
      http,
      keys,
      clinicId: 'clinic-1',
      baseUrl: receiver.url,
    });

  test('a token is asked for once and used by all, however many ask at the same time', async () => {
    const results = await Promise.all(Array.from({ length: 10 }, () => api().call('form.progress', progress)));

    expect(results.every(({ kind }) => kind === 'answered')).toBe(true);
    expect(server.tokensGiven).toBe(1);
  });

  test('a token is renewed shortly before it ends', async () => {
    const start = Date.now();
    const now = jest.spyOn(Date, 'now').mockReturnValue(start);
    await api().call('form.progress', progress);

    now.mockReturnValue(start + 3_530_000);
    await api().call('form.progress', progress);
    expect(server.tokensGiven).toBe(1);

    now.mockReturnValue(start + 3_545_000);
    expect(await api().call('form.progress', progress)).toMatchObject({ kind: 'answered' });
    expect(server.tokensGiven).toBe(2);
    expect(server.requests.every(({ headers }) => headers.authorization?.startsWith('Bearer token-'))).toBe(true);
  });

  test.each<[unknown, number]>([
    [3_600, 3_540_000],
    [601, 541_000],
    [600, 540_000],
    [599, 539_100],
    [300, 270_000],
    ['300', 270_000],
    [1, 900],
    [1.5, 1_350],
    [0.5, 270_000],
    [0, 270_000],
    [-1, 270_000],
    ['soon', 270_000],
    [null, 270_000],
    [undefined, 270_000],
  ])('a token that is good for %j seconds is used for %d ms, and not one more', async (expiresIn, usedMs) => {
    let given = 0;
    receiver.answer((request, response) => {
      given += 1;
      json(200, { access_token: `token-${given}`, expires_in: expiresIn })(request, response);
    });
    const start = 1_800_000_000_000;
    const now = jest.spyOn(Date, 'now').mockReturnValue(start);
    const { headers } = credentials();
    const used: (string | undefined)[] = [];
    for (const at of [0, 0, usedMs, usedMs + 1, usedMs + 1]) {
      now.mockReturnValue(start + at);
      used.push((await headers())['authorization']);
    }

    expect(used.map((each) => each?.replace('Bearer token-', ''))).toEqual(['1', '1', '1', '2', '2']);
  });

  const basic = `Basic ${Buffer.from('a:b').toString('base64')}`;
  const inBody = { clientAuthentication: 'client_secret_post' };
  test.each<[string, object, Record<string, string>, string | undefined]>([
    ['itself alone', {}, {}, basic],
    ['its scope', { scope: 'system/*.read' }, { scope: 'system/*.read' }, basic],
    ['an empty scope', { scope: '' }, { scope: '' }, basic],
    ['its audience', { audience: 'ehr' }, { audience: 'ehr' }, basic],
    ['its secret in a header', { clientAuthentication: 'client_secret_basic' }, {}, basic],
    ['its secret in the body', inBody, { client_id: 'a', client_secret: 'b' }, undefined],
    [
      'all of it in the body',
      { ...inBody, scope: 's', audience: 'ehr' },
      { client_id: 'a', client_secret: 'b', scope: 's', audience: 'ehr' },
      undefined,
    ],
  ])('a token is asked for with %s', async (_what, more, form, authorized) => {
    receiver.answer(json(200, { access_token: 'token' }));

    expect(await credentials(more).headers()).toEqual({ authorization: 'Bearer token' });

    const [{ body, headers } = { body: '', headers: {} }] = receiver.received;
    expect(Object.fromEntries(new URLSearchParams(body))).toEqual({ grant_type: 'client_credentials', ...form });
    expect(headers.authorization).toBe(authorized);
  });

  test.each<[string, number, unknown]>([
    ['an empty token', 200, { access_token: '', expires_in: 300 }],
    ['a token that is none', 200, { access_token: 7 }],
    ['no token', 200, { expires_in: 300 }],
    ['nothing', 200, null],
    ['another success', 201, { access_token: 'token', expires_in: 300 }],
    ['a refusal with a token', 400, { access_token: 'token', expires_in: 300 }],
  ])('an answer of %s, with %d, is no token', async (_what, status, body) => {
    receiver.answer(json(status, body));
    const { headers } = credentials();

    await expect(headers()).rejects.toMatchObject({ code: 'unauthorized' });
    // It is not kept: the next call asks again.
    await expect(headers()).rejects.toMatchObject({ code: 'unauthorized' });
    expect(receiver.received).toHaveLength(2);
  });

  test.each<[string, object, string]>([
    ['in the header, as nobody has said otherwise,', {}, 'in the body'],
    ['in the header', { clientAuthentication: 'client_secret_basic' }, 'in the body'],
    ['in the body', inBody, 'in the header'],
  ])('a refused secret that was sent %s may be wanted in the other place', async (_where, more, other) => {
    receiver.answer(json(401, { error: 'invalid_client' }));

    await expect(credentials(more).headers()).rejects.toMatchObject({
      message: expect.stringMatching(new RegExp(`the server wants the secret ${other}\\.$`)) as string,
    });
  });

  test('a token revoked early is renewed once and the call sent again, even a booking', async () => {
    await api().call('form.progress', progress);
    server.revokeTokens();

    expect(await api().call('appointment.book', { body: {} })).toMatchObject({ kind: 'answered' });

    expect(server.tokensGiven).toBe(2);
    expect(server.requests.filter(({ method }) => method === 'POST')).toHaveLength(2);
  });

  test('an API that takes no token at all is asked twice, not for ever', async () => {
    server.tokenLifeSeconds = 0;

    expect(await api().call('form.progress', progress)).toMatchObject({ kind: 'refused', status: 401 });
    expect(server.requests).toHaveLength(2);
  });

  test('wrong credentials give no token, and the API is not called', async () => {
    const result = await api('wrong').call('form.progress', progress);

    expect(result).toEqual({
      kind: 'unavailable',
      error: 'unauthorized',
      said: expect.stringContaining('401 invalid_client. Likely: the client id or the secret is wrong'),
    });
    expect(server.requests).toHaveLength(0);
    expect(await api().call('form.progress', progress)).toMatchObject({ kind: 'answered' });
  });

  test('the token of one clinic is not another’s', async () => {
    await api().call('form.progress', progress);
    const other = createClinicApi({
      ehrTimes: noOtherBookings,
      http,
      keys,
      clinicId: 'clinic-2',
      tokens,
      settings: ApprovedApi.parse({
        baseUrl: server.url,
        actions,
        auth: {
          method: 'oauth2-client-credentials',
          tokenUrl: `${server.url}/oauth/token`,
          clientId: 'clinic client',
          clientSecret: 's:cret&',
        },
      }),
    });
    await other.call('form.progress', progress);

    expect(server.requests.map(({ headers }) => headers.authorization)).toEqual(['Bearer token-1', 'Bearer token-2']);
  });
});

describe('an API in trouble', () => {
  test.each([
    [503, 'http_503', 3],
    [429, 'http_429', 3],
  ])('%i is unavailable after the retries', async (status, error, requests) => {
    receiver.answer(json(status, {}, { 'retry-after': '1' }));

    expect(await apiWith({ method: 'none' }).call('form.progress', progress)).toEqual({ kind: 'unavailable', error });
    expect(receiver.received).toHaveLength(requests);
  });

  test('a booking that was not answered is not sent again', async () => {
    receiver.answer((_request, response) => response.socket?.resetAndDestroy());

    const result = await apiWith({ method: 'none' }).call('appointment.book', { body: {} });

    expect(result).toEqual({ kind: 'unavailable', error: 'network' });
    expect(receiver.received).toHaveLength(1);
  });

  test('while its circuit is open nothing is sent', async () => {
    const api = apiWith({ method: 'none' });
    receiver.answer(json(500, {}));
    for (let n = 0; n < 5; n += 1) await api.call('appointment.book', { body: {} });

    expect(await api.call('form.progress', progress)).toEqual({ kind: 'unavailable', error: 'circuit_open' });
    expect(receiver.received).toHaveLength(5);
  });

  test('an answer that is not JSON has no body', async () => {
    receiver.answer((_request, response) => response.end('<html>'));

    expect(await apiWith({ method: 'none' }).call('form.progress', progress)).toEqual({
      kind: 'answered',
      status: 200,
      body: null,
    });
  });
});

describe("an answer in FHIR's words", () => {
  const outcome = (severity: string, code: string) =>
    json(200, { resourceType: 'OperationOutcome', issue: [{ severity, code, diagnostics: 'Zoë Marker' }] });

  test.each([
    ['error', 'duplicate', 'http 200 with an OperationOutcome of duplicate: it has such a record already'],
    ['fatal', 'exception', 'http 200 with an OperationOutcome of exception: a fault of its own'],
    ['error', 'Zoë Marker', 'http 200 with an OperationOutcome of an unknown kind'],
  ])('that tells of %s %s is no success, whatever its status', async (severity, code, fault) => {
    receiver.answer(outcome(severity, code));

    const result = await apiWith({ method: 'none' }).call('appointment.book', { body: {} });

    expect(result).toMatchObject({ kind: 'refused', status: 200, fault });
  });

  test.each(['warning', 'information', 'success'])('that tells of %s is a success', async (severity) => {
    receiver.answer(outcome(severity, 'informational'));

    expect(await apiWith({ method: 'none' }).call('appointment.book', { body: {} })).toMatchObject({
      kind: 'answered',
    });
  });
});

describe('the settings', () => {
  const settings = { baseUrl: 'https://api.clinic.example', auth: { method: 'none' }, actions };

  test.each([
    ['an unknown field', { ...settings, extra: 1 }],
    ['an unknown action', { ...settings, actions: { 'patient.delete': { method: 'DELETE', path: '/p' } } }],
    ['a path that is a host', { ...settings, actions: { 'form.progress': { method: 'GET', path: '@evil.example/' } } }],
    ['a parameter that is not closed', { ...settings, actions: { 'form.progress': { method: 'GET', path: '/a/{b' } } }],
    ['a method that is none', { ...settings, actions: { 'form.progress': { method: 'TRACE', path: '/a' } } }],
    ['a base URL with a query', { ...settings, baseUrl: 'https://api.clinic.example?a=1' }],
    ['a token with a line break', { ...settings, auth: { method: 'bearer', token: 'a\r\nb' } }],
    ['an unknown authentication', { ...settings, auth: { method: 'digest' } }],
  ])('%s is refused', (_what, given) => {
    expect(ApprovedApi.safeParse(given).success).toBe(false);
  });

  test('a few actions are enough', () => {
    expect(ApprovedApi.parse({ ...settings, actions: {} })).toMatchObject({
      ...settings,
      kind: 'json',
      actions: {},
      headers: [],
    });
  });
});

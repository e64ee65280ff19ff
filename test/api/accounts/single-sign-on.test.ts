import { operator } from '@clinic/commands/command-line';
import { createClinicHttp } from '@clinic/gateways/http/clinic-http';
import { createSafeHttp } from '@clinic/gateways/http/safe-http';
import { createIdentityProviders } from '@clinic/gateways/sign-on/identity-provider';
import { generateKeyPair, type JWTPayload, SignJWT, UnsecuredJWT } from 'jose';
import { type App, startApp } from '../../support/app';
import { typed } from '../../support/command';
import { eventually } from '../../support/eventually';
import {
  type IdentityProvider,
  type ProviderPerson,
  startIdentityProvider,
} from '../../support/outside/identity-provider';

let app: App;
let idp: IdentityProvider;
let admin: string;
let people = 0;

beforeAll(async () => {
  [app, idp] = await Promise.all([startApp({ hasWorker: false }), startIdentityProvider()]);
  admin = await app.admin();
  const { body } = await get('/accounts/single-sign-on');
  idp.register(body);
  await set(settings());
  await app.stores.singleSignOn.confirm({ clinicId: app.clinic.clinicId, domain: 'harbor.example' }, operator);
}, 240_000);

afterAll(() => Promise.all([app.stop(), idp.close()]));

describe('somebody who signs in at the identity provider', () => {
  test('gets an account of the clinic and a session as any other, in the audit; the secret is encrypted and never read back', async () => {
    const login = aPerson({ name: 'Ada Okafor', roles: ['desk'] });

    const { status, body } = await signIn(login);
    const session = await get('/auth/session', body.token);

    expect([status, body.user]).toEqual([200, expect.objectContaining({ name: 'Ada Okafor', role: 'staff' })]);
    expect(session.body).toMatchObject({ email: `${login}@harbor.example`, clinicId: app.clinic.clinicId });
    expect(await auditOf(body.user.id)).toEqual(
      expect.arrayContaining([
        ['account.create', { by: 'single-sign-on', role: 'staff' }],
        ['sign-in', { by: 'single-sign-on' }],
      ]),
    );
    const [kept] = await app.database.sql<{ clientSecret: string | null }>`
      select client_secret as "clientSecret" from single_sign_on`;
    expect([kept?.clientSecret, (await get('/accounts/single-sign-on')).text]).not.toContainEqual(
      expect.stringContaining(idp.client.secret),
    );
  });

  test('has the role that the claim says now, and is refused where it says none or the account is disabled', async () => {
    const login = aPerson({ roles: ['desk'] });
    const first = await signIn(login);
    idp.people.set(login, { ...idp.people.get(login), roles: ['clinic-admin'] });
    const promoted = await signIn(login);
    idp.people.set(login, { ...idp.people.get(login), roles: ['something-else'] });
    const roleless = await signIn(login);
    idp.people.set(login, { ...idp.people.get(login), roles: ['desk'] });
    const { id } = first.body.user;
    await app.stores.staff.disable({ clinicId: app.clinic.clinicId, id }, operator);
    const disabled = await signIn(login);

    expect([first.body.user.role, promoted.body.user.role]).toEqual(['staff', 'admin']);
    expect([roleless.status, roleless.body.message]).toEqual([403, expect.stringContaining('no role')]);
    expect([disabled.status, disabled.body.message]).toEqual([403, 'Your account is disabled']);
    expect(await auditOf(id)).toContainEqual(['sign-in.refused', { by: 'single-sign-on', reason: 'disabled' }]);
  });

  test('gets the account of the clinic with their address, which nobody else who is given the address gets later', async () => {
    const email = 'grace@harbor.example';
    const { body: invitation } = await post('/accounts/invitations', { email, role: 'manager' }, admin);
    const token = invitation.link.slice(invitation.link.indexOf('#') + 1);
    await post('/auth/links/use', { token, name: 'Grace', password: 'quiet orange lighthouse' });
    const byPassword = await post('/auth/sign-in/email', { email, password: 'quiet orange lighthouse' });

    const linked = await signIn(aPerson({ email, roles: ['desk'] }));
    const another = await signIn(aPerson({ email, roles: ['desk'] }));

    expect([linked.status, linked.body.user.id]).toEqual([200, byPassword.body.user.id]);
    expect([another.status, another.body.message]).toEqual([403, expect.stringContaining('another person')]);
  });

  test.each<[string, Partial<ProviderPerson>, string]>([
    ['without a verified address', { email_verified: false }, 'verified'],
    ['without an address', { email: undefined }, 'no e-mail'],
    ['with an address that is none', { email: 'eve' }, 'not of a domain'],
    ['of another domain', { email: 'eve@elsewhere.example' }, 'not of a domain'],
    ['with an address of another domain that ends the same', { email: 'eve@evil-harbor.example' }, 'not of a domain'],
  ])('%s is refused, and gets no account', async (_who, changes, why) => {
    const before = await app.database.prisma.user.count();

    const { status, body } = await signIn(aPerson({ roles: ['desk'], ...changes }));

    expect([status, body.message]).toEqual([403, expect.stringContaining(why)]);
    expect(await app.database.prisma.user.count()).toBe(before);
  });

  test('never gets an account of another clinic, even with its address', async () => {
    const email = 'taken@harbor.example';
    const { clinicId } = app.otherClinic;
    await app.database.prisma.user.create({ data: { id: 'taken', name: 'Taken', email, clinicId, role: 'admin' } });

    const { status, body } = await signIn(aPerson({ email, roles: ['clinic-admin'] }));

    expect([status, body.message]).toEqual([403, expect.stringContaining('not of this clinic')]);
    expect(await app.database.prisma.session.count({ where: { userId: 'taken' } })).toBe(0);
  });

  test('where the clinic requires a second factor is let in only where the identity provider says that one was used', async () => {
    const { clinicId } = app.clinic;
    const login = aPerson({ roles: ['desk'] });
    const before = await signIn(login);
    await app.stores.staff.requireSecondFactor({ clinicId, isRequired: true }, operator);
    const [ended, without] = [await get('/auth/session', before.body.token), await signIn(login)];
    idp.people.set(login, { ...idp.people.get(login), amr: ['pwd', 'mfa'] });
    const withOne = await signIn(login);
    const session = await get('/auth/session', withOne.body.token);
    await app.stores.staff.requireSecondFactor({ clinicId, isRequired: false }, operator);

    expect([ended.status, without.status, withOne.status]).toEqual([401, 403, 200]);
    expect(without.body.message).toContain('second factor');
    expect(session.body.needsSecondFactor).toBe(false);
  });
});

describe('what comes back from the identity provider', () => {
  test('is taken once, and from the browser that began it', async () => {
    const login = aPerson({ roles: ['desk'] });
    const [one, other] = [await begun(login), await begun(login)];

    const stolen = await finish({ ...one, key: other.key });
    const tried = await finish(one);
    const right = await finish(other);
    const again = await finish(other);

    expect([stolen.status, tried.status, right.status, again.status]).toEqual([401, 401, 200, 401]);
  });

  const now = () => Math.floor(Date.now() / 1_000);
  test.each<[string, (token: string, claims: JWTPayload) => Promise<string>]>([
    ['of another sign-in, by its nonce', (_, claims) => idp.sign({ ...claims, nonce: 'another' })],
    ['for another client', (_, claims) => idp.sign({ ...claims, aud: 'another-client' })],
    ['of another issuer', (_, claims) => idp.sign({ ...claims, iss: 'https://evil.example' })],
    ['that has expired', (_, claims) => idp.sign({ ...claims, iat: now() - 4_000, exp: now() - 3_600 })],
    ['that nobody signed', async (_, claims) => new UnsecuredJWT(claims).encode()],
    [
      'that the shared secret signed',
      (_, claims) =>
        new SignJWT(claims).setProtectedHeader({ alg: 'HS256' }).sign(new TextEncoder().encode(idp.client.secret)),
    ],
    [
      'that somebody else signed',
      async (_, claims) =>
        new SignJWT(claims)
          .setProtectedHeader({ alg: 'RS256', kid: 'signs' })
          .sign((await generateKeyPair('RS256')).privateKey),
    ],
    ['that was changed on its way', async (token) => token.replace(/\.[^.]+$/, (end) => `.AAAA${end.slice(5)}`)],
  ])('is refused with an id token %s', async (_which, replace) => {
    const login = aPerson({ roles: ['clinic-admin'] });
    idp.replaceIdTokens(replace);

    const { status, body } = await signIn(login).finally(() => idp.replaceIdTokens(null));

    expect([status, body.token]).toEqual([401, undefined]);
    expect(await app.database.prisma.user.count({ where: { email: `${login}@harbor.example` } })).toBe(0);
  });
});

describe('a domain', () => {
  test('that nobody confirmed leads nowhere, keeps nobody from it, and goes to whom the operator says', async () => {
    const { clinicId } = app.otherClinic;
    const theirs = await app.signIn(app.otherClinic);
    const shared = { ...settings(), domains: ['shared.example'] };
    await set({ ...settings(), domains: ['harbor.example', 'shared.example'] });
    const [entered, unconfirmed] = [await set(shared, theirs), await begin('a@shared.example')];
    await typed(['clinic', 'sso', 'confirm-domain', '--clinic', clinicId, '--domain', 'shared.example'], app.env);
    const mine = await get('/accounts/single-sign-on');
    const [held, confirmed] = [
      await set({ ...settings(), domains: ['harbor.example', 'shared.example'] }),
      await begin('a@shared.example'),
    ];
    const [before] = await app.database.sql<{ confirmedAt: Date | null }>`
      select confirmed_at as "confirmedAt" from single_sign_on_domains where domain = 'harbor.example'`;

    expect([entered.status, unconfirmed.status]).toEqual([200, 404]);
    expect(mine.body.settings.domains).toEqual([{ domain: 'harbor.example', isConfirmed: true }]);
    expect([held.status, held.body.message, confirmed.status]).toEqual([
      409,
      expect.stringContaining('shared.example'),
      200,
    ]);
    expect(confirmed.body.url).toContain(encodeURIComponent(`/sign-in/return/${clinicId}`));
    expect(before?.confirmedAt).not.toBeNull();
  });
});

describe('an identity provider', () => {
  test('that cannot be reached is told in words, at the sign-in and at the check', async () => {
    const theirs = await app.signIn(app.otherClinic);
    await set({ ...settings(), issuer: 'http://127.0.0.1:1', domains: ['down.example'] }, theirs);
    await app.stores.singleSignOn.confirm({ clinicId: app.otherClinic.clinicId, domain: 'down.example' }, operator);

    const began = await begin('a@down.example');
    const checked = await post('/accounts/single-sign-on/check', undefined, theirs);

    expect([began.status, began.body.message]).toEqual([503, expect.stringContaining('nothing answers there')]);
    expect(checked.body).toMatchObject({
      passed: false,
      findings: [expect.objectContaining({ path: 'issuer', isProblem: true })],
    });
  });

  test('that is as it should be passes the check', async () => {
    const { body } = await post('/accounts/single-sign-on/check', undefined, admin);

    expect([body.passed, body.findings.filter((each: { isProblem: boolean }) => each.isProblem)]).toEqual([true, []]);
  });

  test('without TLS is not even kept in production', async () => {
    const guarded = { ALLOW_PRIVATE_TARGETS: '', LOCAL_STACK: '', PUBLIC_URL: 'https://service.example' };
    const live = await startApp({ hasWorker: false, env: { NODE_ENV: 'production', ...guarded } });
    const bearer = await live.admin();

    const refused = await live.request('PUT', '/accounts/single-sign-on', {
      bearer,
      body: { ...settings(), issuer: 'http://idp.example' },
    });
    const kept = await live.request('GET', '/accounts/single-sign-on', { bearer });
    await live.stop();

    expect([refused.status, refused.body.details]).toEqual([
      400,
      [{ path: 'issuer', message: 'must be an https address' }],
    ]);
    expect(kept.body.settings).toBeNull();
  });

  test('at a private address is refused, and so is one without TLS in production', async () => {
    const guarded = createSafeHttp({ allowPrivateTargets: false });
    const providers = (allowsHttp: boolean) =>
      createIdentityProviders({ http: createClinicHttp({ http: guarded, audit: () => undefined }), allowsHttp });
    const { issuer } = idp;
    const client = { clinicId: 'c', issuer, clientId: 'x', clientSecret: null };
    const trip = { redirectUri: 'https://s.example', state: 's', nonce: 'n', verifier: 'v'.repeat(43) };

    const going = providers(true).authorizationUrl(client, { ...trip, email: null, factorAcrs: [], isAnew: false });
    await expect(going).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringContaining('private address'),
    });
    const plain = await providers(false).check({ clinicId: 'c', issuer, roleClaim: null });
    await guarded.close();

    expect(plain.findings).toEqual([expect.objectContaining({ message: 'The issuer must be an https address.' })]);
  });
});

test.each<[string, object, Record<string, string>]>([
  ['nobody in particular', {}, {}],
  ['somebody whose address is known', { email: 'ana@harbor.example' }, { login_hint: 'ana@harbor.example' }],
  ['somebody with a factor of one kind', { factorAcrs: ['urn:one'] }, { acr_values: 'urn:one' }],
  ['somebody with a factor of either kind', { factorAcrs: ['urn:one', 'urn:two'] }, { acr_values: 'urn:one urn:two' }],
  ['somebody who proves anew who it is', { isAnew: true }, { prompt: 'login', max_age: '0' }],
])('the identity provider is asked for %s', async (_what, over, expected) => {
  const http = createSafeHttp({ allowPrivateTargets: true });
  const { authorizationUrl } = createIdentityProviders({
    http: createClinicHttp({ http, audit: () => undefined }),
    allowsHttp: true,
  });
  const client = { clinicId: 'c', issuer: idp.issuer, clientId: 'x', clientSecret: null };
  const trip = { redirectUri: 'https://s.example', state: 's', nonce: 'n', verifier: 'v'.repeat(43) };

  const url = await authorizationUrl(client, { ...trip, email: null, factorAcrs: [], isAnew: false, ...over });
  await http.close();

  const { code_challenge: challenge, ...asked } = Object.fromEntries(new URL(url).searchParams);
  expect(challenge).toMatch(/^[\w-]{43}$/);
  expect(asked).toEqual({
    client_id: 'x',
    response_type: 'code',
    redirect_uri: 'https://s.example',
    scope: 'openid email profile',
    state: 's',
    nonce: 'n',
    code_challenge_method: 'S256',
    ...expected,
  });
});

describe('a proof, in an open session, of who is behind it', () => {
  const make = (bearer: string) => post('/integrations/api-keys', { name: 'Key', scopes: ['workflows'] }, bearer);

  test('is given by the identity provider, by the same person, who was asked anew', async () => {
    const [login, somebodyElse] = [aPerson({ roles: ['clinic-admin'] }), aPerson({ roles: ['clinic-admin'] })];
    const browser = idp.browser();
    const { body } = await signIn(login, { browser });
    await signIn(somebodyElse);
    await staleOf(body.user.id);
    await eventually(async () => (await make(body.token)).status === 403);

    const urls = [
      (await begin(`${login}@harbor.example`)).body.url,
      (await post('/auth/step-up/sso/begin', undefined, body.token)).body.url,
    ].map((url) => new URL(String(url)).searchParams);
    const ways = await get('/auth/step-up', body.token);
    const byPassword = await post('/auth/step-up', { password: 'quiet orange lighthouse' }, body.token);
    const another = await prove(body.token, somebodyElse);
    idp.replaceIdTokens((_, claims) => idp.sign({ ...claims, auth_time: Math.floor(Date.now() / 1_000) - 600 }));
    const notAnew = await prove(body.token, login, browser).finally(() => idp.replaceIdTokens(null));
    const stale = await make(body.token);
    const proved = await prove(body.token, login, browser);

    expect(urls.map((asked) => [asked.get('prompt'), asked.get('max_age')])).toEqual([
      [null, null],
      ['login', '0'],
    ]);
    expect(ways.body).toEqual({ by: ['sso'] });
    expect([byPassword.status, another.status, notAnew.status, stale.status]).toEqual([400, 400, 400, 403]);
    expect([proved.status, proved.body, (await make(body.token)).status]).toEqual([200, { success: true }, 200]);
  });
});

describe('what is no proof', () => {
  const about = async (token: string) => {
    const { body } = await post('/auth/step-up/sso/begin', undefined, token);
    return { clinicId: app.clinic.clinicId, response: new URL(body.url).search.slice(1), key: String(body.key) };
  };

  test('is refused with its reason in the audit, and the session stays', async () => {
    const { body } = await signIn(aPerson({ roles: ['desk'] }));
    const sent = await about(body.token);

    const another = await post('/auth/step-up/sso', { ...sent, clinicId: app.otherClinic.clinicId }, body.token);
    const elsewhere = await post('/auth/step-up/sso', { ...sent, key: 'of-another-browser' }, body.token);

    expect([another.status, another.body.message]).toEqual([400, 'This was begun for another clinic']);
    expect([elsewhere.status, elsewhere.body.details]).toEqual([400, [{ path: 'response', message: 'is no proof' }]]);
    expect(await auditOf(body.user.id)).toContainEqual([
      'password.refused',
      { by: 'single-sign-on', reason: 'not_valid' },
    ]);
    expect((await get('/auth/session', body.token)).status).toBe(200);
  });

  test('is not said of who comes back while the identity provider cannot be reached', async () => {
    const login = aPerson({ roles: ['desk'] });
    const browser = idp.browser();
    const { body } = await signIn(login, { browser });
    const { body: started } = await post('/auth/step-up/sso/begin', undefined, body.token);
    const response = await browser.goTo(started.url, login);
    const asked = { clinicId: app.clinic.clinicId, response, key: started.key };

    const down = await whileUnreached(() => post('/auth/step-up/sso', asked, body.token));

    expect(down).toMatchObject({ status: 503, body: { code: 'unavailable' } });
    expect((await auditOf(body.user.id)).map(([action]) => action)).not.toContain('password.refused');
  });
});

describe('signing out at the identity provider', () => {
  test('ends the sessions of that sign-in here, and no others', async () => {
    const login = aPerson({ roles: ['desk'] });
    const browser = idp.browser();
    const [left, stays] = [await signIn(login, { browser }), await signIn(login)];

    await browser.signOut();

    await eventually(async () => (await get('/auth/session', left.body.token)).status === 401);
    expect((await get('/auth/session', stays.body.token)).status).toBe(200);
    expect(await auditOf(left.body.user.id)).toContainEqual([
      'session.end-all',
      { by: 'back-channel-logout', sessions: 1 },
    ]);
  });

  test('is taken later where the identity provider could not be reached at first', async () => {
    const login = aPerson({ roles: ['desk'] });
    const { body } = await signIn(login);
    const token = await idp.logoutToken({ sub: login, jti: `jti-${login}` });

    const down = await whileUnreached(() => logout(token));
    const before = await get('/auth/session', body.token);
    const taken = await logout(token);

    expect(down).toMatchObject({ status: 503, body: { code: 'unavailable' } });
    expect([before.status, taken.status, (await get('/auth/session', body.token)).status]).toEqual([200, 200, 401]);
  });

  test('counts by a token that is valid, and once', async () => {
    const login = aPerson({ roles: ['desk'] });
    const { body } = await signIn(login);
    const claims = { sub: login, jti: `jti-${login}` };
    const refused = await Promise.all([
      logout(await idp.logoutToken({ ...claims, nonce: 'as id tokens have' })),
      logout(await idp.logoutToken({ ...claims, events: {} })),
      logout(await idp.logoutToken({ ...claims, aud: 'another-client' })),
      logout(await idp.logoutToken({ ...claims, iat: Math.floor(Date.now() / 1_000) - 3_600 })),
      logout(await idp.logoutToken({ jti: 'of nobody' })),
      logout(new UnsecuredJWT({ ...claims, iss: idp.issuer, aud: idp.client.id, iat: 1 }).encode()),
    ]);
    const before = await get('/auth/session', body.token);
    const token = await idp.logoutToken(claims);

    const [first, after] = [await logout(token), await get('/auth/session', body.token)];
    const again = await signIn(login);
    const replayed = await logout(token);

    expect(refused.map(({ status }) => status)).toEqual([400, 400, 400, 400, 400, 400]);
    expect([before.status, first.status, after.status]).toEqual([200, 200, 401]);
    expect([replayed.status, (await get('/auth/session', again.body.token)).status]).toEqual([400, 200]);
  });
});

test('single sign-on that is taken away ends at once what it has opened, and nothing else', async () => {
  const { body } = await signIn(aPerson({ roles: ['desk'] }));
  const before = await get('/auth/session', body.token);

  const removed = await app.request('DELETE', '/accounts/single-sign-on', { bearer: admin });
  const after = [await get('/auth/session', body.token), await get('/auth/session')];
  const checked = await post('/accounts/single-sign-on/check', undefined, admin);
  await set(settings());
  await app.stores.singleSignOn.confirm({ clinicId: app.clinic.clinicId, domain: 'harbor.example' }, operator);

  expect([before.status, removed.status, ...after.map(({ status }) => status)]).toEqual([200, 204, 401, 200]);
  expect(checked).toMatchObject({
    status: 409,
    body: { code: 'conflict', message: 'Single sign-on is not set up; save the settings first' },
  });
});

describe('single sign-on as the only way in', () => {
  test('is chosen from a session that it has opened, closes what passwords opened, and is undone by the operator', async () => {
    const { clinicId, email, password } = app.clinic;
    const onlyWay = (bearer: string) =>
      app.request('PUT', '/accounts/single-sign-on/only-way', { bearer, body: { isOnlyWay: true } });
    const login = aPerson({ roles: ['clinic-admin'] });
    const old = await signIn(login);
    await set({ ...settings(), factorAcrs: ['urn:two'] });
    const [byPassword, before] = [await onlyWay(admin), await onlyWay(old.body.token)];
    const { body } = await signIn(login);
    const chosen = await onlyWay(body.token);

    const closed = await post('/auth/sign-in/email', { email, password });
    const [ended, changed] = [await get('/auth/session'), await set(settings(), body.token)];
    const rotated = await set({ ...settings(), factorAcrs: ['urn:two'] }, body.token);
    const reason = ['--reason', 'the identity provider is down'];
    const emergency = await typed(['clinic', 'emergency', '--clinic', clinicId, ...reason], app.env);
    const { email: by, password: its } = emergency.shown;
    const opened = await post('/auth/sign-in/email', { email: by, password: its });
    await typed(['clinic', 'sso', 'allow-passwords', '--clinic', clinicId], app.env);
    const open = await post('/auth/sign-in/email', { email, password });

    expect([byPassword.status, before.status, chosen.status]).toEqual([409, 409, 200]);
    expect([closed.status, closed.body.message]).toEqual([401, expect.stringContaining('identity provider')]);
    expect([ended.status, changed.status, rotated.status]).toEqual([401, 409, 200]);
    expect([opened.status, open.status]).toEqual([200, 200]);
  });
});

const settings = () => ({
  issuer: idp.issuer,
  clientId: idp.client.id,
  clientSecret: idp.client.secret,
  roleClaim: 'roles',
  roleRules: [
    { value: 'clinic-admin', role: 'admin' },
    { value: 'desk', role: 'staff' },
  ],
  defaultRole: null,
  factorAcrs: [] as string[],
  domains: ['harbor.example'],
});

const get = (path: string, bearer = admin) => app.request('GET', path, { bearer });
const post = (path: string, body: unknown, bearer?: string) => app.request('POST', path, { body, bearer });
const set = (body: object, bearer = admin) => app.request('PUT', '/accounts/single-sign-on', { body, bearer });
const begin = (email: string) => post('/auth/sign-in/sso/begin', { email });

function aPerson(about: ProviderPerson): string {
  const login = `person-${(people += 1)}`;
  idp.people.set(login, { email: `${login}@harbor.example`, email_verified: true, name: login, ...about });
  return login;
}

/** To the provider, through its page, and back. */
async function begun(login: string, browser = idp.browser()) {
  const { body } = await begin(`${login}@harbor.example`);
  return { response: await browser.goTo(body.url, login), key: String(body.key) };
}

const finish = (sent: { response: string; key: string }) =>
  post('/auth/sign-in/sso', { clinicId: app.clinic.clinicId, ...sent });

const signIn = async (login: string, { browser = idp.browser() } = {}) => finish(await begun(login, browser));

async function prove(bearer: string, login: string, browser = idp.browser()) {
  const { body } = await post('/auth/step-up/sso/begin', undefined, bearer);
  const response = await browser.goTo(body.url, login);
  return post('/auth/step-up/sso', { clinicId: app.clinic.clinicId, response, key: body.key }, bearer);
}

const logout = (token: string) =>
  app.request('POST', `/auth/sso/${app.clinic.clinicId}/logout`, {
    body: new URLSearchParams({ logout_token: token }).toString(),
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  });

/** Does something while nothing answers where the clinic's identity provider should be. */
async function whileUnreached<T>(work: () => Promise<T>): Promise<T> {
  const issuer = (to: string) =>
    app.database.sql`update single_sign_on set issuer = ${to} where clinic_id = ${app.clinic.clinicId}`;
  await issuer('http://127.0.0.1:1');
  try {
    return await work();
  } finally {
    await issuer(idp.issuer);
  }
}

/** The last proof of an account's sessions is six minutes old; every process hears of it. */
async function staleOf(accountId: string): Promise<void> {
  await app.database.sql`update sessions set proved_at = now() - interval '6 minutes' where user_id = ${accountId}`;
  await app.database.sql`update users set updated_at = now() where id = ${accountId}`;
}

async function auditOf(subject: string): Promise<[string, unknown][]> {
  const { items } = await app.stores.audit.list(app.clinic.clinicId, { subject, limit: 50 });
  return items.map(({ action, detail }) => [action, detail]);
}

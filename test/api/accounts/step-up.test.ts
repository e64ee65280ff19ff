import { oneTimeCode } from '@clinic/accounts/second-factors';
import { documentedRoutes } from '@clinic/api/openapi/documented-routes';
import { type App, startApp } from '../../support/app';
import { fromBase32 } from '../../support/base32';
import { eventually } from '../../support/eventually';
import { openSandbox } from '../../support/fhir';
import { type SmtpServer, startSmtpServer } from '../../support/outside/smtp-server';

const password = 'quiet orange lighthouse';

let app: App;
let smtp: SmtpServer;
let people = 0;

beforeAll(async () => {
  smtp = await startSmtpServer();
  app = await startApp({ hasWorker: false, env: { SMTP_URL: smtp.url, MAIL_FROM: 'no-reply@service.example' } });
  // FHIR routes are open while it is on.
  await openSandbox(app);
}, 240_000);

afterAll(async () => {
  await app.stop();
  await smtp.close();
});

/** Every route that asks for a fresh proof: what is taken from here, or added, is decided here. */
const guarded = {
  records: [
    'delete /patients/:patientId/legal-hold',
    'get /audit/export',
    'get /integrations/opt-outs/export',
    'get /patients/:patientId/export',
    'post /patients/:patientId/erasure',
    'put /retention',
  ],
  access: [
    'delete /Subscription/:subscriptionId',
    'delete /accounts/:accountId/second-factor',
    'delete /accounts/:accountId/sessions',
    'delete /accounts/invitations/:invitationId',
    'delete /accounts/single-sign-on',
    'delete /integrations/api-keys/:apiKeyId',
    'delete /integrations/approved-api',
    'delete /integrations/approved-api/keys/:kid',
    'delete /integrations/inbound/:event/previous-secret',
    'delete /integrations/outbound/endpoints/:endpointId',
    'patch /accounts/:accountId',
    'post /Subscription',
    'post /accounts/:accountId/disable',
    'post /accounts/:accountId/enable',
    'post /accounts/:accountId/reset',
    'post /accounts/invitations',
    'post /auth/passkeys',
    'post /auth/passkeys/:passkeyId/remove',
    'post /auth/passkeys/options',
    'post /auth/second-factor',
    'post /auth/second-factor/confirm',
    'post /auth/second-factor/remove',
    'post /integrations/api-keys',
    'post /integrations/api-keys/:apiKeyId/rotate',
    'post /integrations/approved-api/keys',
    'post /integrations/inbound/:event/rotate-secret',
    'post /integrations/outbound/endpoints',
    'post /integrations/outbound/endpoints/:endpointId/rotate-secret',
    'post /integrations/outbound/rotate-secret',
    'post /integrations/voice/rotate-secret',
    'post /sandbox/clients',
    'post /sandboxes',
    'post /sandboxes/:sandboxId/token',
    'put /Subscription/:subscriptionId',
    'put /accounts/second-factor',
    'put /accounts/single-sign-on',
    'put /accounts/single-sign-on/only-way',
    'put /auth/password',
    'put /integrations/approved-api',
    'put /integrations/crm',
    'put /integrations/outbound',
    'put /integrations/outbound/endpoints/:endpointId',
    'put /integrations/voice',
  ],
};
const all = [...guarded.records, ...guarded.access];
/** The code of a refusal: a FHIR route has none in its body. */
const forbiddenBy = (route: string) => (route.includes(' /Subscription') ? undefined : 'forbidden');

test('these routes ask for a fresh proof, and no others', () => {
  const found = (kind: string) =>
    documentedRoutes()
      .filter(({ stepUp }) => stepUp === kind)
      .map(({ method, path }) => `${method} ${path}`)
      .toSorted();

  expect({ records: found('records'), access: found('access') }).toEqual(guarded);
});

test('whatever changes keys, secrets or people is among them', () => {
  const changes = documentedRoutes().filter(
    ({ method, right }) => method !== 'get' && /^(keys|people)$/.test(right ?? ''),
  );
  const open = changes.filter(({ stepUp }) => stepUp === undefined).map(({ method, path }) => `${method} ${path}`);

  // It reads what others say of themselves.
  expect(open).toEqual(['post /accounts/single-sign-on/check']);
  expect(changes.length).toBeGreaterThan(20);
});

describe('a token that was stolen a while after the sign-in', () => {
  let stolen: string;
  beforeAll(async () => {
    stolen = (await aPerson({ isStale: true })).bearer;
  });

  test.each(all)('does not open %s', async (route) => {
    const { status, body } = await ask(route, stolen);

    expect([status, body.code, body.details]).toEqual([
      403,
      forbiddenBy(route),
      [{ path: 'stepUp', message: 'is needed first' }],
    ]);
  });
});

describe('emergency access', () => {
  test.each(guarded.access)('does not open %s', async (route) => {
    const { status, body } = await ask(route, await emergency());

    expect([status, body.code, body.details, body.message]).toEqual([
      403,
      forbiddenBy(route),
      undefined,
      'Emergency access changes no accounts, keys, secrets or receivers',
    ]);
  });
});

test.each([
  ['delete /patients/:patientId/legal-hold', 404],
  ['get /audit/export', 200],
  ['get /integrations/opt-outs/export', 200],
  ['get /patients/:patientId/export', 404],
  ['post /patients/:patientId/erasure', 400],
  ['put /retention', 200],
])('emergency access whose person has just proved who they are opens %s, which answers %i', async (route, status) => {
  expect(guarded.records).toContain(route);
  expect((await ask(route, await emergency())).status).toBe(status);
});

test('a password makes a session fresh where there is no second factor, and a wrong one does not', async () => {
  const { id, bearer } = await aPerson({ isStale: true });
  const make = () => post('/integrations/api-keys', { name: 'Front desk', scopes: ['workflows'] }, bearer);

  const [by, wrong, refused] = [
    await get('/auth/step-up', bearer),
    await stepUp({ password: 'no' }, bearer),
    await make(),
  ];
  const right = await stepUp({ password }, bearer);
  const made = await make();

  expect(by.body).toEqual({ by: ['password'] });
  expect([wrong.status, wrong.body.details[0].path, refused.status]).toEqual([400, 'password', 403]);
  expect([right.status, made.status]).toEqual([200, 200]);
  await staleOf(id);
  await eventually(async () => (await make()).status === 403);
});

test('where there are one-time codes a password is not enough, and a code counts once', async () => {
  const { id, bearer } = await aPerson();
  const secret = await aFactor(bearer);
  await staleOf(id);
  await eventually(async () => (await post('/auth/second-factor/remove', { password }, bearer)).status === 403);

  const byPassword = await stepUp({ password }, bearer);
  const code = await codeOf(secret, 1);
  const [byCode, again] = [await stepUp({ code }, bearer), await stepUp({ code }, bearer)];
  const removed = await post('/auth/second-factor/remove', { password }, bearer);

  expect([byPassword.status, byCode.status, again.status, removed.status]).toEqual([400, 200, 400, 204]);
  expect(again.body.details[0].path).toBe('code');
});

test('nobody resets their own password or removes their own factors by the routes for other people', async () => {
  const { id, bearer } = await aPerson();

  const reset = await post(`/accounts/${id}/reset`, undefined, bearer);
  const removed = await app.request('DELETE', `/accounts/${id}/second-factor`, { bearer });

  expect([reset.status, removed.status]).toEqual([409, 409]);
});

test('a person is told by mail that their role, password or factors were changed, by whomever', async () => {
  const { id, email, bearer } = await aPerson();
  const newPassword = 'another quiet lighthouse';
  const byAdmin = { bearer: await app.admin() };

  await aFactor(bearer);
  await app.request('DELETE', `/accounts/${id}/second-factor`, byAdmin);
  const signedIn = await post('/auth/sign-in/email', { email, password });
  await aFactor(signedIn.body.token);
  await post('/auth/second-factor/remove', { password }, signedIn.body.token);
  const passkey = { id: `passkey-of-${id}`, userId: id, name: 'Phone', credentialId: `of-${id}`, publicKey: 'cose' };
  await app.database.prisma.passkey.create({ data: { ...passkey, counter: 0, isSynced: false } });
  await post(`/auth/passkeys/${passkey.id}/remove`, { password }, signedIn.body.token);
  await app.request('PUT', '/auth/password', { bearer: signedIn.body.token, body: { password, newPassword } });
  await app.request('PATCH', `/accounts/${id}`, { ...byAdmin, body: { role: 'staff' } });
  const reset = await app.request('POST', `/accounts/${id}/reset`, byAdmin);

  const mails = smtp.mails.filter(({ to }) => to === email).map(({ text }) => text.replaceAll('=\n', ''));
  expect(mails.map((text) => /Your role|The password|A second factor|Set a new password here/.exec(text)?.[0])).toEqual(
    [
      undefined,
      'A second factor',
      'A second factor',
      'A second factor',
      'The password',
      'Your role',
      'Set a new password here',
    ],
  );
  expect(reset.status).toBe(200);
});

const get = (path: string, bearer: string) => app.request('GET', path, { bearer });
const post = (path: string, body: unknown, bearer?: string) => app.request('POST', path, { body, bearer });
const stepUp = (proof: object, bearer: string) => post('/auth/step-up', proof, bearer);
const codeOf = (secret: string, stepsOn: 0 | 1) => oneTimeCode(secret, Math.floor(Date.now() / 30_000) + stepsOn);

/** Sets up one-time codes. */
async function aFactor(bearer: string) {
  const { body } = await post('/auth/second-factor', { password }, bearer);
  const secret = fromBase32(body.secret);
  await post('/auth/second-factor/confirm', { code: await codeOf(secret, 0) }, bearer);
  return secret;
}

const ask = (route: string, bearer: string) => {
  const [method = '', path = ''] = route.split(' ');
  return app.request(method.toUpperCase(), path.replaceAll(/:\w+/g, 'x'), { bearer });
};

/** The last proof of an account's sessions is six minutes old; every process hears of it. */
async function staleOf(accountId: string): Promise<void> {
  await app.database.sql`update sessions set proved_at = now() - interval '6 minutes' where user_id = ${accountId}`;
  await app.database.sql`update users set updated_at = now() where id = ${accountId}`;
}

/** An administrator with a session of their own. */
async function aPerson({ isStale = false } = {}): Promise<{ id: string; email: string; bearer: string }> {
  const email = `step-up-${(people += 1)}@cedar-people.example`;
  const { body } = await post('/accounts/invitations', { email, role: 'admin' }, await app.admin());
  const token = body.link.slice(body.link.indexOf('#') + 1);
  await post('/auth/links/use', { token, name: `Person ${people}`, password });
  const signedIn = await post('/auth/sign-in/email', { email, password });
  const { id } = signedIn.body.user;
  if (isStale) await staleOf(id);
  return { id, email, bearer: signedIn.body.token };
}

let emergencyBearer: Promise<string> | undefined;
const emergency = () =>
  (emergencyBearer ??= (async () => {
    const { id, bearer } = await aPerson();
    await app.database.sql`update users set ends_at = now() + interval '1 hour', updated_at = now() where id = ${id}`;
    return bearer;
  })());

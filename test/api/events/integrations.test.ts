import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { newId } from '@clinic/shared/crypto';
import { saidWords } from '@clinic/shared/domain/outreach/conversation';
import { workflowTypeNames } from '@clinic/shared/domain/outreach/workflow-types';
import type { Vapi } from '@vapi-ai/server-sdk';
import { weekdays } from '@clinic/shared/domain/calendar/weekly-hours';
import { ApprovedApi } from '@clinic/shared/contracts/events/approved-api';
import { createClinicApi } from '@clinic/gateways/clinic-api/clinic-api';
import { createTokenCache } from '@clinic/gateways/clinic-api/clinic-api-auth';
import { createClinicHttp } from '@clinic/gateways/http/clinic-http';
import { createSafeHttp } from '@clinic/gateways/http/safe-http';
import { typed } from '../../support/command';
import { type App, startApp } from '../../support/app';
import { aCompletedForm, aSession } from '../../support/builders';
import { aClinicIn } from '../../support/calls';
import { eventually } from '../../support/eventually';
import { answeredOnceWritten } from '../../support/locks';
import { type FhirServer, startFhirServer } from '../../support/outside/fhir-server';
import { startSmartServer } from '../../support/outside/smart-server';
import { aCertificate } from '../../support/outside/tls-receiver';
import { aNumber, anAssistant, startVapiServer, type VapiServer } from '../../support/outside/vapi-server';

let app: App;
let vapi: VapiServer;
let admin: string;
let staff: string;
/** The other clinic's admin. */
let stranger: string;

beforeAll(async () => {
  vapi = await startVapiServer('own-key');
  app = await startApp({ hasWorker: false, env: { VAPI_BASE_URL: vapi.url } });
  [admin, staff, stranger] = await Promise.all([app.admin(), app.staff(), app.signIn(app.otherClinic)]);
});
afterAll(async () => {
  await app.stop();
  await vapi.close();
});

const get = (path: string, bearer = admin) => app.request('GET', path, { bearer });
const put = (path: string, body: unknown, bearer = admin) => app.request('PUT', path, { bearer, body });
const post = (path: string, body?: unknown, bearer = admin) => app.request('POST', path, { bearer, body });
const remove = (path: string, bearer = admin) => app.request('DELETE', path, { bearer });

const push = (secret: string) =>
  app.request('POST', `/automation/webhook/${app.clinic.clinicId}/forms-completed`, {
    body: aCompletedForm(aSession()),
    headers: { 'x-automation-secret': secret },
  });

/** A voice platform tells of a call. */
const rungBy = (secret: string) =>
  app.request('POST', '/voice/events', {
    body: { message: { type: 'status-update', status: 'ringing', call: { id: 'nobody-knows' } } },
    headers: { 'x-voice-secret': secret },
  });

const everyDay = { monday: [{ opens: '08:00', closes: '12:00' }], sunday: [{ opens: '20:00', closes: '24:00' }] };
const policy = {
  firstCallDelaySeconds: 60,
  maxAttempts: 2,
  secondsBetweenAttempts: 3_600,
  callingHours: everyDay,
  maxConcurrentCalls: 5,
  callsPerPatientPerDay: null,
  callsPerPatientPerWeek: 4,
};
const bearerApi = {
  baseUrl: 'https://emr.example/v1',
  auth: { method: 'bearer', token: 'token-of-the-api' },
  actions: { 'form.progress': { method: 'GET', path: '/forms/{sessionId}' } },
};

describe('who may change settings', () => {
  test.each([
    ['PUT', '/integrations/outbound', { url: null }],
    ['POST', '/integrations/outbound/test', undefined],
    ['POST', '/integrations/outbound/rotate-secret', undefined],
    ['POST', '/integrations/outbound/endpoints', { name: 'Warehouse', url: 'https://warehouse.example' }],
    ['POST', '/integrations/inbound/forms-abandoned/rotate-secret', undefined],
    ['DELETE', '/integrations/inbound/forms-abandoned/previous-secret', undefined],
    ['POST', '/integrations/api-keys', { name: 'Key', scopes: ['workflows'] }],
    ['DELETE', '/integrations/api-keys/some-id', undefined],
    ['PUT', '/integrations/recovery-policy', policy],
    ['PUT', '/integrations/approved-api', bearerApi],
    ['DELETE', '/integrations/approved-api', undefined],
    ['POST', '/integrations/approved-api/check', undefined],
    ['POST', '/integrations/approved-api/keys', { algorithm: 'ES384' }],
    ['DELETE', '/integrations/approved-api/keys/some-kid', undefined],
    ['PUT', '/integrations/crm', { kind: 'none' }],
    ['PUT', '/integrations/phone-numbers', { items: [] }],
    ['PUT', '/integrations/providers', { items: [] }],
    ['PUT', '/integrations/closed-days', { items: [] }],
    ['PUT', '/integrations/language', { language: 'es' }],
    ['PUT', '/integrations/country', { country: 'GB' }],
    ['PUT', '/integrations/voice', { provider: 'simulator' }],
    ['POST', '/integrations/voice/check', undefined],
    ['POST', '/integrations/voice/account', {}],
    ['POST', '/integrations/voice/rotate-secret', undefined],
    ['POST', '/integrations/voice/call-me', { phone: '+15005550185', workflowType: 'appointment-reminder' }],
  ])('%s %s is an admin’s: staff are refused, also with a body that is not valid', async (method, path, body) => {
    const refused = await app.request(method, path, { bearer: staff, body });
    expect(refused).toMatchObject({ status: 403, body: { statusCode: 403, error: 'Forbidden' } });
    expect((await app.request(method, path, { bearer: staff, body: '{' })).status).toBe(403);
    expect((await app.request(method, path, { body })).status).toBe(401);
  });

  test('staff add an opt-out, in the words of the caller', async () => {
    const added = await app.request('POST', '/integrations/opt-outs', {
      body: { phone: ' (303) 555-0101 ' },
      bearer: await app.staff(),
    });
    expect(added).toMatchObject({ status: 200, body: { phone: '+13035550101', source: 'staff', scope: 'all' } });
    expect((await remove(`/integrations/opt-outs/${added.body.id}`)).status).toBe(204);
  });

  test('staff read every setting, and see no secret', async () => {
    const pages = ['outbound', 'inbound', 'api-keys', 'recovery-policy', 'approved-api', 'approved-api/keys', 'crm'];
    const answers = await Promise.all(
      [...pages, 'opt-outs', 'phone-numbers', 'providers', 'voice'].map((page) => get(`/integrations/${page}`, staff)),
    );

    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    const secrets = [app.clinic.apiKey, app.clinic.outboundSigningSecret, ...Object.values(app.clinic.inboundSecrets)];
    for (const secret of secrets) expect(answers.map(({ text }) => text).join()).not.toContain(secret);
  });
});

test('what is not a known field is refused in every settings body', async () => {
  const bodies: [string, object][] = [
    ['/integrations/outbound', { url: null, secret: 'x' }],
    ['/integrations/recovery-policy', { ...policy, zone: 'UTC' }],
    ['/integrations/approved-api', { ...bearerApi, timeout: 1 }],
    ['/integrations/crm', { kind: 'none', token: 'x' }],
    ['/integrations/phone-numbers', { items: [], more: [] }],
    ['/integrations/providers', { items: [], more: [] }],
    ['/integrations/voice', { provider: 'simulator', voice: 'x' }],
  ];
  for (const [path, body] of bodies) {
    expect(await put(path, body)).toMatchObject({
      status: 400,
      body: { details: [{ message: 'is not a known field' }] },
    });
  }
});

describe('outbound', () => {
  test('a registered URL is kept with its events, and its secret is shown once', async () => {
    const url = 'https://hooks.example/clinic?key=1';
    const saved = await put('/integrations/outbound', { url, enabled: true, events: ['recovery_case.outcome'] });
    expect(saved).toMatchObject({ status: 200, body: { url, enabled: true, events: ['recovery_case.outcome'] } });
    expect((await get('/integrations/outbound')).body).toEqual(saved.body);

    const { body } = await post('/integrations/outbound/rotate-secret');
    expect(body.secret).toMatch(/^whsec_/);
    const after = await get('/integrations/outbound');
    expect(after.text).not.toContain(body.secret);
    expect(after.body.previousSecretExpiresAt).not.toBeNull();
    const live = await app.stores.keys.signingSecrets(app.clinic.clinicId);
    expect(live).toEqual([body.secret, app.clinic.outboundSigningSecret]);
  });

  test.each([
    'ftp://hooks.example',
    'hooks.example',
    'http://',
    'https://user:pw@hooks.example',
    'javascript:alert(1)',
  ])('%s is no URL to send to', async (url) => {
    expect((await put('/integrations/outbound', { url, enabled: true, events: [] })).status).toBe(400);
  });

  test('a test event is owed to the registered URL, and refused where there is none', async () => {
    await put('/integrations/outbound', { url: 'https://hooks.example/clinic', enabled: true, events: [] });
    const sent = await post('/integrations/outbound/test');
    expect(sent).toMatchObject({ status: 200, body: { event: 'test', state: 'PENDING' } });
    expect((await get(`/deliveries/${sent.body.id}`)).body.event).toBe('test');

    await put('/integrations/outbound', { url: null });
    expect((await post('/integrations/outbound/test')).status).toBe(409);
  });
});

describe('further endpoints', () => {
  const path = '/integrations/outbound/endpoints';
  const warehouse = {
    name: 'Warehouse',
    url: 'https://warehouse.example/events?key=1',
    events: ['workflow.completed'],
  };

  test('one is added with a secret that is shown once, changed, paused, its secret rotated, and removed', async () => {
    const added = await post(path, warehouse);
    const { id, secret } = added.body;
    const one = `${path}/${id}`;
    const listed = await get(path);
    const changed = await put(one, { ...warehouse, name: 'Lake', enabled: false });
    const resend = await post('/deliveries/resend', { endpointId: id, dryRun: false });
    const sample = await post(`${one}/test`, { event: 'workflow.completed' });
    await put(one, warehouse);
    const sent = await post(`${one}/test`, { event: 'recovery_case.outcome' });
    const rotated = await post(`${one}/rotate-secret`);
    const after = await get(one);
    const live = await app.stores.keys.signingSecrets(app.clinic.clinicId, id);
    const removed = await remove(one);
    const gone = await Promise.all([get(one), remove(one), put(one, warehouse), get(`${one}/health`)]);

    expect(added).toMatchObject({
      status: 200,
      body: { ...warehouse, enabled: true, secret: expect.stringMatching(/^whsec_/) },
    });
    expect(listed.body.items).toEqual([
      expect.objectContaining({ id, name: 'Warehouse', previousSecretExpiresAt: null }),
    ]);
    expect(listed.text).not.toContain(secret);
    expect(changed.body).toMatchObject({ id, name: 'Lake', enabled: false });
    expect(resend).toMatchObject({ status: 409, body: { code: 'conflict', message: 'This endpoint is switched off' } });
    expect(sample).toMatchObject({ status: 409, body: { code: 'conflict', message: 'This endpoint is switched off' } });
    // To this endpoint alone, whatever events it has chosen.
    expect(sent.body).toMatchObject({ endpoint: { id, name: 'Warehouse' }, isSample: true, state: 'PENDING' });
    expect((await get(`/deliveries?subject=${sent.body.subject}`)).body.items).toHaveLength(1);
    expect(live).toEqual([rotated.body.secret, secret]);
    expect(after.body.previousSecretExpiresAt).not.toBeNull();
    expect(removed.status).toBe(204);
    expect(gone.map(({ status, body }) => `${status} ${body.code}`)).toEqual(Array(4).fill('404 not_found'));
    expect((await get(`/deliveries/${sent.body.id}`)).body).toMatchObject({
      state: 'DEAD',
      endpoint: { id, name: 'Warehouse' },
      attempts: [{ error: 'endpoint_removed' }],
    });
    expect(await post(`/deliveries/${sent.body.id}/resend`)).toMatchObject({ status: 409, body: { code: 'conflict' } });
    const { items } = (await get('/audit?limit=200')).body;
    const ours = items.filter(({ subject }: { subject: string | null }) => subject === id);
    expect(ours.map(({ action }: { action: string }) => action).toReversed()).toEqual([
      'endpoint.add',
      'endpoint.change',
      'endpoint.change',
      'endpoint.test',
      'endpoint.rotate-secret',
      'endpoint.remove',
    ]);
    const tested = ours.find(({ action }: { action: string }) => action === 'endpoint.test');
    expect(tested.detail).toEqual({ event: sent.body.event, deliveryId: sent.body.id });
    expect(JSON.stringify(ours)).not.toContain('key=1');
  });

  test.each(['test', 'workflow.completed'])('%s is sent once where its answer was never stored', async (event) => {
    const first = { url: 'https://hooks.example/clinic', enabled: true, events: [] };
    await put('/integrations/outbound', first);
    const { id } = (await post(path, warehouse)).body;
    const headers = { 'idempotency-key': `lost-${event}` };
    const bearer = await app.admin();
    const lose = () => app.database.sql`delete from idempotency_records where key = ${`lost-${event}`}`;

    for (const [settings, endpoint] of [
      ['/integrations/outbound', first],
      [`${path}/${id}`, warehouse],
    ] as const) {
      const once = () => app.request('POST', `${settings}/test`, { bearer, body: { event }, headers });
      const sent = await once();
      await lose();
      // Whoever has switched it off since has not unsent it.
      await put(settings, { ...endpoint, enabled: false });
      const again = await once();

      expect([sent.status, again.status, again.body.id]).toEqual([200, 200, sent.body.id]);
      expect((await get(`/deliveries?subject=${sent.body.subject}`)).body.items).toHaveLength(1);
    }
    await remove(`${path}/${id}`);
  });

  test('a clinic has five with the first one, however many are added at once, and each says what is wrong with it', async () => {
    const answers = await Promise.all(['a', 'b', 'c', 'd', 'e', 'f'].map((name) => post(path, { ...warehouse, name })));
    const statuses = answers.map(({ status }) => status).toSorted((one, other) => one - other);
    const refused = await Promise.all([
      post(path, { ...warehouse, url: 'https://user:pw@hooks.example' }),
      post(path, { ...warehouse, events: [] }),
      post(path, { ...warehouse, name: ' ' }),
    ]);
    for (const { id } of (await get(path)).body.items) await remove(`${path}/${id}`);

    expect(statuses).toEqual([200, 200, 200, 200, 409, 409]);
    expect(answers.find(({ status }) => status === 409)?.body).toMatchObject({
      code: 'conflict',
      message: 'A clinic has 5 endpoints at most; remove one first',
    });
    expect(refused.map(({ status, body }) => [status, body.details[0].path])).toEqual([
      [400, 'url'],
      [400, 'events'],
      [400, 'name'],
    ]);
    expect((await get(path)).body.items).toEqual([]);
  });
});

describe('inbound', () => {
  test('after a rotation both secrets open the URL; a retired one no longer does, at once', async () => {
    const old = app.clinic.inboundSecrets['forms-completed'];
    const { body } = await post('/integrations/inbound/forms-completed/rotate-secret');
    expect((await push(old)).status).toBe(200);
    expect((await push(body.secret)).status).toBe(200);

    const listed = (await get('/integrations/inbound')).body.items.find(
      ({ event }: { event: string }) => event === 'forms-completed',
    );
    expect(listed.url).toBe(`${app.baseUrl}/automation/webhook/${app.clinic.clinicId}/forms-completed`);
    const overlapHours = (Date.parse(listed.previousSecret.expiresAt) - Date.now()) / 3_600_000;
    expect(overlapHours).toBeGreaterThan(23.9);
    expect(overlapHours).toBeLessThan(24.1);

    expect((await remove('/integrations/inbound/forms-completed/previous-secret')).status).toBe(204);
    expect((await push(old)).status).toBe(401);
    expect((await push(body.secret)).status).toBe(200);
  });

  test('a secret that was replaced twice is dead, and one whose day is over too', async () => {
    const rotate = async () => {
      // Again at once would be for the same.
      await app.database.sql`update secrets set created_at = created_at - interval '10 minutes'`;
      return (await post('/integrations/inbound/forms-completed/rotate-secret')).body.secret;
    };
    const [first, second, third] = [await rotate(), await rotate(), await rotate()];
    expect((await push(first)).status).toBe(401);
    expect((await push(second)).status).toBe(200);

    await app.database.sql`update secrets set expires_at = now() - interval '1 second' where expires_at is not null`;
    await eventually(async () => (await push(second)).status === 401);
    expect((await push(third)).status).toBe(200);
  });

  test('an event that does not exist has no secret', async () => {
    expect((await post('/integrations/inbound/forms-burnt/rotate-secret')).status).toBe(404);
    expect((await post('/integrations/inbound/constructor/rotate-secret')).status).toBe(404);
  });
});

describe('API keys', () => {
  const scopes = ['workflows'];

  test('a new key works at once beside the old one, is shown once, and is dead when it is revoked', async () => {
    const made = await post('/integrations/api-keys', { name: 'Second key', scopes });
    expect(made).toMatchObject({ status: 200, body: { name: 'Second key', key: expect.stringMatching(/^ck_/) } });
    const { id, key, prefix } = made.body;
    expect(key.startsWith(prefix)).toBe(true);
    expect((await get('/workflows', key)).status).toBe(200);
    expect((await get('/workflows', app.clinic.apiKey)).status).toBe(200);

    const listed = await get('/integrations/api-keys');
    expect(listed.body.items).toContainEqual(
      expect.objectContaining({ id, name: 'Second key', prefix, scopes, expiresAt: null }),
    );
    expect(listed.text).not.toContain(key);

    expect((await remove(`/integrations/api-keys/${id}`)).status).toBe(204);
    expect((await get('/workflows', key)).status).toBe(401);
    expect((await remove(`/integrations/api-keys/${id}`)).status).toBe(404);
  });

  test('a key that is made with a name alone opens the workflow REST API, and no settings', async () => {
    const { key, scopes: usual } = (await post('/integrations/api-keys', { name: 'Only a name' })).body;

    const statuses = await Promise.all(
      ['/workflows', '/patients', '/availability', '/results', '/retention'].map(
        async (path) => (await get(path, key)).status,
      ),
    );
    expect(usual).toEqual(['workflows', 'patients', 'appointments']);
    expect(statuses).toEqual([200, 200, 200, 403, 403]);
  });

  test('a key with no scope, with one that there is not, or with an end that is over is refused', async () => {
    const make = async (body: object) => post('/integrations/api-keys', { name: 'Odd', scopes, ...body });
    const refused = [{ scopes: [] }, { scopes: ['all'] }, { scopes: ['results', 'results'] }];
    for (const body of [...refused, { expiresAt: '2020-01-01T00:00:00.000Z' }]) {
      expect((await make(body)).status).toBe(400);
    }
  });

  test('a key that has expired is refused, and told so', async () => {
    const expiresAt = new Date(Date.now() + 60_000).toISOString();
    const { id, key } = (await post('/integrations/api-keys', { name: 'Short', scopes, expiresAt })).body;
    expect((await get('/workflows', key)).status).toBe(200);

    // A key that is changed is looked up again.
    await app.database.sql`update api_keys set expires_at = now() - interval '1 second' where id = ${id}`;
    const refused = await eventually(async () => {
      const answer = await get('/workflows', key);
      return answer.status === 401 && answer;
    });

    expect(refused.body.message).toMatch(/^The API key expired at \d{4}-/);
    expect((await post(`/integrations/api-keys/${id}/rotate`, {})).status).toBe(404);
  });

  test('a rotated key is replaced by one of the same scopes; the old one is taken for a day, or as long as is wanted', async () => {
    const { id, key: old } = (await post('/integrations/api-keys', { name: 'Rotated', scopes })).body;

    const rotated = await post(`/integrations/api-keys/${id}/rotate`, {});
    const ended = await post(`/integrations/api-keys/${rotated.body.id}/rotate`, { oldKeyHours: 0 });

    expect(rotated).toMatchObject({ status: 200, body: { name: 'Rotated', scopes, expiresAt: null } });
    const hours = (Date.parse(rotated.body.oldExpiresAt) - Date.now()) / 3_600_000;
    expect(Math.round(hours)).toBe(24);
    expect((await get('/workflows', old)).status).toBe(200);
    expect((await get('/workflows', rotated.body.key)).status).toBe(401);
    expect((await get('/workflows', ended.body.key)).status).toBe(200);
    expect((await get('/patients', ended.body.key)).status).toBe(403);
    expect((await post(`/integrations/api-keys/${id}/rotate`, {}, stranger)).status).toBe(404);
  });

  test('a key for events opens the inbound URLs of its own clinic, where no secret is sent', async () => {
    const make = async (scope: string) =>
      (await post('/integrations/api-keys', { name: scope, scopes: [scope] })).body.key;
    const [forEvents, forOthers] = [await make('events'), await make('workflows')];
    const send = async (bearer: string, clinicId = app.clinic.clinicId, headers = {}) => {
      const path = `/automation/webhook/${clinicId}/forms-completed`;
      return (await app.request('POST', path, { bearer, headers, body: aCompletedForm(aSession()) })).status;
    };

    expect(await send(forEvents)).toBe(200);
    expect(await send(forOthers)).toBe(403);
    expect(await send(forEvents, app.otherClinic.clinicId)).toBe(401);
    expect(await send(forEvents, undefined, { 'x-automation-secret': 'wrong' })).toBe(401);
  });
});

/** As where the process died with the answer. */
const dieBeforeAnswer = (key: string) => app.database.sql`
  update idempotency_records set status = null, body = null, content_type = null, besides = null,
    created_at = created_at - interval '1 minute'
  where key = ${key}`;

describe('what shows a secret once, asked again under the same Idempotency-Key because its answer was lost', () => {
  const endpoint = { name: 'Warehouse', url: 'https://warehouse.example/events' };
  const underKey = (path: string, key: string, body?: unknown) =>
    app.request('POST', path, { bearer: admin, body, headers: { 'idempotency-key': key } });
  const anEndpoint = async () => {
    const { id } = (await post('/integrations/outbound/endpoints', endpoint)).body;
    return id as string;
  };
  const aKey = async () => (await post('/integrations/api-keys', { name: 'Reports' })).body.id as string;
  const aSandbox = async (name: string) => (await post('/sandboxes', { name })).body.id as string;
  const aPerson = async () => {
    const { items } = (await app.request('GET', '/accounts', { bearer: admin })).body;
    return items.find(({ email }: { email: string }) => email === app.clinic.staff.email).id as string;
  };
  /** What a second one would be among. */
  const all = async () => {
    const [keys, receivers, secrets] = await Promise.all([
      app.database.sql`select id, expires_at, revoked_at from api_keys order by id`,
      app.database.sql`select id from receivers order by id`,
      app.database.sql`select id, expires_at from secrets order by id`,
    ]);
    const links = await app.database.sql`select id, hash, expires_at from account_links order by id`;
    const sandboxes = await app.database.sql`select clinic_id, token_hash from named_sandboxes order by clinic_id`;
    const audits = await app.database.sql`select id from audit_entries where action !~ 'sign-in' order by id`;
    return { keys, receivers, secrets, links, sandboxes, audits };
  };

  test.each<[string, () => Promise<string>, unknown]>([
    ['an API key', async () => '/integrations/api-keys', { name: 'Reports', scopes: ['results'] }],
    ['an API key that replaces another', async () => `/integrations/api-keys/${await aKey()}/rotate`, {}],
    [
      'an API key that replaces another at once',
      async () => `/integrations/api-keys/${await aKey()}/rotate`,
      { oldKeyHours: 0 },
    ],
    ['a further endpoint', async () => '/integrations/outbound/endpoints', endpoint],
    ['the secret of events', async () => '/integrations/outbound/rotate-secret', undefined],
    [
      'the secret of an endpoint',
      async () => `/integrations/outbound/endpoints/${await anEndpoint()}/rotate-secret`,
      undefined,
    ],
    ['the secret of an inbound URL', async () => '/integrations/inbound/forms-completed/rotate-secret', undefined],
    ['the voice secret', async () => '/integrations/voice/rotate-secret', undefined],
    ['an invitation', async () => '/accounts/invitations', { email: 'lost@clinic.example', role: 'staff' }],
    ['a link to a new password', async () => `/accounts/${await aPerson()}/reset`, undefined],
    ['a further sandbox', async () => '/sandboxes', { name: 'CI' }],
    ['the token of a further sandbox', async () => `/sandboxes/${await aSandbox('Team')}/token`, undefined],
  ])('%s is the same, made once, and its reply is kept nowhere', async (what, pathOf, body) => {
    const path = await pathOf();
    const key = `lost ${what}`.replaceAll(' ', '-');
    const first = await underKey(path, key, body);
    expect(first.status).toBe(200);
    const made = await all();

    const repeated = await underKey(path, key, body);
    await dieBeforeAnswer(key);
    const [again, twin] = await Promise.all([underKey(path, key, body), underKey(path, key, body)]);

    for (const each of [repeated, again, twin]) expect([each.status, each.body]).toEqual([200, first.body]);
    expect(await all()).toEqual(made);
    const [kept] = await app.database.sql<{ row: string }>`
      select coalesce(r::text, '') as row from idempotency_records r where key = ${key}`;
    const { key: apiKey, secret, link, token } = first.body;
    expect(kept?.row).not.toContain(apiKey ?? secret ?? token ?? link.split('#')[1]);
    const other = path.endsWith('/rotate') ? { oldKeyHours: 3 } : link ? { role: 'admin' } : { name: 'Other' };
    const changed = { ...(body as object), ...other };
    if (body !== undefined) expect((await underKey(path, key, changed)).status).toBe(422);
  });

  test.each<[string, unknown, string, (made: { id: string }) => Promise<unknown>]>([
    [
      'an API key that was revoked',
      { name: 'Gone' },
      '/integrations/api-keys',
      ({ id }) => remove(`/integrations/api-keys/${id}`),
    ],
    [
      'an endpoint that was removed',
      endpoint,
      '/integrations/outbound/endpoints',
      ({ id }) => remove(`/integrations/outbound/endpoints/${id}`),
    ],
    [
      'an invitation that was withdrawn',
      { email: 'gone@clinic.example', role: 'staff' },
      '/accounts/invitations',
      ({ id }) => remove(`/accounts/invitations/${id}`),
    ],
    ['a sandbox that was removed', { name: 'Gone' }, '/sandboxes', ({ id }) => remove(`/sandboxes/${id}`)],
    ['a sandbox that has another token', { name: 'Renewed' }, '/sandboxes', ({ id }) => post(`/sandboxes/${id}/token`)],
  ])('%s since is neither shown nor made again', async (what, body, path, end) => {
    const key = what.replaceAll(' ', '-');
    const first = await underKey(path, key, body);
    expect(first.status).toBe(200);
    await end(first.body);
    const before = await all();

    const late = await underKey(path, key, body);
    const isKnown = !what.startsWith('an invitation');
    if (isKnown) await dieBeforeAnswer(key);
    const later = await underKey(path, key, body);

    for (const each of [late, later]) expect([each.status, each.body.code]).toEqual([422, 'idempotency_key_reused']);
    expect(await all()).toEqual(before);
  });

  test('a secret that was replaced twice since is not made again', async () => {
    const path = '/integrations/inbound/forms-completed/rotate-secret';
    const first = await underKey(path, 'replaced-1');
    for (const key of ['replaced-2', 'replaced-3']) expect((await underKey(path, key)).status).toBe(200);

    const late = await underKey(path, 'replaced-1');

    expect([late.status, late.body.code]).toEqual([422, 'idempotency_key_reused']);
    expect((await push(first.body.secret)).status).toBe(401);
  });

  test('under another key, as once the page was loaded anew, it leaves the secret that is in use alive', async () => {
    const path = '/integrations/inbound/forms-completed/rotate-secret';
    const inUse = (await post(path)).body.secret;
    expect((await push(inUse)).status).toBe(200);
    const [lost, second] = [await underKey(path, 'soon-1'), await underKey(path, 'soon-2')];

    const statuses = [inUse, lost.body.secret, second.body.secret].map(async (secret) => (await push(secret)).status);

    expect(await Promise.all(statuses)).toEqual([200, 401, 200]);
  });

  test.each([
    ['an inbound URL', '/integrations/inbound/forms-completed/rotate-secret', push],
    ['a voice platform', '/integrations/voice/rotate-secret', rungBy],
  ])(
    'the first use of a secret of %s is answered once it is noted: a rotation a moment later leaves it alive',
    async (_, path, use) => {
      const { secret } = (await post(path)).body;

      const { before, answer } = await answeredOnceWritten(app.database, 'secrets', () => use(secret));

      expect([before, answer.status]).toEqual([false, 200]);
    },
  );

  test('at the limit of keys the last one is found again', async () => {
    const body = { name: 'Last', scopes: ['results'] };
    const askUnder = (key: string) => underKey('/integrations/api-keys', key, body);
    const first = await askUnder('last');
    await app.database.sql`
      insert into api_keys (id, clinic_id, name, prefix, hash, scopes)
      select gen_random_uuid()::text, ${app.clinic.clinicId}, 'x', 'ck_', gen_random_uuid()::text, '{results}' from generate_series(1, 100)`;

    const [again, more] = [await askUnder('last'), await askUnder('one-more')];
    await app.database.sql`delete from api_keys where prefix = 'ck_'`;

    expect(again).toMatchObject({ status: 200, body: first.body });
    expect(more.status).toBe(409);
  });
});

describe('calling', () => {
  test('a policy is kept as it was sent', async () => {
    expect(await put('/integrations/recovery-policy', policy)).toMatchObject({ status: 200, body: policy });
    // What came later than the rest has a value where nobody has set one.
    const unset = {
      unknownZone: 'country',
      simulatorKeepsPatientHours: false,
      disclosesAutomation: true,
      booksInOwnCalendar: false,
      booksFollowUps: false,
      confirmsBookings: false,
    };
    expect((await get('/integrations/recovery-policy')).body).toEqual({ ...policy, ...unset });
  });

  test.each([
    ['closes before it opens', { monday: [{ opens: '12:00', closes: '08:00' }] }],
    [
      'overlaps itself',
      {
        monday: [
          { opens: '08:00', closes: '12:00' },
          { opens: '11:00', closes: '13:00' },
        ],
      },
    ],
    ['is no time', { monday: [{ opens: '8:00', closes: '25:00' }] }],
    ['is no weekday', { funday: [] }],
    ['is no list', { monday: { opens: '08:00', closes: '12:00' } }],
  ])('calling hours where a day %s are refused', async (_what, callingHours) => {
    expect((await put('/integrations/recovery-policy', { ...policy, callingHours })).status).toBe(400);
  });

  test('an opted-out phone is on the list once, until it is taken off', async () => {
    const phone = '+15005550123';
    const first = await post('/integrations/opt-outs', { phone });
    expect((await post('/integrations/opt-outs', { phone })).body).toEqual(first.body);
    expect((await get(`/integrations/opt-outs?phone=${encodeURIComponent(phone)}`)).body.items).toEqual([
      { ...first.body, patients: [] },
    ]);

    expect((await remove(`/integrations/opt-outs/${first.body.id}`)).status).toBe(204);
    expect((await remove(`/integrations/opt-outs/${first.body.id}`)).status).toBe(404);
    expect((await post('/integrations/opt-outs', { phone: '555-0123' })).status).toBe(400);
  });

  test('a number belongs to one clinic', async () => {
    const items = [{ number: '+15005550190', platformId: 'pn-1', assistantId: null }];
    expect(await put('/integrations/phone-numbers', { items })).toMatchObject({ status: 200, body: { items } });
    expect((await put('/integrations/phone-numbers', { items }, stranger)).status).toBe(409);
    const other = [{ number: '+15005550191', platformId: 'pn-1' }];
    expect((await put('/integrations/phone-numbers', { items: other }, stranger)).status).toBe(409);
    expect((await get('/integrations/phone-numbers', stranger)).body.items).toEqual([]);

    const swapped = [
      { number: '+15005550190', platformId: 'pn-2', assistantId: 'as-1' },
      { number: '+15005550192', platformId: 'pn-1', assistantId: null },
    ];
    expect((await put('/integrations/phone-numbers', { items: swapped })).body.items).toEqual(swapped);
  });

  test('a number of a real clinic waits for the operator, and says so', async () => {
    const clinic = await app.addClinic();
    await app.database.sql`update clinics set is_demo = false, voice_provider = 'vapi' where id = ${clinic.clinicId}`;
    const items = [{ number: '+15005550193', platformId: null, assistantId: null }];

    const { body } = await put('/integrations/phone-numbers', { items }, await app.signIn(clinic));

    expect(body).toEqual({ items: [{ ...items[0], awaitsOperator: true }] });
  });

  test('providers are replaced as a whole, and read back as they were sent', async () => {
    const { items } = (await get('/integrations/providers')).body;
    expect(items).toHaveLength(3);
    const added = { name: 'Dr.New', displayName: 'Dr. Ada New', workingHours: everyDay, visitTypes: ['Visit'] };
    const replaced = await put('/integrations/providers', { items: [items[0], added] });
    expect(replaced).toMatchObject({ status: 200, body: { items: [items[0], added] } });
    await put('/integrations/providers', { items });
    expect((await get('/integrations/providers')).body.items).toEqual(items);

    const wrong = { ...added, name: 'Dr New' };
    const { name: _name, ...unnamed } = added;
    const unreadable = await put('/integrations/providers', { items: [{ ...unnamed, displayName: '王医生' }] });
    expect(unreadable).toMatchObject({ status: 400, body: { details: [{ path: 'items.0.name' }] } });
    expect((await put('/integrations/providers', { items: [wrong] })).status).toBe(400);
    expect((await put('/integrations/providers', { items: [added, added] })).status).toBe(400);
  });

  test('a provider by the name that is said, with days off and notice, which search and booking go by', async () => {
    const { items } = (await get('/integrations/providers')).body;
    const allWeek = Object.fromEntries(weekdays.map((day) => [day, [{ opens: '09:00', closes: '10:00' }]]));
    const jose = { displayName: 'Dr. José Müller', workingHours: allWeek, visitTypes: ['Visit'] };
    const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);
    const [off, special, usual, after] = [inDays(3), inDays(20), inDays(21), inDays(22)];
    const specialDays = { [off]: [], [special]: [{ opens: '14:00', closes: '16:00' }] };
    const save = (about: object) => put('/integrations/providers', { items: [...items, { ...jose, ...about }] });
    const name = 'Dr.Jose.Muller';
    const mine = (each: { name: string }) => each.name === name;
    const offered = async (from: string, until: string): Promise<string[]> => {
      const { body } = await get(`/providers/${name}/calendar?from=${from}&until=${until}`);
      return body.slots.map(({ startsAt }: { startsAt: string }) => startsAt);
    };

    const saved = (await save({ specialDays, noticeMinutes: 60 })).body.items.find(mine);
    expect(saved).toEqual({ ...jose, name, specialDays, noticeMinutes: 60 });
    // As the dashboard of an earlier version saves it.
    expect((await save({ name })).body.items.find(mine)).toEqual(saved);
    const [onDayOff, onSpecial, onUsual] = await Promise.all([
      offered(off, inDays(4)),
      offered(special, usual),
      offered(usual, after),
    ]);
    expect([onDayOff.length, onSpecial.length, onUsual.length]).toEqual([0, 4, 2]);
    const patientId = await app.stores.patients.createPlaceholder(app.clinic.clinicId);
    const book = async (startsAt = '') =>
      app.request('POST', '/appointments', {
        bearer: app.clinic.apiKey,
        body: { patientId, providerName: jose.displayName, startsAt },
      });
    // At the time of day that is usual, and at the one of the special day.
    const usualTime = new Date(Date.parse(onUsual[0] ?? '') - 18 * 86_400_000).toISOString();
    const [refused, booked] = [await book(usualTime), await book(onSpecial[3])];
    expect([refused.status, booked.status]).toEqual([409, 200]);

    const { body: holidays } = await app.request('GET', '/integrations/holidays?year=2026', {
      bearer: app.clinic.apiKey,
    });
    expect(holidays).toMatchObject({
      country: 'US',
      items: expect.arrayContaining([{ date: '2026-09-07', name: 'Labor Day' }]),
    });

    // A day on which the clinic is closed goes before the special hours that somebody has on it.
    const holiday = { date: special, name: 'Día de los Muertos' };
    const closed = await put('/integrations/closed-days', { items: [holiday] });
    expect(closed.body).toEqual({ items: [holiday] });
    const first = Object.values(items[0].workingHours).flat() as { opens: string }[];
    expect([first.length > 0, await offered(special, usual)]).toEqual([true, []]);
    expect((await book(onSpecial[1])).status).toBe(409);
    expect((await put('/integrations/closed-days', { items: [holiday, holiday] })).status).toBe(400);
    await put('/integrations/closed-days', { items: [] });
    expect((await offered(special, usual)).length).toBe(3);

    for (const wrong of [{ '2026-02-30': [] }, { tomorrow: [] }, { [off]: [{ opens: '10:00', closes: '09:00' }] }]) {
      expect((await save({ specialDays: wrong })).status).toBe(400);
    }
    await put('/integrations/providers', { items });
  });
});

describe('the approved API', () => {
  const methods = [
    { method: 'bearer', token: 'secret-bearer' },
    { method: 'basic', username: 'clinic', password: 'secret-basic' },
    { method: 'api-key-header', header: 'x-api-key', value: 'secret-header' },
    {
      method: 'oauth2-client-credentials',
      tokenUrl: 'https://login.example/token',
      clientId: 'client',
      clientSecret: 'secret-oauth',
      scope: 'forms',
      clientAuthentication: 'client_secret_post',
      audience: 'https://emr.example',
    },
    { method: 'smart-backend', clientId: 'client', scope: 'system/Patient.rs' },
  ];

  test.each(methods)('$method: the secret is kept encrypted and never read back', async (auth) => {
    const saved = await put('/integrations/approved-api', { ...bearerApi, auth });
    const read = await get('/integrations/approved-api');
    expect(saved.status).toBe(200);
    expect(read.body).toMatchObject({ baseUrl: bearerApi.baseUrl, auth: { method: auth.method } });
    expect(`${saved.text}${read.text}`).not.toMatch(/secret-/);
    const stored = await app.stores.settings.approvedApi(app.clinic.clinicId);
    expect(stored).toEqual({ ...bearerApi, kind: 'json', headers: [], auth });
    const rows = await app.database.sql`select * from approved_apis`;
    expect(JSON.stringify(rows)).not.toContain('secret-');
  });

  test('a secret that is left out stays, but never goes to another host', async () => {
    await put('/integrations/approved-api', bearerApi);
    const auth = { method: 'bearer' };
    const kept = { ...bearerApi, auth, baseUrl: 'https://emr.example/v2' };
    expect((await put('/integrations/approved-api', kept)).status).toBe(200);
    expect(await app.stores.settings.approvedApi(app.clinic.clinicId)).toMatchObject({
      baseUrl: 'https://emr.example/v2',
      auth: bearerApi.auth,
    });

    const moved = await put('/integrations/approved-api', { ...kept, baseUrl: 'https://thief.example/v2' });
    expect(moved).toMatchObject({ status: 400, body: { message: 'auth.token is required' } });
    const other = await put('/integrations/approved-api', { ...kept, auth: { method: 'basic', username: 'clinic' } });
    expect(other.status).toBe(400);
  });

  test('counts as on once anything is done at it, and is off while it is only saved', async () => {
    const state = async () =>
      (await get('/integrations/areas')).body.items.find(({ area }: { area: string }) => area === 'approved-api').state;
    await remove('/integrations/approved-api');
    const none = await state();
    await put('/integrations/approved-api', { ...bearerApi, actions: {} });
    const withoutActions = await state();
    await put('/integrations/approved-api', bearerApi);
    const withOne = await state();
    await app.database.sql`
      update approved_apis set kind = 'fhir-r4', actions = '{}', fhir = '{"isOn": false}' where clinic_id = ${app.clinic.clinicId}`;
    const writesNothing = await state();
    await app.database.sql`update approved_apis set fhir = '{"isOn": true}' where clinic_id = ${app.clinic.clinicId}`;

    expect([none, withoutActions, withOne, writesNothing, await state()]).toEqual([
      'not_set_up',
      'off',
      'on',
      'off',
      'on',
    ]);
    await remove('/integrations/approved-api');
  });

  test('headers go with it: their values are kept like secrets', async () => {
    const headers = [{ name: 'X-Practice', value: 'secret-practice' }];
    await put('/integrations/approved-api', { ...bearerApi, headers });
    const kept = await put('/integrations/approved-api', { ...bearerApi, headers: [{ name: 'x-practice' }] });
    const stored = await app.stores.settings.approvedApi(app.clinic.clinicId);
    const moved = { ...bearerApi, baseUrl: 'https://thief.example', headers: [{ name: 'x-practice' }] };

    expect([kept.status, kept.body.headers]).toEqual([200, [{ name: 'x-practice' }]]);
    expect(stored?.headers).toEqual([{ name: 'x-practice', value: 'secret-practice' }]);
    expect(JSON.stringify(await app.database.sql`select * from approved_apis`)).not.toContain('secret-');
    expect((await put('/integrations/approved-api', moved)).body.message).toBe('headers.0.value is required');
    for (const name of ['Authorization', 'content-type', 'If-Match', 'Host']) {
      const refused = await put('/integrations/approved-api', { ...bearerApi, headers: [{ name, value: 'x' }] });
      expect([name, refused.status]).toEqual([name, 400]);
    }
  });

  test('a certificate is kept with its key until it is taken away, and one that nobody would take is refused', async () => {
    const [{ cert, private: key }, other] = await Promise.all([aCertificate('us'), aCertificate('them')]);
    const clientCertificate = { certificate: cert, privateKey: key };
    const saved = await put('/integrations/approved-api', { ...bearerApi, clientCertificate });
    await put('/integrations/approved-api', bearerApi);
    const kept = await app.stores.settings.approvedApi(app.clinic.clinicId);
    const wrong = await put('/integrations/approved-api', {
      ...bearerApi,
      clientCertificate: { certificate: cert, privateKey: other.private },
    });
    const gone = await put('/integrations/approved-api', { ...bearerApi, clientCertificate: null });

    expect(saved.body).toMatchObject({ certificateEndsAt: expect.any(String) });
    expect(saved.text).not.toContain('PRIVATE KEY');
    expect(kept?.clientCertificate).toEqual({ certificate: cert.trim(), privateKey: key.trim() });
    expect(wrong).toMatchObject({ status: 400, body: { details: [{ path: 'clientCertificate.privateKey' }] } });
    expect(gone.body.certificateEndsAt).toBeNull();
  });

  test('it can be taken away', async () => {
    await put('/integrations/approved-api', bearerApi);
    expect((await remove('/integrations/approved-api')).status).toBe(204);
    expect((await get('/integrations/approved-api')).body).toMatchObject({
      baseUrl: null,
      auth: { method: 'none' },
      actions: {},
    });
  });

  test('an action that is none, or a path that is none, is refused', async () => {
    const actions = { 'patient.delete': { method: 'DELETE', path: '/patients/{patientId}' } };
    expect((await put('/integrations/approved-api', { ...bearerApi, actions })).status).toBe(400);
    const path = { 'form.progress': { method: 'GET', path: 'forms' } };
    expect((await put('/integrations/approved-api', { ...bearerApi, actions: path })).status).toBe(400);
  });
});

test('a CRM’s token is kept encrypted, stays when it is left out, and never goes to another host', async () => {
  const url = 'https://crm.example/contacts';
  const saved = await put('/integrations/crm', { kind: 'webhook', enabled: true, url, token: 'secret-crm' });
  expect(saved).toMatchObject({ status: 200, body: { kind: 'webhook', enabled: true, url, hasToken: true } });
  expect(saved.text + (await get('/integrations/crm')).text).not.toContain('secret-crm');
  expect(JSON.stringify(await app.database.sql`select * from crm_settings`)).not.toContain('secret-crm');

  await put('/integrations/crm', { kind: 'webhook', enabled: false, url });
  expect(await app.stores.settings.crm(app.clinic.clinicId)).toEqual({
    kind: 'webhook',
    enabled: false,
    url,
    token: 'secret-crm',
  });
  const moved = await put('/integrations/crm', { kind: 'webhook', enabled: true, url: 'https://thief.example' });
  expect(moved.body.hasToken).toBe(false);
  expect((await put('/integrations/crm', { kind: 'hubspot', enabled: true })).status).toBe(400);
  expect((await put('/integrations/crm', { kind: 'none' })).body).toMatchObject({ kind: 'none', enabled: false });
});

describe('voice', () => {
  const assistantId = '10000000-0000-4000-8000-000000000001';
  const reminderId = '10000000-0000-4000-8000-000000000002';
  const phoneNumberId = '20000000-0000-4000-8000-000000000001';
  const unknownId = '30000000-0000-4000-8000-000000000001';
  const number = '+15005550181';
  const settings = {
    provider: 'simulator',
    apiKey: 'own-key',
    phoneNumberId,
    assistantId,
    assistants: { 'appointment-reminder': reminderId },
    transferTo: '+15005550182',
    maxCallSeconds: 300,
  };
  const check = async () => (await post('/integrations/voice/check')).body;
  const voice = (about: object) => put('/integrations/voice', { ...settings, ...about });
  const setSandbox = (isEnabled: boolean) =>
    app.stores.sandbox.setEnabled({ clinicId: app.clinic.clinicId, isEnabled, now: new Date() });

  beforeEach(async () => {
    vapi.mode = 'ok';
    vapi.assistants = [anAssistant({ id: assistantId }), anAssistant({ id: reminderId })];
    vapi.numbers = [aNumber({ id: phoneNumberId, number })];
    await put('/integrations/phone-numbers', { items: [{ number, platformId: phoneNumberId }] });
    await setSandbox(true);
    await voice({});
  });

  test('a key that cannot be decrypted is to be entered again, and the secret that goes with calls is made anew', async () => {
    const { clinicId } = app.clinic;
    const spoil = async () => {
      await app.database
        .sql`update voice_settings set credentials = 'of another key ring' where clinic_id = ${clinicId}`;
      await app.database
        .sql`update secrets set ciphertext = 'of another key ring' where clinic_id = ${clinicId} and kind = 'voice'`;
    };
    const { apiKey: _key, ...others } = settings;
    await spoil();

    const read = await get('/integrations/voice');
    const checked = await check();
    const kept = await put('/integrations/voice', others);
    const stillThere = (await app.stores.settings.voice(clinicId))?.isKeyUnreadable;
    const entered = await voice({});

    expect(read).toMatchObject({ status: 200, body: { hasApiKey: false, phoneNumberId } });
    expect(checked).toMatchObject({ passed: false, findings: [{ code: 'no_account', path: 'apiKey' }] });
    expect(kept).toMatchObject({ status: 400, body: { details: [{ path: 'apiKey' }] } });
    expect([stillThere, entered.status, entered.body.hasApiKey]).toEqual([true, 200, true]);
    expect(await app.stores.settings.voice(clinicId)).toMatchObject({ apiKey: 'own-key' });
    expect(await app.stores.keys.voiceSecret(clinicId)).toEqual(expect.any(String));
  });

  test('a clinic that has set nothing is told so, and what it sets is kept without showing its key', async () => {
    const unset = (await get('/integrations/voice', stranger)).body;
    expect(unset).toMatchObject({ provider: 'simulator', maySimulate: true, hasApiKey: false, phoneNumberId: null });

    const read = await get('/integrations/voice');
    const { apiKey: _key, ...shown } = settings;
    expect(read.body).toMatchObject({ ...shown, hasApiKey: true, hasOperatorAccount: false });
    expect(read.body).toMatchObject({
      voicemail: { isDetected: true, leavesMessage: false },
      recording: { isOn: false },
    });
    expect(read.text).not.toContain('own-key');
    expect(JSON.stringify(await app.database.sql`select * from voice_settings`)).not.toContain('own-key');

    // Left out it stays, null takes it away.
    expect((await voice({ apiKey: undefined })).body.hasApiKey).toBe(true);
    expect((await voice({ apiKey: null })).body.hasApiKey).toBe(false);
  });

  test.each([
    ['a number that is none of the clinic’s', { phoneNumberId: unknownId }, 'phoneNumberId'],
    ['a workflow type that is none', { assistants: { reminders: assistantId } }, 'reminders'],
    ['an id that is none', { assistantId: 'as/1' }, 'assistantId'],
    [
      'a message to machines that nobody detects',
      { voicemail: { isDetected: false, leavesMessage: true } },
      'voicemail.leavesMessage',
    ],
    ['a call of ten seconds', { maxCallSeconds: 10 }, 'maxCallSeconds'],
  ])('%s is refused at its field', async (_situation, wrong, path) => {
    const refused = await voice(wrong);
    expect(refused.status).toBe(400);
    expect(refused.body.details[0].path).toMatch(new RegExp(`^${path}`));
  });

  test('the check asks the platform for assistants and number, and finds nothing to say', async () => {
    vapi.assistants = [
      anAssistant({ id: assistantId, server: { url: `${app.env['PUBLIC_URL']}/api/voice/events?key=1` } }),
      anAssistant({ id: reminderId }),
    ];
    vapi.requests.length = 0;

    expect(await check()).toEqual({ passed: true, findings: [] });

    const paths = vapi.requests.map(({ method, path }) => `${method} ${path}`);
    expect(paths.toSorted()).toEqual(
      [`/assistant/${assistantId}`, `/assistant/${reminderId}`, `/phone-number/${phoneNumberId}`].map(
        (path) => `GET ${path}`,
      ),
    );
    const { items } = (await get('/audit?action=voice.check')).body;
    expect(items[0]).toMatchObject({ detail: { passed: true, findings: [] } });
  });

  test.each([
    [
      'an assistant that is unknown',
      () => void vapi.assistants.pop(),
      'assistant_unknown',
      'assistants.appointment-reminder',
      /^is not known to the platform as 10000000.*Does Not Exist$/,
    ],
    ['a number that is unknown', () => void vapi.numbers.pop(), 'number_unknown', 'phoneNumberId', /^is not known/],
    [
      'a number that is another one',
      () => void (vapi.numbers = [aNumber({ id: phoneNumberId, number: '+15005550199' })]),
      'number_differs',
      'phoneNumberId',
      /^is \+15005550199 at the platform, and \+15005550181/,
    ],
    [
      'a number that is blocked',
      () => void (vapi.numbers = [aNumber({ id: phoneNumberId, status: 'blocked' })]),
      'number_not_active',
      'phoneNumberId',
      /^is blocked/,
    ],
    [
      'an assistant of another service',
      () => void (vapi.assistants[0]!.server = { url: 'https://elsewhere.example/hook?key=s3cret' }),
      'assistant_server_differs',
      'assistantId',
      /^sends its messages to https:\/\/elsewhere\.example\/hook, and not to/,
    ],
    [
      'tools of another service',
      () =>
        void (vapi.assistants[0]!.model = {
          provider: 'openai',
          model: 'gpt-4o',
          tools: [{ type: 'function', server: { url: 'https://elsewhere.example/tool' } }],
        }),
      'assistant_server_differs',
      'assistantId',
      /^has tools that call https:\/\/elsewhere/,
    ],
    ['a platform that is down', () => void (vapi.mode = 'error'), 'platform_unavailable', '', /it answered 500$/],
    [
      'an account without credit',
      () => void (vapi.mode = 'no_credit'),
      'credentials_refused',
      'apiKey',
      /Wallet Balance/,
    ],
  ])(
    '%s fails the check in words, and keeps the clinic on the simulator',
    async (_situation, arrange, code, path, message) => {
      arrange();

      const checked = await check();
      const refused = await voice({ provider: 'vapi' });

      const findings = [{ code, path, isProblem: true, message: expect.stringMatching(message) }];
      expect(checked).toEqual({ passed: false, findings });
      expect(JSON.stringify(checked)).not.toContain('s3cret');
      expect(refused).toMatchObject({
        status: 409,
        body: { details: [{ path, message: checked.findings[0].message }] },
      });
      expect(refused.body.message).toContain('The clinic stays on the simulator.');
      expect((await get('/integrations/voice')).body.provider).toBe('simulator');
    },
  );

  test('what is missing, or a key that is wrong, is said before anything is called', async () => {
    await voice({ apiKey: 'another-key' });
    expect((await check()).findings).toMatchObject([
      { code: 'credentials_refused', message: expect.stringMatching(/Invalid Key/) },
    ]);

    await voice({ apiKey: null, phoneNumberId: null, assistantId: null, assistants: {} });
    expect((await check()).findings).toMatchObject([
      { code: 'no_account', path: 'apiKey' },
      { code: 'no_number', path: 'phoneNumberId' },
      { code: 'no_assistant', path: 'assistantId' },
    ]);

    await voice({ assistantId: null });
    const { passed, findings } = await check();
    expect([passed, findings.length]).toEqual([true, 9]);
    expect(findings[0]).toMatchObject({
      code: 'no_assistant',
      path: 'assistants.abandonment-recovery',
      isProblem: false,
    });
  });

  const account = async (body: object = {}) => (await post('/integrations/voice/account', body)).body;

  test('an administrator chooses from what the clinic’s own account has, with a key that is not kept yet too', async () => {
    vapi.assistants = [
      anAssistant({ id: assistantId, name: 'Front desk' }),
      ...Array.from({ length: 120 }, (_, n) =>
        anAssistant({ id: `${n}`, createdAt: new Date(Date.parse('2026-11-01') + n).toISOString() }),
      ),
    ];
    vapi.numbers = [
      aNumber({ id: phoneNumberId, number, name: 'Main line' }),
      aNumber({ id: unknownId, number: '+15005550100', status: 'blocked' }),
      // Reached by SIP alone.
      aNumber({ id: reminderId, sipUri: 'sip:x@example.com' }),
    ];

    const found = await account();
    expect(found.findings).toEqual([]);
    expect(found.assistants).toHaveLength(121);
    expect(found.assistants).toContainEqual({ id: assistantId, name: 'Front desk' });
    expect(found.numbers).toEqual([
      { id: unknownId, name: null, number: '+15005550100', isActive: false },
      { id: phoneNumberId, name: 'Main line', number, isActive: true },
    ]);

    const refused = await account({ apiKey: 'another-key' });
    expect(refused).toMatchObject({ findings: [{ code: 'credentials_refused', path: 'apiKey' }], assistants: [] });
    expect(JSON.stringify(refused)).not.toContain('another-key');
    vapi.mode = 'error';
    expect((await account()).findings).toMatchObject([{ code: 'platform_unavailable' }]);
    vapi.mode = 'ok';

    // The operator's account is not the clinic's to look into.
    await voice({ apiKey: null });
    expect((await account()).findings).toMatchObject([{ code: 'no_account' }]);
    expect((await account({ apiKey: 'own-key' })).numbers).toHaveLength(2);
    expect((await get('/integrations/voice')).body.hasApiKey).toBe(false);
  });

  test('after a passed check a clinic leaves the simulator; a demo may go back, and no other', async () => {
    const moved = await voice({ provider: 'vapi' });
    expect(moved).toMatchObject({ status: 200, body: { provider: 'vapi', maySimulate: true } });
    expect((await app.stores.clinics.find(app.clinic.clinicId))?.voiceProvider).toBe('vapi');

    // What is changed later is kept though the platform is down: it may be what mends it.
    vapi.mode = 'error';
    expect((await voice({ provider: 'vapi', maxCallSeconds: 400 })).body.maxCallSeconds).toBe(400);

    await app.database
      .sql`update clinics set is_demo = false, sandbox_enabled = false where id = ${app.clinic.clinicId}`;
    expect((await get('/integrations/voice')).body.maySimulate).toBe(false);
    expect(await voice({})).toMatchObject({ status: 409 });
    await app.database.sql`update clinics set is_demo = true where id = ${app.clinic.clinicId}`;
    expect((await voice({})).body.provider).toBe('simulator');

    const { items } = (await get('/audit?action=voice-provider.change')).body;
    expect(items).toMatchObject([{ detail: { voiceProvider: 'simulator' } }, { detail: { voiceProvider: 'vapi' } }]);
  });

  test('a number of the clinic’s own account becomes one of its phone numbers as it is chosen', async () => {
    vapi.numbers.push(aNumber({ id: unknownId, number: '+15005550184' }));
    const lines = async () => (await get('/integrations/phone-numbers')).body.items;

    vapi.mode = 'error';
    expect(await voice({ phoneNumberId: unknownId })).toMatchObject({
      status: 400,
      body: {
        details: [{ path: 'phoneNumberId', message: expect.stringMatching(/cannot be read: it answered 500$/) }],
      },
    });
    expect(await lines()).toHaveLength(1);

    vapi.mode = 'ok';
    expect((await voice({ provider: 'vapi', phoneNumberId: unknownId })).status).toBe(200);
    expect(await lines()).toEqual([
      { number, platformId: phoneNumberId, assistantId: null },
      { number: '+15005550184', platformId: unknownId, assistantId: null },
    ]);
    await app.stores.clinics.setVoiceProvider(app.clinic.clinicId, 'simulator');
  });

  test('not to tell that calls are recorded is on record', async () => {
    await voice({ recording: { isOn: true, isDisclosed: false } });
    await voice({ recording: { isOn: true, isDisclosed: true } });

    const { items } = (await get('/audit?limit=10')).body;
    const actions = items
      .map(({ action }: { action: string }) => action)
      .filter((action: string) => action.startsWith('recording'));
    expect(actions).toEqual(['recording-disclosure.on', 'recording-disclosure.off']);
  });

  test('somebody of the clinic is called as a patient would be: by its settings, by day, three times at most', async () => {
    const { clinicId } = app.clinic;
    const always = Object.fromEntries(weekdays.map((day) => [day, [{ opens: '00:00', closes: '24:00' }]]));
    await app.stores.clinics.setPolicy(clinicId, { ...policy, callingHours: always });
    // In London, Tokyo and Honolulu: at any time it is day for one of them, and night for another.
    const phones = ['+442079460018', '+81312345678', '+18085550123'];
    const mayRing = (each: string) => app.stores.callingRules.mayRing(clinicId, each, { isReal: true });
    const byDay = await Promise.all(phones.map(mayRing));
    const phone = phones[byDay.indexOf(true)] ?? '';
    const asleep = phones[byDay.indexOf(false)];
    const callMe = (about: object = {}) =>
      post('/integrations/voice/call-me', { phone, workflowType: 'appointment-reminder', ...about });
    const rings = () => vapi.calls.filter(({ customer }) => phones.includes(customer?.number ?? ''));

    expect((await callMe({ workflowType: 'reminders' })).status).toBe(400);
    expect(await callMe({ phone: asleep })).toMatchObject({
      status: 409,
      body: { message: expect.stringMatching(/may not ring now/) },
    });
    const called = await callMe();
    expect(called.status).toBe(200);
    expect(rings()).toMatchObject([
      {
        assistantId: reminderId,
        phoneNumberId,
        customer: { number: phone },
        assistantOverrides: { metadata: called.body, firstMessage: expect.stringContaining('automated') },
      },
    ]);
    const call = await app.stores.calls.live(rings()[0]?.id ?? '');
    expect(call).toMatchObject({ callId: called.body.callId, isTest: true, workflowType: 'appointment-reminder' });
    const audited = await get('/audit?action=voice.call-me');
    expect(audited.body.items).toMatchObject([
      { subject: called.body.callId, detail: { workflowType: 'appointment-reminder' } },
    ]);
    expect(audited.text).not.toContain(phone);

    vapi.mode = 'no_credit';
    expect(await callMe()).toMatchObject({ status: 409, body: { message: expect.stringMatching(/Wallet Balance/) } });
    vapi.mode = 'error';
    expect((await callMe()).status).toBe(503);
    vapi.mode = 'ok';
    expect((await callMe()).status).toBe(429);
    await voice({ apiKey: null });
    expect(await callMe()).toMatchObject({
      status: 409,
      body: { message: expect.stringMatching(/API key is missing/) },
    });
    expect(rings()).toHaveLength(1);
  });

  describe('assistants', () => {
    const mine = () =>
      vapi.assistants.filter(({ metadata }) => metadata?.['clinicId'] === app.clinic.clinicId) as (Vapi.Assistant & {
        model: Vapi.OpenAiModel;
      })[];
    const sync = async (...args: string[]) => {
      const line = ['voice', 'sync', '--clinic', app.clinic.clinicId, ...args];
      return (await typed(line, { ...app.env, VAPI_BASE_URL: vapi.url })).lines.join('\n');
    };
    const writes = () => vapi.requests.filter(({ method }) => method !== 'GET').length;

    beforeEach(async () => {
      await voice({ credentialId: 'credential-1', assistants: {} });
      vapi.requests.length = 0;
    });

    test('are made from the prompts, named in the settings, pass the check, and are not made twice', async () => {
      expect(await sync('--dry-run')).toMatch(/\+ payment-recovery: a new assistant[^]*Nothing was changed\.$/);
      expect([mine().length, writes()]).toEqual([0, 0]);

      expect(await sync()).toMatch(/10 changed/);

      const { body } = await get('/integrations/voice');
      expect(Object.keys(body.assistants).toSorted()).toEqual([...workflowTypeNames].toSorted());
      expect(new Set(mine().map(({ id }) => id))).toEqual(new Set(Object.values(body.assistants)));
      expect((await check()).findings).toEqual([]);
      const reminder = mine().find(({ id }) => id === body.assistants['appointment-reminder']);
      const credential = { credentialId: 'credential-1' };
      expect(reminder).toMatchObject({
        server: { ...credential, url: `${app.env['PUBLIC_URL']}/api/voice/events` },
        voicemailDetection: { provider: 'vapi' },
        maxDurationSeconds: 300,
        artifactPlan: {
          recordingEnabled: false,
          structuredOutputs: [{ schema: { properties: { outcome: { enum: [...saidWords] }, doNotCall: {} } } }],
        },
      });
      const tools = (reminder?.model.tools ?? []) as Vapi.OpenAiModelToolsItem.Function[];
      expect(tools.find((tool) => tool.function?.name === 'cancel_appointment')?.server).toMatchObject(credential);
      expect(JSON.stringify(mine())).not.toMatch(/x-voice-secret|own-key/i);

      expect(await sync()).toMatch(/= appointment-reminder[^]*0 changed/);
      expect(mine()).toHaveLength(10);
    });

    test('show what differs before it is changed, and keep what was chosen at the platform', async () => {
      await sync();
      const reminder = mine().find(({ metadata }) => metadata?.['workflowType'] === 'appointment-reminder')!;
      reminder.model = {
        ...reminder.model,
        model: 'gpt-5.4',
        messages: [{ role: 'system', content: 'Old words\nof ours' }],
      };
      reminder.voicemailMessage = 'Zoë has an appointment';
      await voice({ credentialId: 'credential-1', assistants: {}, maxCallSeconds: 400 });

      const shown = await sync('--dry-run');

      expect(shown).toMatch(/~ appointment-reminder[^]*- Old words[^]*\+ # An appointment comes up/);
      expect(shown).toContain('maxDurationSeconds: 300 → 400');
      await sync();
      expect(reminder).toMatchObject({ model: { model: 'gpt-5.4' }, maxDurationSeconds: 400, voicemailMessage: null });
      expect(await sync()).toMatch(/0 changed/);
    });

    test('that somebody else made are left alone, and so are those of other clinics', async () => {
      const theirs = {
        madeBy: 'clinic-workflows',
        clinicId: app.otherClinic.clinicId,
        workflowType: 'payment-recovery',
      };
      const other = anAssistant({ id: unknownId, metadata: theirs });
      vapi.assistants.push(other);
      const before = structuredClone([vapi.assistants[1], other]);
      await voice({ credentialId: 'credential-1' });

      expect(await sync()).toMatch(/! appointment-reminder .*--take-over/);
      const kept = (await get('/integrations/voice')).body.assistants;
      await sync('--take-over');
      const taken = (await get('/integrations/voice')).body.assistants;

      expect([kept['appointment-reminder'], taken['appointment-reminder'] === reminderId]).toEqual([reminderId, false]);
      expect([vapi.assistants[1], other]).toEqual(before);
    });

    const reminder = () => mine().find(({ metadata }) => metadata?.['workflowType'] === 'appointment-reminder')!;
    const toolsOf = ({ model }: { model: { tools?: unknown } }) =>
      (model.tools as Vapi.OpenAiModelToolsItem.Function[]).flatMap((tool) => tool.function?.name ?? []);
    const command = (...args: string[]) =>
      typed(['clinic', 'check', '--clinic', app.clinic.clinicId, ...args], { ...app.env, VAPI_BASE_URL: vapi.url });

    test('have only the tools that can work in this clinic, and the check fails where one has others', async () => {
      const offered = async () =>
        (await get('/voice/tools?assistant=appointment-reminder')).body.tools.map(
          (tool: { function: { name: string } }) => tool.function.name,
        );
      await sync();
      await setSandbox(false);
      const stale = (await check()).findings;
      expect(stale).toContainEqual(
        expect.objectContaining({
          code: 'tools_cannot_work',
          isProblem: true,
          path: 'assistants.appointment-reminder',
          message: expect.stringContaining('verify_patient, check_availability'),
        }),
      );

      await sync();

      expect([toolsOf(reminder()), await offered()]).toEqual([['record_do_not_call'], ['record_do_not_call']]);
      const [told] = (reminder().model.messages ?? []) as { content: string }[];
      expect(told?.content).toContain('Nobody can be verified in this call');
      expect(told?.content).not.toMatch(/verify_patient|appointmentTime/);
      const checked = await check();
      expect(checked).toMatchObject({ passed: true, findings: [{ code: 'nobody_verified', isProblem: false }] });
      expect(checked.findings[0].message).toMatch(/appointment-reminder/);
      expect(checked.findings[0].message).not.toMatch(/payment-recovery|new-patient-journey/);

      await app.stores.clinics.setPolicy(app.clinic.clinicId, { ...policy, booksInOwnCalendar: true });
      expect(await offered()).toContain('verify_patient');
      await app.stores.clinics.setPolicy(app.clinic.clinicId, { ...policy, booksInOwnCalendar: false });

      reminder().model.tools = [{ type: 'function', function: { name: 'cancel_appointment' } }] as never;
      const { shown, exitCode } = await command();
      expect([exitCode, shown.voice.passed]).toEqual([1, false]);
      expect(shown.voice.findings).toContainEqual(expect.objectContaining({ code: 'tools_cannot_work' }));
    });

    test('of a clinic that leaves the simulator do without its sandbox, which ends then', async () => {
      const { clinicId } = app.clinic;
      const { sql } = app.database;
      await sync();
      await sql`update clinics set is_demo = false, simulator_asked_at = now() where id = ${clinicId}`;
      try {
        const refused = await voice({ provider: 'vapi', credentialId: 'credential-1', assistants: undefined });

        expect(refused.status).toBe(409);
        expect(refused.body.message).toContain('has tools that cannot work in this clinic: verify_patient');
        await sync();
        const left = await voice({ provider: 'vapi', credentialId: 'credential-1', assistants: undefined });
        expect([left.status, (await check()).passed]).toEqual([200, true]);
      } finally {
        await sql`update clinics set is_demo = true where id = ${clinicId}`;
      }
    });

    test.each<[string, (assistant: Vapi.Assistant & { model: Vapi.OpenAiModel }) => void, string]>([
      ['prompt', ({ model }) => void (model.messages = [{ role: 'system', content: 'Say all.' }]), 'prompt differ'],
      ['tools', ({ model }) => void model.tools!.pop(), 'tools differ'],
      ['model', ({ model }) => void (model.model = 'gpt-5.4'), 'model differ'],
      ['server', (assistant) => void (assistant.server!.timeoutSeconds = 1), 'server differ'],
    ])('that drifted are seen by both checks until they are made again: another %s', async (_what, change, said) => {
      await sync();
      expect((await command()).shown).toMatchObject({ voice: { passed: true, findings: [] } });
      change(reminder());

      const [onPage, typedIn] = [await check(), (await command()).shown.voice];

      const finding = {
        code: 'assistant_differs',
        isProblem: true,
        path: 'assistants.appointment-reminder',
        message: expect.stringContaining(said),
      };
      expect([onPage, typedIn]).toEqual([
        { passed: false, findings: [finding] },
        { passed: false, findings: [finding] },
      ]);
      await sync();
      expect(await check()).toEqual({ passed: true, findings: [] });
    });

    test('are compared with the prompts that the command is given', async () => {
      const folder = await mkdtemp(join(tmpdir(), 'prompts-'));
      await cp(join(__dirname, '../../../gateways/voice/assistants'), folder, { recursive: true });
      await writeFile(join(folder, 'appointment-reminder.md'), 'Call `verify_patient`, then remind them.');
      await sync();

      expect((await command('--prompts', folder)).shown.voice.findings).toMatchObject([
        { code: 'assistant_differs', path: 'assistants.appointment-reminder' },
      ]);
      await sync('--prompts', folder);
      expect((await command('--prompts', folder)).shown.voice.findings).toEqual([]);
      expect((await check()).findings).toEqual([]);
      await rm(folder, { recursive: true });
    });

    test.each([
      ['a credential that is not named', () => voice({ credentialId: null }), /name no credential id/],
      ['a key that is refused', () => voice({ credentialId: 'c', apiKey: 'another-key' }), /401 Invalid Key/],
      ['a platform that is down', async () => void (vapi.mode = 'error'), /500 Internal server error/],
    ])('%s ends it in words, and nothing is changed', async (_situation, arrange, message) => {
      await arrange();
      await expect(sync()).rejects.toThrow(message);
      expect([mine().length, writes()]).toEqual([0, 0]);
    });
  });

  test('the secret of one clinic speaks for its calls and numbers, and for those of no other', async () => {
    const { secret } = (await post('/integrations/voice/rotate-secret')).body;
    const mine = await app.openTestCall({ phone: '+15005550183' });
    const ask = (path: string, message: object, given = secret) =>
      app.request('POST', path, { body: { message }, headers: { 'x-voice-secret': given } });
    const tools = (id: string) =>
      ask('/calling-tools/record_do_not_call', {
        type: 'tool-calls',
        call: { id },
        toolCalls: [{ id: 't1', function: { arguments: {} } }],
      });
    const ring = (numberId: string, id: string) =>
      ask('/voice/events', { type: 'assistant-request', call: { id, phoneNumberId: numberId } });
    const theirs = { number: '+15005550184', platformId: 'their-number', assistantId: null };
    await app.stores.phoneNumbers.replace(app.otherClinic.clinicId, [theirs]);
    const open = (callingHours: object) =>
      app.stores.clinics.setPolicy(app.clinic.clinicId, { ...policy, callingHours });
    await open(Object.fromEntries(weekdays.map((day) => [day, [{ opens: '00:00', closes: '24:00' }]])));

    expect((await tools(mine)).text).toContain('\\"success\\":true');
    expect((await tools(app.otherClinic.testCallId)).text).toContain('call not recognised');
    expect((await ring(phoneNumberId, 'in-1')).body).toMatchObject({
      assistantId,
      assistantOverrides: { maxDurationSeconds: 300 },
    });
    expect((await ring('their-number', 'in-2')).body).toEqual({ error: 'This number is not connected to a clinic.' });
    const transfer = { type: 'transfer-destination-request', call: { id: mine } };
    expect((await ask('/voice/events', transfer)).body).toEqual({
      destination: { type: 'number', number: '+15005550182' },
    });
    await open({});
    expect((await ask('/voice/events', transfer)).body.error).toMatch(/^The clinic is closed right now/);
    const foreign = { type: 'transfer-destination-request', call: { id: app.otherClinic.testCallId } };
    expect((await ask('/voice/events', foreign)).body).toEqual({ error: 'call not recognised' });
    const ended = { type: 'status-update', status: 'ended', call: { id: app.otherClinic.testCallId } };
    await ask('/voice/events', ended);
    expect(await app.stores.calls.live(app.otherClinic.testCallId)).toMatchObject({ state: 'IN_PROGRESS' });
    expect((await ask('/voice/events', transfer, `${secret}x`)).status).toBe(401);
  });
});

test('what a system signs in with is noted as used once it was, and no other', async () => {
  const { clinicId } = app.clinic;
  const key = async (name: string) => (await post('/integrations/api-keys', { name, scopes: ['workflows'] })).body;
  const [used, unused] = [await key('Used'), await key('Unused')];
  const inbound = (await post('/integrations/inbound/forms-completed/rotate-secret')).body.secret;
  await post('/integrations/voice/rotate-secret');
  // Again at once would be for the same.
  await app.database.sql`update secrets set created_at = created_at - interval '10 minutes' where kind = 'voice'`;
  const voice = (await post('/integrations/voice/rotate-secret')).body.secret;

  await get('/workflows', used.key);
  await push(inbound);
  await rungBy(voice);

  const lastUsed = async () => {
    const keys = (await get('/integrations/api-keys')).body.items as { id: string; lastUsedAt: string | null }[];
    const { items } = (await get('/integrations/inbound')).body;
    const [newest, replaced] = await app.stores.keys.listVoice(clinicId);
    return {
      used: keys.find(({ id }) => id === used.id)?.lastUsedAt,
      inbound: items.find(({ event }: { event: string }) => event === 'forms-completed').secret.lastUsedAt,
      voice: newest?.lastUsedAt,
      rest: [keys.find(({ id }) => id === unused.id)?.lastUsedAt, replaced?.lastUsedAt],
    };
  };
  const aTime = expect.stringMatching(/^20.*Z$/);
  expect(await lastUsed()).toEqual({ used: aTime, inbound: aTime, voice: expect.any(Date), rest: [null, null] });
});

test('what belongs to another clinic is answered as unknown', async () => {
  const key = (await post('/integrations/api-keys', { name: 'Mine', scopes: ['workflows'] })).body;
  const optOut = (await post('/integrations/opt-outs', { phone: '+15005550177' })).body;
  for (const [path, id] of [
    ['api-keys', key.id],
    ['opt-outs', optOut.id],
  ]) {
    const theirs = await remove(`/integrations/${path}/${id}`, stranger);
    const nobodys = await remove(`/integrations/${path}/unknown`, stranger);
    expect(theirs.status).toBe(404);
    expect(theirs.text.replaceAll(id, 'unknown')).toBe(nobodys.text);
  }
  expect((await get('/workflows', key.key)).status).toBe(200);
});

/** All of it, however many tests have added to it, and what it was as text. */
async function wholeAudit(): Promise<{ items: { action: string }[]; text: string }> {
  const items: { action: string }[] = [];
  let text = '';
  for (let cursor: string | null = ''; cursor !== null;) {
    const page: Awaited<ReturnType<typeof get>> = await get(`/audit?limit=200${cursor && `&cursor=${cursor}`}`);
    items.push(...page.body.items);
    text += page.text;
    cursor = page.body.nextCursor;
  }
  return { items, text };
}

test('every change is in the audit: who, when, what, never the secret', async () => {
  const secrets: string[] = [];
  secrets.push((await post('/integrations/api-keys', { name: 'Audited', scopes: ['workflows'] })).body.key);
  secrets.push((await post('/integrations/outbound/rotate-secret')).body.secret);
  secrets.push((await post('/integrations/inbound/payment-failed/rotate-secret')).body.secret);
  await remove('/integrations/inbound/payment-failed/previous-secret');
  await put('/integrations/outbound', { url: 'https://hooks.example/clinic' });
  await put('/integrations/recovery-policy', policy);
  await put('/integrations/approved-api', { ...bearerApi, auth: { method: 'bearer', token: 'secret-audited' } });
  await put('/integrations/crm', { kind: 'hubspot', enabled: true, accessToken: 'secret-audited' });
  await put('/integrations/phone-numbers', { items: [] });
  await put('/integrations/providers', { items: (await get('/integrations/providers')).body.items });
  await post('/integrations/opt-outs', { phone: '+15005550166' });

  const { items, text } = await wholeAudit();
  const actions = items.map(({ action }) => action);
  expect(actions.slice(0, 11).toReversed()).toEqual([
    'api-key.create',
    'outbound.rotate-secret',
    'inbound.rotate-secret',
    'inbound.retire-secret',
    'outbound.change',
    'recovery-policy.change',
    'approved-api.change',
    'crm.change',
    'phone-numbers.change',
    'providers.change',
    'opt-out.add',
  ]);
  expect(items[0]).toMatchObject({ actorName: 'Clinic admin', requestId: expect.any(String) });
  for (const secret of [...secrets, 'secret-audited', '+15005550166']) expect(text).not.toContain(secret);
  const elsewhere = (await get('/audit', stranger)).body.items;
  expect(elsewhere.map(({ action }: { action: string }) => action)).toEqual(['sign-in']);
  expect((await get('/audit?action=crm.change')).body.items).toHaveLength(
    actions.filter((action) => action === 'crm.change').length,
  );
});

describe('a clinic’s file', () => {
  let folder: string;
  const stop = new AbortController();
  const env = { OWN_KEY: 'own-key', EHR_TOKEN: 'token-of-the-ehr' };
  const run = (...args: string[]) => typed(['clinic', ...args], { ...app.env, ...env }, stop.signal);
  // eslint-disable-next-line typescript/no-explicit-any
  const apply = async (text: string, ...options: string[]): Promise<any> => {
    const file = join(folder, 'clinic.yaml');
    await writeFile(file, text);
    return (await run('apply', file, ...options)).shown;
  };
  // eslint-disable-next-line typescript/no-explicit-any
  let made: any;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'clinic-file-'));
  });
  beforeEach(async () => {
    const about = [
      '--name',
      'Clínica del Río',
      '--timezone',
      'America/Denver',
      '--email',
      `${newId('rosa')}@river.example`,
    ];
    made = (await run('create', ...about, '--no-fixtures')).shown;
  });
  afterAll(() => rm(folder, { recursive: true }));

  const file = () => `
clinic: ${made.clinicId}
providers:
  - displayName: Dr. José Müller
    workingHours: { monday: [{ opens: 09:00, closes: 12:00 }] }
    visitTypes: [New patient]
    specialDays: { 2035-01-15: [] }
closedDays:
  - { date: 2035-12-25, name: Navidad }
callingPolicy: { maxAttempts: 2 }
phoneNumbers:
  - { number: +13035550140, platformId: 00000000-0000-4000-8000-000000000140 }
secrets: [voice, outbound, inbound/forms-abandoned]
voice:
  apiKey: { env: OWN_KEY }
  phoneNumberId: 00000000-0000-4000-8000-000000000140
  assistantId: 00000000-0000-4000-8000-000000000141
clientKey: ES384
approvedApi:
  baseUrl: https://ehr.river.example/v1
  auth: { method: bearer, token: { env: EHR_TOKEN } }
  actions: { form.progress: { method: GET, path: '/forms/{sessionId}' } }
crm: { kind: hubspot, enabled: false, accessToken: { env: EHR_TOKEN } }
outbound: { url: https://hooks.river.example/events }
language: es
country: MX
endpoints:
  - { name: Data warehouse, url: https://warehouse.river.example/events, events: [workflow.completed] }
`;

  test('is shown as what would change, then made true, and changes nothing the second time', async () => {
    const shown = await apply(file(), '--dry-run');
    expect(shown).toMatchObject({ isApplied: false, shownOnce: {} });
    expect((await app.stores.providers.list(made.clinicId)).length).toBe(0);

    const applied = await apply(file());

    expect(applied.changes).toEqual(shown.changes);
    expect(applied.changes).toEqual(
      expect.arrayContaining([
        expect.stringMatching(/^providers\.Dr\.Jose\.Muller: nothing → /),
        'closedDays.2035-12-25: nothing → "Navidad"',
        expect.stringMatching(/^callingPolicy\.maxAttempts: \d → 2$/),
        'secrets.voice: nothing → "made now"',
        'voice.apiKey: set',
        'clientKey: nothing → "ES384"',
        'outbound.url: nothing → "https://hooks.river.example/events"',
        'language: "en" → "es"',
        'country: "US" → "MX"',
        expect.stringMatching(/^endpoints\.Data warehouse: nothing → .*workflow\.completed/),
      ]),
    );
    expect(Object.keys(applied.shownOnce)).toEqual(['voice', 'jwksUrl', 'endpoints/Data warehouse']);
    expect(await app.stores.clinics.language(made.clinicId)).toBe('es');
    expect(await app.stores.endpoints.list(made.clinicId)).toMatchObject([
      { name: 'Data warehouse', isEnabled: true, events: ['workflow.completed'] },
    ]);
    expect(JSON.stringify(applied)).not.toMatch(/own-key|token-of-the-ehr/);
    expect(await app.stores.settings.voice(made.clinicId)).toMatchObject({
      apiKey: 'own-key',
      number: '+13035550140',
      maxCallSeconds: 600,
    });
    expect(await app.stores.settings.approvedApi(made.clinicId)).toMatchObject({
      auth: { method: 'bearer', token: 'token-of-the-ehr' },
    });
    expect((await app.stores.clinics.policy(made.clinicId)).maxAttempts).toBe(2);
    const { items } = await app.stores.audit.list(made.clinicId, { actor: 'operator', limit: 50 });
    expect(items.map(({ action }) => action)).toEqual(
      expect.arrayContaining([
        'providers.change',
        'closed-days.change',
        'voice.change',
        'approved-api.change',
        'crm.change',
      ]),
    );

    expect(await apply(file())).toMatchObject({ isApplied: true, changes: [], shownOnce: {} });
  });

  test('changes only what it names, and never sends a kept secret to another host', async () => {
    await apply(file());
    const before = await app.stores.settings.voice(made.clinicId);

    const { changes } = await apply(`clinic: ${made.clinicId}\nvoice: { maxCallSeconds: 300 }\nproviders: []
endpoints: [{ name: CRM, url: https://crm.river.example/events, enabled: false }]\n`);

    expect(changes).toEqual([
      expect.stringMatching(/^providers\.Dr\.Jose\.Muller: .* → nothing$/),
      'voice.maxCallSeconds: 600 → 300',
      expect.stringMatching(/^endpoints\.Data warehouse: .* → nothing$/),
      expect.stringMatching(/^endpoints\.CRM: nothing → /),
    ]);
    expect(await app.stores.endpoints.list(made.clinicId)).toMatchObject([{ name: 'CRM', isEnabled: false }]);
    expect(await app.stores.settings.voice(made.clinicId)).toEqual({ ...before, maxCallSeconds: 300 });
    await expect(apply('approvedApi: { baseUrl: https://other.example }', '--clinic', made.clinicId)).rejects.toThrow(
      /clinic\.yaml:1: approvedApi\.auth\.token is required/,
    );
  });

  test('changes a CRM of the same kind as far as it says, and puts one of another kind in its place', async () => {
    const ours = ['--clinic', made.clinicId];
    const webhook = (url: string) => `{ kind: webhook, enabled: true, url: ${url}, token: { env: EHR_TOKEN } }`;
    const kept = () => app.stores.settings.crm(made.clinicId);
    await apply(file());

    const { changes } = await apply('crm: { kind: hubspot, enabled: true }', ...ours);
    const sameKind = await kept();
    await apply(`crm: ${webhook('https://crm.river.example/in')}`, ...ours);
    const anotherKind = await kept();
    await apply('crm: { kind: webhook, url: https://crm.river.example/out }', ...ours);

    expect(changes).toEqual(['crm.enabled: false → true']);
    expect(sameKind).toEqual({ kind: 'hubspot', enabled: true, accessToken: 'token-of-the-ehr' });
    expect(anotherKind).toEqual({
      kind: 'webhook',
      enabled: true,
      url: 'https://crm.river.example/in',
      token: 'token-of-the-ehr',
    });
    expect(await kept()).toEqual({ ...anotherKind, url: 'https://crm.river.example/out' });
    await expect(apply('crm: { kind: hubspot, enabled: true }', ...ours)).rejects.toThrow(/:1: crm\.accessToken /);
    expect((await apply('crm: { kind: none }', ...ours)).changes).toEqual([expect.stringMatching(/^crm.* → nothing$/)]);
    expect(await kept()).toBeNull();
  });

  test('changes what is there in its place: a number that is answered by another assistant, an endpoint that is on', async () => {
    const { endpoints, phoneNumbers } = app.stores;
    await apply(file());
    await apply(
      'endpoints: [{ name: CRM, url: https://crm.river.example/events, enabled: false }]',
      '--clinic',
      made.clinicId,
    );
    const [before] = await endpoints.list(made.clinicId);
    const number = '+13035550140';
    const ids = ['00000000-0000-4000-8000-000000000140', '00000000-0000-4000-8000-000000000142'] as const;

    const { changes, shownOnce } = await apply(`clinic: ${made.clinicId}
phoneNumbers: [{ number: ${number}, platformId: ${ids[0]}, assistantId: ${ids[1]} }]
endpoints: [{ name: CRM, url: https://crm.river.example/events, events: [workflow.completed] }]\n`);

    expect(changes).toEqual([
      `phoneNumbers.${number}.assistantId: nothing → "${ids[1]}"`,
      'endpoints.CRM.enabled: false → true',
      expect.stringMatching(/^endpoints\.CRM\.events: \[.*\] → \["workflow\.completed"\]$/),
    ]);
    expect(shownOnce).toEqual({});
    expect(await phoneNumbers.list(made.clinicId)).toMatchObject([{ number, platformId: ids[0], assistantId: ids[1] }]);
    expect(await endpoints.list(made.clinicId)).toMatchObject([
      { id: before?.id, name: 'CRM', isEnabled: true, events: ['workflow.completed'] },
    ]);
  });

  test('tells everything that is wrong with it at once, by its line, and writes nothing', async () => {
    const wrong = `clinic: ${made.clinicId}
providers:
  - displayName: Dr. Chen
    workingHours: { monday: [{ opens: '12:00', closes: '09:00' }] }
    visitTypes: []
    colour: blue
callingPolicy:
  maxAttemps: 2
voice:
  maxCallSeconds: 5
typo: 1
language: fr
country: XX
endpoints: [{ name: CRM, url: 'ftp://crm.example' }]
`;
    const said = await apply(wrong).catch((error: Error) => error.message);
    expect(String(said).split('\n')).toEqual([
      expect.stringMatching(/clinic\.yaml:4: providers\.0\.workingHours monday closes before it opens$/),
      expect.stringMatching(/clinic\.yaml:6: providers\.0\.colour is not a known field$/),
      expect.stringMatching(/clinic\.yaml:8: callingPolicy\.maxAttemps is not a known field$/),
      expect.stringMatching(/clinic\.yaml:10: voice\.maxCallSeconds must be at least/),
      expect.stringMatching(/clinic\.yaml:11: typo is not a section: providers, closedDays/),
      expect.stringMatching(/clinic\.yaml:12: language /),
      expect.stringMatching(/clinic\.yaml:13: country must be a country of ISO 3166/),
      expect.stringMatching(/clinic\.yaml:14: endpoints\.0\.url /),
    ]);

    await expect(apply('voice: { apiKey: in-the-file }', '--clinic', made.clinicId)).rejects.toThrow(
      /:1: voice\.apiKey is a secret and must not stand in the file/,
    );
    await expect(apply('voice:\n  apiKey: { env: GONE }', '--clinic', made.clinicId)).rejects.toThrow(
      /:2: voice\.apiKey is to be read from the environment, where GONE is not set/,
    );
    await expect(apply('voice: { apiKey: x', '--clinic', made.clinicId)).rejects.toThrow(/clinic\.yaml:\d/);
    await expect(apply('providers: []')).rejects.toThrow('Which clinic?');
    await expect(apply(JSON.stringify({ providers: [], clinic: 'nobody' }, null, 2))).rejects.toThrow(
      'no clinic nobody',
    );
    await expect(apply('clinic: nobody')).rejects.toThrow('There is no clinic nobody');

    const ours = ['--clinic', made.clinicId];
    const named = (...names: string[]) =>
      apply(`endpoints: [${names.map((name) => `{ name: ${name}, url: https://${name}.example/x }`).join()}]`, ...ours);
    await expect(named('a', 'b', 'a')).rejects.toThrow(/:1: endpoints must have names of their own$/);
    await expect(named('a', 'b', 'c', 'd', 'e')).rejects.toThrow(/:1: endpoints are 4 at most, beside the one of /);
    await expect(apply('language: es\nclinic: other', ...ours)).rejects.toThrow(/:2: clinic is another one than /);
  });

  test('stops where the platform or the server refuses, and says what is saved', async () => {
    const text = `{
  "sandbox": { "enabled": false },
  "callingPolicy": { "maxAttempts": 3 },
  "voice": { "phoneNumberId": "unknown-number" }
}`;
    await expect(apply(text, '--clinic', made.clinicId)).rejects.toThrow(
      /:4: voice\.phoneNumberId must be the platform’s id of one of the phone numbers, or of a number in the clinic’s own account\nSections before voice are saved; correct it and run the command again\.$/,
    );
    expect((await app.stores.clinics.policy(made.clinicId)).maxAttempts).toBe(3);
    await app.database.sql`
      delete from secrets where clinic_id = ${made.clinicId} and kind = 'inbound' and name = 'forms-completed'`;
    const withSecret = text.replace('"voice"', '"secrets": ["inbound/forms-completed"], "voice"');
    await expect(apply(withSecret, '--clinic', made.clinicId)).rejects.toThrow(
      /run the command again\.\nMade before that, and not shown again: \{\n {2}"inbound\/forms-completed": "[^"]{20,}"\n\}$/,
    );
  });

  test('is joined by commands for secrets and checks', async () => {
    const rotated = await run('rotate-secret', '--clinic', made.clinicId, '--secret', 'inbound/forms-completed');
    expect(rotated.shown).toMatchObject({ shownOnce: expect.any(String) });
    await expect(run('rotate-secret', '--clinic', made.clinicId, '--secret', 'x')).rejects.toThrow('is not a secret');

    const checked = await run('check', '--clinic', made.clinicId);
    expect(checked).toMatchObject({ exitCode: 1, shown: { passed: false, voice: { passed: false } } });

    // Where there is no system of its own, the voice platform alone decides.
    await apply('approvedApi: null', '--clinic', made.clinicId);
    expect(await run('check', '--clinic', made.clinicId)).toMatchObject({
      exitCode: 1,
      shown: { passed: false, voice: { passed: false }, approvedApi: null },
    });
  });
});

describe('key pairs', () => {
  const clinicId = () => app.otherClinic.clinicId;
  const keySet = async (id = clinicId()) => (await app.request('GET', `/clinics/${id}/jwks.json`)).body.keys;
  const make = (algorithm: string) => post('/integrations/approved-api/keys', { algorithm }, stranger);
  const later = (minutes: number) => app.database.sql`
    update client_keys set signs_from = signs_from - make_interval(mins => ${minutes}),
      retires_at = retires_at - make_interval(mins => ${minutes}) where clinic_id = ${clinicId()}`;

  beforeEach(() => app.database.sql`delete from client_keys where clinic_id = ${clinicId()}`);

  test('one whose answer was lost is found again under its Idempotency-Key, and no second is made', async () => {
    const ask = () =>
      app.request('POST', '/integrations/approved-api/keys', {
        body: { algorithm: 'ES384' },
        headers: { 'idempotency-key': 'a-key-pair' },
        bearer: stranger,
      });

    const [first, again] = [await ask(), await ask()];
    await dieBeforeAnswer('a-key-pair');
    const late = await ask();

    expect([first.status, again.text, late.text]).toEqual([200, first.text, first.text]);
    expect(await keySet()).toHaveLength(1);
  });

  test('are published by their public halves alone, two while one replaces the other', async () => {
    const first = await make('RS384');
    const second = await make('ES384');
    const third = await make('ES384');

    expect(first.body.items).toMatchObject([{ algorithm: 'RS384', state: 'signing', retiresAt: null }]);
    expect(second.body.items).toMatchObject([
      { algorithm: 'ES384', state: 'next', retiresAt: null },
      { algorithm: 'RS384', state: 'signing', retiresAt: expect.any(String) },
    ]);
    expect([third.status, third.body.error]).toEqual([409, 'Conflict']);
    const keys = await keySet();
    expect(keys.map(({ alg, kty }: { alg: string; kty: string }) => [alg, kty])).toEqual([
      ['ES384', 'EC'],
      ['RS384', 'RSA'],
    ]);
    expect(JSON.stringify(keys)).not.toMatch(/"(?:d|p|q|dp|dq|qi)":/);
    expect(await keySet('no-such-clinic')).toEqual([]);
    expect((await app.stores.clientKeys.signing(clinicId()))?.algorithm).toBe('RS384');

    await later(15);
    expect((await app.stores.clientKeys.signing(clinicId()))?.algorithm).toBe('ES384');
    expect(await keySet()).toHaveLength(2);
    await later(15);
    expect(await keySet()).toMatchObject([{ alg: 'ES384' }]);
    expect((await make('RS384')).body.items).toMatchObject([{ state: 'next' }, { state: 'signing' }]);
  });

  test('that are withdrawn leave the signing to the other', async () => {
    await make('ES384');
    await make('RS384');
    const [next] = await app.stores.clientKeys.list(clinicId());
    const [, signing] = await app.stores.clientKeys.list(clinicId());

    const left = await remove(`/integrations/approved-api/keys/${signing!.kid}`, stranger);

    expect(left.body.items).toMatchObject([{ kid: next!.kid, state: 'signing', retiresAt: null }]);
    expect((await app.stores.clientKeys.signing(clinicId()))?.kid).toBe(next!.kid);
    expect((await remove(`/integrations/approved-api/keys/${signing!.kid}`, stranger)).status).toBe(404);
  });

  /** 10,000 by hand, with CALLS=10000 (docs/testing.md). */
  const calls = Number(process.env['CALLS'] ?? 300);
  if (calls > 300) jest.setTimeout(calls * 200);

  test('are replaced under load, and no call is lost', async () => {
    await make('ES384');
    const scope = 'system/Patient.rs';
    const jwksUrl = `${app.baseUrl}/clinics/${clinicId()}/jwks.json`;
    const server = await startSmartServer({ clientId: 'us', jwksUrl, scopes: [scope] });
    const http = createSafeHttp({ allowPrivateTargets: true });
    const settings = ApprovedApi.parse({
      baseUrl: server.url,
      auth: { method: 'smart-backend', clientId: 'us', scope },
      actions: { 'form.progress': { method: 'GET', path: '/forms/{sessionId}' } },
    });
    // Every call asks for a token of its own, so that each is signed.
    const callOnce = () =>
      createClinicApi({
        http: createClinicHttp({ http, audit: () => undefined }),
        ehrTimes: app.stores.ehrTimes,
        clinicId: clinicId(),
        settings,
        tokens: createTokenCache(),
        keys: { signing: app.stores.clientKeys.signing, jwksUrl: () => jwksUrl },
      }).call('form.progress', { params: { sessionId: 's' } });
    const underWay = new Set<Promise<unknown>>();
    const results: string[] = [];
    let isOver = false;
    const caller = async () => {
      while (!isOver || results.length < calls) {
        const call = callOnce();
        underWay.add(call);
        results.push((await call).kind);
        underWay.delete(call);
      }
    };
    // Seven steps of five minutes, for our records and for what the server remembers. No call lasts longer than that.
    const time = async () => {
      for (let step = 1; step <= 7; step += 1) {
        const [goingOn, soFar] = [[...underWay], results.length];
        await eventually(async () => results.length >= soFar + calls / 9, { within: 60_000 + calls * 100 });
        await Promise.all(goingOn);
        if (step === 1) await make('RS384');
        await later(5);
        server.remembersSince(step * 300_000);
      }
    };

    await Promise.all([time().finally(() => (isOver = true)), ...Array.from({ length: 8 }, caller)]);

    expect(server.refusals).toEqual([]);
    expect(results.filter((kind) => kind !== 'answered')).toEqual([]);
    expect(results.length).toBeGreaterThanOrEqual(calls);
    expect(await keySet()).toMatchObject([{ alg: 'RS384' }]);
    await Promise.all([http.close(), server.close()]);
  });
});

describe('a FHIR server', () => {
  let ehr: FhirServer;
  beforeAll(async () => {
    ehr = await startFhirServer();
    ehr.add({ resourceType: 'Practitioner', id: '7', name: [{ text: 'Ana Vega' }] });
  });
  afterAll(() => ehr.close());
  const settings = (fhir: object = {}) => ({
    kind: 'fhir-r4',
    baseUrl: ehr.url,
    auth: { method: 'none' },
    fhir: { permitted: ['patient.upsert', 'document.write'], ...fhir },
  });

  test('is switched on only when the check of these settings passes', async () => {
    const providers = [{ name: 'Dr.Vega', reference: 'Practitioner/404' }];
    const saved = await put('/integrations/approved-api', settings({ providers }));
    const checked = await post('/integrations/approved-api/check');
    const refused = await put('/integrations/approved-api', settings({ isOn: true, providers }));

    expect(saved.body).toMatchObject({
      kind: 'fhir-r4',
      fhir: { isOn: false, rescheduling: 'update' },
      capabilities: null,
    });
    expect(checked.body).toMatchObject({ passed: false });
    expect(refused).toMatchObject({
      status: 409,
      body: {
        message: expect.stringContaining('The server stays switched off'),
        details: [{ path: 'fhir.providers.0.reference', message: expect.stringContaining('Dr.Vega') }],
      },
    });
    expect(await app.stores.settings.permittedActions(app.clinic.clinicId)).toEqual([]);

    const right = settings({ isOn: true, providers: [{ name: 'Dr.Vega', reference: 'Practitioner/7' }] });
    const on = await put('/integrations/approved-api', right);
    expect(on).toMatchObject({
      status: 200,
      body: { fhir: { isOn: true }, capabilities: { canBook: false, hasSlots: true } },
    });
    expect((await post('/integrations/approved-api/check')).body).toMatchObject({ passed: true });
    expect(await app.stores.settings.permittedActions(app.clinic.clinicId)).toEqual([
      'patient.upsert',
      'document.write',
    ]);
  });

  test('says once a day what it can, as a large one takes a minute for it, and again where something is wrong with it', async () => {
    const { clinicId } = app.clinic;
    const { sql } = app.database;
    await put('/integrations/approved-api', settings({ isOn: true }));
    const asked = () => ehr.asked().filter((request) => request.endsWith('metadata')).length;
    const asks = async () => {
      const before = asked();
      expect((await post('/integrations/approved-api/check')).body).toMatchObject({ passed: true });
      return asked() - before;
    };

    const remembered = await asks();
    await sql`update approved_apis set statement_read_at = now() - interval '25 hours' where clinic_id = ${clinicId}`;
    const dayLater = await asks();
    await sql`update approved_apis set statement = jsonb_set(statement, '{fhirVersion}', '"3.0.2"') where clinic_id = ${clinicId}`;
    const wrong = await asks();

    expect([remembered, dayLater, wrong, await asks()]).toEqual([0, 1, 1, 0]);
    const [{ bytes } = { bytes: 0 }] = await sql<{ bytes: number | null }>`
      select length(statement::text) as bytes from approved_apis where clinic_id = ${clinicId}`;
    expect(bytes).toBeLessThan(20_000);
  });

  test('that books needs a row for every provider', async () => {
    const permitted = ['appointment.book', 'appointment.cancel'];
    const { status, body } = await put('/integrations/approved-api', settings({ isOn: true, permitted }));

    expect([status, body.details[0].path]).toEqual([409, 'fhir.providers']);
  });

  test.each([
    [{ kind: 'fhir-r4', fhir: undefined }, 'fhir'],
    [{ kind: 'json' }, 'fhir'],
    [{ actions: bearerApi.actions }, 'actions'],
    [{ fhir: { permitted: ['form.progress'] } }, 'fhir.permitted.0'],
    [{ fhir: { permitted: [], providers: [{ name: 'A', reference: 'Patient/1' }] } }, 'fhir.providers.0.reference'],
    [
      { fhir: { permitted: [], providers: [{ name: 'A', reference: 'Practitioner/../1' }] } },
      'fhir.providers.0.reference',
    ],
  ])('%j is refused at its field', async (changed, path) => {
    const { status, body } = await put('/integrations/approved-api', { ...settings(), ...changed });

    expect([status, body.details[0].path]).toEqual([400, path]);
  });
});

describe('a number of the clinic’s own account that is chosen to call from', () => {
  const id = '50000000-0000-4000-8000-000000000001';
  const assistantId = '50000000-0000-4000-8000-000000000002';
  beforeEach(() => void (vapi.mode = 'ok'));
  const lines = async () => (await get('/integrations/phone-numbers')).body.items;
  const choose = (maxCallSeconds: number) =>
    put('/integrations/voice', { provider: 'simulator', apiKey: 'own-key', phoneNumberId: id, maxCallSeconds });

  test('is refused where the operator has given it to another clinic, and nothing is kept', async () => {
    const number = '+15005550186';
    const { clinicId } = await aClinicIn(app, 'Europe/London', {});
    await app.stores.phoneNumbers.assign({ clinicId, number, platformId: null }, { actor: 'operator' });
    await put('/integrations/phone-numbers', { items: [] });
    vapi.numbers = [aNumber({ id, number })];
    const before = (await get('/integrations/voice')).body;

    const refused = await choose(before.maxCallSeconds + 60);

    expect(refused).toMatchObject({ status: 409, body: { message: expect.stringContaining('in use already') } });
    expect([(await get('/integrations/voice')).body, await lines()]).toEqual([before, []]);
  });

  test('gets its id there where it is entered already, and keeps who answers it', async () => {
    const line = { number: '+15005550187', platformId: null, assistantId };
    await put('/integrations/phone-numbers', { items: [line] });
    vapi.numbers = [aNumber({ id, number: line.number })];

    expect((await choose(300)).body).toMatchObject({ phoneNumberId: id, maxCallSeconds: 300 });
    expect(await lines()).toMatchObject([{ ...line, platformId: id }]);
  });
});

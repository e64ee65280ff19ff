import { type App, startApp } from '../../support/app';
import { type HttpReceiver, startHttpReceiver } from '../../support/outside/http-receiver';

let app: App;

beforeAll(async () => {
  app = await startApp({ hasWorker: false });
}, 240_000);

afterAll(async () => app?.stop());

describe('trying a recovery', () => {
  const start = async (body: unknown, bearer?: string) =>
    app.request('POST', '/try-it/recovery', { body, bearer: bearer ?? (await app.staff()) });

  test('staff start a case whose patient the simulator plays', async () => {
    const { status, body } = await start({ scene: 'finds-it-expensive' });

    expect(status).toBe(200);
    const found = await app.request('GET', `/cases/${body.recoveryCaseId}`, { bearer: await app.staff() });
    expect(found.body).toMatchObject({ workflowId: body.workflowId, patient: { phone: '+15005550003' } });
    expect(found.body.timeline).toContainEqual(expect.objectContaining({ kind: 'event', event: 'forms.abandoned' }));
  });

  test('every scene is listed, with what its patient does and how a recovery ends', async () => {
    const { status, body } = await app.request('GET', '/try-it/scenes', { bearer: await app.staff() });

    expect(status).toBe(200);
    expect(body.scenes).toHaveLength(9);
    expect(body.scenes).toContainEqual({
      scene: 'finds-it-expensive',
      phone: '+15005550003',
      patient: 'finds it too expensive',
      outcome: 'PRICING_ESCALATION',
    });
  });

  test('each start is a case of its own', async () => {
    const cases = await Promise.all([start({ scene: 'agrees' }), start({ scene: 'agrees' })]);
    expect(new Set(cases.map(({ body }) => body.recoveryCaseId)).size).toBe(2);
  });

  test('an unknown scene, another field and an account without a clinic are refused', async () => {
    expect((await start({ scene: 'sings' })).status).toBe(400);
    expect((await start({ scene: 'agrees', phone: '+15005550100' })).status).toBe(400);
    expect((await start({ scene: 'agrees' }, await app.signIn(app.unlinkedAccount))).status).toBe(403);
  });

  test('nothing is played where calls go to real phones', async () => {
    const { clinicId, email, password } = app.otherClinic;
    await app.database.sql`update clinics set voice_provider = 'vapi' where id = ${clinicId}`;

    const { status, body } = await start({ scene: 'agrees' }, await app.signIn({ email, password }));

    expect([status, body.error]).toEqual([409, 'Conflict']);
    const listed = await app.request('GET', '/cases', { bearer: await app.signIn({ email, password }) });
    expect(listed.body.items).toEqual([]);
  });
});

describe('trying an approved API', () => {
  let clinicApi: HttpReceiver;

  beforeAll(async () => {
    clinicApi = await startHttpReceiver((request, response) => {
      const status = request.path.endsWith('/missing') ? 404 : request.path.endsWith('/broken') ? 503 : 200;
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify({ path: request.path }));
    });
    await app.request('PUT', '/integrations/approved-api', {
      bearer: await app.admin(),
      body: {
        baseUrl: clinicApi.url,
        auth: { method: 'bearer', token: 'clinic-token' },
        actions: { 'form.progress': { method: 'GET', path: '/forms/{sessionId}' } },
      },
    });
  });

  afterAll(() => clinicApi.close());

  const attempt = async (body: unknown, bearer?: string) =>
    app.request('POST', '/integrations/approved-api/try', { body, bearer: bearer ?? (await app.admin()) });

  test('a permitted action is called once, and its answer shown', async () => {
    const { status, body } = await attempt({ action: 'form.progress', params: { sessionId: 'session-1' } });

    expect([status, body]).toEqual([
      200,
      { result: 'answered', status: 200, body: { path: '/forms/session-1' }, error: null, said: null },
    ]);
  });

  test('a refusal, and a path that cannot be filled in, are results', async () => {
    const refused = await attempt({ action: 'form.progress', params: { sessionId: 'missing' } });
    const unusable = await attempt({ action: 'form.progress' });

    const unavailable = await attempt({ action: 'form.progress', params: { sessionId: 'broken' } });

    expect(refused.body).toMatchObject({ result: 'refused', status: 404, said: 'http 404' });
    expect(unavailable).toMatchObject({
      status: 200,
      body: { result: 'unavailable', status: null, body: null, error: expect.stringContaining('503') },
    });
    expect(unusable.body).toMatchObject({ result: 'unusable', status: null, error: expect.any(String) });
    const { items } = await app.stores.audit.list(app.clinic.clinicId, { action: 'approved-api.try', limit: 3 });
    expect(items.map(({ subject, detail }) => [subject, detail])).toEqual([
      ['form.progress', { result: 'unavailable' }],
      ['form.progress', { result: 'unusable' }],
      ['form.progress', { result: 'refused' }],
    ]);
  });

  test('what is not permitted is not called; staff may not try', async () => {
    expect((await attempt({ action: 'patient.upsert' })).status).toBe(409);
    expect((await attempt({ action: 'form.progress' }, await app.staff())).status).toBe(403);
  });
});

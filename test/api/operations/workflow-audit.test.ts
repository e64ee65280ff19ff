import { setTimeout as delay } from 'node:timers/promises';
import { demoPolicy } from '@clinic/prisma/fixtures';
import { type App, startApp } from '../../support/app';
import { aStart } from '../../support/builders';
import type { Answer } from '../../support/clinic-client';
import { eventually } from '../../support/eventually';
import { waitingForLocks } from '../../support/locks';

let app: App;

beforeAll(async () => {
  app = await startApp();
  await app.stores.clinics.setPolicy(app.clinic.clinicId, { ...demoPolicy, firstCallDelaySeconds: 3_600 });
}, 240_000);

afterAll(() => app.stop());

test('the audit says who started and who cancelled a workflow, and whose it was', async () => {
  const { clinicId, apiKey } = app.clinic;
  const { body } = await app.request('POST', '/workflows/start', { body: aStart({ clinicId }), bearer: apiKey });
  const cancelled = await app.request('POST', `/workflows/${body.workflowId}/cancel`, { bearer: await app.admin() });

  const found = await eventually(async () => {
    const { items } = await app.stores.audit.list(clinicId, { subject: body.workflowId, limit: 10 });
    return items.length > 1 && items;
  });

  expect(cancelled.status).toBe(200);
  const told = found.map(({ action, actor }) => [action, actor.split(':')[0]]);
  expect(told).toEqual(
    expect.arrayContaining([
      ['workflow.start', 'api-key'],
      ['workflow.cancel', 'account'],
    ]),
  );
});

/** Asks for all of it at once while nothing can be written into the audit: what was answered all the same, and what came of each. */
async function answeredWithoutAudit(asked: Record<string, () => Promise<Answer>>) {
  const answered: string[] = [];
  const waiting = Object.keys(asked).length;
  const [early, asking] = await app.database.transaction(async (tx) => {
    await tx`lock table audit_entries in exclusive mode`;
    const all = Promise.all(
      Object.entries(asked).map(async ([name, answer]) => {
        const { status } = await answer();
        answered.push(name);
        return [name, status];
      }),
    );
    await eventually(async () => (await waitingForLocks(app.database)) + answered.length >= waiting, {
      within: 10_000,
    });
    await delay(120);
    return [[...answered], all] as const;
  });
  return { early, statuses: Object.fromEntries(await asking) as Record<string, number> };
}

test('what goes into the audit is there before anybody is answered', async () => {
  const { clinicId, staff } = app.clinic;
  const [admin, person] = await Promise.all([app.admin(), app.staff()]);
  const ask = (method: string, path: string, { body, bearer = admin }: { body?: unknown; bearer?: string } = {}) =>
    app.request(method, path, { body, bearer });
  const url = 'https://hooks.example/clinic';
  await ask('PUT', '/integrations/outbound', { body: { url, enabled: true, events: [] } });
  const open = await app.openTestCall();
  const newPassword = 'a whole new sentence';
  const asked: Record<string, () => Promise<Answer>> = {
    'sign-in': () => ask('POST', '/auth/sign-in/email', { body: { email: staff.email, password: staff.password } }),
    'password.refused': () =>
      ask('PUT', '/auth/password', { body: { password: 'wrong', newPassword }, bearer: person }),
    'outbound.test': () => ask('POST', '/integrations/outbound/test', { body: {} }),
    'test-call.close': () => ask('DELETE', `/voice/test-calls/${open}`),
  };
  const before = new Set((await app.stores.audit.list(clinicId, { limit: 200 })).items.map(({ id }) => id));

  const { early, statuses } = await answeredWithoutAudit(asked);
  const { items } = await app.stores.audit.list(clinicId, { limit: 200 });

  expect(early).toEqual([]);
  expect(statuses).toEqual({
    'sign-in': 200,
    'password.refused': 400,
    'outbound.test': 200,
    'test-call.close': 204,
  });
  const noted = items.filter(({ id, actor }) => !before.has(id) && actor !== 'service').map(({ action }) => action);
  expect(noted.toSorted()).toEqual(Object.keys(asked).toSorted());
});

test('what is changed is stored, with who changed it, before anybody is answered', async () => {
  const admin = await app.admin();
  const changing =
    (method: string, path: string, body: unknown = {}) =>
    () =>
      app.request(method, path, { body, bearer: admin });
  const baseUrl = 'https://api.clinic.example';
  const view = { list: 'tasks', name: 'Mine', filters: { who: 'me' } };
  const changes: Record<string, () => Promise<Answer>>[] = [
    {
      approvedApi: changing('PUT', '/integrations/approved-api', { baseUrl, auth: { method: 'none' } }),
      crm: changing('PUT', '/integrations/crm', { kind: 'hubspot', enabled: false, accessToken: 'token' }),
      retention: changing('PUT', '/retention', { event_bodies: 60 }),
      key: changing('POST', '/integrations/api-keys', { name: 'Their system' }),
      closedDays: changing('PUT', '/integrations/closed-days', { items: [{ date: '2090-12-24', name: 'Christmas' }] }),
    },
    {
      view: changing('POST', '/views', view),
      pause: changing('POST', '/pauses', { reason: 'A drill' }),
      invitation: changing('POST', '/accounts/invitations', { email: 'ana@clinic.example', role: 'staff' }),
      outbound: changing('PUT', '/integrations/outbound', { url: null }),
      sandbox: changing('PUT', '/abandonment-recovery/sandbox-emr/config', { enabled: true }),
    },
    {
      policy: changing('PUT', '/integrations/recovery-policy', { ...demoPolicy, firstCallDelaySeconds: 1_800 }),
      results: changing('PUT', '/integrations/results', {
        currency: 'EUR',
        usdRate: 0.9,
        targetRecoveryRate: null,
        targetRecoveries: null,
      }),
      country: changing('PUT', '/integrations/country', { country: 'GB' }),
      language: changing('PUT', '/integrations/language', { language: 'es' }),
      keyPair: changing('POST', '/integrations/approved-api/keys', { algorithm: 'ES384' }),
    },
    {
      signOn: changing('PUT', '/accounts/single-sign-on', {
        issuer: 'https://sign-on.example',
        clientId: 'dashboard',
        clientSecret: 'quiet-orange-lighthouse',
        roleClaim: null,
        roleRules: [],
        defaultRole: 'staff',
        factorAcrs: [],
        domains: ['clinic.example'],
      }),
      clock: changing('PUT', '/sandbox/clock', { at: '2031-03-03T15:00:00Z' }),
      oldSecret: changing('DELETE', '/integrations/inbound/forms-abandoned/previous-secret'),
      noApi: changing('DELETE', '/integrations/approved-api'),
    },
    {
      noSignOn: changing('DELETE', '/accounts/single-sign-on'),
      noClock: changing('DELETE', '/sandbox/clock'),
    },
  ];

  await changing('POST', '/integrations/inbound/forms-abandoned/rotate-secret')();
  for (const asked of changes) {
    const { early, statuses } = await answeredWithoutAudit(asked);

    expect(early).toEqual([]);
    expect(Object.entries(statuses).filter(([, status]) => status !== 200 && status !== 204)).toEqual([]);
  }
});

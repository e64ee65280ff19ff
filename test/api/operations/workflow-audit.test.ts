import { demoPolicy } from '@clinic/prisma/fixtures';
import { type App, startApp } from '../../support/app';
import { aStart } from '../../support/builders';
import { eventually } from '../../support/eventually';

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

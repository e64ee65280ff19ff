import { type InboundPath, inboundEvents, inboundPaths } from '@clinic/shared/contracts/events/inbound-events';
import { type App, startApp } from '../../support/app';
import { aCompletedForm, anAbandonedForm, aSession } from '../../support/builders';
import { aPatientEvent } from '../../support/patient-events';

let app: App;

beforeAll(async () => {
  app = await startApp({ hasWorker: false });
}, 240_000);

afterAll(() => app.stop());

function bodyOf(path: InboundPath): unknown {
  if (path === 'forms-abandoned') return anAbandonedForm();
  if (path === 'forms-completed') return aCompletedForm(aSession());
  return aPatientEvent(path);
}

test.each(inboundPaths)('%s is counted by its name, and apart where it came before', async (path) => {
  const body = bodyOf(path);
  for (const _ of [1, 2, 3]) expect((await app.inbound(path, body)).status).toBeLessThan(300);

  const metrics = await (await fetch(new URL('/metrics', app.baseUrl))).text();

  const count = (duplicate: boolean) => `inbound_events_total{event="${inboundEvents[path]}",duplicate="${duplicate}"}`;
  expect(metrics).toContain(`${count(false)} 1\n`);
  expect(metrics).toContain(`${count(true)} 2\n`);
});

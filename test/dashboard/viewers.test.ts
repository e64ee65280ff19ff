import type { Page } from 'playwright-core';
import { type App, startApp } from '../support/app';
import { accessibilityProblems, startBrowser, type TestBrowser } from '../support/browser';

/** Two people who have one record open. */

// A browser on a busy machine takes its time.
jest.setTimeout(240_000);

let app: App;
let browser: TestBrowser;

beforeAll(async () => {
  app = await startApp({ hasWorker: false });
  browser = await startBrowser(app.baseUrl.replace(/\/api$/, ''));
}, 240_000);

afterAll(async () => {
  await browser?.close();
  await app?.stop();
});

afterEach(() => browser.endTest());

async function aPatient(lastName: string): Promise<string> {
  const body = { firstName: 'Vera', lastName, phone: '+13035550144' };
  const made = await app.request('POST', '/patients', { body, bearer: await app.admin() });
  return made.body.id;
}

async function open(path: string, as: 'admin' | 'staff', device: 'desktop' | 'phone' = 'desktop'): Promise<Page> {
  const page = await browser.visit({ token: await app[as](), device });
  await page.goto(path);
  await page.getByRole('status', { name: /^Live/ }).waitFor({ state: 'attached' });
  return page;
}

const told = (page: Page, text: string) => page.getByRole('status').getByText(text, { exact: true });

test('two at one patient see each other, who edits, and that one of them has left', async () => {
  const path = `/patients/${await aPatient('Twice')}`;
  const desk = await open(path, 'staff');
  const page = await open(path, 'admin', 'phone');
  await told(page, 'Clinic staff is looking at this').waitFor();
  await told(desk, 'Clinic admin is looking at this').waitFor();
  expect(await accessibilityProblems(page)).toEqual([]);

  await desk.getByRole('button', { name: 'Edit', exact: true }).click();
  await told(page, 'Clinic staff is editing this').waitFor();
  await page.getByRole('button', { name: 'Edit', exact: true }).click();
  const dialog = page.getByRole('dialog', { name: 'Edit Vera Twice' });
  await dialog.getByText('Clinic staff is editing this').waitFor();
  expect(await accessibilityProblems(page)).toEqual([]);
  await desk.getByRole('dialog').getByText('Clinic admin is editing this').waitFor();
  await desk.getByRole('button', { name: 'Close' }).last().click();
  await dialog.getByText('Clinic staff is looking at this').waitFor();
  await page.getByRole('button', { name: 'Close' }).last().click();

  await desk.getByRole('link', { name: 'Patients' }).last().click();
  await told(page, 'Clinic staff is looking at this').waitFor({ state: 'detached' });
  await desk.goBack();
  await told(page, 'Clinic staff is looking at this').waitFor();
  await desk.close({ runBeforeUnload: true });
  await told(page, 'Clinic staff is looking at this').waitFor({ state: 'detached' });
});

test('a task says who else has it open and writes a note, an appointment who else moves or cancels it', async () => {
  const { clinicId } = app.clinic;
  const patientId = await aPatient('Busy');
  await app.stores.tasks.open({ clinicId, reason: 'clinical_escalation', cause: 'viewers', patientId });
  const desk = await open('/tasks', 'staff');
  const page = await open('/tasks', 'admin');
  for (const each of [desk, page]) {
    await each
      .getByRole('row', { name: /Vera Busy/ })
      .getByRole('button', { name: /^Open: / })
      .click();
  }
  await told(page, 'Clinic staff is looking at this').waitFor();
  await desk.getByLabel('New note').fill('Rang her');
  await told(page, 'Clinic staff is editing this').waitFor();
  await desk.getByRole('button', { name: 'Add the note' }).click();
  await told(page, 'Clinic staff is looking at this').waitFor();

  const { slots } = (
    await app.request('GET', '/availability?providerName=Dr.Chen&limit=1', { bearer: await app.staff() })
  ).body;
  await app.request('POST', '/appointments', {
    body: { patientId, providerName: slots[0].providerName, startsAt: slots[0].startsAt },
    bearer: await app.admin(),
  });
  for (const each of [desk, page]) await each.goto(`/patients/${patientId}`);
  await desk.getByRole('button', { name: /^Move / }).click();
  await page.getByRole('button', { name: /^Cancel / }).click();
  await page.getByRole('dialog').getByText('Clinic staff is editing this').waitFor();
  await desk.getByRole('dialog').getByText('Clinic admin is editing this').waitFor();
});

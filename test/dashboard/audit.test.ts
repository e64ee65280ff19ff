import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { accountsOf } from '@clinic/accounts/seed';
import { tools } from '@clinic/api/tools/registry';
import { root } from '@clinic/local/paths';
import { readApiConfig } from '@clinic/shared/config';
import { bulkJobKinds } from '@clinic/shared/domain/operations/bulk-job';
import { type App, startApp } from '../support/app';
import { accessibilityProblems, startBrowser, tabTo, type TestBrowser } from '../support/browser';

/** The audit in words: who did what to whom. */

// A browser on a busy machine takes its time.
jest.setTimeout(240_000);

let app: App;
let browser: TestBrowser;
let patientId: string;

beforeAll(async () => {
  app = await startApp({ hasWorker: false });
  browser = await startBrowser(app.baseUrl.replace(/\/api$/, ''));
  const body = { firstName: 'Wendy', lastName: 'Ivanov', phone: '+13035550145' };
  patientId = (await app.request('POST', '/patients', { body, bearer: await app.admin() })).body.id;
  await app.request('GET', `/patients/${patientId}`, { bearer: await app.staff() });
  await app.stores.audit.writeRequest({
    clinicId: app.clinic.clinicId,
    actor: 'call:1',
    action: 'tool.send_resume_link',
    isRead: false,
    route: 'abandonment-recovery/send_resume_link',
    subjects: [patientId],
    requestId: 'request-1',
    address: '127.0.0.1',
  });
  await app.stores.auditChain.seal(100);
}, 240_000);

afterAll(async () => {
  await browser?.close();
  await app?.stop();
});

afterEach(() => browser.endTest());

test('from the page of a patient an administrator comes to who opened the record, by name and in words', async () => {
  const page = await browser.visit({ token: await app.admin() });
  await page.goto(`/patients/${patientId}`);

  await page.getByRole('link', { name: 'Who opened this record' }).click();

  const row = page.getByRole('row', { name: /Clinic staff opened Wendy Ivanov’s record/ });
  await row.waitFor();
  expect((await row.innerText()).match(/Wendy Ivanov/g)).toHaveLength(1);
  // Neither the sentence nor the id of the request is cut.
  const cut = await page
    .getByRole('table', { name: 'Audit' })
    .locator('td *')
    .evaluateAll((all) =>
      all.filter((one) => one.scrollWidth > one.clientWidth + 1 && one.clientWidth > 0).map((one) => one.textContent),
    );
  expect(cut).toEqual([]);
  expect(await page.getByRole('row', { name: /registered Wendy Ivanov/ }).count()).toBe(0);
  expect(await row.getByText('patient.read').count()).toBe(0);
  await page.getByRole('button', { name: 'What: Opened records', exact: true }).waitFor();
  await page.getByRole('button', { name: 'Without: Wendy Ivanov' }).waitFor();
  expect(new URL(page.url()).searchParams.get('subject')).toBe(patientId);
  expect(await row.getByTitle(patientId).getAttribute('title')).toMatch(
    /^Clinic staff opened .*\naccount:.*\npatient\.read\n/,
  );
  expect(await accessibilityProblems(page)).toEqual([]);
  await page.getByRole('button', { name: 'Without: What: Opened records' }).click();
  await page.getByRole('row', { name: /Clinic admin registered Wendy Ivanov/ }).waitFor();
  await page.getByText('A voice agent used the tool “Send resume link” in a call with Wendy Ivanov').waitFor();
  await row.getByRole('link', { name: 'Wendy Ivanov' }).click();
  await page.getByRole('heading', { name: 'Wendy Ivanov', level: 1 }).waitFor();

  const phone = await browser.visit({ token: await app.admin(), device: 'phone' });
  await phone.addInitScript({ content: "localStorage.setItem('language', 'es')" });
  await phone.goto(`/audit?subject=${patientId}`);
  await phone.getByText('Clinic staff abrió el expediente de Wendy Ivanov').first().waitFor();
  expect(await accessibilityProblems(phone)).toEqual([]);

  const desk = await browser.visit({ token: await app.staff() });
  await desk.goto(`/patients/${patientId}`);
  await desk.getByRole('heading', { name: 'Wendy Ivanov', level: 1 }).waitFor();
  expect(await desk.getByRole('link', { name: 'Who opened this record' }).count()).toBe(0);
});

test('a patient is found by name, an action by its words; opening a page is one line, and the file is in the words of the page', async () => {
  const bearer = await app.admin();
  await app.request('POST', `/patients/${patientId}/opt-outs`, { body: {}, bearer });
  const lift = { reason: 'entered_by_mistake' };
  await app.request('POST', `/patients/${patientId}/opt-outs/lift`, { body: lift, bearer });
  const page = await browser.visit({ token: bearer });
  await page.goto(`/patients/${patientId}`);
  await page.getByRole('heading', { name: 'Wendy Ivanov', level: 1 }).waitFor();
  await page.getByRole('list', { name: 'What happened' }).waitFor();
  await page.waitForTimeout(500);
  await app.stores.auditChain.seal(100);

  await page.goto('/audit');
  await page.getByRole('combobox', { name: 'Patient' }).fill('wendy');
  await page.getByRole('option', { name: /Wendy Ivanov/ }).click();
  await page.getByRole('button', { name: 'Without: Wendy Ivanov' }).waitFor();
  await page.getByText('Clinic admin added the number of Wendy Ivanov to the opt-outs').waitFor();
  const lifted = 'Clinic admin removed the number of Wendy Ivanov from the opt-outs: “It was entered by mistake”';
  await page.getByText(lifted).waitFor();
  await page
    .getByRole('row', { name: /Clinic admin opened Wendy Ivanov’s record .*more readings? of the same page/ })
    .waitFor();
  expect(await page.getByRole('row', { name: /looked whether|looked up/ }).count()).toBe(0);
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Export as CSV' }).click(),
  ]);
  const lines = (await readFile(await file.path(), 'utf8')).trim().split('\r\n');
  expect(lines[0]).toMatch(/^When,Person,What happened,Patient,.*,Details \(JSON\)$/);
  expect(lines.find((line) => line.includes(lifted))).toMatch(
    /^\d{4}-\d\d-\d\d \d\d:\d\d,Clinic admin,.*,Wendy Ivanov,/,
  );
  expect(lines.filter((line) => line.includes('looked whether the records of Wendy Ivanov are held'))).not.toHaveLength(
    0,
  );

  await page.getByRole('combobox', { name: 'Action' }).fill('removed the number');
  await page.getByRole('option', { name: 'Removed the number of a patient from the opt-outs' }).click();
  await page.getByText('1 in all').waitFor();
  // The box in which the patient was found is gone with the search, and comes back once, and empty.
  const boxes = page.getByRole('combobox', { name: 'Patient' });
  expect(await boxes.count()).toBe(0);
  await page.getByRole('button', { name: 'Without: Wendy Ivanov' }).click();
  await boxes.first().waitFor();
  expect(await boxes.count()).toBe(1);
  expect(await boxes.first().inputValue()).toBe('');

  // A name that is typed is found in the menu of people, and a day that is near is a click.
  const add = async (name: string) => {
    await page.getByRole('button', { name: 'Filter', exact: true }).click();
    await page.getByRole('menuitem', { name, exact: true }).click();
  };
  await add('Person');
  await page.locator('[role=menuitem]:focus').waitFor();
  await page.keyboard.type('staff');
  await page.locator('[role=menuitem]:focus', { hasText: 'Clinic staff' }).press('Enter');
  await page.getByRole('button', { name: 'Person: Clinic staff', exact: true }).waitFor();
  await add('From');
  await tabTo(page, 'Yesterday');
  await page.keyboard.press('Enter');
  await page.waitForURL(/from=\d{4}-\d\d-\d\d/);
  expect(await accessibilityProblems(page)).toEqual([]);
});

test('an auditor, who sees no patients, reads that a patient’s record was opened, without the name', async () => {
  const { SECRET_KEYS: secretKeys, AUTH_SECRET: authSecret } = readApiConfig(app.env);
  const [email, password] = ['auditor@audit.example', 'quiet orange lighthouse'];
  const about = { name: 'An auditor', email, password, clinicId: app.clinic.clinicId, role: 'auditor' } as const;
  await accountsOf({ database: app.database, secretKeys, authSecret }).createAccount(about);
  const token = await app.signIn({ email, password });
  const asked = `/audit?reads=true&subject=${patientId}`;
  const seenBy = async (bearer: string) => (await app.request('GET', asked, { bearer })).body.items[0].patient;

  expect(await seenBy(await app.admin())).toEqual({ id: patientId, firstName: 'Wendy', lastName: 'Ivanov' });
  expect(await seenBy(token)).toBe(null);
  const page = await browser.visit({ token });
  await page.goto(`/audit?subject=${patientId}`);
  await page.getByText('Clinic staff opened a patient’s record').first().waitFor();
  expect(await page.getByText('Ivanov').count()).toBe(0);
});

test('every action that the service writes into the audit has words', async () => {
  const ofPage = (name: string) => readFile(join(root, 'dashboard/pages/operations', name), 'utf8');
  const words = (await Promise.all(['audit-words.ts', 'patient-deeds.ts'].map(ofPage))).join('\n');
  const files = await Promise.all(
    ['accounts', 'api', 'prisma/stores'].map(async (room) =>
      (await readdir(join(root, room), { recursive: true }))
        .filter((name) => name.endsWith('.ts') && !name.includes('node_modules'))
        .map((name) => readFile(join(root, room, name), 'utf8')),
    ),
  );
  const sources = (await Promise.all(files.flat())).join('\n');
  // As `action: 'patient.read'`, or one of two.
  const written = [...sources.matchAll(/\baction(?::| =) (?:[^'\n]* \? )?'([a-z.-]+)'(?: : '([a-z.-]+)')?/g)];
  const actions = new Set(written.flatMap(([, one = '', other = one]) => [one, other]));

  // What kind of bulk job it is stands behind `bulk.`; `outbound.` has the same words whatever was asked.
  for (const kind of bulkJobKinds) actions.add(`bulk.${kind}`);
  const wordless = [...actions].filter((action) => !words.includes(`'${action}': `) && !toClinics.includes(action));
  expect(wordless).toEqual([]);
  expect(actions.size).toBeGreaterThan(100);

  // An entry of a tool names it as the rest of the dashboard does.
  const names = await readFile(join(root, 'dashboard/parts/code-words.ts'), 'utf8');
  const inEnglish = tools.map(({ name }) => name.charAt(0).toUpperCase() + name.slice(1).replaceAll('_', ' '));
  expect(inEnglish.filter((name) => !names.includes(`'${name}': `))).toEqual([]);
});

/** What is asked of a clinic's own API is called an action too. */
const toClinics = ['document.write', 'form.progress', 'insurance.verify', 'patient.upsert'];

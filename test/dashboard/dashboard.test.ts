import { setTimeout } from 'node:timers/promises';
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { root } from '@clinic/local/paths';
import { freePort } from '@clinic/local/ports';
import { oneTimeCode } from '@clinic/accounts/second-factors';
import type { Locator, Page, Route } from 'playwright-core';
import { fromBase32 } from '../support/base32';
import { type App, startApp } from '../support/app';
import { accessibilityProblems, setFilter, startBrowser, tabTo, type TestBrowser } from '../support/browser';
import { aPhone, aStart, phones } from '../support/builders';
import { eventually } from '../support/eventually';
import { aBooking } from '../support/fhir';
import { type IdentityProvider, startIdentityProvider } from '../support/outside/identity-provider';
import { typed as typedByOperator } from '../support/command';
import { startFhirServer } from '../support/outside/fhir-server';
import { type Receiver, startReceiver } from '../support/outside/receiver';
import { aNumber, anAssistant, startVapiServer, type VapiServer } from '../support/outside/vapi-server';

// A browser on a busy machine takes its time.
jest.setTimeout(240_000);

let app: App;
let browser: TestBrowser;
let receiver: Receiver;
/** Of endpoints that are added on the way. */
const furtherSecrets: string[] = [];
let vapi: VapiServer;
let passkeyUrl: string;
/** Of the last test alone. */
let idp: IdentityProvider | undefined;

beforeAll(async () => {
  // A caller that takes its time, so that a timeline can be seen to grow.
  vapi = await startVapiServer('own-key');
  // Passkeys are for addresses with a name.
  const port = await freePort();
  passkeyUrl = `http://localhost:${port}`;
  const address = { PORT: String(port), PUBLIC_URL: passkeyUrl };
  app = await startApp({ env: { SIMULATOR_PAUSE_MS: '150', VAPI_BASE_URL: vapi.url, ...address } });
  receiver = await startReceiver(() => [app.clinic.outboundSigningSecret, ...furtherSecrets]);
  browser = await startBrowser(app.baseUrl.replace(/\/api$/, ''));
}, 240_000);

afterAll(async () => {
  await browser?.close();
  await receiver?.close();
  await vapi?.close();
  await idp?.close();
  await app?.stop();
});

afterEach(() => browser.endTest());

const asAdmin = async (path: string): Promise<Page> => goTo(path, await app.admin());

async function goTo(path: string, token: string, visit: Parameters<TestBrowser['visit']>[0] = {}): Promise<Page> {
  const page = await browser.visit({ ...visit, token });
  await page.goto(path);
  return page;
}

const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name });
const heading = (page: Page, name: string | RegExp) => page.getByRole('heading', { name, level: 1 });

/** Over the dashboard's API, as the signed-in page would. */
const ask = async (method: string, path: string, body?: unknown) =>
  app.request(method, path, { body, bearer: await app.admin() });

describe('signing in', () => {
  const fill = async (page: Page, email: string, password: string) => {
    await page.getByLabel('E-mail').fill(email);
    await page.getByLabel('Password', { exact: true }).fill(password);
    await page.keyboard.press('Enter');
  };

  test('a wrong password is refused, the right one opens the page that was asked for', async () => {
    const page = await browser.visit();
    await page.goto('/tasks');

    await fill(page, app.clinic.email, 'not the password');
    await page.getByText('The e-mail or the password is wrong').waitFor();
    // The browser itself notes the 401.
    expect(browser.takeProblems()).toEqual([expect.stringContaining('401')]);

    await fill(page, app.clinic.email, app.clinic.password);
    await heading(page, 'Tasks').waitFor();
    expect(new URL(page.url()).pathname).toBe('/tasks');
  });

  test('signing out ends the session at the service too', async () => {
    const { body } = await app.request('POST', '/auth/sign-in/email', {
      body: { email: app.clinic.email, password: app.clinic.password },
    });
    const page = await goTo('/', body.token);
    await heading(page, 'Overview').waitFor();

    await button(page, /account menu/).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();

    await page.getByText('You are signed out.').waitFor();
    await eventually(async () => (await app.request('GET', '/cases', { bearer: body.token })).status === 401);
  });

  test('a session that has ended asks to sign in again and goes on where it was', async () => {
    const page = await goTo('/patients', 'a-token-that-has-ended.signature');
    await page.getByText('Your session has ended').waitFor();
    expect(browser.takeProblems()).toEqual(expect.arrayContaining([expect.stringContaining('401')]));

    await fill(page, app.clinic.email, app.clinic.password);
    await heading(page, 'Patients').waitFor();
  });

  test('an account without a clinic is told so', async () => {
    const page = await goTo('/', await app.signIn(app.unlinkedAccount));
    await heading(page, 'No clinic is linked to this account').waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
  });
});

describe('integrations', () => {
  test('enabling the sandbox brings its patients', async () => {
    const page = await asAdmin('/connections/sandbox');
    await page.getByRole('switch', { name: 'The sandbox is off' }).click();
    await page.getByRole('switch', { name: 'The sandbox is on' }).waitFor();

    await page.getByRole('link', { name: 'Patients' }).click();
    await page.getByRole('table', { name: 'Patients' }).getByRole('link').first().click();

    await page.getByRole('heading', { name: 'Next visits', level: 2 }).waitFor();
  });

  test('a key is shown once, works over HTTP, and is refused once revoked', async () => {
    const page = await asAdmin('/connections/api-keys');
    await button(page, 'Create a key').click();
    await page.getByLabel('Name').fill('Booking server');
    await page.getByLabel('Start workflows and read their outcomes').check();
    await button(page, 'Create the key').click();
    const key = (await page.getByLabel('the key', { exact: true }).textContent()) ?? '';
    expect(await accessibilityProblems(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await page.waitForTimeout(300);
    await button(page, 'I have stored it').click();

    expect((await app.request('GET', '/workflows', { bearer: key })).status).toBe(200);
    await page.getByText('Booking server').waitFor();
    expect(await page.content()).not.toContain(key);

    await button(page, 'Revoke Booking server').click();
    await button(page, /^Revoke$/).waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    await button(page, /^Revoke$/).click();
    await page.getByText('The key “Booking server” is revoked.').waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    expect((await app.request('GET', '/workflows', { bearer: key })).status).toBe(401);
  });

  test('after a rotation the old inbound secret works until it is retired', async () => {
    const page = await asAdmin('/connections/inbound');
    await button(page, 'Rotate secret: Forms completed').click();
    await button(page, /^Rotate$/).click();
    const secret = (await page.getByLabel('the secret', { exact: true }).textContent()) ?? '';
    await button(page, 'I have stored it').click();

    const old = app.clinic.inboundSecrets['forms-completed'];
    const send = (given: string) =>
      app.request('POST', `/automation/webhook/${app.clinic.clinicId}/forms-completed`, {
        body: { data: { session_id: 'dashboard-rotation' } },
        headers: { 'x-automation-secret': given },
      });
    expect([(await send(old)).status, (await send(secret)).status]).toEqual([200, 200]);

    await button(page, /Retire it now/).click();
    await page.getByText('The old secret is retired.').waitFor();
    expect([(await send(old)).status, (await send(secret)).status]).toEqual([401, 200]);
  });

  test('staff find no page that their role does not open, and are told so at its address', async () => {
    const page = await goTo('/clinic', await app.staff());
    await heading(page, 'Clinic').waitFor();
    await page.getByRole('heading', { name: 'Days on which the clinic is closed' }).waitFor();
    const pages = page.getByRole('navigation', { name: 'Pages' });
    const linked = async () =>
      (await pages.getByRole('link').filter({ visible: true }).allTextContents()).map((name) =>
        name.replace(/\d+$/, ''),
      );
    const daily = ['My day', 'Calendar', 'Day list', 'Patients', 'Tasks', 'Waitlist'];
    const seldom = ['Calls', 'Recovery cases', 'Queue', 'Clinic'];
    expect(await linked()).toEqual([...daily, ...seldom, 'API reference']);
    await pages.getByRole('link', { name: 'Patients' }).click();
    await heading(page, 'Patients').waitFor();
    await eventually(async () => (await linked()).join() === [...daily, 'API reference'].join());
    await pages.getByRole('button', { name: 'More pages' }).click();
    await pages.getByRole('link', { name: 'Queue' }).click();
    await heading(page, 'Queue').waitFor();

    // What they go by they read, and change nothing of it.
    for (const [area, control] of [
      ['hours', button(page, 'Add a day')],
      ['providers', button(page, 'Add a provider')],
      ['calling', page.getByLabel('Maximum attempts')],
    ] as const) {
      await page.goto(`/clinic/${area}`);
      await control.waitFor();
      expect(await control.isDisabled()).toBe(true);
    }
    for (const [area, control] of [
      ['api-keys', button(page, 'Create a key')],
      ['inbound', button(page, /^(?:Rotate|Create a) secret/).first()],
      ['outbound', page.getByRole('switch', { name: 'Send events' })],
      ['approved-api', page.getByLabel('Base URL')],
      ['crm', page.getByRole('radio', { name: 'Nothing' })],
      ['voice', button(page, /^Create a (?:new )?secret/)],
      ['phone-numbers', button(page, 'Add a number')],
    ] as const) {
      await page.goto(`/connections/${area}`);
      await control.waitFor();
      expect([area, await control.isDisabled()]).toEqual([area, true]);
    }

    for (const path of ['/clinic/people', '/connections/sandbox', '/audit', '/results']) {
      await page.goto(path);
      await page.getByText('Your role does not open this page').waitFor();
      await page.getByText('You are signed in as: Front desk.', { exact: false }).waitFor();
      expect(await accessibilityProblems(page)).toEqual([]);
    }
  });

  test('an auditor comes to the audit, and sees no more than that', async () => {
    const { items } = (await ask('GET', '/accounts')).body;
    const { id } = items.find(({ name }: { name: string }) => name === 'Clinic staff');
    await ask('PATCH', `/accounts/${id}`, { role: 'auditor' });
    const page = await goTo('/', await app.staff());
    await heading(page, 'Audit').waitFor();
    const links = page.getByRole('navigation', { name: 'Pages' }).getByRole('link');
    expect(await links.allTextContents()).toEqual(['Audit', 'API reference']);
    expect(await page.getByText('Find or do something').count()).toBe(0);
    await ask('PATCH', `/accounts/${id}`, { role: 'staff' });
  });

  test('a role is changed on the page of people, which says what each role may do', async () => {
    const page = await asAdmin('/clinic/people');
    const change = async (role: string) => {
      await button(page, 'Change Clinic staff').click();
      await page.getByRole('menuitem', { name: 'Change the role' }).click();
      const dialog = page.getByRole('dialog', { name: 'The role of Clinic staff' });
      await dialog.getByLabel('Role').click();
      await page.getByRole('option', { name: role }).click();
      expect(await accessibilityProblems(page)).toEqual([]);
      await dialog.getByRole('button', { name: 'Change the role' }).click();
      await page.getByText('Clinic staff has another role now.').first().waitFor();
      await dialog.waitFor({ state: 'hidden' });
      const person = page.getByRole('listitem').filter({ has: button(page, 'Change Clinic staff') });
      await person.getByText(role, { exact: true }).waitFor();
    };
    await change('Manager');
    await change('Front desk');
    const may = page.getByRole('list', { name: 'Roles' }).getByRole('listitem');
    await may.filter({ hasText: /See and export results.*Administrator, Manager$/ }).waitFor();
    await may.filter({ hasText: /See and export the audit.*Administrator, Auditor$/ }).waitFor();
  });

  test('an API key is made for what it is used for, and rotated with the old one still taken', async () => {
    const page = await asAdmin('/connections/api-keys');
    await button(page, 'Create a key').click();
    await page.getByLabel('Name').fill('Reporting');
    await button(page, 'Create the key').click();
    await page.getByText('Choose what it is for').waitFor();
    await page.getByLabel('Send events in (events)').and(page.locator(':focus')).waitFor();
    await page.getByLabel('Read patients and appointments (patients.read, appointments.read)').check();
    expect(await accessibilityProblems(page)).toEqual([]);
    await button(page, 'Create the key').click();
    await button(page, 'I have stored it').click();
    await button(page, 'Create a key').and(page.locator(':focus')).waitFor();

    // The list of areas says how each of them stands.
    const { items: areas } = (await ask('GET', '/integrations/areas')).body;
    const keys = areas.find(({ area }: { area: string }) => area === 'api-keys').count;
    const list = page.getByRole('navigation', { name: 'Areas of Connections' });
    await list.getByRole('link', { name: `API keys ${keys} keys` }).waitFor();
    await list.getByRole('link', { name: 'CRM not set up' }).waitFor();

    await button(page, 'Rotate Reporting').click();
    await button(page, 'Create the new key').click();
    await page.getByText('The old key is taken until', { exact: false }).waitFor();
    const { items } = (await ask('GET', '/integrations/api-keys')).body;
    const made = items.filter(({ name }: { name: string }) => name === 'Reporting');
    const scopes = ['patients.read', 'appointments.read'];
    expect(made.map((each: { scopes: string[] }) => each.scopes)).toEqual([scopes, scopes]);
    expect(made.map(({ expiresAt }: { expiresAt: string | null }) => expiresAt !== null)).toEqual([false, true]);
  });

  test('the calling policy is saved, and what the service refuses stands beside its field', async () => {
    const page = await asAdmin('/clinic/calling');
    await page.getByLabel('Saturday opens').fill('half past nine');
    await button(page, 'Save').click();
    await page.getByText('Saturday: write the hours as 9:00 to 17:00').waitFor();
    await page.getByLabel('Saturday opens').and(page.locator(':focus')).waitFor();
    const refused = page.locator('input[aria-invalid=true]');
    expect(await refused.evaluateAll((fields) => fields.map((field) => field.getAttribute('aria-label')))).toEqual([
      'Saturday opens',
    ]);
    expect(browser.takeProblems()).toEqual([expect.stringContaining('400')]);

    await page.getByLabel('Saturday opens').fill('6 pm');
    await page.getByLabel('Saturday closes').fill('17');
    await page.keyboard.press('Enter');
    await page.getByText('Saturday closes before it opens').waitFor();
    await page.getByLabel('Saturday closes').and(page.locator(':focus')).waitFor();
    expect(await page.getByLabel('Saturday opens').inputValue()).toBe('18:00');
    expect(browser.takeProblems()).toEqual([expect.stringContaining('400')]);

    // Numbers stay as they are typed, and are refused by the limits that stand beside them.
    const attempts = page.getByLabel('Maximum attempts');
    await attempts.fill('99');
    await page.getByLabel('Maximum calls at once').fill('0');
    await page.getByLabel('Wait between attempts', { exact: true }).fill('-1');
    // Calls of later tests are placed on a Saturday too.
    await page.getByLabel('Saturday opens').fill('00:00');
    await page.getByLabel('Saturday closes').fill('24:00');
    await button(page, 'Save').click();
    await page.getByText('This must be from 1 to 20').waitFor();
    await page.getByText('This must be from 1 to 1,000').waitFor();
    await page.getByText('This must be from none to 30 days').waitFor();
    await page.getByLabel('Wait between attempts', { exact: true }).and(page.locator(':focus')).waitFor();
    expect([await attempts.inputValue(), await page.getByLabel('Maximum calls at once').inputValue()]).toEqual([
      '99',
      '0',
    ]);
    expect(await accessibilityProblems(page)).toEqual([]);
    expect(browser.takeProblems()).toEqual([expect.stringContaining('400')]);

    await page.getByLabel('Wait between attempts', { exact: true }).fill('2');
    await page.getByLabel('Maximum calls at once').fill('3');
    await attempts.fill('4');
    await tabTo(page, 'Save');
    await page.keyboard.press('Enter');
    await page.getByText('What waits for a call is decided by it now').waitFor();
    // The form begins again, and the focus is where it was.
    await button(page, 'Save').and(page.locator('[aria-disabled=true]:focus')).waitFor();
    expect((await ask('GET', '/integrations/recovery-policy')).body.maxAttempts).toBe(4);
  });

  test('voice is set up step by step from what the account has, by keyboard on a phone, and each mistake is said in plain words', async () => {
    const id = (n: number) => `10000000-0000-4000-8000-00000000000${n}`;
    vapi.assistants = [anAssistant({ id: id(1), name: 'Front desk' }), anAssistant({ id: id(3), name: 'Reminders' })];
    vapi.numbers = [];
    const page = await goTo('/connections/voice', await app.admin(), { device: 'phone' });
    const step = (title: string) => page.getByRole('region', { name: title });
    const stands = (title: string, word: string) =>
      step(title).getByRole('status').getByText(word, { exact: true }).waitFor();
    const type = async (text: string) => page.keyboard.type(text, { delay: 60 });
    await stands('1. Account', 'Next');
    await stands('2. Assistant', 'Later');
    expect(await accessibilityProblems(page)).toEqual([]);

    // A key that the platform refuses, and a platform that is down.
    await tabTo(page, 'API key');
    await type('own');
    await page.keyboard.press('Enter');
    await step('1. Account').getByText('The platform does not take this key', { exact: false }).waitFor();
    await stands('1. Account', 'Needs attention');
    expect(await accessibilityProblems(page)).toEqual([]);
    vapi.mode = 'error';
    await page.getByLabel('API key').focus();
    await type('-key');
    await page.keyboard.press('Enter');
    await step('1. Account').getByText('The platform cannot be reached right now', { exact: false }).waitFor();
    // It is not the key's fault.
    await stands('1. Account', 'Next');
    expect(await page.locator('input[aria-invalid=true]').count()).toBe(0);
    await step('2. Assistant').getByText('you choose one of its assistants here', { exact: false }).waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    vapi.mode = 'ok';
    await tabTo(page, 'Try again');
    await page.keyboard.press('Enter');
    await step('1. Account').getByText('Vapi takes your key. The account has 2 assistants and no number.').waitFor();
    await stands('1. Account', 'Done');

    // An account without a number, until one is bought there.
    await step('3. Number to call from').getByText('The account has no phone number yet').waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    vapi.numbers = [
      aNumber({ id: id(2), number: '+15005550150', name: 'Main line' }),
      aNumber({ id: id(4), number: '+15005550151', status: 'blocked' }),
    ];
    await tabTo(page, 'Look again');
    await page.keyboard.press('Enter');
    await step('1. Account').getByText('2 assistants and 2 numbers', { exact: false }).waitFor();
    await page.getByRole('combobox', { name: 'Assistant', exact: true }).focus();
    await type('Fro');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await stands('2. Assistant', 'Done');
    await tabTo(page, 'Number to call from');
    await page.keyboard.press('Enter');
    await page.getByRole('option', { name: '(500) 555-0150 · Main line' }).waitFor();
    expect(await page.getByRole('option', { name: 'not active there' }).getAttribute('data-combobox-disabled')).toBe(
      'true',
    );
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await stands('3. Number to call from', 'Done');
    await stands('4. Try it', 'Later');

    // What was deleted there since keeps the clinic on the simulator, and says so at its step.
    const [, reminders] = vapi.assistants;
    await tabTo(page, 'Ring real phones, through Vapi');
    vapi.assistants = vapi.assistants.slice(1);
    await page.keyboard.press('Enter');
    await button(page, 'Leave the simulator').click();
    await page.getByText('The clinic stays on the simulator', { exact: true }).waitFor();
    await stands('2. Assistant', 'Needs attention');
    expect(browser.takeProblems()).toEqual([expect.stringContaining('409')]);
    vapi.assistants = [anAssistant({ id: id(1), name: 'Front desk' }), ...(reminders ? [reminders] : [])];
    await button(page, 'Ring real phones, through Vapi').click();
    await button(page, 'Leave the simulator').click();
    await page.getByText('Real phones ring from now on.', { exact: false }).first().waitFor();

    await step('4. Try it').getByText('Calls can be placed', { exact: true }).waitFor();
    await stands('5. Real calls', 'Done');
    expect(await accessibilityProblems(page)).toEqual([]);
    expect((await ask('GET', '/integrations/voice')).body).toMatchObject({
      provider: 'vapi',
      assistantId: id(1),
      phoneNumberId: id(2),
    });
    expect((await ask('GET', '/integrations/phone-numbers')).body.items).toContainEqual({
      number: '+15005550150',
      platformId: id(2),
      assistantId: null,
    });

    // In London, Tokyo and Honolulu: at any time it is day for one of them.
    const abroad = ['+442079460018', '+81312345678', '+18085550123'];
    const mayRing = (each: string) => app.stores.callingRules.mayRing(app.clinic.clinicId, each, { isReal: true });
    const awake = abroad[(await Promise.all(abroad.map(mayRing))).indexOf(true)] ?? '';
    await page.getByLabel('Your number').fill('12');
    await button(page, 'Call me').click();
    await page.getByText('must be a phone number in international format', { exact: false }).first().waitFor();
    expect(browser.takeProblems()).toEqual([expect.stringContaining('400')]);
    await page.getByLabel('Your number').fill(awake);
    await button(page, 'Call me').click();
    await page.getByText('Your phone is about to ring.').waitFor();
    expect(vapi.calls).toMatchObject([{ assistantId: id(1), customer: { number: awake } }]);

    // Who comes back finds what is kept; only another assistant for some calls is chosen.
    await page.reload();
    await stands('1. Account', 'Done');
    await button(page, 'Name another for some calls').click();
    await page.getByRole('combobox', { name: 'Assistant: Appointment reminder' }).click();
    await page.getByRole('option', { name: 'Reminders' }).click();
    await button(page, 'Save').click();
    await page.getByText('Saved.', { exact: true }).first().waitFor();
    expect((await ask('GET', '/integrations/voice')).body.assistants).toEqual({ 'appointment-reminder': id(3) });

    // So is who takes the calls that patients place.
    await page.goto('/connections/phone-numbers');
    const line = page.getByRole('list', { name: 'Phone numbers' }).getByRole('listitem').last();
    await line.getByRole('combobox', { name: 'Who takes calls to it' }).click();
    await page.getByRole('option', { name: 'Front desk' }).click();
    expect(await line.getByRole('combobox', { name: 'At the platform' }).inputValue()).toBe(
      '(500) 555-0150 · Main line',
    );
    expect(await accessibilityProblems(page)).toEqual([]);
    await button(page, 'Save all numbers').click();
    await eventually(async () => {
      const { body } = await ask('GET', '/integrations/phone-numbers');
      return body.items.some((each: { assistantId: string | null }) => each.assistantId === id(1));
    });

    await app.stores.clinics.setVoiceProvider(app.clinic.clinicId, 'simulator');
  });

  test('an approved API can be tried', async () => {
    const settings = {
      baseUrl: app.baseUrl,
      auth: { method: 'none' },
      actions: { 'form.progress': { method: 'GET', path: '/{page}' } },
    };
    await ask('PUT', '/integrations/approved-api', settings);
    const page = await asAdmin('/connections/approved-api');

    await button(page, 'Try it: form.progress').click();
    await page.getByLabel('page', { exact: true }).fill('metadata');
    await button(page, 'Send the request').click();

    await page.getByText('It answered 200.').waitFor();
    await page.getByLabel('the response', { exact: true }).getByText('CapabilityStatement').waitFor();
  });

  test('a holiday is a closed day by one click, a day without a date is refused at its field, a save is nobody else’s change', async () => {
    const page = await asAdmin('/clinic/hours');
    await button(page, 'Add a day').click();
    await page.getByLabel('Date 1').and(page.locator(':focus')).waitFor();
    await page.getByLabel('Name of day 1').fill('A day without a date');
    await button(page, 'Save closed days').click();
    await page.getByText('This must be a date as 2026-12-24').waitFor();
    await page.getByLabel('Date 1').and(page.locator(':focus')).waitFor();
    await button(page, 'Remove A day without a date').click();
    // What is read again after the save comes last, and its page is told late.
    await page.route('**/integrations/closed-days', async (route) => {
      if (route.request().method() === 'GET') await setTimeout(300);
      await route.continue();
    });
    await page.evaluate(`
      const soon = setTimeout;
      setTimeout = (run, ms) => soon(run, ms || 40);
      said = '';
      new MutationObserver(() => (said += document.body.textContent)).observe(document.body, { childList: true, subtree: true });
    `);
    const holidays = page.getByRole('button', { name: /^\+ / });
    const christmas = holidays.filter({ hasText: /Christmas Day$/ }).first();
    await christmas.focus();
    const names = await holidays.allTextContents();
    const following = names[names.indexOf((await christmas.textContent()) ?? '') + 1] ?? '';
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: following, exact: true }).and(page.locator(':focus')).waitFor();
    await button(page, 'Save closed days').click();

    await page.getByText('Nothing can be booked on these days from now on.').waitFor();
    await page.getByRole('alert').waitFor({ state: 'detached' });
    await button(page, 'Save closed days').and(page.locator('[aria-disabled=true]:focus')).waitFor();
    const said = await page.evaluate<string>('said');
    expect([said.includes('Nothing can be booked'), said.includes('Somebody else')]).toEqual([true, false]);
    const { body } = await ask('GET', '/integrations/closed-days');
    expect(body.items).toEqual([{ date: expect.stringMatching(/-12-25$/), name: 'Christmas Day' }]);
    await page.goto(`/calendar?week=${body.items[0].date}`);
    await page.getByText('Closed: Christmas Day').waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    await ask('PUT', '/integrations/closed-days', { items: [] });
    expect(browser.takeProblems()).toEqual([expect.stringContaining('400')]);
  });

  test('contents are kept for fewer days once a person has said yes to what goes; what was saved stands in its field', async () => {
    const page = await asAdmin('/clinic/retention');
    const field = page.getByLabel('Messages within the service');
    const saved = async (days: string, isShorter = false) => {
      await field.fill(days);
      await page.keyboard.press('Enter');
      if (isShorter) await button(page, 'Save and delete').click();
      await button(page, 'Save').and(page.locator('[aria-disabled=true]')).waitFor();
      return field.inputValue();
    };

    expect(await saved('61')).toBe('61 days');
    await field.fill('60');
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Delete what is older?' });
    await dialog
      .getByText(/Messages within the service: what is older than 60 days, from before .+ \(\d+ records? now\)/)
      .waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Keep it' }).click();
    await dialog.waitFor({ state: 'detached' });
    const kept = (await ask('GET', '/retention')).body.items;
    expect(kept).toContainEqual(expect.objectContaining({ kind: 'sent_messages', days: 61, defaultDays: 30 }));
    expect([await saved('60', true), await saved('', true)]).toEqual(['60 days', '']);
  });

  test("a provider's days off and special hours are saved as typed; a line that cannot be read saves nothing", async () => {
    const { items } = (await ask('GET', '/integrations/providers')).body;
    const [first, second, ...others] = items;
    const page = await asAdmin('/clinic/providers');
    const open = (name: string) => page.getByRole('button', { name: new RegExp(`^${name}`) }).click();
    const days = page.getByLabel('Days off and special hours').filter({ visible: true });
    const typed = async (text: string) => {
      await days.fill(text);
      await button(page, 'Save all providers').click();
    };

    await open(second.displayName);
    await typed('2035-12-24 off\n2035-12-25 of');
    await page.getByText('Line 2 must be a date, then off or hours as 09:00-12:00').waitFor();
    await days.and(page.locator(':focus')).waitFor();
    await page.getByRole('alert').filter({ hasText: 'Nothing is saved' }).waitFor();
    await typed('2035-12-24 off\n2035-12-24 09:00-12:00');
    await page.getByText('Line 2 names 2035-12-24 again').waitFor();
    expect((await ask('GET', '/integrations/providers')).body.items).toEqual(items);
    await typed('2035-02-30 off');
    await page.getByText('Line 1: there is no day 2035-02-30').waitFor();
    await days.and(page.locator(':focus')).waitFor();
    await typed('12/23/2035 12-9');
    await page.getByText('2035-12-23 closes before it opens', { exact: true }).waitFor();
    // The list moves up, and what is typed stays with whom it is about.
    await days.fill('12/24/2035 OFF\n12/23/2035 9-12  1 pm - 15\n');
    await open(first.displayName);
    // The panel of the one before takes a moment to close.
    const panel = page.getByRole('region', { name: new RegExp(`^${first.displayName}`) });
    await panel.getByRole('button', { name: 'Remove from the list' }).click();
    await open(second.displayName);
    // What was read stands there: which number was the month, and which half of the day.
    expect(await days.inputValue()).toBe('2035-12-23 09:00-12:00 13:00-15:00\n2035-12-24 off');
    // What is typed and not entered is a change, and is saved.
    const visitTypes = page.getByLabel('Visit types').filter({ visible: true });
    await visitTypes.fill('Travel advice');
    expect(await accessibilityProblems(page)).toEqual([]);
    await button(page, 'Save all providers').click();

    await page.getByText('Saved. Search and booking follow the new hours at once.').waitFor();
    await page.getByRole('alert').waitFor({ state: 'detached' });
    const specialDays = {
      '2035-12-23': expect.arrayContaining([{ opens: '13:00', closes: '15:00' }]),
      '2035-12-24': [],
    };
    const withType = { ...second, specialDays, visitTypes: [...second.visitTypes, 'Travel advice'] };
    expect((await ask('GET', '/integrations/providers')).body.items).toEqual([withType, ...others]);
    await open(second.displayName);
    expect(await days.inputValue()).toBe('2035-12-23 09:00-12:00 13:00-15:00\n2035-12-24 off');
    await ask('PUT', '/integrations/providers', { items });
    expect(browser.takeProblems()).toEqual([expect.stringContaining('400')]);
  });

  test('a FHIR server gets a key pair and a provider, and says what will not work', async () => {
    const ehr = await startFhirServer();
    await ask('PUT', '/integrations/approved-api', {
      kind: 'fhir-r4',
      baseUrl: ehr.url,
      auth: { method: 'smart-backend', clientId: 'clinic' },
      fhir: { permitted: ['document.write'] },
    });
    const page = await asAdmin('/connections/approved-api');

    const next = page.locator('[aria-current=step]');
    expect(await next.innerText()).toMatch(/^Check it, below\.\s+Next$/);
    await button(page, 'Create a key pair').click();
    await page.getByText('signs, since').waitFor();
    await button(page, 'Add a provider').click();
    await page.getByLabel('Provider', { exact: true }).fill('Dr.Vega');
    await page.getByLabel('Reference in the EHR').first().fill('Practitioner/7');
    await button(page, 'Save').click();
    await button(page, 'Check').click();

    await page
      .getByLabel('What will not work')
      .getByText(/names no token endpoint/)
      .waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    const { body } = await ask('GET', '/integrations/approved-api');
    expect(body.fhir).toMatchObject({ permitted: ['document.write'], providers: [{ name: 'Dr.Vega' }] });
    await ehr.close();
  });

  test('the rows of an EHR are filled by a button, a gap is chosen from what it has, and all of it is saved', async () => {
    const { items } = (await ask('GET', '/integrations/providers')).body;
    const [{ name, displayName }] = items;
    await ask('PUT', '/integrations/providers', { items: [{ ...items[0], visitTypes: ['Follow-up', 'Telehealth'] }] });
    const ehr = await startFhirServer();
    ehr.add({ resourceType: 'Practitioner', id: '7', name: [{ text: displayName }] });
    ehr.add({ resourceType: 'Schedule', id: 's7', actor: [{ reference: 'Practitioner/7' }] });
    ehr.add({ resourceType: 'Location', id: 'north', name: 'North' });
    const coded = (code: string, display: string) => ({ coding: [{ system: 'urn:types', code, display }] });
    ehr.add({
      resourceType: 'HealthcareService',
      type: [coded('FU', 'Follow-up'), coded('VIDEO', 'Video visit'), coded('FLU', 'Flu shot')],
    });
    await ask('PUT', '/integrations/approved-api', {
      kind: 'fhir-r4',
      baseUrl: ehr.url,
      auth: { method: 'none' },
      fhir: { permitted: ['appointment.book', 'appointment.cancel'] },
    });
    const page = await asAdmin('/connections/approved-api');

    // A type that only the EHR has is chosen from there, and one that is nowhere yet is typed.
    await page.getByRole('combobox', { name: 'Add one that your EHR has' }).click();
    await page.getByRole('option', { name: 'Flu shot (FLU)' }).click();
    expect(await page.getByRole('combobox', { name: 'Visit type', exact: true }).first().inputValue()).toBe('Flu shot');
    expect(await page.getByLabel('Code in the EHR').inputValue()).toBe('FLU');
    await button(page, 'Type one that is not in the EHR yet').click();
    await page.getByRole('combobox', { name: 'Visit type', exact: true }).last().fill('House call');
    await page.getByLabel('Code in the EHR').last().fill('HOME');
    expect(await accessibilityProblems(page)).toEqual([]);
    await button(page, 'Save').click();
    await page.getByText('Saved.', { exact: true }).first().waitFor();

    await button(page, 'Fill from the EHR').click();
    await page.getByLabel('Telehealth in the EHR').first().click();
    await page.getByRole('option', { name: 'Video visit (VIDEO)' }).click();
    await page.getByText('Each of your names has a row.').waitFor();
    await page.getByText(`${name} is ${displayName}`).waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    await button(page, 'Save').click();

    const fhir = await eventually(async () => {
      const { body } = await ask('GET', '/integrations/approved-api');
      return body.fhir.providers.length > 0 && body.fhir;
    });
    expect(fhir).toMatchObject({
      providers: [{ name, reference: 'Practitioner/7' }],
      visitTypes: [
        { name: 'Flu shot', code: 'FLU' },
        { name: 'House call', code: 'HOME' },
        { name: 'Follow-up', code: 'FU' },
        { name: 'Telehealth', code: 'VIDEO' },
      ],
      locations: [{ name: 'North', reference: 'Location/north' }],
    });

    // A provider's types are chosen from the same.
    await page.goto('/clinic/providers');
    await page.getByRole('button', { name: displayName }).click();
    await page.getByRole('combobox', { name: 'Visit types' }).first().click();
    await page.getByRole('option', { name: 'Flu shot' }).click();
    await button(page, 'Save').click();
    await eventually(async () => {
      const { body } = await ask('GET', '/integrations/providers');
      return body.items[0].visitTypes.join() === 'Follow-up,Telehealth,Flu shot';
    });
    await ask('PUT', '/integrations/providers', { items });
    await ehr.close();
  });
});

test('a validation run is started, fills while the client works, and ends', async () => {
  await ask('PUT', '/abandonment-recovery/sandbox-emr/config', { enabled: true });
  const page = await asAdmin('/readiness');
  await page.getByLabel('What you are testing').fill('Our client 1.4');
  await button(page, 'Start watching').click();
  await heading(page, 'Our client 1.4').waitFor();

  await ask('POST', '/Appointment/$book', aBooking({ patient: 'nobody', start: '2020-01-06T16:00:00.000Z' }));
  const wrong = page
    .getByRole('listitem')
    .filter({ hasText: 'Sends an Idempotency-Key, or If-None-Exist, with each booking' });
  await wrong.getByText('Request 1: POST /Appointment/$book, 400').waitFor();

  await button(page, 'End the run').click();
  await page.getByText('The run has ended.').waitFor();
  await page.getByRole('link', { name: 'Readiness' }).first().click();
  await page.getByRole('table', { name: 'Validation runs' }).getByText('Our client 1.4').waitFor();
});

describe('a recovery', () => {
  test('a scene is seen to reach its outcome without a reload', async () => {
    const page = await asAdmin('/try-it');
    await page.evaluate('window.isSamePage = true');
    await page.getByLabel('Finds it too expensive').check();
    await button(page, 'Start the scene').click();

    const timeline = page.getByRole('list', { name: 'What happened' });
    await timeline.getByText('Form abandoned').waitFor();
    await timeline.getByText('Call, attempt 1').waitFor();
    await timeline.getByText('Barrier understood').waitFor();
    await timeline.getByText('Outcome: Pricing escalation').waitFor({ timeout: 20_000 });
    await timeline.getByText('Task: Talk about the price').waitFor();
    expect(await page.evaluate('window.isSamePage')).toBe(true);

    await page.getByRole('link', { name: 'Show the case' }).click();
    await heading(page, 'Priya Natarajan').waitFor();
    const temporal = page.getByRole('link', { name: 'Open in Temporal' });
    expect(await temporal.getAttribute('href')).toContain(`/namespaces/${app.namespace}/workflows/`);
  });

  test('on a phone the timeline comes into view when a scene is started', async () => {
    const page = await goTo('/try-it', await app.admin(), { device: 'phone' });
    await button(page, 'Start the scene').click();

    await page.getByRole('list', { name: 'What happened' }).getByText('Case opened').waitFor();
    await eventually(async () => {
      const box = await page.getByRole('heading', { name: 'What happens' }).boundingBox();
      return box !== null && box.y < 200;
    });
  });

  test('a case that waits is cancelled', async () => {
    await ask('PUT', '/integrations/recovery-policy', {
      ...(await ask('GET', '/integrations/recovery-policy')).body,
      firstCallDelaySeconds: 3_600,
    });
    const { body } = await app.abandon({ phone: phones.agrees });
    const page = await asAdmin(`/cases/${body.recoveryCaseId}`);

    await button(page, 'Cancel the case').click();
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel the case' }).click();

    const timeline = page.getByRole('list', { name: 'What happened' });
    const outcome = timeline.getByRole('listitem').filter({ hasText: 'Outcome: Follow-up required' });
    await outcome.getByText('Clinic admin').waitFor();
    await eventually(async () => !(await button(page, 'Cancel the case').isVisible()));
    await page.goto('/tasks');
    await page.getByText('Cancelled by: Clinic admin').waitFor();

    const sessionId = 'completed-in-time';
    const left = await app.abandon({ sessionId, phone: phones.agrees });
    await page.goto(`/cases/${left.body.recoveryCaseId}`);
    await timeline.getByText('Case opened').waitFor();
    const { secret } = (await ask('POST', '/integrations/inbound/forms-completed/rotate-secret')).body;
    const completed = await app.request('POST', `/automation/webhook/${app.clinic.clinicId}/forms-completed`, {
      body: { data: { session_id: sessionId } },
      headers: { 'x-automation-secret': secret },
    });
    expect(completed.status).toBe(200);
    await timeline.getByText(/^Not called: the form was completed .* after it was left\.$/).waitFor();
  });
});

/** Keeps the titles of what the browser would show. */
const keepNotices = `
  window.told = [];
  const shown = window.Notification;
  window.Notification = class extends EventTarget {
    static permission = shown.permission;
    static requestPermission = () => Promise.resolve((this.permission = 'granted'));
    constructor(title) { super(); window.told.push(title); }
    close() {}
  };`;

describe('deliveries and tasks', () => {
  test('a delivery that failed is sent again', async () => {
    const events = ['recovery_case.created', 'recovery_case.outcome'];
    await ask('PUT', '/integrations/outbound', { url: receiver.url, enabled: true, events });
    receiver.always(503);
    const page = await asAdmin('/connections/outbound');
    await button(page, 'Send a test event').click();
    await page.getByText('Your endpoint answered 503').waitFor();
    await page.getByRole('link', { name: 'Show the delivery' }).click();
    await page.getByText('Retrying').waitFor();

    receiver.always(200);
    await button(page, 'Send again').click();

    await page.getByText('Delivered', { exact: true }).first().waitFor();
    expect(receiver.events.map(({ event, status }) => [event, status])).toEqual(
      expect.arrayContaining([
        ['test', 503],
        ['test', 200],
      ]),
    );
  });

  test('failed events are sent again together, and a sample of any event is sent', async () => {
    await ask('PUT', '/integrations/outbound', { url: receiver.url, enabled: true, events: ['recovery_case.created'] });
    await ask('PUT', '/abandonment-recovery/sandbox-emr/config', { enabled: true });
    receiver.always(200);
    const page = await asAdmin('/connections/sandbox');
    await page.getByLabel('Failure', { exact: true }).selectOption({ label: 'An event that nobody takes' });
    await button(page, 'Choose this failure').click();
    await page.getByText('met 0 of 1').waitFor();
    const { id } = (await ask('POST', '/integrations/outbound/test', {})).body;
    await eventually(async () => (await ask('GET', `/deliveries/${id}`)).body.state === 'DEAD');
    await page.goto(`/deliveries/${id}`);
    await page.getByText('Not sent: the failure that was chosen in the sandbox').first().waitFor();
    await page.goto('/deliveries');
    await page.getByRole('region', { name: 'Main endpoint' }).getByRole('list').waitFor();
    await button(page, 'Send events again …').click();
    await page.getByText(/^\d+ failed events?$/).waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    await button(page, /^Send \d+ events? again$/).click();
    await page.getByText('Failed events were sent again').waitFor();
    // The dialog goes in a moment: what is chosen in it now is lost with it.
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await button(page, 'Send events again …').click();
    await page.getByRole('combobox', { name: 'Which' }).click();
    await page.getByRole('option', { name: 'All, delivered ones too' }).click();
    await page.getByText('Choose the day to start from.').waitFor();
    await page.getByRole('dialog').getByLabel('Since').fill('2026-01-01');
    await page.getByText(/^\d+ events?$/).waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Close' }).or(button(page, 'Not now')).last().click();

    await page.goto('/connections/outbound');
    await page.getByRole('combobox', { name: 'Event' }).click();
    await page.getByRole('option', { name: 'Workflow completed' }).click();
    await button(page, 'Send a sample').click();
    await page.getByText('Your endpoint answered 200').waitFor();
    expect(receiver.events.at(-1)).toMatchObject({ event: 'workflow.completed' });
    await page.getByRole('link', { name: 'Show the delivery' }).click();
    await page.getByText('x-clinic-simulated: true').waitFor();
  });

  test('a further endpoint is added with its secret, tried, seen among deliveries, and removed', async () => {
    const page = await asAdmin('/connections/outbound');
    await button(page, 'Add an endpoint').click();
    const form = page.getByRole('dialog', { name: 'Add an endpoint' });
    for (const name of [/recovery_case\.created/, /recovery_case\.outcome/])
      await form.getByRole('checkbox', { name, checked: true }).waitFor();
    await form.getByLabel('Name').fill('Data warehouse');
    await form.getByLabel('URL').fill('ftp://warehouse.example');
    await button(page, 'Add the endpoint').click();
    await form.getByText('This must be an http(s) URL').waitFor();
    await form.getByLabel('URL').fill(receiver.url);
    expect(await accessibilityProblems(page)).toEqual([]);
    await button(page, 'Add the endpoint').click();
    furtherSecrets.push((await page.getByText(/^whsec_/).textContent()) ?? '');
    await button(page, 'I have stored it').click();
    await button(page, 'Add an endpoint').and(page.locator(':focus')).waitFor();
    await page.getByText('Nothing was sent in the last 24 hours.').waitFor();

    await button(page, 'Change Data warehouse').click();
    // What loads above may push the button out of sight: its menu stays.
    await page.evaluate('scrollTo(0, 0)');
    await page.getByRole('menuitem', { name: 'Send a sample' }).click();
    await button(page, 'Send it').click();
    await page.getByText('Your endpoint answered 200').waitFor();
    await page.getByRole('link', { name: 'Show the delivery' }).click();
    await page.getByText('Delivered', { exact: true }).first().waitFor();
    await page.getByText('Data warehouse', { exact: true }).waitFor();
    await page.goto('/deliveries');
    await setFilter(page, 'Endpoint', 'Data warehouse');
    await page.getByRole('row', { name: /Test event.*Data warehouse.*Delivered/ }).waitFor();

    await page.goto('/connections/outbound');
    await button(page, 'Change Data warehouse').click();
    await page.getByRole('menuitem', { name: 'Rotate the signing secret' }).click();
    await page.getByRole('button', { name: 'Rotate', exact: true }).click();
    await page.getByText('For 24 hours every event carries a signature of the old secret too.').waitFor();
    furtherSecrets.push((await page.getByText(/^whsec_/).textContent()) ?? '');
    await button(page, 'I have stored it').click();
    const change = button(page, 'Change Data warehouse');
    await change.and(page.locator(':focus')).waitFor();
    await change.click();
    await page.getByRole('menuitem', { name: 'Edit' }).click();
    await page.getByRole('dialog', { name: 'Edit “Data warehouse”' }).waitFor();
    await page.keyboard.press('Escape');
    await change.and(page.locator(':focus')).waitFor();
    await change.click();
    await page.getByRole('menuitem', { name: 'Remove' }).click();
    await button(page, 'Remove').click();
    await page.getByText('No further endpoint').waitFor();
    // The refused address.
    expect(browser.takeProblems()).toEqual([expect.stringContaining('400')]);
    expect(receiver.forged).toEqual([]);
  });

  test('runs of every type say what comes next, and many are cancelled once a dry run has counted them', async () => {
    const policy = (await ask('GET', '/integrations/recovery-policy')).body;
    await ask('PUT', '/integrations/recovery-policy', { ...policy, firstCallDelaySeconds: 3_600 });
    const begunAt = new Date();
    const page = await asAdmin('/runs?status=started');
    await page.getByRole('heading', { name: 'Runs' }).waitFor();
    // A page that is open hears of runs, and of what they decide.
    await app.abandon({ firstName: 'Ida', lastName: 'Waits' });
    await app.abandon({ firstName: 'Ole', lastName: 'Waits' });
    const row = page.getByRole('row', { name: /Ida Waits.*Open.*Calls .*this long to finish|Ida Waits.*Calls/ });
    await row.waitFor();
    await setFilter(page, 'About', /^Abandonment recovery \(\d+\)$/);
    await button(page, 'Cancel many …').click();
    await page.getByText(/^\d+ open runs$/).waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    await button(page, /^Cancel \d+ runs$/).click();
    await page.getByText('Runs were cancelled').waitFor();
    await row.waitFor({ state: 'detached' });

    await page.goto('/runs?status=cancelled');
    await page.getByRole('row', { name: /Ida Waits.*Cancelled by Clinic admin/ }).waitFor();
    // The tasks of all that were cancelled would stand in the way of what comes after.
    await app.database.prisma.staffTask.updateMany({
      where: { clinicId: app.clinic.clinicId, createdAt: { gte: begunAt } },
      data: { state: 'RESOLVED', resolvedAt: new Date() },
    });
    await ask('PUT', '/integrations/recovery-policy', policy);
  });

  test('an operator lands on the page of all clinics, which shows nothing else, and leads to what is wrong', async () => {
    const email = 'operator@service.example';
    const password = 'quiet orange lighthouse';
    const { clinicId, name } = app.clinic;
    await app.stores.tasks.open({ clinicId, reason: 'platform_fault', cause: 'operators-page' });
    const paused = { clinicId, workflowType: null, reason: 'The practice moves house', until: null };
    const { id: pauseId } = await app.stores.pauses.pause(paused, { actor: 'operator' });
    await app.database.sql`
      insert into receivers (id, clinic_id, name, url, failures, failing_since, last_error)
      values ('operators-page', ${clinicId}, 'down', 'https://down.example', 13, now() - interval '2 minutes', 'http_500')`;
    const { link } = (await typedByOperator(['clinic', 'account', 'add', '--operator', '--email', email], app.env))
      .shown;

    const page = await browser.visit();
    await page.goto(`/set-password${new URL(link).hash}`);
    await page.getByLabel('Name').and(page.locator(':focus')).waitFor();
    await page.keyboard.type('Olive Operator');
    await page.getByLabel('Password', { exact: true }).fill(password);
    await button(page, 'Create my account').click();

    await heading(page, 'All clinics').waitFor();
    const listed = page.getByRole('list', { name: 'Clinics' });
    await listed.getByText('fault of the voice platform, just now').first().waitFor();
    await page.getByText(/\d+ of \d+ clinics needs? a look\./).waitFor();
    await page.getByText(/^Read at \d/).waitFor();
    const causes = page.getByRole('list', { name: 'What needs a look' }).getByRole('listitem');
    await causes
      .filter({ hasText: name })
      .filter({ hasText: /1 endpoint fails, since .*\d:\d\d/ })
      .waitFor();
    await listed.getByText(/endpoint fails, since .*\d:\d\d/).waitFor();
    await listed.getByText(/down \(operators-page\): Status 500, since .*\d:\d\d/).waitFor();
    await listed.getByText(/^npm run pause -- off --id [\w-]+$/).waitFor();
    await listed.getByText(`npm run clinic -- account list --clinic ${clinicId}`).waitFor();
    await listed.getByText('pause in force').waitFor();
    await listed.getByText('All calls: The practice moves house').waitFor();
    await page.getByText(/Times are yours: \w+/).waitFor();
    await button(page, 'Runbook: pausing calls').click();
    const runbook = page.getByRole('dialog', { name: 'Runbook: pausing calls' });
    await runbook.getByText(`npm run pause -- off --clinic ${clinicId}`, { exact: true }).waitFor();
    await runbook.getByRole('button', { name: 'Copy the command' }).first().waitFor();
    await runbook.locator('code').getByText('--all', { exact: true }).waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    await runbook.getByRole('button', { name: 'calling.md' }).click();
    await runbook.getByRole('heading', { name: 'Stopping it' }).waitFor();
    await runbook.getByRole('button', { name: 'Back' }).click();
    await runbook.getByText('without --clinic the pause of everything alone').waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await listed.getByText(/Paused by the operator of this service, just now/).waitFor();
    await page.keyboard.press('?');
    const shortcuts = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
    await shortcuts.getByText('Show this list').waitFor();
    expect(await shortcuts.getByRole('row').allTextContents()).toEqual(['?Show this list', 'EscClose what is open']);
    expect(await shortcuts.getByRole('table').count()).toBe(1);
    await page.keyboard.press('Escape');
    const inTemporal = await listed.getByRole('link', { name: `${name} in Temporal` }).getAttribute('href');
    const pages = await page.getByRole('navigation', { name: 'Pages' }).getByRole('link').allTextContents();
    expect(inTemporal).toContain(encodeURIComponent(clinicId));
    expect(pages).toEqual(['All clinics', 'API reference']);
    expect(await accessibilityProblems(page)).toEqual([]);
    await page.setViewportSize({ width: 390, height: 844 });
    await page.emulateMedia({ colorScheme: 'dark' });
    await page.locator('html[data-mantine-color-scheme=dark]').waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390);
    await app.stores.pauses.resume(clinicId, pauseId, { actor: 'operator' });
    await app.database.sql`delete from receivers where id = 'operators-page'`;
    await app.database
      .sql`update staff_tasks set state = 'RESOLVED', resolved_at = now() where cause = 'operators-page'`;

    // Read again without success: what was read stays, and it is said since when and why. Then there is nothing to show at all.
    const state = '**/api/operations/clinics';
    const down = { statusCode: 503, message: 'The database cannot be reached', error: 'Service Unavailable' };
    await page.route(state, (route) => route.fulfill({ status: 503, json: down }));
    await page.getByText('This is out of date', { exact: false }).waitFor({ timeout: 60_000 });
    await page.getByRole('status').getByText('The database cannot be reached').waitFor();
    expect(await listed.getByText(name, { exact: true }).count()).toBe(1);
    expect(await accessibilityProblems(page)).toEqual([]);
    await page.reload();
    await page.getByRole('status').getByText('Loading').first().waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    const alert = page.getByRole('alert');
    await alert.getByText('The database cannot be reached').waitFor();
    expect(await alert.count()).toBe(1);
    expect(await accessibilityProblems(page)).toEqual([]);
    expect(new Set(browser.takeProblems().map((each) => /status of (\d+)/.exec(each)?.[1]))).toEqual(new Set(['503']));

    // And tried again by a click, in a service that has no clinic yet.
    await page.unroute(state);
    await page.route(state, async (route) => {
      const response = await route.fetch();
      await route.fulfill({ response, json: { ...(await response.json()), clinics: 0, items: [] } });
    });
    await button(page, 'Try again').click();
    await page.getByText('There is no clinic yet').waitFor();
    expect(await page.getByText('0 clinics').count()).toBe(0);
    expect(await accessibilityProblems(page)).toEqual([]);
  });

  test('a task appears by itself and is told by the browser, is assigned and resolved', async () => {
    const page = await browser.visit({ token: await app.admin() });
    await page.context().grantPermissions(['notifications']);
    await page.addInitScript({ content: keepNotices });
    await page.goto('/my-account');
    // Above it things are still loaded, which move it; and it is on once the browser has permitted it, which is after the click.
    const notices = page.getByRole('switch', { name: 'In this browser' });
    await notices.click();
    await notices.and(page.locator(':checked')).waitFor();
    await page.getByText('its operator has set no mail server').waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    await page.getByRole('link', { name: /^Tasks/ }).click();
    await heading(page, 'Tasks').waitFor();
    await page.getByRole('status', { name: /^Live/ }).waitFor();
    await app.stores.tasks.open({ clinicId: app.clinic.clinicId, reason: 'bad_number', cause: 'dashboard-test' });

    const row = page.getByRole('row', { name: /Correct the phone number/ });
    await row.waitFor();
    await eventually(async () => (await page.evaluate<string[]>('window.told')).length > 0);
    expect(await page.evaluate('window.told')).toEqual(['New task: Correct the phone number']);
    await row.getByRole('combobox', { name: 'Assign Correct the phone number' }).click();
    await page.getByRole('option', { name: 'Clinic staff' }).click();
    await page
      .getByText(/^Assigned to /)
      .first()
      .waitFor();
    await row.getByRole('button', { name: 'Resolve' }).click();

    await page
      .getByText(/^Resolved: /)
      .first()
      .waitFor();
    await row.waitFor({ state: 'detached' });
    const { body } = await ask('GET', '/tasks?reason=bad_number');
    expect(body.items[0]).toMatchObject({ state: 'RESOLVED', assignee: { name: 'Clinic staff' } });
  });
});

describe('outreach', () => {
  const aPatient = async (firstName: string) =>
    (await ask('POST', '/patients', { firstName, lastName: 'Lee', phone: aPhone() })).body;

  test('is paused in the settings, which every page says at once, and is resumed from any of them', async () => {
    const page = await asAdmin('/clinic/calling');
    await button(page, 'Count them').click();
    await page.getByText(/would be called now|No open workflow matches/).waitFor();
    await button(page, 'Pause outreach').click();
    await page.getByText('Give a reason').waitFor();
    await page.getByLabel('Reason').and(page.locator(':focus')).waitFor();
    await page.getByLabel('Reason').fill('The wrong list was imported');
    await page.getByLabel('What is paused').selectOption('care-gap-follow-up');
    await page.getByLabel(/^Until/).fill('2035-01-15T09:30');
    await button(page, 'Pause outreach').click();
    const banner = page.getByRole('region', { name: 'Pauses' });
    await banner.getByText('Care gap follow-up is paused').waitFor();
    await banner.getByText(/Paused by Clinic admin, .* Until Mon, Jan 15, 2035, 9:30/).waitFor();

    await page.getByRole('link', { name: 'Queue' }).click();
    await heading(page, 'Queue').waitFor();
    await banner.getByText('The wrong list was imported').waitFor();

    // What waits in a pause of everything waits for the other one then.
    const { clinicId } = app.clinic;
    const policy = (await ask('GET', '/integrations/recovery-policy')).body;
    await ask('PUT', '/integrations/recovery-policy', { ...policy, firstCallDelaySeconds: 0 });
    const due = { ...aStart({ clinicId, phone: aPhone() }), workflowType: 'care-gap-follow-up' };
    const { workflowId } = (await app.start(due)).body;
    const all = (await ask('POST', '/pauses', { reason: 'Staff meeting' })).body;
    await banner.getByRole('button', { name: /^Resume: Outreach/ }).click();
    await page
      .getByRole('dialog', { name: 'Resume outreach?' })
      .getByText(/^\d+ patients? would wait\. Still paused: Care gap follow-up\.$/)
      .waitFor();
    await page.keyboard.press('Escape');
    await ask('DELETE', `/pauses/${all.id}`);
    await app.request('POST', `/workflows/${workflowId}/cancel`, { bearer: app.clinic.apiKey });
    await ask('PUT', '/integrations/recovery-policy', policy);

    await banner.getByRole('button', { name: /^Resume: Care gap/ }).click();
    const dialog = page.getByRole('dialog', { name: 'Resume “Care gap follow-up”?' });
    await dialog.getByText('would be called now').waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Resume “Care gap follow-up”' }).click();
    await banner.waitFor({ state: 'detached' });
    expect((await ask('GET', '/pauses')).body.items).toEqual([]);

    const everything = { clinicId: null, workflowType: null, reason: 'Maintenance', until: null };
    const { id } = await app.stores.pauses.pause(everything, { actor: 'operator' });
    await banner.getByText('Outreach is paused for every clinic').waitFor();
    expect(await banner.getByRole('button').count()).toBe(0);
    await app.stores.pauses.resume(null, id, { actor: 'operator' });
    await banner.waitFor({ state: 'detached' });
  });

  test('that waits for a line stands in the queue, the next first, and leaves it when it is called', async () => {
    const { clinicId } = app.clinic;
    const policy = (await ask('GET', '/integrations/recovery-policy')).body;
    await ask('PUT', '/integrations/recovery-policy', { ...policy, firstCallDelaySeconds: 0, maxConcurrentCalls: 1 });
    const patient = await aPatient('Ida');
    const callId = 'holds-the-line';
    await app.database.sql`
      insert into calls (id, clinic_id, patient_id, direction, state)
      values (${callId}, ${clinicId}, ${patient.id}, 'inbound', 'IN_PROGRESS')`;
    for (const [before, firstName] of ['Faye', 'Gus'].entries()) {
      await app.abandon({ firstName, phone: aPhone() });
      await eventually(async () => (await app.stores.lines.queue(clinicId, { limit: 1 })).waiting > before);
    }
    const page = await asAdmin('/queue');

    await page.getByText('1 of 1', { exact: true }).waitFor();
    await page.getByRole('row', { name: /Gus Lee/ }).waitFor();
    const waiting = page.getByRole('table', { name: 'Queue' }).getByRole('link');
    expect(await waiting.allTextContents()).toEqual(['Faye Lee', 'Gus Lee']);
    await waiting.first().click();
    await page.getByText('waits for a free line').waitFor();
    await page.getByRole('link', { name: 'the queue' }).click();
    await app.stores.calls.close({ clinicId, callId, reason: 'customer-ended-call' });

    await page.getByText('Nobody is waiting for a line').waitFor();
    await ask('PUT', '/integrations/recovery-policy', policy);
  });

  test('to a patient is stopped by staff, and who did it stands on the page', async () => {
    const patient = await aPatient('Hal');
    const page = await goTo(`/patients/${patient.id}`, await app.staff());
    await button(page, /^Stop calling/).click();
    const dialog = page.getByRole('dialog', { name: /^Stop calling/ });
    await dialog.getByLabel('Recovery and reminders').check();
    expect(await accessibilityProblems(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Stop calling' }).click();

    await page.getByText('Staff, Clinic staff').waitFor();
    const { body } = await ask('GET', `/integrations/opt-outs?phone=${encodeURIComponent(patient.phone)}`);
    expect(body.items).toMatchObject([{ scope: 'recovery_and_reminders', source: 'staff' }]);
    await ask('DELETE', `/integrations/opt-outs/${body.items[0].id}`);
  });
});

describe('the calendar', () => {
  test('a booked slot is drawn where it was open, with its type; so is a held one, and who has no hours takes one line', async () => {
    const { apiKey: bearer } = app.clinic;
    const { slots } = (await app.request('GET', '/availability?providerName=Dr.Chen&limit=40', { bearer })).body;
    // Of a day that has a third: late on a Friday the week has few.
    const dayOf = (at: number) => slots[at]?.startsAt.slice(0, 10);
    const begin = slots.findIndex((_: unknown, index: number) => dayOf(index) === dayOf(index + 2));
    const [slot, next] = slots.slice(begin);
    const { body } = await ask('GET', '/patients?limit=1');
    const [patient] = body.items;
    await app.request('POST', '/appointments', {
      bearer,
      body: { patientId: patient.id, providerName: 'Dr.Chen', startsAt: slot.startsAt },
    });
    const page = await asAdmin(`/calendar?provider=Dr.Chen&week=${slot.startsAt.slice(0, 10)}`);

    const name = `${patient.firstName} ${patient.lastName}`;
    const entry = page.getByRole('button', { name });
    await entry.first().waitFor();
    expect(await page.getByText('open', { exact: true }).count()).toBeGreaterThan(0);
    await entry.first().click();
    await page.getByRole('dialog').getByRole('link', { name }).click();
    await heading(page, `${patient.firstName} ${patient.lastName}`).waitFor();

    const { items } = (await ask('GET', '/integrations/providers')).body;
    const away = { ...items[0], name: 'Dr.Away', displayName: 'Dr. Away', workingHours: {}, specialDays: {} };
    await ask('PUT', '/integrations/providers', { items: [...items, away] });
    const participant = [`Patient/${patient.id}`, 'Practitioner/Dr.Chen'].map((reference) => ({
      actor: { reference },
    }));
    const resource = { resourceType: 'Appointment', status: 'proposed', start: next.startsAt, participant };
    await ask('POST', '/Appointment/$hold', {
      resourceType: 'Parameters',
      parameter: [{ name: 'appointment', resource }],
    });
    await page.goto(`/calendar?provider=*&week=${next.startsAt.slice(0, 10)}`);
    await page.getByText(`held for ${name}`).first().waitFor();
    await page.getByText(/providers? without hours on this day$/).click();
    await page.locator('details[open]', { hasText: /Dr\. Away\b/ }).waitFor();
    expect(await page.getByRole('list', { name: /^Dr\. Away/ }).count()).toBe(0);
    expect(await accessibilityProblems(page)).toEqual([]);
    await page.goto(`/calendar?provider=Dr.Chen&week=${slot.startsAt.slice(0, 10)}`);
    await page
      .getByRole('button', { name: new RegExp(`${name} Follow-up consultation`) })
      .first()
      .waitFor();
    await ask('PUT', '/integrations/providers', { items });
  });
});

describe('people', () => {
  const password = 'quiet orange lighthouse';

  test('are invited, choose a password that will do, and sign in with a second factor that they set up', async () => {
    const email = 'ines@people.example';
    const people = await asAdmin('/clinic/people');
    await button(people, 'Invite').click();
    await people.getByRole('dialog').getByLabel('E-mail').fill(email);
    await people.getByRole('dialog').getByRole('button', { name: 'Invite' }).click();
    const link = await people.getByLabel('the link', { exact: true }).textContent();
    await button(people, 'I have stored it').click();
    await people.getByRole('list', { name: 'Open invitations' }).getByText(email).waitFor();

    const page = await browser.visit();
    await page.goto(new URL(link ?? '').href.replace(/^.*(?=\/set-password)/, ''));
    await page.getByLabel('Name').fill('Ines Okafor');
    await page.getByLabel('Password', { exact: true }).fill('sunshine2026!');
    await button(page, 'Create my account').click();
    await page.getByText('This is one that many people use', { exact: false }).waitFor();
    browser.takeProblems();
    expect(await accessibilityProblems(page)).toEqual([]);
    await page.getByLabel('Password', { exact: true }).fill(password);
    await button(page, 'Create my account').click();
    await heading(page, 'My day').waitFor();

    await page.goto('/my-account');
    await button(page, 'Set it up').click();
    await page.getByRole('dialog').getByLabel('Password', { exact: true }).fill(password);
    await button(page, 'Go on').click();
    await page.getByRole('img', { name: 'QR code for the authenticator' }).waitFor();
    const secret = (await page.getByRole('dialog').locator('code').textContent()) ?? '';
    await page.getByRole('textbox', { name: 'Code' }).fill(await codeOf(secret, 0));
    await button(page, 'Turn it on').click();
    await button(page, 'I have stored them').click();
    await page.getByText('10 backup codes are left', { exact: false }).waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);

    const again = await browser.visit({ device: 'phone' });
    await again.goto('/sign-in');
    await fillIn(again, email, password);
    await again.getByLabel('Code').fill(await codeOf(secret, 1));
    await again.getByRole('button', { name: 'Sign in', exact: true }).click();
    await heading(again, 'My day').waitFor();
    // The sign-in without a code was answered 401.
    browser.takeProblems();
  });

  test('are disabled by an administrator, which ends what they have open', async () => {
    const page = await goTo('/tasks', await app.staff());
    await heading(page, 'Tasks').waitFor();
    const people = await asAdmin('/clinic/people');

    await button(people, 'Change Clinic staff').click();
    await people.getByRole('menuitem', { name: 'Disable' }).click();
    await people.getByRole('dialog').getByRole('button', { name: 'Disable' }).click();

    await page.getByText('Your session has ended.', { exact: false }).waitFor();
    await people.getByText('Disabled', { exact: true }).waitFor();
    expect(await accessibilityProblems(people)).toEqual([]);
    browser.takeProblems();
    const { body } = await ask('GET', '/accounts');
    const staff = body.items.find(({ role, disabledAt }: Record<string, unknown>) => role === 'staff' && disabledAt);
    await ask('POST', `/accounts/${staff.id}/enable`);
    app.forgetSignIn(app.clinic.staff);
  });

  test('sign in with passkeys, and set one up before anything else where their clinic requires a second factor', async () => {
    const { email, password: ofAdmin, staff } = app.otherClinic;
    const people = await atHome('/clinic/people', email, ofAdmin);
    const rule = people.getByRole('switch', { name: 'Require a second factor of everybody' });
    const require = async () => {
      await rule.click();
      await people.getByRole('dialog').getByRole('button', { name: 'Require it' }).click();
    };
    await require();
    await people.getByText('Set up a second factor of your own first', { exact: false }).waitFor();
    await people.goto(`${passkeyUrl}/my-account`);
    await addPasskey(people, ofAdmin, 'Desk of the office');
    await people.getByRole('list', { name: 'Passkeys' }).getByText('Desk of the office').waitFor();
    await people.getByRole('dialog').waitFor({ state: 'detached' });
    expect(await accessibilityProblems(people)).toEqual([]);
    await people.goto(`${passkeyUrl}/clinic/people`);
    await require();
    await people.getByText('Everyone needs a second factor from now on.').waitFor();
    expect(await accessibilityProblems(people)).toEqual([]);

    const page = await atHome('/tasks', staff.email, staff.password);
    await heading(page, 'Set up a second factor').waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    await addPasskey(page, staff.password, 'Phone');
    await heading(page, 'Tasks').waitFor();

    await button(page, /account menu/).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await button(page, 'Sign in with a passkey').click();
    await heading(page, 'Tasks').waitFor();
    await page.goto(`${passkeyUrl}/my-account`);
    await button(page, 'Change Phone').click();
    await page.getByRole('menuitem', { name: 'Rename' }).click();
    await page.getByRole('dialog').getByLabel('Name').fill('Phone of the front desk');
    await page.getByRole('dialog').getByRole('button', { name: 'Rename' }).click();
    await button(page, 'Change Phone of the front desk').click();
    await page.getByRole('menuitem', { name: 'Remove' }).click();
    await page.getByRole('dialog').getByLabel('Password', { exact: true }).fill(staff.password);
    await page.getByRole('dialog').getByRole('button', { name: 'Remove it' }).click();
    // It was the only one.
    await heading(page, 'Set up a second factor').waitFor();
    // What was refused is noted by the browser itself.
    expect(browser.takeProblems().every((problem) => /40[39]/.test(problem))).toBe(true);
  });

  /** At the address that passkeys belong to, signed in, with a device that keeps them. */
  const atHome = async (path: string, email: string, given: string) => {
    const page = await browser.visit();
    const devices = await page.context().newCDPSession(page);
    await devices.send('WebAuthn.enable');
    await devices.send('WebAuthn.addVirtualAuthenticator', {
      options: {
        protocol: 'ctap2',
        transport: 'internal',
        hasResidentKey: true,
        hasUserVerification: true,
        isUserVerified: true,
        automaticPresenceSimulation: true,
      },
    });
    await page.goto(`${passkeyUrl}${path}`);
    await fillIn(page, email, given);
    return page;
  };
  const addPasskey = async (page: Page, given: string, name: string) => {
    await button(page, 'Add a passkey').click();
    await page.getByRole('dialog').getByLabel('Name').fill(name);
    await page.getByRole('dialog').getByLabel('Password', { exact: true }).fill(given);
    await button(page, 'Go on').click();
  };
  const fillIn = async (page: Page, email: string, given: string) => {
    await page.getByLabel('E-mail').fill(email);
    await page.getByLabel('Password', { exact: true }).fill(given);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  };
  /** What an authenticator shows that has the secret. */
  const codeOf = (secret: string, stepsOn: 0 | 1) =>
    oneTimeCode(fromBase32(secret), Math.floor(Date.now() / 30_000) + stepsOn);
});

test('what cannot be loaded says so, and can be tried again', async () => {
  const page = await asAdmin('/');
  // A list is loaded anew by itself too, when a record of it changes: here nothing but the button may help.
  await page.evaluate(`document.addEventListener('click', ({ target }) => {
    if (target.closest('[role=alert]')) document.body.dataset.isTried = 'yes';
  }, { capture: true })`);
  await page.route('**/api/calls?*', async (route) =>
    (await page.locator('[data-is-tried]').count()) > 0
      ? route.continue()
      : route.fulfill({
          status: 503,
          json: { statusCode: 503, message: 'The database cannot be reached', error: 'x' },
        }),
  );
  await page.getByRole('link', { name: 'Calls', exact: true }).click();
  const alert = page.getByRole('main').getByRole('alert');
  await alert.getByText('The database cannot be reached.').waitFor();
  expect(await accessibilityProblems(page)).toEqual([]);

  await alert.getByRole('button', { name: 'Try again' }).click();

  await page.getByRole('table', { name: 'Calls' }).waitFor();
  expect(browser.takeProblems().every((problem) => problem.includes('503'))).toBe(true);
});

describe('a page that cannot be shown says what it is:', () => {
  const code = '**/assets/settings-areas-*.js';
  const alertOf = (page: Page) => page.getByRole('main').getByRole('alert');

  test('its code is gone after an update, and is read afresh', async () => {
    const page = await asAdmin('/');
    await page.route(code, (route) => route.fulfill({ status: 404 }));
    await page.getByRole('link', { name: 'Connections' }).click();
    await alertOf(page).getByText('There is a new version of the dashboard').waitFor();
    expect(browser.takeProblems().length).toBeGreaterThan(0);

    await page.unroute(code);
    await alertOf(page).getByRole('button', { name: 'Try again' }).click();

    await heading(page, 'Connections').waitFor();
  });

  test('the service cannot be reached', async () => {
    const page = await asAdmin('/');
    await page.route(code, (route) => route.abort());
    await page.route('**/favicon.svg', (route) => route.abort());
    await page.getByRole('link', { name: 'Connections' }).click();

    await alertOf(page).getByText('The service cannot be reached').waitFor();
    expect(browser.takeProblems().length).toBeGreaterThan(0);
  });

  test('what a dialog holds, where it could not be fetched: the page stays as it is, with what was typed', async () => {
    const token = await app.admin();
    const body = { firstName: 'Nora', lastName: 'Offline', phone: '+13035550171' };
    const { id } = (await app.request('POST', '/patients', { bearer: token, body })).body;
    const page = await browser.visit({ token });
    await page.goto(`/patients/${id}`);
    const note = page.getByRole('textbox', { name: 'New note' });
    await note.fill('Rings back at noon');
    await page.route('**/assets/edit-patient-*.js', (route) => route.abort());
    await page.route('**/favicon.svg', (route) => route.abort());
    await button(page, 'Edit').click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('The service cannot be reached').waitFor();
    expect(browser.takeProblems().length).toBeGreaterThan(0);

    await page.keyboard.press('Escape');

    await dialog.waitFor({ state: 'detached' });
    expect(await note.inputValue()).toBe('Rings back at noon');
  });

  test('what a dialog holds is there before it is opened: the connection may be gone by then', async () => {
    const token = await app.admin();
    const { items } = (await app.request('GET', '/patients?limit=1', { bearer: token })).body;
    const page = await browser.visit({ token });
    await page.goto(`/patients/${items[0].id}`);
    await page.waitForResponse('**/assets/edit-patient-*.js');
    await page.context().setOffline(true);
    await button(page, 'Edit').click();

    await page.getByRole('dialog').getByRole('textbox', { name: 'First name' }).waitFor();
    // Until it is left the page goes on asking.
    await browser.leave();
    expect(browser.takeProblems().filter((problem) => !problem.includes('INTERNET_DISCONNECTED'))).toEqual([]);
  });

  test('a fault of the dashboard, whose id is in the log of the service', async () => {
    const page = await browser.visit({ token: await app.admin() });
    await page.route('**/api/results?*', (route) => route.fulfill({ json: { current: 'Ann Lee' } }));
    const reported = page.waitForResponse('**/api/dashboard/faults');
    await page.goto('/results');

    const response = await reported;
    const { id, ...fault } = response.request().postDataJSON();
    expect(response.status()).toBe(204);
    expect(fault).toEqual({ page: 'results', kind: 'TypeError', frames: expect.arrayContaining([expect.any(String)]) });
    await alertOf(page).getByText(`It is in the log of the service as ${id}`).waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    expect(browser.takeProblems().length).toBeGreaterThan(0);
  });
});

test('a browser whose language is no valid tag shows every page as any other', async () => {
  const page = await browser.visit({ token: await app.admin() });
  await page.addInitScript(`
    Object.defineProperty(navigator, 'language', { value: 'en-US@posix' });
    Object.defineProperty(navigator, 'languages', { value: ['en-US@posix', 'en'] });
  `);
  for (const [path, title] of [
    ['/', 'Overview'],
    ['/cases', 'Recovery cases'],
    ['/calendar', 'Calendar'],
  ] as const) {
    await page.goto(path);
    await heading(page, title).waitFor();
    await page.getByRole('main').getByRole('status', { name: 'Loading' }).waitFor({ state: 'detached' });
    expect(await page.getByRole('main').getByRole('alert').count()).toBe(0);
  }
});

describe('every page', () => {
  /** A case with its patient and call, a delivery and a validation run, whatever other tests have made. */
  const recordOfEachKind = async (): Promise<void> => {
    await ask('PUT', '/abandonment-recovery/sandbox-emr/config', { enabled: true });
    await ask('POST', '/try-it/recovery', { scene: 'agrees' });
    await ask('PUT', '/integrations/outbound', { url: receiver.url, enabled: true, events: ['recovery_case.created'] });
    await ask('POST', '/integrations/outbound/test', {});
    await ask('POST', '/validation-runs', { label: 'Every page' });
    for (const path of ['/cases', '/calls', '/patients', '/deliveries', '/validation-runs'])
      await eventually(async () => (await ask('GET', `${path}?limit=1`)).body.items.length > 0);
  };

  /** Lists and settings by address, and one record of each kind. */
  const addresses = async (): Promise<string[]> => {
    const first = async (path: string, id = 'id') => (await ask('GET', `${path}?limit=1`)).body.items[0][id];
    await recordOfEachKind();
    return [
      '/',
      '/cases',
      '/calls',
      '/queue',
      '/runs',
      '/tasks?show=all',
      '/my-day',
      '/results',
      '/patients',
      '/calendar',
      '/day-list',
      '/waitlist',
      '/deliveries',
      '/try-it',
      '/readiness',
      '/my-account',
      '/audit',
      '/cases/unknown',
      ...['sandbox', 'api-keys', 'inbound', 'outbound', 'approved-api', 'crm', 'phone-numbers', 'voice'].map(
        (area) => `/connections/${area}`,
      ),
      // The first by the address that it had before.
      '/clinic/hours',
      ...['opt-outs', 'providers', 'calling', 'people', 'single-sign-on', 'results', 'retention'].map(
        (area) => `/clinic/${area}`,
      ),
      `/cases/${await first('/cases', 'recoveryCaseId')}`,
      `/calls/${await first('/calls')}`,
      `/patients/${await first('/patients')}`,
      `/deliveries/${await first('/deliveries')}`,
      `/readiness/${await first('/validation-runs')}`,
    ];
  };

  /** What has to be scrolled sideways: only code may. */
  const tooWide = `[document.documentElement, ...document.querySelectorAll('main *:not(pre)')]
    .filter((box) => box.scrollWidth > box.clientWidth + 1)
    .filter((box) => box === document.documentElement || /auto|scroll/.test(getComputedStyle(box).overflowX))
    .map((box) => 'too wide: ' + box.outerHTML.slice(0, 80))`;

  const MAX_SCRIPT_BYTES = 250_000;

  /** All script that a page needs before it is seen, as it comes over the wire, whether the browser has it already or not; not what comes once it is at rest. */
  const scriptBytes = `[...new Map(performance.getEntriesByType('resource').map((each) => [each.name, each])).values()]
    .filter(({ name, startTime }) => name.endsWith('.js') && startTime < (performance.getEntriesByName('parts')[0]?.startTime ?? Infinity))
    .reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0)`;

  test.each([
    ['English', 'light', 'desktop', { language: 'en', pauses: 'Pauses', loading: 'Loading' }],
    // The longer words on the narrower screen.
    ['Spanish', 'dark', 'phone', { language: 'es', pauses: 'Pausas', loading: 'Cargando' }],
  ] as const)(
    'in %s, %s, on a %s: accessible, nothing wrong in the console, nothing wider than the screen, 250 kB of script at most, and a pause stands on it',
    async (_, colorScheme, device, words) => {
      const page = await browser.visit({ token: await app.admin(), colorScheme, device });
      await page.addInitScript(`localStorage.setItem('language', '${words.language}')`);
      const found: string[] = [];
      const until = new Date(Date.now() + 48 * 3_600_000).toISOString();
      const pause = (await ask('POST', '/pauses', { reason: 'A list was imported twice', until })).body;
      for (const address of await addresses()) {
        await page.goto(address);
        await page.getByRole('heading', { level: 1 }).waitFor();
        // On a phone why is folded away.
        await page.getByRole('region', { name: words.pauses }).getByText(pause.reason).waitFor({ state: 'attached' });
        await page.getByText(words.loading, { exact: true }).first().waitFor({ state: 'detached' });
        // A phone scrolls the table that is printed.
        const wide = address === '/day-list' ? [] : await page.evaluate<string[]>(tooWide);
        const problems = [...(await accessibilityProblems(page)), ...wide];
        found.push(...problems.map((problem) => `${address}: ${problem}`));
        if (/m\.\./.test(await page.locator('body').innerText())) found.push(`${address}: two full stops after a time`);
        const bytes = await page.evaluate<number>(scriptBytes);
        expect(bytes).toBeGreaterThan(100_000);
        if (bytes > MAX_SCRIPT_BYTES) found.push(`${address}: ${bytes} bytes of script`);
      }
      await ask('DELETE', `/pauses/${pause.id}`);
      // The one page whose record does not exist; the browser itself notes the 404.
      const unexpected = browser.takeProblems().filter((problem) => !/unknown: .*404/.test(problem));

      expect({ found, unexpected }).toEqual({ found: [], unexpected: [] });
    },
    300_000,
  );

  /** What a page shows of a clinic without records, by how its requests are answered. */
  const states = {
    'is loading': { answer: () => undefined, shows: (main: Locator) => main.getByText('Loading', { exact: true }) },
    'cannot be loaded': {
      answer: (route: Route) => route.fulfill({ status: 503, json: { statusCode: 503, message: 'Busy' } }),
      shows: (main: Locator) => main.getByRole('alert'),
    },
    'is empty': { answer: (route: Route) => route.continue(), shows: (main: Locator) => main.getByRole('heading') },
  };

  test.each([
    ['is loading', 'light'],
    ['cannot be loaded', 'dark'],
    ['is empty', 'light'],
  ] as const)('that %s, %s, is accessible', async (state, colorScheme) => {
    const { answer, shows } = states[state];
    const page = await browser.visit({ token: await app.signIn(await app.addClinic()), colorScheme });
    await page.route(/\/api\/(?!auth\/)/, answer);
    const lists = ['cases', 'queue', 'tasks', 'patients', 'waitlist', 'deliveries', 'audit'];
    const ofClinic = ['providers', 'calling', 'opt-outs', 'people'].map((area) => `clinic/${area}`);
    const found: string[] = [];
    for (const address of ['', 'my-day', 'calendar', 'day-list', 'results', ...lists, ...ofClinic]) {
      await page.goto(`/${address}`);
      await shows(page.getByRole('main')).first().waitFor();
      if (state !== 'is loading')
        await page.getByText('Loading', { exact: true }).first().waitFor({ state: 'detached' });
      found.push(...(await accessibilityProblems(page)).map((problem) => `/${address}: ${problem}`));
    }
    const unexpected = browser.takeProblems().filter((problem) => !problem.includes('503'));

    expect({ found, unexpected }).toEqual({ found: [], unexpected: [] });
  });

  test('no inline script or style may run, nothing comes from elsewhere, nobody may frame it', async () => {
    const response = await fetch(app.baseUrl.replace(/api$/, 'connections/api-keys'));
    const policy = response.headers.get('content-security-policy') ?? '';
    const html = await response.text();

    expect(policy).toMatch(/^default-src 'none'; script-src 'self'; style-src 'self' 'nonce-[\w+/=]{20,}';/);
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toContain('unsafe');
    expect(html).not.toMatch(/<script(?![^>]*\bsrc=)|<style|\sstyle=|\son\w+=/);
    expect(response.headers.get('cache-control')).toBe('no-store');
  });

  test('scripts and styles come compressed and may be kept for ever', async () => {
    const html = await (await fetch(app.baseUrl.replace(/api$/, ''))).text();
    const [script] = /\/assets\/[\w.-]+\.js/.exec(html) ?? [];
    const address = app.baseUrl.replace(/\/api$/, String(script));

    const kept = await fetch(address, { headers: { 'accept-encoding': 'br' } });
    const plain = await fetch(address, { headers: { 'accept-encoding': 'identity' } });

    expect(kept.headers.get('content-encoding')).toBe('br');
    expect(plain.headers.get('content-encoding')).toBeNull();
    for (const { headers } of [kept, plain]) {
      expect(headers.get('content-type')).toContain('javascript');
      expect(headers.get('cache-control')).toContain('immutable');
      expect(headers.get('vary')).toContain('Accept-Encoding');
    }
    expect(await kept.text()).toBe(await plain.text());
  });

  test.each(['no-such-page', 'index.html', 'assets/nothing.js'])(
    '/%s is no page of the dashboard: a 404 in the one error shape',
    async (path) => {
      const response = await fetch(app.baseUrl.replace(/api$/, path));
      expect(response.status).toBe(404);
      expect(await response.json()).toMatchObject({ statusCode: 404, error: 'Not Found' });
    },
  );

  test('the keyboard alone reaches the content and the navigation', async () => {
    const page = await asAdmin('/cases');
    await heading(page, 'Recovery cases').waitFor();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    expect(await page.evaluate('document.activeElement.id')).toBe('content');

    await page.getByRole('link', { name: 'Calls', exact: true }).focus();
    await page.keyboard.press('Enter');
    await heading(page, 'Calls').waitFor();
    await eventually(() => page.evaluate<boolean>("document.activeElement.textContent === 'Calls'"));
  });
});

test('the keyboard alone signs in, plays a scene, and assigns and resolves the task that it leaves', async () => {
  const policy = (await ask('GET', '/integrations/recovery-policy')).body;
  await ask('PUT', '/integrations/recovery-policy', { ...policy, firstCallDelaySeconds: 0 });
  const page = await browser.visit();
  await page.goto('/try-it');
  await tabTo(page, 'E-mail');
  await page.keyboard.type(app.clinic.email);
  await tabTo(page, 'Password');
  await page.keyboard.type(app.clinic.password);
  await page.keyboard.press('Enter');
  await heading(page, 'Try it').waitFor();

  await tabTo(page, 'Answers, says why they stopped, agrees');
  for (const name of ['Asks for a callback', 'Finds it too expensive']) {
    await page.keyboard.press('ArrowDown');
    await page.getByRole('radio', { name, checked: true }).waitFor();
  }
  await tabTo(page, 'Start the scene');
  await page.keyboard.press('Enter');
  await page.getByText('Task: Talk about the price').waitFor({ timeout: 20_000 });

  await tabTo(page, /^Tasks/);
  await page.keyboard.press('Enter');
  await heading(page, 'Tasks').waitFor();
  await tabTo(page, 'Assign Talk about the price');
  for (const key of ['ArrowDown', 'ArrowDown', 'Enter']) await page.keyboard.press(key);
  await page
    .getByText(/^Assigned to /)
    .first()
    .waitFor();
  await tabTo(page, /^Resolve: Talk about the price/);
  await page.keyboard.press('Enter');
  await page.locator('[role=menuitem]:focus', { hasText: 'Spoke with them' }).waitFor();
  await page.keyboard.press('Enter');
  await page
    .getByText(/^Resolved: /)
    .first()
    .waitFor();

  await tabTo(page, /account menu/);
  await page.keyboard.press('Enter');
  // The menu takes the focus a moment after it opens; a key before that is the page's.
  await page.locator('[role="menuitem"]:focus', { hasText: 'My account' }).waitFor();
  await page.keyboard.press('ArrowDown');
  await page.locator('[role="menuitem"]:focus', { hasText: 'Sign out' }).waitFor();
  await page.keyboard.press('Enter');
  await page.getByText('You are signed out.').waitFor();
});

describe('in Spanish', () => {
  const inSpanish = (page: Page, lang: string) => page.locator(`html[lang=${lang}]`).waitFor({ state: 'attached' });

  test('a person chooses it in the account menu, for every page, and the clinic for anyone who has not', async () => {
    const { body } = await ask('POST', '/patients', { firstName: 'Inés', lastName: 'Peña', phone: aPhone() });
    const page = await goTo('/', await app.admin());
    await button(page, /account menu/).click();
    await page.getByRole('menuitemradio', { name: 'Español' }).waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    await page.getByRole('menuitemradio', { name: 'Español' }).click();

    await heading(page, 'Resumen').waitFor();
    await page.getByText('Citas de hoy').waitFor();
    await inSpanish(page, 'es');
    expect(await accessibilityProblems(page)).toEqual([]);
    await page
      .getByRole('navigation')
      .getByRole('link', { name: /^Tareas/ })
      .click();
    await heading(page, 'Tareas').waitFor();
    await page.getByRole('group', { name: 'Filtros' }).waitFor();
    expect(await page.title()).toBe('Tareas · Clinic workflows');
    await page.goto(`/patients/${body.id}`);
    await page.getByRole('heading', { name: 'Próximas citas', exact: true }).waitFor();
    await page.getByRole('heading', { name: 'En el expediente', exact: true }).waitFor();

    // Another browser has no choice of its own: it follows the clinic, and back.
    const other = await goTo('/clinic/people', await app.admin());
    await other.getByRole('combobox', { name: 'Language of the dashboard' }).click();
    await other.getByRole('option', { name: 'Español' }).click();
    await other.getByRole('heading', { name: 'Idioma', exact: true }).waitFor();
    await other.getByRole('combobox', { name: 'Idioma del panel' }).click();
    await other.getByRole('option', { name: 'English' }).click();
    await other.getByRole('heading', { name: 'Language', exact: true }).waitFor();
    await inSpanish(other, 'en');

    await other.getByRole('combobox', { name: 'Country of the clinic' }).fill('United K');
    await other.getByRole('option', { name: 'United Kingdom' }).click();
    await other.getByText('Saved. It holds for what comes in from now on.').waitFor();
    // It can be changed again once the page has read what is saved.
    await other.getByRole('combobox', { name: 'Country of the clinic', disabled: false }).waitFor();
    expect((await ask('GET', '/integrations/country')).body).toEqual({ country: 'GB' });
    // Times are shown as they are typed there, whatever the browser's own country is.
    await other.goto('/audit');
    await other
      .getByText(/^\d{1,2} [A-Z][a-z]+, \d{1,2}:\d\d$/)
      .first()
      .waitFor();
    await ask('PUT', '/integrations/country', { country: 'US' });
  });

  test('the sign-in page goes by the browser', async () => {
    const page = await browser.visit({ locale: 'es-MX' });
    await page.goto('/sign-in');
    await heading(page, 'Iniciar sesión').waitFor();
  });
});

test('every text of the dashboard is in the catalogue, in English and Spanish', async () => {
  const program = ['dashboard/texts.mjs', '--check'];
  await expect(promisify(execFile)(process.execPath, program, { cwd: root })).resolves.toBeDefined();
});

test("the dashboard's client is what the service's document gives", async () => {
  const program = ['dashboard/generate-client.mjs', '--check', `${app.baseUrl}/openapi.json`];
  await expect(promisify(execFile)(process.execPath, program, { cwd: root })).resolves.toBeDefined();
});

// The last: that it is the only way in ends everybody's session.
test('single sign-on is set up by clicks, and a person signs in with their organisation, and proves there who they are', async () => {
  idp = await startIdentityProvider();
  const { body } = await ask('GET', '/accounts/single-sign-on');
  idp.register(body);
  const person = { email: 'ada@harbor.example', email_verified: true, name: 'Ada Okafor', roles: ['clinic-admin'] };
  idp.people.set('ada', person);
  const settings = await asAdmin('/clinic/single-sign-on');
  const enter = (label: string, text: string) => settings.getByLabel(label, { exact: true }).first().fill(text);
  await enter('Issuer', idp.issuer);
  await enter('Client id', idp.client.id);
  await enter('Client secret', idp.client.secret);
  await enter('Domains of your e-mail addresses', 'harbor.example');
  await enter('Claim that gives the role', 'roles');
  await button(settings, 'Add a value').click();
  await enter('Value', 'clinic-admin');
  await settings.getByRole('combobox', { name: 'Role' }).click();
  await settings.getByRole('option', { name: 'Administrator' }).click();
  expect(await accessibilityProblems(settings)).toEqual([]);
  await button(settings, 'Save').click();
  await settings.getByText(/Waiting for the operator to confirm harbor.example/).waitFor();
  const confirmed = ['--clinic', app.clinic.clinicId, '--domain', 'harbor.example'];
  await typedByOperator(['clinic', 'sso', 'confirm-domain', ...confirmed], app.env);
  // The page begins again with it: what is checked until then is of the settings before.
  await settings.getByText(/Waiting for the operator/).waitFor({ state: 'hidden' });
  await button(settings, 'Check').click();
  await settings.getByText('Your identity provider is ready.').waitFor();

  const page = await browser.visit();
  await page.goto(`${passkeyUrl}/connections/api-keys`);
  await page.getByLabel('E-mail').fill('ada@harbor.example');
  await button(page, 'Sign in with your organisation').click();
  await page.getByLabel('User name').fill('ada');
  await button(page, 'Sign in').click();
  await heading(page, /Connections/).waitFor();
  expect(page.url()).toBe(`${passkeyUrl}/connections/api-keys`);

  await app.database.sql`
    update sessions set proved_at = now() - interval '6 minutes' where issuer is not null`;
  await app.database.sql`update users set updated_at = now() where email = 'ada@harbor.example'`;
  await page.goto(`${passkeyUrl}/clinic/single-sign-on`);
  await page.getByLabel('Single sign-on is the only way in').click({ force: true });
  await button(page, 'Make it the only way').click();
  const opening = page.waitForEvent('popup');
  await button(page, 'Confirm at your organisation').click();
  const popup = await opening;
  await popup.getByLabel('User name').fill('ada');
  await button(popup, 'Sign in').click();
  await page.getByText('Everybody signs in by your identity provider from now on.').waitFor();
  await typedByOperator(['clinic', 'sso', 'allow-passwords', '--clinic', app.clinic.clinicId], app.env);
  await eventually(async () => (await app.stores.singleSignOn.find(app.clinic.clinicId))?.isOnlyWay === false);
  // The browser itself notes the 403 that asks for the proof.
  browser.takeProblems();
});

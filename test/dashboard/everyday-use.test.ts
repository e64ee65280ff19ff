import { readFile } from 'node:fs/promises';
import type { Locator, Page } from 'playwright-core';
import { type App, startApp } from '../support/app';
import { accessibilityProblems, setFilter, startBrowser, tabTo, type TestBrowser } from '../support/browser';
import { phones } from '../support/builders';
import { eventually } from '../support/eventually';
import { fill } from '../support/fill';
import { aGate } from '../support/gate';

// A browser on a busy machine takes its time.
jest.setTimeout(240_000);

let app: App;
let browser: TestBrowser;

beforeAll(async () => {
  app = await startApp();
  browser = await startBrowser(app.baseUrl.replace(/\/api$/, ''));
  await ask('PUT', '/abandonment-recovery/sandbox-emr/config', { enabled: true });
}, 240_000);

afterAll(async () => {
  await browser?.close();
  await app?.stop();
});

afterEach(() => browser.endTest());

/** As somebody types who looks at the keyboard: slower than the dashboard waits before it searches. */
const keyByKey = { delay: 300 };

const asAdmin = async (path: string, device: 'desktop' | 'phone' = 'desktop'): Promise<Page> => {
  const page = await browser.visit({ token: await app.admin(), device });
  await page.goto(path);
  return page;
};

const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name });
const heading = (page: Page, name: string | RegExp) => page.getByRole('heading', { name, level: 1 });

/** Over the dashboard's API, as the signed-in page would. */
const ask = async (method: string, path: string, body?: unknown) =>
  app.request(method, path, { body, bearer: await app.admin() });

/** A case of the simulator, once it is over. */
async function anEndedCase(form: Parameters<App['abandon']>[0]) {
  const { body } = await app.abandon(form);
  await app.ended(body.workflowId);
  return body;
}

describe("a patient's data leaves", () => {
  test('an administrator exports, holds and erases a patient on their page; what is typed last is the surname', async () => {
    const { body } = await ask('POST', '/patients', { firstName: 'Ida', lastName: 'Gone', phone: '+13035550166' });
    const page = await asAdmin(`/patients/${body.id}`, 'phone');
    const [download] = await Promise.all([page.waitForEvent('download'), button(page, 'Export as JSON').click()]);
    await button(page, 'Place a legal hold').click();
    await page.getByLabel('Why the records must stay').fill('A case at court');
    await button(page, 'Place the hold').click();
    await page.getByText('A case at court').waitFor();

    await button(page, 'Erase …').click();
    await page.getByText('A legal hold refuses it').waitFor();
    await button(page, 'Close').last().click();
    await button(page, 'Lift').click();
    await page.getByRole('dialog', { name: 'Lift the legal hold?' }).getByRole('button', { name: 'Lift' }).click();
    await page.getByText('A case at court').waitFor({ state: 'detached' });
    await button(page, 'Erase …').click();
    await page.getByText('What stays').waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    const erase = button(page, 'Erase for good');
    await page.getByLabel(/To go on/).fill('Gon');
    expect(await erase.isDisabled()).toBe(true);
    await page.getByLabel(/To go on/).fill('Gone');
    await erase.click();

    await page.getByRole('heading', { name: 'The patient is erased', level: 1 }).waitFor();
    await page.getByText('Nothing is left').waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    const { items } = (await ask('GET', '/erasures')).body;
    expect(page.url()).toMatch(new RegExp(`/erasures/${items[0].id}$`));
    expect(await page.content()).not.toContain('Gone');
    expect(download.suggestedFilename()).toBe(`patient-${body.id}.json`);
    expect((await ask('GET', `/patients/${body.id}`)).status).toBe(404);
  });
});

describe('the sandbox as a proving ground', () => {
  test('a failure is chosen, the clock set, all of it kept under a name and reset; what is refused stands at its field', async () => {
    const page = await asAdmin('/connections/sandbox', 'phone');
    await page
      .getByLabel('Failure', { exact: true })
      .selectOption({ label: 'A slot that goes while the patient thinks' });
    await page.getByText('searches again and offers another time').waitFor();
    await page.getByLabel('How many times').fill('2000');
    await button(page, 'Choose this failure').click();
    await page.getByText(/^This .*1000/).waitFor();
    await page.getByLabel('How many times').fill('2');
    await page.getByLabel('Only for the patient').fill('MRN-1001');
    await button(page, 'Choose this failure').click();
    await page.getByText('for MRN-1001, met 0 of 2').waitFor();

    await page.getByLabel(/^Date and time/).fill('2028-02-28T08:00');
    await button(page, 'Set the clock').click();
    await page.getByText('Set, stopped').waitFor();
    await button(page, 'a day').click();
    await page.getByText(/Feb 29/).waitFor();
    await page.getByLabel('Name of the snapshot').fill('leap day');
    await button(page, 'Take a snapshot').click();
    await page.getByText(/This must be 1 to 60 letters/).waitFor();
    await page.getByLabel('Name of the snapshot').fill('leap-day');
    await button(page, 'Take a snapshot').click();
    await button(page, 'Restore leap-day').waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);

    await button(page, 'Back to the real time').click();
    await page.getByText('The real time', { exact: true }).waitFor();
    await button(page, 'Reset to fixtures').click();
    const { name } = app.clinic;
    await page.getByText(/These go: .+ patients with an identifier/).waitFor();
    expect(await button(page, 'Reset the sandbox').isDisabled()).toBe(true);
    await page.getByLabel(`To go on, type ${name}`).fill(name);
    await button(page, 'Reset the sandbox').click();
    await page.getByText('for MRN-1001').waitFor({ state: 'detached' });
    const { body } = await ask('GET', '/sandbox');
    expect(body).toMatchObject({ clock: { isSet: false }, failures: [], snapshots: [{ name: 'leap-day' }] });
    expect(browser.takeProblems()).toEqual([expect.stringContaining('400'), expect.stringContaining('400')]);
  });

  test('a lenient rule is switched off, a refused notice period says why at its field, and a sandbox for a CI comes and goes', async () => {
    const page = await asAdmin('/connections/sandbox');
    await page.getByRole('switch', { name: 'An appointment is moved by one call' }).click();
    await page.getByText('books the new time first').waitFor();
    // The page has words of its own for each, with a Spanish: in English they are the service's.
    const { lenientRules } = (await ask('GET', '/sandbox')).body;
    const told = await page.getByRole('region', { name: 'Like a real EHR' }).innerText();
    const said = (text: string) => text.replaceAll('`', '').slice(1);
    for (const { title, off } of lenientRules)
      expect([told.includes(title), told.includes(said(off))]).toEqual([true, true]);
    await page.getByLabel('Maximum days ahead').fill('9000');
    await button(page, 'Save the notice periods').click();
    await page.getByText(/^This .*730/).waitFor();
    await page.getByLabel('Maximum days ahead').fill('60');
    await button(page, 'Save the notice periods').click();
    await page.getByText('Searches and bookings go by it').waitFor();

    const { body } = await ask('GET', '/sandbox');
    expect(body.leniency).toMatchObject({ reschedules: false, maximumNoticeDays: 60, createsUnknownPatients: true });
    expect(await accessibilityProblems(page)).toEqual([]);
    expect(browser.takeProblems()).toEqual([expect.stringContaining('400')]);
    await ask('PATCH', '/sandbox/leniency', { reschedules: true, maximumNoticeDays: null });

    const name = page.getByLabel('Name of the sandbox');
    await name.fill('CI');
    await button(page, 'Open a sandbox').click();
    await page.getByText(/^sandbox_/).waitFor();
    await button(page, 'I have stored it').click();
    await button(page, 'New token for CI').waitFor();
    await name.fill('CI');
    await button(page, 'Open a sandbox').click();
    await page.getByText('This is the name of another sandbox').waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    await button(page, 'Remove CI').click();
    await button(page, 'Remove it').click();
    await button(page, 'New token for CI').waitFor({ state: 'detached' });
    expect(browser.takeProblems()).toEqual([expect.stringContaining('409')]);
  });
});

describe('searching and filtering', () => {
  test('a name that is typed key by key is searched whole', async () => {
    await app.abandon({ firstName: 'Zoe', lastName: 'Thompson', phone: phones.declines });
    const page = await asAdmin('/cases');
    await heading(page, 'Recovery cases').waitFor();
    const asked: string[] = [];
    page.on('request', (request) => void asked.push(request.url()));

    await page.getByLabel('Search').click();
    await page.keyboard.type('thompson', keyByKey);

    await page.getByRole('row', { name: /Zoe Thompson/ }).waitFor();
    expect(await page.getByLabel('Search').inputValue()).toBe('thompson');
    expect([...asked, page.url()].filter((address) => address.includes('thompson'))).toEqual([]);
    expect(asked.length).toBeGreaterThan(0);
    expect(await page.evaluate('document.activeElement.type')).toBe('search');
    await page.reload();
    await page.getByRole('row', { name: /Zoe Thompson/ }).waitFor();
    expect(await page.getByLabel('Search').inputValue()).toBe('thompson');
  });

  test('somebody known only from a form is found without accents, by any apostrophe, by a phone as people write it', async () => {
    await anEndedCase({ firstName: 'Zoë', lastName: 'O’Brién', phone: '+13035550177' });
    const page = await asAdmin('/patients');
    for (const text of ["zoe o'brien", '(303) 555-0177']) {
      await page.getByLabel('Search').fill(text);
      await page.getByRole('row', { name: /Zoë O’Brién.*Known only from a form or call/ }).waitFor();
    }
    for (const [address, label] of [
      ['/cases', 'Recovery cases'],
      ['/calls', 'Calls'],
    ] as const)
      for (const text of ['obrien zoë', '303.555.0177']) {
        await page.goto(address);
        await page.getByLabel('Search').fill(text);
        const rows = page.getByRole('table', { name: label }).getByRole('link');
        await eventually(async () => (await rows.allTextContents()).join() === 'Zoë O’Brién');
      }
  });

  test('the calendar keeps the focus where a week or a provider was chosen', async () => {
    const page = await asAdmin('/calendar');
    const next = button(page, 'Next week');
    await next.focus();
    await page.keyboard.press('Enter');
    await eventually(() => new URL(page.url()).searchParams.has('week'));
    await page.waitForTimeout(300);
    expect(await page.evaluate("document.activeElement.getAttribute('aria-label')")).toBe('Next week');

    await page.getByRole('combobox', { name: 'Provider' }).focus();
    await page.keyboard.press('ArrowDown');
    await eventually(() => new URL(page.url()).searchParams.has('provider'));
    await page.waitForTimeout(300);
    expect(await page.evaluate("document.activeElement.getAttribute('aria-label')")).toBe('Provider');
  });

  test('the way back from a case keeps the filters', async () => {
    await anEndedCase({ phone: phones.agrees });
    const page = await asAdmin('/cases?status=RECOVERED&show=ended');
    await page.getByRole('table', { name: 'Recovery cases' }).getByRole('link').first().click();
    await heading(page, 'Ann Lee').waitFor();

    await page.getByRole('main').getByRole('link', { name: 'Recovery cases' }).click();

    await heading(page, 'Recovery cases').waitFor();
    expect(new URL(page.url()).search).toBe('?status=RECOVERED&show=ended');
  });
});

describe('long words', () => {
  const word = 'Pneumonoultramicroscopicsilicovolcanoconiosis'.repeat(50);

  beforeAll(async () => {
    const { clinicId } = app.clinic;
    await app.abandon({ firstName: word.slice(0, 190), lastName: word.slice(0, 190), phone: phones.declines });
    const detail = { specificQuestion: word };
    await app.stores.tasks.open({ clinicId, reason: 'follow_up_required', cause: 'long-word', detail });
  });

  test.each(['desktop', 'phone'] as const)('make no list wider than the screen of a %s', async (device) => {
    const width = device === 'desktop' ? 1_280 : 390;
    for (const address of ['/', '/tasks', '/cases', '/calls', '/deliveries']) {
      const page = await asAdmin(address, device);
      await page.getByRole('heading', { level: 1 }).waitFor();
      await page.getByText('Loading', { exact: true }).first().waitFor({ state: 'detached' });
      const widest = await page.evaluate<number>(
        "Math.max(...[...document.querySelectorAll('main *')].map((each) => each.getBoundingClientRect().right))",
      );
      expect({ address, isInside: widest <= width }).toEqual({ address, isInside: true });
      await browser.leave();
    }

    const page = await asAdmin('/tasks', device);
    const resolve = page.getByRole('button', { name: 'Resolve' }).first();
    await resolve.waitFor();
    const box = await resolve.boundingBox();
    expect((box?.x ?? width) + (box?.width ?? 0)).toBeLessThanOrEqual(width);
  });

  test('further down a list leave the rows above where they are', async () => {
    // Fifty with two lines in each row, and ten below with an e-mail address that takes their room.
    await app.database.sql`
      insert into patients (id, clinic_id, first_name, last_name, phone, email, is_placeholder, patient_type, created_at, updated_at)
      select 'row-' || n, ${app.clinic.clinicId}, 'Anna Maria Wilhelmina', 'Josephine Kept', '+1303555' || 1000 + n,
        case when n <= 10 then repeat('wilhelmina', 4) || '@mail.example' end, false, 'EXISTING',
        timestamptz '2020-06-01' + n * interval '1 day', now()
      from generate_series(1, 60) n`;
    const page = await asAdmin('/patients?from=2020-01-01&until=2020-12-31');
    const rows = page.locator('main tbody tr');
    const more = button(page, 'Show more');
    await more.scrollIntoViewIfNeeded();
    const before = await rows.nth(49).boundingBox();
    await more.click();
    await rows.nth(59).waitFor();
    const after = await rows.nth(49).boundingBox();
    expect(Math.round(after?.y ?? 0)).toBe(Math.round(before?.y ?? -1));
  });
});

describe('settings', () => {
  test('an action that is ticked without a path is refused at its field', async () => {
    const page = await asAdmin('/connections/approved-api');
    await page.getByLabel('Base URL').fill('https://api.clinic.example/v1');
    await page.getByLabel('Read how far a patient has come with a form (form.progress)').check();
    await button(page, 'Save').click();

    const path = page.getByLabel('Path of form.progress');
    await page.locator('.mantine-InputWrapper-error, .mantine-TextInput-error').first().waitFor();
    expect(await path.getAttribute('aria-invalid')).toBe('true');
    expect(await accessibilityProblems(page)).toEqual([]);
    expect(browser.takeProblems()).toEqual([expect.stringContaining('400')]);
  });

  test('an address that is empty or none is refused at its field on every form of settings, and nothing is saved', async () => {
    const page = await asAdmin('/connections/outbound');
    const kept = async () =>
      Promise.all(
        [
          '/integrations/outbound',
          '/integrations/outbound/endpoints',
          '/integrations/crm',
          '/integrations/approved-api',
        ]
          .concat('/accounts/single-sign-on')
          .map(async (path) => (await ask('GET', path)).body),
      );
    const before = await kept();
    const isRefused = async (label: string, save: string, words: string) => {
      const field = page.getByLabel(label, { exact: true }).last();
      await field.fill('  ');
      await button(page, save).last().click();
      await page.getByText(words).waitFor();
      expect(await field.getAttribute('aria-invalid')).toBe('true');
      await field.fill('ftp://clinic.example');
      await button(page, save).last().click();
      await page.getByText('This must be an http(s) URL').waitFor();
      expect(await field.getAttribute('aria-invalid')).toBe('true');
      expect(browser.takeProblems()).toEqual([expect.stringContaining('400')]);
    };

    await isRefused('URL', 'Save', 'Type where events are sent, or switch “Send events” off.');
    expect(await accessibilityProblems(page)).toEqual([]);
    await button(page, 'Undo changes').click();
    await button(page, 'Add an endpoint').click();
    await page.getByRole('dialog').getByLabel('Name').fill('Warehouse');
    await isRefused('URL', 'Add the endpoint', 'Type where its events are sent, as https://…');
    expect(await accessibilityProblems(page)).toEqual([]);

    await page.goto('/connections/crm');
    await page.getByRole('radio', { name: 'A webhook' }).check();
    await isRefused('URL', 'Save', 'Type where patients are sent, as https://…');

    await page.goto('/connections/approved-api');
    await page.getByLabel('Read how far a patient has come with a form (form.progress)').check();
    await page.getByLabel('Path of form.progress').fill('/forms/{sessionId}');
    await isRefused('Base URL', 'Save', 'Type the address of your API, as https://…');
    await page.getByLabel('Base URL').fill('https://api.clinic.example/v1');
    await page.getByRole('combobox', { name: 'Authentication' }).click();
    await page.getByRole('option', { name: 'OAuth 2 client credentials' }).click();
    await page.getByLabel('Client id').fill('clinic');
    await page.getByLabel('Client secret').fill('s3cret');
    await isRefused('Token URL', 'Save', 'Type where tokens are asked for, as https://…');

    await page.goto('/clinic/single-sign-on');
    await page.getByLabel('Client id').fill('clinic');
    await isRefused('Issuer', 'Save', 'Type the address of your identity provider, as https://…');
    expect(await kept()).toEqual(before);
  });

  test('staff put a phone on the list of opt-outs as people write it, and take it off with a reason', async () => {
    const page = await browser.visit({ token: await app.staff() });
    await page.goto('/clinic/opt-outs');
    await page.getByLabel('Phone', { exact: true }).fill('(303) 555-01');
    await button(page, 'Never call it').click();
    await page.getByText('This cannot be read as a phone number').waitFor();
    expect(browser.takeProblems()).toEqual([expect.stringContaining('400')]);

    await page.getByLabel('Phone', { exact: true }).fill('(303) 555-0101');
    await button(page, 'Never call it').click();
    const row = page.getByRole('row', { name: /\(303\) 555-0101.*Staff, Clinic staff/ });
    await row.getByRole('button', { name: /^Allow again/ }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Allow again' }).click();
    await row.waitFor({ state: 'detached' });
  });

  test('a list of opt-outs shows what would be taken and what would not before it is, and is found by name then', async () => {
    const patient = await app.database.prisma.patient.create({
      data: {
        id: 'patient-opted-out',
        clinicId: app.clinic.clinicId,
        firstName: 'Quentin',
        lastName: 'Ashdown',
        phone: '+13035550188',
      },
    });
    const page = await asAdmin('/clinic/opt-outs');
    const file = { name: 'list.csv', mimeType: 'text/csv', buffer: Buffer.from('phone\n+13035550188\nsoon') };
    await page.locator('input[type=file]').setInputFiles(file);
    await page.getByText('2 lines: 1 new number, 1 that cannot be read.').waitFor();
    await page.getByText('Line 3: soon').waitFor();
    await page.getByText('phone cannot be read as a phone number').waitFor();
    expect(await app.database.prisma.optOut.count({ where: { phone: patient.phone ?? '' } })).toBe(0);

    await button(page, 'Import 1 and leave the rest out').click();
    await page.getByText('1 number was added').waitFor();
    // Where there is one number alone, the list would look the same before it is searched.
    const search = page.getByLabel('Search opt-outs');
    await search.fill('nobody');
    await page.getByText('Nobody of that name or number has opted out').waitFor();
    await search.fill('ashdown');

    await page.getByRole('row', { name: /555-0188 Quentin Ashdown/ }).waitFor();
    await page.getByRole('row').nth(2).waitFor({ state: 'detached' });
    expect(browser.takeProblems()).toEqual([]);

    await button(page, 'Allow again: (303) 555-0188').click();
    const question = page.getByRole('dialog', { name: 'Allow calls to (303) 555-0188 again?' });
    await question.getByRole('radio', { name: 'It was entered by mistake' }).check();
    expect(await accessibilityProblems(page)).toEqual([]);
    await question.getByRole('button', { name: 'Allow again' }).click();
    await page.getByText('(303) 555-0188 may be called again.').waitFor();
    const { action, detail } = await app.database.prisma.auditEntry.findFirstOrThrow({
      where: { action: 'opt-out.remove' },
      orderBy: { at: 'desc' },
    });
    expect({ action, detail }).toEqual({ action: 'opt-out.remove', detail: { reason: 'entered_by_mistake' } });
  });

  test('what is refused in a list is told by the label of its field', async () => {
    const page = await asAdmin('/connections/phone-numbers');
    await button(page, 'Add a number').click();
    await page.getByLabel('Number', { exact: true }).last().fill('soon');
    await button(page, 'Save all numbers').click();

    await page.getByText(/^Number, line \d+, must be/).waitFor();
    expect(browser.takeProblems()).toEqual([expect.stringContaining('400')]);
  });

  test('what is changed stands beside a Save that stays in sight; it is asked about, and stays when somebody else saves', async () => {
    const policy = (await ask('GET', '/integrations/recovery-policy')).body;
    const page = await asAdmin('/clinic/calling', 'phone');
    const save = button(page, 'Save');
    await save.waitFor();
    expect(await save.isDisabled()).toBe(true);
    await page.getByLabel('Maximum attempts').fill('7');
    await page.getByLabel('Maximum calls at once').fill('3');
    await page.getByText('Changed: Maximum attempts, Maximum calls at once').waitFor();
    const { y = 0, height = 0 } = (await save.boundingBox()) ?? {};
    expect({ isEnabled: await save.isEnabled(), isInSight: y > 0 && y + height <= 844 }).toEqual({
      isEnabled: true,
      isInSight: true,
    });
    await page.setViewportSize({ width: 1280, height: 860 });

    await page.getByRole('link', { name: 'Calls', exact: true }).click();
    await page.getByRole('dialog', { name: 'Leave without saving?' }).waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    await button(page, 'Stay here').click();
    await ask('PUT', '/integrations/recovery-policy', { ...policy, maxAttempts: 9 });
    await page.getByText('Somebody else has changed these settings').waitFor();
    expect(await page.getByLabel('Maximum attempts').inputValue()).toBe('7');
    expect(await accessibilityProblems(page)).toEqual([]);

    await button(page, 'Show the newer settings').click();
    await eventually(async () => (await page.getByLabel('Maximum attempts').inputValue()) === '9');
    await page.getByRole('link', { name: 'Calls', exact: true }).click();
    await heading(page, 'Calls').waitFor();
    await ask('PUT', '/integrations/recovery-policy', policy);
  });
});

describe('words', () => {
  test('a resume link is promised, and sent by the clinic itself', async () => {
    const { recoveryCaseId } = await anEndedCase({ phone: phones.agrees });
    const page = await asAdmin(`/cases/${recoveryCaseId}`);
    await page.getByText('Promised; your system sends it').waitFor();
  });

  test('a wrong number is not the failure of the voice platform', async () => {
    const { workflowId } = await anEndedCase({ phone: phones.hangsUp });
    const [call] = await app.callsOf(workflowId);
    await app.database.prisma.call.update({
      where: { id: call?.id },
      data: { endedReason: 'call.start.error-failed' },
    });
    const page = await asAdmin(`/calls/${call?.id}`);
    await page.getByText('The voice platform failed').waitFor();

    await app.database.prisma.call.update({ where: { id: call?.id }, data: { endedReason: 'customer-misdialed' } });
    await page.reload();
    await page.getByText('Wrong number').waitFor();
    expect(await page.getByText('The voice platform failed').count()).toBe(0);
  });

  test('every reason of a task has words', async () => {
    const { clinicId } = app.clinic;
    for (const reason of ['registration_incomplete', 'workflow_failed'] as const)
      await app.stores.tasks.open({ clinicId, reason, cause: reason });
    const page = await asAdmin('/tasks');
    for (const title of ['Complete a registration', 'Finish a failed workflow by hand'])
      await page.getByRole('row', { name: new RegExp(title) }).waitFor();
  });

  test('the next appointment stands with its year', async () => {
    const { apiKey: bearer } = app.clinic;
    const [slot] = (await app.request('GET', '/availability?providerName=Dr.Chen&limit=1', { bearer })).body.slots;
    const [patient] = (await ask('GET', '/patients?limit=1')).body.items;
    const body = { patientId: patient.id, providerName: 'Dr.Chen', startsAt: slot.startsAt };
    await app.request('POST', '/appointments', { bearer, body });
    const page = await asAdmin('/patients');
    const year = slot.startsAt.slice(0, 4);
    await page.getByRole('row', { name: new RegExp(`${patient.firstName}.*, ${year}, `) }).waitFor();

    await page.goto(`/calendar?provider=*&week=${slot.startsAt.slice(0, 10)}`);
    await page.getByRole('list', { name: 'Dr. Maya Chen' }).getByRole('button', { name: patient.firstName }).waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
  });
});

describe('the overview', () => {
  test('each tile leads to what it counts', async () => {
    await ask('POST', '/voice/test-calls', { workflowType: 'appointment-reminder' });
    const { recoveryCaseId } = await anEndedCase({ phone: phones.agrees });
    // Played cases are left out, with a word: this one is not.
    const play = (isSimulated: boolean) => app.database.sql`
      update workflow_runs set is_simulated = ${isSimulated}
      where id = (select workflow_id from recovery_cases where id = ${recoveryCaseId})`;
    await play(false);
    await anEndedCase({ phone: phones.agrees });
    const page = await asAdmin('/');
    await page.getByRole('link', { name: /simulated cases? (is|are) left out/ }).waitFor();
    await page.getByRole('region', { name: 'Latest cases' }).getByText('Simulated').first().waitFor();
    // A tile holds its name, its value and a note.
    const valueOf = async (name: RegExp) =>
      Number(await page.getByRole('link', { name }).locator('span').nth(1).textContent());
    await page.getByRole('link', { name: /^Calls running/ }).waitFor();
    await eventually(async () => (await valueOf(/^Calls running/)) === 0);
    const opened = await valueOf(/^Cases today/);

    await page.getByRole('link', { name: /^Calls running/ }).click();
    await page.getByText('No call is running').waitFor();
    await button(page, 'Show: Live').first().click();
    await page.getByRole('menuitem', { name: 'Open test calls' }).click();
    const tests = page.getByRole('table', { name: 'Calls' }).getByRole('link');
    await tests.first().waitFor();
    const open = await tests.count();
    await tests.first().click();
    await button(page, 'Close the test call').click();
    await page.getByText('The test call is closed.').waitFor();
    await page.getByRole('main').getByRole('link', { name: 'Calls' }).click();
    await eventually(async () => (await tests.count()) === open - 1);

    await page.goto('/');
    await page.getByRole('link', { name: /^Cases today/ }).click();
    await page.getByRole('table', { name: 'Recovery cases' }).waitFor();
    expect(await page.getByRole('table', { name: 'Recovery cases' }).getByRole('link').count()).toBe(opened);

    await page.goto('/');
    await page.getByRole('link', { name: /^Appointments today/ }).click();
    await page.getByRole('combobox', { name: 'Provider' }).waitFor();
    expect(await page.getByRole('combobox', { name: 'Provider' }).locator(':checked').innerText()).toBe(
      'All providers',
    );
    await play(true);
  });
});

describe('the front desk', () => {
  const openTimes = (page: Page) => page.getByRole('group', { name: 'Open times' }).getByRole('button');
  const confirm = (page: Page, name: string) => page.getByRole('dialog').getByRole('button', { name, exact: true });
  const choice = (page: Page, name: string) =>
    page.getByRole('dialog').locator('label').getByText(name, { exact: true });

  /** A patient of the clinic's own, known by name and phone. */
  const aPatient = async (firstName: string, phone: string): Promise<string> => {
    const body = { firstName, lastName: 'Okonkwo-Byrne', phone, dateOfBirth: '1980-03-05' };
    return (await ask('POST', '/patients', body)).body.id;
  };

  const isExact = ({ isSimilar }: { isSimilar: boolean }) => !isSimilar;

  test('finds the caller, books, moves and cancels; a time that is taken meanwhile is not replaced by another', async () => {
    const patientId = await aPatient('Winifred', '+13035550142');
    const page = await browser.visit({ token: await app.staff() });
    await page.goto('/');
    await button(page, 'Find or do something').click();
    await page.keyboard.type('(303) 555-0142', keyByKey);
    await page.getByRole('option', { name: /Winifred Okonkwo-Byrne.*\(303\) 555-0142/ }).waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    await page.getByRole('option', { name: /Winifred/ }).click();
    await heading(page, 'Winifred Okonkwo-Byrne').waitFor();
    expect(await page.getByRole('link', { name: '(303) 555-0142' }).getAttribute('href')).toBe('tel:+13035550142');

    await button(page, 'Book an appointment').click();
    await choice(page, 'Dr. Maya Chen').click();
    await page.getByRole('dialog').getByText('with Dr. Maya Chen').waitFor();
    await openTimes(page).nth(1).click();
    expect(await accessibilityProblems(page)).toEqual([]);
    const { apiKey: bearer } = app.clinic;
    const { slots } = (await app.request('GET', '/availability?providerName=Dr.Chen&limit=2', { bearer })).body;
    const body = { patientId, providerName: 'Dr.Chen', startsAt: slots[1].startsAt };
    const { id: taken } = (await app.request('POST', '/appointments', { bearer, body })).body;
    // It is gone from the dialog, and no other is chosen in its place.
    await page.getByText(/has just been taken: choose another time\.$/).waitFor();
    expect(await confirm(page, 'Book').isDisabled()).toBe(true);
    await app.request('POST', `/appointments/${taken}/cancel`, { bearer });
    await page.getByText('Nothing is booked.').waitFor();

    await openTimes(page).first().click();
    await confirm(page, 'Book').click();
    await page.getByText(/^Booked: /).waitFor();
    await button(page, /^Move /).click();
    await page.getByText('nobody on the waitlist wants such a time').waitFor();
    await choice(page, 'Any provider').click();
    await choice(page, 'Dr. Samuel Okafor').click();
    await choice(page, 'Next available').click();
    await openTimes(page).nth(3).click();
    await page.getByRole('dialog').getByText('with Dr. Samuel Okafor').waitFor();
    await confirm(page, 'Move').click();
    await page.getByText(/^Moved to /).waitFor();
    const ofPatient = async () =>
      (await ask('GET', `/patients/${patientId}`)).body.appointments.filter(({ id }: { id: string }) => id !== taken);
    expect(await ofPatient()).toMatchObject([{ status: 'booked', providerName: 'Dr.Okafor' }]);
    await button(page, 'Undo').click();
    await page.getByText(/^Moved back to /).waitFor();
    expect(await ofPatient()).toMatchObject([{ status: 'booked', providerName: 'Dr.Chen' }]);

    await button(page, /^Cancel /).click();
    expect(await confirm(page, 'Cancel the appointment').isDisabled()).toBe(true);
    await choice(page, 'No transportation').click();
    expect(await accessibilityProblems(page)).toEqual([]);
    await confirm(page, 'Cancel the appointment').click();
    await page.getByText('The appointment is cancelled.').waitFor();
    expect(await ofPatient()).toMatchObject([{ status: 'cancelled', cancellationReason: 'pat-lt' }]);
    await button(page, 'Undo').click();
    await page.getByText('The appointment is booked again.').waitFor();
    expect(await ofPatient()).toMatchObject([{ status: 'booked', cancellationReason: null }]);

    await button(page, /^Stop calling/).click();
    await confirm(page, 'Stop calling').click();
    await page.getByText('(303) 555-0142 is not called any more.').waitFor();
    await page.getByText('Do not call', { exact: true }).waitFor();
    await button(page, /^Allow again/).click();
    await confirm(page, 'Allow again').click();
    await page.getByText('Do not call', { exact: true }).waitFor({ state: 'detached' });
    const calls = page.getByRole('region', { name: 'Calls to this patient' });
    await calls.getByText('May be called again since').waitFor();
    await calls.getByText('The patient wants to be called again').waitFor();
    const happened = page.getByRole('list', { name: 'What happened' }).getByRole('heading');
    const time = '\\w+, \\w+ \\d[^:]*:\\d+ [AP]M with Dr\\. ';
    for (const told of [
      `booked a visit: ${time}Maya Chen`,
      `moved a visit from ${time}Maya Chen to ${time}Samuel Okafor`,
      `moved a visit from ${time}Samuel Okafor to ${time}Maya Chen`,
      `cancelled the visit of ${time}Maya Chen`,
      `undid the cancellation of the visit of ${time}Maya Chen`,
    ]) {
      await happened.filter({ hasText: new RegExp(`^Clinic staff ${told}$`) }).waitFor();
    }
    expect(await happened.filter({ hasText: /^Follow-up consultation, / }).count()).toBe(0);
    expect(await accessibilityProblems(page)).toEqual([]);
  });

  test('a dialog whose visit is cancelled meanwhile is gone, and says so; one that was closed says nothing', async () => {
    const patientId = await aPatient('Wilhelmina', '+13035550139');
    const { apiKey: bearer } = app.clinic;
    const { slots } = (await app.request('GET', '/availability?providerName=Dr.Chen&limit=2', { bearer })).body;
    const [id, left] = await Promise.all(
      slots.map(async ({ startsAt }: { startsAt: string }) => {
        const body = { patientId, providerName: 'Dr.Chen', startsAt };
        return (await app.request('POST', '/appointments', { bearer, body })).body.id;
      }),
    );
    const cancel = (appointmentId: string) => app.request('POST', `/appointments/${appointmentId}/cancel`, { bearer });
    const page = await browser.visit({ token: await app.staff() });
    await page.goto(`/patients/${patientId}`);
    const move = page.getByRole('dialog', { name: /^Move / });
    const told = page.getByRole('alert').getByText(/^“Move .* with Dr. Maya Chen” was closed/);

    const moves = button(page, /^Move /);
    await moves.first().click();
    await move.waitFor();
    await page.keyboard.press('Escape');
    await move.waitFor({ state: 'detached' });
    await cancel(left);
    await moves.nth(1).waitFor({ state: 'detached' });
    expect(await told.count()).toBe(0);

    await moves.click();
    await move.waitFor();
    await cancel(id);
    await told.waitFor();
    expect(await move.count()).toBe(0);
    await page.locator('main :focus').waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
  });

  test('what was told does not cover the buttons of the dialog that is opened next, on a phone, and Back leaves that alone', async () => {
    const patientId = await aPatient('Xanthe', '+13035550146');
    const page = await asAdmin('/patients', 'phone');
    await page.locator(`a[href="/patients/${patientId}"]`).click();
    await button(page, 'Book an appointment').click();
    await confirm(page, 'Book').click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await button(page, /^Move /).click();
    await openTimes(page).first().waitFor();

    await confirm(page, 'Close').last().click({ trial: true });
    expect(await page.getByText(/^Booked: /).isVisible()).toBe(true);
    await page.goBack();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await heading(page, /Xanthe/).waitFor();
  });

  test('does the same by keyboard alone: find, book, move, edit, note, opt out', async () => {
    const patientId = await aPatient('Ximena', '+13035550143');
    const page = await browser.visit({ token: await app.staff() });
    await page.goto('/queue');
    await heading(page, 'Queue').waitFor();
    await page.keyboard.press('Control+k');
    await page.locator('input:focus').waitFor();
    await page.keyboard.type('303 555 0143', keyByKey);
    await page.getByRole('option', { name: /Ximena/ }).waitFor();
    await page.keyboard.press('Enter');
    await heading(page, 'Ximena Okonkwo-Byrne').waitFor();

    const book = async () => {
      await tabTo(page, 'Book an appointment');
      await page.keyboard.press('Enter');
      await openTimes(page).first().waitFor();
      // Times of an earlier look are shown before one is chosen; Tab goes past the button until then.
      await confirm(page, 'Book').and(page.locator(':enabled')).waitFor();
      await tabTo(page, 'Book');
      await page.keyboard.press('Enter');
      await page.getByText(/^Booked: /).waitFor();
    };
    await book();
    await page.keyboard.press('z');
    await page.getByText('The appointment is cancelled.').waitFor();
    const { appointments } = (await ask('GET', `/patients/${patientId}`)).body;
    expect(appointments).toMatchObject([{ status: 'cancelled', cancellationReason: 'oth-err' }]);
    await button(page, /^Move /).waitFor({ state: 'detached' });
    await book();
    await tabTo(page, /^Move /);
    await page.keyboard.press('Enter');
    const later = button(page, 'Show the next open times');
    await openTimes(page).or(later).first().waitFor();
    // The day's last visit has no other time on its day.
    if (await later.isVisible()) {
      await tabTo(page, 'Show the next open times');
      await page.keyboard.press('Enter');
      await openTimes(page).first().waitFor();
    }
    for (const name of [/^\d+:\d+/, 'Move']) {
      await tabTo(page, name);
      await page.keyboard.press('Enter');
    }
    await page.getByText(/^Moved to /).waitFor();
    await page.keyboard.press('z');
    await page.getByText(/^Moved back to /).waitFor();

    await page.keyboard.press('Control+k');
    await page.keyboard.type('note', { delay: 60 });
    await page.getByRole('option', { name: /^New note/, selected: true }).waitFor();
    expect(await page.getByRole('option', { name: /register “/i }).count()).toBe(0);
    await page.keyboard.press('Enter');
    await page.locator('textarea:focus').waitFor();
    await page.keyboard.type('Prefers the afternoon.');
    await tabTo(page, 'Add the note');
    await page.keyboard.press('Enter');
    await page.getByText('Prefers the afternoon.').waitFor();
    await page.getByRole('heading', { name: 'Note by Clinic staff' }).waitFor();

    await tabTo(page, 'Edit');
    await page.keyboard.press('Enter');
    await page.getByLabel('Phone', { exact: true }).waitFor();
    await tabTo(page, 'Phone');
    await page.keyboard.press('Control+a');
    await page.keyboard.type('(303) 555-01');
    await page.keyboard.press('Enter');
    await page.getByText('This cannot be read as a phone number').waitFor();
    expect(browser.takeProblems()).toEqual([expect.stringContaining('400')]);
    await page.keyboard.press('End');
    await page.keyboard.type('99', keyByKey);
    await page.keyboard.press('Enter');
    await page.getByRole('link', { name: '(303) 555-0199' }).waitFor();

    for (const [text, about] of [
      ['spanish', 'Edit Ximena'],
      ['add to wait', 'Waitlist: Ximena'],
      ['stop call', 'Stop calling Ximena'],
    ] as const) {
      await page.keyboard.press('Control+k');
      await page.keyboard.type(text, { delay: 60 });
      await page.getByRole('option', { selected: true }).filter({ hasText: about }).waitFor();
      await page.keyboard.press('Enter');
      await page.getByRole('dialog', { name: about }).waitFor();
      if (text === 'stop call') continue;
      await page.keyboard.press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'detached' });
    }
    await tabTo(page, 'Stop calling');
    await page.keyboard.press('Enter');
    await page.getByText('(303) 555-0199 is not called any more.').waitFor();
    const { body } = await ask('GET', `/patients/${patientId}`);
    expect(body).toMatchObject({ phone: '+13035550199', documents: [{ note: 'Prefers the afternoon.' }] });
  });

  test('⌘K: every key lands that is typed at once, and none of them is a shortcut; whom nobody matches is registered', async () => {
    const page = await browser.visit({ token: await app.staff() });
    // With what moves, and on a machine of a front desk.
    await page.emulateMedia({ reducedMotion: 'no-preference' });
    const devtools = await page.context().newCDPSession(page);
    await devtools.send('Emulation.setCPUThrottlingRate', { rate: 3 });
    await page.goto('/queue');
    await heading(page, 'Queue').waitFor();
    for (let time = 0; time < 2; time += 1) {
      await page.keyboard.press('Control+k');
      await page.keyboard.type('gp zzz', { delay: 60 });
      expect([await page.locator('input:focus').inputValue(), new URL(page.url()).pathname]).toEqual([
        'gp zzz',
        '/queue',
      ]);
      await page.keyboard.press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'detached' });
    }

    await devtools.send('Emulation.setCPUThrottlingRate', { rate: 1 });
    await aPatient('Hedwig', '+13035550161');
    await page.keyboard.press('Control+k');
    await page.keyboard.type('hedwig quist 2/26/1990 303 555 0161', { delay: 60 });
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Register a patient' });
    await dialog.getByText('Somebody like this is on file').waitFor();
    expect(await dialog.getByLabel('Last name').inputValue()).toBe('Quist');
    expect(await dialog.getByLabel('Date of birth').inputValue()).toBe('02/26/1990');
    await dialog.getByText('The same: phone', { exact: true }).waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    await page.keyboard.press('Enter');
    await page.locator('button:focus', { hasText: 'Open this one instead' }).waitFor();
    await tabTo(page, 'Register anyway');
    await page.keyboard.press('Enter');
    await heading(page, 'Hedwig Quist').waitFor();
    await page.getByRole('main').getByRole('link', { name: '(303) 555-0161' }).waitFor();
  });

  test('a caller is found by a birth date as people write it, and by a name that is written nearly so', async () => {
    const person = { firstName: 'Gwendolyn', lastName: 'Okonkwo-Byrne', dateOfBirth: '2016-02-26' };
    await ask('POST', '/patients', { ...person, phone: '+13035550173' });
    const page = await browser.visit({ token: await app.staff() });
    await page.goto('/queue');
    await heading(page, 'Queue').waitFor();
    for (const text of ['02/26/2016', '02262016', 'okonkwo Feb 26 16', 'gwendolin okonkwo', '0173']) {
      await page.keyboard.press('Control+k');
      await page.keyboard.type(text, { delay: 60 });
      await page.getByRole('option', { name: /Gwendolyn Okonkwo-Byrne/ }).waitFor();
      await page.keyboard.press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'detached' });
    }

    await page.keyboard.press('Control+k');
    await page.keyboard.type('wenda okonkwo-byrne', { delay: 60 });
    await page.getByRole('option', { name: /Gwendolyn Okonkwo-Byrne.*similar name/ }).waitFor();
    expect(await page.getByRole('option', { selected: true }).innerText()).toMatch(/^Gwendolyn Okonkwo-Byrne/);
    expect(await page.getByRole('option').last().innerText()).toMatch(/^Register “wenda okonkwo-byrne”/);
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('Enter');
    const registration = page.getByRole('dialog', { name: 'Register a patient' });
    expect(await registration.getByLabel('First name').inputValue()).toBe('Wenda');
    await registration.getByLabel('Phone').and(page.locator(':focus')).waitFor();
    await page.keyboard.type('303');
    await page.keyboard.press('Escape');
    await button(page, 'Go on typing').click();
    await registration.getByLabel('Phone').and(page.locator(':focus')).waitFor();
    expect(await registration.getByLabel('Phone').inputValue()).toBe('303');
    // The question has gone once the field has the focus; the keys are the dialog's again a moment later.
    await page.waitForTimeout(300);
    await page.keyboard.press('Escape');
    await button(page, 'Close without saving').click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.goto('/patients');
    await page.getByRole('searchbox', { name: 'Search' }).fill('wenda okonkwo-byrne');
    await page.getByText('Similar names', { exact: true }).waitFor();
    await page.getByRole('link', { name: /^Gwendolyn Okonkwo-Byrne/ }).waitFor();
    expect(await page.getByText(/\d in all/).count()).toBe(0);

    for (const firstName of ['Ada', 'Bea', 'Cleo', 'Dot', 'Eve', 'Flo']) {
      await ask('POST', '/patients', { firstName, lastName: 'Quillfeather', phone: '+13035550174' });
    }
    // A number that nobody has is that of somebody new.
    await page.keyboard.press('Control+k');
    await page.keyboard.type('(303) 555-0179', { delay: 60 });
    await page.getByRole('option', { name: /^No patient matches: register/ }).waitFor();
    await page.keyboard.press('Enter');
    await registration.waitFor();
    expect(await registration.getByLabel('Phone').inputValue()).toBe('(303) 555-0179');
    await page.keyboard.press('Escape');
    await registration.waitFor({ state: 'detached' });
    await page.keyboard.press('Control+k');
    await page.keyboard.type('quillfeather', { delay: 60 });
    await page.getByRole('option', { name: /^Register “quillfeather”/ }).waitFor();
    await page.getByRole('option', { name: /^All 6 in Patients/ }).click();
    await page.getByRole('link', { name: /^Ada Quillfeather/ }).waitFor();
    expect(await page.getByRole('searchbox', { name: 'Search' }).inputValue()).toBe('quillfeather');
  });

  test('a walk-in is registered from the page of patients, or the one on file is opened instead, who wants calls after five in Spanish', async () => {
    const patientId = await aPatient('Ottoline', '+13035550162');
    const page = await browser.visit({ token: await app.staff() });
    await page.goto('/patients');
    await page.getByRole('searchbox', { name: 'Search' }).fill('otto unheard 3/5/1980');
    await page.getByText('No patient matches').waitFor();
    await button(page, 'Register a patient').click();
    const typed = page.getByRole('dialog', { name: 'Register a patient' });
    expect(await typed.getByLabel('Date of birth').inputValue()).toBe('03/05/1980');
    await page.keyboard.press('Escape');
    await typed.waitFor({ state: 'detached' });
    await page.getByRole('searchbox', { name: 'Search' }).fill('');
    await page.getByText('Ottoline Okonkwo-Byrne').waitFor();
    await button(page, 'Register a patient').click();
    await page.locator('[role=dialog] input:focus').waitFor();
    const dateOfBirth = typed.getByLabel('Date of birth');
    const alike = '**/api/patients/duplicates?*';
    const answering = aGate();
    await page.route(alike, async (route) => {
      await answering.opened;
      await route.continue();
    });
    for (const text of ['Otoline', 'Okonkwo-Birne', '3035550163', '03051980']) {
      await page.keyboard.type(text, { delay: 10 });
      if (text !== '03051980') await page.keyboard.press('Tab');
    }
    // Before the service has said who is alike, as fast as a key repeats.
    for (let time = 0; time < 2; time += 1) await page.keyboard.press('Enter');
    await page.unroute(alike);
    answering.open();
    const existing = button(page, 'Open this one instead: Ottoline Okonkwo-Byrne');
    await existing.waitFor();
    await button(page, 'Register anyway').waitFor();
    await typed.getByText('The same: birth date · Similar name · Similar phone', { exact: true }).waitFor();
    expect((await ask('GET', '/patients?search=otoline+birne')).body.items.filter(isExact)).toEqual([]);
    expect([await dateOfBirth.inputValue(), await typed.getByLabel('Phone').inputValue()]).toEqual([
      '03051980',
      '3035550163',
    ]);
    await dateOfBirth.press('Enter');
    await existing.and(page.locator(':focus')).waitFor();
    await button(page, 'Open this one instead: Ottoline Okonkwo-Byrne').click();
    await heading(page, 'Ottoline Okonkwo-Byrne').waitFor();
    expect(new URL(page.url()).pathname).toBe(`/patients/${patientId}`);

    await button(page, 'Edit').click();
    const dialog = page.getByRole('dialog');
    const callFrom = dialog.getByLabel('Call from');
    await callFrom.pressSequentially('5 pm', keyByKey);
    await page.keyboard.press('Tab');
    expect(await callFrom.inputValue()).toBe('5:00 PM');
    await dialog.getByLabel('Language').selectOption('Spanish');
    await dialog.getByText('Changed: Call from, Language').waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    await button(page, 'Save').click();
    await dialog.waitFor({ state: 'detached' });
    await page.getByText('Calls after 5:00 PM').waitFor();
    await page.getByText('Spanish', { exact: true }).waitFor();
    const story = page.getByRole('list', { name: 'What happened' });
    await story.getByText('changed the record: When to call, Language').waitFor();
    await story.getByText('First on record').waitFor();

    await button(page, 'Edit').click();
    await dialog.getByLabel('E-mail').fill('ottoline@home.example');
    await ask('PATCH', `/patients/${patientId}`, { address: '12 Harbor Road', email: 'o@work.example' });
    await dialog.getByText('Address: 12 Harbor Road').waitFor();
    await button(page, 'Save').click();
    await dialog.waitFor({ state: 'detached' });
    expect((await ask('GET', `/patients/${patientId}`)).body).toMatchObject({
      address: '12 Harbor Road',
      email: 'ottoline@home.example',
    });

    await aPatient('Otto', '+13035550163');
    await page.reload();
    await button(page, 'Compare: Otto Okonkwo-Byrne').click();
    const comparison = page.getByRole('dialog', { name: 'Is this the same person?' });
    await comparison.getByRole('radio', { name: '(303) 555-0163' }).check();
    await comparison.getByText('nothing: there is nothing on the record that is not kept').waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    await comparison.getByRole('button', { name: 'Merge' }).click();
    await comparison.waitFor({ state: 'detached' });
    await page.getByText('Another record was merged into this one').waitFor();
    // What opened the dialog is gone.
    await page.locator('h1:focus').waitFor();
    await page.getByRole('main').getByRole('link', { name: '(303) 555-0163' }).first().waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    await button(page, 'Undo the merge').click();
    await page.getByRole('dialog').getByRole('button', { name: 'Undo the merge' }).click();
    await button(page, 'Compare: Otto Okonkwo-Byrne').click();
    await page.getByRole('main').getByRole('link', { name: '(303) 555-0162' }).first().waitFor();
    // At once by the key, without a question.
    await comparison.getByRole('button', { name: 'Merge' }).click();
    await page.getByText('The two records are one now.').last().waitFor();
    await page.locator('h1:focus').waitFor();
    await page.keyboard.press('z');
    await button(page, 'Compare: Otto Okonkwo-Byrne').waitFor();
  });

  test('a call that comes in is a card with the patient and what was booked, without a reload, and is taken over', async () => {
    const { clinicId } = app.clinic;
    const patientId = await aPatient('Callista', '+13035550168');
    const desk = await browser.visit({ token: await app.staff() });
    await desk.goto('/');
    await heading(desk, 'My day').waitFor();
    const page = await asAdmin(`/patients/${patientId}`);
    await heading(page, 'Callista Okonkwo-Byrne').waitFor();

    const number = '+13035550100';
    await app.stores.phoneNumbers.replace(clinicId, [{ number, platformId: null, assistantId: 'assistant' }]);
    const call = { id: 'platform-callista', type: 'inboundPhoneCall' };
    const customer = { number: '+13035550168' };
    await app.voiceEvent({ type: 'assistant-request', call, phoneNumber: { number }, customer });
    await app.voiceEvent({ type: 'status-update', status: 'in-progress', call });
    const card = desk.getByRole('region', { name: 'On the phone now' });
    await card.getByRole('link', { name: 'Callista Okonkwo-Byrne' }).waitFor();
    await card.getByText('They called: New patient journey').waitFor();
    await card.getByRole('timer').waitFor();
    const asked = { providerName: 'Dr.Chen', aroundDate: '2035-03-06' };
    const { slots } = await app.tool('emr-tools/check_availability', call.id, asked);
    const { providerName, startsAt: scheduledAt } = slots[0];
    await app.tool('emr-tools/book_appointment', call.id, { providerName, visitType: 'Consultation', scheduledAt });
    const done = { name: 'Done in this call' };
    await card
      .getByRole('list', done)
      .getByText(/^Booked: /)
      .waitFor();
    expect(await accessibilityProblems(desk)).toEqual([]);
    await page
      .getByRole('region', { name: 'On the phone now' })
      .getByRole('list', done)
      .getByText(/^Booked: /)
      .waitFor();

    await card.getByRole('button', { name: 'Take over' }).click();
    await desk.getByRole('dialog').getByRole('button', { name: 'Take over' }).click();
    await card.getByRole('link', { name: 'Your task' }).waitFor();
    await page.getByRole('link', { name: 'Taken over by Clinic staff' }).waitFor();
    await app.voiceEvent({ type: 'end-of-call-report', endedReason: 'customer-ended-call', call });
    await card.waitFor({ state: 'detached' });
    const { items } = (await ask('GET', `/tasks?patientId=${patientId}&reason=follow_up_required`)).body;
    expect(items).toMatchObject([{ assignee: { name: 'Clinic staff' } }]);
  });

  test('⌘K says what could not be searched, and finds providers, pages and what the role may do', async () => {
    const page = await browser.visit({ token: await app.staff() });
    await page.route(/\/api\/patients\?/, (route) =>
      route.fulfill({ status: 503, json: { statusCode: 503, message: 'Busy' } }),
    );
    await page.goto('/queue');
    await heading(page, 'Queue').waitFor();
    await page.keyboard.press('Control+k');
    const options = page.getByRole('option');
    await options.filter({ hasText: 'Register a patient' }).waitFor();
    expect(await options.filter({ hasText: 'Pause or resume calls' }).count()).toBe(0);
    await page.keyboard.type('chen', { delay: 60 });
    await options.filter({ hasText: 'Dr. Maya Chen' }).waitFor();
    await page.getByText('Patients: not searched. Busy.').waitFor();
    expect(await page.getByText('Nothing found.').count()).toBe(0);
    expect(await accessibilityProblems(page)).toEqual([]);
    expect(browser.takeProblems()).toContainEqual(expect.stringContaining('503'));
  });

  test('⌘K finds a page by other words for it, and registers nobody who has no name or is called as a page is', async () => {
    const page = await asAdmin('/queue');
    await heading(page, 'Queue').waitFor();
    await page.keyboard.press('Control+k');
    const field = page.getByRole('dialog').getByRole('combobox');
    const options = page.getByRole('option');
    const register = options.filter({ hasText: /register “/i });
    for (const [text, title] of [
      ['optouts', 'Opt-outs'],
      ['holiday', 'Hours'],
      ['visit-type', 'Providers'],
      ['erase', 'Patients'],
      ['language', 'Español'],
      ['FHIR', 'Your EHR or API'],
      ['failed', 'Deliveries'],
      ['clock', 'Sandbox'],
      ['legal hold', 'Patients'],
      ['roles', 'People'],
      ['goal', 'Results: currency and goals'],
      ['target', 'Results: currency and goals'],
      ['import', 'Opt-outs'],
      ['secret', 'Inbound events'],
      ['test event', 'Outbound events'],
      ['endpoint', 'Outbound events'],
      ['scene', 'Try it'],
      ['failure', 'Sandbox'],
      ['reset', 'Sandbox'],
      ['spanish', 'Español'],
      ['resume', 'Pause or resume calls'],
      ['password', 'My account'],
    ] as const) {
      await field.fill(text);
      await options.filter({ hasText: title }).waitFor();
      await page.getByText(/^\d+ found$/).waitFor();
      expect([text, await register.count()]).toEqual([text, 0]);
    }
    await field.fill('calling');
    await page.getByRole('option', { name: 'Calling policy', selected: true }).waitFor();
    await options.filter({ hasText: 'Stop calling a number' }).waitFor();
    for (const text of ['April 5th, 1949', 'Apr 5 49', 'born April 5th 1949', '99979997']) {
      await field.fill(text);
      await page.getByText(/^Nothing found\. Type a name/).waitFor();
      expect([text, await options.count()]).toEqual([text, 0]);
      await field.fill('');
      await page.getByText(/^Type a name/).waitFor();
    }
    const [above, below] = [await page.locator('.mantine-Modal-header').boundingBox(), await field.boundingBox()];
    expect((below?.y ?? 0) - (above?.y ?? 0) - (above?.height ?? 0)).toBeGreaterThanOrEqual(1);
    await field.fill('nobody born April 5th 1949');
    await register.waitFor();
    await page.keyboard.press('Enter');
    const registration = page.getByRole('dialog', { name: 'Register a patient' });
    expect(await registration.getByLabel('Date of birth').inputValue()).toBe('04/05/1949');
    await page.keyboard.press('Escape');
    await registration.waitFor({ state: 'detached' });
    await page.keyboard.press('Control+k');
    await page.keyboard.type('help', { delay: 60 });
    await page.getByRole('option', { name: 'Keyboard shortcuts', selected: true }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    // What is done somewhere begins there.
    for (const [text, chosen, begun] of [
      ['invite', 'Invite a person', page.getByRole('dialog', { name: 'Invite a person' })],
      ['pause', 'Pause or resume calls', page.getByLabel('Reason').and(page.locator(':focus'))],
    ] as const) {
      await page.keyboard.press('Control+k');
      await page.keyboard.type(text, { delay: 60 });
      await page.getByRole('option', { name: chosen, selected: true }).waitFor();
      await page.keyboard.press('Enter');
      await begun.waitFor();
      await page.keyboard.press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'detached' });
    }
  });

  test('books next Tuesday afternoon with a provider in five clicks, and the next time of anybody in three', async () => {
    const patientId = await aPatient('Yolanda', '+13035550144');
    const page = await browser.visit({ token: await app.staff() });
    await page.goto(`/patients/${patientId}`);
    await button(page, 'Book an appointment').waitFor();
    // By the clinic's calendar: in UTC it may be tomorrow.
    const today = Date.parse(new Date().toLocaleDateString('en-CA', { timeZone: 'America/Denver' }));
    const tuesday = new Date(today + 86_400_000);
    while (tuesday.getUTCDay() !== 2) tuesday.setUTCDate(tuesday.getUTCDate() + 1);
    const chip = tuesday.toLocaleDateString('en-US', {
      weekday: 'short',
      day: 'numeric',
      month: 'short',
      timeZone: 'UTC',
    });
    const isTomorrow = tuesday.getTime() === today + 86_400_000;

    for (const target of [
      button(page, 'Book an appointment'),
      choice(page, 'Dr. Maya Chen'),
      choice(page, isTomorrow ? 'Tomorrow' : chip),
      choice(page, 'Afternoon'),
    ]) {
      await page.waitForTimeout(700);
      await target.click();
    }
    await page
      .getByRole('dialog')
      .getByText(`${chip.replace(/,.*/, '')}, `)
      .first()
      .waitFor();
    await page.waitForTimeout(700);
    await confirm(page, 'Book').click();
    await page.getByText(/^Booked: Tue, .* (12|1|2|3|4|5):\d\d PM/).waitFor();
    await page.goto('/calendar?book=new');
    await page.getByRole('dialog').getByLabel('Patient').pressSequentially('555-0144', keyByKey);
    await page.getByRole('option', { name: /Yolanda/ }).click();
    await confirm(page, 'Book').click();
    await page.getByText(/^Booked: .* with .*, for Yolanda Okonkwo-Byrne\./).waitFor();
    await page
      .getByRole('button', { name: /Yolanda/ })
      .first()
      .waitFor();
    // The next caller gets the next time, not the one that has just been booked.
    await button(page, 'Book an appointment').click();
    await page.getByRole('dialog').getByRole('button', { pressed: true }).waitFor();
    await page.waitForTimeout(700);
    expect(await page.getByRole('dialog').getByRole('status').innerText()).not.toMatch(/taken/);
    await page.keyboard.press('Escape');

    const { appointments } = (await ask('GET', `/patients/${patientId}`)).body;
    const [first] = (await app.request('GET', '/availability?limit=1', { bearer: app.clinic.apiKey })).body.slots;
    expect(appointments.map(({ providerName }: { providerName: string }) => providerName)).toContain('Dr.Chen');
    expect(appointments.some(({ startsAt }: { startsAt: string }) => startsAt <= first.startsAt)).toBe(true);
  });

  test('the first visit of a patient is one for new patients, the next one not, and begins with another time', async () => {
    const patientId = await aPatient('Philippa', '+13035550175');
    const page = await browser.visit({ token: await app.staff() });
    await page.goto(`/patients/${patientId}`);
    const dialog = page.getByRole('dialog', { name: 'Book for Philippa Okonkwo-Byrne' });
    const visit = dialog.getByLabel('Visit');
    await button(page, 'Book an appointment').click();
    // Among any of them only those who see new patients; who does not is said.
    await dialog.getByText(/ with Dr\. .* · New patient visit$/).waitFor();
    await choice(page, 'Dr. Samuel Okafor').click();
    await dialog.getByText('Dr. Samuel Okafor has no visits for new patients.').waitFor();
    await choice(page, 'Any provider').click();
    await dialog.getByText(/ with Dr\. .* · New patient visit$/).waitFor();
    expect(await visit.inputValue()).toBe('New patient visit');
    await visit.click();
    await page.getByRole('option', { name: 'Annual physical' }).waitFor();
    await visit.fill('');
    expect(await confirm(page, 'Book').isDisabled()).toBe(true);
    await page.getByRole('option', { name: 'New patient visit' }).click();
    await confirm(page, 'Book').click();
    await page.getByText(/^Booked: /).waitFor();

    await button(page, 'Book an appointment').click();
    await dialog.getByText(/ with Dr\. .* · Follow-up consultation$/).waitFor();
    await confirm(page, 'Book').and(page.locator(':enabled')).waitFor();
    expect(await dialog.getByText('has just been taken').count()).toBe(0);
    const { appointments } = (await ask('GET', `/patients/${patientId}`)).body;
    expect(appointments).toMatchObject([{ visitType: 'New patient visit' }]);
    // Who was booked by a slip is as new as before.
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await button(page, 'Undo').click();
    await page.getByText('The appointment is cancelled.').waitFor();
    await button(page, 'Book an appointment').click();
    await dialog.getByText(/ with Dr\. .* · New patient visit$/).waitFor();
  });

  test('books a caller who is not on record: registered over the booking, which keeps its time and words, by keys from name to visit', async () => {
    const onFile = await aPatient('Perpetua', '+13035550171');
    const page = await browser.visit({ token: await app.staff() });
    await page.goto('/calendar?book=new');
    const dialog = page.getByRole('dialog', { name: 'Book an appointment' });
    const focused = (name: string) => dialog.getByRole('radio', { name, exact: true }).and(page.locator(':focus'));
    await dialog.getByLabel('Patient').and(page.locator(':focus')).waitFor();
    expect(await page.getByRole('listbox').count()).toBe(0);
    await openTimes(page).first().waitFor();
    // One stop each: the providers, the days, the time of day.
    await page.keyboard.press('Tab');
    await focused('Any provider').waitFor({ state: 'attached' });
    await page.keyboard.press('Tab');
    await focused('Next available').waitFor({ state: 'attached' });
    await page.keyboard.press('Tab');
    await focused('Any time').waitFor({ state: 'attached' });
    await choice(page, 'Dr. Samuel Okafor').click();
    await page.keyboard.press('ArrowLeft');
    await page.keyboard.press('ArrowRight');
    await dialog
      .getByRole('radio', { name: 'Dr. Samuel Okafor' })
      .and(page.locator(':checked'))
      .waitFor({ state: 'attached' });
    await dialog.getByLabel('Visit').fill('First visit');
    await openTimes(page).nth(2).click();
    const patient = dialog.getByLabel('Patient');
    await patient.click();
    await page.keyboard.type('perpetua quist 303 555 0171', { delay: 60 });
    await page.getByRole('option', { name: 'No patient matches: register “perpetua quist 303 555 0171”' }).waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    await page.keyboard.press('Enter');

    const registration = page.getByRole('dialog', { name: 'Register a patient' });
    await registration.getByText('Somebody like this is on file').waitFor();
    expect(await registration.getByLabel('Last name').inputValue()).toBe('Quist');
    expect(await accessibilityProblems(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await registration.waitFor({ state: 'detached' });
    await page.locator('input:focus').and(patient).waitFor();
    expect(await patient.inputValue()).toBe('perpetua quist 303 555 0171');

    await page.getByRole('option', { name: /^No patient matches: register/ }).click();
    await button(page, 'Choose this one instead: Perpetua Okonkwo-Byrne').click();
    await registration.waitFor({ state: 'detached' });
    await page.locator('input:focus').and(patient).waitFor();
    expect(await patient.inputValue()).toBe('Perpetua Okonkwo-Byrne');

    await page.keyboard.press('Control+a');
    await page.keyboard.type('perpetua quist 303 555 0172', { delay: 60 });
    await page.getByRole('option', { name: /^No patient matches: register/ }).waitFor();
    await page.keyboard.press('Enter');
    await registration.locator('input:focus').waitFor();
    await page.keyboard.type('04061991', { delay: 60 });
    // Where it begins: the focus is given twice, and what is typed may be quicker than the second time.
    await registration.locator('[data-autofocus]').and(registration.getByLabel('Date of birth')).waitFor();
    // It is not known yet whether somebody like this is on file.
    await page.route(/\/api\/patients\/duplicates/, async (route) => {
      await page.waitForTimeout(400);
      await route.continue();
    });
    for (let time = 0; time < 2; time += 1) await page.keyboard.press('Enter');
    await page.getByText('Perpetua Quist is registered.').waitFor();
    await page.locator('input:focus').and(patient).waitFor();
    await dialog.getByText('with Dr. Samuel Okafor').waitFor();
    await page.keyboard.press('Enter');
    await page.getByText(/^Booked: .* with Dr\. Samuel Okafor, for Perpetua Quist\./).waitFor();
    await page.getByRole('button', { name: /Perpetua Quist/ }).waitFor();
    await page.locator('h1:focus').waitFor();

    const registered = (await ask('GET', '/patients?search=perpetua+quist')).body.items.filter(isExact);
    expect(registered).toHaveLength(1);
    const [{ id, ...person }] = registered;
    expect(person).toMatchObject({ lastName: 'Quist', phone: '+13035550172', dateOfBirth: '1991-04-06' });
    expect((await ask('GET', `/patients/${id}`)).body.appointments).toMatchObject([
      { status: 'booked', providerName: 'Dr.Okafor', visitType: 'First visit' },
    ]);
    expect((await ask('GET', `/patients/${onFile}`)).body.appointments).toEqual([]);

    // Whoever books for her again is told.
    await page.goto('/calendar?book=new');
    await dialog.getByLabel('Patient').pressSequentially('perpetua quist', keyByKey);
    await page.getByRole('option', { name: /^Perpetua Quist/ }).click();
    await dialog.getByText(/^Booked already: .* with Dr\. Samuel Okafor\.$/).waitFor();
  });

  test('notes on the day list by a key each who came, who did not and who left, and puts somebody on the waitlist', async () => {
    const patientId = await aPatient('Zenobia', '+13035550145');
    const { slots } = (await app.request('GET', '/availability?limit=1', { bearer: app.clinic.apiKey })).body;
    const body = { patientId, providerName: slots[0].providerName, startsAt: slots[0].startsAt };
    const { id } = (await app.request('POST', '/appointments', { bearer: app.clinic.apiKey, body })).body;
    // As if it were under way, in a time that nobody else has.
    await app.database.sql`
      update appointments set status = 'cancelled', cancelled_at = now() where clinic_id = ${app.clinic.clinicId} and status = 'booked'
        and id <> ${id} and starts_at < now() + interval '30 minutes' and ends_at > now() - interval '2 minutes'`;
    await app.database.sql`
      update appointments set starts_at = date_trunc('minute', now()) - interval '1 minute',
        ends_at = date_trunc('minute', now()) + interval '29 minutes' where id = ${id}`;
    const page = await browser.visit({ token: await app.staff() });
    await page.goto('/calendar');
    await page.locator('#content').getByRole('link', { name: 'Day list' }).click();
    const row = page.getByRole('row', { name: /Zenobia Okonkwo-Byrne/ });
    await row.waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    await page.keyboard.press('j');
    const isNow = (status: string) => page.locator(`tr[data-status=${status}]`).and(row).waitFor();
    for (const [key, status] of [
      ['a', 'arrived'],
      ['l', 'fulfilled'],
      // As a visit is that nobody has noted anything of, once it is over; and who was missed may come late.
      ['n', 'noshow'],
      ['a', 'arrived'],
      ['u', 'booked'],
      ['n', 'noshow'],
    ] as const) {
      await page.keyboard.press(key);
      await isNow(status);
    }
    await button(page, 'Undo').click();
    await isNow('booked');
    // Who stands at the desk is looked up, and noted from their own page.
    await page.goto(`/patients/${patientId}`);
    await button(page, /^Arrived: /).waitFor();
    await page.keyboard.press('Control+k');
    await page.keyboard.type('here');
    await page.getByRole('option', { name: /^Arrived/, selected: true }).waitFor();
    await page.keyboard.press('Enter');
    await button(page, /^Left: /).waitFor();
    await button(page, /^Take back: /).click();
    await button(page, /^Arrived: /).waitFor();
    await page.goto('/day-list');
    await row.waitFor();
    // On paper every column is whole, on a sheet of Letter at its margins.
    await page.emulateMedia({ media: 'print' });
    await page.setViewportSize({ width: 720, height: 960 });
    const isCut = () =>
      page.evaluate<boolean>(
        "document.querySelector('table').getBoundingClientRect().right > document.documentElement.clientWidth",
      );
    await eventually(async () => !(await isCut()));
    await page.emulateMedia({ media: 'screen' });
    const schemeAfter = (event: string) =>
      page.evaluate<string>(
        `dispatchEvent(new Event('${event}')); document.documentElement.dataset.mantineColorScheme`,
      );
    await page.evaluate("document.documentElement.dataset.mantineColorScheme = 'dark'");
    expect([await schemeAfter('beforeprint'), await schemeAfter('afterprint')]).toEqual(['light', 'dark']);
    await page.evaluate("document.documentElement.dataset.mantineColorScheme = 'light'");
    await page.setViewportSize({ width: 1280, height: 860 });

    await page.goto('/waitlist');
    await button(page, 'Add to the waitlist').click();
    await page.getByRole('dialog').getByLabel('Patient').pressSequentially('555-0145', keyByKey);
    await page.getByRole('option', { name: /Zenobia/ }).click();
    await confirm(page, 'Add to the waitlist').click();
    await page.getByRole('row', { name: /Zenobia.*Any provider.*\(303\) 555-0145.*Waiting/ }).waitFor();
    await page.getByText('held for 15 minutes').waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    await button(page, /^Remove /).click();
    await page.getByText('Nobody is waiting').waitFor();
    await ask('PUT', '/abandonment-recovery/sandbox-emr/config', { enabled: false });
    await page.reload();
    await page.getByText('Nobody is called by itself').waitFor();
    await ask('PUT', '/abandonment-recovery/sandbox-emr/config', { enabled: true });
  });

  describe('in the calendar', () => {
    const provider = 'Dr.Chen';
    const block = (page: Page, at: string) => page.locator(`[data-block="${provider} ${at}"]`);

    /** Free times of one day, by the clinic's calendar, and the page of their week. */
    async function freeTimes(page: Page, many: number): Promise<string[]> {
      const { apiKey: bearer } = app.clinic;
      const { slots } = (await app.request('GET', `/availability?providerName=${provider}&limit=100`, { bearer })).body;
      const dayOf = (at: string) => at.slice(0, 10);
      const times = slots.map(({ startsAt }: { startsAt: string }) => startsAt);
      const last = dayOf(times.at(-1));
      const day = times.filter((at: string) => dayOf(at) !== last && dayOf(at) !== dayOf(times[0]));
      const ofOne = day.filter((at: string) => dayOf(at) === dayOf(day[0])).slice(-many);
      await page.goto(`/calendar?provider=${provider}&week=${dayOf(ofOne[0])}`);
      await block(page, ofOne[0]).waitFor();
      return ofOne;
    }

    const takes = async (startsAt: string) => {
      const { apiKey: bearer } = app.clinic;
      const body = { patientId: await aPatient('Other', '+13035550188'), providerName: provider, startsAt };
      return (await app.request('POST', '/appointments', { bearer, body })).body.id;
    };

    test('a free time is booked, dragged, moved by picking and cancelled; what was taken meanwhile is told in words', async () => {
      await aPatient('Calla', '+13035550151');
      const page = await browser.visit({ token: await app.staff() });
      // A visit before the clinic opens makes the day longer than the screen, and a drag does not scroll.
      await page.setViewportSize({ width: 1280, height: 1_300 });
      await page.goto('/calendar');
      await page.locator('[data-today]').waitFor();
      const [one = '', two = '', three = '', four = ''] = await freeTimes(page, 4);
      await block(page, one).click();
      await page.getByRole('dialog').getByLabel('Patient').pressSequentially('555-0151', keyByKey);
      await page.getByRole('option', { name: /Calla/ }).click();
      expect(await accessibilityProblems(page)).toEqual([]);
      await confirm(page, 'Book').click();
      await page.getByText(/^Booked: /).waitFor();
      // It lies over the last times of the week for some seconds.
      await button(page, 'Dismiss').click();
      const ofCalla = page.getByRole('button', { name: /Calla/ });
      await block(page, one).and(ofCalla).waitFor();

      await block(page, one).dragTo(block(page, two));
      await confirm(page, 'Move').waitFor();
      await takes(two);
      await confirm(page, 'Move').click();
      await page.getByText('Somebody else has just booked this time.').waitFor();
      expect(browser.takeProblems()).toEqual([expect.stringContaining('409')]);
      await confirm(page, 'Close').last().click();
      await page.getByRole('dialog').waitFor({ state: 'detached' });
      await block(page, one).dragTo(block(page, three));
      await confirm(page, 'Move').click();
      await page.getByText(/^Moved to /).waitFor();

      await block(page, three).and(ofCalla).click();
      await button(page, /^Move /).click();
      await block(page, four).click();
      expect(await accessibilityProblems(page)).toEqual([]);
      await confirm(page, 'Move').click();
      await block(page, four)
        .and(page.getByRole('button', { name: /Calla/ }))
        .click();
      await button(page, /^Cancel /).click();
      await choice(page, 'The patient asked').click();
      await confirm(page, 'Cancel the appointment').click();
      await page.getByText('The appointment is cancelled.').waitFor();
      await block(page, four)
        .and(page.getByRole('button', { name: /open/ }))
        .waitFor();
    });

    test('the same by keyboard alone, on the day of all providers too', async () => {
      await aPatient('Delphine', '+13035550152');
      const page = await browser.visit({ token: await app.staff() });
      const [one = '', two = ''] = await freeTimes(page, 2);
      const focused = () => page.evaluate<string>("document.activeElement.getAttribute('data-block') ?? ''");
      const walk = async (key: string, until: (name: string) => boolean) => {
        for (let steps = 0; !until(await focused()); steps += 1) {
          expect(steps).toBeLessThan(50);
          await page.keyboard.press(key);
        }
      };
      await tabTo(page, /^\d+:\d+/);
      await walk('ArrowRight', (name) => name.startsWith(`${provider} ${one.slice(0, 10)}`));
      await page.keyboard.press('End');
      await walk('ArrowUp', (name) => name.endsWith(one));
      await page.keyboard.press('Enter');
      await page.getByRole('dialog').getByLabel('Patient').and(page.locator(':focus')).waitFor();
      await page.keyboard.type('delphine', keyByKey);
      await page.getByRole('option', { name: /Delphine/ }).waitFor();
      await page.keyboard.press('Enter');
      await tabTo(page, 'Book');
      await page.keyboard.press('Enter');
      await page.getByText(/^Booked: /).waitFor();

      const hers = page.getByRole('button', { name: /Delphine/ }).and(page.locator(':focus'));
      await block(page, one).and(hers).waitFor();
      await page.keyboard.press('Enter');
      await button(page, /^Move /)
        .and(page.locator(':focus'))
        .waitFor();
      await page.keyboard.press('Enter');
      await page.getByText(/^Choose another time for Delphine/).waitFor();
      await block(page, one).and(page.locator(':focus')).waitFor();
      await walk('ArrowDown', (name) => name.endsWith(two));
      await page.keyboard.press('Enter');
      await confirm(page, 'Move').and(page.locator(':focus')).waitFor();
      await page.keyboard.press('Enter');
      await page.getByText(/^Moved to /).waitFor();

      await page.goto(`/calendar?provider=*&week=${two.slice(0, 10)}`);
      await block(page, two)
        .and(page.getByRole('button', { name: /Delphine/ }))
        .waitFor();
      await tabTo(page, /^\d+:\d+/);
      await walk('ArrowRight', (name) => name.startsWith(provider));
      await page.keyboard.press('End');
      await walk('ArrowUp', (name) => name.endsWith(two));
      await page.keyboard.press('Enter');
      await tabTo(page, /^Cancel /);
      await page.keyboard.press('Enter');
      const asked = page.getByRole('radio', { name: 'The patient asked' });
      await asked.and(page.locator(':focus')).waitFor({ state: 'attached' });
      await page.keyboard.press('Space');
      await tabTo(page, 'Cancel the appointment');
      await page.keyboard.press('Enter');
      await page.getByText('The appointment is cancelled.').waitFor();
    });
  });

  test('a session and an id lead to their case from any page', async () => {
    const { recoveryCaseId, workflowId } = await anEndedCase({
      firstName: 'Yusuf',
      sessionId: 'checkout-778',
      phone: phones.declines,
    });
    const page = await asAdmin('/deliveries');
    for (const text of ['checkout-778', workflowId]) {
      await heading(page, 'Deliveries').waitFor();
      await page.keyboard.press('Control+k');
      await page.locator('input:focus').waitFor();
      await page.keyboard.insertText(text);
      await page.getByRole('option').first().waitFor();
      await page.keyboard.press('Enter');
      await heading(page, 'Yusuf Lee').waitFor();
      expect(new URL(page.url()).pathname).toBe(`/cases/${recoveryCaseId}`);
      await page.goto('/deliveries');
    }
  });

  test('a task says whom to ring and what they asked, is taken, resolved, and brought back', async () => {
    await anEndedCase({ firstName: 'Zelda', lastName: 'Quist', phone: phones.findsItExpensive });
    const page = await asAdmin('/tasks?reason=billing_escalation');
    const row = page.getByRole('row', { name: /Zelda Quist/ });
    await row.getByRole('link', { name: '(500) 555-0003' }).waitFor();
    await row.getByText(/Price/).last().waitFor();
    await row.getByRole('button', { name: 'Assign to me' }).click();
    await eventually(async () => (await row.getByRole('combobox').inputValue()) === 'Clinic admin');

    await row.getByRole('button', { name: /^Resolve/ }).click();
    await page.getByRole('menuitem', { name: 'No answer' }).click();
    await row.waitFor({ state: 'detached' });
    await button(page, 'Undo').click();
    await row.waitFor();

    await setFilter(page, 'Age', 'Older than a week');
    await page.getByText('No task matches').waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
  });

  test('a task is worked on beside the list, and several at once; nobody overwrites what somebody else did', async () => {
    for (const firstName of ['Yolanda', 'Yorick'])
      await anEndedCase({ firstName, lastName: 'Inbox', phone: phones.asksClinicalQuestion });
    const page = await browser.visit({ token: await app.staff(), device: 'desktop' });
    await page.goto('/tasks?reason=clinical_escalation');
    const row = (name: string) => page.getByRole('row', { name: new RegExp(`${name} Inbox`) });
    const panel = page.getByRole('dialog', { name: 'Task' });
    await row('Yolanda')
      .getByRole('button', { name: /^Open: / })
      .click();
    await panel.getByLabel('New note').fill('Wants the nurse to ring after six');
    await panel.getByRole('button', { name: 'Add the note' }).click();
    await panel.getByText('Wants the nurse to ring after six').waitFor();
    await panel.getByLabel('Due', { exact: true }).fill('2020-02-03');
    await panel.getByLabel('Due', { exact: true }).press('Enter');
    await page.getByText('The due date is set.').waitFor();
    await panel.getByRole('combobox', { name: 'Priority' }).click();
    await page.getByRole('option', { name: 'High' }).click();
    await page.getByText('The priority is high.').waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    await row('Yorick')
      .getByRole('button', { name: /^Open: / })
      .click();
    await panel.getByText('Yorick Inbox').waitFor();
    await panel.getByRole('button', { name: 'Close' }).click();
    for (const words of ['High', /Feb.*overdue$/, '1 note']) await row('Yolanda').getByText(words).waitFor();

    const [task] = (await ask('GET', '/tasks?priority=HIGH&state=OPEN')).body.items;
    await page.route('**/api/tasks**', (route) =>
      route.request().method() === 'GET' ? route.abort() : route.continue(),
    );
    await ask('PATCH', `/tasks/${task.id}`, { assigneeId: (await ask('GET', '/staff')).body.items[0].id });
    await row('Yolanda').getByRole('button', { name: 'Assign to me' }).click();
    await page.getByText('Somebody else has changed this task meanwhile').waitFor();
    await page.unroute('**/api/tasks**');
    await page.reload();
    await eventually(async () => (await row('Yolanda').getByRole('combobox').inputValue()) === 'Clinic admin');
    // The lists that were cut off; the page may have asked until it was left.
    browser.takeProblems();

    for (const name of ['Yolanda', 'Yorick']) await row(name).getByRole('checkbox').check();
    await page.getByRole('group', { name: 'All selected' }).getByRole('button', { name: 'Resolve' }).click();
    await page.getByText('2 tasks are resolved.').waitFor();
    await row('Yorick').waitFor({ state: 'detached' });
    await button(page, 'Undo').click();
    await row('Yorick').waitFor();
    await setFilter(page, 'Due', /^Overdue$/);
    await row('Yorick').waitFor({ state: 'detached' });
    await row('Yolanda').waitFor();
  });
});

test('each number of the results leads to its cases', async () => {
  await anEndedCase({ phone: phones.agrees });
  await anEndedCase({ phone: phones.declines });
  const { current, barriers } = (await ask('GET', '/results?days=7&simulated=true')).body;
  const page = await asAdmin('/results?days=7');
  await button(page, 'Show simulated cases').click();
  const cases = page.getByRole('table', { name: 'Recovery cases' }).getByRole('link');
  const leads = async (link: Locator, count: number) => {
    await link.click();
    await heading(page, 'Recovery cases').waitFor();
    await eventually(async () => (await cases.count()) === count);
    await page.goBack();
    await heading(page, 'Results').waitFor();
  };
  const link = (name: string | RegExp) => page.getByRole('link', { name }).first();
  await leads(link(`${current.recovered} recovered`), current.recovered);
  await leads(link(/^Reached/), current.reached);

  // Where the value of a recovered case comes from is said where its currency is set, and leads back.
  await link('the prices in their forms').click();
  await page.getByLabel('One US dollar in this currency').waitFor();
  expect(await link('Inbound events').getAttribute('href')).toBe('/connections/inbound');
  await link('results').click();
  await heading(page, 'Results').waitFor();
  await page.goBack();
  await page.goBack();

  const { byHour, byDay } = (await ask('GET', '/results?days=7&simulated=true')).body;
  const { weekday, ended, lost } = byHour.find((each: { lost: number }) => each.lost > 0);
  const name = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'][weekday - 1];
  await leads(link(new RegExp(`on ${name}, .*: ${lost} not recovered of ${ended} that ended`)), lost);
  // The fields are one stop of the tab key too, and one with nobody in it leads nowhere.
  const fields = page.getByRole('table', { name: /^Cases by weekday and hour/ }).getByRole('link');
  await fields.first().waitFor();
  const stops = await fields.evaluateAll((all) => all.map((one) => [one.tabIndex, one.textContent]));
  expect(stops.map(([stop]) => stop)).toEqual(stops.map((_, at) => (at === 0 ? 0 : -1)));
  expect(stops.filter(([, text]) => String(text).startsWith('0'))).toEqual([]);
  // Any section is two keys away.
  await page
    .getByRole('navigation', { name: 'On this page' })
    .getByRole('link', { name: 'By provider' })
    .press('Enter');
  const provider = page.getByRole('heading', { name: 'By provider' });
  expect(await provider.evaluate((one) => one.matches(':focus'))).toBe(true);
  const [worst] = barriers;
  await leads(link(new RegExp(`^${worst.barrier}`, 'i')), worst.cases);

  // The chart is one stop of the tab key: the arrows go from day to day, and Enter opens the day's cases.
  const today = page.getByRole('group', { name: 'By day: Cases' }).getByRole('link').last();
  await page.getByRole('group', { name: 'By day: Cases' }).getByRole('link').first().focus();
  await page.keyboard.press('End');
  const opened = byDay.at(-1).opened;
  const said = page.getByRole('tooltip').getByText(`${opened} opened`);
  await said.waitFor();
  expect(await said.innerText()).toMatch(/; earlier period, .+: \d+ opened, \d+ recovered/);
  await page.getByText('recovered in the earlier period').waitFor();
  // Another measure says what it is made of, in the table too, and is there again on the way back.
  const measures = page.getByRole('radiogroup', { name: 'What is shown' });
  await measures.getByText('Recovery rate').click();
  const { recovered, lost: missed } = byDay.at(-1);
  const rate = `${Math.round((100 * recovered) / (recovered + missed))}%`;
  const byRate = page.getByRole('group', { name: 'By day: Recovery rate' }).getByRole('link').last();
  expect(await byRate.getAttribute('aria-label')).toContain(
    `Recovery rate ${rate} (${recovered} of ${recovered + missed})`,
  );
  await page.getByText('Show as a table').click();
  await page.getByRole('table', { name: 'By day' }).getByRole('cell', { name: rate, exact: true }).waitFor();
  await byRate.click();
  await heading(page, 'Recovery cases').waitFor();
  await page.goBack();
  await byRate.waitFor();
  await measures.getByText('Cases').click();
  await today.focus();
  const [words, column] = [await said.boundingBox(), await today.boundingBox()];
  expect(Math.abs((words?.y ?? 0) + (words?.height ?? 0) - (column?.y ?? -999))).toBeLessThan(60);
  expect(await today.evaluate((one) => one.matches(':focus'))).toBe(true);
  expect(await accessibilityProblems(page)).toEqual([]);
  await page.keyboard.press('Enter');
  await heading(page, 'Recovery cases').waitFor();
  await eventually(async () => (await cases.count()) === opened);
  // Why a day had fewer cases stands in its list.
  await page.getByRole('columnheader', { name: 'Barrier' }).waitFor();
  await page.goBack();

  const download = page.waitForEvent('download');
  await button(page, 'Export as CSV').click();
  const file = await download;
  expect(file.suggestedFilename()).toBe('results.csv');
  await eventually(() => button(page, 'Export as CSV').evaluate((one) => one.matches(':focus')));
  const lines = (await readFile(await file.path(), 'utf8')).trim().split('\r\n');
  expect(lines[0]).toMatch(/^Day,Opened,.*,Recovery rate,.*,Value recovered \(USD\),.*,Net \(USD\),Compared with,/);
  expect(lines).toHaveLength(8);

  // What the clinic wants to reach is set from here, and stands beside what was reached.
  await page.getByText(/In \d+ of these \d+ cases the simulator played the patient/).waitFor();
  await page
    .getByText(/^\d+ of \d+ decided, \d+%$/)
    .first()
    .waitFor();
  await page.getByText(`${current.recoveredWithPrice} of ${current.recovered} had a price`).first().waitFor();
  await link('Set a goal').click();
  await page.getByLabel('Recovery rate to reach, in percent').fill('50');
  await page.getByLabel('Recoveries to reach in a month').fill('60');
  await button(page, 'Save').click();
  await page.getByText('Saved.').waitFor();
  // The results that were read a moment ago are read again.
  await page.goBack();
  await page.getByText(/^Recovery rate: (\d+%|–), goal 50%$/).waitFor();
  await page.getByText(`Recovered: ${current.recovered} of 14 (60 a month)`).waitFor();
  await link('Change the goal').waitFor();

  const providers = (await ask('GET', '/providers')).body.items as { name: string; displayName: string }[];
  const renamed = providers.find((each) => each.name !== each.displayName);
  await page.goto(`/cases?provider=${encodeURIComponent(renamed?.name ?? '')}`);
  await button(page, `Without: Visit with ${renamed?.displayName}`).waitFor();
});

test('how the last month did against the month before, and the cases behind a figure, in four clicks at human speed', async () => {
  const clinic = await app.addClinic();
  await fill(app.database, { clinicIds: [clinic.clinicId], cases: 900, isOver: true });
  const first = (monthsAgo: number) => {
    const at = new Date(new Date().toLocaleDateString('en-CA', { timeZone: 'America/Denver' }));
    return new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth() - monthsAgo, 1));
  };
  const nameOf = (month: Date) =>
    month.toLocaleDateString('en-US', { timeZone: 'UTC', month: 'long', year: 'numeric' });
  const token = await app.signIn(clinic);
  const page = await browser.visit({ token });
  const click = async (target: Locator) => {
    await page.waitForTimeout(300);
    await target.click();
  };
  await page.goto('/');

  // Before anything is clicked: what the last thirty days brought, and what it was in the thirty before.
  const { current, before } = (await app.request('GET', '/results?days=30', { bearer: token })).body;
  const hero = page.getByRole('region', { name: 'The last 30 days' });
  await hero.getByRole('group', { name: 'Cases of each day' }).waitFor();
  const [label, value, change] = (await hero.getByRole('link').first().innerText()).split('\n');
  expect([label, value]).toEqual(['Recovered patients', String(current.recoveredPatients)]);
  const earlier = before.recoveredPatients;
  expect(change).toBe(current.recoveredPatients === earlier ? 'as before' : `was ${earlier}`);
  expect(await accessibilityProblems(page)).toEqual([]);

  await click(page.getByRole('link', { name: 'Results', exact: true }));
  const read = page.waitForResponse((response) => response.url().includes('/api/results?from='));
  await page.getByRole('combobox', { name: 'Period' }).selectOption({ label: nameOf(first(1)) });
  await page.getByText(`${nameOf(first(1))}, compared with ${nameOf(first(2))}.`).waitFor();
  // Until they are there, the figures of the days before stand below it.
  const count: number = (await (await read).json()).current.lost;
  const lost = page.getByRole('link', { name: `${count} not recovered`, exact: true }).first();
  await click(lost);

  await page.getByText(`${count} in all`).waitFor();
  expect(count).toBeGreaterThan(0);
});

test('the keyboard shortcuts are listed at ?, lead to pages, and can be turned off; calls are filtered', async () => {
  const { recoveryCaseId } = await anEndedCase({
    firstName: 'Quentin',
    lastName: 'Filter',
    phone: phones.neverAnswers,
  });
  const page = await asAdmin('/');
  await heading(page, 'Overview').waitFor();
  await page.keyboard.press('?');
  const list = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
  await list.getByRole('table', { name: 'In the calendar' }).waitFor();
  expect(await accessibilityProblems(page)).toEqual([]);
  await page.keyboard.press('Escape');
  await list.waitFor({ state: 'detached' });
  for (const key of ['g', 'c']) await page.keyboard.press(key);
  await heading(page, 'Calls').waitFor();

  const calls = page.getByRole('table', { name: 'Calls' });
  await calls.getByRole('link').first().waitFor();
  const focusedRow = () =>
    page.evaluate<number>(
      "[...document.querySelectorAll('main tbody tr')].indexOf(document.activeElement.closest('tr'))",
    );
  const at: number[] = [];
  for (const key of ['j', 'k', 'j']) {
    await page.keyboard.press(key);
    at.push(await focusedRow());
  }
  expect(at).toEqual([0, 0, Math.min(1, (await calls.getByRole('row').count()) - 2)]);
  await setFilter(page, 'How it ended', /^Not reached$/);
  await setFilter(page, 'About', /^Abandonment recovery$/);
  await setFilter(page, 'Direction', 'Outbound');
  await calls.getByRole('link', { name: 'Quentin Filter' }).first().waitFor();
  const { items } = (await ask('GET', '/calls?ending=not_reached&limit=200')).body;
  expect(new Set(items.map(({ ending }: { ending: string }) => ending))).toEqual(new Set(['not_reached']));
  await eventually(async () => (await calls.getByRole('link').count()) === items.length);
  const [{ patient }] = (await ask('GET', `/calls?recoveryCaseId=${recoveryCaseId}`)).body.items;
  await page.goto(`/calls?patient=${patient.id}`);
  await button(page, 'Without: Patient: Quentin Filter').waitFor();
  await page.getByRole('group', { name: 'Filters' }).getByRole('button', { name: 'Filter', exact: true }).click();
  await page.getByRole('menuitem', { name: 'Until' }).click();
  await page.getByRole('textbox', { name: 'Until' }).fill('2020-01-01');
  await page.getByText('No call matches').waitFor();

  await page.keyboard.press('Escape');
  await heading(page, 'Calls').click();
  await page.keyboard.press('?');
  await list.getByRole('switch').click();
  await page.keyboard.press('Escape');
  await list.waitFor({ state: 'detached' });
  for (const key of ['g', 't']) await page.keyboard.press(key);
  await page.waitForTimeout(200);
  expect(new URL(page.url()).pathname).toBe('/calls');
});

test('the front desk works through its day by keys: what is overdue first, with what each call came to, and hears whose task is new', async () => {
  const { clinicId } = app.clinic;
  const { body: patient } = await ask('POST', '/patients', {
    firstName: 'Dana',
    lastName: 'Early',
    phone: '+13035550188',
  });
  const opened = async (cause: string) => {
    await app.stores.tasks.open({ clinicId, reason: 'follow_up_required', cause, patientId: patient.id });
    return (await ask('GET', `/tasks?patientId=${patient.id}&limit=1`)).body.items[0];
  };
  const late = await opened('day-1');
  await ask('PATCH', `/tasks/${late.id}`, { dueOn: '2020-03-02', dueTime: '09:30' });
  const undated = await opened('day-2');
  await ask('PATCH', `/tasks/${undated.id}`, { priority: 'HIGH' });
  const page = await browser.visit({ token: await app.staff() });
  await page.goto('/');
  await heading(page, 'My day').waitFor();
  const due = page.getByRole('list', { name: 'Due by today' }).getByRole('listitem');
  const others = page.getByRole('list', { name: 'No due date' }).getByRole('listitem');
  await due
    .first()
    .filter({ hasText: /2020, 9:30.*overdue.*Dana Early/ })
    .waitFor();
  await others.filter({ hasText: 'Dana Early' }).waitFor();
  expect(await accessibilityProblems(page)).toEqual([]);

  for (const key of ['j', 'e']) await page.keyboard.press(key);
  await page.getByRole('menuitem', { name: 'Spoke with them' }).waitFor();
  expect(await accessibilityProblems(page)).toEqual([]);
  // Closed and opened again.
  await page.keyboard.press('Escape');
  await page.getByRole('menu').waitFor({ state: 'detached' });
  await page.locator('[data-row] :focus').waitFor();
  await page.keyboard.press('e');
  await page.locator('[role=menuitem]:focus', { hasText: 'Spoke with them' }).waitFor();
  await page.keyboard.press('Enter');
  await page
    .getByText(/^Resolved: /)
    .first()
    .waitFor();
  await due.filter({ hasText: 'Dana Early' }).waitFor({ state: 'detached' });
  // What must be known before the next call stands beside the number, and goes with what is said of it.
  await ask('POST', `/patients/${patient.id}/opt-outs`, { scope: 'all' });
  await ask('PATCH', `/patients/${patient.id}`, { preferredLanguage: 'es' });
  await page.reload();
  await others.filter({ hasText: /Do not call.*Spanish/ }).waitFor();
  await ask('POST', `/patients/${patient.id}/opt-outs/lift`, { reason: 'patient_asked' });
  await page.reload();
  await others.filter({ hasText: 'Dana Early' }).waitFor();
  await page.keyboard.press('j');
  await others
    .first()
    .filter({ hasText: 'Dana Early' })
    .getByRole('button', { name: /^Resolve/ })
    .click();
  await page.getByRole('menuitem', { name: /^Tomorrow, 9:00/ }).click();
  await page.getByText(/^To be tried again /).waitFor();
  await others.filter({ hasText: 'Dana Early' }).waitFor({ state: 'detached' });
  const states = (await ask('GET', `/tasks?patientId=${patient.id}`)).body.items;
  expect(states).toMatchObject([
    { id: undated.id, state: 'OPEN', outcome: 'try_later', dueTime: '09:00' },
    { id: late.id, state: 'RESOLVED', outcome: 'spoke' },
  ]);
  await page
    .getByRole('alert')
    .filter({ hasText: /^To be tried again / })
    .getByRole('button', { name: 'Undo' })
    .click();
  await others.filter({ hasText: 'Dana Early' }).waitFor();

  const { items } = (await ask('GET', '/staff')).body;
  const me = items.find(({ role }: { role: string }) => role === 'staff');
  await ask('PATCH', `/tasks/${undated.id}`, { assigneeId: me.id });
  await page.getByText('Assigned by Clinic admin: Call the patient back').waitFor();
  await page.getByRole('button', { name: 'Open', exact: true }).click();
  await page.getByRole('dialog', { name: 'Task' }).getByText('Dana Early').waitFor();
});

test('a change while there is no network says that nothing was changed, and is not sent later', async () => {
  await app.stores.tasks.open({ clinicId: app.clinic.clinicId, reason: 'call_lost', cause: 'offline' });
  const page = await asAdmin('/tasks?reason=call_lost');
  await page.getByRole('status', { name: /^Live/ }).waitFor();
  const resolve = page.getByRole('row', { name: /Find out how a call went/ }).getByRole('button', { name: 'Resolve' });
  await resolve.waitFor();

  await page.context().setOffline(true);
  await page.getByRole('status', { name: /^Offline/ }).waitFor();
  await resolve.click();
  await page.getByText('You are offline: nothing was changed.').waitFor();
  await page.context().setOffline(false);
  await page.getByRole('status', { name: /^Live/ }).waitFor();

  await resolve.waitFor();
  expect((await ask('GET', '/tasks?reason=call_lost')).body.items).toMatchObject([{ state: 'OPEN', version: 1 }]);

  // The time that was chosen is still chosen.
  const patient = { firstName: 'Olympia', lastName: 'Offline', phone: '+13035550176' };
  await page.goto(`/patients/${(await ask('POST', '/patients', patient)).body.id}`);
  await button(page, 'Book an appointment').click();
  const book = page.getByRole('dialog').getByRole('button', { name: 'Book', exact: true });
  await book.and(page.locator(':enabled')).waitFor();
  await page.context().setOffline(true);
  await page.getByRole('status', { name: /^Offline/ }).waitFor();
  await book.click();
  await page.getByText('You are offline: nothing was changed.').waitFor();
  await page.context().setOffline(false);
  await book.and(page.locator(':enabled')).click();
  await page.getByText(/^Booked: /).waitFor();
  expect(browser.takeProblems().filter((problem) => !/INTERNET_DISCONNECTED|503/.test(problem))).toEqual([]);
});

test('the filters of a list are saved under a name, found again by a click, renamed and removed; the list says how many', async () => {
  await app.abandon({ lastName: 'Counted' });
  const page = await asAdmin('/runs');
  const views = page.getByRole('group', { name: 'Saved views' });
  await setFilter(page, 'Outcome', /^Recovered$/);
  await views.getByRole('button', { name: 'Save this view' }).click();
  const dialog = page.getByRole('dialog', { name: 'Save this view' });
  await dialog.getByRole('button', { name: 'Save' }).click();
  await dialog.getByText('Enter a name').waitFor();
  await dialog.getByLabel('Name').fill('Went well');
  expect(await accessibilityProblems(page)).toEqual([]);
  await dialog.getByRole('button', { name: 'Save' }).click();
  await views.getByRole('button', { name: 'Went well', pressed: true }).waitFor();

  await page.goto('/runs');
  const { total } = (await ask('GET', '/runs?total=true')).body;
  await page.getByText(`${total.count} in all`).waitFor();
  await views.getByRole('button', { name: 'Went well', pressed: false }).click();
  await page.waitForURL(/outcome=RECOVERED/);
  await views.getByRole('button', { name: 'Change the view Went well' }).click();
  await page.getByRole('menuitem', { name: 'Rename' }).click();
  const renaming = page.getByRole('dialog', { name: 'Rename the view' });
  await renaming.getByRole('textbox', { name: 'Name' }).fill('Recovered ones');
  await renaming.getByRole('button', { name: 'Rename' }).click();
  await views.getByRole('button', { name: 'Change the view Recovered ones' }).click();
  await page.getByRole('menuitem', { name: 'Remove' }).click();

  await views.getByRole('button', { name: 'Save this view' }).waitFor();
  expect((await ask('GET', '/views')).body.items).toEqual([]);
  await page.goto('/queue?until=2020-01-01');
  await page.getByText('Nobody waiting matches').waitFor();
  const [file] = await Promise.all([page.waitForEvent('download'), button(page, 'Export as CSV').click()]);
  expect(file.suggestedFilename()).toBe('queue.csv');
  expect((await readFile(await file.path(), 'utf8')).trim()).toMatch(/^type,patient,.*,workflow,case$/);
});

test('the cases that a filter shows are exported as Excel reads them: in words, by the clinic’s clock, with whole phones', async () => {
  await app.abandon({ lastName: 'Exported', phone: '+13035550191' });
  await app.abandon({ lastName: 'Filtered', phone: '+13035550192' });
  const page = await asAdmin('/cases');
  await page.getByRole('searchbox', { name: 'Search' }).pressSequentially('Exported', keyByKey);
  await page.getByRole('row', { name: /Filtered/ }).waitFor({ state: 'detached' });
  await page.getByRole('row', { name: /Exported/ }).waitFor();
  const [file] = await Promise.all([page.waitForEvent('download'), button(page, 'Export as CSV').click()]);

  const [head, ...rows] = (await readFile(await file.path(), 'utf8')).trim().split('\n');
  expect(file.suggestedFilename()).toBe('cases.csv');
  expect(head).toMatch(/^\uFEFF?Patient,Phone,Status,Form,.*,Case,Session\r?$/);
  expect(rows).toEqual([expect.stringMatching(/Exported,\+1 303 555 0191,.*,\d{4}-\d\d-\d\d \d\d:\d\d,/)]);
});

test('the filters of a list are chips in one line, set, changed and taken away by keys, on a phone too', async () => {
  const page = await asAdmin('/tasks', 'phone');
  const filters = page.getByRole('group', { name: 'Filters' });
  await filters.getByRole('button', { name: 'Status: Open', exact: true }).waitFor();
  await tabTo(page, 'Filter');
  await page.keyboard.press('Enter');
  await page.locator('[role=menuitem]:focus', { hasText: 'Assigned to' }).waitFor();
  for (const key of ['ArrowDown', 'Enter']) await page.keyboard.press(key);
  await page.locator('[role=menuitem]:focus').waitFor();
  expect(await accessibilityProblems(page)).toEqual([]);
  await page.keyboard.press('Enter');
  await page.waitForURL(/reason=/);
  await filters
    .getByRole('button', { name: /^About: / })
    .and(page.locator(':focus'))
    .waitFor();
  await page.reload();
  await filters.getByRole('button', { name: /^Without: About: / }).click();
  await page.waitForURL((url) => !url.search.includes('reason'));
  await filters.getByRole('button', { name: 'Filter', exact: true }).and(page.locator(':focus')).waitFor();

  await filters.getByRole('button', { name: 'Without: Status: Open' }).click();
  await page.waitForURL(/show=all/);
  await setFilter(page, 'Status', 'Resolved');
  await page.waitForURL(/show=RESOLVED/);
  expect(await accessibilityProblems(page)).toEqual([]);
});

test('a list is sorted by the head of a column, by keys too, over all its pages and on the way back; on a phone by a menu', async () => {
  await app.database.sql`
    insert into patients (id, clinic_id, first_name, last_name, is_placeholder, patient_type, created_at, updated_at)
    select 'sorted-' || n, ${app.clinic.clinicId}, 'Sorted', 'No' || 1000 + (n * 37) % 60, false, 'EXISTING',
      timestamptz '2018-06-01' + n * interval '1 hour', now()
    from generate_series(1, 60) n`;
  const address = '/patients?from=2018-01-01&until=2018-12-31';
  const page = await asAdmin(address);
  const rows = page.getByRole('table', { name: 'Patients' }).getByRole('link');
  const head = (name: string) => page.getByRole('columnheader', { name, exact: true });
  const sortOf = async (name: string) => head(name).getAttribute('aria-sort');
  const shown = async () => (await rows.allInnerTexts()).map((name) => Number(name.slice('Sorted No'.length)));
  await rows.first().waitFor();
  expect([await sortOf('Since'), await sortOf('Name')]).toEqual(['descending', 'none']);

  await tabTo(page, 'Name');
  await page.keyboard.press('Enter');
  await page.getByRole('link', { name: 'Sorted No1000', exact: true }).waitFor();
  await button(page, 'Show more').click();
  await page.getByRole('link', { name: 'Sorted No1059', exact: true }).waitFor();
  expect(await shown()).toEqual(Array.from({ length: 60 }, (_, at) => 1_000 + at));
  expect(await sortOf('Name')).toBe('ascending');
  expect(await accessibilityProblems(page)).toEqual([]);
  await rows.nth(40).click();
  await heading(page, 'Sorted No1040').waitFor();
  await page.goBack();
  await rows.first().waitFor();
  expect([new URL(page.url()).searchParams.get('order'), (await shown())[0]]).toEqual(['name', 1_000]);

  await head('Name').getByRole('button').click();
  await eventually(async () => (await shown())[0] === 1_059);
  const heights = await rows.evaluateAll((links) => links.map((link) => link.closest('tr')?.clientHeight ?? 0));
  expect(Math.max(...heights)).toBeLessThan(48);

  const phone = await asAdmin(`${address}&order=-name`, 'phone');
  await button(phone, 'Sorted by: Name, descending').click();
  await phone.getByRole('menuitem', { name: 'Since, ascending' }).click();
  await phone.waitForURL(/order=oldest/);
  await phone.getByRole('link', { name: 'Sorted No1037', exact: true }).waitFor();
  expect(await accessibilityProblems(phone)).toEqual([]);
});

test('the way back to a list by the browser leads to the row that was left', async () => {
  await app.database.sql`
    insert into patients (id, clinic_id, first_name, last_name, is_placeholder, patient_type, created_at, updated_at)
    select 'back-' || n, ${app.clinic.clinicId}, 'Back', 'To' || n, false, 'EXISTING', timestamptz '2019-06-01' + n * interval '1 hour', now()
    from generate_series(1, 45) n`;
  const page = await asAdmin('/patients?from=2019-01-01&until=2019-12-31');
  const row = page.getByRole('link', { name: 'Back To3', exact: true });
  await row.scrollIntoViewIfNeeded();
  const before = await row.boundingBox();
  await row.click();
  await heading(page, 'Back To3').waitFor();
  expect(await page.evaluate<number>('scrollY')).toBe(0);
  await page.goBack();
  await row.waitFor();
  await eventually(async () => Math.abs(((await row.boundingBox())?.y ?? 0) - (before?.y ?? -9)) < 2);
});

test('an address that does not exist is a page in a browser, with its status', async () => {
  const page = await browser.visit({ token: await app.admin() });
  const response = await page.goto('/nope');
  expect(response?.status()).toBe(404);
  await heading(page, 'Page not found').waitFor();
  // The browser itself notes the 404.
  expect(browser.takeProblems()).toEqual([expect.stringContaining('404')]);
});

describe('a session whose owner proved who they are a while ago', () => {
  test('is asked once more before a key is made, goes on by itself then, and nothing is done where they would rather not', async () => {
    const page = await browser.visit({ token: await app.admin() });
    const { accountId } = (await ask('GET', '/auth/session')).body;
    const grow = () =>
      app.database.sql`
        with old as (update sessions set proved_at = now() - interval '6 minutes' where user_id = ${accountId})
        update users set updated_at = now() where id = ${accountId}`;
    await page.goto('/connections/api-keys');
    await grow();
    await eventually(async () => (await ask('PUT', '/retention', {})).status === 403);
    await button(page, 'Create a key').click();
    await page.getByLabel('Read results').check();
    await page.getByLabel('Name').fill('A fresh key');
    await page.keyboard.press('Enter');

    const dialog = page.getByRole('dialog', { name: 'Confirm that it is you' });
    await dialog.waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Not now' }).click();
    await page.getByText('Nothing was done: you have not confirmed that it is you.').waitFor();
    await page.getByRole('dialog').getByLabel('Name').press('Enter');
    await dialog.getByLabel('Password', { exact: true }).fill('not the one');
    await page.keyboard.press('Enter');
    await dialog.getByText(/wrong/).waitFor();
    await dialog.getByLabel('Password', { exact: true }).fill(app.clinic.password);
    await page.keyboard.press('Enter');

    await page.getByText('The key “A fresh key”').first().waitFor();
    expect(browser.takeProblems()).toEqual(['403', '403', '400'].map((status) => expect.stringContaining(status)));
    const keys = (await ask('GET', '/integrations/api-keys')).body.items;
    expect(keys.filter(({ name }: { name: string }) => name === 'A fresh key')).toHaveLength(1);
  });
});

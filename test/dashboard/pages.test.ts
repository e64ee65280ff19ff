import { rightsOfRole } from '@clinic/shared/domain/accounts/rights';
import { clinicShown } from './stage/dashboard';
import { now, type Refused } from './walk/answers';
import { elementsIn, type Part } from './walk/document';
import { nameOf } from './walk/outline';
import { buildDashboard, type Dashboard, type Opened, type Page } from './walk/page';
import { changes, look, walk } from './walk/walk';

let dashboard: Dashboard;

beforeAll(async () => {
  dashboard = await buildDashboard();
});

const forOperators = {
  getAuthSession: { role: 'operator', clinic: null },
  getOperationsRunbook: '# Operate\n\n## Alarms\n\nWhat [each](security.md) means.\n\n```sh\nnpm run pause\n```\n',
};

const pages: [at: string, own?: Opened['own']][] = [
  ['/'],
  ['/my-day'],
  ['/tasks'],
  ['/cases'],
  ['/cases/case-1'],
  ['/calls'],
  ['/calls/call-1'],
  ['/queue'],
  ['/runs'],
  ['/results'],
  ['/patients'],
  ['/patients/patient-1'],
  ['/erasures/erasure-1'],
  ['/calendar'],
  ['/day-list'],
  ['/waitlist'],
  ['/deliveries'],
  ['/deliveries/delivery-1'],
  ['/audit'],
  ['/try-it'],
  ['/readiness'],
  ['/readiness/run-1'],
  ['/operator', forOperators],
  ['/my-account'],
  ['/clinic/hours'],
  ['/clinic/providers'],
  ['/clinic/calling'],
  ['/clinic/opt-outs'],
  ['/clinic/people'],
  ['/clinic/single-sign-on'],
  ['/clinic/results'],
  ['/clinic/retention'],
  ['/connections/sandbox'],
  ['/connections/api-keys'],
  ['/connections/inbound'],
  ['/connections/outbound'],
  ['/connections/approved-api'],
  ['/connections/crm'],
  ['/connections/voice'],
  ['/connections/phone-numbers'],
  ['/set-password#token-1'],
  ['/nowhere'],
];

/** What an address says besides the page. */
const shownSo = [
  '/my-day?who=all&task=task-1',
  '/tasks?show=all&who=me&reason=billing_question&age=three-days&priority=HIGH&due=week',
  '/tasks?show=RESOLVED&who=none&due=overdue&from=2026-11-01&until=2026-11-30&order=oldest',
  '/tasks?task=task-1',
  '/cases?search=wendy&status=RECOVERED&show=today&from=2026-11-01&until=2026-11-30',
  '/cases?called=true&reached=true&barrier=cost&form=form-1&simulated=false&provider=Dr.Chen&visitType=new&lost=true',
  '/cases?show=open&weekday=1&hour=9',
  '/cases?show=current&weekday=7&hour=23&hourReached=true&order=oldest',
  '/calls?search=wendy&show=live&ending=voicemail&type=no-show-follow-up&direction=inbound',
  '/calls?show=past&direction=outbound&patient=patient-1&from=2026-11-01&until=2026-11-30',
  '/calls?show=tests',
  '/queue?from=2026-11-01&until=2026-11-30',
  '/runs?status=started&type=no-show-follow-up&outcome=rebooked&from=2026-11-01&until=2026-11-30',
  '/results?days=7&compared=before&simulated=true&measure=rate',
  '/results?from=2026-10-01&until=2026-10-31&compared=year_before&measure=value',
  '/results?from=2026-10-03&until=2026-10-09&measure=net',
  '/patients?search=wendy&from=2026-11-01&until=2026-11-30&order=oldest',
  '/calendar?view=day',
  '/calendar?provider=*',
  '/calendar?provider=*&view=week&week=2026-12-02',
  '/calendar?provider=name%202&week=2026-10-27',
  '/calendar?book=patient-1',
  '/day-list?day=2026-11-30',
  '/waitlist?show=all',
  '/deliveries?state=DEAD&event=recovery_case.outcome&endpoint=id%201&order=oldest',
  '/audit?show=opened&person=id%201&action=patient.read&subject=patient-1&from=2026-11-01&until=2026-11-30',
];

const atTheDesk = {
  getAuthSession: { role: 'staff', rights: rightsOfRole.staff, needsSecondFactor: false, clinic: clinicShown },
};

/** Of one record, not of a list: as its parts may be there or not, and as each word of its closed sets. */
const turnsOf = (at: string) =>
  at.endsWith('-1') ? [0, 1, 2, 3] : ofManyKinds.includes(at) ? [0, 1, 2, 3, 4, 5] : [0, 1];
const ofManyKinds = ['/connections/approved-api', '/connections/crm', '/connections/voice', '/clinic/single-sign-on'];

describe('what a page says and does changes only where a review sees it: `npm test -- dashboard/pages -u` writes it down anew', () => {
  test.each(pages)('%s with much on it', async (at, own = {}) => {
    expect((await look(dashboard, { at, own, fullness: 'many' })).join('\n')).toMatchSnapshot('outline');
  });

  test.each(pages)('%s with nothing on it', async (at, own = {}) => {
    expect((await look(dashboard, { at, own, fullness: 'none' })).join('\n')).toMatchSnapshot('outline');
  });

  test.each(pages)('%s with some of it', async (at, own = {}) => {
    const lines: string[] = [];
    for (const turn of turnsOf(at)) lines.push(...(await look(dashboard, { at, own, fullness: 'mixed', turn })), '');
    expect(lines.join('\n')).toMatchSnapshot('outline');
  });

  test('a task of which no more is known', async () => {
    const lines = await look(dashboard, { at: '/tasks?task=task-1', fullness: 'none' });
    expect(lines.join('\n')).toMatchSnapshot('outline');
  });

  describe('what is another there than usual:', () => {
    const seen = new Map<string, string[]>();
    const other = async (usual: Partial<Opened> & { at: string }, besides: Partial<Opened> = {}): Promise<string> => {
      const at = usual.at.split('?')[0] ?? '';
      const before = seen.get(at) ?? (await look(dashboard, { fullness: 'few', ...usual, at }));
      seen.set(at, before);
      return changes(before, await look(dashboard, { fullness: 'few', ...usual, ...besides })).join('\n');
    };

    test.each(shownSo)('%s', async (at) => {
      expect(await other({ at })).toMatchSnapshot('changes');
    });

    test.each(pages)('%s on a phone', async (at, own = {}) => {
      expect(await other({ at, own }, { isNarrow: true })).toMatchSnapshot('changes');
    });

    test.each(pages.filter(([, own]) => own === undefined))('%s for the front desk', async (at) => {
      expect(await other({ at }, { own: atTheDesk })).toMatchSnapshot('changes');
    });
  });

  test.each(pages)('whatever is done on %s', async (at, own = {}) => {
    expect((await walk(dashboard, { at, own, fullness: 'few' })).join('\n')).toMatchSnapshot('outline');
  });
});

/** What a tab keeps that left for the identity provider, and where that sends it back to. */
const signOnBegun = { 'clinic-workflows-sign-on': JSON.stringify({ key: 'key-1', from: '/waitlist' }) };
const back = '/sign-in/return/clinic-1';

const HOUR_MS = 3_600_000;

describe('what somebody does step by step', () => {
  let page: Page;
  const open = async (at: string, more: Partial<Opened> = {}) => {
    page = await dashboard.open({ at, fullness: 'few', ...more });
    page.asked();
  };
  /** Where there is as good as nothing. */
  const openBare = async (at: string, more: Partial<Opened> = {}) => open(at, { fullness: 'none', ...more });
  /** Of several the last, which has come last. */
  const named = (name: string, tag = 'BUTTON'): Part => {
    const found = page.doable().findLast((each) => each.tagName === tag && nameOf(each) === name);
    if (!found) throw new Error(`nothing on the page is called ${name}`);
    return found;
  };
  const clicks = async (...names: string[]): Promise<void> => {
    for (const name of names) await page.click(named(name));
  };
  const types = async (name: string, text: string): Promise<void> => page.type(named(name, 'INPUT'), text);
  const asked = () => page.asked().map(({ method, path }) => `${method} ${path}`);

  afterEach(() => page.leave());

  test.each<[isShared: boolean, label: string]>([
    [false, 'Share it with the clinic'],
    [true, 'Make it private'],
  ])('a view that is shared: %s becomes the other', async (isShared, label) => {
    const view = { id: 'view-1', name: 'Mine', filters: {}, savedBy: 'Ana Ruiz', isOwn: true, isShared };
    await open('/cases', { own: { getViews: { items: [view] } } });
    await clicks('Change the view Mine', label);

    expect(page.asked()[0]).toEqual({ method: 'PATCH', path: '/api/views/view-1', body: { isShared: !isShared } });
  });

  test.each<[at: string, isCurrent: boolean]>([
    ['/cases?status=RECOVERED&form=form-1', true],
    ['/cases?form=form-1&status=RECOVERED', true],
    ['/cases?status=RECOVERED', false],
    ['/cases?status=RECOVERED&form=form-2', false],
    ['/cases?status=RECOVERED&form=form-1&show=today', false],
  ])('at %s a view with two filters is the current one: %s', async (at, isCurrent) => {
    const filters = { status: 'RECOVERED', form: 'form-1' };
    const view = { id: 'view-1', name: 'Mine', filters, savedBy: 'Ana Ruiz', isOwn: true, isShared: false };
    await open(at, { own: { getViews: { items: [view] } } });

    expect(named('Mine').getAttribute('aria-pressed')).toBe(String(isCurrent));
  });

  test('the clinic’s API is shown as it is once it was removed', async () => {
    await open('/connections/approved-api');
    await clicks('Remove', 'Remove');

    expect(asked()).toEqual([
      'DELETE /api/integrations/approved-api',
      'GET /api/integrations/areas',
      'GET /api/integrations/approved-api',
    ]);
  });

  test.each<[rights: string[], isAsked: boolean]>([
    [['dashboard', 'workflows', 'settings'], true],
    [['dashboard', 'workflows'], false],
  ])('what is still to be set up is asked for who has the rights %j: %s', async (rights, isAsked) => {
    const getAuthSession = { rights, needsSecondFactor: false, clinic: clinicShown };
    page = await dashboard.open({ at: '/', fullness: 'few', own: { getAuthSession } });

    expect(asked().includes('GET /api/overview/set-up')).toBe(isAsked);
  });

  test('a row is opened where it is clicked beside its link', async () => {
    await open('/patients');
    const row = page.doable()[0]?.ownerDocument.querySelector('tbody tr');
    if (row) await page.click(row);

    expect(page.address()).toBe('/patients/id%201');
  });

  test('on a phone the order in which a list is read is the current one of those that it has', async () => {
    await open('/cases?order=oldest', { isNarrow: true });
    await clicks('Sorted by: Opened, ascending');

    expect(page.outline().filter((line) => /role=menuitem/.test(line))).toEqual([
      '‹Opened, ascending› {current=true, role=menuitem}',
      '‹Opened, descending› {role=menuitem}',
    ]);
  });

  test('the key of a page leads there after “g”, and not by itself', async () => {
    await open('/waitlist');
    const leads = async (...keys: string[]) => {
      for (const key of keys) await page.press(key);
      return page.address();
    };

    expect(await leads('p')).toBe('/waitlist');
    expect(await leads('g', 'x', 'p')).toBe('/waitlist');
    expect(await leads('g', 'g', 'd')).toBe('/deliveries');
  });

  test('the heading of a page that is gone to takes the focus, that of the first page does not', async () => {
    await open('/waitlist');
    const focused = () => page.doable()[0]?.ownerDocument.activeElement?.tagName;
    expect(focused()).not.toBe('H1');

    for (const key of ['g', 'd']) await page.press(key);
    expect(focused()).toBe('H1');
  });

  test.each([
    ['/', 'Overview'],
    ['/patients', 'Patients'],
    ['/patients/patient-1', 'Patients'],
  ])('at %s the link that leads to “%s” is that of the page', async (at, label) => {
    await open(at);
    const [{ ownerDocument }] = page.doable() as [Part];
    const links = elementsIn(ownerDocument.body, (each) => each.getAttribute('aria-current') === 'page');

    expect(links.map((each) => each.textContent)).toEqual([label]);
  });

  test('a link that is over says so at once', async () => {
    await open('/set-password#token-1', { refused: { postAuthLinksRead: { message: 'It was used', status: 404 } } });

    expect(page.outline()).toContain('It was used.');
  });

  test('whoever is invited is among the people at once', async () => {
    await open('/clinic/people?add=new');
    await types('E-mail', 'new@clinic.example');
    page.asked();
    await clicks('Invite');

    expect(asked()).toEqual(
      expect.arrayContaining(['POST /api/accounts/invitations', 'GET /api/accounts/invitations']),
    );
  });

  const provider = {
    name: 'Dr.Chen',
    displayName: 'Dr. Chen',
    visitTypes: [],
    workingHours: {},
    specialDays: {},
    noticeMinutes: 0,
  };

  test('what is refused of a provider stands at its field', async () => {
    const refusal = { path: '', message: 'is taken' };
    await open('/clinic/providers', {
      own: { getIntegrationsProviders: { items: [provider] } },
      refused: { putIntegrationsProviders: refusal },
    });
    await clicks('Add a provider');
    const refusedAt = async (path: string) => {
      refusal.path = path;
      await clicks('Save all providers');
      const lines = page.outline().filter((line) => line.includes('“This is taken'));
      return lines.map((line) => line.split(' [')[0]);
    };

    expect(await refusedAt('items.1.visitTypes')).toEqual(['Visit types']);
    expect(await refusedAt('items.1.displayName')).toEqual(['Display name']);
    expect(await refusedAt('items.1.noticeMinutes')).toEqual(['Notice, in minutes']);
  });

  test('days that cannot be read are gone back to, and nothing is saved', async () => {
    await open('/clinic/providers', { own: { getIntegrationsProviders: { items: [] } } });
    await clicks('Add a provider');
    const days = named('Days off and special hours', 'TEXTAREA');
    await page.type(days, 'soon');
    page.asked();
    await clicks('Save all providers');

    expect(asked()).toEqual([]);
    expect(days.ownerDocument.activeElement).toBe(days);
  });

  test('who undoes what was added goes on at the first field', async () => {
    await open('/clinic/providers', { own: { getIntegrationsProviders: { items: [provider] } } });
    await clicks('Add a provider');
    await types('Display name', 'Dr. New');
    await clicks('Undo changes');
    const [{ ownerDocument }] = page.doable() as [Part];

    expect(ownerDocument.activeElement && nameOf(ownerDocument.activeElement)).toBe('Dr. Chen Dr.Chen');
  });

  test('a day until which a task is to be done is saved again where somebody else has changed it meanwhile', async () => {
    const task = { dueOn: '2026-11-30', dueTime: null };
    await open('/tasks?task=task-1', { own: { getTasksByTaskId: task } });
    const saved = async (day: string) => {
      await types('Due', day);
      return page.asked().flatMap(({ method, body }) => (method === 'PATCH' ? [(body as typeof task).dueOn] : []));
    };
    task.dueOn = '2026-12-05';
    expect(await saved('2026-11-30')).toEqual([]);
    expect(await saved('2026-12-02')).toEqual(['2026-12-02']);
    expect(named('Due', 'INPUT').value).toBe('2026-12-05');
    expect(await saved('2026-12-02')).toEqual(['2026-12-02']);
  });

  test('who has to sign in again is told what is refused, is asked for a code where it is that, and is back where they were', async () => {
    const refused: Record<string, Refused> = {
      getWaitlist: { message: 'Over', status: 401 },
      postAuthSignInEmail: { message: 'Nobody has this password' },
    };
    await openBare('/waitlist', { refused });
    const told = () =>
      page.outline().filter((line) => /^(?:Your session|Enter your|Nobody has|Refused|Code)/.test(line));
    const toldOf = async (button: string) => {
      page.asked();
      await clicks(button);
      const [request] = page.asked();
      return [request?.body, ...told()];
    };
    const ended = 'Your session has ended. Sign in again to continue where you were.';
    expect([page.address(), ...told()]).toEqual(['/sign-in', ended]);
    expect(await toldOf('Sign in with your organisation')).toEqual([undefined, ended, 'Enter your e-mail address']);

    await types('E-mail', 'ana@example.com');
    await types('Password', 'a password');
    const body = { email: 'ana@example.com', password: 'a password' };
    expect(await toldOf('Sign in')).toEqual([body, 'Nobody has this password.']);
    refused.postAuthSignInEmail = { path: 'code', message: 'is needed' };
    expect(await toldOf('Sign in')).toEqual([
      body,
      ended,
      'Code',
      expect.stringMatching(/^Code \[\] .*This is needed/),
    ]);
    await types('Code', '123456');
    delete refused.getWaitlist;
    delete refused.postAuthSignInEmail;
    expect(await toldOf('Sign in')).toEqual([{ ...body, code: '123456' }]);
    expect(page.address()).toBe('/waitlist');
  });

  test.each<[what: string, kept: Record<string, string>, refused: Record<string, Refused>, to: string, told: string]>([
    ['goes on where it was begun', signOnBegun, {}, '/waitlist', '# Waitlist'],
    ['is not what was sent', signOnBegun, { postAuthSignInSso: { message: 'Not this one' } }, back, 'Not this one'],
    ['was begun elsewhere', {}, {}, back, 'You can close this window and continue where you were.'],
  ])('a sign-in at the organisation that %s', async (_what, kept, refused, to, told) => {
    await openBare(`${back}?state=one&code=two`, { kept, refused });

    expect(page.address()).toBe(to);
    expect(page.outline()).toContainEqual(expect.stringContaining(told));
  });

  test('a page that cannot be shown says so, and another can be gone to', async () => {
    await openBare('/waitlist', { own: { getWaitlist: { items: [null] } } });
    const isTold = () => page.outline().some((line) => line.includes('This page could not be shown'));

    expect(isTold()).toBe(true);
    for (const key of ['g', 'd']) await page.press(key);
    expect([page.address(), isTold()]).toEqual(['/deliveries', false]);
  });

  test.each<[what: string, refused: Record<string, Refused>, isEnded: boolean]>([
    ['was told of it', {}, true],
    ['would not hear of it', { putRecordsByRecordIdViewers: { message: 'Refused' } }, false],
  ])(
    'who edits a record and leaves it is said to have left it to a service that %s',
    async (_what, refused, isEnded) => {
      await openBare('/patients/patient-1', { refused, isSeen: true });
      const told = () => page.asked().flatMap(({ method, path, body }) => (path === viewers ? [[method, body]] : []));
      const viewers = '/api/records/id%201/viewers';
      await clicks('Edit');
      expect(told()).toEqual([['PUT', { isEditing: true }]]);
      await clicks('Close');
      expect(told()).toEqual([['PUT', { isEditing: false }]]);

      for (const key of ['g', 'w']) await page.press(key);
      expect(told()).toEqual(isEnded ? [['DELETE', undefined]] : []);
    },
  );

  test('two records become one, with what is chosen of the one that is not kept', async () => {
    const here = { id: 'patient-1', firstName: 'Wendy', lastName: '', email: 'here@example.com', phone: null };
    const there = { ...here, id: 'patient-2', identifier: 'MRN-2', firstName: '', email: 'there@example.com' };
    const known = { dateOfBirth: null, registrationStatus: 'COMPLETE' };
    const alike = { ...there, ...known, alike: ['email'], similar: [], score: 1 };
    await openBare('/patients/patient-1', {
      own: {
        getPatientsByPatientId: (path: string) => (path.endsWith('patient-1') ? here : there),
        getPatientsByPatientIdDuplicates: { items: [alike] },
      },
    });
    await clicks('Compare: Name not given');
    const [email] = page.doable().filter((each) => nameOf(each).startsWith('here@example.com'));
    if (email) await page.click(email);
    page.asked();
    await clicks('Merge');
    const [merged] = page.asked();
    const outline = page.outline();

    expect(merged).toEqual({
      method: 'POST',
      path: '/api/patients/patient-2/merge',
      body: { replaced: 'patient-1', take: ['name', 'email'] },
    });
    expect(page.address()).toBe('/patients/patient-2');
    expect(outline).not.toContainEqual(expect.stringContaining('Is this the same person?'));
    expect(outline).toContainEqual(expect.stringContaining('The two records are one now.'));
  });

  test('what was typed about one patient is not there for another one who was looked at before', async () => {
    const found = (path: string) => ({ id: path.endsWith('patient-1') ? 'patient-1' : 'patient-2', replacedBy: null });
    await open('/patients/patient-2', { own: { getPatientsByPatientId: found } });
    await goesOnTo('/patients/patient-1');
    await page.type(named('New note', 'TEXTAREA'), 'Wendy rang');
    await page.back();
    await clicks('Leave without saving');

    expect(page.address()).toBe('/patients/patient-2');
    expect(page.outline()).toContainEqual(expect.stringContaining('‹Edit›'));
    expect(page.outline()).not.toContainEqual(expect.stringContaining('Wendy'));
  });

  /** To another page, from which Back leads here. */
  const goesOnTo = async (address: string): Promise<void> => {
    const { state } = page.place();
    await page.returnTo({ address, state: { ...(state as object), idx: 1, key: 'next' } });
  };

  test('Back leaves a dialog as Escape does, asks for what was typed in it, and leaves the page once nothing is open', async () => {
    await open('/waitlist', { own: { getPatientsByPatientId: { replacedBy: null } } });
    await goesOnTo('/patients/patient-1');
    const dialogs = () => page.outline().filter((line) => /^## (?:Edit first|Close without|Leave without)/.test(line));
    const [edit, ask] = ['## Edit firstName 1 lastName 1', '## Close without saving?'];
    await clicks('Edit');
    await page.back();
    expect([dialogs(), page.address()]).toEqual([[], '/patients/patient-1']);

    await clicks('Edit');
    await types('First name', 'Wendy');
    await page.back();
    expect(dialogs()).toContain(ask);
    await page.back();
    expect(dialogs()).toEqual([edit]);
    expect(named('First name', 'INPUT').value).toBe('Wendy');
    await page.back();
    await clicks('Close without saving');
    expect([dialogs(), page.address()]).toEqual([[], '/patients/patient-1']);

    await page.type(named('New note', 'TEXTAREA'), 'Rang');
    await page.back();
    expect(dialogs()).toEqual(['## Leave without saving?']);
    await page.back();
    expect([dialogs(), page.address()]).toEqual([[], '/patients/patient-1']);
    await page.back();
    await clicks('Leave without saving');
    expect(page.address()).toBe('/waitlist');
  });

  /** The first on the page whose name begins so. */
  const beginning = (start: string): Part => {
    const found = page.doable().find((each) => nameOf(each).startsWith(start));
    if (!found) throw new Error(`nothing on the page begins with ${start}`);
    return found;
  };

  const booked = {
    id: 'visit-1',
    status: 'booked',
    startsAt: '2026-12-15T15:00:00.000Z',
    visitType: 'Check-up',
    providerName: 'Dr.Chen',
  };
  const ofPatient = { getPatientsByPatientId: { replacedBy: null, appointments: [booked] } };
  const isOpen = { getTasksByTaskId: { state: 'OPEN' } };

  test.each<[dialog: string, at: string, own: Opened['own'], opens: string[], fills: () => Promise<void>]>([
    ['a booking', '/calendar?book=new', {}, [], async () => types('Visit', 'Hearing test')],
    [
      'a cancellation',
      '/patients/patient-1',
      ofPatient,
      ['Cancel '],
      async () => page.click(named('Weather', 'INPUT')),
    ],
    ['another time', '/tasks?task=task-1', isOpen, ['Resolve', 'Another time'], async () => types('Time', '16:45')],
  ])('Escape asks before it takes away %s that somebody has begun', async (_, at, own, opens, fills) => {
    const question = '## Close without saving?';
    const titles = () => page.outline().filter((line) => line.startsWith('## '));
    await open(at, { own });
    for (const start of opens) await page.click(beginning(start));
    const opened = titles();
    await page.press('Escape');
    expect(titles()).not.toContain(question);

    await open(at, { own });
    for (const start of opens) await page.click(beginning(start));
    await fills();
    await page.press('Escape');
    expect(titles()).toContain(question);
    await clicks('Go on typing');
    expect(titles()).toEqual(opened);
  });

  describe('what is typed while a save is on its way stays, and is not saved yet:', () => {
    let answer = () => {};
    const opened = async (at: string, more: Partial<Opened>) => {
      const held = new Promise<void>((resolve) => {
        answer = resolve;
      });
      await open(at, { held, ...more });
    };
    const answered = async () => {
      answer();
      await page.wait(0);
    };
    const told = () => page.outline().flatMap((line) => /(?:Changed: |Not saved yet|Somebody else).*/.exec(line) ?? []);
    const sent = () => page.asked().flatMap(({ method, body }) => (method === 'GET' ? [] : [body]));

    test('in a list of settings', async () => {
      const stored = { items: [{ date: '2027-12-24', name: 'Eve' }] };
      await opened('/clinic/hours', { own: { getIntegrationsClosedDays: stored } });
      await types('Name of day 1', 'Christmas Eve');
      await clicks('Save closed days');
      await types('Name of day 1', 'Christmas Eve, from noon');
      stored.items[0]!.name = 'Christmas Eve';
      await answered();

      expect(named('Name of day 1', 'INPUT').value).toBe('Christmas Eve, from noon');
      expect(told()).toEqual(['Changed: Christmas Eve, from noon, Christmas Eve']);
      page.asked();
      await clicks('Save closed days');
      expect(sent()).toEqual([{ items: [{ date: '2027-12-24', name: 'Christmas Eve, from noon' }] }]);
    });

    test('in a form of settings', async () => {
      const stored = { maxAttempts: 3, maxConcurrentCalls: 2 };
      await opened('/clinic/calling', { own: { getIntegrationsRecoveryPolicy: stored } });
      await types('Maximum attempts', '4');
      await clicks('Save');
      await types('Maximum calls at once', '7');
      stored.maxAttempts = 4;
      await answered();

      expect(named('Maximum calls at once', 'INPUT').value).toBe('7');
      expect(told()).toEqual(['Changed: Maximum calls at once']);
      await types('Maximum calls at once', '2');
      expect(told()).toEqual([]);
    });

    test('in a note', async () => {
      await opened('/patients/patient-1', { own: { getPatientsByPatientId: { replacedBy: null } } });
      await page.type(named('New note', 'TEXTAREA'), 'Rang');
      await clicks('Add the note');
      await page.type(named('New note', 'TEXTAREA'), 'Rang, will ring again');
      await answered();

      expect(sent()).toEqual([{ note: 'Rang' }]);
      expect(named('New note', 'TEXTAREA').value).toBe('Rang, will ring again');
      expect(named('Add the note')).toBeDefined();
    });

    test('in a dialog, which stays open with it', async () => {
      const stored = { replacedBy: null, firstName: 'Wendi', lastName: 'Ivanov' };
      const own = { getPatientsByPatientId: stored, patchPatientsByPatientId: stored };
      await opened('/patients/patient-1', { own });
      await clicks('Edit');
      await types('First name', 'Wendy');
      await clicks('Save');
      await types('Last name', 'Ivanova');
      stored.firstName = 'Wendy';
      await answered();

      expect(sent()).toEqual([{ firstName: 'Wendy' }]);
      expect(named('Last name', 'INPUT').value).toBe('Ivanova');
      expect(told()).toEqual(['Changed: Last name']);
      expect(page.outline()).not.toContainEqual(expect.stringContaining('Changed by somebody else'));
      await clicks('Save');
      expect(sent()).toEqual([{ lastName: 'Ivanova' }]);
      expect(page.outline()).not.toContain('## Edit Wendy Ivanov');
    });
  });

  test('what was typed about one task is not there for another one that was looked at before', async () => {
    await open('/tasks', { own: { getTasksByTaskId: (path: string) => ({ id: path.split('/').at(-1), notes: [] }) } });
    const rows = page.doable().filter((each) => nameOf(each).startsWith('Open: '));
    const opens = async (at: number) => rows[at] && page.click(rows[at]);
    const note = () => named('New note', 'TEXTAREA');
    for (const at of [1, 0]) await opens(at);
    await page.type(note(), 'wants the results by mail');
    await opens(1);
    await clicks('Leave without saving');

    expect([page.address(), note().value]).toEqual(['/tasks?task=id+2', '']);
  });

  test.each<[what: string, at: string, leave: () => Promise<void>]>([
    [
      'a patient',
      '/patients/patient-1',
      async () => {
        for (const key of ['g', 'w']) await page.press(key);
      },
    ],
    [
      'a task',
      '/tasks?task=task-1',
      async () => {
        const [another] = page.doable().filter((each) => nameOf(each).startsWith('Open: '));
        if (another) await page.click(another);
      },
    ],
  ])('a note about %s that was typed and not added is not left unasked', async (_what, at, leave) => {
    await open(at);
    await page.type(named('New note', 'TEXTAREA'), 'wants the results by mail');
    await leave();
    await clicks('Stay here');
    expect([page.address(), named('New note', 'TEXTAREA').value]).toEqual([at, 'wants the results by mail']);
    await clicks('Add the note');
    await leave();
    expect(page.address()).not.toBe(at);
  });

  test('a visit that was missed is told on the page of its patient, where it is gone by then, and is taken back there', async () => {
    const visit = { id: 'visit-1', startsAt: '2026-11-25T14:00:00Z', status: 'booked' };
    await open('/patients/patient-1', {
      own: {
        getPatientsByPatientId: () => ({ appointments: [visit] }),
        postAppointmentsByAppointmentIdAttendance() {
          visit.status = visit.status === 'booked' ? 'noshow' : 'booked';
          return { followUp: 'due' };
        },
      },
    });
    const noted = () => page.asked().flatMap(({ method, body }) => (method === 'POST' ? [body] : []));
    const told = () => page.outline().filter((line) => line.startsWith('Noted: no-show.'));
    const [missed] = page.doable().filter((each) => nameOf(each).startsWith('No-show: '));
    if (missed) await page.click(missed);
    expect(noted()).toEqual([{ status: 'noshow' }]);
    expect(told()).toEqual([expect.stringMatching(/is called about another time.* ‹Undo›$/)]);

    await clicks('Undo');
    expect(noted()).toEqual([{ status: 'booked' }]);
    expect(told()).toEqual([]);
  });

  test('what was told of a missed visit goes once it is taken back in its row', async () => {
    const visit = { startsAt: '2026-11-25T14:00:00Z', status: 'booked', patientName: 'Wendy' };
    const postAppointmentsByAppointmentIdAttendance = () => {
      visit.status = visit.status === 'booked' ? 'noshow' : 'booked';
      return { followUp: 'due' };
    };
    await open('/day-list', {
      own: { getDayList: () => ({ items: [visit] }), postAppointmentsByAppointmentIdAttendance },
    });
    const told = () => page.outline().filter((line) => line.startsWith('Noted: no-show.'));

    await clicks('No-show: Wendy');
    expect(told()).toHaveLength(1);
    await clicks('Take back: Wendy');
    expect(told()).toEqual([]);
  });

  test.each<[status: number, isLeft: boolean]>([
    [503, false],
    [401, true],
  ])(
    'a page, with what is typed on it, is left where it is asked again who is signed in and answered with %i: %s',
    async (status, isLeft) => {
      const refused: Record<string, Refused> = {};
      await open('/my-account', { refused });
      await page.type(named('Present password', 'INPUT'), 'a password');
      refused['getAuthSession'] = { message: 'Not now', status };
      await clicks('End');
      // It is asked for again first, each time later.
      for (const ms of [1_000, 2_000, 4_000]) await page.wait(ms);

      expect(page.address()).toBe(isLeft ? '/sign-in' : '/my-account');
      if (!isLeft) expect(named('Present password', 'INPUT').value).toBe('a password');
    },
  );

  test.each<[at: string, ofDay: string, today: string, tomorrow: string]>([
    ['/my-day', '&dueUntil=', 'Wed, Nov 25', 'Thu, Nov 26'],
    ['/day-list', '/day-list?date=', 'Wednesday, November 25, 2026', 'Thursday, November 26, 2026'],
    ['/calendar?view=day', 'from=', '## Wednesday, November 25, 2026', '## Thursday, November 26, 2026'],
  ])('%s that stays open over night is of the next day in the morning', async (at, ofDay, today, tomorrow) => {
    const clock = { at: now };
    await open(at, { clock });
    const shown = () => page.outline().filter((line) => line === today || line === tomorrow);
    expect(shown()).toEqual([today]);

    clock.at += 24 * HOUR_MS;
    await page.wait(30_000);
    expect(shown()).toEqual([tomorrow]);
    expect(page.asked().filter(({ path }) => path.includes(`${ofDay}2026-11-26`))).not.toEqual([]);
  });

  test.each<[where: string, isNarrow: boolean]>([
    ['on a phone', true],
    ['elsewhere', false],
  ])('of many tasks of a day those that are due first are shown %s until more are asked for', async (_, isNarrow) => {
    await open('/my-day', { isNarrow, fullness: 'many' });
    await page.wait(1_000);
    const rows = () => page.doable().filter((each) => nameOf(each).startsWith('Open: ')).length;
    const before = rows();
    const first = page.doable().find((each) => /^Show \d+ more$/.test(nameOf(each)));

    expect(first !== undefined).toBe(isNarrow);
    if (first) await page.click(first);
    expect(rows() - before).toBe(first ? Number(/\d+/.exec(nameOf(first))?.[0]) : 0);
  });

  test('how long ago something was goes on as time passes', async () => {
    const clock = { at: now };
    await open('/cases', { clock });
    const told = () => page.outline().flatMap((line) => /\d+ (?:h|min) ago/.exec(line) ?? []);
    const [before] = told();
    clock.at += 2 * HOUR_MS;
    await page.wait(60_000);

    expect([before, told()[0]]).toEqual(['1 h ago', '3 h ago']);
  });

  test('when somebody may be tried again is told by the time at which that is asked', async () => {
    const clock = { at: now };
    await open('/my-day', { clock });
    const [resolve] = page.doable().filter((each) => nameOf(each).startsWith('Resolve: '));
    const times = async () => {
      if (resolve) await page.click(resolve);
      const offered = page
        .doable()
        .map(nameOf)
        .filter((name) => name.startsWith('Today, '));
      await page.press('Escape');
      return offered;
    };
    expect(await times()).toEqual(['Today, 10:30 AM', 'Today, 12:30 PM']);
    clock.at += 5 * HOUR_MS;
    expect(await times()).toEqual(['Today, 3:30 PM', 'Today, 5:30 PM']);
  });

  test.each<[who: string, own: object, isOffered: boolean]>([
    ['an administrator', {}, true],
    ['the front desk, whom the service would refuse,', atTheDesk, false],
  ])('whether an open test call is to be closed by %s', async (_who, own, isOffered) => {
    const getCallsByCallId = { isTest: true, direction: 'inbound', state: 'IN_PROGRESS' };
    await open('/calls/call-1', { own: { ...own, getCallsByCallId } });

    expect(page.doable().map(nameOf).includes('Close the test call')).toBe(isOffered);
  });

  test('a patient whom somebody else has erased is on no page any more', async () => {
    const refused: Record<string, Refused> = {};
    const wendy = {
      firstName: 'Wendy',
      lastName: 'Ivanov',
      replacedBy: null,
      appointments: [],
      documents: [],
      changes: [],
    };
    await openBare('/patients/patient-1', { own: { getPatientsByPatientId: wendy }, refused });
    const told = () => page.outline().filter((line) => /Wendy|No such patient/.test(line));
    expect(told()[0]).toBe('# Wendy Ivanov');

    refused['getPatientsByPatientId'] = { message: 'No such patient', status: 404 };
    await page.type(named('New note', 'TEXTAREA'), 'called', { stays: true });
    await clicks('Add the note');
    expect(told()).toEqual(['No such patient.']);
  });

  test('a task that was given to somebody is told once, also where it is done and opened again', async () => {
    const given = (id: string, minute: number) => ({
      id,
      reason: 'bad_number',
      assignedBy: 'Ben',
      isByOneself: false,
      assignedAt: `2026-11-25T14:${minute}:00.000Z`,
    });
    let items = [given('task-1', 10)];
    await open('/tasks?show=RESOLVED', { own: { getTasksAssigned: () => ({ items }) } });
    const toldOf = async (...read: typeof items) => {
      items = read;
      // Whatever is done with a task, they are read again.
      await clicks('Reopen');
      const told = page.outline().filter((line) => line.startsWith('Assigned by Ben'));
      await page.wait(15_000);
      return told.length;
    };

    const another = given('task-2', 20);
    expect(await toldOf(another, given('task-1', 10))).toBe(1);
    expect(await toldOf(given('task-1', 10))).toBe(0);
    expect(await toldOf(another, given('task-1', 10))).toBe(0);
  });

  test('of what is done with a task one after the other only the last can be undone', async () => {
    await open('/tasks?task=task-1', { own: { getTasksByTaskId: { state: 'OPEN' } } });
    const undone = () => page.outline().filter((line) => /‹Undo›/.test(line));
    const triesAgain = async (time: string) => {
      for (const start of ['Resolve', 'Another time']) await page.click(beginning(start));
      await types('Time', time);
      await clicks('Try again then');
    };
    await triesAgain('16:45');
    expect(undone()).toHaveLength(1);
    await triesAgain('17:15');
    expect(undone()).toHaveLength(1);
  });

  test.each<[reason: string | null, words: string]>([
    [null, 'Nobody knows whether it is booked: look at your own system.'],
    ['in_the_past', 'Not booked: that time is over.'],
  ])('a time that could not be booked, for the reason %s, is told in words', async (reason, words) => {
    const answer = { isDone: false, reason, alternatives: [] };
    await openBare('/tasks?task=task-1', {
      own: { getTasksByTaskId: { canConfirm: true }, postTasksByTaskIdConfirm: answer },
    });
    await clicks('Book this time');

    expect(page.outline()).toContain(words);
  });

  test.each([
    [0, '‹Create a key pair›'],
    [1, '‹Replace the key pair›'],
    [2, '‹Replace the key pair› {disabled, data-disabled}'],
  ])('where there are %i key pairs: %s', async (count, button) => {
    const key = { algorithm: 'ES384', state: 'signing', signsFrom: '2026-11-25T14:00:00Z' };
    const items = [1, 2].slice(0, count).map((each) => ({ ...key, kid: `key-${each}` }));
    const getIntegrationsApprovedApi = { auth: { method: 'smart-backend' } };
    await open('/connections/approved-api', {
      own: { getIntegrationsApprovedApi, getIntegrationsApprovedApiKeys: { items } },
    });

    expect(page.outline().flatMap((line) => /‹\w+ \w+ key pair›.*/.exec(line) ?? [])).toEqual([button]);
  });

  test('what somebody else has taken away of a patient meanwhile is told as nothing', async () => {
    const stored = { replacedBy: null, firstName: 'Wendy', lastName: 'Ivanov', email: 'wendy@example.com' };
    await openBare('/patients/patient-1', {
      own: { getPatientsByPatientId: stored, postPatientsByPatientIdNotes: { id: 'note-1' } },
    });
    await page.type(named('New note', 'TEXTAREA'), 'Rang', { stays: true });
    await clicks('Edit');
    stored.email = '';
    await clicks('Add the note');

    expect(page.outline()).toContainEqual(expect.stringMatching(/^E-mail: –\. It stays so unless/));
  });

  test('what is refused of somebody who is registered stands at its field', async () => {
    await openBare('/patients', { refused: { postPatients: { path: 'phone', message: 'is no phone number' } } });
    await clicks('Register a patient');
    await types('First name', 'Wendy');
    await types('Last name', 'Ivanov');
    await clicks('Register');

    expect(page.outline()).toContainEqual(expect.stringMatching(/^Phone \[.*“This is no phone number/));
  });

  test('until when contents are deleted is told by the clinic’s calendar, wherever somebody reads it', async () => {
    const clinic = { ...clinicShown, timezone: 'Pacific/Auckland' };
    const item = { kind: 'sent_messages', defaultDays: 90, minDays: 1, maxDays: 400, days: 90, isDefault: true };
    const own = {
      getAuthSession: { rights: rightsOfRole.admin, needsSecondFactor: false, clinic },
      getRetention: { items: [{ ...item, purgedUntil: '2026-11-20T20:00:00Z' }] },
    };
    await openBare('/clinic/retention', { own });

    expect(page.outline()).toContainEqual(expect.stringContaining('purged until 11/21/2026'));
    await types('Messages within the service', '30');
    await clicks('Save');
    // It is the morning of the 26th there.
    expect(page.outline()).toContainEqual(expect.stringContaining('from before 10/27/2026'));
  });

  test('what is exported is saved as a file, and then let go', async () => {
    await openBare('/patients/patient-1', { own: { getPatientsByPatientIdExport: { records: { first: [] } } } });
    await clicks('Export as JSON');
    const [file, ...others] = await page.saved();

    expect(JSON.parse(file?.text ?? '')).toMatchObject({ records: { first: [] } });
    expect(file).toMatchObject({ name: 'patient-id 1.json', type: 'application/json;charset=utf-8', isHeld: false });
    expect(others).toEqual([]);
  });

  test('who is to prove that it is them has the ways that they have', async () => {
    let by = ['sso'];
    const refused: Record<string, Refused> = {
      getWaitlist: { path: 'stepUp', message: 'is needed', status: 403 },
      postAuthStepUp: { path: 'password', message: 'is wrong' },
    };
    await openBare('/waitlist', { own: { getAuthStepUp: () => ({ by }) }, refused });
    const begun = 'This needs you to have confirmed within the last five minutes that it is you.';
    const offered = () => {
      const outline = page.outline();
      return outline.slice(outline.indexOf(begun) + 1);
    };
    const asksFor = async (...ways: string[]) => {
      by = ways;
      await clicks('Not now');
      expect(page.outline()).toContain('Nothing was done: you have not confirmed that it is you.');
      await clicks('Try again');
      page.asked();
    };
    expect(offered()).toEqual(['‹Not now› ‹Confirm at your organisation›']);

    await asksFor('password');
    const [password, ends] = ['‹Show the password›', '‹Not now› ‹Confirm›'];
    expect(offered()).toEqual(['Password', 'Password []', password, ends]);
    await types('Password', 'a password');
    await clicks('Confirm');
    expect(page.asked().map(({ body }) => body)).toEqual([{ password: 'a password' }]);
    expect(offered()).toContainEqual(expect.stringMatching(/^Password \[a password\] .*This is wrong/));

    await asksFor('passkey', 'code');
    const from = 'Of your authenticator, or a backup code';
    expect(offered()).toEqual(['Code', from, `Code [] “${from}”`, '‹Use a passkey›', ends]);
    await types('Code', '123456');
    for (const operation of Object.keys(refused)) delete refused[operation];
    await clicks('Confirm');
    const [proof, again] = page.asked();
    expect(proof).toEqual({ method: 'POST', path: '/api/auth/step-up', body: { code: '123456' } });
    expect(again).toMatchObject({ method: 'GET', path: expect.stringMatching(/^\/api\/waitlist/) });
    expect(page.outline()).not.toContain(begun);
  });

  test('who is to prove that it is them is told where it is not known how they could, and can leave it or try again', async () => {
    const refused: Record<string, Refused> = {
      deleteIntegrationsApprovedApi: { path: 'stepUp', message: 'is needed', status: 403 },
      getAuthStepUp: { message: 'Busy' },
    };
    await open('/connections/approved-api', { own: { getAuthStepUp: { by: ['sso'] } }, refused });
    const told = () =>
      page.outline().filter((line) => /^(?:Busy|Nothing was done|This needs you|.*‹Not now›)/.test(line));
    await clicks('Remove', 'Remove');
    expect(told()).toEqual(['Busy.', '‹Not now›']);
    await clicks('Not now');
    expect(told()).toEqual([expect.stringMatching(/^Nothing was done: you have not confirmed/)]);

    await clicks('Dismiss', 'Remove', 'Remove');
    delete refused['getAuthStepUp'];
    await clicks('Try again');
    expect(told()).toEqual([
      expect.stringMatching(/^This needs you to have confirmed/),
      expect.stringMatching(/‹Not now› ‹Confirm/),
    ]);
  });

  test('who has to set up a second factor is asked there to prove that it is them', async () => {
    const refused: Record<string, Refused> = {
      postAuthSecondFactorConfirm: { path: 'stepUp', message: 'is needed', status: 403 },
    };
    const own = {
      getAuthSession: { rights: rightsOfRole.staff, needsSecondFactor: true, clinic: clinicShown },
      getAuthSecondFactor: { isOn: false, backupCodesLeft: null, isRequired: true },
      getAuthStepUp: { by: ['password'] },
    };
    await openBare('/tasks', { own, refused });
    await clicks('Set it up');
    await types('Password', 'a password');
    await clicks('Go on');
    await types('Code', '123456');
    await clicks('Turn it on');

    expect(page.outline()).toContain('This needs you to have confirmed within the last five minutes that it is you.');
  });

  test('Enter before anything is found opens what is found by all that was typed', async () => {
    await openBare('/nowhere');
    await page.press('k', { ctrlKey: true });
    await page.type(named('Find', 'INPUT'), 'waitlist', { key: 'Enter' });

    expect(page.address()).toBe('/waitlist');
  });

  test('a patient is registered once, however often somebody asks for it meanwhile', async () => {
    let answer = () => {};
    const held = new Promise<void>((resolve) => {
      answer = resolve;
    });
    await openBare('/patients', { held });
    await clicks('Register a patient');
    await types('First name', 'Wendy');
    await types('Last name', 'Ivanov');
    await clicks('Register');
    const offered = () => page.doable().map(nameOf);
    const registered = () => asked().filter((each) => each === 'POST /api/patients');

    expect(registered()).toHaveLength(1);
    expect(offered()).not.toContain('Register');
    answer();
    await page.wait(0);
    expect(registered()).toEqual([]);
    expect(page.outline()).toContainEqual(expect.stringMatching(/ is registered\.$/));
  });

  test('what was booked is seen in the calendar', async () => {
    await open('/calendar');
    await clicks('8:30 AM open');
    await page.type(named('Patient', 'INPUT'), 'first', { stays: true });
    const [option] = page.doable().filter((each) => each.getAttribute('role') === 'option');
    if (option) await page.click(option);
    await clicks('Book');

    expect(asked()).toContain('POST /api/appointments');
    expect(page.address()).toBe('/calendar?week=2026-11-25&provider=providerName+1');
    expect(page.outline().filter((line) => line.includes('role=dialog'))).toEqual([]);
  });

  test('a visit is moved to another time than its own', async () => {
    const of = (hour: number) => ({
      startsAt: `2026-11-25T${hour}:00:00Z`,
      endsAt: `2026-11-25T${hour}:30:00Z`,
      providerName: 'name 1',
    });
    const visit = {
      id: 'visit-1',
      patientId: 'patient-1',
      patientName: 'Wendy',
      visitType: 'Control',
      status: 'booked',
      cancellationReason: null,
    };
    const appointments = [{ ...visit, ...of(19), providerDisplayName: 'displayName 1' }];
    await open('/calendar', { own: { getProvidersByNameCalendar: { appointments, slots: [of(20)] } } });
    const [own, other] = ['2:00 PM Wendy Control', '3:00 PM open'];
    const dialogs = () => page.outline().filter((line) => line.startsWith('## ') && !line.startsWith('## Week'));
    await clicks(own);
    expect(dialogs()).toEqual(['## Appointment']);
    await clicks('Move Wed, Nov 25, 2026, 2:00 PM with displayName 1');
    expect(dialogs()).toEqual([]);

    await clicks(own);
    expect(dialogs()).toEqual([]);
    await clicks(other);
    expect(dialogs()).toEqual(['## Move this appointment?']);
    page.asked();
    await clicks('Move');
    const [moved] = page.asked();
    const { startsAt, providerName } = of(20);
    expect(moved).toEqual({
      method: 'POST',
      path: '/api/appointments/visit-1/reschedule',
      body: { startsAt, providerName },
    });
    expect(dialogs()).toEqual([]);
    await clicks(other);
    expect(dialogs()).toEqual([expect.stringMatching(/^## Book /)]);
  });

  test('what can be changed of somebody of the clinic', async () => {
    const account = { endsAt: null, disabledAt: null, hasSecondFactor: true, sessions: 1 };
    const items = [
      { ...account, id: 'account-1', name: 'Ana' },
      { ...account, id: 'account-2', name: 'Ben', hasSecondFactor: false },
      { ...account, id: 'account-3', name: 'Cleo', disabledAt: '2026-11-20T12:00:00Z' },
    ];
    await openBare('/clinic/people', { own: { getAccounts: { items } } });
    const offeredOf = async (name: string) => {
      await clicks(`Change ${name}`);
      const [menu] = page.doable().filter((each) => each.getAttribute('role') === 'menuitem');
      const within = [...(menu?.parentElement?.children ?? [])];
      await page.press('Escape');
      const isOff = (each: Part) => each.hasAttribute('data-disabled') || each.hasAttribute('disabled');
      return within.map((each) => `${each.textContent || '---'}${isOff(each) ? ' (not)' : ''}`);
    };

    const [role, sessions, link, factor] = [
      'Change the role',
      'Sessions',
      'Link for a new password',
      'Remove the second factor',
    ];
    expect(await offeredOf('Ana')).toEqual([role, sessions, link, factor, '---', 'Disable (not)']);
    expect(await offeredOf('Ben')).toEqual([role, sessions, link, `${factor} (not)`, '---', 'Disable']);
    expect(await offeredOf('Cleo')).toEqual([role, sessions, `${link} (not)`, factor, '---', 'Enable']);
  });

  test('before a list of those who are not called is saved it is told what would become of each line', async () => {
    const nothing = { rows: 0, added: 0, widened: 0, refused: [] as object[] };
    let found = nothing;
    await openBare('/clinic/opt-outs', { own: { postIntegrationsOptOutsImport: () => found } });
    const toldOf = async (given: object) => {
      found = { ...nothing, ...given };
      await page.choose('list.csv', body);
      const outline = page.outline();
      return outline.slice(outline.indexOf('list.csv') + 2);
    };
    const path = '/api/integrations/opt-outs/import';
    const body = 'phone\n+13035550140\nnone';

    const none = '{disabled, data-disabled}';
    expect(await toldOf({ rows: 1, added: 1 })).toEqual(['1 line: 1 new number.', '‹Import 1› ‹Cancel›']);
    expect(await toldOf({ rows: 3, added: 1, widened: 1 })).toEqual([
      '3 lines: 1 new number, 1 to be called about nothing at all, 1 without a change.',
      '‹Import 2› ‹Cancel›',
    ]);
    const refused = [{ line: 3, message: 'is no phone' }];
    expect(await toldOf({ rows: 2, refused })).toEqual([
      '2 lines: 1 without a change, 1 that cannot be read.',
      '- Line 3: none',
      'is no phone',
      `‹Import 0 and leave the rest out› ${none} ‹Cancel›`,
    ]);
    expect(await toldOf({ rows: 2, added: 1, refused })).toEqual([
      '2 lines: 1 new number, 1 that cannot be read.',
      '- Line 3: none',
      'is no phone',
      '‹Import 1 and leave the rest out› ‹Cancel›',
    ]);
    expect(await toldOf({ rows: 0 })).toEqual(['0 lines.', `‹Import 0› ${none} ‹Cancel›`]);
    await clicks('Cancel');
    expect(page.outline()).not.toContain('list.csv');

    page.asked();
    await toldOf({ rows: 1, added: 1 });
    await clicks('Import 1');
    expect(page.asked().slice(0, 2)).toEqual([
      { method: 'POST', path: `${path}?preview=true`, body },
      { method: 'POST', path, body },
    ]);
    expect(page.outline()).toContainEqual(expect.stringContaining('1 number was added.'));
  });

  test('a list of those who are not called can be chosen again once it was corrected', async () => {
    await openBare('/clinic/opt-outs');
    const input = named('Choose a CSV file').ownerDocument.querySelector('input[type=file]');
    const values: unknown[] = [];
    // What a browser keeps of the file that was chosen last, and compares with the next one.
    const keep = (value: unknown) => {
      values.push(value);
    };
    if (input) Object.defineProperty(input, 'value', { set: keep });
    await page.choose('list.csv', 'phone');

    expect(values).toEqual(['']);
    expect(asked()).toEqual(['POST /api/integrations/opt-outs/import?preview=true']);
  });

  test('where a list cannot be read on before a row that its filter keeps, that is said, and not that there is none', async () => {
    const refused: Record<string, Refused> = {};
    const first = { items: [{ id: 'call-1', isTest: true }], nextCursor: 'cursor-2' as string | null };
    const getCalls = () => {
      if (first.nextCursor !== null) refused['getCalls'] = { message: 'Busy' };
      return first;
    };
    await openBare('/calls?show=live', { own: { getCalls }, refused });
    const told = () => page.outline().filter((line) => /^(?:No call is running|Busy|‹Try again›)/.test(line));
    expect(told()).toEqual(['Busy.', '‹Try again›']);

    delete refused['getCalls'];
    first.nextCursor = null;
    await clicks('Try again');
    expect(told()).toEqual(['No call is running']);
  });

  test('where nobody on file is called so it is said, once something was typed', async () => {
    let items: object[] = [];
    await openBare('/audit', { own: { getPatients: () => ({ items }) } });
    const toldOf = async (typed: string) => {
      await page.type(named('Patient', 'INPUT'), typed, { stays: true });
      return page.outline().filter((line) => /^(?:No patient|Searching)|role=option.*Wendy/.test(line));
    };

    expect(await toldOf('wen')).toEqual(['No patient matches']);
    expect(await toldOf('')).toEqual([]);
    items = [{ id: 'patient-1', firstName: 'Wendy', lastName: 'Ivanov', registrationStatus: 'REGISTERED', alike: [] }];
    expect(await toldOf('wendy')).toEqual([]);
  });

  test('what somebody is still typing to search for stays as it is typed', async () => {
    await open('/patients');
    await types('Search', 'wendy ');

    expect(named('Search', 'INPUT').value).toBe('wendy ');
    expect(asked()).toEqual([expect.stringContaining('search=wendy)')]);
  });
});

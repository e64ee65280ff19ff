import { clinicShown } from './stage/dashboard';
import type { Part } from './walk/document';
import { nameOf } from './walk/outline';
import { buildDashboard, type Dashboard, type Opened, type Page } from './walk/page';
import { look, walk } from './walk/walk';

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
  ['/nowhere'],
];

/** Of one record, not of a list. */
const isOfOne = (at: string) => at.endsWith('-1');

describe('what a page says and does changes only where a review sees it: `npm test -- dashboard/pages -u` writes it down anew', () => {
  test.each(pages)('%s with much on it', async (at, own = {}) => {
    expect((await look(dashboard, { at, own, fullness: 'many' })).join('\n')).toMatchSnapshot('outline');
  });

  test.each(pages)('%s with nothing on it', async (at, own = {}) => {
    expect((await look(dashboard, { at, own, fullness: 'none' })).join('\n')).toMatchSnapshot('outline');
  });

  test.each(pages)('%s with some of it', async (at, own = {}) => {
    const lines: string[] = [];
    for (const turn of isOfOne(at) ? [0, 1, 2, 3] : [0, 1])
      lines.push(...(await look(dashboard, { at, own, fullness: 'mixed', turn })), '');
    expect(lines.join('\n')).toMatchSnapshot('outline');
  });

  test.each(pages)('whatever is done on %s', async (at, own = {}) => {
    expect((await walk(dashboard, { at, own, fullness: 'few' })).join('\n')).toMatchSnapshot('outline');
  });
});

describe('what somebody does step by step', () => {
  let page: Page;
  const open = async (at: string, more: Partial<Opened> = {}) => {
    page = await dashboard.open({ at, fullness: 'few', ...more });
    page.asked();
  };
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

  test('what somebody is still typing to search for stays as it is typed', async () => {
    await open('/patients');
    await types('Search', 'wendy ');

    expect(named('Search', 'INPUT').value).toBe('wendy ');
    expect(asked()).toEqual([expect.stringContaining('search=wendy)')]);
  });
});

import { dashboardModules, type Given, linksIn, type Stage, textsIn } from './stage/dashboard';
import { adminWithout, cellsIn, deskOf, keepingFiles, stopClock } from './stage/desk';
import { allClinics, clinicState as clinic } from './stage/all-clinics';
import { answering } from './stage/service';

/** What the pages of the day, of the audit and of all clinics, and settings show and send, without a browser. */
type Option = (given?: object) => { queryKey: unknown };
interface Modules {
  api: Record<
    | 'getAuditOptions'
    | 'getCallsOptions'
    | 'getCasesOptions'
    | 'getIntegrationsLanguageOptions'
    | 'getIntegrationsResultsOptions'
    | 'getOperationsClinicsOptions'
    | 'getOperationsRunbookOptions'
    | 'getOverviewOptions'
    | 'getOverviewSetUpOptions'
    | 'getResultsMailOptions'
    | 'getRetentionOptions'
    | 'getStaffOptions'
    | 'getTasksOptions',
    Option
  >;
  audit: { Audit: unknown };
  country: { ClinicCountry: unknown };
  language: { ClinicLanguage: unknown };
  mail: { ResultsByMail: unknown };
  operator: { Operator: unknown };
  overview: { Overview: unknown };
  retention: { Retention: unknown };
  runbook: { Runbook: unknown };
  settings: { ResultSettings: unknown };
  started: { GettingStarted: unknown };
  csv: object;
}

let pages: Modules & Stage;
const service = answering({ statusCode: 409, message: 'is refused' });
const { open, done } = deskOf(() => pages, service);
const as = adminWithout();

const { saved, ...browser } = keepingFiles();

beforeAll(async () => {
  pages = await dashboardModules<Modules>(
    {
      api: require.resolve('../../dashboard/http/api.ts'),
      audit: require.resolve('../../dashboard/pages/operations/audit.tsx'),
      country: require.resolve('../../dashboard/pages/operations/country.tsx'),
      language: require.resolve('../../dashboard/pages/operations/language.tsx'),
      mail: require.resolve('../../dashboard/pages/operations/results-mail.tsx'),
      operator: require.resolve('../../dashboard/pages/operations/operator.tsx'),
      overview: require.resolve('../../dashboard/pages/operations/overview.tsx'),
      retention: require.resolve('../../dashboard/pages/operations/retention.tsx'),
      runbook: require.resolve('../../dashboard/pages/operations/runbook-pages.tsx'),
      settings: require.resolve('../../dashboard/pages/operations/result-settings.tsx'),
      started: require.resolve('../../dashboard/pages/operations/getting-started.tsx'),
      csv: require.resolve('../../dashboard/lists/csv-cell.ts'),
    },
    { fetch: service.fetch, setTimeout: () => 0, ...browser },
  );
});

beforeEach(() => void stopClock('2026-11-25T14:30:00Z'));
afterEach(() => jest.useRealTimers());

const spaced = (texts: string[], between = ' ') => texts.join(between).replaceAll(/\s/g, ' ');

describe('the overview', () => {
  const overview = {
    cases: { opened: 5, ended: 2, simulated: 0, byStatus: { RECOVERED: 1, CALLING: 4 } },
    calls: { running: 1, placed: 9 },
    deliveries: { dead: 0, retrying: 0, delivered: 7, failingSince: null },
    tasks: { open: 3, unassigned: 1 },
    appointments: { onTheDay: 8, booked: 2 },
  };
  const opened = (
    given: object = {},
    { reader = as, cases = [] as object[], calls = [] as object[], tasks = [] as object[] } = {},
  ) =>
    open(pages.overview.Overview, {
      as: reader,
      answers: [
        [pages.api.getOverviewOptions().queryKey, { ...overview, ...given }],
        [pages.api.getCasesOptions({ query: { limit: 8 } }).queryKey, { items: cases }],
        [pages.api.getCallsOptions({ query: { live: 'true', limit: 50 } }).queryKey, { items: calls }],
        [pages.api.getTasksOptions({ query: { state: 'OPEN', limit: 5 } }).queryKey, { items: tasks }],
      ],
    });
  const tiles = (given: object = {}) => {
    const markup = opened(given).again();
    return [...markup.matchAll(/<a [^>]*class="[^"]*tile[^"]*"[^>]*>.*?<\/a>/g)].map(([tile]) => ({
      text: spaced(textsIn(tile), ' | '),
      to: linksIn(tile)[0]?.[1],
      isBad: tile.includes('data-bad'),
      isLive: tile.includes('pulse'),
    }));
  };

  test('its day stands above, and each tile leads to what it counts', () => {
    expect(opened().texts().slice(0, 2)).toEqual(['Overview', 'North Clinic, Wed, Nov 25']);
    expect(tiles()).toEqual([
      { text: 'Cases today | 5 | 2 ended', to: '/cases?show=today&simulated=false', isBad: false, isLive: false },
      { text: 'Calls running | 1 | 9 placed today', to: '/calls?show=live', isBad: false, isLive: true },
      {
        text: 'Deliveries failing | 0 | 7 delivered today',
        to: '/deliveries?state=RETRYING',
        isBad: false,
        isLive: false,
      },
      { text: 'Open tasks | 3 | 1 unassigned', to: '/tasks', isBad: false, isLive: false },
      { text: 'Appointments today | 8 | 2 booked today', to: '/calendar?provider=*', isBad: false, isLive: false },
    ]);
    expect(tiles({ calls: { running: 0, placed: 0 } })[1]?.isLive).toBe(false);
  });

  test.each<[deliveries: object, text: string, state: string]>([
    [{ retrying: 1 }, 'Deliveries failing | 1 | being tried again', 'RETRYING'],
    [
      { retrying: 1, failingSince: '2026-11-25T14:00:00Z' },
      'Deliveries failing | 1 | nothing was received since | 9:00 AM',
      'RETRYING',
    ],
    [{ dead: 1 }, 'Deliveries given up | 1 | no other is failing', 'DEAD'],
    [{ dead: 1, retrying: 1 }, 'Deliveries given up | 1 | 1 more being tried again', 'DEAD'],
    [
      { dead: 1, retrying: 2, failingSince: '2026-11-25T14:00:00Z' },
      'Deliveries given up | 1 | nothing was received since | 9:00 AM',
      'DEAD',
    ],
  ])('deliveries %j are told as “%s”', (given, text, state) => {
    expect(tiles({ deliveries: { ...overview.deliveries, ...given } })[2]).toEqual({
      text,
      to: `/deliveries?state=${state}`,
      isBad: true,
      isLive: false,
    });
  });

  test.each<[tasks: object, told: string]>([
    [{ open: 0, unassigned: 0 }, 'nothing to do'],
    [{ open: 1, unassigned: 0 }, 'all assigned'],
    [{ open: 1, unassigned: 1 }, '1 unassigned'],
    [{ open: 2, unassigned: 2 }, '2 unassigned'],
  ])('tasks %j: “%s”', (tasks, told) => {
    expect(tiles({ tasks })[3]?.text).toMatch(new RegExp(`\\| ${told}$`));
  });

  test('cases by status are bars as long as there are cases, each of which leads to them', () => {
    const markup = opened().again();
    const bars = [...markup.matchAll(/<a [^>]*class="[^"]*barRow[^"]*"[^>]*>.*?<\/a>/g)].map(([bar]) => bar);

    expect(bars.map((bar) => [textsIn(bar).join(' '), linksIn(bar)[0]?.[1], /width:([\d.]+)%/.exec(bar)?.[1]])).toEqual(
      expect.arrayContaining([
        ['Calling 4', '/cases?status=CALLING&show=current&simulated=false', '100'],
        ['Recovered 1', '/cases?status=RECOVERED&show=current&simulated=false', '25'],
      ]),
    );
    expect(bars).toHaveLength(2);
    expect(markup).not.toContain('No case yet today');
  });

  test.each<[simulated: number, isTold: boolean]>([
    [0, false],
    [1, true],
    [2, true],
  ])('%i simulated cases are left out', (simulated, isTold) => {
    const cases = { ...overview.cases, simulated };
    const links = linksIn(opened({ cases }).again()).map(([, to]) => to);

    expect(links.includes('/cases?show=current&simulated=true')).toBe(isTold);
  });

  test.each<[without: string[], mayTry: boolean]>([
    [[], true],
    [['sandbox'], false],
  ])('on a day without a case who may (but %j) can try one: %s', (without, mayTry) => {
    const cases = { ...overview.cases, byStatus: {} };
    const texts = opened({ cases }, { reader: adminWithout(...without) }).texts();

    expect(texts).toContain('No case yet today');
    expect(texts.includes('Try one on the simulator')).toBe(mayTry);
  });

  const patient = { firstName: 'Wendy', lastName: 'Ivanov' };
  const at = { createdAt: '2026-11-25T14:00:00Z' };

  test('nothing is going on', () => {
    const texts = opened().texts();

    expect(texts).toEqual(expect.arrayContaining(['No recovery case yet', 'No call is running', 'Nothing to do']));
  });

  test('what is going on leads to its record', () => {
    const one = {
      ...at,
      patient,
      recoveryCaseId: 'case-1',
      recoveryStatus: 'CALLING',
      formName: 'Intake',
      isSimulated: false,
    };
    const call = {
      ...at,
      patient,
      id: 'call-1',
      state: 'RINGING',
      workflowType: 'recovery',
      formName: 'Intake',
      isTest: false,
    };
    const task = { ...at, id: 'task-1', reason: 'billing_escalation', patient, assignee: { name: 'Ana' } };
    const found = opened(
      {},
      {
        cases: [one, { ...one, recoveryCaseId: 'case-2', formName: null, isSimulated: true }],
        calls: [call, { ...call, id: 'call-2', isTest: true }],
        tasks: [task, { ...task, id: 'task-2', patient: null, assignee: null }],
      },
    ).again();
    const links = linksIn(found).map(([text, to]) => [text.replaceAll(/\s/g, ' '), to]);
    const of = (to: string) => links.find(([, each]) => each === to)?.[0];

    expect(of('/cases/case-1')).toBe('Wendy Ivanov Intake 30 min ago Calling');
    expect(of('/cases/case-2')).toMatch(/^Wendy Ivanov Started over the API 30 min ago Simulated /);
    expect(of('/calls/call-1')).toMatch(/^Wendy Ivanov .*30 min ago /);
    expect(of('/calls/call-2')).toBeUndefined();
    expect(of('/tasks?task=task-1')).toBe('Talk about the price Wendy Ivanov 30 min ago Ana');
    expect(of('/tasks?task=task-2')).toBe('Talk about the price 30 min ago Unassigned');
    expect(links).toEqual(
      expect.arrayContaining([
        ['All cases', '/cases'],
        ['All calls', '/calls'],
        ['All tasks', '/tasks'],
      ]),
    );
    expect(textsIn(found)).not.toContain('No call is running');
  });
});

describe('what is still to be set up', () => {
  const all = ['outbound-url', 'inbound-secret', 'test-event', 'first-case', 'voice'];
  const opened = (isDone: boolean[], reader = as) => {
    const steps = all.map((step, at) => ({ step, isDone: isDone[at] ?? false }));
    return open(pages.started.GettingStarted, {
      as: reader,
      answers: [[pages.api.getOverviewSetUpOptions().queryKey, { steps }]],
    });
  };

  test('each step leads to its page, and ticks itself off', () => {
    const markup = opened([true, false, false, true]).again();

    expect(linksIn(markup).filter(([, to]) => to !== '/api/docs')).toEqual([
      ['Register your endpoint', '/connections/outbound'],
      ['Create the secret of an inbound URL', '/connections/inbound'],
      ['Send a test event', '/connections/outbound'],
      ['Open the first case', '/try-it'],
      ['Connect voice', '/connections/voice'],
    ]);
    expect(spaced(textsIn(markup), ' | ')).toContain(
      '2 of 5 done | API reference | Hide this list | Register your endpoint | , where outcomes are sent | Done | 2 | Create the secret of an inbound URL',
    );
    expect(textsIn(markup).filter((text) => text === 'Done')).toHaveLength(2);
    expect(markup.match(/data-done/g)).toHaveLength(2);
  });

  test.each<[what: string, isDone: boolean[], reader: typeof as, isShown: boolean]>([
    ['something is left', [true, true, true, true, false], as, true],
    ['nothing is left', [true, true, true, true, true], as, false],
    ['somebody may not set it up', [], adminWithout('settings'), false],
  ])('where %s: %s', (_what, isDone, reader, isShown) => {
    expect(opened(isDone, reader).texts().includes('Getting started')).toBe(isShown);
  });
});

describe('the runbook', () => {
  const markdown = (page: string) => pages.api.getOperationsRunbookOptions({ query: { page } }).queryKey;
  const opened = (text: string, { at = 'alarms', clinicId = undefined as string | undefined, others = {} } = {}) =>
    open(
      pages.runbook.Runbook,
      {
        answers: [
          [markdown('operate'), text],
          ...Object.entries(others).map(([name, each]): [unknown, unknown] => [markdown(name), each]),
        ],
      },
      { at, clinicId },
    );
  const told = (text: string, given?: Parameters<typeof opened>[1]) => spaced(opened(text, given).texts(), ' | ');

  test.each<[what: string, text: string, words: string]>([
    [
      'with what belongs to it',
      '# All\n\n## Alarms\n\nOne.\n\n### More\n\nTwo.\n\n## Other\n\nThree.',
      'One. | More | Two.',
    ],
    ['up to a higher one', '# All\n\n## Alarms\n\nOne.\n\n# Next\n\nTwo.', 'One.'],
    ['up to the end', '# All\n\n## Alarms\n\nOne.', 'One.'],
    ['the whole of one without it', '# All\n\nOne.\n\n## Other\n\nTwo.', 'One. | Other | Two.'],
    ['not of a heading within a line', 'A # Alarms\n\n## Alarms\n\nOne.', 'One.'],
  ])('a section is shown %s', (_what, text, words) => {
    expect(told(text)).toBe(words);
  });

  test('a section is found by the anchor that it has on the web', () => {
    const text = '# All\n\n## What `it` does, and why: a 2nd look\n\nOne.\n\n## Other\n\nTwo.';

    expect(told(text, { at: 'what-it-does-and-why-a-2nd-look' })).toBe('One.');
  });

  test.each<[what: string, text: string, markup: RegExp]>([
    ['a list', '- One\n- **Two**', /<ul[^>]*>.*One\s.*<strong>Two<\/strong>.*<\/ul>/],
    ['a list with numbers', '1. One\n2. Two', /<ol[^>]*>.*One\s.*Two.*<\/ol>/],
    ['code', 'Use `npm run x` now', /Use <code[^>]*>npm run x<\/code> now/],
    ['stress', 'It _must_ be, not snake_case_here', /It <em>must<\/em> be, not snake_case_here/],
    ['a web address', 'See [this](https://a.example) now', /See .*href="https:\/\/a\.example".*this.* now/],
    ['a page', 'See [that](security.md#keys) now', /See <button[^>]*>that<\/button> now/],
    ['a file', 'See [`it`](../deploy/x.yml) now', /See <code[^>]*>it<\/code> now/],
    ['a heading with marks', '### Use `it`', /<h3[^>]*>Use <code[^>]*>it<\/code><\/h3>/],
    ['text', 'A - b', /<p[^>]*>A - b<\/p>/],
  ])('%s', (_what, text, markup) => {
    expect(opened(`## Alarms\n\n${text}`).again()).toMatch(markup);
  });

  test('a table is shown row by row', () => {
    const text = '## Alarms\n\n| Name | What | Who |\n| --- | --- | --- |\n| `a` | One | Ana |\n| b | Two | Ben |';

    expect(told(text)).toBe('a | What: One | Who: Ana | b | What: Two | Who: Ben');
  });

  test.each<[clinicId: string | undefined, id: string]>([
    [undefined, 'ID'],
    ['clinic-7', 'clinic-7'],
  ])('commands are for the clinic %s', (clinicId, id) => {
    const text = '## Alarms\n\nUse `npm run x -- --clinic ID`:\n\n```sh\nnpm run y -- --clinic ID\n\nnpm run z\n```';

    expect(told(text, { clinicId })).toBe(
      `Use | npm run x -- --clinic ${id} | : | npm run y -- --clinic ${id} npm run z | Copy`.replace(' | Copy', ''),
    );
  });

  test('its links open what they lead to, and Back leads back', () => {
    const text =
      '## Alarms\n\nSee [more](#other), [keys](security.md#keys) and [all](security.md).\n\n## Other\n\nTwo.';
    const others = { security: '# Security\n\nAll.\n\n## Keys\n\nOf [it](#other).\n\n## Other\n\nHere.' };
    const page = opened(text, { others });
    const shown = () => spaced(page.texts(), ' | ');
    const follow = (label: string) => {
      const isIt = ({ component, children }: Given) =>
        component === 'button' && (children as { props?: { text?: string } } | undefined)?.props?.text === label;
      page.given(isIt).onClick?.();
    };

    expect(shown()).toBe('See | more | , | keys | and | all | .');
    follow('keys');
    expect(shown()).toBe('Back | Keys | Of | it | .');
    follow('it');
    expect(shown()).toBe('Back | Other | Here.');
    page.click('Back');
    expect(shown()).toBe('Back | Keys | Of | it | .');
    page.click('Back');
    expect(shown()).toBe('See | more | , | keys | and | all | .');
    follow('more');
    expect(shown()).toBe('Back | Other | Two.');
    page.click('Back');
    page.again();
    follow('all');
    expect(shown()).toBe('Back | Security | All. | Keys | Of | it | . | Other | Here.');
  });
});

describe('the page of all clinics', () => {
  const opened = (clinics: object[], given: object = {}) =>
    open(pages.operator.Operator, {
      as: { role: 'operator' },
      answers: [[pages.api.getOperationsClinicsOptions().queryKey, allClinics(clinics, given)]],
    });
  const told = (clinics: object[], given: object = {}) => spaced(opened(clinics, given).texts());
  const pause = (given: object = {}) => ({
    id: 'pause-1',
    clinicId: 'clinic-1',
    reason: 'a flood',
    workflowType: null,
    isByOperator: true,
    pausedAt: '2026-11-25T14:00:00Z',
    until: null,
    ...given,
  });

  test('a clinic leads to Temporal, and each figure to what it counts there', () => {
    const temporalUrls = { stuckRuns: 'https://temporal.example/stuck' };
    const page = opened([clinic({ stuckRuns: 2, runFaults: 1, temporalUrls })]);

    expect(linksIn(page.again())).toEqual(
      expect.arrayContaining([
        ['Temporal', 'https://temporal.example/clinic-1'],
        ['Show them in Temporal', 'https://temporal.example/stuck'],
      ]),
    );
    expect(page.texts().filter((text) => text === 'Show them in Temporal')).toHaveLength(1);
  });

  test.each<[figure: string, runbook: string | null]>([
    ['stuckRuns', null],
    ['alarms', 'Runbook: alarms'],
    ['failingEndpoints', 'Runbook: endpoints that fail'],
    ['deadDeliveries', null],
    ['pauses', 'Runbook: pausing calls'],
    ['waitingErasures', null],
  ])('beside %s stands %j', (figure, runbook) => {
    const texts = opened([clinic({ [figure]: 1 })]).texts();
    const all = ['Runbook: alarms', 'Runbook: endpoints that fail', 'Runbook: pausing calls'];

    expect(all.filter((each) => texts.includes(each))).toEqual(runbook === null ? [] : [runbook]);
    expect(texts.some((text) => text.startsWith('The command counts them first'))).toBe(figure === 'deadDeliveries');
    expect(texts).toContain('Runbook');
  });

  test.each<[alarms: number, more: string | null]>([
    [1, null],
    [2, 'And 1 more.'],
    [3, 'And 2 more.'],
  ])('of %i alarms the newest is told', (alarms, more) => {
    const texts = opened([
      clinic({ alarms, newestAlarms: [{ kind: 'billing_escalation', at: '2026-11-25T14:00:00Z' }] }),
    ]).texts();

    expect(spaced(texts)).toContain('Talk about the price, 30 min ago');
    expect(texts.find((text) => text.startsWith('And ')) ?? null).toBe(more);
  });

  test.each<[failing: object, words: string]>([
    [{ endpointName: 'Warehouse', since: null, error: null }, 'Warehouse ( endpoint-1 ) Runbook'],
    [
      { endpointName: null, since: null, error: 'timeout' },
      'the outbound URL ( endpoint-1 ) : No answer in time Runbook',
    ],
    [
      { endpointName: 'Warehouse', since: '2026-11-25T14:00:00Z', error: 'http_503' },
      'Warehouse ( endpoint-1 ) : Status 503 , since Nov 25, 9:00 AM Runbook',
    ],
  ])('an endpoint that fails: %j', (failing, words) => {
    const text = told([clinic({ failingEndpoints: 1, failing: [{ endpointId: 'endpoint-1', ...failing }] })]);

    expect(text.replaceAll(/\s/g, '')).toContain(words.replaceAll(/\s/g, ''));
  });

  test('deliveries that were given up are told, each endpoint with its command', () => {
    const dead = {
      deliveryId: 'delivery-1',
      event: 'recovery_case.outcome',
      endpointName: null,
      at: '2026-11-25T14:00:00Z',
    };
    const deadEndpoints = [
      { endpointId: 'endpoint-1', endpointName: 'Warehouse' },
      { endpointId: 'first', endpointName: null },
    ];
    const text = told([clinic({ deadDeliveries: 1, newestDead: [dead], deadEndpoints })]);

    expect(text).toContain('recovery_case.outcome to the outbound URL, 30 min ago : delivery-1');
    for (const id of ['endpoint-1', 'first'])
      expect(text).toContain(`npm run clinic -- resend-dead --clinic clinic-1 --endpoint ${id} --days 7`);
  });

  test.each<[given: object, words: string]>([
    [{}, 'All calls: a flood'],
    [{ workflowType: 'no-show-follow-up' }, 'No show follow-up: a flood'],
    [{}, 'the operator of this service'],
    [{ isByOperator: false }, 'the clinic'],
  ])('a pause %j is told as “%s”, with the command that ends it', (given, words) => {
    const text = told([clinic({ pauses: 1 })], {
      pauses: [pause(given), pause({ id: 'pause-2', clinicId: 'clinic-2' })],
    });
    const about = text.slice(text.indexOf('These patients are not called.'));

    expect(about).toContain(words);
    expect(about.includes('the operator of this service')).toBe(!('isByOperator' in given));
    expect(about).toContain('npm run pause -- off --id pause-1');
    expect(about).not.toContain('pause-2');
  });

  test('the calls of all clinics are paused, since when and by which command they go on', () => {
    const pauses = [
      pause({ id: 'pause-0', clinicId: null, pausedAt: '2026-11-25T13:00:00Z' }),
      pause({ id: 'pause-9', clinicId: null, pausedAt: '2026-11-25T14:00:00Z' }),
      pause(),
    ];
    const text = told([clinic()], { isEveryClinicPaused: true, pauses });

    expect(text).toContain('The calls of all clinics are paused since Nov 25, 9:00 AM .');
    expect(text).toContain('Calls of all clinics');
    expect(text).toContain('npm run pause -- off --id pause-9');
    expect(text).not.toContain('npm run pause -- off --id pause-1');
    // What is at fault in the service stands above the clinics.
    expect(text.indexOf('The service ')).toBeLessThan(text.indexOf('Clinics '));
    expect(told([clinic()]).indexOf('The service ')).toBeGreaterThan(told([clinic()]).indexOf('Clinics '));
    expect(told([clinic()])).not.toContain('Calls of all clinics');
  });

  test.each<[count: number, needALook: number, named: number, more: string | null]>([
    [1, 1, 1, null],
    [5, 5, 5, null],
    [6, 6, 5, 'And 1 more.'],
    [5, 7, 5, 'And 2 more.'],
  ])('of %i clinics of %i that need a look %i are named above all', (count, needALook, named, more) => {
    const clinics = Array.from({ length: count }, (_, at) =>
      clinic({ clinicId: `clinic-${at}`, name: `No. ${at}`, needsALook: true, runFaults: 1 }),
    );
    const page = opened(clinics, { needALook, clinics: needALook });
    const links = linksIn(page.again()).filter(([, to]) => to.startsWith('#clinic-'));

    expect(links).toHaveLength(named);
    expect(page.again()).toContain('What needs a look');
    expect(opened([clinic()]).again()).not.toContain('What needs a look');
    expect(page.texts().find((text) => text.startsWith('And ')) ?? null).toBe(more);
  });

  test.each<[shown: number, clinics: number, words: string]>([
    [1, 1, '1 clinic'],
    [2, 2, '2 clinics, the worst first'],
    [2, 3, 'The 2 worst of 3, the worst first.'],
  ])('%i of %i clinics are shown: “%s”', (shown, clinics, words) => {
    const items = Array.from({ length: shown }, (_, at) => clinic({ clinicId: `clinic-${at}` }));

    expect(opened(items, { clinics }).texts()).toContain(words);
  });

  const parts = (given: object) => {
    const texts = opened([clinic()], given).texts();
    return spaced(texts.slice(texts.indexOf('The service')), ' | ');
  };

  test.each<[given: object, words: string]>([
    [{}, 'Temporal | reachable'],
    [
      { isTemporalReachable: false },
      'Temporal | Events are stored, and the relay catches up; bring it back. | unreachable',
    ],
    [
      { duties: [{ name: 'relay', isHeld: true, isLate: false, passedAt: '2026-11-25T14:00:00Z' }] },
      'Relay: starts and tells what was stored | Last pass | 30 min ago | . | at work',
    ],
    [
      { duties: [{ name: 'mail', isHeld: false, isLate: true, passedAt: null }] },
      'Mails about tasks | No pass yet. No worker has it: start one. | late',
    ],
    [{ duties: [{ name: 'other', isHeld: true, isLate: true, passedAt: null }] }, 'other | No pass yet. | late'],
    [
      { duties: [{ name: 'reconcile', isHeld: true, isLate: false, passedAt: null }] },
      'Reconciler: mends what Temporal lost | No pass yet. | at work',
    ],
    [
      { duties: [{ name: 'fulfil', isHeld: true, isLate: false, passedAt: null }] },
      'Appointments that are over | No pass yet. | at work',
    ],
    [{}, 'Oldest run that Temporal has not taken | none'],
    [
      { oldest: { startSeconds: 30, messageSeconds: 0, callSeconds: 0, deliverySeconds: 0 } },
      'Oldest run that Temporal has not taken | 30 s',
    ],
    [{}, 'Delivery that has been due longest | none'],
  ])('of the service %j is told “%s”', (given, words) => {
    expect(parts(given).replaceAll(/ ?\| ?/g, '|')).toContain(words.replaceAll(/ ?\| ?/g, '|'));
  });

  test.each<[given: object, isWell: boolean]>([
    [{}, true],
    [{ needALook: 1 }, false],
    [{ isEveryClinicPaused: true }, false],
    [{ isTemporalReachable: false }, false],
  ])('%j is told in red unless all is well: %s', (given, isWell) => {
    const page = opened([clinic()], given);
    const colors = [page.given(({ fw }) => fw === 600)['c']];

    expect(colors).toEqual([isWell ? undefined : 'red']);
  });

  test.each<[figure: string, isBad: boolean]>([
    ['stuckRuns', true],
    ['deadDeliveries', true],
    ['pauses', false],
    ['waitingErasures', false],
    ['waitingDeliveries', false],
  ])('the figure of %s is red: %s', (figure, isBad) => {
    const page = opened([clinic({ [figure]: 1 })]);

    expect(page.given(({ ta }) => ta === 'right')['c']).toBe(isBad ? 'red' : undefined);
  });
});

describe('settings of the clinic', () => {
  const language = (given = 'en') =>
    open(pages.language.ClinicLanguage, {
      as,
      answers: [[pages.api.getIntegrationsLanguageOptions().queryKey, { language: given }]],
    });
  const label = 'Language of the dashboard';

  test.each<[chosen: string | null, sent: string | null]>([
    ['es', 'es'],
    ['en', 'en'],
    ['fr', 'en'],
    [null, null],
  ])('the language %j is saved as %j', async (chosen, sent) => {
    const page = language('es');
    const field = page.field(label);
    expect([field.value, field['disabled'], field['error']]).toEqual(['es', false, undefined]);
    const waiting = done(page, () => field.onChange?.(chosen), { language: sent });
    page.again();
    expect(page.field(label)['disabled']).toBe(sent !== null);

    expect(await waiting).toEqual(
      sent === null
        ? { asked: [], told: [], refreshed: [] }
        : {
            asked: [['PUT', '/api/integrations/language', { language: sent }]],
            told: ['green: Saved.'],
            refreshed: ['getAuthSession', 'getIntegrations'],
          },
    );
  });

  const country = () => open(pages.country.ClinicCountry, { as });
  const ofClinic = 'Country of the clinic';

  test.each<[chosen: string | null]>([['MX'], [null]])('the country %j is saved', async (chosen) => {
    const page = country();
    expect(page.texts()).toContain('Time zone: America/New_York. The operator of this service sets it.');
    const field = page.field(ofClinic);
    expect([field.value, field['data'], field['disabled'], field['error']]).toEqual([
      'US',
      [{ value: 'US', label: 'United States' }],
      false,
      undefined,
    ]);
    const waiting = done(page, () => field.onChange?.(chosen), {});
    page.again();
    expect(page.field(ofClinic)['disabled']).toBe(chosen !== null);

    expect(await waiting).toEqual(
      chosen === null
        ? { asked: [], told: [], refreshed: [] }
        : {
            asked: [['PUT', '/api/integrations/country', { country: 'MX' }]],
            told: ['green: Saved. It holds for what comes in from now on.'],
            refreshed: ['getAuthSession', 'getIntegrations'],
          },
    );
  });

  test.each<[what: string, opens: () => ReturnType<typeof language>, name: string, chosen: string]>([
    ['language', language, label, 'es'],
    ['country', country, ofClinic, 'MX'],
  ])('why a %s is refused stands beside it', async (_what, opens, name, chosen) => {
    const page = opens();

    expect((await done(page, () => page.field(name).onChange?.(chosen))).told).toEqual([]);
    expect(page.texts()).toContain('is refused.');
    expect(page.field(name)['disabled']).toBe(false);
  });

  test.each<[isWanted: boolean]>([[true], [false]])('mails of results are switched to %s', async (isWanted) => {
    const found = { isWanted: !isWanted, hasMail: true, email: 'ana@example.com' };
    const page = open(pages.mail.ResultsByMail, {
      as,
      answers: [[pages.api.getResultsMailOptions().queryKey, found]],
    });
    const box = page.field('By mail to ana@example.com');
    const waiting = done(page, () => box.onChange?.({ currentTarget: { checked: isWanted } }), {});
    page.again();
    expect(page.field('By mail to ana@example.com')['checked']).toBe(isWanted);

    expect(await waiting).toEqual({
      asked: [['PUT', '/api/results/mail', { isWanted }]],
      told: [],
      refreshed: ['getResultsMail'],
    });
  });

  const goals = (given: object = {}) =>
    open(pages.settings.ResultSettings, {
      as,
      answers: [
        [
          pages.api.getIntegrationsResultsOptions().queryKey,
          {
            ownCurrency: 'USD',
            currency: 'EUR',
            usdRate: 0.9,
            targetRecoveryRate: 0.125,
            targetRecoveries: 40,
            ...given,
          },
        ],
      ],
    });
  const kept = { currency: 'EUR', usdRate: 0.9, targetRecoveryRate: 0.125, targetRecoveries: 40 };
  const unset = { currency: null, usdRate: null, targetRecoveryRate: null, targetRecoveries: null };

  test.each<[given: object, typed: object, body: object]>([
    [{}, {}, kept],
    [unset, {}, unset],
    [{ targetRecoveryRate: 0.1256 }, {}, { ...kept, targetRecoveryRate: 0.126 }],
    [{}, { 'Currency of the prices in your forms': ' gbp ' }, { ...kept, currency: 'GBP' }],
    [{}, { 'Currency of the prices in your forms': ' ' }, { ...kept, currency: null }],
    [{}, { 'One US dollar in this currency': '' }, { ...kept, usdRate: null }],
    [{}, { 'One US dollar in this currency': 1.5 }, { ...kept, usdRate: 1.5 }],
    [{}, { 'Recovery rate to reach, in percent': 40 }, { ...kept, targetRecoveryRate: 0.4 }],
    [{}, { 'Recovery rate to reach, in percent': 0 }, { ...kept, targetRecoveryRate: 0 }],
    [{}, { 'Recovery rate to reach, in percent': '' }, { ...kept, targetRecoveryRate: null }],
    [{}, { 'Recoveries to reach in a month': 0 }, { ...kept, targetRecoveries: 0 }],
    [{}, { 'Recoveries to reach in a month': '' }, { ...kept, targetRecoveries: null }],
  ])('goals %j with %j are saved as %j', async (given, typed, body) => {
    const page = goals(given);
    for (const [name, value] of Object.entries(typed)) page.field(name).onChange?.(value);

    expect((await done(page, page.submit, {})).asked).toEqual([['PUT', '/api/integrations/results', body]]);
  });

  test.each<[given: object, isUsd: boolean]>([
    [{}, false],
    [{ currency: 'USD' }, true],
    [{ currency: null }, true],
    [{ currency: null, ownCurrency: 'EUR' }, false],
    [{ currency: 'USD', ownCurrency: 'EUR' }, true],
  ])('what a dollar costs is asked of those who count in another currency: %j', (given, isUsd) => {
    expect(goals(given).field('One US dollar in this currency')['disabled']).toBe(isUsd);
  });
});

describe('for how long contents are kept', () => {
  const item = (kind: string, given: object = {}) => ({
    kind,
    days: 30,
    isDefault: false,
    defaultDays: 90,
    minDays: 7,
    maxDays: 400,
    purgedUntil: null,
    ...given,
  });
  const opened = (...items: object[]) =>
    open(pages.retention.Retention, { as, answers: [[pages.api.getRetentionOptions().queryKey, { items }]] });
  const transcripts = 'Transcripts and recording links of calls';
  const why = 'Why a phone rang or did not';

  test.each<[given: object, value: unknown, placeholder: string | undefined, hint: string]>([
    [{}, 30, undefined, 'Empty: 90 days'],
    [{ isDefault: true, days: 90 }, '', '90', 'Empty: 90 days'],
    [{ isDefault: true, days: 1_000, defaultDays: 1_000 }, '', '1,000', 'Empty: 1,000 days'],
    [{ purgedUntil: '2026-11-01T03:00:00Z' }, 30, undefined, 'Empty: 90 days; purged until 10/31/2026'],
  ])('%j stands in its field', (given, value, placeholder, hint) => {
    const field = opened(item('call_evidence', given)).field(transcripts);

    expect([field.value, field['placeholder'], field['description'], field['min'], field['max']]).toEqual([
      value,
      placeholder,
      hint,
      7,
      400,
    ]);
  });

  const previewed = ['POST', '/api/retention/preview', { call_evidence: 20 }];
  const saving = ['PUT', '/api/retention', { call_evidence: 20 }];

  test.each<[due: number | null, told: string]>([
    [0, ' (0 records now)'],
    [1, ' (1 record now)'],
    [2, ' (2 records now)'],
    [999, ' (999 records now)'],
    [1_000, ' (1,000 records or more now)'],
    [null, ''],
  ])('what is kept for a shorter time is counted first: %j', async (due, told) => {
    const page = opened(item('call_evidence'));
    page.field(transcripts).onChange?.(20);
    const reply =
      due === null
        ? []
        : [
            {
              items: [
                { kind: 'call_decisions', due: 7 },
                { kind: 'call_evidence', due },
              ],
            },
          ];
    expect((await done(page, page.submit, ...reply)).asked).toEqual([previewed]);
    const { texts, button, click } = pages.dialog();
    const words = spaced(texts);

    expect([texts[0], ...texts.slice(-2)]).toEqual(['Delete what is older?', 'Save and delete', 'Keep it']);
    expect(words).toContain('This goes within a day and cannot be brought back.');
    expect(words.replaceAll(/\s+/g, ' ')).toContain(
      `${transcripts} : what is older than 20 days, from before 11/5/2026${told} Save and delete`,
    );
    expect(button('Save and delete')['color']).toBe('red');
    service.requests.length = 0;
    expect(await done(page, () => click('Save and delete'), {})).toMatchObject({
      asked: [saving],
      told: ['green: Saved. What is older goes within a day.'],
    });
  });

  test.each<[what: string, items: object[], typed: [label: string, value: number | string][], body: object]>([
    ['as it was', [item('call_evidence')], [], { call_evidence: 30 }],
    ['longer', [item('call_evidence')], [[transcripts, 31]], { call_evidence: 31 }],
    ['for the usual time, which is longer', [item('call_evidence')], [[transcripts, '']], { call_evidence: null }],
    // The service refuses it.
    ['for less than it may be', [item('call_evidence')], [[transcripts, 6]], { call_evidence: 6 }],
  ])('who keeps it %s is not asked', async (_what, items, typed, body) => {
    const page = opened(...items);
    for (const [label, value] of typed) page.field(label).onChange?.(value);

    expect((await done(page, page.submit, {})).asked).toEqual([['PUT', '/api/retention', body]]);
  });

  test.each<[what: string, given: object, typed: number | string, sent: object]>([
    ['the shortest time', {}, 7, { call_evidence: 7 }],
    ['the usual time, which is shorter', { defaultDays: 29 }, '', { call_evidence: null }],
  ])('who keeps it for %s is asked', async (_what, given, typed, sent) => {
    const page = opened(item('call_evidence', given), item('call_decisions'));
    page.field(transcripts).onChange?.(typed);

    expect((await done(page, page.submit)).asked).toEqual([['POST', '/api/retention/preview', sent]]);
    const words = spaced(pages.dialog().texts);
    expect(words).toContain(transcripts);
    expect(words).not.toContain(why);
  });
});

describe('the audit', () => {
  const entry = (given: object = {}) => ({
    id: 'entry-1',
    at: '2026-11-25T14:00:00Z',
    actor: 'account:ana',
    actorName: 'Ana Ruiz',
    action: 'patient.change',
    route: '/patients/:patientId',
    subject: null,
    subjects: ['patient-1'],
    patient: { id: 'patient-1', firstName: 'Wendy', lastName: 'Ivanov' },
    address: '192.0.2.1',
    requestId: 'request-1',
    detail: { changed: ['phone'] },
    ...given,
  });
  interface Asked {
    at?: string;
    reader?: typeof as;
    found?: object[];
    people?: object[] | null;
  }
  const opened = (
    rows: object[],
    { at = '/audit', reader = as, found, people = [{ id: 'ana', name: 'Ana Ruiz' }] }: Asked = {},
  ) => {
    const subject = new URL(at, 'https://clinic.example').searchParams.get('subject') ?? undefined;
    const query = { reads: 'true', subject, limit: 5 };
    return open(pages.audit.Audit, {
      as: reader,
      at,
      lists: { getAudit: rows },
      answers: [
        ...(people ? [[pages.api.getStaffOptions().queryKey, { items: people }] as [unknown, unknown]] : []),
        ...(found ? [[pages.api.getAuditOptions({ query }).queryKey, { items: found }] as [unknown, unknown]] : []),
      ],
    });
  };
  const line = (...rows: object[]) => {
    const markup = opened(rows).again();
    return spaced(textsIn(markup.slice(markup.indexOf('<tbody'))), ' | ');
  };

  test.each<[given: object, words: string]>([
    [{}, 'Nov 25, 9:00 AM | Ana Ruiz changed the record of | Wendy Ivanov | 192.0.2.1 | request-1'],
    [{ address: null, requestId: null }, 'Wendy Ivanov | – | –'],
    [{ action: 'sign-in' }, 'Ana Ruiz signed in | Wendy Ivanov | 192.0.2.1'],
    [{ action: 'sign-in', patient: null }, 'Ana Ruiz signed in | 192.0.2.1'],
    [{ action: 'sign-in', patient: null, subjects: ['1', '2'] }, 'Ana Ruiz signed in | 2 records | 192.0.2.1'],
    [{ patient: null, subjects: ['1', '2'] }, 'Ana Ruiz changed the record of a patient | 2 records | 192.0.2.1'],
    [{ subjects: ['1', '2'] }, 'Wendy Ivanov | 192.0.2.1'],
  ])('%j is told as “%s”', (given, words) => {
    expect(line(entry(given))).toContain(words);
  });

  test('what happened has what is left of the line', () => {
    const markup = opened([entry()]).again();

    expect([cellsIn(markup, 'rest'), cellsIn(markup, 'long')]).toEqual([
      ['Ana Ruiz changed the record of Wendy Ivanov'],
      ['request-1'],
    ]);
  });

  test('a patient who is named leads to their record', () => {
    expect(linksIn(opened([entry()]).again())).toContainEqual(['Wendy Ivanov', '/patients/patient-1']);
  });

  test.each<[given: object, title: string]>([
    [{}, 'Ana Ruiz changed the record of Wendy Ivanov\naccount:ana\npatient.change\npatient-1'],
    [
      { subject: 'task-1' },
      'Ana Ruiz changed the record of Wendy Ivanov\naccount:ana\npatient.change\ntask-1\npatient-1',
    ],
  ])('%j says what it is called when it is pointed at', (given, title) => {
    expect(opened([entry(given)]).given(({ title: each }) => String(each).startsWith('Ana Ruiz'))['title']).toBe(title);
  });

  const beside = (second: number) =>
    entry({
      id: `beside-${second}`,
      action: 'task.list',
      at: `2026-11-25T14:00:0${second}Z`,
      route: '/patients/:patientId/tasks',
    });
  const opening = entry({ id: 'opening', action: 'patient.read' });
  const search = (second: number) =>
    entry({ id: `search-${second}`, action: 'call.search', at: `2026-11-25T14:00:0${second}Z` });

  test.each<[rows: object[], words: string]>([
    [[beside(1), opening], '· one more reading of the same page'],
    [[beside(2), beside(1), opening], '· 2 more readings of the same page'],
    [[search(1), search(0)], '· one more search while it was typed'],
    [[search(2), search(1), search(0)], '· 2 more searches while it was typed'],
  ])('what belongs to one doing is told with it', (rows, words) => {
    expect(line(...rows)).toContain(words);
  });

  test('nothing else is told of one that stands alone', () => {
    expect(line(entry())).not.toMatch(/ more /);
  });

  const asked = (at: string) => pages.filtersOf(pages.audit.Audit, 'getAudit', at);

  test.each<[at: string, query: object]>([
    ['/audit', { reads: 'true' }],
    ['/audit?show=changes', {}],
    ['/audit?show=opened', { reads: 'true', action: 'patient.read' }],
    ['/audit?show=opened&action=sign-in', { reads: 'true', action: 'patient.read' }],
    ['/audit?action=sign-in', { reads: 'true', action: 'sign-in' }],
    ['/audit?person=account:ana&subject=patient-1', { reads: 'true', actor: 'account:ana', subject: 'patient-1' }],
    [
      '/audit?from=2026-11-01&until=2026-11-02',
      { reads: 'true', from: '2026-11-01T04:00:00.000Z', until: '2026-11-03T05:00:00.000Z' },
    ],
  ])('%s asks for %j', (at, query) => {
    expect(JSON.parse(JSON.stringify(asked(at)))).toMatchObject(query);
    const names = Object.entries(asked(at) as object).filter(([, value]) => value !== undefined);
    expect(
      names
        .map(([name]) => name)
        .filter((name) => name !== 'limit' && name !== 'order')
        .toSorted(),
    ).toEqual(Object.keys(query).toSorted());
  });

  test('a file of all entries is saved, in the words of the list', async () => {
    const page = opened([]);
    saved.length = 0;
    const rows = [
      entry(),
      entry({ id: 'entry-2', actorName: null, patient: null, subject: 'task-1', subjects: ['a', 'b'] }),
    ];
    const reply = new Response(`${rows.map((row) => JSON.stringify(row)).join('\n')}\n`, {
      headers: { 'content-type': 'application/x-ndjson' },
    });
    await done(page, () => page.click('Export as CSV'), reply);
    const text = (await saved[0]?.blob.text()) ?? '';

    expect(service.requests).toEqual([['GET', '/api/audit/export', null]]);
    expect(saved[0]?.name).toBe('audit.csv');
    expect(text.replace('\uFEFF', '').split('\r\n')).toEqual([
      'When,Person,What happened,Patient,Address,Request,Action,Actor,Subject,Subjects,Entry,Details (JSON)',
      '2026-11-25 09:00,Ana Ruiz,Ana Ruiz changed the record of Wendy Ivanov,Wendy Ivanov,192.0.2.1,request-1,patient.change,account:ana,,patient-1,entry-1,"{""changed"":[""phone""]}"',
      '2026-11-25 09:00,A former account,A former account changed the record of a patient,,192.0.2.1,request-1,patient.change,account:ana,task-1,a b,entry-2,"{""changed"":[""phone""]}"',
      '',
    ]);
  });

  interface Field {
    name: string;
    label: string;
    width?: number;
    options?: { value: string; label: string }[];
  }
  const fieldsOf = (page: ReturnType<typeof opened>) => page.given(({ fields }) => fields)['fields'] as Field[];
  const wendy = { id: 'patient-1', firstName: 'Wendy', lastName: 'Ivanov' };

  test.each<[without: string[], given: Asked, asked: [label: string, width?: number][], named: string | null]>([
    [[], {}, [['Patient'], ['Record', 170]], null],
    [['patients.read'], {}, [['Patient or record', 230]], null],
    [[], { at: '/audit?subject=task-1' }, [['Patient'], ['Record', 170]], null],
    [[], { at: '/audit?subject=patient-1', found: [entry()] }, [], 'Wendy Ivanov'],
    [[], { at: '/audit?subject=patient-1', found: [entry({ patient: null }), entry()] }, [], 'Wendy Ivanov'],
    [[], { at: '/audit?subject=patient-2', found: [entry()] }, [['Patient'], ['Record', 170]], null],
  ])('who may (but %j) at %j is asked for %j, and told of %j', (without, given, about, named) => {
    const page = opened([], { reader: adminWithout(...without), ...given });
    const last = fieldsOf(page).slice(5);

    expect(last.map(({ label, width }) => (width ? [label, width] : [label]))).toEqual(about);
    expect(last.every(({ name }) => name === 'subject')).toBe(true);
    expect(page.texts().includes('Wendy Ivanov')).toBe(named !== null);
  });

  test('a patient is chosen, and named from then on', async () => {
    const page = opened([], { at: '/audit?subject=patient-1' });
    const choose = (patient: object | null) => page.given(({ isFilter }) => isFilter).onChange?.(patient);
    expect(page.texts()).not.toContain('Wendy Ivanov');
    choose(wendy);
    expect(page.texts()).toContain('Wendy Ivanov');

    const other = opened([]);
    other.given(({ isFilter }) => isFilter).onChange?.(wendy);
    expect(await other.address()).toBe('/audit?subject=patient-1');
    const none = opened([], { at: '/audit?subject=task-1&show=opened' });
    none.given(({ isFilter }) => isFilter).onChange?.(null);
    expect(await none.address()).toBe('/audit?show=opened');
  });

  test.each<[at: string, people: Asked['people'], options: string[]]>([
    ['/audit', undefined, ['account:ana Ana Ruiz']],
    ['/audit?person=account:ana', undefined, ['account:ana Ana Ruiz']],
    ['/audit?person=api-key:1', undefined, ['account:ana Ana Ruiz', 'api-key:1 api-key:1']],
    ['/audit?person=api-key:1', null, []],
  ])('at %s these people are offered: %3$j', (at, people, offered) => {
    const [shows, persons] = fieldsOf(opened([], { at, ...(people !== undefined && { people }) }));

    expect(persons?.options?.map(({ value, label }) => `${value} ${label}`)).toEqual(offered);
    expect(shows?.options?.map(({ value }) => value)).toEqual(['changes', 'opened']);
  });

  test.each<[at: string, chosen: string | null, to: string]>([
    ['/audit', 'sign-in', '/audit?action=sign-in'],
    ['/audit?action=sign-in', null, '/audit'],
  ])('at %s the action %j is chosen', async (at, chosen, to) => {
    const page = opened([], { at });
    expect(page.field('Action').value).toBe(at === '/audit' ? null : 'sign-in');
    page.field('Action').onChange?.(chosen);

    expect(await page.address()).toBe(to);
  });
});

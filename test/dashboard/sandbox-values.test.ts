import { dashboardModules, linksIn, type Stage, textsIn } from './stage/dashboard';
import { adminWithout, cellsIn, deskOf, keepingFiles, stopClock } from './stage/desk';
import { answering } from './stage/service';

/** What the pages of the sandbox and of validation runs show and send, without a browser. */
type Option = (given?: object) => { queryKey: unknown };
interface Modules {
  api: Record<
    | 'getAbandonmentRecoverySandboxEmrConfigOptions'
    | 'getSandboxClientsOptions'
    | 'getSandboxesOptions'
    | 'getSandboxOptions'
    | 'getValidationRunsByRunIdOptions',
    Option
  >;
  clients: { SandboxClients: unknown };
  data: { SandboxData: unknown };
  failures: { ChosenFailures: unknown };
  holds: { SandboxCallHolds: unknown };
  leniency: { SandboxLeniency: unknown };
  named: { NamedSandboxes: unknown };
  readiness: { Readiness: unknown };
  rules: { lenientRules: Record<string, { title: string; off: string; client: string }> };
  run: { ReadinessRun: unknown };
  sandbox: { Sandbox: unknown };
  texts: { lowerFirst: (text: string) => string };
}

let pages: Modules & Stage;
const service = answering({ statusCode: 409, message: 'is refused' });
const { open, done } = deskOf(() => pages, service);
const as = adminWithout();
const { saved, ...browser } = keepingFiles();
let prints = 0;

beforeAll(async () => {
  const events = new EventTarget();
  pages = await dashboardModules<Modules>(
    {
      api: require.resolve('../../dashboard/http/api.ts'),
      clients: require.resolve('../../dashboard/pages/sandbox/sandbox-clients.tsx'),
      data: require.resolve('../../dashboard/pages/sandbox/sandbox-data.tsx'),
      failures: require.resolve('../../dashboard/pages/sandbox/sandbox-failures.tsx'),
      holds: require.resolve('../../dashboard/pages/sandbox/sandbox-call-holds.tsx'),
      leniency: require.resolve('../../dashboard/pages/sandbox/sandbox-leniency.tsx'),
      named: require.resolve('../../dashboard/pages/sandbox/sandbox-named.tsx'),
      readiness: require.resolve('../../dashboard/pages/sandbox/readiness.tsx'),
      rules: require.resolve('../../dashboard/pages/sandbox/lenient-rules.ts'),
      run: require.resolve('../../dashboard/pages/sandbox/readiness-run.tsx'),
      sandbox: require.resolve('../../dashboard/pages/sandbox/sandbox.tsx'),
      texts: require.resolve('../../dashboard/pages/sandbox/service-texts.ts'),
    },
    {
      fetch: service.fetch,
      ...browser,
      window: {
        addEventListener: events.addEventListener.bind(events),
        removeEventListener: events.removeEventListener.bind(events),
        dispatchEvent: events.dispatchEvent.bind(events),
        location: { pathname: '/', search: '', hostname: 'clinic.example', origin: 'https://clinic.example' },
        print: () => void (prints += 1),
      },
    },
  );
});

beforeEach(() => void stopClock('2026-11-25T14:30:00Z'));
afterEach(() => jest.useRealTimers());

const spaced = (texts: string[], between = ' ') => texts.join(between).replaceAll(/\s/g, ' ');

/** All that shows what the sandbox holds. */
const held = ['getPatients', 'getProviders', 'getAvailability', 'getSandbox'];

describe('what the sandbox holds', () => {
  const snapshot = (given: object = {}) => ({
    name: 'before-import',
    patients: 1,
    appointments: 1,
    takenAt: '2026-11-25T14:00:00Z',
    ...given,
  });
  const opened = (counts: object = {}, snapshots: object[] = [snapshot()]) =>
    open(pages.data.SandboxData, { as }, { counts: { patients: 0, booked: 0, documents: 0, ...counts }, snapshots });

  test.each<[counts: object, told: string]>([
    [{}, '0 patients with an identifier, 0 booked appointments, 0 notes.'],
    [{ patients: 1, booked: 1, documents: 1 }, '1 patient with an identifier, 1 booked appointment, 1 note.'],
    [{ patients: 499, booked: 2, documents: 2 }, '499 patients with an identifier, 2 booked appointments, 2 notes.'],
    [
      { patients: 500, booked: 500, documents: 500 },
      '500 or more patients with an identifier, 500 or more booked appointments, 500 or more notes.',
    ],
  ])('%j is told as “%s”', (counts, told) => {
    expect(opened(counts).texts()).toContain(told);
  });

  test.each<[given: object, told: string]>([
    [{}, '1 patient, 1 appointment, taken 30 min ago'],
    [{ patients: 2, appointments: 3 }, '2 patients, 3 appointments, taken 30 min ago'],
    [{ patients: 500, appointments: 500 }, '500 or more patients, 500 or more appointments, taken'],
  ])('a snapshot %j is told as “%s”', (given, told) => {
    expect(spaced(opened({}, [snapshot(given)]).texts())).toContain(told);
  });

  test('the fixtures come back once the name of the clinic is typed', async () => {
    const page = opened({ patients: 2, booked: 1, documents: 3 });
    page.click('Reset to fixtures');
    const question = pages.dialog();

    expect(spaced(question.texts)).toContain(
      'Reset the sandbox? These go: 2 patients with an identifier, 1 booked appointment, 3 notes. The fixtures come back',
    );
    const yes = () => question.button('Reset the sandbox')['disabled'];
    expect(yes()).toBe(true);
    question.type('To go on, type North Clinic', 'north');
    question.again();
    expect(yes()).toBe(true);
    question.type('To go on, type North Clinic', ' north clinic ');
    question.again();
    expect(yes()).toBe(false);
    expect(await done(page, () => question.click('Reset the sandbox'), {})).toEqual({
      asked: [['POST', '/api/sandbox/reset', null]],
      told: ['green: The sandbox holds its fixtures again.'],
      refreshed: held,
    });
  });

  const path = '/api/sandbox/snapshots/before-import';
  test.each<[button: string, question: string[], color: string | undefined, request: unknown[], told: string]>([
    [
      'Restore before-import',
      ['Restore before-import?', 'Restore before-import', 'Cancel'],
      undefined,
      ['POST', `${path}/restore`, null],
      'green: The sandbox is as it was in before-import.',
    ],
    [
      'Delete before-import',
      ['Delete before-import?', 'Delete before-import', 'Keep it'],
      'red',
      ['DELETE', path, null],
      'green: before-import is deleted.',
    ],
  ])('“%s” after a question', async (label, words, color, request, told) => {
    const page = opened();
    page.click(label);
    const { texts, button, click } = pages.dialog();

    expect([texts[0], ...texts.slice(-2), button(label)['color']]).toEqual([...words, color]);
    expect(await done(page, () => click(label), {})).toEqual({ asked: [request], told: [told], refreshed: held });
  });

  test.each<[typed: string, body: object | null]>([
    [' before-import ', { name: 'before-import' }],
    ['  ', null],
  ])('a snapshot named %j is taken', async (typed, body) => {
    const page = opened({}, []);
    expect(page.texts()).not.toContain('Restore');
    page.field('Name of the snapshot').onChange?.(typed);

    expect(await done(page, page.submit, { name: 'before-import' })).toEqual({
      asked: body === null ? [] : [['POST', '/api/sandbox/snapshots', body]],
      told: body === null ? [] : ['green: Kept as before-import.'],
      refreshed: body === null ? [] : held,
    });
  });
});

describe('the sandbox', () => {
  const counts = { patients: 0, booked: 0, documents: 0 };
  const opened = (given: object = {}, isOn = true) => {
    const clock = { now: '2026-11-25T14:30:00Z', isSet: false, isFrozen: false };
    const leniency = { minimumNoticeMinutes: 30, maximumNoticeDays: null };
    const tools = { enabled: isOn, hasRealPatients: false, clock, callHoldMinutes: 0, counts, snapshots: [] };
    return open(pages.sandbox.Sandbox, {
      as,
      answers: [
        [pages.api.getAbandonmentRecoverySandboxEmrConfigOptions().queryKey, { enabled: isOn }],
        [
          pages.api.getSandboxOptions().queryKey,
          { ...tools, failures: [], failureKinds: [], leniency, lenientRules: [], ...given },
        ],
      ],
    });
  };

  test.each<[isOn: boolean, given: object, shown: string[]]>([
    [
      true,
      {},
      [
        'What it holds',
        'Its clock',
        'Times held in calls',
        'Like a real EHR',
        'SMART clients',
        'Chosen failures',
        'More sandboxes',
      ],
    ],
    [false, {}, []],
    [false, { hasRealPatients: true }, ['More sandboxes']],
  ])('while it is on (%s) there is %3$j', (isOn, given, shown) => {
    const texts = opened(given, isOn).texts();
    const all = [
      'What it holds',
      'Its clock',
      'Times held in calls',
      'Like a real EHR',
      'SMART clients',
      'Chosen failures',
      'More sandboxes',
    ];

    expect(all.filter((each) => texts.includes(each))).toEqual(shown);
    expect(texts).toContain(isOn ? 'The sandbox is on' : 'The sandbox is off');
    expect(spaced(texts)).toContain(
      'curl "https://clinic.example/api/Slot?schedule=Schedule/Dr.Chen" \\ -H "Authorization: Bearer $ACCESS_TOKEN"',
    );
  });

  test.each<[enabled: boolean, told: string]>([
    [true, 'green: The sandbox is on.'],
    [false, 'green: The sandbox is off.'],
  ])('it is switched to %s', async (enabled, told) => {
    const page = opened({}, !enabled);
    const label = enabled ? 'The sandbox is off' : 'The sandbox is on';
    const box = page.field(label);
    expect([box['checked'], box['disabled']]).toEqual([!enabled, false]);
    const waiting = done(page, () => box.onChange?.({ currentTarget: { checked: enabled } }), { enabled });
    page.again();
    expect(page.field(label)['disabled']).toBe(true);

    expect(await waiting).toEqual({
      asked: [['PUT', '/api/abandonment-recovery/sandbox-emr/config', { enabled }]],
      told: [told],
      refreshed: [
        'getPatients',
        'getProviders',
        'getAbandonmentRecoverySandboxEmrConfig',
        'getSandbox',
        'getIntegrations',
      ],
    });
  });

  test.each([0, 5])('times are held in calls for %i minutes', async (minutes) => {
    const page = open(pages.holds.SandboxCallHolds, { as }, { minutes: 3 });
    expect(page.field('Minutes').value).toBe(3);
    page.field('Minutes').onChange?.(minutes);

    expect(await done(page, page.submit, {})).toEqual({
      asked: [['PUT', '/api/sandbox/call-holds', { minutes }]],
      told: ['green: Saved.'],
      refreshed: ['getSandbox'],
    });
  });

  const rules = [
    'createsUnknownPatients',
    'matchesIdentifiersOnly',
    'reschedules',
    'saysConflictsInOneWord',
    'takesAnyVisitType',
    'showsNextAppointmentOnly',
    'takesChangesUnseen',
    'cancelsWithoutReason',
    'takesSessionTokens',
    'deviatesFromR4',
  ];

  test.each(rules)('the lenient rule %s says what is without it, and what a good client does then', (rule) => {
    const { title = '', off = '', client = '' } = pages.rules.lenientRules[rule] ?? {};
    const texts = (isOn: boolean) => {
      const leniency = { [rule]: isOn, minimumNoticeMinutes: 0, maximumNoticeDays: null };
      return open(pages.leniency.SandboxLeniency, { as }, { leniency, kinds: [{ rule }] }).texts();
    };
    const { lowerFirst } = pages.texts;

    expect(spaced(texts(true))).toContain(`${title} Off: ${lowerFirst(off)}`);
    expect(texts(true)).not.toContain('A good client:');
    expect(spaced(texts(false))).toContain(`${title} ${off} A good client: ${lowerFirst(client)}`);
  });

  test('a rule cannot be switched while another is', async () => {
    const leniency = { reschedules: true, minimumNoticeMinutes: 0, maximumNoticeDays: 9 };
    const page = open(pages.leniency.SandboxLeniency, { as }, { leniency, kinds: [{ rule: 'reschedules' }] });
    const { title = '' } = pages.rules.lenientRules['reschedules'] ?? {};
    expect([page.field(title)['checked'], page.field(title)['disabled']]).toEqual([true, false]);
    const waiting = done(page, () => page.field(title).onChange?.({ currentTarget: { checked: false } }));
    page.again();
    expect(page.field(title)['disabled']).toBe(true);
    expect((await waiting).told).toEqual(['red: is refused.']);
    page.again();
    expect(page.field(title)['disabled']).toBe(false);

    page.field('Minimum notice').onChange?.(60);
    page.field('Maximum days ahead').onChange?.('');
    expect(await done(page, page.submit, {})).toMatchObject({
      told: ['green: Saved. Searches and bookings go by it.'],
    });
  });
});

describe('chosen failures', () => {
  const kind = (given: object = {}) => ({
    failure: 'slow',
    title: 'A slow answer',
    happens: 'The `answer` is _late_.',
    goodClient: 'Waits for `it`.',
    operations: ['slots', 'book', 'event'],
    parameters: [],
    ...given,
  });
  const failure = (given: object = {}) => ({
    id: 'failure-1',
    failure: 'slow',
    operation: null,
    identifier: null,
    times: 3,
    played: 1,
    isOver: false,
    endsAt: '2026-11-25T15:00:00Z',
    ...given,
  });
  const opened = (failures: object[] = [], kinds: object[] = [kind()]) =>
    open(pages.failures.ChosenFailures, { as }, { failures, kinds });

  test.each<[given: object, told: string]>([
    [{}, 'A slow answer Waits Wherever it can happen , met 1 of 3 , ends in 30 min Remove'],
    [{ isOver: true }, 'A slow answer Over Wherever it can happen , met 1 of 3 Remove'],
    [{ identifier: 'MRN-1' }, 'Wherever it can happen , for MRN-1 , met 1 of 3'],
    [{ failure: 'gone' }, 'gone Waits Wherever'],
    [{ operation: 'schedule' }, 'Waits Schedule search , met'],
    [{ operation: 'slots' }, 'Waits Slot search , met'],
    [{ operation: 'appointments' }, 'Waits Appointment search , met'],
    [{ operation: 'match' }, 'Waits $match , met'],
    [{ operation: 'book' }, 'Waits $book , met'],
    [{ operation: 'reschedule' }, 'Waits $reschedule , met'],
    [{ operation: 'cancel' }, 'Waits $cancel , met'],
    [{ operation: 'document' }, 'Waits DocumentReference , met'],
    [{ operation: 'event' }, 'Waits Events to your endpoints , met'],
  ])('%j is told as “%s”', (given, told) => {
    const texts = opened([failure(given)]).texts();
    const without = (text: string) => text.replaceAll(/\s/g, '');

    expect(without(texts.slice(texts.lastIndexOf('Choose this failure')).join(''))).toContain(without(told));
  });

  test.each<[isOver: boolean, color: string]>([
    [true, 'gray'],
    [false, 'orange'],
  ])('one that is over (%s) is %s', (isOver, color) => {
    const page = opened([failure({ isOver })]);

    expect(page.given(({ children }) => children === (isOver ? 'Over' : 'Waits'))['color']).toBe(color);
  });

  test.each<[failures: number, button: string, request: unknown[], told: string[]]>([
    [1, 'Remove: A slow answer', ['DELETE', '/api/sandbox/failures/failure-1', null], []],
    [1, 'Remove all', ['DELETE', '/api/sandbox/failures', null], ['green: All failures are removed.']],
  ])('of %i: “%s”', async (_count, button, request, told) => {
    const page = opened([failure()]);

    expect(await done(page, () => page.click(button), {})).toEqual({
      asked: [request],
      told,
      refreshed: ['getSandbox'],
    });
    expect(() => opened().button(button)).toThrow('nothing there');
  });

  test('one that is chosen is told in words, and where it can happen', () => {
    const page = opened([], [kind()]);
    const texts = spaced(page.texts());

    expect(texts).toContain('The answer is late.');
    expect(texts).toContain('A good client: waits for it.');
    expect(page.field('Where')['data']).toEqual([
      { value: '', label: 'Wherever it can happen' },
      { value: 'slots', label: 'Slot search' },
      { value: 'book', label: '$book' },
      { value: 'event', label: 'Events to your endpoints' },
    ]);
    expect(page.field('Failure')['data']).toEqual([{ value: 'slow', label: 'A slow answer' }]);
    expect(() => page.field('How much')).toThrow('nothing there');
  });

  test.each<[name: string, unit: string, label: string, placeholder: string]>([
    ['delaySeconds', 'seconds', 'Delay', '5 seconds'],
    ['retryAfterSeconds', 'seconds', 'Retry-After', '5 seconds'],
    ['lagSeconds', 'seconds', 'Lag', '5 seconds'],
    ['entries', 'entries', 'How many', '5 entries'],
    ['other', 'entries', 'other', '5 entries'],
  ])('how much of %s is asked', (name, unit, label, placeholder) => {
    const field = opened([], [kind({ parameters: [{ name, unit, usual: 5 }] })]).field(label);

    expect([field['placeholder'], field['suffix']]).toEqual([placeholder, ` ${unit}`]);
  });

  test('another one is chosen with nothing of the one before', async () => {
    const parameters = [{ name: 'delaySeconds', unit: 'seconds', usual: 5 }];
    const page = opened([], [kind({ parameters }), kind({ failure: 'lost', title: 'No answer', parameters })]);
    page.field('Where').onChange?.('book');
    page.field('Delay').onChange?.(9);
    page.field('How many times').onChange?.(2);
    page.field('Failure').onChange?.({ currentTarget: { value: 'lost' } });

    expect(await done(page, page.submit, {})).toEqual({
      asked: [['POST', '/api/sandbox/failures', { failure: 'lost', times: 2, minutes: 60, parameters: {} }]],
      told: ['green: Chosen. It applies to the next matching requests or events.'],
      refreshed: ['getSandbox'],
    });
  });

  test('where there are none to choose from, none can be', () => {
    const markup = opened([], []).again();
    const [tag = ''] = /<button[^>]*type="submit"[^>]*>/.exec(markup) ?? [];

    expect(tag).toContain('disabled=""');
    expect(/<button[^>]*type="submit"[^>]*>/.exec(opened().again())?.[0]).not.toContain('disabled=""');
  });
});

describe('clients and more sandboxes', () => {
  const client = (given: object = {}) => ({
    id: 'client-1',
    name: 'CI',
    keyIds: [],
    createdAt: '2026-11-25T14:00:00Z',
    ...given,
  });
  const clients = (...items: object[]) =>
    open(pages.clients.SandboxClients, {
      as,
      answers: [[pages.api.getSandboxClientsOptions().queryKey, { items }]],
    });

  test.each<[given: object, told: string]>([
    [{}, 'CI registered 30 min ago'],
    [{ keyIds: ['key-1', 'key-2'] }, 'CI registered 30 min ago , keys key-1, key-2'],
  ])('a client %j is told as “%s”', (given, told) => {
    const texts = spaced(clients(client(given)).texts());

    expect(texts).toContain(told);
    expect(texts.includes(', keys')).toBe('keyIds' in given);
    expect(texts).not.toContain('No client is registered.');
    expect(clients().texts()).toContain('No client is registered.');
  });

  test('a client is registered', async () => {
    const page = clients();
    page.field('Name').onChange?.('CI');
    page.field('Key set').onChange?.('{ "keys": [] }');

    expect(await done(page, page.submit, {})).toEqual({
      asked: [['POST', '/api/sandbox/clients', { name: 'CI', jwks: { keys: [] } }]],
      told: ['green: Registered. Its id is issuer and subject of its assertions.'],
      refreshed: ['getSandbox'],
    });
  });

  const sandbox = { id: 'sandbox-1', name: 'CI', createdAt: '2026-11-25T14:00:00Z' };
  const named = () =>
    open(pages.named.NamedSandboxes, {
      as,
      answers: [[pages.api.getSandboxesOptions().queryKey, { items: [sandbox] }]],
    });
  const token = [
    'The token of “CI”',
    'token-1',
    'It opens this sandbox only: its FHIR routes, and what sets it up under /sandbox.',
    'curl "https://clinic.example/api/Slot?schedule=Schedule/Dr.Chen" \\ -H "Authorization: Bearer token-1"',
  ];

  test.each<[typed: string, isSent: boolean]>([
    [' CI ', true],
    ['', false],
  ])('a sandbox named %j is opened, and its token shown once', async (typed, isSent) => {
    const page = named();
    expect(spaced(page.texts())).toContain('CI opened 30 min ago');
    page.field('Name of the sandbox').onChange?.(typed);

    expect(await done(page, page.submit, { name: 'CI', token: 'token-1' })).toEqual({
      asked: isSent ? [['POST', '/api/sandboxes', { name: 'CI' }]] : [],
      told: [],
      refreshed: isSent ? ['getSandbox'] : [],
    });
    if (isSent) expect(pages.dialog().texts).toEqual(expect.arrayContaining(token));
  });

  test.each<
    [
      what: string,
      open_: () => ReturnType<typeof named>,
      button: string,
      question: string[],
      request: unknown[],
      told: string[],
      refreshed: string[],
    ]
  >([
    [
      'a client',
      () => clients(client()),
      'Remove CI',
      ['Remove CI?', 'Remove', 'Keep it'],
      ['DELETE', '/api/sandbox/clients/client-1', null],
      ['green: Removed.'],
      ['getSandbox'],
    ],
    [
      'a sandbox',
      named,
      'Remove CI',
      ['Remove “CI”?', 'Remove it', 'Keep it'],
      ['DELETE', '/api/sandboxes/sandbox-1', null],
      ['green: CI is removed.'],
      ['getSandbox'],
    ],
    [
      'the token of a sandbox',
      named,
      'New token for CI',
      ['A new token for “CI”?', 'Create a new token', 'Keep it'],
      ['POST', '/api/sandboxes/sandbox-1/token', null],
      [],
      [],
    ],
  ])('%s is taken away after a question', async (_what, opens, label, question, request, told, refreshed) => {
    const page = opens();
    page.click(label);
    const { texts, button, click } = pages.dialog();
    const yes = question[1] ?? '';

    expect([texts[0], ...texts.slice(-2)]).toEqual(question);
    expect(button(yes)['color']).toBe(label === 'Remove CI' ? 'red' : undefined);
    expect(await done(page, () => click(yes), { token: 'token-1' })).toEqual({ asked: [request], told, refreshed });
    if (label !== 'Remove CI') expect(pages.dialog().texts).toEqual(expect.arrayContaining(token));
  });
});

describe('validation runs', () => {
  const summary = (given: object = {}) => ({
    id: 'run-1',
    label: 'Client 2',
    state: 'running',
    startedAt: '2026-11-25T14:00:00Z',
    score: { passed: 3, failed: 2, notSeen: 1, of: 6 },
    exchanges: 9,
    ...given,
  });
  const list = (...rows: object[]) => open(pages.readiness.Readiness, { as, lists: { getValidationRuns: rows } });
  const line = (given: object) => {
    const markup = list(summary(given)).again();
    return spaced(textsIn(markup.slice(markup.indexOf('<tbody'))), ' | ');
  };

  test.each<[given: object, told: string]>([
    [{}, 'Client 2 | Wed, Nov 25, 2026, 9:00 AM | Running | 3 of 6 | 2 | 9'],
    [
      { label: null, state: 'ended' },
      'Wed, Nov 25, 2026, 9:00 AM | Wed, Nov 25, 2026, 9:00 AM | Ended | 3 of 6 | 2 | 9',
    ],
    [{ score: null }, 'Running | – | – | 9'],
    [{ score: { passed: 0, failed: 0, notSeen: 6, of: 6 } }, '0 of 6 | 0 | 9'],
  ])('%j is told as “%s”', (given, told) => {
    expect(line(given).replaceAll(/ \| , \| |, \| /g, ', ')).toContain(told);
  });

  test('what a run is called may be long', () => {
    expect(cellsIn(list(summary()).again(), 'long')).toEqual(['Client 2']);
  });

  test.each<[typed: string, body: object]>([
    [' Client 3 ', { label: 'Client 3' }],
    ['  ', {}],
    ['', {}],
  ])('one is started for %j', async (typed, body) => {
    const page = list();
    page.type('What you are testing', typed);
    page.again();
    let isTaken = false;
    const { onSubmit } = page.given(({ onSubmit: on }) => on);
    const send = () =>
      onSubmit?.({
        preventDefault() {
          isTaken = true;
        },
      } as Event);
    const found = await done(page, send, { id: 'run-2' });

    expect(found).toEqual({
      asked: [['POST', '/api/validation-runs', body]],
      told: [],
      refreshed: ['getValidationRuns'],
    });
    expect(isTaken).toBe(true);
  });

  test('who has started one is led to it', async () => {
    const page = list();
    await done(page, page.submit, { id: 'run-2' });

    expect(await page.address()).toBe('/readiness/run-2');
  });

  test.each<[status: number, rows: object[], isShown: boolean]>([
    [409, [summary({ id: 'run-0', state: 'ended' }), summary()], true],
    [409, [summary({ state: 'ended' })], false],
    [409, [], false],
    [403, [summary()], false],
  ])('why none is started (%i) stands at the field', async (status, rows, isShown) => {
    const page = list(...rows);
    const refusal = Response.json({ statusCode: status, message: 'is refused' }, { status });

    expect((await done(page, page.submit, refusal)).told).toEqual([]);
    const markup = page.again();
    expect(spaced(textsIn(markup))).toContain('is refused.');
    expect(linksIn(markup).some(([text, to]) => text === 'Show it' && to === '/readiness/run-1')).toBe(isShown);
    expect(textsIn(markup).includes('Show it')).toBe(isShown);
  });

  const behaviour = (given: object = {}) => ({
    id: 'behaviour-1',
    area: 'Tokens',
    title: 'Sends `If-Match`',
    verdict: 'passed',
    why: null,
    shownBy: null,
    howToCause: 'Set `x` first.',
    ...given,
  });
  const run = (given: object = {}) => ({
    ...summary(),
    isFull: false,
    endedAt: null,
    behaviours: [],
    foreign: { patientReference: 'Patient/1', appointmentReference: 'Appointment/1' },
    clockChanges: { forward: null, back: null },
    ...given,
  });
  const opened = (given: object = {}) => {
    const { queryKey } = pages.api.getValidationRunsByRunIdOptions({ path: { runId: 'run-1' } });
    return open(pages.run.ReadinessRun, {
      as,
      at: '/readiness/run-1',
      path: '/readiness/:runId',
      answers: [[queryKey, run(given)]],
    });
  };
  const words = (given: object = {}) => spaced(opened(given).texts());

  test.each<[given: object, told: string]>([
    [{}, 'Client 2'],
    [{}, 'Running North Clinic, Wed, Nov 25, 2026, 9:00 AM, 9 requests'],
    [{ exchanges: 1 }, '9:00 AM, 1 request '],
    [
      { state: 'ended', endedAt: '2026-11-25T14:20:00Z' },
      'Ended North Clinic, Wed, Nov 25, 2026, 9:00 AM to Wed, Nov 25, 2026, 9:20 AM, 9 requests',
    ],
    [{}, 'Patient Patient/1'],
    [{}, 'Appointment Appointment/1'],
    [{ clockChanges: { forward: '2027-03-15T04:00:00Z', back: null } }, 'Clocks go forward Sun, Mar 14, 2027'],
    [{ clockChanges: { forward: null, back: '2027-11-08T05:00:00Z' } }, 'Clocks go back Sun, Nov 7, 2027'],
  ])('%j is told as “%s”', (given, told) => {
    const without = (text: string) => text.replaceAll(/\s/g, '');

    expect(without(words(given))).toContain(without(told));
  });

  test('of what is not known nothing is told', () => {
    expect(words()).not.toMatch(/Clocks go|watched as many requests/);
    expect(opened({ label: null }).texts()).toContain('Validation run');
    expect(words({ isFull: true })).toContain('This run has watched as many requests as it keeps.');
  });

  test.each<[score: object, green: number, red: number]>([
    [{ passed: 3, failed: 1, notSeen: 0, of: 4 }, 75, 25],
    [{ passed: 0, failed: 0, notSeen: 0, of: 0 }, 0, 0],
  ])('the score %j is a bar', (score, green, red) => {
    const page = opened({ score });

    expect(['green.7', 'red.7'].map((color) => page.given((each) => each['color'] === color)['value'])).toEqual([
      green,
      red,
    ]);
  });

  test.each<[given: object, told: string]>([
    [{}, 'Tokens 1 of 1 Sends If-Match Passed'],
    [{ verdict: 'failed', why: 'It was stale' }, 'Tokens 0 of 1 Sends If-Match Failed It was stale. Set x first.'],
    [{ verdict: 'not_seen' }, 'Tokens 0 of 1 Sends If-Match Not seen Set x first.'],
    [{ shownBy: { number: 3, request: 'PUT /x', status: 412 } }, 'Sends If-Match Passed Request 3: PUT /x, 412'],
    [{ shownBy: { number: 3, request: 'PUT /x', status: null } }, 'Passed Request 3: PUT /x, no reply'],
  ])('a behaviour %j is told as “%s”', (given, told) => {
    const text = words({ state: 'ended', behaviours: [behaviour(given)] });
    const without = (each: string) => each.replaceAll(/\s/g, '');

    expect(without(text)).toContain(without(told));
    expect(text.includes('Set x first.')).toBe('verdict' in given);
    expect(opened({ behaviours: [behaviour(given)] }).again()).toContain('Sends <code>If-Match</code>');
  });

  test('behaviours stand by area, with how many of each were passed', () => {
    const behaviours = [
      behaviour(),
      behaviour({ id: 'b-2', area: 'Booking', verdict: 'failed' }),
      behaviour({ id: 'b-3', verdict: 'failed' }),
    ];
    const texts = words({ behaviours });

    expect(texts).toMatch(/Tokens 1 of 2 .*Passed .*Failed .*Booking 0 of 1 .*Failed/);
    expect(texts.match(/Tokens/g)).toHaveLength(1);
  });

  test.each<[button: string, name: string, type: string, path: string, text: string]>([
    ['JUnit', 'readiness.xml', 'application/xml', '/api/validation-runs/run-1/junit', '{"a":1}'],
    [
      'TestReport',
      'test-report.json',
      'application/fhir+json',
      '/api/validation-runs/run-1/test-report',
      '{\n  "a": 1\n}',
    ],
  ])('%s is saved as a file', async (button, name, type, path, text) => {
    saved.length = 0;
    const page = opened();

    expect(await done(page, () => page.click(button), { a: 1 })).toEqual({
      asked: [['GET', path, null]],
      told: [],
      refreshed: [],
    });
    expect([saved[0]?.name, saved[0]?.blob.type, await saved[0]?.blob.text()]).toEqual([
      name,
      `${type};charset=utf-8`,
      text,
    ]);
    expect((await done(page, () => page.click(button))).told).toEqual(['red: is refused.']);
  });

  test('one is printed, fed and ended', async () => {
    const page = opened();
    page.click('Print or save as PDF');
    expect(prints).toBe(1);

    expect((await done(page, () => page.click('Send events'), { sent: ['a', 'b'] })).told).toEqual([
      'green: 2 events were sent.',
    ]);
    expect((await done(page, () => page.click('End the run'), {})).told).toEqual(['green: The run has ended.']);
  });
});

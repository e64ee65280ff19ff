import { toldTables } from '@clinic/api/routes/operations/stream';
import { eventually } from '../support/eventually';
import { type Computed, dashboardModules, emptyDocument, type Reader, type Stage, textsIn } from './stage/dashboard';

/** Where the dashboard leads, what is found in it, and how it writes times, phones and refusals, without a browser. */
interface Option {
  (given?: object): { queryKey: unknown };
}
interface Group {
  name: string;
  hits: { title: string; note: string; opens: unknown }[];
}
interface Modules {
  api: Record<
    | 'getPatientsOptions'
    | 'getCasesOptions'
    | 'getCallsOptions'
    | 'getProvidersOptions'
    | 'getIntegrationsOptOutsOptions'
    | 'getLookupOptions'
    | 'getAuthSessionOptions',
    Option
  > &
    Record<
      | 'getPatients'
      | 'postPatientsByPatientIdNotes'
      | 'postPauses'
      | 'deletePausesByPauseId'
      | 'postAppointmentsByAppointmentIdReschedule'
      | 'putRecordsByRecordIdViewers',
      Computed
    >;
  navigation: Record<'navigationFor' | 'destinationsFor', Computed> &
    Record<'clinicAreas' | 'connectionAreas', { area: string; right: string }[]>;
  shortcuts: { ShortcutList: unknown };
  found: { useFound: (text: string) => { groups: Group[]; isSearching: boolean; isFirstKnown: boolean } };
  service: Record<'sentenceOf' | 'codeOf' | 'statusOf', Computed>;
  areas: Record<'readAgain' | 'keyOf', Computed>;
  refusal: Record<'refusedAt' | 'refusedUnder' | 'sayRefusedIn' | 'showRefusal', Computed>;
  moment: Record<'formatDay' | 'formatDuration' | 'formatTime', Computed> &
    Record<'Moment' | 'TimeSince' | 'ClockTime' | 'DayAndTime', unknown>;
  phone: { usePhone: () => (number: string) => string; useExamplePhone: () => string | undefined };
  person: { nameOf: Computed; bornOn: Computed };
  percent: { formatPercent: Computed };
  codes: { sentence: Computed };
  workflows: { workflowName: Computed; workflowTypes: { value: string; label: string }[] };
  status: { isStatusWord: Computed; labelOf: Computed; caseStates: string[]; outcomes: string[] };
  total: { formatTotal: Computed };
  states: Record<'Loaded' | 'Loading' | 'Problem', unknown>;
  icons: Record<string, unknown>;
  drawings: { default: Record<string, string[]> };
  notices: { useTaskNotices: () => { isOn: boolean } };
  signOn: {
    stepUpBySignOn: () => Promise<void>;
    passOn: (returned: object) => void;
    leaveToSignOn: (given: object) => Promise<void>;
    returnFromSignOn: (returned: object) => Promise<object>;
    hasLeftToSignOn: () => boolean;
  };
  passkeys: {
    signInByPasskey: () => Promise<string>;
    stepUpByPasskey: () => Promise<void>;
    addPasskey: (given: object) => Promise<void>;
  };
  session: { session: { open: (token: string) => void; close: (ending: string) => void; current: () => unknown } };
  forms: { DialogButton: unknown };
  live: { useLiveUpdates: () => string; readers: Record<string, string[]> };
  presence: { useIsLookedAt: () => boolean };
  layout: { Layout: () => unknown };
  language: { chooseLanguage: (chosen: string | null) => void; followClinic: (clinic: object) => void };
  focus: { focusSoon: (find: () => unknown) => void };
  typed: { TimeField: unknown; BirthDateField: unknown };
  numbers: { NumberField: unknown };
  asking: { stepUp: { ask: () => Promise<boolean>; settle: (isProved: boolean) => void } };
  stepUp: { StepUp: () => unknown };
}

let frame: Modules & Stage;

/** A connection to the stream of changes. */
interface Connection {
  address: string;
  signal: AbortSignal;
  send: (text: string) => void;
  end: () => void;
}
const events = new EventTarget();
let connections: Connection[] = [];
/** How the service answers who asks for the stream. */
let status = 200;

/** The window that it opens; else it has blocked it. */
let popup: object | null = null;
/** Where the window has left to. */
let left: string[] = [];
/** What was asked of the service, and what it answers to each. */
let requests: unknown[] = [];
/** What follows the path, and the header of what may stand in no address. */
let searches: [search: string, named: string | null][] = [];
let replies: (Response | Error)[] = [];
/** Under which key each change was asked for. */
let keysSent: (string | null)[] = [];
/** What somebody's device answers who is asked for a passkey. */
let passkey: () => object | null = () => null;
/** What its other windows are told by what is kept for all of them. */
let passed: [key: string, value: unknown][] = [];
const held = new Map<string, string>();
let reloads = 0;
let frames: (() => void)[] = [];
const page = emptyDocument();

const mac = {
  navigator: {
    language: 'en-US',
    languages: ['en-US'],
    onLine: true,
    userAgent: 'Macintosh',
    credentials: { get: async () => passkey(), create: async () => passkey() },
  },
  window: {
    addEventListener: events.addEventListener.bind(events),
    removeEventListener: events.removeEventListener.bind(events),
    dispatchEvent: events.dispatchEvent.bind(events),
    location: {
      pathname: '/',
      search: '',
      hostname: 'clinic.example',
      origin: 'https://clinic.example',
      assign: (address: string) => void left.push(address),
    },
    open: () => popup,
  },
  document: page,
  localStorage: {
    getItem: (key: string) => held.get(key) ?? null,
    setItem(key: string, value: string) {
      held.set(key, value);
      passed.push([key, JSON.parse(value)]);
    },
    removeItem(key: string) {
      held.delete(key);
      passed.push([key, null]);
    },
  },
  location: {
    pathname: '/',
    search: '',
    hostname: 'clinic.example',
    origin: 'https://clinic.example',
    reload: () => void (reloads += 1),
  },
  requestAnimationFrame: (draw: () => void) => frames.push(draw),
  // It may tell of tasks, but was not asked to.
  isSecureContext: true,
  Notification: { permission: 'granted' },
  async fetch(address: string | Request, { signal }: { signal: AbortSignal } = address as Request) {
    if (typeof address !== 'string') {
      const text = await address.text();
      requests.push([address.method, new URL(address.url).pathname, ...(text === '' ? [] : [JSON.parse(text)])]);
      keysSent.push(address.headers.get('idempotency-key'));
      searches.push([new URL(address.url).search, address.headers.get('x-query')]);
      const reply = replies.shift() ?? Response.json({ statusCode: 409, message: 'is refused' }, { status: 409 });
      if (reply instanceof Error) throw reply;
      return reply;
    }
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        const send = (text: string) => controller.enqueue(new TextEncoder().encode(text));
        connections.push({ address, signal, send, end: () => controller.close() });
        signal.addEventListener('abort', () => controller.error(new Error('aborted')));
      },
    });
    return new Response(body, { status });
  },
};

beforeAll(async () => {
  frame = await dashboardModules<Modules>(
    {
      api: require.resolve('../../dashboard/http/api.ts'),
      navigation: require.resolve('../../dashboard/shell/navigation.ts'),
      shortcuts: require.resolve('../../dashboard/shell/shortcut-list.tsx'),
      found: require.resolve('../../dashboard/shell/found.ts'),
      service: require.resolve('../../dashboard/http/service.ts'),
      areas: require.resolve('../../dashboard/http/areas.ts'),
      refusal: require.resolve('../../dashboard/forms/refusal.ts'),
      moment: require.resolve('../../dashboard/words/moment.tsx'),
      phone: require.resolve('../../dashboard/words/phone.ts'),
      person: require.resolve('../../dashboard/words/person.tsx'),
      percent: require.resolve('../../dashboard/words/percent.ts'),
      codes: require.resolve('../../dashboard/parts/code-words.ts'),
      workflows: require.resolve('../../dashboard/parts/workflow-name.ts'),
      status: require.resolve('../../dashboard/parts/status.tsx'),
      total: require.resolve('../../dashboard/lists/total.ts'),
      states: require.resolve('../../dashboard/parts/states.tsx'),
      icons: require.resolve('../../dashboard/icons.tsx'),
      drawings: require.resolve('../../dashboard/drawings/tabler.json'),
      notices: require.resolve('../../dashboard/shell/task-notices.tsx'),
      signOn: require.resolve('../../dashboard/http/sign-on.ts'),
      live: require.resolve('../../dashboard/http/live.ts'),
      passkeys: require.resolve('../../dashboard/http/passkeys.ts'),
      presence: require.resolve('../../dashboard/http/presence.ts'),
      layout: require.resolve('../../dashboard/shell/layout.tsx'),
      language: require.resolve('../../dashboard/language.ts'),
      focus: require.resolve('../../dashboard/parts/focus.ts'),
      typed: require.resolve('../../dashboard/forms/typed-field.tsx'),
      numbers: require.resolve('../../dashboard/forms/number-field.tsx'),
      asking: require.resolve('../../dashboard/http/step-up.ts'),
      stepUp: require.resolve('../../dashboard/shell/step-up.tsx'),
      session: require.resolve('../../dashboard/http/session.ts'),
      forms: require.resolve('../../dashboard/forms/action-form.tsx'),
    },
    mac,
  );
});

afterEach(() => jest.useRealTimers());

const all = [
  'dashboard',
  'workflows',
  'tasks',
  'results',
  'patients',
  'patients.read',
  'appointments',
  'appointments.read',
  'operations',
  'deliveries',
  'audit',
  'sandbox',
  'settings',
  'settings.read',
  'people',
  'keys',
  'privacy',
];
const spaced = (said: unknown) => String(said).replaceAll(/\s/g, ' ');

describe('where a role is led', () => {
  const led = (role: string, rights: string[] = all) => {
    const may = (right: string) => rights.includes(right);
    const { groups, more } = frame.navigation.navigationFor(role, may) as {
      groups: { title?: string; items: { label: string }[] }[];
      more: { label: string }[];
    };
    return [
      ...groups.map(({ title, items }) => [title, ...items.map(({ label }) => label)]),
      more.map(({ label }) => label),
    ];
  };
  const frontDesk = ['My day', 'Calendar', 'Day list', 'Patients', 'Tasks', 'Waitlist'];

  test.each<[role: string, groups: unknown[][]]>([
    [
      'staff',
      [
        [undefined, ...frontDesk],
        ['Calls', 'Recovery cases', 'Queue', 'Clinic'],
      ],
    ],
    [
      'manager',
      [
        [undefined, 'Overview', 'Results'],
        ['Front desk', ...frontDesk],
        ['Recovery', 'Recovery cases', 'Calls', 'Queue'],
        ['Clinic', 'Deliveries'],
      ],
    ],
    ['auditor', [[undefined, 'Audit'], []]],
    [
      'admin',
      [
        [undefined, 'Overview', 'Results'],
        ['Front desk', ...frontDesk],
        ['Recovery', 'Recovery cases', 'Calls', 'Queue'],
        ['Set-up', 'Clinic', 'Connections', 'Try it', 'Readiness'],
        ['Monitoring', 'Runs', 'Deliveries', 'Audit'],
        [],
      ],
    ],
    ['operator', [[undefined, 'All clinics'], []]],
  ])('%s', (role, groups) => {
    expect(led(role)).toEqual(groups);
  });

  test.each<[right: string, pages: string[]]>([
    ['workflows', ['/', '/cases', '/calls', '/queue', '/runs']],
    ['tasks', ['/my-day', '/tasks']],
    ['appointments.read', ['/calendar', '/day-list', '/waitlist']],
    ['patients.read', ['/patients', '/clinic']],
    ['results', ['/results']],
    ['settings.read', ['/clinic', '/connections']],
    ['people', ['/clinic']],
    ['sandbox', ['/connections', '/try-it', '/readiness']],
    ['deliveries', ['/deliveries']],
    ['audit', ['/audit']],
  ])('the right %s opens %j', (right, pages) => {
    const opened = frame.navigation.destinationsFor((asked: unknown) => asked === right) as { to: string }[];

    expect(opened.map(({ to }) => to)).toEqual(pages);
    expect(led('admin', [])).toEqual([[]]);
  });

  const listed = (as: Reader) => textsIn(frame.show(frame.shortcuts.ShortcutList, { isOn: true }, { as })).join(' ');

  test('the shortcuts are those of what somebody may open', () => {
    const everything = listed({ rights: all });

    expect(everything).toContain('⌘ K Find a patient, case, call or page');
    expect(everything).toContain('g then k Calendar');
    expect(everything).toContain('g then u Runs');
    expect(everything).toContain(
      'In lists j Next row k Previous row Enter Open the row e Resolve the task a n l u On the day list',
    );
    expect(everything).toContain('In the calendar ↑ ↓ Previous time, next time');
    expect(everything).toContain('Single keys: g, j, k, e, z and /');
    expect(listed({ rights: [], role: 'operator' })).toBe('Everywhere ? Show this list Esc Close what is open');
    expect(listed({ rights: ['dashboard'], role: 'auditor' })).toBe(
      'Everywhere / Go to the search field of the page z Do what the last notice offers, as Undo ? Show this list ⌘ Enter Save or send the form Esc Close what is open In lists j Next row k Previous row Enter Open the row Single keys: g, j, k, e, z and / Turn them off where speech types them by accident.',
    );
  });
});

describe('the finder', () => {
  const patient = (id: string, given: object = {}) => ({
    id,
    firstName: 'Wendy',
    lastName: 'Ivanov',
    phone: '+13035550142',
    dateOfBirth: '1980-02-29',
    isSimilar: false,
    createdAt: '2026-11-20T15:00:00Z',
    registrationStatus: 'COMPLETE',
    ...given,
  });
  const find = (text: string, given: Record<string, object | undefined> = {}, rights: string[] = all) => {
    const query = { search: text, limit: 5 };
    const keys: Record<string, unknown> = {
      patients: frame.api.getPatientsOptions({ query: { ...query, total: 'true' } }).queryKey,
      cases: frame.api.getCasesOptions({ query }).queryKey,
      calls: frame.api.getCallsOptions({ query }).queryKey,
      providers: frame.api.getProvidersOptions().queryKey,
      optOuts: frame.api.getIntegrationsOptOutsOptions({ query }).queryKey,
      lookup: frame.api.getLookupOptions({ query: { id: text } }).queryKey,
    };
    const answers = Object.entries(given).map(([name, data]): [unknown, unknown] => [keys[name], data]);
    return frame.use(() => frame.found.useFound(text), { as: { rights }, answers });
  };
  const told = ({ groups }: { groups: Group[] }) =>
    groups.map(({ name, hits }) => [name, ...hits.map(({ title, note }) => `${title} (${note})`)]);

  const nobody = (searchedFor: string) => ({
    items: [],
    nextCursor: null,
    total: { count: 0, isMore: false },
    searchedFor,
  });

  test('before anything is typed it offers what is done most', () => {
    expect(told(find(''))).toEqual([
      [
        'Actions',
        'Book an appointment (In the calendar)',
        'Register a patient (A walk-in or a caller)',
        'Stop calling a number (Opt-outs)',
        'Pause or resume calls (Calling policy)',
      ],
    ]);
    expect(told(find('', {}, ['operations']))).toEqual([['Actions', 'Pause or resume calls (Calling policy)']]);
    expect(find('')).toMatchObject({ isSearching: false, isFirstKnown: true });
  });

  test.each<[text: string, groups: string[][]]>([
    ['wait', [['Pages', 'Waitlist (Page)']]],
    ['webhooks', [['Pages', 'Deliveries (Page)', 'Inbound events (Page)', 'Outbound events (Page)']]],
    ['passkeys', [['Actions', 'My account (Password, second factor, sessions)']]],
    ['span', [['Actions', 'Español (Language of the dashboard)']]],
    ['help', [['Actions', 'Keyboard shortcuts (?)', 'API reference (In a new tab)']]],
    ['goals', [['Pages', 'Results: currency and goals (Page)']]],
    // Without its hyphen, and in another order.
    ['optouts', [['Pages', 'Opt-outs (Page)']]],
    ['goals currency', [['Pages', 'Results: currency and goals (Page)']]],
    ['currency goals', [['Pages', 'Results: currency and goals (Page)']]],
    ['goals optouts', []],
  ])('“%s” finds %j', (text, groups) => {
    expect(told(find(text, {}, all))).toEqual(groups);
  });

  test('people are found with what tells them apart', () => {
    const twin = patient('2', { phone: null, createdAt: '2026-11-21T15:00:00Z' });
    const similar = patient('3', {
      firstName: 'Wanda',
      dateOfBirth: null,
      isSimilar: true,
      registrationStatus: 'ACTION_REQUIRED',
    });
    const patients = {
      items: [patient('1'), twin, similar],
      nextCursor: 'more',
      total: { count: 12, isMore: false },
      searchedFor: 'ivan',
    };

    expect(told(find('ivan', { patients }))).toEqual([
      [
        'Patients',
        'Wendy Ivanov ((303) 555-0142, born Feb 29, 1980, perhaps twice on record, since Fri, Nov 20, 2026)',
        'Wendy Ivanov (born Feb 29, 1980, perhaps twice on record, since Sat, Nov 21, 2026)',
        'Wanda Ivanov ((303) 555-0142, similar name, known only from a form or call)',
        'All 12 in Patients (More than are shown here)',
      ],
      ['New patient', 'Register “ivan” (As a new patient)'],
    ]);
    const [first, , , last] =
      find('ivan', {
        patients: {
          ...patients,
          items: [
            patient('1'),
            patient('2', { dateOfBirth: '1990-01-01', phone: null }),
            patient('3', { lastName: 'Ivano' }),
          ],
        },
      }).groups[0]?.hits ?? [];
    expect(first?.note).not.toContain('twice');
    expect(first?.opens).toEqual({ to: '/patients/1' });
    expect(last?.opens).toEqual({ to: '/patients', state: { searchText: 'ivan' } });
    expect(told(find('ivan', { patients: { ...patients, nextCursor: null } }))[0]).toHaveLength(4);
  });

  test.each<[text: string, isOffered: boolean]>([
    ['zoe quill', true],
    ['303 555 0199', true],
    ['303 555 019', true],
    ['303 555 01', false],
    ['1980-02-29', false],
    ['zoe@example.com', false],
    ['waitlist', false],
    ['invite', false],
    ['aaaaaaaaaaaaaaaa', false],
    ['aaaaaaaaaaaaaaa', true],
  ])('a new patient is offered for “%s”: %s', (text, isOffered) => {
    const offered = find(text, { patients: nobody(text) }).groups.find(({ name }) => name === 'New patient');

    expect(offered !== undefined).toBe(isOffered);
    if (offered) expect(offered.hits[0]?.opens).toEqual({ registers: text });
    expect(find(text, { patients: nobody(text) }, ['patients.read']).groups.map(({ name }) => name)).not.toContain(
      'New patient',
    );
  });

  test('what else the service finds is told by kind', () => {
    const name = { firstName: 'Wendy', lastName: 'Ivanov' };
    const given = {
      patients: nobody('emily 3035550142'),
      providers: {
        items: [
          { name: 'Dr.Chen', displayName: 'Dr. Emily Chen' },
          { name: 'Dr.Roy', displayName: 'Dr. Arjun Roy' },
        ],
      },
      optOuts: { items: [{ id: '1', phone: '+13035550142', createdAt: '2026-11-20T15:00:00Z' }] },
      cases: {
        items: [
          {
            recoveryCaseId: '1',
            patient: name,
            recoveryStatus: 'PENDING',
            createdAt: '2026-11-20T15:00:00Z',
            formName: 'Intake',
          },
          {
            recoveryCaseId: '2',
            patient: name,
            recoveryStatus: 'RECOVERED',
            createdAt: '2026-11-20T15:00:00Z',
            formName: null,
          },
        ],
      },
      calls: {
        items: [
          { id: '1', patient: name, workflowType: 'waitlist-offer', createdAt: '2026-11-20T15:00:00Z' },
          {
            id: '2',
            formName: 'Intake',
            patient: name,
            workflowType: 'abandonment-recovery',
            createdAt: '2026-11-20T15:00:00Z',
          },
        ],
      },
    };
    const found = find('emily', { ...given, optOuts: undefined }).groups;

    expect(told({ groups: found }).map((group) => group.map(spaced))).toEqual([
      ['Providers', 'Dr. Emily Chen (Calendar)'],
      [
        'Recovery cases',
        'Wendy Ivanov (Pending, opened Fri, Nov 20, 2026, Intake)',
        'Wendy Ivanov (Recovered, opened Fri, Nov 20, 2026)',
      ],
      [
        'Calls',
        'Wendy Ivanov (Waitlist offer, Fri, Nov 20, 2026, 10:00 AM)',
        'Wendy Ivanov (Form “Intake”, Fri, Nov 20, 2026, 10:00 AM)',
      ],
      ['New patient', 'No patient matches: register “emily” (As a new patient)'],
    ]);
    expect(found[0]?.hits[0]?.opens).toEqual({ to: '/calendar?provider=Dr.Chen' });
    expect(told(find('3035550', { optOuts: given.optOuts }))).toContainEqual([
      'Opt-outs',
      '(303) 555-0142 (Not called since Fri, Nov 20, 2026)',
    ]);
  });

  test.each<[text: string, action: string, right: string, opens: object]>([
    ['invite', 'Invite a person', 'people', { to: '/clinic/people?add=new' }],
    ['create an', 'Create an API key', 'keys', { to: '/connections/api-keys?add=new' }],
    ['add an', 'Add an endpoint', 'settings', { to: '/connections/outbound?add=new' }],
    ['my account', 'My account', 'dashboard', { to: '/my-account' }],
    ['keyboard', 'Keyboard shortcuts', 'dashboard', { shortcuts: true }],
    ['documentation', 'API reference', 'dashboard', { tab: '/api/docs' }],
    ['spanish', 'Español', 'dashboard', { speaks: 'es' }],
    ['book', 'Book an appointment', 'appointments', { to: '/calendar?book=new' }],
    ['register', 'Register a patient', 'patients', { registers: '' }],
    ['stop', 'Stop calling a number', 'patients', { to: '/clinic/opt-outs' }],
    ['pause', 'Pause or resume calls', 'operations', { to: '/clinic/calling?pause=new' }],
  ])('“%s” finds “%s” for who has the right %s', (text, title, right, opens) => {
    const hitsOf = (rights: string[]) => find(text, {}, rights).groups.flatMap(({ hits }) => hits);

    expect(hitsOf([right])).toContainEqual(expect.objectContaining({ title, opens }));
    expect(hitsOf(all.filter((each) => each !== right)).map((hit) => hit.title)).not.toContain(title);
  });

  test.each<[right: string, names: string[]]>([
    ['settings.read', ['hours', 'providers', 'calling', 'results', 'retention']],
    ['patients.read', ['opt-outs']],
    ['people', ['people', 'single-sign-on']],
  ])('the right %s opens the areas %j of the clinic', (right, names) => {
    const { clinicAreas } = frame.navigation;

    expect(clinicAreas.filter((each) => each.right === right).map(({ area }) => area)).toEqual(names);
  });

  test.each<[right: string, names: string[]]>([
    ['sandbox', ['sandbox']],
    ['settings.read', ['api-keys', 'inbound', 'outbound', 'approved-api', 'crm', 'voice', 'phone-numbers']],
  ])('the right %s opens the areas %j of the connections', (right, names) => {
    const { connectionAreas } = frame.navigation;

    expect(connectionAreas.filter((each) => each.right === right).map(({ area }) => area)).toEqual(names);
  });

  test('who is called so comes before what is found by a name alone, and all are searched for until they have come', () => {
    const holiday = { ...nobody('holiday'), items: [patient('1', { lastName: 'Holiday' })] };
    const groupsOf = (text: string, given: object) => find(text, { patients: given }).groups.map(({ name }) => name);

    expect(groupsOf('holiday', holiday)).toEqual(['Patients', 'Pages']);
    expect(groupsOf('wait', { ...holiday, searchedFor: 'wait' })).toEqual(['Pages', 'Patients']);
    const similar = { ...holiday, items: [patient('1', { lastName: 'Holyday', isSimilar: true })] };
    expect(groupsOf('holiday', similar)).toEqual(['Pages', 'Patients']);
    expect([find('ivan'), find('wait')]).toMatchObject([
      { isSearching: true, isFirstKnown: false },
      { isSearching: true, isFirstKnown: true },
    ]);
    expect(find('a1b2c3d4e5f6a7b8')).toMatchObject({ isFirstKnown: false });
    expect(find('i')).toMatchObject({ isSearching: false, isFirstKnown: true });
    expect(find('ivan', {}, [])).toMatchObject({ isSearching: false, isFirstKnown: true });
  });

  test.each([
    ['case', 'Recovery case', 'cases'],
    ['call', 'Call', 'calls'],
    ['patient', 'Patient', 'patients'],
    ['delivery', 'Delivery', 'deliveries'],
  ])('the id of a %s leads to it', (kind, title, address) => {
    const id = 'a1b2c3d4e5f6a7b8';
    const [first] = find(id, { lookup: { found: { kind, id } } }).groups;

    expect(first).toMatchObject({
      name: 'By its id',
      hits: [{ title, note: 'With this id', opens: { to: `/${address}/${id}` } }],
    });
    expect(find('a1b2 c3d4e5f6a7b8', { lookup: { found: { kind, id } } }).groups).toEqual([]);
  });
});

describe('what the service says', () => {
  test.each([
    [{ message: 'the time is taken' }, 'the time is taken.'],
    [{ message: 'Is it taken?' }, 'Is it taken?'],
    [{ message: 'Taken.' }, 'Taken.'],
    [{ message: 'Taken!' }, 'Taken!'],
    [{}, 'Something went wrong.'],
    [null, 'Something went wrong.'],
  ])('%j is told as “%s”', (error, told) => {
    expect(frame.service.sentenceOf(error)).toBe(told);
  });

  test('its code and status are read where it has them', () => {
    expect([frame.service.codeOf({ code: 'slot_taken' }), frame.service.codeOf(null)]).toEqual([
      'slot_taken',
      undefined,
    ]);
    expect([frame.service.statusOf({ statusCode: 409 }), frame.service.statusOf(null)]).toEqual([409, 0]);
  });

  const refused = {
    details: [
      { path: 'events.0.name', message: 'must be known' },
      { path: 'events', message: 'Too small' },
      { path: 'url', message: 'must be https' },
      { path: 'eventsOf', message: 'is other' },
    ],
  };

  test.each([
    ['events', 'This must be known'],
    ['url', 'This must be https'],
    ['eventsOf', 'This is other'],
    ['name', null],
  ])('at %s was refused: %j', (path, told) => {
    expect(frame.refusal.refusedAt(refused, path)).toBe(told);
    expect(frame.refusal.refusedAt(null, path)).toBeNull();
  });

  test('what was refused in a field of several is told by the path from there', () => {
    expect(frame.refusal.refusedUnder(refused, 'events')).toEqual([
      { path: '0.name', message: 'must be known' },
      { path: '', message: 'Too small' },
    ]);
  });

  test.each([
    ['items.0.number', 'Number, line 1, must be other.'],
    ['items.1.number.0', 'Number, line 2, must be other.'],
    // Of what has no label the service's own words are told.
    ['items.0.id', 'Refused.'],
    ['number', 'Refused.'],
  ])('what was refused at %s of a list is told as “%s”', (path, told) => {
    const error = { statusCode: 400, message: 'Refused', details: [{ path, message: 'must be other' }] };
    frame.said();
    frame.refusal.sayRefusedIn(error, { number: 'Number' });
    expect(frame.said().map(({ message }) => message)).toEqual([told]);
  });

  test('each field has the first of what was refused of it', () => {
    const errors: object[] = [];
    const form = { setErrors: (given: object) => errors.push(given) };
    const labels = { events: 'Events', url: 'URL' };

    frame.refusal.showRefusal(form, { details: refused.details.slice(0, 3) }, labels);
    frame.refusal.showRefusal(form, { details: [{ path: 'address', message: 'Invalid' }] }, labels, () => 'url');

    expect(errors).toEqual([
      { events: 'This must be known', url: 'This must be https' },
      { url: 'This is not valid: Invalid' },
    ]);
  });

  test('pages read again what their areas show, and no more', () => {
    const ids = ['getTasks', 'getTasksByTaskId', 'getTaskless', 'getOverview', undefined];
    const stale: unknown[] = [];
    const queries = {
      invalidateQueries({ predicate }: { predicate: (query: object) => boolean }) {
        stale.push(ids.filter((_id) => predicate({ queryKey: _id === undefined ? [] : [{ _id }] })));
      },
    };

    frame.areas.readAgain(queries, ['tasks']);
    frame.areas.readAgain(queries, ['tasks', 'overview']);
    frame.areas.readAgain(queries, []);

    expect(stale).toEqual([['getTasks', 'getTasksByTaskId'], ['getTasks', 'getTasksByTaskId', 'getOverview'], []]);
    expect(frame.areas.keyOf('tasks', { limit: 5 })).toEqual([{ _id: 'getTasksList' }, { limit: 5 }]);
  });
});

test('pages read again something of every table that the service tells of', () => {
  expect(Object.keys(frame.live.readers).toSorted()).toEqual([...toldTables.keys()].toSorted());
  // What it is changes only where a review sees it.
  expect(frame.live.readers).toMatchSnapshot();
});

describe('the stream of changes', () => {
  const ids = [
    'getAuthSession',
    'getAuthSecondFactor',
    'getAuthPasskeys',
    'getAuthNotifications',
    'getAccounts',
    'getOverview',
    'getCases',
    'getCalls',
    'getCallingQueue',
    'getRuns',
    'getBulkJobs',
    'getPauses',
    'getCallingPolicyPreview',
    'getTasks',
    'getPatients',
    'getProviders',
    'getDayList',
    'getAppointments',
    'getAvailability',
    'getWaitlist',
    'getDeliveries',
    'getValidationRuns',
    'getAbandonmentRecoverySandboxEmrConfig',
    'getSandbox',
    'getIntegrations',
    'getIntegrationsOptOuts',
    'getRetention',
    'getResults',
    'getViews',
    'putRecordsByRecordIdViewers',
    'getAudit',
  ];
  let ended: (() => void) | undefined;

  /** A page that has just been opened, and is live. */
  async function opened() {
    jest.useFakeTimers({ now: Date.parse('2026-11-25T14:30:00Z') });
    connections = [];
    status = 200;
    const read: string[][] = [];
    const queries = {
      invalidateQueries(of?: { predicate: (query: object) => boolean }) {
        read.push(of ? ids.filter((_id) => of.predicate({ queryKey: [{ _id }] })) : ['all']);
      },
    };
    const { end, states } = frame.begin(() => frame.live.useLiveUpdates(), { queries });
    ended = end;
    await passes(0);
    return { read, states };
  }
  const passes = async (ms: number) => jest.advanceTimersByTimeAsync(ms);
  const tell = (table: string) => connections.at(-1)?.send(`data: ${JSON.stringify({ table })}\n\n`);

  afterEach(async () => {
    ended?.();
    await passes(0);
  });

  const settings = ['getIntegrations', 'getIntegrationsOptOuts'];
  const ofRun = ['getCases', 'getOverview', 'getCallingQueue', 'getRuns'];

  test.each<[table: string, read: string[]]>([
    ['recovery_cases', ['getCases', 'getOverview']],
    ['workflow_runs', ofRun],
    ['calls', [...ofRun, 'getCalls', 'getPatients']],
    ['call_decisions', ['getCases', 'getCallingQueue', 'getRuns', 'getPatients']],
    ['bulk_jobs', ['getBulkJobs']],
    ['waitlist_entries', ['getWaitlist']],
    ['tool_calls', ['getCalls', 'getCases']],
    ['deliveries', ['getDeliveries', 'getCases', 'getOverview']],
    ['staff_tasks', ['getCalls', 'getTasks', 'getOverview', 'getCases', 'getPatients']],
    ['task_notes', ['getTasks']],
    [
      'patients',
      [
        'getPatients',
        'getCases',
        'getCalls',
        'getTasks',
        'getCallingQueue',
        'getRuns',
        'getProviders',
        'getDayList',
        'getAppointments',
        'getWaitlist',
        'getIntegrationsOptOuts',
      ],
    ],
    ['documents', ['getPatients']],
    ['legal_holds', ['getPatients']],
    ['opt_outs', ['getIntegrationsOptOuts', 'getPatients', 'getTasks', 'getOverview']],
    [
      'appointments',
      ['getProviders', 'getDayList', 'getAppointments', 'getPatients', 'getOverview', 'getAvailability'],
    ],
    ['providers', ['getProviders', ...settings]],
    ['api_keys', settings],
    ['secrets', settings],
    ['audit_entries', [...settings, 'getAbandonmentRecoverySandboxEmrConfig', 'getSandbox', 'getAccounts', 'getAudit']],
    ['clinics', ['getAuthSession', 'getAbandonmentRecoverySandboxEmrConfig', 'getSandbox', ...settings, 'getResults']],
    ['validation_runs', ['getValidationRuns']],
    ['sandbox_failures', ['getSandbox']],
    ['viewers', ['putRecordsByRecordIdViewers']],
    ['outreach_pauses', ['getPauses', 'getCallingPolicyPreview', 'getCases']],
  ])('of %s has pages read again what they show of it', async (table, again) => {
    const { read } = await opened();
    tell(table);
    await passes(120);

    expect(read.map((each) => each.toSorted())).toEqual([again.toSorted()]);
  });

  test('has everything read again where a table is not known, and nothing where no table is named', async () => {
    const { read } = await opened();
    for (const text of [': a comment\n\n', 'data: no JSON\n\n', 'data: {}\n\n']) connections[0]?.send(text);
    await passes(2_000);
    expect(read).toEqual([]);

    tell('new_table');
    await passes(120);
    expect(read).toEqual([['all']]);
  });

  test('tells of a burst at once, and of what keeps coming in rounds', async () => {
    const { read } = await opened();
    tell('bulk_jobs');
    await passes(119);
    tell('viewers');
    expect(read).toEqual([]);
    await passes(1);
    expect(read).toEqual([['getBulkJobs', 'putRecordsByRecordIdViewers']]);

    tell('task_notes');
    await passes(799);
    expect(read).toHaveLength(1);
    await passes(1);
    expect(read.slice(1)).toEqual([['getTasks']]);
  });

  test('is gone once it has been silent for fifteen seconds, and is asked for again', async () => {
    const { read, states } = await opened();
    expect([connections.map(({ address }) => address), states]).toEqual([['/api/stream'], ['live']]);
    for (let comment = 0; comment < 3; comment += 1) {
      await passes(14_999);
      connections[0]?.send(': here\n\n');
      await passes(0);
    }
    expect([connections[0]?.signal.aborted, states]).toEqual([false, ['live']]);
    await passes(14_999);
    expect([connections[0]?.signal.aborted, states]).toEqual([false, ['live']]);
    await passes(1);
    expect([connections[0]?.signal.aborted, states]).toEqual([true, ['live', 'offline']]);

    await passes(500);
    expect([connections.length, states]).toEqual([2, ['live', 'offline', 'live']]);
    // What has changed meanwhile nobody has told.
    await passes(120);
    expect(read).toEqual([['all']]);
  });

  test('is asked for again ever later while it is refused, and soon once it was there', async () => {
    const { states } = await opened();
    status = 503;
    connections[0]?.end();
    await passes(0);
    expect(states).toEqual(['live', 'offline']);
    const asked: number[] = [];
    for (const ms of [1_000, 2_000, 5_000, 10_000, 10_000]) {
      await passes(asked.length === 0 ? 500 : 0);
      await passes(ms - 1);
      asked.push(connections.length);
      await passes(1);
    }
    expect([asked, connections.length]).toEqual([[2, 3, 4, 5, 6], 7]);
    expect(new Set(states.slice(1))).toEqual(new Set(['offline']));

    status = 200;
    await passes(10_000);
    expect(states.at(-1)).toBe('live');
    connections.at(-1)?.end();
    await passes(500);
    expect(connections).toHaveLength(9);
  });

  test.each<[answer: number, session: object]>([
    [401, { kind: 'signed-out', ending: 'expired' }],
    [403, { kind: 'signed-in' }],
    [503, { kind: 'signed-in' }],
  ])('that is refused with %i leaves the session %j', async (answer, kept) => {
    const { session } = frame.session;
    session.open('token-1');
    await opened();
    status = answer;
    connections[0]?.end();
    await passes(500);

    expect(session.current()).toMatchObject(kept);
    session.close('signed-out');
  });

  test('ends with the network at once, comes with it, and is left with the page', async () => {
    const { states } = await opened();
    events.dispatchEvent(new Event('offline'));
    await passes(0);
    expect([connections[0]?.signal.aborted, states]).toEqual([true, ['live', 'offline']]);
    events.dispatchEvent(new Event('online'));
    await passes(0);
    expect([connections.length, states]).toEqual([2, ['live', 'offline', 'live']]);

    ended?.();
    await passes(60_000);
    expect([connections[1]?.signal.aborted, connections.length]).toEqual([true, 2]);
    expect(states).toHaveLength(3);
  });
});

describe('the key under which a change is asked for', () => {
  const minute = 60_000;
  const lost = new Error('network');
  const answered = () => Response.json({});
  const note = async (text: string, patientId = 'patient-1') =>
    frame.api.postPatientsByPatientIdNotes({ path: { patientId }, body: { note: text } });
  const pause = async () => frame.api.postPauses({ body: { reason: 'A storm' } });
  const resume = async () => frame.api.deletePausesByPauseId({ path: { pauseId: 'pause-1' } });
  const move = async (time: string) =>
    frame.api.postAppointmentsByAppointmentIdReschedule({
      path: { appointmentId: 'one' },
      body: { startsAt: `2026-12-01T${time}:00Z` },
    });
  const look = async () => frame.api.putRecordsByRecordIdViewers({ path: { recordId: 'patient-1' }, body: {} });
  /** Whether the last has the key of the first. */
  const isSame = async (...asked: [reply: Response | Error, ask: () => Promise<unknown>, laterMs?: number][]) => {
    jest.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask', 'setImmediate', 'setTimeout'] });
    keysSent = [];
    for (const [reply, ask, laterMs = 0] of asked) {
      jest.advanceTimersByTime(laterMs);
      replies = [reply];
      await ask();
    }
    return keysSent[0] === keysSent.at(-1);
  };

  test('is that of the same one that may have been made though no answer came', async () => {
    expect(await isSame([lost, () => note('one')], [answered(), () => note('one')])).toBe(true);
    const busy = Response.json({ statusCode: 503, message: 'Busy' }, { status: 503 });
    expect(await isSame([busy, () => note('one')], [answered(), () => note('one')])).toBe(true);
    expect(await isSame([lost, () => note('one')], [lost, look], [lost, () => note('one'), 4 * minute])).toBe(true);
    expect(keysSent[0]).toMatch(/^[0-9a-f]{32}$/);
    const turnedAway = Response.json({ statusCode: 429, message: 'Too many requests' }, { status: 429 });
    expect(
      await isSame([lost, () => note('four')], [turnedAway, () => note('four')], [answered(), () => note('four')]),
    ).toBe(true);
  });

  test('is a new one for another, and for the same once it was answered, something else was done, or time has passed', async () => {
    expect(await isSame([lost, () => note('one')], [answered(), () => note('two')])).toBe(false);
    expect(await isSame([lost, () => note('one')], [answered(), () => note('one', 'patient-2')])).toBe(false);
    const { session } = frame.session;
    const byAnother = async () => {
      session.open('token-of-another');
      await note('one');
      session.close('signed-out');
    };
    expect(await isSame([lost, () => note('one')], [answered(), byAnother])).toBe(false);
    expect(await isSame([answered(), () => note('one')], [answered(), () => note('one')])).toBe(false);
    expect(await isSame([lost, () => note('one')], [answered(), resume], [lost, () => note('one')])).toBe(false);
    expect(await isSame([lost, () => note('one')], [lost, () => note('one'), 6 * minute])).toBe(false);
    expect(await isSame([lost, pause], [lost, resume], [answered(), pause])).toBe(false);
    expect(
      await isSame([lost, () => move('09:00')], [lost, () => move('10:00')], [answered(), () => move('09:00')]),
    ).toBe(false);
    expect(await isSame([lost, () => note('one')], [lost, () => note('two')], [answered(), () => note('one')])).toBe(
      true,
    );
    expect(await isSame([lost, pause], [lost, () => note('one')], [answered(), pause])).toBe(true);
    const lookAnswered = [answered(), look] as [Response, () => Promise<unknown>];
    expect(await isSame([lost, () => note('three')], lookAnswered, [lost, () => note('three')])).toBe(true);
  });
});

test.each<[query: Record<string, unknown>, search: string, named: string | null]>([
  [{}, '', null],
  [{ limit: 5 }, '?limit=5', null],
  ...['search', 'phone', 'id', 'firstName', 'lastName', 'dateOfBirth'].map(
    (name): [Record<string, unknown>, string, string] => [
      { [name]: 'one two', limit: 5 },
      '?limit=5',
      `${name}=one+two`,
    ],
  ),
  [{ firstName: 'one', lastName: 'two' }, '', 'firstName=one&lastName=two'],
])('whom a request is about stands in no address: %j', async (query, search, named) => {
  searches = [];
  await frame.api.getPatients({ query });

  expect(searches).toEqual([[search, named]]);
});

test('a window that the browser does not open proves nobody', async () => {
  connections = [];

  await expect(frame.signOn.stepUpBySignOn()).rejects.toEqual({
    message: 'The browser has not opened the window: allow pop-ups for this page.',
  });
  expect(connections).toHaveLength(0);
});

describe('a window that proves by the organisation who somebody is', () => {
  const clinicId = 'clinic-1';
  const began = { url: 'https://idp.example/authorize?state=one', key: 'key-1' };
  const [begin, end] = ['/api/auth/step-up/sso/begin', '/api/auth/step-up/sso'];
  const opens = () => {
    const kept = new Map([
      ['clinic-workflows-sign-on', '{}'],
      ['other', '{}'],
    ]);
    const done: string[] = [];
    popup = {
      sessionStorage: { removeItem: (key: string) => kept.delete(key) },
      location: { assign: (address: string) => done.push(address) },
      close: () => done.push('closed'),
    };
    requests = [];
    return { kept, done };
  };
  const comesBack = (key: string, newValue: object | null) =>
    events.dispatchEvent(Object.assign(new Event('storage'), { key, newValue: newValue && JSON.stringify(newValue) }));
  const toldBy = 'clinic-workflows-sign-on-return';

  afterEach(() => {
    popup = null;
    replies = [];
  });

  test('goes to the identity provider, and what comes back of that state is the proof', async () => {
    const { kept, done } = opens();
    replies = [Response.json(began), Response.json({})];
    const proof = frame.signOn.stepUpBySignOn();
    await eventually(() => done.length > 0, { every: 1, within: 5_000 });
    comesBack('other', { clinicId, response: 'state=one&code=other-key' });
    comesBack(toldBy, { clinicId, response: 'state=two&code=other-state' });
    comesBack(toldBy, null);
    comesBack(toldBy, { clinicId, response: 'state=one&code=right' });
    await proof;
    expect(requests).toEqual([
      ['POST', begin],
      ['POST', end, { clinicId, response: 'state=one&code=right', key: 'key-1' }],
    ]);
    // Of a sign-in that it was opened from the window knew nothing.
    expect([[...kept.keys()], done]).toEqual([['other'], [began.url]]);
  });

  test('tells the one that opened it what came back, and keeps nothing of it', () => {
    passed = [];
    frame.signOn.passOn({ clinicId, response: '?state=one&code=right' });

    expect(passed).toEqual([
      [toldBy, { clinicId, response: '?state=one&code=right' }],
      [toldBy, null],
    ]);
  });

  test('is closed where the service refuses to begin, or refuses the proof', async () => {
    const { done } = opens();
    await expect(frame.signOn.stepUpBySignOn()).rejects.toMatchObject({ message: 'is refused' });
    expect(done).toEqual(['closed']);

    replies = [Response.json(began)];
    const proof = frame.signOn.stepUpBySignOn();
    await eventually(() => done.length > 1, { every: 1, within: 5_000 });
    comesBack(toldBy, { clinicId, response: 'state=one' });
    await expect(proof).rejects.toMatchObject({ message: 'is refused' });
    expect(done).toEqual(['closed', began.url, 'closed']);
  });
});

describe('a sign-in at the organisation', () => {
  const returned = { clinicId: 'clinic-1', response: '?state=one&code=right' };
  const [begin, end] = ['/api/auth/sign-in/sso/begin', '/api/auth/sign-in/sso'];
  const elsewhere = { message: 'This sign-in was begun in another window: begin again here.' };
  const begun = () => Response.json({ url: 'https://idp.example/authorize', key: 'key-1' });
  const leave = () => frame.signOn.leaveToSignOn({ email: 'ana@example.com', from: '/waitlist' });

  beforeEach(() => {
    requests = [];
    left = [];
  });
  afterEach(() => {
    replies = [];
  });

  test('leads to the identity provider and back to where it was begun, once', async () => {
    const { returnFromSignOn, hasLeftToSignOn } = frame.signOn;
    expect(hasLeftToSignOn()).toBe(false);
    replies = [begun(), Response.json({ token: 'token-1' })];
    await leave();
    expect([left, hasLeftToSignOn()]).toEqual([['https://idp.example/authorize'], true]);

    await expect(returnFromSignOn(returned)).resolves.toEqual({ token: 'token-1', from: '/waitlist' });
    expect(hasLeftToSignOn()).toBe(false);
    await expect(returnFromSignOn(returned)).rejects.toEqual(elsewhere);
    expect(requests).toEqual([
      ['POST', begin, { email: 'ana@example.com' }],
      ['POST', end, { ...returned, key: 'key-1' }],
    ]);
  });

  test('that is refused has to be begun again', async () => {
    const { returnFromSignOn, hasLeftToSignOn } = frame.signOn;
    await expect(leave()).rejects.toMatchObject({ message: 'is refused' });
    expect([left, hasLeftToSignOn()]).toEqual([[], false]);

    replies = [begun()];
    await leave();
    await expect(returnFromSignOn(returned)).rejects.toMatchObject({ message: 'is refused' });
    await expect(returnFromSignOn(returned)).rejects.toEqual(elsewhere);
  });
});

describe('a passkey', () => {
  const bytes = (text: string) => new TextEncoder().encode(text).buffer;
  const signed = () => ({
    id: 'key-1',
    rawId: bytes('key-1'),
    type: 'public-key',
    response: {
      authenticatorData: bytes('data'),
      clientDataJSON: bytes('client'),
      signature: bytes('signature'),
      userHandle: bytes('user'),
    },
    getClientExtensionResults: () => ({}),
  });
  const sent = {
    id: 'key-1',
    rawId: 'a2V5LTE',
    type: 'public-key',
    response: {
      authenticatorData: 'ZGF0YQ',
      clientDataJSON: 'Y2xpZW50',
      signature: 'c2lnbmF0dXJl',
      userHandle: 'dXNlcg',
    },
  };
  const challenge = () => Response.json({ options: { challenge: 'YQ', rpId: 'clinic.example' } });
  const asked = ['POST', '/api/auth/sign-in/passkey/options'];
  const proof = ['POST', '/api/auth/step-up', { passkey: sent }];

  beforeEach(() => {
    Object.assign(globalThis, { PublicKeyCredential: () => undefined });
    requests = [];
    passkey = signed;
  });
  afterEach(() => {
    Reflect.deleteProperty(globalThis, 'PublicKeyCredential');
    replies = [];
  });

  test('proves who has the session, or is refused', async () => {
    replies = [challenge(), Response.json({})];
    await frame.passkeys.stepUpByPasskey();
    expect(requests).toEqual([asked, proof]);

    replies = [challenge()];
    await expect(frame.passkeys.stepUpByPasskey()).rejects.toMatchObject({ message: 'is refused' });
    expect(requests.slice(2)).toEqual([asked, proof]);
  });

  test('signs in, or is refused', async () => {
    replies = [challenge(), Response.json({ token: 'token-1' })];
    await expect(frame.passkeys.signInByPasskey()).resolves.toBe('token-1');
    expect(requests).toEqual([asked, ['POST', '/api/auth/sign-in/passkey', { response: sent }]]);

    replies = [challenge()];
    await expect(frame.passkeys.signInByPasskey()).rejects.toMatchObject({ message: 'is refused' });
  });

  const toAdd = () =>
    Response.json({
      options: {
        challenge: 'YQ',
        rp: { id: 'clinic.example', name: 'Clinic' },
        user: { id: 'YQ', name: 'ana', displayName: 'Ana' },
        pubKeyCredParams: [],
      },
    });
  const begun = ['POST', '/api/auth/passkeys/options', { password: 'a password' }];
  const add = () => frame.passkeys.addPasskey({ name: 'Phone', password: 'a password' });

  test('is added under its name, or is refused', async () => {
    const made = { clientDataJSON: 'Y2xpZW50', attestationObject: 'bWFkZQ', transports: ['internal'] };
    passkey = () => ({
      ...signed(),
      response: {
        clientDataJSON: bytes('client'),
        attestationObject: bytes('made'),
        getTransports: () => ['internal'],
      },
    });
    replies = [toAdd(), Response.json({})];
    await add();

    const response = { id: 'key-1', rawId: 'a2V5LTE', type: 'public-key', response: made };
    expect(requests).toEqual([begun, ['POST', '/api/auth/passkeys', { name: 'Phone', response }]]);

    replies = [toAdd()];
    await expect(add()).rejects.toMatchObject({ message: 'is refused' });
  });

  test.each<[name: string, told: string]>([
    ['InvalidStateError', 'This device has a passkey for your account already.'],
    ['NotAllowedError', 'No passkey was used: it was cancelled, or took too long.'],
    ['NotSupportedError', 'This browser could not use a passkey here.'],
    ['UnknownError', 'This browser could not use a passkey here.'],
  ])('is not added where the browser says %s, and somebody is told so in words', async (name, message) => {
    passkey = () => {
      throw Object.assign(new Error('for programmers'), { name });
    };
    replies = [toAdd()];

    await expect(add()).rejects.toEqual({ message });
    expect(requests).toEqual([begun]);
  });

  test('is not asked for where the service refuses to', async () => {
    passkey = () => {
      throw new Error('nobody is asked');
    };

    await expect(frame.passkeys.stepUpByPasskey()).rejects.toMatchObject({ message: 'is refused' });
    expect(requests).toEqual([asked]);
  });

  test.each<[name: string, told: string]>([
    ['NotAllowedError', 'No passkey was used: it was cancelled, or took too long.'],
    ['SecurityError', 'This browser could not use a passkey here.'],
    ['UnknownError', 'This browser could not use a passkey here.'],
  ])('where the browser says %s somebody is told so in words', async (name, message) => {
    passkey = () => {
      throw Object.assign(new Error('for programmers'), { name });
    };
    replies = [challenge()];

    await expect(frame.passkeys.stepUpByPasskey()).rejects.toEqual({ message });
    expect(requests).toEqual([asked]);
  });
});

test('the page is loaded again where another language was chosen for it, by somebody or else by the clinic', () => {
  const { chooseLanguage, followClinic } = frame.language;
  const steps: [what: string, does: () => void, isLoaded: boolean][] = [
    ['a clinic in the language that is shown', () => followClinic({ language: 'en', country: 'US' }), false],
    ['a clinic in another one', () => followClinic({ language: 'es', country: 'US' }), true],
    ['the language that is shown', () => chooseLanguage('en'), false],
    ['the clinic, where somebody has chosen', () => followClinic({ language: 'es', country: 'US' }), false],
    ['that of the clinic', () => chooseLanguage(null), true],
    ['another country of the same clinic', () => followClinic({ language: 'en', country: 'GB' }), false],
    ['another language', () => chooseLanguage('es'), true],
    ['that of the clinic, which is shown', () => chooseLanguage(null), false],
  ];
  const loaded = steps.map(([what, does]) => {
    const before = reloads;
    does();
    return [what, reloads > before];
  });

  expect(loaded).toEqual(steps.map(([what, , isLoaded]) => [what, isLoaded]));
});

test.each([
  [{ language: 'es', country: 'US' }, true],
  [{ language: 'en', country: 'US' }, false],
  [null, false],
])('what stands around every page is in the language of the clinic %j: loaded again: %s', (clinic, isLoaded) => {
  const session = { role: 'staff', rights: [], clinic, hasSecondFactor: true };
  const before = reloads;

  const answers: [unknown, unknown][] = [[frame.api.getAuthSessionOptions().queryKey, session]];
  frame.begin(() => frame.layout.Layout(), { answers });

  expect(reloads > before).toBe(isLoaded);
  frame.language.followClinic({ language: 'en', country: 'US' });
});

describe('who is about to be drawn', () => {
  const drawn = (isThere: (frame: number) => boolean, isFocusable = true) => {
    jest.useFakeTimers();
    frames = [];
    page.activeElement = null;
    const seen: object[] = [];
    const element = {
      focus: () => void (page.activeElement = isFocusable ? element : null),
      scrollIntoView: (how: object) => seen.push(how),
    };
    let count = 0;
    frame.focus.focusSoon(() => (isThere(count) ? element : null));
    for (let next = frames.shift(); next && count < 50; next = frames.shift()) {
      count += 1;
      next();
    }
    return { count, seen, isFocused: page.activeElement === element };
  };

  test.each<[what: string, isThere: (frame: number) => boolean, isFocusable: boolean, frames: number, isSeen: boolean]>(
    [
      ['has the focus with the next frame', () => true, true, 1, true],
      ['has it as soon as it is there', (at) => at >= 4, true, 4, true],
      ['has it within 21 frames', (at) => at >= 21, true, 21, true],
      ['has it not where it comes later', (at) => at >= 22, true, 21, false],
      ['has it not where it cannot have it', () => true, false, 21, false],
    ],
  )('%s', (_what, isThere, isFocusable, count, isSeen) => {
    const { seen, ...told } = drawn(isThere, isFocusable);

    expect(told).toEqual({ count, isFocused: isSeen });
    // And again once what opens around it has come to its end.
    const nearest = isSeen ? [{ block: 'nearest' }] : [];
    expect(seen).toEqual(nearest);
    jest.advanceTimersByTime(299);
    expect(seen).toEqual(nearest);
    jest.advanceTimersByTime(1);
    expect(seen).toEqual([...nearest, ...nearest]);
  });

  test('does not move under the pointer of somebody who has gone on', () => {
    const { seen } = drawn(() => true, true);
    page.activeElement = null;
    jest.advanceTimersByTime(300);

    expect(seen).toEqual([{ block: 'nearest' }]);
  });
});

test('whether somebody is here is looked at every five seconds and with each thing they do, until the page is left', () => {
  jest.useFakeTimers({ now: Date.parse('2026-11-25T14:30:00Z') });
  const { states, end } = frame.begin(() => frame.presence.useIsLookedAt());
  const does = (what: string) => events.dispatchEvent(new Event(what));
  does('keydown');
  expect(states).toEqual([true]);
  jest.advanceTimersByTime(55_000);
  expect(states.splice(0)).toEqual(Array.from({ length: 12 }, () => true));
  jest.advanceTimersByTime(5_000);
  does('pointermove');
  page.visibilityState = 'hidden';
  page.dispatchEvent(new Event('visibilitychange'));
  expect(states.splice(0)).toEqual([false, true, false]);

  end();
  page.visibilityState = 'visible';
  page.dispatchEvent(new Event('visibilitychange'));
  does('keydown');
  jest.advanceTimersByTime(60_000);
  expect([states, jest.getTimerCount()]).toEqual([[], 0]);
});

describe('a field that reads what is typed', () => {
  test.each<[field: 'TimeField' | 'BirthDateField', as: Reader, typed: string, given: string]>([
    ['TimeField', {}, '5 pm', '17:00'],
    ['TimeField', {}, '5', '17:00'],
    ['TimeField', {}, '17:30', '17:30'],
    ['TimeField', {}, 'soon', 'soon'],
    ['BirthDateField', {}, '2/3/1990', '1990-02-03'],
    ['BirthDateField', { clinic: { isMonthFirst: false } }, '2/3/1990', '1990-03-02'],
    ['BirthDateField', {}, '2/3', '2/3'],
  ])('a %s of %j gives of “%s” “%s”, and shows it as it was typed until it is left', (name, as, typed, given) => {
    const values: unknown[] = [];
    const onChange = (value: unknown) => values.push(value);
    const props = { label: 'Field', value: '', onChange, onBlur: () => values.push('left') };
    const { type, again, blur } = frame.act(frame.typed[name], props, { as });
    const shows = (markup: string) => / value="([^"]*)"/.exec(markup)?.[1];
    type('Field', typed);
    expect([values, shows(again())]).toEqual([[given], typed]);
    blur('Field');
    expect([values, shows(again())]).toEqual([[given, 'left'], '']);
  });
});

test.each<[value: number | string, error: string | undefined, told: string | null]>([
  [0, 'is refused', 'This must be from 1 to 1,000'],
  [1, 'is refused', 'is refused'],
  [1_000, 'is refused', 'is refused'],
  [1_001, 'is refused', 'This must be from 1 to 1,000'],
  ['', 'is refused', 'is refused'],
  [0, undefined, null],
])('a number from 1 to 1,000 that is %j, of which is said %j, is told %j', (value, error, told) => {
  const props = { label: 'Field', min: 1, max: 1_000, value, error, description: 'Of a day' };
  const [label, limits, ...others] = textsIn(frame.show(frame.numbers.NumberField, props));

  expect([label, limits]).toEqual(['Field', '1 to 1,000. Of a day']);
  expect(others).toEqual(told === null ? [] : [told]);
});

test('somebody is asked who they are as soon as that is to be proved, once for all that waits, until they have answered', async () => {
  const { states, end } = frame.begin(() => frame.stepUp.StepUp());
  const { ask, settle } = frame.asking.stepUp;

  const proofs = [ask(), ask()];
  expect(states.splice(0)).toEqual([true]);
  settle(true);
  expect(states.splice(0)).toEqual([false]);
  const another = ask();
  settle(false);
  expect(states.splice(0)).toEqual([true, false]);
  await expect(Promise.all([...proofs, another])).resolves.toEqual([true, true, false]);

  end();
  void ask();
  settle(false);
  expect(states).toEqual([]);
});

describe('a dialog whose button goes away', () => {
  const gone = 'red: “Move it?” was closed: what it was about has changed meanwhile.';

  test.each<
    [what: string, does: { isOpened?: boolean; isClosed?: boolean; to?: string; isOut?: boolean }, told: string[]]
  >([
    ['is open', {}, [gone]],
    ['was not opened', { isOpened: false }, []],
    ['was closed', { isClosed: true }, []],
    ['is on a page that is left', { to: '/patients' }, []],
    ['is of a session that ended', { isOut: true }, []],
  ])('and which %s: %j', (_what, { isOpened = true, isClosed = false, to = '/', isOut = false }, told) => {
    let close = () => {};
    const children = (closes: () => void) => {
      close = closes;
      return null;
    };
    frame.session.session.open('token-1');
    frame.said();
    const { click, leave } = frame.act(frame.forms.DialogButton, { label: 'Move', title: 'Move it?', children });
    if (isOpened) click('Move');
    if (isClosed) close();
    if (isOut) frame.session.session.close('signed-out');
    mac.location.pathname = to;
    leave();
    mac.location.pathname = '/';
    frame.session.session.close('signed-out');

    expect(frame.said().map(({ message, color }) => `${color}: ${message}`)).toEqual(told);
  });
});

test('no browser tells of new tasks before somebody wants it', () => {
  expect(frame.use(() => frame.notices.useTaskNotices())).toMatchObject({ isOn: false, isPossible: true });
});

describe('what is not there yet', () => {
  const linesOf = (name: 'Loaded' | 'Loading', props: object) =>
    frame.show(frame.states[name], props).match(/mantine-Skeleton-root/g)?.length ?? 0;
  const pending = { data: undefined, error: null };

  test('is as many lines as will be there, or four', () => {
    const children = () => null;

    expect([{}, { rows: 1 }, { rows: 12 }].map((given) => linesOf('Loading', given))).toEqual([4, 1, 12]);
    expect([{}, { rows: 1 }].map((given) => linesOf('Loaded', { query: pending, children, ...given }))).toEqual([4, 1]);
    expect(linesOf('Loaded', { query: { ...pending, data: 0 }, children })).toBe(0);
  });

  test.each<[statusCode: number | undefined, given: object, told: string]>([
    [503, {}, 'This could not be loaded Busy. Try again'],
    [404, {}, 'Not found Busy.'],
    [403, {}, 'This could not be loaded Busy. Try again'],
    [undefined, {}, 'This could not be loaded Busy. Try again'],
    [503, { onRetry: undefined }, 'This could not be loaded Busy.'],
    [503, { title: 'No results' }, 'No results Busy. Try again'],
    [404, { title: 'No results' }, 'No results Busy.'],
  ])('or not at all: %j %j is told as “%s”', (statusCode, given, told) => {
    const error = { statusCode, message: 'Busy' };
    const onRetry = () => undefined;

    const shown = frame.show(frame.states.Problem, { error, onRetry, ...given });

    expect(textsIn(shown).join(' ')).toBe(told);
    expect(/--alert-color:var\(--mantine-color-(\w+)-/.exec(shown)?.[1]).toBe(statusCode === 404 ? 'gray' : 'red');
  });

  test('older data stays where it cannot be read again, unless it is gone', () => {
    const shown = (query: object) =>
      textsIn(frame.show(frame.states.Loaded, { query, children: (data: string) => data })).join(' ');

    expect(shown({ data: 'Older', error: { message: 'Busy' } })).toBe('Older');
    expect(shown({ data: 'Older', error: { statusCode: 404, message: 'Erased' } })).toBe('Not found Erased.');
    expect(shown({ data: undefined, error: { message: 'Busy' } })).toBe('This could not be loaded Busy. Try again');
  });
});

test('each symbol is the drawing of its name', () => {
  const paths = (symbol: unknown) => [...frame.show(symbol).matchAll(/<path d="([^"]*)"/g)].map(([, path]) => path);
  const nameOf = (symbol: string) =>
    symbol
      .replace('Icon', '')
      .replaceAll(/(?<=[a-z])(?=[A-Z])/g, '-')
      .toLowerCase();
  const drawn = Object.entries(frame.icons).map(([symbol, component]) => [nameOf(symbol), paths(component)]);

  expect(drawn.length).toBeGreaterThan(50);
  expect(drawn).toEqual(drawn.map(([name]) => [name, frame.drawings.default[String(name)]]));
});

describe('times', () => {
  const now = '2026-11-25T14:30:00Z';
  const shown = (name: 'Moment' | 'TimeSince' | 'ClockTime' | 'DayAndTime', props: object) => {
    jest.useFakeTimers({ now: Date.parse(now) });
    return spaced(textsIn(frame.show(frame.moment[name], props)).join(' '));
  };

  test.each([
    ['2026-11-25T14:30:00Z', 'just now'],
    ['2026-11-25T14:29:01Z', 'just now'],
    ['2026-11-25T14:30:59Z', 'in a moment'],
    ['2026-11-25T14:29:00Z', '1 min ago'],
    ['2026-11-25T14:31:00Z', 'in 1 min'],
    ['2026-11-25T13:31:00Z', '59 min ago'],
    ['2026-11-25T13:30:00Z', '1 h ago'],
    ['2026-11-25T11:59:00Z', '3 h ago'],
    ['2026-11-25T17:30:00Z', 'in 3 h'],
    ['2026-11-24T14:30:01Z', '24 h ago'],
    ['2026-11-24T14:30:00Z', 'Nov 24, 9:30 AM'],
    ['2026-11-26T14:30:00Z', 'Thu, Nov 26, 9:30 AM'],
    ['2025-11-26T14:30:00Z', 'Nov 26, 2025, 9:30 AM'],
    // By the clinic's clock it is still the old year.
    ['2026-01-01T04:30:00Z', 'Dec 31, 2025, 11:30 PM'],
  ])('%s is told as “%s”', (at, told) => {
    expect(shown('Moment', { at })).toBe(told);
  });

  test('a time is told with its date where it need not be near', () => {
    expect(shown('Moment', { at: '2026-11-25T14:29:00Z', near: false })).toBe('Nov 25, 9:29 AM');
  });

  test.each([
    ['2026-11-25T14:30:00Z', '00:00'],
    ['2026-11-25T14:30:05Z', '00:00'],
    ['2026-11-25T14:28:55Z', '01:05'],
    ['2026-11-25T13:29:59Z', '60:01'],
  ])('since %s is %s', (at, told) => {
    expect(shown('TimeSince', { at })).toBe(told);
  });

  test.each([
    [{ at: '2026-11-25T14:29:05Z' }, '9:29 AM'],
    [{ at: '2026-11-25T14:29:05Z', withSeconds: true }, '9:29:05 AM'],
    [{ at: '2026-11-25T04:59:00Z' }, 'Tue, Nov 24, 11:59 PM'],
    [{ at: '2025-11-25T14:29:00Z' }, 'Tue, Nov 25, 9:29 AM'],
  ])('by the clinic’s clock %j is %s', (props, told) => {
    expect(shown('ClockTime', props)).toBe(told);
  });

  test('the day and time of a visit have the year', () => {
    expect(shown('DayAndTime', { at: '2026-11-24T15:30:00Z' })).toBe('Tue, Nov 24, 2026, 10:30 AM');
  });

  test.each([
    [-5, '0 ms'],
    [999, '999 ms'],
    [1_000, '1 s'],
    [59_400, '59 s'],
    [60_000, '1 min'],
    [125_000, '2 min 5 s'],
    [3_599_000, '59 min 59 s'],
    [3_600_000, '1 h'],
    [7_500_000, '2 h 5 min'],
    [47 * 3_600_000, '47 h'],
    [48 * 3_600_000, '2 d'],
    [50 * 3_600_000, '2 d 2 h'],
  ])('%d ms are %s', (ms, told) => {
    expect(frame.moment.formatDuration(ms)).toBe(told);
  });
});

describe('words', () => {
  const countries = 'US CA AG AI AS BB BM BS DM DO GD GU JM KN KY LC MP MS PR SX TC TT VC VG VI'.split(' ');

  test.each(countries)('%s writes its phones without the country', (country) => {
    const shown = { as: { clinic: { country } } };

    expect(frame.use(() => frame.phone.usePhone(), shown)('+13035550142')).toBe('(303) 555-0142');
    expect(frame.use(() => frame.phone.usePhone(), shown)('+447911123456')).toBe('+447911123456');
    expect(frame.use(() => frame.phone.useExamplePhone(), shown)).toBe('(303) 555-0101');
  });

  test('another country writes phones once it has loaded how', () => {
    const as = { clinic: { country: 'GB' } };
    const answers: [unknown, unknown][] = [
      [['phones', 'GB'], (number: string) => `written ${number}`],
      [['phones', 'GB', 'example'], '07400 123456'],
    ];

    expect(frame.use(() => frame.phone.usePhone(), { as })('+13035550142')).toBe('+13035550142');
    expect(frame.use(() => frame.phone.usePhone(), { as, answers })('+447911123456')).toBe('written +447911123456');
    expect(frame.use(() => frame.phone.useExamplePhone(), { as })).toBeUndefined();
    expect(frame.use(() => frame.phone.useExamplePhone(), { as, answers })).toBe('07400 123456');
  });

  test.each([
    [0, '0%'],
    [0.004, '0.4%'],
    [0.0999, '10%'],
    [0.1, '10%'],
    [0.166, '17%'],
    [1, '100%'],
  ])('the share %d is %s', (share, told) => {
    expect(frame.percent.formatPercent(share)).toBe(told);
  });

  test('names, births, codes, totals', () => {
    expect(frame.person.nameOf({ firstName: '', lastName: 'Ivanov' })).toBe('Ivanov');
    expect(frame.person.nameOf({ firstName: '', lastName: '' })).toBe('Name not given');
    expect([frame.person.bornOn('1980-02-29'), frame.person.bornOn('unknown')]).toEqual(['Feb 29, 1980', 'unknown']);
    expect(
      ['billing_escalation', 'follow_up-needed', 'book_appointment'].map((code) => frame.codes.sentence(code)),
    ).toEqual(['Billing escalation', 'Follow-up needed', 'Book appointment']);
    expect([null, 'waitlist-offer', 'new_story'].map((type) => frame.workflows.workflowName(type))).toEqual([
      'No workflow',
      'Waitlist offer',
      'New story',
    ]);
    expect(frame.workflows.workflowTypes[0]).toEqual({ value: 'abandonment-recovery', label: 'Abandonment recovery' });
    expect([false, true].map((isMore) => frame.total.formatTotal({ count: 1_000, isMore }))).toEqual([
      '1,000',
      '1,000+',
    ]);
    expect(['OPEN', 'toString', 1, null].map((word) => frame.status.isStatusWord(word))).toEqual([
      true,
      false,
      false,
      false,
    ]);
  });
});

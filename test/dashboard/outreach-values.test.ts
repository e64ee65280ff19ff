import { type Computed, dashboardModules, linksIn, type Stage, textsIn } from './stage/dashboard';

/** How the dashboard tells of cases, calls and tasks, without a browser. */
interface Modules {
  api: Record<
    'getIntegrationsRecoveryPolicyOptions' | 'getResultsOptions' | 'getProvidersOptions',
    (given?: object) => { queryKey: unknown }
  >;
  facts: { saidFacts: Computed };
  asked: Record<'askedHours' | 'callHours', Computed>;
  ending: { endingWords: Computed };
  timeline: { CaseTimeline: unknown };
  why: { WhyCalled: unknown };
  cases: { Cases: unknown };
  due: Record<'dueOf' | 'dueWords' | 'isOverdue', Computed>;
  taskFacts: Record<'factsOfTask' | 'knownOfTask', Computed>;
  reasons: { taskReasons: string[]; taskTitle: Computed };
  did: { Did: unknown };
  wishes: Record<'changedWishes' | 'typedWishes' | 'wishBox', Computed>;
  details: { detailFacts: Computed; exportedDetails: Record<string, Computed> };
  counts: { countedRecords: Computed };
  appointment: { isChangeable: Computed; useIsOfToday: () => Computed };
  trying: { TryIt: unknown };
}

let pages: Modules & Stage;

beforeAll(async () => {
  pages = await dashboardModules<Modules>({
    api: require.resolve('../../dashboard/http/api.ts'),
    facts: require.resolve('../../dashboard/pages/outreach/said-facts.ts'),
    asked: require.resolve('../../dashboard/pages/outreach/asked-hours.ts'),
    ending: require.resolve('../../dashboard/pages/outreach/call-ending.ts'),
    timeline: require.resolve('../../dashboard/pages/outreach/case-timeline.tsx'),
    why: require.resolve('../../dashboard/pages/outreach/why-called.tsx'),
    cases: require.resolve('../../dashboard/pages/outreach/cases.tsx'),
    due: require.resolve('../../dashboard/pages/tasks/task-due.tsx'),
    taskFacts: require.resolve('../../dashboard/pages/tasks/task-facts.ts'),
    reasons: require.resolve('../../dashboard/pages/tasks/task-reasons.ts'),
    did: require.resolve('../../dashboard/pages/patients/did.ts'),
    wishes: require.resolve('../../dashboard/pages/patients/wish-boxes.tsx'),
    details: require.resolve('../../dashboard/pages/patients/details.tsx'),
    counts: require.resolve('../../dashboard/pages/patients/record-counts.ts'),
    appointment: require.resolve('../../dashboard/pages/calendar/appointment.tsx'),
    trying: require.resolve('../../dashboard/pages/outreach/try-it.tsx'),
  });
});

/** It is 9:30 on a Wednesday in New York. */
beforeEach(() => jest.useFakeTimers({ now: Date.parse('2026-11-25T14:30:00Z') }));
afterEach(() => jest.useRealTimers());

const text = (markup: string) => textsIn(markup).join(' ');

describe('what was said', () => {
  test.each<[said: object | null, told: [string, string][]]>([
    [null, []],
    [{ recoveryStatus: 'X', documentId: 'X', proposalId: 'X', intent: 'X', actor: 'X', empty: '', unknown: null }, []],
    [
      { notes: 'Late', primaryBarrier: 'price', recoveryAction: 'resume_link' },
      [
        ['Primary barrier', 'Price'],
        ['Recovery action', 'Resume link'],
        ['Notes', 'Late'],
      ],
    ],
    [
      { zebra: 'a', notes: 'b', yard: 'c' },
      [
        ['Zebra', 'a'],
        ['Yard', 'c'],
        ['Notes', 'b'],
      ],
    ],
    [{ resumeLinkSent: true }, [['Resume link', 'Promised; your system sends it']]],
    [{ resumeLinkSent: false }, [['Resume link', 'Not promised']]],
    [{ amountCents: 12_050 }, [['Amount', '120.50']]],
    [{ amountCents: 'many' }, [['Amount cents', 'many']]],
    [
      { isNew: true, isOld: false },
      [
        ['Is new', 'Yes'],
        ['Is old', 'No'],
      ],
    ],
    [{ fields: ['firstName', 'date_of_birth'] }, [['Fields', 'firstName, Date of birth']]],
    [{ items: [{ id: 1 }, { id: 2 }] }, [['Items', '2']]],
    [{ offerPresented: { price: 1 } }, [['Offer presented', '{"price":1}']]],
    [{ specificQuestion: 'is it safe' }, [['Specific question', 'is it safe']]],
    [{ knowledgeTopic: 'side effects' }, [['Knowledge topic', 'Side effects']]],
    [{ escalationType: 'clinical' }, [['Escalation type', 'Clinical']]],
  ])('%j', (said, told) => {
    expect(pages.facts.saidFacts(said)).toEqual(told);
  });

  test('a task tells each fact once, in a line those that the patient said without their name', () => {
    const task = { barrier: { primaryBarrier: 'price', note: 'old' }, detail: { note: 'new', why: 'No answer' } };

    expect(pages.taskFacts.factsOfTask(task)).toEqual([
      ['Primary barrier', 'Price'],
      ['Note', 'new'],
      ['Why', 'No answer'],
    ]);
    expect(pages.taskFacts.knownOfTask(task)).toBe('Price · new · Why: No answer');
  });
});

describe('hours that a patient asked for', () => {
  test.each<[from: string | null, until: string | null, told: string, asked: string]>([
    [null, '12:00', 'Calls until 12:00 PM', 'The patient asked to be called until 12:00 PM.'],
    [null, null, 'Calls until 12:00 AM', 'The patient asked to be called until 12:00 AM.'],
    ['17:30', null, 'Calls after 5:30 PM', 'The patient asked to be called from 5:30 PM.'],
    ['09:00', '12:00', 'Calls from 9:00 AM to 12:00 PM', 'The patient asked to be called from 9:00 AM to 12:00 PM.'],
  ])('from %j until %j', (from, until, told, asked) => {
    const said = [pages.asked.callHours({ from, until }), pages.asked.askedHours({ preferredHours: { from, until } })];

    expect(said.map((each) => String(each).replaceAll(/\s/g, ' '))).toEqual([told, asked]);
  });

  test.each([
    undefined,
    null,
    'always',
    {},
    { from: null },
    { until: null },
    { from: 9, until: null },
    { from: null, until: 9 },
  ])('%j are no hours', (preferredHours) => {
    expect(pages.asked.askedHours({ preferredHours })).toBeNull();
  });
});

test.each([
  [null, 'voicemail', null],
  ['not_reached', 'voicemail', 'Voicemail answered'],
  ['not_reached', 'customer-busy', 'The line was busy'],
  ['platform_fault', 'new-reason', 'The voice platform failed'],
  ['conversation', null, 'A conversation'],
])('a call that ended with %j for the reason %j: %j', (ending, endedReason, told) => {
  expect(pages.ending.endingWords({ ending, endedReason })).toBe(told);
});

describe('the story of a case', () => {
  const at = '2026-11-25T14:00:00Z';
  const call = (id: string, given: object = {}) => ({
    kind: 'call',
    at,
    call: {
      id,
      attempt: 1,
      isTest: false,
      state: 'ENDED',
      ending: 'not_reached',
      endedReason: 'voicemail',
      startedAt: null,
      endedAt: null,
      summary: null,
      whyNow: [],
      tools: [],
      ...given,
    },
  });
  const aCase = (given: object = {}) => ({
    recoveryStatus: 'PENDING',
    nextCall: null,
    queuedAt: null,
    endedAt: null,
    createdAt: at,
    form: { completedAt: null, abandonedAt: null },
    timeline: [],
    ...given,
  });
  const markupOf = (given: object) =>
    pages.show(pages.timeline.CaseTimeline, { recoveryCase: aCase(given) }, { as: { rights: [] } });
  const told = (given: object) => text(markupOf(given));

  test.each<[given: object, now: string]>([
    [{ recoveryStatus: 'CALLING', queuedAt: at }, 'A call is under way.'],
    [
      { nextCall: { reason: 'paused', at }, queuedAt: at },
      'The call is due. Outreach is paused: it is placed once that is resumed.',
    ],
    [{ queuedAt: at }, 'The call is due and waits for a free line, since 30 min ago : the queue .'],
    [{}, 'The case is about to take its next step.'],
    [
      { nextCall: { reason: 'calling_hours', at: '2026-11-26T14:00:00Z' } },
      'The next call is due Thu, Nov 26, 2026, 9:00 AM : your calling hours open then.',
    ],
  ])('what it waits for: %j', (given, now) => {
    expect(told(given)).toBe(`${now} This page updates by itself.`);
  });

  test('a case that has ended waits for nothing', () => {
    expect(told({ endedAt: at })).toBe('');
  });

  test('tries of one attempt are one call, the last of them', () => {
    const timeline = [
      call('first', { ending: 'platform_fault', endedReason: null }),
      call('under way', { ending: null }),
      call('second'),
      call('third', { attempt: 2, summary: 'Asked about prices.' }),
      call('a test', { isTest: true }),
      call('another test', { isTest: true, attempt: 2 }),
    ];
    const markup = markupOf({ timeline, endedAt: at });

    expect(linksIn(markup)).toEqual([
      ['Call, attempt 1', '/calls/second'],
      ['9:00:00 AM', '/calls/first'],
      ['9:00:00 AM', '/calls/under way'],
      ['Call, attempt 2', '/calls/third'],
      ['Test call', '/calls/a test'],
      ['Test call', '/calls/another test'],
    ]);
    expect(text(markup)).toContain('2 tries before it 9:00:00 AM : The voice platform failed 9:00:00 AM : under way');
    expect(text(markup)).toContain('Voicemail answered Asked about prices.');
    expect(text(markupOf({ timeline: [call('only')], endedAt: at }))).not.toMatch(/before it/);
  });

  test.each<[given: object, told: string]>([
    [{}, 'Call, attempt 1 9:00:00 AM Voicemail answered'],
    [
      { startedAt: at, endedAt: '2026-11-25T14:01:30Z' },
      'Call, attempt 1 9:00:00 AM Voicemail answered, after 1 min 30 s',
    ],
    [{ startedAt: at }, 'Call, attempt 1 9:00:00 AM Voicemail answered'],
    [{ endedAt: at }, 'Call, attempt 1 9:00:00 AM Voicemail answered'],
    [{ state: 'RINGING', startedAt: at, endedAt: at }, 'Call, attempt 1 Ringing 9:00:00 AM'],
    [
      {
        whyNow: [
          { rule: 'paused', until: null, inputs: {} },
          { rule: 'due', until: null, inputs: {} },
        ],
      },
      'Call, attempt 1 9:00:00 AM Voicemail answered A call was due, and every rule permitted it.',
    ],
  ])('a call %j', (given, words) => {
    expect(told({ timeline: [call('call-1', given)], endedAt: at })).toBe(words);
    const isOver = !('state' in given);
    expect(markupOf({ timeline: [call('call-1', given)], endedAt: at })).toContain(
      `data-tone="${isOver ? 'quiet' : 'busy'}"`,
    );
  });

  const hours = { preferredHours: { from: '09:00', until: null } };
  const wished = 'The patient asked to be called from 9:00 AM.';
  const tooLate = 'The next possible call would come too late to be of use.';

  test.each<[decision: object, why: string]>([
    [{ rule: 'paused', until: at, inputs: {} }, 'Outreach was paused.'],
    [
      { rule: 'calling_hours', until: at, inputs: hours },
      "It was outside the clinic's calling hours. Until Wed, Nov 25, 2026, 9:00 AM .",
    ],
    [{ rule: 'preferred_hours', until: null, inputs: hours }, wished],
    [{ rule: 'preferred_hours', until: null, inputs: {} }, 'The patient asked to be called at other hours.'],
    [{ rule: 'too_late', until: null, inputs: hours }, `${wished} ${tooLate}`],
    [{ rule: 'too_late', until: null, inputs: {} }, tooLate],
    [
      { rule: 'no_preferred_hours', until: null, inputs: hours },
      `${wished} The hours that the patient asked for lie outside the calling hours.`,
    ],
  ])('a decision %j', (decision, why) => {
    const timeline = [{ kind: 'decision', at, decision: { decided: 'wait', stage: 'plan', ...decision } }];

    expect(told({ timeline, endedAt: at })).toBe(`Not called yet 9:00:00 AM ${why}`);
  });

  test('waits that follow each other are one line: how many, why the last time, and each of those before it', () => {
    const decision = (rule: string, minute: number, decided = 'wait') => {
      const decidedAt = `2026-11-25T14:0${minute}:00Z`;
      const made = { decided, rule, at: decidedAt, stage: 'plan', until: null, inputs: {} };
      return { kind: 'decision', at: decidedAt, decision: made };
    };
    const timeline = [
      decision('paused', 0),
      decision('calling_hours', 1),
      decision('paused', 2),
      decision('withdrawn', 3, 'withdrawn'),
      decision('paused', 4),
    ];
    const shown = told({ timeline, endedAt: at });

    expect(shown.match(/Not called yet(?:, \d times)? \S+ AM|Call withdrawn|\d waits before it/g)).toEqual([
      'Not called yet, 3 times 9:02:00 AM',
      '2 waits before it',
      'Call withdrawn',
      'Not called yet 9:04:00 AM',
    ]);
    expect(shown).toContain('2 waits before it Nov 25, 9:00 AM : Outreach was paused.');
  });

  test('a decision shows what it was made of, one thing a line', () => {
    const inputs = { calls: { day: 1 }, isOpen: false };
    const decisions = [{ decided: 'wait', stage: 'plan', rule: 'paused', until: null, at, inputs }];
    const markup = pages.show(pages.why.WhyCalled, { decisions });
    const [, made = ''] = /<pre[^>]*>([^<]*)<\/pre>/.exec(markup) ?? [];

    expect(made.replaceAll('&quot;', '"').split('\n')).toEqual([
      '{',
      '  "calls": {',
      '    "day": 1',
      '  },',
      '  "isOpen": false',
      '}',
    ]);
  });

  const outcome = (recoveryStatus: string) => ({
    kind: 'outcome',
    at,
    recoveryStatus,
    cancelledBy: null,
    resolution: null,
  });

  test.each<[what: string, given: object, told: string]>([
    [
      'was completed later',
      { form: { abandonedAt: at, completedAt: '2026-11-25T14:05:00Z' } },
      ' Not called: the form was completed 5 min after it was left.',
    ],
    [
      'was completed at once',
      { form: { abandonedAt: at, completedAt: at } },
      ' Not called: the form had been completed.',
    ],
    ['has no times', {}, ' Not called: the form had been completed.'],
    ['was called about', { timeline: [call('call-1'), outcome('ALREADY_COMPLETED')] }, ''],
    [
      'was tried in a test',
      { timeline: [call('call-1', { isTest: true }), outcome('ALREADY_COMPLETED')] },
      ' Not called: the form had been completed.',
    ],
    ['ended otherwise', { recoveryStatus: 'RECOVERED' }, ''],
  ])('a case whose form %s', (_what, given, words) => {
    const ended = {
      recoveryStatus: 'ALREADY_COMPLETED',
      timeline: [outcome('ALREADY_COMPLETED')],
      endedAt: at,
      ...given,
    };

    expect(told(ended)).toMatch(new RegExp(`Outcome: Already completed 9:00:00 AM${words}$`));
  });

  test.each([
    ['RECOVERED', 'good'],
    ['ALREADY_COMPLETED', 'good'],
    ['PATIENT_NOT_REACHED', 'warn'],
  ])('the outcome %s is %s', (status, tone) => {
    expect(markupOf({ timeline: [outcome(status)], endedAt: at })).toContain(`data-tone="${tone}"`);
  });

  const attempt = { status: null, error: 'timeout' };
  const delivery = (given: object) => ({
    kind: 'delivery',
    at,
    delivery: {
      id: 'delivery-1',
      event: 'recovery_case.outcome',
      state: 'DELIVERED',
      endpoint: null,
      attempts: [],
      nextAttemptAt: null,
      ...given,
    },
  });

  test.each<[given: object[], summary: string]>([
    [[{}], 'What your system was told: one event Event: Case outcome Delivered'],
    [
      [{ state: 'DEAD', attempts: [attempt] }],
      'What your system was told: one event, 1 given up Event: Case outcome Failed 9:00:00 AM No answer in time',
    ],
    [
      [{ state: 'PENDING' }, { id: 'delivery-2' }],
      'What your system was told: 2 events, 1 still to be delivered Event: Case outcome Waiting',
    ],
    [
      [{ state: 'PENDING', attempts: [attempt, { status: 500, error: null }], nextAttemptAt: '2026-11-25T14:35:00Z' }],
      'What your system was told: one event, 1 still to be delivered Event: Case outcome Retrying 9:00:00 AM Your endpoint answered 500, 2 attempts, next try in 5 min',
    ],
    [
      [{ state: 'PENDING', attempts: [{ status: null, error: null }], nextAttemptAt: '2026-11-25T14:30:00Z' }],
      'What your system was told: one event, 1 still to be delivered Event: Case outcome Retrying 9:00:00 AM The host could not be connected to, next try due now',
    ],
    [[{ endpoint: { name: 'CRM' } }], 'What your system was told: one event Event: Case outcome · CRM Delivered'],
  ])('deliveries %j', (given, summary) => {
    const markup = markupOf({ timeline: given.map(delivery), endedAt: at });

    expect(text(markup).slice(0, summary.length)).toBe(summary);
    const isDead = given.some((each) => 'state' in each && each.state === 'DEAD');
    expect(markup.includes('data-tone="bad"')).toBe(isDead);
  });

  test('what was received, understood and agreed', () => {
    const timeline = [
      { kind: 'event', at, event: 'forms.abandoned' },
      { kind: 'created', at },
      { kind: 'barrier', at, barrier: { primaryBarrier: 'price' } },
      { kind: 'decision', at, decision: { decided: 'wait', stage: 'plan', rule: 'paused', until: null, inputs: {} } },
      { ...outcome('PATIENT_NOT_REACHED'), cancelledBy: 'Ana', resolution: { reason: 'moved away' } },
    ];

    expect(told({ timeline, endedAt: at })).toBe(
      [
        'Form abandoned 9:00:00 AM',
        'Case opened 9:00:00 AM',
        'Barrier understood 9:00:00 AM Primary barrier Price',
        'Not called yet 9:00:00 AM Outreach was paused.',
        'Outcome: Not reached 9:00:00 AM Cancelled by Ana Reason moved away',
      ].join(' '),
    );
    expect(told({ timeline: [call('first'), call('second')], endedAt: at })).toContain('One try before it');
  });

  test.each([
    ['OPEN', 'warn'],
    ['RESOLVED', 'quiet'],
  ])('a task that is %s', (state, tone) => {
    const task = {
      id: 'task-1',
      reason: 'bad_number',
      state,
      assignee: { name: 'Ana' },
      detail: {},
      version: 1,
      patient: null,
    };
    const markup = markupOf({ timeline: [{ kind: 'task', at, task }], endedAt: at });

    expect(text(markup)).toContain('The number cannot be reached. Assigned to Ana.');
    expect(linksIn(markup)).toEqual([['Open the task', '/tasks?show=all&task=task-1']]);
    expect(markup).toContain(`data-tone="${tone}"`);
    expect(textsIn(markup).includes('Resolve')).toBe(state === 'OPEN');
  });
});

describe('the list of cases', () => {
  const chips = (at: string, shown: object = {}) =>
    textsIn(pages.show(pages.cases.Cases, {}, { at, as: { rights: ['workflows'] }, ...shown })).filter((each) =>
      /^(Called|Not |Reached|Stopped|Opened|Form:|Lost|Simulated|Without|No visit|Visit)/.test(each),
    );

  test.each<[query: string, chips: string[]]>([
    ['', []],
    ['called=true&reached=true', ['Called', 'Reached']],
    ['called=false&reached=false', ['Not called', 'Not reached']],
    ['barrier=price', ['Stopped by: Price']],
    ['form=Intake', ['Form: Intake']],
    ['lost=true&simulated=true', ['Not recovered', 'Simulated']],
    ['lost=false&simulated=false', ['Not lost', 'Without simulated cases']],
    ['provider=none&visitType=none', ['No visit booked', 'No visit booked']],
    ['provider=Dr.Who&visitType=Control', ['Visit with Dr.Who', 'Visit: Control']],
    ['hourReached=0', ['Reached at 12 AM']],
    ['hourReached=23', ['Reached at 11 PM']],
    ['hourReached=24', []],
    ['hourReached=1.5', []],
    ['hourReached=', []],
    ['weekday=1&hour=9', ['Opened on Mondays at 9 AM']],
    ['weekday=7', ['Opened on Sundays']],
    ['weekday=0', []],
    ['weekday=8', []],
    ['hour=0', ['Opened at 12 AM']],
    ['hour=23', ['Opened at 11 PM']],
    ['hour=-1', []],
    ['hour=24', []],
  ])('%s is shown as %j', (query, shown) => {
    expect(chips(`/cases?${query}`)).toEqual(shown);
  });
});

describe('the rows of the list of cases', () => {
  const aCase = (id: string, given: object = {}) => ({
    recoveryCaseId: id,
    patient: { firstName: 'Wendy', lastName: 'Ivanov' },
    recoveryStatus: 'PENDING',
    formName: 'Intake',
    barrier: 'price',
    value: 120,
    attempts: 2,
    isSimulated: false,
    createdAt: '2026-11-25T14:00:00Z',
    endedAt: null,
    ...given,
  });
  const day = '2026-11-25';
  const notes = [
    { date: day, kind: 'closed', text: 'Thanksgiving', count: null },
    { date: day, kind: 'faults', text: null, count: 2 },
  ];
  const shown = (
    at: string,
    rows: object[],
    rights: string[] = ['workflows', 'results', 'appointments.read', 'sandbox'],
  ) => {
    const [from, until] = ['from', 'until'].map((name) => new URLSearchParams(at).get(name) ?? undefined);
    const named = { items: [{ name: 'Dr.Chen', displayName: 'Dr. Emily Chen' }] };
    const answers: [unknown, unknown][] = [
      [pages.api.getResultsOptions({ query: { from, until } }).queryKey, { notes }],
      [pages.api.getProvidersOptions().queryKey, named],
    ];
    return pages.show(
      pages.cases.Cases,
      {},
      { at: `/cases?${at}`, as: { rights }, answers, lists: { getCases: rows } },
    );
  };

  test('each says what is known of it', () => {
    const known = aCase('1', { endedAt: '2026-11-25T14:20:00Z', isSimulated: true });
    const unknown = aCase('2', { formName: null, barrier: null, value: null });
    const told = text(shown('', [known, unknown]));

    expect(told).toContain('Patient Status Form Barrier Value Attempts Opened Ended');
    expect(told).toMatch(/Wendy Ivanov Pending Simulated Intake Price \$120\.00 2 30 min ago 10 min ago/);
    expect(told).toMatch(/Wendy Ivanov Pending – – – 2 30 min ago –/);
    expect(told).toContain('Try a scene');
    expect(text(shown('', [known], ['workflows']))).not.toContain('Try a scene');
  });

  test('those of today are open, opened today or ended today', () => {
    const before = '2026-11-24T14:00:00Z';
    const rows = [
      aCase('open', { createdAt: before }),
      aCase('opened today', { endedAt: '2026-11-26T14:00:00Z' }),
      aCase('ended today', { createdAt: before, endedAt: '2026-11-25T14:20:00Z' }),
      aCase('ended before', { createdAt: before, endedAt: '2026-11-24T15:00:00Z' }),
    ];
    const cases = (at: string) => linksIn(shown(at, rows)).flatMap(([, to]) => /^\/cases\/(.*)/.exec(to)?.[1] ?? []);

    expect([...new Set(cases('show=current'))]).toEqual(['open', 'opened today', 'ended today']);
    expect([...new Set(cases(''))]).toHaveLength(4);
  });

  test.each<[at: string, isTold: boolean]>([
    [`from=${day}&until=${day}`, true],
    [`from=${day}&until=2026-11-26`, false],
    [`from=${day}`, false],
    ['from=soon&until=soon', false],
    ['', false],
  ])('what happened on the one day of %s is told: %s', (at, isTold) => {
    const told = text(shown(at, [aCase('1')]));

    expect(told.includes('On this day: closed: Thanksgiving, 2 calls failed at the voice platform')).toBe(isTold);
  });

  test.each<[query: string, chip: string]>([
    ['called=true', 'Called'],
    ['reached=false', 'Not reached'],
    ['barrier=price', 'Stopped by: Price'],
    ['weekday=1&hour=9', 'Opened on Mondays at 9 AM'],
    ['hourReached=9', 'Reached at 9 AM'],
    ['form=Intake', 'Form: Intake'],
    ['lost=true', 'Not recovered'],
    ['simulated=false', 'Without simulated cases'],
    ['provider=Dr.Who', 'Visit with Dr.Who'],
    ['visitType=Control', 'Visit: Control'],
  ])('without %s again, and with all else, where “%s” is taken away', async (query, chip) => {
    const acted = pages.act(pages.cases.Cases, {}, { at: `/cases?search=Lee&${query}`, as: { rights: ['workflows'] } });

    acted.click(`Without: ${chip}`);

    expect(await acted.address()).toBe('/cases?search=Lee');
  });

  test('a provider is called by their name', () => {
    expect(text(shown('provider=Dr.Chen', []))).toContain('Visit with Dr. Emily Chen');
  });
});

describe('when a task is due', () => {
  const zone = 'America/New_York';

  test.each<[due: object, words: string]>([
    [{ on: '2026-11-25', time: null }, 'Today'],
    [{ on: '2026-11-25', time: '10:30' }, 'Today, 10:30 AM'],
    [{ on: '2026-11-26', time: null }, 'Tomorrow'],
    [{ on: '2026-11-26', time: '09:00' }, 'Tomorrow, 9:00 AM'],
    [{ on: '2026-11-24', time: null }, 'Yesterday'],
    [{ on: '2026-11-30', time: null }, 'Mon, Nov 30'],
    [{ on: '2027-01-04', time: '09:00' }, 'Mon, Jan 4, 2027, 9:00 AM'],
  ])('%j is told as “%s”', (due, words) => {
    expect(String(pages.due.dueWords(due, '2026-11-25')).replaceAll(/\s/g, ' ')).toBe(words);
  });

  test.each<[on: string, time: string | null, isLate: boolean]>([
    ['2026-11-24', null, true],
    ['2026-11-25', null, false],
    ['2026-11-25', '09:29', true],
    ['2026-11-25', '09:30', false],
    ['2026-11-26', '09:00', false],
  ])('at half past nine of 25 November %s %s is over: %s', (on, time, isLate) => {
    expect(pages.due.isOverdue({ on, time }, zone)).toBe(isLate);
    expect(pages.due.dueOf({ dueOn: on, dueTime: time })).toEqual({ on, time });
    expect(pages.due.dueOf({ dueOn: null, dueTime: time })).toBeNull();
  });

  test('reasons are in the alphabet of their titles', () => {
    const titles = pages.reasons.taskReasons.map((reason) => String(pages.reasons.taskTitle(reason)));

    expect(titles).toEqual(titles.toSorted((one, other) => one.localeCompare(other)));
    expect(titles[0]).toBe('Add the patient to the CRM');
  });
});

test.each<[seconds: number, days: number, told: string | null]>([
  [0, 7, null],
  [9, 7, null],
  [10, 7, 'after 10 s'],
  [9, 6, 'at once'],
  [10, 6, 'after 10 s'],
  [90, 6, 'after 1 min 30 s'],
])('who calls after %d s on %d days has a scene wait: %j', (firstCallDelaySeconds, days, told) => {
  const week = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'];
  const callingHours = Object.fromEntries(week.slice(0, days).map((day) => [day, { from: '00:00', until: '24:00' }]));
  const key = pages.api.getIntegrationsRecoveryPolicyOptions().queryKey;
  const markup = pages.show(pages.trying.TryIt, {}, { answers: [[key, { firstCallDelaySeconds, callingHours }]] });
  const [, words = null] = /first call is made (.*?), inside your calling hours/.exec(text(markup)) ?? [];

  expect(words?.replaceAll(/\s+/g, ' ') ?? null).toBe(told);
});

describe('what somebody did with a patient', () => {
  const visit = { startsAt: '2026-11-25T14:30:00Z', providerDisplayName: 'Dr. Chen' };
  const movedFrom = { startsAt: '2026-11-24T14:30:00Z', providerDisplayName: 'Dr. Roy' };
  const time = 'Wed, Nov 25, 2026, 9:30 AM with Dr. Chen';

  test.each<[change: object, told: string]>([
    [{ action: 'appointment.book', visit }, `booked a visit: ${time}`],
    [{ action: 'appointment.reschedule', visit }, `moved a visit to ${time}`],
    [
      { action: 'appointment.reschedule', visit, movedFrom },
      `moved a visit from Tue, Nov 24, 2026, 9:30 AM with Dr. Roy to ${time}`,
    ],
    [{ action: 'appointment.cancel', visit }, `cancelled the visit of ${time}`],
    [{ action: 'appointment.restore', visit }, `undid the cancellation of the visit of ${time}`],
    [{ action: 'appointment.note', visit, detail: { status: 'arrived' } }, `noted that they came: ${time}`],
    [{ action: 'appointment.note', visit, detail: { status: 'noshow' } }, `noted that they did not come: ${time}`],
    [{ action: 'appointment.note', visit, detail: { status: 'fulfilled' } }, `noted that the visit is over: ${time}`],
    [
      { action: 'appointment.note', visit, detail: { status: 'booked' } },
      `took back what was noted of the visit of ${time}`,
    ],
    [{ action: 'appointment.note', visit }, 'noted whether Wendy Ivanov came'],
    [{ action: 'appointment.book' }, 'booked an appointment for Wendy Ivanov'],
    [
      { action: 'patient.change', detail: { fields: ['consent', 'phone', 'other'] } },
      'changed the record: Phone, Consent',
    ],
    [{ action: 'patient.change' }, 'changed the record of Wendy Ivanov'],
    [{ action: 'patient.read', detail: { fields: ['phone'] } }, 'patient.read'],
    [{ action: 'task.change', detail: { reason: 'bad_number' } }, 'changed the task “Correct the phone number”'],
    [
      { action: 'task.change', detail: { reason: 'bad_number', assigneeId: 'account-1' } },
      'assigned the task “Correct the phone number”',
    ],
    [
      { action: 'task.change', detail: { reason: 'bad_number', outcome: 'try_later', state: 'OPEN' } },
      'put off the task “Correct the phone number”',
    ],
    [
      { action: 'task.change', detail: { reason: 'bad_number', state: 'OPEN', assigneeId: 'account-1' } },
      'opened the task “Correct the phone number” again',
    ],
    [
      { action: 'task.change', detail: { reason: 'bad_number', state: 'RESOLVED' } },
      'resolved the task “Correct the phone number”',
    ],
    [
      { action: 'task.change', detail: { reason: 'bad_number', state: 'RESOLVED', outcome: 'spoke' } },
      'resolved the task “Correct the phone number”: Spoke with them',
    ],
    [{ action: 'task.change' }, 'changed a task about Wendy Ivanov'],
    [{ action: 'new.action' }, 'new.action'],
  ])('%j', (change, told) => {
    const patient = { firstName: 'Wendy', lastName: 'Ivanov' };
    const given = { actor: 'account:1', actorName: 'Ana', detail: {}, ...change };

    expect(text(pages.show(pages.did.Did, { change: given, patient }))).toBe(`Ana ${told}`);
  });
});

describe('what a patient asked for, as a form has it', () => {
  const stored = { callFrom: '09:00', callUntil: '', language: 'es' };

  test('it is typed as it is kept', () => {
    expect(pages.wishes.typedWishes({})).toEqual({ callFrom: '', callUntil: '', language: '' });
    expect(
      pages.wishes.typedWishes({ preferredCallHours: { from: '09:00', until: null }, preferredLanguage: 'es' }),
    ).toEqual(stored);
    expect(pages.wishes.typedWishes({ preferredCallHours: { from: null, until: '12:00' } })).toMatchObject({
      callFrom: '',
      callUntil: '12:00',
    });
  });

  test.each<[typed: object, change: object]>([
    [{}, {}],
    [{ callFrom: '10:00' }, { preferredCallHours: { from: '10:00', until: null } }],
    [{ callUntil: '12:00' }, { preferredCallHours: { from: '09:00', until: '12:00' } }],
    [{ callFrom: '', callUntil: '12:00' }, { preferredCallHours: { from: null, until: '12:00' } }],
    [{ callFrom: '' }, { preferredCallHours: null }],
    [{ language: 'en' }, { preferredLanguage: 'en' }],
    [{ language: '' }, { preferredLanguage: null }],
  ])('typed %j changes %j', (typed, change) => {
    expect(pages.wishes.changedWishes(stored, { ...stored, ...typed })).toEqual(change);
  });

  test.each([
    ['preferredLanguage', 'language'],
    ['preferredCallHours.until', 'callUntil'],
    ['preferredCallHours.from', 'callFrom'],
    ['preferredCallHours', 'callFrom'],
    ['phone', 'phone'],
  ])('what is refused at %s stands at %s', (path, box) => {
    expect(pages.wishes.wishBox(path)).toBe(box);
  });
});

describe('a record', () => {
  test('its page tells the details that its title does not', () => {
    const patient = {
      firstName: 'A',
      lastName: 'B',
      phone: '+1',
      dateOfBirth: '1980-01-01',
      email: null,
      address: 'Elm St',
    };

    expect(pages.details.detailFacts(patient)).toEqual([
      ['E-mail', null, 'long'],
      ['Address', 'Elm St', 'long'],
    ]);
    expect(Object.entries(pages.details.exportedDetails).map(([name, read]) => [name, read(patient)])).toEqual([
      ['phone', '+1'],
      ['email', null],
      ['born', '1980-01-01'],
    ]);
  });

  test('what belongs to it is counted in words', () => {
    const records = [
      'appointments',
      'documents',
      'calls',
      'call_evidence',
      'recovery_cases',
      'workflow_runs',
      'staff_tasks',
      'waitlist_entries',
      'inbound_events',
      'outbound_events',
      'new_table',
    ];
    const counted = (count: number) => pages.counts.countedRecords(records.map((each) => ({ records: each, count })));

    expect(counted(1)).toEqual([
      '1 appointment',
      '1 note',
      '1 call',
      '1 transcript',
      '1 recovery case',
      '1 follow-up by the service',
      '1 task',
      '1 place on the waitlist',
      '1 received event',
      '1 sent event',
    ]);
    expect(counted(1_200)).toContain('1,200 recovery cases');
  });

  test.each([
    ['booked', '2026-11-25T14:30:00Z', true, true],
    ['booked', '2026-11-25T14:29:59Z', false, true],
    ['booked', '2026-11-26T05:00:00Z', true, false],
    ['arrived', '2026-11-26T04:59:00Z', false, true],
    ['fulfilled', '2026-11-25T15:00:00Z', false, false],
    ['cancelled', '2026-11-25T15:00:00Z', false, false],
  ])(
    'an appointment that is %s at %s can be changed: %s, and is of today: %s',
    (status, startsAt, isChangeable, isOfToday) => {
      expect(pages.appointment.isChangeable({ status, startsAt })).toBe(isChangeable);
      expect(pages.use(() => pages.appointment.useIsOfToday())({ status, startsAt })).toBe(isOfToday);
    },
  );
});

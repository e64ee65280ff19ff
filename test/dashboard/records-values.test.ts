import { dashboardModules, linksIn, radiosIn, type Stage, textsIn } from './stage/dashboard';

/** What the pages of one record, of a day and of a person's day show, without a browser. */
type Option = (given?: object) => { queryKey: unknown };
interface Modules {
  api: Record<
    | 'getCallingQueueOptions'
    | 'getCallsByCallIdOptions'
    | 'getCasesByRecoveryCaseIdOptions'
    | 'getCallsOptions'
    | 'getCasesOptions'
    | 'getPatientsByPatientIdCallDecisionsOptions'
    | 'getDayListOptions'
    | 'getDeliveriesByDeliveryIdOptions'
    | 'getDeliveriesOptions'
    | 'getErasuresByErasureIdOptions'
    | 'getIntegrationsOptOutsOptions'
    | 'getPatientsByPatientIdOptions'
    | 'getPausesOptions'
    | 'getProvidersByNameCalendarOptions'
    | 'getProvidersOptions'
    | 'getTasksOptions'
    | 'getWaitlistOptions',
    Option
  >;
  call: { Call: unknown };
  case: { Case: unknown };
  day: { DayList: unknown };
  delivery: { Delivery: unknown };
  duplicates: { Duplicates: unknown };
  erasure: { Erasure: unknown };
  live: { LiveCalls: unknown };
  merge: { Comparison: unknown };
  mine: { MyDay: unknown };
  patient: { Patient: unknown };
  waitlist: { PatientWaitlist: unknown };
}

let pages: Modules & Stage;

beforeAll(async () => {
  pages = await dashboardModules<Modules>({
    api: require.resolve('../../dashboard/http/api.ts'),
    call: require.resolve('../../dashboard/pages/outreach/call.tsx'),
    case: require.resolve('../../dashboard/pages/outreach/case.tsx'),
    day: require.resolve('../../dashboard/pages/calendar/day-list.tsx'),
    delivery: require.resolve('../../dashboard/pages/events/delivery.tsx'),
    duplicates: require.resolve('../../dashboard/pages/patients/duplicates.tsx'),
    erasure: require.resolve('../../dashboard/pages/patients/erasure.tsx'),
    live: require.resolve('../../dashboard/pages/outreach/live-calls.tsx'),
    merge: require.resolve('../../dashboard/pages/patients/merge-patients.tsx'),
    mine: require.resolve('../../dashboard/pages/tasks/my-day.tsx'),
    patient: require.resolve('../../dashboard/pages/patients/patient.tsx'),
    waitlist: require.resolve('../../dashboard/pages/calendar/patient-waitlist.tsx'),
  });
});

/** It is 9:30 on a Wednesday in New York. */
beforeEach(() => jest.useFakeTimers({ now: Date.parse('2026-11-25T14:30:00Z') }));
afterEach(() => jest.useRealTimers());

const at = '2026-11-25T14:00:00Z';
const wendy = { id: 'patient-1', firstName: 'Wendy', lastName: 'Ivanov', phone: '+13035550142' };

interface Asked {
  page: unknown;
  props?: object;
  at: string;
  path?: string;
  answers: [{ queryKey: unknown }, unknown][];
  rights?: string[];
}
function shown({ page, props = {}, answers, rights = [], ...where }: Asked) {
  const given = answers.map(([{ queryKey }, answer]): [unknown, unknown] => [queryKey, answer]);
  const markup = pages.show(page, props, { ...where, answers: given, as: { rights } });
  return { markup, text: textsIn(markup).join(' ').replaceAll(/\s/g, ' '), links: linksIn(markup).map(([, to]) => to) };
}

describe('a delivery', () => {
  const attempt = { at, status: 500, error: null, durationMs: 1_200, url: 'https://in.example', response: '{"a":1}' };
  const told = (given: object = {}) => {
    const delivery = {
      id: '1',
      event: 'recovery_case.outcome',
      eventId: 'event-1',
      state: 'DELIVERED',
      about: { patient: wendy, workflowType: 'waitlist-offer', recoveryCaseId: 'case-1', isSimulated: false },
      isSample: false,
      endpoint: null,
      data: { b: 2 },
      attempts: [attempt],
      createdAt: at,
      deliveredAt: at,
      nextAttemptAt: null,
      ...given,
    };
    const option = pages.api.getDeliveriesByDeliveryIdOptions({ path: { deliveryId: '1' } });
    return shown({
      page: pages.delivery.Delivery,
      at: '/deliveries/1',
      path: '/deliveries/:deliveryId',
      answers: [[option, delivery]],
    });
  };

  test('what it is about, each attempt, and what was sent and answered', () => {
    const { text, links } = told();

    expect(text).toContain(
      'Status Delivered Created Nov 25, 9:00 AM Delivered Nov 25, 9:00 AM Patient Wendy Ivanov Workflow Waitlist offer Recovery case',
    );
    expect(text).toContain('Endpoint Main endpoint Event recovery_case.outcome webhook-id event-1');
    expect(text).toContain('Time Response Duration Sent to 9:00:00 AM 500 {"a":1} 1 s https://in.example');
    expect(text).toContain(
      'POST https://in.example content-type: application/json user-agent: clinic-workflows/1 webhook-id: event-1',
    );
    expect(text).toContain('"event": "recovery_case.outcome", "clinicId": "clinic-1"');
    expect(text).toMatch(/Response (?:Copy )?500 \{ "a": 1 \}/);
    expect(text).not.toMatch(/x-clinic-simulated|never accepted|Next try|Sample/);
    expect(links).toEqual(expect.arrayContaining(['/patients/patient-1', '/cases/case-1']));
  });

  test.each<[given: object, words: string[]]>([
    [{ state: 'DEAD' }, ['The endpoint never accepted this event.']],
    [{ state: 'PENDING', attempts: [] }, ['Next try –', 'No attempt has been made yet', 'POST (main endpoint)']],
    [{ isSample: true, about: null }, ['Sample Sent on request', 'x-clinic-simulated: true']],
    [{ about: { isSimulated: true, workflowType: null } }, ['x-clinic-simulated: true']],
    [{ attempts: [{ ...attempt, status: null, error: 'timeout' }] }, ['No answer No answer in time']],
    [{ attempts: [{ ...attempt, status: null, error: null }] }, ['No answer The host could not be connected to']],
    [{ attempts: [{ ...attempt, response: null, url: '' }] }, ['500 1 s –', '500 (the body was not kept)']],
    [{ attempts: [{ ...attempt, response: 'no JSON' }] }, ['500 no JSON']],
    [
      { attempts: [{ ...attempt, status: 400 }, attempt] },
      ['9:00:00 AM 500 {"a":1} 1 s https://in.example 9:00:00 AM 400'],
    ],
  ])('%j', (given, words) => {
    for (const each of words) expect(told(given).text).toContain(each);
  });
});

describe('a call', () => {
  const told = (given: object = {}, rights: string[] = ['operations', 'workflows', 'sandbox', 'settings']) => {
    const call = {
      id: '1',
      patient: wendy,
      state: 'ENDED',
      isSimulated: false,
      isTest: false,
      direction: 'outbound',
      workflowType: 'waitlist-offer',
      recoveryCaseId: null,
      phone: null,
      attempt: 0,
      summary: null,
      evidence: null,
      whyNow: [],
      tools: [],
      ehrRequests: [],
      createdAt: at,
      startedAt: null,
      endedAt: null,
      ending: 'not_reached',
      endedReason: null,
      platformCallId: null,
      workflowId: null,
      ...given,
    };
    const option = pages.api.getCallsByCallIdOptions({ path: { callId: '1' } });
    return shown({ page: pages.call.Call, at: '/calls/1', path: '/calls/:callId', answers: [[option, call]], rights })
      .text;
  };
  const evidence = { transcript: null, recordingUrl: null, costUsd: null, durationSeconds: null, success: null };
  const decision = { stage: 'plan', at, rule: 'due', until: null, inputs: {}, decided: 'call' };

  test.each<[given: object, words: string]>([
    [{}, 'Call with Wendy Ivanov'],
    [{ patient: { ...wendy, firstName: '' } }, 'Call with Ivanov'],
    [{ patient: { ...wendy, lastName: '' } }, 'Call with Wendy'],
    [{ patient: { ...wendy, firstName: '', lastName: '' } }, 'Call with an unknown patient'],
    [{}, 'Summary The platform sent none.'],
    [{ state: 'RINGING' }, 'Summary It is written when the call is over.'],
    [{ summary: 'Asked about prices.' }, 'Summary Asked about prices.'],
    [{}, 'Tools The agent has used none.'],
    [
      { evidence: { ...evidence, durationSeconds: 90, costUsd: 0.5, success: 'true', transcript: 'Hello' } },
      'Talked for 1 min 30 s Cost $0.50 The platform’s evaluation Goal met Hello',
    ],
    [
      { evidence: { ...evidence, durationSeconds: 0, costUsd: 0, success: 'false', recordingUrl: 'https://x' } },
      'Talked for 0 ms Cost $0.00 The platform’s evaluation Goal not met Recording Listen at the platform',
    ],
    [{ evidence: { ...evidence, success: 'fair' } }, 'The platform’s evaluation fair'],
    [{ whyNow: [decision] }, 'Why it was called then'],
    [{ whyNow: [decision, { ...decision, decided: 'withdrawn', rule: 'opted_out' }] }, 'Why it was not called'],
    [{ direction: 'inbound' }, 'Workflow Waitlist offer Direction Inbound Created'],
    [{ attempt: 2, phone: '+13035550142' }, 'Direction Outbound Phone (303) 555-0142 Attempt 2 Created'],
    [{ isTest: true, direction: 'inbound', state: 'IN_PROGRESS' }, 'Close the test call'],
    [{ startedAt: at, endedAt: '2026-11-25T14:01:00Z' }, 'Duration 1 min How it ended Not reached'],
  ])('%j', (given, words) => {
    expect(told(given)).toContain(words);
  });

  test('what is not known is not told', () => {
    expect(told()).not.toMatch(/EHR|What was said|Answered|Ended Nov|Platform call|Ended reason|Attempt /);
    expect(told()).toContain('About Patient Wendy Ivanov Workflow Waitlist offer Direction Outbound Created');
    const whole = {
      startedAt: at,
      endedAt: at,
      workflowId: 'workflow-1',
      platformCallId: 'platform-1',
      endedReason: 'voicemail',
    };
    expect(told(whole)).toMatch(/Answered Nov 25, 9:00 AM Ended Nov 25, 9:00 AM .*platform-1 .*workflow-1 .*voicemail/);
  });

  test.each([
    { isTest: true, direction: 'outbound', state: 'IN_PROGRESS' },
    { isTest: true, direction: 'inbound', state: 'ENDED' },
    { isTest: false, direction: 'inbound', state: 'IN_PROGRESS' },
  ])('%j is not closed by hand', (given) => {
    expect(told(given)).not.toContain('Close the test call');
  });

  test('what the clinic’s own system was asked stands under the tool that asked', () => {
    const request = (second: number, status: number | null) => ({
      at: `2026-11-25T14:00:0${second}Z`,
      method: 'GET',
      path: '/Slot',
      status,
      milliseconds: 20,
    });
    const tool = (name: string, second: number) => ({
      toolCallId: name,
      tool: name,
      startedAt: `2026-11-25T14:00:0${second}Z`,
      arguments: {},
      result: {},
      durationMs: 5,
    });
    const text = told({
      tools: [tool('check_availability', 1), tool('book_appointment', 3)],
      ehrRequests: [request(0, 200), request(2, 200), request(3, null)],
    });

    expect(text).toMatch(
      /GET \/Slot 200 20 ms Check availability GET \/Slot 200 20 ms Book appointment GET \/Slot no answer 20 ms/,
    );
  });
});

describe('a case', () => {
  const form = {
    formName: 'Intake',
    lastPageReached: 3,
    totalPages: 7,
    completionPercentage: 42.5,
    abandonedAtCheckout: null,
    abandonedAt: null,
    completedAt: null,
    selectedProducts: [],
    resumeUrl: null,
  };
  const told = (given: object = {}, inForm: object = {}) => {
    const recoveryCase = {
      recoveryCaseId: '1',
      sessionId: 'session-1',
      workflowId: 'workflow-1',
      temporalUrl: 'https://temporal.example',
      patient: wendy,
      recoveryStatus: 'PENDING',
      workflowStatus: 'completed',
      isSimulated: false,
      createdAt: at,
      endedAt: at,
      timeline: [],
      nextCall: null,
      queuedAt: null,
      form: { ...form, ...inForm },
      ...given,
    };
    const option = pages.api.getCasesByRecoveryCaseIdOptions({ path: { recoveryCaseId: '1' } });
    const rights = ['operations', 'workflows'];
    return shown({
      page: pages.case.Case,
      at: '/cases/1',
      path: '/cases/:recoveryCaseId',
      answers: [[option, recoveryCase]],
      rights,
    });
  };

  test.each<[given: object, inForm: object, words: string]>([
    [{}, {}, 'Phone (303) 555-0142 Form Intake Last page page 3 of 7 Completed 43%'],
    [{}, { lastPageReached: null }, 'Form Intake Completed 43%'],
    [{}, { totalPages: null, completionPercentage: null }, 'Form Intake Technical details'],
    [{}, { abandonedAtCheckout: true }, 'Abandoned at the checkout'],
    [
      {},
      { abandonedAtCheckout: false, abandonedAt: at, completedAt: at },
      'Abandoned at the form Abandoned Nov 25, 9:00 AM Finished Nov 25, 9:00 AM',
    ],
    [
      {},
      {
        selectedProducts: [
          { productName: 'Physical', unitPrice: 120 },
          { productName: 'Test', unitPrice: 5 },
        ],
      },
      'Selected Physical ($120.00), Test ($5.00)',
    ],
    [{}, { resumeUrl: 'https://resume.example' }, 'Resume link https://resume.example'],
    [{}, { resumeUrl: 'clinicapp://resume/1' }, 'Resume link clinicapp://resume/1'],
    [{ patient: { ...wendy, phone: null } }, {}, 'Phone No callable number'],
    [{ workflowStatus: 'started' }, {}, 'Cancel the case'],
  ])('%j with the form %j', (given, inForm, words) => {
    expect(told(given, inForm).text).toContain(words);
    expect(told(given, inForm).text.includes('Cancel the case')).toBe('workflowStatus' in given);
  });

  test.each([
    ['https://resume.example', true],
    ['HTTP://resume.example', true],
    ['clinicapp://resume/1', false],
    ['javascript:alert(1)', false],
  ])('%s is a link: %s', (resumeUrl, isLink) => {
    expect(told({}, { resumeUrl }).markup.includes(`href="${resumeUrl}"`)).toBe(isLink);
  });
});

describe('the list of a day', () => {
  const visit = (id: string, given: object = {}) => ({
    id,
    startsAt: '2026-11-25T14:00:00Z',
    endsAt: '2026-11-25T14:30:00.000Z',
    status: 'booked',
    patientId: 'patient-1',
    patientName: 'Wendy Ivanov',
    dateOfBirth: '1980-02-29',
    phone: '+13035550142',
    visitType: 'Control',
    providerDisplayName: 'Dr. Chen',
    ...given,
  });
  const told = (items: object[], where = '/day-list', date = '2026-11-25', rights: string[] = ['appointments']) =>
    shown({
      page: pages.day.DayList,
      at: where,
      answers: [[pages.api.getDayListOptions({ query: { date } }), { items }]],
      rights,
    });

  test('each visit, who is here, and which is next', () => {
    const items = [
      visit('1', { status: 'arrived' }),
      visit('2', { endsAt: '2026-11-25T14:30:00.001Z', patientName: '', dateOfBirth: null, phone: null }),
      visit('3', { endsAt: '2026-11-25T16:00:00Z' }),
    ];
    const { text, markup } = told(items);

    expect(text).toContain('Wednesday, November 25, 2026');
    expect(text).toContain('3 visits, 1 here now');
    expect(text).toContain(
      '9:00 AM Wendy Ivanov , Feb 29, 1980 (303) 555-0142 Control Dr. Chen Arrived Left Take back',
    );
    expect(text).toContain('9:00 AM Name not given No phone Control Dr. Chen Booked Arrived No-show');
    expect(
      [...markup.matchAll(/data-status="(\w+)"( data-now="true")?/g)].map(([, , isNow]) => isNow !== undefined),
    ).toEqual([false, true, false]);
    expect(told([visit('1')]).text).not.toContain('here now');
    expect(told([visit('1')], '/day-list', '2026-11-25', []).text).not.toMatch(/No-show|take back/);
  });

  test.each([
    ['/day-list?day=2026-11-26', '2026-11-26', 'Thursday, November 26, 2026'],
    ['/day-list?day=soon', '2026-11-25', 'Wednesday, November 25, 2026'],
  ])('%s is of %s', (where, date, title) => {
    const [today = ''] = /<button[^>]*>(?:(?!<\/button>).)*Today/.exec(told([], where, date).markup) ?? [];
    expect(today.includes(' disabled=""')).toBe(date === '2026-11-25');
    expect(told([], where, date).text).toContain(title);
    expect(told([], where, date).text).toContain('No visit on this day');
  });

  test.each<[status: string, startsAt: string, notes: string[]]>([
    ['booked', '2026-11-25T14:00:00Z', ['Arrived', 'No-show']],
    ['booked', '2026-11-25T15:00:00Z', ['Arrived', 'No-show: too early']],
    ['arrived', '2026-11-25T15:00:00Z', ['Left', 'Take back']],
    ['fulfilled', '2026-11-25T14:00:00Z', ['No-show', 'Take back']],
    ['noshow', '2026-11-25T14:00:00Z', ['Arrived', 'Take back']],
    ['cancelled', '2026-11-25T14:00:00Z', []],
  ])('of a visit that is %s at %s may be noted %j', (status, startsAt, notes) => {
    const { markup } = told([visit('1', { status, startsAt })]);
    const buttons = [...markup.matchAll(/<button[^>]*aria-label="([^":]*): Wendy Ivanov"[^>]*>/g)];

    expect(buttons.map(([tag, does]) => `${does}${tag.includes('aria-disabled="true"') ? ': too early' : ''}`)).toEqual(
      notes,
    );
  });
});

describe('my day', () => {
  const task = (id: string, given: object = {}) => ({
    id,
    version: 1,
    reason: 'bad_number',
    state: 'OPEN',
    patient: { ...wendy, optOut: null, preferredCallHours: null, preferredLanguage: null },
    priority: 'NORMAL',
    noteCount: 0,
    barrier: null,
    detail: {},
    dueOn: null,
    dueTime: null,
    assignee: null,
    outcome: null,
    ...given,
  });
  const told = (due: object[], undated: object[], where = '/my-day') => {
    const query = {
      order: 'due',
      state: 'OPEN',
      assigneeId: where.includes('who=all') ? undefined : 'account-1,none',
      limit: 25,
    };
    const answers: [{ queryKey: unknown }, unknown][] = [
      [pages.api.getTasksOptions({ query: { ...query, dueUntil: '2026-11-25' } }), { items: due, nextCursor: 'more' }],
      [pages.api.getTasksOptions({ query: { ...query, hasDueDate: 'false' } }), { items: undated, nextCursor: null }],
    ];
    return shown({ page: pages.mine.MyDay, at: where, answers, rights: [] });
  };

  test.each<[given: object, words: string]>([
    [{}, 'Correct the phone number The number cannot be reached. Wendy Ivanov (303) 555-0142 Unassigned'],
    [{ dueOn: '2026-11-24', priority: 'HIGH' }, 'Correct the phone number High Yesterday · overdue The number'],
    [{ assignee: { id: 'account-1', name: 'Me' }, noteCount: 1, outcome: 'no_answer' }, 'No answer · 1 note · Yours'],
    [{ assignee: { id: 'account-2', name: 'Ana' } }, '555-0142 Ana'],
    [{ patient: null, detail: { why: 'No answer' } }, 'Correct the phone number Why: No answer Unassigned'],
    [
      {
        patient: {
          ...wendy,
          optOut: 'all',
          preferredCallHours: { from: '09:00', until: null },
          preferredLanguage: 'es',
        },
      },
      'Do not call Calls after 9:00 AM · Spanish · Unassigned',
    ],
  ])('%j', (given, words) => {
    expect(told([task('1', given)], []).text).toContain(words);
  });

  test('nothing is due, nothing else is to be done, and where all of them are', () => {
    const { text, links } = told([], []);

    expect(text).toContain('Nothing is due today.');
    expect(links).toEqual(expect.arrayContaining(['/tasks?due=today&who=me', '/tasks']));
    expect(told([], [], '/my-day?who=all').links).toContain('/tasks?due=today');
    expect(told([task('1')], []).text).not.toContain('Nothing is due today.');
    expect(text).toContain('Show more');
  });

  test.each([
    ['/my-day', ''],
    ['/my-day?who=all', 'all'],
  ])('%s says whose tasks it shows', (where, chosen) => {
    const { markup, text } = told([], [], where);

    expect(text).toContain('Mine and unassigned Everyone’s');
    expect(radiosIn(markup)).toEqual([
      ['', chosen === ''],
      ['all', chosen === 'all'],
    ]);
  });

  const beside = (given: { visits?: object[]; calls?: object[]; pauses?: object[] }) =>
    shown({
      page: pages.mine.MyDay,
      at: '/my-day',
      answers: [
        [pages.api.getProvidersOptions(), { items: [{ name: 'Dr.Chen' }] }],
        [
          pages.api.getProvidersByNameCalendarOptions({
            path: { name: 'Dr.Chen' },
            query: { from: '2026-11-25', until: '2026-11-26' },
          }),
          { appointments: given.visits ?? [] },
        ],
        [pages.api.getCallingQueueOptions({ query: { limit: 5 } }), { items: given.calls ?? [] }],
        [pages.api.getPausesOptions(), { items: given.pauses ?? [] }],
      ],
      rights: ['appointments.read', 'workflows'],
    });
  const visit = (id: string, given: object = {}) => ({
    id,
    patientId: id,
    patientName: `Visitor ${id}`,
    startsAt: '2026-11-25T15:00:00Z',
    endsAt: '2026-11-25T15:30:00.000Z',
    status: 'booked',
    visitType: 'Control',
    providerDisplayName: 'Dr. Chen',
    ...given,
  });

  test.each<[given: object, words: string]>([
    [{}, '1 of 1 to come Calendar 10:00 AM Visitor 1 Control, Dr. Chen Next calls'],
    [{ status: 'arrived' }, '1 of 1 to come Calendar 10:00 AM Visitor 1 Arrived Control, Dr. Chen'],
    [{ endsAt: '2026-11-25T14:30:00.001Z' }, '1 of 1 to come Calendar 10:00 AM Visitor 1 Control'],
    [{ endsAt: '2026-11-25T14:30:00.000Z' }, '0 of 1 to come Calendar 1 visit is over 10:00 AM Visitor 1 Control'],
    [{ status: 'noshow' }, '0 of 1 to come Calendar 1 visit is over 10:00 AM Visitor 1 No-show Control'],
    [{ status: 'fulfilled' }, '0 of 1 to come Calendar 1 visit is over 10:00 AM Visitor 1 Over Control'],
  ])('a visit of today %j', (given, words) => {
    expect(beside({ visits: [visit('1', given)] }).text).toContain(`Today’s visits ${words}`);
  });

  test('the visits of today in order of time, those that are over apart', () => {
    const over = { endsAt: at, status: 'fulfilled' };
    const visits = [
      visit('3', { startsAt: '2026-11-25T16:00:00Z' }),
      visit('1', { startsAt: '2026-11-25T13:00:00Z', ...over }),
      visit('2'),
      visit('0', { startsAt: '2026-11-25T12:00:00Z', ...over }),
    ];
    const { text, links } = beside({ visits });

    expect(text).toContain('2 of 4 to come');
    expect(text).toContain('2 visits are over');
    expect(links.filter((to) => to.startsWith('/patients/'))).toEqual(
      ['2', '3', '0', '1'].map((id) => `/patients/${id}`),
    );
    expect(beside({}).text).toContain('Today’s visits Calendar Nobody is booked today.');
  });

  const call = { workflowId: '1', patient: wendy, recoveryCaseId: null, workflowType: 'waitlist-offer', dueAt: at };

  test.each<[pauses: (string | null)[], told: string]>([
    [[], 'due 30 min ago'],
    [['appointment-reminder'], 'due 30 min ago'],
    [['waitlist-offer'], 'waits: calls are paused'],
    [[null], 'waits: calls are paused'],
    [['appointment-reminder', 'waitlist-offer'], 'waits: calls are paused'],
  ])('while calls of %j are paused the next call %s', (paused, words) => {
    const pauses = paused.map((workflowType) => ({ workflowType }));

    expect(beside({ calls: [call], pauses }).text).toContain(`All calls Wendy Ivanov Waitlist offer ${words}`);
  });

  test('a call that is due leads to its case, or to the patient', () => {
    const { links } = beside({ calls: [call, { ...call, workflowId: '2', recoveryCaseId: 'case-1' }] });

    expect(links.filter((to) => /^\/(?:patients|cases)\//.test(to))).toEqual(['/patients/patient-1', '/cases/case-1']);
    expect(beside({}).text).toContain('No call is due.');
  });
});

describe('calls under way', () => {
  const call = (given: object = {}) => ({
    id: 'call-1',
    patient: wendy,
    phone: '+13035550142',
    isKnown: true,
    isSimulated: false,
    state: 'IN_PROGRESS',
    startedAt: '2026-11-25T14:29:00Z',
    createdAt: '2026-11-25T14:28:00Z',
    direction: 'inbound',
    workflowType: 'waitlist-offer',
    formName: null,
    reasonForVisit: null,
    barrier: null,
    appointmentStartsAt: null,
    did: [],
    lastTool: null,
    takenOver: null,
    ...given,
  });
  const told = (calls: object[], rights: string[] = ['tasks']) =>
    shown({ page: pages.live.LiveCalls, props: { items: calls }, at: '/', answers: [], rights }).text;

  test.each<[given: object, words: string]>([
    [{}, 'Wendy Ivanov (303) 555-0142 01:00 They called: Waitlist offer Nothing is settled yet. Take over'],
    [{ state: 'RINGING' }, 'Wendy Ivanov (303) 555-0142 Ringing They called'],
    [{ state: 'QUEUED' }, 'Wendy Ivanov (303) 555-0142 01:00 They called'],
    [{ startedAt: null }, 'Wendy Ivanov (303) 555-0142 02:00 They called'],
    [{ phone: null }, 'Wendy Ivanov Number withheld 01:00'],
    [{ isKnown: false }, '555-0142 Not on file yet 01:00'],
    [{ isSimulated: true }, '555-0142 Simulated 01:00'],
    [{ direction: 'outbound', formName: 'Intake' }, '01:00 We called: Form “Intake” Nothing'],
    [{ appointmentStartsAt: '2026-11-30T15:00:00Z' }, 'Waitlist offer · visit on Mon, Nov 30, 2026, 10:00 AM'],
    [{ reasonForVisit: 'Cough', barrier: { primaryBarrier: 'price' } }, 'Reason for visit Cough Primary barrier Price'],
    [{ lastTool: 'check_availability' }, 'Nothing is settled yet. Last: Check availability.'],
    [{ takenOver: { taskId: '1', by: { id: 'account-1', name: 'Me' } } }, 'Nothing is settled yet. Your task'],
    [{ takenOver: { taskId: '1', by: { id: 'account-2', name: 'Ana' } } }, 'Taken over by Ana'],
  ])('%j', (given, words) => {
    expect(told([call(given)])).toContain(words);
  });

  const booked = { startsAt: '2026-11-30T15:00:00Z' };

  test.each<[fact: string, given: object, words: string]>([
    ['booked', booked, 'Booked: Mon, Nov 30, 2026, 10:00 AM'],
    ['booked', {}, 'Booked a visit'],
    ['rescheduled', booked, 'Moved to Mon, Nov 30, 2026, 10:00 AM'],
    ['rescheduled', {}, 'Moved the visit'],
    ['cancelled', booked, 'Cancelled the visit'],
    ['documented', {}, 'Wrote a note'],
    ['escalated', {}, 'Left a question for the care team'],
    ['billing_escalated', {}, 'Left a question for billing'],
    ['self_pay', {}, 'The patient pays without insurance'],
    ['insurance_updated', {}, 'Checked the insurance: it is valid'],
    ['registered', {}, 'Took all that registration needs'],
    ['declined', {}, 'The patient declined'],
  ])('in which %s was done %j', (fact, given, words) => {
    const text = told([call({ did: [{ fact, at, startsAt: null, ...given }] })]);

    expect(text).toContain(`Waitlist offer ${words} Take over`);
    expect(text).not.toContain('Nothing is settled');
  });

  test('are counted where there are several, and taken over by who has tasks', () => {
    expect(told([call(), call({ id: 'call-2' })])).toContain('On the phone now (2) A voice agent');
    expect(told([call()])).toContain('On the phone now A voice agent');
    expect(told([call()], [])).not.toContain('Take over');
  });
});

test.each<[state: string, isUnderWay: boolean, title: string]>([
  ['REQUESTED', true, 'The patient is being erased'],
  ['ERASED', true, 'The patient is being erased'],
  ['DONE', false, 'The patient is erased'],
])('an erasure that is %s is under way: %s', (state, isUnderWay, title) => {
  const erasure = {
    id: 'erasure-1',
    state,
    reason: 'patient_request',
    requestedAt: at,
    requestedBy: 'Ana',
    doneAt: null,
  };
  const option = pages.api.getErasuresByErasureIdOptions({ path: { erasureId: 'erasure-1' } });
  const { markup, text } = shown({
    page: pages.erasure.Erasure,
    at: '/erasures/erasure-1',
    path: '/erasures/:erasureId',
    answers: [[option, erasure]],
  });

  expect(text).toContain(title);
  expect(markup.includes('mantine-Loader-root')).toBe(isUnderWay);
});

describe('who may be on file already', () => {
  const alike = (given: object = {}) => ({
    ...wendy,
    dateOfBirth: '1980-02-29',
    registrationStatus: 'COMPLETE',
    alike: ['name', 'phone'],
    similar: [],
    ...given,
  });
  const told = (items: object[], props: object = {}) =>
    shown({ page: pages.duplicates.Duplicates, props: { items, ...props }, at: '/', answers: [] }).text;

  test.each<[given: object, words: string]>([
    [{}, 'Wendy Ivanov (303) 555-0142 · Feb 29, 1980 The same: name, phone'],
    [{ registrationStatus: 'ACTION_REQUIRED' }, 'Wendy Ivanov (known only from a form or call) (303) 555-0142'],
    [{ phone: null }, 'Wendy Ivanov Feb 29, 1980 The same'],
    [{ dateOfBirth: null }, 'Wendy Ivanov (303) 555-0142 The same'],
    [{ similar: ['phone'] }, 'The same: name · Similar phone'],
    [{ alike: ['name', 'email'], similar: ['name', 'email'] }, '1980 Similar name · Similar e-mail'],
    [{ alike: ['birthDate', 'email'] }, 'The same: birth date, e-mail'],
    [{ alike: ['birthDate'], similar: ['birthDate'] }, '1980 Similar birth date Open this one instead'],
  ])('%j', (given, words) => {
    expect(told([alike(given)])).toContain(words);
  });

  test('is counted, and chosen', () => {
    expect(told([])).toBe('');
    expect(told([alike()])).toMatch(/^Somebody like this is on file Wendy .* Open this one instead$/);
    expect(told([alike(), alike({ id: 'patient-2' })])).toMatch(/^2 people like this are on file /);
    expect(told([alike()], { title: 'Perhaps', choose: 'Compare' })).toMatch(/^Perhaps Wendy .* Compare$/);

    const chosen: unknown[] = [];
    const items = [alike({ lastName: 'One' }), alike({ id: 'patient-2', lastName: 'Two' })];
    const onChoose = (patient: object) => chosen.push(patient);
    pages.act(pages.duplicates.Duplicates, { items, onChoose }).click('Open this one instead: Wendy Two');
    expect(chosen).toEqual([items[1]]);
  });
});

describe('what a patient waits for', () => {
  const entry = (given: object = {}) => ({
    id: 'entry-1',
    visitType: 'Control',
    providerName: null,
    earliestOn: '2026-11-25',
    latestOn: '2026-11-30',
    fromTime: null,
    untilTime: null,
    offeredAt: null,
    status: 'waiting',
    ...given,
  });
  const told = (items: object[]) =>
    shown({
      page: pages.waitlist.PatientWaitlist,
      props: { patient: wendy },
      at: '/',
      answers: [
        [pages.api.getWaitlistOptions({ query: { patientId: wendy.id, open: 'true', limit: 20 } }), { items }],
        [pages.api.getProvidersOptions(), { items: [{ name: 'Dr.Chen', displayName: 'Dr. Emily Chen' }] }],
      ],
    }).text;

  test.each<[given: object, words: string]>([
    [{}, 'Control, any provider Nov 25 to Nov 30 Remove'],
    [{ providerName: 'Dr.Chen' }, 'Control, Dr. Emily Chen Nov 25 to Nov 30'],
    [
      { offeredAt: '2026-11-30T15:00:00Z', status: 'offered' },
      'Nov 25 to Nov 30 Mon, Nov 30, 2026, 10:00 AM is held for them, and they are being called. Remove',
    ],
  ])('%j', (given, words) => {
    expect(told([entry(given)])).toContain(words);
  });

  test('or nothing', () => {
    expect(told([])).toContain('Not on the waitlist.');
    expect(told([entry({ status: 'booked' })])).not.toContain('Remove');
    expect(told([entry()])).not.toMatch(/held|Not on/);
  });
});

describe('a patient', () => {
  const visit = {
    id: 'visit-1',
    patientId: wendy.id,
    // Sunday evening in New York.
    startsAt: '2026-11-30T01:00:00Z',
    endsAt: '2026-11-30T01:30:00Z',
    providerName: 'Dr.Chen',
    providerDisplayName: 'Dr. Chen',
    visitType: 'Visit',
    status: 'booked',
    comment: null,
  };
  const unknown = [
    'address',
    'consent',
    'crmSyncedAt',
    'dateOfBirth',
    'email',
    'identifier',
    'insurance',
    'preferredCallHours',
    'preferredLanguage',
    'reasonForVisit',
    'replacedBy',
    'selfPay',
  ];
  const patient = {
    ...wendy,
    ...Object.fromEntries(unknown.map((name) => [name, null])),
    appointments: [visit],
    changes: [],
    documents: [],
    merges: [],
    patientType: 'EXISTING',
    createdAt: at,
    updatedAt: at,
    registration: { status: 'COMPLETE', missingFields: [] },
  };
  type Answers = [{ queryKey: unknown }, unknown][];
  const told = (given: object = {}, optOuts: object[] = [], rights: string[] = [], more: Answers = []) => {
    const option = pages.api.getPatientsByPatientIdOptions({ path: { patientId: wendy.id } });
    const ofPhone = pages.api.getIntegrationsOptOutsOptions({ query: { phone: wendy.phone, limit: 1 } });
    return shown({
      page: pages.patient.Patient,
      at: `/patients/${wendy.id}`,
      path: '/patients/:patientId',
      answers: [[option, { ...patient, ...given }], [ofPhone, { items: optOuts }], ...more],
      rights,
    });
  };
  /** What happened with her, as it is asked for. */
  const happened = ({ cases = [], calls = [], decisions = [] }: Record<string, object[]>): Answers => {
    const query = { patientId: wendy.id, limit: 20 };
    const { api } = pages;
    const ofDecisions = { path: { patientId: wendy.id }, query: { called: 'false', limit: 20 } } as const;
    return [
      [api.getCasesOptions({ query }), { items: cases }],
      [api.getCallsOptions({ query }), { items: calls }],
      [api.getTasksOptions({ query }), { items: [] }],
      [api.getPatientsByPatientIdCallDecisionsOptions(ofDecisions), { items: decisions }],
    ];
  };
  const decisionAt = (decidedAt: string, given: object = {}) => ({
    at: decidedAt,
    decided: 'wait',
    rule: 'paused',
    stage: 'plan',
    until: null,
    inputs: {},
    workflowId: 'workflow-1',
    workflowType: 'waitlist-offer',
    callId: null,
    ...given,
  });

  test('waits of one workflow that follow each other are one line, with the newest on it', () => {
    const decisions = [
      decisionAt('2026-11-25T14:05:00Z', { decided: 'no_call', rule: 'too_late' }),
      decisionAt('2026-11-25T14:04:00Z'),
      decisionAt('2026-11-25T14:03:00Z', { rule: 'calling_hours' }),
      decisionAt('2026-11-25T14:02:00Z', { workflowId: 'workflow-2' }),
    ];
    const { text } = told({}, [], [], happened({ decisions }));

    expect(text.match(/Not called: Waitlist offer(?:, \d times)?|\w+ waits? before it|Outreach was paused/g)).toEqual([
      'Not called: Waitlist offer',
      'Not called: Waitlist offer, 2 times',
      'Outreach was paused',
      'One wait before it',
      'Not called: Waitlist offer',
      'Outreach was paused',
    ]);
  });

  test('a call about a form, and one that was not placed, are told by the form that was left', () => {
    const recovery = { recoveryCaseId: 'case-1', workflowId: 'workflow-1', formName: 'Intake', createdAt: at };
    const call = { id: 'call-1', createdAt: at, state: 'ENDED', ending: null, summary: null };
    const calls = [
      { ...call, workflowType: 'abandonment-recovery', workflowId: 'workflow-1', formName: 'Intake' },
      { ...call, id: 'call-2', workflowType: 'waitlist-offer', workflowId: 'workflow-2', formName: null },
    ];
    const decisions = [decisionAt(at, { workflowType: 'abandonment-recovery' })];
    const cases = [{ ...recovery, recoveryStatus: 'PENDING' }];
    const deliveries = pages.api.getDeliveriesOptions({ query: { subject: 'case-1', limit: 20 } });
    const { text } = told({}, [], [], [...happened({ cases, calls, decisions }), [deliveries, { items: [] }]]);

    expect(text.match(/(?:Call|Not called): (?:Form “Intake”|[A-Z]\w+ \w+)/g)).toEqual([
      'Call: Form “Intake”',
      'Call: Waitlist offer',
      'Not called: Form “Intake”',
    ]);
  });

  const optOut = (scope: string) => [
    {
      id: 'opt-out-1',
      phone: wendy.phone,
      scope,
      source: 'staff',
      addedBy: 'account-1',
      addedByName: 'Ana',
      createdAt: at,
    },
  ];

  test.each<[what: string, given: object, optOuts: object[], rights: string[], told: string[]]>([
    ['may be called', {}, [], ['patients'], ['Stop calling']],
    [
      'is called about some things',
      {},
      optOut('recovery_and_reminders'),
      ['patients'],
      ['Do not call: recovery', 'Allow again', 'Stop calling'],
    ],
    ['is not called', {}, optOut('all'), ['patients'], ['Do not call', 'Allow again']],
    ['is not called, for who may only read it', {}, optOut('all'), [], ['Do not call']],
    ['may be called, for who may only read it', {}, [], [], []],
    ['has no phone', { phone: null }, [], ['patients'], ['No phone is on file']],
  ])('who %s', (_what, given, optOuts, rights, words) => {
    const { text } = told(given, optOuts, rights);

    expect(text.match(/Do not call(?:: recovery)?|Allow again|Stop calling|No phone is on file/g) ?? []).toEqual(words);
  });

  test.each<[undoUntil: string, rights: string[], words: string[]]>([
    ['2026-11-25T14:30:00.001Z', ['patients'], ['Another record was merged', 'Undo the merge']],
    ['2026-11-25T14:30:00.001Z', [], ['Another record was merged']],
    ['2026-11-25T14:30:00.000Z', ['patients'], []],
  ])('a merge that can be undone until %s, by who has %j', (undoUntil, rights, words) => {
    const merge = {
      id: '1',
      replacedId: 'patient-2',
      mergedAt: at,
      mergedBy: 'account:1',
      mergedByName: 'Ana',
      undoUntil,
    };
    const { text, links } = told({ merges: [merge] }, [], rights);

    expect(text.match(/Another record was merged|Undo the merge/g) ?? []).toEqual(words);
    expect(links.includes('/patients/patient-2')).toBe(words.length > 0);
  });

  test('a record that was merged into another leads to that one', () => {
    const { text, links } = told({ replacedBy: 'patient-2' });

    expect(text).toContain('This record was merged into another one');
    expect(links).toContain('/patients/patient-2');
  });

  test('a visit leads to the day of the calendar on which it is in the clinic', () => {
    expect(told().links).toContain('/calendar?provider=Dr.Chen&week=2026-11-29');
  });

  test.each<[given: object, words: string]>([
    [{ insurance: { planName: 'Aetna' } }, 'Insurance and payment Plan name Aetna'],
    [{ selfPay: { priceCents: 12_000 } }, 'Insurance and payment Price 120.00'],
    [
      { insurance: { planName: 'Aetna' }, selfPay: { priceCents: 12_000 } },
      'Insurance and payment Plan name Aetna Price 120.00',
    ],
  ])('who pays for a visit: %j', (given, words) => {
    expect(told(given).text).toContain(words);
    expect(told().text).not.toContain('Insurance and payment');
  });

  test.each<[registration: object, words: string]>([
    [{ status: 'COMPLETE', missingFields: [] }, 'Registration Status Registered'],
    [
      { status: 'ACTION_REQUIRED', missingFields: ['healthPlanName', 'medicareStatus', 'commsConsent'] },
      'Registration Not complete Still missing: health plan, Medicare status, whether they may be contacted. Status Registration to complete',
    ],
    [{ status: 'COMPLETE', missingFields: [], commsConsent: false }, 'Status Registered Agreed to be contacted No'],
    [{ status: 'COMPLETE', missingFields: [], commsConsent: true }, 'Status Registered Agreed to be contacted Yes'],
  ])('whose registration is %j', (registration, words) => {
    expect(told({ registration: { commsConsent: null, ...registration } }).text).toContain(words);
  });

  test('beside the name stands what a registration still needs, and how much more that is', () => {
    const beside = (...missingFields: string[]) =>
      told({ registration: { status: 'ACTION_REQUIRED', missingFields } }).text.match(
        /Registration to complete still missing: .*? \(303\)/,
      )?.[0];

    expect(beside('email', 'healthPlanName')).toBe('Registration to complete still missing: e-mail, health plan (303)');
    expect(beside('lastName', 'email', 'healthPlanName', 'referralSource', 'commsConsent')).toBe(
      'Registration to complete still missing: last name, e-mail, health plan and 2 more (303)',
    );
  });

  test.each<[given: object, words: string]>([
    [
      { phone: '+13035550143', email: 'wendy@example.com', identifier: 'MRN-7', dateOfBirth: '1980-02-29' },
      'Wendy Ivanov, born Feb 29, 1980 · (303) 555-0143 · wendy@example.com · MRN-7 · on record since',
    ],
    [{ phone: null, email: 'wendy@example.com' }, 'Wendy Ivanov · wendy@example.com · on record since'],
    [{ phone: null, identifier: 'MRN-7' }, 'Wendy Ivanov · MRN-7 · on record since'],
    [{ phone: null }, 'Wendy Ivanov · on record since'],
  ])('who may be the same person is known by %j', (given, words) => {
    const other = { ...patient, id: 'patient-2', ...given };
    const { text } = shown({
      page: pages.merge.Comparison,
      props: { patient, otherId: other.id, onClose: () => undefined },
      at: '/',
      answers: [[pages.api.getPatientsByPatientIdOptions({ path: { patientId: other.id } }), other]],
    });

    expect(text.slice(text.indexOf('The other record')).replaceAll(' , ', ', ')).toContain(words);
  });
});

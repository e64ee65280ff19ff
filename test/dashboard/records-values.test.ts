import { dashboardModules, linksIn, type Stage, textsIn } from './stage/dashboard';

/** What the pages of one record, of a day and of a person's day show, without a browser. */
type Option = (given: object) => { queryKey: unknown };
interface Modules {
  api: Record<
    | 'getCallsByCallIdOptions'
    | 'getCasesByRecoveryCaseIdOptions'
    | 'getDayListOptions'
    | 'getDeliveriesByDeliveryIdOptions'
    | 'getPatientsByPatientIdOptions'
    | 'getTasksOptions',
    Option
  >;
  call: { Call: unknown };
  case: { Case: unknown };
  day: { DayList: unknown };
  delivery: { Delivery: unknown };
  mine: { MyDay: unknown };
  patient: { Patient: unknown };
}

let pages: Modules & Stage;

beforeAll(async () => {
  pages = await dashboardModules<Modules>({
    api: require.resolve('../../dashboard/http/api.ts'),
    call: require.resolve('../../dashboard/pages/outreach/call.tsx'),
    case: require.resolve('../../dashboard/pages/outreach/case.tsx'),
    day: require.resolve('../../dashboard/pages/calendar/day-list.tsx'),
    delivery: require.resolve('../../dashboard/pages/events/delivery.tsx'),
    mine: require.resolve('../../dashboard/pages/tasks/my-day.tsx'),
    patient: require.resolve('../../dashboard/pages/patients/patient.tsx'),
  });
});

/** It is 9:30 on a Wednesday in New York. */
beforeEach(() => jest.useFakeTimers({ now: Date.parse('2026-11-25T14:30:00Z') }));
afterEach(() => jest.useRealTimers());

const at = '2026-11-25T14:00:00Z';
const wendy = { id: 'patient-1', firstName: 'Wendy', lastName: 'Ivanov', phone: '+13035550142' };

interface Asked {
  page: unknown;
  at: string;
  path?: string;
  answers: [{ queryKey: unknown }, unknown][];
  rights?: string[];
}
function shown({ page, answers, rights = [], ...where }: Asked) {
  const given = answers.map(([{ queryKey }, answer]): [unknown, unknown] => [queryKey, answer]);
  const markup = pages.show(page, {}, { ...where, answers: given, as: { rights } });
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
    }).text;
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
    [{ patient: { ...wendy, phone: null } }, {}, 'Phone No callable number'],
    [{ workflowStatus: 'started' }, {}, 'Cancel the case'],
  ])('%j with the form %j', (given, inForm, words) => {
    expect(told(given, inForm)).toContain(words);
    expect(told(given, inForm).includes('Cancel the case')).toBe('workflowStatus' in given);
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
});

test('a visit leads to the day of the calendar on which it is in the clinic', () => {
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
  const option = pages.api.getPatientsByPatientIdOptions({ path: { patientId: wendy.id } });

  const { links } = shown({
    page: pages.patient.Patient,
    at: `/patients/${wendy.id}`,
    path: '/patients/:patientId',
    answers: [[option, patient]],
  });

  expect(links).toContain('/calendar?provider=Dr.Chen&week=2026-11-29');
});

import { eventually } from '../support/eventually';
import { dashboardModules, linksIn, radiosIn, type Stage, textsIn } from './stage/dashboard';
import { answering } from './stage/service';

/** What the lists of the dashboard ask of the service and show of its rows, without a browser. */
interface Modules {
  alarm: { AlarmLink: unknown };
  api: Record<
    'getAuditOptions' | 'getBulkJobsOptions' | 'getIntegrationsOutboundEndpointsOptions',
    (given?: object) => { queryKey: unknown }
  >;
  audit: { Audit: unknown };
  bulk: { BulkJobs: unknown };
  tasks: { Tasks: unknown };
  calls: { Calls: unknown; lengthOf: (call: object) => string | null };
  cases: { Cases: unknown };
  deliveries: { Deliveries: unknown };
  patients: { Patients: unknown };
  queue: { Queue: unknown };
  runs: { Runs: unknown };
  waitlist: { Waitlist: unknown };
  widths: { useKeptWidths: (rows: number) => KeptWidths };
}

interface KeptWidths {
  table: { current: object | null };
  widths: object | undefined;
  keep: () => void;
}

let lists: Modules & Stage;

const service = answering({ statusCode: 503, message: 'Busy' });

/** Tells, once it is asked to, that something has another size, perhaps. */
class ToldOfSizes {
  static tell = () => {};
  constructor(tell: () => void) {
    ToldOfSizes.tell = tell;
  }
  observe() {}
  disconnect() {}
}

beforeAll(async () => {
  const files = {
    alarm: require.resolve('../../dashboard/pages/tasks/alarm-link.tsx'),
    api: require.resolve('../../dashboard/http/api.ts'),
    audit: require.resolve('../../dashboard/pages/operations/audit.tsx'),
    bulk: require.resolve('../../dashboard/lists/bulk-jobs.tsx'),
    tasks: require.resolve('../../dashboard/pages/tasks/tasks.tsx'),
    calls: require.resolve('../../dashboard/pages/outreach/calls.tsx'),
    cases: require.resolve('../../dashboard/pages/outreach/cases.tsx'),
    deliveries: require.resolve('../../dashboard/pages/events/deliveries.tsx'),
    patients: require.resolve('../../dashboard/pages/patients/patients.tsx'),
    queue: require.resolve('../../dashboard/pages/outreach/queue.tsx'),
    runs: require.resolve('../../dashboard/pages/outreach/runs.tsx'),
    waitlist: require.resolve('../../dashboard/pages/calendar/waitlist.tsx'),
    widths: require.resolve('../../dashboard/lists/kept-widths.ts'),
  };
  lists = await dashboardModules<Modules>(files, { ...service, ResizeObserver: ToldOfSizes });
});

/** It is 9:30 on a Wednesday in New York. */
beforeEach(() => jest.useFakeTimers({ now: Date.parse('2026-11-25T14:30:00Z') }));
afterEach(() => jest.useRealTimers());

const days = 'from=2026-11-01&until=2026-11-30';
const span = { from: '2026-11-01', until: '2026-12-01' };
const shown = (page: unknown, list: string, rows: object[], at = '/', rights: string[] = []) => {
  const first = { lines: { inUse: 2, total: 5 }, waiting: 0 };
  const markup = lists.show(page, {}, { at, lists: { [list]: rows }, first, as: { rights } });
  return { markup, text: textsIn(markup).join(' ').replaceAll(/\s/g, ' '), links: linksIn(markup) };
};
const wendy = { id: 'patient-1', firstName: 'Wendy', lastName: 'Ivanov' };

describe('calls', () => {
  const asked = (at: string) => lists.filtersOf(lists.calls.Calls, 'getCalls', `/calls?${at}`);

  test.each<[at: string, filters: object]>([
    ['', {}],
    ['show=live', { live: 'true' }],
    ['show=tests', { live: 'true' }],
    ['show=past', { live: 'false' }],
    ['show=other&ending=other&type=other&direction=other&order=other', {}],
    ['ending=voicemail', {}],
    ['ending=not_reached&type=waitlist-offer', { ending: 'not_reached', workflowType: 'waitlist-offer' }],
    ['direction=inbound&patient=1&order=oldest', { direction: 'inbound', patientId: '1', order: 'oldest' }],
    ['direction=outbound&order=newest', { direction: 'outbound', order: 'newest' }],
    [days, span],
  ])('%s asks for %j', (at, filters) => {
    expect(asked(at)).toEqual(filters);
  });

  const call = (id: string, given: object = {}) => ({
    id,
    patient: wendy,
    state: 'ENDED',
    isSimulated: false,
    isTest: false,
    workflowType: 'waitlist-offer',
    direction: 'inbound',
    ending: 'not_reached',
    endedReason: null,
    startedAt: '2026-11-25T14:20:00Z',
    endedAt: '2026-11-25T14:21:30Z',
    createdAt: '2026-11-25T14:00:00Z',
    ...given,
  });
  const rowsAt = (at: string) => {
    const rows = [call('patients'), call('test', { isTest: true })];
    return shown(lists.calls.Calls, 'getCalls', rows, at).links.flatMap(
      ([, to]) => /^\/calls\/(\w+)/.exec(to)?.[1] ?? [],
    );
  };

  test('test calls that are open have a list of their own', () => {
    expect(rowsAt('/calls?show=live')).toEqual(['patients']);
    expect(rowsAt('/calls?show=tests')).toEqual(['test']);
    expect(rowsAt('/calls')).toEqual(['patients', 'test']);
  });

  test('each says what is known of it', () => {
    const { text } = shown(lists.calls.Calls, 'getCalls', [
      call('1', { isTest: true, isSimulated: true }),
      call('2', {
        direction: 'outbound',
        ending: null,
        startedAt: null,
        endedAt: null,
        state: 'QUEUED',
        workflowType: null,
      }),
    ]);

    expect(text).toContain('Patient Status About Direction How it ended Duration Started');
    expect(text).toContain(
      'Wendy Ivanov Ended Simulated Test Waitlist offer Inbound Not reached 1 min 30 s 10 min ago',
    );
    expect(text).toContain('Wendy Ivanov Queued No workflow Outbound – – 30 min ago');
  });

  test.each([
    [null, '2026-11-25T14:00:00Z', null],
    ['2026-11-25T14:00:00Z', null, null],
    ['2026-11-25T14:00:00.000Z', '2026-11-25T14:00:00.999Z', 'under 1 s'],
    ['2026-11-25T14:00:00Z', '2026-11-25T14:00:01Z', '1 s'],
  ])('from %s to %s it lasted %j', (startedAt, endedAt, told) => {
    expect(lists.calls.lengthOf({ startedAt, endedAt })).toBe(told);
  });

  test('nothing is running, nothing matches, or there is none yet', () => {
    const empty = (at: string) => shown(lists.calls.Calls, 'getCalls', [], at).text;

    expect(empty('/calls')).toContain('No call yet A call appears here before the phone rings.');
    expect(empty('/calls?show=live')).toContain('No call is running A call appears here');
    expect(empty('/calls?show=past')).toContain('No call matches');
    expect(empty('/calls?patient=1')).toContain('One patient');
  });
});

test.each<[at: string, filters: object]>([
  ['', {}],
  ['status=RECOVERED&show=open&order=oldest', { recoveryStatus: 'RECOVERED', open: 'true', order: 'oldest' }],
  ['status=other&show=ended&order=name', { open: 'false' }],
  ['show=current', {}],
  ['show=today&from=2026-11-01', { from: '2026-11-25' }],
  [days, span],
  ['called=true&reached=false&lost=maybe&simulated=', { called: 'true', reached: 'false' }],
  ['lost=true&simulated=false', { lost: 'true', simulated: 'false' }],
  ['barrier=price&form=Intake', { barrier: 'price', formName: 'Intake' }],
  ['weekday=7&hour=0&hourReached=23', { weekday: 7, hour: 0, hourReached: 23 }],
  ['provider=Dr.Chen&visitType=Control', { providerName: 'Dr.Chen', visitType: 'Control' }],
])('cases: %s asks for %j', (at, filters) => {
  expect(lists.filtersOf(lists.cases.Cases, 'getCases', `/cases?${at}`)).toEqual(filters);
});

describe('deliveries', () => {
  test.each<[at: string, filters: object]>([
    ['', {}],
    ['state=PENDING', { state: 'PENDING' }],
    ['state=RETRYING', { state: 'PENDING' }],
    ['state=DELIVERED', { state: 'DELIVERED' }],
    ['state=DEAD&order=oldest', { state: 'DEAD', order: 'oldest' }],
    ['state=other&event=other', {}],
    ['event=subscription.event&endpoint=1', { event: 'subscription.event', endpointId: '1' }],
    [`${days}&order=newest`, { ...span, order: 'newest' }],
  ])('%s asks for %j', (at, filters) => {
    expect(lists.filtersOf(lists.deliveries.Deliveries, 'getDeliveries', `/deliveries?${at}`)).toEqual(filters);
  });

  const attempt = { status: 500, error: null };
  const delivery = (id: string, given: object = {}) => ({
    id,
    event: 'recovery_case.outcome',
    about: { patient: wendy },
    isSample: false,
    data: { recoveryStatus: 'RECOVERED' },
    endpoint: null,
    state: 'PENDING',
    attempts: [],
    nextAttemptAt: '2026-11-25T14:30:00Z',
    createdAt: '2026-11-25T14:00:00Z',
    ...given,
  });
  const told = (rows: object[], at = '/deliveries', rights: string[] = []) =>
    shown(lists.deliveries.Deliveries, 'getDeliveries', rows, at, rights);

  test.each<[given: object, words: string]>([
    [{}, 'Case outcome Wendy Ivanov Recovered Waiting – after the event before it 30 min ago'],
    [{ attempts: [attempt] }, 'Case outcome Wendy Ivanov Recovered Retrying 500 due now 30 min ago'],
    [
      { attempts: [attempt, { status: null, error: 'timeout' }], state: 'DEAD' },
      'Case outcome Wendy Ivanov Recovered Failed No answer in time, after 2 attempts – 30 min ago',
    ],
    [
      { about: null, isSample: true, data: {}, attempts: [{ status: null, error: null }], state: 'DELIVERED' },
      'Case outcome A sample – Delivered The host could not be connected to – 30 min ago',
    ],
    [
      { about: { patient: null }, data: { workflowType: 'waitlist-offer', outcome: 'DECLINED' }, nextAttemptAt: null },
      'Case outcome – Waitlist offer: declined Waiting – – 30 min ago',
    ],
    [{ data: { workflowType: 'waitlist-offer', outcome: 'new' } }, 'Case outcome Wendy Ivanov Waitlist offer Waiting'],
  ])('%j', (given, words) => {
    expect(told([delivery('1', given)]).text).toContain(words);
  });

  test('waiting and retrying are told apart, and the endpoint where there are several', () => {
    const rows = [delivery('waiting'), delivery('retrying', { attempts: [attempt] })];
    const ids = (at: string) => told(rows, at).links.flatMap(([, to]) => /^\/deliveries\/(\w+)/.exec(to)?.[1] ?? []);

    expect([ids('/deliveries?state=PENDING'), ids('/deliveries?state=RETRYING'), ids('/deliveries')]).toEqual([
      ['waiting'],
      ['retrying'],
      ['waiting', 'retrying'],
    ]);
    expect(told(rows, '/deliveries?endpoint=1').text).toContain('Event Patient Content Endpoint Status Last response');
    expect(told(rows).text).toContain('Event Patient Content Status Last response Next try Created');
    expect(
      [told(rows).text, told(rows, '/', ['operations']).text].map((text) => text.includes('Send events again')),
    ).toEqual([false, true]);
  });
});

describe('patients', () => {
  const asked = (at: string) => lists.filtersOf(lists.patients.Patients, 'getPatients', `/patients?${at}`);

  test.each<[at: string, filters: object]>([
    ['', {}],
    ['order=name', { order: 'name' }],
    ['order=-name', { order: '-name' }],
    [`order=oldest&${days}`, { ...span, order: 'oldest' }],
    ['order=born', {}],
  ])('%s asks for %j', (at, filters) => {
    expect(asked(at)).toEqual(filters);
  });

  const patient = (given: object = {}) => ({
    ...wendy,
    phone: '+13035550142',
    email: null,
    dateOfBirth: '1980-02-29',
    registrationStatus: 'COMPLETE',
    isSimilar: false,
    nextAppointment: null,
    createdAt: '2026-11-25T14:00:00Z',
    ...given,
  });
  const told = (rows: object[], rights: string[] = []) =>
    shown(lists.patients.Patients, 'getPatients', rows, '/', rights).text;

  test.each<[given: object, words: string]>([
    [{}, 'Wendy Ivanov (303) 555-0142 – Feb 29, 1980 – 30 min ago'],
    [{ isSimilar: true }, 'Wendy Ivanov Similar name (303)'],
    [{ registrationStatus: 'ACTION_REQUIRED' }, 'Wendy Ivanov Known only from a form or call (303)'],
    [
      {
        email: 'w@example.com',
        nextAppointment: { startsAt: '2026-11-30T15:00:00Z', providerDisplayName: 'Dr. Chen' },
      },
      'w@example.com Feb 29, 1980 Mon, Nov 30, 2026, 10:00 AM Dr. Chen 30 min ago',
    ],
  ])('%j', (given, words) => {
    expect(told([patient(given)])).toContain(words);
  });

  test('where all names are only similar it is said above them', () => {
    const similar = patient({ id: '2', isSimilar: true });

    expect([[similar], [similar, patient()], []].map((rows) => told(rows).includes('Similar names'))).toEqual([
      true,
      false,
      false,
    ]);
    expect([told([]), told([], ['patients'])].map((text) => text.includes('Register a patient'))).toEqual([
      false,
      true,
    ]);
  });
});

describe('the queue', () => {
  const queued = (given: object = {}) => ({
    workflowId: 'workflow-1',
    patient: wendy,
    recoveryCaseId: null,
    workflowType: 'waitlist-offer',
    dueAt: '2026-11-25T14:00:00Z',
    queuedAt: '2026-11-25T14:20:00Z',
    notAfter: null,
    goesFirst: false,
    isPhoneInCall: false,
    ...given,
  });

  test('who waits for a line, and why before others', () => {
    const { text, links } = shown(lists.queue.Queue, 'getCallingQueue', [
      queued({ goesFirst: true }),
      queued({
        workflowId: 'workflow-2',
        recoveryCaseId: 'case-1',
        isPhoneInCall: true,
        notAfter: '2026-11-25T20:00:00Z',
      }),
      queued({ workflowId: 'workflow-3' }),
    ]);

    expect(text).toContain('Lines Calls running now In use 2 of 5 Waiting Nobody');
    expect(shown(lists.queue.Queue, 'getCallingQueue', [], '/', ['settings']).text).toContain(
      'Calls running now Calling policy',
    );
    expect(text).toContain('Wendy Ivanov 1 Waitlist offer 30 min ago 10 min ago – Priority');
    expect(text).toContain(
      'Wendy Ivanov 2 Waitlist offer 30 min ago 10 min ago Wed, Nov 25, 2026, 3:00 PM On another call',
    );
    expect(text).toMatch(/Wendy Ivanov 3 Waitlist offer 30 min ago 10 min ago – –/);
    expect(links.map(([, to]) => to)).toEqual(expect.arrayContaining(['/patients/patient-1', '/cases/case-1']));
    expect(lists.filtersOf(lists.queue.Queue, 'getCallingQueue', `/queue?${days}`)).toEqual(span);
  });
});

test.each<[at: string, filters: object]>([
  ['', {}],
  [
    'status=started&type=waitlist-offer&outcome=DECLINED',
    { status: 'started', workflowType: 'waitlist-offer', outcome: 'DECLINED' },
  ],
  ['status=other&type=other&outcome=other', {}],
  [days, span],
])('runs: %s asks for %j', (at, filters) => {
  expect(lists.filtersOf(lists.runs.Runs, 'getRuns', `/runs?${at}`)).toEqual(filters);
});

describe('runs', () => {
  const run = (given: object = {}) => ({
    workflowId: 'workflow-1',
    sessionId: null,
    workflowType: 'waitlist-offer',
    patient: wendy,
    recoveryCaseId: null,
    status: 'started',
    outcome: null,
    isSimulated: false,
    attempts: 1,
    next: { step: 'line', rule: null, at: null },
    startedAt: '2026-11-25T14:00:00Z',
    completedAt: null,
    cancelledBy: null,
    lastDecision: null,
    lastCall: null,
    temporalUrl: 'https://temporal.example',
    ...given,
  });

  test.each<[given: object, words: string, to: string]>([
    [{}, 'Wendy Ivanov Waitlist offer Open', '/patients/patient-1'],
    [{ recoveryCaseId: 'case-1' }, 'Wendy Ivanov Waitlist offer Open', '/cases/case-1'],
    [{ patient: null }, 'Nobody known yet Waitlist offer Open', '/runs'],
    [
      { status: 'completed', outcome: 'DECLINED', next: null },
      'Wendy Ivanov Waitlist offer Declined',
      '/patients/patient-1',
    ],
    [{ status: 'completed', next: null }, 'Wendy Ivanov Waitlist offer Completed', '/patients/patient-1'],
    [
      { status: 'failed', outcome: 'DECLINED', next: null },
      'Wendy Ivanov Waitlist offer Failed',
      '/patients/patient-1',
    ],
  ])('%j', (given, words, to) => {
    const { text, links } = shown(lists.runs.Runs, 'getRuns', [run(given)], '/runs');

    expect(text).toContain(words);
    expect(links.map(([, each]) => each)).toContain(to);
  });

  const at = '2026-11-25T14:20:00Z';
  const call = { ending: 'not_reached', endedReason: 'voicemail' };
  const ended = (given: object) => ({ status: 'completed', next: null, ...given });

  test.each<[given: object, words: string]>([
    [{}, 'Waits for a line The call is due and waits for a free line.'],
    [{ next: { step: 'line', rule: null, at } }, 'Waits for a line , due 10 min ago The call is due'],
    [{ next: { step: 'wait', rule: 'paused', at } }, 'Calls Wed, Nov 25, 2026, 9:20 AM Outreach was paused.'],
    [{ next: { step: 'wait', rule: null, at: null } }, 'Calls Its call is not due yet.'],
    [{ next: { step: 'start', rule: null, at } }, 'Starts It is stored and about to start.'],
    [{ next: { step: 'decide', rule: null, at } }, 'Decides It is about to take its next step.'],
    [{ next: { step: 'call', rule: null, at } }, 'In a call A call is under way.'],
    [ended({ status: 'cancelled', cancelledBy: 'Ana', lastCall: call }), 'Cancelled Cancelled by Ana.'],
    [ended({ status: 'cancelled' }), 'Cancelled Cancelled.'],
    [ended({ lastDecision: { decided: 'no_call', rule: 'opted_out' }, lastCall: call }), 'The number is on the list'],
    [ended({ lastDecision: { decided: 'call', rule: 'due' }, lastCall: call }), 'Last call: voicemail answered.'],
    [ended({ outcome: 'DECLINED' }), 'Declined Declined, without a call.'],
    [ended({}), 'Completed – 1'],
  ])('a run %j is told as “%s”', (given, words) => {
    const { text } = shown(lists.runs.Runs, 'getRuns', [run(given)], '/runs');

    expect(text.replaceAll(' ,', ',')).toContain(words.replaceAll(' ,', ','));
    expect(text.includes('Cancel Temporal')).toBe(!('status' in given));
  });

  test('who may operate may cancel many', () => {
    const offered = [[], ['operations']].map((rights) => shown(lists.runs.Runs, 'getRuns', [], '/runs', rights).text);

    expect(offered.map((text) => text.includes('Cancel many'))).toEqual([false, true]);
  });
});

describe('the waitlist', () => {
  const entry = (given: object = {}) => ({
    id: 'entry-1',
    patientId: 'patient-1',
    patientName: 'Wendy Ivanov',
    visitType: 'Control',
    providerName: null,
    phone: '+13035550142',
    earliestOn: '2026-11-25',
    latestOn: '2027-01-10',
    fromTime: null,
    untilTime: null,
    createdAt: '2026-11-25T14:00:00Z',
    status: 'waiting',
    offers: [],
    ...given,
  });
  const offer = {
    offeredAt: '1',
    startsAt: '2026-11-30T15:00:00Z',
    providerDisplayName: 'Dr. Chen',
    status: 'declined',
  };

  test.each<[given: object, told: string[]]>([
    [{}, ['Wendy Ivanov Control Any provider (303) 555-0142 Nov 25 to Jan 10, 2027 30 min ago Waiting']],
    [{ fromTime: '09:00' }, ['Nov 25 to Jan 10, 2027, from 9:00 AM']],
    [{ untilTime: '12:00' }, ['Nov 25 to Jan 10, 2027, before 12:00 PM']],
    [{ fromTime: '09:00', untilTime: '12:00' }, ['Nov 25 to Jan 10, 2027, from 9:00 AM and before 12:00 PM']],
    [{ patientName: '', phone: null, providerName: 'Dr.Who' }, ['Name not given Control Dr.Who']],
    [{ offers: [offer] }, ['30 min ago Declined: Mon, Nov 30, 2026, 10:00 AM with Dr. Chen']],
  ])('%j', (given, told) => {
    const { text } = shown(lists.waitlist.Waitlist, 'getWaitlist', [entry(given)], '/waitlist');

    for (const each of told) expect(text).toContain(each);
  });

  test.each([
    ['waiting', 'Waiting', true],
    ['offered', 'Being called', true],
    ['booked', 'Booked', false],
    ['removed', 'Removed', false],
    ['expired', 'Expired', false],
  ])('%s is told as %s, and taken off the list: %s', (status, word, isRemovable) => {
    const { markup, text } = shown(lists.waitlist.Waitlist, 'getWaitlist', [entry({ status })], '/waitlist');

    expect(text).toContain(`30 min ago ${word}`);
    expect(markup.includes('Remove Control from the waitlist')).toBe(isRemovable);
  });

  test.each([
    ['open', 'Being called'],
    ['accepted', 'Accepted'],
    ['declined', 'Declined'],
    ['lapsed', 'Not taken in time'],
    ['postponed', 'Could not be called in time'],
    ['withdrawn', 'Taken off the list'],
  ])('an offer that is %s is told as %s', (status, word) => {
    const rows = [entry({ offers: [{ ...offer, status }] })];

    expect(shown(lists.waitlist.Waitlist, 'getWaitlist', rows, '/waitlist').text).toContain(`${word}: Mon, Nov 30`);
  });

  test('nobody is waiting, or has ever', () => {
    const empty = ['', '?show=all'].map(
      (at) => shown(lists.waitlist.Waitlist, 'getWaitlist', [], `/waitlist${at}`).text,
    );

    expect(empty[0]).toContain('Nobody is waiting');
    expect(empty[1]).toContain('Nobody has waited yet');
  });

  test.each([
    ['/waitlist', 'open'],
    ['/waitlist?show=all', 'all'],
  ])('%s says that it shows %s of them', (at, chosen) => {
    const { markup, text } = shown(lists.waitlist.Waitlist, 'getWaitlist', [entry()], at);

    expect(text).toContain('Waiting now Everybody');
    expect(radiosIn(markup)).toEqual([
      ['open', chosen === 'open'],
      ['all', chosen === 'all'],
    ]);
  });
});

test.each<[at: string, filters: object]>([
  ['', { open: 'true' }],
  ['show=all', {}],
  ['show=open', { open: 'true' }],
])('the waitlist: %s asks for %j', (at, filters) => {
  expect(lists.filtersOf(lists.waitlist.Waitlist, 'getWaitlist', `/waitlist?${at}`)).toEqual(filters);
});

describe('tasks', () => {
  test.each<[at: string, filters: object]>([
    ['', { state: 'OPEN' }],
    ['show=RESOLVED&order=due', { state: 'RESOLVED', order: 'due' }],
    ['show=all&order=-due', {}],
    ['show=all&order=oldest', { order: 'oldest' }],
    ['show=all&order=newest', { order: 'newest' }],
    ['order=oldest', { state: 'OPEN', order: 'oldest' }],
    ['order=newest', { state: 'OPEN', order: 'newest' }],
    ['order=-due', { state: 'OPEN', order: '-due' }],
    ['who=me', { state: 'OPEN', assigneeId: 'account-1' }],
    [
      'who=account-2&reason=bad_number&priority=HIGH',
      { state: 'OPEN', assigneeId: 'account-2', reason: 'bad_number', priority: 'HIGH' },
    ],
    ['reason=other&priority=other&age=other&due=other', { state: 'OPEN' }],
    ['due=overdue', { state: 'OPEN', dueUntil: '2026-11-24' }],
    ['due=today', { state: 'OPEN', dueUntil: '2026-11-25' }],
    ['due=week', { state: 'OPEN', dueUntil: '2026-12-01' }],
    ['age=day', { state: 'OPEN', until: '2026-11-24T14:00:00.000Z' }],
    ['age=three-days', { state: 'OPEN', until: '2026-11-22T14:00:00.000Z' }],
    ['age=week', { state: 'OPEN', until: '2026-11-18T14:00:00.000Z' }],
    [days, { state: 'OPEN', ...span }],
    ['age=day&until=2026-11-22', { state: 'OPEN', until: '2026-11-23' }],
    ['age=day&until=2026-11-24', { state: 'OPEN', until: '2026-11-24T14:00:00.000Z' }],
  ])('%s asks for %j', (at, filters) => {
    expect(lists.filtersOf(lists.tasks.Tasks, 'getTasks', `/tasks?${at}`)).toEqual(filters);
  });

  const task = (given: object = {}) => ({
    id: 'task-1',
    version: 1,
    reason: 'bad_number',
    state: 'OPEN',
    patient: { ...wendy, phone: '+13035550142', optOut: null },
    priority: 'NORMAL',
    noteCount: 0,
    barrier: null,
    detail: {},
    dueOn: null,
    dueTime: null,
    assignee: null,
    outcome: null,
    canConfirm: false,
    canRetry: false,
    createdAt: '2026-11-25T14:00:00Z',
    resolvedAt: null,
    recoveryCaseId: null,
    ...given,
  });
  const told = (given: object, at = '/tasks') => shown(lists.tasks.Tasks, 'getTasks', [task(given)], at).text;

  test.each<[given: object, words: string]>([
    [{}, 'Correct the phone number The number cannot be reached. Wendy Ivanov (303) 555-0142 – 30 min ago'],
    [{ canConfirm: true }, 'Correct the phone number Book this time'],
    [{ priority: 'HIGH', noteCount: 2 }, 'Correct the phone number High 2 notes The number'],
    [{ detail: { why: 'No answer' } }, 'Correct the phone number Why: No answer Wendy'],
    [{ patient: null }, 'The number cannot be reached. – –'],
    [{ patient: { ...wendy, phone: null, optOut: null } }, 'Wendy Ivanov – 30 min ago'],
    [{ patient: { ...wendy, phone: '+13035550142', optOut: 'all' } }, 'Wendy Ivanov Do not call –'],
    [{ patient: { ...wendy, optOut: 'recovery' } }, 'Wendy Ivanov Do not call: recovery and reminders'],
    [{ dueOn: '2026-11-24' }, 'Yesterday · overdue 30 min ago'],
    [{ dueOn: '2026-11-24', state: 'RESOLVED' }, 'Yesterday 30 min ago'],
    [{ dueOn: '2026-11-26', dueTime: '09:00' }, 'Tomorrow, 9:00 AM 30 min ago'],
  ])('%j', (given, words) => {
    expect(told(given)).toContain(words);
  });

  describe('several at once', () => {
    const rows = [
      task({ version: 3, patient: { ...wendy, firstName: 'Wanda' } }),
      task({ id: 'task-2', state: 'RESOLVED' }),
    ];
    const labels = ['Wanda', 'Wendy'].map((name) => `Select: Correct the phone number, ${name} Ivanov`);
    /** With the rows of these places chosen. */
    const chosen = (places: number[]) => {
      jest.useRealTimers();
      service.requests = [];
      service.replies = [];
      lists.said();
      const acting = lists.act(
        lists.tasks.Tasks,
        {},
        { at: '/tasks?show=all', lists: { getTasks: rows }, answers: [[[{ _id: 'getOverview' }], {}]] },
      );
      for (const place of places) acting.field(labels[place] ?? '').onChange?.({ currentTarget: { checked: true } });
      return { ...acting, text: textsIn(acting.again()).join(' ') };
    };
    const noticed = () =>
      lists.said().map(({ message, label, color }) => `${color}: ${message}${label ? ` ${label}` : ''}`);

    test.each<[places: number[], words: string]>([
      [[], 'Select all'],
      [[0], '1 selected Assign to me High Normal Low Resolve'],
      [[1], '1 selected Assign to me High Normal Low'],
      [[0, 1], '2 selected Assign to me High Normal Low Resolve'],
    ])('of the rows %j is offered “%s”', (places, words) => {
      const { text, field } = chosen(places);
      const label = places.length === 0 ? 'Select all' : `${places.length} selected`;

      const offered = /(?:Select all|\d selected).*?(?= Task )/.exec(text)?.[0];
      expect(offered).toBe(words);
      const all = field(label);
      expect([all.checked, all.indeterminate]).toEqual([places.length === 2, places.length === 1]);
    });

    test('all are selected by one box, and none once some are', () => {
      const { field, again } = chosen([]);
      field('Select all').onChange?.({});
      expect(textsIn(again())).toContain('2 selected');
      field('2 selected').onChange?.({});
      expect(textsIn(again())).toContain('Select all');
    });

    const changed = (...items: object[]) => ({ items });
    const done = { result: 'changed', task: { ...rows[0], version: 4 } };
    const second = { result: 'changed', task: { ...rows[1], version: 2 } };
    const conflict = { result: 'conflict', task: null };

    test.each<[what: string, places: number[], words: string[], reply: object | null]>([
      ['Assign to me', [0], ['green: 1 task is changed.'], changed(done)],
      ['Resolve', [0, 1], ['green: 2 tasks are resolved. Undo'], changed(done, second)],
      [
        'Resolve',
        [0, 1],
        ['green: 1 task is resolved. Undo', 'red: 1 task is left as it is: somebody else has changed it meanwhile.'],
        changed(done, conflict),
      ],
      [
        'Resolve',
        [0, 1],
        ['green: 0 tasks are changed.', 'red: 2 tasks are left as they are: somebody else has changed them meanwhile.'],
        changed(conflict, conflict),
      ],
      ['Assign to me', [0], ['red: Busy.'], null],
    ])('“%s” of the rows %j is told as %j', async (what, places, words, reply) => {
      const { click, stale } = chosen(places);
      service.replies = reply === null ? [] : [reply];
      click(what);
      await eventually(() => stale().length > 0, { every: 2, within: 5_000 });

      const change = what === 'Resolve' ? { state: 'RESOLVED' } : { assigneeId: 'account-1' };
      const asked = { change, tasks: places.map((place) => expect.objectContaining({ id: rows[place]?.id })) };
      expect(service.requests).toEqual([['POST', '/api/tasks/changes', asked]]);
      expect(noticed()).toEqual(words);
      expect(stale()).toContain('getOverview');
    });

    test('what was resolved is opened again, with the versions that it has led to', async () => {
      const { click } = chosen([0]);
      service.replies = [
        changed({ ...done, task: { ...rows[0], version: 9 } }),
        changed({ ...done, task: { ...rows[0], version: 10 } }),
      ];
      click('Resolve');
      let undo: (() => void) | undefined;
      await eventually(() => (undo = lists.said()[0]?.onClick) !== undefined, { every: 2, within: 5_000 });
      undo?.();
      await eventually(() => noticed().includes('green: 1 task is changed.'), { every: 2, within: 5_000 });

      expect(service.requests.slice(1)).toEqual([
        ['POST', '/api/tasks/changes', { tasks: [{ id: 'task-1', version: 9 }], change: { state: 'OPEN' } }],
      ]);
    });
  });

  test.each<[reason: string, detail: object, to: string | null]>([
    [
      'bulk_reads',
      { actor: 'account:1', day: '2026-11-25' },
      '/audit?from=2026-11-25&until=2026-11-25&person=account%3A1',
    ],
    ['emergency_access', { day: '2026-11-25' }, '/audit?from=2026-11-25&until=2026-11-25'],
    ['records_exported', { actor: 'account:1' }, '/audit?person=account%3A1'],
    ['refused_sign_ins', {}, '/audit?action=sign-in.refused'],
    ['bulk_reads', {}, null],
    ['bad_number', { actor: 'account:1' }, null],
  ])('the alarm %s of %j leads to %j', (reason, detail, to) => {
    const [link] = linksIn(lists.show(lists.alarm.AlarmLink, { task: { reason, detail } }));

    expect(link?.[1] ?? null).toBe(to);
  });
});

describe('the audit', () => {
  test.each<[at: string, filters: object]>([
    ['', { reads: 'true' }],
    ['show=changes&person=account:1&action=sign-in', { actor: 'account:1', action: 'sign-in' }],
    ['show=opened&action=sign-in&subject=patient-1', { reads: 'true', action: 'patient.read', subject: 'patient-1' }],
    [days, { reads: 'true', from: '2026-11-01T04:00:00.000Z', until: '2026-12-01T05:00:00.000Z' }],
  ])('%s asks for %j', (at, filters) => {
    expect(lists.filtersOf(lists.audit.Audit, 'getAudit', `/audit?${at}`)).toEqual(filters);
  });

  const entry = (given: object = {}) => ({
    id: 'entry-1',
    at: '2026-11-25T14:00:00Z',
    actor: 'account:1',
    actorName: 'Ana',
    action: 'patient.change',
    route: null,
    patient: wendy,
    subject: null,
    subjects: ['patient-1'],
    address: null,
    requestId: null,
    detail: {},
    ...given,
  });
  const search = { action: 'patient.search', patient: null, subjects: [] };

  test.each<[entries: object[], words: string, links: number]>([
    [[entry()], 'Nov 25, 9:00 AM Ana changed the record of Wendy Ivanov – –', 1],
    [[entry({ address: '127.0.0.1', requestId: 'request-1' })], 'Wendy Ivanov 127.0.0.1 request-1', 1],
    [[entry({ action: 'sign-in' })], 'Ana signed in Wendy Ivanov – –', 1],
    [[entry({ action: 'sign-in', patient: null, subjects: ['1', '2'] })], 'Ana signed in 2 records – –', 0],
    [[entry({ action: 'sign-in', patient: null, subjects: ['1'] })], 'Ana signed in – –', 0],
    [
      [entry({ id: '2', action: 'task.list' }), entry({ action: 'patient.read', route: '/patients/:patientId' })],
      'Ana opened Wendy Ivanov ’s record · one more reading of the same page',
      1,
    ],
    [
      [entry({ id: '3', ...search }), entry({ id: '2', ...search }), entry(search)],
      'Ana searched the patients · 2 more searches while it was typed',
      0,
    ],
  ])('%j', (entries, words, links) => {
    const told = shown(lists.audit.Audit, 'getAudit', entries, '/audit');

    expect(told.text).toContain(words);
    expect(told.links.filter(([, to]) => to.startsWith('/patients/'))).toHaveLength(links);
  });

  test.each<[given: object, ids: string[]]>([
    [{}, ['patient-1']],
    [{ subject: 'task-1' }, ['task-1', 'patient-1']],
    [{ subject: 'task-1', subjects: [] }, ['task-1']],
    [{ subjects: ['patient-1', 'patient-2'] }, ['patient-1', 'patient-2']],
    [{ subjects: [] }, []],
  ])('%j tells who is pointed at it all its ids', (given, ids) => {
    const { markup } = shown(lists.audit.Audit, 'getAudit', [entry(given)], '/audit');
    const [, title = ''] = /<div[^>]* title="([^"]*)"/.exec(markup) ?? [];

    expect(title.split('\n').slice(1)).toEqual(['account:1', 'patient.change', ...ids]);
  });

  test.each<[rights: string[], named: string | null, fields: [placeholder: string, value: string][]]>([
    [[], 'another', [['Patient or record: its id', 'patient-1']]],
    [
      ['patients.read'],
      null,
      [
        ['Patient: name or phone', ''],
        ['Record: its id', 'patient-1'],
      ],
    ],
    [['patients.read'], 'patient-1', []],
  ])('for the rights %j, where the record is found as that of %j, it is searched in %j', (rights, named, fields) => {
    const query = { reads: 'true', subject: 'patient-1', limit: 5 };
    const items = named === null ? [] : [entry({ patient: { ...wendy, id: named } })];
    const markup = lists.show(
      lists.audit.Audit,
      {},
      {
        at: '/audit?subject=patient-1',
        as: { rights },
        answers: [[lists.api.getAuditOptions({ query }).queryKey, { items }]],
      },
    );
    const attribute = (tag: string, name: string) => new RegExp(` ${name}="([^"]*)"`).exec(tag)?.[1] ?? '';
    const inputs = [...markup.matchAll(/<input[^>]*>/g)]
      .map(([tag]) => tag)
      .filter((tag) => / placeholder="[^"]*: /.test(tag));

    expect(inputs.map((tag) => [attribute(tag, 'placeholder'), attribute(tag, 'value')])).toEqual(fields);
    // What has a field of its own has no chip besides.
    const chips = [...markup.matchAll(/ aria-label="Without: ([^"]*)"/g)].map(([, text]) => text);
    expect(chips).toEqual(named === 'patient-1' ? ['Wendy Ivanov'] : []);
    expect(textsIn(markup).includes('Wendy Ivanov')).toBe(named === 'patient-1');
  });
});

describe('the widths of the columns of a table', () => {
  const room = { clientWidth: 900 };
  const cell = (textContent: string, width: number) => ({ textContent, getBoundingClientRect: () => ({ width }) });
  const cells = [cell('Patient', 600), cell('Status', 300)];
  const widths = { Patient: 600, Status: 300 };
  const drawn = () => {
    let [rows, hasHead] = [50, true];
    let found: KeptWidths | undefined;
    const Table = () => {
      found = lists.widths.useKeptWidths(rows);
      found.table.current = { parentElement: room, tHead: hasHead ? { rows: [{ cells }] } : null };
      return null;
    };
    room.clientWidth = 900;
    const acting = lists.act(Table);
    return {
      keep: () => found?.keep(),
      again(count: number, given: { hasHead?: boolean } = {}) {
        [rows, hasHead] = [count, given.hasHead ?? true];
        acting.again();
        return found?.widths;
      },
      /** What follows from how it is shown now. */
      follow: acting.leave,
    };
  };

  test.each<[rows: number, widths: object | undefined]>([
    [49, undefined],
    [50, undefined],
    [51, widths],
    [100, widths],
  ])('that were kept with fifty rows hold with %s: %j', (rows, expected) => {
    const { keep, again } = drawn();
    expect(again(rows)).toBeUndefined();
    again(50);
    keep();

    expect(again(rows)).toEqual(expected);
  });

  test.each<[width: number, widths: object | undefined]>([
    [900, widths],
    [899, undefined],
    [901, undefined],
  ])('hold while there is as much room, 900 px: not with %s', (width, expected) => {
    const { keep, again, follow } = drawn();
    keep();
    again(100);
    follow();
    room.clientWidth = width;
    ToldOfSizes.tell();

    expect(again(100)).toEqual(expected);
  });

  test('are not kept of a table without a head', () => {
    const { keep, again } = drawn();
    again(50, { hasHead: false });
    keep();

    expect(again(100)).toBeUndefined();
  });
});

describe('a job of many steps', () => {
  const job = (given: object = {}) => ({
    id: 'job-1',
    kind: 'resend_deliveries',
    state: 'RUNNING',
    isReplay: false,
    endpointId: null,
    total: 1_200,
    done: 3,
    skipped: 0,
    failed: 0,
    pace: 5,
    waitsFor: null,
    requestedBy: 'Ana',
    createdAt: '2026-11-25T14:20:00Z',
    endedAt: null,
    ...given,
  });
  const told = (jobs: object[], kind = 'resend_deliveries', rights: string[] = []) => {
    const answers: [unknown, unknown][] = [
      [lists.api.getBulkJobsOptions({ query: { limit: 5 } }).queryKey, { items: jobs }],
      [lists.api.getIntegrationsOutboundEndpointsOptions().queryKey, { items: [{ id: 'endpoint-1', name: 'CRM' }] }],
    ];
    return textsIn(lists.show(lists.bulk.BulkJobs, { kind }, { answers, as: { rights } })).join(' ');
  };
  const ended = { state: 'DONE', endedAt: '2026-11-25T14:25:00Z' };

  test.each<[given: object, words: string]>([
    [{}, 'Failed events are being sent again 3 of 1,200. Asked for by Ana, 10 min ago . Now up to 5 a second.'],
    [{ waitsFor: 'receiver' }, '10 min ago . Your endpoint fails: one at a time is tried until it answers.'],
    [{ waitsFor: 'endpoint' }, '10 min ago . It waits until an endpoint is registered and switched on.'],
    [{ waitsFor: 'workflows' }, '10 min ago . Some did not answer yet and are asked again.'],
    [{ skipped: 1_001 }, '1,004 of 1,200, 1,001 of them did not need it any more. Asked for'],
    [{ failed: 2 }, '5 of 1,200, 2 could not be done. Asked for'],
    [{ isReplay: true }, 'Events are being sent again 3 of'],
    [{ endpointId: 'endpoint-1' }, 'Failed events are being sent again (CRM) 3 of'],
    [{ endpointId: 'endpoint-2' }, 'Failed events are being sent again 3 of'],
    [ended, 'Failed events were sent again 3 of 1,200. Asked for by Ana, 10 min ago , ended 5 min ago .'],
    [{ ...ended, isReplay: true }, 'Events were sent again 3 of'],
    [{ ...ended, state: 'STOPPED' }, 'Sending again was stopped 3 of'],
    [{ ...ended, state: 'STOPPED', isReplay: true }, 'Sending again was stopped 3 of'],
    [{ kind: 'cancel_runs' }, 'Runs are being cancelled 3 of 1,200. Asked for by Ana, 10 min ago .'],
    [{ kind: 'cancel_runs', ...ended }, 'Runs were cancelled 3 of'],
    [{ kind: 'cancel_runs', ...ended, state: 'STOPPED' }, 'Cancelling was stopped 3 of'],
  ])('%j', (given, words) => {
    const { kind, state, waitsFor } = job(given);
    const text = told([job(given)], kind);

    expect(text).toContain(words);
    expect(text.includes(', ended')).toBe(state !== 'RUNNING');
    expect(text.includes('a second')).toBe(state === 'RUNNING' && kind === 'resend_deliveries' && waitsFor === null);
  });

  test.each<[what: string, jobs: object[], told: RegExp]>([
    ['none', [], /^$/],
    ['one of another kind', [job({ kind: 'cancel_runs' })], /^$/],
    ['one that ended an hour ago', [job({ ...ended, endedAt: '2026-11-25T13:30:00.000Z' })], /^$/],
    ['one that ended just under an hour ago', [job({ ...ended, endedAt: '2026-11-25T13:30:00.001Z' })], /were sent/],
    ['two', [job({ done: 7 }), job({ id: 'job-2', done: 8 })], /again 7 of/],
    ['one after another kind', [job({ kind: 'cancel_runs' }), job({ done: 8 })], /again 8 of/],
  ])('of %s is told what is known', (_what, jobs, words) => {
    expect(told(jobs)).toMatch(words);
  });

  test('is stopped while it goes on, by who may', () => {
    const stops = [
      told([job()], undefined, ['operations']),
      told([job()]),
      told([job(ended)], undefined, ['operations']),
    ].map((text) => text.endsWith('Stop'));

    expect(stops).toEqual([true, false, false]);
  });
});

test.each<[list: 'audit' | 'calls' | 'cases' | 'deliveries' | 'runs' | 'tasks', at: string, chip: string]>([
  ['audit', 'show=changes', 'What: Changes and sign-ins'],
  ['audit', 'show=opened', 'What: Opened records'],
  ['calls', 'show=live', 'Show: Live'],
  ['calls', 'show=past', 'Show: Past'],
  ['calls', 'show=tests', 'Show: Open test calls'],
  ['calls', 'ending=bad_number', 'How it ended: The number cannot be reached'],
  ['calls', 'type=waitlist-offer', 'About: Waitlist offer'],
  ['calls', 'direction=inbound', 'Direction: Inbound'],
  ['calls', 'direction=outbound', 'Direction: Outbound'],
  ['cases', 'status=PENDING', 'Status: Pending'],
  ['cases', 'show=open', 'Progress: Open'],
  ['cases', 'show=ended', 'Progress: Ended'],
  ['cases', 'show=today', 'Progress: Opened today'],
  ['cases', 'show=current', 'Progress: Open or today’s'],
  ['cases', 'from=2026-11-01', 'From: Nov 1, 2026'],
  ['cases', 'until=2026-11-01', 'Until: Nov 1, 2026'],
  ['deliveries', 'state=PENDING', 'Status: Waiting'],
  ['deliveries', 'state=RETRYING', 'Status: Retrying'],
  ['deliveries', 'state=DELIVERED', 'Status: Delivered'],
  ['deliveries', 'state=DEAD', 'Status: Failed'],
  ['deliveries', 'event=test', 'Event: Test event'],
  ['deliveries', 'endpoint=first', 'Endpoint: Main endpoint'],
  ['deliveries', 'from=2026-11-01', 'From: Nov 1, 2026'],
  ['deliveries', 'until=2026-11-01', 'Until: Nov 1, 2026'],
  ['runs', 'status=started', 'Status: Open'],
  ['runs', 'status=completed', 'Status: Completed'],
  ['runs', 'status=cancelled', 'Status: Cancelled'],
  ['runs', 'status=failed', 'Status: Failed'],
  ['runs', 'type=waitlist-offer', 'About: Waitlist offer'],
  ['runs', 'outcome=DECLINED', 'Outcome: Declined'],
  ['tasks', '', 'Status: Open'],
  ['tasks', 'show=RESOLVED', 'Status: Resolved'],
  ['tasks', 'reason=bad_number', 'About: Correct the phone number'],
  ['tasks', 'due=overdue', ': Overdue'],
  ['tasks', 'due=today', ': Today or overdue'],
  ['tasks', 'due=week', ': In seven days'],
  ['tasks', 'age=day', ': Older than a day'],
  ['tasks', 'age=three-days', ': Older than three days'],
  ['tasks', 'age=week', ': Older than a week'],
  ['tasks', 'priority=HIGH', 'Priority: High'],
  ['tasks', 'from=2026-11-01', 'Opened from: Nov 1, 2026'],
])('the list of %s at ?%s says that it is limited: “%s”', (list, at, chip) => {
  const page = {
    audit: lists.audit.Audit,
    calls: lists.calls.Calls,
    cases: lists.cases.Cases,
    deliveries: lists.deliveries.Deliveries,
    runs: lists.runs.Runs,
    tasks: lists.tasks.Tasks,
  }[list];

  expect(textsIn(lists.show(page, {}, { at: `/?${at}` })).join(' | ')).toContain(chip);
});

import { dashboardModules, linksIn, type Reader, type Stage, textsIn } from './stage/dashboard';
import { adminWithout, type AtDesk, deskOf, stopClock } from './stage/desk';
import { emptyPage } from './stage/page';
import { answering } from './stage/service';

/** What people do about calls, and about the platform that places them, without a browser. */
interface Option {
  (given?: object): { queryKey: unknown };
}
interface Modules {
  api: Record<
    | 'getCallsByCallIdOptions'
    | 'getCasesByRecoveryCaseIdOptions'
    | 'getPausesOptions'
    | 'getProvidersOptions'
    | 'getIntegrationsClosedDaysOptions'
    | 'getIntegrationsHolidaysOptions'
    | 'getIntegrationsRecoveryPolicyOptions'
    | 'getIntegrationsVoiceOptions'
    | 'getIntegrationsPhoneNumbersOptions'
    | 'getTryItScenesOptions',
    Option
  >;
  allow: Record<'AllowCallsForm' | 'AllowNumberForm', unknown>;
  allowed: { AllowedAgain: unknown };
  call: { Call: unknown };
  case: { Case: unknown };
  calling: { Calling: unknown };
  closed: { ClosedDays: unknown };
  importing: { ImportOptOuts: unknown };
  live: { LiveCalls: unknown };
  never: { NeverCallForm: unknown };
  numbers: { PhoneNumbers: unknown };
  optOuts: { OptOuts: unknown };
  pausing: { Pausing: unknown };
  preview: { PreviewCounts: unknown };
  proof: { PlatformProof: unknown };
  runs: { Runs: unknown };
  trying: { TryIt: unknown };
  voice: { Voice: unknown };
  whoIsCalled: { WhoIsCalled: unknown };
}

const service = answering({ statusCode: 503, message: 'Busy' });
const { browser, window } = emptyPage();
let pages: Modules & Stage;
let isNarrow = false;
const desk = deskOf(() => pages, service);

/** Of a file only that there is one. */
const asJson = (request: Request, text: string) => {
  const { method, url, headers } = request;
  const body = text === '' ? undefined : /^[[{]/.test(text) ? text : JSON.stringify('a file');
  return new Request(url, { method, headers, body });
};

beforeAll(async () => {
  Object.assign(window, { matchMedia: (query: string) => ({ matches: isNarrow && query.includes('max-width') }) });
  pages = await dashboardModules<Modules>(
    {
      api: require.resolve('../../dashboard/http/api.ts'),
      allow: require.resolve('../../dashboard/pages/outreach/allow-calls-form.tsx'),
      allowed: require.resolve('../../dashboard/pages/outreach/allowed-again.tsx'),
      call: require.resolve('../../dashboard/pages/outreach/call.tsx'),
      case: require.resolve('../../dashboard/pages/outreach/case.tsx'),
      calling: require.resolve('../../dashboard/pages/outreach/calling.tsx'),
      closed: require.resolve('../../dashboard/pages/outreach/closed-days.tsx'),
      importing: require.resolve('../../dashboard/pages/outreach/import-opt-outs.tsx'),
      live: require.resolve('../../dashboard/pages/outreach/live-calls.tsx'),
      never: require.resolve('../../dashboard/pages/outreach/never-call-form.tsx'),
      numbers: require.resolve('../../dashboard/pages/voice/phone-numbers.tsx'),
      optOuts: require.resolve('../../dashboard/pages/outreach/opt-outs.tsx'),
      pausing: require.resolve('../../dashboard/pages/outreach/pausing.tsx'),
      preview: require.resolve('../../dashboard/pages/outreach/call-preview.tsx'),
      proof: require.resolve('../../dashboard/pages/voice/platform-proof.tsx'),
      runs: require.resolve('../../dashboard/pages/outreach/runs.tsx'),
      trying: require.resolve('../../dashboard/pages/outreach/try-it.tsx'),
      voice: require.resolve('../../dashboard/pages/voice/voice.tsx'),
      whoIsCalled: require.resolve('../../dashboard/pages/outreach/who-is-called.tsx'),
    },
    // A file is sent as it is.
    { ...browser, ...service, fetch: async (request: Request) => service.fetch(asJson(request, await request.text())) },
  );
});

/** It is 9:30 on a Wednesday in New York. */
beforeEach(() => {
  stopClock('2026-11-25T14:30:00Z');
  isNarrow = false;
});
afterEach(() => jest.useRealTimers());

const textOf = (markup: string) => textsIn(markup).join(' ').replaceAll(/\s/g, ' ');
const says = (page: AtDesk) => page.texts().join(' ').replaceAll(/\s/g, ' ');
const busy = { asked: expect.anything(), told: ['red: Busy.'] };
type Answers = [unknown, unknown][];

const refusedOf = (path: string, message: string) =>
  Response.json({ statusCode: 400, message: 'Refused', details: [{ path, message }] }, { status: 400 });

describe('whether a number is called', () => {
  const after = ['getCases', 'getPatients', 'getIntegrations'];

  test.each<
    [
      form: () => unknown,
      props: object,
      field: string,
      chosen: string,
      action: string,
      asked: unknown[],
      reply: object,
      told: string,
    ]
  >([
    [
      () => pages.never.NeverCallForm,
      { patientId: 'patient-1' },
      'Not called about',
      'recovery_and_reminders',
      'Stop calling',
      ['POST', '/api/patients/patient-1/opt-outs', { scope: 'recovery_and_reminders' }],
      { phone: '+13035550142' },
      '(303) 555-0142 is not called any more.',
    ],
    [
      () => pages.never.NeverCallForm,
      { patientId: 'patient-1' },
      '',
      '',
      'Stop calling',
      ['POST', '/api/patients/patient-1/opt-outs', { scope: 'all' }],
      { phone: '+13035550142' },
      '(303) 555-0142 is not called any more.',
    ],
    [
      () => pages.allow.AllowCallsForm,
      { patientId: 'patient-1' },
      'Why',
      'other_person',
      'Allow again',
      ['POST', '/api/patients/patient-1/opt-outs/lift', { reason: 'other_person' }],
      {},
      'This patient may be called again.',
    ],
    [
      () => pages.allow.AllowCallsForm,
      { patientId: 'patient-1' },
      '',
      '',
      'Allow again',
      ['POST', '/api/patients/patient-1/opt-outs/lift', { reason: 'patient_asked' }],
      {},
      'This patient may be called again.',
    ],
    [
      () => pages.allow.AllowNumberForm,
      { optOut: { id: 'opt-out-1', phone: '+13035550142' } },
      'Why',
      'entered_by_mistake',
      'Allow again',
      ['DELETE', '/api/integrations/opt-outs/opt-out-1', null],
      {},
      '(303) 555-0142 may be called again.',
    ],
  ])('is decided in a form: %#', async (form, props, field, chosen, action, asked, reply, told) => {
    let done = 0;
    const page = desk.open(form(), {}, { ...props, onDone: () => (done += 1) });
    if (field !== '') page.field(field).onChange?.(chosen);
    const came = await desk.done(page, () => page.submit(action), reply);
    expect(came.asked).toEqual([asked]);
    expect(came.told).toEqual([`green: ${told}`]);
    expect(came.refreshed).toEqual(expect.arrayContaining(after));
    expect(came.refreshed).toHaveLength(after.length);
    expect(done).toBe(1);
    expect(await desk.done(page, () => page.submit(action))).toMatchObject(busy);
    expect(done).toBe(1);
  });

  test.each<[by: object, told: string]>([
    [
      { actorName: 'Ana', detail: { reason: 'patient_asked' } },
      'May be called again since Nov 25, 9:00 AM Who said so Ana Why The patient wants to be called again',
    ],
    [
      { actorName: null, detail: { reason: 'entered_by_mistake' } },
      'May be called again since Nov 25, 9:00 AM Who said so Your system, over the API Why It was entered by mistake',
    ],
    [{ actorName: 'Ana', detail: {} }, 'May be called again since Nov 25, 9:00 AM Who said so Ana'],
  ])('and since when: %j', (by, told) => {
    expect(textOf(pages.show(pages.allowed.AllowedAgain, { by: { at: '2026-11-25T14:00:00Z', ...by } }))).toContain(
      told,
    );
  });

  const optOut = (given: object) => ({
    id: 'opt-out-1',
    phone: '+13035550142',
    patients: [],
    scope: 'all',
    source: 'staff',
    addedBy: 'account:1',
    addedByName: 'Ana',
    createdAt: '2026-11-25T14:00:00Z',
    ...given,
  });
  const listed = (rows: object[]) =>
    desk.open(pages.optOuts.OptOuts, { lists: { getIntegrations: rows, getIntegrationsOptOuts: rows } });

  test.each<[given: object, told: string]>([
    [{}, '(303) 555-0142 – Anything Staff, Ana Nov 25, 9:00 AM Allow again'],
    [
      { scope: 'recovery_and_reminders', source: 'import', addedByName: null },
      '(303) 555-0142 – Recovery and reminders An imported list Nov',
    ],
    [{ source: 'patient', addedByName: null }, 'The patient Nov'],
    [{ source: 'corrected_number', addedByName: null }, 'Carried over from an earlier number of the patient Nov'],
    [{ source: 'tool', addedBy: 'call:call-1' }, 'The patient, to the agent: the call Nov'],
    [{ source: 'analysis', addedBy: 'call:call-1' }, 'The patient, by the analysis of a call: the call Nov'],
    [{ source: 'staff', addedBy: 'api-key:1' }, 'Your system, over the API Nov'],
    [
      {
        patients: [
          { id: '1', firstName: 'Wendy', lastName: 'Ivanov' },
          { id: '2', firstName: 'Ben', lastName: '' },
        ],
      },
      '(303) 555-0142 Wendy Ivanov Ben Anything',
    ],
  ])('one that is %j is listed as “%s”', (given, told) => {
    expect(says(listed([optOut(given)]))).toContain(told);
  });

  test('a number is added to the list, and nobody is on it or nobody of that name', async () => {
    const page = listed([]);
    expect(says(page)).toContain('Nobody has opted out');
    page.field('Phone').onChange?.('303 555 0142');
    const came = await desk.done(page, () => page.submit(), { phone: '+13035550142' });
    expect(came.asked).toEqual([['POST', '/api/integrations/opt-outs', { phone: '303 555 0142' }]]);
    expect([came.told, came.refreshed]).toEqual([
      ['green: (303) 555-0142 is not called any more.'],
      ['getIntegrations'],
    ]);
  });
});

describe('who would be called', () => {
  const preview = (given: object = {}) => ({
    called: { patients: 0 },
    waiting: [],
    skipped: [],
    runs: 5,
    isComplete: true,
    ...given,
  });

  test.each<[given: object, more: object, told: string]>([
    [{}, {}, 'Nobody would be called now, as lines get free.'],
    [{ called: { patients: 1 } }, {}, '1 patient would be called now, as lines get free.'],
    [{ called: { patients: 2 } }, {}, '2 patients would be called now, as lines get free.'],
    [
      { waiting: [{ reason: 'calling_hours', from: '2026-11-26T14:00:00Z', patients: 2 }] },
      {},
      "2 patients would wait. It was outside the clinic's calling hours. The first from Thu, Nov 26, 2026, 9:00 AM .",
    ],
    [
      { waiting: [{ reason: 'calling_hours', from: null, patients: 2 }] },
      {},
      "2 patients would wait. It was outside the clinic's calling hours.",
    ],
    [
      { waiting: [{ reason: 'paused', from: '2026-11-26T14:00:00Z', patients: 1 }] },
      {},
      '1 patient would wait. Outreach was paused.',
    ],
    [
      { waiting: [{ reason: 'paused', from: null, patients: 1 }] },
      { paused: 'Still paused.' },
      '1 patient would wait. Still paused.',
    ],
    [
      { skipped: [{ reason: 'opted_out', patients: 3 }] },
      {},
      '3 patients would not be called. The number is on the list of those who want no such calls.',
    ],
    [{ isComplete: false }, {}, 'as lines get free. There are more open workflows than the first 5, which these are.'],
  ])('%j %j', (given, more, told) => {
    const markup = textOf(pages.show(pages.preview.PreviewCounts, { preview: preview(given), ...more }));
    expect(markup.endsWith(told)).toBe(true);
  });

  const asking = (isSaved = true) =>
    desk.open(
      pages.whoIsCalled.WhoIsCalled,
      {
        answers: [
          [pages.api.getPausesOptions().queryKey, { items: [], workflowTypes: ['waitlist-offer', 'payment-recovery'] }],
          [pages.api.getProvidersOptions().queryKey, { items: [{ name: 'Dr.Chen', displayName: 'Dr. Chen' }] }],
        ],
      },
      { policy: { maxAttempts: 3 }, isSaved },
    );

  test('is counted by the policy as it stands, when somebody asks', async () => {
    expect(says(asking())).toContain('by the policy as it is saved.');
    const page = asking(false);
    expect(says(page)).toContain('It is not saved yet.');
    expect(page.field('Workflow')['data']).toEqual([
      { value: '', label: 'Any workflow' },
      { value: 'waitlist-offer', label: 'Waitlist offer' },
      { value: 'payment-recovery', label: 'Payment recovery' },
    ]);
    expect(page.field('Provider')['data']).toEqual([
      { value: '', label: 'Any provider' },
      { value: 'Dr.Chen', label: 'Dr. Chen' },
    ]);
    const came = await desk.done(page, () => page.submit(), preview({ runs: 0 }));
    expect(came).toEqual({
      asked: [['POST', '/api/calling-policy/preview', { maxAttempts: 3 }]],
      told: [],
      refreshed: [],
    });
    expect(says(page)).toContain('No open workflow matches.');
    await desk.done(page, () => page.submit(), preview());
    expect(says(page)).toContain('Nobody would be called now');
    expect(await desk.done(page, () => page.submit())).toMatchObject(busy);
  });
});

describe('the calling policy', () => {
  const stored = {
    firstCallDelaySeconds: 60,
    secondsBetweenAttempts: 3_600,
    maxAttempts: 3,
    maxConcurrentCalls: 5,
    callsPerPatientPerDay: null,
    callsPerPatientPerWeek: 4,
    callingHours: { monday: [{ opens: '09:00', closes: '17:00' }] },
    unknownZone: 'country',
    simulatorKeepsPatientHours: false,
    disclosesAutomation: true,
    booksInOwnCalendar: false,
    booksFollowUps: false,
    confirmsBookings: false,
  };
  const opened = (as: Reader = adminWithout()) =>
    desk.open(pages.calling.Calling, {
      as,
      answers: [
        [pages.api.getIntegrationsRecoveryPolicyOptions().queryKey, stored],
        [pages.api.getPausesOptions().queryKey, { items: [], workflowTypes: [] }],
      ],
    });

  test.each<[field: string, value: unknown, change: object]>([
    ['Calls to one patient a day', 2, { callsPerPatientPerDay: 2 }],
    ['Calls to one patient a week', '', { callsPerPatientPerWeek: null }],
    ['Maximum attempts', 4, { maxAttempts: 4 }],
    ['Maximum calls at once', 6, { maxConcurrentCalls: 6 }],
    ['Wait before the first call', 0, { firstCallDelaySeconds: 0 }],
    ['Wait between attempts', 60, { secondsBetweenAttempts: 60 }],
    ['Numbers without a known time zone', 'clinic', { unknownZone: 'clinic' }],
  ])('%s %j is saved', async (field, value, change) => {
    const page = opened();
    const isIt = ({ label, description, onChange }: { label?: unknown; description?: unknown; onChange?: unknown }) =>
      label === field && onChange && (!field.startsWith('Calls to') || description === 'Empty: no limit');
    page.given(isIt).onChange?.(value);
    // That of pauses stands above it.
    const isOfPolicy = ({ form }: { form?: object }) =>
      form !== undefined && 'values' in form && 'maxAttempts' in (form.values as object);
    const came = await desk.done(page, () => page.given(isOfPolicy).form?.submit?.(new Event('submit')), {});
    expect(came.asked).toEqual([['PUT', '/api/integrations/recovery-policy', { ...stored, ...change }]]);
    expect(came.told).toEqual(['green: Saved. What waits for a call is decided by it now.']);
  });

  test('shows no limit as an empty field, and who would be called to who may set it', () => {
    const page = opened();
    expect([
      page.field('Calls to one patient a day')['value'],
      page.field('Calls to one patient a week')['value'],
    ]).toEqual([null, 4]);
    expect(page.given((each) => each['description'] === 'Empty: no limit' && each['value'] === '')).toMatchObject({
      min: 1,
      max: 100,
    });
    expect(says(page)).toContain('Who would be called');
    expect(says(opened(adminWithout('settings')))).not.toContain('Who would be called');
  });

  test.each<[field: string, min: number, max: number]>([
    ['Maximum attempts', 1, 20],
    ['Maximum calls at once', 1, 1_000],
  ])('%s is from %d to %d', (field, min, max) => {
    expect(opened().field(field)).toMatchObject({ min, max });
  });
});

describe('a pause', () => {
  const opened = (at = '/clinic/calling') =>
    desk.open(pages.pausing.Pausing, {
      at,
      as: { role: 'admin' },
      answers: [[pages.api.getPausesOptions().queryKey, { items: [], workflowTypes: ['waitlist-offer'] }]],
    });

  test.each<[typed: Record<string, string>, body: object | null]>([
    [{ Reason: '' }, null],
    [{ Reason: 'A storm' }, { reason: 'A storm' }],
    [
      { Reason: 'A storm', 'What is paused': 'waitlist-offer' },
      { reason: 'A storm', workflowType: 'waitlist-offer' },
    ],
    [{ Reason: 'A storm', 'What is paused': 'new-type' }, { reason: 'A storm' }],
    [
      { Reason: 'A storm', 'Until (Eastern Time)': '2026-11-26T09:00' },
      { reason: 'A storm', until: '2026-11-26T14:00:00.000Z' },
    ],
  ])('of %j asks for %j', async (typed, body) => {
    const page = opened();
    for (const [field, value] of Object.entries(typed)) {
      const [label = ''] = field.split(' (');
      page.given((each) => String(each.label).startsWith(label) && each.onChange).onChange?.(value);
    }
    const came = await desk.done(page, () => page.submit(), {});
    expect(came.asked).toEqual(body === null ? [] : [['POST', '/api/pauses', body]]);
    if (body === null) return;
    expect(came.told).toEqual(['green: Paused. No call begins from now on; those under way go on.']);
    expect(came.refreshed).toEqual(['getCases', 'getPauses', 'getCallingPolicyPreview']);
  });
});

describe('days on which the clinic is closed', () => {
  const year = (items: object[]): Answers => [
    [pages.api.getIntegrationsHolidaysOptions({ query: { year: 2026 } }).queryKey, { items }],
    [
      pages.api.getIntegrationsHolidaysOptions({ query: { year: 2027 } }).queryKey,
      { items: [{ date: '2027-01-01', name: 'New Year' }] },
    ],
  ];
  const christmas = { date: '2026-12-25', name: 'Christmas' };
  const opened = (items: object[], holidays: object[] = []) =>
    desk.open(pages.closed.ClosedDays, {
      as: { role: 'admin' },
      answers: [[pages.api.getIntegrationsClosedDaysOptions().queryKey, { items }], ...year(holidays)],
    });
  const sent = async (page: AtDesk, ...replies: object[]) =>
    desk.done(page, () => page.given('noValidate').onSubmit?.(new Event('submit')), ...replies);
  const saved = 'green: Saved. Nothing can be booked on these days from now on.';

  test('are added, changed and taken away, and saved in their order', async () => {
    const page = opened([christmas]);
    page.click('Add a day');
    page.again();
    page.type('Name of day 2', 'Eve');
    page.again();
    page.type('Date 2', '2026-12-24');
    expect(says(page)).toContain('Changed: Eve');
    const came = await sent(page, {});
    expect(came).toMatchObject({
      asked: [['PUT', '/api/integrations/closed-days', { items: [{ date: '2026-12-24', name: 'Eve' }, christmas] }]],
      told: [saved],
    });

    const other = opened([christmas, { date: '2026-12-31', name: '' }]);
    other.click('Remove 2026-12-31');
    expect(says(other)).toContain('Changed: 2026-12-31');
    other.click('Add a day');
    expect(says(other)).toContain('Changed: a new day, 2026-12-31');
    expect(await sent(other, {})).toMatchObject({
      asked: [['PUT', '/api/integrations/closed-days', { items: [christmas, { date: '', name: '' }] }]],
    });
  });

  test('public holidays that are to come and are not on the list are added at once, or all', () => {
    const holidays = [{ date: '2026-11-25', name: 'Today' }, { date: '2026-11-26', name: 'Thanksgiving' }, christmas];
    const page = opened([christmas], holidays);
    expect(says(page)).toContain('Add all 2 + Thu, Nov 26, 2026 · Thanksgiving + Fri, Jan 1, 2027 · New Year');
    page.click('Add all 2');
    expect(says(page)).toContain('Changed: Thanksgiving, New Year');
    expect(says(page)).not.toContain('Public holidays to come');
    const one = opened([christmas], holidays);
    one.given((each) => Array.isArray(each.children) && each.children.includes('Thanksgiving')).onClick?.();
    expect(says(one)).toContain('Changed: Thanksgiving');
  });

  const refused = (path: string, message: string) =>
    Response.json({ statusCode: 400, message: 'Refused', details: [{ path, message }] }, { status: 400 });
  test.each<[reply: Response, told: string[], shown: string]>([
    [refused('items.0.date', 'is twice on the list'), [], 'This is twice on the list'],
    [refused('items.0.name', 'is too long'), [], 'This is too long'],
    [refused('items', 'is too long'), [], 'The list is too long'],
    [Response.json({ statusCode: 503, message: 'Busy' }, { status: 503 }), ['red: Busy.'], 'Save closed days'],
  ])('that are refused are told so: %#', async (reply, told, shown) => {
    const page = opened([christmas]);
    page.type('Name of day 1', 'Holiday');
    page.again();
    expect((await sent(page, reply)).told).toEqual(told);
    expect(says(page)).toContain(shown);
  });
});

describe('calls that are on now', () => {
  const call = (given: object = {}) => ({
    id: 'call-1',
    patient: { id: 'patient-1', firstName: 'Wendy', lastName: 'Ivanov' },
    phone: '+13035550142',
    isKnown: true,
    isSimulated: false,
    state: 'IN_PROGRESS',
    startedAt: '2026-11-25T14:28:55Z',
    createdAt: '2026-11-25T14:28:00Z',
    direction: 'outbound',
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
  const opened = (items: object[], as: Reader = adminWithout()) => desk.open(pages.live.LiveCalls, { as }, { items });

  test.each<[given: object, told: string[]]>([
    [
      {},
      [
        'On the phone now A voice agent',
        'Wendy Ivanov (303) 555-0142 01:05 We called: Waitlist offer Nothing is settled yet. Take over Show the call',
      ],
    ],
    [{ phone: null, isKnown: false, isSimulated: true }, ['Number withheld Not on file yet Simulated']],
    [{ state: 'RINGING' }, ['Ringing We called']],
    [{ startedAt: null }, ['02:00']],
    [{ direction: 'inbound', formName: 'Intake' }, ['They called: Form “Intake”']],
    [{ appointmentStartsAt: '2026-11-30T15:00:00Z' }, ['visit on Mon, Nov 30, 2026, 10:00 AM']],
    [
      { reasonForVisit: 'Hearing', barrier: { primaryBarrier: 'price' } },
      ['Reason for visit Hearing Primary barrier Price'],
    ],
    [{ lastTool: 'hold_time' }, ['Nothing is settled yet. Last: Hold time.']],
  ])('%j are told with what is known', (given, told) => {
    const said = says(opened([call(given)]));
    for (const each of told) expect(said).toContain(each);
    expect(says(opened([call(), call({ id: 'call-2' })]))).toContain('On the phone now (2)');
  });

  test.each<[fact: string, startsAt: string | null, told: string]>([
    ['booked', '2026-11-30T15:00:00Z', 'Booked: Mon, Nov 30, 2026, 10:00 AM'],
    ['booked', null, 'Booked a visit'],
    ['rescheduled', '2026-11-30T15:00:00Z', 'Moved to Mon, Nov 30, 2026, 10:00 AM'],
    ['rescheduled', null, 'Moved the visit'],
    ['cancelled', null, 'Cancelled the visit'],
    ['documented', null, 'Wrote a note'],
    ['escalated', null, 'Left a question for the care team'],
    ['billing_escalated', null, 'Left a question for billing'],
    ['self_pay', null, 'The patient pays without insurance'],
    ['insurance_updated', null, 'Checked the insurance: it is valid'],
    ['registered', null, 'Took all that registration needs'],
    ['declined', null, 'The patient declined'],
  ])('%s %j was done in it: “%s”', (fact, startsAt, told) => {
    const said = says(opened([call({ did: [{ fact, startsAt, at: '2026-11-25T14:29:00Z' }] })]));
    expect(said).toContain(told);
    expect(said).not.toContain('Nothing is settled yet');
  });

  test('one is taken over after a question, or it is said why not, and led to', async () => {
    const page = opened([call()]);
    page.click('Take over');
    const question = pages.dialog();
    expect(question.texts.join(' ')).toMatch(
      /^Take this call over\? The follow-up becomes your task, .* Take over Keep it$/,
    );
    const came = await desk.done(page, () => question.click('Take over'), {});
    expect(came.asked).toEqual([['POST', '/api/calls/call-1/take-over', null]]);
    expect(came.told).toEqual(['green: The follow-up is your task.']);
    expect(came.refreshed.toSorted()).toEqual(['getCalls', 'getCases', 'getOverview', 'getRuns', 'getTasks']);

    page.click('Take over');
    pages.dialog().click('Take over');
    for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    const [refused] = pages.said();
    expect(refused).toMatchObject({ message: 'Busy.', color: 'red', label: 'Show the call' });
    refused?.onClick?.();
    expect(await page.address()).toBe('/calls/call-1');
  });

  test.each<[by: string, link: string]>([
    ['account-1', 'Your task'],
    ['account-2', 'Taken over by Ben'],
  ])('one that %s has taken over leads to the task: “%s”', (id, link) => {
    const page = opened([call({ takenOver: { taskId: 'task-1', by: { id, name: 'Ben' } } })]);
    expect(linksIn(page.again())).toContainEqual([link, '/tasks?task=task-1']);
    expect(says(page)).not.toContain('Take over ');
    expect(says(opened([call()], adminWithout('tasks')))).not.toContain('Take over');
  });
});

describe('the page of a call', () => {
  const call = (given: object = {}) => ({
    id: 'call-1',
    patient: { id: 'patient-1', firstName: 'Wendy', lastName: 'Ivanov' },
    state: 'ENDED',
    isSimulated: false,
    isTest: false,
    recoveryCaseId: null,
    workflowType: 'waitlist-offer',
    formName: null,
    direction: 'outbound',
    phone: '+13035550142',
    attempt: 0,
    createdAt: '2026-11-25T14:00:00Z',
    startedAt: null,
    endedAt: null,
    ending: null,
    endedReason: null,
    platformCallId: null,
    workflowId: null,
    summary: null,
    evidence: null,
    whyNow: [],
    tools: [],
    ehrRequests: [],
    ...given,
  });
  const opened = (given: object = {}) =>
    desk.open(pages.call.Call, {
      at: '/calls/call-1',
      path: '/calls/:callId',
      as: { role: 'admin' },
      answers: [[pages.api.getCallsByCallIdOptions({ path: { callId: 'call-1' } }).queryKey, call(given)]],
    });
  const decision = (decided: string) => ({
    stage: 'begin',
    at: '2026-11-25T14:00:00Z',
    rule: 'due',
    decided,
    until: null,
    inputs: {},
  });
  const tool = {
    toolCallId: '1',
    tool: 'hold_time',
    arguments: {},
    result: 'ok',
    success: true,
    startedAt: '2026-11-25T14:00:00Z',
    completedAt: '2026-11-25T14:00:01Z',
  };
  const request = { at: '2026-11-25T14:00:00Z', method: 'GET', path: '/Slot', status: 200, milliseconds: 12 };
  const evidence = { transcript: null, recordingUrl: null, costUsd: null, durationSeconds: null, success: null };

  test.each<[given: object, told: string[], not?: string[]]>([
    [
      {},
      [
        'Call with Wendy Ivanov',
        'The platform sent none.',
        'The agent has used none.',
        'Direction Outbound',
        'Workflow Waitlist offer',
      ],
      ['Test', 'Attempt', 'Answered', 'What was said', 'What your EHR was asked', 'Why it was', 'Close the test call'],
    ],
    [{ patient: { id: '1', firstName: '', lastName: '' } }, ['Call with an unknown patient']],
    [{ patient: { id: '1', firstName: '', lastName: 'Ivanov' } }, ['Call with Ivanov']],
    [{ state: 'IN_PROGRESS' }, ['It is written when the call is over.']],
    [{ summary: 'They agreed' }, ['Summary They agreed'], ['sent none']],
    [
      { attempt: 1, direction: 'inbound', recoveryCaseId: 'case-1', formName: 'Intake' },
      ['Attempt 1', 'Direction Inbound', 'Recovery case Show the case', 'Form Intake'],
    ],
    [
      { platformCallId: 'p-1', workflowId: 'w-1', endedReason: 'voicemail', ending: 'not_reached' },
      ['Platform call p-1', 'Workflow w-1', 'Ended reason voicemail', 'How it ended Voicemail answered'],
    ],
    [
      { startedAt: '2026-11-25T14:00:00Z', endedAt: '2026-11-25T14:01:30Z' },
      ['Answered Nov 25, 9:00 AM', 'Ended Nov 25, 9:01 AM', 'Duration 1 min 30 s'],
    ],
    [{ whyNow: [decision('call')] }, ['Why it was called then']],
    [{ whyNow: [decision('call'), decision('withdrawn')] }, ['Why it was not called']],
    [
      { tools: [tool], ehrRequests: [request] },
      ['Hold time Done 1 s', 'What your EHR was asked', 'Hold time GET /Slot 200 12 ms'],
    ],
    [
      { tools: [{ ...tool, success: false }], ehrRequests: [{ ...request, at: '2026-11-25T13:59:59Z', status: null }] },
      ['Hold time Refused', 'GET /Slot no answer 12 ms'],
    ],
    [{ tools: [{ ...tool, success: null, completedAt: null, result: null }] }, ['Hold time Running']],
    [{ evidence }, ['What was said'], ['Talked for', 'Cost', 'Listen at the platform']],
    [
      {
        evidence: {
          transcript: 'Hello',
          recordingUrl: 'https://platform.example/1',
          costUsd: 0.5,
          durationSeconds: 61,
          success: 'true',
        },
      },
      ['Talked for 1 min 1 s', 'Cost $0.50', 'The platform’s evaluation Goal met', 'Listen at the platform', 'Hello'],
    ],
    [
      { evidence: { ...evidence, success: 'false', durationSeconds: 0, costUsd: 0 } },
      ['Goal not met', 'Talked for 0 ms', 'Cost $0.00'],
    ],
    [{ evidence: { ...evidence, success: 'good' } }, ['evaluation good']],
    [{ isTest: true }, ['Test'], ['Close the test call']],
  ])('%j', (given, told, not = []) => {
    const said = says(opened(given));
    for (const each of told) expect(said).toContain(each);
    for (const each of not) expect(said).not.toContain(each);
  });

  test.each<[given: object, isOpen: boolean]>([
    [{ isTest: true, direction: 'inbound', state: 'IN_PROGRESS' }, true],
    [{ isTest: true, direction: 'inbound', state: 'ENDED' }, false],
    [{ isTest: true, direction: 'outbound', state: 'IN_PROGRESS' }, false],
    [{ isTest: false, direction: 'inbound', state: 'IN_PROGRESS' }, false],
  ])('%j can be closed: %s', async (given, isOpen) => {
    const page = opened(given);
    expect(says(page).includes('Close the test call')).toBe(isOpen);
    if (!isOpen) return;
    const came = await desk.done(page, () => page.click('Close the test call'), {});
    expect(came).toEqual({
      asked: [['DELETE', '/api/voice/test-calls/call-1', null]],
      told: ['green: The test call is closed.'],
      refreshed: ['getCases', 'getCalls'],
    });
  });

  test('on a phone what it is about is led to from the top', () => {
    isNarrow = true;
    const links = linksIn(opened({ recoveryCaseId: 'case-1' }).again());
    expect(links).toContainEqual(['Show the patient', '/patients/patient-1']);
    expect(links.filter(([, to]) => to === '/cases/case-1')).toHaveLength(2);
    isNarrow = false;
    expect(linksIn(opened({ recoveryCaseId: 'case-1' }).again())).not.toContainEqual([
      'Show the patient',
      '/patients/patient-1',
    ]);
  });
});

describe('the page of a case', () => {
  const form = {
    formName: null,
    lastPageReached: null,
    totalPages: null,
    completionPercentage: null,
    abandonedAtCheckout: null,
    abandonedAt: null,
    completedAt: null,
    selectedProducts: [],
    resumeUrl: null,
  };
  const opened = (given: object = {}, ofForm: object = {}) => {
    const aCase = {
      recoveryCaseId: 'case-1',
      sessionId: 'session-1',
      workflowId: 'workflow-1',
      workflowStatus: 'started',
      temporalUrl: 'https://temporal.example',
      recoveryStatus: 'PENDING',
      isSimulated: false,
      patient: { id: 'patient-1', firstName: 'Wendy', lastName: 'Ivanov', phone: '+13035550142' },
      timeline: [],
      createdAt: '2026-11-25T14:00:00Z',
      endedAt: null,
      form: { ...form, ...ofForm },
      ...given,
    };
    const { queryKey } = pages.api.getCasesByRecoveryCaseIdOptions({ path: { recoveryCaseId: 'case-1' } });
    return desk.open(pages.case.Case, {
      at: '/cases/case-1',
      path: '/cases/:recoveryCaseId',
      as: { role: 'admin' },
      answers: [[queryKey, aCase]],
    });
  };

  test.each<[ofForm: object, told: string[], not?: string[]]>([
    [
      {},
      ['Phone (303) 555-0142'],
      ['Form', 'Last page', 'Completed', 'Abandoned at', 'Finished', 'Selected', 'Resume link'],
    ],
    [{ formName: 'Intake', lastPageReached: 0, totalPages: 3 }, ['Form Intake', 'Last page page 0 of 3']],
    [{ lastPageReached: 2 }, [], ['Last page']],
    [{ totalPages: 3 }, [], ['Last page']],
    [{ completionPercentage: 0 }, ['Completed 0%']],
    [{ completionPercentage: 45 }, ['Completed 45%']],
    [{ abandonedAtCheckout: true }, ['Abandoned at the checkout']],
    [{ abandonedAtCheckout: false }, ['Abandoned at the form']],
    [
      { abandonedAt: '2026-11-25T14:00:00Z', completedAt: '2026-11-25T14:05:00Z' },
      ['Abandoned Nov 25, 9:00 AM', 'Finished Nov 25, 9:05 AM'],
    ],
    [
      {
        selectedProducts: [
          { productName: 'Aid', unitPrice: 120 },
          { productName: 'Case', unitPrice: 5 },
        ],
      },
      ['Selected Aid ($120.00), Case ($5.00)'],
    ],
    [{ resumeUrl: 'https://form.example/1' }, ['Resume link https://form.example/1']],
  ])('with a form that is %j', (ofForm, told, not = []) => {
    const [, said = ''] = /Patient and form(.*?)Technical details/.exec(says(opened({}, ofForm))) ?? [];
    for (const each of told) expect(said).toContain(each);
    for (const each of not) expect(said).not.toContain(`${each} `);
  });

  test('of who has no phone says so, and on a phone leads to them from the top', () => {
    const patient = { id: 'patient-1', firstName: 'Wendy', lastName: 'Ivanov', phone: null };
    expect(says(opened({ patient }))).toContain('Phone No callable number');
    isNarrow = true;
    expect(linksIn(opened().again()).slice(1, 3)).toEqual([
      ['Show the patient', '/patients/patient-1'],
      ['(303) 555-0142', 'tel:+13035550142'],
    ]);
    expect(linksIn(opened({ patient }).again())).not.toContainEqual(['(303) 555-0142', 'tel:+13035550142']);
  });

  test('is cancelled after a question while it is open', async () => {
    const page = opened();
    page.again();
    page.click('Cancel the case');
    const question = pages.dialog();
    expect([question.texts[0], ...question.texts.slice(2)]).toEqual([
      'Cancel this case?',
      'Cancel the case',
      'Keep it running',
    ]);
    const came = await desk.done(page, () => question.click('Cancel the case'), {});
    expect(came).toEqual({
      asked: [['POST', '/api/workflows/workflow-1/cancel', null]],
      told: ['green: The case is cancelled. It ended as Follow-up required.'],
      refreshed: ['getCases'],
    });
    expect(says(opened({ workflowStatus: 'completed' }))).not.toContain('Cancel the case');
  });
});

describe('a list of numbers that are not to be called', () => {
  const file = { name: 'list.csv', text: async () => 'phone\n+13035550140\r\nnone' };
  const found = { rows: 3, added: 1, widened: 1, refused: [] as object[] };
  const chosen = async (answer: object) => {
    const page = desk.open(pages.importing.ImportOptOuts, { as: { role: 'admin' } });
    const { onChange } = page.given('accept') as unknown as { onChange: (file: object | null) => void };
    const came = await desk.done(page, () => onChange(file), answer);
    return { page, came };
  };

  test('is looked at before it is saved', async () => {
    const { page, came } = await chosen(found);
    expect(came.asked).toHaveLength(1);
    expect(says(page)).toContain(
      'list.csv 3 lines: 1 new number, 1 to be called about nothing at all, 1 without a change. Import 2 Cancel',
    );
    page.click('Cancel');
    expect(says(page)).not.toContain('list.csv');
    const nothing = await desk.done(page, () =>
      (page.given('accept') as unknown as { onChange: (file: null) => void }).onChange(null),
    );
    expect(nothing.asked).toHaveLength(1);
  });

  test('of which many lines cannot be read has the first fifty of them, and says how many more', async () => {
    const refused = Array.from({ length: 52 }, (_, index) => ({ line: index + 2, message: 'is no phone' }));
    const { page } = await chosen({ ...found, rows: 53, added: 1, widened: 0, refused });
    const said = says(page);
    expect(said).toContain(
      '53 lines: 1 new number, 52 that cannot be read. Line 2: +13035550140 is no phone Line 3: none is no phone',
    );
    expect(said.match(/is no phone/g)).toHaveLength(50);
    expect(said).toContain('And 2 more. Import 1 and leave the rest out');
    const { page: whole } = await chosen({ ...found, refused: refused.slice(0, 50) });
    expect(says(whole)).not.toContain('more.');
  });

  test.each<[added: number, widened: number, told: string]>([
    [1, 0, '1 number was added.'],
    [2, 0, '2 numbers were added.'],
    [0, 0, '0 numbers were added.'],
    [0, 1, '1 number that was on the list is now called about nothing at all.'],
    [1, 2, '1 number was added; 2 numbers that were on the list are now called about nothing at all.'],
  ])('of which %d were added and %d widened is told “%s”', async (added, widened, told) => {
    const { page } = await chosen(found);
    page.again();
    const came = await desk.done(page, () => page.click('Import 2'), { added, widened });
    expect([came.asked.length, came.told, came.refreshed]).toEqual([2, [`green: ${told}`], ['getIntegrations']]);
    expect(says(page)).not.toContain('list.csv');
  });

  test('that is refused is told so where it was chosen', async () => {
    const { page, came } = await chosen(Response.json({ statusCode: 400, message: 'Refused' }, { status: 400 }));
    expect(came.told).toEqual([]);
    expect(says(page)).toContain('list.csv Refused.');
  });
});

test('a run that is open is cancelled after a question', async () => {
  const run = {
    workflowId: 'workflow-1',
    sessionId: null,
    workflowType: 'waitlist-offer',
    patient: null,
    recoveryCaseId: null,
    status: 'started',
    outcome: null,
    isSimulated: false,
    attempts: 1,
    next: null,
    startedAt: '2026-11-25T14:00:00Z',
    completedAt: null,
    cancelledBy: null,
    lastDecision: null,
    lastCall: null,
    temporalUrl: 'https://temporal.example',
  };
  const page = desk.open(pages.runs.Runs, { lists: { getRuns: [run] } });
  page.again();
  page.click('Cancel');
  const question = pages.dialog();
  expect(question.texts).toEqual([
    'Cancel this run?',
    'No further call is made. It ends as “Follow-up required”, your endpoint is told so, and a task is opened for staff. This cannot be undone.',
    'Cancel the run',
    'Keep it running',
  ]);
  const came = await desk.done(page, () => question.click('Cancel the run'), {});
  expect(came).toMatchObject({
    asked: [['POST', '/api/workflows/workflow-1/cancel', null]],
    told: ['green: The run is cancelled. It ended as Follow-up required.'],
  });
  expect(came.refreshed).toEqual(['getCases', 'getRuns']);
  expect(says(desk.open(pages.runs.Runs, { lists: { getRuns: [{ ...run, status: 'completed' }] } }))).not.toContain(
    'Cancel Temporal',
  );
});

describe('the proof of the platform', () => {
  const settings = (secret: object | null) => ({ serverUrl: 'https://clinic.example/voice', secret });
  const opened = (secret: object | null) =>
    desk.open(pages.proof.PlatformProof, { as: { role: 'admin' } }, { settings: settings(secret) });

  test.each<[secret: object | null, told: string]>([
    [null, 'This clinic has no secret yet. One is created when you save a key of your own. Create a secret'],
    [
      { createdAt: '2026-11-25T14:00:00Z', lastUsedAt: null },
      'The secret of this clinic was created 30 min ago , and was not used yet. Create a new secret',
    ],
    [
      { createdAt: '2026-11-25T14:00:00Z', lastUsedAt: '2026-11-25T14:20:00Z' },
      'The secret of this clinic was created 30 min ago and last used 10 min ago . Create a new secret',
    ],
  ])('%j is told as “%s”', (secret, told) => {
    expect(says(opened(secret)).endsWith(told)).toBe(true);
  });

  test('is created anew after a question, and shown once', async () => {
    const page = opened(null);
    page.click('Create a secret');
    const question = pages.dialog();
    expect(question.texts.slice(0, 1)).toEqual(['Create a new secret?']);
    const came = await desk.done(page, () => question.click('Create it'), { secret: 'the-secret' });
    expect(came.asked).toEqual([['POST', '/api/integrations/voice/rotate-secret', null]]);
    expect(came.refreshed).toEqual(['getIntegrations']);
    expect(pages.dialog().texts.join(' ')).toMatch(
      /^The new secret of the platform .*the-secret The platform sends it as x-voice-secret\. The old one is accepted for 24 hours\./,
    );
  });
});

describe('the platform that places calls', () => {
  const stored = {
    provider: 'simulator',
    hasApiKey: false,
    hasOperatorAccount: false,
    maySimulate: true,
    credentialId: null,
    phoneNumberId: null,
    assistantId: null,
    assistants: {},
    transferTo: null,
    voicemail: { isDetected: true, leavesMessage: false },
    maxCallSeconds: 600,
    recording: { isOn: false, isDisclosed: false },
    isHipaa: false,
    serverUrl: 'https://clinic.example/voice',
    secret: null,
  };
  const contents = (given: object = {}) => ({
    findings: [],
    assistants: [{ id: 'assistant-1', name: 'Ava' }],
    numbers: [{ id: 'number-1', name: null, number: '+13035550142', isActive: true }],
    ...given,
  });
  const accountKey = [{ _id: 'getIntegrationsVoiceAccount' }];
  const opened = (settings: object = {}, account?: object, rights = ['settings']) =>
    desk.open(pages.voice.Voice, {
      as: { role: 'admin', rights },
      answers: [
        [pages.api.getIntegrationsVoiceOptions().queryKey, { ...stored, ...settings }],
        [
          pages.api.getIntegrationsPhoneNumbersOptions().queryKey,
          {
            items: [
              { number: '+13035550142', platformId: 'number-1', assistantId: null, awaitsOperator: false },
              { number: '+13035550143', platformId: null, assistantId: null, awaitsOperator: false },
            ],
          },
        ],
        ...(account ? [[accountKey, account] as [unknown, unknown]] : []),
      ],
    });
  const formOf = (page: AtDesk) =>
    page.given(({ form }) => form && 'values' in form && 'provider' in (form['values'] as object));
  const valuesOf = (page: AtDesk) => (formOf(page).form as { getValues: () => Record<string, unknown> }).getValues();
  const refusal = {
    findings: [{ path: 'apiKey', message: 'is wrong', code: 'credentials_refused' }],
    assistants: [],
    numbers: [],
  };
  const unreachable = {
    findings: [{ path: 'apiKey', message: '', code: 'platform_unavailable' }],
    assistants: [],
    numbers: [],
  };

  const connect = async (page: AtDesk, ...replies: object[]) => {
    page.type('API key', ' key-1 ');
    page.again();
    return desk.done(
      page,
      () =>
        page.given(({ action }) => action === 'Connect' || action === 'Try again').form?.submit?.(new Event('submit')),
      ...replies,
    );
  };

  test('a key is tried at once, and what there is one of is chosen by itself', async () => {
    const page = opened();
    const came = await connect(page, contents());
    expect(came.asked).toEqual([['POST', '/api/integrations/voice/account', { apiKey: 'key-1' }]]);
    expect(valuesOf(page)).toMatchObject({ apiKey: 'key-1', assistantId: 'assistant-1', phoneNumberId: 'number-1' });
    expect(says(page)).toContain('Vapi takes your key. The account has 1 assistant and 1 number. Use another key');
    page.click('Use another key');
    expect(says(page)).toContain('Connect');
  });

  test.each<[given: object, chosen: object]>([
    [
      {
        assistants: [
          { id: '1', name: 'A' },
          { id: '2', name: 'B' },
        ],
      },
      { assistantId: '', phoneNumberId: 'number-1' },
    ],
    [
      {
        numbers: [
          { id: '1', name: null, number: '+1', isActive: true },
          { id: '2', name: null, number: '+2', isActive: true },
        ],
      },
      { assistantId: 'assistant-1', phoneNumberId: null },
    ],
    [
      {
        numbers: [
          { id: '1', name: null, number: '+1', isActive: false },
          { id: '2', name: null, number: '+2', isActive: true },
        ],
      },
      { phoneNumberId: '2' },
    ],
    [
      { numbers: [], assistants: [] },
      { assistantId: '', phoneNumberId: null },
    ],
  ])('of %j is chosen %j', async (given, chosen) => {
    const page = opened();
    await connect(page, contents(given));
    expect(valuesOf(page)).toMatchObject(chosen);
  });

  test.each<[answer: object, told: string[], key: string]>([
    [refusal, ['The platform does not take this key.', 'Connect'], ''],
    [
      unreachable,
      ['The key was not tried The platform cannot be reached right now; try again in a minute.', 'Try again'],
      '',
    ],
  ])('a key that opens nothing is not kept: %#', async (answer, told, key) => {
    const page = opened();
    await connect(page, answer);
    expect(valuesOf(page)).toMatchObject({ apiKey: key, assistantId: '' });
    const said = says(page);
    for (const each of told) expect(said).toContain(each);
  });

  test.each<[settings: object, account: object | undefined, rights: string[], told: string[], not: string[]]>([
    [
      {},
      undefined,
      ['settings'],
      [
        '1. Account',
        'Next',
        '2. Assistant',
        'Later Once the account is connected, you choose one of its assistants here',
        'Connect',
      ],
      ['A key of your own is kept.', 'The operator’s'],
    ],
    [
      { hasApiKey: true },
      contents(),
      ['settings'],
      ['The account has 1 assistant and 1 number.', 'Use another key'],
      ['Connect ', 'A key of your own is kept.'],
    ],
    [
      { hasApiKey: true },
      contents({ assistants: [], numbers: [] }),
      ['settings'],
      [
        'The account has no assistant and no number.',
        'The account has no assistant yet',
        'The account has no phone number yet',
        'Look again',
      ],
      ['Name another for some calls'],
    ],
    [
      { hasApiKey: true },
      contents({
        assistants: [
          { id: '1', name: 'A' },
          { id: '2', name: null },
        ],
      }),
      ['settings'],
      ['2 assistants', 'Name another for some calls'],
      [],
    ],
    [{ hasApiKey: true }, undefined, [], ['A key of your own is kept.'], ['Connect ']],
    [
      { hasApiKey: true },
      refusal,
      ['settings'],
      ['The key that is kept does not open the account', 'Ask again', 'Connect'],
      [],
    ],
    [
      { hasApiKey: true },
      unreachable,
      ['settings'],
      ['What the account has could not be read', 'Ask again'],
      ['does not open the account'],
    ],
    [
      { hasOperatorAccount: true },
      undefined,
      ['settings'],
      [
        'The operator’s',
        'Your own',
        'An id that the operator gave you.',
        'One of your phone numbers that has a platform id',
      ],
      ['Connect '],
    ],
    [
      { provider: 'vapi' },
      undefined,
      ['settings'],
      ['Real phones ring, through Vapi.', 'Have the simulator play them again'],
      ['Ring real phones'],
    ],
    [
      { provider: 'vapi', maySimulate: false },
      undefined,
      ['settings'],
      ['Real phones ring, through Vapi.'],
      ['Have the simulator'],
    ],
  ])('%j with %j for the rights %j', (settings, account, rights, told, not) => {
    const said = says(opened(settings, account, rights));
    for (const each of told) expect(said).toContain(each);
    for (const each of not) expect(said).not.toContain(each);
  });

  test('what the account has is read by whoever may set it, where there is a key', () => {
    const enabled = (settings: object, rights: string[]) =>
      (opened(settings, undefined, rights).option('getIntegrationsVoiceAccount') as { enabled: boolean }).enabled;
    expect([
      enabled({ hasApiKey: true }, ['settings']),
      enabled({ hasApiKey: true }, []),
      enabled({}, ['settings']),
    ]).toEqual([true, false, false]);
  });

  test('another assistant for some calls is asked for, or there already', () => {
    const page = opened({ hasApiKey: true }, contents());
    page.click('Name another for some calls');
    expect(page.again()).toContain('Assistant: Waitlist offer');
    const named = opened({ hasApiKey: true, assistants: { 'waitlist-offer': 'assistant-1' } }, contents());
    expect(says(named)).not.toContain('Name another for some calls');
    const choose = page.given((each) => each['aria-label'] === 'Assistant: Waitlist offer' && each.onChange);
    expect(choose['data']).toEqual([{ value: 'assistant-1', label: 'Ava' }]);
    choose.onChange?.('assistant-1');
    expect(valuesOf(page)).toMatchObject({ assistants: { 'waitlist-offer': 'assistant-1' } });
    choose.onChange?.(null);
    expect(valuesOf(page)).toMatchObject({ assistants: { 'waitlist-offer': '' } });
  });

  test('the simulator is left after a question, and gone back to without', async () => {
    const page = opened();
    page.click('Ring real phones, through Vapi');
    const question = pages.dialog();
    expect(question.texts.join(' ')).toMatch(
      /^Leave the simulator\? Real phones ring from then on\. .* Leave the simulator Stay$/,
    );
    const came = await desk.done(
      page,
      () => question.click('Leave the simulator'),
      { provider: 'vapi' },
      { passed: true, findings: [] },
    );
    expect(came.asked.slice(0, 1)).toMatchObject([['PUT', '/api/integrations/voice', { provider: 'vapi' }]]);
    expect(came.asked).toContainEqual(['POST', '/api/integrations/voice/check', null]);
    expect(came.told).toEqual(['green: Saved. Real phones ring from now on.']);
    expect(says(page)).not.toContain('The clinic stays on the simulator');

    const kept = opened();
    kept.click('Ring real phones, through Vapi');
    const asked = pages.dialog();
    await desk.done(kept, () => asked.click('Leave the simulator'), refusedOf('apiKey', 'is wrong'));
    expect(says(kept)).toContain('The clinic stays on the simulator');

    const real = opened({ provider: 'vapi' });
    const back = await desk.done(
      real,
      () => real.click('Have the simulator play them again'),
      {
        provider: 'simulator',
      },
      {},
    );
    expect(back.asked.slice(0, 1)).toMatchObject([['PUT', '/api/integrations/voice', { provider: 'simulator' }]]);
    expect(back.told).toEqual(['green: Saved. Nobody is called any more.']);

    const other = opened({ hasOperatorAccount: true });
    const saved = await desk.done(
      other,
      () => other.given(({ noValidate, onSubmit }) => noValidate && onSubmit).onSubmit?.(new Event('submit')),
      {
        provider: 'simulator',
      },
      {},
    );
    expect(saved.told).toEqual(['green: Saved.']);
  });

  test('somebody’s own phone rings as a patient’s would', async () => {
    const page = opened({ hasOperatorAccount: true, assistantId: 'a' });
    page.again();
    const form = page.given(({ action }) => action === 'Call me').form as unknown as {
      submit: () => void;
      setFieldValue: (field: string, value: string) => void;
    };
    form.setFieldValue('phone', '+13035550142');
    const came = await desk.done(page, () => form.submit(), { callId: 'call-1' });
    expect(came).toMatchObject({
      asked: [
        ['POST', '/api/integrations/voice/call-me', { phone: '+13035550142', workflowType: 'appointment-reminder' }],
      ],
      told: ['green: Your phone is about to ring.'],
    });
    expect(linksIn(page.again())).toContainEqual(['Follow the call step by step', '/calls/call-1']);
  });
});

describe('the numbers that patients call', () => {
  const voiceSettings = { provider: 'vapi', hasApiKey: true };
  const item = (given: object = {}) => ({
    number: '+13035550142',
    platformId: null,
    assistantId: null,
    awaitsOperator: false,
    ...given,
  });
  const contents = {
    findings: [],
    assistants: [
      { id: 'assistant-1', name: 'Ava' },
      { id: 'assistant-2', name: 'Ava' },
      { id: 'assistant-3', name: null },
    ],
    numbers: [
      { id: 'number-1', name: 'Desk', number: '+13035550143', isActive: true },
      { id: 'number-2', name: null, number: '+13035550144', isActive: false },
    ],
  };
  const opened = (items: object[], account?: object) =>
    desk.open(pages.numbers.PhoneNumbers, {
      as: { role: 'admin', rights: ['settings'] },
      answers: [
        [pages.api.getIntegrationsPhoneNumbersOptions().queryKey, { items }],
        [pages.api.getIntegrationsVoiceOptions().queryKey, voiceSettings],
        ...(account ? [[[{ _id: 'getIntegrationsVoiceAccount' }], account] as [unknown, unknown]] : []),
      ],
    });
  const save = async (page: AtDesk, ...replies: object[]) =>
    desk.done(page, () => page.given('noValidate').onSubmit?.(new Event('submit')), ...replies);

  test('are chosen from those of the account, with their number', async () => {
    const page = opened([item()], contents);
    page.again();
    const number = page.given((each) => each['placeholder'] === 'Choose a number' && each.onChange);
    expect(number['data']).toEqual([
      { value: 'number-1', label: '(303) 555-0143 · Desk', disabled: false },
      { value: 'number-2', label: '(303) 555-0144 · not active there', disabled: true },
    ]);
    number.onChange?.('number-1');
    page.again();
    const assistant = page.given((each) => each['placeholder'] === 'As in the voice settings' && each.onChange);
    expect((assistant['data'] as { label: string }[]).map(({ label }) => label)).toEqual([
      'Ava (assistant-1)',
      'Ava (assistant-2)',
      'assistant-3',
    ]);
    assistant.onChange?.('assistant-2');
    page.again();
    const came = await save(page, {});
    expect(came).toMatchObject({
      asked: [
        [
          'PUT',
          '/api/integrations/phone-numbers',
          { items: [{ number: '+13035550143', platformId: 'number-1', assistantId: 'assistant-2' }] },
        ],
      ],
      told: ['green: Saved.'],
    });
    page.given((each) => each['placeholder'] === 'Choose a number' && each.onChange).onChange?.(null);
    expect(says(page)).not.toContain('own; the simulator needs none');
  });

  test('one that is not in the account stays in sight', () => {
    const page = opened([item({ platformId: 'gone' })], contents);
    page.again();
    expect(page.given((each) => each['placeholder'] === 'Choose a number' && each.onChange)['data']).toContainEqual({
      value: 'gone',
      label: 'gone (not in this account)',
    });
  });

  test('are typed where the account is not known, added and taken away', async () => {
    const page = opened([item({ awaitsOperator: true })]);
    expect(says(page)).toContain('Waiting for the operator to confirm +13035550142. Until');
    expect(says(page)).toContain('the simulator needs none');
    page.click('Add a number');
    expect(says(page)).toContain('Changed: a new number');
    page.click('Remove the number from the list');
    expect(says(page)).not.toContain('Changed');
    page.click('Remove +13035550142 from the list');
    expect(says(page)).toContain('No number Inbound calls need the number as the voice platform knows it.');
    expect(says(opened([item()]))).not.toContain('Waiting for the operator');
    expect(await save(page, {})).toMatchObject({ asked: [['PUT', '/api/integrations/phone-numbers', { items: [] }]] });
  });

  test.each<[field: 'platformId' | 'assistantId', account: object | undefined]>([
    ['platformId', undefined],
    ['assistantId', undefined],
    ['platformId', contents],
    ['assistantId', contents],
  ])('what is refused of %s stands beside it', async (field, account) => {
    const page = opened([item(), item({ number: '+13035550143' })], account);
    page.again();
    page.type('Number', '12');
    page.again();
    await save(page, refusedOf(`items.0.${field}`, 'is not known'));

    page.again();
    const label = {
      platformId: account ? 'At the platform' : 'Platform id',
      assistantId: account ? 'Who takes calls to it' : 'Assistant id',
    };
    expect(page.given((each) => each['error'] === 'This is not known').label).toBe(label[field]);
  });

  test('that are refused are told with their line', async () => {
    const page = opened([item()]);
    page.type('Number', '12');
    page.again();
    const refused = refusedOf('items.0.number', 'is no number');
    expect((await save(page, refused)).told).toEqual(['red: Number, line 1, is no number.']);
    expect(says(page)).toContain('This is no number');
  });
});

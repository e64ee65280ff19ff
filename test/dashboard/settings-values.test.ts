import { setTimeout as delay } from 'node:timers/promises';
import { eventually } from '../support/eventually';
import { type Computed, dashboardModules, radiosIn, type Stage, textsIn } from './stage/dashboard';

/** What settings are computed from, and what their pages show, without a browser. */
type Option = (given?: object) => { queryKey: unknown };
interface Modules {
  api: Record<
    | 'getIntegrationsClosedDaysOptions'
    | 'getIntegrationsHolidaysOptions'
    | 'getIntegrationsPhoneNumbersOptions'
    | 'getIntegrationsVoiceOptions'
    | 'getPausesOptions'
    | 'getValidationRunsByRunIdOptions',
    Option
  >;
  voice: { Voice: unknown };
  closed: { ClosedDays: unknown };
  hours: { HoursEditor: unknown };
  outbound: { FurtherEndpoints: unknown };
  failures: { ChosenFailures: unknown };
  clients: { SandboxClients: unknown };
  leniency: { SandboxLeniency: unknown };
  style: { CallStyle: unknown };
  forms: { useActionForm: Computed };
  values: Record<'sentenceAt' | 'toChange' | 'toValues', Computed> & { labels: object };
  states: { statesOf: Computed };
  account: Record<'assistantChoices' | 'numberChoices' | 'whyNot' | 'withKept', Computed>;
  events: Record<'eventName' | 'isChosenEvent' | 'isDeliveredEvent' | 'isOutboundEvent', Computed> &
    Record<'chosenOptions' | 'deliveredOptions' | 'eventOptions', { value: string }[]>;
  endpoints: Record<'endpointName' | 'endpointOptions', Computed>;
  errors: { outboundError: Computed };
  samples: { curlOf: Computed };
  health: { ReceiverHealth: unknown };
  texts: Record<'lowerFirst' | 'withoutTicks', Computed>;
  optOuts: { OptOuts: unknown };
  pausing: { Pausing: unknown };
  clock: { SandboxClock: unknown };
  held: { SandboxData: unknown };
  readiness: { ReadinessRun: unknown };
  phones: { PhoneNumbers: unknown };
}

let settings: Modules & Stage;

/** What was asked of the service, which refuses all of it. */
let requests: unknown[] = [];
const service = {
  async fetch(request: Request) {
    const text = await request.text();
    requests.push([request.method, new URL(request.url).pathname, ...(text === '' ? [] : [JSON.parse(text)])]);
    return Response.json({ statusCode: 409, message: 'is refused' }, { status: 409 });
  },
};

beforeAll(async () => {
  settings = await dashboardModules<Modules>(
    {
      api: require.resolve('../../dashboard/http/api.ts'),
      voice: require.resolve('../../dashboard/pages/voice/voice.tsx'),
      closed: require.resolve('../../dashboard/pages/outreach/closed-days.tsx'),
      hours: require.resolve('../../dashboard/forms/hours-editor.tsx'),
      outbound: require.resolve('../../dashboard/pages/events/endpoints.tsx'),
      failures: require.resolve('../../dashboard/pages/sandbox/sandbox-failures.tsx'),
      clients: require.resolve('../../dashboard/pages/sandbox/sandbox-clients.tsx'),
      leniency: require.resolve('../../dashboard/pages/sandbox/sandbox-leniency.tsx'),
      style: require.resolve('../../dashboard/pages/voice/call-style.tsx'),
      forms: require.resolve('../../dashboard/forms/use-action-form.ts'),
      values: require.resolve('../../dashboard/pages/voice/voice-values.ts'),
      states: require.resolve('../../dashboard/pages/voice/step-states.ts'),
      account: require.resolve('../../dashboard/pages/voice/voice-account.ts'),
      events: require.resolve('../../dashboard/pages/events/event-names.ts'),
      endpoints: require.resolve('../../dashboard/pages/events/endpoint-names.ts'),
      errors: require.resolve('../../dashboard/pages/events/outbound-errors.ts'),
      samples: require.resolve('../../dashboard/pages/events/inbound-samples.ts'),
      health: require.resolve('../../dashboard/pages/events/receiver-health.tsx'),
      texts: require.resolve('../../dashboard/pages/sandbox/service-texts.ts'),
      optOuts: require.resolve('../../dashboard/pages/outreach/opt-outs.tsx'),
      pausing: require.resolve('../../dashboard/pages/outreach/pausing.tsx'),
      clock: require.resolve('../../dashboard/pages/sandbox/sandbox-clock.tsx'),
      held: require.resolve('../../dashboard/pages/sandbox/sandbox-data.tsx'),
      readiness: require.resolve('../../dashboard/pages/sandbox/readiness-run.tsx'),
      phones: require.resolve('../../dashboard/pages/voice/phone-numbers.tsx'),
    },
    service,
  );
});

afterEach(() => jest.useRealTimers());

describe('the voice platform', () => {
  const kept = {
    provider: 'vapi',
    hasApiKey: true,
    hasOperatorAccount: true,
    credentialId: 'credential-1',
    phoneNumberId: 'number-1',
    assistantId: 'assistant-1',
    assistants: { 'waitlist-offer': 'assistant-2' },
    transferTo: '+13035550142',
    voicemail: { isDetected: true, leavesMessage: true },
    maxCallSeconds: 600,
    recording: { isOn: true, isDisclosed: true },
    isHipaa: true,
  };
  const valuesOf = (given: object = {}) => settings.values.toValues({ ...kept, ...given }) as Record<string, unknown>;

  test.each([
    [true, true, 'own'],
    [true, false, 'own'],
    [false, false, 'own'],
    [false, true, 'operator'],
  ])(
    'with a key (%s) and an account of the operator (%s) the account is %s',
    (hasApiKey, hasOperatorAccount, account) => {
      expect(valuesOf({ hasApiKey, hasOperatorAccount }).account).toBe(account);
    },
  );

  test('what is not set is empty in the form, and is sent as nothing', () => {
    const unset = { credentialId: null, phoneNumberId: null, assistantId: null, assistants: {}, transferTo: null };
    const values = valuesOf(unset);

    expect(values).toMatchObject({
      apiKey: '',
      credentialId: '',
      phoneNumberId: null,
      assistantId: '',
      transferTo: '',
    });
    expect(new Set(Object.values(values.assistants as object))).toEqual(new Set(['']));
    expect(settings.values.toChange(values)).toEqual({
      ...unset,
      provider: 'vapi',
      apiKey: undefined,
      voicemail: kept.voicemail,
      maxCallSeconds: 600,
      recording: kept.recording,
      isHipaa: true,
    });
  });

  test('what is set is sent as it is', () => {
    const { hasApiKey: _key, hasOperatorAccount: _account, ...sent } = kept;

    expect(settings.values.toChange(valuesOf())).toEqual({ ...sent, apiKey: undefined });
    expect(settings.values.toChange({ ...valuesOf(), apiKey: 'key' })).toEqual({ ...sent, apiKey: 'key' });
    expect(settings.values.toChange({ ...valuesOf(), account: 'operator', apiKey: 'key' })).toEqual({
      ...sent,
      apiKey: null,
    });
  });

  test.each([
    [true, true, true],
    [true, false, false],
    [false, true, false],
  ])('voicemail that is detected (%s) is left a message (%s): %s', (isDetected, leavesMessage, isLeft) => {
    const change = settings.values.toChange({ ...valuesOf(), voicemail: { isDetected, leavesMessage } });

    expect(change).toMatchObject({ voicemail: { isDetected, leavesMessage: isLeft } });
  });

  const style = (given: object) => {
    const initialValues = valuesOf(given);
    const input = { initialValues, labels: settings.values.labels, request: () => undefined };
    const form = settings.use(() => settings.forms.useActionForm({}, input));
    const markup = settings.show(settings.style.CallStyle, { form });
    const boxes = [...markup.matchAll(/<input[^>]*type="checkbox"[^>]*>/g)].map(
      ([tag]) => `${tag.includes(' checked=""') ? 'on' : 'off'}${tag.includes(' disabled=""') ? ', fixed' : ''}`,
    );
    return { boxes, text: textsIn(markup).join(' '), markup };
  };

  test.each<[given: object, boxes: string[]]>([
    [{}, ['on', 'on', 'on', 'on', 'on']],
    [{ voicemail: { isDetected: false, leavesMessage: true } }, ['off', 'on, fixed', 'on', 'on', 'on']],
    [{ voicemail: { isDetected: true, leavesMessage: false } }, ['on', 'off', 'on', 'on', 'on']],
    [{ recording: { isOn: false, isDisclosed: true } }, ['on', 'on', 'off', 'on, fixed', 'on']],
    [{ recording: { isOn: true, isDisclosed: false } }, ['on', 'on', 'on', 'off', 'on']],
    [{ isHipaa: false }, ['on', 'on', 'on', 'on', 'off']],
  ])('calls that go by %j', (given, boxes) => {
    expect(style(given).boxes).toEqual(boxes);
  });

  test.each<[hasApiKey: boolean, isAsked: boolean]>([
    [true, true],
    [false, false],
  ])('with a key of the clinic (%s) its credential is asked for: %s', (hasApiKey, isAsked) => {
    const { text, markup } = style({ hasApiKey });

    expect(text).toMatch(
      /^Number to transfer to .*Longest call .*Detect voicemail Leave a voicemail .*Record calls Say /,
    );
    expect(text.includes('Credential id')).toBe(isAsked);
    expect(markup.includes(' value="credential-1"')).toBe(isAsked);
    expect(markup).toContain(' value="+13035550142"');
  });

  test.each([
    [{ path: 'apiKey', message: 'is refused' }, 'API key is refused.'],
    [{ path: 'assistants.waitlist-offer', message: 'is unknown!' }, 'Assistant: Waitlist offer is unknown!'],
    [{ path: 'other', message: 'is what?' }, 'other is what?'],
    [{ path: '', message: 'Nothing works' }, 'Nothing works.'],
  ])('%j is told as “%s”', (finding, told) => {
    expect(settings.values.sentenceAt(finding)).toBe(told);
  });

  const account = (given: object = {}) => ({
    isOpen: true,
    isAsking: false,
    isUnread: false,
    keptFinding: undefined,
    typedFinding: undefined,
    contents: {
      findings: [],
      assistants: [{ id: 'assistant-1' }, { id: 'assistant-2' }],
      numbers: [{ id: 'number-1' }],
    },
    ...given,
  });
  const closed = account({ isOpen: false, contents: { findings: [], assistants: [], numbers: [] } });
  const states = ({
    values = {},
    errors = {},
    of = {},
    at = account(),
    passed,
  }: { values?: object; errors?: object; of?: object; at?: object; passed?: boolean } = {}) =>
    Object.values(
      settings.states.statesOf({
        settings: { ...kept, ...of },
        form: { values: { ...valuesOf(of), ...values }, errors },
        account: at,
        passed,
      }) as object,
    ).join(' ');
  const nothingChosen = { assistantId: '', assistants: {}, phoneNumberId: null };
  const noKey = { hasApiKey: false };
  const operators = { account: 'operator' };
  const refused = { code: 'credentials_refused' };
  const away = { code: 'platform_unavailable' };

  test.each<[what: string, given: Parameters<typeof states>[0], account: string]>([
    ['all is set up', {}, 'done done done now done'],
    ['the check has passed', { passed: true }, 'done done done done done'],
    ['the check has failed', { passed: false }, 'done done done wrong done'],
    ['the simulator plays', { of: { provider: 'simulator' } }, 'done done done now now'],
    ['nothing is chosen', { values: nothingChosen, of: { provider: 'simulator' } }, 'done now now later later'],
    ['no number is chosen', { values: { phoneNumberId: null } }, 'done done now later done'],
    ['no assistant is chosen', { values: { assistantId: '', assistants: {} } }, 'done now done later done'],
    ['an assistant for some calls is chosen', { values: { assistantId: '' } }, 'done done done now done'],
    ['an assistant is not there', { values: { assistantId: 'assistant-3' } }, 'done wrong done now done'],
    ['a number is not there', { values: { phoneNumberId: 'number-2' } }, 'done done wrong now done'],
    ['the account is empty', { values: nothingChosen, at: { ...closed, isOpen: true } }, 'done wrong wrong later done'],
    ['an assistant was refused', { errors: { 'assistants.waitlist-offer': 'no' } }, 'done wrong done now done'],
    ['a number was refused', { errors: { phoneNumberId: 'no' } }, 'done done wrong now done'],
    [
      'no key is kept, and one was taken',
      { of: { hasApiKey: false, hasOperatorAccount: false } },
      'done done done later done',
    ],
    ['no key is kept', { of: { ...noKey, hasOperatorAccount: false }, at: closed }, 'now later later later done'],
    [
      'a key was refused',
      { of: { ...noKey, hasOperatorAccount: false }, at: closed, errors: { apiKey: 'no' } },
      'wrong later later later done',
    ],
    ['the kept key is refused', { at: { ...closed, keptFinding: refused } }, 'wrong done done now done'],
    ['the typed key is refused', { at: { ...closed, typedFinding: refused } }, 'wrong done done now done'],
    ['the platform is away', { at: { ...closed, keptFinding: away } }, 'now done done now done'],
    [
      'the platform is away for the typed key',
      { at: { ...closed, keptFinding: refused, typedFinding: away } },
      'now done done now done',
    ],
    ['the platform is asked', { at: { ...closed, isAsking: true } }, 'asking done done now done'],
    ['a key is kept that may not be read', { at: { ...closed, isUnread: true } }, 'done done done now done'],
    [
      'the operator’s account',
      { values: { ...operators, ...nothingChosen }, of: { provider: 'simulator' }, at: closed },
      'done optional optional now now',
    ],
    ['the operator’s account with choices', { values: operators, at: closed }, 'done done done now done'],
    ['the operator’s account without a key', { values: operators, of: noKey, at: closed }, 'done done done now done'],
  ])('%s', (_what, given, told) => {
    expect(states(given)).toBe(told);
  });

  test('choices are told apart, and what is chosen stays in sight', () => {
    const contents = {
      assistants: [
        { id: 'a', name: 'Ana' },
        { id: 'b', name: 'Ana' },
        { id: 'c', name: null },
      ],
      numbers: [
        { id: 'n', name: 'Front', number: '+1', isActive: true },
        { id: 'm', name: null, number: '+2', isActive: false },
      ],
    };
    const written = (number: string) => `(${number})`;

    expect(settings.account.assistantChoices({ isOpen: true, contents }, 'a')).toEqual([
      { value: 'a', label: 'Ana (a)' },
      { value: 'b', label: 'Ana (b)' },
      { value: 'c', label: 'c' },
    ]);
    expect(settings.account.numberChoices({ isOpen: true, contents }, 'gone', written)).toEqual([
      { value: 'n', label: '(+1) · Front', disabled: false },
      { value: 'm', label: '(+2) · not active there', disabled: true },
      { value: 'gone', label: 'gone (not in this account)' },
    ]);
    expect(settings.account.withKept([], 'kept', { isOpen: false })).toEqual([{ value: 'kept', label: 'kept' }]);
    expect(settings.account.withKept([], null, { isOpen: false })).toEqual([]);
  });

  test.each([
    [
      { code: 'credentials_refused', path: 'apiKey', message: 'is refused' },
      'The platform does not take this key. Copy the private key anew from your account there, and see that the account is paid for. API key is refused.',
    ],
    [
      { code: 'platform_unavailable', path: '', message: 'timeout' },
      'The platform cannot be reached right now; try again in a minute.',
    ],
    [{ code: 'other', path: 'apiKey', message: 'is odd' }, 'API key is odd.'],
  ])('%j is explained', (finding, told) => {
    expect(settings.account.whyNot(finding)).toBe(told);
  });
});

describe('what is asked of the service', () => {
  const areas = [
    'getSandbox',
    'getAbandonmentRecoverySandboxEmrConfig',
    'getAvailability',
    'getIntegrations',
    'getDeliveries',
    'getRetention',
    'getPatients',
    'getProviders',
    'getPauses',
    'getCallingPolicyPreview',
    'getCases',
    'getTasks',
    'getValidationRuns',
  ];
  const answers = areas.map((_id): [unknown, unknown] => [[{ _id }], {}]);
  const as = { rights: ['settings', 'sandbox'] };
  /** Until it is answered, and what it changes is to be read again; or for a moment where nothing is sent. */
  const answered = async (stale: () => string[], isSent = true) => {
    await (isSent ? eventually(() => stale().length > 0, { every: 2, within: 5_000 }) : delay(10));
    return requests;
  };

  beforeEach(() => {
    requests = [];
  });

  const failure = (name: string, parameters: object[] = []) => ({
    failure: name,
    title: name,
    happens: 'It fails.',
    goodClient: 'Tries again.',
    operations: ['slots', 'book'],
    parameters,
  });
  const seconds = { name: 'delaySeconds', usual: 5, unit: 'seconds' };
  const usual = { failure: 'slow', times: 1, minutes: 60, parameters: {} };

  test.each<[what: string, kinds: object[], typed: [label: string, value: string | number][], body: object]>([
    ['as it is', [failure('slow', [seconds])], [], usual],
    ['for some seconds', [failure('slow', [seconds])], [['Delay', 7]], { ...usual, parameters: { delaySeconds: 7 } }],
    ['for none', [failure('slow', [seconds])], [['Delay', 0]], { ...usual, parameters: { delaySeconds: 0 } }],
    [
      'somewhere, often and long',
      [failure('slow')],
      [
        ['Where', 'book'],
        ['How many times', 3],
        ['Ends after', 5],
      ],
      { ...usual, operation: 'book', times: 3, minutes: 5 },
    ],
    ['where it cannot be', [failure('slow')], [['Where', 'match']], usual],
    ['for a patient', [failure('slow')], [['Only for the patient', ' MRN-1 ']], { ...usual, identifier: 'MRN-1' }],
    ['for no patient', [failure('slow')], [['Only for the patient', '  ']], usual],
    ['the first of several', [failure('first'), failure('slow')], [], { ...usual, failure: 'first' }],
  ])('a failure is chosen %s', async (_what, kinds, typed, body) => {
    const { field, submit, stale } = settings.act(
      settings.failures.ChosenFailures,
      { failures: [], kinds },
      { as, answers },
    );
    for (const [label, value] of typed) field(label).onChange?.(value);
    submit();
    expect(await answered(stale)).toEqual([['POST', '/api/sandbox/failures', body]]);
    expect(stale()).toEqual(['getSandbox']);
  });

  test.each<[jwks: string, isSent: boolean]>([
    ['{ "keys": [] }', true],
    ['{ "keys": [ ', false],
    ['', false],
    ['null', false],
  ])('a client of the sandbox with the keys %j is registered: %s', async (jwks, isSent) => {
    const { field, submit, stale } = settings.act(settings.clients.SandboxClients, {}, { as, answers });
    field('Name').onChange?.('CI');
    field('Key set').onChange?.(jwks);
    submit();
    const registration = ['POST', '/api/sandbox/clients', { name: 'CI', jwks: { keys: [] } }];
    expect(await answered(stale, isSent)).toEqual(isSent ? [registration] : []);
  });

  const leniency = {
    reschedules: true,
    minimumNoticeMinutes: 30,
    maximumNoticeDays: null,
  };
  const lenient = () =>
    settings.act(settings.leniency.SandboxLeniency, { leniency, kinds: [{ rule: 'reschedules' }] }, { as, answers });

  test('a lenient rule is switched, and what it changes is read again', async () => {
    const { field, stale } = lenient();
    field('An appointment is moved by one call').onChange?.({ currentTarget: { checked: false } });
    expect(await answered(stale)).toEqual([['PATCH', '/api/sandbox/leniency', { reschedules: false }]]);
    expect(stale()).toEqual(['getSandbox', 'getAvailability']);
  });

  test.each<[days: string | number, sent: number | null]>([
    ['', null],
    [60, 60],
    [0, 0],
  ])('the notice periods with %j days at most are saved', async (days, maximumNoticeDays) => {
    const { field, submit, stale } = lenient();
    field('Maximum days ahead').onChange?.(days);
    submit();
    expect(await answered(stale)).toEqual([
      ['PATCH', '/api/sandbox/leniency', { minimumNoticeMinutes: 30, maximumNoticeDays }],
    ]);
    expect(stale()).toEqual(['getSandbox', 'getAvailability']);
  });

  const clock = (given: object = {}) =>
    settings.act(
      settings.clock.SandboxClock,
      { clock: { now: '2026-11-25T14:30:00Z', isSet: true, isFrozen: true, ...given } },
      { as, answers },
    );
  const ofClock = ['getSandbox', 'getAvailability', 'getPatients', 'getProviders'];

  test.each<[button: string, request: unknown[]]>([
    ['30 minutes', ['POST', '/api/sandbox/clock/advance', { minutes: 30 }]],
    ['a day', ['POST', '/api/sandbox/clock/advance', { days: 1 }]],
    ['a week', ['POST', '/api/sandbox/clock/advance', { days: 7 }]],
    ['Back to the real time', ['DELETE', '/api/sandbox/clock']],
  ])('the clock of the sandbox is moved by “%s”', async (button, request) => {
    const { click, stale } = clock();
    click(button);
    expect(await answered(stale)).toEqual([request]);
    expect(stale()).toEqual(ofClock);
  });

  test('a snapshot of the sandbox is taken, and all that shows what the sandbox holds is read again', async () => {
    const props = { counts: { patients: 1, booked: 2, documents: 0 }, snapshots: [] };
    const { field, submit, stale } = settings.act(settings.held.SandboxData, props, { as, answers });
    field('Name of the snapshot').onChange?.(' before-import ');
    submit();
    expect(await answered(stale)).toEqual([['POST', '/api/sandbox/snapshots', { name: 'before-import' }]]);
    expect(stale()).toEqual(['getSandbox', 'getAvailability', 'getPatients', 'getProviders']);
  });

  test.each<[goesOn: boolean, isFrozen: boolean]>([
    [false, true],
    [true, false],
  ])('the clock of the sandbox is set by that of the clinic, and runs on: %s', async (goesOn, isFrozen) => {
    const { field, submit, stale } = clock();
    field('Date and time (America/New York)').onChange?.('2026-11-25T09:30');
    field('It runs on from there instead of stopping').onChange?.(goesOn);
    submit();
    const body = { at: '2026-11-25T14:30:00.000Z', isFrozen };
    expect(await answered(stale)).toEqual([['PUT', '/api/sandbox/clock', body]]);
    expect(stale()).toEqual(ofClock);
  });

  test.each<[given: object, told: string, mayGoBack: boolean]>([
    [{}, 'Set, stopped', true],
    [{ isFrozen: false }, 'Set, running', true],
    [{ isSet: false }, 'The real time', false],
  ])('the clock of the sandbox %j is told as “%s”', (given, told, mayGoBack) => {
    const texts = textsIn(clock(given).again());

    expect(['Set, stopped', 'Set, running', 'The real time'].filter((each) => texts.includes(each))).toEqual([told]);
    expect(texts.includes('Back to the real time')).toBe(mayGoBack);
  });

  test('a number that is never to be called is put on the list', async () => {
    const { field, submit, stale } = settings.act(settings.optOuts.OptOuts, {}, { as, answers });
    field('Phone').onChange?.('(303) 555-0142');
    submit();
    expect(await answered(stale)).toEqual([['POST', '/api/integrations/opt-outs', { phone: '(303) 555-0142' }]]);
    expect(stale()).toEqual(['getIntegrations', 'getIntegrationsList']);
  });

  test.each<[typed: Record<string, string>, body: object | null]>([
    [{}, { reason: 'A flood' }],
    [{ 'What is paused': 'waitlist-offer' }, { reason: 'A flood', workflowType: 'waitlist-offer' }],
    [{ 'What is paused': 'other' }, { reason: 'A flood' }],
    [{ Until: '2026-11-25T09:30' }, { reason: 'A flood', until: '2026-11-25T14:30:00.000Z' }],
    [{ Reason: '' }, null],
  ])('outreach is paused: %j', async (typed, body) => {
    const paused = { items: [], workflowTypes: ['waitlist-offer'] };
    const { field, submit, stale } = settings.act(
      settings.pausing.Pausing,
      {},
      { as, answers: [...answers, [settings.api.getPausesOptions().queryKey, paused]] },
    );
    for (const [label, value] of Object.entries({ Reason: 'A flood', ...typed }))
      field(label === 'Until' ? 'Until (America/New York)' : label).onChange?.(value);
    submit();
    expect(await answered(stale, body !== null)).toEqual(body === null ? [] : [['POST', '/api/pauses', body]]);
    expect([...new Set(stale())]).toEqual(body === null ? [] : ['getPauses', 'getCallingPolicyPreview', 'getCases']);
  });

  const run = {
    id: 'run-1',
    label: 'Client',
    state: 'running',
    score: { passed: 1, failed: 2, notSeen: 3, of: 6 },
    isFull: false,
    startedAt: '2026-11-25T14:30:00Z',
    endedAt: null,
    exchanges: 1,
    behaviours: [],
    foreign: { patientReference: 'Patient/1', appointmentReference: 'Appointment/1' },
    clockChanges: { forward: null, back: null },
  };
  const watched = (given: object = {}) => {
    const key = settings.api.getValidationRunsByRunIdOptions({ path: { runId: 'run-1' } }).queryKey;
    return settings.act(
      settings.readiness.ReadinessRun,
      {},
      { as, at: '/readiness/run-1', path: '/readiness/:runId', answers: [...answers, [key, { ...run, ...given }]] },
    );
  };

  test.each([
    ['Send events', '/api/validation-runs/run-1/events'],
    ['End the run', '/api/validation-runs/run-1/end'],
  ])('“%s” of a validation run has it read again', async (button, path) => {
    const { click, stale } = watched();
    click(button);
    expect(await answered(stale)).toEqual([['POST', path]]);
    expect(stale()).toEqual(['getValidationRuns', 'getValidationRunsByRunId']);
  });

  test.each<[state: string, offered: string[]]>([
    ['running', ['It fills while your client works.', 'For your tests', 'Send events', 'End the run']],
    ['ended', []],
  ])('of a validation run that is %s is shown %j', (state, offered) => {
    const texts = textsIn(watched({ state }).again());
    const all = ['It fills while your client works.', 'For your tests', 'Send events', 'End the run'];

    expect(all.filter((each) => texts.includes(each))).toEqual(offered);
    expect(texts).toEqual(expect.arrayContaining(['1 of 6 passed', '1 passed', '2 failed', '3 not seen']));
  });

  describe('phone numbers', () => {
    const stored = [
      { number: '+13035550101', platformId: null, assistantId: null },
      { number: '+13035550102', platformId: 'platform-2', assistantId: 'assistant-2' },
    ];
    const numbers = (change?: (page: ReturnType<typeof settings.act>) => void) => {
      const key = settings.api.getIntegrationsPhoneNumbersOptions().queryKey;
      const page = settings.act(
        settings.phones.PhoneNumbers,
        {},
        { as, answers: [...answers, [key, { items: stored }]] },
      );
      change?.(page);
      return { ...page, markup: page.again() };
    };

    test.each<[what: string, change: Parameters<typeof numbers>[0], told: string | null, items: object[]]>([
      ['nothing', undefined, null, stored],
      [
        'the first',
        ({ field }) => field('Number').onChange?.({ currentTarget: { value: '+13035550103' } }),
        'Changed: +13035550103, +13035550101',
        [{ ...stored[0], number: '+13035550103' }, stored[1] ?? {}],
      ],
      [
        'one more',
        ({ click }) => click('Add a number'),
        'Changed: a new number',
        [...stored, { number: '', platformId: null, assistantId: null }],
      ],
    ])('are saved as they are once %s was changed', async (_what, change, told, items) => {
      const { markup, submit } = numbers(change);
      const texts = textsIn(markup);

      expect(texts.find((text) => /^Changed|^Not saved/.test(text)) ?? null).toBe(told);
      expect(texts.includes('Undo changes')).toBe(told !== null);
      submit();
      await eventually(() => requests.length > 0, { every: 2, within: 5_000 });
      expect(requests).toEqual([['PUT', '/api/integrations/phone-numbers', { items }]]);
    });
  });

  const events = ['recovery_case.created', 'recovery_case.outcome'];

  test.each<[typed: Record<string, unknown>, body: object | null]>([
    [{ URL: ' https://in.example ' }, { name: 'Warehouse', url: 'https://in.example', enabled: true, events }],
    [
      { Events: ['workflow.completed'], 'Send events': false },
      { name: 'Warehouse', url: 'https://in.example', enabled: false, events: ['workflow.completed'] },
    ],
    [{ Name: '' }, null],
    [{ URL: '' }, null],
    [{ Events: [] }, null],
  ])('an endpoint is added: %j', async (typed, body) => {
    const { field, submit, stale } = settings.act(
      settings.outbound.FurtherEndpoints,
      {},
      { as, answers, at: '/connections/outbound?add=new' },
    );
    const all = { Name: 'Warehouse', URL: 'https://in.example', ...typed };
    for (const [label, value] of Object.entries(all)) field(label).onChange?.(value);
    submit();
    expect(await answered(stale, body !== null)).toEqual(
      body === null ? [] : [['POST', '/api/integrations/outbound/endpoints', body]],
    );
    expect(stale()).toEqual(body === null ? [] : ['getIntegrations', 'getIntegrationsOutboundEndpoints']);
  });
});

describe('the page of the voice platform', () => {
  const contents = {
    findings: [],
    assistants: [{ id: 'assistant-1', name: 'Ana' }],
    numbers: [{ id: 'number-1', name: 'Front', number: '+13035550101', isActive: true }],
  };
  const shown = (given: object = {}, found: object = {}, numbers: (string | null)[] = []) => {
    const kept = {
      provider: 'simulator',
      hasApiKey: true,
      hasOperatorAccount: false,
      credentialId: null,
      phoneNumberId: 'number-1',
      assistantId: 'assistant-1',
      assistants: {},
      transferTo: null,
      voicemail: { isDetected: true, leavesMessage: true },
      maxCallSeconds: 600,
      recording: { isOn: true, isDisclosed: true },
      isHipaa: true,
      maySimulate: true,
      serverUrl: 'https://clinic.example/voice',
      secret: null,
      ...given,
    };
    const items = numbers.map((platformId, at) => ({ number: `+1303555019${at}`, platformId, assistantId: null }));
    const answers: [unknown, unknown][] = [
      [settings.api.getIntegrationsPhoneNumbersOptions().queryKey, { items }],
      [settings.api.getIntegrationsVoiceOptions().queryKey, kept],
      [[{ _id: 'getIntegrationsVoiceAccount' }], { ...contents, ...found }],
    ];
    const markup = settings.show(settings.voice.Voice, {}, { as: { rights: ['settings'] }, answers });
    return { markup, text: textsIn(markup).join(' ').replaceAll(/\s/g, ' ') };
  };

  test.each<[provider: string, told: string, other: string]>([
    [
      'simulator',
      'The simulator plays the calls; nobody is called. Ring real phones, through Vapi',
      'Real phones ring, through Vapi.',
    ],
    [
      'vapi',
      'Real phones ring, through Vapi. Have the simulator play them again',
      'The simulator plays the calls; nobody is called.',
    ],
  ])('where %s places the calls it is told', (provider, told, other) => {
    const { text } = shown({ provider });

    expect(text).toContain(told);
    expect(text).not.toContain(other);
  });

  test('who has left the simulator goes back where they may', () => {
    const { text } = shown({ provider: 'vapi', maySimulate: false });

    expect(text).toContain('Real phones ring, through Vapi.');
    expect(text).not.toMatch(/simulator play them|Ring real phones/);
  });

  const noAssistant = 'The account has no assistant yet';
  const noNumber = 'The account has no phone number yet';

  const nothing = { assistants: [], numbers: [] };
  const refused = (code: string) => ({ ...nothing, findings: [{ code, path: '', message: 'is so' }] });

  test.each<[what: string, given: object, found: object, lacks: string[], told: string]>([
    ['has all', {}, {}, [], 'Vapi takes your key. The account has 1 assistant and 1 number. Use another key'],
    ['has no assistant', {}, { assistants: [] }, [noAssistant], 'The account has no assistant and 1 number.'],
    ['has no number', {}, { numbers: [] }, [noNumber], 'The account has 1 assistant and no number.'],
    ['has nothing', {}, nothing, [noAssistant, noNumber], 'The account has no assistant and no number.'],
    ['is the operator’s', { hasApiKey: false, hasOperatorAccount: true }, nothing, [], 'The operator’s'],
    ['does not open', {}, refused('credentials_refused'), [], 'The key that is kept does not open the account'],
    ['is away', {}, refused('platform_unavailable'), [], 'What the account has could not be read'],
  ])('an account that %s', (_what, given, found, lacks, told) => {
    const { text } = shown(given, found);

    expect(text).toContain(told);
    expect([noAssistant, noNumber].filter((each) => text.includes(each))).toEqual(lacks);
    expect(text.match(/Look again/g) ?? []).toHaveLength(lacks.length);
    expect(text.includes('Name another for some calls')).toBe(!lacks.includes(noAssistant));
  });

  test.each<[given: object, numbers: (string | null)[], placeholder: string]>([
    [{}, [], 'Choose a number'],
    [{ hasApiKey: false, hasOperatorAccount: true }, [], 'No number has a platform id yet'],
    [{ hasApiKey: false, hasOperatorAccount: true }, [null], 'No number has a platform id yet'],
    [{ hasApiKey: false, hasOperatorAccount: true }, [null, 'platform-1'], 'Choose a number'],
  ])('a number to call from can be chosen where there is one: %j of %j: %s', (given, numbers, placeholder) => {
    const { markup } = shown({ phoneNumberId: null, ...given }, {}, numbers);
    const told = ['Choose a number', 'No number has a platform id yet'];

    expect(told.filter((each) => markup.includes(` placeholder="${each}"`))).toEqual([placeholder]);
  });

  test.each<[given: object, radios: [value: string, isChosen: boolean][]]>([
    [{ hasOperatorAccount: false }, []],
    [
      { hasOperatorAccount: true },
      [
        ['operator', false],
        ['own', true],
      ],
    ],
    [
      { hasOperatorAccount: true, hasApiKey: false },
      [
        ['operator', true],
        ['own', false],
      ],
    ],
  ])('whose account it is can be chosen where the operator has one: %j', (given, radios) => {
    const { markup, text } = shown(given);

    expect(radiosIn(markup)).toEqual(radios);
    expect(text.includes('The operator’s')).toBe(radios.length > 0);
  });
});

describe('closed days', () => {
  const holidays = (year: number, items: [date: string, name: string][]): [unknown, unknown] => [
    settings.api.getIntegrationsHolidaysOptions({ query: { year } }).queryKey,
    { items: items.map(([date, name]) => ({ date, name })) },
  ];
  const offered = (
    days: [date: string, name: string][],
    ofYears: [unknown, unknown][],
    { now = '2026-11-25T14:30:00Z', timezone }: { now?: string; timezone?: string } = {},
  ) => {
    jest.useFakeTimers({ now: Date.parse(now) });
    const items = days.map(([date, name]) => ({ date, name }));
    const answers = [
      [settings.api.getIntegrationsClosedDaysOptions().queryKey, { items }] as [unknown, unknown],
      ...ofYears,
    ];
    const texts = textsIn(
      settings.show(settings.closed.ClosedDays, {}, { as: { rights: ['settings'], clinic: { timezone } }, answers }),
    );
    return texts.join(' ').match(/(?<=by their date\. ).*?(?= Save)/)?.[0] ?? null;
  };
  const thisYear: [string, string][] = [
    ['2026-11-24', 'Yesterday'],
    ['2026-11-25', 'Today'],
    ['2026-11-26', 'Thanksgiving'],
    ['2026-12-25', 'Christmas'],
  ];
  const years = () => [
    holidays(2026, thisYear),
    holidays(2027, [['2027-01-01', 'New Year']]),
    holidays(2028, [['2028-01-01', 'Far away']]),
  ];

  test('holidays of this year and the next that are to come and not on the list are offered', () => {
    expect(offered([], years())).toBe(
      'Add all 3 + Thu, Nov 26, 2026 · Thanksgiving + Fri, Dec 25, 2026 · Christmas + Fri, Jan 1, 2027 · New Year',
    );
    expect(offered([['2026-12-25', 'Closed']], years())).toBe(
      'Add all 2 + Thu, Nov 26, 2026 · Thanksgiving + Fri, Jan 1, 2027 · New Year',
    );
    expect(
      offered(
        [
          ['2026-11-26', ''],
          ['2026-12-25', ''],
          ['2027-01-01', ''],
        ],
        years(),
      ),
    ).toBeNull();
    expect(offered([], [holidays(2026, thisYear.slice(0, 2))])).toBeNull();
  });

  test.each([
    ['2026-11-26T04:30:00Z', 'America/New_York', 'Add all 3 + Thu, Nov 26'],
    ['2026-11-26T05:30:00Z', 'America/New_York', 'Add all 2 + Fri, Dec 25'],
    ['2027-01-01T04:30:00Z', 'America/New_York', 'Add all 1 + Fri, Jan 1'],
    ['2026-12-31T20:30:00Z', 'Pacific/Auckland', 'Add all 1 + Sat, Jan 1'],
  ])('are to come by the clinic’s day: at %s in %s', (now, timezone, expected) => {
    expect(offered([], years(), { now, timezone })).toMatch(expected);
  });

  test('twelve at most', () => {
    const many = Array.from({ length: 13 }, (_, index): [string, string] => [`2027-02-${10 + index}`, `Day ${index}`]);

    expect(offered([], [holidays(2027, many.slice(1))])).toMatch(/^Add all 12 .*Day 12$/);
    expect(offered([], [holidays(2027, many)])).toMatch(/^Add all 12 .*Day 11$/);
  });
});

describe('the hours of a week', () => {
  const shown = (hours: object, problems: { path: string; message: string }[]) => {
    const markup = settings.show(settings.hours.HoursEditor, { label: 'Hours', hours, problems });
    const refused = [...markup.matchAll(/<input[^>]*>/g)].flatMap(([tag]) =>
      tag.includes('aria-invalid="true"') ? (/aria-label="([^"]*)"/.exec(tag)?.[1] ?? []) : [],
    );
    const alerts = [...markup.matchAll(/role="alert"[^>]*>([^<]*)</g)].map(([, words]) => words);
    return { refused, alerts, text: textsIn(markup).join(' ') };
  };
  const all = [{ path: '', message: 'is wrong' }];
  const stretch = (opens: string, closes: string) => ({ opens, closes });

  test.each<[hours: object, refused: string[], alerts: string[]]>([
    [{ monday: [stretch('09:00', '17:00')] }, [], []],
    [{ monday: [stretch('soon', '17:00')] }, ['Monday opens'], ['Monday: write the hours as 9:00 to 17:00']],
    [{ monday: [stretch('09:00', 'late')] }, ['Monday closes'], ['Monday: write the hours as 9:00 to 17:00']],
    [
      { sunday: [stretch('soon', 'late')] },
      ['Sunday opens', 'Sunday closes'],
      ['Sunday: write the hours as 9:00 to 17:00'],
    ],
    [{ friday: [stretch('17:00', '09:00')] }, ['Friday closes'], ['Friday closes before it opens']],
    [
      { friday: [stretch('09:00', '12:00'), stretch('11:00', '15:00')] },
      ['Friday opens'],
      ['Friday: one stretch begins before the one above it ends'],
    ],
    [
      { monday: [stretch('soon', '17:00')], tuesday: [stretch('09:00', '17:00')], sunday: [stretch('17:00', '09:00')] },
      ['Monday opens', 'Sunday closes'],
      ['Monday: write the hours as 9:00 to 17:00', 'Sunday closes before it opens'],
    ],
  ])('%j: refused is %j', (hours, refused, alerts) => {
    expect(shown(hours, all)).toMatchObject({ refused, alerts });
  });

  test('before anything is refused nobody is told', () => {
    expect(shown({ monday: [stretch('soon', 'late')] }, [])).toMatchObject({ refused: [], alerts: [] });
  });

  test('what the service says of a whole day stands at the day', () => {
    const { alerts, refused } = shown({ monday: [stretch('09:00', '17:00')] }, [
      { path: 'monday', message: 'has too many' },
      { path: 'tuesday.0.opens', message: 'is none' },
    ]);

    expect({ alerts, refused }).toEqual({ alerts: ['Monday: this has too many'], refused: [] });
  });

  test.each<[hours: object]>([
    [
      {
        monday: [stretch('08:00', '12:00')],
        tuesday: [stretch('09:00', '17:00')],
        sunday: [stretch('10:00', '11:00')],
      },
    ],
    [{ tuesday: [stretch('09:00', '17:00')], saturday: [stretch('10:00', '11:00')] }],
  ])('those of Monday are used until Friday: %j', (hours) => {
    const changed: object[] = [];
    const props = { label: 'Hours', hours, onChange: (next: object) => changed.push(next) };
    settings.act(settings.hours.HoursEditor, props).click('Use Monday’s hours until Friday');
    const { monday, saturday, sunday } = hours as Record<string, unknown>;

    expect(changed).toEqual([
      { monday, tuesday: monday, wednesday: monday, thursday: monday, friday: monday, saturday, sunday },
    ]);
  });

  test('a day without hours is closed', () => {
    expect(shown({ monday: [stretch('09:00', '17:00')], tuesday: [] }, []).text).toMatch(
      /^Hours .*Monday – Tuesday Closed Wednesday Closed Thursday Closed Friday Closed Saturday Closed Sunday Closed$/,
    );
  });
});

describe('events', () => {
  test('those that are chosen, sent, and delivered to subscriptions', () => {
    const chosen = ['recovery_case.created', 'recovery_case.outcome', 'workflow.completed'];
    const sent = [...chosen, 'test'];
    const delivered = [...sent, 'subscription.handshake', 'subscription.heartbeat', 'subscription.event'];
    const { events } = settings;
    const asked = [...delivered, 'toString', 1];

    expect(events.chosenOptions.map(({ value }) => value)).toEqual(chosen);
    expect(events.eventOptions.map(({ value }) => value)).toEqual(sent);
    expect(events.deliveredOptions.map(({ value }) => value)).toEqual(delivered);
    expect(asked.filter((each) => events.isChosenEvent(each))).toEqual(chosen);
    expect(asked.filter((each) => events.isOutboundEvent(each))).toEqual(sent);
    expect(asked.filter((each) => events.isDeliveredEvent(each))).toEqual(delivered);
    expect(events.eventName('test')).toBe('Test event');
  });

  test('endpoints are called by their names', () => {
    const endpoint = (kind: string) => settings.endpoints.endpointName({ name: 'CRM', kind });

    expect([settings.endpoints.endpointName(null), endpoint('endpoint'), endpoint('subscription')]).toEqual([
      'Main endpoint',
      'CRM',
      'FHIR subscription: CRM',
    ]);
    expect(settings.endpoints.endpointOptions([{ id: '1', name: 'CRM' }])).toEqual([
      { value: 'first', label: 'Main endpoint' },
      { value: '1', label: 'CRM' },
    ]);
  });

  test.each([
    ['timeout', 'No answer in time'],
    ['http_503', 'Status 503'],
    ['new_error', 'New error'],
  ])('the error %s is told as “%s”', (code, told) => {
    expect(settings.errors.outboundError(code)).toBe(told);
  });

  test.each([
    'forms-abandoned',
    'forms-completed',
    'appointment-created',
    'appointment-approaching',
    'payment-failed',
    'prescription-status-changed',
    'patient-follow-up-required',
  ])('%s is sent from a shell as one command', (event) => {
    const url = { event, name: `${event}.v1`, url: 'https://clinic.example/in' };
    const command = String(settings.samples.curlOf(url, 'secret'));
    const [, body = ''] = /-d '([\s\S]*)'$/.exec(command) ?? [];

    expect(command).toMatch(/^curl "https:\/\/clinic\.example\/in" \\\n {2}-H "x-automation-secret: secret" \\\n/);
    expect(JSON.parse(body)).toMatchObject({
      event: `${event}.v1`,
      tenant_id: 'my-platform',
      data: expect.any(Object),
    });
  });

  test('marks of code and of stress are taken out of a text', () => {
    expect(settings.texts.withoutTicks('Send `If-Match`, _always_, not snake_case_here')).toBe(
      'Send If-Match, always, not snake_case_here',
    );
    expect(['Sends a code', 'ETag first'].map((text) => settings.texts.lowerFirst(text))).toEqual([
      'sends a code',
      'ETag first',
    ]);
  });
});

describe('how an endpoint does', () => {
  const hour = { from: '2026-11-25T13:00:00Z', delivered: 3, failed: 1, slowestMs: 1_500 };
  const told = (given: object, rights: string[] = []) => {
    jest.useFakeTimers({ now: Date.parse('2026-11-25T14:30:00Z') });
    const health = {
      state: 'healthy',
      failuresInARow: 0,
      failingSince: null,
      pausedUntil: null,
      waiting: 0,
      failed: 0,
      hours: [],
      ...given,
    };
    const answers: [unknown, unknown][] = [[['health of the receiver', 'first'], health]];
    const markup = settings.show(settings.health.ReceiverHealth, {}, { as: { rights }, answers });
    return { markup, text: textsIn(markup).join(' ').replaceAll(/\s/g, ' ') };
  };

  test.each<[given: object, words: string]>([
    [{}, 'Nothing was sent in the last 24 hours. Nothing waits, none given up.'],
    [{ state: 'off', waiting: 12, failed: 999 }, 'It is switched off: nothing is sent. 12 to be sent, 999 given up.'],
    [
      { state: 'unset', waiting: 1_000, failed: 1_000 },
      'No URL is registered: nothing is sent. 1,000 or more to be sent, 1,000 or more given up.',
    ],
    [{ state: 'failing', failuresInARow: 1 }, 'Events are failing. The last attempt failed. Nothing waits'],
    [
      {
        state: 'failing',
        failuresInARow: 2,
        failingSince: '2026-11-25T14:00:00Z',
        pausedUntil: '2026-11-25T14:31:05Z',
      },
      'Events are failing. The last 2 attempts failed, the first 30 min ago . The next try is 9:31:05 AM . Nothing waits',
    ],
  ])('%j', (given, words) => {
    expect(told(given).text).toContain(words);
    expect(told({ ...given, pausedUntil: null }).text).not.toContain('The next try');
  });

  test('its hours are the last 24, each with what was delivered and what failed', () => {
    const failing = { from: '2026-11-25T14:00:00Z', delivered: 0, failed: 2, slowestMs: null };
    const old = { from: '2026-11-24T14:00:00Z', delivered: 50, failed: 50, slowestMs: null };
    const { markup, text } = told({ hours: [hour, failing, old] });

    expect(markup.match(/<li/g)).toHaveLength(24);
    expect(text).toContain('It accepts events. Nothing waits');
    expect(text).toContain('From 8:00 AM: 3 delivered, 1 failed, the slowest took 2 s');
    expect(text).toContain('From 9:00 AM: 0 delivered, 2 failed 10:00 AM yesterday');
    expect(text).toMatch(/10:00 AM yesterday 3 delivered 3 failed attempts now$/);
    expect([...markup.matchAll(/height:([\d.]+)%/g)].map(([, height]) => height).slice(-4)).toEqual([
      '25',
      '75',
      '50',
      '0',
    ]);
  });

  test('who sets it up is led there', () => {
    expect([told({}).markup.includes('href'), told({}, ['settings']).markup.includes('/connections/outbound')]).toEqual(
      [false, true],
    );
  });
});

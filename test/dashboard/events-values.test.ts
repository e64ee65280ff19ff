import { dashboardModules, linksIn, type Stage, textsIn } from './stage/dashboard';
import { adminWithout, cellsIn, deskOf, stopClock } from './stage/desk';
import { answering } from './stage/service';

/** What the pages of events, deliveries and the CRM show and send, without a browser. */
type Option = (given?: object) => { queryKey: unknown };
interface Modules {
  api: Record<
    | 'getDeliveriesByDeliveryIdOptions'
    | 'getIntegrationsCrmOptions'
    | 'getIntegrationsInboundOptions'
    | 'getIntegrationsOutboundEndpointsOptions'
    | 'getIntegrationsOutboundOptions',
    Option
  >;
  crm: { Crm: unknown };
  deliveries: { Deliveries: unknown };
  delivery: { Delivery: unknown };
  endpoints: { FurtherEndpoints: unknown };
  inbound: { Inbound: unknown };
  outbound: { Outbound: unknown };
  testDelivery: { TestDelivery: unknown };
}

let pages: Modules & Stage;
const service = answering({ statusCode: 409, message: 'is refused' });
const { open, done } = deskOf(() => pages, service);
const as = adminWithout();

beforeAll(async () => {
  pages = await dashboardModules<Modules>(
    {
      api: require.resolve('../../dashboard/http/api.ts'),
      crm: require.resolve('../../dashboard/pages/events/crm.tsx'),
      deliveries: require.resolve('../../dashboard/pages/events/deliveries.tsx'),
      delivery: require.resolve('../../dashboard/pages/events/delivery.tsx'),
      endpoints: require.resolve('../../dashboard/pages/events/endpoints.tsx'),
      inbound: require.resolve('../../dashboard/pages/events/inbound.tsx'),
      outbound: require.resolve('../../dashboard/pages/events/outbound.tsx'),
      testDelivery: require.resolve('../../dashboard/pages/events/test-delivery.tsx'),
    },
    { fetch: service.fetch },
  );
});

beforeEach(() => void stopClock('2026-11-25T14:30:00Z'));
afterEach(() => jest.useRealTimers());

const healthy = {
  state: 'healthy',
  failuresInARow: 0,
  failingSince: null,
  pausedUntil: null,
  waiting: 0,
  failed: 0,
  hours: [],
};
const attempt = (given: object = {}) => ({
  at: '2026-11-25T14:10:00Z',
  status: 200,
  error: null,
  response: 'ok',
  durationMs: 120,
  url: 'https://in.example/hook',
  ...given,
});
const delivery = (given: object = {}) => ({
  id: 'delivery-1',
  event: 'recovery_case.outcome',
  eventId: 'event-1',
  state: 'DELIVERED',
  attempts: [attempt()],
  createdAt: '2026-11-25T14:00:00Z',
  deliveredAt: '2026-11-25T14:10:00Z',
  nextAttemptAt: null,
  isSample: false,
  endpoint: null,
  about: {
    patient: { id: 'patient-1', firstName: 'Wendy', lastName: 'Ivanov' },
    workflowType: 'no-show-follow-up',
    workflowId: 'workflow-1',
    recoveryCaseId: 'case-1',
    isSimulated: false,
  },
  data: { recoveryStatus: 'RECOVERED' },
  ...given,
});
const ofDelivery = (given: object = {}): [unknown, unknown] => [
  pages.api.getDeliveriesByDeliveryIdOptions({ path: { deliveryId: 'delivery-1' } }).queryKey,
  delivery(given),
];

describe('further endpoints', () => {
  const endpoint = (given: object = {}) => ({
    id: 'endpoint-1',
    name: 'Warehouse',
    url: 'https://in.example',
    enabled: true,
    events: ['recovery_case.created', 'workflow.completed'],
    disabledReason: null,
    previousSecretExpiresAt: null,
    ...given,
  });
  const opened = (items: object[] = [endpoint()], at = '/connections/outbound') =>
    open(pages.endpoints.FurtherEndpoints, {
      as,
      at,
      answers: [
        [pages.api.getIntegrationsOutboundEndpointsOptions().queryKey, { items }],
        [['health of the receiver', 'endpoint-1'], healthy],
        ofDelivery(),
      ],
    });
  const path = '/api/integrations/outbound/endpoints';
  const sent = {
    name: 'Warehouse',
    url: 'https://in.example',
    enabled: true,
    events: ['recovery_case.created', 'workflow.completed'],
  };

  test.each<[given: object, told: string]>([
    [{}, 'Warehouse https://in.example · Case created, Workflow completed Change'],
    [
      { previousSecretExpiresAt: '2026-11-26T14:30:00Z' },
      'Workflow completed · the old secret signs until Thu, Nov 26, 9:30 AM Change',
    ],
    [
      { disabledReason: 'it failed for three days' },
      'The service has switched it off, because it failed for three days. What it misses meanwhile is kept.',
    ],
  ])('%j is told as “%s”', (given, words) => {
    const page = opened([endpoint(given)]);

    expect(page.texts().join(' ').replaceAll(/\s/g, ' ')).toContain(words);
    expect(linksIn(page.again())).toContainEqual(['Deliveries', '/deliveries?endpoint=endpoint-1']);
    expect(page.texts().join(' ')).toContain('Nothing was sent in the last 24 hours.');
  });

  test.each<[count: number, isFull: boolean]>([
    [0, false],
    [3, false],
    [4, true],
  ])('of %i no more can be added: %s', async (count, isFull) => {
    const page = opened(Array.from({ length: count }, (_, at) => endpoint({ id: `endpoint-${at}` })));

    expect(page.button('Add an endpoint')['disabled']).toBe(isFull);
    page.click('Add an endpoint');
    expect(await page.address()).toBe('/connections/outbound?add=new');
    expect(page.texts().includes('No further endpoint')).toBe(count === 0);
  });

  test('a new one has its secret shown once', async () => {
    const page = opened([], '/connections/outbound?add=new');
    page.field('Name').onChange?.('Warehouse');
    page.field('URL').onChange?.('https://in.example');
    await done(page, page.submit, { name: 'Warehouse', secret: 'secret-1' });

    expect(pages.dialog().texts).toEqual(
      expect.arrayContaining([
        'The signing secret of “Warehouse”',
        'secret-1',
        'Verify its events with any Standard Webhooks library: they are signed with this secret, and with no other.',
      ]),
    );
    expect(await page.address()).toBe('/connections/outbound');
  });

  test.each<[enabled: boolean, item: string, words: string]>([
    [true, 'Pause', 'green: “Warehouse” is paused.'],
    [false, 'Switch on', 'green: “Warehouse” is switched on.'],
  ])('one that is on (%s) can be switched: “%s”', async (enabled, item, words) => {
    const page = opened([endpoint({ enabled })]);
    const other = item === 'Pause' ? 'Switch on' : 'Pause';

    expect(() => page.button(other)).toThrow('nothing there');
    expect(page.button('Send a sample')['disabled']).toBe(!enabled);
    expect(await done(page, () => page.click(item), { enabled: !enabled })).toEqual({
      asked: [['PUT', `${path}/endpoint-1`, { ...sent, enabled: !enabled }]],
      told: [words],
      refreshed: ['getDeliveries', 'getIntegrations'],
    });
  });

  test.each<[item: string, question: string[], color: string | undefined, request: unknown[], words: string[]]>([
    [
      'Rotate the signing secret',
      ['Rotate the signing secret of “Warehouse”?', 'Rotate', 'Cancel'],
      undefined,
      ['POST', `${path}/endpoint-1/rotate-secret`, null],
      [],
    ],
    [
      'Remove',
      ['Remove “Warehouse”?', 'Remove', 'Keep it'],
      'red',
      ['DELETE', `${path}/endpoint-1`, null],
      ['green: “Warehouse” is removed.'],
    ],
  ])('“%s” asks first', async (item, question, color, request, words) => {
    const page = opened();
    page.click(item);
    const { texts, button, click } = pages.dialog();
    const [title, yes = '', no] = question;

    expect([texts[0], ...texts.slice(-2), button(yes)['color']]).toEqual([title, yes, no, color]);
    expect(await done(page, () => click(yes), { secret: 'secret-2' })).toEqual({
      asked: [request],
      told: words,
      refreshed: ['getDeliveries', 'getIntegrations'],
    });
    if (item === 'Remove') return;
    expect(pages.dialog().texts).toEqual(
      expect.arrayContaining([
        'The new signing secret of “Warehouse”',
        'secret-2',
        'For 24 hours every event carries a signature of the old secret too. Verify them with any Standard Webhooks library.',
      ]),
    );
  });

  test('one is edited as it is stored', async () => {
    const page = opened();
    page.click('Edit');
    expect(page.texts()).toEqual(expect.arrayContaining(['Edit “Warehouse”', 'Save']));
    page.field('URL').onChange?.(' https://other.example ');
    expect(await done(page, page.submit, {})).toEqual({
      asked: [['PUT', `${path}/endpoint-1`, { ...sent, url: 'https://other.example' }]],
      told: ['green: Saved.'],
      refreshed: ['getIntegrations'],
    });
    expect(page.texts()).not.toContain('Edit “Warehouse”');
  });

  test.each(['Edit', 'Send a sample'])('who has opened “%s” can leave it', (item) => {
    const page = opened();
    const title = item === 'Edit' ? 'Edit “Warehouse”' : 'A sample for “Warehouse”';
    page.click(item);
    expect(page.texts()).toContain(title);
    page.click(item === 'Edit' ? 'Not now' : 'Close');
    expect(page.texts()).not.toContain(title);
  });

  test.each(['test', 'recovery_case.created', 'workflow.completed'])(
    'a sample of %s is sent to it, and shown',
    async (event) => {
      const page = opened();
      page.click('Send a sample');
      page.again();
      expect(page.field('Event').value).toBe('test');
      page.field('Event').onChange?.(event);
      page.again();
      page.field('Event').onChange?.('other');
      expect(page.again()).not.toContain('Show the delivery');

      expect(await done(page, () => page.click('Send it'), { id: 'delivery-1' })).toEqual({
        asked: [['POST', `${path}/endpoint-1/test`, { event }]],
        told: [],
        refreshed: ['getDeliveries'],
      });
      expect(linksIn(page.again())).toContainEqual(['Show the delivery', '/deliveries/delivery-1']);
    },
  );
});

describe('the main endpoint', () => {
  const opened = (given: object = {}, reader = as) =>
    open(pages.outbound.Outbound, {
      as: reader,
      answers: [
        [
          pages.api.getIntegrationsOutboundOptions().queryKey,
          {
            url: 'https://in.example',
            enabled: true,
            events: ['recovery_case.outcome'],
            disabledReason: null,
            secretCreatedAt: '2026-11-25T14:00:00Z',
            previousSecretExpiresAt: null,
            ...given,
          },
        ],
        [pages.api.getIntegrationsOutboundEndpointsOptions().queryKey, { items: [] }],
        ofDelivery(),
      ],
    });
  const path = '/api/integrations/outbound';
  const sent = { url: 'https://in.example', enabled: true, events: ['recovery_case.outcome'] };

  test.each<[given: object, typed: object, body: object | null]>([
    [{}, {}, sent],
    [{}, { URL: ' https://other.example ' }, { ...sent, url: 'https://other.example' }],
    [{}, { URL: ' ' }, null],
    [{ enabled: false, url: null }, {}, { ...sent, enabled: false, url: null }],
    [{}, { 'Send events': false, URL: '' }, { ...sent, enabled: false, url: null }],
    [{}, { Events: ['workflow.completed'] }, { ...sent, events: ['workflow.completed'] }],
  ])('%j with %j is saved as %j', async (given, typed, body) => {
    const page = opened(given);
    for (const [label, value] of Object.entries(typed)) page.field(label).onChange?.(value);
    const { asked, told } = await done(page, page.submit, { url: (body as typeof sent | null)?.url ?? null });

    expect(asked).toEqual(body === null ? [] : [['PUT', path, body]]);
    const words = (body as typeof sent | null)?.url
      ? 'green: Saved.'
      : 'green: Saved: there is no main endpoint, and nothing is sent to one.';
    expect(told).toEqual(body === null ? [] : [words]);
  });

  test.each<[given: object, told: string[]]>([
    [{}, []],
    [
      { disabledReason: 'it failed for three days' },
      [
        'The service has switched it off',
        'Because it failed for three days. Saving it as enabled switches it on again; what it has missed is sent from Deliveries, Send events again.',
      ],
    ],
  ])('%j: is told that it was switched off: %j', (given, words) => {
    const texts = opened(given).texts();

    expect(texts.filter((text) => /^The service has|^Because/.test(text))).toEqual(words);
    expect(texts).toEqual(
      expect.arrayContaining([
        'Case created (recovery_case.created)',
        'A recovery case was opened, before anybody is called',
        'Case outcome (recovery_case.outcome)',
        'Workflow completed (workflow.completed)',
      ]),
    );
  });

  test.each<[given: object, isPossible: boolean]>([
    [{}, true],
    [{ url: null }, false],
    [{ enabled: false }, false],
  ])('%j can be tested: %s', (given, isPossible) => {
    const page = opened(given);

    expect(page.button('Send a test event')['disabled']).toBe(!isPossible);
    expect(page.texts().includes('Register a URL and switch it on first.')).toBe(!isPossible);
    expect(page.texts()).not.toContain('Show the delivery');
  });

  test.each<[event: string, button: string]>([
    ['test', 'Send a test event'],
    ['recovery_case.created', 'Send a sample'],
    ['recovery_case.outcome', 'Send a sample'],
    ['workflow.completed', 'Send a sample'],
  ])('the event %s is sent, and shown', async (event, button) => {
    const page = opened();
    page.field('Event').onChange?.(event);
    page.again();
    page.field('Event').onChange?.('other');
    page.again();

    expect((await done(page, () => page.click(button), { id: 'delivery-1' })).asked).toEqual([
      ['POST', `${path}/test`, { event }],
    ]);
    expect(linksIn(page.again())).toContainEqual(['Show the delivery', '/deliveries/delivery-1']);
  });

  test.each<[given: object, told: string]>([
    [{}, 'Created 30 min ago . Rotate'],
    [{ secretCreatedAt: null }, 'There is none yet: events are sent once you have created one. Rotate'],
    [
      { previousSecretExpiresAt: '2026-11-26T14:30:00Z' },
      'Created 30 min ago . The old one signs until Thu, Nov 26, 9:30 AM . Rotate',
    ],
  ])('of its secret %j is told “%s”', (given, words) => {
    expect(opened(given).texts().join(' ').replaceAll(/\s/g, ' ')).toContain(words);
  });

  test('its secret is rotated after a question, and shown once', async () => {
    const page = opened();
    page.click('Rotate the signing secret');
    const { texts, click } = pages.dialog();

    expect([texts[0], ...texts.slice(-2)]).toEqual(['Rotate the signing secret?', 'Rotate', 'Cancel']);
    expect(await done(page, () => click('Rotate'), { secret: 'secret-1' })).toEqual({
      asked: [['POST', `${path}/rotate-secret`, null]],
      told: [],
      refreshed: ['getIntegrations'],
    });
    expect(pages.dialog().texts).toEqual(expect.arrayContaining(['The new signing secret', 'secret-1']));
  });

  test.each<[role: 'admin' | 'manager', mayChange: boolean]>([
    ['admin', true],
    ['manager', false],
  ])('a secret is for administrators: %s', (role, mayChange) => {
    const markup = opened({}, { ...as, role }).again();
    const [tag = ''] = /<button[^>]*>(?=(?:(?!<\/button>).)*Rotate the signing secret)/.exec(markup) ?? [];

    expect(tag.includes(' disabled=""')).toBe(!mayChange);
  });
});

describe('what became of a test', () => {
  test.each<[given: object, told: string]>([
    [{ attempts: [], state: 'PENDING' }, 'Waiting On its way Show the delivery'],
    [{}, 'Delivered Your endpoint answered 200 Show the delivery'],
    [{ attempts: [attempt({ status: 500 }), attempt({ status: 204 })] }, 'Your endpoint answered 204'],
    [
      { attempts: [attempt({ status: null, error: 'timeout' })], state: 'PENDING' },
      'Retrying No answer in time Show the delivery',
    ],
    [{ attempts: [attempt({ status: null })] }, 'The host could not be connected to'],
  ])('%j is told as “%s”', (given, words) => {
    const page = open(
      pages.testDelivery.TestDelivery,
      { as, answers: [ofDelivery(given)] },
      { deliveryId: 'delivery-1' },
    );

    expect(page.texts().join(' ')).toContain(words);
  });
});

describe('a delivery', () => {
  const opened = (given: object = {}) =>
    open(pages.delivery.Delivery, {
      as,
      at: '/deliveries/delivery-1',
      path: '/deliveries/:deliveryId',
      answers: [ofDelivery(given)],
    });
  const words = (given: object = {}) => opened(given).texts().join(' ').replaceAll(/\s/g, ' ');
  const facts = (given: object = {}) => /About (.*?) (?:The endpoint never|Attempts) /.exec(words(given))?.[1] ?? '';

  test.each<[given: object, told: string]>([
    [
      {},
      'Status Delivered Created Nov 25, 9:00 AM Delivered Nov 25, 9:10 AM Patient Wendy Ivanov Workflow No show follow-up Recovery case Show the case Endpoint Main endpoint Event recovery_case.outcome webhook-id event-1',
    ],
    [
      { state: 'PENDING', deliveredAt: null, nextAttemptAt: '2026-11-25T14:35:00Z', attempts: [] },
      'Status Waiting Created Nov 25, 9:00 AM Next try in 5 min Patient',
    ],
    [
      { state: 'PENDING', deliveredAt: null, nextAttemptAt: '2026-11-25T14:30:00Z' },
      'Status Retrying Created Nov 25, 9:00 AM Next try due now',
    ],
    [
      { state: 'PENDING', deliveredAt: null, nextAttemptAt: '2026-11-25T14:30:00Z', attempts: [] },
      'Next try after the event before it',
    ],
    [{ state: 'PENDING', deliveredAt: null }, 'Next try – Patient'],
    [
      { about: null, isSample: true },
      'Delivered Nov 25, 9:10 AM Sample Sent on request; it is about no real patient Endpoint Main endpoint',
    ],
    [
      { about: { ...delivery().about, patient: null, recoveryCaseId: null } },
      'Delivered Nov 25, 9:10 AM Workflow No show follow-up Endpoint',
    ],
    [{ endpoint: { name: 'Warehouse', kind: 'endpoint' } }, 'Endpoint Warehouse Event'],
  ])('%j is told as “%s”', (given, told) => {
    expect(facts(given)).toContain(told);
  });

  test.each<[state: string, isGivenUp: boolean]>([
    ['DEAD', true],
    ['DELIVERED', false],
    ['PENDING', false],
  ])('one that is %s was given up: %s', (state, isGivenUp) => {
    const told = 'The endpoint never accepted this event. It is not tried any more unless you send it again.';

    expect(words({ state }).includes(told)).toBe(isGivenUp);
  });

  test('is sent again', async () => {
    const page = opened();

    expect(await done(page, () => page.click('Send again'), {})).toEqual({
      asked: [['POST', '/api/deliveries/delivery-1/resend', null]],
      told: ['green: The event is being sent again.'],
      refreshed: ['getDeliveries'],
    });
    expect(linksIn(page.again())).toContainEqual(['Deliveries', '/deliveries']);
  });

  test('its attempts are told, the last first', () => {
    const attempts = [
      attempt({ status: null, error: 'timeout', at: '2026-11-25T14:05:00Z', durationMs: 10_000, url: null }),
      attempt({ status: null, at: '2026-11-25T14:06:00Z' }),
      attempt({ status: 204, response: null, at: '2026-11-25T14:07:00Z' }),
      attempt({ status: 500, response: 'broken' }),
    ];
    const told = words({ attempts });

    expect(told).toMatch(
      /500 broken .*https:\/\/in\.example\/hook .*204 .*No answer The host could not be connected to .*No answer No answer in time 10 s –/,
    );
    expect(cellsIn(opened({ attempts }).again(), 'long')).toEqual([
      'https://in.example/hook',
      'https://in.example/hook',
      'https://in.example/hook',
      '–',
    ]);
    expect(words({ attempts: [] })).toContain('No attempt has been made yet');
    expect(told).not.toContain('No attempt has been made yet');
  });

  const request = (given: object = {}) =>
    /Request POST (.*?) (?:Copy )?(?:Response|$)/.exec(`${words(given)} `)?.[1] ?? '';

  test.each<[given: object, isSimulated: boolean]>([
    [{}, false],
    [{ isSample: true }, true],
    [{ about: { ...delivery().about, isSimulated: true } }, true],
    [{ about: null }, false],
  ])('the request of %j says that it is simulated: %s', (given, isSimulated) => {
    const line = isSimulated ? ' x-clinic-simulated: true' : '';

    expect(request(given)).toContain(
      `https://in.example/hook content-type: application/json user-agent: clinic-workflows/1 webhook-id: event-1 webhook-timestamp: (seconds, at each attempt) webhook-signature: v1,(of id, timestamp and body)${line} { "event": "recovery_case.outcome", "clinicId": "clinic-1", "sentAt": "2026-11-25T14:00:00Z", "data": { "recoveryStatus": "RECOVERED" } }`,
    );
  });

  test('before anything was sent it is a request to the main endpoint, without a response', () => {
    expect(request({ attempts: [] })).toMatch(/^\(main endpoint\) /);
    expect(words({ attempts: [] })).not.toMatch(/ Response 200|the body was not kept/);
  });

  test.each<[given: object, told: string]>([
    [{ response: '{"a":1}' }, '200 { "a": 1 }'],
    [{ response: 'no JSON' }, '200 no JSON'],
    [{ response: null }, '200 (the body was not kept)'],
    [{ response: '' }, '200'],
    [{ status: null, error: 'tls', response: null }, 'The host’s certificate is not trusted'],
    [{ status: null, response: null }, 'The host could not be connected to'],
  ])('the response %j is told as “%s”', (given, told) => {
    const markup = opened({ attempts: [attempt(), attempt(given)] }).again();
    const last = textsIn(markup.slice(markup.lastIndexOf('<h3')));

    expect(last.slice(0, 2)).toEqual(['Response', told]);
  });
});

describe('the list of deliveries', () => {
  const further = [{ id: 'endpoint-1', name: 'Warehouse', kind: 'endpoint' }];
  const opened = (rows: object[], { at = '/deliveries', reader = as, endpoints = [] as object[] } = {}) =>
    open(pages.deliveries.Deliveries, {
      as: reader,
      at,
      lists: { getDeliveries: rows },
      answers: [
        [pages.api.getIntegrationsOutboundEndpointsOptions().queryKey, { items: endpoints }],
        [['health of the receiver', 'first'], healthy],
        [['health of the receiver', 'endpoint-1'], { ...healthy, state: 'off' }],
      ],
    });
  const line = (given: object, shown: Parameters<typeof opened>[1] = {}) => {
    const markup = opened([delivery(given)], shown).again();
    return textsIn(markup.slice(markup.indexOf('<tbody')))
      .join(' | ')
      .replaceAll(/\s/g, ' ');
  };

  test.each<[given: object, told: string]>([
    [{}, 'Case outcome | Wendy Ivanov | Recovered | Delivered | 200 | – | 30 min ago'],
    [{ about: null, isSample: true }, 'Case outcome | A sample | Recovered'],
    [{ about: null }, 'Case outcome | – | Recovered'],
    [{ about: { ...delivery().about, patient: null }, isSample: true }, 'Case outcome | A sample'],
    [{ attempts: [attempt(), attempt({ status: 503 })] }, '503, after 2 attempts | –'],
    [{ attempts: [attempt({ status: null, error: 'timeout' })] }, 'No answer in time | –'],
    [{ attempts: [attempt({ status: null })] }, 'The host could not be connected to | –'],
    [{ attempts: [], state: 'PENDING', nextAttemptAt: '2026-11-25T14:35:00Z' }, 'Waiting | – | in 5 min'],
    [{ state: 'PENDING', nextAttemptAt: '2026-11-25T14:25:00Z' }, 'Retrying | 200 | due now'],
    [{ state: 'DEAD', nextAttemptAt: '2026-11-25T14:35:00Z' }, 'Failed | 200 | –'],
    [
      { event: 'workflow.completed', data: { workflowType: 'no-show-follow-up', outcome: 'RECOVERED' } },
      'No show follow-up: recovered | Delivered',
    ],
    [{ event: 'workflow.completed', data: { workflowType: 'no-show-follow-up' } }, 'No show follow-up | Delivered'],
    [{ event: 'test', data: {} }, 'Test event | Wendy Ivanov | – | Delivered'],
  ])('%j is told as “%s”', (given, told) => {
    expect(line(given)).toContain(told);
  });

  test.each<[shown: Parameters<typeof opened>[1], hasEndpoint: boolean]>([
    [{}, false],
    [{ endpoints: further }, true],
    [{ at: '/deliveries?endpoint=endpoint-1' }, true],
  ])('with %j it is told where each went: %s', (shown, hasEndpoint) => {
    const told = line({}, shown);

    expect(told.includes('Recovered | Main endpoint | Delivered')).toBe(hasEndpoint);
  });

  test.each<[at: string, endpoints: object[], title: string]>([
    ['/deliveries', further, 'It accepts events.'],
    ['/deliveries?endpoint=endpoint-1', further, 'It is switched off: nothing is sent.'],
    ['/deliveries?endpoint=endpoint-2', further, 'It accepts events.'],
  ])('at %s it is told how an endpoint does', (at, endpoints, told) => {
    const texts = opened([], { at, endpoints }).texts().join(' ');
    const words = told === 'It accepts events.' ? 'Nothing was sent in the last 24 hours.' : told;

    expect(texts).toContain(words);
  });

  test('what has no room is cut at the patient alone', () => {
    const markup = opened([delivery()]).again();

    expect([cellsIn(markup, 'rest'), cellsIn(markup, 'long')]).toEqual([['Wendy Ivanov'], []]);
  });

  test('what can be asked for', () => {
    const fields = (shown: Parameters<typeof opened>[1] = {}) =>
      (
        opened([], shown).given((each) => each['fields'])['fields'] as { name: string; options?: { value: string }[] }[]
      ).map(({ name, options = [] }) => [name, ...options.map(({ value }) => value)].join(' '));
    const events =
      'recovery_case.created recovery_case.outcome workflow.completed test subscription.handshake subscription.heartbeat subscription.event';
    const state = 'state PENDING RETRYING DELIVERED DEAD';

    expect(fields()).toEqual([state, `event ${events}`, 'from', 'until']);
    expect(fields({ endpoints: further })).toEqual([
      state,
      `event ${events}`,
      'endpoint first endpoint-1',
      'from',
      'until',
    ]);
  });

  test.each<[at: string, query: object]>([
    ['/deliveries', {}],
    ['/deliveries?state=PENDING', { state: 'PENDING' }],
    ['/deliveries?state=RETRYING', { state: 'PENDING' }],
    ['/deliveries?state=DELIVERED', { state: 'DELIVERED' }],
    ['/deliveries?state=DEAD', { state: 'DEAD' }],
    ['/deliveries?state=GONE', {}],
    ['/deliveries?event=test&endpoint=endpoint-1', { event: 'test', endpointId: 'endpoint-1' }],
    ['/deliveries?event=other', {}],
    ['/deliveries?order=oldest', { order: 'oldest' }],
    ['/deliveries?order=other', {}],
    ['/deliveries?from=2026-11-01&until=2026-11-02', { from: '2026-11-01', until: '2026-11-03' }],
  ])('%s asks for %j', (at, query) => {
    const asked = Object.entries(pages.filtersOf(pages.deliveries.Deliveries, 'getDeliveries', at) as object);
    const usual = (value: unknown) => value === undefined || value === 'newest';

    expect(Object.fromEntries(asked.filter(([name, value]) => name !== 'limit' && !usual(value)))).toEqual(query);
  });

  test.each<[given: object, told: object]>([
    [
      {},
      {
        endpoint: 'Main endpoint',
        event: 'recovery_case.outcome',
        patient: 'Wendy Ivanov',
        state: 'DELIVERED',
        attempts: 1,
        'last answer': '200',
        created: '2026-11-25T14:00:00Z',
        delivered: '2026-11-25T14:10:00Z',
        'webhook-id': 'event-1',
        case: 'case-1',
        workflow: 'workflow-1',
      },
    ],
    [
      { about: null, endpoint: { name: 'Warehouse', kind: 'endpoint' }, attempts: [], deliveredAt: null },
      {
        endpoint: 'Warehouse',
        patient: null,
        attempts: 0,
        'last answer': '–',
        delivered: null,
        case: null,
        workflow: null,
      },
    ],
    [{ about: { ...delivery().about, patient: null } }, { patient: null, workflow: 'workflow-1' }],
  ])('in a file %j is %j', (given, told) => {
    const columns = opened([]).given((each) => each['exported'])['exported'] as Record<
      string,
      (row: object) => unknown
    >;

    expect(
      Object.fromEntries(Object.entries(columns).map(([name, cell]) => [name, cell(delivery(given))])),
    ).toMatchObject(told);
  });

  test.each<[at: string, given: object]>([
    ['/deliveries', { from: null, until: null }],
    [
      '/deliveries?endpoint=endpoint-1&from=2026-11-01&until=2026-11-02',
      { endpointId: 'endpoint-1', from: '2026-11-01', until: '2026-11-02' },
    ],
  ])('at %s many are sent again by what is asked for', (at, given) => {
    const page = opened([], { at });
    page.click('Send events again …');
    page.again();
    const dialog = page.given(({ kind, onClose }) => kind === 'resend_deliveries' && onClose);

    expect(dialog).toMatchObject(given);
    (dialog['onClose'] as () => void)();
    page.again();
    expect(() => page.given(({ kind, onClose }) => kind === 'resend_deliveries' && onClose)).toThrow('nothing there');
  });

  test.each<[without: string[], isOffered: boolean]>([
    [[], true],
    [['operations'], false],
  ])('who may operate (but %j) sends many again: %s', (without, isOffered) => {
    const page = opened([], { reader: adminWithout(...without) });

    expect(page.texts().includes('Send events again …')).toBe(isOffered);
  });

  test.each<[state: string, keeps: string[]]>([
    ['PENDING', ['waiting']],
    ['RETRYING', ['retrying']],
    ['DEAD', ['waiting', 'retrying']],
  ])('of those that wait, the status %s shows %j', (state, keeps) => {
    const rows = [
      delivery({ id: 'waiting', state: 'PENDING', attempts: [] }),
      delivery({ id: 'retrying', state: 'PENDING' }),
    ];
    const links = linksIn(opened(rows, { at: `/deliveries?state=${state}` }).again()).map(([, to]) => to);

    expect(['waiting', 'retrying'].filter((id) => links.includes(`/deliveries/${id}`))).toEqual(keeps);
  });
});

describe('inbound events', () => {
  const inbound = (given: object = {}) => ({
    event: 'forms-abandoned',
    name: 'forms.abandoned',
    url: 'https://clinic.example/in/forms-abandoned',
    secret: { createdAt: '2026-11-25T14:00:00Z', lastUsedAt: null },
    previousSecret: null,
    ...given,
  });
  const opened = (given: object = {}) => {
    const { queryKey } = pages.api.getIntegrationsInboundOptions();
    return open(pages.inbound.Inbound, { as, answers: [[queryKey, { items: [inbound(given)] }]] });
  };
  const path = '/api/integrations/inbound/forms-abandoned';
  const previous = { expiresAt: '2026-11-26T14:30:00Z', lastUsedAt: null };

  test.each<[given: object, told: string]>([
    [{}, 'Forms abandoned Secret created 30 min ago · never used Rotate secret'],
    [
      { secret: { createdAt: '2026-11-25T14:00:00Z', lastUsedAt: '2026-11-25T14:20:00Z' } },
      'Secret created 30 min ago · last used 10 min ago Rotate secret',
    ],
    [{ secret: null }, 'Forms abandoned No secret yet: every request is refused Create a secret'],
    [{ previousSecret: previous }, 'The old secret still works, until Thu, Nov 26, 9:30 AM . Retire it now'],
    [
      { previousSecret: { ...previous, lastUsedAt: '2026-11-25T14:20:00Z' } },
      'until Thu, Nov 26, 9:30 AM . Last used 10 min ago . Retire it now',
    ],
  ])('%j is told as “%s”', (given, words) => {
    const texts = opened(given).texts();

    expect(texts.join(' ').replaceAll(/\s/g, ' ')).toContain(words);
    expect(texts.includes('Retire it now')).toBe('previousSecret' in given);
    expect(texts.join(' ')).toContain('x-automation-secret: $INBOUND_SECRET');
  });

  test('a first secret is made without a question, and shown once', async () => {
    const page = opened({ secret: null });

    expect(await done(page, () => page.click('Create a secret: Forms abandoned'), { secret: 'secret-1' })).toEqual({
      asked: [['POST', `${path}/rotate-secret`, null]],
      told: [],
      refreshed: ['getIntegrations'],
    });
    const { texts } = pages.dialog();
    expect(texts).toEqual(expect.arrayContaining(['The new secret of “Forms abandoned”', 'secret-1']));
    expect(texts.join(' ')).toContain('x-automation-secret: secret-1');
    expect(texts.join(' ')).not.toContain('The secret before it');
  });

  test.each<[given: object, isLost: boolean]>([
    [{}, false],
    [{ previousSecret: previous }, true],
  ])('another one is made after a question: %j', async (given, isLost) => {
    const page = opened(given);
    page.click('Rotate secret: Forms abandoned');
    const { texts, click } = pages.dialog();

    expect([texts[0], ...texts.slice(-2)]).toEqual(['Rotate the secret of “Forms abandoned”?', 'Rotate', 'Cancel']);
    expect(texts.join(' ').includes('The one before that stops working now.')).toBe(isLost);
    await done(page, () => click('Rotate'), { secret: 'secret-2' });
    expect(pages.dialog().texts).toEqual(
      expect.arrayContaining([
        'secret-2',
        'The secret before it is accepted for 24 hours more, or until you retire it.',
      ]),
    );
  });

  test('an old one is retired', async () => {
    const page = opened({ previousSecret: previous });

    expect(await done(page, () => page.click('Retire it now: the old secret of Forms abandoned'), {})).toEqual({
      asked: [['DELETE', `${path}/previous-secret`, null]],
      told: ['green: The old secret is retired.'],
      refreshed: ['getIntegrations'],
    });
  });
});

describe('the CRM', () => {
  const opened = (given: object = {}) => {
    const stored = { kind: 'none', enabled: false, url: null, hasToken: false, ...given };
    return open(pages.crm.Crm, { as, answers: [[pages.api.getIntegrationsCrmOptions().queryKey, stored]] });
  };
  const hubspot = { kind: 'hubspot', enabled: true, hasToken: true };
  const webhook = { kind: 'webhook', enabled: true, url: 'https://in.example', hasToken: true };

  test.each<[given: object, fields: string[], isKept: boolean]>([
    [{}, [], false],
    [hubspot, ['Access token', 'Sync'], true],
    [{ ...hubspot, hasToken: false }, ['Access token', 'Sync'], false],
    [webhook, ['URL', 'Bearer token, if it asks for one', 'Sync'], true],
    [{ ...webhook, hasToken: false }, ['URL', 'Bearer token, if it asks for one', 'Sync'], false],
  ])('%j asks for %j', (given, fields, isKept) => {
    const page = opened(given);
    const texts = page.texts();
    const all = ['Access token', 'URL', 'Bearer token, if it asks for one', 'Sync'];

    expect(all.filter((each) => texts.includes(each))).toEqual(fields);
    expect(page.again().includes('Leave empty to keep the one that is stored')).toBe(isKept);
  });

  test.each<[given: object, typed: object, body: object | null]>([
    [{}, {}, { kind: 'none' }],
    [hubspot, {}, { kind: 'hubspot', enabled: true }],
    [hubspot, { 'Access token': 'token-1' }, { kind: 'hubspot', enabled: true, accessToken: 'token-1' }],
    [hubspot, { Sync: false }, { kind: 'hubspot', enabled: false }],
    [{ ...hubspot, enabled: false }, {}, { kind: 'hubspot', enabled: false }],
    [hubspot, { 'Sync patients to': 'none' }, { kind: 'none' }],
    [{}, { 'Sync patients to': 'hubspot' }, { kind: 'hubspot', enabled: true }],
    [webhook, {}, { kind: 'webhook', enabled: true, url: 'https://in.example' }],
    [webhook, { URL: ' https://a.example ' }, { kind: 'webhook', enabled: true, url: 'https://a.example' }],
    [webhook, { URL: ' ' }, null],
    [hubspot, { 'Sync patients to': 'webhook' }, null],
    [
      webhook,
      { 'Bearer token, if it asks for one': 'token-1' },
      { kind: 'webhook', enabled: true, url: 'https://in.example', token: 'token-1' },
    ],
  ])('%j with %j is saved as %j', async (given, typed, body) => {
    const page = opened(given);
    for (const [label, value] of Object.entries(typed)) page.field(label).onChange?.(value);

    expect((await done(page, page.submit, {})).asked).toEqual(
      body === null ? [] : [['PUT', '/api/integrations/crm', body]],
    );
  });
});

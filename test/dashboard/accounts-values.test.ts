import { dashboardModules, type Stage, textsIn } from './stage/dashboard';
import { adminWithout, deskOf, stopClock, withPasskeys } from './stage/desk';
import { answering } from './stage/service';

/** What the pages of accounts and keys show and send, without a browser. */
type Option = (given?: object) => { queryKey: unknown };
interface Modules {
  api: Record<
    | 'getAccountsByAccountIdSessionsOptions'
    | 'getAccountsInvitationsOptions'
    | 'getAccountsOptions'
    | 'getAccountsSecondFactorOptions'
    | 'getAuthNotificationsOptions'
    | 'getAuthPasskeysOptions'
    | 'getAuthSecondFactorOptions'
    | 'getAuthSessionsOptions'
    | 'getIntegrationsApiKeysOptions'
    | 'getIntegrationsApprovedApiKeysOptions'
    | 'getRightsOptions',
    Option
  >;
  apiKeys: { ApiKeys: unknown };
  clientKeys: { ClientKeys: unknown };
  myAccount: { MyAccount: unknown };
  notifications: { Notifications: unknown };
  passkeys: { Passkeys: unknown };
  people: { People: unknown };
  roles: { Roles: unknown; roleOptions: { value: string }[] };
  secondFactor: { SecondFactor: unknown };
  lines: { browserOf: (userAgent: string | null) => string; SessionLine: unknown };
  setUp: { SetUpSecondFactor: unknown };
  session: { session: { token: () => string | null; open: (token: string) => void; close: (ending: string) => void } };
}

let pages: Modules & Stage;
const service = answering({ statusCode: 409, message: 'is refused' });
/** What somebody's device answers who is asked for a passkey. */
let passkey: () => object | null = () => null;
const { open, done } = deskOf(() => pages, service);
const as = adminWithout();

beforeAll(async () => {
  pages = await dashboardModules<Modules>(
    {
      api: require.resolve('../../dashboard/http/api.ts'),
      apiKeys: require.resolve('../../dashboard/pages/accounts/api-keys.tsx'),
      clientKeys: require.resolve('../../dashboard/pages/accounts/client-keys.tsx'),
      myAccount: require.resolve('../../dashboard/pages/accounts/my-account.tsx'),
      notifications: require.resolve('../../dashboard/pages/accounts/notifications.tsx'),
      passkeys: require.resolve('../../dashboard/pages/accounts/passkeys.tsx'),
      people: require.resolve('../../dashboard/pages/accounts/people.tsx'),
      roles: require.resolve('../../dashboard/pages/accounts/roles.tsx'),
      secondFactor: require.resolve('../../dashboard/pages/accounts/second-factor.tsx'),
      lines: require.resolve('../../dashboard/pages/accounts/session-line.tsx'),
      setUp: require.resolve('../../dashboard/pages/accounts/set-up-second-factor.tsx'),
      session: require.resolve('../../dashboard/http/session.ts'),
    },
    {
      fetch: service.fetch,
      ...withPasskeys(() => passkey()),
      isSecureContext: true,
      Notification: { permission: 'granted' },
    },
  );
});

beforeEach(() => {
  stopClock('2026-11-25T14:30:00Z');
  Object.assign(globalThis, { PublicKeyCredential: () => undefined });
  pages.session.session.close('none');
});
afterEach(() => {
  jest.useRealTimers();
  Reflect.deleteProperty(globalThis, 'PublicKeyCredential');
});

describe('keys of the API', () => {
  const key = (given: object = {}) => ({
    id: 'key-1',
    name: 'CI',
    prefix: 'ck_1',
    scopes: ['events'],
    createdAt: '2026-11-25T14:00:00Z',
    expiresAt: null,
    lastUsedAt: null,
    ...given,
  });
  const opened = (given: object = {}, at = '/connections/api-keys', reader = as) =>
    open(pages.apiKeys.ApiKeys, {
      as: reader,
      at,
      answers: [[pages.api.getIntegrationsApiKeysOptions().queryKey, { items: [key(given)] }]],
    });
  const path = '/api/integrations/api-keys';
  const making = (given: object = {}) => {
    const page = opened({}, '/connections/api-keys?add=new');
    for (const [label, value] of Object.entries({ Name: 'CI', 'What it is for': ['events'], ...given }))
      page.field(label).onChange?.(value);
    return page;
  };

  test.each<[given: object, told: string, mayRotate: boolean]>([
    [{}, 'ck_1… · created 30 min ago · never used Send events in', true],
    [{ lastUsedAt: '2026-11-25T14:20:00Z' }, 'created 30 min ago · last used 10 min ago Send events in', true],
    [{ expiresAt: '2026-11-25T15:30:00Z' }, 'never used · valid until Wed, Nov 25, 10:30 AM', true],
    [{ expiresAt: '2026-11-25T14:30:00Z' }, 'never used · expired Nov 25, 9:30 AM', false],
    [{ expiresAt: '2026-11-25T14:00:00Z' }, 'never used · expired Nov 25, 9:00 AM', false],
    [
      { scopes: ['patients.read', 'appointments.read', 'patients'] },
      'Read patients and appointments Add and change patients',
      true,
    ],
    [{ scopes: ['patients.read', 'results'] }, 'never used Read results patients.read', true],
  ])('%j is told as “%s”', (given, words, mayRotate) => {
    const texts = opened(given).texts();

    expect(texts.join(' ').replaceAll(/\s/g, ' ')).toContain(words);
    expect(texts.includes('Rotate')).toBe(mayRotate);
    expect(texts).toContain('Revoke');
  });

  test.each<[reader: typeof as, mayMake: boolean]>([
    [as, true],
    [adminWithout('keys'), false],
  ])('who may make keys is offered to: %j', (reader, mayMake) => {
    const page = opened({}, '/connections/api-keys?add=new', reader);

    expect(page.texts().includes('Create an API key')).toBe(mayMake);
    expect(page.button('Create a key')['disabled']).toBe(!mayMake);
  });

  test.each<[uses: string[], scopes: string[]]>([
    [['events'], ['events']],
    [['workflows'], ['workflows']],
    [['read'], ['patients.read', 'appointments.read']],
    [['patients'], ['patients']],
    [['appointments'], ['appointments']],
    [['deliveries'], ['deliveries']],
    [['results'], ['results']],
    [['settings'], ['settings']],
    [['sandbox'], ['sandbox']],
    [
      ['results', 'events'],
      ['events', 'results'],
    ],
  ])('one for %j opens %j', async (uses, scopes) => {
    const page = making({ 'What it is for': uses });

    expect((await done(page, page.submit)).asked).toEqual([['POST', path, { name: 'CI', scopes, expiresAt: null }]]);
  });

  test.each<[days: string, expiresAt: string | null]>([
    ['0', null],
    ['30', '2026-12-25T14:30:00.000Z'],
    ['90', '2027-02-23T14:30:00.000Z'],
    ['365', '2027-11-25T14:30:00.000Z'],
  ])('one for %s days lasts until %j', async (days, expiresAt) => {
    const page = making({ 'How long it lasts': days });
    const offered = (page.field('How long it lasts')['data'] as { value: string }[]).map(({ value }) => value);

    expect(offered).toEqual(['0', '30', '90', '365']);
    expect((await done(page, page.submit)).asked).toMatchObject([['POST', path, { expiresAt }]]);
  });

  test.each([[{ Name: '' }], [{ 'What it is for': [] }]])('without %j none is made', async (given) => {
    const page = making(given);

    expect((await done(page, page.submit)).asked).toEqual([]);
  });

  test.each<[scopes: string[], hasExample: boolean]>([
    [['events'], false],
    [['results', 'workflows'], true],
  ])('a new one for %j is shown once, with an example: %s', async (scopes, hasExample) => {
    const page = making();
    const { refreshed } = await done(page, page.submit, { name: 'CI', key: 'secret-1', scopes });
    const { texts } = pages.dialog();

    expect(refreshed).toEqual(['getIntegrations']);
    expect(await page.address()).toBe('/connections/api-keys');
    expect(texts).toEqual(
      expect.arrayContaining([
        'The key “CI”',
        'secret-1',
        'It is for servers only: never put it into a page or an app.',
      ]),
    );
    expect(
      texts
        .join(' ')
        .includes('curl "https://clinic.example/api/workflows?limit=5" \\ -H "Authorization: Bearer secret-1"'),
    ).toBe(hasExample);
  });

  test('who makes none after all is back on the page', async () => {
    const page = making();
    page.click('Not now');

    expect(await page.address()).toBe('/connections/api-keys');
  });

  test('one is revoked after a question', async () => {
    const page = opened();
    page.click('Revoke CI (ck_1…)');
    const question = pages.dialog();

    expect(question.texts).toEqual([
      'Revoke “CI” (ck_1…)?',
      'Anyone who uses this key is refused at once. This cannot be undone.',
      'Revoke',
      'Keep it',
    ]);
    expect(question.button('Revoke')['color']).toBe('red');
    expect(await done(page, () => question.click('Revoke'), {})).toEqual({
      asked: [['DELETE', `${path}/key-1`, null]],
      told: ['green: The key “CI” is revoked.'],
      refreshed: ['getIntegrations'],
    });
  });

  test.each<[hours: string, days: string, expiresAt: string | null]>([
    ['24', '0', null],
    ['0', '0', null],
    ['1', '30', '2026-12-25T14:30:00.000Z'],
    ['168', '0', null],
    ['720', '0', null],
  ])('one is replaced: the old one goes after %s hours, the new one after %s days', async (hours, days, expiresAt) => {
    const page = opened();
    page.click('Rotate CI (ck_1…)');
    page.again();
    const old = page.field('How long the old key is still taken');
    expect([old.value, (old['data'] as { value: string }[]).map(({ value }) => value)]).toEqual([
      '24',
      ['0', '1', '24', '168', '720'],
    ]);
    old.onChange?.(hours);
    page.field('How long the new key lasts').onChange?.(days);
    const reply = { key: 'secret-2', oldExpiresAt: '2026-11-26T14:30:00Z' };
    const found = await done(page, page.submit, reply);
    const { texts } = pages.dialog();

    expect(found).toEqual({
      asked: [['POST', `${path}/key-1/rotate`, { oldKeyHours: Number(hours), expiresAt }]],
      told: [],
      refreshed: ['getIntegrations'],
    });
    expect(texts).toEqual(
      expect.arrayContaining([
        'The key “CI”',
        'secret-2',
        'The old key is taken until Thu, Nov 26, 9:30 AM. It is for servers only: never put it into a page or an app.',
      ]),
    );
    expect(page.texts()).not.toContain('Create the new key');
  });
});

describe('key pairs of the clinic', () => {
  const pair = (kid: string, given: object = {}) => ({
    kid,
    algorithm: 'ES384',
    state: 'signing',
    signsFrom: '2026-11-25T14:00:00Z',
    ...given,
  });
  const opened = (...items: object[]) => {
    const keys = { items, jwksUrl: 'https://clinic.example/jwks' };
    const { queryKey } = pages.api.getIntegrationsApprovedApiKeysOptions();
    return open(pages.clientKeys.ClientKeys, { as, answers: [[queryKey, keys]] });
  };
  const path = '/api/integrations/approved-api/keys';

  test.each<[state: string, told: string]>([
    ['next', 'published, signs from'],
    ['signing', 'signs, since'],
    ['previous', 'signs no more, since'],
  ])('one that is %s is told so', (state, words) => {
    const texts = opened(pair('kid-1', { state })).texts();

    expect(texts.join(' ')).toContain(`ES384 · ${words} 30 min ago`);
    expect(texts).toContain('https://clinic.example/jwks');
  });

  test.each<[pairs: number, label: string, isDisabled: boolean]>([
    [0, 'Create a key pair', false],
    [1, 'Replace the key pair', false],
    [2, 'Replace the key pair', true],
  ])('with %i there is “%s”', async (count, label, isDisabled) => {
    const page = opened(...Array.from({ length: count }, (_, at) => pair(`kid-${at}`)));

    expect(page.button(label)['disabled']).toBe(isDisabled);
    expect(await done(page, () => page.click(label), {})).toEqual({
      asked: [['POST', path, { algorithm: 'ES384' }]],
      told: ['green: Created. It is published at the address of the key set.'],
      refreshed: ['getIntegrations'],
    });
  });

  test.each(['RS384', 'ES384'])('of the algorithm %s', async (algorithm) => {
    const page = opened();
    page.field('Algorithm').onChange?.(algorithm);
    page.again();

    expect(page.field('Algorithm')).toMatchObject({ value: algorithm, data: ['ES384', 'RS384'] });
    expect((await done(page, () => page.click('Create a key pair'))).asked).toEqual([['POST', path, { algorithm }]]);
  });

  test('one is withdrawn after a question', async () => {
    const page = opened(pair('kid-1'));
    page.click('Withdraw kid-1');
    const question = pages.dialog();

    expect(question.texts[0]).toBe('Withdraw this key?');
    expect(question.button('Withdraw')['color']).toBe('red');
    expect(await done(page, () => question.click('Withdraw'), {})).toEqual({
      asked: [['DELETE', `${path}/kid-1`, null]],
      told: ['green: Withdrawn.'],
      refreshed: ['getIntegrations'],
    });
  });
});

describe('my account', () => {
  const session = (id: string, isCurrent: boolean) => ({
    id,
    isCurrent,
    createdAt: '2026-11-25T14:00:00Z',
    usedAt: '2026-11-25T14:20:00Z',
    address: '192.0.2.1',
    userAgent: 'Chrome/120 (Windows)',
  });
  const opened = (reader = as) =>
    open(pages.myAccount.MyAccount, {
      as: reader,
      answers: [
        [pages.api.getAuthSessionsOptions().queryKey, { items: [session('here', true), session('there', false)] }],
        [
          pages.api.getAuthNotificationsOptions().queryKey,
          { taskMails: true, hasMail: true, email: 'ana@example.com' },
        ],
      ],
    });

  test('who has tasks may be notified of them', () => {
    expect(opened().texts()).toContain('Notifications');
    expect(opened(adminWithout('tasks')).texts()).not.toContain('Notifications');
    expect(opened().texts()).toEqual(expect.arrayContaining(['My account', 'Clinic admin, admin@example.com']));
  });

  test('every session but this one can be ended', async () => {
    const page = opened();
    const texts = page.texts();

    expect(texts.filter((text) => text === 'End')).toHaveLength(1);
    expect(texts.filter((text) => text === 'This one')).toHaveLength(1);
    expect(texts.join(' ')).toContain('Chrome on Windows This one 192.0.2.1 · used 10 min ago · signed in 30 min ago');
    expect(await done(page, () => page.click('End'), {})).toEqual({
      asked: [['DELETE', '/api/auth/sessions/there', null]],
      told: ['green: The session has ended.'],
      refreshed: ['getAuthSession'],
    });
  });

  test.each<[isDone: boolean]>([[true], [false]])('all sessions end after a question: %s', async (isDone) => {
    pages.session.session.open('token-1');
    const page = opened();
    page.click('Sign out everywhere');
    const question = pages.dialog();

    expect(question.texts).toEqual([
      'Sign out everywhere?',
      'Every session of your account ends at once, this one too.',
      'Sign out everywhere',
      'Not now',
    ]);
    expect(question.button('Sign out everywhere')['color']).toBe('red');
    const { asked: requests, told: words } = await done(
      page,
      () => question.click('Sign out everywhere'),
      ...(isDone ? [{}] : []),
    );
    expect(requests).toEqual([['DELETE', '/api/auth/sessions', null]]);
    expect(words).toEqual(isDone ? [] : ['red: is refused.']);
    expect(pages.session.session.token()).toBe(isDone ? null : 'token-1');
  });

  test.each<[typed: object, isSent: boolean]>([
    [{}, true],
    [{ 'Present password': '' }, false],
    [{ 'New password': '' }, false],
  ])('the password is changed with %j: %s', async (typed, isSent) => {
    const page = opened();
    const all = { 'Present password': 'old words', 'New password': 'new words', ...typed };
    for (const [label, value] of Object.entries(all)) page.field(label).onChange?.(value);

    expect(await done(page, () => page.submit('Change the password'), {})).toEqual(
      isSent
        ? {
            asked: [['PUT', '/api/auth/password', { password: 'old words', newPassword: 'new words' }]],
            told: ['green: Your password is changed, and your other sessions have ended.'],
            refreshed: ['getAuthSession'],
          }
        : { asked: [], told: [], refreshed: [] },
    );
  });

  test.each<[userAgent: string | null, told: string]>([
    [null, 'A program'],
    ['', 'A program'],
    ['Mozilla/5.0 (Windows NT 10.0) AppleWebKit/537 Chrome/120 Safari/537', 'Chrome on Windows'],
    ['Mozilla/5.0 (Windows NT 10.0) Chrome/120 Safari/537 Edg/120', 'Edge on Windows'],
    ['Mozilla/5.0 (X11; Linux x86_64) Gecko Firefox/140', 'Firefox on Linux'],
    ['Mozilla/5.0 (Linux; Android 14) Chrome/120 Mobile Safari/537', 'Chrome on Android'],
    ['Mozilla/5.0 (iPhone; CPU iPhone OS 17 like Mac OS X) Safari/604', 'Safari on iPhone'],
    ['Mozilla/5.0 (iPad; CPU OS 17 like Mac OS X) Safari/604', 'Safari on iPad'],
    ['Mozilla/5.0 (Macintosh; Intel Mac OS X 14) Safari/604', 'Safari on Mac OS'],
    ['Firefox/140', 'Firefox'],
    [`curl/8 ${'x'.repeat(80)}`, `curl/8 ${'x'.repeat(53)}`],
  ])('a session of %j is one of “%s”', (userAgent, words) => {
    expect(pages.lines.browserOf(userAgent)).toBe(words);
  });

  test('a session of which little is known', () => {
    const props = { session: { ...session('here', false), address: null, userAgent: null } };
    const texts = textsIn(pages.show(pages.lines.SessionLine, props));

    expect(texts.join(' ')).toMatch(/^A program address unknown · used /);
    expect(texts).not.toContain('This one');
  });
});

describe('notifications', () => {
  const opened = (given: object = {}) => {
    const found = { taskMails: false, hasMail: true, email: 'ana@example.com', ...given };
    return open(pages.notifications.Notifications, {
      as,
      answers: [[pages.api.getAuthNotificationsOptions().queryKey, found]],
    });
  };

  test.each<[hasMail: boolean, told: string]>([
    [true, 'The first at once, then at most one mail every five minutes.'],
    [false, 'This service sends no mail: its operator has set no mail server.'],
  ])('by mail where the service sends any: %s', (hasMail, words) => {
    const page = opened({ hasMail });

    expect(page.texts()).toContain(words);
    expect(page.field('By mail to ana@example.com')['disabled']).toBe(!hasMail);
    expect(page.texts()).not.toContain('This browser has no notifications, or the address is not secure.');
    expect(page.field('In this browser')['disabled']).toBe(false);
  });

  test.each<[taskMails: boolean]>([[true], [false]])(
    'mails are switched from %s, and shown so while that is on its way',
    async (taskMails) => {
      const page = opened({ taskMails });
      const box = page.field('By mail to ana@example.com');
      expect(box['checked']).toBe(taskMails);
      const waiting = done(page, () => box.onChange?.({ currentTarget: { checked: !taskMails } }), {});
      page.again();
      expect(page.field('By mail to ana@example.com')['checked']).toBe(!taskMails);
      expect(await waiting).toEqual({
        asked: [['PUT', '/api/auth/notifications', { taskMails: !taskMails }]],
        told: [],
        refreshed: ['getAuthNotifications'],
      });
    },
  );
});

describe('people', () => {
  const account = (given: object = {}) => ({
    id: 'account-2',
    name: 'Ben Roe',
    email: 'ben@example.com',
    role: 'staff',
    disabledAt: null,
    endsAt: null,
    hasSecondFactor: true,
    sessions: 1,
    ...given,
  });
  const invitation = {
    id: 'invitation-1',
    email: 'new@example.com',
    role: 'manager',
    expiresAt: '2026-11-25T16:30:00Z',
  };
  interface Given {
    of?: object;
    rule?: object;
    sessions?: object[];
    at?: string;
  }
  const opened = ({ of = {}, rule = {}, sessions = [], at }: Given = {}) => {
    const path = { accountId: 'account-2' };
    return open(pages.people.People, {
      as,
      at,
      answers: [
        [pages.api.getAccountsOptions().queryKey, { items: [account(of)] }],
        [pages.api.getAccountsInvitationsOptions().queryKey, { items: [invitation] }],
        [pages.api.getAccountsSecondFactorOptions().queryKey, { isRequired: false, withoutOne: 2, ...rule }],
        [pages.api.getAccountsByAccountIdSessionsOptions({ path }).queryKey, { items: sessions }],
      ],
    });
  };
  const path = '/api/accounts/account-2';

  test.each<[given: object, told: string]>([
    [{}, 'Ben Roe Front desk ben@example.com with a second factor · 1 open session'],
    [{ hasSecondFactor: false, sessions: 2 }, 'ben@example.com no second factor · 2 open sessions'],
    [{ role: 'admin' }, 'Ben Roe Administrator ben@example.com'],
    [{ role: 'manager' }, 'Ben Roe Manager ben@example.com'],
    [{ role: 'auditor' }, 'Ben Roe Auditor ben@example.com'],
    [{ disabledAt: '2026-11-25T14:00:00Z' }, 'Front desk Disabled ben@example.com'],
    [{ id: 'account-1' }, 'Front desk You ben@example.com'],
    [{ endsAt: '2026-11-25T14:30:01Z' }, 'ben@example.com ends in a moment'],
    [{ endsAt: '2026-11-25T14:30:00Z' }, 'ben@example.com ended just now'],
    [{ endsAt: '2026-11-25T14:00:00Z' }, 'ben@example.com ended 30 min ago'],
  ])('%j is told as “%s”', (of, words) => {
    expect(opened({ of }).texts().join(' ')).toContain(words);
  });

  test.each<[of: object, disabled: string[], last: string | null]>([
    [{}, [], 'Disable'],
    [{ id: 'account-1' }, ['Disable'], 'Disable'],
    [{ hasSecondFactor: false }, ['Remove the second factor'], 'Disable'],
    [{ disabledAt: '2026-11-25T14:00:00Z' }, ['Link for a new password'], 'Enable'],
    [{ endsAt: '2026-11-25T15:00:00Z' }, [], null],
  ])('of %j can not be done: %j', (of, disabled, last) => {
    const page = opened({ of });
    const items = ['Change the role', 'Sessions', 'Link for a new password', 'Remove the second factor'];
    if (last === null) {
      expect(() => page.button('Sessions')).toThrow('nothing there');
      return;
    }

    expect([...items, last].filter((item) => page.button(item)['disabled'])).toEqual(disabled);
    expect(page.button(last)['color']).toBe(last === 'Disable' ? 'red' : undefined);
    const other = last === 'Disable' ? 'Enable' : 'Disable';
    expect(() => page.button(other)).toThrow('nothing there');
  });

  test.each<[item: string, of: object, question: string | null, request: unknown[], words: string[]]>([
    [
      'Disable',
      {},
      'Disable Ben Roe?',
      ['POST', `${path}/disable`, null],
      ['green: Ben Roe is signed out and cannot sign in.'],
    ],
    [
      'Enable',
      { disabledAt: '2026-11-25T14:00:00Z' },
      null,
      ['POST', `${path}/enable`, null],
      ['green: Ben Roe can sign in again.'],
    ],
    [
      'Remove the second factor',
      {},
      'Remove the second factor of Ben Roe?',
      ['DELETE', `${path}/second-factor`, null],
      ['green: Ben Roe signs in with the password only.'],
    ],
  ])('“%s” for %j', async (item, of, question, request, words) => {
    for (const isDone of [true, false]) {
      const page = opened({ of });
      const acts = () => {
        page.click(item);
        if (question === null) return;
        const { texts, button, click } = pages.dialog();
        const yes = item === 'Disable' ? 'Disable' : 'Remove it';
        expect([texts[0], ...texts.slice(-2)]).toEqual([question, yes, 'Not now']);
        expect(button(yes)['color']).toBe('red');
        click(yes);
      };

      expect(await done(page, acts, ...(isDone ? [{}] : []))).toEqual({
        asked: [request],
        told: isDone ? words : ['red: is refused.'],
        refreshed: ['getAccounts'],
      });
    }
  });

  test.each<[mail: string, told: string, color: string]>([
    ['sent', 'It was mailed to them too.', 'gray'],
    ['failed', 'The mail could not be sent: give them the link yourself.', 'red'],
    ['off', 'This service sends no mail: give them the link yourself.', 'gray'],
  ])('a link for a new password is shown once, with its mail: %s', async (mail, words) => {
    const page = opened();
    const link = 'https://clinic.example/set-password#token-1';

    expect(await done(page, () => page.click('Link for a new password'), { link, mail })).toEqual({
      asked: [['POST', `${path}/reset`, null]],
      told: [],
      refreshed: ['getAccounts'],
    });
    expect(pages.dialog().texts).toEqual(
      expect.arrayContaining([
        'A new password for ben@example.com',
        link,
        `${words} Anyone who has the link sets the password: give it to nobody else. It works once, for 72 hours.`,
      ]),
    );
  });

  test.each<[role: string]>([['auditor'], ['staff'], ['manager'], ['admin']])('the role becomes %s', async (role) => {
    const page = opened();
    page.click('Change the role');
    page.again();
    page.field('Role').onChange?.(role);
    const found = await done(page, () => page.submit('Change the role'), {});

    expect(found).toEqual({
      asked: [['PATCH', path, { role }]],
      told: ['green: Ben Roe has another role now.'],
      refreshed: ['getAccounts'],
    });
    expect(page.texts()).not.toContain('The role of Ben Roe');
  });

  test('who changes no role, or has seen the sessions, is back on the page', () => {
    const page = opened();
    page.click('Change the role');
    expect(page.texts()).toContain('The role of Ben Roe');
    page.click('Not now');
    expect(page.texts()).not.toContain('The role of Ben Roe');

    page.click('Sessions');
    expect(page.texts()).toEqual(
      expect.arrayContaining(['Sessions of Ben Roe', 'No open session', 'Nobody is signed in with this account.']),
    );
  });

  test('open sessions are shown, and all of them ended', async () => {
    const session = {
      id: 'session-1',
      isCurrent: false,
      createdAt: '2026-11-25T14:00:00Z',
      usedAt: '2026-11-25T14:20:00Z',
      address: null,
      userAgent: 'Firefox/140',
    };
    const page = opened({ sessions: [session, { ...session, id: 'session-2' }] });
    page.click('Sessions');
    const texts = page.texts();

    expect(texts.filter((text) => text === 'Firefox')).toHaveLength(2);
    expect(texts).not.toContain('No open session');
    expect(await done(page, () => page.click('End all of them'), {})).toEqual({
      asked: [['DELETE', `${path}/sessions`, null]],
      told: ['green: Ben Roe is signed out everywhere.'],
      refreshed: ['getAccounts'],
    });
  });

  test('an invitation is withdrawn', async () => {
    const page = opened();

    expect(page.texts().join(' ')).toContain('new@example.com Manager · ends in 2 h Withdraw');
    expect(page.texts()).not.toContain('Invite a person');
    expect(await done(page, () => page.click('Withdraw the invitation for new@example.com'), {})).toEqual({
      asked: [['DELETE', '/api/accounts/invitations/invitation-1', null]],
      told: ['green: The invitation for new@example.com no longer works.'],
      refreshed: ['getAccounts'],
    });
  });

  test.each<[typed: object, body: object | null]>([
    [{ 'E-mail': 'new@example.com' }, { email: 'new@example.com', role: 'staff' }],
    [
      { 'E-mail': 'new@example.com', Role: 'admin' },
      { email: 'new@example.com', role: 'admin' },
    ],
    [{ 'E-mail': 'new' }, null],
    [{}, null],
  ])('somebody is invited: %j', async (typed, body) => {
    const page = opened({ at: '/clinic/people?add=new' });
    for (const [label, value] of Object.entries(typed)) page.field(label).onChange?.(value);
    const link = 'https://clinic.example/set-password#token-1';
    const reply = { link, mail: 'off', email: 'new@example.com' };
    const found = await done(page, () => page.submit('Invite'), reply);

    expect(found.asked).toEqual(body === null ? [] : [['POST', '/api/accounts/invitations', body]]);
    expect(await page.address()).toBe(body === null ? '/clinic/people?add=new' : '/clinic/people');
    if (body === null) return;
    expect(found.refreshed).toEqual(['getAccounts']);
    expect(pages.dialog().texts).toEqual(
      expect.arrayContaining([
        'The invitation for new@example.com',
        link,
        'Copy it now: it is shown this once and cannot be read back.',
      ]),
    );
  });

  test.each<[withoutOne: number, told: string]>([
    [0, 'Everybody has one.'],
    [1, 'One person has none yet.'],
    [2, '2 people have none yet.'],
  ])('%i people have no second factor', (withoutOne, words) => {
    expect(opened({ rule: { withoutOne } }).texts()).toContain(words);
  });

  const label = 'Require a second factor of everybody';
  test.each<[isRequired: boolean, question: string[], words: string]>([
    [
      true,
      [
        'Require a second factor?',
        '2 people have none yet. Those without one must set one up before anything else, also where they are signed in now.',
        'Require it',
        'Not now',
      ],
      'green: Everyone needs a second factor from now on.',
    ],
    [
      false,
      [
        'Stop requiring a second factor?',
        'Those who have one keep it; the others sign in with the password only.',
        'Stop requiring it',
        'Not now',
      ],
      'green: The password is enough again.',
    ],
  ])('a second factor is required: %s', async (isRequired, question, words) => {
    const page = opened({ rule: { isRequired: !isRequired } });
    const box = page.field(label);
    expect([box['checked'], box['disabled'], box['error']]).toEqual([!isRequired, false, undefined]);
    box.onChange?.({ currentTarget: { checked: isRequired } });
    const { texts, click } = pages.dialog();
    expect(texts).toEqual(question);
    const waiting = done(page, () => click(question.at(-2) ?? ''), { isRequired });
    page.again();
    expect(page.field(label)['disabled']).toBe(true);
    expect(await waiting).toEqual({
      asked: [['PUT', '/api/accounts/second-factor', { isRequired }]],
      told: [words],
      refreshed: ['getAuthSession', 'getAuthSecondFactor', 'getAccounts'],
    });
  });

  test('what is refused of it stands beside it', async () => {
    const page = opened();
    page.field(label).onChange?.({ currentTarget: { checked: true } });
    const { click } = pages.dialog();

    expect((await done(page, () => click('Require it'))).told).toEqual([]);
    expect(page.texts()).toContain('is refused.');
  });

  test('each right is told with the roles that have it', () => {
    const items = [
      { right: 'people', roles: ['admin'] },
      { right: 'tasks', roles: ['staff', 'manager'] },
      { right: 'events', roles: [] },
    ];
    const answers: [unknown, unknown][] = [[pages.api.getRightsOptions().queryKey, { items }]];

    expect(textsIn(pages.show(pages.roles.Roles, {}, { answers })).slice(2)).toEqual([
      'Manage accounts and roles',
      'Administrator',
      'Work on tasks',
      'Front desk, Manager',
      'Send events in: systems only, by a key',
      'No role',
    ]);
    expect(pages.roles.roleOptions.map(({ value }) => value)).toEqual(['auditor', 'staff', 'manager', 'admin']);
  });
});

describe('passkeys', () => {
  const stored = (given: object = {}) => ({
    id: 'passkey-1',
    name: 'Phone',
    isSynced: false,
    createdAt: '2026-11-25T14:00:00Z',
    usedAt: null,
    ...given,
  });
  const opened = (items: object[] = [stored()], props: object = {}) =>
    open(pages.passkeys.Passkeys, { as, answers: [[pages.api.getAuthPasskeysOptions().queryKey, { items }]] }, props);
  const ofAccount = ['getAuthSession', 'getAuthSecondFactor', 'getAuthPasskeys', 'getAccounts'];

  test.each<[given: object, told: string]>([
    [{}, 'Phone added 30 min ago · not used yet Change'],
    [{ isSynced: true }, 'Phone On several devices added 30 min ago'],
    [{ usedAt: '2026-11-25T14:20:00Z' }, 'added 30 min ago · used 10 min ago Change'],
  ])('%j is told as “%s”', (given, words) => {
    expect(
      opened([stored(given)])
        .texts()
        .join(' '),
    ).toContain(words);
  });

  test.each<[isPossible: boolean, told: string]>([
    [true, 'Add one on each device that you sign in with, or on a key that you carry.'],
    [false, 'Passkeys do not work in this browser at this address: they need TLS and a domain name.'],
  ])('where the browser has them (%s) one can be added', (isPossible, words) => {
    if (!isPossible) Reflect.deleteProperty(globalThis, 'PublicKeyCredential');
    const texts = opened([]).texts();

    expect(texts).toEqual(expect.arrayContaining(['No passkey yet', words]));
    expect(texts.includes('Add a passkey')).toBe(isPossible);
  });

  const bytes = (text: string) => new TextEncoder().encode(text).buffer;
  const made = () => ({
    id: 'key-1',
    rawId: bytes('key-1'),
    type: 'public-key',
    response: { clientDataJSON: bytes('client'), attestationObject: bytes('made'), getTransports: () => [] },
    getClientExtensionResults: () => ({}),
  });
  const challenge = {
    options: {
      challenge: 'YQ',
      rp: { id: 'clinic.example', name: 'Clinic' },
      user: { id: 'YQ', name: 'ana', displayName: 'Ana' },
      pubKeyCredParams: [],
    },
  };
  const adding = (onSet?: () => void) => {
    const page = opened([], { onSet });
    page.click('Add a passkey');
    page.again();
    page.field('Password').onChange?.('my words');
    return page;
  };

  test('a password that was typed is not there when it is asked for again', () => {
    const page = adding();
    page.again();
    expect(page.field('Password').value).toBe('my words');
    (page.given(({ form, onClose }) => form && onClose)['onClose'] as () => void)();
    page.again();
    page.click('Add a passkey');
    page.again();
    expect(page.field('Password').value).toBe('');
  });

  test('one is added with the password, by the name of the browser unless another is given', async () => {
    passkey = made;
    let isSet = false;
    const page = adding(() => {
      isSet = true;
    });
    expect(page.field('Name').value).toBe('Firefox on Linux');
    const found = await done(page, () => page.submit('Go on'), challenge, {});

    expect(found).toMatchObject({
      asked: [
        ['POST', '/api/auth/passkeys/options', { password: 'my words' }],
        ['POST', '/api/auth/passkeys', { name: 'Firefox on Linux' }],
      ],
      told: ['green: From now on this passkey signs you in.'],
      refreshed: ofAccount,
    });
    expect(isSet).toBe(true);
    expect(page.texts()).not.toContain('Your browser then asks where to keep it.');
    expect(page.field('Password')).toBeDefined();
  });

  test('none is added where it is refused, and the dialog stays', async () => {
    let isSet = false;
    const page = adding(() => {
      isSet = true;
    });

    expect(await done(page, () => page.submit('Go on'))).toMatchObject({
      asked: [['POST', '/api/auth/passkeys/options', { password: 'my words' }]],
      told: ['red: is refused.'],
    });
    expect(isSet).toBe(false);
    expect(page.texts()).toContain('Go on');
  });

  test.each<[label: string, value: string]>([
    ['Name', '  '],
    ['Password', ''],
  ])('without %s nothing is asked', async (label, value) => {
    const page = adding();
    page.field(label).onChange?.(value);

    expect((await done(page, () => page.submit('Go on'))).asked).toEqual([]);
  });

  test.each<[typed: string, isSent: boolean]>([
    ['Old phone', true],
    ['', false],
  ])('one is renamed “%s”', async (typed, isSent) => {
    const page = opened();
    page.click('Rename');
    expect(page.texts()).toContain('Rename the passkey');
    page.field('Name').onChange?.(typed);
    const found = await done(page, () => page.submit('Rename'), {});

    expect(found.asked).toEqual(isSent ? [['PATCH', '/api/auth/passkeys/passkey-1', { name: typed }]] : []);
    expect(found.refreshed).toEqual(isSent ? ['getAuthPasskeys'] : []);
    expect(page.texts().includes('Rename the passkey')).toBe(!isSent);
  });

  test('one is removed with the password', async () => {
    const page = opened();
    page.click('Remove');
    expect(page.texts()).toEqual(expect.arrayContaining(['Remove Phone', 'Remove it']));
    page.field('Password').onChange?.('my words');
    const found = await done(page, () => page.submit('Remove it'), {});

    expect(found).toEqual({
      asked: [['POST', '/api/auth/passkeys/passkey-1/remove', { password: 'my words' }]],
      told: ['green: The passkey no longer works.'],
      refreshed: ofAccount,
    });
    expect(page.texts()).not.toContain('Remove Phone');
  });
});

describe('one-time codes', () => {
  const opened = (given: object = {}, props: object = {}) => {
    const found = { isOn: false, backupCodesLeft: null, isRequired: false, ...given };
    return open(
      pages.secondFactor.SecondFactor,
      { as, answers: [[pages.api.getAuthSecondFactorOptions().queryKey, found]] },
      props,
    );
  };
  const ofAccount = ['getAuthSession', 'getAuthSecondFactor', 'getAccounts'];

  test.each<[given: object, told: string, button: string]>([
    [{}, 'It is off.', 'Set it up'],
    [{ isOn: true, backupCodesLeft: 7 }, 'It is on; 7 backup codes are left.', 'Remove it'],
    [{ isOn: true }, 'It is on; 0 backup codes are left.', 'Remove it'],
    [{ isRequired: true }, 'It is off. Your clinic requires this or a passkey.', 'Set it up'],
  ])('%j is told as “%s”', (given, words, button) => {
    const texts = opened(given).texts();

    expect(texts).toContain(words);
    expect(['Set it up', 'Remove it'].filter((each) => texts.includes(each))).toEqual([button]);
  });

  const begun = { url: 'otpauth://totp/Clinic:ana?secret=ABC', secret: 'ABC' };
  const beginning = async (onSet?: () => void) => {
    const page = opened({}, { onSet });
    page.click('Set it up');
    expect(page.texts()).toContain('Set up one-time codes');
    page.field('Password').onChange?.('my words');
    const found = await done(page, () => page.submit('Go on'), begun);
    return { page, found };
  };

  test('are set up with the password and a code, and the backup codes are shown once', async () => {
    let isSet = false;
    const { page, found } = await beginning(() => {
      isSet = true;
    });
    expect(found).toEqual({
      asked: [['POST', '/api/auth/second-factor', { password: 'my words' }]],
      told: [],
      refreshed: ofAccount,
    });
    const texts = page.texts();
    expect(texts).toEqual(expect.arrayContaining(['Scan this with your authenticator', 'ABC', 'Turn it on']));
    expect(texts).not.toContain('Set up one-time codes');

    page.field('Code').onChange?.('');
    service.requests.length = 0;
    expect((await done(page, () => page.submit('Turn it on'))).asked).toEqual([]);
    page.field('Code').onChange?.('123456');
    expect((await done(page, () => page.submit('Turn it on'), { backupCodes: ['one', 'two'] })).asked).toEqual([
      ['POST', '/api/auth/second-factor/confirm', { code: '123456' }],
    ]);
    expect(page.texts()).toEqual(expect.arrayContaining(['Your backup codes', 'one two']));
    expect(page.texts()).not.toContain('Scan this with your authenticator');
    expect(isSet).toBe(false);
    page.click('I have stored them');
    expect(isSet).toBe(true);
    expect(page.texts()).not.toContain('Your backup codes');
  });

  test('the code to scan is dark on light, square by square', async () => {
    const { page } = await beginning();
    const markup = page.again();
    const [, size = ''] = /viewBox="0 0 (\d+) \1"[^>]*role="img"/.exec(markup) ?? [];
    const [, path = ''] = /<path d="([^"]*)" fill="#000"/.exec(markup) ?? [];
    const dark = new Set(path.match(/M\d+ \d+(?=h1v1h-1z)/g));
    const isDark = (x: number, y: number) => dark.has(`M${x} ${y}`);
    // The three corners by which a camera finds it: seven squares wide, after a border of two.
    const corner = (x: number, y: number) =>
      Array.from({ length: 7 }, (_, row) =>
        Array.from({ length: 7 }, (_each, column) => (isDark(x + column, y + row) ? '#' : '.')).join(''),
      );
    const expected = ['#######', '#.....#', '#.###.#', '#.###.#', '#.###.#', '#.....#', '#######'];

    expect([corner(2, 2), corner(Number(size) - 9, 2), corner(2, Number(size) - 9)]).toEqual([
      expected,
      expected,
      expected,
    ]);
    expect(markup).toContain(`<rect width="${size}" height="${size}" fill="#fff"`);
  });

  test.each(['Set it up', 'Remove it'])('who does not go on with “%s” is back on the page', (button) => {
    const page = opened({ isOn: button === 'Remove it' });
    const title = button === 'Set it up' ? 'Set up one-time codes' : 'Remove the one-time codes';
    page.click(button);
    expect(page.texts()).toContain(title);
    page.click('Not now');
    expect(page.texts()).not.toContain(title);
  });

  test('who does not scan the code is back on the page', async () => {
    const { page } = await beginning();
    expect(page.texts()).toContain('Turn it on');
    page.click('Not now');

    expect(page.texts()).not.toContain('Turn it on');
  });

  test.each<[isDone: boolean]>([[true], [false]])('are removed with the password: %s', async (isDone) => {
    const page = opened({ isOn: true, backupCodesLeft: 1 });
    page.click('Remove it');
    page.again();
    page.field('Password').onChange?.('my words');

    expect(await done(page, () => page.submit('Remove it'), ...(isDone ? [{}] : []))).toEqual({
      asked: [['POST', '/api/auth/second-factor/remove', { password: 'my words' }]],
      told: [isDone ? 'green: Your account asks for no codes from now on.' : 'red: is refused.'],
      refreshed: ofAccount,
    });
    expect(page.texts().includes('Remove the one-time codes')).toBe(!isDone);
  });

  test('where a clinic requires one, both are offered, and the way out', () => {
    let isOut = false;
    const props = {
      clinic: 'North Clinic',
      signOut: () => {
        isOut = true;
      },
      onSet: () => undefined,
    };
    const page = open(pages.setUp.SetUpSecondFactor, { as, answers: [] }, props);

    expect(page.texts()).toEqual(
      expect.arrayContaining([
        'North Clinic requires one of everybody who signs in. Choose one of the two; your work goes on then.',
        'One-time codes',
        'Passkeys',
      ]),
    );
    page.click('Sign out');
    expect(isOut).toBe(true);
  });
});

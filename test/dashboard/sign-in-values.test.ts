import { dashboardModules, linksIn, type Stage, textsIn } from './stage/dashboard';
import { adminWithout, deskOf, stopClock, withPasskeys } from './stage/desk';
import { answering } from './stage/service';

/** What the pages by which somebody signs in show and send, and what their administrator sets for it, without a browser. */
type Option = (given?: object) => { queryKey: unknown };
interface Modules {
  api: Record<'getAccountsSingleSignOnOptions', Option>;
  setPassword: { SetPassword: unknown };
  signIn: { SignIn: unknown };
  signOn: { SingleSignOn: unknown };
  signOnReturn: { SignOnReturn: unknown };
  session: { session: { token: () => string | null; open: (token: string) => void; close: (ending: string) => void } };
}

let pages: Modules & Stage;
const service = answering({ statusCode: 409, message: 'is refused' });
const refusedAt = (path: string, message = 'is wrong') =>
  Response.json({ statusCode: 400, message: 'is refused', details: [{ path, message }] }, { status: 400 });

/** What somebody's device answers who is asked for a passkey. */
let passkey: () => object | null = () => null;
/** What was done with the window. */
const ofWindow: unknown[] = [];
/** Where it has left to. */
const left: string[] = [];
/** What this window keeps, and what others are told by what is kept for all of them. */
const kept = new Map<string, string>();
const passedOn: unknown[] = [];
const { open, done } = deskOf(() => pages, service);
const as = adminWithout();

beforeAll(async () => {
  pages = await dashboardModules<Modules>(
    {
      api: require.resolve('../../dashboard/http/api.ts'),
      setPassword: require.resolve('../../dashboard/pages/accounts/set-password.tsx'),
      signIn: require.resolve('../../dashboard/pages/accounts/sign-in.tsx'),
      signOn: require.resolve('../../dashboard/pages/accounts/single-sign-on.tsx'),
      signOnReturn: require.resolve('../../dashboard/pages/accounts/sign-on-return.tsx'),
      session: require.resolve('../../dashboard/http/session.ts'),
    },
    {
      fetch: service.fetch,
      ...withPasskeys(() => passkey(), {
        location: { assign: (address: string) => void left.push(address) },
        history: { state: { key: 1 }, replaceState: (...given: unknown[]) => void ofWindow.push(given) },
        close: () => void ofWindow.push('closed'),
      }),
      sessionStorage: {
        getItem: (key: string) => kept.get(key) ?? null,
        setItem: (key: string, value: string) => void kept.set(key, value),
        removeItem: (key: string) => void kept.delete(key),
      },
      localStorage: {
        getItem: () => null,
        setItem: (_key: string, value: string) => void passedOn.push(JSON.parse(value)),
        removeItem: () => undefined,
      },
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

describe('the page that a link for a password opens', () => {
  const invited = { kind: 'invitation', email: 'new@example.com', clinicName: 'North Clinic' };
  const reset = { kind: 'reset', email: 'ana@example.com', clinicName: null };
  const opened = (link: object | null, hash = '#token-1') =>
    open(pages.setPassword.SetPassword, {
      at: `/set-password${hash}`,
      answers: link ? [[['postAuthLinksRead', 'token-1'], link]] : [],
    });

  test.each<[what: string, link: object, heading: string[], hasName: boolean, button: string]>([
    ['an invitation', invited, ['Join North Clinic', 'Your account is for you only.'], true, 'Create my account'],
    [
      'an invitation of nobody’s clinic',
      { ...invited, clinicName: null },
      ['Join Clinic workflows', 'Your account is for you only.'],
      true,
      'Create my account',
    ],
    ['a new password', reset, ['Set a new password', 'Your open sessions end with it.'], false, 'Set the password'],
  ])('asks for %s', (_what, link, heading, hasName, button) => {
    const page = opened(link);
    const texts = page.texts();

    expect(texts.slice(1, 3)).toEqual(heading);
    expect(texts.includes('Name')).toBe(hasName);
    expect(texts).toContain(button);
  });

  test('a link without its end is told so', () => {
    const page = opened(null, '');

    expect(page.texts()).toEqual([
      'Clinic workflows',
      'Set a password',
      'This link is incomplete: open it exactly as you received it.',
      'To the sign-in',
    ]);
    expect(linksIn(page.again())).toEqual([['To the sign-in', '/sign-in']]);
  });

  test('while the link is read nothing is asked', () => {
    expect(opened(null).texts()).toEqual(['Clinic workflows']);
  });

  const token = { token: 'session-1' };
  test.each<[link: object, typed: object, body: object | null]>([
    [invited, {}, { token: 'token-1', name: 'Ana Ruiz', password: 'some new words' }],
    [invited, { Name: ' ' }, null],
    [invited, { Password: '' }, null],
    [reset, {}, { token: 'token-1', password: 'some new words' }],
    [reset, { Password: '' }, null],
  ])('%j: with %j is sent %j', async (link, typed, body) => {
    const page = opened(link);
    const names = link === invited ? { Name: 'Ana Ruiz' } : {};
    for (const [label, value] of Object.entries({ ...names, Password: 'some new words', ...typed }))
      page.field(label).onChange?.(value);
    const { email } = link as typeof reset;

    expect((await done(page, page.submit, {}, token)).asked).toEqual(
      body === null
        ? []
        : [
            ['POST', '/api/auth/links/use', body],
            ['POST', '/api/auth/sign-in/email', { email, password: 'some new words' }],
          ],
    );
    expect([pages.session.session.token(), await page.address()]).toEqual(
      body === null ? [null, '/set-password'] : ['session-1', '/'],
    );
    // What was read before is not for the one who is signed in then; the link is not read again.
    if (body !== null) expect(page.known()).toEqual([undefined]);
  });

  test('who is not signed in with it, as a code is asked for too, is led to the sign-in', async () => {
    const page = opened(reset);
    page.field('Password').onChange?.('some new words');
    expect((await done(page, page.submit, {})).told).toEqual([]);

    expect(page.texts()).toEqual([
      'Clinic workflows',
      'Your password is set',
      'Sign in as ana@example.com with your new password.',
      'To the sign-in',
    ]);
    expect(pages.session.session.token()).toBeNull();
  });

  test('a password that is refused leaves everything as it is', async () => {
    const page = opened(reset);
    page.field('Password').onChange?.('short');

    expect(await done(page, page.submit, refusedAt('other', 'is odd'))).toMatchObject({
      asked: [['POST', '/api/auth/links/use', { token: 'token-1', password: 'short' }]],
      told: ['red: other is odd.'],
    });
    expect(page.texts()).toContain('Set the password');
  });
});

describe('the sign-in', () => {
  const opened = (state?: object) => open(pages.signIn.SignIn, { at: '/sign-in', state });
  const filled = (state?: object) => {
    const page = opened(state);
    page.field('E-mail').onChange?.('ana@example.com');
    page.field('Password').onChange?.('my words');
    return page;
  };
  const path = '/api/auth/sign-in/email';
  const words = { email: 'ana@example.com', password: 'my words' };

  test.each<[ending: string, told: string | null]>([
    ['none', null],
    ['signed-out', 'You are signed out.'],
    ['expired', 'Your session has ended. Sign in again to continue where you were.'],
  ])('after a session that is %s', (ending, farewell) => {
    pages.session.session.close(ending);
    const texts = opened().texts();

    expect(texts.filter((text) => /^You are|^Your session/.test(text))).toEqual(farewell === null ? [] : [farewell]);
  });

  test.each<[state: object | undefined, value: string]>([
    [undefined, ''],
    [{ email: 'ana@example.com' }, 'ana@example.com'],
    [{ email: 1 }, ''],
  ])('of whom has just set a password the e-mail is there: %j', (state, value) => {
    const page = opened(state);

    expect(page.field('E-mail').value).toBe(value);
    expect(page.field('E-mail')['autoFocus']).toBe(value === '');
    expect(page.field('Password')['autoFocus']).toBe(value !== '');
  });

  test.each<[label: string]>([['E-mail'], ['Password']])('without %s nothing is sent', async (label) => {
    const page = filled();
    page.field(label).onChange?.('');

    expect((await done(page, page.submit)).asked).toEqual([]);
  });

  test('signs in, and forgets what another has seen', async () => {
    const page = filled();

    expect((await done(page, page.submit, { token: 'session-1' })).asked).toEqual([['POST', path, words]]);
    expect(pages.session.session.token()).toBe('session-1');
    expect(page.known()).toEqual([]);
  });

  test.each<[state: object | undefined, to: string]>([
    [undefined, '/'],
    [{ from: '/cases?show=open' }, '/cases?show=open'],
    [{ from: '//elsewhere.example' }, '/'],
    [{ from: 'https://elsewhere.example' }, '/'],
    [{ from: 1 }, '/'],
  ])('who is signed in is led on: %j to %s', async (state, to) => {
    pages.session.session.open('session-1');
    const page = opened(state);

    expect(page.texts()).toEqual([]);
    expect(await page.address()).toBe(to);
  });

  test('why it was refused stands above the form, in place of a farewell', async () => {
    pages.session.session.close('expired');
    const page = filled();

    expect((await done(page, page.submit)).told).toEqual([]);
    const texts = page.texts();
    expect(texts).toContain('is refused.');
    expect(texts.join(' ')).not.toContain('Your session has ended');
    expect(texts).not.toContain('Code');
  });

  test('a code is asked of who has a second factor, and sent then', async () => {
    const page = filled();
    await done(page, page.submit, refusedAt('code', 'is asked for'));
    const texts = page.texts();

    expect(texts).toEqual(expect.arrayContaining(['Code', 'This is asked for']));
    expect(texts).not.toContain('is refused.');
    page.again();
    page.field('E-mail').onChange?.('ana@example.com');
    page.field('Password').onChange?.('my words');
    page.field('Code').onChange?.('123456');
    service.requests.length = 0;
    expect((await done(page, page.submit)).asked).toEqual([['POST', path, { ...words, code: '123456' }]]);
    // Another refusal than that of the code: it stays asked for.
    expect(page.texts()).toEqual(expect.arrayContaining(['Code', 'is refused.']));
  });

  test('a code that is left empty is not sent', async () => {
    const page = filled();
    await done(page, page.submit, refusedAt('code', 'is asked for'));
    page.again();
    page.again();
    page.field('E-mail').onChange?.('ana@example.com');
    page.field('Password').onChange?.('my words');
    service.requests.length = 0;

    expect((await done(page, page.submit)).asked).toEqual([['POST', path, words]]);
  });

  const bytes = (text: string) => new TextEncoder().encode(text).buffer;

  test.each<[isPossible: boolean]>([[true], [false]])(
    'a passkey is offered where the browser has them: %s',
    (isPossible) => {
      if (!isPossible) Reflect.deleteProperty(globalThis, 'PublicKeyCredential');

      expect(opened().texts().includes('Sign in with a passkey')).toBe(isPossible);
    },
  );

  test('by a passkey', async () => {
    passkey = () => ({
      id: 'key-1',
      rawId: bytes('key-1'),
      type: 'public-key',
      response: {
        authenticatorData: bytes('a'),
        clientDataJSON: bytes('b'),
        signature: bytes('c'),
        userHandle: bytes('d'),
      },
      getClientExtensionResults: () => ({}),
    });
    const page = opened();
    const options = { options: { challenge: 'YQ', rpId: 'clinic.example' } };
    const found = await done(page, () => page.click('Sign in with a passkey'), options, { token: 'session-2' });

    expect(found.asked).toMatchObject([
      ['POST', '/api/auth/sign-in/passkey/options', null],
      ['POST', '/api/auth/sign-in/passkey', { response: { id: 'key-1' } }],
    ]);
    expect(pages.session.session.token()).toBe('session-2');
    expect(page.known()).toEqual([]);
  });

  test.each(['Sign in with a passkey', 'Sign in with your organisation', 'Sign in'])(
    'what was refused is gone once another way is tried: %s',
    async (way) => {
      const page = filled();
      const others = ['Sign in with a passkey', 'Sign in with your organisation', 'Sign in'].filter(
        (each) => each !== way,
      );
      const go = (each: string) => (each === 'Sign in' ? page.submit() : page.click(each));
      for (const other of others) {
        await done(page, () => go(other), Response.json({ message: `no ${other}` }, { status: 409 }));
        expect(page.texts().filter((text) => text.startsWith('no '))).toEqual([`no ${other}.`]);
        page.field('E-mail').onChange?.('ana@example.com');
        page.field('Password').onChange?.('my words');
      }
      await done(page, () => go(way), Response.json({ message: `no ${way}` }, { status: 409 }));

      expect(page.texts().filter((text) => text.startsWith('no '))).toEqual([`no ${way}.`]);
    },
  );

  test.each<[email: string, isAsked: boolean]>([
    ['ana@example.com', true],
    ['', false],
  ])('by the organisation of “%s”', async (email, isAsked) => {
    left.length = 0;
    const page = opened({ from: '/cases', email });
    const reply = { key: 'key-1', url: 'https://login.example/begin' };
    const found = await done(page, () => page.click('Sign in with your organisation'), reply);

    expect(found.asked).toEqual(isAsked ? [['POST', '/api/auth/sign-in/sso/begin', { email }]] : []);
    expect(left).toEqual(isAsked ? ['https://login.example/begin'] : []);
  });
});

describe('back from the identity provider', () => {
  const begun = JSON.stringify({ key: 'key-1', from: '/cases' });
  const opened = (isSignIn: boolean) => {
    ofWindow.length = 0;
    passedOn.length = 0;
    if (isSignIn) kept.set('clinic-workflows-sign-on', begun);
    else kept.clear();
    const at = '/sign-on/clinic-1?code=1&state=2';
    return open(pages.signOnReturn.SignOnReturn, { at, path: '/sign-on/:clinicId' });
  };
  const returned = { clinicId: 'clinic-1', response: '?code=1&state=2' };
  const out = [{ key: 1 }, '', '/'];

  test('a sign-in goes on where it began, and what was sent is gone from the address', async () => {
    const page = opened(true);
    expect(page.texts()).not.toContain('You can close this window and continue where you were.');
    expect(page.again()).toContain('aria-label="Signing in"');
    const found = await done(page, page.leave, { token: 'session-1' });

    expect(found.asked).toEqual([['POST', '/api/auth/sign-in/sso', { ...returned, key: 'key-1' }]]);
    expect([pages.session.session.token(), page.known(), ofWindow]).toEqual(['session-1', [], [out]]);
    expect(passedOn).toEqual([]);
  });

  test('who is led there by a sign-in is where they were', async () => {
    const page = opened(true);
    await done(page, page.leave, { token: 'session-1' });

    expect(await page.address()).toBe('/cases');
  });

  test('a sign-in that is refused is told so, with the way to another', async () => {
    const page = opened(true);

    expect((await done(page, page.leave)).told).toEqual([]);
    const markup = page.again();
    expect(textsIn(markup)).toEqual(expect.arrayContaining(['Sign in', 'is refused.', 'To the sign-in']));
    expect(linksIn(markup)).toContainEqual(['To the sign-in', '/sign-in']);
    expect(markup).not.toContain('aria-label="Signing in"');
    expect(pages.session.session.token()).toBeNull();
  });

  test('a window that was opened for a proof tells the one behind it, and closes', async () => {
    const page = opened(false);
    const texts = page.texts();
    expect(texts).toContain('You can close this window and continue where you were.');
    expect(page.again()).not.toContain('aria-label="Signing in"');

    expect((await done(page, page.leave)).asked).toEqual([]);
    expect(passedOn).toEqual([returned]);
    expect(ofWindow).toEqual([out, 'closed']);
  });
});

describe('single sign-on', () => {
  const settings = {
    issuer: 'https://login.example',
    clientId: 'client-1',
    hasClientSecret: true,
    roleClaim: 'roles',
    roleRules: [
      { value: 'lead', role: 'manager' },
      { value: 'desk', role: 'staff' },
    ],
    defaultRole: null,
    factorAcrs: ['high'],
    domains: [{ domain: 'harbor.example', isConfirmed: true }],
    isOnlyWay: false,
    changedAt: '2026-11-25T14:00:00Z',
  };
  const opened = (given: object | null = {}) => {
    const stored = {
      settings: given && { ...settings, ...given },
      redirectUri: 'https://clinic.example/sign-on/clinic-1',
      logoutUri: 'https://clinic.example/logout',
    };
    const { queryKey } = pages.api.getAccountsSingleSignOnOptions();
    return open(pages.signOn.SingleSignOn, { as, answers: [[queryKey, stored]] });
  };
  const path = '/api/accounts/single-sign-on';
  const stored = {
    issuer: 'https://login.example',
    clientId: 'client-1',
    roleClaim: 'roles',
    roleRules: settings.roleRules,
    defaultRole: null,
    factorAcrs: ['high'],
    domains: ['harbor.example'],
  };

  test.each<[typed: object, body: object | null]>([
    [{}, stored],
    [{ Issuer: ' https://other.example ' }, { ...stored, issuer: 'https://other.example' }],
    [{ Issuer: '' }, null],
    [{ 'Client id': 'client-2' }, { ...stored, clientId: 'client-2' }],
    [{ 'Client secret': 'secret' }, { ...stored, clientSecret: 'secret' }],
    [{ 'Claim that gives the role': ' ' }, { ...stored, roleClaim: null }],
    [{ 'Claim that gives the role': ' groups ' }, { ...stored, roleClaim: 'groups' }],
    [{ 'Everybody else': 'manager' }, { ...stored, defaultRole: 'manager' }],
    [{ 'Everybody else': '' }, stored],
    [{ 'Everybody else': 'owner' }, stored],
    [{ 'Domains of your e-mail addresses': ['a.example'] }, { ...stored, domains: ['a.example'] }],
    [{ 'Values of acr that stand for a second factor': [] }, { ...stored, factorAcrs: [] }],
  ])('is saved with %j', async (typed, body) => {
    const page = opened();
    for (const [label, value] of Object.entries(typed)) page.field(label).onChange?.(value);
    const found = await done(page, page.submit, {});

    expect(found.asked).toEqual(body === null ? [] : [['PUT', path, body]]);
  });

  test('begins empty: new accounts are of the front desk', async () => {
    const page = opened(null);
    const texts = page.texts();

    expect(texts).not.toContain('Check');
    expect(texts).not.toContain('Remove single sign-on');
    expect(texts).toEqual(
      expect.arrayContaining(['https://clinic.example/sign-on/clinic-1', 'https://clinic.example/logout']),
    );
    expect(page.field('Client secret')['placeholder']).toBeUndefined();
    page.field('Issuer').onChange?.('https://login.example');
    const empty = {
      issuer: 'https://login.example',
      clientId: '',
      roleClaim: null,
      roleRules: [],
      defaultRole: 'staff',
      factorAcrs: [],
      domains: [],
    };
    expect((await done(page, page.submit, {})).asked).toEqual([['PUT', path, empty]]);
  });

  test.each<[hasClientSecret: boolean]>([[true], [false]])(
    'a secret that is stored (%s) may be kept',
    (hasClientSecret) => {
      const { placeholder } = opened({ hasClientSecret }).field('Client secret') as { placeholder?: string };

      expect(placeholder).toBe(hasClientSecret ? 'Leave empty to keep the one that is stored' : undefined);
    },
  );

  test.each<[domains: [string, boolean][], told: string | null]>([
    [[], null],
    [[['a.example', true]], null],
    [
      [
        ['a.example', true],
        ['b.example', false],
        ['c.example', false],
      ],
      'Waiting for the operator to confirm b.example, c.example. Until then nobody signs in by it.',
    ],
  ])('domains %j wait: %s', (domains, words) => {
    const given = { domains: domains.map(([domain, isConfirmed]) => ({ domain, isConfirmed })) };
    const texts = opened(given).texts();

    expect(texts.find((text) => text.startsWith('Waiting')) ?? null).toBe(words);
  });

  test.each<[roleClaim: string | null, described: string]>([
    ['roles', 'The role where no line matches'],
    [null, 'The role of new accounts'],
    [' ', 'The role of new accounts'],
  ])('with the claim %j', (roleClaim, described) => {
    const page = opened({ roleClaim });
    const hasLines = roleClaim === 'roles';

    expect(page.texts().includes('At every sign-in, the first line that matches decides the role.')).toBe(hasLines);
    expect(page.field('Everybody else')['description']).toBe(described);
    expect((page.field('Everybody else')['data'] as { value: string }[]).map(({ value }) => value)).toEqual([
      '',
      'auditor',
      'staff',
      'manager',
      'admin',
    ]);
  });

  test.each<[button: string, roleRules: object[]]>([
    ['Remove line 1', settings.roleRules.slice(1)],
    ['Remove line 2', settings.roleRules.slice(0, 1)],
    ['Add a value', [...settings.roleRules, { value: '', role: 'staff' }]],
  ])('“%s” of the roles', async (button, roleRules) => {
    const page = opened();
    page.click(button);

    expect((await done(page, page.submit, {})).asked).toEqual([['PUT', path, { ...stored, roleRules }]]);
  });

  test('is checked as it is saved', async () => {
    const page = opened();
    const findings = [
      { path: 'issuer', message: 'is away', isProblem: true },
      { path: 'amr', message: 'says no mfa', isProblem: false },
    ];
    expect((await done(page, () => page.click('Check'), { passed: false, findings })).asked).toEqual([
      ['POST', `${path}/check`, null],
    ]);
    const texts = page.texts();
    expect(texts).toEqual(expect.arrayContaining(['This will not work', 'is away', 'Good to know', 'says no mfa']));
    expect(texts).not.toContain('Your identity provider is ready.');

    await done(page, () => page.click('Check'), { passed: true, findings: [] });
    const passed = page.texts();
    expect(passed).toContain('Your identity provider is ready.');
    expect(passed).not.toContain('This will not work');
  });

  const only = 'Single sign-on is the only way in';
  test.each<[isOnlyWay: boolean, words: string]>([
    [true, 'green: Everybody signs in by your identity provider from now on.'],
    [false, 'green: Passwords and passkeys work again.'],
  ])('becomes the only way in: %s', async (isOnlyWay, words) => {
    const page = opened({ isOnlyWay: !isOnlyWay });
    expect([page.field(only)['checked'], page.button('Remove single sign-on')['disabled']]).toEqual([
      !isOnlyWay,
      !isOnlyWay,
    ]);
    const acts = () => {
      page.field(only).onChange?.({ currentTarget: { checked: isOnlyWay } });
      if (!isOnlyWay) return;
      const { texts, button, click } = pages.dialog();
      expect([texts[0], ...texts.slice(-2)]).toEqual([
        'Make single sign-on the only way in?',
        'Make it the only way',
        'Not now',
      ]);
      expect(button('Make it the only way')['color']).toBe('red');
      click('Make it the only way');
    };
    const waiting = done(page, acts, { settings: { ...settings, isOnlyWay } });
    page.again();
    expect(page.field(only)['disabled']).toBe(true);

    expect(await waiting).toEqual({
      asked: [['PUT', `${path}/only-way`, { isOnlyWay }]],
      told: [words],
      refreshed: ['getAuthSession', 'getAccounts'],
    });
  });

  test('why it does not become the only way stands beside it', async () => {
    const page = opened({ isOnlyWay: true });
    const found = await done(page, () => page.field(only).onChange?.({ currentTarget: { checked: false } }));

    expect(found.told).toEqual([]);
    expect(page.texts()).toContain('is refused.');
    expect(page.field(only)['disabled']).toBe(false);
  });

  test('is removed after a question', async () => {
    const page = opened();
    page.click('Remove single sign-on');
    const { texts, button, click } = pages.dialog();

    expect([texts[0], ...texts.slice(-2)]).toEqual(['Remove single sign-on?', 'Remove it', 'Keep it']);
    expect(button('Remove it')['color']).toBe('red');
    expect(await done(page, () => click('Remove it'), {})).toEqual({
      asked: [['DELETE', path, null]],
      told: ['green: Single sign-on is removed.'],
      refreshed: ['getAccounts'],
    });
  });
});

import { type Acting, type Computed, dashboardModules, type Given, type Stage } from './stage/dashboard';
import { doing, wordsIn } from './stage/doing';
import { answering, refused } from './stage/service';

/** How the clinic's own EHR or API is set up: what the service is sent, and what is told of it, without a browser. */
type Option = (given?: object) => { queryKey: unknown };
interface Modules {
  options: Record<
    'getIntegrationsApprovedApiOptions' | 'getIntegrationsVisitTypesOptions' | 'getIntegrationsProvidersOptions',
    Option
  >;
  api: { ApprovedApi: unknown };
  filling: { FillMappings: unknown };
  providers: { Providers: unknown };
  trying: { TryAction: unknown };
}

const service = answering({ statusCode: 503, message: 'Busy' });

let pages: Modules & Stage;
let begin: ReturnType<typeof doing>;

beforeAll(async () => {
  const files = {
    options: require.resolve('../../dashboard/http/api.ts'),
    api: require.resolve('../../dashboard/pages/calendar/approved-api.tsx'),
    filling: require.resolve('../../dashboard/pages/calendar/fill-mappings.tsx'),
    providers: require.resolve('../../dashboard/pages/calendar/providers.tsx'),
    trying: require.resolve('../../dashboard/pages/calendar/try-action.tsx'),
  };
  pages = await dashboardModules<Modules>(files, service);
  begin = doing(pages, service);
});

const isThere = (acting: Pick<Acting, 'given'>, is: (given: Given) => unknown): boolean => {
  try {
    return Boolean(acting.given(is));
  } catch {
    return false;
  }
};
const named = (name: string) => (given: Given) =>
  [given.label, given['aria-label'], given.children, given['name']].includes(name);

describe('the settings of the clinic’s own system', () => {
  const json = {
    kind: 'json',
    baseUrl: 'https://api.example',
    auth: { method: 'none' },
    headers: [],
    fhir: null,
    certificateEndsAt: null,
    capabilities: null,
    actions: { 'appointment.book': { method: 'PUT', path: '/book/{id}' } },
  };
  const fhir = {
    ...json,
    kind: 'fhir-r4',
    fhir: {
      isOn: false,
      isLive: false,
      permitted: ['document.write'],
      rescheduling: 'update',
      providers: [],
      visitTypes: [],
      locations: [],
      testPatient: null,
    },
    actions: {},
  };
  const editing = (stored: object, { replies = [], role }: { replies?: object[]; role?: 'manager' } = {}) =>
    begin(
      pages.api.ApprovedApi,
      {},
      {
        answers: [[pages.options.getIntegrationsApprovedApiOptions(), stored]],
        as: { rights: ['settings'], role },
        replies,
      },
    );
  const bodyOf = ({ requests }: { requests: unknown[] }) => (requests.at(-1) as unknown[])[2];

  test.each<[kind: string, stored: object, there: string[], missing: string[]]>([
    [
      'a plain API',
      json,
      [
        'Permitted actions',
        'Headers',
        'Check',
        'Read how far a patient has come with a form (form.progress)',
        'Remove',
      ],
      ['Actions in the EHR', 'Names in the EHR', 'Providers in the EHR', 'Save the address'],
    ],
    [
      'an EHR',
      fhir,
      [
        'Actions in the EHR',
        'Names in the EHR',
        'Providers in the EHR',
        'Visit types in the EHR',
        'Locations in the EHR',
        'Check',
        'Save the address',
        'Write the note of a conversation (document.write)',
        'Remove',
      ],
      ['Permitted actions', 'form.progress'],
    ],
    ['what is not set', { ...json, baseUrl: null, actions: {} }, ['Permitted actions'], ['Check', 'Remove']],
    ['an EHR that is not set', { ...fhir, baseUrl: null }, ['Actions in the EHR'], ['What is wrong', 'Remove']],
  ])('of %s', (_kind, stored, there, missing) => {
    const words = wordsIn(editing(stored).again());
    for (const each of there) expect(words).toContain(each);
    for (const each of missing) expect(words).not.toContain(each);
  });

  test('the check stands before the lists of an EHR, and after those of a plain API', () => {
    const places = [fhir, json].map((stored) => {
      const words = wordsIn(editing(stored).again());
      return words.indexOf('Check Asks') < words.indexOf('Headers Sent');
    });
    expect(places).toEqual([true, false]);
  });

  test.each<[what: string, field: string, value: unknown, sent: object]>([
    ['address', 'Base URL', ' https://other.example ', { baseUrl: 'https://other.example' }],
    ['kind', 'Kind', 'fhir-r4', { kind: 'fhir-r4' }],
    ['authentication', 'Authentication', 'bearer', { auth: { method: 'bearer' } }],
    [
      'method',
      'Method of appointment.book',
      'DELETE',
      { actions: { 'appointment.book': { method: 'DELETE', path: '/book/{id}' } } },
    ],
    ['path', 'Path of appointment.book', '/b', { actions: { 'appointment.book': { method: 'PUT', path: '/b' } } }],
    ['permission', 'Book an appointment (appointment.book)', false, { actions: {} }],
    [
      'other permission',
      'Cancel an appointment (appointment.cancel)',
      true,
      {
        actions: {
          'appointment.book': { method: 'PUT', path: '/book/{id}' },
          'appointment.cancel': { method: 'POST', path: '' },
        },
      },
    ],
    ['certificate', 'Connect with a certificate (mutual TLS)', true, {}],
  ])('another %s is saved', async (_what, field, value, sent) => {
    const acting = editing(json, { replies: [json] });
    expect(wordsIn(acting.again())).not.toContain('Not saved');
    acting.field(field).onChange?.(value);
    acting.again();
    acting.submit();

    expect(await acting.texts()).toEqual(['green: Saved.']);
    expect(acting.requests).toEqual([['PUT', '/api/integrations/approved-api', expect.objectContaining(sent)]]);
    expect(acting.refreshed()).toEqual([
      'getAuthSession',
      'getAccounts',
      'getProviders',
      'getIntegrations',
      'getRetention',
      'getResults',
      'getResultsMail',
    ]);
  });

  test.each<[what: string, field: string, value: unknown, sent: object]>([
    ['rescheduling', 'An appointment that is moved', 'cancel-and-rebook', { rescheduling: 'cancel-and-rebook' }],
    ['switch', 'Write to the EHR', true, { isOn: true }],
    ['live switch', 'Calls act on its appointments', true, { isLive: true }],
    ['test patient', 'Test patient', 'Patient/1', { testPatient: 'Patient/1' }],
    [
      'permission',
      'Verify an insurance (insurance.verify)',
      true,
      { permitted: ['insurance.verify', 'document.write'] },
    ],
  ])('another %s of an EHR is saved', async (_what, field, value, sent) => {
    const acting = editing(fhir, { replies: [fhir] });
    acting.field(field).onChange?.(value);
    acting.again();
    acting.submit();
    await acting.settled();
    expect(bodyOf(acting)).toMatchObject({ fhir: sent });
  });

  test.each<[stored: object, field: string, value: string, at: string, problem: string]>([
    [json, 'Base URL', '', 'Base URL', 'Type the address of your API, as https://…'],
    [json, 'Authentication', 'oauth2-client-credentials', 'Token URL', 'Type where tokens are asked for, as https://…'],
    [
      { ...json, auth: { method: 'oauth2-client-credentials', tokenUrl: 'https://token.example' } },
      'Token URL',
      ' ',
      'Token URL',
      'Type where tokens are asked for, as https://…',
    ],
  ])('of %j nothing is sent with “%s” %j', async (stored, field, value, at, problem) => {
    const acting = editing(stored, { replies: [json] });
    acting.field(field).onChange?.(value);
    acting.again();
    acting.submit();
    await acting.settled();
    acting.again();
    expect(acting.field(at)['error']).toBe(problem);
    expect(acting.requests).toEqual([]);
  });

  test('the token URL of a key pair may stay empty', async () => {
    const acting = editing(json, { replies: [json] });
    acting.field('Authentication').onChange?.('smart-backend');
    acting.again();
    acting.submit();
    await acting.settled();
    expect(acting.requests).toHaveLength(1);
  });

  test.each<[method: string, hints: Record<string, Partial<Record<string, unknown>>>]>([
    ['none', {}],
    ['bearer', { Token: { type: undefined, description: 'Stored encrypted, never read back' } }],
    [
      'basic',
      { 'User name': { description: undefined }, Password: { description: 'Stored encrypted, never read back' } },
    ],
    [
      'api-key-header',
      {
        Header: { placeholder: 'x-api-key', description: undefined },
        Value: { description: 'Stored encrypted, never read back' },
      },
    ],
    [
      'oauth2-client-credentials',
      {
        'Token URL': { type: 'url', description: undefined },
        'Client secret': { description: 'Stored encrypted, never read back' },
        Scope: { placeholder: undefined },
        Audience: { description: undefined },
        'Where the secret is sent': { allowDeselect: false },
      },
    ],
    [
      'smart-backend',
      {
        Scope: { placeholder: 'system/Patient.rs system/Appointment.cruds' },
        'Token URL': {
          type: 'url',
          description: 'Empty: read from .well-known/smart-configuration below the base URL',
        },
        Audience: { description: 'Empty: the token URL' },
      },
    ],
  ])('the method %s has its own hints', (method, hints) => {
    const acting = editing({ ...json, auth: { method } });
    for (const [label, hint] of Object.entries(hints)) {
      const field = acting.field(label);
      expect(Object.fromEntries(Object.keys(hint).map((name) => [name, field[name]]))).toEqual(hint);
    }
    expect(isThere(acting, named('Where the secret is sent'))).toBe(method === 'oauth2-client-credentials');
    expect(acting.field('Authentication').value).toBe(method);
  });

  test('a secret that is stored is kept where none is typed', () => {
    const kept = 'Leave empty to keep the one that is stored';
    const of = (stored: object) => editing(stored).field('Token')['placeholder'];
    expect(of({ ...json, auth: { method: 'bearer' } })).toBe(kept);
    expect(of({ ...json, auth: { method: 'bearer' }, baseUrl: null })).toBeUndefined();
    const other = editing({ ...json, auth: { method: 'basic' } });
    other.field('Authentication').onChange?.('bearer');
    other.again();
    expect(other.field('Token')['placeholder']).toBeUndefined();
  });

  test.each<[endsAt: string | null, isUsed: boolean, description: unknown, placeholder: string]>([
    [null, false, undefined, '-----BEGIN …'],
    [
      '2027-01-01T00:00:00Z',
      true,
      'The stored one holds until 2027-01-01',
      'Leave empty to keep the one that is stored',
    ],
  ])('a certificate that holds until %j', (certificateEndsAt, isUsed, description, placeholder) => {
    const acting = editing({ ...json, certificateEndsAt });
    const box = acting.field('Connect with a certificate (mutual TLS)');
    expect([box['checked'], box['description']]).toEqual([isUsed, description]);
    expect(isThere(acting, named('Private key'))).toBe(isUsed);
    box.onChange?.(true);
    acting.again();
    expect(['Certificate', 'Private key'].map((label) => acting.field(label)['placeholder'])).toEqual([
      placeholder,
      placeholder,
    ]);
  });

  test.each<[stored: object, said: string]>([
    [{ canBook: true, canHold: true, hasSlots: true }, '$book after $hold; a free slot is looked up first'],
    [{ canBook: true, canHold: false, hasSlots: false }, '$book; it has no slots to look up'],
    [{ canBook: false, canHold: true, hasSlots: false }, 'a conditional create; it has no slots to look up'],
  ])('what the last check has found, %j, is told', (capabilities, said) => {
    expect(wordsIn(editing({ ...fhir, capabilities }).again())).toContain(`At the last check: booked by ${said}.`);
    expect(wordsIn(editing(fhir).again())).not.toContain('At the last check');
  });

  const rows = [{ name: 'Dr.Chen', reference: 'Practitioner/1' }];
  const capabilities = { canBook: false, canHold: false, hasSlots: false };
  test.each<[given: object, done: number[], next: number]>([
    [{ baseUrl: null }, [], 0],
    [{ kind: 'json', fhir: null }, [], 0],
    [{}, [0], 1],
    [{ capabilities }, [0, 1], 2],
    [{ fhir: { ...fhir.fhir, providers: rows } }, [0, 2], 1],
    [{ capabilities, fhir: { ...fhir.fhir, providers: rows } }, [0, 1, 2], 3],
    [{ capabilities, fhir: { ...fhir.fhir, providers: rows, isOn: true } }, [0, 1, 2, 3], 4],
  ])('of the steps of %j those of the places %j are done, and that of %j is next', (given, done, next) => {
    const acting = editing({ ...fhir, ...given });
    acting.field('Kind').onChange?.('fhir-r4');
    const [list = ''] = /<ol[\s\S]*?<\/ol>/.exec(acting.again()) ?? [];
    const steps = list
      .split('<li')
      .slice(1)
      .map((item) => [wordsIn(`<li${item}`).endsWith(' Done'), item.includes('aria-current="step"'), item] as const);

    expect(steps).toHaveLength(5);
    expect(steps.flatMap(([isDone], index) => (isDone ? [index] : []))).toEqual(done);
    expect(steps.flatMap(([, isNext], index) => (isNext ? [index] : []))).toEqual([next]);
    expect(wordsIn(`<li${steps[next]?.[2]}`)).toMatch(/ Next$/);
  });

  test.each<[stored: object, reply: object, words: string[], hidden: string[]]>([
    [json, { passed: true, findings: [] }, ['No problems found.'], ['What will not work', 'What was found']],
    [
      json,
      {
        passed: false,
        findings: [
          { path: 'baseUrl', message: 'cannot be reached', isProblem: true },
          { path: 'headers', message: 'Slow', isProblem: false },
        ],
      },
      ['What will not work The address cannot be reached', 'What was found Slow'],
      ['No problems found'],
    ],
    [fhir, { passed: true, findings: [] }, ['No problems found.', 'Check it, below. Done'], []],
  ])('a check of %j that finds %j says %j', async (stored, reply, words, hidden) => {
    const acting = editing(stored, { replies: [reply] });
    acting.click('Check');
    const now = await acting.now();
    for (const each of words) expect(now).toContain(each);
    for (const each of hidden) expect(now).not.toContain(each);
    expect(acting.requests).toEqual([['POST', '/api/integrations/approved-api/check', null]]);
    acting.field('Base URL').onChange?.('https://changed.example');
    expect(wordsIn(acting.again())).toContain('Save to check.');
  });

  test.each<[isOn: boolean, title: boolean]>([
    [true, true],
    [false, false],
  ])('why a server is not switched on, %s, is told: %s', async (isOn, title) => {
    const details = [
      { path: 'baseUrl', message: 'cannot be reached' },
      { path: 'fhir.providers', message: 'Dr. Chen is unknown there' },
    ];
    const acting = editing(fhir, { replies: [refused({ statusCode: 400, message: 'is wrong', details })] });
    acting.field('Write to the EHR').onChange?.(isOn);
    acting.field('Test patient').onChange?.('Patient/1');
    acting.again();
    acting.submit();
    const now = await acting.now();
    expect(now.includes('The server stays switched off The address cannot be reached Dr. Chen is unknown there')).toBe(
      title,
    );
  });

  test('no reason is listed where none is given', async () => {
    const acting = editing(fhir);
    acting.field('Write to the EHR').onChange?.(true);
    acting.again();
    acting.submit();
    expect(await acting.now()).not.toContain('The server stays switched off');
  });

  test.each<[list: string, add: string, labels: string[], sent: object]>([
    ['headers', 'Add a header', ['Header', 'Value'], { headers: [{ name: 'a' }] }],
    [
      'fhir.providers',
      'Add a provider',
      ['Provider', 'Reference in the EHR'],
      { fhir: { providers: [{ name: 'a', reference: '' }] } },
    ],
    [
      'fhir.visitTypes',
      'Type one that is not in the EHR yet',
      ['Visit type', 'Code system', 'Code in the EHR'],
      { fhir: { visitTypes: [{ name: 'a', code: '' }] } },
    ],
    [
      'fhir.locations',
      'Add a location',
      ['Location', 'Reference in the EHR'],
      { fhir: { locations: [{ name: 'a', reference: '' }] } },
    ],
  ])('a row is added to %s, and taken away', async (_list, add, labels, sent) => {
    const acting = editing(fhir, { replies: [fhir] });
    expect(isThere(acting, named('Remove the row from the list'))).toBe(false);
    acting.click(add);
    acting.again();
    for (const label of labels) expect(acting.field(label).value).toBe('');
    acting.field(labels[0] ?? '').onChange?.('a');
    acting.again();
    acting.click('Remove a from the list');
    acting.again();
    expect(isThere(acting, named('Remove a from the list'))).toBe(false);
    acting.click(add);
    acting.again();
    acting.field(labels[0] ?? '').onChange?.('a');
    acting.again();
    acting.submit();
    await acting.settled();
    expect(bodyOf(acting)).toMatchObject(sent);
  });

  test('a header’s value that is empty stays as it is stored', () => {
    const { field } = editing({ ...json, headers: [{ name: 'x-tenant' }] });
    expect([field('Header')['placeholder'], field('Value')['placeholder']]).toEqual([
      undefined,
      'Empty: the one that is stored',
    ]);
  });

  test('an action is tried once it is saved', () => {
    const acting = editing(json);
    const tried = 'Try it: appointment.book';
    const isOffered = () => acting.given(named(tried))['disabled'];
    expect(isOffered()).toBe(false);
    expect(wordsIn(acting.again())).not.toContain('Save to try it.');
    const onTry = acting.given(named(tried)).onClick;
    onTry?.();
    acting.again();
    const dialog = () => acting.given(({ action, permitted }) => action && permitted);
    expect([dialog()['action'], dialog()['permitted']]).toEqual(['appointment.book', json.actions['appointment.book']]);
    (dialog()['onClose'] as () => void)();
    acting.again();
    expect(isThere(acting, ({ action, permitted }) => action && permitted)).toBe(false);
    acting.field('Path of appointment.book').onChange?.('/other');
    expect(wordsIn(acting.again())).toContain('Save to try it.');
    expect(isOffered()).toBe(true);
  });

  test.each<[stored: object, ask: string, done: string]>([
    [json, 'Remove your API?', 'Your API is not called any more.'],
    [fhir, 'Remove your EHR?', 'Your EHR is not called any more.'],
  ])('%j is removed', (stored, title, done) => {
    const remove = editing(stored).given(({ does, label }) => does && label === 'Remove');
    expect([remove['ask'], remove['done'], remove['refresh'], remove['request']]).toEqual([
      expect.objectContaining({ title, yes: 'Remove', isFinal: true }),
      done,
      ['integrations'],
      {},
    ]);
  });
});

describe('names that are filled from the EHR', () => {
  const found = {
    providers: [{ name: 'Dr.Chen', reference: 'Practitioner/1' }],
    visitTypes: [{ name: 'Control', code: 'C' }],
    locations: [{ name: 'North', reference: 'Location/1' }],
    missing: { providers: [] as string[], visitTypes: [] as string[] },
    choices: {
      providers: [{ reference: 'Practitioner/2', shown: 'Roy' }],
      visitTypes: [
        { code: 'F', shown: 'Follow-up' },
        { system: 'urn:types', code: 'N', shown: 'New' },
      ],
    },
    findings: [] as object[],
  };
  const filling = (given: object = {}, { isSaved = true, rows = {} }: { isSaved?: boolean; rows?: object } = {}) => {
    const changed: unknown[] = [];
    const form = {
      values: { fhir: { providers: [], visitTypes: [], ...rows } },
      setFieldValue: (...change: unknown[]) => changed.push(change),
      insertListItem: (...change: unknown[]) => changed.push(change),
    };
    const acting = begin(pages.filling.FillMappings, { form, isSaved }, { replies: [{ ...found, ...given }] });
    const fill = async () => {
      acting.click('Fill from the EHR');
      return await acting.now();
    };
    return { ...acting, changed, fill };
  };

  test('stand in the three lists', async () => {
    const { fill, changed, requests } = filling();
    expect(await fill()).toContain('Each of your names has a row. Compare them, then save.');
    expect(requests).toEqual([['POST', '/api/integrations/approved-api/fill', {}]]);
    expect(changed).toEqual([
      ['fhir.providers', found.providers],
      ['fhir.visitTypes', [{ name: 'Control', system: '', code: 'C' }]],
      ['fhir.locations', found.locations],
    ]);
  });

  test('are filled once the settings are saved', async () => {
    const told = (isSaved: boolean) => {
      const acting = filling({}, { isSaved });
      const words = wordsIn(acting.again());
      return [acting.given(({ action }) => action)['disabled'], words.includes('Save to fill.')];
    };
    expect([told(true), told(false)]).toEqual([
      [false, false],
      [true, true],
    ]);
    const { fill, given } = filling({}, { isSaved: false });
    expect(await fill()).not.toContain('Save to fill.');
    expect(given(({ action }) => action)['disabled']).toBe(false);
  });

  const missing = { providers: ['Dr.Roy'], visitTypes: ['Telehealth'] };
  test.each<[label: string, chosen: string | null, added: unknown[]]>([
    ['Dr.Roy in the EHR', '0', [['fhir.providers', { name: 'Dr.Roy', reference: 'Practitioner/2' }]]],
    ['Telehealth in the EHR', '0', [['fhir.visitTypes', { name: 'Telehealth', system: '', code: 'F' }]]],
    ['Telehealth in the EHR', '1', [['fhir.visitTypes', { name: 'Telehealth', system: 'urn:types', code: 'N' }]]],
    ['Telehealth in the EHR', null, []],
  ])('that are missing are chosen: %s, place %j', async (label, chosen, added) => {
    const { fill, field, changed } = filling({ missing });
    expect(await fill()).not.toContain('Each of your names has a row');
    expect([field(label)['placeholder'], field(label)['disabled']]).toEqual(['Choose', false]);
    field(label).onChange?.(chosen);
    expect(changed.slice(3)).toEqual(added);
  });

  test('that are missing are called as the EHR calls them, where it has any', async () => {
    const filled = filling({ missing });
    await filled.fill();
    expect(filled.field('Dr.Roy in the EHR')['data']).toEqual([{ value: '0', label: 'Roy (Practitioner/2)' }]);
    expect(filled.field('Telehealth in the EHR')['data']).toEqual([
      { value: '0', label: 'Follow-up (F)' },
      { value: '1', label: 'New (N)' },
    ]);
    const none = filling({ missing, choices: { providers: [], visitTypes: [] } });
    await none.fill();
    const { placeholder, disabled } = none.field('Dr.Roy in the EHR');
    expect([placeholder, disabled]).toEqual(['The EHR has none to choose from', true]);
  });

  test('that have a row meanwhile are missing no more', async () => {
    const rows = { providers: [{ name: 'Dr.Roy' }], visitTypes: [{ name: 'Telehealth' }] };
    expect(await filling({ missing }, { rows }).fill()).toContain('Each of your names has a row');
    const one = filling({ missing }, { rows: { providers: rows.providers } });
    await one.fill();
    expect([isThere(one, named('Dr.Roy in the EHR')), isThere(one, named('Telehealth in the EHR'))]).toEqual([
      false,
      true,
    ]);
  });

  test.each<[findings: object[], words: string]>([
    [[{ path: 'a', message: 'One', isProblem: true }], 'save. What will not work One'],
    [[{ path: 'a', message: 'One', isProblem: false }], 'save. What was found One'],
    [
      [
        { path: 'a', message: 'One', isProblem: false },
        { path: 'b', message: 'Two', isProblem: true },
      ],
      'What will not work Two What was found One',
    ],
    [[], 'Compare them, then save.'],
  ])('with %j are told', async (findings, words) => {
    expect((await filling({ findings }).fill()).endsWith(words)).toBe(true);
  });
});

describe('an action that is tried', () => {
  const trying = (permitted: object, replies: object[] = []) => {
    const closed: string[] = [];
    const acting = begin(
      pages.trying.TryAction,
      { action: 'appointment.book', permitted, onClose: () => closed.push('closed') },
      { replies },
    );
    return { ...acting, closed };
  };
  const post = { method: 'POST', path: '/book/{id}/{id}/{day}' };

  test.each<[reply: object, words: string, color: string]>([
    [{ result: 'answered', status: 201, body: null }, 'It answered 201.', 'green'],
    [{ result: 'refused', status: 404, body: { a: 1 }, said: 'http 404' }, 'It refused: http 404. { "a": 1 }', 'red'],
    [{ result: 'unavailable', error: 'timeout' }, 'No answer in time.', 'red'],
    [{ result: 'unavailable', error: null }, 'The host could not be connected to.', 'red'],
    [{ result: 'unavailable', error: null, said: 'It sleeps' }, 'It sleeps', 'red'],
    [{ result: 'unusable', error: 'id' }, 'The path cannot be filled in: id.', 'red'],
    [{ result: 'unusable' }, 'The path cannot be filled in: unknown.', 'red'],
    [{ result: 'answered' }, 'It answered .', 'green'],
  ])('is answered %j, and says “%s”', async (reply, words, color) => {
    const acting = trying(post, [reply]);
    acting.click('Send the request');
    const now = await acting.now();
    expect(now.replaceAll('Copy ', '')).toContain(words);
    expect(acting.given(({ color: of }) => of)['color']).toBe(color);
    expect(now.includes('{ "a"')).toBe('body' in reply && reply.body !== null);
  });

  test.each([
    ['POST', true],
    ['PUT', true],
    ['PATCH', true],
    ['GET', false],
    ['DELETE', false],
  ])('by %s has a body: %s', async (method, hasBody) => {
    const acting = trying({ method, path: '/book' }, [{ result: 'answered' }]);
    expect(isThere(acting, named('Body, as JSON'))).toBe(hasBody);
    acting.click('Send the request');
    await acting.settled();
    expect(acting.requests).toEqual([
      [
        'POST',
        '/api/integrations/approved-api/try',
        { action: 'appointment.book', params: {}, ...(hasBody && { body: {} }) },
      ],
    ]);
  });

  test.each<[typed: [label: string, text: string][], isDirty: boolean]>([
    [[], false],
    [[['id', '7']], true],
    [
      [
        ['id', '7'],
        ['id', ''],
      ],
      false,
    ],
    [[['Body, as JSON', '{"a":1}']], true],
  ])('with %j typed is asked about before it is closed: %s', (typed, isDirty) => {
    const acting = trying(post);
    for (const [label, text] of typed) {
      acting.type(label, text);
      acting.again();
    }
    expect((acting.given(({ isDirty: of }) => of)['isDirty'] as Computed)()).toBe(isDirty);
  });

  test('has a box for each name of its path, once', () => {
    const acting = trying(post);
    acting.type('day', '1');
    acting.again();
    acting.type('id', '7');
    acting.again();
    expect(['id', 'day'].map((label) => acting.field(label).value)).toEqual(['7', '1']);
    expect(wordsIn(acting.again())).toContain('id day Body, as JSON');
  });
});

import { clinicNamedIn, FileFaults, isSecretField, readClinicFile } from '@clinic/commands/apply/clinic-file';
import { settingDifferences } from '@clinic/commands/apply/differences';

const read = (text: string, env: NodeJS.ProcessEnv = {}) => readClinicFile('clinic.yaml', text, env);
/** What is wrong with a file, a line for each fault. */
function faultsIn(text: string, env: NodeJS.ProcessEnv = {}): string[] {
  try {
    read(text, env);
    return [];
  } catch (error) {
    if (!(error instanceof FileFaults)) throw error;
    return error.message.split('\n');
  }
}

test.each([
  ['clinic: north', 'north'],
  ['{"clinic": "north"}', 'north'],
  ['clinic: 7', undefined],
  ['name: north', undefined],
])('the clinic that %j names is %s', (text, named) => {
  expect(clinicNamedIn(text)).toBe(named);
});

test('a file of YAML or JSON is read with its lists, numbers and nothings, and phone numbers as texts', () => {
  const yaml = 'profile:\n  phone: +13035550100\n  days: [1, 2]\n  open: true\n  note: null\nlimit: 7\n';

  expect(read(yaml).sections).toEqual({
    profile: { phone: '+13035550100', days: [1, 2], open: true, note: null },
    limit: 7,
  });
  expect(read('{"limit": 7, "text": "+7"}').sections).toEqual({ limit: 7, text: '+7' });
});

test.each([
  ['', 'clinic.yaml:1: must be a map of sections, as `providers:`'],
  ['- a\n- b\n', 'clinic.yaml:1: must be a map of sections, as `providers:`'],
  ['only words', 'clinic.yaml:1: must be a map of sections, as `providers:`'],
  ['voice:\n  a: [1\n', expect.stringMatching(/^clinic\.yaml:\d+: [^\n]+$/)],
  ['a: 1\na: 2\n', 'clinic.yaml:2: Map keys must be unique'],
])('a file of %j is refused with its line', (text, said) => {
  expect(faultsIn(text)).toEqual([said]);
});

describe('a secret', () => {
  const names = ['apiKey', 'token', 'accessToken', 'password', 'clientSecret', 'privateKey', 'value'];
  const others = ['key', 'username', 'header', 'apikey', ''];

  test.each(names)('%s must not stand in the file', (name) => {
    expect(faultsIn(`voice:\n  x: 1\n  ${name}: abc\n`)).toEqual([
      expect.stringMatching(new RegExp(`^clinic\\.yaml:3: voice\\.${name} is a secret and must not stand in the file`)),
    ]);
    expect(faultsIn(`voice:\n  ${name}: null\n`)).toEqual([]);
  });

  test('is known by its name alone', () => {
    expect(names.filter((name) => isSecretField(name))).toEqual(names);
    expect([...others, 0, undefined].filter((name) => isSecretField(name))).toEqual([]);
  });

  test('is read from the environment, and told where it is not set', () => {
    const text = 'voice:\n  apiKey: { env: KEY }\n  list:\n    - { env: KEY }\n';

    expect(read(text, { KEY: 'abc' }).sections).toEqual({ voice: { apiKey: 'abc', list: ['abc'] } });
    expect(faultsIn(text)).toEqual([
      'clinic.yaml:2: voice.apiKey is to be read from the environment, where KEY is not set',
      'clinic.yaml:4: voice.list.0 is to be read from the environment, where KEY is not set',
    ]);
    expect(faultsIn(text, { KEY: '' })).toHaveLength(2);
  });

  test('is no field named env beside others, or that is no name', () => {
    expect(read('a: { env: X, more: 1 }\nb: { env: 7 }\n').sections).toEqual({
      a: { env: 'X', more: 1 },
      b: { env: 7 },
    });
  });
});

test('all faults are told at once, in the order of their lines', () => {
  const text = 'voice:\n  webhooks:\n    - url: x\n      token: abc\n  key: { env: GONE }\ncrm: { password: p }\n';

  expect(faultsIn(text).map((each) => each.split(' ').slice(0, 2).join(' '))).toEqual([
    'clinic.yaml:4: voice.webhooks.0.token',
    'clinic.yaml:5: voice.key',
    'clinic.yaml:6: crm.password',
  ]);
});

test('the line of a field is its own, or that of what is around it', () => {
  const { lineOf } = read('a: 1\nproviders:\n  - name: x\n    hours:\n      mon: []\n  - name: y\n');

  expect(
    [
      ['a'],
      ['providers'],
      ['providers', 0],
      ['providers', 0, 'hours'],
      ['providers', 0, 'hours', 'mon'],
      ['providers', 0, 'hours', 'tue'],
      ['providers', 1],
      ['providers', 1, 'name'],
      ['providers', 2],
      ['gone'],
      [],
    ].map((path) => lineOf(path)),
  ).toEqual([1, 2, 3, 4, 5, 4, 6, 6, 2, 1, 1]);
});

test.each<[string, unknown, unknown, string[]]>([
  ['nothing', { a: 1 }, { a: 1 }, []],
  ['the order of fields', { a: 1, b: { c: 1, d: 2 } }, { b: { d: 2, c: 1 }, a: 1 }, []],
  ['null and not there', { a: null, b: [{ c: null }] }, { b: [{}] }, []],
  ['nothing and null', undefined, null, []],
  ['the order of a list', { a: [1, 2] }, { a: [2, 1] }, ['a: [1,2] → [2,1]']],
  ['a field', { a: 1, b: 2 }, { a: 1, b: 3 }, ['b: 2 → 3']],
  ['a field within', { a: { b: 'x' } }, { a: { b: 'y' } }, ['a.b: "x" → "y"']],
  ['a field that is new', {}, { a: 1 }, ['a: nothing → 1']],
  ['a field that is gone', { a: 1 }, { a: null }, ['a: 1 → nothing']],
  ['fields in their order', { a: 1, c: 1 }, { c: 2, b: 2, a: 2 }, ['a: 1 → 2', 'c: 1 → 2', 'b: nothing → 2']],
  ['fields in place of none', { a: 1 }, { a: { b: 1 } }, ['a: 1 → {"b":1}']],
  ['a list in place of fields', { a: { b: 1 } }, { a: [1] }, ['a: {"b":1} → [1]']],
  ['a secret that is set', {}, { token: 'new' }, ['token: set']],
  ['a secret that was nothing', { token: null }, { token: 'new' }, ['token: set']],
  ['a secret that is replaced', { a: { token: 'old' } }, { a: { token: 'new' } }, ['a.token: replaced']],
  ['a secret that is taken away', { token: 'old' }, { token: null }, ['token: taken away']],
  ['a secret that is left out', { token: 'old' }, {}, ['token: taken away']],
  ['a secret within a list', { a: [] }, { a: [{ token: 'x' }] }, ['a: [] → [{"token":"(secret)"}]']],
  ['200 letters', { a: '' }, { a: 'x'.repeat(198) }, [`a: "" → "${'x'.repeat(198)}"`]],
  ['201 letters', { a: '' }, { a: 'x'.repeat(199) }, [`a: "" → "${'x'.repeat(199)}…`]],
])('of two settings %s: what is told', (_what, before, after, expected) => {
  expect(settingDifferences(before, after)).toEqual(expected);
});

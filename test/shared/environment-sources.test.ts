import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { completeEnvironment, fromFiles } from '@clinic/shared/environment-sources';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'secret-files-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const fileOf = (content: string, name = 'secret') => {
  writeFileSync(join(folder, name), content);
  return join(folder, name);
};
const ofSecret = (env: NodeJS.ProcessEnv) => completeEnvironment(env, ['AUTH_SECRET']);
/** Prints what it was asked for, and what a shell would make of its first argument. */
const printer = (script: string) => `["${process.execPath}", "-e", ${JSON.stringify(script)}, "a b; $HOME"]`;
const ofRing = (command: string, more: NodeJS.ProcessEnv = {}) =>
  completeEnvironment({ PATH: process.env.PATH, KEYRING_COMMAND: command, ...more }, ['SECRET_KEYS', 'PAYLOAD_KEYS']);
const RING = `k1:${Buffer.alloc(32, 7).toString('base64')}`;

test.each([
  ['as it is', 'a secret', 'a secret'],
  ['without its last line break', 'a secret\n', 'a secret'],
  ['without that of another system', 'a secret\r\n', 'a secret'],
  ['with all other lines', 'one\ntwo\n\n', 'one\ntwo\n'],
  ['with its blanks', '  a secret \n', '  a secret '],
  ['in the letters of any language', 'Schlüssel – ключ 🔑\n', 'Schlüssel – ключ 🔑'],
])('a secret is what its file holds, %s', (_how, content, expected) => {
  expect(ofSecret({ AUTH_SECRET_FILE: fileOf(content) })).toEqual({ values: { AUTH_SECRET: expected }, faults: [] });
});

test.each([
  ['given twice', () => ({ AUTH_SECRET: 'MARKER', AUTH_SECRET_FILE: fileOf('MARKER') }), 'given twice'],
  ['in a file that is missing', () => ({ AUTH_SECRET_FILE: '/MARKER' }), 'AUTH_SECRET_FILE names a file that cannot'],
  ['in a folder', () => ({ AUTH_SECRET_FILE: folder }), '(EISDIR)'],
  ['in an empty file', () => ({ AUTH_SECRET_FILE: fileOf('\n') }), 'that is empty'],
])('a secret that is %s is a fault of its variable, and no value is repeated', (_how, env, why) => {
  const { values, faults } = ofSecret(env());

  expect(values).toEqual({});
  expect(faults).toEqual([{ name: 'AUTH_SECRET', message: expect.stringContaining(why) }]);
  expect(JSON.stringify(faults)).not.toContain('MARKER');
});

test('what is empty is not set, and files of other variables are not read', () => {
  expect(ofSecret({ AUTH_SECRET: 'given', AUTH_SECRET_FILE: '', OTHER_FILE: '/nowhere' })).toEqual({
    values: { AUTH_SECRET: 'given' },
    faults: [],
  });
});

test('a command without a configuration of its own is told everything that cannot be read', () => {
  const read = () => fromFiles({ ONE_FILE: '/nowhere', TWO: 'a', TWO_FILE: 'b' }, ['ONE', 'TWO']);

  expect(read).toThrow(/^ONE: .*\nTWO: is given twice/);
});

describe('a key ring', () => {
  test('is printed by a command that no shell reads, which is told the name of the ring', () => {
    const script = `if (process.argv[1] !== 'a b; $HOME') process.exit(9); console.log(process.argv[2] + ':ring')`;

    expect(ofRing(printer(script))).toEqual({
      values: { SECRET_KEYS: 'SECRET_KEYS:ring', PAYLOAD_KEYS: 'PAYLOAD_KEYS:ring' },
      faults: [],
    });
    expect(ofRing(`printf ${RING}%s`).values).toEqual({
      SECRET_KEYS: `${RING}SECRET_KEYS`,
      PAYLOAD_KEYS: `${RING}PAYLOAD_KEYS`,
    });
  });

  test('is what the command prints, in the letters of any language, without blanks about it', () => {
    const both = { SECRET_KEYS: 'Schlüssel – ключ 🔑', PAYLOAD_KEYS: 'Schlüssel – ключ 🔑' };

    expect(ofRing(printer(`console.log(' \\n\\tSchlüssel – ключ 🔑 \\n')`))).toEqual({ values: both, faults: [] });
  });

  test.each<[what: string, env: NodeJS.ProcessEnv, names: string[], asked: string[]]>([
    ['neither is given', {}, ['SECRET_KEYS', 'PAYLOAD_KEYS'], ['SECRET_KEYS', 'PAYLOAD_KEYS']],
    ['one is given', { SECRET_KEYS: RING }, ['SECRET_KEYS', 'PAYLOAD_KEYS'], ['PAYLOAD_KEYS']],
    ['the other is given', { PAYLOAD_KEYS: RING }, ['SECRET_KEYS', 'PAYLOAD_KEYS'], ['SECRET_KEYS']],
    ['a file that cannot be read is named', { SECRET_KEYS_FILE: '/nowhere' }, ['SECRET_KEYS'], []],
    ['one is given as nothing', { SECRET_KEYS: '', SECRET_KEYS_FILE: '' }, ['SECRET_KEYS'], ['SECRET_KEYS']],
    ['a program reads one ring alone', {}, ['PAYLOAD_KEYS', 'AUTH_SECRET'], ['PAYLOAD_KEYS']],
    ['a program reads no ring', {}, ['AUTH_SECRET'], []],
  ])('is asked for where %s', (_what, env, names, asked) => {
    const { values } = completeEnvironment(
      { PATH: process.env.PATH, KEYRING_COMMAND: 'printf asked-%s', ...env },
      names,
    );

    const printed = Object.entries(values).filter(([name, value]) => value === `asked-${name}`);
    expect(printed.map(([name]) => name).toSorted()).toEqual(asked.toSorted());
  });

  test('that is given otherwise is not asked for', () => {
    const given = { SECRET_KEYS: RING, PAYLOAD_KEYS_FILE: fileOf(RING) };

    expect(ofRing('false', given)).toEqual({ values: { SECRET_KEYS: RING, PAYLOAD_KEYS: RING }, faults: [] });
  });

  test.each([
    ['fails', printer(`console.log('MARKER'); process.exit(3)`), 'it ended with 3'],
    ['prints nothing', 'true', 'it printed nothing'],
    ['does not exist', '/no/such/program --flag', 'it cannot be run (ENOENT)'],
    ['is ended', printer(`console.log('MARKER'); process.kill(process.pid, 'SIGTERM')`), 'it ended with SIGTERM'],
    ['prints without an end', 'yes MARKER', 'it printed more than a ring'],
    ['is half a list', '["MARKER"', 'neither words nor a JSON array'],
  ])('whose command %s is a fault of the ring, and nothing printed is repeated', (_how, command, why) => {
    const { values, faults } = ofRing(command, { SECRET_KEYS: RING });

    expect(values).toEqual({ SECRET_KEYS: RING });
    expect(faults).toEqual([{ name: 'PAYLOAD_KEYS', message: expect.stringContaining(why) }]);
    expect(JSON.stringify(faults)).not.toContain('MARKER');
  });

  test('whose command does not end is waited for some seconds', () => {
    const { faults } = ofRing(printer('setInterval(() => {}, 1000)'), { SECRET_KEYS: RING });

    expect(faults).toEqual([{ name: 'PAYLOAD_KEYS', message: expect.stringContaining('longer than 10 s') }]);
  }, 30_000);
});

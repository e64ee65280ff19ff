import {
  CommandLine,
  type CommandContext,
  emailAddress,
  httpUrl,
  instant,
  wholeNumber,
} from '@clinic/commands/command-line';
import { typed } from '../support/command';

const refused = (read: (text: string) => unknown, text: string) => {
  try {
    return read(text);
  } catch (error) {
    return (error as { code?: string }).code === 'commander.invalidArgument' ? 'refused' : error;
  }
};

test.each([
  ['1', 1],
  ['7', 7],
  ['007', 7],
  ['0', 'refused'],
  ['8', 'refused'],
  ['1.5', 'refused'],
  ['1e0', 'refused'],
  ['-1', 'refused'],
  ['', 'refused'],
  [' 3', 'refused'],
])('%j as a whole number from 1 to 7', (text, expected) => {
  expect(refused(wholeNumber({ from: 1, to: 7 }), text)).toBe(expected);
});

test.each([
  ['2026-11-22T09:00:00Z', new Date('2026-11-22T09:00:00Z')],
  ['2026-11-22T02:00-07:00', new Date('2026-11-22T09:00:00Z')],
  ['tomorrow', 'refused'],
  ['2026-11-22T09:00:00', 'refused'],
  ['2026-11-22 09:00', 'refused'],
  ['2026-11-22', 'refused'],
  ['9', 'refused'],
  ['2026-02-30T09:00:00Z', 'refused'],
])('%j as an instant', (text, expected) => {
  expect(refused(instant, text)).toEqual(expected);
});

test.each([
  ['a@b.c', 'a@b.c'],
  ['a@b', 'refused'],
  ['a b@c.d', 'refused'],
  ['@b.c', 'refused'],
  ['x a@b.c', 'refused'],
])('%j as an email address', (text, expected) => {
  expect(refused(emailAddress, text)).toBe(expected);
});

test.each([
  ['https://a.example/x', 'https://a.example/x'],
  ['http://a.example', 'http://a.example'],
  ['ftp://a.example', 'refused'],
  ['a.example', 'refused'],
  ['https://[', 'refused'],
  ['https://me:secret@a.example', 'refused'],
  ['https://a.example/#x', 'refused'],
])('%j as a URL', (text, expected) => {
  expect(refused(httpUrl, text)).toBe(expected);
});

const refusal = (...args: string[]): Promise<string> =>
  typed(args, {}).then(
    () => 'done',
    (error: Error) => error.message,
  );

describe('a command line', () => {
  test('is refused with why and the usage of the command that was meant', async () => {
    expect(await refusal('pause', 'on')).toMatch(
      /^required option '--reason <text>' not specified\n\nUsage: pause on /,
    );
    expect(await refusal('audit', 'list', '--limit', '0')).toMatch(/from 1 to 100000\.\n\nUsage: audit list /);
    expect(await refusal('audit', 'list', '--colour')).toMatch(/^unknown option '--colour'\n\nUsage: audit list /);
    expect(await refusal('other')).toMatch(/^unknown command 'other'\n\nUsage: <command> /);
  });

  test('without a command has the usage alone', async () => {
    expect(await refusal('clinic', 'key')).toMatch(/^Usage: clinic key /);
  });

  test('prints the help that was asked for', async () => {
    const { lines, exitCode } = await typed(['clinic', 'key', 'add', '--help'], {});

    expect(exitCode).toBe(0);
    expect(lines.join('\n')).toMatch(/^Usage: clinic key add [\s\S]*--days[\s\S]*\S$/);
  });
});

describe('what a command takes', () => {
  /** However wide the terminal is. */
  const helpOf = async (path: string[]) =>
    (await typed([...path, '--help'], {})).lines
      .join('\n')
      .replaceAll(/\n {3,}|(?<=\S)\n(?=\S)/g, ' ')
      .replaceAll(/(?<=\S) {2,}/g, '  ');
  const said = async (...args: string[]) => (await refusal(...args)).split('\n')[0];
  /** What stands below a heading of a help. */
  const entriesOf = (help: string, heading: string) =>
    help.split(`\n${heading}:\n`)[1]?.split('\n\n')[0]?.trim().split(/\n\s*/) ?? [];

  async function* commandsBelow(path: string[]): AsyncGenerator<string[]> {
    yield path;
    for (const entry of entriesOf(await helpOf(path), 'Commands')) {
      const [name = ''] = entry.split(' ');
      if (name !== 'help') yield* commandsBelow([...path, name]);
    }
  }

  /** The help of each, and what is said to a value that is none: how far a number may go, which words there are. */
  test('is what its help says, and no other value', async () => {
    const taken: string[] = [];
    for await (const path of commandsBelow([])) {
      const help = await helpOf(path);
      const flags = entriesOf(help, 'Options').flatMap((entry) => /--\S+(?= <)/.exec(entry) ?? []);
      const refusals = await Promise.all(flags.map(async (flag) => `${flag} ?: ${await said(...path, flag, '?')}`));
      if (entriesOf(help, 'Arguments').length > 0) refusals.push(`?: ${await said(...path, '?')}`);
      taken.push([help, ...refusals.filter((each) => each.includes('invalid'))].join('\n'));
    }

    expect(taken.join('\n\n\n')).toMatchSnapshot();
  });
});

test('what a command leaves is printed as JSON, and fails where it says so', () => {
  const lines: string[] = [];
  const context: CommandContext = {
    inEnvironment: async () => undefined,
    migrationEnvironment: () => ({}),
    print: (line) => void lines.push(line),
    typedAs: (command) => command,
    created: () => undefined,
  };
  const line = new CommandLine(context);

  line.show({ shown: { a: 1 } });
  const before = line.exitCode;
  line.show({ shown: {}, isFailed: true });
  line.show({ shown: {} });

  expect(lines).toEqual(['{\n  "a": 1\n}', '{}', '{}']);
  expect([before, line.exitCode]).toEqual([0, 1]);
});

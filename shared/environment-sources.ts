import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** An environment whose variables may stand in files or be printed by a command. */
export interface CompleteEnvironment {
  values: Record<string, string>;
  /** What could not be read, each as a variable and a sentence that holds no value. */
  faults: { name: string; message: string }[];
}

const KEY_RINGS = ['PAYLOAD_KEYS', 'SECRET_KEYS'];
const COMMAND_MS = 10_000;
const MAX_OUTPUT = 65_536;

/**
 * Of each name NAME the value of NAME, or what the file holds that NAME_FILE names. Key rings that neither gives are asked of
 * KEYRING_COMMAND, once each. What is empty is not set.
 */
export function completeEnvironment(env: NodeJS.ProcessEnv, names: readonly string[]): CompleteEnvironment {
  const values: Record<string, string> = {};
  const faults: CompleteEnvironment['faults'] = [];
  const take = (name: string, read: () => string): void => {
    try {
      values[name] = read();
    } catch (error) {
      faults.push({ name, message: error instanceof Error ? error.message : 'cannot be read' });
    }
  };
  for (const name of names) {
    const [own, file] = [env[name], env[`${name}_FILE`]];
    if (own && file) faults.push({ name, message: `is given twice, by itself and by ${name}_FILE` });
    else if (file) take(name, () => contentOf(name, file));
    else if (own) values[name] = own;
  }
  const command = env.KEYRING_COMMAND;
  const missing = KEY_RINGS.filter((name) => names.includes(name) && !env[name] && !env[`${name}_FILE`]);
  if (command) for (const name of missing) take(name, () => printedRing({ command, name, env }));
  return { values, faults };
}

/** The same for programs that read nothing else of their environment. Throws one error that names everything that cannot be read. */
export function fromFiles(env: NodeJS.ProcessEnv, names: readonly string[]): Record<string, string> {
  const { values, faults } = completeEnvironment(env, names);
  if (faults.length === 0) return values;
  throw new Error(faults.map(({ name, message }) => `${name}: ${message}`).join('\n'));
}

/** Without the line break by which editors and most tools end a file. */
function contentOf(name: string, file: string): string {
  let content: string;
  try {
    content = readFileSync(file, 'utf8').replace(/\r?\n$/, '');
  } catch (error) {
    // Not the path: it is the secret itself where somebody has mistaken one variable for the other.
    throw new Error(`${name}_FILE names a file that cannot be read (${codeOf(error)})`, { cause: error });
  }
  if (content === '') throw new Error(`${name}_FILE names a file that is empty`);
  return content;
}

/** What the command prints when the name of the ring is its last argument. No shell reads it; its own messages go to ours. */
function printedRing({ command, name, env }: { command: string; name: string; env: NodeJS.ProcessEnv }): string {
  const [program = '', ...args] = argumentsIn(command);
  const { error, status, signal, stdout } = spawnSync(program, [...args, name], {
    env,
    encoding: 'utf8',
    timeout: COMMAND_MS,
    killSignal: 'SIGKILL',
    maxBuffer: MAX_OUTPUT,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const because = (why: string) => new Error(`KEYRING_COMMAND did not print it: ${why}`);
  if (error && codeOf(error) === 'ETIMEDOUT') throw because(`it took longer than ${COMMAND_MS / 1_000} s`);
  if (error && codeOf(error) === 'ENOBUFS') throw because('it printed more than a ring');
  if (error) throw because(`it cannot be run (${codeOf(error)})`);
  if (status !== 0) throw because(`it ended with ${status ?? signal}`);
  const ring = stdout.trim();
  if (ring === '') throw because('it printed nothing');
  return ring;
}

/** Words, or a JSON array of them where one holds a space. */
function argumentsIn(command: string): string[] {
  if (!command.trimStart().startsWith('[')) return command.split(/\s+/).filter(Boolean);
  try {
    const parsed: unknown = JSON.parse(command);
    if (Array.isArray(parsed) && parsed.length > 0 && parsed.every((word) => typeof word === 'string')) return parsed;
  } catch {
    // Said below: what is wrong with the text would repeat some of it.
  }
  throw new Error('KEYRING_COMMAND is neither words nor a JSON array of them');
}

const codeOf = (error: unknown): string => (error as NodeJS.ErrnoException).code ?? 'unknown';

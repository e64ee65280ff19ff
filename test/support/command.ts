import type { DevClinic } from '@clinic/accounts/seed';
import { runCommand } from '@clinic/commands/program';
import { serviceEnvironment } from './app';

/** What a command line prints and its exit code: `shown` is what it printed as JSON, `lines` each line of it; clinics it told of. */
export interface CommandPrint {
  // eslint-disable-next-line typescript/no-explicit-any
  shown: any;
  lines: string[];
  exitCode: 0 | 1;
  created: DevClinic[];
}

/** Runs a command line as an operator types it, in this process and with this environment. */
export async function typed(
  args: string[],
  env: NodeJS.ProcessEnv,
  signal: AbortSignal = new AbortController().signal,
): Promise<CommandPrint> {
  const lines: string[] = [];
  const created: DevClinic[] = [];
  const exitCode = await runCommand(args, {
    inEnvironment: (work) => work(env, signal),
    migrationEnvironment: () => env,
    print: (line) => void lines.push(line),
    typedAs: (command) => command,
    created: (clinic) => void created.push(clinic),
  });
  return { shown: asJson(lines), lines, exitCode, created };
}

/** The environment of a command over records that no service works with; `keys` encrypt what they hold. */
export const recordsEnvironment = (
  databaseUrl: string,
  keys: { id: string; key: Buffer }[] = [],
): NodeJS.ProcessEnv => ({
  ...serviceEnvironment({ port: 1, databaseUrl, namespace: 'unused' }),
  DATABASE_URL: databaseUrl,
  ...(keys.length > 0 && { SECRET_KEYS: keys.map(({ id, key }) => `${id}:${key.toString('base64')}`).join(',') }),
});

function asJson(lines: string[]): unknown {
  try {
    return JSON.parse(lines.join('\n'));
  } catch {
    return null;
  }
}

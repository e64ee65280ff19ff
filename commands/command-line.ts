import { type Command, CommanderError, InvalidArgumentError } from 'commander';
import type { DevClinic } from '@clinic/accounts/seed';
import { type Database, openDatabase } from '@clinic/prisma/client';
import { createStores, type Stores } from '@clinic/prisma/stores';
import { type ApiConfig, readApiConfig } from '@clinic/shared/config';
import { parseInstant } from '@clinic/shared/domain/calendar/clinic-time';
import { TargetUrl } from '@clinic/shared/contracts/events/target-url';

/** Where commands run: a deployment, the local stack or a test. */
export interface CommandContext {
  /** Runs a command with the service's environment: the process's own, or that of the local stack, which is started where it does not run. */
  inEnvironment(work: (env: NodeJS.ProcessEnv, signal: AbortSignal) => Promise<void>): Promise<void>;
  /** What migrations read, before anything of the service runs. */
  migrationEnvironment(): NodeJS.ProcessEnv;
  /** What was asked for goes to standard output, where a program may read it. */
  print(line: string): void;
  /** How a command is typed here, for its usage: `npm run clinic --`. */
  typedAs(command: string): string;
  /** Told of a clinic that has all that a developer needs. */
  created(clinic: DevClinic): void;
}

/** What a command that works with the records is given; they are closed after it. */
export interface Records {
  config: ApiConfig;
  database: Database;
  stores: Stores;
  env: NodeJS.ProcessEnv;
  signal: AbortSignal;
}

/** What a command leaves: an object to be printed as JSON, and whether what it checked does not hold. */
export interface CommandResult {
  shown: object;
  isFailed?: boolean;
}

/** Who does what a command does, in the audit. */
export const operator = { actor: 'operator' };

/** One run of the command line: what its commands share, and the exit code that they leave. */
export class CommandLine {
  exitCode: 0 | 1 = 0;

  constructor(readonly context: CommandContext) {}

  show({ shown, isFailed = false }: CommandResult): void {
    this.context.print(JSON.stringify(shown, null, 2));
    if (isFailed) this.exitCode = 1;
  }

  /** An action that prints what it did with the records, as JSON. */
  onRecords<Args extends unknown[]>(work: (records: Records, ...args: Args) => Promise<CommandResult>) {
    return (...args: Args): Promise<void> =>
      this.withRecords(async (records) => this.show(await work(records, ...args)));
  }

  /** The same for one clinic, which must be there. */
  onClinic<Options extends { clinic: string }>(work: (records: Records, options: Options) => Promise<CommandResult>) {
    return this.onRecords(async (records, options: Options) => {
      await requireClinic(records.stores, options.clinic);
      return work(records, options);
    });
  }

  withRecords(
    work: (records: Records) => Promise<void>,
    options: Parameters<typeof openDatabase>[1] = { poolSize: 2 },
  ): Promise<void> {
    return this.context.inEnvironment(async (env, signal) => {
      const config = readApiConfig(env);
      const database = openDatabase(config.DATABASE_URL, options);
      try {
        await work({ config, database, stores: createStores(database, config.SECRET_KEYS), env, signal });
      } finally {
        await database.close();
      }
    });
  }
}

/** Throws for a clinic that is not there. */
export async function requireClinic({ clinics }: Pick<Stores, 'clinics'>, clinicId: string): Promise<void> {
  if (!(await clinics.find(clinicId))) throw new Error(`There is no clinic ${clinicId}.`);
}

/** Reads a whole number of an option. */
export const wholeNumber =
  ({ from, to }: { from: number; to: number }) =>
  (text: string): number => {
    const number = Number(text);
    if (/^\d+$/.test(text) && number >= from && number <= to) return number;
    throw new InvalidArgumentError(`It must be a whole number from ${from} to ${to}.`);
  };

/** Reads an instant of an option, as 2026-11-22T09:00:00Z. Without a zone it would be another one on each machine. */
export function instant(text: string): Date {
  const at = parseInstant(text);
  if (at !== null) return new Date(at);
  throw new InvalidArgumentError('It must be an instant, as 2026-11-22T09:00:00Z or 2026-11-22T02:00:00-07:00.');
}

export function emailAddress(text: string): string {
  if (/^\S+@\S+\.\S+$/.test(text)) return text;
  throw new InvalidArgumentError(`${text} is not an email address.`);
}

/** Where a clinic's events may go. */
export function httpUrl(text: string): string {
  const read = TargetUrl.safeParse(text);
  if (read.success) return text;
  const isHttp = URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);
  // What stands in it may be a password.
  if (isHttp) throw new InvalidArgumentError(`The URL ${read.error.issues[0]?.message}.`);
  throw new InvalidArgumentError(`${text} is not an http or https URL.`);
}

/** What the parser refuses becomes an error with the usage of the command that was meant; help that was asked for is printed. */
export async function parsed(
  program: Command,
  args: string[],
  { typedAs, print }: Pick<CommandContext, 'typedAs' | 'print'>,
): Promise<void> {
  let meant = program;
  const quiet = (command: Command): void => {
    command.exitOverride((error) => {
      meant = command;
      throw error;
    });
    command.configureOutput({ writeErr: () => {}, writeOut: () => {} });
    command.configureHelp({ commandUsage: (shown) => usageOf(shown, typedAs) });
    command.commands.forEach(quiet);
  };
  quiet(program);
  try {
    await program.parseAsync(args, { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    const help = meant.helpInformation().trimEnd();
    if (error.code === 'commander.helpDisplayed') return print(help);
    const why = error.code === 'commander.help' ? '' : `${error.message.replace(/^error: /, '')}\n\n`;
    throw new Error(`${why}${help}`, { cause: error });
  }
}

function usageOf(command: Command, typedAs: CommandContext['typedAs']): string {
  const path = [];
  for (let each: Command | null = command; each?.parent; each = each.parent) path.unshift(each.name());
  const [first = '<command>', ...rest] = path;
  return [typedAs(first), ...rest, command.usage()].join(' ');
}

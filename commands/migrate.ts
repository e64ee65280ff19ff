import { Argument, Command, InvalidArgumentError } from 'commander';
import { migrate, writeMigration } from '@clinic/prisma/migrate';
import { grantRoles } from '@clinic/prisma/service-role';
import { fromFiles } from '@clinic/shared/environment-sources';
import type { CommandLine } from './command-line';

interface Databases {
  /** What the service signs in with. */
  databaseUrl: string | undefined;
  /** What the worker seals the audit with. */
  auditUrl: string | undefined;
  /** What may change the tables. */
  ownerUrl: string;
}

export function migrateCommands(line: CommandLine): Command {
  const say = (text: string): void => line.context.print(text);
  const command = new Command('migrate').description(
    'works as DATABASE_OWNER_URL, else as DATABASE_URL, else on the database of the local stack',
  );
  command
    .command('apply', { isDefault: true })
    .description(
      'applies what the database does not have yet, and lets the role of DATABASE_URL read and write and that of AUDIT_DATABASE_URL seal the audit; makes those that are missing',
    )
    .action(() => apply(databasesOf(line), say));
  command
    .command('new')
    .description('writes a migration from schema.prisma; a scratch database is made for it')
    .addArgument(new Argument('<name>', 'as add_language').argParser(migrationName))
    .action(async (name: string) => {
      const file = await writeMigration(databasesOf(line).ownerUrl, { name });
      say(file ? `Written: ${file}` : 'The migrations already lead to schema.prisma; nothing to write.');
    });
  return command;
}

async function apply({ databaseUrl, auditUrl, ownerUrl }: Databases, say: (text: string) => void): Promise<void> {
  const { applied } = await migrate(ownerUrl, { log: say });
  say(applied.length === 0 ? 'The database is up to date.' : `Migrations applied: ${applied.length}`);
  if (databaseUrl === undefined || databaseUrl === ownerUrl) return;
  await grantRoles({ ownerUrl, serviceUrl: databaseUrl, auditUrl });
  say('The role of DATABASE_URL may read and write the records, and owns none of them.');
  say(
    auditUrl === undefined
      ? 'It seals the audit too: in production AUDIT_DATABASE_URL names another role for that.'
      : 'The role of AUDIT_DATABASE_URL seals the audit, and nobody else does.',
  );
}

function databasesOf({ context }: CommandLine): Databases {
  const names = ['DATABASE_URL', 'DATABASE_OWNER_URL', 'AUDIT_DATABASE_URL'];
  const env = fromFiles(context.migrationEnvironment(), names);
  const { DATABASE_URL: databaseUrl, AUDIT_DATABASE_URL: auditUrl, DATABASE_OWNER_URL: ownerUrl = databaseUrl } = env;
  if (ownerUrl) return { databaseUrl, auditUrl, ownerUrl };
  throw new Error(
    'Neither DATABASE_OWNER_URL nor DATABASE_URL is set, and the local stack has no database yet: npm start',
  );
}

function migrationName(text: string): string {
  if (/^[a-z0-9_]+$/.test(text)) return text;
  throw new InvalidArgumentError('It must be a name of small letters, digits and underscores.');
}

import { runCommand } from '@clinic/commands/program';
import { readDevStack, rememberClinic } from './dev-file';
import { localEnvironment } from './environment';
import { withStack } from './with-stack';

/** `npm run clinic`, `audit`, `pause` and the other commands of operators, on the local stack, which is started where it does not run. */
export async function main(args: string[]): Promise<void> {
  process.exitCode = await runCommand(args, {
    // progress goes where it does not mix with what a program may read
    inEnvironment: (work) =>
      withStack(
        (line) => console.error(line),
        (dev, signal) => work(localEnvironment(dev), signal),
      ),
    migrationEnvironment() {
      const { DATABASE_URL, DATABASE_OWNER_URL, AUDIT_DATABASE_URL } = process.env;
      const dev = DATABASE_URL === undefined && DATABASE_OWNER_URL === undefined ? readDevStack() : undefined;
      return {
        DATABASE_URL: DATABASE_URL ?? dev?.databaseUrl,
        DATABASE_OWNER_URL: DATABASE_OWNER_URL ?? dev?.databaseOwnerUrl,
        AUDIT_DATABASE_URL: AUDIT_DATABASE_URL ?? dev?.auditDatabaseUrl,
      };
    },
    typedAs: (command) => `npm run ${command} --`,
    print: (line) => console.log(line),
    created: rememberClinic,
  });
}

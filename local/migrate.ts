import { runMigrateCommand } from '@clinic/prisma/migrate-command';
import { readDevStack } from './dev-file';

/** `npm run migrate`: on DATABASE_OWNER_URL or DATABASE_URL, or on the local stack's database where neither is set. */
export function main(args: string[]): Promise<void> {
  const { DATABASE_URL, DATABASE_OWNER_URL } = process.env;
  const stack = DATABASE_URL === undefined && DATABASE_OWNER_URL === undefined ? readDevStack() : undefined;
  return runMigrateCommand(args, {
    databaseUrl: DATABASE_URL ?? stack?.databaseUrl,
    ownerUrl: DATABASE_OWNER_URL ?? stack?.databaseOwnerUrl,
    say: console.log,
  });
}

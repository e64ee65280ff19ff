import { runMigrateCommand } from '@clinic/prisma/migrate-command';
import { readDevStack } from './dev-file';

/** `npm run migrate`: on DATABASE_URL, or on the local stack's database where that is not set. */
export const main = (args: string[]): Promise<void> =>
  runMigrateCommand(args, { databaseUrl: process.env.DATABASE_URL ?? readDevStack()?.databaseUrl, say: console.log });

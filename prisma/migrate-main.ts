import { runMigrateCommand } from './migrate-command';

const say = (line: string): void => console.log(line);

/** For deployments: `node dist/migrate.js`. */
runMigrateCommand(process.argv.slice(2), { databaseUrl: process.env.DATABASE_URL, say }).catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
});

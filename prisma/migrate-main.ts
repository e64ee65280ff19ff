import { runMigrateCommand } from './migrate-command';

const say = (line: string): void => console.log(line);

/** For deployments: `node dist/migrate.js`. */
const { DATABASE_URL: databaseUrl, DATABASE_OWNER_URL: ownerUrl } = process.env;
runMigrateCommand(process.argv.slice(2), { databaseUrl, ownerUrl, say }).catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
});

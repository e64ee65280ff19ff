import { migrate, writeMigration } from './migrate';

const usage = `Usage:
  npm run migrate                  apply what the database at DATABASE_URL does not have yet
  npm run migrate:new -- <name>    write a migration from schema.prisma (DATABASE_URL: any server where a scratch database may be made)
Where DATABASE_URL is not set, the local stack's database is used: npm start`;

/** The commands that developers and deployments run; `args` is empty or `new <name>`. */
export async function runMigrateCommand(
  [command = 'apply', name]: string[],
  { databaseUrl, say }: { databaseUrl: string | undefined; say: (line: string) => void },
): Promise<void> {
  if (!databaseUrl) throw new Error(`DATABASE_URL is not set.\n${usage}`);
  if (command === 'apply') {
    const { applied } = await migrate(databaseUrl, { log: say });
    say(applied.length === 0 ? 'The database is up to date.' : `Migrations applied: ${applied.length}`);
    return;
  }
  if (command !== 'new' || !name || !/^[a-z0-9_]+$/.test(name)) throw new Error(usage);
  const file = await writeMigration(databaseUrl, { name });
  say(file ? `Written: ${file}` : 'The migrations already lead to schema.prisma; nothing to write.');
}

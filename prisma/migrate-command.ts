import { migrate, writeMigration } from './migrate';
import { grantToService } from './service-role';

const usage = `Usage:
  npm run migrate                  apply what the database does not have yet, as DATABASE_OWNER_URL; then let the role of
                                   DATABASE_URL read and write the records (it is made where it is missing)
  npm run migrate:new -- <name>    write a migration from schema.prisma (DATABASE_OWNER_URL: any server where a scratch database may be made)
Where DATABASE_OWNER_URL is not set, DATABASE_URL does both; where neither is, the local stack's database is used: npm start`;

/** The commands that developers and deployments run; `args` is empty or `new <name>`. */
export async function runMigrateCommand(
  [command = 'apply', name]: string[],
  {
    databaseUrl,
    ownerUrl = databaseUrl,
    say,
  }: { databaseUrl: string | undefined; ownerUrl?: string | undefined; say: (line: string) => void },
): Promise<void> {
  if (!ownerUrl) throw new Error(`Neither DATABASE_OWNER_URL nor DATABASE_URL is set.\n${usage}`);
  if (command === 'apply') {
    const { applied } = await migrate(ownerUrl, { log: say });
    say(applied.length === 0 ? 'The database is up to date.' : `Migrations applied: ${applied.length}`);
    if (databaseUrl && databaseUrl !== ownerUrl) {
      await grantToService(ownerUrl, databaseUrl);
      say('The role of DATABASE_URL may read and write the records, and owns none of them.');
    }
    return;
  }
  if (command !== 'new' || !name || !/^[a-z0-9_]+$/.test(name)) throw new Error(usage);
  const file = await writeMigration(ownerUrl, { name });
  say(file ? `Written: ${file}` : 'The migrations already lead to schema.prisma; nothing to write.');
}

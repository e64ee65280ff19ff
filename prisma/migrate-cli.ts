import { migrate, writeMigration } from './migrate';

const usage = `Usage:
  npm run migrate                  apply what the database at DATABASE_URL does not have yet
  npm run migrate:new -- <name>    write a migration from schema.prisma (DATABASE_URL: any server where a scratch database may be made)`;

async function main([command = 'apply', name]: string[]): Promise<void> {
  const databaseUrl = process.env.DATABASE_URL;
  if (!databaseUrl) throw new Error(`DATABASE_URL is not set.\n${usage}`);

  if (command === 'apply') {
    const { applied } = await migrate(databaseUrl, { log: console.log });
    console.log(applied.length === 0 ? 'The database is up to date.' : `${applied.length} migrations applied.`);
    return;
  }
  if (command === 'new' && name && /^[a-z0-9_]+$/.test(name)) {
    const file = await writeMigration(databaseUrl, { name });
    console.log(file ? `Written: ${file}` : 'The migrations already lead to schema.prisma; nothing to write.');
    return;
  }
  throw new Error(usage);
}

main(process.argv.slice(2)).catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
});

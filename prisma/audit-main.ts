import { readApiConfig } from '@clinic/shared/config';
import { auditCommand } from './audit-command';

/** For deployments, with the API's environment: `node dist/audit.js verify` or `list`. */
async function main(): Promise<void> {
  const { DATABASE_URL, SECRET_KEYS } = readApiConfig(process.env);
  const access = { databaseUrl: DATABASE_URL, secretKeys: SECRET_KEYS };
  process.exitCode = await auditCommand(process.argv.slice(2), access, (line) => console.log(line));
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 2;
});

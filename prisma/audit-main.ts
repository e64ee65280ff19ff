import { readApiConfig } from '@clinic/shared/config';
import { runAuditCommand } from './audit-command';

/** For deployments, with the API's environment: `node dist/audit.js verify`. */
async function main(): Promise<void> {
  const { DATABASE_URL, SECRET_KEYS } = readApiConfig(process.env);
  const report = await runAuditCommand(process.argv.slice(2), { databaseUrl: DATABASE_URL, secretKeys: SECRET_KEYS });
  console.log(JSON.stringify(report, null, 2));
  if (report.findings.length > 0) process.exitCode = 1;
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 2;
});

import { auditUsage, runAuditCommand } from '@clinic/prisma/audit-command';
import { localKeys } from './environment';
import { withStack } from './with-stack';

/** `npm run audit -- verify`: checks the chain of every clinic's audit, and exits with 1 where it does not hold. */
export async function main(args: string[]): Promise<void> {
  if (args.length === 0) throw new Error(auditUsage);
  await withStack(
    (line) => console.error(line),
    async (dev) => {
      const { secretKeys } = localKeys(dev);
      const report = await runAuditCommand(args, { databaseUrl: dev.databaseUrl, secretKeys });
      console.log(JSON.stringify(report, null, 2));
      if (report.findings.length > 0) process.exitCode = 1;
    },
  );
}

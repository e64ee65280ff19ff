import { auditCommand, auditUsage } from '@clinic/prisma/audit-command';
import { localKeys } from './environment';
import { withStack } from './with-stack';

/** `npm run audit -- verify`: checks the chain of every clinic's audit, and exits with 1 where it does not hold. `list` shows entries. */
export async function main(args: string[]): Promise<void> {
  if (args.length === 0) throw new Error(auditUsage);
  await withStack(
    (line) => console.error(line),
    async (dev) => {
      const { secretKeys } = localKeys(dev);
      process.exitCode = await auditCommand(args, { databaseUrl: dev.databaseUrl, secretKeys }, (line) =>
        console.log(line),
      );
    },
  );
}

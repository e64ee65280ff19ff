import { verifyDials } from '@clinic/prisma/verify-dials';
import { refuseArguments } from './no-arguments';
import { withStack } from './with-stack';

/** `npm run verify-dials`: decides every stored decision again, and exits with 1 where any comes out differently. */
export async function main(args: string[]): Promise<void> {
  refuseArguments(args, 'Usage: npm run verify-dials, without options');
  await withStack(
    (line) => console.error(line),
    async (dev) => {
      const { checked, differences } = await verifyDials(dev.databaseUrl);
      console.log(JSON.stringify({ checked, differences }, null, 2));
      if (differences.length > 0) process.exitCode = 1;
    },
  );
}

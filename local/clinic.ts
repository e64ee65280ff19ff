import { logEmergency } from '@clinic/prisma/account-command';
import { openDatabase } from '@clinic/prisma/client';
import { clinicUsage, runClinicCommand, shownResult } from '@clinic/prisma/clinic-command';
import { rememberClinic } from './dev-file';
import { localKeys } from './environment';
import { withStack } from './with-stack';

/** Progress goes where it does not mix with the JSON that a program may read. */
const say = (line: string): void => console.error(line);

/** `npm run clinic`: makes a clinic and prints it as an entry of dev.json's `clinics`, or sets where its events go. */
export async function main(args: string[]): Promise<void> {
  if (args.length === 0) throw new Error(clinicUsage);
  await withStack(say, async (dev) => {
    const database = openDatabase(dev.databaseUrl, { poolSize: 2 });
    try {
      const result = await runClinicCommand(args, { database, ...localKeys(dev) });
      if ('created' in result) rememberClinic(result.created);
      if ('emergency' in result) logEmergency(result.emergency);
      console.log(JSON.stringify(shownResult(result), null, 2));
    } finally {
      await database.close();
    }
  });
}

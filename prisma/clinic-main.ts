import { readApiConfig } from '@clinic/shared/config';
import { openDatabase } from './client';
import { logEmergency } from './account-command';
import { runClinicCommand, shownResult } from './clinic-command';

/** For deployments, with the API's environment: `node dist/clinic.js create --name … --timezone …`. */
async function main(): Promise<void> {
  const config = readApiConfig(process.env);
  const database = openDatabase(config.DATABASE_URL, { poolSize: 2 });
  try {
    const deps = {
      database,
      secretKeys: config.SECRET_KEYS,
      authSecret: config.AUTH_SECRET,
      publicUrl: config.PUBLIC_URL,
    };
    const result = await runClinicCommand(process.argv.slice(2), deps);
    if ('emergency' in result) logEmergency(result.emergency);
    console.log(JSON.stringify(shownResult(result), null, 2));
  } finally {
    await database.close();
  }
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
});

import { readApiConfig } from '@clinic/shared/config';
import { clinicCommand } from './clinic-command';

/** For deployments, with the API's environment: `node dist/clinic.js create --name … --timezone …`. */
async function main(): Promise<void> {
  const stopping = new AbortController();
  process.once('SIGINT', () => stopping.abort());
  const { result, isFailed } = await clinicCommand(process.argv.slice(2), {
    config: readApiConfig(process.env),
    env: process.env,
    signal: stopping.signal,
  });
  console.log(JSON.stringify(result, null, 2));
  if (isFailed) process.exitCode = 1;
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
});

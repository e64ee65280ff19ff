import { clinicCommand, usage } from '@clinic/api/clinic-command';
import { rememberClinic } from './dev-file';
import { localConfig } from './environment';
import { withStack } from './with-stack';

/** Progress goes where it does not mix with the JSON that a program may read. */
const say = (line: string): void => console.error(line);

/** `npm run clinic`: makes a clinic and prints it as an entry of dev.json's `clinics`, or changes what is set of one. */
export async function main(args: string[]): Promise<void> {
  if (args.length === 0) throw new Error(usage);
  await withStack(say, async (dev, signal) => {
    const { result, created, isFailed } = await clinicCommand(args, {
      config: localConfig(dev),
      env: process.env,
      signal,
    });
    if (created) rememberClinic(created);
    console.log(JSON.stringify(result, null, 2));
    if (isFailed) process.exitCode = 1;
  });
}

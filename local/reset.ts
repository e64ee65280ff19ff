import { existsSync, realpathSync, rmSync } from 'node:fs';
import { refuseArguments } from './no-arguments';
import { localFolder, makeLocalFolder, postgresFolder } from './paths';
import { becomeTheStack } from './running';

/** `npm run reset`: removes everything that the local stack keeps. */
export async function main(args: string[]): Promise<void> {
  refuseArguments(args, 'Usage: npm run reset, without options');
  makeLocalFolder();
  await becomeTheStack(console.log);
  // where the checkout is closed to PostgreSQL's account, its folder lies elsewhere
  if (existsSync(postgresFolder)) rmSync(realpathSync(postgresFolder), { recursive: true, force: true });
  rmSync(localFolder, { recursive: true, force: true });
  console.log('Removed .local: the data, the secrets and the logs of the local stack. `npm start` begins afresh.');
}

import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { cacheFolder } from '@clinic/local/binaries';

const run = promisify(execFile);

const installing = ['install', '--omit=optional', '--ignore-scripts', '--no-audit', '--no-fund'];

/** A folder with a package of npm that `npm ci` does not bring. */
export const fromNpm = (name: string, version: string): Promise<string> =>
  fetched(`${name}-${version}`, (to) => run('npm', [...installing, '--prefix', to, `${name}@${version}`]));

/** A folder with a package of PyPI and what it needs, to be named in `PYTHONPATH`. */
export const fromPyPi = (name: string, version: string): Promise<string> =>
  fetched(`${name}-${version}`, (to) =>
    run('python3', ['-m', 'pip', 'install', '--quiet', '--target', to, `${name}==${version}`]),
  );

/** A folder of the user's cache that `fetch` fills once; two processes may fetch at the same time. */
async function fetched(name: string, fetch: (to: string) => Promise<unknown>): Promise<string> {
  const home = join(await cacheFolder(), name);
  if (existsSync(home)) return home;
  const scratch = await mkdtemp(`${home}.`);
  try {
    await fetch(scratch);
    await rename(scratch, home);
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
  return home;
}

import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { cacheFolder } from '@clinic/local/binaries';
import { installedHapi } from '../hapi-server';
import { walkSmartJs } from './smart-js';
import { GRADE, noteFor, PERSON, person, PROVIDER, REASON, stranger, VISIT_TYPE, type Walk, type Walked } from './walk';

const run = promisify(execFile);
const FHIRCLIENT = '2.6.3';
const FHIRPY = '2.3.1';

const installing = ['install', '--omit=optional', '--ignore-scripts', '--no-audit', '--no-fund'];

/** Clients that `npm ci` does not bring: fetched from npm, PyPI and Maven Central once for this user. */
export const otherClients: Record<string, (walk: Walk) => Promise<Walked>> = {
  fhirclient: async (walk) =>
    walkSmartJs(
      walk,
      await fetched(`fhirclient-${FHIRCLIENT}`, (to) =>
        run('npm', [...installing, '--prefix', to, `fhirclient@${FHIRCLIENT}`]),
      ),
    ),
  'HAPI FHIR': async (walk) => {
    const classPath = await installedHapi();
    return printed('java', ['-XX:TieredStopAtLevel=1', '-cp', classPath, 'HapiClient', told(walk)]);
  },
  fhirpy: async (walk) => {
    const home = await fetched(`fhirpy-${FHIRPY}`, (to) =>
      run('python3', ['-m', 'pip', 'install', '--quiet', '--target', to, `fhirpy==${FHIRPY}`]),
    );
    return printed('python3', [join(__dirname, 'fhirpy_client.py'), told(walk)], { PYTHONPATH: home });
  },
};

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

const told = (walk: Walk): string =>
  JSON.stringify({
    ...walk,
    provider: PROVIDER,
    visitType: VISIT_TYPE,
    identifier: PERSON.identifier,
    person,
    stranger,
    gradeUrl: GRADE,
    reason: REASON,
    note: noteFor(walk, ''),
  });

/** What a program of another language prints in its last line. */
async function printed(command: string, args: string[], env: Record<string, string> = {}): Promise<Walked> {
  const { stdout } = await run(command, args, { env: { ...process.env, ...env } });
  return JSON.parse(stdout.trimEnd().split('\n').at(-1) ?? '') as Walked;
}

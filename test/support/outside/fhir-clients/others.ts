import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { fromNpm, fromPyPi } from '../../fetched';
import { installedHapi } from '../hapi-server';
import { walkSmartJs } from './smart-js';
import { GRADE, noteFor, PERSON, person, PROVIDER, REASON, stranger, VISIT_TYPE, type Walk, type Walked } from './walk';

const run = promisify(execFile);
const FHIRCLIENT = '2.6.3';
const FHIRPY = '2.3.1';

/** Clients that `npm ci` does not bring: fetched from npm, PyPI and Maven Central once for this user. */
export const otherClients: Record<string, (walk: Walk) => Promise<Walked>> = {
  fhirclient: async (walk) => walkSmartJs(walk, await fromNpm('fhirclient', FHIRCLIENT)),
  'HAPI FHIR': async (walk) => {
    const classPath = await installedHapi();
    return printed('java', ['-XX:TieredStopAtLevel=1', '-cp', classPath, 'HapiClient', told(walk)]);
  },
  fhirpy: async (walk) => {
    const home = await fromPyPi('fhirpy', FHIRPY);
    return printed('python3', [join(__dirname, 'fhirpy_client.py'), told(walk)], { PYTHONPATH: home });
  },
};

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

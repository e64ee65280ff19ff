import { execFile, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rename, rm } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { cacheFolder } from '@clinic/local/binaries';

const run = promisify(execFile);
const folder = join(__dirname, 'hapi');

export interface HapiServer {
  /** The base URL. */
  url: string;
  close(): Promise<void>;
}

/**
 * A real HAPI FHIR server with empty records in memory, which takes this bearer token. Needs Java 17 and Maven: the first start
 * fetches it from Maven Central (about 200 MB, once for this user).
 */
export async function startHapiServer({ token }: { token: string }): Promise<HapiServer> {
  const classes = await installedHapi();
  const child = spawn('java', ['-Xmx1g', '-XX:TieredStopAtLevel=1', '-cp', classes, 'HapiServer', token], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const gone = once(child, 'exit');
  const lines = createInterface({ input: child.stdout });
  const port = await new Promise<string>((resolve, reject) => {
    lines.on('line', (line) => {
      const [, found] = /^HAPI FHIR listens on (\d+)$/.exec(line) ?? [];
      if (found) resolve(found);
    });
    void gone.then(([code]) => reject(new Error(`HAPI FHIR ended with ${code} before it was up`)), reject);
  });
  return {
    url: `http://127.0.0.1:${port}/fhir`,
    close: async () => {
      // It ends with its standard input, also where this process dies.
      child.stdin.end();
      await gone;
    },
  };
}

/** HAPI FHIR with our classes: the class path. Everything happens in a folder of its own and ends in a rename: two processes may build at the same time. */
export async function installedHapi(): Promise<string> {
  const [pom, ...sources] = ['pom.xml', 'HapiServer.java', 'HapiClient.java'].map((name) => join(folder, name));
  if (pom === undefined) throw new Error('unreachable');
  const hash = createHash('sha256');
  for (const file of [pom, ...sources]) hash.update(readFileSync(file));
  const home = join(await cacheFolder(), `hapi-${hash.digest('hex').slice(0, 16)}`);
  const classPath = [join(home, 'classes'), join(home, 'lib', '*')].join(delimiter);
  if (existsSync(home)) return classPath;
  const scratch = await mkdtemp(`${home}.`);
  try {
    const lib = join(scratch, 'lib');
    const goal = 'dependency:copy-dependencies';
    await run('mvn', ['-B', '-q', '-f', pom, goal, '-DincludeScope=runtime', `-DoutputDirectory=${lib}`]);
    await run('javac', ['-proc:none', '-cp', join(lib, '*'), '-d', join(scratch, 'classes'), ...sources]);
    await rename(scratch, home);
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
  return classPath;
}

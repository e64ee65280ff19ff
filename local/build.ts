import { execFile } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { mkdir, readFile, rename, utimes, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, extname, join, sep } from 'node:path';
import { promisify } from 'node:util';
import { build, type OnResolveArgs, type OnResolveResult, type Plugin } from 'esbuild';
import { root } from './paths';

const folder = join(root, 'dist');
const fromFolder = createRequire(join(folder, 'api.js'));

/** What production starts, by its name in dist/. */
export const entries = {
  api: 'api/main.ts',
  codec: 'api/codec-main.ts',
  worker: 'worker/main.ts',
  command: 'commands/main.ts',
};

/** What processes in production are made of. */
export const serviceRooms = [
  'api',
  'worker',
  'workflows',
  'temporal',
  'activities',
  'gateways',
  'prisma',
  'accounts',
  'sandbox',
  'shared',
];

const rooms = [...serviceRooms, 'commands', 'local'];

/** What run.mjs starts. It is no part of what production is given. */
const commands = { local: 'local/main.ts' };

/**
 * Writes the service as JavaScript to dist/, a file for each process, so that none compiles anything when it starts. Does
 * nothing where all that is there is newer than the sources.
 */
export const buildService = (): Promise<void> => bundle(entries);

/** Writes the commands of the local stack to dist/ in the same way. */
export const buildCommands = (): Promise<void> => bundle(commands);

async function bundle(entryPoints: Record<string, string>): Promise<void> {
  const files = Object.keys(entryPoints).map((name) => join(folder, `${name}.js`));
  if (!isOlder(files, rooms)) return;
  const begunAt = new Date();
  const { outputFiles } = await build({
    absWorkingDir: root,
    entryPoints,
    outdir: folder,
    bundle: true,
    write: false,
    platform: 'node',
    format: 'cjs',
    target: 'node20',
    sourcemap: true,
    plugins: [installedPackages],
    // They name files that are there when it runs.
    logOverride: { 'require-resolve-not-external': 'silent' },
    logLevel: 'warning',
  });
  await mkdir(folder, { recursive: true });
  await Promise.all(
    outputFiles.map(async ({ path, contents }) => {
      await replace(path, contents);
      // What is changed meanwhile is younger.
      await utimes(path, begunAt, begunAt);
    }),
  );
}

/** Rooms that the workflows' code comes from. */
const workflowRooms = ['workflows', 'activities', 'temporal', 'shared', 'worker'];

/**
 * Bundles the workflows into dist/workflows.js, which a worker is given as `WORKFLOW_BUNDLE`; otherwise each bundles them at its start,
 * which takes seconds of a core. Does nothing where it is newer than the sources. Returns the file.
 */
export async function buildWorkflows(): Promise<string> {
  const file = join(folder, 'workflows.js');
  if (!isOlder([file], workflowRooms)) return file;
  const begunAt = new Date();
  await mkdir(folder, { recursive: true });
  const unfinished = `${file}.${process.pid}`;
  // In a process of its own: it keeps a core busy.
  await promisify(execFile)(process.execPath, ['--import', 'tsx', 'worker/bundle-main.ts', unfinished], { cwd: root });
  await utimes(unfinished, begunAt, begunAt);
  await rename(unfinished, file);
  return file;
}

function isOlder(built: string[], from: string[]): boolean {
  const sources = [join(root, 'package-lock.json'), ...from.flatMap((room) => filesIn(join(root, room)))];
  return Math.min(...built.map(changedAt)) <= Math.max(...sources.map(changedAt));
}

/** Milliseconds; 0 for what is not there. */
const changedAt = (path: string): number => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;

const filesIn = (path: string): string[] =>
  readdirSync(path, { withFileTypes: true }).flatMap((entry) => {
    if (entry.name === 'node_modules') return [];
    return entry.isDirectory() ? filesIn(join(path, entry.name)) : [join(path, entry.name)];
  });

/** A process may be reading the file: it is replaced as a whole, and left alone where it would stay the same. */
async function replace(path: string, contents: Uint8Array): Promise<void> {
  const present = await readFile(path).catch(() => null);
  if (present?.equals(contents)) return;
  const unfinished = `${path}.${process.pid}`;
  await writeFile(unfinished, contents);
  await rename(unfinished, path);
}

const installedPackages: Plugin = {
  name: 'installed-packages',
  setup: ({ onResolve }) => onResolve({ filter: /^[^./]/ }, leaveOut),
};

/** What `require` finds from dist/ is loaded when the process starts. Our rooms, ES modules and what is installed elsewhere go into the file. */
function leaveOut({ kind, path, importer }: OnResolveArgs): OnResolveResult | undefined {
  if (kind === 'entry-point' || path.startsWith('@clinic/')) return undefined;
  try {
    const file = createRequire(importer).resolve(path);
    const isBuiltIn = !file.includes(sep);
    const isReachable = isBuiltIn || (fromFolder.resolve(path) === file && !isEsModule(file));
    return isReachable ? { path, external: true } : undefined;
  } catch {
    // It has nothing for `require`, or is not there from dist/.
    return undefined;
  }
}

function isEsModule(file: string): boolean {
  if (extname(file) !== '.js') return extname(file) === '.mjs';
  let place = dirname(file);
  while (!existsSync(join(place, 'package.json'))) place = dirname(place);
  return (JSON.parse(readFileSync(join(place, 'package.json'), 'utf8')) as { type?: string }).type === 'module';
}

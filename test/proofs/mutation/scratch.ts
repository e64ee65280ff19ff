import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, lstat, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { rooms } from './mutant';

const root = resolve(__dirname, '../../..');
/** What tests need and git does not hold. */
const made = ['prisma/generated', 'dashboard/http/client', 'dashboard/dist'];

/** The files of the working tree that git holds or would take, by path from the root. */
export function listFiles(): string[] {
  const listed = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], { cwd: root });
  return listed
    .toString()
    .split('\0')
    .filter((file) => file !== '' && existsSync(join(root, file)));
}

/** Code of the service: no tests, no configuration, nothing of how pages look or of what starts it on a developer's machine. */
export const isMutated = (file: string): boolean =>
  rooms.some((room) => file.startsWith(`${room}/`)) &&
  /(?<!\.d)\.tsx?$|^prisma\/migrations\/.*\.sql$/.test(file) &&
  !/(^|\/)\w+\.config\.ts$|^dashboard\/theme\.ts$/.test(file);

export interface Scratch {
  folder: string;
  read(file: string): Promise<string>;
  write(file: string, text: string): Promise<void>;
  remove(): Promise<void>;
}

/** A copy of the working tree that may be broken: its files are its own, the packages are those of the original. */
export async function makeScratch(): Promise<Scratch> {
  const folder = await mkdtemp(join(tmpdir(), 'clinic-mutation-'));
  for (const file of listFiles()) await copyIfThere(file, folder);
  for (const path of made) await copyIfThere(path, folder);
  // Some tests ask git which files there are.
  for (const args of [
    ['init', '-q'],
    ['add', '-A'],
  ])
    execFileSync('git', args, { cwd: folder });
  await linkPackages(folder);
  return {
    folder,
    read: (file) => readFile(join(folder, file), 'utf8'),
    write: (file, text) => writeFile(join(folder, file), text),
    remove: () => rm(folder, { recursive: true, force: true, maxRetries: 5 }),
  };
}

async function copyIfThere(path: string, folder: string): Promise<void> {
  const exists = await lstat(join(root, path)).then(
    () => true,
    () => false,
  );
  if (!exists) return;
  await mkdir(dirname(join(folder, path)), { recursive: true });
  await cp(join(root, path), join(folder, path), { recursive: true });
}

/** Every package is a link to the original's; the rooms, which are packages too, are links to the copy. */
export async function linkPackages(folder: string): Promise<void> {
  await mkdir(join(folder, 'node_modules', '@clinic'), { recursive: true });
  for (const name of await readdir(join(root, 'node_modules'))) {
    if (name !== '@clinic') await symlink(join(root, 'node_modules', name), join(folder, 'node_modules', name));
  }
  for (const room of await readdir(join(root, 'node_modules', '@clinic'))) {
    await symlink(join(folder, room), join(folder, 'node_modules', '@clinic', room));
    const own = join(root, room, 'node_modules');
    if (await lstat(own).catch(() => null)) await symlink(own, join(folder, room, 'node_modules'));
  }
}

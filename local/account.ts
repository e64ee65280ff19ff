import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chown, cp, lstat, mkdir, rename, rm, stat, symlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

/** An account of this machine, by number. */
export interface Account {
  uid: number;
  gid: number;
}

const run = promisify(execFile);

/** PostgreSQL refuses to run as root. Where we are root it runs as `postgres`, or as `nobody` where that does not exist. */
export async function unprivilegedAccount(): Promise<Account | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  for (const name of ['postgres', 'nobody']) {
    const account = await lookUp(name);
    if (account) return account;
  }
  throw new Error(
    'PostgreSQL cannot run as root, and this machine has neither an account `postgres` nor `nobody`. Run as another user, or set DATABASE_URL to a running PostgreSQL.',
  );
}

async function lookUp(name: string): Promise<Account | undefined> {
  try {
    const [uid, gid] = await Promise.all(['-u', '-g'].map((flag) => run('id', [flag, name])));
    return { uid: Number(uid?.stdout), gid: Number(gid?.stdout) };
  } catch {
    return undefined;
  }
}

/** A folder with the same content that every account may read: the folder itself where it already is one, else a copy. */
export async function readableCopy(folder: string, copyName: string): Promise<string> {
  if (await isOpenToAll(folder)) return folder;
  const copy = join(await commonFolder(), copyName);
  if (await exists(copy)) return copy;
  const unfinished = `${copy}.${process.pid}`;
  await cp(folder, unfinished, { recursive: true, verbatimSymlinks: true });
  await run('chmod', ['-R', 'a+rX', unfinished]);
  await rename(unfinished, copy).catch((error: unknown) => {
    if (!alreadyThere(error)) throw error;
  });
  await rm(unfinished, { recursive: true, force: true });
  return copy;
}

/**
 * Makes a folder that belongs to the account. Below a folder closed to other accounts (root's own, say) it becomes
 * a link to a folder elsewhere, which is then the answer.
 */
export async function ownedFolder(folder: string, { uid, gid }: Account): Promise<string> {
  await mkdir(dirname(folder), { recursive: true });
  const target = (await isOpenToAll(dirname(folder)))
    ? folder
    : join(await commonFolder(), createHash('sha256').update(folder).digest('hex').slice(0, 16));
  await mkdir(target, { recursive: true, mode: 0o700 });
  await chown(target, uid, gid);
  if (target !== folder) {
    await rm(folder, { recursive: true, force: true });
    await symlink(target, folder);
  }
  return target;
}

/** What `ownedFolder` and root share, outside of every home. */
async function commonFolder(): Promise<string> {
  const folder = '/var/lib/clinic-workflows';
  await mkdir(folder, { recursive: true, mode: 0o755 });
  const { uid, mode } = await lstat(folder);
  if (uid === 0 && (mode & 0o022) === 0) return folder;
  throw new Error(`${folder} is not root's alone. Remove it and start again.`);
}

async function isOpenToAll(folder: string): Promise<boolean> {
  if (((await stat(folder)).mode & 0o001) === 0) return false;
  return folder === '/' || isOpenToAll(dirname(folder));
}

const exists = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  );

const alreadyThere = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && (error.code === 'EEXIST' || error.code === 'ENOTEMPTY');

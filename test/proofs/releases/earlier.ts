import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { serviceRooms } from '@clinic/local/build';
import { root } from '@clinic/local/paths';
import type { Release } from '../faults/house';
import { linkPackages } from '../mutation/scratch';

const run = promisify(execFile);
const git = async (...args: string[]) => (await run('git', args, { cwd: root })).stdout.trim();
/** Whether git's answer is that nothing differs. */
const isSame = (...args: string[]) =>
  git('diff', '--quiet', ...args).then(
    () => true,
    () => false,
  );

/** The release before: the last tag, or while there is none the newest commit whose service is another than that of the working tree. */
export async function revisionBefore(): Promise<string> {
  const tag = await git('describe', '--tags', '--abbrev=0').catch(() => null);
  if (tag !== null) return tag;
  if (!(await isSame('HEAD', '--', ...serviceRooms))) return 'HEAD';
  return `${await git('log', '-1', '--format=%H', '--', ...serviceRooms)}^`;
}

/** A revision in a folder of its own, built by its own commands. Throws where it cannot share a database with the working tree. */
export async function buildEarlier(revision: string): Promise<Release & { remove(): Promise<void> }> {
  const name = await git('rev-parse', '--short', `${revision}^{commit}`);
  // Migrations that were added since are applied while it runs; one that it knows and that was edited is another schema.
  const edited = await git('diff', '--name-only', '--diff-filter=a', name, '--', 'prisma/migrations');
  if (edited !== '') {
    throw new Error(
      `${name} has another schema: ${edited} was edited since. Until 0.1.0 there is one migration, and two commits share a database where it is the same; name one with --before.`,
    );
  }
  const folder = await mkdtemp(join(tmpdir(), 'clinic-earlier-'));
  const remove = () => rm(folder, { recursive: true, force: true, maxRetries: 5 });
  try {
    const archive = join(folder, 'archive.tar');
    await git('archive', '--output', archive, name);
    await run('tar', ['-xf', archive, '-C', folder]);
    const bundle = join(folder, 'workflows.js');
    const build = (command: string, ...args: string[]) => run(command, args, { cwd: folder });
    if (await isSame(name, '--', 'package-lock.json')) await linkPackages(folder);
    else await build('npm', 'ci', '--no-audit', '--no-fund');
    await build('npm', 'run', 'build');
    await build(process.execPath, '--import', 'tsx', 'worker/bundle-main.ts', bundle);
    return { name, folder, bundle, remove };
  } catch (error) {
    await remove();
    throw error;
  }
}

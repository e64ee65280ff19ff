import { chmod, mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { temporalCli, timeSkippingServer } from '@clinic/local/binaries';
import { buildService } from '@clinic/local/build';
import { supervise, type Supervised } from '@clinic/local/child';
import { startGuard } from '@clinic/local/guard';
import { freePort } from '@clinic/local/ports';
import { ensureDatabase, postgres, postgresUrl, serviceUrlOf } from '@clinic/local/postgres';
import { temporal } from '@clinic/local/temporal';
import { migrate } from '@clinic/prisma/migrate';
import { grantToService } from '@clinic/prisma/service-role';
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

/** The servers that global-setup.ts has started. */
export function testServers(): TestServers {
  const text = process.env[variable];
  if (!text)
    throw new Error('The servers for tests are started by test/support/global-setup.ts; run the tests with jest.');
  return TestServers.parse(JSON.parse(text));
}

/** The environment of a process that runs tests on the same servers, with workflows that were bundled apart. */
export function withWorkflowBundle(workflowBundle: string): NodeJS.ProcessEnv {
  return { ...process.env, [variable]: JSON.stringify({ ...testServers(), workflowBundle }) };
}

/** Starts one PostgreSQL and one Temporal server for all test files; returns how to stop them. */
export async function startTestServers(say: (line: string) => void): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), 'clinic-tests-'));
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
    started.push(
      await supervise(await postgres({ ...server, dataDir, throwaway: true, logFile: join(folder, 'postgres.log') }), {
        say,
        ...guard,
      }),
    );
    await ensureDatabase(postgresUrl(server, 'postgres'), templateDatabase);
    const templateUrl = postgresUrl(server, templateDatabase);
    await migrate(templateUrl);
    await grantToService(templateUrl, serviceUrlOf(templateUrl));

    const port = await freePort();
    const binary = await temporalCli(say);
    started.push(await supervise(temporal({ binary, port, logFile: join(folder, 'temporal.log') }), { say, ...guard }));

    const workflowBundle = join(folder, 'workflows.js');
    await Promise.all([buildService(), writeWorkflowBundle(workflowBundle)]);

    const servers: TestServers = {
      postgresUrl: postgresUrl(server, 'postgres'),
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

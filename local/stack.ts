import { readApiConfig } from '@clinic/shared/config';
import { migrate } from '@clinic/prisma/migrate';
import { grantRoles } from '@clinic/prisma/service-role';
import { rmSync } from 'node:fs';
import { temporalCli } from './binaries';
import { buildService, buildWorkflows } from './build';
import { supervise, type ChildSpec, type Supervised } from './child';
import { writeDevStack, type DevStack } from './dev-file';
import { serviceEnvironment } from './environment';
import { startGuard } from './guard';
import { devFile, localFolder, logFile, makeLocalFolder, postgresFolder, temporalFile } from './paths';
import { portFrom, requireFree, type WantedPort } from './ports';
import { ensureDatabase, postgres, postgresUrl, auditUrlOf, serviceUrlOf, whyUnreachable } from './postgres';
import { becomeTheStack } from './running';
import { localSecrets } from './secrets';
import { seedOnce } from './seed';
import { api, worker } from './service';
import { temporal, untilServing } from './temporal';

export interface Stack {
  dev: DevStack;
  stop: () => Promise<void>;
}

type Say = (line: string) => void;

export interface StackOptions {
  say: Say;
  signal?: AbortSignal;
  /** What else takes its time and is only worth doing once nothing else keeps the stack from starting. */
  build?: () => Promise<void>;
  /** Its folder is removed when this process is gone, and nothing is written as if it were to outlive a power cut. */
  isThrowaway?: boolean;
  /** What the records begin with; the demo clinics, as remembered, unless given. */
  seed?: typeof seedOnce;
}

/**
 * Brings up PostgreSQL, Temporal, the API and the worker, with their data where the last run left it, and waits until
 * they work. What the environment names (DATABASE_URL, TEMPORAL_ADDRESS) is used and not started.
 */
export async function startStack({
  say,
  signal,
  build,
  isThrowaway = false,
  seed: seedRecords = seedOnce,
}: StackOptions): Promise<Stack> {
  const given = { databaseUrl: process.env.DATABASE_URL, temporalAddress: process.env.TEMPORAL_ADDRESS };
  const ports = {
    api: portFrom(process.env, 'PORT', 3000),
    database: portFrom(process.env, 'DATABASE_PORT', 54_329),
    temporal: portFrom(process.env, 'TEMPORAL_PORT', 7233),
    temporalUi: portFrom(process.env, 'TEMPORAL_UI_PORT', 8233),
  };
  makeLocalFolder();
  const record = await becomeTheStack(say);
  const guard = startGuard();
  if (isThrowaway) for (const folder of [postgresFolder, localFolder]) guard.folder(folder);
  const children: Supervised[] = [];

  try {
    // Ports that were just found free are held against being found again.
    if (!isThrowaway) await requireFree(portsToTake());
    const [workflows] = await Promise.all([process.env.WORKFLOW_BUNDLE ?? buildWorkflows(), buildService(), build?.()]);
    signal?.throwIfAborted();
    rmSync(devFile, { force: true });
    const secrets = localSecrets();
    const publicUrl = `http://localhost:${ports.api}`;
    const [databaseUrl, temporalAddress] = await together(
      given.databaseUrl ?? startPostgres(secrets.databasePassword).then(serviceUrlOf),
      given.temporalAddress ?? startTemporal(publicUrl),
    );
    const addresses = {
      publicUrl,
      port: ports.api,
      databaseUrl,
      temporalAddress,
      temporalUiUrl: process.env.TEMPORAL_UI_URL ?? `http://localhost:${ports.temporalUi}`,
    };
    if (given.databaseUrl) await usePostgres(given.databaseUrl);
    if (given.temporalAddress) await useTemporal(given.temporalAddress);
    const databaseOwnerUrl = given.databaseUrl ?? ownUrl(secrets.databasePassword);
    const { applied } = await migrate(databaseOwnerUrl);
    const auditDatabaseUrl = given.databaseUrl ? undefined : auditUrlOf(databaseUrl);
    if (auditDatabaseUrl) {
      const roles = { serviceUrl: databaseUrl, auditUrl: auditDatabaseUrl };
      await grantRoles({ ownerUrl: databaseOwnerUrl, ...roles });
    }
    say(applied.length > 0 ? `Migrations: ${applied.length} applied` : 'Migrations: nothing to apply');
    const env = serviceEnvironment(addresses, secrets);
    const config = readApiConfig(env);
    const seed = await seedRecords({ databaseUrl: addresses.databaseUrl, config, say });
    say('Starting the API and the worker …');
    await Promise.all([
      start(api({ env, port: ports.api, say })),
      start(worker({ env: { ...env, AUDIT_DATABASE_URL: auditDatabaseUrl, WORKFLOW_BUNDLE: workflows }, say })),
    ]);

    const dev = {
      baseUrl: `${publicUrl}/api`,
      dashboardUrl: publicUrl,
      temporalUiUrl: addresses.temporalUiUrl,
      temporalAddress: addresses.temporalAddress,
      databaseUrl: addresses.databaseUrl,
      databaseOwnerUrl,
      auditDatabaseUrl,
      voiceSecret: config.VOICE_WEBHOOK_SECRET,
      ...seed,
    };
    writeDevStack(dev);
    return { dev, stop };
  } catch (error) {
    await stop();
    throw error;
  }

  function ownUrl(password: string): string {
    return postgresUrl({ port: ports.database, password }, 'clinic');
  }

  function portsToTake(): WantedPort[] {
    return [
      { variable: 'PORT', port: ports.api, use: 'the API' },
      ...(given.databaseUrl ? [] : [{ variable: 'DATABASE_PORT', port: ports.database, use: 'PostgreSQL' }]),
      ...(given.temporalAddress
        ? []
        : [
            { variable: 'TEMPORAL_PORT', port: ports.temporal, use: 'Temporal' },
            { variable: 'TEMPORAL_UI_PORT', port: ports.temporalUi, use: "Temporal's UI" },
          ]),
    ];
  }

  async function startPostgres(password: string): Promise<string> {
    say(`PostgreSQL: starting on port ${ports.database} …`);
    const server = { port: ports.database, password };
    await start(
      await postgres({ ...server, dataDir: postgresFolder, logFile: logFile('postgres'), throwaway: isThrowaway }),
    );
    await ensureDatabase(postgresUrl(server, 'postgres'), 'clinic');
    return ownUrl(password);
  }

  async function startTemporal(publicUrl: string): Promise<string> {
    const binary = await temporalCli(say);
    say(`Temporal: starting on port ${ports.temporal}, its UI on ${ports.temporalUi} …`);
    await start(
      temporal({
        binary,
        port: ports.temporal,
        uiPort: ports.temporalUi,
        codecEndpoint: `${publicUrl}/codec`,
        ...(!isThrowaway && { databaseFile: temporalFile }),
        logFile: logFile('temporal'),
      }),
    );
    return `127.0.0.1:${ports.temporal}`;
  }

  async function usePostgres(databaseUrl: string): Promise<void> {
    say('PostgreSQL: the one that DATABASE_URL names');
    const problem = await whyUnreachable(databaseUrl);
    if (problem) throw new Error(`The database that DATABASE_URL names cannot be used: ${problem}`);
  }

  async function useTemporal(address: string): Promise<void> {
    say('Temporal: the one that TEMPORAL_ADDRESS names');
    const namespace = process.env.TEMPORAL_NAMESPACE ?? 'default';
    const timeout = AbortSignal.timeout(15_000);
    await untilServing(address, timeout, namespace);
    if (timeout.aborted)
      throw new Error(`No Temporal server with a namespace \`${namespace}\` answers at TEMPORAL_ADDRESS=${address}.`);
  }

  async function start(spec: ChildSpec): Promise<void> {
    signal?.throwIfAborted();
    const child = await supervise(spec, {
      say,
      signal,
      onStart: (started) => {
        record.add(started);
        guard.onStart(started);
      },
      onExit: (ended) => {
        record.remove(ended);
        guard.onExit(ended);
      },
    });
    children.push(child);
  }

  /** The processes that use the servers leave before the servers do. */
  async function stop(): Promise<void> {
    const services = children.filter(({ name }) => name === 'api' || name === 'worker');
    const servers = children.filter((child) => !services.includes(child)).toReversed();
    await Promise.all(services.map((child) => child.stop()));
    for (const server of servers) await server.stop();
    guard.release();
    record.release();
  }
}

/** Waits for both, also where one fails: what it started is stopped only once it is known. */
async function together<One, Other>(one: One | Promise<One>, other: Other | Promise<Other>): Promise<[One, Other]> {
  const settled = [Promise.resolve(one), Promise.resolve(other)] as const;
  await Promise.allSettled(settled);
  return Promise.all(settled);
}

import { execFile } from 'node:child_process';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { Client } from 'pg';
import { temporalServer } from './binaries';
import type { ChildSpec } from './child';
import { type DeployedScript, deployedTemporal } from './deployed-temporal';
import { freePort } from './ports';
import { ensureDatabase } from './postgres';

const run = promisify(execFile);

export interface TemporalOnPostgresOptions {
  /** The owner of the PostgreSQL server, which listens on this machine; Temporal gets a role and databases of its own there. */
  postgresUrl: string;
  port: number;
  /** Its own: what the programs need lies there. */
  folder: string;
  /** The Temporal command line. */
  cli: string;
  say: (line: string) => void;
}

/** Of the role that owns Temporal's databases, on servers that last as long as a run of tests. */
const PASSWORD = 'temporal';

/**
 * The Temporal server on PostgreSQL as a child process. Its version, databases, tables, settings and namespace are those of
 * docker-compose.yml; only addresses and the password differ. Its programs come from the cache, or are built with Go.
 */
export async function temporalOnPostgres(options: TemporalOnPostgresOptions): Promise<ChildSpec> {
  const { port, folder, cli, say } = options;
  const { version, serverEnv, dynamicConfig, schema, namespace } = deployedTemporal();
  const programs = await temporalServer(version, say);
  const bin = join(folder, 'bin');
  const dynamicConfigFile = join(folder, 'dynamic-config.yaml');
  await mkdir(bin, { recursive: true });
  await Promise.all([symlink(cli, join(bin, 'temporal')), writeFile(dynamicConfigFile, dynamicConfig)]);
  const path = [bin, programs, process.env.PATH].join(delimiter);
  const { hostname, port: databasePort } = new URL(options.postgresUrl);

  await makeDatabases(options.postgresUrl);
  await runScript(schema, { PATH: path, SQL_HOST: hostname, SQL_PORT: databasePort, SQL_PASSWORD: PASSWORD });
  const address = `127.0.0.1:${port}`;
  return {
    name: 'temporal',
    command: join(programs, 'temporal-server'),
    args: ['start'],
    env: {
      ...serverEnv,
      ...(await ownPorts(port)),
      POSTGRES_SEEDS: hostname,
      DB_PORT: databasePort,
      POSTGRES_PWD: PASSWORD,
      BIND_ON_IP: '127.0.0.1',
      DYNAMIC_CONFIG_FILE_PATH: dynamicConfigFile,
    },
    logFile: join(folder, 'temporal.log'),
    stopSignal: 'SIGTERM',
    stopWithinMs: 15_000,
    ready: (signal) => untilMade(namespace, { PATH: path, TEMPORAL_ADDRESS: address }, signal),
    readyWithinMs: 120_000,
  };
}

/** A database of that server as Temporal's role reaches it. */
export function temporalDatabaseUrl(postgresUrl: string, database: string): string {
  const url = new URL(postgresUrl);
  url.username = 'temporal';
  url.password = PASSWORD;
  url.pathname = database;
  return url.href;
}

/** As the container of PostgreSQL does when its volume is empty, beside a database of the clinic. */
async function makeDatabases(postgresUrl: string): Promise<void> {
  await ensureDatabase(postgresUrl, 'clinic');
  const client = new Client({ connectionString: postgresUrl });
  await client.connect();
  try {
    for (const statement of deployedTemporal().databases)
      await client.query(statement.replace(":'password'", client.escapeLiteral(PASSWORD)));
  } finally {
    await client.end();
  }
}

/** Its four services listen on two ports each, the frontend on one more. */
async function ownPorts(port: number): Promise<Record<string, string>> {
  const names = [
    ...['FRONTEND', 'HISTORY', 'MATCHING', 'WORKER'].map((service) => `${service}_MEMBERSHIP_PORT`),
    ...['HISTORY', 'MATCHING', 'WORKER'].map((service) => `${service}_GRPC_PORT`),
    'FRONTEND_HTTP_PORT',
  ];
  const ports = await Promise.all(names.map(async (name) => [name, String(await freePort())]));
  return { ...Object.fromEntries(ports), FRONTEND_GRPC_PORT: String(port) };
}

/** A server that has just begun to listen may refuse for a while; the container too is started again until it comes to its end. */
async function untilMade(script: DeployedScript, env: Record<string, string>, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    try {
      return await runScript(script, env);
    } catch {
      await sleep(500);
    }
  }
}

/** As the containers do; what `env` names is of this machine. */
export async function runScript({ text, env: deployed }: DeployedScript, env: Record<string, string>): Promise<void> {
  await run('/bin/sh', ['-euc', text], { env: { ...deployed, ...env }, timeout: 60_000 });
}

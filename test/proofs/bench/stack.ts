import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { createDataConverter } from '@clinic/temporal/payload-codec';
import { freePort } from '@clinic/local/ports';
import type { Database } from '@clinic/prisma/client';
import { type DevClinic, seedDemo } from '@clinic/accounts/seed';
import { createStores, type Stores } from '@clinic/prisma/stores';
import { readApiConfig } from '@clinic/shared/config';
import { defaultOutboundEvents } from '@clinic/shared/contracts/events/outbound-events';
import { Client, Connection } from '@temporalio/client';
import { Client as PgClient } from 'pg';
import { Agent, request } from 'undici';
import { z } from 'zod';
import { serviceEnvironment } from '../../support/app';
import { freshDatabase } from '../../support/database';
import { startTestServers, type TemporalKind, testServers } from '../../support/servers';
import { freshNamespace, temporalAddress } from '../../support/temporal';
import { createSteps } from './steps';
import { type Phones, startPhones } from '../faults/phones';

const root = join(__dirname, '../../..');

type Steps = (title: string, times: number, work: () => Promise<unknown>) => Promise<void>;

export interface BenchStack {
  temporalKind: TemporalKind;
  api: string;
  baseline: string;
  clinic: DevClinic;
  /** Where the calls of the clinic are placed, with `callsOutside`: outside of the service, as those of any clinic that is no demo. */
  phones: Phones;
  /** Nothing is ever filled into it. */
  emptyClinic: DevClinic;
  voiceSecret: string;
  /** What the worker counts, as Prometheus text. */
  workerMetrics(): Promise<string>;
  database: Database;
  stores: Stores;
  temporal: Client;
  /** With `--steps`: does the work, and prints what each time of it costs the API, step by step. */
  steps: Steps;
  /** Likewise, what it costs the worker. */
  workerSteps: Steps;
  /** What autovacuum does within a minute; without statistics a young table is searched by whichever index comes first. */
  analyze(): Promise<unknown>;
  written(): Promise<Written>;
  /** Of the service's database, and of Temporal's where PostgreSQL has them. */
  diskBytes(): Promise<{ service: number; temporal: number }>;
  /** How many runs are stored and not yet started. */
  undispatched(): Promise<number>;
  /** Waits until every run is over and every event delivered. */
  settled(): Promise<void>;
  /** Resident memory of the API and the worker, in MB. */
  memory(): { api: number; worker: number };
  /** The worker does nothing until it is resumed. */
  holdWorker(): void;
  resumeWorker(): void;
  post(url: string, body: unknown, headers?: Record<string, string>): Promise<string>;
  get(url: string, headers?: Record<string, string>): Promise<string>;
  stop(): Promise<void>;
}

/** Bytes of PostgreSQL's log, and statements of the service and of Temporal, since the start. */
const Written = z.object({
  walBytes: z.coerce.number(),
  walByTemporal: z.coerce.number(),
  byTemporal: z.coerce.number(),
  byService: z.coerce.number(),
});
type Written = z.infer<typeof Written>;

/** The service as processes of its own, with a bare Express + pg process beside it, on servers of its own. */
export async function startBenchStack(
  temporalKind: TemporalKind,
  { tellsSteps = false, callsOutside = false } = {},
): Promise<BenchStack> {
  const stopServers = await startTestServers((line) => console.log(line), { temporalKind, countsStatements: true });
  const [database, namespace, port, barePort] = await Promise.all([
    freshDatabase(),
    freshNamespace(),
    freePort(),
    freePort(),
  ]);
  const phones = await startPhones();
  const workerPort = await freePort();
  const env = {
    ...serviceEnvironment({ port, databaseUrl: database.url, namespace }),
    ...phones.env,
    WORKER_PORT: String(workerPort),
    LOG_LEVEL: 'error',
  };
  const config = readApiConfig(env);
  const { clinics } = await seedDemo({ database, secretKeys: config.SECRET_KEYS, authSecret: config.AUTH_SECRET });
  const [clinic, emptyClinic] = clinics;
  if (!clinic || !emptyClinic) throw new Error('the demo has two clinics');

  const run = (args: string[], extra: NodeJS.ProcessEnv = {}): ChildProcess =>
    spawn(process.execPath, args, {
      cwd: root,
      env: { ...process.env, ...env, ...extra },
      stdio: ['ignore', 'inherit', 'inherit'],
    });
  const [apiInspector, workerInspector] = [await freePort(), await freePort()];
  const flags = (inspectPort: number) => (tellsSteps ? [`--inspect=127.0.0.1:${inspectPort}`] : []);
  const api = run([...flags(apiInspector), 'dist/api.js']);
  const worker = run([...flags(workerInspector), 'dist/worker.js']);
  const bare = run(['--import', 'tsx', 'test/proofs/bench/baseline.ts'], { PORT: String(barePort) });
  const children = [api, worker, bare];
  const agent = new Agent({ connections: 128, pipelining: 1 });
  await untilReady(`http://127.0.0.1:${port}/readyz`);
  await untilReady(`http://127.0.0.1:${barePort}/readyz`);
  const stores = createStores(database, config.SECRET_KEYS);
  for (const { clinicId } of clinics) {
    const url = `http://127.0.0.1:${barePort}/events`;
    await stores.clinics.setOutboundEndpoint(clinicId, { url, isEnabled: true, events: defaultOutboundEvents });
  }
  if (callsOutside) await stores.clinics.setVoiceProvider(clinic.clinicId, 'vapi');
  const connection = await Connection.connect({ address: temporalAddress() });
  const dataConverter = createDataConverter(config.PAYLOAD_KEYS);

  const send = async (method: 'GET' | 'POST', url: string, headers: Record<string, string>, body?: string) => {
    const { statusCode, body: answer } = await request(url, { method, headers, body, dispatcher: agent });
    const text = await answer.text();
    if (statusCode >= 400) throw new Error(`${statusCode} ${text.slice(0, 200)}`);
    return text;
  };

  const counter = new PgClient({ connectionString: testServers().postgresUrl });
  await counter.connect();
  await counter.query('create extension pg_stat_statements');
  // It keeps 5,000 kinds of statements, and the migrations are many.
  await counter.query('select pg_stat_statements_reset()');

  const written = async (): Promise<Written> => {
    const { rows } = await counter.query(`
        select pg_current_wal_lsn() - '0/0' as "walBytes",
          coalesce(sum(wal_bytes) filter (where datname like 'temporal%'), 0) as "walByTemporal",
          coalesce(sum(calls) filter (where datname like 'temporal%'), 0) as "byTemporal",
          coalesce(sum(calls) filter (where datname not like 'temporal%'), 0) as "byService"
        from pg_stat_statements join pg_database on pg_database.oid = dbid where datname <> current_database()`);
    return Written.parse(rows[0]);
  };

  const stepsOf = (name: 'api' | 'worker', inspectPort: number): Steps =>
    tellsSteps ? createSteps(name, inspectPort, async () => (await written()).byService) : () => Promise.resolve();

  return {
    temporalKind,
    api: `http://127.0.0.1:${port}/api`,
    baseline: `http://127.0.0.1:${barePort}`,
    voiceSecret: config.VOICE_WEBHOOK_SECRET,
    workerMetrics: () => send('GET', `http://127.0.0.1:${workerPort}/metrics`, {}),
    phones,
    clinic,
    emptyClinic,
    database,
    stores,
    temporal: new Client({ connection, namespace, dataConverter }),
    written,
    async diskBytes() {
      const [row] = await database.sql<{ service: number; temporal: number }>`
        select coalesce(pg_database_size(current_database()), 0)::float8 as service,
          coalesce(sum(pg_database_size(oid)) filter (where datname like 'temporal%'), 0)::float8 as temporal
        from pg_database`;
      if (!row) throw new Error('PostgreSQL did not say how large its databases are');
      return row;
    },
    async undispatched() {
      const [row] = await database.sql<{ left: number }>`
        select count(*)::int as left from workflow_runs where dispatched_at is null`;
      return row?.left ?? 0;
    },
    async settled() {
      for (;;) {
        const [row] = await database.sql<{ open: number }>`
          select (select count(*) from workflow_runs where dispatched_at is null or status = 'started')::int
            + (select count(*) from deliveries where state = 'PENDING')::int as open`;
        if (row?.open === 0) return;
        await delay(250);
      }
    },
    steps: stepsOf('api', apiInspector),
    workerSteps: stepsOf('worker', workerInspector),
    analyze: () => database.sql`analyze`,
    memory: () => ({ api: residentMb(api), worker: residentMb(worker) }),
    holdWorker: () => void worker.kill('SIGSTOP'),
    resumeWorker: () => void worker.kill('SIGCONT'),
    post: (url, body, headers = {}) =>
      send('POST', url, { 'content-type': 'application/json', ...headers }, JSON.stringify(body)),
    get: (url, headers = {}) => send('GET', url, headers),
    async stop() {
      await Promise.all([agent.close(), connection.close(), counter.end(), phones.close()]);
      for (const child of children) child.kill('SIGTERM');
      for (const child of children) {
        if (child.exitCode === null && child.signalCode === null)
          await new Promise((resolve) => child.once('exit', resolve));
      }
      await database.close();
      await stopServers();
    },
  };
}

async function untilReady(url: string): Promise<void> {
  for (let tries = 0; tries < 300; tries += 1) {
    const isReady = await request(url).then(
      async ({ statusCode, body }) => {
        await body.dump();
        return statusCode === 200;
      },
      () => false,
    );
    if (isReady) return;
    await delay(100);
  }
  throw new Error(`${url} did not get ready in 30 s`);
}

function residentMb({ pid }: ChildProcess): number {
  return Number(execFileSync('ps', ['-o', 'rss=', '-p', String(pid)]).toString()) / 1_024;
}

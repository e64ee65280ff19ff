import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { createDataConverter } from '@clinic/temporal/payload-codec';
import { freePort } from '@clinic/local/ports';
import type { Database } from '@clinic/prisma/client';
import { type DevClinic, seedDemo } from '@clinic/prisma/seed';
import { createStores, type Stores } from '@clinic/prisma/stores';
import { readApiConfig } from '@clinic/shared/config';
import { defaultOutboundEvents } from '@clinic/shared/contracts/outbound-events';
import { Client, Connection } from '@temporalio/client';
import { Agent, request } from 'undici';
import { serviceEnvironment } from '../support/app';
import { freshDatabase } from '../support/database';
import { startTestServers } from '../support/servers';
import { freshNamespace, temporalAddress } from '../support/temporal';

const root = join(__dirname, '..', '..');

export interface BenchStack {
  api: string;
  baseline: string;
  clinic: DevClinic;
  voiceSecret: string;
  database: Database;
  stores: Stores;
  temporal: Client;
  /** What autovacuum does within a minute; without statistics a young table is searched by whichever index comes first. */
  analyze(): Promise<unknown>;
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

/** The service as processes of its own, with a bare Express + pg process beside it, on servers of its own. */
export async function startBenchStack(): Promise<BenchStack> {
  const stopServers = await startTestServers((line) => console.log(line));
  const [database, namespace, port, barePort] = await Promise.all([
    freshDatabase(),
    freshNamespace(),
    freePort(),
    freePort(),
  ]);
  const env = { ...serviceEnvironment({ port, databaseUrl: database.url, namespace }), LOG_LEVEL: 'error' };
  const config = readApiConfig(env);
  const { clinics } = await seedDemo({ database, secretKeys: config.SECRET_KEYS, authSecret: config.AUTH_SECRET });
  const [clinic] = clinics;
  if (!clinic) throw new Error('the demo has clinics');

  const run = (args: string[], extra: NodeJS.ProcessEnv = {}): ChildProcess =>
    spawn(process.execPath, args, {
      cwd: root,
      env: { ...process.env, ...env, ...extra },
      stdio: ['ignore', 'inherit', 'inherit'],
    });
  const [api, worker] = [run(['dist/api.js']), run(['dist/worker.js'])];
  const bare = run(['--import', 'tsx', 'test/bench/baseline.ts'], { PORT: String(barePort) });
  const children = [api, worker, bare];
  const agent = new Agent({ connections: 128, pipelining: 1 });
  await untilReady(`http://127.0.0.1:${port}/readyz`);
  await untilReady(`http://127.0.0.1:${barePort}/readyz`);
  const stores = createStores(database, config.SECRET_KEYS);
  for (const { clinicId } of clinics) {
    const url = `http://127.0.0.1:${barePort}/events`;
    await stores.clinics.setOutboundEndpoint(clinicId, { url, isEnabled: true, events: defaultOutboundEvents });
  }
  const connection = await Connection.connect({ address: temporalAddress() });
  const dataConverter = createDataConverter(config.PAYLOAD_KEYS);

  const send = async (method: 'GET' | 'POST', url: string, headers: Record<string, string>, body?: string) => {
    const { statusCode, body: answer } = await request(url, { method, headers, body, dispatcher: agent });
    const text = await answer.text();
    if (statusCode >= 400) throw new Error(`${statusCode} ${text.slice(0, 200)}`);
    return text;
  };

  return {
    api: `http://127.0.0.1:${port}/api`,
    baseline: `http://127.0.0.1:${barePort}`,
    voiceSecret: config.VOICE_WEBHOOK_SECRET,
    clinic,
    database,
    stores,
    temporal: new Client({ connection, namespace, dataConverter }),
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
    analyze: () => database.sql`analyze`,
    memory: () => ({ api: residentMb(api), worker: residentMb(worker) }),
    holdWorker: () => void worker.kill('SIGSTOP'),
    resumeWorker: () => void worker.kill('SIGCONT'),
    post: (url, body, headers = {}) =>
      send('POST', url, { 'content-type': 'application/json', ...headers }, JSON.stringify(body)),
    get: (url, headers = {}) => send('GET', url, headers),
    async stop() {
      await agent.close();
      await connection.close();
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

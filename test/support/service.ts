import { type ChildProcess, spawn } from 'node:child_process';
import { resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { startGuard } from '@clinic/local/guard';
import { freePort } from '@clinic/local/ports';
import type { Database } from '@clinic/prisma/client';
import { createClinic, type DevClinic, seedDemo } from '@clinic/accounts/seed';
import { createStores, type Stores } from '@clinic/prisma/stores';
import { readApiConfig } from '@clinic/shared/config';
import { serviceEnvironment } from './app';
import { type ClinicClient, createClinicClient } from './clinic-client';
import { freshDatabase } from './database';
import { eventually } from './eventually';
import { deleteSchedule, freshNamespace, temporalAddress } from './temporal';

const root = resolve(__dirname, '../..');

/** The processes as they run in production. */
export interface Service extends ClinicClient {
  baseUrl: string;
  env: NodeJS.ProcessEnv;
  clinic: DevClinic;
  otherClinic: DevClinic;
  database: Database;
  stores: Stores;
  namespace: string;
  api: ServiceProcess;
  /** The first of the workers. */
  worker: ServiceProcess;
  workers: ServiceProcess[];
  /** One more clinic, as the demo's: always open, nothing waits. Its calls go through Vapi. */
  addClinic(name: string): Promise<DevClinic>;
  stop(): Promise<void>;
}

export interface ServiceProcess {
  /** Every line it has written, to both streams, over all its lives. */
  lines: string[];
  isUp(): boolean;
  /** Resolves once it does its work. */
  start(): Promise<void>;
  /** SIGKILL: it has no chance to finish anything. Throws where it was not up. */
  kill(): Promise<void>;
  stop(): Promise<void>;
}

/** API and workers as processes of their own, over a database of their own with the demo clinics. */
export async function startService({
  env: given = {},
  hide = (env) => env,
  workers: workerCount = 1,
  temporal,
}: {
  env?: NodeJS.ProcessEnv;
  /** Puts what its processes are given elsewhere. */
  hide?: (env: NodeJS.ProcessEnv) => NodeJS.ProcessEnv;
  workers?: number;
  /** A Temporal server of the test's own; otherwise the one of the test run, with a fresh namespace. */
  temporal?: string;
} = {}): Promise<Service> {
  const [database, port] = await Promise.all([freshDatabase(), freePort()]);
  const namespace = temporal ? 'default' : await freshNamespace();
  const env = hide({
    ...serviceEnvironment({ port, databaseUrl: database.url, namespace, temporal: temporal ?? temporalAddress() }),
    LOG_LEVEL: 'info',
    ...given,
  });
  const { SECRET_KEYS: secretKeys, AUTH_SECRET: authSecret, VOICE_WEBHOOK_SECRET: voiceSecret } = readApiConfig(env);
  const seeding = { database, secretKeys, authSecret };
  const { clinics } = await seedDemo(seeding);
  const [clinic, otherClinic] = clinics;
  if (!clinic || !otherClinic) throw new Error('the demo has two clinics');

  const origin = `http://127.0.0.1:${port}`;
  const guard = startGuard();
  const answers = () =>
    fetch(`${origin}/healthz`).then(
      ({ ok }) => ok,
      () => false,
    );
  const api = aProcess({ name: 'api', env, isReady: answers, guard });
  const isWorking = (lines: string[]) => lines.some((line) => line.includes('worker started'));
  const worker = aProcess({ name: 'worker', env, isReady: isWorking, guard });
  const others = Array.from({ length: workerCount - 1 }, () =>
    aProcess({ name: 'worker', env, isReady: isWorking, guard }),
  );
  const workers = [worker, ...others];
  await Promise.all([api, ...workers].map((each) => each.start()));
  const baseUrl = `${origin}/api`;
  return {
    ...createClinicClient({ baseUrl, voiceSecret, clinic }),
    baseUrl,
    env,
    clinic,
    otherClinic,
    database,
    namespace,
    api,
    worker,
    workers,
    addClinic: (name) => createClinic(seeding, { name, timezone: 'America/Denver', demo: true, voiceProvider: 'vapi' }),
    stores: createStores(database, secretKeys),
    async stop() {
      await Promise.all([api, ...workers].map((each) => each.stop()));
      if (!temporal) await deleteSchedule(namespace);
      await database.close();
      guard.release();
    },
  };
}

/** A process of the service; nothing runs before `start`. */
export function aProcess({
  name,
  env,
  isReady,
  guard,
}: {
  name: 'api' | 'worker';
  env: NodeJS.ProcessEnv;
  isReady: (linesOfThisLife: string[]) => boolean | Promise<boolean>;
  guard: ReturnType<typeof startGuard>;
}): ServiceProcess {
  const lines: string[] = [];
  let child: ChildProcess | null = null;
  let exited: Promise<unknown> = Promise.resolve();
  const isUp = () => child !== null && child.exitCode === null && child.signalCode === null;

  const end = async (signal: 'SIGKILL' | 'SIGTERM') => {
    child?.kill(signal);
    await exited;
  };
  return {
    lines,
    isUp,
    async start() {
      const born = lines.length;
      const { PATH, HOME } = process.env;
      const started = spawn(process.execPath, [`dist/${name}.js`], {
        cwd: root,
        env: { PATH, HOME, ...env },
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      child = started;
      const { pid } = started;
      if (pid === undefined) throw new Error(`the ${name} did not start`);
      guard.onStart({ name, pid, stopSignal: 'SIGTERM' });
      exited = new Promise((done) => {
        started.once('exit', (code, signal) => {
          guard.onExit({ name, pid, stopSignal: 'SIGTERM' });
          done(signal ?? code);
        });
      });
      for (const stream of [started.stdout, started.stderr]) {
        createInterface({ input: stream }).on('line', (line) => lines.push(line));
      }
      await eventually(
        () => {
          if (!isUp()) throw new Error(`the ${name} ended before it was ready:\n${lines.slice(born).join('\n')}`);
          return isReady(lines.slice(born));
        },
        { within: 60_000 },
      );
    },
    async kill() {
      if (!isUp()) throw new Error(`the ${name} was not up`);
      await end('SIGKILL');
    },
    async stop() {
      if (isUp()) await end('SIGTERM');
    },
  };
}

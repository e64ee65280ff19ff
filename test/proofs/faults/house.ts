import { randomBytes } from 'node:crypto';
import { execFile } from 'node:child_process';
import { chmod, mkdir, mkdtemp, realpath, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { temporalCli } from '@clinic/local/binaries';
import { buildService } from '@clinic/local/build';
import type { ChildSpec } from '@clinic/local/child';
import { startGuard } from '@clinic/local/guard';
import { freePort } from '@clinic/local/ports';
import { ensureDatabase, postgres, postgresUrl } from '@clinic/local/postgres';
import { temporal } from '@clinic/local/temporal';
import { writeWorkflowBundle } from '@clinic/worker/workflow-bundle';
import { Client, Connection } from '@temporalio/client';
import type { PayloadCodec } from '@temporalio/common';
import { z } from 'zod';
import type { UnrecordedRun } from '@clinic/commands/unrecorded-runs';
import { backUp, restore } from './backup';
import type { Execution, OwnEnding } from './evidence';
import { ask, isOk } from './http';
import { createTarget, type Target } from './processes';
import { type Phones, startPhones } from './phones';
import { openRecords, type Records } from './records';
import { type Sink, startSink } from './sink';
import { startTcpProxy, type TcpProxy } from './tcp-proxy';

const root = resolve(__dirname, '../../..');
const run = promisify(execFile);

/** What the suite needs to know of a clinic; `clinic create` prints it. */
const Clinic = z.object({
  clinicId: z.string(),
  email: z.string(),
  password: z.string(),
  apiKey: z.string(),
  inboundSecrets: z.record(z.string(), z.string()),
  outboundSigningSecret: z.string(),
  providers: z.array(z.string()),
});
export type Clinic = z.infer<typeof Clinic> & { token: string };

export type ServiceProcess = 'api-1' | 'api-2' | 'worker-1' | 'worker-2';
export type Edge = `${ServiceProcess}>postgres` | `${ServiceProcess}>temporal` | 'workers>receivers' | 'clients>apis';

/** A clinic to be made. */
interface ClinicPlan {
  name: string;
  timezone: string;
}

const usualClinics: ClinicPlan[] = [
  { name: 'Cedar Family Health', timezone: 'America/Denver' },
  { name: 'Harbour Clinic', timezone: 'Europe/London' },
];

/** What a process is started from: a folder in which the service is built, and the file of its workflows. */
export interface Release {
  name: string;
  folder: string;
  bundle: string;
}

export interface HouseOptions {
  clinics?: ClinicPlan[];
  /** Calls go to a voice platform outside of the service, not to the simulator, whose calls are Temporal's. */
  hasPhones?: boolean;
}

/** The whole service as its operators run it: every part a process of its own, with a proxy between each two. */
export interface House {
  folder: string;
  /** Where clients and the voice platform reach it, through the balancer; ends in /api. */
  baseUrl: string;
  /** Each API's own origin, past the balancer. */
  origins: string[];
  clinics: Clinic[];
  apis: Target[];
  workers: Target[];
  postgres: Target;
  temporal: Target;
  proxies: ReadonlyMap<Edge, TcpProxy>;
  sink: Sink;
  records: Records;
  /** Null where the simulator plays the calls. */
  phones: Phones | null;
  ownEndings: OwnEnding[];
  /** What Temporal knows of the workflows that began since then. */
  executions(since: Date): Promise<Execution[]>;
  /** Deletes Temporal's store. It must not be running. */
  eraseTemporal(): Promise<void>;
  /** Copies PostgreSQL's data while it works. */
  backUpPostgres(): Promise<void>;
  /** Puts the backup in place of PostgreSQL's data. It must not be running. */
  restorePostgres(): Promise<void>;
  /** What the operator's command says: runs that were accepted since then and are not in the records. */
  unrecordedRuns(since: Date): Promise<UnrecordedRun[]>;
  areApisReady(): Promise<boolean>;
  /** A process is of this release from its next start; null for the present one. Returns whether it was of another. */
  setRelease(target: Target, release: Release | null): boolean;
  /** Puts a new key in front of those that encrypt Temporal's payloads; processes have it from their next start. */
  addPayloadKey(): void;
  stop(options: { keepFolder: boolean }): Promise<void>;
}

export async function startHouse({
  random,
  say,
  clinics: plans = usualClinics,
  hasPhones = false,
}: HouseOptions & {
  random: () => number;
  say: (line: string) => void;
}): Promise<House> {
  const folder = await mkdtemp(join(tmpdir(), 'clinic-faults-'));
  // Where we are root, PostgreSQL runs as another account.
  await chmod(folder, 0o755);
  const logs = join(folder, 'logs');
  await mkdir(logs);
  const guard = startGuard();
  const dataDir = join(folder, 'postgres');
  guard.folder(dataDir);
  const backupFolder = join(folder, 'backup');
  const targets: Target[] = [];
  const proxies = new Map<Edge, TcpProxy>();
  const ownEndings: OwnEnding[] = [];
  const payloadKeys = [`p1:${randomBytes(32).toString('base64')}`];
  const cleanUps: (() => unknown)[] = [];
  const stop = async ({ keepFolder }: { keepFolder: boolean }) => {
    for (const target of targets.toReversed()) {
      target.thaw();
      await target.kill();
    }
    for (const cleanUp of cleanUps.toReversed()) await cleanUp();
    for (const proxy of proxies.values()) await proxy.close();
    // The stores are kept too, and Temporal's cannot be read without them.
    if (keepFolder) await writeFile(join(folder, 'payload-keys'), payloadKeys.join(','), { mode: 0o600 });
    const data = await realpath(dataDir).catch(() => dataDir);
    if (keepFolder) await rename(data, join(folder, 'postgres-data')).catch(() => undefined);
    else for (const path of [data, folder]) await rm(path, { recursive: true, force: true, maxRetries: 5 });
    guard.release();
  };
  const watched = { guard, onOwnEnding: (ending: OwnEnding) => void ownEndings.push(ending) };
  const add = (target: Target): Target => {
    targets.push(target);
    return target;
  };

  try {
    const [pgPort, temporalPort, ...apiPorts] = await distinctPorts(4);
    const password = 'faults';
    const pgSpec = await postgres({ port: pgPort!, password, dataDir, logFile: join(logs, 'postgres.log') });
    const pg = add(createTarget({ ...pgSpec, ready: (signal) => pgSpec.ready(signal) }, watched));
    const databaseFile = join(folder, 'temporal.db');
    const temporalSpec = asOperatorsStartIt(
      temporal({
        binary: await temporalCli(() => undefined),
        port: temporalPort!,
        databaseFile,
        logFile: join(logs, 'temporal.log'),
      }),
    );
    const engine = add(createTarget({ ...temporalSpec, ready: (signal) => temporalSpec.ready(signal) }, watched));
    await Promise.all([pg.start(), engine.start()]);
    const databaseUrl = (port: number) => postgresUrl({ port, password }, 'clinic');
    await ensureDatabase(postgresUrl({ port: pgPort!, password }, 'postgres'), 'clinic');

    const sink = await startSink(folder);
    cleanUps.push(() => sink.close());
    const proxy = async (edge: Edge, port: number) => {
      proxies.set(edge, await startTcpProxy({ upstream: () => ({ port }), random }));
      return proxies.get(edge)!.port;
    };
    const receiverPort = await proxy('workers>receivers', sink.port);
    const balancer = startBalancer(apiPorts);
    cleanUps.push(() => balancer.stop());
    proxies.set('clients>apis', await startTcpProxy({ upstream: balancer.next, random }));
    const publicUrl = `http://127.0.0.1:${proxies.get('clients>apis')!.port}`;

    const phones = hasPhones ? await startPhones() : null;
    cleanUps.push(() => phones?.close());

    const { WORKFLOW_BUNDLE: workflowBundle = join(folder, 'workflows.js') } = process.env;
    const bundled = process.env.WORKFLOW_BUNDLE ? undefined : writeWorkflowBundle(workflowBundle);
    await Promise.all([buildService(), bundled]);
    const common = { ...environment({ publicUrl }), ...phones?.env, WORKFLOW_BUNDLE: workflowBundle };
    const direct = { ...common, DATABASE_URL: databaseUrl(pgPort!), TEMPORAL_ADDRESS: `127.0.0.1:${temporalPort}` };
    await run(process.execPath, ['dist/command.js', 'migrate'], { cwd: root, env: direct });
    const makeClinic = async ({ name, timezone }: ClinicPlan) => {
      const args = ['dist/command.js', 'clinic', 'create', '--name', name, '--timezone', timezone];
      const voice = ['--voice', hasPhones ? 'vapi' : 'simulator'];
      const { stdout } = await run(process.execPath, [...args, ...voice, '--demo'], { cwd: root, env: direct });
      return Clinic.parse(JSON.parse(stdout));
    };
    const making = Promise.all(plans.map(makeClinic));

    const processes = new Map<ServiceProcess, Target>();
    const releases = new Map<string, Release>();
    for (const name of ['api-1', 'api-2', 'worker-1', 'worker-2'] as const) {
      const isApi = name.startsWith('api');
      const port = apiPorts[name === 'api-1' ? 0 : 1]!;
      const env = {
        ...common,
        PORT: String(port),
        DATABASE_URL: databaseUrl(await proxy(`${name}>postgres`, pgPort!)),
        TEMPORAL_ADDRESS: `127.0.0.1:${await proxy(`${name}>temporal`, temporalPort!)}`,
      };
      const target = createTarget(
        {
          name,
          command: process.execPath,
          args: [isApi ? 'dist/api.js' : 'dist/worker.js'],
          // The release and the keys may change between two starts.
          get cwd() {
            return releases.get(name)?.folder ?? root;
          },
          get env() {
            const bundle = releases.get(name)?.bundle ?? workflowBundle;
            return { ...env, PAYLOAD_KEYS: payloadKeys.join(','), WORKFLOW_BUNDLE: bundle };
          },
          logFile: join(logs, `${name}.log`),
          readyWithinMs: 90_000,
          ready: isApi ? untilHealthy(port) : untilSaid('worker started'),
        },
        watched,
      );
      processes.set(name, add(target));
    }
    const pick = (...names: ServiceProcess[]) => names.map((name) => processes.get(name)!);
    const apis = pick('api-1', 'api-2');
    const workers = pick('worker-1', 'worker-2');
    const made = await making;
    await Promise.all([...apis, ...workers].map((target) => target.start()));
    const records = openRecords(databaseUrl(pgPort!));
    cleanUps.push(() => records.close());

    const baseUrl = `${publicUrl}/api`;
    await balancer.settled();
    const clinics = await Promise.all(
      made.map(async (clinic) => {
        sink.secrets(clinic.clinicId, [clinic.outboundSigningSecret]);
        const url = `http://127.0.0.1:${receiverPort}${sink.urlPath(clinic.clinicId)}`;
        return openClinic(baseUrl, clinic, url);
      }),
    );
    say(`The house is up; its ledgers and logs: ${folder}`);
    return {
      folder,
      baseUrl,
      origins: apiPorts.map((port) => `http://127.0.0.1:${port}`),
      clinics,
      apis,
      workers,
      postgres: pg,
      temporal: engine,
      proxies,
      sink,
      records,
      phones,
      ownEndings,
      executions: (since) => listExecutions(`127.0.0.1:${temporalPort}`, since),
      async eraseTemporal() {
        for (const suffix of ['', '-wal', '-shm']) await rm(`${databaseFile}${suffix}`, { force: true });
      },
      async backUpPostgres() {
        const url = postgresUrl({ port: pgPort!, password }, 'postgres');
        await backUp({ url, dataDir: await realpath(dataDir), to: backupFolder });
      },
      restorePostgres: async () => restore({ from: backupFolder, dataDir: await realpath(dataDir) }),
      async unrecordedRuns(since) {
        const args = ['dist/command.js', 'unrecorded', since.toISOString()];
        const env = { ...direct, PAYLOAD_KEYS: payloadKeys.join(',') };
        const { stdout } = await run(process.execPath, args, { cwd: root, env, maxBuffer: 64 * 1024 * 1024 });
        const lines = stdout.split('\n').filter((line) => line !== '');
        return lines.map((line) => JSON.parse(line) as UnrecordedRun);
      },
      areApisReady: async () =>
        (await Promise.all(apiPorts.map((port) => isOk(`http://127.0.0.1:${port}/readyz`)))).every(Boolean),
      setRelease({ name }, release) {
        const isChanged = (releases.get(name) ?? null) !== release;
        if (release) releases.set(name, release);
        else releases.delete(name);
        return isChanged;
      },
      addPayloadKey: () => void payloadKeys.unshift(`p${payloadKeys.length + 1}:${randomBytes(32).toString('base64')}`),
      stop,
    };
  } catch (error) {
    await stop({ keepFolder: true });
    throw error;
  }
}

/** Without the search attributes that the local stack's server is started with: the service registers its own. */
function asOperatorsStartIt(server: ChildSpec): ChildSpec {
  const isOne = (argument: string | undefined) => argument === '--search-attribute';
  return { ...server, args: server.args.filter((argument, at, all) => !isOne(argument) && !isOne(all[at - 1])) };
}

/** docs/operate.md lists the variables. */
function environment({ publicUrl }: { publicUrl: string }): NodeJS.ProcessEnv {
  const secret = () => randomBytes(32).toString('base64');
  const { PATH, HOME } = process.env;
  return {
    PATH,
    HOME,
    NODE_ENV: 'development',
    LOG_LEVEL: 'info',
    HOST: '127.0.0.1',
    PUBLIC_URL: publicUrl,
    DATABASE_POOL_SIZE: '8',
    TEMPORAL_NAMESPACE: 'default',
    PAYLOAD_KEYS: `p1:${secret()}`,
    SECRET_KEYS: `s1:${secret()}`,
    VOICE_WEBHOOK_SECRET: secret(),
    AUTH_SECRET: secret(),
    LOCAL_STACK: '1',
    ALLOW_PRIVATE_TARGETS: '1',
    SIMULATOR_PAUSE_MS: '100',
    // The balancer looks every tenth of a second, and gives an answer one second.
    SHUTDOWN_DRAIN_MS: '1500',
    RATE_LIMIT_PER_SECOND: '100000',
    RATE_LIMIT_BURST: '100000',
    SIGN_INS_PER_MINUTE: '1000',
  };
}

const untilHealthy = (port: number) => async (signal: AbortSignal) => {
  while (!signal.aborted && !(await isOk(`http://127.0.0.1:${port}/healthz`))) await delay(50);
};

const untilSaid = (words: string) => async (signal: AbortSignal, lines: string[]) => {
  while (!signal.aborted && !lines.some((line) => line.includes(words))) await delay(50);
};

async function distinctPorts(count: number): Promise<number[]> {
  const ports = new Set<number>();
  while (ports.size < count) ports.add(await freePort());
  return [...ports];
}

const LOOK_EVERY_MS = 100;

/**
 * Balances as a service of Kubernetes does: it looks at each API's readiness now and then, sends new connections to the
 * ready ones in turn, and to all of them where none is ready. A connection that is refused is the client's matter.
 */
function startBalancer(ports: number[]) {
  let ready: number[] = [];
  let turn = 0;
  let isStopped = false;
  let looked: Promise<void>;
  const look = async () => {
    const answers = await Promise.all(ports.map((port) => isOk(`http://127.0.0.1:${port}/readyz`, 1_000)));
    ready = ports.filter((_port, index) => answers[index]);
  };
  const watch = async () => {
    while (!isStopped) {
      looked = look();
      await looked;
      await delay(LOOK_EVERY_MS);
    }
  };
  void watch();
  return {
    next() {
      const among = ready.length > 0 ? ready : ports;
      turn += 1;
      return { port: among[turn % among.length]! };
    },
    async settled() {
      while (ready.length < ports.length) await delay(LOOK_EVERY_MS);
    },
    stop() {
      isStopped = true;
      return looked;
    },
  };
}

const timeoutMs = 30_000;

/** The token of an administrator's new session, which has proved who they are. */
export async function signIn(
  baseUrl: string,
  { email, password }: Pick<Clinic, 'email' | 'password'>,
): Promise<string> {
  const signedIn = await ask({
    method: 'POST',
    url: `${baseUrl}/auth/sign-in/email`,
    body: { email, password },
    timeoutMs,
  });
  return z.object({ token: z.string() }).parse(JSON.parse(signedIn.text)).token;
}

/** Signs in, turns the sandbox on and says where events go. */
async function openClinic(baseUrl: string, clinic: z.infer<typeof Clinic>, url: string): Promise<Clinic> {
  const token = await signIn(baseUrl, clinic);
  const put = async (path: string, body: unknown) => {
    const headers = { authorization: `Bearer ${token}` };
    const { status, text } = await ask({ method: 'PUT', url: `${baseUrl}${path}`, headers, body, timeoutMs });
    if (status !== 200) throw new Error(`PUT ${path}: ${status} ${text}`);
  };
  await put('/abandonment-recovery/sandbox-emr/config', { enabled: true });
  await put('/integrations/outbound', {
    url,
    enabled: true,
    events: ['recovery_case.created', 'recovery_case.outcome', 'workflow.completed'],
  });
  return { ...clinic, token };
}

/** What workflows keep is encrypted, and nobody asks for it here. */
const unread: PayloadCodec = {
  encode: async (payloads) => payloads,
  decode: async (payloads) => payloads.map(() => ({ metadata: { encoding: Buffer.from('binary/null') } })),
};

async function listExecutions(address: string, since: Date): Promise<Execution[]> {
  const connection = await Connection.connect({ address, connectTimeout: '20s' });
  try {
    const client = new Client({ connection, dataConverter: { payloadCodecs: [unread] } });
    const executions: (Execution & { runId: string })[] = [];
    const query = `StartTime >= "${since.toISOString()}"`;
    for await (const { workflowId, runId, type, status } of client.workflow.list({ query })) {
      executions.push({ workflowId, runId, type, status: status.name });
    }
    const known = new Set<string>();
    const begunAnew = new Set<string>();
    for (const { workflowId } of executions.toReversed()) {
      if (known.has(workflowId)) {
        const { raw } = await client.workflow.getHandle(workflowId).describe();
        begunAnew.add(raw.workflowExecutionInfo?.firstRunId ?? '');
      }
      known.add(workflowId);
    }
    // A workflow that began again is one: Temporal terminates the execution that it goes on for.
    return executions
      .filter(({ runId, status }) => !(status === 'TERMINATED' && begunAnew.has(runId)))
      .map(({ workflowId, type, status }) => ({ workflowId, type, status }));
  } finally {
    await connection.close();
  }
}

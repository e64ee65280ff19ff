import { execFile } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { DevClinic, MadeClinic } from '@clinic/accounts/seed';
import { startGuard } from '@clinic/local/guard';
import { freePort } from '@clinic/local/ports';
import { serviceEnvironment } from './app';
import { type ClinicClient, createClinicClient } from './clinic-client';
import { emptyDatabase } from './database';
import { aProcess, type ServiceProcess } from './service';

const run = promisify(execFile);
const root = join(__dirname, '..', '..');
const guide = readFileSync(join(root, 'docs', 'go-live.md'), 'utf8');
const blocks = (language: string) =>
  [...guide.matchAll(new RegExp(`\\n\`\`\`${language}\\n(.*?)\`\`\``, 'gs'))].map(([, text = '']) => text);

/** The clinic's file, as the page shows it. */
export const [clinicFile = ''] = blocks('yaml');

/** A clinic that went live by the page. */
export interface LiveDeployment extends ClinicClient {
  made: MadeClinic;
  /** What the commands that make and check the settings printed. */
  said: string;
  /** What they wrote besides. */
  warned: string;
  /** What the API and the worker have written. */
  lines(): string[];
  stop(): Promise<void>;
}

/**
 * Does what docs/go-live.md says, with its own blocks, from an empty database and Temporal: the processes and commands of production,
 * in production.
 */
export async function goLive({
  file,
  env: given,
  privateTarget,
}: {
  /** What clinic.yaml holds. */
  file: string;
  /** What the page has the operator set, and how others are reached. */
  env: NodeJS.ProcessEnv;
  /** A server in the clinic's own network that the operator lists. */
  privateTarget?: { host: string; ca: string };
}): Promise<LiveDeployment> {
  const folder = mkdtempSync(join(tmpdir(), 'go-live-'));
  for (const name of ['dist', 'gateways', 'prisma', 'temporal']) symlinkSync(join(root, name), join(folder, name));
  const [databaseUrl, port] = await Promise.all([emptyDatabase(), freePort()]);
  const env: NodeJS.ProcessEnv = {
    ...serviceEnvironment({ port, databaseUrl, namespace: `go-live-${randomUUID()}` }),
    ...production(),
    DATABASE_OWNER_URL: databaseUrl,
    ...given,
  };
  const shell = (script: string) =>
    run('bash', ['--norc', '-euo', 'pipefail', '-c', script], {
      cwd: folder,
      env: { PATH: `${join(process.execPath, '..')}:${process.env.PATH}`, HOME: process.env.HOME, ...env },
    });
  const written = (name: string) => JSON.parse(readFileSync(join(folder, name), 'utf8'));
  const [first = '', second = ''] = blocks('sh');

  await shell(first);
  const made: MadeClinic = written('made.json');
  const { clinicId } = made;
  env.CLINIC = clinicId;
  if (privateTarget) env.PRIVATE_TARGETS = JSON.stringify([{ clinic: clinicId, ...privateTarget }]);
  writeFileSync(join(folder, 'clinic.yaml'), file);
  const { stdout: said, stderr: warned } = await shell(second);

  const { shownOnce: voiceSecret } = written('voice-secret.json');
  rmSync(folder, { recursive: true });
  const { api, worker, stop } = await startProcesses(env, `http://127.0.0.1:${port}/readyz`);
  const clinic = { ...made, staff: made } as unknown as DevClinic;
  return {
    ...createClinicClient({ baseUrl: `http://127.0.0.1:${port}/api`, voiceSecret, clinic }),
    made,
    said,
    warned,
    lines: () => [api, worker].flatMap(({ lines }) => lines),
    stop,
  };
}

/** What makes it production: nothing that eases, and secrets as `openssl rand -hex 32` makes them. */
const production = (): NodeJS.ProcessEnv => ({
  NODE_ENV: 'production',
  LOCAL_STACK: '0',
  ALLOW_PRIVATE_TARGETS: '0',
  PUBLIC_URL: 'https://service.example',
  AUTH_SECRET: randomBytes(32).toString('hex'),
  VOICE_WEBHOOK_SECRET: randomBytes(32).toString('hex'),
  LOG_LEVEL: 'info',
  // No load balancer has to see that it stops.
  SHUTDOWN_DRAIN_MS: '0',
});

async function startProcesses(
  env: NodeJS.ProcessEnv,
  readyUrl: string,
): Promise<{ api: ServiceProcess; worker: ServiceProcess; stop(): Promise<void> }> {
  const guard = startGuard();
  const isUp = () =>
    fetch(readyUrl).then(
      ({ ok }) => ok,
      () => false,
    );
  const isWorking = (lines: string[]) => lines.some((line) => line.includes('worker started'));
  const api = aProcess({ name: 'api', env, isReady: isUp, guard });
  const worker = aProcess({ name: 'worker', env, isReady: isWorking, guard });
  const stop = async () => {
    await Promise.all([api.stop(), worker.stop()]);
    guard.release();
  };
  try {
    await Promise.all([api.start(), worker.start()]);
  } catch (error) {
    await stop();
    throw error;
  }
  return { api, worker, stop };
}

import { spawn, type ChildProcess } from 'node:child_process';
import { createWriteStream, mkdirSync, renameSync, statSync, type WriteStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { deadline } from '@clinic/shared/deadline';
import type { Account } from './account';

export interface ChildSpec {
  name: string;
  command: string;
  args: string[];
  cwd?: string;
  env?: NodeJS.ProcessEnv;
  /** Set where the child must not run as root. */
  account?: Account;
  logFile: string;
  /** What asks this program to finish what it is doing and leave. */
  stopSignal: 'SIGINT' | 'SIGTERM';
  /** How long it may take over that before it is killed. */
  stopWithinMs: number;
  /** Resolves once the child does its work; it is asked after every start. */
  ready: (signal: AbortSignal) => Promise<void>;
  readyWithinMs: number;
  onLine?: (line: string) => void;
}

export interface Supervision {
  say: (line: string) => void;
  /** Gives up waiting for a child to be ready. */
  signal?: AbortSignal;
  /** Told about each process, so that it can be found again should this one be killed. */
  onStart?: (child: StartedChild) => void;
  onExit?: (child: StartedChild) => void;
}

export type StartedChild = Pick<ChildSpec, 'name' | 'stopSignal'> & { pid: number };

export interface Supervised {
  name: string;
  stop: () => Promise<void>;
}

/**
 * Starts a program and waits until it is ready. From then on it is started again whenever it ends by itself, until `stop`.
 * Each child leads a process group of its own: a Ctrl-C reaches only the supervisor, which then stops the children in order.
 */
export async function supervise(spec: ChildSpec, { say, signal, onStart, onExit }: Supervision): Promise<Supervised> {
  const log = openLog(spec.logFile);
  let stopping = false;
  let current: Running;
  await start();
  void keepAlive();

  return {
    name: spec.name,
    async stop() {
      stopping = true;
      await end(current, spec);
      log.end();
    },
  };

  async function start(): Promise<void> {
    current = launch(spec, log);
    const { exited, process: child } = current;
    if (child.pid !== undefined) {
      const started = { name: spec.name, stopSignal: spec.stopSignal, pid: child.pid };
      onStart?.(started);
      void exited.then(() => onExit?.(started));
    }
    try {
      await untilReady(spec, current, signal);
    } catch (error) {
      await end(current, spec);
      throw error;
    }
  }

  async function keepAlive(): Promise<void> {
    for (let failures = 0; ;) {
      const startedAt = Date.now();
      const how = await current.exited;
      if (stopping) return;
      failures = Date.now() - startedAt > 60_000 ? 0 : failures;
      say(`${spec.name} ended unexpectedly (${how}); starting it again. Its log: ${spec.logFile}`);
      await sleep(Math.min(30_000, 500 * 2 ** failures++));
      if (stopping) return;
      try {
        await start();
        say(`${spec.name} is up again.`);
      } catch (error) {
        if (!stopping) say(error instanceof Error ? error.message : String(error));
      }
    }
  }
}

interface Running {
  process: ChildProcess;
  /** How it ended: `exit code 1`, `SIGKILL`. */
  exited: Promise<string>;
}

function launch(spec: ChildSpec, log: WriteStream): Running {
  const child = spawn(spec.command, spec.args, {
    cwd: spec.cwd,
    env: spec.env ?? process.env,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    ...spec.account,
  });
  for (const stream of [child.stdout, child.stderr]) {
    createInterface({ input: stream }).on('line', (line) => {
      if (!log.writableEnded) log.write(`${line}\n`);
      spec.onLine?.(line);
    });
  }
  const exited = new Promise<string>((resolve) => {
    child.once('error', (error) => resolve(error.message));
    child.once('exit', (code, signal) => resolve(signal ?? `exit code ${code}`));
  });
  return { process: child, exited };
}

async function untilReady(spec: ChildSpec, { exited }: Running, signal?: AbortSignal): Promise<void> {
  const done = new AbortController();
  const givingUp = deadline(spec.readyWithinMs, done.signal, ...(signal ? [signal] : []));
  const problem = await Promise.race([
    spec.ready(givingUp).then(() => undefined),
    exited.then((how) => `ended before it was ready (${how})`),
    aborted(givingUp).then(() => `was not ready after ${Math.round(spec.readyWithinMs / 1000)} s`),
  ]).finally(() => done.abort());
  if (signal?.aborted) throw new Error(`${spec.name} was stopped before it was ready.`);
  if (problem) throw new Error(`${spec.name} ${problem}.\n${await lastLines(spec.logFile)}`);
}

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });

/** Asks the child to leave, and kills its whole group when it does not. */
async function end({ process: child, exited }: Running, spec: ChildSpec): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return;
  child.kill(spec.stopSignal);
  const abort = new AbortController();
  const patience = sleep(spec.stopWithinMs, 'late', { signal: abort.signal }).catch(() => 'done');
  if ((await Promise.race([exited, patience])) === 'late') killGroup(child.pid);
  await exited;
  abort.abort();
}

function killGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // it has ended in the meantime
  }
}

const logLimitBytes = 20 * 1024 * 1024;

function openLog(file: string): WriteStream {
  mkdirSync(dirname(file), { recursive: true });
  const size = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
  if (size > logLimitBytes) renameSync(file, `${file}.previous`);
  return createWriteStream(file, { flags: 'a', mode: 0o600 });
}

async function lastLines(file: string): Promise<string> {
  const text = await readFile(file, 'utf8').catch(() => '');
  const lines = text.trimEnd().split('\n').slice(-15);
  return `The last lines of ${file}:\n${lines.map((line) => `  ${line.slice(0, 300)}`).join('\n')}`;
}

import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import type { ChildSpec } from '@clinic/local/child';
import type { Guard } from '@clinic/local/guard';
import { deadline } from '@clinic/shared/deadline';
import type { OwnEnding } from './evidence';

/** A process that a fault may hit. */
export interface Target {
  name: string;
  pid(): number | null;
  isAlive(): boolean;
  /** Resolves once it does its work. */
  start(): Promise<void>;
  /** SIGKILL to it and to every process that it has started. */
  kill(): Promise<void>;
  /** SIGSTOP: it is there, and does nothing. */
  freeze(): void;
  thaw(): void;
  /** SIGTERM, until it has ended. */
  stop(): Promise<void>;
  residentMb(): number;
}

export type TargetSpec = Pick<ChildSpec, 'name' | 'command' | 'args' | 'cwd' | 'env' | 'account' | 'logFile'> & {
  ready: (signal: AbortSignal, lines: string[]) => Promise<void>;
  readyWithinMs: number;
};

/** A process that is started again when it ends by itself, as any supervisor would; each such end is noted. */
export function createTarget(
  spec: TargetSpec,
  { guard, onOwnEnding }: { guard: Guard; onOwnEnding: (ending: OwnEnding) => void },
): Target {
  const { name } = spec;
  const log = createWriteStream(spec.logFile, { flags: 'a' });
  let child: ChildProcess | null = null;
  let exited: Promise<void> = Promise.resolve();
  let isWanted = false;

  const isAlive = () => child !== null && child.exitCode === null && child.signalCode === null;
  const launch = async (): Promise<void> => {
    const lines: string[] = [];
    const started = spawn(spec.command, spec.args, {
      cwd: spec.cwd,
      env: spec.env,
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
      ...spec.account,
    });
    child = started;
    isWanted = true;
    const { pid } = started;
    if (pid === undefined) throw new Error(`${name} did not start`);
    const known = { name, pid, stopSignal: 'SIGTERM' } as const;
    guard.onStart(known);
    for (const stream of [started.stdout, started.stderr]) {
      createInterface({ input: stream }).on('line', (line) => {
        lines.push(line);
        if (lines.length > 200) lines.shift();
        log.write(`${line}\n`);
      });
    }
    exited = new Promise((resolve) => {
      started.once('exit', (code, signal) => {
        guard.onExit(known);
        resolve();
        if (!isWanted) return;
        const how = signal ?? `exit code ${code}`;
        // The last words come after the exit.
        setTimeout(() => {
          onOwnEnding({ at: new Date().toISOString(), process: name, how, lastLine: telling(lines) });
          if (isWanted && !isAlive()) launch().catch(() => undefined);
        }, 500);
      });
    });
    await untilReady(spec, lines, isAlive);
  };

  return {
    name,
    isAlive,
    pid: () => (isAlive() ? (child?.pid ?? null) : null),
    start: launch,
    async kill() {
      isWanted = false;
      const pid = child?.pid;
      if (pid === undefined || !isAlive()) return;
      for (const each of [pid, ...descendantsOf(pid)]) signalTo(each, 'SIGKILL');
      await exited;
    },
    freeze: () => void child?.kill('SIGSTOP'),
    thaw: () => void child?.kill('SIGCONT'),
    async stop() {
      isWanted = false;
      if (!isAlive()) return;
      child?.kill('SIGTERM');
      await exited;
    },
    residentMb: () => Number(execFileSync('ps', ['-o', 'rss=', '-p', String(child?.pid)]).toString()) / 1_024,
  };
}

/** The line of a dying process that says most. */
function telling(lines: string[]): string {
  const last = lines.slice(-40);
  const signs = [/^(\w*Error|error):/, /^throw |Unhandled/i, /error/i];
  const found = signs.map((pattern) => last.find((line) => pattern.test(line.trim()))).find(Boolean);
  return (found ?? last.at(-1) ?? 'it said nothing').trim().slice(0, 200);
}

async function untilReady(spec: TargetSpec, lines: string[], isAlive: () => boolean): Promise<void> {
  const signal = deadline(spec.readyWithinMs);
  const done = new AbortController();
  const death = async () => {
    while (isAlive() && !done.signal.aborted) await delay(50);
  };
  await Promise.race([spec.ready(AbortSignal.any([signal, done.signal]), lines), death()]);
  done.abort();
  if (!isAlive()) throw new Error(`${spec.name} ended before it was ready:\n${lines.slice(-15).join('\n')}`);
  if (signal.aborted) throw new Error(`${spec.name} was not ready in ${spec.readyWithinMs / 1_000} s`);
}

/** PostgreSQL's processes lead sessions of their own, so that a signal to the group does not reach them. */
function descendantsOf(pid: number): number[] {
  const lines = execFileSync('ps', ['-A', '-o', 'pid=,ppid=']).toString().trim().split('\n');
  const pairs = lines.map((line) => line.trim().split(/\s+/).map(Number));
  const children = (parent: number): number[] =>
    pairs.filter(([, of]) => of === parent).flatMap(([child]) => [child!, ...children(child!)]);
  return children(pid);
}

function signalTo(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It has ended in the meantime.
  }
}

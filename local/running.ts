import { execFileSync } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { platform } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import type { StartedChild } from './child';
import { runningFile } from './paths';
import { readJson, writePrivateJson } from './private-file';

/** A process number is used again some day; together with the moment it started it is not. */
const ProcessMark = z.object({ pid: z.number(), startedAt: z.string() });
const Child = ProcessMark.extend({ name: z.string(), stopSignal: z.enum(['SIGINT', 'SIGTERM']) });
const Running = ProcessMark.extend({ children: z.array(Child) });
type Running = z.infer<typeof Running>;

export interface RunningRecord {
  add: (child: StartedChild) => void;
  remove: (child: StartedChild) => void;
  release: () => void;
}

/** Whether a local stack of this checkout is up. */
export function isStackRunning(): boolean {
  const recorded = readJson(runningFile, Running);
  return recorded !== undefined && isStill(recorded);
}

/**
 * Makes this process the one that runs the local stack of this checkout: refuses where another one does, and stops what
 * an earlier one could not stop because it was killed.
 */
export async function becomeTheStack(say: (line: string) => void): Promise<RunningRecord> {
  const self: Running = { ...markOf(process.pid), children: [] };
  while (!claim(self)) {
    const earlier = readJson(runningFile, Running);
    if (earlier && isStill(earlier)) {
      throw new Error(
        `The local stack of this checkout is already running (process ${earlier.pid}). Stop it with Ctrl-C where it was started, or with: kill ${earlier.pid}`,
      );
    }
    await stopLeftovers(earlier?.children ?? [], say);
    rmSync(runningFile, { force: true });
  }
  return {
    add({ name, pid, stopSignal }) {
      self.children.push({ name, stopSignal, ...markOf(pid) });
      writePrivateJson(runningFile, self);
    },
    remove({ pid }) {
      self.children = self.children.filter((child) => child.pid !== pid);
      writePrivateJson(runningFile, self);
    },
    release: () => rmSync(runningFile, { force: true }),
  };
}

/** False when the file is there already. */
function claim(self: Running): boolean {
  try {
    writeFileSync(runningFile, JSON.stringify(self), { flag: 'wx', mode: 0o600 });
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
    throw error;
  }
}

async function stopLeftovers(children: Running['children'], say: (line: string) => void): Promise<void> {
  for (const child of children.toReversed().filter(isStill)) {
    say(`Stopping ${child.name}, left over from an earlier run (process ${child.pid}) …`);
    send(child.pid, child.stopSignal);
    for (let waited = 0; waited < 15_000 && isStill(child); waited += 100) await sleep(100);
    if (isStill(child)) send(-child.pid, 'SIGKILL');
  }
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // it ended in the meantime
  }
}

const isStill = ({ pid, startedAt }: z.infer<typeof ProcessMark>): boolean => startOf(pid) === startedAt;

const markOf = (pid: number): z.infer<typeof ProcessMark> => ({ pid, startedAt: startOf(pid) ?? 'unknown' });

function startOf(pid: number): string | undefined {
  try {
    if (platform() !== 'linux') return execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8' });
    // the name in parentheses may hold spaces; the start is the 20th field after it
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
    return fields[0] === 'Z'
      ? undefined
      : `${readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()} ${fields[19]}`;
  } catch {
    return undefined;
  }
}

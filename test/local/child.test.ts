import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { supervise, type ChildSpec, type StartedChild } from '@clinic/local/child';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'clinic-child-'));
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

test('a child that ends by itself is started again, and says so', async () => {
  const lines: string[] = [];
  const started: StartedChild[] = [];
  const child = await supervise(aChild(), { say: (line) => lines.push(line), onStart: (one) => started.push(one) });

  process.kill(started[0]!.pid, 'SIGKILL');
  await until(() => lines.some((line) => line.includes('is up again')));

  expect(lines[0]).toMatch(/^child ended unexpectedly \(SIGKILL\)/);
  expect(started).toHaveLength(2);
  await child.stop();
  expect(isAlive(started[1]!.pid)).toBe(false);
});

test('a child that never becomes ready fails with the end of its log, and is gone', async () => {
  const started: StartedChild[] = [];
  const spec = aChild({ program: `console.error('no disk left'); setInterval(() => {}, 1000)`, readyWithinMs: 600 });

  const failure = supervise(
    { ...spec, ready: () => new Promise(() => {}) },
    { say, onStart: (one) => started.push(one) },
  );

  await expect(failure).rejects.toThrow(/child was not ready after 1 s.*no disk left/s);
  expect(isAlive(started[0]!.pid)).toBe(false);
});

test('a child that does not leave when asked is killed', async () => {
  const started: StartedChild[] = [];
  const stubborn = `process.on('SIGTERM', () => {}); console.log('up'); setInterval(() => {}, 1000)`;
  const spec = { ...aChild({ program: stubborn }), stopWithinMs: 300 };
  const child = await supervise(spec, { say, onStart: (one) => started.push(one) });

  await child.stop();

  expect(isAlive(started[0]!.pid)).toBe(false);
});

test('children do not outlive a supervisor that is killed', async () => {
  const pidFile = join(folder, 'pid');
  const script = join(folder, 'supervisor.cjs');
  writeFileSync(
    script,
    `const { startGuard } = require(${JSON.stringify(join(__dirname, '../../local/guard.ts'))});
     const { spawn } = require('node:child_process');
     const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { detached: true, stdio: 'ignore' });
     startGuard().onStart({ name: 'child', pid: child.pid, stopSignal: 'SIGTERM' });
     require('node:fs').writeFileSync(${JSON.stringify(pidFile)}, String(child.pid));
     setInterval(() => {}, 1000);`,
  );
  const supervisor = spawn(process.execPath, ['--import', 'tsx', script], { stdio: 'ignore' });
  await until(() => readOrEmpty(pidFile) !== '');
  const pid = Number(readOrEmpty(pidFile));
  await sleep(200);

  supervisor.kill('SIGKILL');

  await until(() => !isAlive(pid));
});

const say = (): void => {};

function aChild({
  program = `console.log('up'); setInterval(() => {}, 1000)`,
  readyWithinMs = 10_000,
}: { program?: string; readyWithinMs?: number } = {}): ChildSpec {
  const logFile = join(folder, 'child.log');
  return {
    name: 'child',
    command: process.execPath,
    args: ['-e', program],
    logFile,
    stopSignal: 'SIGTERM',
    stopWithinMs: 5000,
    ready: () => until(() => readOrEmpty(logFile).includes('up')),
    readyWithinMs,
  };
}

async function until(isSo: () => boolean): Promise<void> {
  for (let waited = 0; waited < 15_000; waited += 50) {
    if (isSo()) return;
    await sleep(50);
  }
  throw new Error('it did not happen');
}

function readOrEmpty(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

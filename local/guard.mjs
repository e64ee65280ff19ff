// Outlives its parent by a moment: when the parent is gone, however it went, it stops what the parent had started.
// It reads one JSON line per change: {"add": pid, "signal": "SIGTERM"}, {"remove": pid} or {"folder": path}.
import { existsSync, realpathSync, rmSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';

const children = new Map();
const folders = [];

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => {});

for await (const line of createInterface({ input: process.stdin })) {
  const { add, signal, remove, folder } = JSON.parse(line);
  if (add) children.set(add, signal);
  if (remove) children.delete(remove);
  if (folder) folders.push(folder);
}

for (const [pid, signal] of children) send(pid, signal);
for (let waited = 0; waited < 10_000 && [...children.keys()].some(isAlive); waited += 100) await sleep(100);
for (const pid of children.keys()) send(-pid, 'SIGKILL');
// a folder may be a link to where it really lies
for (const folder of folders.filter(existsSync)) {
  for (const path of [realpathSync(folder), folder]) rmSync(path, { recursive: true, force: true, maxRetries: 5 });
}

function send(pid, signal) {
  try {
    process.kill(pid, signal);
  } catch {
    // it has ended already
  }
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

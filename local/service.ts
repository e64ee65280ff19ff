import { setTimeout as sleep } from 'node:timers/promises';
import { parseJson } from '@clinic/shared/domain/json';
import { z } from 'zod';
import type { ChildSpec } from './child';
import { logFile, root } from './paths';

/** The API process; ready when it says so itself. */
export function api({
  env,
  port,
  say,
}: {
  env: NodeJS.ProcessEnv;
  port: number;
  say: (line: string) => void;
}): ChildSpec {
  return {
    ...nodeProcess('api', env, say),
    ready: async (signal) => {
      while (!signal.aborted && !(await respondsOk(`http://127.0.0.1:${port}/readyz`))) await sleep(100);
    },
  };
}

/** The worker process; ready when it has said that it is. */
export function worker({ env, say }: { env: NodeJS.ProcessEnv; say: (line: string) => void }): ChildSpec {
  const seen = { ready: false };
  const spec = nodeProcess('worker', env, say);
  return {
    ...spec,
    onLine: (line) => {
      seen.ready ||= line.includes('"worker started"');
      spec.onLine?.(line);
    },
    ready: async (signal) => {
      while (!signal.aborted && !seen.ready) await sleep(50);
    },
  };
}

function nodeProcess(name: 'api' | 'worker', env: NodeJS.ProcessEnv, say: (line: string) => void): ChildSpec {
  return {
    name,
    command: process.execPath,
    args: ['--enable-source-maps', `dist/${name}.js`],
    cwd: root,
    env,
    logFile: logFile(name),
    stopSignal: 'SIGTERM',
    stopWithinMs: 20_000,
    ready: async () => {},
    readyWithinMs: 90_000,
    onLine: (line) => {
      const shown = worthShowing(line);
      if (shown) say(`[${name}] ${shown}`);
    },
  };
}

const LogLine = z.object({ level: z.union([z.number(), z.string()]), msg: z.string().optional() });
const serious = new Map<number | string, string>([
  [40, 'warning'],
  [50, 'error'],
  [60, 'fatal'],
  ['warn', 'warning'],
  ['error', 'error'],
  ['fatal', 'fatal'],
]);

/** Warnings and worse; the log file has everything. */
function worthShowing(line: string): string | undefined {
  const parsed = LogLine.safeParse(parseJson(line));
  if (!parsed.success) return /^\s*(\w*Error:|Fatal|Unhandled)/i.test(line) ? line.slice(0, 200) : undefined;
  const { level, msg = '' } = parsed.data;
  const severity = serious.get(level);
  return severity && `${severity}: ${msg.slice(0, 200)}`;
}

/** Whether a GET returns a success within two seconds. */
export const respondsOk = (url: string): Promise<boolean> =>
  fetch(url, { signal: AbortSignal.timeout(2000) }).then(
    async (response) => {
      await response.body?.cancel();
      return response.ok;
    },
    () => false,
  );

import { setTimeout as sleep } from 'node:timers/promises';
import { searchAttributes } from '@clinic/workflows/ids';
import { Connection } from '@temporalio/client';
import type { ChildSpec } from './child';

export interface TemporalOptions {
  binary: string;
  port: number;
  /** No UI without one. */
  uiPort?: number;
  codecEndpoint?: string;
  /** Kept in memory without one. */
  databaseFile?: string;
  logFile: string;
}

const attributes = Object.values(searchAttributes);

/** Of the server's dynamic configuration; docker-compose.yml has the same. */
export const serverSettings = {
  // A task queue goes by priorities, and among tasks of one priority by fairness keys.
  'matching.useNewMatcher': true,
  'matching.enableFairness': true,
  // A task of a workflow that was lost with its worker a few times is handed out again after 70 s; by default it can take ten minutes.
  'history.workflowTaskRetryMaxInterval': '1m',
};

/**
 * One partition for each task queue: turns hold in the whole queue, and one process has nothing to spread. The compose file keeps
 * the default of four, for servers that carry more.
 */
const onOneMachine = { 'matching.numTaskqueueReadPartitions': 1, 'matching.numTaskqueueWritePartitions': 1 };

/** The Temporal development server as a child process. */
export function temporal(options: TemporalOptions): ChildSpec {
  const { binary, port, uiPort, codecEndpoint, databaseFile, logFile } = options;
  const flags: [string, string][] = [
    ['--ip', '127.0.0.1'],
    ['--port', String(port)],
    ['--log-level', 'warn'],
    ['--log-format', 'json'],
    // The server asks its queues 20 times a second by default, which makes every step wait up to 50 ms.
    ['--dynamic-config-value', 'history.transferProcessorMaxPollRPS=2000'],
    ...Object.entries({ ...serverSettings, ...onOneMachine }).map(([key, value]): [string, string] => [
      '--dynamic-config-value',
      `${key}=${JSON.stringify(value)}`,
    ]),
    ...attributes.map(({ name, type }): [string, string] => ['--search-attribute', `${name}=${capitalized(type)}`]),
  ];
  if (uiPort) flags.push(['--ui-port', String(uiPort)]);
  if (uiPort && codecEndpoint) flags.push(['--ui-codec-endpoint', codecEndpoint]);
  if (databaseFile) {
    flags.push(['--db-filename', databaseFile]);
    // Twice as many workflows a second, and still safe when the process is killed.
    flags.push(['--sqlite-pragma', 'journal_mode=wal'], ['--sqlite-pragma', 'synchronous=normal']);
  }
  return {
    name: 'temporal',
    command: binary,
    args: ['server', 'start-dev', ...flags.flat(), ...(uiPort ? [] : ['--headless'])],
    logFile,
    stopSignal: 'SIGTERM',
    stopWithinMs: 15_000,
    ready: (signal) => untilServing(`127.0.0.1:${port}`, signal),
    readyWithinMs: 90_000,
  };
}

/** Waits until the server knows its default namespace. */
export async function untilServing(address: string, signal: AbortSignal, namespace = 'default'): Promise<void> {
  while (!signal.aborted) {
    try {
      const connection = await Connection.connect({ address, connectTimeout: '2s' });
      try {
        await connection.workflowService.describeNamespace({ namespace });
        return;
      } finally {
        await connection.close();
      }
    } catch {
      await sleep(100);
    }
  }
}

/** KEYWORD → Keyword, as the command line wants it. */
const capitalized = (type: string): string => type.charAt(0) + type.slice(1).toLowerCase();

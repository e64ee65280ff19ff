import { setTimeout as sleep } from 'node:timers/promises';
import { searchAttributes } from '@clinic/workflows/ids';
import { Connection } from '@temporalio/client';
import { temporal as proto } from '@temporalio/proto';
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

/** For a server that was not started here: registers what is missing. */
export async function ensureSearchAttributes({
  address,
  namespace,
}: {
  address: string;
  namespace: string;
}): Promise<void> {
  const connection = await Connection.connect({ address });
  try {
    const { customAttributes } = await connection.operatorService.listSearchAttributes({ namespace });
    const missing = attributes.filter(({ name }) => !(name in (customAttributes ?? {})));
    if (missing.length === 0) return;
    await connection.operatorService.addSearchAttributes({
      namespace,
      searchAttributes: Object.fromEntries(missing.map(({ name, type }) => [name, IndexedValueType[indexed(type)]])),
    });
  } finally {
    await connection.close();
  }
}

const { IndexedValueType } = proto.api.enums.v1;

const indexed = <T extends string>(type: T) => `INDEXED_VALUE_TYPE_${type}` as const;

/** KEYWORD → Keyword, as the command line wants it. */
const capitalized = (type: string): string => type.charAt(0) + type.slice(1).toLowerCase();

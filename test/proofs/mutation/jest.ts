import { spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { withoutServers } from '../../support/servers';

const Results = z.object({
  numPassedTests: z.number(),
  numFailedTests: z.number(),
  numRuntimeErrorTestSuites: z.number(),
  testResults: z.array(z.object({ message: z.string() })),
});

export type TestRun =
  | { kind: 'passed' }
  | { kind: 'failed'; message: string }
  /** A file could not be loaded, or nothing matched: this says nothing about the tests. */
  | { kind: 'broken'; message: string };

/** Runs the tests whose paths match, in a folder, and stops at the first failure. A run that hangs has failed. */
export async function runTests({
  folder,
  patterns,
  names,
  hasOwnServers,
  environment = process.env,
  timeoutMs,
}: {
  folder: string;
  patterns: readonly string[];
  /** Only the tests whose names match, as Jest's `-t`. */
  names?: string;
  /** Starts servers for this run alone: the migrations are not those of the servers that run. */
  hasOwnServers: boolean;
  /** Of the tests; that of this process unless given. */
  environment?: NodeJS.ProcessEnv;
  timeoutMs: number;
}): Promise<TestRun> {
  const file = join(folder, 'results.json');
  rmSync(file, { force: true });
  const program = join(folder, 'node_modules', 'jest', 'bin', 'jest.js');
  const firstFailure = join(folder, 'test', 'mutation', 'first-failure.cjs');
  const options = [
    '--config',
    'jest.config.cjs',
    '--rootDir',
    folder,
    '--testEnvironment',
    firstFailure,
    '--testTimeout=30000',
  ];
  const chosen = names === undefined ? patterns : ['--testNamePattern', names, ...patterns];
  const child = spawn(
    process.execPath,
    [program, ...options, '--maxWorkers=1', '--silent', '--forceExit', '--json', `--outputFile=${file}`, ...chosen],
    { cwd: folder, env: hasOwnServers ? withoutServers() : environment, stdio: ['ignore', 'ignore', 'ignore'] },
  );
  const timer = setTimeout(() => child.kill('SIGKILL'), timeoutMs);
  const ended = await new Promise<{ code: number | null; signal: NodeJS.Signals | null }>((resolve) => {
    child.once('exit', (code, signal) => resolve({ code, signal }));
  });
  clearTimeout(timer);
  if (ended.signal === 'SIGKILL') return { kind: 'failed', message: `not done after ${timeoutMs / 1_000} s` };

  const text = await readFile(file, 'utf8').catch(() => null);
  if (text === null) return { kind: 'broken', message: `Jest wrote no results: ${ended.signal ?? ended.code}` };
  const results = Results.parse(JSON.parse(text));
  const message = results.testResults.map((result) => result.message).join('\n');
  if (results.numFailedTests > 0) return { kind: 'failed', message };
  if (results.numPassedTests === 0)
    return { kind: 'broken', message: message || `no test matches ${patterns.join(' ')}` };
  if (results.numRuntimeErrorTestSuites > 0) return { kind: 'broken', message };
  return { kind: 'passed' };
}

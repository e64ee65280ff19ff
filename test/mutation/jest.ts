import { spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';

const Results = z.object({
  numTotalTests: z.number(),
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
  hasOwnServers,
  timeoutMs,
}: {
  folder: string;
  patterns: readonly string[];
  /** Starts servers for this run alone: the migrations are not those of the servers that run. */
  hasOwnServers: boolean;
  timeoutMs: number;
}): Promise<TestRun> {
  const file = join(folder, 'results.json');
  rmSync(file, { force: true });
  const config = hasOwnServers ? 'jest.config.cjs' : 'jest.mutation.cjs';
  const program = join(folder, 'node_modules', 'jest', 'bin', 'jest.js');
  const options = ['--config', config, '--rootDir', folder, '--maxWorkers=1', '--bail', '--silent', '--forceExit'];
  const child = spawn(
    process.execPath,
    [program, ...options, '--json', `--outputFile=${file}`, '--runTestsByPath=false', ...patterns],
    { cwd: folder, stdio: ['ignore', 'ignore', 'ignore'] },
  );
  const timer = setTimeout(() => child.kill('SIGKILL'), timeoutMs);
  const signal = await new Promise<NodeJS.Signals | null>((resolve) => {
    child.once('exit', (_code, ended) => resolve(ended));
  });
  clearTimeout(timer);
  if (signal === 'SIGKILL') return { kind: 'failed', message: `not done after ${timeoutMs / 1_000} s` };

  const text = await readFile(file, 'utf8').catch(() => null);
  if (text === null) return { kind: 'broken', message: 'Jest did not come to an end' };
  const results = Results.parse(JSON.parse(text));
  const message = results.testResults.map((result) => result.message).join('\n');
  if (results.numFailedTests > 0) return { kind: 'failed', message };
  if (results.numTotalTests === 0)
    return { kind: 'broken', message: message || `no test matches ${patterns.join(' ')}` };
  if (results.numRuntimeErrorTestSuites > 0) return { kind: 'broken', message };
  return { kind: 'passed' };
}

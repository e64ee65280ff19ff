import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { z } from 'zod';

const Results = z.object({
  passed: z.number(),
  failed: z.number(),
  unloaded: z.number(),
  message: z.string(),
  failedName: z.string().nullable(),
});

export type TestRun =
  | { kind: 'passed' }
  /** `test` is the name of the one that failed, null where the run hung or ended its process. */
  | { kind: 'failed'; test: string | null; message: string }
  /** The file could not be loaded, or nothing matched: this says nothing about its tests. */
  | { kind: 'broken'; message: string };

interface Wanted {
  path: string;
  names?: string[];
  environment: NodeJS.ProcessEnv;
  timeoutMs: number;
  /** Of the files beside this one. */
  testEnvironment?: 'first-failure' | 'note-reached';
}

export interface Jest {
  /** Plays a test file, or those of its tests whose names hold one of these texts, up to the first failure. A run that hangs has failed. */
  run(test: Wanted): Promise<TestRun>;
  stop(): Promise<void>;
}

/** Of a test's name as it stands in the source. */
export const asPattern = (name: string): string =>
  name.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&').replaceAll(/%\w/g, '.*');

/** What a failed test left behind goes with the process. */
const MAX_RUNS = 60;

/** Jest in a process that is kept from run to run, over the tests of a folder. */
export function startJest(folder: string): Jest {
  let child: ChildProcess | null = null;
  let runs = 0;
  let isStopped = false;
  const end = async () => {
    const ending = child;
    child = null;
    runs = 0;
    if (!ending || ending.exitCode !== null || ending.signalCode !== null) return;
    ending.kill('SIGKILL');
    await once(ending, 'exit');
  };
  const start = () =>
    fork(join(folder, 'test/proofs/mutation/warm-jest.cjs'), [], {
      cwd: folder,
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      execArgv: [],
    });

  return {
    async stop() {
      isStopped = true;
      await end();
    },
    async run({ path, names, environment, timeoutMs, testEnvironment = 'first-failure' }) {
      if (runs >= MAX_RUNS || child?.connected === false) await end();
      if (isStopped) throw new Error('Jest is stopped');
      child ??= start();
      runs += 1;
      const working = child;
      const pattern = names?.map(asPattern).join('|');
      const answer = new Promise<unknown>((resolve) => {
        working.once('message', resolve);
        working.once('exit', () => resolve(null));
      });
      working.send({ paths: [path], names: pattern, environment, testEnvironment });
      let timer: NodeJS.Timeout | undefined;
      const late = new Promise<'late'>((resolve) => (timer = setTimeout(resolve, timeoutMs, 'late')));
      const result = await Promise.race([answer, late]);
      clearTimeout(timer);
      working.removeAllListeners('message').removeAllListeners('exit');
      if (result === 'late' || result === null) {
        await end();
        if (isStopped) throw new Error('Jest is stopped');
        const message = result === 'late' ? `not done after ${timeoutMs / 1_000} s` : 'the process of the tests ended';
        return { kind: 'failed', test: null, message };
      }
      const { passed, failed, unloaded, message, failedName } = Results.parse(result);
      if (failed > 0) return { kind: 'failed', test: failedName, message };
      if (passed === 0 || unloaded > 0) return { kind: 'broken', message: message || `no test matches ${path}` };
      return { kind: 'passed' };
    },
  };
}

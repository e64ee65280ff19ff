import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { root } from '@clinic/local/paths';
import { z } from 'zod';
import { FIGURES_FILE, textTable } from '../../support/figures';
import { startTestServers, wantedTemporal } from '../../support/servers';
import { type Proof, proofs } from './proofs';

const Results = z.object({
  numPassedTests: z.number(),
  numFailedTests: z.number(),
  testResults: z.array(z.object({ message: z.string() })),
});

interface Result {
  proof: Proof;
  passed: number;
  failed: number;
  seconds: number;
  /** What the tests measured. */
  figures: string[];
  /** What Jest says of a failure. */
  message: string;
}

/** Runs each proof in its full size, one after the other, and prints a table; exit code 1 where one fails. */
export async function main(args: string[]): Promise<void> {
  const { values } = parseArgs({ args, options: { only: { type: 'string' } } });
  const only = values.only?.split(',').map((name) => name.trim()) ?? [];
  const unknown = only.filter((name) => !proofs.some((proof) => proof.name === name));
  if (unknown.length > 0)
    throw new Error(`There is no proof ${unknown.join(', ')}. There are: ${proofs.map(({ name }) => name).join(', ')}`);

  const results: Result[] = [];
  const stop = await startTestServers(console.log, { temporalKind: wantedTemporal() });
  try {
    for (const proof of proofs.filter(({ name }) => only.length === 0 || only.includes(name))) {
      console.log(`${proof.name}: ${proof.size} …`);
      const result = await prove(proof);
      for (const figure of result.figures) console.log(`  ${figure}`);
      if (!holds(result)) console.log(result.message || '  no test was run');
      results.push(result);
    }
  } finally {
    await stop();
  }
  console.log(`\n${tableOf(results)}`);
  if (!results.every(holds)) process.exitCode = 1;
}

async function prove(proof: Proof): Promise<Result> {
  const folder = await mkdtemp(join(tmpdir(), 'calling-proof-'));
  const [resultsFile, figuresFile] = [join(folder, 'results.json'), join(folder, 'figures.txt')];
  const startedAt = Date.now();
  try {
    const jest = join(root, 'node_modules', 'jest', 'bin', 'jest.js');
    const output = ['--silent', '--json', `--outputFile=${resultsFile}`];
    // Files of tests, and of proofs, which `npm test` leaves out.
    const files = ['--testMatch', '**/*.test.ts', '**/*.proof.ts'];
    const args = [
      jest,
      '--maxWorkers=1',
      ...files,
      ...output,
      '--testNamePattern',
      proof.tests,
      '--runTestsByPath',
      proof.file,
    ];
    const env = { ...process.env, ...proof.environment, [FIGURES_FILE]: figuresFile };
    const child = spawn(process.execPath, args, { cwd: root, env, stdio: 'ignore' });
    await new Promise((resolve) => child.once('exit', resolve));
    const text = await readFile(resultsFile, 'utf8').catch(() => null);
    const seconds = (Date.now() - startedAt) / 1_000;
    const figures = (await readFile(figuresFile, 'utf8').catch(() => '')).split('\n').filter(Boolean);
    if (text === null)
      return { proof, passed: 0, failed: 1, seconds, figures, message: '  Jest did not come to an end' };
    const { numPassedTests: passed, numFailedTests: failed, testResults } = Results.parse(JSON.parse(text));
    const message = testResults.map((result) => result.message).join('\n');
    return { proof, passed, failed, seconds, figures, message };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const holds = ({ passed, failed }: Result): boolean => passed > 0 && failed === 0;

function tableOf(results: Result[]): string {
  const rows = results.map((result) => [
    result.proof.name,
    result.proof.size,
    holds(result) ? 'PASS' : 'FAIL',
    result.seconds.toFixed(0),
  ]);
  return textTable([['proof', 'size', 'result', 'seconds'], ...rows]);
}

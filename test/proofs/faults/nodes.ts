import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { ScenarioResult } from './suite';

/**
 * Plays the suite once with each of these major versions of Node (`20`), fetched by npm, and returns all results, labelled by their
 * version. A run that broke off has no results, and is itself one that failed.
 */
export async function playOnNodes({
  versions,
  args,
  say,
}: {
  versions: string[];
  /** Of `npm run prove -- faults`. */
  args: string[];
  say: (line: string) => void;
}): Promise<ScenarioResult[]> {
  const folder = await mkdtemp(join(tmpdir(), 'clinic-nodes-'));
  const all: ScenarioResult[] = [];
  try {
    for (const version of versions) {
      const file = join(folder, `${version}.json`);
      const node = ['exec', '--yes', `--package=node-${process.platform}-${process.arch}@${version}`, '--', 'node'];
      const main = ['--import', 'tsx', 'test/proofs/main.ts', 'faults', ...args, '--results', file];
      await run('npm', [...node, ...main], (line) => say(`Node ${version}  ${line}`));
      const results = await readFile(file, 'utf8').then((text) => JSON.parse(text) as ScenarioResult[], brokeOff);
      all.push(...results.map((result) => ({ ...result, label: `${result.label}, Node ${version}` })));
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  return all;
}

const brokeOff = (): ScenarioResult[] => [
  {
    label: 'all',
    title: 'the suite comes to its end',
    violations: [{ kind: 'nothing_proven', subject: 'suite', detail: 'it broke off: see its lines above' }],
    figures: {},
  },
];

/** Resolves when the command has ended, however it did: its results say the rest. */
function run(command: string, args: string[], say: (line: string) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    createInterface({ input: child.stdout }).on('line', say);
    child.on('error', reject);
    child.on('close', () => resolve());
  });
}

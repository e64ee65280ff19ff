import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { parseArgs, promisify } from 'node:util';
import { startTestServers, withWorkflowBundle } from '../../support/servers';
import { runTests } from './jest';
import type { Mutant } from './mutants';
import { findStale, nameOf, planted } from './planted';
import { makeScratch, type Scratch } from './scratch';

const execFileAsync = promisify(execFile);

/** Of the mutants of each room, at least this share must be noticed. */
const GOAL = 0.9;
const MAX_RUN_MS = 180_000;

type Verdict = 'killed' | 'survived' | 'broken';

/** Applies each planted mutant alone, runs the tests that should notice it, and prints a score by room. */
export async function main(args: string[]): Promise<void> {
  const { values, positionals } = parseArgs({
    args,
    options: { room: { type: 'string' }, list: { type: 'boolean' } },
    allowPositionals: true,
  });
  const chosen = planted.filter(
    (mutant) =>
      (!values.room || mutant.room === values.room) &&
      (positionals.length === 0 || positionals.some((words) => nameOf(mutant).includes(words))),
  );
  if (chosen.length === 0) throw new Error('No mutant is called so. `npm run prove -- mutation --list` names them.');
  if (values.list) return console.log(chosen.map((mutant) => `${mutant.room}  ${nameOf(mutant)}`).join('\n'));

  const scratch = await makeScratch();
  try {
    const stale = await findStale(scratch.read, chosen);
    if (stale.length > 0) throw new Error(`The list of mutants is out of date:\n  ${stale.join('\n  ')}`);
    const stop = await startTestServers((line) => console.log(line));
    try {
      report(chosen, await tryAll(scratch, chosen));
    } finally {
      await stop();
    }
  } finally {
    await scratch.remove();
  }
}

async function tryAll(scratch: Scratch, chosen: Mutant[]): Promise<Map<Mutant, Verdict>> {
  await passUnchanged(scratch, chosen);
  const verdicts = new Map<Mutant, Verdict>();
  for (const mutant of chosen) {
    const startedAt = Date.now();
    const { verdict, message } = await tryOne(scratch, mutant);
    verdicts.set(mutant, verdict);
    const seconds = ((Date.now() - startedAt) / 1_000).toFixed(1);
    console.log(`${{ killed: '✓', survived: '✕', broken: '!' }[verdict]} ${verdict}  ${nameOf(mutant)} (${seconds} s)`);
    if (verdict === 'broken') console.log(message);
  }
  return verdicts;
}

/** A test that fails anyway would seem to notice everything. */
async function passUnchanged({ folder }: Scratch, chosen: Mutant[]): Promise<void> {
  await buildService(folder);
  for (const [pattern, names] of testsOf(chosen)) {
    const run = await runTests({ folder, patterns: [pattern], names, hasOwnServers: false, timeoutMs: 5 * MAX_RUN_MS });
    if (run.kind !== 'passed') throw new Error(`The tests fail without any mutant:\n${run.message}`);
  }
}

/** The test files of all these mutants, each with the names of its tests that are needed; undefined for all of them. */
function testsOf(chosen: Mutant[]): Map<string, string | undefined> {
  const patterns = [...new Set(chosen.flatMap(({ tests }) => tests))];
  return new Map(
    patterns.map((pattern) => {
      const names = chosen.filter(({ tests }) => tests.includes(pattern)).map((mutant) => mutant.names ?? '');
      return [pattern, names.includes('') ? undefined : names.join('|')];
    }),
  );
}

async function tryOne(scratch: Scratch, mutant: Mutant): Promise<{ verdict: Verdict; message: string }> {
  const { file, find, replace, tests: patterns, names } = mutant;
  const original = await scratch.read(file);
  await scratch.write(
    file,
    original.replace(find, () => replace),
  );
  try {
    const { folder } = scratch;
    await buildService(folder);
    const hasOwnServers = file.startsWith('prisma/migrations/');
    // The servers' bundle holds the workflows as they are without any fault.
    const environment = file.startsWith('workflows/') ? withWorkflowBundle(await bundleWorkflows(folder)) : undefined;
    const run = await runTests({ folder, patterns, names, hasOwnServers, environment, timeoutMs: MAX_RUN_MS });
    switch (run.kind) {
      case 'passed':
        return { verdict: 'survived', message: '' };
      case 'failed':
        return { verdict: 'killed', message: run.message };
      case 'broken':
        return { verdict: 'broken', message: run.message };
    }
  } catch (error) {
    return { verdict: 'broken', message: error instanceof Error ? error.message : String(error) };
  } finally {
    await scratch.write(file, original);
  }
}

/** What a test starts as a process of its own. */
async function buildService(folder: string): Promise<void> {
  await execFileAsync(process.execPath, ['--import', 'tsx', 'local/build-main.ts'], { cwd: folder });
}

async function bundleWorkflows(folder: string): Promise<string> {
  const file = join(folder, 'workflows.js');
  await execFileAsync(process.execPath, ['--import', 'tsx', 'worker/bundle-main.ts', file], { cwd: folder });
  return file;
}

function report(chosen: Mutant[], verdicts: Map<Mutant, Verdict>): void {
  const rooms = [...new Set(chosen.map(({ room }) => room))];
  const rows = rooms.map((room) => {
    const ofRoom = chosen.filter((mutant) => mutant.room === room);
    const killed = ofRoom.filter((mutant) => verdicts.get(mutant) === 'killed').length;
    return { room, mutants: ofRoom.length, killed, score: killed / ofRoom.length };
  });
  console.log(`\n${'room'.padEnd(12)}${'mutants'.padStart(8)}${'killed'.padStart(8)}${'score'.padStart(8)}`);
  for (const { room, mutants: all, killed, score } of rows) {
    const percent = `${Math.round(score * 100)} %`;
    console.log(room.padEnd(12) + String(all).padStart(8) + String(killed).padStart(8) + percent.padStart(8));
  }
  const others = chosen.filter((mutant) => verdicts.get(mutant) !== 'killed');
  if (others.length > 0) console.log('\nNot noticed:');
  for (const mutant of others) console.log(`  ${mutant.room}: ${nameOf(mutant)} (${verdicts.get(mutant)})`);
  const isBroken = [...verdicts.values()].includes('broken');
  if (isBroken || rows.some(({ score }) => score < GOAL)) process.exitCode = 1;
}

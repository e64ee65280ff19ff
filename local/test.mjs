// `npm test`: types, rooms, lint, format, unused code and the Jest tests; with CI=true those too that take minutes each
// (jest.config.cjs). `npm test -- <pattern>` runs the Jest tests that match, and `npm test -- --coverage` counts the lines that all reach, by room.
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join, relative, sep } from 'node:path';
import { buildDashboard, prepare, prepareClient, root } from './prepare.mjs';

const checks = ['types', 'rooms', 'lint', 'format', 'unused'];
/** More than these are no matter of chance. */
const MOST_TRIED_AGAIN = 5;
/** Jest hands this on to its workers: where they fill the cores, a collector of several threads takes from its neighbours' time. */
const ofTheCollector = ['--single-threaded-gc', '--max-semi-space-size=64'];
const withCoverage = process.argv.includes('--coverage');
const patterns = process.argv.slice(2).filter((argument) => argument !== '--coverage');
const leavesLong = !process.env.CI && !withCoverage && patterns.length === 0;
const children = new Set();
let stopServers = async () => {};
// Temporal's server and what checks types are written in Go and live for a short time: their garbage is collected less often.
process.env.GOGC ??= '400';
if (leavesLong) process.env.LONG_TESTS = 'left';
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
  process.on(signal, () => {
    for (const child of children) child.kill(signal);
  });
}

try {
  await prepare();
  await prepareClient();
  const counts = { passed: 0, failed: 0 };
  const [isBuilt, , ...results] = await Promise.all([
    dashboardBuilds(),
    startServers(),
    ...(patterns.length > 0 ? [] : checks).map((check) => passes(check)),
  ]);
  for (const isGood of results) counts[isGood ? 'passed' : 'failed'] += 1;
  if (!isBuilt) counts.failed += 1;
  const { passed, failed } = await jest(withCoverage ? ['--coverage', ...patterns] : patterns);
  if (withCoverage) printCoverage();
  counts.passed += passed;
  counts.failed += failed;
  if (leavesLong) console.log('\nThe longest tests are left to CI: CI=true npm test plays all.');
  console.log(`\n${counts.passed} passed, ${counts.failed} failed`);
  process.exitCode = counts.failed === 0 ? 0 : 1;
} catch (error) {
  console.error(`\n${error.message}`);
  console.log('\n0 passed, 1 failed');
  process.exitCode = 1;
} finally {
  await stopServers();
}

/** Runs one of package.json's scripts and shows its output only where it fails. */
async function passes(check) {
  const startedAt = Date.now();
  const { code, output } = await run('npm', ['run', '--silent', check], ['ignore', 'pipe', 'pipe']);
  if (code !== 0) console.log(output.trimEnd());
  console.log(`${code === 0 ? '✓' : '✕'} ${check} (${((Date.now() - startedAt) / 1000).toFixed(1)} s)`);
  return code === 0;
}

/** Tests in a browser open what is built. */
function dashboardBuilds() {
  return buildDashboard().then(
    () => true,
    (error) => console.log(`✕ dashboard: ${error.message}`),
  );
}

/** A real PostgreSQL and a real Temporal server for all test files. Jest would transform every library that this loads. */
async function startServers() {
  const tsx = await import('tsx/cjs/api');
  tsx.register();
  const { startTestServers, wantedTemporal } = createRequire(import.meta.url)('../test/support/servers.ts');
  stopServers = await startTestServers(console.log, { temporalKind: wantedTemporal(), isMeasured: false });
}

/**
 * A test that is skipped or still to be written counts as failed, and so does a file that cannot be loaded. Where few files
 * fail, each runs once more with nothing beside it: a test that fails only among others is named as flaky, which is a bug
 * to mend and no reason to hold up what everything else proves.
 */
async function jest(args) {
  const folder = mkdtempSync(join(tmpdir(), 'clinic-results-'));
  try {
    const files = await resultsOf(folder, args);
    if (files.length === 0) console.log('✕ no test was found');
    const failing = files.filter((file) => !hasPassed(file));
    if (failing.length === 0 || failing.length > MOST_TRIED_AGAIN || files.length === 1) return countOf(files);
    const paths = failing.map(({ name }) => name);
    console.log(`\n${paths.length} files failed: each runs again by itself`);
    // Without workers that Jest ends, what a failed test has left open would keep it from coming to an end.
    const again = await resultsOf(folder, ['--runInBand', '--forceExit', '--runTestsByPath', ...paths]);
    for (const { name, assertionResults } of again.filter(hasPassed)) {
      const failed = failing
        .find((file) => file.name === name)
        .assertionResults.filter(({ status }) => status === 'failed');
      const titles = failed.length > 0 ? failed.map(({ fullName }) => fullName) : ['the file itself'];
      for (const title of titles)
        console.log(`! flaky: ${relative(root, name)}: ${title} (${assertionResults.length} passed alone)`);
    }
    return countOf([...files.filter(hasPassed), ...again]);
  } catch {
    console.log('✕ Jest did not come to an end');
    return { passed: 0, failed: 1 };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Jest's results by file, of a run with these arguments. */
async function resultsOf(folder, args) {
  const file = join(folder, 'results.json');
  const program = join(root, 'node_modules', 'jest', 'bin', 'jest.js');
  rmSync(file, { force: true });
  const started = [...ofTheCollector, program, '--json', `--outputFile=${file}`, ...args];
  await run(process.execPath, started, ['inherit', 'ignore', 'inherit']);
  return JSON.parse(readFileSync(file, 'utf8')).testResults;
}

function hasPassed({ status, assertionResults }) {
  return status === 'passed' && assertionResults.every((test) => test.status === 'passed');
}

function countOf(files) {
  const tests = files.flatMap(({ assertionResults }) => assertionResults);
  const passed = tests.filter(({ status }) => status === 'passed').length;
  const unfinished = tests.filter(({ status }) => status !== 'passed' && status !== 'failed').length;
  if (unfinished > 0) console.log(`✕ ${unfinished} tests are skipped or still to be written`);
  // A file that could not be loaded has no tests, or none that failed.
  const broken = files.filter(
    (file) => !hasPassed(file) && file.assertionResults.every(({ status }) => status === 'passed'),
  );
  return { passed, failed: tests.length - passed + broken.length + (files.length === 0 ? 1 : 0) };
}

/** One line for each room, from the summary that Jest wrote; the files one by one are in coverage/index.html. */
function printCoverage() {
  const { total, ...files } = JSON.parse(readFileSync(join(root, 'coverage', 'coverage-summary.json'), 'utf8'));
  const rooms = { total: [total] };
  for (const [file, counts] of Object.entries(files)) (rooms[relative(root, file).split(sep)[0]] ??= []).push(counts);
  console.log('\nroom          lines  branches');
  for (const [room, counts] of Object.entries(rooms).toSorted(([one], [other]) => one.localeCompare(other))) {
    console.log(`${room.padEnd(12)} ${percent(counts, 'lines')}   ${percent(counts, 'branches')}`);
  }
}

function percent(counts, kind) {
  const sum = (field) => counts.reduce((all, count) => all + count[kind][field], 0);
  return `${((100 * sum('covered')) / Math.max(1, sum('total'))).toFixed(1)} %`.padStart(7);
}

function run(command, args, stdio) {
  return new Promise((resolve, reject) => {
    let output = '';
    const child = spawn(command, args, { cwd: root, stdio });
    children.add(child);
    child.stdout?.on('data', (data) => (output += data));
    child.stderr?.on('data', (data) => (output += data));
    child.once('error', reject);
    child.once('close', (code) => {
      children.delete(child);
      resolve({ code, output });
    });
  });
}

// What must exist before any TypeScript can run: packages and generated code; and the built dashboard. Plain Node, nothing installed.
import { spawn } from 'node:child_process';
import { existsSync, readFileSync, readdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = dirname(dirname(fileURLToPath(import.meta.url)));
const oldestNode = [20, 19];

/** Brings the checkout to where TypeScript runs; says what it does and does nothing twice. */
export async function prepare(say = console.log) {
  requireNode();
  if (!isInstalled()) {
    const command = existsSync(join(root, 'node_modules')) ? 'install' : 'ci';
    say(`Installing packages (npm ${command}); the first time this takes a minute …`);
    const seconds = stopwatch();
    await run('npm', [command, '--no-audit', '--no-fund', '--loglevel=error']);
    say(`Packages are installed (${seconds()} s).`);
  }
  const seconds = stopwatch();
  const { generate } = await import('../prisma/generate.mjs');
  if (await generate()) say(`Prisma client written from prisma/schema.prisma (${seconds()} s).`);
}

/** Writes the dashboard's client of the API where the API's document or the dashboard has changed. */
export async function prepareClient() {
  await run(process.execPath, ['dashboard/generate-client.mjs']);
}

/** Builds the dashboard where its sources are newer than what was built; returns whether there was anything to do. */
export async function buildDashboard(say = console.log) {
  await prepareClient();
  if (!dashboardIsOutdated()) return false;
  say('Building the dashboard …');
  const seconds = stopwatch();
  // Its warnings are for those who change how the dashboard is built: npm run build -w @clinic/dashboard shows them.
  // And it is for use, where a test or a shell has it built that says otherwise.
  await run(process.execPath, ['node_modules/vite/bin/vite.js', 'build', 'dashboard', '--logLevel', 'error'], {
    NODE_ENV: 'production',
  });
  say(`The dashboard is built (${seconds()} s).`);
  return true;
}

function stopwatch() {
  const startedAt = Date.now();
  return () => ((Date.now() - startedAt) / 1000).toFixed(1);
}

/** Runs a command to its end and shows what it prints; a signal to us ends it too. */
async function run(command, args, environment = {}) {
  const env = { ...process.env, ...environment };
  const child = spawn(command, args, { cwd: root, env, stdio: ['inherit', process.stderr, 'inherit'] });
  const forward = (signal) => child.kill(signal);
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'];
  for (const signal of signals) process.on(signal, forward);
  const how = await new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code, signal) => resolve(signal ?? code));
  });
  for (const signal of signals) process.off(signal, forward);
  if (how !== 0) throw new Error(`\`${command} ${args.join(' ')}\` failed (${how}). Its output above says why.`);
}

function requireNode() {
  const [major, minor] = process.versions.node.split('.').map(Number);
  if (major > oldestNode[0] || (major === oldestNode[0] && minor >= oldestNode[1])) return;
  throw new Error(`Node ${oldestNode.join('.')} or newer is needed; this is ${process.version}.`);
}

/** Whether what lies in node_modules is what package-lock.json asks for. */
function isInstalled() {
  const installedFile = join(root, 'node_modules', '.package-lock.json');
  if (!existsSync(installedFile)) return false;
  const wanted = readPackages(join(root, 'package-lock.json'));
  const installed = readPackages(installedFile);
  return Object.entries(wanted).every(
    ([path, { version, link, optional, peer }]) =>
      !path.startsWith('node_modules/') || link || optional || peer || installed[path]?.version === version,
  );
}

const readPackages = (file) => JSON.parse(readFileSync(file, 'utf8')).packages;

function dashboardIsOutdated() {
  const dashboard = join(root, 'dashboard');
  if (!existsSync(join(dashboard, 'vite.config.ts'))) return false;
  const built = statSync(join(dashboard, 'dist', 'index.html'), { throwIfNoEntry: false });
  return !built || newestIn(dashboard) > built.mtimeMs;
}

function newestIn(folder) {
  const entries = readdirSync(folder, { withFileTypes: true }).filter(
    ({ name }) => name !== 'dist' && name !== 'node_modules',
  );
  const times = entries.map((entry) => {
    const path = join(folder, entry.name);
    return entry.isDirectory() ? newestIn(path) : statSync(path).mtimeMs;
  });
  return Math.max(0, ...times);
}

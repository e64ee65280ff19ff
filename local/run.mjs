// `npm start`, `npm run demo` and the other commands of the local stack begin here: node local/run.mjs <command> [arguments]
import { mkdtempSync, readdirSync, rmdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildDashboard, prepare } from './prepare.mjs';

const [command = 'start', ...args] = process.argv.slice(2);

// a terminal that is closed must not keep us from stopping what was started
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});

// a stack of its own, before anything asks where the folder of the stack is
const isEphemeral = command === 'start' && args.includes('--ephemeral');
if (isEphemeral) process.env.LOCAL_FOLDER = mkdtempSync(join(tmpdir(), 'clinic-ephemeral-'));
const file = isEphemeral ? 'ephemeral' : command;

try {
  // what these print is read by programs
  const isRead = ['audit', 'clinic', 'ephemeral', 'pause', 'verify-dials', 'voice'].includes(file);
  await prepare(isRead ? console.error : console.log);
  const tsx = await import('tsx/cjs/api');
  tsx.register();
  const { main } = createRequire(import.meta.url)(`./${file}.ts`);
  await main(args, { buildDashboard });
} catch (error) {
  console.error(`\n${process.env.LOCAL_STACK_TRACE ? error.stack : error.message}`);
  process.exitCode = 1;
} finally {
  // what it held is gone with its processes, or was never there
  if (isEphemeral && readdirSync(process.env.LOCAL_FOLDER).length === 0) rmdirSync(process.env.LOCAL_FOLDER);
}

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
const operatorCommands = ['audit', 'clinic', 'migrate', 'pause', 'verify-dials', 'voice'];
const isOperators = operatorCommands.includes(command);
const file = isEphemeral ? 'ephemeral' : isOperators ? 'command' : command;

try {
  // what these print is read by programs
  const isRead = isEphemeral || isOperators;
  await prepare(isRead ? console.error : console.log);
  const { main } = await load(file);
  await main(isOperators ? [command, ...args] : args, { buildDashboard });
} catch (error) {
  console.error(`\n${process.env.LOCAL_STACK_TRACE ? error.stack : error.message}`);
  process.exitCode = 1;
} finally {
  // what it held is gone with its processes, or was never there
  if (isEphemeral && readdirSync(process.env.LOCAL_FOLDER).length === 0) rmdirSync(process.env.LOCAL_FOLDER);
}

/** From one file of JavaScript, written where it is older than the sources: to compile them at each start takes seconds. */
async function load(name) {
  const require = createRequire(import.meta.url);
  const tsx = await import('tsx/cjs/api');
  const stopCompiling = tsx.register();
  await require('./build.ts').buildCommands();
  stopCompiling();
  const { commands } = require('../dist/local.js');
  if (!(name in commands)) throw new Error(`There is no command ${name}.`);
  return commands[name]();
}

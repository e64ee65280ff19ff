// `npm start`, `npm run demo` and the other commands of the local stack begin here: node local/run.mjs <command> [arguments]
import { createRequire } from 'node:module';
import { buildDashboard, prepare } from './prepare.mjs';

const [command = 'start', ...args] = process.argv.slice(2);

// a terminal that is closed must not keep us from stopping what was started
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});

try {
  // what these print is read by programs
  await prepare(['audit', 'clinic', 'pause', 'verify-dials', 'voice'].includes(command) ? console.error : console.log);
  const tsx = await import('tsx/cjs/api');
  tsx.register();
  const { main } = createRequire(import.meta.url)(`./${command}.ts`);
  await main(args, { buildDashboard });
} catch (error) {
  console.error(`\n${process.env.LOCAL_STACK_TRACE ? error.stack : error.message}`);
  process.exitCode = 1;
}

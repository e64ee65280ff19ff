import { runCommand } from './program';

/** For deployments, with the environment of the API: `node dist/command.js clinic create --name … --timezone …`. */
async function main(): Promise<void> {
  const stopping = new AbortController();
  process.once('SIGINT', () => stopping.abort());
  process.exitCode = await runCommand(process.argv.slice(2), {
    inEnvironment: (work) => work(process.env, stopping.signal),
    migrationEnvironment: () => process.env,
    typedAs: (command) => `node dist/command.js ${command}`,
    print: (line) => console.log(line),
    created: () => {},
  });
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  // Not 1, by which a check says that something does not hold.
  process.exitCode = 2;
});

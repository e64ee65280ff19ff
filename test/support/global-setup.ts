import { startTestServers } from './servers';

declare global {
  var stopTestServers: (() => Promise<void>) | undefined;
}

/** Once for all test files: a real PostgreSQL and a real Temporal server, gone again afterwards. */
export default async function globalSetup(): Promise<void> {
  // Temporal's server lives for minutes here: its garbage is collected less often, for a tenth of its time.
  process.env.GOGC ??= '400';
  globalThis.stopTestServers = await startTestServers((line) => process.stderr.write(`${line}\n`));
}

declare global {
  var stopTestServers: (() => Promise<void>) | undefined;
}

/** Once for all test files: a real PostgreSQL and a real Temporal server, gone again afterwards. `npm test` starts them itself. */
export default async function globalSetup(): Promise<void> {
  if (process.env.CLINIC_TEST_SERVERS) return;
  const { startTestServers, wantedTemporal } = await import('./servers.js');
  const say = (line: string) => process.stderr.write(`${line}\n`);
  globalThis.stopTestServers = await startTestServers(say, { temporalKind: wantedTemporal() });
}

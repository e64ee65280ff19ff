import { createServer, type AddressInfo } from 'node:net';
import type { MetricsExporterConfig } from '@temporalio/worker';

const READ_WITHIN_MS = 2_000;

/**
 * The metrics of Temporal's SDK, with the names and units that Prometheus expects: the SDK's defaults are milliseconds without
 * a suffix. Its exporter is a server of its own, which listens on this machine alone: the worker's `/metrics` shows both.
 */
export async function sdkMetrics(): Promise<{ options: MetricsExporterConfig; read: () => Promise<string> }> {
  const bindAddress = `127.0.0.1:${await freePort()}`;
  return {
    options: {
      prometheus: { bindAddress, countersTotalSuffix: true, unitSuffix: true, useSecondsForDurations: true },
    },
    async read() {
      const response = await fetch(`http://${bindAddress}/metrics`, { signal: AbortSignal.timeout(READ_WITHIN_MS) });
      return response.text();
    },
  };
}

/** The exporter does not tell which port it was given where it is asked for any. */
function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => resolve(port));
    });
  });
}

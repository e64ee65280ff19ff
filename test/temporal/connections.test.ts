import { connectLazily, createClient } from '@clinic/temporal/client';
import { startTcpProxy } from '../proofs/faults/tcp-proxy';
import { eventually } from '../support/eventually';
import { testPayloadKeys } from '../support/histories';
import { freshNamespace, temporalAddress } from '../support/temporal';

test('a request to a Temporal that fell silent fails in time, and the connection is made anew', async () => {
  const port = Number(temporalAddress().split(':')[1]);
  const proxy = await startTcpProxy({ upstream: () => ({ port }) });
  const config = {
    TEMPORAL_ADDRESS: `127.0.0.1:${proxy.port}`,
    TEMPORAL_TLS: false,
    TEMPORAL_API_KEY: undefined,
    TEMPORAL_NAMESPACE: await freshNamespace(),
    PAYLOAD_KEYS: testPayloadKeys,
  };
  const connection = connectLazily(config);
  const { workflowService } = createClient(connection, config).connection;
  const isAnswered = () =>
    workflowService.getSystemInfo({}).then(
      () => true,
      () => false,
    );
  expect(await isAnswered()).toBe(true);

  proxy.weather({ kind: 'black-hole' });
  const askedAt = Date.now();
  const answered = await isAnswered();
  const failedAfterMs = Date.now() - askedAt;
  proxy.weather({ kind: 'clear' });
  const clearedAt = Date.now();
  await eventually(isAnswered, { within: 30_000 });
  const recoveredAfterMs = Date.now() - clearedAt;
  await connection.close();
  await proxy.close();

  expect(answered).toBe(false);
  expect(failedAfterMs).toBeLessThan(15_000);
  expect(recoveredAfterMs).toBeLessThan(30_000);
}, 240_000);

import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import { createServer } from 'node:tls';
import { NativeConnection } from '@temporalio/worker';
import { connectionOptions, connectLazily, createClient } from '@clinic/temporal/client';
import { generate } from 'selfsigned';
import { startTcpProxy } from '../proofs/faults/tcp-proxy';
import { eventually } from '../support/eventually';
import { testPayloadKeys } from '../support/histories';
import { freshNamespace, temporalAddress } from '../support/temporal';

test('client and worker reach a Temporal over TLS by the authority that is given, and none that another vouches for', async () => {
  const [authority, other] = await Promise.all([anAuthority('Ours'), anAuthority('Theirs')]);
  const { cert, private: key } = await generate(named('localhost'), {
    ca: { key: authority.private, cert: authority.cert },
    extensions: [{ name: 'subjectAltName', altNames: [{ type: 2, value: 'localhost' }] }],
  });
  const port = Number(temporalAddress().split(':')[1]);
  const front = createServer({ key, cert, ALPNProtocols: ['h2'] }, (socket) => {
    const server = connect(port, '127.0.0.1');
    for (const end of [socket, server]) end.on('error', () => [socket, server].map((each) => each.destroy()));
    socket.pipe(server).pipe(socket);
  }).listen(0, '127.0.0.1');
  await once(front, 'listening');
  const configOf = (ca: string) => ({
    TEMPORAL_ADDRESS: `localhost:${(front.address() as AddressInfo).port}`,
    TEMPORAL_TLS: true,
    TEMPORAL_TLS_CA: ca,
    TEMPORAL_API_KEY: undefined,
  });
  const asClient = async (ca: string) => {
    const connection = connectLazily(configOf(ca));
    const isReached = await connection
      .withDeadline(Date.now() + 3_000, () => connection.workflowService.getSystemInfo({}))
      .then(
        () => true,
        () => false,
      );
    await connection.close();
    return isReached;
  };
  const asWorker = (ca: string) =>
    NativeConnection.connect(connectionOptions(configOf(ca))).then(
      (connection) => connection.close().then(() => true),
      () => false,
    );

  const reached = [
    await asClient(authority.cert),
    await asWorker(authority.cert),
    await asClient(other.cert),
    await asWorker(other.cert),
  ];
  front.close();

  expect(reached).toEqual([true, true, false, false]);
});

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

const named = (value: string) => [{ name: 'commonName', value }];

const anAuthority = (name: string) =>
  generate(named(name), { extensions: [{ name: 'basicConstraints', cA: true, critical: true }] });

import { once } from 'node:events';
import { connect } from 'node:net';
import { startHealth } from '@clinic/worker/health';
import { freePort } from '@clinic/local/ports';

const token = 'Bearer metrics';

/** What a worker in this state says at a path. */
async function said(
  path: string,
  { hasStarted = true, isWorking = true, database = true, temporal = true, authorization = '' } = {},
): Promise<{ status: number; body: string; type: string | null }> {
  const port = await freePort();
  const health = await startHealth({
    port,
    hasStarted: () => hasStarted,
    isWorking: () => isWorking,
    isDatabaseReachable: () => Promise.resolve(database),
    isTemporalReachable: () => Promise.resolve(temporal),
    metrics: {
      read: () => Promise.resolve('cases_total 1'),
      contentType: 'text/plain; version=0.0.4',
      isPermitted: (given) => given === token,
    },
  });
  try {
    const response = await fetch(`http://127.0.0.1:${port}${path}`, { headers: { authorization } });
    return {
      status: response.status,
      body: await response.text(),
      type: response.headers.get('content-type'),
    };
  } finally {
    await health.close();
  }
}

const up = { database: 'ok', temporal: 'ok' };

test.each<[path: string, state: Parameters<typeof said>[1], status: number, body: object]>([
  ['/healthz', { hasStarted: false, isWorking: false, database: false, temporal: false }, 200, { status: 'ok' }],
  ['/startz', { hasStarted: false }, 503, { status: 'starting' }],
  ['/startz', { isWorking: false, database: false }, 200, { status: 'ok' }],
  ['/readyz', {}, 200, { status: 'ok', ...up }],
  ['/readyz', { isWorking: false }, 503, { status: 'unavailable', ...up }],
  ['/readyz', { database: false }, 503, { status: 'unavailable', ...up, database: 'unreachable' }],
  ['/readyz', { temporal: false }, 503, { status: 'unavailable', ...up, temporal: 'unreachable' }],
  ['/metrics', {}, 401, { statusCode: 401, error: 'Unauthorized' }],
  ['/metrics', { authorization: 'Bearer other' }, 401, { statusCode: 401, error: 'Unauthorized' }],
  ['/', {}, 404, { statusCode: 404, error: 'Not Found' }],
])('%s of a worker of which is true %j is %i', async (path, state, status, body) => {
  const answer = await said(path, state);

  expect(answer).toMatchObject({ status, type: 'application/json' });
  expect(JSON.parse(answer.body)).toMatchObject(body);
});

test('what it has counted is shown to whom it is permitted', async () => {
  expect(await said('/metrics', { authorization: token })).toEqual({
    status: 200,
    body: 'cases_total 1',
    type: 'text/plain; version=0.0.4',
  });
});

const allIsWell = {
  hasStarted: () => true,
  isWorking: () => true,
  isDatabaseReachable: async () => true,
  isTemporalReachable: async () => true,
};

test('a port that is taken is named with what to set', async () => {
  const port = await freePort();
  const metrics = { read: async () => '', contentType: 'text/plain', isPermitted: () => false };
  const first = await startHealth({ port, ...allIsWell, metrics });

  await expect(startHealth({ port, ...allIsWell, metrics })).rejects.toThrow(
    /cannot listen on port \d+: .*WORKER_PORT/,
  );

  await first.close();
  await (await startHealth({ port: undefined, ...allIsWell, metrics })).close();
});

test('a stop waits for no client that has asked half a question', async () => {
  const port = await freePort();
  const metrics = { read: async () => '', contentType: 'text/plain', isPermitted: () => false };
  const health = await startHealth({ port, ...allIsWell, metrics });
  const client = connect(port);
  client.write('GET /healthz HTTP/1.1\r\n');
  await once(client, 'connect');
  // Cut off, not said goodbye to.
  client.on('error', () => undefined);
  const isLeft = new Promise((resolve) => client.once('close', resolve));

  await health.close();

  await isLeft;
});

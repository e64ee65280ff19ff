import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';

export interface Health {
  close(): Promise<void>;
}

export interface HealthChecks {
  /** Nothing listens where this is not set. */
  port: number | undefined;
  /** Whether the worker has taken up its work, once. */
  hasStarted: () => boolean;
  /** Whether it takes work now: it does not while it stops. */
  isWorking: () => boolean;
  isDatabaseReachable: () => Promise<boolean>;
  isTemporalReachable: () => Promise<boolean>;
  /** What `/metrics` shows to whom it is permitted. */
  metrics: {
    read: () => Promise<string>;
    contentType: string;
    isPermitted: (authorization: string | undefined) => boolean;
  };
}

/** Says over HTTP how a process without routes of its own is: `/healthz` it lives, `/startz` it has started, `/readyz` it works, `/metrics` what it has counted. */
export async function startHealth(checks: HealthChecks): Promise<Health> {
  const { port } = checks;
  if (port === undefined) return { close: () => Promise.resolve() };
  const server = createServer((request, response) => void respond(request, response, checks));
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) =>
      reject(new Error(`The worker cannot listen on port ${port}: ${error.message}. Set WORKER_PORT to another one.`)),
    );
    server.listen(port, resolve);
  });
  return {
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function respond(request: IncomingMessage, response: ServerResponse, checks: HealthChecks): Promise<void> {
  if (request.url === '/metrics' && checks.metrics.isPermitted(request.headers.authorization)) {
    const { read, contentType } = checks.metrics;
    const headers = { 'content-type': contentType, 'cache-control': 'no-store', connection: 'close' };
    response.writeHead(200, headers).end(await read());
    return;
  }
  const { status, body } = await answer(request.url ?? '', checks);
  const headers = { 'content-type': 'application/json', 'cache-control': 'no-store', connection: 'close' };
  response.writeHead(status, headers).end(JSON.stringify(body));
}

async function answer(path: string, checks: HealthChecks): Promise<{ status: number; body: unknown }> {
  switch (path) {
    case '/healthz':
      return { status: 200, body: { status: 'ok' } };
    case '/startz':
      return checks.hasStarted()
        ? { status: 200, body: { status: 'ok' } }
        : { status: 503, body: { status: 'starting' } };
    case '/readyz': {
      const [database, temporal] = await Promise.all([checks.isDatabaseReachable(), checks.isTemporalReachable()]);
      const isReady = checks.isWorking() && database && temporal;
      const word = (isUp: boolean) => (isUp ? 'ok' : 'unreachable');
      return {
        status: isReady ? 200 : 503,
        body: { status: isReady ? 'ok' : 'unavailable', database: word(database), temporal: word(temporal) },
      };
    }
    case '/metrics':
      return {
        status: 401,
        body: { statusCode: 401, message: 'The metrics token is missing or wrong', error: 'Unauthorized' },
      };
    default:
      return { status: 404, body: { statusCode: 404, message: 'Not a route of the worker', error: 'Not Found' } };
  }
}

import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { requestLog } from '@clinic/api/http/request-log';
import { createMetrics } from '@clinic/api/metrics';
import { createLog } from '@clinic/shared/log';
import express from 'express';
import { eventually } from '../support/eventually';

test('a request that only waits for something to happen is no load, and is not taken off twice', async () => {
  const load = { inFlight: 0 };
  const held: ServerResponse[] = [];
  const app = express();
  app.use(requestLog(createLog({ process: 'test', level: 'silent' }), createMetrics().requests, load));
  app.get('/works', (_request, response) => void held.push(response));
  app.get('/waits', (request, response) => {
    request.rest();
    held.push(response);
  });
  const server = createServer(app).listen(0);
  const { port } = server.address() as AddressInfo;
  const answers = ['/works', '/waits'].map((path) => fetch(`http://127.0.0.1:${port}${path}`));

  await eventually(() => held.length === 2);
  const whileHeld = load.inFlight;
  for (const response of held) response.end();
  await Promise.all(answers.map(async (answer) => (await answer).text()));
  await new Promise((resolve) => server.close(resolve));

  expect(whileHeld).toBe(1);
  await eventually(() => load.inFlight === 0);
});

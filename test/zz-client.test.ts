import { writeFileSync } from 'node:fs';
import { startApp } from './support/app';
test('writes the document', async () => {
  const app = await startApp({ hasWorker: false });
  writeFileSync('/tmp/trust-openapi.json', (await app.request('GET', '/openapi.json')).text);
  await app.stop();
  expect(1).toBe(1);
}, 60_000);

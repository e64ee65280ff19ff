import { writeFileSync } from 'node:fs';
import { startApp } from '../support/app';

test('dump', async () => {
  const app = await startApp({ hasWorker: false });
  const { text } = await app.request('GET', '/openapi.json');
  writeFileSync('/tmp/voice-openapi.json', text);
  await app.stop();
}, 60_000);

import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { setTimeout as delay } from 'node:timers/promises';
import { deadline } from '@clinic/shared/deadline';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

test('of several that are combined each aborts at its time, though nothing refers to it and garbage is collected meanwhile', async () => {
  let aborted = 0;
  const begin = () => {
    const combined = AbortSignal.any([new AbortController().signal, deadline(200)]);
    combined.addEventListener('abort', () => (aborted += 1), { once: true });
  };
  for (let each = 0; each < 100; each += 1) begin();
  for (let each = 0; each < 3; each += 1) {
    await delay(50);
    collectGarbage();
  }
  expect(aborted).toBe(0);

  await delay(250);

  expect(aborted).toBe(100);
});

test('the reason is a TimeoutError, and a process may end before', async () => {
  const signal = deadline(1);
  await delay(20);

  expect(signal.aborted).toBe(true);
  expect(signal.reason).toMatchObject({ name: 'TimeoutError' });
});

import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { setTimeout as delay } from 'node:timers/promises';
import { deadline } from '@clinic/shared/deadline';
import { eventually } from '../support/eventually';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

test('of several that are combined each aborts at its time, though nothing refers to it and garbage is collected meanwhile', async () => {
  let aborted = 0;
  const begin = () => {
    const combined = deadline(200, new AbortController().signal);
    combined.addEventListener('abort', () => (aborted += 1), { once: true });
  };
  for (let each = 0; each < 100; each += 1) begin();
  collectGarbage();
  await delay(0);
  collectGarbage();

  await eventually(() => aborted === 100);
});

test('the reason is a TimeoutError, and a process may end before', async () => {
  const signal = deadline(1);
  await eventually(() => signal.aborted);

  expect(signal.reason).toMatchObject({ name: 'TimeoutError' });
});

test('it aborts with the first of several, with its reason, also where that was aborted before', () => {
  const [one, other] = [new AbortController(), new AbortController()];
  const signal = deadline(60_000, one.signal, other.signal);
  other.abort('enough');

  expect([signal.reason, deadline(60_000, other.signal).reason]).toEqual(['enough', 'enough']);
});

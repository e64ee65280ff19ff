import { createSessionCache } from '@clinic/accounts/session-cache';

const ada = { sessionId: 'session-1', accountId: 'ada', clinicId: 'harbor' };
const bo = { sessionId: 'session-2', accountId: 'bo', clinicId: null };

let now = Date.parse('2026-11-21T12:00:00Z');
const aCache = (capacity = 10) =>
  createSessionCache<typeof ada | typeof bo>({ clock: () => now, keepMs: 1_000, capacity });

test('a session is loaded once while it is remembered, and again afterwards', async () => {
  const cache = aCache();
  const load = jest.fn(() => Promise.resolve(ada));

  await cache.through('key', load);
  now += 999;
  await cache.through('key', load);
  expect(load).toHaveBeenCalledTimes(1);
  now += 1;
  await cache.through('key', load);
  expect(load).toHaveBeenCalledTimes(2);
});

test('that there is no session is never remembered', async () => {
  const cache = aCache();

  expect(await cache.through('key', () => Promise.resolve(null))).toBeNull();
  expect(await cache.through('key', () => Promise.resolve(ada))).toEqual(ada);
});

test.each([
  ['key', 'key'],
  ['session', 'session-1'],
  ['account', 'ada'],
  ['everything', '*'],
])('a session is dropped by its %s', async (_, id) => {
  const cache = aCache();
  await cache.through('key', () => Promise.resolve(ada));

  cache.drop(id);

  expect(await cache.through('key', () => Promise.resolve(null))).toBeNull();
});

test('dropping one session leaves the others', async () => {
  const cache = aCache();
  await cache.through('one', () => Promise.resolve(ada));
  await cache.through('other', () => Promise.resolve(bo));

  cache.drop('ada');

  expect(await cache.through('other', () => Promise.resolve(null))).toEqual(bo);
});

test('what was read before a drop is not remembered after it', async () => {
  const cache = aCache();
  let finish: (session: typeof ada | typeof bo) => void = () => undefined;
  const reading = cache.through('key', () => new Promise((resolve) => (finish = resolve)));

  cache.drop('another');
  finish(ada);

  expect(await reading).toEqual(ada);
  expect(await cache.through('key', () => Promise.resolve(null))).toBeNull();
});

test('of more sessions than there is room for, the oldest is forgotten', async () => {
  const cache = aCache(2);
  for (const key of ['one', 'two', 'three']) await cache.through(key, () => Promise.resolve(ada));

  expect(await cache.through('one', () => Promise.resolve(null))).toBeNull();
  expect(await cache.through('three', () => Promise.resolve(null))).toEqual(ada);
});

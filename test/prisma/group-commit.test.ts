import { setTimeout as delay } from 'node:timers/promises';
import { createGroupCommit } from '@clinic/prisma/group-commit';

/** Commits that end when they are told to. An item that starts with `bad` cannot be stored. */
function heldCommits(about: { maxBatch?: number; maxWaitMs?: number; lanes?: number } = {}) {
  const batches: string[][] = [];
  const alone: boolean[] = [];
  const under: { end: () => void }[] = [];
  const add = createGroupCommit({
    ...about,
    laneOf: (item: string) => item.length,
    async commit(items: readonly string[], { isAlone }: { isAlone: boolean }) {
      batches.push([...items]);
      alone.push(isAlone);
      await new Promise<void>((resolve) => under.push({ end: resolve }));
      if (items.some((item) => item.startsWith('bad'))) throw new Error('cannot be stored');
      return items.map((item) => `${item} stored`);
    },
  });
  const endFirst = async () => {
    under.shift()?.end();
    await delay(0);
  };
  const endAll = async () => {
    while (under.length > 0) await endFirst();
  };
  return { batches, alone, add, endFirst, endAll };
}

test('one that comes alone is committed at once; what comes meanwhile goes together into the next commit', async () => {
  const { batches, add, endAll } = heldCommits();

  const stored = Promise.all(['a', 'b', 'c'].map(add));
  await endAll();

  expect(await stored).toEqual(['a stored', 'b stored', 'c stored']);
  expect(batches).toEqual([['a'], ['b', 'c']]);
});

test.each(['a', 'bad'])(
  'one that comes after the last commit (%s) has ended is committed at once too',
  async (first) => {
    const { batches, add, endAll } = heldCommits();
    const stored = Promise.allSettled([add(first), add('b')]);
    await endAll();
    await stored;
    const before = batches.length;

    const late = add('c');
    const begun = batches.slice(before);
    await endAll();

    expect(begun).toEqual([['c']]);
    expect(await late).toBe('c stored');
  },
);

test('a batch holds sixty-four where nothing else is said', async () => {
  const { batches, add, endAll } = heldCommits();

  const stored = Promise.all(Array.from({ length: 66 }, () => add('a')));
  await endAll();
  await stored;

  expect(batches.map(({ length }) => length)).toEqual([1, 64, 1]);
});

test('it is behind while something waits for the commit before its own, and not for its own alone', async () => {
  const { add, endFirst, endAll } = heldCommits();
  const first = add('a');
  const whileOneIsCommitted = add.isBehind();
  const second = add('b');
  const whileOneWaits = add.isBehind();
  await endFirst();
  const afterwards = add.isBehind();
  await endAll();
  await Promise.all([first, second]);

  expect([whileOneIsCommitted, whileOneWaits, afterwards]).toEqual([false, true, false]);
});

test('one that cannot be stored fails alone', async () => {
  const { batches, alone, add, endAll } = heldCommits();

  const stored = Promise.allSettled(['a', 'b', 'bad', 'c'].map(add));
  await endAll();

  const ends = (await stored).map(({ status }) => status);
  expect(ends).toEqual(['fulfilled', 'fulfilled', 'rejected', 'fulfilled']);
  expect(batches).toEqual([['a'], ['b', 'bad', 'c'], ['b'], ['bad'], ['c']]);
  expect(alone).toEqual([false, false, true, true, true]);
});

test('a batch holds no more than it may, and lanes do not wait for each other', async () => {
  const { batches, add, endAll } = heldCommits({ lanes: 2, maxBatch: 2 });

  const stored = Promise.all(['a', 'b', 'c', 'd', 'other lane'].map(add));
  await delay(0);
  const atOnce = structuredClone(batches);
  await endAll();
  await stored;

  expect(atOnce).toEqual([['a'], ['other lane']]);
  expect(batches).toEqual([['a'], ['other lane'], ['b', 'c'], ['d']]);
});

test.each<[waiting: number, sizes: number[]]>([
  [63, [1, 63]],
  [64, [1, 64]],
  [65, [1, 64, 1]],
  [129, [1, 64, 64, 1]],
])('of %s that wait, no more than 64 are stored together where nothing else is said', async (waiting, sizes) => {
  const { batches, add, endAll } = heldCommits();

  const stored = Promise.all(Array.from({ length: waiting + 1 }, () => add('a')));
  await endAll();

  expect(await stored).toHaveLength(waiting + 1);
  expect(batches.map(({ length }) => length)).toEqual(sizes);
});

test('who has waited as long as anybody waits is refused and not stored, who came later is not', async () => {
  const { batches, add, endAll } = heldCommits({ maxWaitMs: 200 });
  const first = add('a');
  const second = add('b').catch((error: unknown) => error);
  await delay(150);
  const third = add('c');

  const waited = await second;
  await endAll();

  expect(waited).toMatchObject({ code: 'unavailable' });
  expect(await Promise.all([first, third])).toEqual(['a stored', 'c stored']);
  expect(batches).toEqual([['a'], ['c']]);
});

test('what has taken so long that nobody waited for it is not tried again when it fails', async () => {
  const { batches, add, endFirst, endAll } = heldCommits({ maxWaitMs: 50 });
  const first = add('a');
  const others = Promise.allSettled([add('bad'), add('c')]);
  await endFirst();
  await first;
  await delay(80);
  await endAll();

  expect((await others).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(batches).toEqual([['a'], ['bad', 'c']]);
});

import { inBatches, pagesOf } from '@clinic/worker/in-batches';

const numbers = (count: number) => Array.from({ length: count }, (_, index) => index);

test('each item is worked on, sixteen at once at most; what fails stops none of the others', async () => {
  let atOnce = 0;
  let most = 0;
  const seen: number[] = [];
  const result = await inBatches(numbers(40), new AbortController().signal, async (item) => {
    atOnce += 1;
    most = Math.max(most, atOnce);
    await Promise.resolve();
    seen.push(item);
    atOnce -= 1;
    if (item % 10 === 3) throw new Error(`of ${item}`);
  });

  expect([seen.toSorted((one, other) => one - other), most]).toEqual([numbers(40), 16]);
  expect(result.done).toBe(36);
  expect(result.failures.map(String)).toEqual([3, 13, 23, 33].map((item) => `Error: of ${item}`));
});

test('nothing more is begun once it is to end', async () => {
  const ending = new AbortController();
  const begun: number[] = [];
  const work = (item: number) => {
    begun.push(item);
    ending.abort();
    return Promise.resolve();
  };

  expect(await inBatches(numbers(40), ending.signal, work)).toEqual({ done: 16, failures: [] });
  expect(begun).toEqual(numbers(16));
  expect(await inBatches(numbers(40), ending.signal, work)).toEqual({ done: 0, failures: [] });
});

test.each([
  [0, [], ['']],
  [999, [999], ['']],
  [1_000, [1_000], ['', '999']],
  [1_001, [1_000, 1], ['', '999']],
])('%s rows are read in pages of a thousand', async (count, sizes, asked) => {
  const rows = numbers(count).map(String);
  const after: string[] = [];
  const read = (key: string, limit: number) => {
    after.push(key);
    const from = key === '' ? 0 : rows.indexOf(key) + 1;
    return Promise.resolve(rows.slice(from, from + limit));
  };

  const pages: string[][] = [];
  for await (const page of pagesOf((row: string) => row, read)) pages.push(page);

  expect(pages.map(({ length }) => length)).toEqual(sizes);
  expect(pages.flat()).toEqual(rows);
  expect(after).toEqual(asked);
});

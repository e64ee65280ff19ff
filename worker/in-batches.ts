const AT_ONCE = 16;
const PAGE = 1_000;

/**
 * Does the work for each item, some at once, and begins none once `signal` is aborted. A failure stops none of the others.
 * Returns how many succeeded, and what came of those that failed.
 */
export async function inBatches<Item>(
  items: Item[],
  signal: AbortSignal,
  work: (item: Item) => Promise<unknown>,
): Promise<{ done: number; failures: unknown[] }> {
  const failures: unknown[] = [];
  let done = 0;
  for (let from = 0; from < items.length && !signal.aborted; from += AT_ONCE) {
    const results = await Promise.allSettled(items.slice(from, from + AT_ONCE).map(work));
    const failed = results.filter((result) => result.status === 'rejected');
    failures.push(...failed.map(({ reason }) => reason as unknown));
    done += results.length - failed.length;
  }
  return { done, failures };
}

/** Rows in the order of an id, a page at a time; `read` takes those after one, `limit` at most. */
export async function* pagesOf<Row>(
  keyOf: (row: Row) => string,
  read: (after: string, limit: number) => Promise<Row[]>,
): AsyncGenerator<Row[]> {
  for (let after = ''; ;) {
    const rows = await read(after, PAGE);
    if (rows.length > 0) yield rows;
    const last = rows.at(-1);
    if (rows.length < PAGE || last === undefined) return;
    after = keyOf(last);
  }
}

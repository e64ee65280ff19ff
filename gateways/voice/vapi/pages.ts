const PAGE_SIZE = 100;

/** A list of the platform's, newest first, page by page: each page begins where the one before it ended. */
export async function readAll<Item extends { id: string; createdAt: string }>(
  readPage: (query: { limit: number; createdAtLe?: string }) => Promise<Item[]>,
): Promise<Item[]> {
  const found = new Map<string, Item>();
  for (let createdAtLe: string | undefined; ;) {
    const page = await readPage({ limit: PAGE_SIZE, createdAtLe });
    const fresh = page.filter(({ id }) => !found.has(id));
    for (const item of fresh) found.set(item.id, item);
    const last = page.map(({ createdAt }) => createdAt).toSorted()[0];
    if (page.length < PAGE_SIZE || fresh.length === 0 || last === undefined) return [...found.values()];
    createdAtLe = last;
  }
}

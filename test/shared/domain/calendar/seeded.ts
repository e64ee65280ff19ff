/** A small repeatable random source; SEED=… runs the same cases again. */
export interface Seeded {
  seed: number;
  /** A whole number from 0 up to, not including, the limit. */
  below(limit: number): number;
  pick<Item>(items: readonly Item[]): Item;
}

export function seeded(): Seeded {
  const seed = process.env.SEED === undefined ? Math.floor(Math.random() * 2 ** 31) : Number(process.env.SEED);
  let state = seed;
  const next = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (limit: number) => Math.floor(next() * limit);
  return { seed, below, pick: (items) => items[below(items.length)]! };
}

/** Chance that can be repeated: the same seed draws the same. */
export interface Random {
  /** From `min` to `max`, both included. */
  whole(min: number, max: number): number;
  between(min: number, max: number): number;
  chance(probability: number): boolean;
  /** Of a list that is not empty. */
  pick<T>(list: readonly T[]): T;
  /** An index, each by its weight. */
  weighed(weights: readonly number[]): number;
  /** A source of its own, so that what one part draws never changes what another draws. */
  fork(name: string): Random;
}

export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  // Mulberry32: small, and good enough to choose people, moments and faults.
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const between = (min: number, max: number): number => min + next() * (max - min);
  return {
    between,
    whole: (min, max) => Math.floor(between(min, max + 1)),
    chance: (probability) => next() < probability,
    pick: (list) => list[Math.floor(next() * list.length)] as (typeof list)[number],
    weighed(weights) {
      let left = next() * weights.reduce((sum, weight) => sum + weight, 0);
      return Math.max(
        0,
        weights.findIndex((weight) => (left -= weight) < 0),
      );
    },
    fork: (name) => createRandom(hash(`${seed}/${name}`)),
  };
}

/** FNV-1a. */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (const character of text) value = Math.imul(value ^ (character.codePointAt(0) ?? 0), 0x01000193);
  return value >>> 0;
}

import { createHash } from 'node:crypto';
import type { Mutant } from './mutant';

/**
 * All mutants in the order in which a seed draws them, at most one on a line: each line that a fault can stand on is as likely as
 * any other, so that a room has its share by the size of its code. A line keeps its place in the order while others change.
 */
export function draw(mutants: Mutant[], seed: number): Mutant[] {
  const lines = new Map<string, Mutant[]>();
  for (const mutant of mutants) {
    const place = `${mutant.file}:${mutant.line}`;
    lines.set(place, [...(lines.get(place) ?? []), mutant]);
  }
  const seen = new Map<string, number>();
  return [...lines.values()]
    .flatMap((ofLine) => {
      const [first] = ofLine;
      if (!first) return [];
      const key = `${first.file} ${first.at}`;
      const times = (seen.get(key) ?? 0) + 1;
      seen.set(key, times);
      const lot = lotOf(`${seed} ${key} ${times}`);
      return [{ lot, mutant: ofLine[parseInt(lot.slice(0, 8), 16) % ofLine.length] ?? first }];
    })
    .toSorted((one, other) => (one.lot < other.lot ? -1 : 1))
    .map(({ mutant }) => mutant);
}

const lotOf = (text: string) => createHash('sha256').update(text).digest('hex');

import nodeCrypto from 'node:crypto';
import { newId } from '@clinic/shared/crypto';

export interface SeededRandom {
  /** What node:crypto gives out meanwhile comes from the seed, in the order in which it is asked for. */
  during<T>(work: () => Promise<T>): Promise<T>;
}

/**
 * For clinics that are made again from a seed, in a stack that is thrown away: the service itself has no such switch, so that nobody
 * can turn it on. The time that ids begin with stands still as well.
 */
export function seededRandom(seed: string): SeededRandom {
  const counts = new Map<string, number>();
  /** A stream for each size: what a connection to the database asks for in between changes nothing of the others. */
  const next = (size: number): Buffer => {
    const stream = `${seed}/${size}`;
    const count = counts.get(stream) ?? 0;
    counts.set(stream, count + 1);
    const block = (index: number) => nodeCrypto.createHash('sha512').update(`${stream}/${count}/${index}`).digest();
    return Buffer.concat(Array.from({ length: Math.ceil(size / 64) }, (_, index) => block(index))).subarray(0, size);
  };

  return {
    async during(work) {
      const { randomBytes, randomUUID } = nodeCrypto;
      const { now } = Date;
      const asUuid = (bytes: string) =>
        `${bytes.slice(0, 8)}-${bytes.slice(8, 12)}-4${bytes.slice(13, 16)}-8${bytes.slice(17, 20)}-${bytes.slice(20, 32)}`;
      Object.assign(nodeCrypto, {
        randomBytes: (size: number) => next(size),
        randomUUID: () => asUuid(next(16).toString('hex')),
      });
      // The ids of a millisecond are counted, from its first.
      Date.now = () => SEEDED_AT - 1;
      newId();
      Date.now = () => SEEDED_AT;
      try {
        return await work();
      } finally {
        Object.assign(nodeCrypto, { randomBytes, randomUUID });
        Date.now = now;
      }
    },
  };
}

/** The beginning of 2026. */
const SEEDED_AT = Date.UTC(2026, 0, 1);

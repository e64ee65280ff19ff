import type { Total } from '@clinic/shared/contracts/primitives';

export type { Total };

/** Nobody counts on from here. */
export const MAX_COUNTED = 1_000;
/** So many of the newest rows are looked through for what no one index finds. */
const MAX_READ = 20_000;

/** What was found of a list, for `boundedTotal`. */
export async function countUpTo(found: Promise<{ ids: string[]; isCut: boolean }>) {
  const { ids, isCut } = await found;
  return { count: ids.length, isCut };
}

/** Of rows that were counted up to one more than `MAX_COUNTED`. */
export const totalOf = (counted: number): Total => ({
  count: Math.min(counted, MAX_COUNTED),
  isMore: counted > MAX_COUNTED,
});

interface Span {
  from?: string;
  until?: string;
}

/** What the generated client offers of a table whose rows have an instant `At`. */
interface Rows<At extends string> {
  findFirst(asked: object): PromiseLike<Record<At, Date> | null>;
  count(asked: object): PromiseLike<number>;
}

/** What `boundedTotal` wants of a table in which a clinic's rows are listed by `at`, the newest first. */
export function newestRows<At extends string>(rows: Rows<At>, clinicId: string, at: At) {
  const orderBy = [{ [at]: 'desc' }, { id: 'desc' }];
  return {
    async newest({ until, skip }: { until?: string; skip: number }): Promise<Date | null> {
      const where = { clinicId, [at]: { lt: until } };
      const row = await rows.findFirst({ where, orderBy, skip, select: { [at]: true } });
      return row?.[at] ?? null;
    },
    /** Up to one more than `MAX_COUNTED`. */
    async countUpTo(where: object): Promise<number> {
      return rows.count({ where, orderBy, take: MAX_COUNTED + 1 });
    },
  };
}

/**
 * Counts what a filter finds up to `MAX_COUNTED`. One condition beside the days has its index; several together, and `slow` ones,
 * are looked for among the newest rows alone, so that counting never reads a clinic's whole table.
 */
export async function boundedTotal<Filter extends Span>(
  filter: Filter,
  {
    slow = [],
    newest,
    count,
  }: {
    /** Conditions that no index has. */
    slow?: readonly (keyof Filter)[];
    /** When the row is from that comes after so many newer ones of before `until`; null where there are fewer. */
    newest: (of: { until?: string; skip: number }) => Promise<Date | null>;
    /** Rows that the filter finds, up to one more than `MAX_COUNTED`; with `isCut` where some may have been left out. */
    count: (filter: Filter) => Promise<number | { count: number; isCut: boolean }>;
  },
): Promise<Total> {
  const { from, until, ...conditions } = filter;
  const asked = Object.entries(conditions).flatMap(([name, value]) => (value === undefined ? [] : [name]));
  const isSlow = asked.length > 1 || asked.some((name) => slow.some((each) => each === name));
  const oldest = isSlow ? await newest({ until, skip: MAX_READ }) : null;
  const isFloor = oldest !== null && (from === undefined || oldest.getTime() > Date.parse(from));
  const counted = await count(isFloor ? { ...filter, from: oldest.toISOString() } : filter);
  const { count: found, isCut } = typeof counted === 'number' ? { count: counted, isCut: false } : counted;
  const total = totalOf(found);
  return { ...total, isMore: total.isMore || isFloor || isCut };
}

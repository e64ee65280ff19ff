import type { Database } from '../client';
import type { Sql } from '../sql';

/** So many matches are read and sorted; where there are more, the newest rows are looked through instead. */
const FEW = 2_000;
const NEWEST = 20_000;

/** The last row of the page before. */
export interface After {
  at: Date | null;
  id: string | null;
}

export const afterOf = (position: { at: Date; id: string } | null): After => position ?? { at: null, id: null };

/** How one list is searched. Each read returns the ids of a page and of one row more, newest first. */
export interface SearchReads {
  /** By the index over words. `matches` counts what they find; where it comes to `atMost` there is no page. */
  byWords(tx: Sql, words: { patterns: string[]; atMost: number }): Promise<{ matches: number; id: string | null }[]>;
  /** What matches among the newest `atMost` rows. */
  amongNewest(tx: Sql, words: { patterns: string[]; atMost: number }): Promise<{ id: string }[]>;
}

/**
 * The ids of a page of what is found by `search`, as a person typed it: `search_patterns` says what it means. Rare words are
 * found by the index over words, common ones among the newest rows, so that neither reads a clinic's whole table.
 */
export function searched(
  { transaction }: Database,
  { search, limit }: { search: string; limit: number },
  { byWords, amongNewest }: SearchReads,
): Promise<string[]> {
  return transaction(async (tx) => {
    const patterns = await patternsOf(tx, search);
    const few = await byWords(tx, { patterns, atMost: FEW + 1 });
    if ((few[0]?.matches ?? 0) <= FEW) return idsOf(few);
    const newest = await amongNewest(tx, { patterns, atMost: NEWEST });
    // Where they do not fill the page, what is common was not so of late.
    return idsOf(newest.length > limit ? newest : await byWords(tx, { patterns, atMost: EVERY }));
  });
}

const EVERY = 1_000_000_000;

const idsOf = (rows: { id: string | null }[]) => rows.flatMap(({ id }) => id ?? []);

/** A join reads what it needs by index: what a word matches in one clinic, the statistics of all of them do not say. */
async function patternsOf(tx: Sql, search: string): Promise<string[]> {
  const [asked] = await tx<{ patterns: string[] }>`
    select coalesce(search_patterns(${search}), '{}') as patterns
    from set_config('enable_seqscan', 'off', true) scan, set_config('enable_hashjoin', 'off', true) hash,
      set_config('enable_mergejoin', 'off', true) merge, set_config('plan_cache_mode', 'force_custom_plan', true) custom`;
  return asked?.patterns ?? [];
}

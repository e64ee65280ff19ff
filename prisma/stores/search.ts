import type { Database } from '../client';
import type { Sql } from '../sql';
import type { Position } from './cursor';

/** So many of the first rows tell how common words are. */
const SAMPLE = 1_000;
/** Words that fill a page with so many of the first rows are not looked for by their index, which reads all that it finds. */
const FIRST_FOR_COMMON_WORDS = 12_500;
/** So many matches are read and sorted; where there are more, the first rows are looked through. */
const MAX_SORTED_MATCHES = 2_000;
const FIRST_FOR_MANY_MATCHES = 20_000;

/** LIKE patterns, all of which the text that is searched must match; or all of `orPatterns`. */
interface Words {
  patterns: string[];
  /** None for what can be meant in one way alone. */
  orPatterns: string[];
  atMost: number;
}

/** How one list is searched. Each read returns the ids of a page and of one row more, in the order of the list. */
export interface SearchReads {
  /** By the index over words. `matches` counts what they find; where it comes to `atMost` there is no page. */
  byWords(tx: Sql, words: Words): Promise<{ matches: number; id: string | null }[]>;
  /** What matches among the first `atMost` rows, which are the newest or the oldest. Nothing is read beyond what fills the page. */
  amongFirst(tx: Sql, words: Words): Promise<{ id: string }[]>;
}

export interface Search {
  /** As a person typed it: `search_patterns` says what it means. */
  search: string;
  /** What it may mean as well. */
  orSearch?: string;
  limit: number;
  /** What is counted may be cut, so that counting reads no more than a page does. */
  isCounted?: boolean;
}

/** Which rows of a list are read: from a position on, as many as `limit` and one more. */
export interface Page {
  limit: number;
  position?: Position | null;
  isCounted?: boolean;
}

export interface Found {
  /** Of a page and of one row more, in the order of the list. */
  ids: string[];
  /** There are more than these, or may be. */
  isCut: boolean;
}

export const nothingFound: Found = { ids: [], isCut: false };

/**
 * What is found by `search`.
 * Common words are found among the first rows and rare ones by the index over words, so that neither reads a clinic's whole table.
 */
export function searchedIn(
  { transaction }: Database,
  { search, orSearch, limit, isCounted = false }: Search,
  { byWords, amongFirst }: SearchReads,
): Promise<Found> {
  return transaction(async (tx) => {
    const words = await wordsOf(tx, search, orSearch);
    const pageOf = (rows: { id: string | null }[], isCut = rows.length > limit): Found => ({
      ids: rows.flatMap(({ id }) => id ?? []),
      isCut,
    });
    const sample = await amongFirst(tx, { ...words, atMost: SAMPLE });
    if (sample.length > limit) return pageOf(sample);
    if (sample.length * (FIRST_FOR_COMMON_WORDS / SAMPLE) > limit) {
      const near = await amongFirst(tx, { ...words, atMost: FIRST_FOR_COMMON_WORDS });
      if (near.length > limit) return pageOf(near);
    }
    const few = await byWords(tx, { ...words, atMost: MAX_SORTED_MATCHES + 1 });
    if ((few[0]?.matches ?? 0) <= MAX_SORTED_MATCHES) return pageOf(few);
    const far = await amongFirst(tx, { ...words, atMost: FIRST_FOR_MANY_MATCHES });
    if (far.length > limit || isCounted) return pageOf(far, true);
    // Where they do not fill the page, what is common is not so at this end of the list.
    return pageOf(await byWords(tx, { ...words, atMost: NO_LIMIT }));
  });
}

const NO_LIMIT = 1_000_000_000;

/** A join reads what it needs by index: what a word matches in one clinic, the statistics of all of them do not say. */
async function wordsOf(tx: Sql, search: string, orSearch?: string): Promise<Omit<Words, 'atMost'>> {
  const [asked] = await tx<{ patterns: string[]; orPatterns: string[] }>`
    select coalesce(search_patterns(${search}), '{}') as patterns, coalesce(search_patterns(${orSearch}), '{}') as "orPatterns"
    from set_config('enable_seqscan', 'off', true) scan, set_config('enable_hashjoin', 'off', true) hash,
      set_config('enable_mergejoin', 'off', true) merge, set_config('plan_cache_mode', 'force_custom_plan', true) custom`;
  return asked ?? { patterns: [], orPatterns: [] };
}

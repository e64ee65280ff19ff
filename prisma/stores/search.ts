import type { Database } from '../client';
import type { Sql } from '../sql';
import type { Position } from './cursor';

/** So many of the newest rows tell how common words are. */
const SAMPLE = 1_000;
/** Words that fill a page with so many of the newest rows are not looked for by their index, which reads all that it finds. */
const NEWEST_FOR_COMMON_WORDS = 12_500;
/** So many matches are read and sorted; where there are more, the newest rows are looked through. */
const MAX_SORTED_MATCHES = 2_000;
const NEWEST_FOR_MANY_MATCHES = 20_000;

/** How one list is searched. Each read returns the ids of a page and of one row more, newest first. */
export interface SearchReads {
  /** By the index over words. `matches` counts what they find; where it comes to `atMost` there is no page. */
  byWords(tx: Sql, words: { patterns: string[]; atMost: number }): Promise<{ matches: number; id: string | null }[]>;
  /** What matches among the newest `atMost` rows. Nothing is read beyond what fills the page. */
  amongNewest(tx: Sql, words: { patterns: string[]; atMost: number }): Promise<{ id: string }[]>;
}

export interface Search {
  /** As a person typed it: `search_patterns` says what it means. */
  search: string;
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
  /** Of a page and of one row more, newest first. */
  ids: string[];
  /** There are older ones than these, or may be. */
  isCut: boolean;
}

export const nothingFound: Found = { ids: [], isCut: false };

/**
 * What is found by `search`.
 * Common words are found among the newest rows and rare ones by the index over words, so that neither reads a clinic's whole table.
 */
export function searchedIn(
  { transaction }: Database,
  { search, limit, isCounted = false }: Search,
  { byWords, amongNewest }: SearchReads,
): Promise<Found> {
  return transaction(async (tx) => {
    const patterns = await patternsOf(tx, search);
    const pageOf = (rows: { id: string | null }[], isCut = rows.length > limit): Found => ({
      ids: rows.flatMap(({ id }) => id ?? []),
      isCut,
    });
    const sample = await amongNewest(tx, { patterns, atMost: SAMPLE });
    if (sample.length > limit) return pageOf(sample);
    if (sample.length * (NEWEST_FOR_COMMON_WORDS / SAMPLE) > limit) {
      const near = await amongNewest(tx, { patterns, atMost: NEWEST_FOR_COMMON_WORDS });
      if (near.length > limit) return pageOf(near);
    }
    const few = await byWords(tx, { patterns, atMost: MAX_SORTED_MATCHES + 1 });
    if ((few[0]?.matches ?? 0) <= MAX_SORTED_MATCHES) return pageOf(few);
    const far = await amongNewest(tx, { patterns, atMost: NEWEST_FOR_MANY_MATCHES });
    if (far.length > limit || isCounted) return pageOf(far, true);
    // Where they do not fill the page, what is common was not so of late.
    return pageOf(await byWords(tx, { patterns, atMost: NO_LIMIT }));
  });
}

const NO_LIMIT = 1_000_000_000;

/** A join reads what it needs by index: what a word matches in one clinic, the statistics of all of them do not say. */
async function patternsOf(tx: Sql, search: string): Promise<string[]> {
  const [asked] = await tx<{ patterns: string[] }>`
    select coalesce(search_patterns(${search}), '{}') as patterns
    from set_config('enable_seqscan', 'off', true) scan, set_config('enable_hashjoin', 'off', true) hash,
      set_config('enable_mergejoin', 'off', true) merge, set_config('plan_cache_mode', 'force_custom_plan', true) custom`;
  return asked?.patterns ?? [];
}

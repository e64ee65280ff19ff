import { useEffect } from 'react';
import type { Pages } from './record-list';

/**
 * The rows of a list that a filter keeps which the service does not have. Reads on until there are some to show;
 * `isNewestFirst` says that nothing more is kept after the first row that is not.
 */
export function useKept<Row>(
  pages: Pages<Row>,
  keep: ((row: Row) => boolean) | null,
  { isNewestFirst = false }: { isNewestFirst?: boolean } = {},
): Pages<Row> {
  const rows = pages.data?.pages.flatMap(({ items }) => items) ?? [];
  const kept = keep ? rows.filter(keep) : rows;
  const last = rows.at(-1);
  const total = keep ? null : pages.data?.pages[0]?.total;
  const isPast = isNewestFirst && keep !== null && last !== undefined && !keep(last);
  const hasNextPage = pages.hasNextPage && !isPast;
  const isSearching = keep !== null && kept.length === 0 && hasNextPage && !pages.error;
  const { isFetchingNextPage, fetchNextPage } = pages;
  useEffect(() => {
    if (isSearching && !isFetchingNextPage) void fetchNextPage();
  }, [isSearching, isFetchingNextPage, fetchNextPage]);
  return {
    // How many the filter keeps is not known before all are read.
    data: pages.data && !isSearching ? { pages: [{ items: kept, nextCursor: null, total }] } : undefined,
    error: pages.error,
    hasNextPage,
    isFetchingNextPage,
    fetchNextPage,
    refetch: pages.refetch,
  };
}

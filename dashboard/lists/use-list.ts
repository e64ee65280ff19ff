import { useInfiniteQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import type * as api from '#api';
import { type Area, keyOf } from '#http';

/** A page of a list as the service returns it. */
export interface ListedPage<Row> {
  items: Row[];
  nextCursor: string | null;
  total?: api.Total | null;
}

/** How the service is asked for a page: an operation of the client, as it is. */
export type ReadPage<Query, Page> = (request: {
  query: Query & { limit: number; cursor?: string; total?: 'true' };
  signal?: AbortSignal;
  throwOnError: true;
}) => Promise<{ data: Page }>;

export interface ListQuery<Row, Query, Page> {
  /** What is read again when something of this area changes. */
  area: Area;
  read: ReadPage<NoInfer<Query>, Page>;
  /** The filters as the service takes them. */
  query: Query;
  /** Whether the service is asked how many there are in all. */
  isCounted?: boolean;
  /** The rows that a filter keeps which the service does not have. */
  keep?: (row: Row) => boolean;
  /** Makes one row of several that are one to a reader. */
  fold?: (rows: Row[]) => Row[];
  refetchInterval?: number;
}

/** What a list shows of its pages so far. */
export interface Listed<Row, Page = unknown> {
  /** Undefined until there are some, or none for sure. */
  rows: Row[] | undefined;
  /** The first page as it came. */
  first: Page | undefined;
  total: api.Total | null | undefined;
  error: unknown;
  hasMore: boolean;
  isReadingMore: boolean;
  readMore: () => void;
  readAgain: () => void;
}

/** Reads a list page by page; where a filter keeps none of a page, it reads on. */
export function useList<Row, Query extends object, Page extends ListedPage<Row> = ListedPage<Row>>({
  area,
  read,
  query,
  isCounted = true,
  keep,
  fold = (all) => all,
  refetchInterval,
}: ListQuery<Row, Query, Page>): Listed<Row, Page> {
  const found = useInfiniteQuery({
    queryKey: keyOf(area, query),
    queryFn: async ({ pageParam: cursor, signal }: { pageParam: string | undefined; signal: AbortSignal }) => {
      const total = isCounted && cursor === undefined ? ('true' as const) : undefined;
      return (await read({ query: { ...query, limit: 50, cursor, total }, signal, throwOnError: true })).data;
    },
    initialPageParam: undefined,
    getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined,
    refetchInterval,
  });
  const { data, error, isFetchingNextPage, fetchNextPage, refetch } = found;
  const rows = data?.pages.flatMap(({ items }) => items);
  const kept = keep ? rows?.filter(keep) : rows;
  const hasMore = found.hasNextPage;
  const isUnfinished = keep !== undefined && kept?.length === 0 && hasMore;
  const isSearching = isUnfinished && !error;
  useEffect(() => {
    if (isSearching && !isFetchingNextPage) void fetchNextPage();
  }, [isSearching, isFetchingNextPage, fetchNextPage]);
  return {
    rows: isUnfinished ? undefined : kept && fold(kept),
    first: data?.pages[0],
    // How many the filter keeps is not known before all are read.
    total: keep ? null : data?.pages[0]?.total,
    error,
    hasMore,
    isReadingMore: isFetchingNextPage,
    readMore: () => void fetchNextPage(),
    readAgain: () => void refetch(),
  };
}

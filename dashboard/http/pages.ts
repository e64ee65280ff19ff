/** How `useInfiniteQuery` walks the lists of the service: `limit` and `cursor`. */
export const byCursor = {
  // The first page has no cursor.
  initialPageParam: {},
  getNextPageParam: ({ nextCursor }: { nextCursor: string | null }) => nextCursor ?? undefined,
};

/** How `useInfiniteQuery` walks the lists of the service: `limit` and `cursor`. */
export const byCursor = {
  pageParamName: 'cursor',
  // The empty cursor of the first page is not sent (http/service.ts).
  initialPageParam: '',
  getNextPageParam: ({ nextCursor }: { nextCursor: string | null }) => nextCursor ?? undefined,
};

import { useQueryClient } from '@tanstack/react-query';

/** Reads again what begins with one of these paths. */
export function useRefresh(...paths: string[]): () => Promise<void> {
  const queries = useQueryClient();
  return () =>
    queries.invalidateQueries({
      predicate: ({ queryKey }) => paths.some((path) => String(queryKey[1]).startsWith(path)),
    });
}

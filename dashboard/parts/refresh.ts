import { useQueryClient } from '@tanstack/react-query';
import { type Area, readAgain } from '#http';

/** Reads again what the open pages show of these areas. */
export function useRefresh(...areas: Area[]): () => Promise<void> {
  const queries = useQueryClient();
  return () => readAgain(queries, areas);
}

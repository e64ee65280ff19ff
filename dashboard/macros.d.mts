import type { Rolldown } from 'vite';

/** The source with look-ups by id in place of Lingui's macros. */
export function withLookUps(
  code: string,
  filename: string,
  options: { isProduction: boolean },
): Promise<{ code: string; map: Rolldown.SourceMapInput }>;

import type { Rolldown } from 'vite';

/**
 * The source with look-ups, and what they show, in place of Lingui's macros. `said` gives it by id and English: a text, or one for each
 * language that a page may be in.
 */
export function withLookUps(
  code: string,
  filename: string,
  said: (id: string, english: string) => string | Record<'en' | 'es', string>,
): Promise<{ code: string; map: Rolldown.SourceMapInput }>;

import type { Rolldown } from 'vite';

/** The source with look-ups, and the English that they show, in place of Lingui's macros. */
export function withLookUps(code: string, filename: string): Promise<{ code: string; map: Rolldown.SourceMapInput }>;

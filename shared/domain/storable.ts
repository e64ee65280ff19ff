/** A part of a value, by its path, and what is wrong with it. */
export interface UnstorablePart {
  path: string;
  message: string;
}

/** Deeper than anything a clinic sends; what walks a body never runs out of stack. */
export const MAX_LEVELS = 64;
const MAX_PATH = 500;

const NOT_ALLOWED = 'holds a character that is not allowed';

/** Whether PostgreSQL's text can hold it: neither NUL nor half a surrogate pair, which are a mistake or an attack. */
export const isStorable = (value: unknown): boolean => unstorablePart(value) === null;

/** The first part of a value that cannot be stored; null where all of it can. */
export function unstorablePart(value: unknown): UnstorablePart | null {
  const found = findUnstorable(value, 0);
  return found && { path: found.path.join('.').slice(0, MAX_PATH), message: found.message };
}

function findUnstorable(value: unknown, level: number): { path: string[]; message: string } | null {
  if (typeof value === 'string') return isText(value) ? null : { path: [], message: NOT_ALLOWED };
  if (typeof value !== 'object' || value === null) return null;
  if (level >= MAX_LEVELS) return { path: [], message: 'is nested too deeply' };
  for (const [name, entry] of Object.entries(value)) {
    // The name is not repeated: it holds the character.
    if (!isText(name)) return { path: [], message: `has a field whose name ${NOT_ALLOWED}` };
    const found = findUnstorable(entry, level + 1);
    if (found) return { path: [name, ...found.path], message: found.message };
  }
  return null;
}

const isText = (text: string) => !text.includes('\u0000') && text.isWellFormed();

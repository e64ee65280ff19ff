/** Deeper than anything a clinic sends; what walks a body never runs out of stack. */
const MAX_LEVELS = 64;

/** PostgreSQL's text holds neither NUL nor half a surrogate pair; a name that does is a mistake or an attack. */
export function isStorable(value: unknown, level = 0): boolean {
  if (typeof value === 'string') return !value.includes('\u0000') && value.isWellFormed();
  if (typeof value !== 'object' || value === null) return true;
  if (level >= MAX_LEVELS) return false;
  if (Array.isArray(value)) return value.every((entry) => isStorable(entry, level + 1));
  return Object.entries(value).every(([key, entry]) => isStorable(key) && isStorable(entry, level + 1));
}

/** A JSON column as an object; null for anything else. */
export const factsOf = (value: unknown): Record<string, unknown> | null =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : null;

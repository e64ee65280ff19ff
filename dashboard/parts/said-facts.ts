import { sentence } from './status';

/** What was said to a tool, field by field. */
export const saidFacts = (said: Record<string, unknown> | null | undefined): [string, string][] =>
  Object.entries(said ?? {})
    .filter(([name, value]) => name !== 'recoveryStatus' && value !== null && value !== '')
    .map(([name, value]) => [
      sentence(name.replaceAll(/([A-Z])/g, ' $1')),
      typeof value === 'boolean' ? (value ? 'Yes' : 'No') : String(value),
    ]);

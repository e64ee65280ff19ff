/** What one request needs: a resource, and interactions of which one will do, in the letters of SMART 2 (create, read, update, delete, search). */
export interface ScopeNeeded {
  resource: string;
  anyOf: string;
}

/** Interactions of a scope of SMART 1. */
const spelledOut: Record<string, string> = { read: 'rs', write: 'cud', '*': 'cruds' };

const SCOPE = /^system\/([A-Z][A-Za-z]*|\*)\.(read|write|\*|(?=.)c?r?u?d?s?)$/;

/** Whether a text is a system scope of SMART 1 or 2. Scopes with search parameters are not offered. */
export const isSystemScope = (scope: string): boolean => SCOPE.test(scope);

/** Whether scopes, set apart by spaces, open what a request needs. */
export const opens = (scopes: string, { resource, anyOf }: ScopeNeeded): boolean =>
  scopes.split(' ').some((scope) => {
    const [, of, interactions = ''] = SCOPE.exec(scope) ?? [];
    if (of !== resource && of !== '*') return false;
    const letters = spelledOut[interactions] ?? interactions;
    return anyOf.split('').some((letter) => letters.includes(letter));
  });

/** What the request of a FHIR route needs, by its method and path below `/api`; null for the topic of subscriptions, which holds nothing of anybody. */
export function scopeNeeded(method: string, path: string): ScopeNeeded | null {
  const [, resource = '', ...rest] = path.split('/');
  if (resource === 'Basic') return null;
  const operation = rest.find((part) => part.startsWith('$'));
  if (operation === '$find') return { resource: 'Slot', anyOf: 's' };
  if (operation !== undefined) return { resource, anyOf: operations[operation] ?? 'u' };
  if (method === 'get') return { resource, anyOf: rest.length > 0 ? 'r' : 's' };
  return { resource, anyOf: { post: 'c', delete: 'd' }[method] ?? 'u' };
}

/** What an operation does to its resource; any other changes one that there is. */
const operations: Record<string, string> = {
  $book: 'c',
  $hold: 'c',
  $match: 'rs',
  $explain: 's',
  $status: 'rs',
  $events: 'rs',
};

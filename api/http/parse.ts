import { AppError, type ErrorDetail } from '@clinic/shared/errors';
import type { z } from 'zod';

/** The value as its schema reads it. Throws `bad_request` with one readable sentence and every detail. */
export function parse<T extends z.ZodType>(schema: T, value: unknown): z.output<T> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const details = parsed.error.issues.slice(0, 50).map(toDetail);
  throw new AppError('bad_request', details.map(toSentence)[0] ?? 'The request is not valid', details);
}

export function toDetail({ path, message, ...issue }: z.core.$ZodIssue): ErrorDetail {
  if (issue.code === 'unrecognized_keys') return { path: issue.keys.join(', '), message: 'is not a known field' };
  const isMissing = issue.code === 'invalid_type' && message.endsWith('received undefined');
  return { path: path.join('.'), message: isMissing ? 'is required' : message };
}

export const toSentence = ({ path, message }: ErrorDetail): string => {
  const text =
    path === '' ? message : `${path} ${/^Invalid|^Too|^Unrec/.test(message) ? `is not valid: ${message}` : message}`;
  return text.charAt(0).toUpperCase() === text.charAt(0) || path !== '' ? text : `The request ${text}`;
};

/** Deeper than anything a clinic sends; what walks a body never runs out of stack. */
const MAX_LEVELS = 64;
const MAX_PATH = 500;

const NOT_ALLOWED = 'holds a character that is not allowed';

/** Whether PostgreSQL's text can hold it: neither NUL nor half a surrogate pair, which are a mistake or an attack. */
export const isStorable = (value: unknown): boolean => unstorablePart(value) === null;

/** The first part of a value that cannot be stored; null where all of it can. */
export function unstorablePart(value: unknown): ErrorDetail | null {
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

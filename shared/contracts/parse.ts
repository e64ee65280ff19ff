import { AppError, type ErrorDetail } from '../errors';
import type { z } from 'zod';

/** The value as its schema reads it. Throws `bad_request` with one readable sentence and every detail. */
export function parse<T extends z.ZodType>(schema: T, value: unknown): z.output<T> {
  const parsed = schema.safeParse(value, asked);
  if (parsed.success) return parsed.data;
  const details = parsed.error.issues.slice(0, 50).map(toDetail);
  throw new AppError('bad_request', details.map(toSentence)[0] ?? 'The request is not valid', details);
}

/** With what each issue holds its input: `toDetail` says by it what is missing. A schema's own words come before those for limits. */
export const asked = { reportInput: true, error: limitInWords } as const;

function limitInWords(issue: z.core.$ZodRawIssue): string | undefined {
  if (issue.code !== 'too_small' && issue.code !== 'too_big') return undefined;
  const { origin, inclusive = true } = issue;
  const [upTo, beyond] = issue.code === 'too_small' ? ['at least', 'more than'] : ['at most', 'less than'];
  const limit = `${inclusive ? upTo : beyond} ${String(issue.code === 'too_small' ? issue.minimum : issue.maximum)}`;
  if (limit === 'at least 1' && (origin === 'string' || origin === 'array')) return 'must not be empty';
  if (origin === 'string') return `must have ${limit} characters`;
  return origin === 'array' ? `must have ${limit} entries` : `must be ${limit}`;
}

export function toDetail({ path, message, ...issue }: z.core.$ZodIssue): ErrorDetail {
  if (issue.code === 'unrecognized_keys') return { path: issue.keys.join(', '), message: 'is not a known field' };
  // A key of a record, as a date, is refused in the words of its own schema.
  if (issue.code === 'invalid_key') return { path: path.join('.'), message: issue.issues[0]?.message ?? message };
  const isMissing = issue.code === 'invalid_type' && issue.input === undefined;
  // What an address does not say is read as a number all the same.
  const isNoNumber = issue.code === 'invalid_type' && Number.isNaN(issue.input);
  return { path: path.join('.'), message: isMissing ? 'is required' : isNoNumber ? 'must be a number' : message };
}

export const toSentence = ({ path, message }: ErrorDetail): string => {
  const text =
    path === '' ? message : `${path} ${/^Invalid|^Too|^Unrec/.test(message) ? `is not valid: ${message}` : message}`;
  return text.charAt(0).toUpperCase() === text.charAt(0) || path !== '' ? text : `The request ${text}`;
};

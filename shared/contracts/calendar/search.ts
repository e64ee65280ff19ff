import { AppError } from '../../errors';
import { z } from 'zod';

const resultParameters = { _format: z.string().max(100).optional() };

/**
 * The parameters of a search. Those of FHIR that we do not have are ignored, as FHIR asks; a modifier or a chain on
 * one of ours would change what it means and is refused.
 */
export function searchParameters<Shape extends z.ZodRawShape>(shape: Shape) {
  return z.looseObject({ ...resultParameters, ...shape }).superRefine((query, context) => {
    for (const name of Object.keys(query)) {
      const [base = ''] = name.split(/[:.]/);
      if (base === name || !Object.hasOwn(shape, base)) continue;
      context.addIssue({ code: 'custom', path: [base], message: 'takes no modifier and no chain' });
    }
  });
}

/** The id of a reference, as `Patient/<id>`. Throws `bad_request` for anything else. */
export function idOfReference(type: string, reference: string | undefined, parameter: string): string {
  const prefix = `${type}/`;
  if (reference?.startsWith(prefix) && reference.length > prefix.length) return reference.slice(prefix.length);
  const message = reference === undefined ? 'is required' : `must be ${type}/ and an id`;
  throw new AppError('bad_request', `${parameter} ${message}`, [{ path: parameter, message }]);
}

/** A parameter that refers to a resource; its form is `idOfReference`'s to check. */
export const ReferenceTo = (type: string, id: string) =>
  z
    .string()
    .max(500)
    .meta({ pattern: `^${type}/.+`, examples: [`${type}/${id}`] });

/** `_count`: 100 unless said otherwise, never more than 500; 0 asks for the total alone. */
export const Count = z
  .string()
  .regex(/^\d+$/, 'must be a whole number')
  .optional()
  .transform((text = '100') => Math.min(Number(text), 500))
  .meta({ type: 'integer', minimum: 0, pattern: undefined, description: '100 unless said otherwise, 500 at most' });

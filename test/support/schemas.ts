import type { z } from 'zod';

/** What a schema makes of a value; `refused` with the message of the first issue, as it is told. */
export function read(schema: z.ZodType, value: unknown): unknown {
  const { success, data, error } = schema.safeParse(value);
  const [issue] = error?.issues ?? [];
  return success ? data : `refused: ${[issue?.path.join('.'), issue?.message].filter(Boolean).join(' ')}`;
}

export const takes = (schema: z.ZodType, values: unknown[]): boolean[] =>
  values.map((value) => schema.safeParse(value).success);

import { z } from 'zod';

/** A page of a list. */
export const pageOf = <Item extends z.ZodType>(item: Item) =>
  z.object({ items: z.array(item), nextCursor: z.string().nullable() });

/** An opaque id in a query or a body. One that does not exist finds nothing. */
export const Id = z.string().min(1).max(200);

/** `true` or `false` in a query. */
export const Flag = z.enum(['true', 'false']).transform((text) => text === 'true');

/** A patient where only the name is of interest. */
export const Person = z
  .object({ id: z.string(), firstName: z.string(), lastName: z.string() })
  .meta({ id: 'PatientName' });

/** A JSON column as an object; null for anything else. */
export const objectOf = (value: unknown): Record<string, unknown> | null =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : null;

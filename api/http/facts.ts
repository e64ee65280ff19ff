import { type Fields, isFields } from '@clinic/shared/domain/json';

/** A JSON column as an object; null for anything else. */
export const factsOf = (value: unknown): Fields | null => (isFields(value) ? value : null);

import type { UseFormReturnType } from '@mantine/form';
import type { Refusal } from '../http/service';
import { sayFailed } from './say';

/** Puts what the service refused beside the fields it means; what no field shows is said. */
export function showRefusal<Values extends Record<string, unknown>>(
  form: Pick<UseFormReturnType<Values>, 'setErrors'>,
  error: unknown,
  fields: readonly string[],
): void {
  const details = (error as Partial<Refusal> | null)?.details ?? [];
  const shown = details.filter(({ path }) => fields.some((field) => path === field || path.startsWith(`${field}.`)));
  form.setErrors(Object.fromEntries(shown.map(({ path, message }) => [path, `This ${message}`])));
  if (shown.length === 0 || shown.length < details.length) sayFailed(error);
}

/** What the service refused below a field, by the path from there. */
export const problemsUnder = (error: unknown, field: string): { path: string; message: string }[] =>
  ((error as Partial<Refusal> | null)?.details ?? [])
    .filter(({ path }) => path.startsWith(`${field}.`))
    .map(({ path, message }) => ({ path: path.slice(field.length + 1), message }));

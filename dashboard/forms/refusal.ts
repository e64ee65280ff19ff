import type { UseFormReturnType } from '@mantine/form';
import { type RefObject, useEffect, useRef } from 'react';
import type { Refusal } from '#http';
import { focusRefused, sayFailed } from '#parts';
import { t } from '#texts';

export interface Detail {
  path: string;
  message: string;
}

/** The fields that a form shows: each with the label that people know it by. */
export type Labels = Record<string, string>;

export const detailsOf = (error: unknown): Detail[] => (error as Partial<Refusal> | null)?.details ?? [];

/**
 * Puts what the service refused beside the fields it means; what no field shows is told in a message. `fieldOf` finds a
 * field of the form where the service names it by another path.
 */
export function showRefusal<Values extends Record<string, unknown>>(
  form: Pick<UseFormReturnType<Values>, 'setErrors'>,
  error: unknown,
  labels: Labels,
  fieldOf: (path: string) => string = (path) => path,
): void {
  const found = detailsOf(error).map(({ path, message }) => ({
    field: shownField(fieldOf(path), labels),
    path,
    message,
  }));
  const shown = found.filter(({ field }) => field !== undefined);
  const others = found.filter(({ field }) => field === undefined);
  form.setErrors(Object.fromEntries(shown.toReversed().map(({ field, message }) => [field, about(t`This`, message)])));
  if (found.length === 0) sayFailed(error);
  else if (others.length > 0)
    sayFailed({ message: others.map(({ path, message }) => about(path, message)).join('. ') });
}

/** The field itself, or the one that holds what was refused: `events.0` is shown at `events`. */
const shownField = (path: string, labels: Labels): string | undefined =>
  Object.keys(labels).find((field) => path === field || path.startsWith(`${field}.`));

/** For the button that sends a form: when the form was refused, its first field that was has the focus. */
export function useRefusedInFocus(isSaving: boolean): RefObject<HTMLButtonElement | null> {
  const button = useRef<HTMLButtonElement>(null);
  const wasSaving = useRef(false);
  useEffect(() => {
    if (wasSaving.current && !isSaving) focusRefused(button.current?.form);
    wasSaving.current = isSaving;
  }, [isSaving]);
  return button;
}

/** Tells what was refused in a list of records, by the labels of the fields: `Number, line 2, must be …`. */
export function sayRefusedIn(error: unknown, labels: Labels): void {
  const [first] = detailsOf(error);
  const [, index, name = ''] = /^items\.(\d+)\.(\w+)/.exec(first?.path ?? '') ?? [];
  const label = labels[name];
  if (!first || index === undefined || !label) sayFailed(error);
  else sayFailed({ message: about(t`${label}, line ${Number(index) + 1},`, first.message) });
}

/** What was refused at exactly this field, as it stands beside it. */
export function refusedAt(error: unknown, path: string): string | null {
  const found = detailsOf(error).find((detail) => detail.path === path || detail.path.startsWith(`${path}.`));
  return found ? about(t`This`, found.message) : null;
}

/** What was refused in a field that holds several, by the path from there; an empty path is the field itself. */
export const refusedUnder = (error: unknown, field: string): Detail[] =>
  detailsOf(error)
    .filter(({ path }) => path === field || path.startsWith(`${field}.`))
    .map(({ path, message }) => ({ path: path.slice(field.length + 1), message }));

/** The service's words follow the field's name; those of its validator stand for themselves. */
const about = (subject: string, message: string): string =>
  /^[A-Z]/.test(message) ? t`${subject} is not valid: ${message}` : `${subject} ${message}`;

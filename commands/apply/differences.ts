import { isFields } from '@clinic/shared/domain/json';
import { isSecretField } from './clinic-file';

const SHOWN = 200;

/** What of two settings differs, a line for each field by its path, in their order. A secret is never shown. */
export function settingDifferences(before: unknown, after: unknown, path: readonly string[] = []): string[] {
  if (isSame(before, after)) return [];
  if (isSecretField(path.at(-1))) return [`${path.join('.')}: ${secretChange(before, after)}`];
  if (isFields(before) && isFields(after)) {
    const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])];
    return keys.flatMap((key) => settingDifferences(before[key], after[key], [...path, key]));
  }
  return [`${path.join('.')}: ${shown(before)} → ${shown(after)}`];
}

/** Whether two settings say the same: what is null or not there is nothing, and the order of fields says nothing. */
function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(canonical(one)) === JSON.stringify(canonical(other));
}

function canonical(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(canonical);
  if (!isFields(value)) return value ?? null;
  const present = Object.entries(value).filter(([, each]) => each !== undefined && each !== null);
  return Object.fromEntries(
    present.toSorted(([one], [other]) => (one < other ? -1 : 1)).map(([key, each]) => [key, canonical(each)]),
  );
}

function secretChange(before: unknown, after: unknown): string {
  if (after === undefined || after === null) return 'taken away';
  return before === undefined || before === null ? 'set' : 'replaced';
}

function shown(value: unknown): string {
  if (value === undefined || value === null) return 'nothing';
  const text = JSON.stringify(value, (key, each: unknown) => (isSecretField(key) ? '(secret)' : each));
  return text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text;
}

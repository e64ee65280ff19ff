import { isFields } from '@clinic/shared/domain/json';

/** One line of what would change, as a person reads it: `+` is new, `-` goes. */
export type DifferenceLine = string;

const SHOWN = 160;

/**
 * What of `wanted` is not so in `found`, by its path. What `found` has beside that is the platform's or somebody's own
 * choice, and no difference. Lists are compared entry by entry.
 */
export function differencesOf(found: unknown, wanted: unknown, path = ''): DifferenceLine[] {
  if (Array.isArray(wanted)) {
    if (!Array.isArray(found) || found.length !== wanted.length) return replaced(path, found, wanted);
    return wanted.flatMap((entry, index) => differencesOf(found[index], entry, `${path}[${index}]`));
  }
  if (isFields(wanted)) {
    if (!isFields(found)) return replaced(path, found, wanted);
    return Object.entries(wanted).flatMap(([key, value]) =>
      value === undefined ? [] : differencesOf(found[key], value, path === '' ? key : `${path}.${key}`),
    );
  }
  if (found === wanted || (wanted === null && found === undefined)) return [];
  if (typeof wanted === 'string' && typeof found === 'string' && wanted.includes('\n')) {
    return [`  ${path}:`, ...changedLines(found.split('\n'), wanted.split('\n')).map((line) => `    ${line}`)];
  }
  return replaced(path, found, wanted);
}

const replaced = (path: string, found: unknown, wanted: unknown): DifferenceLine[] => [
  `  ${path}: ${shown(found)} → ${shown(wanted)}`,
];

function shown(value: unknown): string {
  if (value === undefined || value === null) return 'none';
  if (Array.isArray(value)) return `${value.length} entries`;
  const text = JSON.stringify(value);
  return text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text;
}

/** The lines that go and that come, by their longest common subsequence. */
export function changedLines(before: readonly string[], after: readonly string[]): string[] {
  // common[i][j]: how many lines the rests from i and from j have in common.
  const common = Array.from({ length: before.length + 1 }, () => Array.from({ length: after.length + 1 }, () => 0));
  const at = (i: number, j: number) => common[i]?.[j] ?? 0;
  for (let i = before.length - 1; i >= 0; i -= 1) {
    for (let j = after.length - 1; j >= 0; j -= 1) {
      const row = common[i];
      if (row) row[j] = before[i] === after[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
    }
  }
  const lines: string[] = [];
  for (let i = 0, j = 0; i < before.length || j < after.length;) {
    if (i < before.length && j < after.length && before[i] === after[j]) {
      i += 1;
      j += 1;
    } else if (j >= after.length || (i < before.length && at(i + 1, j) >= at(i, j + 1))) {
      lines.push(`- ${before[i]}`);
      i += 1;
    } else {
      lines.push(`+ ${after[j]}`);
      j += 1;
    }
  }
  return lines;
}

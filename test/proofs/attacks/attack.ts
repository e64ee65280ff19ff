/** One attack, as it went. */
export interface Outcome {
  attack: string;
  /** What was tried. */
  tried: string;
  /** What got through. */
  through: string;
  /** What honest people noticed of it. */
  honest: string;
  /** What must hold; null where nothing is promised. */
  limit: string | null;
  holds: boolean;
}

/** The value below which so large a part of them lies. */
export function quantile(values: number[], part: number): number {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN;
}

export const inMs = (values: number[]): string =>
  values.length === 0
    ? 'none'
    : `p50 ${quantile(values, 0.5).toFixed(0)} ms, p95 ${quantile(values, 0.95).toFixed(0)} ms, max ${Math.max(...values).toFixed(0)} ms`;

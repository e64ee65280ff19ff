const HOUR = 3_600;

/** About two days of trying. */
const MAX_FAULTS = 60;

/**
 * How long to wait after the n-th fault in a row of the voice platform, in seconds: 1, 2, 4 … up to an hour.
 * A fault is not an attempt, so the patient's attempts are kept. Null when it is time for a person to look.
 */
export function faultWaitSeconds(faultsInARow: number): number | null {
  if (faultsInARow > MAX_FAULTS) return null;
  return Math.min(2 ** (faultsInARow - 1), HOUR);
}

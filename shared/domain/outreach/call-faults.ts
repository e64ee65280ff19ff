import { isNotStarted } from '../voice/ended-reason';

const HOUR = 3_600;

/** About two days of trying. */
const MAX_FAULTS = 60;

/** How long a platform may take, once a call has failed, to tell that somebody was in it. */
const REPORT_SECONDS = 15;

/**
 * How long to wait after the n-th fault in a row of the voice platform, which ended for this reason, in seconds: 1, 2, 4 … up to an
 * hour, and 15 at least where the call had begun.
 * A fault is not an attempt, so the patient's attempts are kept. Null when it is time for a person to look.
 */
export function faultWaitSeconds(faultsInARow: number, reason: string): number | null {
  if (faultsInARow > MAX_FAULTS) return null;
  const reportSeconds = isNotStarted(reason) ? 0 : REPORT_SECONDS;
  return Math.min(Math.max(2 ** (faultsInARow - 1), reportSeconds), HOUR);
}

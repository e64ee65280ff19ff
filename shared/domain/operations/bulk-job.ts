/** What can be done to many records at once. */
export const bulkJobKinds = ['cancel_runs', 'resend_deliveries'] as const;
export type BulkJobKind = (typeof bulkJobKinds)[number];

export const bulkJobStates = ['RUNNING', 'DONE', 'STOPPED'] as const;
export type BulkJobState = (typeof bulkJobStates)[number];

/**
 * `receiver`: the clinic's receiver fails; `endpoint`: no URL is registered and enabled; `workflows`: they cannot be reached,
 * or did not answer in time.
 */
export const bulkJobWaits = ['receiver', 'endpoint', 'workflows'] as const;
export type BulkJobWait = (typeof bulkJobWaits)[number];

/** Deliveries that a second's step sends again at most. */
const MAX_PACE = 64;
export const STEP_MS = 1_000;
/** A receiver that fails is asked one delivery at a time, so far apart. */
const PROBE_MS = 5_000;
/** So many steps' worth may wait to be sent: a receiver that is slow is not sent more. */
const MAX_STEPS_WAITING = 4;

/** How the receiver does while deliveries are sent again. */
export interface ReceiverNow {
  failuresInARow: number;
  isPaused: boolean;
  /** Deliveries of the clinic that are due and not sent yet. */
  waiting: number;
}

/**
 * How many deliveries are sent again now, and when to look again. It begins with one and doubles every second, up to
 * 64 a second, so that a receiver that has just come back is not flooded; a failure begins it again.
 */
export function resendStep(
  pace: number,
  { failuresInARow, isPaused, waiting }: ReceiverNow,
): { count: number; pace: number; waitMs: number; waitsFor: BulkJobWait | null } {
  if (failuresInARow > 0 || isPaused) {
    return { count: waiting === 0 && !isPaused ? 1 : 0, pace: 1, waitMs: PROBE_MS, waitsFor: 'receiver' };
  }
  if (waiting >= pace * MAX_STEPS_WAITING) return { count: 0, pace, waitMs: STEP_MS, waitsFor: null };
  return { count: pace, pace: Math.min(pace * 2, MAX_PACE), waitMs: STEP_MS, waitsFor: null };
}

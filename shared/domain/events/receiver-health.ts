const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;

/** So many attempts at one receiver may be under way: one that never answers leaves room for those of other clinics. */
export const MAX_UNDER_WAY = 20;

/** After so many failures in a row a receiver is tried one attempt at a time, with pauses, until one succeeds. */
export const MAX_FAILURES = 3;

/** Senders that may not go yet look again one after the other, so far apart. */
const LOOK_AGAIN_MS = { whileFailing: 1_000, min: 10, max: 500 };

const PAUSE_MS = { min: 5 * SECOND_MS, max: MINUTE_MS };

/** A receiver that has failed for so long is a task for staff. */
export const FAILING_TASK_AFTER_MS = 24 * HOUR_MS;

/** A 410 is believed when nothing else came for so long: the page that a deploy shows for minutes answers so too. */
export const GONE_AFTER_MS = 6 * HOUR_MS;

/** Whether another attempt at a receiver may begin. A test event is sent in a pause too: a person waits for it. */
export function mayAttempt(receiver: {
  failuresInARow: number;
  attemptsUnderWay: number;
  isPaused: boolean;
  isTestEvent: boolean;
}): boolean {
  const { failuresInARow, attemptsUnderWay, isPaused, isTestEvent } = receiver;
  if (isPaused && !isTestEvent) return false;
  return attemptsUnderWay < (failuresInARow < MAX_FAILURES ? MAX_UNDER_WAY : 1);
}

/** How long a receiver is left alone after a failure: the longer it has failed, the longer; never less than it asks for, up to an hour. */
export function pauseAfterFailureMs(receiver: {
  failuresInARow: number;
  failingForMs: number;
  retryAfterMs: number | null;
}): number {
  const { failuresInARow, failingForMs, retryAfterMs } = receiver;
  const asked = Math.min(retryAfterMs ?? 0, HOUR_MS);
  if (failuresInARow < MAX_FAILURES) return asked;
  return Math.max(Math.min(Math.max(failingForMs / 4, PAUSE_MS.min), PAUSE_MS.max), asked);
}

/**
 * How long after the sender before it one that may not go yet looks again: about as often as an attempt ends, as the one that
 * has lasted longest tells. A thousand that look at a slow receiver would slow down everybody else.
 */
export function lookAgainAfterMs({
  failuresInARow,
  longestUnderWayMs,
}: {
  failuresInARow: number;
  longestUnderWayMs: number;
}): number {
  if (failuresInARow > 0) return LOOK_AGAIN_MS.whileFailing;
  return Math.min(Math.max(longestUnderWayMs / MAX_UNDER_WAY, LOOK_AGAIN_MS.min), LOOK_AGAIN_MS.max);
}

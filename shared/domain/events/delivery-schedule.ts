const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** Waits between the attempts of one delivery: about three days in all (docs/contract.md, 8). */
export const deliveryWaitsMs = [
  5 * SECOND,
  30 * SECOND,
  2 * MINUTE,
  10 * MINUTE,
  30 * MINUTE,
  2 * HOUR,
  6 * HOUR,
  12 * HOUR,
  24 * HOUR,
  24 * HOUR,
] as const;

/** Keeps the receivers of many clinics from being called in step. */
const JITTER = 0.1;

/**
 * How long to wait after the `tries`-th failed attempt, or null when it was the last one.
 * `random` in [0, 1) spreads the wait by up to a tenth; a `retryAfterMs` that the receiver asked for is respected up to an hour.
 */
export function nextDeliveryWaitMs({
  tries,
  random,
  retryAfterMs,
}: {
  tries: number;
  random: number;
  retryAfterMs: number | null;
}): number | null {
  const wait = deliveryWaitsMs[tries - 1];
  if (wait === undefined) return null;
  return Math.round(Math.max(wait * (1 + JITTER * random), Math.min(retryAfterMs ?? 0, HOUR)));
}

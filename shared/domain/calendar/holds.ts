/** How long a time can be held for somebody who thinks it over, in minutes. */
export const holdMinutes = { min: 1, max: 15, usual: 5 } as const;

const MINUTE_MS = 60_000;
/** Processes' clocks differ by less, and so does the time of two requests of one process from the order in which they are carried out. */
const LEEWAY_MS = MINUTE_MS;

/** The instant from which a hold that is asked for at `now` is over. What has begun is held for nobody. */
export function holdEnd({ now, minutes, startsAt }: { now: Date; minutes: number; startsAt: Date }): Date {
  return new Date(Math.min(now.getTime() + minutes * MINUTE_MS, startsAt.getTime()));
}

/** The latest instant until which anything can be held at `now`. */
export const latestHoldEnd = (now: Date): Date => new Date(now.getTime() + holdMinutes.max * MINUTE_MS + LEEWAY_MS);

/**
 * Whether a time that is held until an instant is held at `now`. One that would last longer than any hold does was made before the
 * clock was set back, and is over.
 */
export function isHeldAt(heldUntil: Date, now: Date): boolean {
  return heldUntil > now && heldUntil <= latestHoldEnd(now);
}

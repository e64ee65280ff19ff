/** What a clinic's team has set its sandbox's clock to. Instants are ISO 8601 strings in UTC. */
export interface SandboxClock {
  /** What the clock showed when it was set. */
  shows: string;
  /** When that was; null for a clock that stands still. */
  runsSince: string | null;
}

/** The furthest that a clock can be set from year to year: what lies outside has no slots that anybody would look for. */
export const clockYears = { first: 1970, last: 2199 } as const;

/** What a sandbox's clock shows at a moment of real time: that moment itself where nobody has set it. */
export function sandboxTime(clock: SandboxClock | null, realNow: Date): Date {
  if (clock === null) return realNow;
  const shown = Date.parse(clock.shows);
  return new Date(clock.runsSince === null ? shown : shown + realNow.getTime() - Date.parse(clock.runsSince));
}

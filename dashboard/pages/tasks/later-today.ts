const QUARTER = 15;
/** Nobody is called back in the night: from eight to six by the clinic's clock, in minutes of its day. */
const [EARLIEST, LATEST] = [8 * 60, 18 * 60];

/** When somebody may be tried again today, in minutes of the clinic's day: in an hour and in three, or from the morning on. */
export function laterToday(minute: number): number[] {
  const inHours = [1, 3].map((hours) => Math.ceil((minute + hours * 60) / QUARTER) * QUARTER);
  return [...new Set(inHours.map((at) => Math.max(at, EARLIEST)))].filter((at) => at <= LATEST);
}

import { AppError } from '@clinic/shared/errors';

/** Half of the requests take longer than this where too many are under way, unless said otherwise. */
const SLOW_MS = 250;
const WINDOW_MS = 200;
/** Fewer say little of how busy the process is. */
const ENOUGH = 5;
/** So many are always let in, also where the machine is slow. */
const FLOOR = 64;
/** So many at once are taken for a burst. More come in only where many were quick before: they may be two seconds' work. */
const BURST = 200;
/** Anyone who was slow so long ago need not be any more. */
const FORGOTTEN_MS = 5_000;
const [FEWER, MORE] = [0.7, 1.3];

export interface UnderWay {
  /**
   * Counts a request until the returned function is called. Throws `unavailable` where there are too many. What somebody on
   * the phone waits for, `isLive`, is refused at `max` only.
   */
  enter(about?: { isLive: boolean }): Leave;
}

/** Gives the place back. One that is not done comes again: how long it took says nothing yet. */
export type Leave = (how?: { isDone: boolean }) => void;

/**
 * Lets in as many requests as the process gets done soon, and `max` at most: each that waits behind too many others is late
 * for its caller and costs the rest their time. While half of those that end took long, fewer are let in, and more again
 * when they are quick although many are under way.
 */
export function createUnderWay({
  max,
  slowMs = SLOW_MS,
  now = () => performance.now(),
}: {
  max: number;
  slowMs?: number;
  now?: () => number;
}): UnderWay {
  let underWay = 0;
  const floor = Math.min(FLOOR, max);
  const burst = Math.min(BURST, max);
  let admitted = burst;
  let slowAt = -Infinity;
  let windowFrom = now();
  /** The most that were under way at once in this window. */
  let peak = 0;
  let durations: number[] = [];

  const learn = (at: number): void => {
    const isOver = at - windowFrom >= WINDOW_MS && durations.length >= ENOUGH;
    if (!isOver) return;
    const median = durations.toSorted((one, other) => one - other)[Math.floor(durations.length / 2)] ?? 0;
    const isBusy = peak >= floor;
    if (median > slowMs && isBusy) {
      slowAt = at;
      admitted = Math.max(floor, Math.floor(Math.min(admitted, peak) * FEWER));
    } else if (median <= slowMs && peak * 2 >= admitted) {
      admitted = Math.min(max, Math.ceil(admitted * MORE));
    }
    [windowFrom, durations, peak] = [at, [], underWay];
  };

  return {
    enter({ isLive } = { isLive: false }) {
      const enteredAt = now();
      if (enteredAt - slowAt > FORGOTTEN_MS) admitted = Math.max(admitted, burst);
      if (underWay >= (isLive ? max : admitted)) {
        throw new AppError('unavailable', 'Too much is under way; please try again shortly');
      }
      underWay += 1;
      peak = Math.max(peak, underWay);
      return ({ isDone } = { isDone: true }) => {
        const leftAt = now();
        underWay -= 1;
        // A tool may wait for others; how long it takes says little of this process.
        if (!isLive && isDone) durations.push(leftAt - enteredAt);
        learn(leftAt);
      };
    },
  };
}

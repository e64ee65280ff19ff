import { setTimeout as delay } from 'node:timers/promises';

/** Work that begins a moment later than it is asked for: who does not wait for its end is too early. */
export const slowly =
  <Args extends unknown[], Result>(work: (...args: Args) => Promise<Result>) =>
  async (...args: Args): Promise<Result> => {
    await delay(5);
    return work(...args);
  };

import { setTimeout as delay } from 'node:timers/promises';

/** Asks again until there is an answer; what is null, undefined or false is none. */
export async function eventually<T>(
  ask: () => T | Nothing | Promise<T | Nothing>,
  { within = 60_000, every = 40 }: { within?: number; every?: number } = {},
): Promise<T> {
  for (const deadline = Date.now() + within; ; await delay(every)) {
    const answer = await ask();
    if (answer !== null && answer !== undefined && answer !== false) return answer;
    if (Date.now() > deadline) throw new Error(`not within ${within} ms: ${ask.toString()}`);
  }
}

type Nothing = null | undefined | false;

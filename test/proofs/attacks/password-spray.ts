import { setTimeout as delay } from 'node:timers/promises';
import { inMs, type Outcome } from './attack';
import type { Target } from './target';

const ACCOUNTS = 400;
/** Every twentieth has the password that is tried. */
const WEAK_EVERY = 20;
const CONNECTIONS = 20;
const HOME = '203.0.113.5';
const SECONDS = 30;
/** Twenty failures of a network are free; ten more may wait for their hash by then, and five waits, each twice the one before, fit into the run. */
const MAX_CHECKS = 36;

/** One password over many accounts, from so many addresses, as fast as twenty connections go. */
export async function passwordSpray(target: Target, addresses: number): Promise<Outcome> {
  const weak = await target.addAccounts(ACCOUNTS / WEAK_EVERY, 'admin');
  const strong = await target.addAccounts(ACCOUNTS - weak.length, 'staff');
  const [honest = ''] = strong;
  await target.restartApi();
  // Somebody who was in before, from an address of their own.
  const person = { email: honest, password: target.clinic.staff.password };
  await target.signIn(HOME, person);
  const emails = strong.slice(1).flatMap((email, index) => {
    const found = index % (WEAK_EVERY - 1) === WEAK_EVERY - 2 ? weak.pop() : undefined;
    return found === undefined ? [email] : [email, found];
  });

  const { password } = target.clinic;
  const waiting = emails.map((email, index) => ({
    email,
    address: `198.51.${100 + ((index % addresses) >> 8)}.${(index % addresses) % 256}`,
  }));
  const statuses = { opened: 0, wrong: 0, refused: 0 };
  const startedAt = performance.now();
  const seconds = () => (performance.now() - startedAt) / 1_000;
  const spray = async () => {
    for (let next = waiting.shift(); next !== undefined && seconds() < SECONDS; next = waiting.shift()) {
      const { status } = await target.signIn(next.address, { email: next.email, password });
      if (status === 200) statuses.opened += 1;
      else if (status === 401) statuses.wrong += 1;
      else {
        statuses.refused += 1;
        waiting.push(next);
        await delay(20);
      }
    }
  };
  let isOver = false;
  const times: number[] = [];
  const work = async () => {
    // At most ten times a minute.
    while (!isOver) {
      const asked = performance.now();
      let { status, retryAfterMs } = await target.signIn(HOME, person);
      while (status === 429 && !isOver) {
        await delay(Math.max(100, retryAfterMs));
        ({ status, retryAfterMs } = await target.signIn(HOME, person));
      }
      if (status === 200) times.push(performance.now() - asked);
      await delay(6_500);
    }
  };
  const working = work();
  await Promise.all(Array.from({ length: CONNECTIONS }, spray));
  const took = seconds();
  isOver = true;
  await working;

  const checked = statuses.opened + statuses.wrong;
  const isPromised = addresses < emails.length;
  const max = MAX_CHECKS * addresses;
  return {
    attack: `one password over ${emails.length} accounts, from ${addresses === 1 ? 'one address' : `${addresses} addresses`}`,
    tried: `${checked + statuses.refused} sign-ins in ${took.toFixed(0)} s`,
    through: `${checked} passwords checked (${(checked / took).toFixed(1)} a second), ${statuses.opened} accounts opened`,
    honest: `sign-in from where one was before ${inMs(times)}`,
    limit: isPromised ? `at most ${max} checked` : null,
    holds: !isPromised || checked <= max,
  };
}

import { setTimeout as delay } from 'node:timers/promises';
import { inMs, type Outcome, quantile } from './attack';
import type { Target } from './target';

const CONNECTIONS = 60;
const SECONDS = 30;
const MAX_PAGE_MS = 1_000;
const MAX_SIGN_IN_MS = 3_000;
/** The last people have so long to get in. */
const GRACE_MS = 10_000;

interface Noticed {
  pages: number[];
  lookups: number[];
  /** Of people who were never in from there, until they are. */
  newcomers: number[];
  /** Of people who were in from there before. */
  known: number[];
  /** How many of each were not in when it was over. */
  newcomersOut: number;
  knownOut: number;
}

/** Sixty connections that sign in without a pause, from one address or each from its own, with wrong passwords. */
export async function signInFlood(target: Target, addresses: 1 | 60): Promise<Outcome> {
  const attacked = await target.addAccounts(200, 'staff');
  const honest = await target.addAccounts(60, 'staff');
  const { password } = target.clinic.staff;
  await target.restartApi();
  const token = await tokenOf(target);
  await approveSystem(target, token);
  const known = honest.splice(0, 20);
  for (const [index, email] of known.entries()) await target.signIn(`203.0.113.${index}`, { email, password });

  const quiet = await notice(target, { token, seconds: 5, newcomers: [], known: [] });
  let isOver = false;
  let sent = 0;
  let checked = 0;
  const flood = async (connection: number) => {
    const address = addresses === 1 ? '198.51.100.1' : `198.51.100.${connection}`;
    for (let turn = connection; !isOver; turn += CONNECTIONS) {
      const email = attacked[turn % attacked.length] ?? '';
      const { status } = await target.signIn(address, { email, password: `wrong ${turn}` });
      sent += 1;
      if (status === 401) checked += 1;
    }
  };
  const flooding = Array.from({ length: CONNECTIONS }, (_, connection) => flood(connection));
  await delay(1_000);
  let noticed: Noticed;
  try {
    noticed = await notice(target, { token, seconds: SECONDS, newcomers: honest, known });
  } finally {
    isOver = true;
    await Promise.all(flooding);
  }

  const { pages, lookups } = noticed;
  return {
    attack: `${CONNECTIONS} connections that sign in without a pause, ${addresses === 1 ? 'from one address' : 'each from its own address'}`,
    tried: `${sent} sign-ins in ${SECONDS + 1} s`,
    through: `${checked} passwords checked (${(checked / (SECONDS + 1)).toFixed(1)} a second)`,
    honest: [
      `page ${inMs(pages)} (quiet: ${inMs(quiet.pages)})`,
      `request that looks a name up ${inMs(lookups)} (quiet: ${inMs(quiet.lookups)})`,
      `sign-in from where one was before ${inMs(noticed.known)}, ${noticed.knownOut} not in at the end`,
      `first sign-in ${inMs(noticed.newcomers)}, ${noticed.newcomersOut} not in at the end`,
    ].join('; '),
    limit: `page and look-up p95 within ${MAX_PAGE_MS} ms, sign-in from where one was before p95 within ${MAX_SIGN_IN_MS / 1_000} s, all of these in`,
    holds:
      quantile(pages, 0.95) <= MAX_PAGE_MS &&
      quantile(lookups, 0.95) <= MAX_PAGE_MS &&
      quantile(noticed.known, 0.95) <= MAX_SIGN_IN_MS &&
      noticed.knownOut === 0,
  };
}

/** What people notice: a page and a look-up five times a second, and every second somebody who signs in. */
async function notice(
  target: Target,
  { token, seconds, newcomers, known }: { token: string; seconds: number; newcomers: string[]; known: string[] },
): Promise<Noticed> {
  const noticed: Noticed = { pages: [], lookups: [], newcomers: [], known: [], newcomersOut: 0, knownOut: 0 };
  const until = performance.now() + seconds * 1_000;
  const isOver = () => performance.now() >= until;
  const watch = async (times: number[], look: () => Promise<{ status: number; text: string; ms: number }>) => {
    while (!isOver()) {
      const { status, text, ms } = await look();
      if (status !== 200) throw new Error(`an honest request was answered ${status} ${text}`);
      times.push(ms);
      await delay(200);
    }
  };
  const page = () => target.from('203.0.113.200', 'GET', '/favicon.svg');
  const body = { action: 'form.progress', params: { sessionId: 'session-1' } };
  const lookUp = () =>
    target.from('203.0.113.201', 'POST', '/api/integrations/approved-api/try', { body, bearer: token });
  const enter = async (email: string, address: string, who: 'newcomers' | 'known') => {
    const startedAt = performance.now();
    while (!isOver()) {
      const { status, retryAfterMs } = await target.signIn(address, { email, password: target.clinic.staff.password });
      if (status === 200) return void noticed[who].push(performance.now() - startedAt);
      await delay(Math.max(100, retryAfterMs));
    }
    noticed[`${who}Out`] += 1;
  };
  const enterOneByOne = async () => {
    const entering: Promise<void>[] = [];
    for (let turn = 0; performance.now() < until - GRACE_MS; turn += 1) {
      const [person, other] = [newcomers[turn], known[turn]];
      if (person) entering.push(enter(person, `192.0.2.${turn}`, 'newcomers'));
      if (other) entering.push(enter(other, `203.0.113.${turn}`, 'known'));
      await delay(1_000);
    }
    await Promise.all(entering);
  };
  const watching = [watch(noticed.pages, page), watch(noticed.lookups, lookUp), enterOneByOne()];
  // Whoever fails, nobody asks on when it is told.
  await Promise.allSettled(watching);
  await Promise.all(watching);
  return noticed;
}

async function tokenOf(target: Target): Promise<string> {
  const { email, password } = target.clinic;
  const { status, text } = await target.signIn('203.0.113.201', { email, password });
  if (status !== 200) throw new Error(`the administrator was answered ${status}`);
  return (JSON.parse(text) as { token: string }).token;
}

async function approveSystem(target: Target, bearer: string): Promise<void> {
  const body = {
    baseUrl: target.clinicSystem,
    auth: { method: 'none' },
    actions: { 'form.progress': { method: 'GET', path: '/forms/{sessionId}' } },
  };
  const { status, text } = await target.from('203.0.113.201', 'PUT', '/api/integrations/approved-api', {
    body,
    bearer,
  });
  if (status !== 200) throw new Error(`the clinic's system was answered ${status} ${text}`);
}

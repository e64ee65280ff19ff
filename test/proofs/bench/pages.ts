import { openDatabase } from '@clinic/prisma/client';
import { startBrowser, type TestBrowser } from '../../support/browser';
import { fill } from '../../support/fill';
import type { BenchStack } from './stack';

const DEFAULT_CASES = 100_000;
const TIMES = 5;
/** From the opening of the address to the first row. */
const AIM_MS = 1_500;
const MOST_JUMP_PX = 2;
/** From the click on a link to the page that it leads to, whose script the browser has, on a phone's processor. */
const TURN_AIM_MS = 300;
const SLOWED_DOWN = 4;

/** Pages by the names of their links, which are their titles. */
const turns = [
  'Results',
  'My day',
  'Calendar',
  'Patients',
  'Waitlist',
  'Tasks',
  'Recovery cases',
  'Calls',
  'Runs',
  'Deliveries',
];

/** Lists, with the filters and searches that read most. */
const lists: [name: string, address: string][] = [
  ['cases', '/cases'],
  ['cases, not reached', '/cases?status=PATIENT_NOT_REACHED'],
  ['calls', '/calls'],
  ['calls, of an outcome', '/calls?ending=conversation'],
  ['calls, of a type', '/calls?type=abandonment-recovery'],
  ['runs', '/runs'],
  ['runs, cancelled of a type', '/runs?status=cancelled&type=abandonment-recovery'],
  ['tasks', '/tasks'],
  ['tasks, all of a reason', '/tasks?show=all&reason=clinical_escalation'],
  ['patients', '/patients'],
  ['deliveries', '/deliveries'],
  ['audit', '/audit'],
];

/**
 * Lists in Chromium with the records of `PAGES_CASES` cases (100,000 unless set): how long it takes from opening the address, with nothing
 * in the browser's cache, until the first row is painted, and whether more rows leave those above where they are. Throws where
 * an aim is missed. `PAGES_LISTS` is a pattern of the lists' names, all of them unless set. Then how long it takes from a page to another
 * while the browser has a quarter of the processor.
 */
export async function pages(stack: BenchStack): Promise<void> {
  const browser = await startBrowser(stack.api.replace(/\/api$/, ''), { measured: true });
  // It would start the runs that are filled in, which Temporal does not know.
  stack.holdWorker();
  try {
    const token = await fillAndSignIn(stack);
    const missed = [...(await measureLists(token, browser)), ...(await measureTurns(token, browser))];
    if (missed.length > 0) throw new Error(missed.join('; '));
  } finally {
    await browser.close();
    stack.resumeWorker();
  }
}

async function fillAndSignIn({ api, clinic, database, post }: BenchStack): Promise<string> {
  const cases = Number(process.env.PAGES_CASES ?? DEFAULT_CASES);
  const signedIn = await post(`${api}/auth/sign-in/email`, { email: clinic.email, password: clinic.password });
  const { token } = JSON.parse(signedIn) as { token: string };
  const unhurried = openDatabase(database.url, { statementTimeoutMs: 3_600_000, silenceMs: 3_600_000 });
  const rows = await fill(unhurried, { clinicIds: [clinic.clinicId], cases });
  await unhurried.sql`vacuum`;
  await unhurried.close();
  console.log(`pages with ${cases} cases (${rows} rows), ms, least / median / most of ${TIMES}`);
  return token;
}

/** Returns what misses its aim. */
async function measureLists(token: string, browser: TestBrowser): Promise<string[]> {
  console.log('from the address to the first row');
  const missed: string[] = [];
  const chosen = new RegExp(process.env.PAGES_LISTS ?? '');
  for (const [name, address] of lists.filter(([each]) => chosen.test(each))) {
    const times: number[] = [];
    for (let round = 0; round < TIMES; round += 1) {
      const page = await browser.visit({ token });
      const startedAt = performance.now();
      await page.goto(address, { waitUntil: 'commit' });
      await page.locator('main tbody tr').first().waitFor();
      times.push(performance.now() - startedAt);
      const jumpPx = round === 0 ? await jumpOf(page) : 0;
      if (jumpPx > MOST_JUMP_PX) missed.push(`${name} jumps by ${jumpPx.toFixed(0)} px when more is shown`);
      await browser.leave();
    }
    const median = tell(name, times);
    if (median > AIM_MS) missed.push(`${name}: ${median.toFixed(0)} ms to the first row, more than ${AIM_MS}`);
  }
  return missed;
}

/** Returns what misses its aim. Each page is opened once before: its script is there, and what it showed. */
async function measureTurns(token: string, browser: TestBrowser): Promise<string[]> {
  console.log(`from a page to another, with a processor slowed down ${SLOWED_DOWN} times`);
  const page = await browser.visit({ token, device: 'phone' });
  await page.goto('/');
  await page.getByRole('heading', { level: 1 }).waitFor();
  for (const title of turns) await page.evaluate(turnTo(title));
  const devtools = await page.context().newCDPSession(page);
  await devtools.send('Emulation.setCPUThrottlingRate', { rate: SLOWED_DOWN });
  const times = new Map(turns.map((title) => [title, [] as number[]]));
  for (let round = 0; round < TIMES; round += 1)
    for (const title of turns) times.get(title)?.push(await page.evaluate<number>(turnTo(title)));
  await browser.leave();
  return [...times].flatMap(([title, taken]) => {
    const median = tell(title, taken);
    return median > TURN_AIM_MS ? [`${title}: ${median.toFixed(0)} ms to turn to it, more than ${TURN_AIM_MS}`] : [];
  });
}

/** Clicks a link of the navigation; the ms until its page is painted. It is left alone for a moment then, as by somebody who reads. */
const turnTo = (title: string) => `new Promise((resolve) => {
  const link = [...document.querySelectorAll('nav a')].find((each) => each.textContent.startsWith(${JSON.stringify(title)}));
  const startedAt = performance.now();
  link.click();
  const look = () => {
    if (document.querySelector('h1')?.textContent !== ${JSON.stringify(title)}) return requestAnimationFrame(look);
    requestAnimationFrame(() => {
      const ms = performance.now() - startedAt;
      setTimeout(() => resolve(ms), 1_500);
    });
  };
  requestAnimationFrame(look);
})`;

/** Returns the median of what was measured. */
function tell(name: string, times: number[]): number {
  const [least = 0, , median = 0, , most = 0] = times.toSorted((one, other) => one - other);
  console.log(`  ${name.padEnd(28)} ${[least, median, most].map((ms) => ms.toFixed(0).padStart(6)).join(' / ')}`);
  return median;
}

/** Shows up to three pages more; returns by how many px the row at the end of what was there moves at most. */
async function jumpOf(page: Awaited<ReturnType<TestBrowser['visit']>>): Promise<number> {
  const more = page.getByRole('button', { name: 'Show more' });
  let most = 0;
  for (let pagesMore = 0; pagesMore < 3 && (await more.count()) > 0; pagesMore += 1) {
    const shown = page.locator('main tbody tr');
    const count = await shown.count();
    await more.scrollIntoViewIfNeeded();
    const last = shown.nth(count - 1);
    const before = await last.boundingBox();
    await more.click();
    await shown.nth(count).waitFor();
    const after = await last.boundingBox();
    if (!before || !after) throw new Error('the last row is not on the page');
    most = Math.max(most, Math.abs(before.y - after.y));
  }
  return most;
}

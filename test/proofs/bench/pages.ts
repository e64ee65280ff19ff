import { openDatabase } from '@clinic/prisma/client';
import { startBrowser, type TestBrowser } from '../../support/browser';
import { fill } from '../../support/fill';
import type { BenchStack } from './stack';

const DEFAULT_CASES = 100_000;
const TIMES = 5;
/** From the opening of the address to the first row. */
const AIM_MS = 1_500;
const MOST_JUMP_PX = 2;

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
 * the aim is missed. `PAGES_LISTS` is a pattern of the lists' names, all of them unless set.
 */
export async function pages(stack: BenchStack): Promise<void> {
  // It would start the runs that are filled in, which Temporal does not know.
  stack.holdWorker();
  const browser = await startBrowser(stack.api.replace(/\/api$/, ''));
  try {
    await measurePages(stack, browser);
  } finally {
    await browser.close();
    stack.resumeWorker();
  }
}

async function measurePages({ api, clinic, database, post }: BenchStack, browser: TestBrowser): Promise<void> {
  const cases = Number(process.env.PAGES_CASES ?? DEFAULT_CASES);
  const signedIn = await post(`${api}/auth/sign-in/email`, { email: clinic.email, password: clinic.password });
  const { token } = JSON.parse(signedIn) as { token: string };
  const unhurried = openDatabase(database.url, { statementTimeoutMs: 3_600_000, silenceMs: 3_600_000 });
  const rows = await fill(unhurried, { clinicIds: [clinic.clinicId], cases });
  await unhurried.sql`vacuum`;
  await unhurried.close();

  console.log(
    `lists with ${cases} cases (${rows} rows), ms from the address to the first row, least / median / most of ${TIMES}`,
  );
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
    const [least = 0, , median = 0, , most = 0] = times.toSorted((one, other) => one - other);
    if (median > AIM_MS) missed.push(`${name}: ${median.toFixed(0)} ms`);
    console.log(`  ${name.padEnd(28)} ${[least, median, most].map((ms) => ms.toFixed(0).padStart(6)).join(' / ')}`);
  }
  if (missed.length > 0) throw new Error(`more than ${AIM_MS} ms, or a list that jumps: ${missed.join('; ')}`);
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

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { root } from '@clinic/local/paths';
import type { Page } from 'playwright-core';
import { type BenchStack, startBenchStack } from '../bench/stack';
import { accessibilityProblems, startBrowser, type TestBrowser } from '../support/browser';
import { fill } from '../support/fill';
import { takePictures } from './pictures';

interface Finding {
  /** The picture it is seen on. */
  picture: string;
  address: string;
  problems: string[];
}

const widths = [1440, 390];
const schemes = ['light', 'dark'] as const;

/** Longer than anything fits: a name of one word, and one of many. */
const LONG_WORD = 'Wolfeschlegelsteinhausenbergerdorffwelchevoralternwarengewissenhaftschafers';
const LONG_NAME =
  'Maria-Theresia Anneliese Wilhelmina Josephine Antoinette von und zu Hohenlohe-Waldenburg-Schillingsfürst';

/**
 * `npm run looks -- [--cases 400] [--to looks] [--only cases] [--width 390] [--scheme dark]`: opens every page of the dashboard in Chromium, full, with long names and
 * empty, on a desktop and a phone, light and dark. Saves a picture of each, and `findings.json` with what a program sees:
 * pages wider than the screen, text that is cut, axe's violations and errors in the console. Ends with 1 where it found any.
 * `--readme` takes the README's pictures anew instead.
 */
async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      cases: { type: 'string', default: '400' },
      to: { type: 'string', default: 'looks' },
      only: { type: 'string', default: '' },
      width: { type: 'string' },
      scheme: { type: 'string' },
      readme: { type: 'boolean', default: false },
    },
  });
  const folder = resolve(root, values.to);
  const stack = await startBenchStack('dev');
  const browser = await startBrowser(stack.api.replace(/\/api$/, ''));
  try {
    if (values.readme) {
      await takePictures(stack, browser);
      return;
    }
    mkdirSync(folder, { recursive: true });
    // It would start the runs that are filled in, which Temporal does not know.
    stack.holdWorker();
    const addresses = await fillClinic(stack, Number(values.cases));
    requireEveryRoute(addresses.map(({ address }) => address));
    const wanted = addresses.filter(({ name }) => name.includes(values.only));
    const findings: Finding[] = [];
    for (const width of widths.filter((each) => values.width === undefined || each === Number(values.width))) {
      for (const scheme of schemes.filter((each) => values.scheme === undefined || each === values.scheme)) {
        const of = { stack, browser, folder, width, scheme };
        findings.push(...(await look({ ...of, state: 'full', addresses: wanted })));
        const lists = wanted.filter(({ isOfRecord }) => !isOfRecord);
        findings.push(...(await look({ ...of, state: 'empty', addresses: lists })));
      }
    }
    writeFileSync(join(folder, 'findings.json'), `${JSON.stringify(findings, null, 2)}\n`);
    console.log(`${findings.length} pictures with findings, of which ${join(folder, 'findings.json')} tells`);
    if (findings.length > 0) process.exitCode = 1;
  } finally {
    stack.resumeWorker();
    await browser.close();
    await stack.stop();
  }
}

interface Address {
  name: string;
  address: string;
  /** The address names a record, which an empty clinic does not have. */
  isOfRecord?: true;
}

async function fillClinic({ clinic, database }: BenchStack, cases: number): Promise<Address[]> {
  const { clinicId } = clinic;
  await fill(database, { clinicIds: [clinicId], cases });
  await database.sql`
    update patients set first_name = ${LONG_NAME}, last_name = ${LONG_WORD}, email = ${`${LONG_WORD.toLowerCase()}@${'mail.'.repeat(8)}example`}
    where id in (select patient_id from recovery_cases where clinic_id = ${clinicId} order by created_at desc limit 2)`;
  await database.sql`
    update recovery_cases set form_name = ${`${LONG_WORD} ${LONG_NAME}`},
      barrier = ${JSON.stringify({ primaryBarrier: 'price', notes: `${LONG_WORD} ${LONG_NAME}. `.repeat(4) })}::jsonb
    where id in (select id from recovery_cases where clinic_id = ${clinicId} order by created_at desc limit 2)`;
  await database.sql`
    update calls set summary = ${`${LONG_WORD} ${LONG_NAME}. `.repeat(6)}
    where id in (select id from calls where clinic_id = ${clinicId} and case_id is not null order by created_at desc limit 2)`;
  // Of so few cases hardly one is of this week.
  await database.sql`
    update staff_tasks set state = 'OPEN', resolved_at = null
    where id in (select id from staff_tasks where clinic_id = ${clinicId} order by created_at desc limit 60)`;
  const [one] = await database.sql<{ case: string; patient: string; call: string; delivery: string; task: string }>`
    select k.case_id as "case", k.patient_id as patient, k.id as call, d.id as delivery, t.id as task
    from calls k join outbound_events e on e.subject = k.case_id join deliveries d on d.event_id = e.id, staff_tasks t
    where k.clinic_id = ${clinicId} and t.clinic_id = ${clinicId} and t.state = 'OPEN' and k.summary like ${`${LONG_WORD}%`}
    order by t.created_at desc limit 1`;
  if (!one) throw new Error('too few cases were filled in to have one of each record');
  const pages = ['cases', 'calls', 'queue', 'tasks', 'runs', 'results', 'patients', 'calendar', 'deliveries'];
  const others = ['my-account', 'audit', 'try-it', 'readiness'];
  const ofClinic = ['hours', 'providers', 'calling', 'opt-outs', 'people', 'retention'];
  const connections = ['sandbox', 'api-keys', 'inbound', 'outbound', 'approved-api', 'crm', 'voice', 'phone-numbers'];
  return [
    { name: 'overview', address: '/' },
    ...[...pages, ...others].map((name) => ({ name, address: `/${name}` })),
    ...ofClinic.map((area) => ({ name: `clinic-${area}`, address: `/clinic/${area}` })),
    ...connections.map((area) => ({ name: `connections-${area}`, address: `/connections/${area}` })),
    { name: 'calendar-all', address: '/calendar?provider=all' },
    { name: 'results-90', address: '/results?days=90' },
    { name: 'moved', address: '/integrations/opt-outs' },
    { name: 'nowhere', address: '/audit/nowhere' },
    { name: 'tasks-all', address: '/tasks?show=all' },
    { name: 'case', address: `/cases/${one.case}`, isOfRecord: true },
    { name: 'call', address: `/calls/${one.call}`, isOfRecord: true },
    { name: 'patient', address: `/patients/${one.patient}`, isOfRecord: true },
    { name: 'delivery', address: `/deliveries/${one.delivery}`, isOfRecord: true },
    { name: 'task', address: `/tasks?task=${one.task}`, isOfRecord: true },
    { name: 'readiness-run', address: '/readiness/unknown' },
    { name: 'sign-in', address: '/sign-in' },
    { name: 'set-password', address: '/set-password' },
  ];
}

/** Throws where the dashboard has a route that no address leads to. */
function requireEveryRoute(addresses: string[]): void {
  const routesOf = (file: string) =>
    [...readFileSync(join(root, 'dashboard', file), 'utf8').matchAll(/<Route\s+path="([^"]+)"/g)].map(
      ([, path = '']) => path,
    );
  const areas = routesOf('pages/integrations/areas.tsx').flatMap((area) => (area === '*' ? [] : [area]));
  const missing = [
    ...routesOf('app.tsx').filter((path) => {
      if (path === '*') return false;
      const pattern = new RegExp(`^${path.replace('/*', '/.+').replaceAll(/:\w+/g, '[^/?]+')}(\\?|$)`);
      return !addresses.some((address) => pattern.test(address));
    }),
    ...areas.filter((area) => !addresses.some((address) => address.endsWith(`/${area}`))),
  ];
  if (missing.length > 0)
    throw new Error(`no address is known for ${missing.join(', ')}: add it to test/looks/main.ts`);
}

async function look({
  stack: { api, clinic, emptyClinic, post },
  browser,
  folder,
  width,
  scheme,
  state,
  addresses,
}: {
  stack: BenchStack;
  browser: TestBrowser;
  folder: string;
  width: number;
  scheme: (typeof schemes)[number];
  state: 'full' | 'empty';
  addresses: Address[];
}): Promise<Finding[]> {
  const { email, password } = state === 'full' ? clinic : emptyClinic;
  const { token } = JSON.parse(await post(`${api}/auth/sign-in/email`, { email, password })) as { token: string };
  const findings: Finding[] = [];
  const device = width < 768 ? 'phone' : 'desktop';
  const signedIn = await browser.visit({ token, colorScheme: scheme, device });
  const stranger = await browser.visit({ colorScheme: scheme, device });
  for (const page of [signedIn, stranger])
    await page.setViewportSize({ width, height: device === 'phone' ? 844 : 1000 });
  for (const { name, address } of addresses) {
    const page = /^\/(sign-in|set-password)/.test(address) ? stranger : signedIn;
    const picture = `${name}-${state}-${width}-${scheme}.png`;
    await page.goto(address);
    await page.getByRole('heading', { level: 1 }).first().waitFor();
    await settled(page);
    const problems = [
      ...browser.takeProblems().filter((problem) => !/unknown: .*404|\/api\/nothing/.test(problem)),
      ...(await page.evaluate<string[]>(cutOff)),
      ...(await accessibilityProblems(page)),
    ];
    await page.screenshot({ path: join(folder, picture), fullPage: true });
    if (problems.length > 0) findings.push({ picture, address, problems });
  }
  await browser.leave();
  return findings;
}

/** Everything is there that was asked for, and stands still. */
async function settled(page: Page): Promise<void> {
  await page.getByText('Loading', { exact: true }).first().waitFor({ state: 'detached' });
  await page.waitForTimeout(250);
  await page.getByText('Loading', { exact: true }).first().waitFor({ state: 'detached' });
}

/** What is wider than the screen, has to be scrolled sideways, or has its text cut without three dots. */
const cutOff = `[document.documentElement, ...document.querySelectorAll('main *, header *, nav *')].flatMap((box) => {
  const style = getComputedStyle(box);
  const isWider = box.scrollWidth > box.clientWidth + 1 && box.clientWidth > 0;
  const what = box.outerHTML.slice(0, 120);
  if (box === document.documentElement) return isWider ? ['the page is wider than the screen: ' + box.scrollWidth] : [];
  if (style.display === 'inline' || box.closest('svg, pre, code, input')) return [];
  const hasText = [...box.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim() !== '');
  if (isWider && /auto|scroll/.test(style.overflowX)) return ['scrolls sideways: ' + what];
  if (isWider && hasText && /hidden|clip/.test(style.overflowX) && style.textOverflow !== 'ellipsis' && style.webkitLineClamp === 'none')
    return ['text is cut: ' + what];
  if (isWider && hasText && style.overflowX === 'visible' && box.getBoundingClientRect().left + box.scrollWidth > innerWidth + 1)
    return ['text leaves the screen: ' + what];
  return [];
})`;

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
});

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { root } from '@clinic/local/paths';
import { type Language, languages } from '@clinic/shared/domain/accounts/languages';
import type { Page } from 'playwright-core';
import { type BenchStack, startBenchStack } from '../bench/stack';
import { accessibilityProblems, startBrowser, type TestBrowser } from '../../support/browser';
import { type Address, fillClinic } from './filled-clinic';
import { takePictures } from './pictures';

interface Finding {
  /** The picture it is seen on. */
  picture: string;
  address: string;
  problems: string[];
}

const widths = [1440, 390];
const schemes = ['light', 'dark'] as const;

const locales = { en: 'en-US', es: 'es-ES' };

/**
 * `npm run prove -- looks [--cases 400] [--to looks] [--only cases,tasks] [--width 390] [--scheme dark] [--language es]`: opens every page of the dashboard in Chromium, full, with long names and
 * empty, on a desktop and a phone, light and dark. Saves a picture of each, and `findings.json` with what a program sees:
 * pages wider than the screen, text that is cut, axe's violations and errors in the console. Ends with 1 where it found any.
 * `--readme` takes the README's pictures again instead.
 */
export async function main(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      cases: { type: 'string', default: '400' },
      to: { type: 'string', default: 'looks' },
      only: { type: 'string', default: '' },
      width: { type: 'string' },
      scheme: { type: 'string' },
      language: { type: 'string', default: 'en' },
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
    const language = languageOf(values.language);
    for (const { clinicId } of [stack.clinic, stack.emptyClinic])
      await stack.stores.clinics.setLanguage(clinicId, language);
    requireEveryRoute(addresses.map(({ address }) => address));
    // What is pressed is known by its English name.
    const only = values.only.split(',');
    const wanted = addresses.filter(
      ({ name, press }) => only.some((part) => name.includes(part)) && (press === undefined || language === 'en'),
    );
    const findings: Finding[] = [];
    for (const width of widths.filter((each) => values.width === undefined || each === Number(values.width))) {
      for (const scheme of schemes.filter((each) => values.scheme === undefined || each === values.scheme)) {
        const of = { stack, browser, folder, width, scheme, language };
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

function languageOf(word: string): Language {
  const language = languages.find((each) => each === word);
  if (language === undefined) throw new Error(`The dashboard has ${languages.join(' and ')}, not ${word}`);
  return language;
}

/** Throws where the dashboard has a route that no address leads to. */
function requireEveryRoute(addresses: string[]): void {
  const routesOf = (file: string) =>
    [...readFileSync(join(root, 'dashboard', file), 'utf8').matchAll(/<Route\s+path="([^"]+)"/g)].map(
      ([, path = '']) => path,
    );
  const areas = routesOf('shell/settings-areas.tsx').flatMap((area) => (area === '*' ? [] : [area]));
  const missing = [
    ...routesOf('app.tsx').filter((path) => {
      if (path === '*') return false;
      const pattern = new RegExp(`^${path.replace('/*', '/.+').replaceAll(/:\w+/g, '[^/?]+')}(\\?|$)`);
      return !addresses.some((address) => pattern.test(address));
    }),
    ...areas.filter((area) => !addresses.some((address) => address.endsWith(`/${area}`))),
  ];
  if (missing.length > 0)
    throw new Error(`no address is known for ${missing.join(', ')}: add it to test/proofs/looks/main.ts`);
}

async function look({
  stack: { api, clinic, emptyClinic, post },
  browser,
  folder,
  width,
  scheme,
  language,
  state,
  addresses,
}: {
  stack: BenchStack;
  browser: TestBrowser;
  folder: string;
  width: number;
  scheme: (typeof schemes)[number];
  language: Language;
  state: 'full' | 'empty';
  addresses: Address[];
}): Promise<Finding[]> {
  const { email, password } = state === 'full' ? clinic : emptyClinic;
  const { token } = JSON.parse(await post(`${api}/auth/sign-in/email`, { email, password })) as { token: string };
  const findings: Finding[] = [];
  const device = width < 768 ? 'phone' : 'desktop';
  const signedIn = await browser.visit({ token, colorScheme: scheme, device, locale: locales[language] });
  const stranger = await browser.visit({ colorScheme: scheme, device, locale: locales[language] });
  for (const page of [signedIn, stranger])
    await page.setViewportSize({ width, height: device === 'phone' ? 844 : 1000 });
  for (const { name, address, press = [] } of addresses) {
    const page = /^\/(sign-in|set-password)/.test(address) ? stranger : signedIn;
    const picture = `${name}-${state}-${width}-${scheme}.png`;
    await page.goto(address);
    await page.getByRole('heading', { level: 1 }).first().waitFor();
    await settled(page);
    const unpressed = await pressAll(page, press);
    const problems = [
      ...unpressed,
      ...browser.takeProblems().filter((problem) => !/unknown: .*404|\/api\/nothing/.test(problem)),
      ...(await page.evaluate<string[]>(cutOff)),
      ...(await accessibilityProblems(page)),
    ];
    // A dialog stands on the screen, not on the page.
    await page.screenshot({ path: join(folder, picture), fullPage: press.length === 0 });
    if (problems.length > 0) findings.push({ picture, address, problems });
  }
  await browser.leave();
  return findings;
}

/** Presses buttons and boxes one after the other; returns what there is not. */
async function pressAll(page: Page, names: (string | RegExp)[]): Promise<string[]> {
  const unpressed: string[] = [];
  for (const name of names) {
    const control = page.getByRole('button', { name }).or(page.getByRole('checkbox', { name })).first();
    await control
      .click({ timeout: 5_000 })
      .catch(() => unpressed.push(`there is nothing to press named ${String(name)}`));
    await settled(page);
  }
  return unpressed;
}

/** Everything is there that was asked for, and stands still. */
async function settled(page: Page): Promise<void> {
  const loading = page.getByText(/^(Loading|Cargando)$/).first();
  await loading.waitFor({ state: 'detached' });
  await page.waitForTimeout(250);
  await loading.waitFor({ state: 'detached' });
}

/** What is wider than the screen, has to be scrolled sideways, or has its text cut without three dots. */
const cutOff = `[document.documentElement, ...document.querySelectorAll('main *, header *, nav *')].flatMap((box) => {
  const style = getComputedStyle(box);
  const isWider = box.scrollWidth > box.clientWidth + 1 && box.clientWidth > 0;
  const what = box.outerHTML.slice(0, 120);
  if (box === document.documentElement) return isWider ? ['the page is wider than the screen: ' + box.scrollWidth] : [];
  if (box.closest('svg, pre, code, input')) return [];
  // For screen readers alone; and a day's hours and the calendar of all providers, which are scrolled on purpose.
  if ((style.position === 'absolute' && box.clientWidth <= 1) || box.closest('[class*="hoursScroll"], [class*="_grid_"]')) return [];
  if (style.display === 'inline') {
    const frame = box.closest('.mantine-Paper-root, dialog, section');
    const isOut = frame && frame.clientWidth > 0 && box.getBoundingClientRect().right > frame.getBoundingClientRect().right + 1;
    return isOut && !box.closest('[style*="table-min-width"]') ? ['text leaves its frame: ' + what] : [];
  }
  const hasText = [...box.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim() !== '');
  if (isWider && /auto|scroll/.test(style.overflowX)) return ['scrolls sideways: ' + what];
  if (isWider && hasText && /hidden|clip/.test(style.overflowX) && style.textOverflow !== 'ellipsis' && style.webkitLineClamp === 'none')
    return ['text is cut: ' + what];
  if (isWider && hasText && style.overflowX === 'visible' && box.getBoundingClientRect().left + box.scrollWidth > innerWidth + 1)
    return ['text leaves the screen: ' + what];
  return [];
})`;

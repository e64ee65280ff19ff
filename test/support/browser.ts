import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import chromium from '@sparticuz/chromium';
import { root } from '@clinic/local/paths';
import { type Browser, type BrowserContext, chromium as playwright, type Page } from 'playwright-core';

const run = promisify(execFile);
const axeSource = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');

export interface Visit {
  /** A session's token; nobody is signed in without one. */
  token?: string;
  colorScheme?: 'light' | 'dark';
  device?: 'desktop' | 'phone';
  /** Of the browser; American English unless given. */
  locale?: string;
}

export interface TestBrowser {
  /** A page of a fresh profile. What goes wrong in it is in `problems`. */
  visit(visit?: Visit): Promise<Page>;
  /** What pages wrote to the console as an error or threw, and what the Content-Security-Policy refused, since last taken. */
  takeProblems(): string[];
  /** Closes every page, and the streams they read. */
  leave(): Promise<void>;
  /** Leaves at the end of a test. Throws where something went wrong in a page that the test did not take. */
  endTest(): Promise<void>;
  close(): Promise<void>;
}

const viewports = { desktop: { width: 1280, height: 860 }, phone: { width: 390, height: 844 } };

/**
 * A real Chromium that shows the dashboard as the API serves it; the dashboard is built before, where it is out of date. Pages of tests
 * live for seconds: to optimise their scripts costs more than it gains, unless it is `measured` how fast they are.
 */
export async function startBrowser(dashboardUrl: string, { measured = false } = {}): Promise<TestBrowser> {
  await run(process.execPath, ['--input-type=module', '-e', build], { cwd: root });
  const browser: Browser = await playwright.launch({
    executablePath: await chromium.executablePath(),
    args: [
      '--no-sandbox',
      '--no-zygote',
      '--disable-gpu',
      '--disable-dev-shm-usage',
      ...(measured ? [] : ['--js-flags=--no-opt,--no-maglev']),
    ],
  });
  let contexts: BrowserContext[] = [];
  let problems: string[] = [];

  const takeProblems = () => {
    const taken = problems;
    problems = [];
    return taken;
  };
  const leave = async () => {
    const left = contexts;
    contexts = [];
    await Promise.all(left.map((context) => context.close()));
  };

  return {
    takeProblems,
    leave,
    async endTest() {
      await leave();
      const untaken = takeProblems();
      if (untaken.length > 0) throw new Error(untaken.join('\n'));
    },
    async visit({ token, colorScheme = 'light', device = 'desktop', locale = 'en-US' } = {}) {
      const context = await browser.newContext({
        baseURL: dashboardUrl,
        viewport: viewports[device],
        colorScheme,
        locale,
        // Nothing moves while it is looked at.
        reducedMotion: 'reduce',
      });
      contexts.push(context);
      context.setDefaultTimeout(20_000);
      if (token) await context.addInitScript({ content: keepToken(token) });
      const page = await context.newPage();
      page.on('console', (message) => {
        if (message.type() === 'error') problems.push(`${page.url()}: ${message.text()}`);
      });
      page.on('pageerror', (error) => problems.push(`${page.url()}: ${error.message}`));
      return page;
    },
    close: () => browser.close(),
  };
}

const build = "import { buildDashboard } from './local/prepare.mjs'; await buildDashboard(console.error);";

/** What the dashboard itself keeps over a reload; not again once somebody has signed out. */
const keepToken = (token: string) => `
  if (!sessionStorage.getItem('test-token-given')) {
    sessionStorage.setItem('test-token-given', 'yes');
    sessionStorage.setItem('clinic-workflows-session', ${JSON.stringify(token)});
  }`;

interface Violation {
  id: string;
  impact: string | null;
  nodes: { target: string[]; failureSummary?: string }[];
}

/** Sets a filter of a list that is not set yet. */
export async function setFilter(page: Page, name: string, option: string | RegExp): Promise<void> {
  const filters = page.getByRole('group', { name: 'Filters' });
  await filters.getByRole('button', { name: 'Filter', exact: true }).click();
  await page.getByRole('menuitem', { name, exact: true }).click();
  await page.getByRole('menuitem', { name: option }).click();
  await filters.getByRole('button', { name: `Without: ${name}: ` }).waitFor();
}

/** Serious and critical violations that axe finds on the page as it is now, with where they are. */
export async function accessibilityProblems(page: Page): Promise<string[]> {
  const found = await page.evaluate<{ violations: Violation[] }>(`${axeSource}; ${axeRun}`);
  return found.violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) =>
      nodes.map(({ target, failureSummary }) => `${id} at ${target.join(' ')}: ${failureSummary}`),
    );
}

/** What fades is looked at when it has come to its end. Rules whose violations are never serious are left out. */
const axeRun = `Promise.all(
  document.getAnimations()
    .filter(({ playState, effect }) => playState === 'running' && effect.getComputedTiming().endTime < Infinity)
    .map(({ finished }) => finished.catch(() => undefined)),
).then(() => window.axe.run(document, {
  resultTypes: ['violations'],
  rules: Object.fromEntries(
    window.axe._audit.rules
      .filter(({ impact }) => impact === 'minor' || impact === 'moderate')
      .map(({ id }) => [id, { enabled: false }]),
  ),
}))`;

interface Focused {
  name: string;
  isSeen: boolean;
}

/**
 * Presses Tab until something of that name has the focus, round and round where it cannot be pressed yet; everything on the way shows that
 * it has it, uncovered.
 */
export async function tabTo(page: Page, name: string | RegExp): Promise<void> {
  const until = Date.now() + 20_000;
  for (let presses = 0; presses < 80 || Date.now() < until; presses += 1) {
    await page.keyboard.press('Tab');
    let focused = await page.evaluate<Focused | null>(focusedNow);
    // What scrolls into sight, or moves while a dialog opens, is there a moment later; a notice over it goes away within seconds.
    for (let looks = 0; focused?.isSeen === false && looks < 120; looks += 1) {
      await page.waitForTimeout(50);
      focused = await page.evaluate<Focused | null>(focusedNow);
    }
    if (!focused) continue;
    expect(focused).toEqual({ name: focused.name, isSeen: true });
    if (typeof name === 'string' ? focused.name === name : name.test(focused.name)) return;
  }
  throw new Error(`Tab does not reach ${String(name)}`);
}

const focusedNow = `(() => {
  const element = document.activeElement;
  if (element === document.body) return null;
  const label = element.getAttribute('aria-label') ?? (element.labels?.[0] ?? element).textContent;
  const { left, top, width, height } = element.getBoundingClientRect();
  const onTop = document.elementFromPoint(left + width / 2, top + height / 2);
  const isCovered = onTop !== null && !element.contains(onTop) && !onTop.contains(element) && !element.labels?.[0]?.contains(onTop);
  const { outlineStyle } = getComputedStyle(element);
  return { name: label.trim(), isSeen: outlineStyle !== 'none' && !isCovered };
})()`;

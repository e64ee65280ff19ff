import type { Part } from './document';
import { nameOf } from './outline';
import type { Dashboard, Opened, Page } from './page';

/** How far it goes from a page: a menu, what that opens, and what is in it. */
const DEEP = 3;
/** So many of the options of a menu are chosen; it says all of them. */
const MOST_OPTIONS = 3;
/** And so much is done on a page at most. */
const MOST_ACTS = 32;
/** A page that has to be opened anew takes as long as so many. */
const OPENING_COSTS = 4;
/** Where more lines are gone, only how many. */
const FEW_LINES = 3;
/** By then a notice has gone away. */
const NOTICE_MS = 15_000;

/** What a page says, and what it asks the service for (`>`). */
export async function look(dashboard: Dashboard, opened: Opened): Promise<string[]> {
  const page = await dashboard.open(opened);
  const lines = [...page.outline(), ...doneBy(page), ...page.problems.map((problem) => `! ${problem}`)];
  page.leave();
  return lines;
}

/**
 * What comes of each thing that can be done on a page: what is said besides (`+`) and no more (`-`), what is asked of the service
 * (`>`), and where it leads (`→`). What opens something is gone through too; a form is sent as it is, and filled in, and then what
 * had waited for that is done. Of those that are alike but for a number, as in rows, one is tried.
 */
export async function walk(dashboard: Dashboard, opened: Opened): Promise<string[]> {
  let page = await dashboard.open(opened);
  page.asked();
  const first = page.outline();
  const lines: string[] = [];
  const known = new Set<string>();
  let acts = 0;

  const isKnown = (key: string): boolean => {
    const kind = key.replaceAll(/\d+/g, '#');
    if (known.has(kind)) return true;
    known.add(kind);
    return false;
  };
  const follow = async (path: string[]): Promise<void> => {
    for (const key of path) await act(page, find(page, key));
    page.asked();
  };

  /** Goes through these, which have come by what the path says. */
  const go = async (keys: string[], path: string[]): Promise<void> => {
    const [whole, there, place] = [page.outline(), new Set(keysOf(page)), page.place()];
    let current = whole;
    const isWhole = () => isSame(current, whole);
    const see = () => void (current = page.outline());
    const isWholeNow = () => {
      see();
      return isWhole();
    };
    const back = async (): Promise<void> => {
      if (isWhole()) return;
      await page.press('Escape');
      await act(page, find(page, '‹Close without saving›'));
      await page.returnTo(place);
      if (isWholeNow()) return;
      await page.wait(NOTICE_MS);
      if (isWholeNow()) return;
      // What has closed is opened again.
      if (path.length > 0 && isSame(current, first)) {
        await follow(path);
        if (isWholeNow()) return;
      }
      acts += OPENING_COSTS;
      page.leave();
      page = await dashboard.open(opened);
      await follow(path);
      see();
    };
    const tried = async (key: string): Promise<void> => {
      const element = find(page, key);
      if (!element || acts >= MOST_ACTS) return;
      acts += 1;
      const [before, at] = [current, page.address()];
      await act(page, element);
      see();
      const margin = '  '.repeat(path.length);
      const came = [...changes(before, current), ...doneBy(page, at)];
      lines.push(`${margin}${key}`, ...came.map((line) => `${margin}  ${line}`));
      if (path.length + 1 >= DEEP || page.address() !== at) return;
      const fresh = keysOf(page).filter((each) => !there.has(each));
      if (fresh.length > 0) await go(fresh, [...path, key]);
      see();
    };

    const fields = keys.filter((key) => key.endsWith(FIELD));
    const waiting = page.disabled().map(keyOf);
    let options = 0;
    for (const key of keys) {
      if (fields.includes(key) || ofEveryPage.has(key) || isKnown(key)) continue;
      const isOption = /^(?:menuitem|option)$/.test(find(page, key)?.getAttribute('role') ?? '');
      if (isOption && (options += 1) > MOST_OPTIONS) continue;
      await back();
      await tried(key);
    }
    if (fields.length === 0) return;
    await back();
    for (const key of fields) await tried(key);
    for (const key of keys) if (find(page, key)?.getAttribute('type') === 'submit') await tried(key);
    for (const key of waiting) if (find(page, key) && !isKnown(key)) await tried(key);
  };
  await go(keysOf(page), []);
  lines.push(...page.problems.map((problem) => `! ${problem}`));
  page.leave();
  return lines;
}

const FIELD = ': …';
/** Of a dialog, and of a notice. */
const ofEveryPage = new Set(['‹Close›', '‹Dismiss›']);

const isSame = (one: string[], other: string[]): boolean => one.join('\n') === other.join('\n');

const keyOf = (element: Part): string => (isField(element) ? `${nameOf(element)}${FIELD}` : `‹${nameOf(element)}›`);

const keysOf = (page: Page): string[] => page.doable().map(keyOf);

const find = (page: Page, key: string): Part | undefined => page.doable().find((each) => keyOf(each) === key);

const clicked = new Set(['checkbox', 'radio', 'button', 'submit', 'file']);

/** Is typed into; where it offers a list, it is clicked. */
const isField = (element: Part): boolean =>
  element.tagName === 'TEXTAREA' ||
  (element.tagName === 'INPUT' &&
    !clicked.has(element.getAttribute('type') ?? 'text') &&
    element.getAttribute('aria-haspopup') !== 'listbox');

async function act(page: Page, element: Part | undefined): Promise<void> {
  if (!element) return;
  await (isField(element) ? page.type(element, typedInto(element)) : page.click(element));
}

/** The word that a person types before something that cannot be undone. */
const wordAsked = /^To go on, type (.+)$/;

function typedInto(field: Part): string {
  const [, word] = wordAsked.exec(nameOf(field)) ?? [];
  if (word !== undefined) return word;
  const type = field.getAttribute('type') ?? '';
  const typed = { email: 'typed@example.com', tel: '+13035550199', date: '2026-11-30', time: '09:45', number: '12' };
  if (type in typed) return typed[type as keyof typeof typed];
  return field.getAttribute('inputmode') === 'numeric' ? '12' : 'typed';
}

function doneBy(page: Page, from = page.address()): string[] {
  const asked = page.asked().map(({ method, path, body }) => {
    const sent = body === undefined ? '' : ` ${JSON.stringify(body)}`;
    return `> ${method} ${path}${sent}`;
  });
  return page.address() === from ? asked : [...asked, `→ ${page.address()}`];
}

/** Lines that have gone, and those that have come. */
export function changes(before: string[], after: string[]): string[] {
  const gone = without(before, after);
  const came = without(after, before).map((line) => `+ ${line}`);
  return [...(gone.length > FEW_LINES ? [`- ${gone.length} lines`] : gone.map((line) => `- ${line}`)), ...came];
}

function without(lines: string[], others: string[]): string[] {
  const counts = new Map<string, number>();
  for (const line of others) counts.set(line, (counts.get(line) ?? 0) + 1);
  return lines.filter((line) => {
    const left = counts.get(line) ?? 0;
    counts.set(line, left - 1);
    return left <= 0;
  });
}

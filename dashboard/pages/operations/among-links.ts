import type { KeyboardEvent } from 'react';

/**
 * The arrows, Home and End move the focus among links that are one stop of the tab key: all but the first have the `tabIndex` -1.
 * In a table, up and down lead to the nearest link of the next row that has one.
 */
export function moveAmongLinks(event: KeyboardEvent): void {
  const links = [...event.currentTarget.querySelectorAll('a')];
  const at = links.findIndex((link) => link === document.activeElement);
  const here = links[at];
  if (!here) return;
  const to: Record<string, HTMLAnchorElement | undefined> = {
    ArrowRight: links[at + 1],
    ArrowLeft: links[at - 1],
    ArrowDown: nearest(links.slice(at + 1), here),
    ArrowUp: nearest(links.slice(0, at).toReversed(), here),
    Home: links[0],
    End: links.at(-1),
  };
  const next = to[event.key];
  if (!next) return;
  event.preventDefault();
  for (const link of links) link.tabIndex = link === next ? 0 : -1;
  next.focus();
}

/** In the first row among these that is not the link's own. */
function nearest(others: HTMLAnchorElement[], here: HTMLAnchorElement): HTMLAnchorElement | undefined {
  const row = others.map(rowOf).find((each) => each !== rowOf(here));
  const distance = (link: HTMLAnchorElement) => Math.abs(columnOf(link) - columnOf(here));
  return others
    .filter((link) => row && rowOf(link) === row)
    .toSorted((one, other) => distance(one) - distance(other))[0];
}

const rowOf = (link: HTMLAnchorElement) => link.closest('tr');

const columnOf = (link: HTMLAnchorElement): number => link.closest('td')?.cellIndex ?? 0;
